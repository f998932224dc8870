import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import LinearUnderRoot, Minimum, Numerical, RootPlusConstant, SubRoot, rademacher_local

FIXED = settings(deadline=None, derandomize=True, max_examples=150)
SIZES = st.floats(1e-8, 1e4)
FUNCTIONS = st.one_of(
    st.builds(LinearUnderRoot, SIZES, SIZES),
    st.builds(RootPlusConstant, SIZES, SIZES),
    st.lists(st.builds(LinearUnderRoot, SIZES, SIZES), min_size=1, max_size=4).map(lambda parts: Minimum(tuple(parts))),
)


@FIXED
@given(psi=FUNCTIONS)
def test_the_fixed_point_solves_its_equation(psi: SubRoot) -> None:
    assert psi(psi.fixed_point) == pytest.approx(psi.fixed_point, rel=1e-10)


@FIXED
@given(psi=FUNCTIONS)
def test_root_finding_agrees_with_the_closed_form(psi: SubRoot) -> None:
    found = Numerical(psi)
    assert found.fixed_point == pytest.approx(psi.fixed_point, rel=1e-10)
    assert found(found.fixed_point) == pytest.approx(found.fixed_point, rel=1e-10)


@FIXED
@given(psi=FUNCTIONS, r=SIZES, factor=st.floats(1, 1e3))
def test_every_function_is_sub_root(psi: SubRoot, r: float, factor: float) -> None:
    assert 0 <= psi(r) <= psi(factor * r) * (1 + 1e-12)
    assert psi(factor * r) <= psi(r) * np.sqrt(factor) * (1 + 1e-12)


@FIXED
@given(slope=SIZES, offset=SIZES)
def test_the_fixed_point_is_at_most_the_sum_the_corollaries_use(slope: float, offset: float) -> None:
    exact = LinearUnderRoot(slope, offset).fixed_point
    assert exact <= (slope + np.sqrt(offset)) * (1 + 1e-12)
    assert exact >= max(slope, np.sqrt(offset)) * (1 - 1e-12)


def test_degenerate_functions() -> None:
    assert LinearUnderRoot(0.0, 0.0).fixed_point == 0
    assert LinearUnderRoot(3.0, 0.0).fixed_point == 3
    assert LinearUnderRoot(0.0, 9.0).fixed_point == 3
    assert RootPlusConstant(0.0, 3.0).fixed_point == pytest.approx(3)
    assert Numerical(lambda r: 0.0).fixed_point == 0


def test_a_measured_complexity_has_a_fixed_point() -> None:
    rows = np.random.default_rng(0).standard_normal((10, 3)) / 2
    measured = Numerical(lambda r: rademacher_local(rows, 2, r, n_draws=10, random_state=0, tol=1e-10).value)
    assert measured(measured.fixed_point) == pytest.approx(measured.fixed_point, rel=1e-8)


def test_errors_are_sentences() -> None:
    with pytest.raises(ValueError, match=r"LinearUnderRoot: slope is -1\.0; it must be finite"):
        LinearUnderRoot(-1.0, 0.0)
    with pytest.raises(ValueError, match="RootPlusConstant: constant is nan"):
        RootPlusConstant(1.0, float("nan"))
    with pytest.raises(ValueError, match="Minimum has no parts"):
        Minimum(())
    with pytest.raises(ValueError, match=r"grows faster than sqrt\(r\) somewhere; it is not sub-root"):
        Numerical(lambda r: 2 * r).fixed_point
    with pytest.raises(ValueError, match="falls somewhere; it is not sub-root"):
        Numerical(lambda r: 2 / r).fixed_point
