"""Co-kriging of generated fields: against GPyTorch's multitask process, one field at a time, and one pooled field."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.resumable import worked
from benchmarks.timing import verdict
from lsvv import LSVVRegressor
from lsvv.tasks import CoKriging
from reproduction.records import Record, Trial

N_OBSERVATIONS, N_NEW, N_FIELDS, RANK = 2000, 1000, 3, 2
WIDTH, NOISE = 0.15, 0.1
N_SPLITS, STEPS = 3, 50
MOST_ERROR, MOST_TIME = 1.05, 0.1
WAYS = {
    "together": "`CoKriging(kernel='matern')`",
    "gpytorch": f"GPyTorch: Matern 3/2 times an IndexKernel, {STEPS} steps of Adam at 0.1",
    "apart": "`CoKriging`, one field at a time",
    "lsvv": "`LSVVRegressor()`, all fields in one",
    "pooled": "`CoKriging`, all fields as if they were one",
}


def main(data: Path | None = None) -> list[str]:
    return _table(worked("cokriging", _trials(), _figures))


def _trials() -> Iterator[Trial]:
    for seed in range(N_SPLITS):
        yield {"data": "fields", "seed": seed}


def _fields(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places, fields with one entry a place, new places, and the noise-free fields there."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(N_OBSERVATIONS + N_NEW, 2))
    s = np.sqrt(3.0) * np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)) / WIDTH
    root = np.linalg.cholesky((1.0 + s) * np.exp(-s) + 1e-8 * np.eye(len(X)))
    truth = root @ rng.normal(size=(len(X), RANK)) @ rng.normal(size=(RANK, N_FIELDS))
    place, field = np.arange(N_OBSERVATIONS), rng.integers(N_FIELDS, size=N_OBSERVATIONS)
    Y = np.full((N_OBSERVATIONS, N_FIELDS), np.nan)
    Y[place, field] = truth[place, field] + NOISE * rng.normal(size=N_OBSERVATIONS)
    return X[:N_OBSERVATIONS], Y, X[N_OBSERVATIONS:], truth[N_OBSERVATIONS:]


def _figures(trial: Trial) -> dict[str, float | None]:
    """Root mean squared errors of the noise-free fields at new places, CPU seconds, and coverage."""
    seed = int(trial["seed"] or 0)
    X, Y, new, truth = _fields(seed)
    figures: dict[str, float | None] = {}

    def judged(name: str, predict: Any) -> None:
        start = time.process_time()
        found = predict()
        figures[f"{name} cpu"] = time.process_time() - start
        figures[name] = float(np.sqrt(np.mean((found - truth) ** 2)))

    def make() -> CoKriging:
        return CoKriging(kernel="matern", random_state=seed)

    def one(k: int) -> np.ndarray:
        known = ~np.isnan(Y[:, k])
        return np.asarray(make().fit(X[known], Y[known, k]).predict(new))

    def pooled() -> np.ndarray:
        place, field = np.nonzero(~np.isnan(Y))
        return np.repeat(make().fit(X[place], Y[place, field]).predict(new)[:, None], N_FIELDS, axis=1)

    judged("together", lambda: make().fit(X, Y).predict(new))
    judged("apart", lambda: np.stack([one(k) for k in range(N_FIELDS)], axis=1))
    judged("pooled", pooled)
    judged("lsvv", lambda: LSVVRegressor(random_state=seed).fit(X, Y).predict(new))
    low, high = make().fit(X, Y).predict_interval(new)
    noisy = truth + NOISE * np.random.default_rng(seed + 1000).normal(size=truth.shape)
    figures["covered"] = 100.0 * float(np.mean((low <= noisy) & (noisy <= high)))
    if find_spec("gpytorch") is not None:
        judged("gpytorch", lambda: _gpytorch(X, Y, new))
    return figures


def _gpytorch(X: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The process of GPyTorch's Hadamard multitask example, with a Matern kernel."""
    import gpytorch
    import torch

    place, field = np.nonzero(~np.isnan(Y))
    mean, scale = np.nanmean(Y, axis=0), np.nanstd(Y, axis=0)
    y = torch.tensor((Y[place, field] - mean[field]) / scale[field])

    class Process(gpytorch.models.ExactGP):
        def __init__(self, inputs: Any, targets: Any, likelihood: Any) -> None:
            super().__init__(inputs, targets, likelihood)
            self.mean = gpytorch.means.ConstantMean()
            self.covariance = gpytorch.kernels.MaternKernel(nu=1.5)
            self.tasks = gpytorch.kernels.IndexKernel(num_tasks=N_FIELDS, rank=N_FIELDS)

        def forward(self, x: Any, task: Any) -> Any:
            together = self.covariance(x).mul(self.tasks(task))
            return gpytorch.distributions.MultivariateNormal(self.mean(x), together)

    inputs = (torch.tensor(X[place]), torch.tensor(field)[:, None])
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    process = Process(inputs, y, likelihood).double()
    process.train()
    likelihood.train()
    optimizer = torch.optim.Adam(process.parameters(), lr=0.1)
    likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, process)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = -likelihood_of(process(*inputs), y)
        loss.backward()
        optimizer.step()
    process.eval()
    with torch.no_grad():
        rows = torch.tensor(new)
        found = [process(rows, torch.full((len(new), 1), k)).mean.numpy() for k in range(N_FIELDS)]
    return np.stack(found, axis=1) * scale + mean


def _table(records: list[Record]) -> list[str]:
    found = {
        name: np.array([r.figures[name] for r in records if name in r.figures], dtype=float)
        for name in (*WAYS, *(f"{name} cpu" for name in WAYS), "covered")
    }
    lines = [
        f"{N_FIELDS} fields that are mixtures of {RANK} (Matern 3/2, width {WIDTH} on the unit square, noise {NOISE}),",
        f"{N_OBSERVATIONS:,} observations, each of one field at a place of its own; error at {N_NEW:,} new places.",
        f"{len(found['together'])} draws. CPU seconds of fit and prediction on one core of a busy machine.",
        "",
        "| way | root mean squared error (s.e.) | seconds |",
        "|---|---|---|",
        *(
            f"| {told} | {found[name].mean():.4f} ({_error(found[name]):.4f}) | {found[f'{name} cpu'].mean():.1f} |"
            for name, told in WAYS.items()
            if found[name].size
        ),
        "",
        f"- intervals of 90 % hold {found['covered'].mean():.1f} % of new noisy observations",
    ]
    if found["gpytorch"].size == found["together"].size:
        error = found["together"].mean() / found["gpytorch"].mean()
        spent = found["together cpu"].mean() / found["gpytorch cpu"].mean()
        lines.append(
            f"- against GPyTorch: {error:.2f} of its error (mark: at most {MOST_ERROR}, "
            f"{verdict(bool(error <= MOST_ERROR))}) in {spent:.3f} of its time (mark: at most {MOST_TIME}, "
            f"{verdict(bool(spent <= MOST_TIME))})"
        )
    return lines


def _error(column: np.ndarray) -> float:
    return float(column.std(ddof=1) / np.sqrt(column.size)) if column.size > 1 else float("nan")
