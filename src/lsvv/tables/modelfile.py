"""A fitted table model in one file: a zip of JSON and arrays that opens without executing code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lsvv.extras import optional
from lsvv.selection import without_training_rows
from lsvv.tables.cells import POINT, Notation
from lsvv.tables.filling import Filled, Fitted
from lsvv.tables.gate import content, packed, understood, unpacked
from lsvv.tables.parquet import types_beside
from lsvv.tables.results import Said, named, says
from lsvv.tables.soundness import check_sound
from lsvv.tables.summary import summary, versions
from lsvv.tables.table import Edits, Table, TableError
from lsvv.tables.targets import Group, Target
from lsvv.tables.vectorizer import FrameVectorizer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMAT_VERSION", "TableModel", "is_model", "opened", "saved"]

FORMAT = "lsvv table model"
FORMAT_VERSION = 6
HEADER, BODY = "lsvv.json", "fitted.skops"
_NAME = slice(30, 30 + len(HEADER))
"""Where a zip file has the name of its first member."""
REMEDY = "Copy it again, or fit the model again with 'lsvv fit'."

# What a model is made of beside what skops itself vouches for. Name by name: a file may call whatever it may name, so
# that a whole package is too much to trust.
TRUSTED = frozenset(
    f"{module}.{name}"
    for module, names in {
        "lsvv.estimators.classifier": ("LSVVClassifier",),
        "lsvv.estimators.regressor": ("LSVVRegressor",),
        "lsvv.features.columns": ("Ranges", "Ranks"),
        "lsvv.features.maps": ("Linear", "Nystroem", "RandomFourier"),
        "lsvv.graph.adjacency": ("KNNGraph", "NeighborGraph"),
        "lsvv.graph.nearest": ("NeighborIndex",),
        "lsvv.intervals": ("ErrorLaw",),
        "lsvv.losses": ("BinaryLogistic", "MulticlassLogistic", "Squared"),
        "lsvv.selection.average": ("Part",),
        "lsvv.selection.averaging": ("Guard",),
        "lsvv.selection.estimators": ("LSVVClassifierCV", "LSVVRegressorCV"),
        "lsvv.selection.forests": ("Forest",),
        "lsvv.selection.plan": ("Candidate",),
        "lsvv.tables.column_kinds": ("DateColumn", "NumberColumn", "TextColumn"),
        "lsvv.tables.filling": ("Fitted",),
        "lsvv.tables.vectorizer": ("ColumnFeatures", "FrameVectorizer"),
        "lsvv.tables.targets": ("ClassTarget", "Group", "LabelTarget", "NumberTarget", "TagTarget"),
        "lsvv.targets": ("Classes", "Labels", "Numbers"),
        "numpy": ("dtype",),
        "scipy.sparse._csr": ("csr_array",),
        "skrub._datetime_encoder": ("DatetimeEncoder",),
        "skrub._string_encoder": ("StringEncoder",),
        "skrub._to_str": ("ToStr",),
    }.items()
    for name in names
)


@dataclass(frozen=True, eq=False)
class TableModel:
    """What predicts targets for the rows of any table with the same input columns.

    Attributes
    ----------
    vectorizer : FrameVectorizer
        Input columns to numbers.
    fitted : tuple of Fitted
        Groups of targets and their models, without the cells they were learnt from. A model whose features are
        smoothed keeps its vectorised rows, among which new ones find their neighbours.
    summary : dict
        How the model was learnt, and how good it is.
    notes : tuple of str
        What a user should know.
    """

    vectorizer: FrameVectorizer
    fitted: tuple[Fitted, ...]
    summary: dict[str, Any]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, filled: Filled) -> TableModel:
        """The model that filled a table."""
        parts = tuple(Fitted(_without_rows(part.group), without_training_rows(part.model)) for part in filled.fitted)
        return cls(filled.vectorizer, parts, summary(filled))

    def predictions(self, table: Table, more: dict[str, int] | None = None) -> Edits:
        """New columns for a table: each target's prediction, and its probability or interval.

        ``more`` keeps how many decimals more the ends of intervals have, for tables that come in blocks.
        """
        return self._predictions(table.frame, table.source.notation, {} if more is None else more)

    def types(self, table: Table, more: Mapping[str, int]) -> dict[str, Any]:
        """The Arrow types of the columns that predictions for a table make, by their names."""
        taken = {str(column) for column in table.frame.columns}
        found: dict[str, Any] = {}
        for target in (target for part in self.fitted for target in part.group.targets):
            kinds = types_beside(target, more[target.column])
            kinds.pop("filled")
            found |= {name: kinds[kind] for kind, name in named(target.column, kinds, taken).items()}
        return found

    @np.errstate(all="ignore")
    def _predictions(self, frame: pd.DataFrame, notation: Notation, more: dict[str, int]) -> Edits:
        """What overflows ends as a number that is none, which is refused with a sentence."""
        X = self.vectorizer.transform(frame, notation)
        taken = {str(column) for column in frame.columns}
        columns: dict[str, list[Any]] = {}
        for part in self.fitted:
            for target, said in zip(part.group.targets, says(part.group, part.model, X), strict=True):
                _check_said(said, target.column, frame)
                decimals = more.setdefault(target.column, said.decimals_more(target))
                made = {"predicted": target.spelt(said.predictions), **said.beside(target, decimals)}
                names = named(target.column, made, taken)
                columns |= {names[kind]: cells for kind, cells in made.items()}
        return Edits({}, columns)

    def check(self) -> None:
        """Refuses, with an error, parts that do not fit together: a row without any cell must get its predictions."""
        import pandas as pd

        check_sound(self.vectorizer, self.fitted)
        row = pd.DataFrame({name: [None] for name in self.vectorizer.kinds}, dtype=object)
        self._predictions(row, POINT, {})

    def model_of(self, column: str | None) -> Any:
        """The estimator of a target; without a name, of the only group there is."""
        for part in self.fitted:
            if any(target.column == column for target in part.group.targets):
                return part.model
        if column is None and len(self.fitted) == 1:
            return self.fitted[0].model
        there = ", ".join(part.group.name for part in self.fitted)
        raise TableError(f"The model predicts {there}. Name one of them with --target.")


def _check_said(said: Said, column: str, frame: pd.DataFrame) -> None:
    numbers = said.predictions if said.probabilities is None else said.probabilities
    strange = ~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1)
    if strange.any():
        row = int(frame.index[np.argmax(strange)]) + 1
        raise TableError(f"The model has no number for {column!r} in row {row}. Fit it again with 'lsvv fit'.")


def _without_rows(group: Group) -> Group:
    return Group(group.task, tuple(_empty(target) for target in group.targets))


def _empty(target: Target) -> Target:
    return replace(target, known=target.known[:0], values=target.values[:0])


def saved(model: TableModel) -> bytes:
    """The bytes of a model file."""
    skops = _skops()
    body = skops.dumps({"vectorizer": model.vectorizer, "fitted": list(model.fitted)})
    header = {"format": FORMAT, "format_version": FORMAT_VERSION, "sha256": sha256(body).hexdigest()}
    told = json.dumps({**header, "summary": model.summary}, indent=2, ensure_ascii=False)
    return packed({HEADER: told.encode("utf-8", "surrogatepass"), BODY: body})


def is_model(path: str) -> bool:
    """Whether a file begins as a model of lsvv does; a spreadsheet is a zip file too."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as stream:
            return _begins_as_model(stream.read(_NAME.stop))
    except OSError:
        # what reads the table says why
        return False


def _begins_as_model(data: bytes) -> bool:
    return data.startswith(b"PK") and data[_NAME] == HEADER.encode()


def opened(path: Path) -> TableModel:
    """The model in a file; a damaged, foreign or newer file is refused with a sentence."""
    data, name = content(path), str(path)
    if not data.startswith(b"PK"):
        raise _foreign(path)
    with understood(name, REMEDY):
        members = unpacked(data, name)
        if HEADER not in members:
            raise _foreign(path)
        header = json.loads(members[HEADER].decode("utf-8", "surrogatepass"))
        _check_header(header, path)
        body = members[BODY]
        if sha256(body).hexdigest() != header["sha256"]:
            raise ValueError("its checksum does not hold")
        parts = _loaded(packed(unpacked(body, name), deflated=False), path)
        learnt = header["summary"]
        model = TableModel(parts["vectorizer"], tuple(parts["fitted"]), learnt, _other_versions(learnt["versions"]))
        model.check()
    return model


def _check_header(header: Any, path: Path) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _foreign(path)
    found = header.get("format_version")
    if not isinstance(found, int) or found > FORMAT_VERSION:
        raise TableError(
            f"{path} was written by a newer lsvv: its format is {found}, and this one reads {FORMAT_VERSION}. "
            f"Upgrade: pip install --upgrade lsvv."
        )
    if found < FORMAT_VERSION:
        raise TableError(
            f"{path} was written by an older lsvv, in format {found}. Fit the model again with 'lsvv fit'."
        )


def _loaded(body: bytes, path: Path) -> dict[str, Any]:
    skops = _skops()
    named = skops.get_untrusted_types(data=body)
    strange = sorted(set(named) - TRUSTED)
    if strange:
        raise TableError(f"{path} holds {strange[0]}, which no model of lsvv holds. It is not opened.")
    return dict(skops.loads(body, trusted=named))


def _other_versions(learnt_with: dict[str, str]) -> tuple[str, ...]:
    here = versions()
    other = [
        f"{name} {then} (here {here.get(name, 'none')})"
        for name, then in learnt_with.items()
        if name in ("scikit-learn", "skrub") and here.get(name) != then
    ]
    return (f"The model was fitted with {', '.join(other)}; check its predictions.",) if other else ()


def _foreign(path: Path) -> TableError:
    return TableError(f"{path} is not a model file of lsvv. Make one with 'lsvv fit'.")


def _skops() -> Any:
    return optional("skops.io", "A model file", "tables")
