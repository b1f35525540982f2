"""Reports, comparisons and pairing: what a summary's sums say, with intervals and tests."""
