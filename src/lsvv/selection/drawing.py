"""A search over rows that are not all in memory: some are drawn and learnt from, and all are answered for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lsvv.assembly import is_ready
from lsvv.estimators.elsewhere import scores_of_opened
from lsvv.extras import optional
from lsvv.stored import FEW, StoredRows, most_drawn, rows_to_learn_from
from lsvv.targets import Targets


def learn_from_some(search: Any, rows: StoredRows, y: Any, sample_weight: Any) -> None:
    """Fits a search to some of the rows, which are read into memory; the others are answered for where they are.

    Which rows are drawn does not depend on its seed, so that settings are compared on the same ones.
    """
    if is_ready(search.graph):
        raise ValueError(
            "A ready graph goes with rows in memory. Leave graph as 'auto', or pass a KNNGraph that says how to build "
            "it."
        )
    targets = search._encode(y, rows.shape[0], sample_weight)
    known, rng = targets.weights > 0, np.random.default_rng(0)
    drawn = rows_to_learn_from(known, most_drawn(rows.shape[1]), rng, _of_each_class(targets))
    some = rows[drawn]
    search._learn(some, targets.of(drawn), _as_passed(search, some))
    _name_by_all(search, drawn, rows.shape[0])
    search.transduction_ = search._filled(scores_of_opened(search, rows), replace(targets, codec=search.codec_))


def _of_each_class(targets: Targets) -> np.ndarray | None:
    """The first rows of each class, so that none is lost to chance."""
    if not targets.codec.one_class_a_row:
        return None
    members = (targets.values > 0) & (targets.weights > 0)
    return np.concatenate([np.flatnonzero(column)[:FEW] for column in members.T])


def _as_passed(search: Any, some: np.ndarray) -> Any:
    """Rows with the names of their columns, if they have any."""
    names = getattr(search, "feature_names_in_", None)
    return some if names is None else optional("pandas", "A data set", "tables").DataFrame(some, columns=names)


def _name_by_all(search: Any, drawn: np.ndarray, n_rows: int) -> None:
    """Rows are called by their numbers among all, and a note tells how many were drawn."""
    judges = search._judges
    if drawn.size < n_rows:
        said = f"Learnt from {drawn.size:,} of the {n_rows:,} rows, {judges.labelled.size:,} of them labelled."
        search.notes_ = (said, *search.notes_)
    search.labeled_ = drawn[search.labeled_]
    search._judges = replace(judges, labelled=drawn[judges.labelled])
