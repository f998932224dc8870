"""The experiments of the paper: records of trials, statistics over them, and the published figures."""
