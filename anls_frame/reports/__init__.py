"""Reports, comparisons and pairing: figures from the sums of a summary, with intervals and tests."""
