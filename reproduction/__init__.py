"""The paper's experiments, run again: data sets, protocol, records, statistics, verdicts, pages."""
