"""The paper's table of data sets, regenerated from what the loaders read."""

import os
from dataclasses import dataclass

from reproduction.data import PaperSize, info, paper_names, split, varying_columns
from reproduction.data.registry import Task
from reproduction.experiments import SUBSTITUTES
from reproduction.protocol import at_hand, open_data

__all__ = ["Holding", "inventory"]


@dataclass(frozen=True)
class Holding:
    """One data set: what was loaded, and what the paper prints.

    Attributes
    ----------
    name, task : str
        Of the registry.
    loaded : PaperSize or None
        Sizes of what the loader read: ceil(0.7 n) training rows, varying columns + 1; None if there is nothing to read,
        or nothing that can be read.
    printed : PaperSize or None
        The paper's; None for a substitute.
    note : str
        What the registry says of it, every difference explained; or why a file that is there cannot be read.
    """

    name: str
    task: Task
    loaded: PaperSize | None
    printed: PaperSize | None
    note: str

    @property
    def differences(self) -> tuple[str, ...]:
        """The columns in which what was loaded is not what is printed."""
        if self.loaded is None or self.printed is None:
            return ()
        pairs = zip(vars(self.loaded).items(), vars(self.printed).values(), strict=True)
        return tuple(column for (column, ours), theirs in pairs if ours != theirs)


def inventory(folder: str | os.PathLike[str] | None, names: tuple[str, ...] | None = None) -> tuple[Holding, ...]:
    """The sets of the paper in its order, then the substitutes; loads each that is at hand.

    Parameters
    ----------
    folder : path or None
        Where the data sets are; None for the bundled ones.
    names : tuple of str, optional
        Other sets.

    Examples
    --------
    >>> inventory(None, ("iris",))[0].loaded, inventory(None, ("iris",))[0].differences
    (PaperSize(training=105, testing=45, d=5, K=3), ())
    """
    return tuple(_holding(name, folder) for name in names or (*paper_names(), *SUBSTITUTES))


def _holding(name: str, folder: str | os.PathLike[str] | None) -> Holding:
    entry = info(name)
    try:
        return Holding(name, entry.task, _loaded(name, folder), entry.paper, entry.note)
    except Exception as error:
        # as in a trial: a file that cannot be read is a row that says so, and the other sets are told
        return Holding(name, entry.task, None, entry.paper, str(error))


def _loaded(name: str, folder: str | os.PathLike[str] | None) -> PaperSize | None:
    if not at_hand(name, folder):
        return None
    data = open_data(name, folder)
    drawn = split(data.y, data.task, seed=0)
    outputs = len(data.classes) if data.task == "multi-class" else data.y.shape[1]
    return PaperSize(len(drawn.train), len(drawn.test), varying_columns(data.X) + 1, outputs)
