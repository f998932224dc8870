"""Choosing hyper-parameters from few labels."""
