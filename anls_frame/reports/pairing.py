"""Join two tables of results by the ids of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import takes_names
from anls_frame._text import differing_in_notation, numbered, quoted
from anls_frame._typing import ByFrame, Table_co, declared
from anls_frame.exceptions import DTypeError, warn
from anls_frame.frames import conversion, origins
from anls_frame.frames.joins import joined
from anls_frame.frames.usual_names import suggests
from anls_frame.summary.keys import check_key_dtypes, key_names, optional

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_IDS = 10


class Paired(NamedTuple, Generic[Table_co]):
    """
    Two tables of results side by side.

    Parameters
    ----------
    frame
        The rows that both tables have: the first table's columns, and the predictions of both.
    only_first, only_second
        Ids that only the first table, or only the second table, has.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> a = pl.DataFrame({"id": [1, 2], "prediction": ["x", "y"]})
    >>> af.pair(a, a.head(1), on="id", prediction="prediction").only_first["id"].to_list()
    [2]
    """

    frame: Table_co
    only_first: Table_co
    only_second: Table_co


_on_frames: ByFrame[Paired[pd.DataFrame], Paired[pl.DataFrame]] = declared


@_on_frames
@takes_names
def pair(
    frame_a: Any,
    frame_b: Any,
    *,
    on: str | Sequence[str],
    prediction: str,
    names: tuple[str, str] = ("first", "second"),
    answers: str | Sequence[str] | None = None,
) -> Paired:
    """
    Join two tables of results by the ids of their rows, with the predictions of both side by side.

    Parameters
    ----------
    frame_a, frame_b
        Polars, pandas or Arrow frames with the same id and prediction columns.
    on
        Column or columns that identify a row.
    prediction
        Name of the prediction column in both frames.
    names
        Names of the two systems. The prediction columns of the result are named `{prediction}_{name}`.
    answers
        Column or columns with the accepted answers, which must be the same in both frames; by default,
        columns of both frames that `read_results` finds by a usual name (answers, reference, ground_truth,
        gold, target, label and similar). The order of the answers does not matter. `[]` skips this check.

    Returns
    -------
    Paired
        The wide frame, and the ids found in only one frame; pandas frames if the first frame is a pandas
        frame, otherwise Polars frames.

    Warns
    -----
    InputWarning
        If a column called question or query has different texts for the same ids.

    Raises
    ------
    ValueError
        If an id is null or occurs twice, or if the frames have different accepted answers for some ids. Such
        rows belong to different questions, and predictions of the second frame would be scored against the
        answers of the first.
    DTypeError
        If the ids have different dtypes, such as strings and integers.
    ColumnNotFoundError
        If a column is missing from one of the frames.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> a = pl.DataFrame({"id": [1, 2], "answer": ["x", "y"], "prediction": ["x", "z"]})
    >>> b = pl.DataFrame({"id": [2, 1], "prediction": ["y", "x"]})
    >>> af.pair(a, b, on="id", prediction="prediction", names=("old", "new")).frame
    shape: (2, 4)
    ┌─────┬────────┬────────────────┬────────────────┐
    │ id  ┆ answer ┆ prediction_old ┆ prediction_new │
    │ --- ┆ ---    ┆ ---            ┆ ---            │
    │ i64 ┆ str    ┆ str            ┆ str            │
    ╞═════╪════════╪════════════════╪════════════════╡
    │ 1   ┆ x      ┆ x              ┆ x              │
    │ 2   ┆ y      ┆ z              ┆ y              │
    └─────┴────────┴────────────────┴────────────────┘
    """
    ids = [on] if isinstance(on, str) else list(on)
    if len(names) != 2:  # noqa: PLR2004
        raise ValueError(f"names must have two entries, one for each frame, got {names!r}")
    if not ids or prediction in ids or len(set(ids)) < len(ids):
        raise ValueError(
            f"on must name columns other than {prediction!r}, at least one and each once, got {ids}"
        )
    # Read once: a query may return its rows in another order next time, and a stream returns them only once.
    first = conversion.in_memory(frame_a)
    second = frame_b if isinstance(frame_b, pl.LazyFrame) else conversion.in_memory(frame_b)
    first_columns, second_columns = conversion.column_names(first), conversion.column_names(second)
    if answers is None:
        others = [name for name in first_columns if isinstance(name, str) and name not in {*ids, prediction}]
        checked = [name for name in others if suggests(name, "answers") and name in second_columns]
    else:
        checked = [answers] if isinstance(answers, str) else list(answers)
    question = question_column(first_columns, ids)
    question = question if question in second_columns else None
    columns = [f"{prediction}_{name}" for name in names]
    if columns[0] == columns[1] or any(column in first_columns for column in columns):
        raise ValueError(f"the prediction columns must have new, distinct names, got {columns}; pass names=")
    left, right = (
        _identified(frame, ids, prediction, [*checked, *optional(question)], which)
        for frame, which in ((first, "first"), (second, "second"))
    )
    keys = list(key_names(ids, None))
    for name, key in zip(ids, keys, strict=True):
        if left.schema[key] != right.schema[key]:
            raise DTypeError(
                f"column {name!r} has dtype {left.schema[key]} in the first frame and "
                f"{right.schema[key]} in the second; cast one of them"
            )
    matched = joined(left, right, keys, "inner", suffix="_second")
    _check_answers(matched, checked, ids)
    if question is not None:
        both = (matched[f"checked_{len(checked)}"], matched[f"checked_{len(checked)}_second"])
        if message := differing_questions(
            matched.select(keys), both, ("the first frame", "the second frame")
        ):
            warn(f"{message}. Pass on= the columns that identify a question, such as its text")
    only = [
        joined(rows, other, keys, "anti").select(keys).rename(dict(zip(keys, ids, strict=True)))
        for rows, other in ((left, right), (right, left))
    ]
    if hint := differing_in_notation(", ".join(map(str, row)) for row in pl.concat(only).iter_rows()):
        warn(hint)
    matched_rows = conversion.side_by_side(first, second, prediction, columns, matched)
    # The rows of each frame lack a partner in the other one.
    first_rows, second_rows = (rows.height for rows in only)
    lacking = [[repr(names[1])]] * first_rows + [[repr(names[0])]] * second_rows
    origins.remember(matched_rows, left_out=origins.lacking("row", lacking))
    return Paired(matched_rows, *(conversion.as_kind_of(first, lost_ids) for lost_ids in only))


def _check_answers(matched: pl.DataFrame, columns: Sequence[str], ids: Sequence[str]) -> None:
    """Raise an error if two tables accept different answers to a question."""
    for index, name in enumerate(columns):
        differs = disagreeing(matched[f"checked_{index}"], matched[f"checked_{index}_second"])
        differing = matched.filter(differs).select(key_names(ids, None))
        if differing.height:
            raise ValueError(
                f"the frames accept different answers in column {name!r} for "
                f"{numbered(differing.height, 'id')} ({', '.join(ids)}): {first_of(differing)}. Pair results "
                "of the same questions. If the column does not hold accepted answers, pass answers=[] or the "
                "column that does"
            )


def disagreeing(first: pl.Series, second: pl.Series) -> pl.Series:
    """Return which rows of two columns have different accepted answers, regardless of order."""
    if first.dtype.is_numeric() and second.dtype.is_numeric():
        return first.ne_missing(second)
    for column in (first, second):
        inner = column.dtype.inner if isinstance(column.dtype, pl.List | pl.Array) else column.dtype
        if isinstance(inner, pl.Struct | pl.Binary | pl.Object | pl.List | pl.Array):
            raise DTypeError(f"answers must be strings or lists of strings, got dtype {column.dtype}")
    accepted = [_accepted(column) for column in (first, second)]
    return accepted[0].ne_missing(accepted[1])


def _accepted(column: pl.Series) -> pl.Series:
    """Return the answers as sorted lists of distinct strings, null without answers."""
    values = pl.col("value")
    is_list = isinstance(column.dtype, pl.List | pl.Array)
    lists = values.cast(pl.List(pl.String)) if is_list else pl.concat_list(values.cast(pl.String))
    answers = lists.list.drop_nulls().list.unique().list.sort()
    return column.alias("value").to_frame().select(pl.when(answers.list.len() > 0).then(answers)).to_series()


def question_column(names: Sequence[Any], ids: Sequence[str]) -> str | None:
    """Return the column that holds the questions by its name, unless it identifies them."""
    texts = [name for name in names if isinstance(name, str) and name not in ids]
    return next((name for name in texts if suggests(name, "question")), None)


def differing_questions(
    ids: pl.DataFrame, questions: tuple[pl.Series, pl.Series], names: tuple[str, str]
) -> str | None:
    """
    Return a message if two tables have other questions under the same ids, as ids in another order do.

    What all questions of a table begin or end with, as a prompt does, is no part of a question, and one text
    may contain the other.
    """
    first, second = questions
    if first.dtype != pl.String or second.dtype != pl.String or not first.ne(second).any():
        return None
    a, b = pl.col("a"), pl.col("b")
    cores = pl.DataFrame({"a": _without_prompt(first), "b": _without_prompt(second)})
    is_same = a.str.contains(b, literal=True) | b.str.contains(a, literal=True)
    others = cores.select(~is_same.fill_null(value=True)).to_series().arg_true()
    if not len(others):
        return None
    row = int(others[0])
    return (
        f"{names[0]} and {names[1]} have different questions for {len(others):,} of "
        f"{numbered(ids.height, 'id')}, such as {first_of(ids[[row]])}: {quoted(first[row])} and "
        f"{quoted(second[row])}; if the ids are in another order, rows of different questions are compared"
    )


def _without_prompt(questions: pl.Series) -> pl.Series:
    """Return questions without case, repeated whitespace, and what several begin and end with."""
    texts = questions.alias("texts").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    for _ in range(2 if len(texts.drop_nulls()) > 1 else 0):
        least, most = str(texts.min()), str(texts.max())
        pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False))
        texts = texts.str.slice(len(list(pairs))).str.reverse()
    return texts


def _identified(frame: Any, ids: list[str], prediction: str, checked: list[str], which: str) -> pl.DataFrame:
    """Return ids, predictions, columns to be compared and positions of the rows, under internal names."""
    table = conversion.to_lazy(frame, [], [*ids, prediction, *checked]).collect()
    named = table.select(cs.by_name(ids))
    check_key_dtypes(named.schema.items(), "identify rows")
    check_ids(named, f"the {which} frame")
    return table.select(
        *(cs.by_name(name).alias(key) for name, key in zip(ids, key_names(ids, None), strict=True)),
        cs.by_name(prediction).alias("prediction"),
        *(cs.by_name(name).alias(f"checked_{index}") for index, name in enumerate(checked)),
    ).with_row_index("row")


def check_ids(ids: pl.DataFrame, what: str, advice: str = "") -> None:
    """Raise an error for rows without an id, and for rows with the same."""
    nulls = ids.filter(pl.any_horizontal(pl.all().is_null())).height
    if nulls:
        raise ValueError(f"{what} has {numbered(nulls, 'row')} without an id in {ids.columns}")
    doubled = ids.filter(ids.is_duplicated()).unique(maintain_order=True)
    if doubled.height:
        raise ValueError(f"{what} has duplicate ids: {first_of(doubled)}{advice}")


def first_of(ids: pl.DataFrame) -> str:
    """Return the first few ids, for a message."""
    first = [str(row[0] if len(row) == 1 else row) for row in ids.head(_SHOWN_IDS).iter_rows()]
    more = f" and {ids.height - _SHOWN_IDS:,} more" if ids.height > _SHOWN_IDS else ""
    return ", ".join(first) + more
