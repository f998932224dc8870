"""Assays, domains and fields that share what they know: three figures; ``python tasks.py FOLDER``."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from theory_figure import panels, save

from lsvv import LSVVRegressor, LSVVRegressorCV
from lsvv.features import RandomFourier
from lsvv.tasks import CoKriging, TransferRegressor


def main() -> None:
    assays()
    transfer()
    fields()


def assays() -> None:
    """Molecules as fingerprints, twelve assays of three mechanisms, each molecule measured in one or two of them."""
    rng = np.random.default_rng(0)
    n, n_bits, n_assays, n_mechanisms = 700, 60, 12, 3
    prints = (rng.random((n, n_bits)) < 0.15).astype(float)
    activity = prints @ rng.normal(size=(n_bits, n_mechanisms)) @ rng.normal(size=(n_mechanisms, n_assays))
    measured = activity + 0.7 * activity.std(axis=0) * rng.normal(size=activity.shape)
    measured[rng.random(measured.shape) > 0.12] = np.nan
    seen, new, truth = measured[:500], prints[500:], activity[500:]
    plain = LSVVRegressorCV(features="linear", smoothing=0, target_scale="as is", random_state=0)
    shared = clone(plain).set_params(spectral="auto", free_rank=[0, 2, 3, 4])
    figure, (left, right) = panels(2)
    for model, name, marker in ((plain, "each assay alone", "o"), (shared, "a shared subspace", "s")):
        model.fit(prints[:500], seen)
        error = np.mean((model.predict(new) - truth) ** 2, axis=0) / truth.var(axis=0)
        left.plot(np.arange(1, n_assays + 1), error, marker, label=name)
        right.plot(np.arange(1, n_assays + 1), model.singular_values_ / model.singular_values_[0], marker)
    left.set(xlabel="assay", ylabel="error / variance", ylim=(0, None))
    right.set(xlabel="singular value", ylabel="share of the largest")
    left.legend()
    save(figure, "tasks_assays")


def transfer() -> None:
    """A source of 400 rows, a target that differs in one direction, and more and more of its rows."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(12, 8)) / np.sqrt(12)
    moved = W + np.outer(rng.normal(size=12), rng.normal(size=8)) / 2
    plain = LSVVRegressor(features="linear", smoothing=0)
    counts, new = (16, 24, 40, 80), rng.normal(size=(400, 12))
    errors = []
    for count in counts:
        X = rng.normal(size=(400 + count, 12))
        domain = np.where(np.arange(400 + count) < 400, 1, -1)
        Y = np.where(domain[:, None] > 0, X @ W, X @ moved) + 0.5 * rng.normal(size=(len(X), 8))
        both = TransferRegressor(plain, random_state=0).fit(X, Y, sample_domain=domain)
        alone = clone(plain).fit(X[domain < 0], Y[domain < 0])
        pooled = clone(plain).fit(X, Y)
        errors.append([np.mean((model.predict(new) - new @ moved) ** 2) for model in (both, alone, pooled)])
    figure, (axis,) = panels(1)
    for name, column in zip(("transfer", "target alone", "pooled"), np.array(errors).T, strict=True):
        axis.plot(counts, column, "o-", label=name)
    axis.set(xlabel="target rows", ylabel="squared error", yscale="log", xticks=counts)
    axis.legend()
    save(figure, "tasks_transfer")


def fields() -> None:
    """A field known at fifteen places, another one that goes with it at three hundred."""
    rng = np.random.default_rng(2)
    side = np.linspace(0, 1, 30)
    grid = np.stack(np.meshgrid(side, side), axis=2).reshape(-1, 2)
    places = rng.uniform(size=(315, 2))
    waves = RandomFourier(300, width=0.3, random_state=0).fit(places)
    w = rng.normal(size=300)
    known, field = waves.transform(places) @ w, waves.transform(grid) @ w
    Y = np.full((315, 2), np.nan)
    Y[:15, 0], Y[15:, 1] = known[:15], -2 * known[15:] + 0.1 * rng.normal(size=300)
    together = CoKriging(150, random_state=0).fit(places, Y)
    alone = CoKriging(15, random_state=0).fit(places[:15], Y[:15, 0])
    figure, axes = panels(3)
    shown = (field, alone.predict(grid), together.predict(grid)[:, 0])
    for axis, values, title in zip(axes, shown, ("the field", "filled alone", "filled with the other"), strict=True):
        axis.imshow(values.reshape(30, 30), origin="lower", extent=(0, 1, 0, 1), vmin=field.min(), vmax=field.max())
        axis.plot(*places[:15].T, "k.", markersize=4)
        axis.set(title=title, xticks=[], yticks=[])
        axis.grid(visible=False)
    save(figure, "tasks_fields")


if __name__ == "__main__":
    main()
