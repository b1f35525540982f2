"""Score columns for frames; the result is a frame of the same kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import flag, string, takes_names
from anls_frame._engines import on_engines
from anls_frame._messages import Either, Message, Option
from anls_frame._typing import Missing, ScoreColumn
from anls_frame.frames import conversion, origins
from anls_frame.frames.answer_texts import warn_of_answers
from anls_frame.frames.checks import check_columns, check_dtypes, check_new_names, free_name
from anls_frame.metrics.scores import anls, cer, exact_match, fields_of_score, nls
from anls_frame.protocol import ScoreProtocol, resolve_errors, resolve_protocol, resolve_scoring

__all__ = ["add_scores"]

FrameT = TypeVar("FrameT")

SCORE_COLUMNS: tuple[ScoreColumn, ...] = get_args(ScoreColumn)
_ADVICE = Message(
    *("pass ", Option("overwrite", value=True), " to replace them, "),
    Either(
        "prefix= or suffix= to give the new ones other names, or columns= to add only some of them",
        "or --suffix to give the new ones other names",
    ),
)


@on_engines
@takes_names
def add_scores(
    frame: FrameT,
    prediction: str,
    answers: str,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
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
        A Polars DataFrame or LazyFrame (which stays lazy), a pandas DataFrame, any object with the Arrow
        PyCapsule interface (a pyarrow Table, a DuckDB relation), or a Daft DataFrame (which stays lazy).
    prediction
        Name of the column with the predicted texts.
    answers
        Name of the column with the accepted answer of each row, or a list of them.
    protocol
        How texts are scored, as for `score`: a preset's name or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string, as
        reports do.
    columns
        Fields of `score` to add; all by default.
    prefix, suffix
        Added to the names of the new columns.
    overwrite
        Whether to replace columns with the names of new columns, rather than raise an error.

    Returns
    -------
    Frame
        A frame of the same kind with its rows in the same order and the new columns at the end. These are
        null where the row has no answer and, by default, where the prediction is null. In pandas, the index
        is kept, and dtypes do not depend on the data: `nls`, `anls` and `cer` are `float64` with NaN for
        null, `exact_match` is `boolean` and the counts are `Int64`. Any other object with the Arrow interface
        gives a pyarrow Table.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not hold strings (or, for the answers, lists of strings).
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If an option has an invalid value.
    TypeError
        If the frame is not of an accepted kind.

    See Also
    --------
    anls_frame.score : the same scores as one expression.

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
    │ str        ┆ list[str]             ┆ f64      ┆ bool        ┆ i64          │
    ╞════════════╪═══════════════════════╪══════════╪═════════════╪══════════════╡
    │ CocaCola   ┆ ["Coke", "Coca Cola"] ┆ 0.888889 ┆ false       ┆ 1            │
    │ null       ┆ ["a"]                 ┆ null     ┆ null        ┆ null         │
    └────────────┴───────────────────────┴──────────┴─────────────┴──────────────┘
    """
    given = conversion.at_hand(frame)
    # Selectors take every name literally; `pl.col` reads some as patterns.
    texts = (
        cs.by_name(string("prediction", prediction, "the name of a column")),
        cs.by_name(string("answers", answers, "the name of a column")),
    )
    prefix, suffix = string("prefix", prefix), string("suffix", suffix)
    overwrite = flag("overwrite", overwrite)
    names = {field: f"{prefix}{field}{suffix}" for field in _score_columns(columns)}
    compared = resolve_scoring(protocol) if "anls" in names else resolve_protocol(protocol)
    # Always built, because it checks the options.
    scores = fields_of_score(*texts, protocol=compared, missing=missing)
    # Computing a single score takes less time.
    match list(names):
        case ["nls"]:
            scores = nls(*texts, protocol=compared, missing=missing)
        case ["anls"]:
            scores = anls(*texts, protocol=compared, missing=missing)
        case ["cer"]:
            scores = cer(*texts, protocol=resolve_errors(compared), missing=missing)
        case ["exact_match"]:
            scores = exact_match(*texts, protocol=compared, missing=missing)
    if isinstance(given, pl.DataFrame | pl.LazyFrame):
        added = _add(given, scores, names, (prediction, answers), compared, overwrite=overwrite)
        return cast("FrameT", origins.remember(added, **origins.of_rows(frame)))
    converted = conversion.to_polars(given, (prediction, answers))
    if not overwrite:
        check_new_names(conversion.column_names(given), names.values(), _ADVICE)
    scored = _add(converted, scores, names, (prediction, answers), compared, overwrite=True)
    return cast("FrameT", conversion.with_columns(given, scored.select(cs.by_name(*names.values()))))


def _add(
    frame: pl.DataFrame | pl.LazyFrame,
    scores: pl.Expr,
    names: dict[ScoreColumn, str],
    inputs: tuple[str, str],
    protocol: ScoreProtocol,
    *,
    overwrite: bool,
) -> Any:
    """Add the scores to a Polars frame: the fields of `score`, or one score."""
    schema = frame.collect_schema()
    for name in inputs:
        check_columns(schema, [name], inputs)
    check_dtypes(pl.Schema({name: schema[name] for name in inputs}), scores)
    if not overwrite:
        check_new_names(schema, names.values(), _ADVICE)
    if isinstance(frame, pl.DataFrame):
        warn_of_answers(frame[inputs[1]], protocol)
    if scores.meta.output_name() != "score":
        (name,) = names.values()
        return frame.with_columns(scores.alias(name))
    # The struct is a temporary column, so that the plugin runs once for all fields.
    struct = free_name("__anls_frame_score", schema)
    fields = [pl.col(struct).struct.field(field).alias(name) for field, name in names.items()]
    return frame.with_columns(scores.alias(struct)).with_columns(fields).drop(struct)


def _score_columns(columns: Sequence[ScoreColumn] | None) -> Sequence[ScoreColumn]:
    if columns is None:
        return SCORE_COLUMNS
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a list of names, got {columns!r}; pass it in brackets")
    columns = list(columns)
    unknown = [column for column in columns if column not in SCORE_COLUMNS]
    if unknown:
        raise ValueError(f"unknown score columns {unknown}; choose among {list(SCORE_COLUMNS)}")
    return columns
