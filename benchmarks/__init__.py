"""Comparisons measured in one run: each module has ``main`` and prints ratios."""
