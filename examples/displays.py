"""The four displays on small data: graph, singular values, settings, learning curve; ``python displays.py FOLDER``."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits, make_moons
from theory_figure import panels, save

from lsvv import LSVVClassifier, LSVVClassifierCV
from lsvv.features import RandomFourier
from lsvv.report import AtlasDisplay, GraphDisplay, LearningCurveDisplay, SpectrumDisplay


def main() -> None:
    figure, (axis,) = panels(1)
    X, truth = make_moons(120, noise=0.08, random_state=0)
    y = np.where(np.arange(120) < 8, truth, -1)
    GraphDisplay.from_rows(X, y, n_neighbors=5, ax=axis)
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    save(figure, "graph")

    digits, digit = load_digits(return_X_y=True)
    rows = digits[:600] / 16
    seen = np.where(np.arange(600) < 60, digit[:600], -1)
    figure, (axis,) = panels(1)
    shared = LSVVClassifier(features=RandomFourier(300), spectral=0.01, free_rank=4, tol=1e-3, random_state=0)
    SpectrumDisplay.from_estimator(shared.fit(rows, seen), ax=axis)
    save(figure, "spectrum")

    figure, (axis,) = panels(1)
    searched = LSVVClassifierCV(features=RandomFourier(300), loss="squared", random_state=0)
    AtlasDisplay.from_estimator(searched.fit(rows, seen), ax=axis)
    axis.grid(visible=False)
    axis.tick_params(labelsize=7)
    save(figure, "atlas")

    figure, (axis,) = panels(1)
    twins = {
        "semi-supervised": LSVVClassifier(features=RandomFourier(1000), random_state=0),
        "supervised": LSVVClassifier(features=RandomFourier(1000), smoothing=0, random_state=0),
    }
    LearningCurveDisplay.from_estimator(
        twins, rows, digit[:600], n_labels=[10, 20, 40, 80, 160], score_name="share of right digits", ax=axis
    )
    save(figure, "learning_curve")


if __name__ == "__main__":
    main()
