"""One prediction beside one reference, as strings: scores, alignment, the table of an edit distance."""
