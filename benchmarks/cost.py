"""The paper's remark on computational cost: time of each part against rows, D and K, each doubled in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from lsvv.features import MappedRows, RandomFourier
from lsvv.graph import KNNGraph, laplacian, manifold_matrix
from lsvv.objective import Objective
from lsvv.penalties import Manifold, Ridge, TailSum
from lsvv.risk import QuadraticRisk
from lsvv.solvers import AcceleratedProximalGradient

DOUBLINGS = 3
SECONDS_A_PART = 12.0
AXES = ("rows", "D", "K")
LABELLED = 1000
STEPS = 10


@dataclass(frozen=True)
class Size:
    """Rows of 16 columns, Fourier features, outputs."""

    rows: int = 4000
    D: int = 256
    K: int = 16


@dataclass(frozen=True)
class Part:
    """A part of Algorithm 1: its cost as printed, as we read it, and what to time."""

    name: str
    printed: str
    right: str
    prepare: Callable[[Size], Callable[[], object]]


def main(data: Path | None = None) -> list[str]:
    base = Size()
    with threadpool_limits(1):
        seconds = {part.name: _seconds(part, base) for part in PARTS}
    lines = [
        f"One thread; {base.rows} rows, D = {base.D}, K = {base.K}, each doubled {DOUBLINGS} times while the others "
        "stay. An exponent is the slope of log time against log size: 0 where the cost does not depend on it.",
        "",
        "| part | the paper | what is right | ms at the base | exponent in rows | in D | in K |",
        "|---|---|---|---|---|---|---|",
    ]
    for part in PARTS:
        found = [_exponent(seconds[part.name], base, axis) for axis in AXES]
        told = " | ".join(f"{value:.2f}" for value in found)
        lines.append(f"| {part.name} | {part.printed} | {part.right} | {1e3 * seconds[part.name][base]:.2f} | {told} |")
    return [*lines, "", *_shares(base, seconds)]


def _axis(base: Size, axis: str) -> list[Size]:
    return [replace(base, **{axis: getattr(base, axis) << step}) for step in range(DOUBLINGS + 1)]


def _seconds(part: Part, base: Size) -> dict[Size, float]:
    """The fastest call of a part at each size, taken in turns: other work on the machine can only slow a call."""
    calls = {size: part.prepare(size) for axis in AXES for size in _axis(base, axis)}
    fastest = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + SECONDS_A_PART
    while time.perf_counter() < end:
        for size, call in calls.items():
            start = time.perf_counter()
            call()
            fastest[size] = min(fastest[size], time.perf_counter() - start)
    return fastest


def _exponent(seconds: dict[Size, float], base: Size, axis: str) -> float:
    sizes = _axis(base, axis)
    times = [seconds[size] for size in sizes]
    return float(np.polyfit(np.log([getattr(size, axis) for size in sizes]), np.log(times), 1)[0])


def _shares(base: Size, seconds: dict[str, dict[Size, float]]) -> list[str]:
    """After how many iterations the training has cost as much as the preparation."""
    before = sum(seconds[part.name][base] for part in PARTS[:3])
    step = seconds[PARTS[-1].name][base] / STEPS
    return [
        f"- Preparation at the base takes as long as {before / step:.0f} iterations. An iteration does not touch the "
        "rows: with the squared loss they enter through D x D and D x K moments."
    ]


@cache
def _inputs(rows: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(rows, 16))


def _mapping(size: Size) -> Callable[[], object]:
    X, feature_map = _inputs(size.rows), RandomFourier(size.D, width=1.0, random_state=0)
    feature_map.fit(X)
    return lambda: feature_map.transform(X)


def _graph(size: Size) -> Callable[[], object]:
    X = _inputs(size.rows)
    return lambda: laplacian(KNNGraph().build(X, 10, None))


@cache
def _mapped(size: Size) -> np.ndarray:
    return np.asarray(_mapping(size)())


def _manifold(size: Size) -> Callable[[], object]:
    rows = MappedRows(_mapped(replace(size, K=1)), lambda block: block)
    Lap = laplacian(KNNGraph().build(_inputs(size.rows), 10, None))
    return lambda: manifold_matrix(rows, Lap, power=1)


def _objective(size: Size) -> Objective:
    """The squared loss on 1000 labelled rows; G is a covariance, since the values do not change the cost."""
    rng = np.random.default_rng(1)
    Phi = rng.normal(size=(LABELLED, size.D)) / size.D**0.5
    rows = MappedRows(Phi, lambda block: block)
    T, A = rng.normal(size=(LABELLED, size.K)), np.full((LABELLED, size.K), 1 / LABELLED)
    risk = QuadraticRisk.from_rows(rows, T, A, fit_intercept=True)
    return Objective(risk, [Ridge(1e-3), Manifold(0.1, Phi.T @ Phi / LABELLED)], TailSum(1e-4, 2))


def _product(size: Size) -> Callable[[], object]:
    rng = np.random.default_rng(2)
    G, W = rng.normal(size=(size.D, size.D)), rng.normal(size=(size.D, size.K))
    return lambda: [G @ W for _ in range(STEPS)]


def _prox(size: Size) -> Callable[[], object]:
    W, penalty = np.random.default_rng(2).normal(size=(size.D, size.K)), TailSum(0.1, 2)
    return lambda: [penalty.prox(W, 1.0) for _ in range(STEPS)]


def _iteration(size: Size) -> Callable[[], object]:
    objective, method = _objective(size), AcceleratedProximalGradient()
    begun = method.init(objective, objective.start)

    def call() -> object:
        state = begun
        for _ in range(STEPS):
            state = method.step(objective, state)
        return state

    return call


PARTS = (
    Part("feature map", "(n+u) D", "(n+u) d D", _mapping),
    Part("neighbour graph", "(n+u) log k", "between (n+u) log (n+u) and (n+u)^2", _graph),
    Part("G", "(n+u) D k", "(n+u) (k+D) D", _manifold),
    Part(f"{STEPS} products G W", "D^2 K", "D^2 K", _product),
    Part(f"{STEPS} tail proxes", "D^2 K", "D K min(D, K)", _prox),
    Part(f"{STEPS} iterations", "D^2 K", "D^2 K + D K min(D, K)", _iteration),
)
