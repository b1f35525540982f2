"""
Scores of grammatical error correction: M² (MaxMatch), the I-measure, and ERRANT's span counts.

Arguments always come in the order prediction, source, edits, annotators. `read_m2` reads the last three from
an ``.m2`` file; the prediction is a column of corrected sentences, with tokens separated by spaces as in the
file. Row expressions (`m2`, `m2_edits`, `i_measure`, `align3`, `errant`) return counts; `m2_corpus`,
`i_measure_corpus` and `errant_corpus` turn them into the scores of a file or a group of rows. `compare` tests
the differences between systems. `scores`, `by_type` and `compare` accept pandas and Arrow frames as well.

Examples
--------
>>> import polars as pl
>>> from anls_frame import gec
>>> df = pl.DataFrame(
...     {
...         "prediction": ["He goes home ."],
...         "source": ["He go home ."],
...         "edits": [[{"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}]],
...     }
... )
>>> counts = gec.m2("prediction", "source", "edits")
>>> df.select(gec.m2_corpus(counts).struct.field("precision", "recall", "f"))
shape: (1, 3)
┌───────────┬────────┬─────┐
│ precision ┆ recall ┆ f   │
│ ---       ┆ ---    ┆ --- │
│ f64       ┆ f64    ┆ f64 │
╞═══════════╪════════╪═════╡
│ 1.0       ┆ 1.0    ┆ 1.0 │
└───────────┴────────┴─────┘
"""

from __future__ import annotations

from anls_frame._lazy import attach

_HOMES = {
    "_comparison": "compare",
    "_errant": "by_type errant errant_corpus",
    "_i_measure": "align3 i_measure i_measure_corpus improvement weighted_accuracy",
    "_m2": "m2 m2_edits",
    "_m2_corpus": "m2_corpus",
    "_m2_files": "M2FormatError read_m2 read_parallel write_m2",
    "_score_table": "scores",
}
"""The public names of each module: `.ci/stub.py` writes them out for type checkers."""

__getattr__, __all__ = attach(__name__, _HOMES)
