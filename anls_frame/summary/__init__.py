"""Counts and sums of rows that can be added up over slices, over parts of the data and over machines."""
