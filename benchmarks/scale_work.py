"""What the benchmarks of scale measure, each in a process of its own: ``python -m benchmarks.scale_work NAME JSON``."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import interleaved
from lsvv import LSVVClassifier, LSVVClassifierCV
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph
from lsvv.graph.inverted import InvertedLists
from lsvv.graph.nearest import RECALL
from lsvv.linalg import canonical_order
from lsvv.stored import MOST_DRAWN, rows_to_learn_from
from lsvv.tables.by_blocks import fill_large, write_filled
from lsvv.tables.large import opened_large
from lsvv.tables.model_choice import choose_model

Found = dict[str, Any]
NEW = 20_000
WARM = 6000
"""Rows fitted before a device is timed."""
GAMMA = 2.0
"""Of the peers' Gaussian kernels on columns between 0 and 1."""
KERNEL_ROWS = 10_000
WIDTH = 3.5
"""Half the median distance of generated rows, for fits that must not draw their own sample of them."""


def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a call returns, its seconds of processor time, and the MB by which it raised the peak of the process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    done = work()
    seconds = time.process_time() - start
    return done, seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def covtype(path: str, what: str, rows: int = 406_708) -> Found:
    stored = np.load(path)
    X, truth = stored["X"].astype(np.float32), stored["y"]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    low, high = X[order[:rows]].min(axis=0), X[order[:rows]].max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    train, new = order[:rows], order[-NEW:]
    y = np.where(rng.random(rows) < 0.1, truth[train], -1)
    return COVTYPE[what](X[train], y, X[new], truth[new])


def _neighbours(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    # the order in which a fit adds them, so that the same recall is reached in the same way
    X = X[canonical_order(X)]

    def search() -> InvertedLists:
        lists = InvertedLists(X, RECALL)
        lists.nearest(X, 11)
        return lists

    lists, seconds, mb = measured(search)
    return {"seconds": seconds, "mb": mb, "recall": lists.recall}


def _product(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    rng, seconds = np.random.default_rng(0), 0.0
    for start in range(0, len(X), 50_000):
        Phi = rng.random((min(50_000, len(X) - start), 1000))
        seconds += measured(lambda Phi=Phi: Phi.T @ Phi)[1]
    return {"seconds": seconds, "mb": 0.0}


def _ours(smoothing: float, manifold: float) -> Callable[..., Found]:
    def work(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
        kind = {"smoothing": smoothing, "manifold": manifold, "n_neighbors": 10, "random_state": 0}
        graph = Remembering(weights="self-tuned" if smoothing else "binary")
        model = LSVVClassifier(features=RandomFourier(1000), graph=graph, **kind)
        return {**_judged(model, X, y, new, truth), "recall": graph.built[-1].recall}

    return work


def _search(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    """The search that lsvv fill makes on rows drawn as it draws them."""
    rows = rows_to_learn_from((y >= 0)[:, None], MOST_DRAWN, np.random.default_rng(0))
    return _judged(choose_model("classes", len(rows)), X[rows], y[rows], new, truth)


class Remembering(KNNGraph):
    """A graph that remembers what it built: a compact model drops it."""

    built: list[Any] = []  # noqa: RUF012

    def fit(self, X: Any, n_neighbors: int, n_jobs: int | None = None) -> Any:
        """The graph, kept."""
        self.built.append(super().fit(X, n_neighbors, n_jobs))
        return self.built[-1]

    def spread(self, X: Any, n_neighbors: int) -> Any:
        """The graph that stays with its rows, kept."""
        self.built.append(super().spread(X, n_neighbors))
        return self.built[-1]


def _nystroem(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(Nystroem(n_components=1000, gamma=GAMMA, random_state=0), RidgeClassifier())
    known = y >= 0
    return _judged(model, X[known], y[known], new, truth)


def _self_training(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    from sklearn.linear_model import SGDClassifier
    from sklearn.semi_supervised import SelfTrainingClassifier

    return _judged(SelfTrainingClassifier(SGDClassifier(loss="log_loss", random_state=0)), X, y, new, truth)


def _spreading(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    from sklearn.semi_supervised import LabelSpreading

    return _judged(LabelSpreading(kernel="knn", n_neighbors=10, max_iter=200), X, y, new, truth)


def _xgboost(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    from xgboost import XGBClassifier

    known, first = y >= 0, int(truth.min())
    return _judged(XGBClassifier(n_jobs=1, random_state=0), X[known], y[known] - first, new, truth - first)


def _himalaya(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    from himalaya.kernel_ridge import KernelRidge

    # the kernel of all labels would not fit into memory
    known = np.flatnonzero(y >= 0)[:KERNEL_ROWS]
    classes = np.unique(y[known])

    class OneHot(KernelRidge):  # type: ignore[misc]
        def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
            return super().fit(X, (y[:, None] == classes).astype(np.float32))

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.asarray(classes[np.argmax(super().predict(X), axis=1)])

    model = OneHot(alpha=1e-4 * KERNEL_ROWS, kernel="rbf", kernel_params={"gamma": GAMMA})
    return _judged(model, X[known], y[known], new, truth)


def _graphlearning(X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    import graphlearning as gl

    # it answers for its own rows alone, so that the new ones go with them
    whole, known = np.vstack([X, new]), np.flatnonzero(y >= 0)

    def work() -> np.ndarray:
        model = gl.ssl.laplace(gl.weightmatrix.knn(whole, 10))
        return np.asarray(model.fit_predict(known, y[known]))

    answers, seconds, mb = measured(work)
    return {"seconds": seconds, "mb": mb, "error": 100 * float(np.mean(answers[len(X) :] != truth))}


def _judged(model: Any, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray) -> Found:
    _, seconds, mb = measured(lambda: model.fit(X, y))
    model.predict(new[:100])
    answers, taken, _ = measured(lambda: model.predict(new))
    return {"seconds": seconds, "mb": mb, "error": 100 * float(np.mean(answers != truth)), "rate": len(new) / taken}


COVTYPE: dict[str, Callable[..., Found]] = {
    "neighbours": _neighbours,
    "product": _product,
    "compact": _ours(0.0, 1.0),
    "smoothed": _ours(0.8, 0.0),
    "search": _search,
    "nystroem": _nystroem,
    "self-training": _self_training,
    "spreading": _spreading,
    "xgboost": _xgboost,
    "himalaya": _himalaya,
    "graphlearning": _graphlearning,
}
NEEDS = {name: name for name in ("xgboost", "himalaya", "graphlearning")}
"""Packages that peers come from."""


def predict(path: str, D: int = 1000, repeats: int = 9) -> Found:
    """Rows a second of a compact model, and of nothing but the two products with the matrices that it holds."""
    X = np.load(path)["X"][:NEW].astype(np.float32)
    X /= max(float(np.abs(X).max()), 1.0)
    y = np.where(np.arange(len(X)) < 1000, np.arange(len(X)) % 7, -1)
    model = LSVVClassifier(features=RandomFourier(D), smoothing=0.0, random_state=0).fit(X, y)
    W, F = np.ascontiguousarray(model.coef_.T), model.feature_map_.frequencies_
    # as many rows at once as is fastest
    calls = {f"products {at}": partial(_products, X, F, W, at) for at in (256, 1024, 4096)}
    seconds = interleaved({"model": lambda: model.predict(X), "cosines": lambda: _cosines(X, F), **calls}, repeats)
    bare = min(taken for name, taken in seconds.items() if name.startswith("products"))
    cosines = seconds["cosines"] / bare
    return {"d": X.shape[1], "rate": len(X) / seconds["model"], "bare": len(X) / bare, "cosines": cosines}


def _products(X: np.ndarray, F: np.ndarray, W: np.ndarray, at_once: int) -> None:
    for start in range(0, len(X), at_once):
        (X[start : start + at_once] @ F) @ W


def _cosines(X: np.ndarray, F: np.ndarray) -> None:
    angles = X[:256] @ F
    for _ in range(0, len(X), len(angles)):
        np.cos(angles)


def mnist(path: str, device: str) -> Found:
    """A search over MNIST's first 42,000 rows of a random order, one label in a hundred, on a device."""
    import torch

    stored = np.load(path)
    order = np.random.default_rng(0).permutation(len(stored["y"]))
    X, truth = stored["X"].astype(np.float32) / 255, stored["y"].astype(int)
    train, new = order[:42_000], order[42_000:]
    y = np.where(np.random.default_rng(1).random(train.size) < 0.01, truth[train], -1)
    there, asked = (torch.as_tensor(X[rows], device=device) for rows in (train, new))
    if device != "cpu":
        # the first kernels of a process are loaded and chosen
        LSVVClassifierCV(random_state=0).fit(there[:WARM], y[:WARM])
    start = time.perf_counter()
    model = LSVVClassifierCV(random_state=0).fit(there, y)
    seconds = time.perf_counter() - start
    answers = model.predict(asked).cpu().numpy()
    return {"seconds": seconds, "error": 100 * float(np.mean(answers != truth[new])), "faiss": _there("faiss")}


def _there(package: str) -> bool:
    return find_spec(package) is not None


def made_up(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows on a smooth three-dimensional sheet in 50 columns, and four classes of its inner places."""
    shape, rng = np.random.default_rng(0), np.random.default_rng([1, seed])
    inner = rng.random((rows, 3)).astype(np.float32)
    directions, offsets = 2.0 * shape.normal(size=(3, 50)), shape.uniform(0, 6, 50)
    X = np.sin(inner @ directions.astype(np.float32) + offsets.astype(np.float32))
    wave = np.sin(6.0 * inner[:, 0]) + inner[:, 1] > 0.5
    return X.astype(np.float32), 2 * wave + (inner[:, 2] > 0.5)


def compact(graph: Any, width: float | str = "auto") -> LSVVClassifier:
    return LSVVClassifier(
        features=RandomFourier(512, width=width),
        smoothing=0.0,
        manifold=1.0,
        n_neighbors=10,
        graph=graph,
        random_state=0,
    )


def _partly(truth: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(truth)) % 100 == 0, truth, -1)


def generated(rows: int) -> Found:
    X, truth = made_up(rows, 0)
    graph = Timed()
    model = compact(graph)
    _, seconds, mb = measured(lambda: model.fit(X, _partly(truth)))
    new, right = made_up(NEW, 1)
    error = 100 * float(np.mean(model.predict(new) != right))
    return {
        "seconds": seconds,
        "mb": mb,
        "error": error,
        "recall": graph.built[-1].recall,
        "neighbours": graph.spent[-1],
    }


def peer(rows: int) -> Found:
    from sklearn.semi_supervised import LabelSpreading

    X, truth = made_up(rows, 0)
    model = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=200)
    return _judged(model, X, _partly(truth), *made_up(2000, 1))


def part(every: int, rows: int = 1_000_000) -> Found:
    """All rows, compact, beside a search over a part of them, where one row in so many has a label."""
    X, truth = made_up(rows, 0)
    y = np.where(np.arange(rows) % every == 0, truth, -1)
    new = made_up(NEW, 1)
    drawn = rows_to_learn_from((y >= 0)[:, None], MOST_DRAWN, np.random.default_rng(0))
    search = _judged(choose_model("classes", drawn.size), X[drawn], y[drawn], *new)
    return {"rows": rows, "labels": int((y >= 0).sum()), "all": _judged(compact("auto"), X, y, *new), "part": search}


class Timed(Remembering):
    """A graph that also remembers how long it took."""

    spent: list[float] = []  # noqa: RUF012

    def fit(self, X: Any, n_neighbors: int, n_jobs: int | None = None) -> Any:
        """The graph, timed."""
        start = time.process_time()
        found = super().fit(X, n_neighbors, n_jobs)
        self.spent.append(time.process_time() - start)
        return found


def parquet(rows: int) -> Found:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        _in_another_process(_write_parts, folder, rows)
        graph = Remembering()
        model, start = compact(graph), time.perf_counter()
        _, seconds, _ = measured(lambda: model.fit(Path(folder), "y"))
        wall, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    new, right = made_up(NEW, 1)
    answers = model.predict(pd.DataFrame(new, columns=model.feature_names_in_))
    error, recall = 100 * float(np.mean(answers != right)), graph.built[-1].recall
    return {"rows": rows, "seconds": seconds, "wall": wall, "peak": peak, "error": error, "recall": recall}


def fill(rows: int) -> Found:
    """What ``lsvv fill`` does with a Parquet folder, and how it answers rows whose class is known here alone."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "rows")
        folder.mkdir()
        _in_another_process(_write_parts, str(folder), rows, True)
        start, seconds = time.perf_counter(), time.process_time()
        large = opened_large(folder)
        filled = fill_large(large, ["y"], task="classes")
        learnt = time.perf_counter() - start
        with Path(place, "filled.parquet").open("wb") as stream:
            write_filled(large, filled, stream)
        wall, seconds = time.perf_counter() - start, time.process_time() - seconds
        peak = _peak_mb()
        table = pq.read_table(Path(place, "filled.parquet"), columns=["y"])
    answers = np.asarray(table["y"])
    truth = np.concatenate([made_up(rows // 10, 10 + part)[1] for part in range(10)])
    unknown = np.tile(np.arange(rows // 10) % 100 != 0, 10)
    error = 100 * float(np.mean(answers[unknown] != truth[unknown]))
    return {"rows": rows, "seconds": seconds, "wall": wall, "learnt": learnt, "peak_mb": peak, "error": error}


def _in_another_process(work: Callable[..., None], *given: Any) -> None:
    """Done where it takes no memory of this process."""
    worker = get_context("spawn").Process(target=work, args=given)
    worker.start()
    worker.join()
    if worker.exitcode:
        raise RuntimeError("The rows could not be written.")


def _write_parts(folder: str, rows: int, empty: bool = False, parts: int = 10) -> None:
    """Rows of which one in a hundred has a label; others have -1, or an empty cell."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in range(parts):
        X, truth = made_up(rows // parts, 10 + part)
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
        y = _partly(truth)
        labels = pa.array(y, mask=(y < 0) if empty else None)
        pq.write_table(pa.table({**columns, "y": labels}), Path(folder) / f"{part}.parquet")


def dask(rows: int) -> Found:
    import dask.array as da
    from dask import compute, delayed
    from distributed import Client, LocalCluster

    from lsvv.graph import spread

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # made where they lie, so that the process that fits never holds them
        parts = [delayed(made_up, nout=2)(rows // 8, 10 + part) for part in range(8)]
        X = da.concatenate([da.from_delayed(part[0], (rows // 8, 50), np.float32) for part in parts]).persist()
        y = _partly(np.concatenate(compute(*[part[1] for part in parts])))
        start = time.perf_counter()
        one = compact("auto", WIDTH).fit(X, y)
        wall = time.perf_counter() - start
        spread.ROWS_A_CELL = rows // 6
        graph = Remembering()
        many = compact(graph, WIDTH).fit(X, y)
        peaks = {"client_mb": _peak_mb(), "worker_mb": max(client.run(_peak_mb).values())}
        here = X.compute()
    start = time.perf_counter()
    alone = compact("auto", WIDTH).fit(here, y)
    seconds = time.perf_counter() - start
    new, right = made_up(NEW, 1)
    errors = {name: 100 * float(np.mean(model.predict(new) != right)) for name, model in (("a", alone), ("m", many))}
    difference = float(np.abs(one.coef_ - alone.coef_).max() / np.abs(alone.coef_).max())
    return {
        "rows": rows, "wall": wall, "alone": seconds, "difference": difference, "cells": 6,
        "recall": graph.built[-1].recall, "error": errors["m"], "error_alone": errors["a"], **peaks,
    }  # fmt: skip


def _peak_mb() -> float:
    """The peak of this process, with Python and its libraries."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


WORK: dict[str, Callable[..., Found]] = {
    "covtype": covtype,
    "generated": generated,
    "peer": peer,
    "parquet": parquet,
    "fill": fill,
    "part": part,
    "predict": predict,
    "mnist": mnist,
    "dask": dask,
}

if __name__ == "__main__":
    print(json.dumps(WORK[sys.argv[1]](**json.loads(sys.argv[2]))))
