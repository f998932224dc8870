"""A fitted estimator as an ONNX graph: its scores from phi, W and b, for linear and random Fourier features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.features import Linear, RandomFourier
from lsvv.losses import BinaryLogistic, Loss, MulticlassLogistic, Squared
from lsvv.selection.ensemble import Family
from lsvv.tables.table import TableError
from lsvv.targets import Numbers

__all__ = ["exported"]

OPSET = 17

Node = tuple[str, list[str], str]
"""Its kind, what it reads, what it makes."""


@dataclass(frozen=True, eq=False)
class Part:
    """share * link(W' phi(x) + b): one of the models that are averaged."""

    feature_map: Any
    W: np.ndarray
    b: np.ndarray
    link: str
    share: np.ndarray


def exported(model: Any) -> bytes:
    """The ONNX bytes of a fitted estimator: input "X" (rows, features), output "scores" (rows, outputs).

    Scores are one expectation a class, of which the largest is given; one a label, given above 0.5; numbers on their
    own scale.
    All is in double precision, so that onnxruntime's scores are the estimator's to 1e-5.
    """
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError as error:
        raise TableError("Writing ONNX needs onnx: pip install 'lsvv[onnx]'.") from error
    nodes, constants = _graph(model)
    graph = helper.make_graph(
        [helper.make_node(kind, inputs, [output]) for kind, inputs, output in nodes],
        "lsvv",
        [helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", int(model.n_features_in_)])],
        [helper.make_tensor_value_info("scores", TensorProto.DOUBLE, ["rows", int(model.n_outputs_)])],
        [onnx.numpy_helper.from_array(np.asarray(array, dtype=np.float64), name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lsvv", ir_version=9)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


def _graph(model: Any) -> tuple[list[Node], dict[str, np.ndarray]]:
    """slope * sum of the parts + offset."""
    parts, slope, offset = _parts(model)
    nodes: list[Node] = []
    constants = {"slope": slope, "offset": offset}
    for number, part in enumerate(parts):
        more, arrays = _part(part, f"_{number}")
        nodes += more
        constants |= arrays
    nodes.append(("Sum", [f"part_{number}" for number in range(len(parts))], "total"))
    nodes += [("Mul", ["total", "slope"], "sloped"), ("Add", ["sloped", "offset"], "scores")]
    return nodes, constants


def _parts(model: Any) -> tuple[list[Part], np.ndarray, np.ndarray]:
    """The parts of an average, and the line from their sum to the scores."""
    if model.best_estimator_ is not None:
        core, loss = model.best_estimator_, model._loss_of[model.best_params_["loss"]]
        weights, offset = np.asarray(core._weights), np.asarray(core._offset)
        parts = [Part(core.feature_map_, weights, offset, _link(loss), np.ones(offset.size))]
        stretch, mean = 1.0, 0.0 * offset
    else:
        whole = model._ensemble
        parts = [_part_of(family, model.maps_[family.map]) for family in whole.families]
        stretch, mean = whole.stretch, whole.mean
    slope, shift = np.full(mean.size, stretch), (1.0 - stretch) * mean
    codec = model._codec
    if isinstance(codec, Numbers):
        slope, shift = slope * codec.scale, shift * codec.scale + codec.mean
    elif not codec.one_class_a_row:
        shift = shift + (0.5 - model._threshold)
    return parts, slope[None, :], shift[None, :]


def _part_of(family: Family, feature_map: Any) -> Part:
    """A temperature is a softmax of the scores divided by it."""
    if family.temperature is None:
        return Part(feature_map, family.W, family.b, _link(family.loss), family.share)
    t = family.temperature
    return Part(feature_map, family.W / t, family.b / t, "Softmax", family.share)


def _part(part: Part, tail: str) -> tuple[list[Node], dict[str, np.ndarray]]:
    nodes, constants = _features(part.feature_map, tail)
    constants |= {f"W{tail}": part.W, f"b{tail}": part.b[None, :], f"share{tail}": part.share[None, :]}
    nodes += [
        ("MatMul", [f"phi{tail}", f"W{tail}"], f"linear{tail}"),
        ("Add", [f"linear{tail}", f"b{tail}"], f"score{tail}"),
        (part.link, [f"score{tail}"], f"expected{tail}"),
        ("Mul", [f"expected{tail}", f"share{tail}"], f"part{tail}"),
    ]
    return nodes, constants


def _link(loss: Loss) -> str:
    """The node from a score to what it expects; ONNX's softmax runs over the last axis."""
    for kind, node in ((Squared, "Identity"), (MulticlassLogistic, "Softmax"), (BinaryLogistic, "Sigmoid")):
        if isinstance(loss, kind):
            return node
    raise TableError(
        f"The loss {type(loss).__name__} cannot be written as ONNX. Fit with the squared or logistic loss."
    )


def _features(feature_map: Any, tail: str) -> tuple[list[Node], dict[str, np.ndarray]]:
    """The nodes from "X" to phi, and the arrays they read."""
    if isinstance(feature_map, Linear):
        return [("Identity", ["X"], f"phi{tail}")], {}
    if not isinstance(feature_map, RandomFourier):
        raise TableError(
            f"{type(feature_map).__name__} features cannot be written as ONNX. Fit with linear or fourier features."
        )
    constants = {
        f"frequencies{tail}": np.asarray(feature_map.frequencies_),
        f"offsets{tail}": np.asarray(feature_map.offsets_, dtype=np.float64)[None, :],
        f"size{tail}": np.sqrt(2.0 / feature_map.n_components),
    }
    nodes: list[Node] = [
        ("MatMul", ["X", f"frequencies{tail}"], f"turned{tail}"),
        ("Add", [f"turned{tail}", f"offsets{tail}"], f"angles{tail}"),
        ("Cos", [f"angles{tail}"], f"waves{tail}"),
        ("Mul", [f"waves{tail}", f"size{tail}"], f"phi{tail}"),
    ]
    return nodes, constants
