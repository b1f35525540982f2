"""Counts and sums of rows, which add up over slices, parts of the data and machines."""
