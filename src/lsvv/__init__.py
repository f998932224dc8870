"""Semi-supervised vector-valued learning: few labels, many outputs, one estimator."""

__version__ = "0.1.0"
