"""A fitted search as an ONNX graph: its maps, neighbours and the parts of its average, in double precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from lsvv.extras import optional
from lsvv.features import LandmarkMap, Linear, RandomFourier, Ranges, Ranks
from lsvv.features.columns import BEYOND
from lsvv.features.kernels import Gaussian, Laplacian, as_kernel
from lsvv.graph import NeighborGraph, NeighborSearch
from lsvv.linalg import dense, to_numpy
from lsvv.losses import Loss, Squared, make_loss
from lsvv.selection import Ensemble, Forest, Part
from lsvv.tables.table import TableError
from lsvv.targets import Numbers

__all__ = ["exported"]

OPSET, TREE_OPSET = 17, 3
SINGLE, DOUBLE = 1, 11
"""ONNX's numbers of the kinds of number."""
_NODE_FIELDS = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
SMALLEST = 1e-150
"""Stands for the reach of a row that coincides with all its neighbours, where 0 / 0 would be no weight."""


def exported(model: Any) -> bytes:
    """The ONNX bytes of a fitted search: input "X" (rows, features), output "scores" (rows, outputs).

    Scores are one expectation a class, of which the largest is given; one a label, given above 0.5; numbers on their
    own scale. Where features are smoothed over the graph, the training rows and what they add to their neighbours are
    in the file. onnxruntime's scores are the estimator's to 1e-5.
    """
    onnx = optional("onnx", "Writing ONNX", "onnx")
    helper = onnx.helper
    if hasattr(model, "categories_"):
        raise TableError("A model of columns of categories cannot be written as ONNX. Encode them first, then fit.")
    written = _written(model)
    graph = helper.make_graph(
        [helper.make_node(kind, inputs, outputs, **more) for kind, inputs, outputs, more in written.nodes],
        "lsvv",
        [helper.make_tensor_value_info("X", onnx.TensorProto.DOUBLE, ["rows", int(model.n_features_in_)])],
        [helper.make_tensor_value_info("scores", onnx.TensorProto.DOUBLE, ["rows", int(model.n_outputs_)])],
        [onnx.numpy_helper.from_array(array, name) for name, array in written.constants.items()],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREE_OPSET)]
    made = helper.make_model(graph, opset_imports=opsets, producer_name="lsvv", ir_version=9)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


class _Graph:
    """Nodes (kind, inputs, outputs, attributes) and the arrays they read, each under a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = []
        self.constants: dict[str, np.ndarray] = {}

    def array(self, values: Any) -> str:
        """The name of a constant: whole numbers and truths stay so, all others are doubles."""
        made = np.asarray(to_numpy(values))
        name = f"c{len(self.constants)}"
        self.constants[name] = made if made.dtype in (np.int64, np.bool_) else made.astype(np.float64)
        return name

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """The name of what a node makes of its inputs."""
        name = output or f"n{len(self.nodes)}"
        self.nodes.append((kind, list(inputs), [name], attributes))
        return name

    def tensor(self, name: str, values: Sequence[float]) -> Any:
        """Doubles as an attribute."""
        from onnx import numpy_helper

        return numpy_helper.from_array(np.asarray(values, dtype=np.float64), name)

    def largest(self, values: str, count: int) -> str:
        """The places of the ``count`` largest of each row."""
        name = f"n{len(self.nodes)}"
        inputs = [values, self.array(np.array([count], dtype=np.int64))]
        self.nodes.append(("TopK", inputs, [f"{name}_values", name], {}))
        return name

    def sum_over(self, values: str, axis: int, *, keep: bool = False) -> str:
        """The sum over an axis."""
        return self.node("ReduceSum", values, self.array(np.array([axis], dtype=np.int64)), keepdims=int(keep))

    def with_axis(self, values: str, axis: int) -> str:
        """The values with an axis of length 1 more."""
        return self.node("Unsqueeze", values, self.array(np.array([axis], dtype=np.int64)))


def _written(model: Any) -> _Graph:
    held = _contents(model)
    slope, offset = _line(model)
    made = _Graph()
    rows = {view: _columns(made, one) for view, one in sorted(model.columns_.items())}
    phi = {number: _features(made, one, rows[held.views[number]]) for number, one in sorted(held.maps.items())}
    asked = sorted({part.graph for part in held.parts if part.near is not None})
    near = {number: _neighbours(made, held.graphs[number], rows[number]) for number in asked}
    sums = [_part(made, part, phi, near) for part in held.parts]
    if model.forests_:
        sums.append(_trees(made, model.forests_, model.n_outputs_, rows[max(rows)]))
    total = made.node("Mul", made.node("Sum", *sums), made.array(slope[None, :]))
    total = made.node("Add", total, made.array(offset[None, :]))
    codec = model.codec_
    if isinstance(codec, Numbers) and codec.logs.any():
        total = made.node("Where", made.array(codec.logs), _exponential(made, codec, total), total)
    made.node("Identity", total, output="scores")
    return made


def _exponential(made: _Graph, codec: Numbers, total: str) -> str:
    """max(lift exp(min(total, most)) - shift, 0)."""
    most, lift, shift = (made.array(part[None, :]) for part in (codec.most, codec.lift, codec.shift))
    raised = made.node("Mul", made.node("Exp", made.node("Min", total, most)), lift)
    return made.node("Max", made.node("Sub", raised, shift), made.array(0.0))


def _contents(model: Any) -> Ensemble:
    """The parts of an average with their maps and graphs; a single estimator is one part."""
    if model.best_estimator_ is None:
        return Ensemble(model.parts_, model.maps_, model.views_, model.graphs_)
    core, codec, view = model.best_estimator_, model.codec_, model.view_
    scale = codec.scale if isinstance(codec, Numbers) else 1.0
    # coef_ and intercept_ are on the targets' own scale, and the sum is put on it below
    W, b = to_numpy(core.coef_).T / scale, to_numpy(core.intercept_)
    b = (b - codec.mean) / scale if isinstance(codec, Numbers) else b
    loss = make_loss(model.best_params_["loss"], one_class_a_row=codec.one_class_a_row)
    maps, views, share = {0: core.feature_map_}, {0: view}, model.kind_shares_["maps"]
    if core.graph_ is None:
        return Ensemble((Part({0: W}, b, share, None, loss),), maps, views, {})
    a = core.smoothing
    part = Part({0: (1.0 - a) * W}, b, share, a * to_numpy(core.smoothed_scores_), loss, view)
    return Ensemble((part,), maps, views, {view: core.graph_})


def _columns(made: _Graph, columns: Any) -> str:
    """Rows as a view reads their columns."""
    if isinstance(columns, Ranges):
        place = made.node("Sub", "X", made.array(columns.low_[None, :]))
        place = made.node("Div", place, made.array(columns.range_[None, :]))
        return made.node("Clip", place, made.array(-BEYOND), made.array(1.0 + BEYOND))
    if isinstance(columns, Ranks):
        values, knots = made.with_axis("X", 1), made.array(columns.knots_[None])
        sides = [made.node(kind, values, knots) for kind in ("Greater", "GreaterOrEqual")]
        counts = [made.sum_over(made.node("Cast", side, to=DOUBLE), 1) for side in sides]
        return made.node("Div", made.node("Add", *counts), made.array(2.0 * len(columns.knots_)))
    return "X"


def _trees(made: _Graph, forests: Sequence[Forest], n_outputs: int, rows: str) -> str:
    """What the forests expect, times their shares: one ensemble of all trees, leaf values times share / trees."""
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in _NODE_FIELDS}
    leaves: dict[str, list[Any]] = {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    first = 0
    for forest in forests:
        is_leaf = forest.below == np.arange(forest.below.size)
        tree = np.searchsorted(forest.roots, np.arange(is_leaf.size), side="right") - 1
        start = forest.roots[tree]
        columns = {
            "treeids": first + tree,
            "nodeids": np.arange(is_leaf.size) - start,
            "featureids": forest.column,
            "modes": np.where(is_leaf, "LEAF", "BRANCH_LEQ"),
            "values": forest.threshold,
            "truenodeids": np.where(is_leaf, 0, forest.below - start),
            "falsenodeids": np.where(is_leaf, 0, forest.above - start),
        }
        for name, values in columns.items():
            nodes[f"nodes_{name}"] += values.tolist()
        count = forest.outputs.size
        said = forest.values * forest.share / forest.roots.size
        leaves["target_treeids"] += np.repeat(columns["treeids"][is_leaf], count).tolist()
        leaves["target_nodeids"] += np.repeat(columns["nodeids"][is_leaf], count).tolist()
        leaves["target_ids"] += np.tile(forest.outputs, len(said)).tolist()
        leaves["target_weights"] += said.ravel().tolist()
        first += forest.roots.size
    # trees compare single precision numbers with thresholds of double precision
    single = made.node("Cast", made.node("Cast", rows, to=SINGLE), to=DOUBLE)
    for group, name in ((nodes, "nodes_values"), (leaves, "target_weights")):
        group[f"{name}_as_tensor"] = made.tensor(name, group.pop(name))
    fields: dict[str, Any] = {**nodes, **leaves, "domain": "ai.onnx.ml", "n_targets": n_outputs}
    return made.node("Cast", made.node("TreeEnsembleRegressor", single, **fields), to=DOUBLE)


def _line(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """From the sum of the parts to the scores: numbers on their own scale, labels with their threshold at 0.5."""
    codec, K = model.codec_, model.n_outputs_
    if isinstance(codec, Numbers):
        return np.broadcast_to(codec.scale, K), np.broadcast_to(codec.mean, K)
    shift = 0.0 if codec.one_class_a_row else 0.5 - model.threshold_
    return np.ones(K), np.full(K, shift)


def _part(made: _Graph, part: Part, phi: Mapping[int, str], near: Mapping[int, tuple[str, str]]) -> str:
    """share * link(score)."""
    terms = [made.array(part.b[None, :])]
    terms += [made.node("MatMul", phi[number], made.array(W)) for number, W in sorted(part.weights.items())]
    if part.near is not None:
        places, weights = near[part.graph]
        there = made.node("Gather", made.array(part.near), places)
        terms.append(made.sum_over(made.node("Mul", there, weights), 1))
    expected = made.node(_link(part.loss), reduce(lambda one, other: made.node("Add", one, other), terms))
    return made.node("Mul", expected, made.array(part.share[None, :]))


def _link(loss: Loss) -> str:
    """The node from a score to what it expects; ONNX's softmax runs over the last axis."""
    if isinstance(loss, Squared):
        return "Identity"
    return "Softmax" if loss.couples_outputs else "Sigmoid"


def _features(made: _Graph, feature_map: Any, rows: str) -> str:
    """phi of the rows."""
    if isinstance(feature_map, Linear):
        return rows
    if isinstance(feature_map, RandomFourier):
        turned = made.node("MatMul", rows, made.array(feature_map.frequencies_))
        waves = made.node("Cos", made.node("Add", turned, made.array(feature_map.offsets_[None, :])))
        return made.node("Mul", waves, made.array(np.sqrt(2.0 / feature_map.n_components)))
    if isinstance(feature_map, LandmarkMap):
        return made.node("MatMul", _kernel(made, feature_map, rows), made.array(feature_map.mixing_))
    raise TableError(
        f"{type(feature_map).__name__} features cannot be written as ONNX. Fit with linear, Fourier or landmark "
        f"features."
    )


def _kernel(made: _Graph, feature_map: LandmarkMap, rows: str) -> str:
    """Values of the kernel between rows and landmarks."""
    kernel = as_kernel(feature_map.kernel)
    if not isinstance(kernel, (Gaussian, Laplacian)):
        raise TableError(
            f"Landmarks of the {type(kernel).__name__} kernel cannot be written as ONNX. Choose kernel='gaussian' or "
            f"kernel='laplacian'."
        )
    scaled = made.with_axis(made.node("Div", rows, made.array(feature_map.width_)), 1)
    difference = made.node("Sub", scaled, made.array(to_numpy(feature_map.landmarks_)[None]))
    if isinstance(kernel, Laplacian):
        distances = made.sum_over(made.node("Abs", difference), 2)
    else:
        squares = made.sum_over(made.node("Mul", difference, difference), 2)
        distances = made.node("Mul", squares, made.array(0.5))
    return made.node("Exp", made.node("Neg", distances))


def _neighbours(made: _Graph, graph: NeighborGraph, seen: str) -> tuple[str, str]:
    """The places of each row's neighbours among the training rows (rows, k), and their weights (rows, k, 1)."""
    index, rule = graph.index, graph.rule
    if index is None or rule is None:
        raise TableError("A graph given as a matrix has no neighbours for new rows, so that ONNX cannot hold it.")
    if isinstance(index.search, NeighborSearch) or rule.on == "features":
        raise TableError(
            "ONNX can hold neighbours by the Euclidean distance between rows alone. Fit with a KNNGraph whose search "
            "is 'auto', 'exact' or 'faiss' and which is on 'inputs', or with smoothing=0."
        )
    rows = np.asarray(dense(index.rows), dtype=np.float64)
    # of one row's squared distances ||x||^2 is the same; about the middle, little is lost to rounding
    middle = rows.mean(axis=0, keepdims=True)
    centred = rows - middle
    product = made.node("MatMul", made.node("Sub", seen, made.array(middle)), made.array(2.0 * centred.T))
    nearness = made.node("Sub", product, made.array(np.sum(centred**2, axis=1)[None, :]))
    places = made.largest(nearness, min(graph.n_neighbors, len(rows)))
    difference = made.node("Sub", made.with_axis(seen, 1), made.node("Gather", made.array(rows), places))
    squares = made.sum_over(made.node("Mul", difference, difference), 2)
    exponent = _exponent(made, graph, squares, places)
    return places, made.with_axis(made.node("Softmax", made.node("Neg", exponent)), 2)


def _exponent(made: _Graph, graph: NeighborGraph, squares: str, places: str) -> str:
    """-log of the weight of each neighbour, from its squared distance."""
    assert graph.rule is not None
    if graph.rule.weights == "self-tuned":
        reach = made.node("Sqrt", made.node("ReduceMax", squares, axes=[1], keepdims=1))
        both = made.node("Mul", reach, made.node("Gather", made.array(graph.reach), places))
        return made.node("Div", squares, made.node("Max", both, made.array(SMALLEST)))
    rate = 0.0 if graph.heat_width is None else graph.heat_width**-2
    return made.node("Mul", squares, made.array(rate))
