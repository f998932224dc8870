"""Generated input: each number is a case that can be run again, ``python -m tests.fuzz NUMBER``."""
