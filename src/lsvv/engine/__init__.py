"""The one engine: fits along a path of ridges with leave-one-label-out scores, for every loss that has them."""

from lsvv.engine.paths import fits
from lsvv.engine.quadratic import Decomposition, Fit, squared_path
from lsvv.engine.ridges import chosen_ridge, judgeable, spread
from lsvv.engine.smooth import smooth_path

__all__ = ["Decomposition", "Fit", "chosen_ridge", "fits", "judgeable", "smooth_path", "spread", "squared_path"]
