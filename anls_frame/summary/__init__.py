"""Counts and sums of rows that add up: over slices, over parts of the data, over machines."""
