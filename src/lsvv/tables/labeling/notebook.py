"""The labelling page in a notebook: a frame to a server on this machine."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

from lsvv.tables.frame_source import Frame, table_of
from lsvv.tables.labeling.journal import Journal
from lsvv.tables.labeling.server import Server
from lsvv.tables.labeling.session import Session
from lsvv.tables.sheets import with_labels

__all__ = ["Labeling", "label"]

HEIGHT = 900


class Labeling:
    """A labelling page that is being served; in a notebook it shows itself.

    Attributes
    ----------
    address : str
        The page, to open in a browser of this machine.
    sheet : Path
        Where the answers are.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._server = Server(session, framed=True)
        self.address, self.sheet = self._server.address, session.journal.place
        self._server.start()

    @property
    def labels(self) -> dict[int, Any]:
        """The answers so far, by row from 0."""
        table, column = self._session.table, self._session.column
        return dict(with_labels(table, self._session.journal.read(), [column]).labels.get(column, {}))

    @property
    def frame(self) -> Any:
        """A copy of the frame with the answers in its empty cells, of the kind that was given."""
        source = self._session.table.source
        assert isinstance(source, Frame)
        return source.filled({self._session.column: self.labels})

    def stop(self) -> None:
        """Serve no longer; all answers are in ``sheet``."""
        self._server.stop()

    def _repr_html_(self) -> str:
        address = html.escape(self.address, quote=True)
        return (
            f'<iframe src="{address}" title="Labelling {html.escape(self._session.column)}" '
            f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Labeling at {self.address}, answers in {self.sheet}"


def label(
    frame: Any,
    target: str,
    *,
    sheet: str | os.PathLike[str] | None = None,
    task: str | None = None,
    random_state: int = 0,
) -> Labeling:
    """Label the empty cells of a column on a page of this machine, one row at a time.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        It is never changed.
    target : str
        The column to label.
    sheet : path, optional
        The CSV file that takes the answers; those that it holds are taken up. ``TARGET.label.csv`` by default.
    task : str, optional
        "classes", "tags" or "numbers"; found from the known cells where there are enough.
    random_state : int
        Seeds all draws.

    Returns
    -------
    Labeling
        Shows the page in a notebook; its ``frame`` has the answers.

    Examples
    --------
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lsvv.tables import label
    >>> frame = pd.DataFrame({"size": [row * row for row in range(30)], "kind": ["small"] + [None] * 28 + ["big"]})
    >>> with TemporaryDirectory() as folder:
    ...     page = label(frame, "kind", sheet=Path(folder) / "kinds.csv")
    ...     labels = page.labels
    ...     page.stop()
    >>> labels
    {}
    """
    table = table_of(frame)
    place = Path(f"{target}.label.csv" if sheet is None else sheet)
    return Labeling(Session(table, target, Journal(place, table), task=task, random_state=random_state))
