"""TabPFN v1 on one split, in an interpreter that has it: ``python -I tabpfn_predict.py SPLIT.npz PREDICTED.npz``.

Needs torch, scikit-learn and tabpfn 0.1.x alone: ``pip install torch scikit-learn tabpfn==0.1.11``. The weights are in
the source distribution of tabpfn 0.1 (96 MB, withdrawn but there; its build fails, so fetch the archive itself); put
its ``tabpfn/models_diff`` into the installed package. -I keeps this folder, which has a tabpfn.py too, off the path.
"""

from __future__ import annotations

import sys
import typing
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.utils.validation
import torch.nn.modules.transformer

WEIGHTS = "models_diff/prior_diff_real_checkpoint_n_0_epoch_42.cpkt"
CONFIGURATIONS = 32
"""As in the TabPFN paper; the package's own default is 3."""
ROWS_AT_ONCE = 2000
"""Test rows do not see each other, so a block at a time changes nothing but the memory."""

# tabpfn imports this name from torch, where newer versions no longer have it
torch.nn.modules.transformer.Optional = typing.Optional


def main(split: str, out: str) -> None:
    fault = missing()
    if fault:
        sys.exit(fault)
    with np.load(split) as arrays:
        predicted = labels(arrays["X"], arrays["y"], arrays["tests"])
    versions = [f"{name} {version(name)}" for name in ("tabpfn", "torch", "scikit-learn")]
    np.savez(out, predicted=predicted, versions=", ".join(versions))


def missing() -> str:
    """What keeps this interpreter from running TabPFN; empty if nothing does."""
    place = find_spec("tabpfn")
    if place is None or place.origin is None:
        return "This interpreter has no tabpfn: pip install tabpfn==0.1.11."
    if not (Path(place.origin).parent / WEIGHTS).is_file():
        return f"tabpfn has no weights; take {WEIGHTS} from the source distribution of tabpfn 0.1."
    return ""


def labels(X: np.ndarray, y: np.ndarray, tests: np.ndarray) -> np.ndarray:
    """What TabPFN says of the test rows, on the GPU where there is one."""
    interface = import_module("tabpfn.scripts.transformer_prediction_interface")
    for name in ("check_X_y", "check_array"):
        setattr(interface, name, _finite_or_not(getattr(sklearn.utils.validation, name)))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = interface.TabPFNClassifier(device=device, N_ensemble_configurations=CONFIGURATIONS, seed=0).fit(X, y)
        starts = range(0, len(tests), ROWS_AT_ONCE)
        return np.concatenate([model.predict(tests[start : start + ROWS_AT_ONCE]) for start in starts])


def _finite_or_not(check: Callable[..., Any]) -> Callable[..., Any]:
    """A check of scikit-learn under the keyword it had before 1.6; the rows here are finite."""

    def checked(*arrays: Any, force_all_finite: bool = True) -> Any:
        return check(*arrays)

    return checked


if __name__ == "__main__":
    main(*sys.argv[1:3])
