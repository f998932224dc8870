"""Twenty labels, 1237 rows without one: handwritten digits, supervised against semi-supervised."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from lsvv import LSVVClassifier

LABELS_A_DIGIT = 2


def main() -> None:
    X, truth = load_digits(return_X_y=True)
    X_train, X_test, truth_train, truth_test = train_test_split(X / 16, truth, test_size=0.3, random_state=0)
    known = np.concatenate([np.flatnonzero(truth_train == digit)[:LABELS_A_DIGIT] for digit in range(10)])
    y = np.full(len(truth_train), -1)  # -1 means unlabelled
    y[known] = truth_train[known]
    print(f"{len(known)} labelled rows, {np.sum(y == -1)} unlabelled ones, {len(X_test)} to test on")
    for name, smoothing in (("supervised      (smoothing=0)", 0.0), ("semi-supervised (default)    ", 0.95)):
        model = LSVVClassifier(smoothing=smoothing, random_state=0).fit(X_train, y)
        error = 1 - model.score(X_test, truth_test)
        print(f"{name}  test error {100 * error:4.1f}%   {model.solution_.status}")


if __name__ == "__main__":
    main()
