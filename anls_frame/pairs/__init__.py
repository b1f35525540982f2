"""One prediction and one reference, as strings: scores, alignment, and the table of the edit distance."""
