"""ERRANT scores for system edits that match gold edits in span, correction or type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import choice, count, flag, number
from anls_frame._typing import IntoExprColumn, table_of_frame
from anls_frame.frames.conversion import as_kind_of, in_polars
from anls_frame.gec import _choice, _edit_columns

Mode: TypeAlias = Literal["cs", "cse", "ds", "dt"]
Tier: TypeAlias = Literal[1, 2, 3]

_DIGITS = 4


def errant(
    prediction_edits: IntoExprColumn,
    edits: IntoExprColumn,
    prediction_annotators: IntoExprColumn | None = None,
    annotators: IntoExprColumn | None = None,
    *,
    mode: Mode = "cs",
    single: bool = False,
    multi: bool = False,
    filt: Sequence[str] = (),
) -> pl.Expr:
    """
    ERRANT counts of each row: the number of system edits that match edits of the reference.

    Parameters
    ----------
    prediction_edits
        Column with the edits of the system (see `m2`), which `read_m2` reads from ERRANT's own output.
    edits
        Column with the gold edits.
    prediction_annotators
        Column with the list of all annotators of the system's edits, usually a single one.
    annotators
        Column with the list of all annotators of the row, see `m2`.
    mode
        The properties in which two edits must agree to match: ``"cs"`` span and correction, ``"cse"`` span,
        correction and type, ``"ds"`` the span; ``"dt"`` compares single tokens of the span.
    single
        Whether to leave out edits of several tokens.
    multi
        Whether to leave out edits of at most one token.
    filt
        Types to leave out.

    Returns
    -------
    Expr
        `List(Struct)`, named `gec_errant`: one entry for each pair of a system annotator and, within it, a
        reference annotator, with `hypothesis_annotator`, `reference_annotator` (`Int32`), `tp`, `fp`, `fn`
        (`Int64`) and `types`, a list of structs with the counts of each `type`. Null where either list of
        edits is null.

    Raises
    ------
    ValueError
        If the mode is unknown, or only the annotators of the system's edits are given.
    TypeError
        If an argument is not a column, or an option has the wrong type.

    See Also
    --------
    errant_corpus : precision, recall and F of a file.
    by_type : precision, recall and F of each type.

    Notes
    -----
    Bryant, Felice and Briscoe (2017), "Automatic Annotation and Evaluation of Error Types for Grammatical
    Error Correction": the program's comparison of two annotated files. This function does not extract or
    classify edits. Alternative corrections are treated as a single string; edits of type UNK count for
    detection only.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> own = {"start": 1, "end": 2, "type": "R:VERB:SVA", "corrections": ["goes"], "annotator": 0}
    >>> df = pl.DataFrame({"system": [[own]], "edits": [[own | {"corrections": ["went"]}]]})
    >>> counts = pl.element().struct.field("tp", "fp", "fn")
    >>> df.select(gec.errant("system", "edits").list.eval(pl.struct(counts))).item().to_list()
    [{'tp': 0, 'fp': 1, 'fn': 1}]
    >>> df.select(gec.errant("system", "edits", mode="ds").list.eval(pl.struct(counts))).item().to_list()
    [{'tp': 1, 'fp': 0, 'fn': 0}]
    """
    choice("mode", mode, ("cs", "cse", "ds", "dt"))
    if prediction_annotators is not None and annotators is None:
        raise ValueError("annotators= is missing: pass those of the system's edits, then those of gold")
    if isinstance(filt, str) or not all(isinstance(kind, str) for kind in filt):
        raise TypeError("filt must be a list of types")
    return _plugin.call(
        "gec_errant",
        _edit_columns.edit_texts(prediction_edits, "errant"),
        _edit_columns.annotator_texts(prediction_annotators, "errant"),
        _edit_columns.edit_texts(edits, "errant"),
        _edit_columns.annotator_texts(annotators, "errant"),
        mode=mode,
        single=flag("single", single),
        multi=flag("multi", multi),
        filt=list(filt),
    )


def errant_corpus(counts: IntoExprColumn, *, beta: float = 0.5, round4: bool = True) -> pl.Expr:
    """
    Precision, recall and F over all rows, or over each group, from their ERRANT counts.

    Each row adds the counts of the annotators with the best F over the rows so far, so the order of rows
    matters.

    Parameters
    ----------
    counts
        Column with the counts of each row, from `errant`. Null rows are left out.
    beta
        Weight of recall relative to precision.
    round4
        Whether to round precision, recall and F to four digits before comparing them, as the program does.
        Without rounding, different annotators may be chosen.

    Returns
    -------
    Expr
        A struct, named `gec_errant_corpus`, with `tp`, `fp`, `fn` (`Int64`), `precision`, `recall`, `f` and
        `beta`; precision is 1 without false positives, recall 1 without false negatives. The result is a
        scalar, for ``select`` and ``group_by(..., maintain_order=True).agg``.

    Raises
    ------
    ValueError
        If beta is not positive.
    TypeError
        If an argument is not a column, or an option has the wrong type; a `DTypeError` if the column does not
        hold counts of `errant`.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 1, "end": 2, "type": "R:SPELL", "corrections": ["goes"], "annotator": 0}
    >>> df = pl.DataFrame({"system": [[edit]], "edits": [[edit, edit | {"start": 2, "end": 3}]]})
    >>> df.select(gec.errant_corpus(gec.errant("system", "edits")).struct.field("recall", "f"))
    shape: (1, 2)
    ┌────────┬────────┐
    │ recall ┆ f      │
    │ ---    ┆ ---    │
    │ f64    ┆ f64    │
    ╞════════╪════════╡
    │ 0.5    ┆ 0.8333 │
    └────────┴────────┘
    """
    beta = number("beta", beta, 0, ends=False)
    in_rows = partial(chosen, beta=beta, round4=flag("round4", round4))
    return _choice.corpus("errant_corpus", counts, beta, in_rows, partial(_scores, round4=round4))


@table_of_frame
def by_type(
    frame: Any,
    counts: IntoExprColumn,
    *,
    tier: Tier = 2,
    beta: float = 0.5,
    round4: bool = True,
) -> Any:
    """
    Counts and scores of each type of edit, from ERRANT counts.

    Parameters
    ----------
    frame
        Polars, pandas or Arrow frame with the columns that `counts` adds up.
    counts
        Expression or name of a column with the counts of each row, from `errant`. Null rows are left out.
    tier
        1: missing, replaced or unnecessary (`M`, `R`, `U`); 2: the type without that prefix (`NOUN:NUM`);
        3: both (`R:NOUN:NUM`). Types of any other form are not split.
    beta
        Weight of recall relative to precision.
    round4
        Whether to round, as in `errant_corpus`.

    Returns
    -------
    DataFrame
        A row for each type, sorted: `type`, `tp`, `fp`, `fn`, `precision`, `recall`, `f`. A frame
        of the same kind as the given one, in memory.

    Raises
    ------
    ValueError
        If the tier is invalid, or beta is not positive.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    In each row, `errant_corpus` chooses the annotators.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 1, "end": 2, "type": "R:SPELL", "corrections": ["goes"], "annotator": 0}
    >>> other = {"start": 2, "end": 2, "type": "M:DET", "corrections": ["the"], "annotator": 0}
    >>> df = pl.DataFrame({"system": [[edit]], "edits": [[edit, other]]})
    >>> gec.by_type(df, gec.errant("system", "edits"), tier=1)
    shape: (2, 7)
    ┌──────┬─────┬─────┬─────┬───────────┬────────┬─────┐
    │ type ┆ tp  ┆ fp  ┆ fn  ┆ precision ┆ recall ┆ f   │
    │ ---  ┆ --- ┆ --- ┆ --- ┆ ---       ┆ ---    ┆ --- │
    │ str  ┆ i64 ┆ i64 ┆ i64 ┆ f64       ┆ f64    ┆ f64 │
    ╞══════╪═════╪═════╪═════╪═══════════╪════════╪═════╡
    │ M    ┆ 0   ┆ 0   ┆ 1   ┆ 1.0       ┆ 0.0    ┆ 0.0 │
    │ R    ┆ 1   ┆ 0   ┆ 0   ┆ 1.0       ┆ 1.0    ┆ 1.0 │
    └──────┴─────┴─────┴─────┴───────────┴────────┴─────┘
    """
    beta = number("beta", beta, 0, ends=False)
    count("tier", tier, least=1, most=3)
    flag("round4", round4)
    column = _plugin.expression("by_type", counts)
    entries = (
        in_polars(frame, column.meta.root_names()).lazy().select(column.alias("counts")).collect().to_series()
    )
    _choice.check_counts(entries.dtype, "errant")
    entries = entries.filter(entries.list.len() > 0)
    choices, _ = _choice.chosen(entries, partial(_key, beta=beta, round4=round4))
    rows = pl.DataFrame([entries, pl.Series("choice", choices, dtype=pl.UInt32)])
    kind = pl.col("type")
    if tier < 3:  # noqa: PLR2004 - the third tier is the type itself
        part = kind.str.head(1) if tier == 1 else kind.str.slice(2)
        kind = pl.when(kind.str.contains("^[MRU]:")).then(part).otherwise(kind)
    table = (
        rows.lazy()
        .select(pl.col("counts").list.get(pl.col("choice")).struct.field("types"))
        .explode("types", empty_as_null=False, keep_nulls=False)
        .unnest("types")
        .group_by(kind.alias("type"))
        .agg(pl.col("tp", "fp", "fn").sum())
        .sort("type")
        .collect()
    )
    figures = [_scores(row, beta, round4=round4) for row in table.select("tp", "fp", "fn").iter_rows()]
    schema = dict.fromkeys(("precision", "recall", "f"), pl.Float64)
    table = table.hstack(pl.DataFrame(figures, schema=schema, orient="row"))
    return as_kind_of(frame, table)


def chosen(counts: pl.Series, *, beta: float = 0.5, round4: bool = True) -> list[_choice.Counts]:
    """Return the counts tp, fp and fn that each row adds."""
    return _choice.chosen(counts, partial(_key, beta=beta, round4=round4))[1]


def _key(totals: _choice.Counts, own: _choice.Counts, *, beta: float, round4: bool) -> tuple[float, ...]:
    tp, fp, fn = own
    f = _scores((totals[0] + tp, totals[1] + fp, totals[2] + fn), beta, round4=round4)[2]
    return f, tp, -fp, -fn


def _scores(counts: _choice.Counts, beta: float, *, round4: bool) -> tuple[float, float, float]:
    precision, recall, f = _choice.scores(counts, beta)
    if not round4:
        return precision, recall, f
    return round(precision, _DIGITS), round(recall, _DIGITS), round(f, _DIGITS)
