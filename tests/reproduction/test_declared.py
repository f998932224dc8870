"""What the page on the reproduction declares is what the code does."""

import math
from pathlib import Path

import pytest

from lsvv.selection.plan import SMOOTHINGS
from reproduction.choosing import N_MAP_DRAWS
from reproduction.comparing import PRINTED_REPEATS
from reproduction.cross_validation import (
    HINGE,
    WHOLE_GRID_ROWS,
)
from reproduction.experiments import BIG, OWN, PAPER, seeds
from reproduction.judging import LEAST_SPLITS
from reproduction.paper_grid import N_DRAWN, TAU_A, TAU_I, TAU_S, THETAS, WIDTHS

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
GRID = math.prod(len(axis) for axis in (WIDTHS, TAU_A, TAU_I, TAU_S, THETAS))


@pytest.mark.parametrize(
    "declared",
    [
        f"{PAPER.repeats} splits** for every cell of a table, {PAPER.rate_repeats} for `labeled-rate`",
        f"{PAPER.theta_repeats} for `theta`",
        f"seeds {seeds(PAPER.repeats)[0]} to {seeds(PAPER.repeats)[-1]}.",
        f"in the kernel space over {N_MAP_DRAWS} draws of the features",
        f"A fifth method, `{OWN}`, is ours** and was declared before its run",
        f"by {', '.join(f'{a:g}' for a in SMOOTHINGS[:-1])} or {SMOOTHINGS[-1]:g}, neither manifold term nor tail",
        "The theta figure** uses the squared loss and one draw of features.",
        f"draws {N_DRAWN} candidates at random from the paper's, the same for all four methods",
        f"Its hinge is smoothed by {HINGE.smoothing}",
        f"only in the linear space with at most {WHOLE_GRID_ROWS} labelled rows",
        f"in the kernel space it has {GRID:,} settings",
        f"Sets of more than {PAPER.cv_rows} rows have {PAPER.cv_repeats} splits under `cv`",
        f"means over {PRINTED_REPEATS} repeats",
        f"A case of fewer than {LEAST_SPLITS} splits",
        f"The big sets ({', '.join(BIG)}) are loaded in single precision",
    ],
)
def test_the_page_says_so(declared: str) -> None:
    assert declared in " ".join(PAGE.read_text(encoding="utf-8").split())
