"""The paper's four methods as settings of one estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

METHODS = {
    "SRM-VV": {"smoothing": 0.0, "manifold": 0.0, "spectral": 0.0},
    "LRC-VV": {"smoothing": 0.0, "manifold": 0.0, "spectral": 1e-3},
    "SS-VV": {"smoothing": 0.0, "manifold": 1.0, "spectral": 0.0},
    "LSVV": {"smoothing": 0.0, "manifold": 1.0, "spectral": 1e-3},
}
"""Terms that a method has not are 0; smoothing is ours."""


def terms_of(name: str) -> dict[str, float]:
    """The terms of a method.

    Examples
    --------
    >>> terms_of("SS-VV")
    {'smoothing': 0.0, 'manifold': 1.0, 'spectral': 0.0}
    """
    if name not in METHODS:
        raise ValueError(f"There is no method {name!r}. Choose one of {', '.join(METHODS)}.")
    return dict(METHODS[name])


def with_terms_of(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with the terms of a method, of which they may change those that it has.

    Examples
    --------
    >>> with_terms_of("SS-VV", {"manifold": 3.0})
    {'smoothing': 0.0, 'manifold': 3.0, 'spectral': 0.0}
    """
    terms = terms_of(name)
    for term, value in terms.items():
        if value == 0.0 and params.get(term, 0.0) != 0.0:
            raise ValueError(f"{name} has no {term} term. Leave {term} out, or choose another method.")
    return {**terms, **params}
