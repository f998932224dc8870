import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

from reproduction.data import DataError
from reproduction.data.text import read_libsvm, read_table

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".gz": gzip.compress,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_libsvm_files_give_back_what_was_written(tmp_path: Path, suffix: str) -> None:
    X, y = load_iris(return_X_y=True)
    plain = tmp_path / "plain"
    dump_svmlight_file(X, y, str(plain), zero_based=False)
    packed = tmp_path / f"iris.scale{suffix}"
    packed.write_bytes(COMPRESS[suffix](plain.read_bytes()))
    found, labels = read_libsvm(packed, columns=5)
    np.testing.assert_array_equal(found.toarray(), np.column_stack([X, np.zeros(150)]))
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1 1:0.5 2:a", r"line 2: '2:a' is not of the form index:value"),
        ("1 1:0.5 2", r"line 2: '2' is not of the form index:value"),
        ("one 1:0.5", r"line 2: the label 'one' is not a number"),
        ("1 1:0.5 9:1", r"line 2: index 9 is out of order or not between 1 and 4"),
        ("1 0:0.5", r"line 2: index 0 is out of order or not between 1 and 4"),
        ("1 2:0.5 1:1", r"line 2: index 1 is out of order"),
    ],
)
def test_bad_libsvm_lines_are_named(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "iris.scale"
    path.write_text(f"1 1:1 2:2\n{line}\n2 1:3\n")
    with pytest.raises(DataError, match=f"iris.scale, {sentence}"):
        read_libsvm(path, columns=4)


@pytest.mark.parametrize("suffix", [".bz2", ".xz", ".gz"])
def test_truncated_archives_are_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"poker{suffix}"
    noise = np.random.default_rng(0).random((500, 3))
    text = "".join(f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in noise)
    path.write_bytes(COMPRESS[suffix](text.encode())[:-200])
    with pytest.raises(DataError, match=rf"poker\{suffix} ends early or is damaged"):
        read_libsvm(path, columns=3)


def test_tables_leave_out_columns_and_read_words_as_classes(tmp_path: Path) -> None:
    path = tmp_path / "glass.data"
    path.write_text("7,1.5,2.5,red\n8,3.5,4.5,blue\n9,0,0,red\n")
    X, labels = read_table(path, ",", label=-1, drop=(0,), cells="", rows=2)
    np.testing.assert_array_equal(X, [[1.5, 2.5], [3.5, 4.5]])
    assert labels.tolist() == ["red", "blue"]


def test_cells_of_letters_become_indicators(tmp_path: Path) -> None:
    path = tmp_path / "connect-4.data"
    path.write_text("b,x,win\no,b,loss\n")
    X, labels = read_table(path, ",", label=-1, drop=(), cells="bxo", rows=None)
    np.testing.assert_array_equal(X, [[1, 0, 0, 0, 1, 0], [0, 0, 1, 1, 0, 0]])
    assert labels.tolist() == ["win", "loss"]


@pytest.mark.parametrize(
    ("text", "cells", "sentence"),
    [
        ("1 2 1\n3 x 1\n", "", "line 2: cell 2 holds 'x', not a number"),
        ("1 2 1\n3 4 1\n5 6", "", "line 3: 2 cells, but the first line has 3"),
        ("b x win\nb q win\n", "bxo", "line 2: cell 2 holds 'q', not one of b, x, o"),
    ],
)
def test_bad_table_lines_are_named(tmp_path: Path, text: str, cells: str, sentence: str) -> None:
    path = tmp_path / "sat.trn"
    path.write_text(text)
    with pytest.raises(DataError, match=f"sat.trn, {sentence}"):
        read_table(path, None, label=-1, drop=(), cells=cells, rows=None)
