"""Small tables with holes."""

from collections.abc import Callable

import numpy as np
import pytest

from lsvv.tables import Filled, Table, fill, parse

Text = Callable[..., str]


@pytest.fixture
def beasts() -> Text:
    """A CSV text of two kinds told apart by size, a habitat and a weight; every third kind and weight is known."""

    def make(n_rows: int = 45, end: str = "\n") -> str:
        rng = np.random.default_rng(0)
        lines = ["size,habitat,kind,weight"]
        for row in range(n_rows):
            cat = row % 2 == 0
            size = (20 if cat else 60) + rng.normal()
            habitat = ("house" if cat else "field") if rng.random() < 0.9 else "barn"
            known = row % 3 == 0
            answers = f"{'cat' if cat else 'dog'},{size / 4:.1f}" if known else ","
            lines.append(f"{size:.2f},{habitat},{answers}")
        return end.join(lines) + end

    return make


@pytest.fixture
def csv_table() -> Callable[[str | bytes], Table]:
    """Reads a CSV from text or bytes."""

    def read(text: str | bytes) -> Table:
        return parse(text.encode() if isinstance(text, str) else text, "t.csv", format="csv")

    return read


@pytest.fixture
def filled(beasts: Text, csv_table: Callable[[str | bytes], Table]) -> Filled:
    """The beasts with their kinds and weights filled."""
    return fill(csv_table(beasts()), ["kind", "weight"], features="linear")
