"""Plan labels on six data sets with two learners: forecast the largest size from half of it, then look."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from theory_figure import panels, plain_ticks, save

from lsvv.theory import BackTest, back_test

REPEATS = 60
LEARNERS = {"ridge": Ridge(alpha=1.0), "neighbours": KNeighborsRegressor(3)}
SETS = ("digits", "wine", "breast_cancer", "iris", "diabetes", "blobs")


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and outputs: one column a class, or the standardised target."""
    if name == "blobs":
        X, y = datasets.make_blobs(3000, n_features=10, centers=6, cluster_std=6.0, random_state=0)
    else:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name == "diabetes":
        return X, ((y - y.mean()) / y.std())[:, None]
    Y = LabelBinarizer().fit_transform(y)
    return X, (Y if Y.shape[1] > 1 else np.column_stack([1 - Y, Y])).astype(float)


def curve(name: str, learner: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sizes, then the mean test error at each over common splits, and its standard error."""
    X, Y = load(name)
    most = len(X) // 2
    sizes = np.unique((most * 0.5 ** np.arange(4, -0.5, -0.5)).astype(int))
    errors = np.array([[_error(X, Y, learner, int(size), seed) for seed in range(REPEATS)] for size in sizes])
    return sizes, errors.mean(axis=1), errors.std(axis=1, ddof=1) / np.sqrt(REPEATS)


def _error(X: np.ndarray, Y: np.ndarray, learner: str, size: int, seed: int) -> float:
    train, test, seen, truth = train_test_split(X, Y, train_size=len(X) // 2, random_state=seed)
    model = make_pipeline(StandardScaler(), clone(LEARNERS[learner])).fit(train[:size], seen[:size])
    scores = model.predict(test).reshape(truth.shape)
    if truth.shape[1] == 1:
        return float(np.mean((scores - truth) ** 2))
    return float(np.mean(scores.argmax(axis=1) != truth.argmax(axis=1)))


def row(name: str, found: BackTest) -> str:
    """One line of the table."""
    low, high = found.plan.interval
    inside = {True: "yes", False: "no"}
    return (
        f"| {name} | {found.size:.0f} | {found.predicted_error:.4f} | {found.error_interval[0]:.4f} to "
        f"{found.error_interval[1]:.4f} | {found.error:.4f} | {inside[found.error_covered]} | "
        f"{low:.0f} to {high:.0f} | {inside[found.size_covered]} |"
    )


def draw(axis: Any, name: str, measured: tuple[np.ndarray, np.ndarray, np.ndarray], found: BackTest) -> None:
    """The curve, and the fan of forecasts from its smaller half."""
    sizes, errors, noise = measured
    grid = np.geomspace(sizes[0], sizes[-1], 40)
    fan = np.array([np.quantile(found.plan.fit.errors_at(n), [0.05, 0.5, 0.95]) for n in grid])
    axis.fill_between(grid, fan[:, 0], fan[:, 2], alpha=0.25)
    axis.plot(grid, fan[:, 1], label="forecast from half of the labels")
    axis.errorbar(sizes, errors, noise, fmt="ko", markersize=3, label="measured")
    axis.axvline(sizes[-1] / 2, color="grey", linestyle=":")
    axis.set(xscale="log", xlabel="labels", title=name, ylim=(0, 1.1 * errors.max()))
    plain_ticks(axis)


def main() -> None:
    figure, axes = panels(3)
    print("| data, learner | labels | forecast | 90% interval | measured | inside | labels planned | inside |")
    print("|---|---|---|---|---|---|---|---|")
    covered = []
    for learner in LEARNERS:
        for position, name in enumerate(SETS):
            measured = curve(name, learner)
            found = back_test(*measured, random_state=0)
            covered.append((found.error_covered, found.size_covered))
            print(row(f"{name}, {learner}", found), flush=True)
            if learner == "ridge" and position < len(axes):
                draw(axes[position], f"{name}, {learner}", measured, found)
    errors, sizes = np.sum(covered, axis=0)
    print(f"\n{errors} of {len(covered)} errors and {sizes} of {len(covered)} sizes lie inside their 90% interval")
    axes[0].set_ylabel("test error")
    axes[0].legend(fontsize=7)
    save(figure, "plan_labels")


if __name__ == "__main__":
    main()
