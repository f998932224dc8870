from collections import Counter

from reproduction.data import info, paper_names
from reproduction.published import METHODS, PARTS, TABLES, published


def test_every_set_has_four_methods_in_two_spaces() -> None:
    cells = published()
    assert len(cells) == 184
    assert Counter(table for table, _, _ in cells) == {
        "linear-mc": 68,
        "kernel-mc": 68,
        "linear-ml": 24,
        "kernel-ml": 24,
    }
    expected = {
        (f"{space}-{'mc' if info(name).task == 'multi-class' else 'ml'}", name, method)
        for space in ("linear", "kernel")
        for name in paper_names()
        for method in METHODS
    }
    assert set(cells) == expected
    assert {table for table, _, _ in cells} == set(TABLES)


def test_cells_read_as_printed() -> None:
    cells = published()
    assert (cells["linear-mc", "covtype", "SRM-VV"].mean, cells["linear-mc", "covtype", "SRM-VV"].std) == (27.52, 2.10)
    assert cells["kernel-mc", "covtype", "LSVV"].mean == 24.09
    assert cells["linear-ml", "scm1d", "LRC-VV"].std == 24.00
    assert cells["kernel-ml", "rf2", "LSVV"].mean == 0.80


def test_the_paper_reports_lsvv_best_in_every_cell() -> None:
    cells = published()
    for table, name, _ in cells:
        means = [cells[table, name, method].mean for method in METHODS]
        assert means[-1] == min(means)


def test_the_four_methods_have_every_choice_of_parts() -> None:
    assert tuple(PARTS) == METHODS
    assert set(PARTS.values()) == {(a, b) for a in (False, True) for b in (False, True)}
    assert PARTS["SS-VV"].manifold
    assert PARTS["LRC-VV"].tail
