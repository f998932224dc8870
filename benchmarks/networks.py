"""Networks as features: MNIST with 100 and 600 labels, against the same network trained on the labels alone."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.resumable import worked
from benchmarks.timing import verdict
from lsvv import LSVVClassifier
from lsvv.features import Neural, RandomFourier
from lsvv.graph import KNNGraph
from reproduction.data import load
from reproduction.records import Record, Trial

LABELS = (100, 600)
N_SPLITS = 3
HIDDEN = (256, 128)
MARK = 0.7
MODELS = {
    "plain": "plain torch: cross-entropy, Adam, stopped by a fifth of the labels",
    "alone": "`Neural`, labels alone (`smoothing=0`)",
    "edges": "`Neural`, `smoothing=0, manifold=1`",
    "graph": "`Neural` as it comes",
    "fourier": "`RandomFourier(2000)` as it comes",
}


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    return _table(worked("networks", _trials(), partial(_figures, data=data)))


def _trials() -> Iterator[Trial]:
    for seed in range(N_SPLITS):
        for labels in LABELS:
            yield {"data": "MNIST", "labelled": labels, "seed": seed}


def _figures(trial: Trial, data: Path) -> dict[str, float | None]:
    """Test errors in %, and the seconds of training."""
    dataset, seed = load("MNIST", data, dtype=np.float32), int(trial["seed"] or 0)
    order = np.random.default_rng(seed).permutation(len(dataset.X))
    cut = round(0.7 * len(order))
    X, y = dataset.X[order] / np.float32(255.0), dataset.y[order]
    train, test, truth = X[:cut], X[cut:], y[cut:]
    known = [np.flatnonzero(y[:cut] == c)[: int(trial["labelled"] or 0) // 10] for c in range(10)]
    given = np.full(cut, -1)
    for c, rows in enumerate(known):
        given[rows] = c
    graph = KNNGraph(weights="self-tuned").fit(train, 7)
    net = Neural(HIDDEN, max_iter=400, random_state=seed)
    models = {
        "alone": LSVVClassifier(features=net, smoothing=0),
        "edges": LSVVClassifier(features=net, smoothing=0, manifold=1.0, power=1, graph=graph),
        "graph": LSVVClassifier(features=net, graph=graph),
        "fourier": LSVVClassifier(features=RandomFourier(2000, random_state=seed), graph=graph),
    }
    start = time.process_time()
    predicted = {"plain": _plain(train[given >= 0], given[given >= 0], test, seed)}
    figures: dict[str, float | None] = {"plain cpu": time.process_time() - start}
    for name, model in models.items():
        start = time.process_time()
        model.fit(train, given)
        figures[f"{name} cpu"] = time.process_time() - start
        predicted[name] = model.predict(test)
    return figures | {name: 100.0 * float(np.mean(found != truth)) for name, found in predicted.items()}


def _plain(X: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    """The same network the plain way."""
    import torch

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    held = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: np.sum(y == c) // 5] for c in range(10)])
    kept = np.setdiff1d(np.arange(len(y)), held)
    layers: list[Any] = []
    for before, width in zip((X.shape[1], *HIDDEN), HIDDEN, strict=False):
        layers += [torch.nn.Linear(before, width), torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(HIDDEN[-1], 10))
    mean, spread = X.mean(axis=0), X.std()
    rows, judges = (torch.as_tensor((X[some] - mean) / spread) for some in (kept, held))
    labels, truth = torch.as_tensor(y[kept]), torch.as_tensor(y[held])
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    lowest, best, waited = np.inf, copy.deepcopy(network.state_dict()), 0
    while waited < 10:
        for _ in range(50):
            some = torch.as_tensor(rng.integers(len(kept), size=128))
            loss = torch.nn.functional.cross_entropy(network(rows[some]), labels[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            judged = float(torch.nn.functional.cross_entropy(network(judges), truth))
        waited += 1
        if judged < lowest:
            lowest, best, waited = judged, copy.deepcopy(network.state_dict()), 0
    network.load_state_dict(best)
    with torch.no_grad():
        return np.asarray(network(torch.as_tensor((test - mean) / spread)).argmax(dim=1))


def _table(records: list[Record]) -> list[str]:
    columns = {
        labels: {
            name: np.array([r.figures[name] for r in records if r.trial["labelled"] == labels], dtype=float)
            for name in (*MODELS, *(f"{name} cpu" for name in MODELS))
        }
        for labels in LABELS
    }
    counts = {labels: len(columns[labels]["graph"]) for labels in LABELS}
    return [
        "Test error in % (standard error over the splits) on 18,000 rows that no fit has seen; 42,000 training rows.",
        f"Splits: {', '.join(f'{n} with {labels} labels' for labels, n in counts.items())}; a network of two layers,",
        f"{HIDDEN}. All parameters are defaults or as stated, none was chosen on these rows. CPU seconds on one core",
        "without those of the graph, which all models share.",
        "",
        f"| model | {' | '.join(f'{labels} labels | seconds' for labels in LABELS)} |",
        f"|---|{'---|---|' * len(LABELS)}",
        *(_row(name, told, columns) for name, told in MODELS.items()),
        "",
        *(_verdict(labels, columns[labels]) for labels in LABELS),
    ]


def _row(name: str, told: str, columns: dict[int, dict[str, np.ndarray]]) -> str:
    cells = [
        f"{found[name].mean():.2f} ({found[name].std(ddof=1) / np.sqrt(found[name].size):.2f}) | "
        f"{found[f'{name} cpu'].mean():.0f}"
        for found in columns.values()
    ]
    return f"| {told} | {' | '.join(cells)} |"


def _verdict(labels: int, found: dict[str, np.ndarray]) -> str:
    better = min(("plain", "alone"), key=lambda name: float(found[name].mean()))
    ratio = found["graph"].mean() / found[better].mean()
    return (
        f"- {labels} labels: `Neural` as it comes has {ratio:.2f} of the error of the better of the two networks of "
        f"labels alone ({better}; mark: at most {MARK}, {verdict(bool(ratio <= MARK))})"
    )
