"""M² over a file or a group of rows."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

import polars as pl

from anls_frame._arguments import choice, count, number
from anls_frame._typing import IntoExprColumn
from anls_frame.gec import _choice

Choose: TypeAlias = Literal["greedy", "best_sentence", "annotator", "sum"]


def m2_corpus(
    counts: IntoExprColumn,
    *,
    beta: float = 0.5,
    choose: Choose = "greedy",
    annotator: int | None = None,
) -> pl.Expr:
    """
    Precision, recall and F over all rows, or over each group, from their M² counts.

    Parameters
    ----------
    counts
        Column with the counts of each row, from `m2`. Null rows are left out.
    beta
        Weight of recall relative to precision: 0.5 in the official scorer since CoNLL-2014, 1 before that.
    choose
        The annotator whose counts each row adds. ``"greedy"``: the annotator with the best F over the rows so
        far, as in the official scorer, so the order of rows matters. ``"best_sentence"``: the annotator with
        the best F in that row. ``"annotator"``: the given `annotator`. ``"sum"``: all annotators.
    annotator
        The annotator for ``choose="annotator"``.

    Returns
    -------
    Expr
        A struct, named `gec_m2_corpus`, with `tp`, `fp`, `fn` (`Int64`), `precision` (1 if nothing was
        proposed), `recall` (1 without gold edits), `f` and `beta`. The result is a scalar, for ``select`` and
        ``group_by(..., maintain_order=True).agg``.

    Raises
    ------
    ValueError
        If an option has an invalid value, or `annotator` does not match `choose`.
    TypeError
        If an argument is not a column, or an option has the wrong type; a `DTypeError` if the column does not
        hold counts of `m2`.

    Notes
    -----
    The counts of groups do not add up to those of the file if a different annotator is chosen for a row.
    ``"greedy"`` and ``"best_sentence"`` hold all rows of a group in memory; the other choices are plain sums.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> entry = {"annotator": 0, "tp": 3, "fp": 1, "fn": 2, "proposed": 4, "gold": 5}
    >>> df = pl.DataFrame({"counts": [[entry]]})
    >>> df.select(gec.m2_corpus("counts").struct.unnest()).to_dicts()[0]
    {'tp': 3, 'fp': 1, 'fn': 2, 'precision': 0.75, 'recall': 0.6, 'f': 0.7142857142857143, 'beta': 0.5}
    """
    beta = number("beta", beta, 0, ends=False)
    choice("choose", choose, ("greedy", "best_sentence", "annotator", "sum"))
    if (annotator is not None) != (choose == "annotator"):
        raise ValueError('annotator must be given with choose="annotator", and only then')
    if annotator is not None:
        count("annotator", annotator, least=-(2**31), most=2**31 - 1)
    in_rows = partial(chosen, beta=beta, choose=choose, annotator=annotator)
    return _choice.corpus("m2_corpus", counts, beta, in_rows, _choice.scores)


def chosen(
    counts: pl.Series, *, beta: float = 0.5, choose: Choose = "greedy", annotator: int | None = None
) -> list[_choice.Counts]:
    """Return the counts that each row with annotators adds."""
    if choose in ("annotator", "sum"):
        entry = pl.element()
        if annotator is not None:
            entry = entry.filter(entry.struct.field("annotator") == annotator)
        lists = pl.col("counts").list
        added = [lists.eval(entry.struct.field(name)).list.sum().alias(name) for name in _choice.FIELDS]
        return counts.filter(counts.list.len() > 0).alias("counts").to_frame().select(added).rows()
    key = partial(_key, weight=beta * beta)
    return _choice.chosen(counts, key, by_totals=choose == "greedy")[1]


def _key(totals: _choice.Counts, own: _choice.Counts, *, weight: float) -> tuple[float, ...]:
    # F over all rows so far; ties go to more matched edits, then to fewer edits.
    tp, fp, fn = (total + count for total, count in zip(totals, own, strict=True))
    size = weight * (tp + fn) + (tp + fp)
    f = (1 + weight) * tp / size if size else float(tp == 0)
    return f, tp, -size
