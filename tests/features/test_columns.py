"""Columns by their ranges and by their ranks: no unit, no shift and no single huge value matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsvv.features import Ranges, Ranks


@pytest.mark.parametrize("columns", [Ranges(), Ranks()])
@pytest.mark.parametrize("unit", [1e-6, 1e-3, 3.0, 1e6])
def test_the_unit_and_the_zero_of_a_column_change_nothing(
    rng: np.random.Generator, columns: Ranges | Ranks, unit: float
) -> None:
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(9, 3))
    other = np.array([unit, 1.0, -0.0]) + np.array([0.0, 0.0, 1.0])
    shift = np.array([0.0, 5.0, 0.0])
    told = columns.fit(X).transform(new)
    np.testing.assert_allclose(columns.fit(X * other + shift).transform(new * other + shift), told, atol=1e-8)


def test_ranks_of_any_rising_function_are_the_same(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(50, 2)), rng.normal(size=(7, 2))
    np.testing.assert_array_equal(Ranks().fit(np.exp(X)).transform(np.exp(new)), Ranks().fit(X).transform(new))


def test_one_huge_value_moves_the_others_by_no_more_than_its_rank(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 1))
    spoilt = np.vstack([X, [[1e12]]])
    for columns, most in ((Ranges(), 0.05), (Ranks(), 1 / 200)):
        moved = columns.fit(spoilt).transform(X) - columns.fit(X).transform(X)
        assert np.abs(moved).max() <= most


def test_ranks_lie_between_0_and_1_and_ranges_half_a_range_beyond(rng: np.random.Generator) -> None:
    X, far = rng.normal(size=(40, 2)), np.array([[-1e9, 1e9]])
    np.testing.assert_array_equal(Ranks().fit(X).transform(far), [[0.0, 1.0]])
    np.testing.assert_array_equal(Ranges().fit(X).transform(far), [[-0.5, 1.5]])


def test_many_rows_leave_a_thousand_knots_that_tell_the_same_share(rng: np.random.Generator) -> None:
    X = rng.exponential(size=(5000, 1))
    ranks = Ranks().fit(X)
    assert ranks.knots_.shape == (1000, 1)
    exact = (np.argsort(np.argsort(X[:, 0])) + 0.5) / 5000
    np.testing.assert_allclose(ranks.transform(X)[:, 0], exact, atol=2e-3)


def test_a_constant_column_stays_one() -> None:
    X = np.full((5, 1), 3.0)
    assert np.ptp(Ranges().fit_transform(X)) == np.ptp(Ranks().fit_transform(X)) == 0.0


def test_sparse_columns_stay_sparse_and_end_at_1() -> None:
    X = sp.csr_array(np.array([[0.0, -4.0], [2.0, 0.0], [1.0, 0.0]]))
    made = Ranges().fit(X).transform(X)
    assert sp.issparse(made)
    np.testing.assert_array_equal(made.toarray(), [[0.0, -1.0], [1.0, 0.0], [0.5, 0.0]])
    with pytest.raises(ValueError, match=r"Ranks of a sparse matrix would be dense. Use features.Ranges"):
        Ranks().fit(X)


@pytest.mark.parametrize("kept", [sp.csr_array, np.asarray])
def test_what_was_fitted_decides_how_rows_are_read(rng: np.random.Generator, kept: Any) -> None:
    X = np.where(rng.random((40, 3)) < 0.5, 0.0, rng.normal(2.0, 1.0, size=(40, 3)))
    for columns in (Ranges(), Ranks()) if kept is np.asarray else (Ranges(),):
        fitted = columns.fit(kept(X))
        read = [fitted.transform_checked(kind(X)) for kind in (np.asarray, sp.csr_array)]
        first, second = (rows.toarray() if sp.issparse(rows) else rows for rows in read)
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_from_ten_rows_on_one_huge_value_is_beyond_the_range() -> None:
    X = np.append(np.arange(11.0), 1e12)[:, None]
    np.testing.assert_allclose(Ranges().fit(X).transform(X)[1:11, 0], np.arange(10.0) / 9.0, atol=1e-8)


def test_tensors_stay_tensors(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    X = rng.normal(size=(30, 2))
    for columns in (Ranges(), Ranks()):
        made = columns.fit(torch.as_tensor(X)).transform(torch.as_tensor(X))
        assert isinstance(made, torch.Tensor)
        np.testing.assert_allclose(made.numpy(), columns.fit(X).transform(X), atol=1e-12)
