"""The paper's candidates: what each of the four methods chooses from."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from lsvv.spectral import resolve_free_rank
from reproduction.published import PARTS

__all__ = ["Setting", "drawn_settings", "of_method"]

N_DRAWN = 100
"""Settings drawn from the paper's candidates, the same for all four methods."""
TAU_A = tuple(10.0**e for e in range(-15, -5))
TAU_I = (0.0, *TAU_A)
TAU_S = (0.0, *(10.0**e for e in range(-10, 0)))
THETAS = tuple(step / 10 for step in range(10))
WIDTHS = tuple(2.0**e for e in range(-5, 6))


@dataclass(frozen=True, order=True)
class Setting:
    """One setting in the paper's units: sigma (0 in the linear space), tau_A, tau_I, tau_S and theta as a count."""

    width: float
    tau_a: float
    tau_i: float
    tau_s: float
    theta: int


def drawn_settings(space: str, full_rank: int, seed: int, *, whole: bool, theta: int | None = None) -> list[Setting]:
    """The paper's candidate sets, all of them or ``N_DRAWN`` drawn at random; ``theta`` fixes the tail.

    Settings that differ in nothing, as two thetas that leave the same number of values free, are one.

    Examples
    --------
    >>> len(drawn_settings("linear", 3, 0, whole=False)), len(drawn_settings("linear", 3, 0, whole=True))
    (100, 3410)
    """
    widths = WIDTHS if space == "kernel" else (0.0,)
    thetas = [theta] if theta is not None else sorted({resolve_free_rank(t, full_rank, full_rank) for t in THETAS})
    sizes = [len(axis) for axis in (widths, TAU_A, TAU_I, TAU_S, thetas)]
    places = np.arange(np.prod(sizes))
    if not whole:
        places = np.random.default_rng([seed, full_rank]).choice(places, N_DRAWN, replace=False)
    drawn = [
        Setting(widths[w], TAU_A[a], TAU_I[i], TAU_S[s], thetas[t])
        for w, a, i, s, t in zip(*np.unravel_index(places, sizes), strict=True)
    ]
    return _distinct(drawn, full_rank) if whole else drawn


def of_method(method: str, drawn: Iterable[Setting], full_rank: int) -> list[Setting]:
    """The candidates as a method sees them: without tau_I, tau_S or both, each once.

    Examples
    --------
    >>> of_method("SRM-VV", [Setting(0.0, 1e-6, 1e-7, 0.1, 1), Setting(0.0, 1e-6, 0.0, 0.01, 2)], 3)
    [Setting(width=0.0, tau_a=1e-06, tau_i=0.0, tau_s=0.0, theta=0)]
    """
    changes: dict[str, float] = {}
    if not PARTS[method].manifold:
        changes["tau_i"] = 0.0
    if not PARTS[method].tail:
        changes["tau_s"] = 0.0
    return _distinct((replace(one, **changes) for one in drawn), full_rank)  # type: ignore[arg-type]


def _distinct(some: Iterable[Setting], full_rank: int) -> list[Setting]:
    plain = (replace(c, tau_s=0.0, theta=0) if c.tau_s == 0.0 or c.theta >= full_rank else c for c in some)
    return sorted(set(plain))
