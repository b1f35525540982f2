"""I-measure for rows and files, its formulas, and the underlying alignment."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import choice, count, flag, number
from anls_frame._typing import IntoExprColumn
from anls_frame.gec import _edit_columns
from anls_frame.gec._choice import check_counts

Aspect: TypeAlias = Literal["correction", "detection"]
Optimise: TypeAlias = Literal["wacc", "i", "acc", "p", "r", "f", "tp", "tn", "fp", "fn"]

MAX_CELLS = 1 << 27
GAP_COST = 2
MISMATCH_COST = 3
_MAX_COST = 1000


def i_measure(
    prediction: IntoExprColumn,
    source: IntoExprColumn,
    edits: IntoExprColumn | None = None,
    annotators: IntoExprColumn | None = None,
    *,
    references: IntoExprColumn | None = None,
    w: float = 2.0,
    beta: float = 1.0,
    mix: bool = True,
    optimise: Optimise = "wacc",
    aspect: Aspect = "correction",
    max_references: int = 4096,
    max_cells: int = MAX_CELLS,
    gap_cost: int = GAP_COST,
    mismatch_cost: int = MISMATCH_COST,
) -> pl.Expr:
    """
    I-measure of each row: the improvement of a correction over the unchanged source.

    Source, prediction and reference are aligned word by word; the columns of the alignment are counted,
    and the weighted accuracy of the prediction is compared with that of the source.

    Parameters
    ----------
    prediction
        Column with the corrected sentence; words are separated by whitespace. A string is a column name;
        wrap a constant in `pl.lit`.
    source
        Column with the sentence before correction.
    edits
        Column with the gold edits (see `m2`); the first of several corrections of an edit is used.
    annotators
        Column with the list of all annotators of the row, see `m2`.
    references
        Column with lists of reference sentences, in place of edits.
    w
        Weight of positives relative to negatives.
    beta
        Beta of F, used only with ``optimise="f"``.
    mix
        Whether a reference may combine edits of several annotators, taking each cluster of overlapping edits
        from one annotator. If False, there is one reference per annotator; it equals the source for an
        annotator without edits.
    optimise
        The score that the best reference maximizes: weighted accuracy, I, accuracy, precision, recall, F or a
        count. Ties are broken by I, weighted accuracy and accuracy, then by the other aspect.
    aspect
        Which counts to optimize: those of corrected errors or those of detected errors.
    max_references
        Maximum number of references of a row; more raise an error. Mixing creates up to (annotators + 1) **
        clusters references.
    max_cells
        Maximum number of cells of a row's alignment table; more raise an error. A cell takes 2 bytes.
    gap_cost
        Cost of aligning a word with a gap, from 1 to 1000; see Notes.
    mismatch_cost
        Cost of aligning a word with a different word.

    Returns
    -------
    Expr
        A struct, named `gec_i_measure`: `detection`, `correction`, and `base_detection`, `base_correction`
        for the source in place of the prediction (with a separate alignment), each with `tp`, `tn`, `fp`,
        `fn`, `fpn` (`Int64`); `reference_index` (`Int64`); and, for the aspect, `wacc`, `wacc_base` and
        `i_measure` (from -1 to 1), which are null where source and reference are empty. The struct is null
        where an input is null, or there is no reference.

    Raises
    ------
    ValueError
        If an option has an invalid value.
    TypeError
        If an argument is not a column, an option has the wrong type, or not exactly one of `edits` and
        `references` is given.

    See Also
    --------
    i_measure_corpus : the scores of a file, which differ from the means of row scores.
    align3 : the alignment.

    Notes
    -----
    Felice and Briscoe (2015), "Towards a standard evaluation method for grammatical error detection and
    correction", as computed by the authors' program, which prints all scores times 100. An error during
    ``collect`` names the row.

    Only the ratio of the costs matters. The authors use 2 and 3: a gap costs less than a mismatch, and a
    mismatch less than two gaps, so that gaps are grouped. Scores with other costs are not comparable with
    published scores.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["Those dog was trained to find people ."],
    ...         "source": ["Those dog is trained for find people ."],
    ...         "references": [["That dog was trained for finding people ."]],
    ...     }
    ... )
    >>> scores = gec.i_measure("prediction", "source", references="references")
    >>> df.select(scores.struct.field("wacc", "wacc_base", "i_measure").round(4))
    shape: (1, 3)
    ┌──────┬───────────┬───────────┐
    │ wacc ┆ wacc_base ┆ i_measure │
    │ ---  ┆ ---       ┆ ---       │
    │ f64  ┆ f64       ┆ f64       │
    ╞══════╪═══════════╪═══════════╡
    │ 0.6  ┆ 0.625     ┆ -0.04     │
    └──────┴───────────┴───────────┘
    """
    options = {
        "w": number("w", w, 0, ends=False),
        "beta": number("beta", beta, 0, ends=False),
        "mix": flag("mix", mix),
        "optimise": choice("optimise", optimise, get_args(Optimise)),
        "aspect": choice("aspect", aspect, get_args(Aspect)),
        "max_references": count("max_references", max_references, least=1, most=2**32 - 1),
        **_limits(max_cells, gap_cost, mismatch_cost),
    }
    texts = [_plugin.expression("i_measure", column) for column in (prediction, source)]
    if (edits is None) == (references is None):
        raise TypeError("`i_measure` takes either edits or references=, and exactly one of them")
    if edits is None:
        if annotators is not None:
            raise TypeError("annotators must not be given with references=, only with edits")
        texts.append(_plugin.expression("i_measure", references))
        return _plugin.call("gec_i_measure_references", *texts, **options).alias("gec_i_measure")
    texts.append(_edit_columns.edit_texts(edits, "i_measure"))
    texts.append(_edit_columns.annotator_texts(annotators, "i_measure"))
    return _plugin.call("gec_i_measure", *texts, **options)


def _limits(max_cells: int, gap_cost: int, mismatch_cost: int) -> dict[str, int]:
    return {
        "max_cells": count("max_cells", max_cells, least=1, most=2**40),
        "gap_cost": count("gap_cost", gap_cost, least=1, most=_MAX_COST),
        "mismatch_cost": count("mismatch_cost", mismatch_cost, least=1, most=_MAX_COST),
    }


def i_measure_corpus(
    scores: IntoExprColumn, *, w: float = 2.0, beta: float = 1.0, aspect: Aspect = "correction"
) -> pl.Expr:
    """
    I-measure over all rows, or over each group, from the sums of their counts.

    Parameters
    ----------
    scores
        Column with the counts of each row, from `i_measure`. Null rows are left out.
    w
        Weight of positives relative to negatives. The references were chosen with the `w` given to
        `i_measure`, so pass the same value.
    beta
        Beta of F.
    aspect
        Which counts are scored: those of corrected errors or those of detected errors.

    Returns
    -------
    Expr
        A struct, named `gec_i_measure_corpus`: the sums `tp`, `tn`, `fp`, `fn`, `fpn` (`Int64`) and
        `precision`, `recall`, `f`, `accuracy`, `accuracy_base`, `wacc`, `wacc_base`, `i_measure`; the last
        five are null where there is nothing to count. The result is a scalar.

    Raises
    ------
    ValueError
        If an option has an invalid value.
    TypeError
        If an argument is not a column, or an option has the wrong type; a `DTypeError` if the column does not
        hold counts of `i_measure`.

    Notes
    -----
    The counts are sums of integers, so the order of rows does not matter, and the counts of parts add up.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> df = pl.DataFrame({"prediction": ["a c", "a"], "source": ["a b", "a"], "reference": ["a c", "a"]})
    >>> scores = gec.i_measure("prediction", "source", references=pl.concat_list("reference"))
    >>> df.select(gec.i_measure_corpus(scores).struct.field("wacc_base", "i_measure"))
    shape: (1, 2)
    ┌───────────┬───────────┐
    │ wacc_base ┆ i_measure │
    │ ---       ┆ ---       │
    │ f64       ┆ f64       │
    ╞═══════════╪═══════════╡
    │ 0.666667  ┆ 1.0       │
    └───────────┴───────────┘
    """
    w, beta = number("w", w, 0, ends=False), number("beta", beta, 0, ends=False)
    choice("aspect", aspect, get_args(Aspect))
    column = _plugin.expression("i_measure_corpus", scores)
    # Polars evaluates an expression again each time it is mentioned.
    scored = partial(_scored, aspect=aspect, w=w, beta=beta)
    corpus = column.map_batches(scored, return_dtype=_CORPUS, returns_scalar=True)
    return corpus.alias("gec_i_measure_corpus")


COUNTS = ("tp", "tn", "fp", "fn", "fpn")
_BASE = tuple(f"base_{name}" for name in COUNTS)
_FORMULAS = ("precision", "recall", "f", "accuracy", "accuracy_base", "wacc", "wacc_base", "i_measure")
_CORPUS = pl.Struct({**dict.fromkeys(COUNTS, pl.Int64), **dict.fromkeys(_FORMULAS, pl.Float64)})


def _scored(scores: pl.Series, *, aspect: Aspect, w: float, beta: float) -> dict[str, Any]:
    counts = pl.DataFrame(schema=dict.fromkeys((*COUNTS, *_BASE), pl.Int64))
    if scores.dtype != pl.Null:
        check_counts(scores.dtype, "i_measure")
        own_counts, base_counts = (
            scores.struct.field(name).struct.unnest() for name in (aspect, f"base_{aspect}")
        )
        counts = own_counts.hstack(base_counts.rename(lambda name: f"base_{name}"))
    own, base = [pl.col(name) for name in COUNTS], [pl.col(name) for name in _BASE]
    tp, _, fp, fn, _ = own
    precision, recall = pl.col("precision"), pl.col("recall")
    weight = beta * beta
    divisor = weight * precision + recall
    figures = (
        counts.sum()
        .with_columns(
            precision=pl.when(tp + fp == 0).then(1.0).otherwise(tp / (tp + fp)),
            recall=pl.when(tp + fn == 0).then(1.0).otherwise(tp / (tp + fn)),
            accuracy=weighted_accuracy(*own, w=1.0),
            accuracy_base=weighted_accuracy(*base, w=1.0),
            wacc=weighted_accuracy(*own, w=w),
            wacc_base=weighted_accuracy(*base, w=w),
        )
        .with_columns(
            f=pl.when(divisor == 0).then(0.0).otherwise((1 + weight) * (precision * recall / divisor)),
            i_measure=improvement(pl.col("wacc"), pl.col("wacc_base")),
        )
    )
    return figures.select(*COUNTS, *_FORMULAS).row(0, named=True)


def weighted_accuracy(
    tp: pl.Expr, tn: pl.Expr, fp: pl.Expr, fn: pl.Expr, fpn: pl.Expr, *, w: float = 2.0
) -> pl.Expr:
    """
    Weighted accuracy from the counts of the I-measure.

    (w tp + tn) / (w (tp + fp) + tn + fn - (w + 1) fpn / 2); with w = 1 plain accuracy.

    Parameters
    ----------
    tp
        True positives.
    tn
        True negatives.
    fp
        False positives.
    fn
        False negatives.
    fpn
        Alignment columns that count both as a false positive and as a false negative.
    w
        Weight of positives relative to negatives.

    Returns
    -------
    Expr
        `Float64`, from 0 to 1; null where all counts are 0.

    Raises
    ------
    ValueError
        If the weight is not positive.
    TypeError
        If the weight is not a number.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> df = pl.DataFrame({"tp": [2], "tn": [5], "fp": [0], "fn": [1], "fpn": [0]})
    >>> df.select(gec.weighted_accuracy(*(pl.col(name) for name in df.columns))).item()
    0.9
    """
    right, every = accuracy_parts(tp, tn, fp, fn, fpn, number("w", w, 0, ends=False))
    return pl.when(every != 0).then(right / every)


def accuracy_parts(  # noqa: PLR0917 - the counts in their usual order
    tp: pl.Expr, tn: pl.Expr, fp: pl.Expr, fn: pl.Expr, fpn: pl.Expr, w: float
) -> tuple[pl.Expr, pl.Expr]:
    """Return the dividend and the divisor of the weighted accuracy."""
    return w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * (fpn / 2)


def improvement(wacc: pl.Expr, wacc_base: pl.Expr) -> pl.Expr:
    """
    The I-measure from the weighted accuracies of a system and of the source.

    Parameters
    ----------
    wacc
        Weighted accuracy of the system.
    wacc_base
        Weighted accuracy of the unchanged source.

    Returns
    -------
    Expr
        `Float64`, from -1 to 1: (wacc - wacc_base) / (1 - wacc_base) if the system is better than the source,
        wacc / wacc_base - 1 if it is worse; if both are equal, 1 if both are 1, otherwise 0.

    Raises
    ------
    TypeError
        If an argument is not an expression.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> df = pl.DataFrame({"wacc": [0.9, 0.7], "base": [0.625, 0.75]})
    >>> df.select(gec.improvement(pl.col("wacc"), pl.col("base")).round(4)).to_series().to_list()
    [0.7333, -0.0667]
    """
    for value in (wacc, wacc_base):
        if not isinstance(value, pl.Expr):
            raise TypeError(f"`improvement` takes expressions, got {type(value).__name__}")
    return (
        pl.when(wacc == wacc_base)
        .then(wacc.floor())
        .when(wacc > wacc_base)
        .then((wacc - wacc_base) / (1 - wacc_base))
        .otherwise(wacc / wacc_base - 1)
    )


def align3(
    prediction: IntoExprColumn,
    source: IntoExprColumn,
    reference: IntoExprColumn,
    *,
    max_cells: int = MAX_CELLS,
    gap_cost: int = GAP_COST,
    mismatch_cost: int = MISMATCH_COST,
) -> pl.Expr:
    """
    Alignment of source, prediction and reference in each row, as counted by the I-measure.

    Parameters
    ----------
    prediction
        Column with the corrected sentence.
    source
        Column with the sentence before correction.
    reference
        Column with a reference sentence.
    max_cells
        Maximum number of cells of a row's alignment table; more raise an error. A cell takes 2 bytes.
    gap_cost
        Cost of aligning a word with a gap, from 1 to 1000.
    mismatch_cost
        Cost of aligning a word with a different word.

    Returns
    -------
    Expr
        `List(Struct)`, named `gec_align3`: the words `src`, `hyp`, `ref` of each column, null for a gap,
        and its `label`: `tp`, `tn`, `fp`, `fn`, or `fpn` where all three differ. Null where an input is null.

    Raises
    ------
    ValueError
        If `max_cells` is not positive, or a cost is outside its bounds.
    TypeError
        If an argument is not a column.

    Notes
    -----
    The alignment minimizes the sum of pair costs: a word and a gap cost `gap_cost`, two different words
    `mismatch_cost`; equal words, and two gaps, cost nothing. Only the ratio of the costs matters. Among
    alignments of equal cost, columns with more words are preferred, starting from the end. A column of three
    different words detects the error but does not correct it, so it counts as tp for detection, and as fp, fn
    and fpn for correction.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> df = pl.DataFrame({"prediction": ["a c"], "source": ["a b"], "reference": ["a c d"]})
    >>> df.select(gec.align3("prediction", "source", "reference").explode()).unnest("gec_align3")
    shape: (3, 4)
    ┌──────┬──────┬─────┬───────┐
    │ src  ┆ hyp  ┆ ref ┆ label │
    │ ---  ┆ ---  ┆ --- ┆ ---   │
    │ str  ┆ str  ┆ str ┆ str   │
    ╞══════╪══════╪═════╪═══════╡
    │ a    ┆ a    ┆ a   ┆ tn    │
    │ b    ┆ c    ┆ c   ┆ tp    │
    │ null ┆ null ┆ d   ┆ fn    │
    └──────┴──────┴─────┴───────┘
    """
    return _plugin.call(
        "gec_align3",
        prediction,
        source,
        reference,
        **_limits(max_cells, gap_cost, mismatch_cost),
    )
