"""Column importances: columns that matter stand out, the others are 0 but for chance, and only trees are asked."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection import Importances, column_importances, importances

TREES: dict[str, Any] = {"features": "linear", "trees": True, "ridge": 1e-2, "smoothing": 0.0, "random_state": 0}


@pytest.fixture(scope="module")
def two_of_six() -> tuple[np.ndarray, np.ndarray]:
    """Columns 0 and 3 of six make the numbers."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 3] + 0.1 * rng.normal(size=200)


def assert_only_0_and_3_matter(found: Importances) -> None:
    others = np.isin(np.arange(6), (0, 3), invert=True)
    assert found.rise[~others].min() > 0.2 > 5.0 * found.rise[others].max()
    assert np.all(found.rise[others] < 3.0 * found.error[others])
    assert np.array_equal(found.matters, ~others)


def test_numbers(two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = two_of_six
    model = LSVVRegressorCV(**TREES).fit(X, y)
    found = column_importances(model, X)
    assert found.names == (0, 1, 2, 3, 4, 5)
    assert_only_0_and_3_matter(found)
    np.testing.assert_array_equal(found.rise, column_importances(model, X).rise)


def test_classes_among_unlabelled_rows(two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = two_of_six
    rng = np.random.default_rng(0)
    place = np.sort(rng.permutation(300)[:200])
    rows, classes = rng.normal(size=(300, 6)), np.full(300, -1)
    rows[place], classes[place] = X, np.digitize(y, [-0.5, 0.5])
    assert_only_0_and_3_matter(column_importances(LSVVClassifierCV(**TREES).fit(rows, classes), rows))


@pytest.mark.parametrize("kind", [LSVVClassifierCV, LSVVRegressorCV])
def test_several_outputs_with_unknown_entries(kind: Any, two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = two_of_six
    Y = np.column_stack([y, X[:, 0] - X[:, 3]])
    Y = (Y > 0).astype(float) if kind is LSVVClassifierCV else Y
    Y[:40, 0] = Y[30:80, 1] = np.nan
    assert_only_0_and_3_matter(column_importances(kind(**TREES).fit(X, Y), X))


def test_columns_that_say_the_same_matter_together(two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = two_of_six
    X = np.column_stack([X, X[:, 3]])
    model = LSVVRegressorCV(**TREES).fit(X, y)
    alone = column_importances(model, X)
    together = column_importances(model, X, groups=["a", "b", "c", "d", "e", "f", "d"])
    assert together.names == ("a", "b", "c", "d", "e", "f")
    assert together.rise[3] > 1.5 * max(alone.rise[3], alone.rise[6])
    assert_only_0_and_3_matter(together)


def test_all_columns_in_one_group_leave_less_than_the_mean_knows(two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    # error of an answer made for another row: the variances of both, in units of one of them
    X, y = two_of_six
    model = LSVVRegressorCV(**TREES).fit(X, y)
    found = column_importances(model, X, groups=["all"] * 6, n_repeats=50)
    T, each = model._judges.T[:, 0], [kind.expectation[:, 0] for kind in model._judges.kinds]
    said = np.average(each, axis=0, weights=model._judges.shares()[:, 0])
    spread = float(np.mean((T - T.mean()) ** 2))
    exact = (np.mean((T[:, None] - said) ** 2) - np.mean((T - said) ** 2)) / spread
    assert found.rise[0] == pytest.approx(exact, rel=0.1)
    assert found.rise[0] > 1.0


def test_few_rows_are_exchanged_over_folds_and_many_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    few = column_importances(LSVVRegressorCV(**TREES).fit(X, X[:, 1]), X)
    assert few.rise[1] > few.rise[0]
    X = rng.normal(size=(300, 2))
    model = LSVVRegressorCV(**TREES).fit(X, X[:, 1])
    whole = column_importances(model, X)
    monkeypatch.setattr(importances, "JUDGED", 100)
    part = column_importances(model, X)
    assert part.matters.tolist() == whole.matters.tolist() == [False, True]
    assert part.error[1] > whole.error[1]


def test_sparse_rows_are_judged_as_dense_ones() -> None:
    X = np.random.default_rng(0).integers(0, 3, size=(60, 3)).astype(float)
    one, two = (column_importances(LSVVRegressorCV(**TREES).fit(Z, X[:, 1]), Z).rise for Z in (X, sp.csr_array(X)))
    np.testing.assert_allclose(one, two)


def test_names_of_columns_and_equal_targets() -> None:
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["size", "weight"])
    found = column_importances(LSVVRegressorCV(**TREES).fit(X, np.ones(30)), X)
    assert found.names == ("size", "weight")
    assert not found.rise.any()
    assert not found.matters.any()


def test_trees_without_a_share_judge_columns_and_stay_out_of_files() -> None:
    X = np.random.default_rng(0).normal(size=(80, 4))
    model = LSVVRegressorCV(random_state=0).fit(X, 2.0 * X[:, 2] - X[:, 3])
    assert model.kinds_["extra trees"] == model.kinds_["bagged trees"] == 0.0
    assert column_importances(model, X).matters[2:].all()
    kept = pickle.dumps(model)
    assert len(kept) < 1_000_000
    again = pickle.loads(kept)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match=r"not kept in files or copies. Fit the model again"):
        column_importances(again, X)


def test_sentences(two_of_six: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = two_of_six
    with pytest.raises(ValueError, match=r"fitted without trees, .* Fit it with trees=True and selection='average'"):
        column_importances(LSVVRegressorCV(**{**TREES, "trees": False}).fit(X, y), X)
    model = LSVVRegressorCV(**TREES).fit(X, y)
    with pytest.raises(ValueError, match=r"groups has 2 names for 6 columns of X. Pass one for each column"):
        column_importances(model, X, groups=["a", "b"])
    with pytest.raises(ValueError, match=r"X has 10 rows, and row 199 of those .* Pass the X it was fitted with"):
        column_importances(model, X[:10])
