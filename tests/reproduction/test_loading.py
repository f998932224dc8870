import bz2
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import dump_svmlight_file, load_iris, load_wine

from reproduction.data import DATASETS, DataError, available, checking, info, load, registry, varying_columns, verify


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X.astype(np.float32), y=y)
    return tmp_path


def shrink(monkeypatch: pytest.MonkeyPatch, name: str, **changes: object) -> None:
    """Lets a registry entry describe a small table, so that a test can write one."""
    small = {**DATASETS, name: dataclasses.replace(info(name), **changes)}  # type: ignore[arg-type]
    monkeypatch.setattr(registry, "DATASETS", small)


def test_archives_load_as_floats_with_integer_classes(iris: Path) -> None:
    data = load("iris", iris)
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    assert data.task == "multi-class"
    assert data.classes == ("0", "1", "2")
    assert data.origin == (iris / "iris.npz",)
    assert load("iris", iris, dtype=np.float32).X.dtype == np.float32


def test_the_folder_may_come_from_the_environment(iris: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSVV_DATA", str(iris))
    assert load("iris").X.shape == (150, 4)
    # an empty variable is not the current folder
    monkeypatch.setenv("LSVV_DATA", "")
    with pytest.raises(DataError, match="pass one or set the variable LSVV_DATA"):
        load("iris")
    monkeypatch.delenv("LSVV_DATA")
    with pytest.raises(DataError, match="pass one or set the variable LSVV_DATA"):
        load("iris")
    with pytest.raises(DataError, match="does not exist"):
        load("iris", iris / "nowhere")


@pytest.mark.parametrize("file", ["wine", "wine.scale", "wine.scale.bz2"])
def test_libsvm_files_keep_their_classes(tmp_path: Path, file: str) -> None:
    X, y = load_wine(return_X_y=True)
    dump_svmlight_file(X, y + 1, str(tmp_path / "plain"), zero_based=False)
    content = (tmp_path / "plain").read_bytes()
    (tmp_path / file).write_bytes(bz2.compress(content) if file.endswith("bz2") else content)
    data = load("wine", tmp_path)
    assert isinstance(data.X, np.ndarray)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.classes == ("1", "2", "3")


def test_uci_text_and_archive_of_one_set_agree(iris: Path) -> None:
    X, y = load_iris(return_X_y=True)
    folder = iris / "uci"
    folder.mkdir()
    words = np.array(["Iris-setosa", "Iris-versicolor", "Iris-virginica"])[y]
    rows = [",".join([*map(str, row), word]) for row, word in zip(X, words, strict=True)]
    (folder / "iris.data").write_text("\n".join([*rows, ""]) + "\n")
    data = load("iris", folder)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.classes[0] == "Iris-setosa"


def test_files_may_lie_in_a_subfolder_of_the_name(iris: Path) -> None:
    (iris / "iris").mkdir()
    (iris / "iris.npz").rename(iris / "iris" / "iris.npz")
    assert load("iris", iris).X.shape == (150, 4)


def test_mulan_files_are_stacked_and_labelled_by_the_xml_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, "scene", rows=3, columns=2, K=2)
    columns = ("l1 {0,1}", "f1 numeric", "f2 numeric", "l2 {0,1}")
    header = "@relation s\n" + "".join(f"@attribute {column}\n" for column in columns) + "@data\n"
    (tmp_path / "scene-train.arff").write_text(header + "1,0.5,2,0\n0,1.5,3,0\n")
    (tmp_path / "scene-test.arff").write_text(header + "0,7,8,1\n")
    (tmp_path / "scene.xml").write_text('<labels><label name="l2"/><label name="l1"/></labels>')
    data = load("scene", tmp_path)
    np.testing.assert_array_equal(data.X, [[0.5, 2], [1.5, 3], [7, 8]])
    np.testing.assert_array_equal(data.y, [[1, 0], [0, 0], [0, 1]])
    (tmp_path / "scene.xml").write_text('<labels><label name="l2"/><label name="l9"/></labels>')
    with pytest.raises(DataError, match="names the label 'l9', which is no column of"):
        load("scene", tmp_path)
    (tmp_path / "scene.xml").unlink()
    with pytest.raises(DataError, match="a label is neither 0 nor 1"):
        load("scene", tmp_path)


def test_sparse_sets_stay_sparse_from_arff_and_from_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, "bibtex", rows=2, columns=3, K=1)
    header = "@relation b\n" + "".join(f"@attribute w{j} {{0,1}}\n" for j in range(3)) + "@attribute t {0,1}\n@data\n"
    (tmp_path / "bibtex.arff").write_text(header + "{0 1,3 1}\n{2 1}\n")
    expected = np.array([[1, 0, 0], [0, 0, 1]])
    from_arff = load("bibtex", tmp_path)
    pieces = csr_matrix(expected)
    np.savez(
        tmp_path / "bibtex.npz",
        X_data=pieces.data, X_indices=pieces.indices, X_indptr=pieces.indptr, X_shape=(2, 3), Y=[[1], [0]],
    )  # fmt: skip
    from_npz = load("bibtex", tmp_path)
    for data in (from_arff, from_npz):
        assert issparse(data.X)
        np.testing.assert_array_equal(csr_matrix(data.X).toarray(), expected)
        np.testing.assert_array_equal(data.y, [[1], [0]])


def test_rf2_drops_rows_that_miss_an_input_and_its_sibling_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shrink(monkeypatch, "rf2", rows=2, columns=2, K=1)
    header = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y numeric\n@data\n"
    (tmp_path / "rf2.arff").write_text(header + "1,2,3\n?,5,6\n7,8,9\n")
    np.testing.assert_array_equal(load("rf2", tmp_path).y, [[3], [9]])
    shrink(monkeypatch, "rf2_with_missing", rows=3, columns=2, K=1)
    kept = load("rf2_with_missing", tmp_path)
    assert isinstance(kept.X, np.ndarray)
    np.testing.assert_array_equal(np.isnan(kept.X), [[False, False], [True, False], [False, False]])


def test_absent_wrong_and_damaged_files_are_told_apart(iris: Path) -> None:
    with pytest.raises(DataError, match=r"wine is not at hand: none of wine.npz, wine, wine.scale.* put one there"):
        load("wine", iris)
    np.savez(iris / "wine.npz", X=np.zeros((177, 13)), y=np.arange(177) % 3)
    with pytest.raises(DataError, match=r"holds 177 rows .*13 columns and 3 outputs; wine has 178, 13 and 3"):
        load("wine", iris)
    np.savez(iris / "wine.npz", X=np.zeros((178, 13)))
    with pytest.raises(DataError, match=r"wine.npz lacks an array: .* it needs X and y"):
        load("wine", iris)
    content = (iris / "iris.npz").read_bytes()
    for damaged in (content[:-300], b"", b"not a zip archive at all"):
        (iris / "iris.npz").write_bytes(damaged)
        with pytest.raises(DataError, match=r"iris.npz ends early or is damaged"):
            load("iris", iris)


@pytest.mark.parametrize(
    ("name", "arrays", "sentence"),
    [
        (
            "wine",
            {"X": np.zeros(178), "y": np.zeros(178)},
            "inputs and targets of 1 and 1 dimensions; wine has 2 and 1",
        ),
        ("wine", {"X": np.zeros((178, 13)), "y": np.zeros((178, 1))}, "of 2 and 2 dimensions; wine has 2 and 1"),
        ("wine", {"X": np.full((178, 13), "a"), "y": np.zeros(178)}, "holds texts where wine has numbers"),
        ("wine", {"X": np.zeros((178, 13)), "y": np.full(178, np.nan)}, "lacks a target, or has one that is infinite"),
        ("yeast", {"X": np.zeros((2417, 103)), "Y": np.full((2417, 14), 0.5)}, "a label is neither 0 nor 1"),
    ],
)
def test_archives_of_something_else_get_a_sentence(
    tmp_path: Path, name: str, arrays: dict[str, Any], sentence: str
) -> None:
    np.savez(tmp_path / f"{name}.npz", **arrays)
    with pytest.raises(DataError, match=rf"{name}.npz.*{sentence}"):
        load(name, tmp_path)


def test_a_damaged_compressed_archive_gets_a_sentence_wherever_the_damage_is(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "iris.npz"
    np.savez_compressed(path, X=X, y=y)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for place in rng.integers(30, len(content), size=200):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            load("iris", tmp_path)
        except DataError:
            refused += 1
    assert refused > 100


def test_available_says_what_is_here_and_why_the_rest_is_not(iris: Path) -> None:
    (iris / "wine.data").touch()
    findings = {finding.name: finding for finding in available(iris)}
    assert len(findings) == 23
    assert findings["iris"].sentence == "here: iris.npz."
    assert [name for name, finding in findings.items() if finding.good] == ["iris"]
    assert "wine.data is empty" in findings["wine"].sentence
    assert "none of Sensorless.npz" in findings["Sensorless"].sentence


def test_verify_checks_shape_classes_columns_and_sums(iris: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sentence() -> str:
        (finding,) = verify(iris, ("iris",))
        assert not finding.good
        return finding.sentence

    assert "SHA-256 is not the known one" in sentence()
    known = {"iris": checking.file_sha256(iris / "iris.npz")}
    monkeypatch.setattr(checking, "NPZ_SHA256", known)
    assert verify(iris, ("iris",))[0].good
    X, y = load_iris(return_X_y=True)
    X[:, 0] = 1.0
    y[0] = 1
    np.savez(iris / "iris.npz", X=X, y=y)
    monkeypatch.setattr(checking, "NPZ_SHA256", {})
    assert "3 columns that vary, but 4 should" in sentence()
    assert "(49, 50, 51) rows in its classes, but (50, 50, 50) are known" in sentence()
    (iris / "iris.npz").write_bytes(b"")
    assert "iris.npz is empty" in sentence()


def test_a_list_of_checksums_that_is_damaged_is_named(iris: Path) -> None:
    (iris / checking.CHECKSUMS).write_text("{")
    assert "checksums.json is not the list of checksums it was" in verify(iris, ("iris",))[0].sentence


@pytest.mark.parametrize("convert", [np.asarray, csr_matrix])
def test_varying_columns_counts_columns_that_are_not_constant(convert: type) -> None:
    assert varying_columns(convert(np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 0.0]]))) == 1


def test_missing_values_do_not_make_a_column_vary() -> None:
    assert varying_columns(np.array([[np.nan, 1.0], [2.0, 3.0]])) == 1
