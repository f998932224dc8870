"""Twenty labels, 1238 rows without one: handwritten digits, supervised against semi-supervised."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from lsvv import LSVVClassifier
from lsvv.data import split


def main() -> None:
    X, truth = load_digits(return_X_y=True)
    X = X / 16
    part = split(truth, "multi-class", seed=0, labelled=0.01)
    y = np.where(part.known, truth[part.train], -1)
    print(f"{np.sum(part.known)} labelled rows, {np.sum(~part.known)} unlabelled ones, {len(part.test)} to test on")
    for name, smoothing in (("supervised      (smoothing=0)", 0.0), ("semi-supervised (default)    ", 0.95)):
        model = LSVVClassifier(smoothing=smoothing, random_state=0).fit(X[part.train], y)
        error = 1 - model.score(X[part.test], truth[part.test])
        print(f"{name}  test error {100 * error:4.1f}%   {model.solution_.status}")


if __name__ == "__main__":
    main()
