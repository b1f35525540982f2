"""Score columns on frames: any frame in, the same kind out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import polars as pl
import polars.selectors as cs
from polars.exceptions import ComputeError

from anls_frame._arguments import string
from anls_frame._typing import ScoreColumn
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError
from anls_frame.frames.printed_lists import warn_of_printed
from anls_frame.metrics.scores import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.protocol import ScoreProtocol

__all__ = ["add_scores"]

FrameT = TypeVar("FrameT")

SCORE_COLUMNS: tuple[ScoreColumn, ...] = get_args(ScoreColumn)

ARROW_ADVICE = "cast it to string, or to a list of strings, if it holds texts"


def add_scores(
    frame: FrameT,
    prediction: str,
    answers: str,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    columns: Sequence[ScoreColumn] | None = None,
    prefix: str = "",
    suffix: str = "",
    overwrite: bool = False,
) -> FrameT:
    """
    Add all scores of a prediction column to a frame, computed in one pass.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (which stays lazy), a pandas DataFrame, or any object with the Arrow
        PyCapsule interface (a pyarrow Table, a DuckDB relation).
    prediction
        Name of the column with the predicted texts.
    answers
        Name of the column with the accepted answer of each row, or a list of them.
    protocol
        Protocol of `nls`, `anls`, `exact_match` and `answer_index`.
    threshold
        The threshold t in [0, 1], in place of the protocol's own.
    cer_protocol
        How texts are prepared for `cer`, `char_errors` and `reference_length`. One of your own is best made
        from "raw", which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``. A bare
        `ScoreProtocol(unicode_form="NFC")` ignores case and squeezes whitespace as well.
    columns
        Which of the fields of `score` to add; all by default.
    prefix, suffix
        Put around the new columns' names.
    overwrite
        Replace columns that have the names of new ones, instead of refusing to.

    Returns
    -------
    Frame
        A frame of the same kind, rows in the same order: the columns of the given one and the new ones,
        which are null where the prediction is null or there is no answer. In pandas `nls`, `anls` and `cer`
        are `float64` with NaN for null, `exact_match` is `boolean`, the counts are `UInt32`, whatever the
        data; the index is kept. An object that is neither Polars nor pandas gives a pyarrow Table.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not hold text (or, for the answers, lists of text).
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If an option is outside its choices.
    TypeError
        If the frame is none of the accepted kinds.

    See Also
    --------
    anls_frame.score : the same as one expression.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["CocaCola", None], "answers": [["Coke", "Coca Cola"], ["a"]]})
    >>> af.add_scores(df, "prediction", "answers", columns=["anls", "exact_match", "answer_index"])
    shape: (2, 5)
    ┌────────────┬───────────────────────┬──────────┬─────────────┬──────────────┐
    │ prediction ┆ answers               ┆ anls     ┆ exact_match ┆ answer_index │
    │ ---        ┆ ---                   ┆ ---      ┆ ---         ┆ ---          │
    │ str        ┆ list[str]             ┆ f64      ┆ bool        ┆ u32          │
    ╞════════════╪═══════════════════════╪══════════╪═════════════╪══════════════╡
    │ CocaCola   ┆ ["Coke", "Coca Cola"] ┆ 0.888889 ┆ false       ┆ 1            │
    │ null       ┆ ["a"]                 ┆ null     ┆ null        ┆ null         │
    └────────────┴───────────────────────┴──────────┴─────────────┴──────────────┘
    """
    # By selectors, because a name is a name here: `pl.col` takes some for patterns.
    expression = score(
        cs.by_name(string("prediction", prediction, "the name of a column")),
        cs.by_name(string("answers", answers, "the name of a column")),
        protocol=protocol,
        threshold=threshold,
        cer_protocol=cer_protocol,
    )
    prefix, suffix = string("prefix", prefix), string("suffix", suffix)
    names = {field: f"{prefix}{field}{suffix}" for field in _score_columns(columns)}
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return _add_to_polars(frame, expression, names, (prediction, answers), overwrite=overwrite)
    if sys.modules.get("pandas") is not None:
        import pandas as pd  # noqa: PLC0415 - loaded already, but not by everyone

        from anls_frame.frames import from_pandas  # noqa: PLC0415

        if isinstance(frame, pd.DataFrame):
            texts = from_pandas.to_polars(frame, prediction, answers)
            check_new_names(frame.columns, names.values(), overwrite=overwrite)
            scores = _scores_alone(texts, expression, names)
            warn_of_printed(texts[answers])
            return cast("FrameT", frame.assign(**from_pandas.from_polars(scores)))
    if hasattr(frame, "__arrow_c_stream__"):
        table = _add_to_arrow(frame, expression, names, (prediction, answers), overwrite=overwrite)
        return cast("FrameT", table)
    raise TypeError(
        "frame must be a Polars DataFrame or LazyFrame, a pandas DataFrame or an object with the Arrow "
        f"PyCapsule interface, got {type(frame).__name__}"
    )


def check_column(available: Iterable[Any], name: str) -> None:
    """Raise an error with the nearest name unless the column is there, once."""
    available = list(available)
    if available.count(name) == 1:
        return
    if name in available:
        raise ColumnNotFoundError(
            f"column {name!r} is there {available.count(name)} times; rename the others"
        )
    from rapidfuzz import process  # noqa: PLC0415 - only for the message

    nearest = process.extractOne(name, [str(column) for column in available], score_cutoff=60)
    hint = f"; did you mean {available[nearest[2]]!r}?" if nearest else ""
    if nearest and not isinstance(available[nearest[2]], str):
        hint += " Columns are found by strings: rename them, in pandas with `.rename(columns=str)`"
    raise ColumnNotFoundError(f"no column {name!r} among {available}{hint}")


def check_new_names(available: Iterable[Any], new: Iterable[str], *, overwrite: bool) -> None:
    """Raise an error that names the columns which are there already, and the ways out."""
    existing = set(available)
    taken = [name for name in new if name in existing]
    if taken and not overwrite:
        raise DuplicateColumnError(
            f"the frame already has the columns {taken}; pass overwrite=True to replace them, prefix= or "
            "suffix= to name the new ones otherwise, or columns= to add only some of them"
        )


def check_dtypes(schema: pl.Schema, expression: pl.Expr) -> None:
    """Raise a DTypeError where the expression does not fit the columns' dtypes."""
    # The plugin knows the rule and answers from the schema alone: an empty frame asks it.
    try:
        pl.LazyFrame(schema=schema).select(expression).collect_schema()
    except ComputeError as error:
        message = str(error).partition("the plugin failed with message: ")[2] or str(error)
        raise DTypeError(message.partition("\n\n")[0]) from None


def _add_to_polars(
    frame: FrameT,
    expression: pl.Expr,
    names: dict[ScoreColumn, str],
    inputs: tuple[str, str],
    *,
    overwrite: bool,
) -> FrameT:
    assert isinstance(frame, pl.DataFrame | pl.LazyFrame)  # noqa: S101 - for the type checker
    schema = frame.collect_schema()
    for name in inputs:
        check_column(schema, name)
    check_dtypes(pl.Schema({name: schema[name] for name in inputs}), expression)
    check_new_names(schema, names.values(), overwrite=overwrite)
    if isinstance(frame, pl.DataFrame):
        warn_of_printed(frame[inputs[1]])
    # The struct is a column for a moment, so that the plugin runs once for all of its fields.
    struct = "__anls_frame_score"
    while struct in schema:
        struct += "_"
    fields = [pl.col(struct).struct.field(field).alias(name) for field, name in names.items()]
    scored = frame.with_columns(expression.alias(struct)).with_columns(fields).drop(struct)
    return cast("FrameT", scored)


def _scores_alone(texts: pl.DataFrame, expression: pl.Expr, names: dict[ScoreColumn, str]) -> pl.DataFrame:
    check_dtypes(texts.schema, expression)
    scores = texts.select(expression).unnest("score")
    return scores.select(pl.col(field).alias(name) for field, name in names.items())


def _add_to_arrow(
    frame: Any,
    expression: pl.Expr,
    names: dict[ScoreColumn, str],
    inputs: tuple[str, str],
    *,
    overwrite: bool,
) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    from anls_frame.frames import from_arrow  # noqa: PLC0415

    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except pa.ArrowInvalid as error:
        raise TypeError(f"frame holds no table, but is a {type(frame).__name__}: {error}") from None
    for name in inputs:
        check_column(table.column_names, name)
    check_new_names(table.column_names, names.values(), overwrite=overwrite)
    texts = pl.DataFrame(
        {name: from_arrow.to_series(name, table[name], advice=ARROW_ADVICE) for name in inputs}
    )
    warn_of_printed(texts[inputs[1]])
    for column in _scores_alone(texts, expression, names):
        index = table.column_names.index(column.name) if column.name in table.column_names else None
        if index is None:
            table = table.append_column(column.name, column.to_arrow())
        else:
            table = table.set_column(index, column.name, column.to_arrow())
    return table


def _score_columns(columns: Sequence[ScoreColumn] | None) -> Sequence[ScoreColumn]:
    if columns is None:
        return SCORE_COLUMNS
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, got one string; pass [{columns!r}]")
    if not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a list of names, got {type(columns).__name__}")
    columns = list(columns)
    unknown = [column for column in columns if column not in SCORE_COLUMNS]
    if unknown:
        raise ValueError(f"unknown score columns {unknown}; choose among {list(SCORE_COLUMNS)}")
    return columns
