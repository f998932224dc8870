"""A fitted estimator as an ONNX graph: scores = phi(X) W + b, for linear and random Fourier features."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.features import Linear, RandomFourier
from lsvv.tables.table import TableError

__all__ = ["exported"]

OPSET = 17


def exported(model: Any) -> bytes:
    """The ONNX bytes of a fitted estimator: input "X" (rows, features), output "scores" (rows, outputs).

    Scores are those of ``coef_`` and ``intercept_``: numbers on their own scale, one score a class or label.
    Weights are stored in double precision, so that onnxruntime's scores are the estimator's to 1e-5.
    """
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError as error:
        raise TableError("Writing ONNX needs onnx: pip install 'lsvv[onnx]'.") from error
    nodes, constants = _features(model.feature_map_)
    constants |= {"W": np.asarray(model.coef_).T, "b": np.asarray(model.intercept_)[None, :]}
    nodes += [("MatMul", ["phi", "W"], "linear"), ("Add", ["linear", "b"], "scores")]
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


def _features(feature_map: Any) -> tuple[list[tuple[str, list[str], str]], dict[str, np.ndarray]]:
    """The nodes from "X" to "phi", and the arrays they read.

    cos(a) is written sin(a + pi / 2): onnxruntime has no cosine of doubles.
    """
    if isinstance(feature_map, Linear):
        return [("Identity", ["X"], "phi")], {}
    if not isinstance(feature_map, RandomFourier):
        raise TableError(
            f"{type(feature_map).__name__} features cannot be written as ONNX. Fit with linear or fourier features."
        )
    constants = {
        "frequencies": np.asarray(feature_map.frequencies_),
        "offsets": np.asarray(feature_map.offsets_, dtype=np.float64)[None, :] + np.pi / 2,
        "size": np.sqrt(2.0 / feature_map.n_components),
    }
    nodes = [
        ("MatMul", ["X", "frequencies"], "turned"),
        ("Add", ["turned", "offsets"], "angles"),
        ("Sin", ["angles"], "waves"),
        ("Mul", ["waves", "size"], "phi"),
    ]
    return nodes, constants
