"""Encoders that somebody else trained: texts, pictures, whatever they take, become rows of numbers; kept by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from lsvv.extras import optional
from lsvv.linalg import to_numpy


class Encoder(TransformerMixin, BaseEstimator):
    """x -> e(x) -> phi(e(x)), e a frozen encoder of anything, phi a map of its vectors.

    As ``features=`` of an estimator it lets X be what the encoder takes: a list of texts, of pictures, of arrays. The
    graph, too, is then one of the vectors. In a Pipeline it is a step like any other. The encoder is not trained, not
    copied by ``clone``, and asked once for each row: its vectors are kept, by the content of the row.

    Parameters
    ----------
    model : object
        One with ``encode(rows)``, as sentence-transformers have it; a ``torch.nn.Module``, as torchvision and timm have
        them, which gets the rows stacked into one tensor on its own device; or a function from a list of rows to an
        array of vectors.
    then : str, map or list
        phi, as an estimator's ``features``.
    batch_size : int
        Rows encoded at once.
    keep : bool
        Whether vectors are kept for rows that come again. They are no part of a pickle.
    verbose : int
        1 prints how far it is.

    Examples
    --------
    >>> from lsvv import LSVVClassifier
    >>> from lsvv.features import Encoder
    >>> lengths = Encoder(lambda words: [[len(word), word.count("a")] for word in words])
    >>> words = ["banana", "papaya", "plum", "fig", "canada"]
    >>> model = LSVVClassifier(features=lengths, smoothing=0).fit(words, ["much a", None, "no a", "no a", "much a"])
    >>> model.predict(["alabama", "kiwi"]).tolist()
    ['much a', 'no a']
    """

    def __init__(
        self, model: Any, *, then: Any = "linear", batch_size: int = 64, keep: bool = True, verbose: int = 0
    ) -> None:
        self.model = model
        self.then = then
        self.batch_size = batch_size
        self.keep = keep
        self.verbose = verbose
        self._kept: dict[Any, np.ndarray] = {}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learnt."""
        return self

    def transform(self, X: Any) -> np.ndarray:
        """e(x) for every row, one row each."""
        rows = _rows(X)
        keys = [_key(row) if self.keep else None for row in rows]
        new = self._new(keys)
        vectors: list[Any] = [None if key is None else self._kept.get(key) for key in keys]
        for done, some in _batches(new, self.batch_size):
            found = _as_vectors(_encode(self.model, [rows[place] for place in some]), len(some))
            for place, vector in zip(some, found, strict=True):
                vectors[place] = vector
                if keys[place] is not None:
                    self._kept[keys[place]] = vector
            if self.verbose:
                print(f"[Encoder] {done} of {len(new)} rows encoded, {len(rows) - len(new)} more were known.")
        return np.stack([self._kept[key] if one is None else one for key, one in zip(keys, vectors, strict=True)])

    def _new(self, keys: Sequence[Any]) -> list[int]:
        """The places of rows to encode: of equal rows the first."""
        seen, new = set(self._kept), []
        for place, key in enumerate(keys):
            if key is None or key not in seen:
                new.append(place)
                seen.add(key)
        return new

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> Self:
        return self

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_kept": {}}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.no_validation = True
        return tags


def encoded(features: Any, X: Any) -> Any:
    """The rows as an estimator's gate takes them: vectors where its features are an encoder."""
    return features.transform(X) if isinstance(features, Encoder) else X


def asked(features: Any) -> Any:
    """The maps that were asked for: those of an encoder's vectors."""
    return features.then if isinstance(features, Encoder) else features


def _rows(X: Any) -> list[Any]:
    """The rows one by one; a single column of texts is its texts."""
    if isinstance(X, str) or not hasattr(X, "__len__"):
        raise ValueError(f"X is {type(X).__name__}, not a collection of rows. Pass a list of them.")
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray) and X.dtype.kind in "OUS" and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    if len(X) == 0:
        raise ValueError("X has 0 rows; a minimum of 1 is required.")
    return [str(row) if isinstance(row, np.str_) else row for row in X]


def _key(row: Any) -> Any:
    """What tells a row from all others; None where nothing does, and the row is encoded each time."""
    if isinstance(row, (str, bytes)):
        return row
    array = np.asarray(to_numpy(row))
    if array.dtype.kind in "OV":
        return None
    return blake2b(array.tobytes(), digest_size=16).digest(), array.shape, array.dtype.str


def _batches(places: list[int], size: int) -> Iterator[tuple[int, list[int]]]:
    """Some places at a time, and how many are done with them."""
    for start in range(0, len(places), size):
        some = places[start : start + size]
        yield start + len(some), some


def _encode(model: Any, rows: list[Any]) -> Any:
    """What the encoder makes of some rows."""
    if callable(getattr(model, "encode", None)):
        return model.encode(rows)
    if callable(getattr(model, "parameters", None)) and callable(getattr(model, "eval", None)):
        return _through_module(model, rows)
    if callable(model):
        return model(rows)
    raise ValueError(
        f"model={model!r} is no encoder. Pass an object with encode(rows), a torch.nn.Module, or a function from a "
        f"list of rows to an array."
    )


def _through_module(module: Any, rows: list[Any]) -> Any:
    """A torch module's output, as it is when it does not learn."""
    torch = optional("torch", "features.Encoder with a torch module", "torch")
    first = next(iter(module.parameters()), torch.zeros(1))
    stacked = torch.stack([torch.as_tensor(np.asarray(to_numpy(row))) for row in rows])
    was_training = module.training
    with torch.no_grad():
        found = module.eval()(stacked.to(first.device, first.dtype))
    module.train(was_training)
    return found


def _as_vectors(found: Any, n_rows: int) -> np.ndarray:
    """One vector of numbers a row, refused where it is something else."""
    vectors = np.asarray(to_numpy(found))
    if vectors.dtype.kind not in "fiub":
        raise ValueError(
            f"The encoder returned {type(vectors.ravel()[0]).__name__}, such as {vectors.ravel()[0]!r}, where numbers "
            f"are needed. Pass one that returns a vector a row."
        )
    if vectors.ndim != 2 or len(vectors) != n_rows:
        raise ValueError(
            f"The encoder returned an array of shape {vectors.shape} for {n_rows} rows. Pass one that returns (rows, "
            f"features), for instance with its pooling layer, or without its classifier."
        )
    return vectors if vectors.dtype.kind == "f" and vectors.itemsize >= 4 else vectors.astype(np.float64)
