"""TabPFN v1 on one split, in an interpreter that has it: ``python -I tabpfn_predict.py SPLIT.npz PREDICTED.npz``.

Needs numpy, torch and tabpfn 0.1.x alone: ``pip install torch "scikit-learn<1.6" tabpfn==0.1.11``. The weights are in
the source distribution of tabpfn 0.1 (96 MB, withdrawn but there; its build fails, so fetch the archive itself); put
its ``tabpfn/models_diff`` into the installed package. -I keeps this folder, which has a tabpfn.py too, off the path.
"""

from __future__ import annotations

import sys
import typing
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch.nn.modules.transformer

WEIGHTS = "models_diff/prior_diff_real_checkpoint_n_0_epoch_42.cpkt"
CONFIGURATIONS = 32
"""As in the TabPFN paper; the package's own default is 3."""
ROWS_AT_ONCE = 2000
"""Test rows do not see each other, so a block at a time changes nothing but the memory."""

# tabpfn imports this name from torch, where newer versions no longer have it
torch.nn.modules.transformer.Optional = typing.Optional


def main(split: str, out: str) -> None:
    place = find_spec("tabpfn")
    if place is None or place.origin is None:
        sys.exit("This interpreter has no tabpfn: pip install tabpfn==0.1.11.")
    if not (Path(place.origin).parent / WEIGHTS).is_file():
        sys.exit(f"tabpfn has no weights; take {WEIGHTS} from the source distribution of tabpfn 0.1.")
    from tabpfn import TabPFNClassifier

    with np.load(split) as arrays:
        X, y, tests = arrays["X"], arrays["y"], arrays["tests"]
    model = TabPFNClassifier(N_ensemble_configurations=CONFIGURATIONS, seed=0).fit(X, y)
    starts = range(0, len(tests), ROWS_AT_ONCE)
    predicted = np.concatenate([model.predict(tests[start : start + ROWS_AT_ONCE]) for start in starts])
    versions = [f"{name} {version(name)}" for name in ("tabpfn", "torch", "scikit-learn")]
    np.savez(out, predicted=predicted, versions=", ".join(versions))


if __name__ == "__main__":
    main(*sys.argv[1:3])
