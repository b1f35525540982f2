"""Verdicts saved by a page of rows, and the rows that they judge."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, takes_names, type_name
from anls_frame._messages import Message, Option
from anls_frame._text import listed, numbered, quoted
from anls_frame._typing import Missing, table_of_frame
from anls_frame.export.packed import plain_value
from anls_frame.export.page_verdicts import REPEATS, SCORE, VERDICTS, digest, repeating, verdict_frame
from anls_frame.export.values import plain_frame
from anls_frame.files import raw_tables
from anls_frame.files.file import File, without_halves
from anls_frame.files.problems import Problems
from anls_frame.frames.checks import check_columns, check_new_names
from anls_frame.frames.conversion import (
    at_hand,
    attach,
    column_names,
    in_memory,
    in_polars,
    to_lazy,
    with_columns_like,
)
from anls_frame.frames.reserved_columns import AUDIT, AUDIT_PROBABILITY
from anls_frame.frames.strict_json import Number
from anls_frame.metrics.scores import anls, cer, score
from anls_frame.protocol import ScoreProtocol, resolve_errors
from anls_frame.summary.keys import optional
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import MOST_ROWS, Unanswerable, unanswerable_in
from anls_frame.summary.systems import systems_of

if TYPE_CHECKING:
    from anls_frame.analysis.browsing import RowsPage


_ROW, _TEXTS = "__anls_frame_row", "__anls_frame_texts"
_NAMED = 5
"""Verdicts or rows that a message names."""

_LOST = (
    "no row has their id and their texts: the row was left out, its texts have changed since the verdict, or "
    "the page had other systems, or the same in another order"
)
_DOUBLED = "several verdicts refer to the same row; keep one of them"
_GIVE_IDS = Message("rows are found again by ids, if the page is made with ", Option("id"))
_AMBIGUOUS = Message(
    "several rows have their id and their texts; make the page with an ",
    Option("id"),
    " that differs in each row, or with a column 'epoch' or 'system' that tells them apart",
)


class _Row(NamedTuple):
    """A verdict or a row of the frame, by the properties that both have."""

    number: int
    id: str | None
    repeat: tuple[str | None, ...]
    """Its system and its epoch, null where it has none."""
    digest: str


@table_of_frame
@takes_names
def judged(
    frame: Any,
    verdicts: Any,
    prediction: str | Mapping[str, str],
    answers: str,
    *,
    id: str | None = None,  # noqa: A002 - as in `anls_frame.browse`
) -> Any:
    """
    Return the rows with a verdict, each with its verdict.

    Parameters
    ----------
    frame
        The rows of the page, in any order and possibly with more rows: a Polars DataFrame or LazyFrame (read
        on the streaming engine), a pandas DataFrame, or any object with the Arrow PyCapsule interface.
    verdicts
        The verdicts, from `anls_frame.readers.read_verdicts` or `RowsWidget.verdicts`.
    prediction, answers
        Name of the column with the predicted texts, or a mapping from the names of systems to their columns,
        and of the column with the accepted answer or answers, with the same texts as on the page.
    id
        Column that identifies rows, as passed to `anls_frame.browse` as `id=`. Rows with the same id are
        distinguished by the columns `system` and `epoch`, if frame and verdicts have them, and by their
        texts.

    Returns
    -------
    Frame
        A frame of the same kind, in memory; pandas keeps the index. It has one row for each verdict, in the
        order of the frame, with an additional last column `verdict` (`Enum`; in pandas a categorical).

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If the frame has a column `verdict`.
    ValueError
        If verdicts have ids and `id` is not given, or if a verdict does not match exactly one row because the
        texts have changed since, two verdicts refer to one row, or several rows have the same id and the same
        texts. A verdict without an id matches the row with its number, if this row has its texts and no other
        row has the same texts. The message names the verdicts.
    TypeError
        If the frame is not one of the accepted kinds.

    See Also
    --------
    anls_frame.browse : the page for giving verdicts.
    anls_frame.readers.read_verdicts : reads the verdicts saved by the page.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [8, 7], "prediction": ["c0w", "4"], "answer": ["cow", "four"]})
    >>> verdicts = pl.DataFrame(
    ...     {"id": [7], "row": [0], "verdict": ["answer_incomplete"], "digest": ["b5fff5139edef2af"]}
    ... )
    >>> af.readers.judged(df, verdicts, "prediction", "answer", id="id").row(0)
    (7, '4', 'four', 'answer_incomplete')
    """
    frame = at_hand(frame)
    names = column_names(frame)
    check_new_names(names, ["verdict"])
    verdicts = in_polars(verdicts).lazy().collect()
    check_columns(verdicts.columns, ("id", "row", "verdict", "digest"))
    if verdicts.is_empty():
        raise ValueError("there are no verdicts")
    if id is None and verdicts["id"].null_count() < verdicts.height:
        what = " with the column that identified the page's rows"
        raise ValueError(Message("the verdicts have ids: pass ", Option("id"), what))
    systems = systems_of(prediction)
    texts = [*systems.values(), answers]
    keys = [*optional(id), *(name for name in REPEATS if name in names)]
    rows = to_lazy(frame, texts, keys, answers=answers).with_row_index(_ROW)
    rows = rows.select(_ROW, *dict.fromkeys([*texts, *optional(id), *repeating(rows.collect_schema())]))
    given = _rows(verdicts, "row", "id", verdicts["digest"])
    # A page of fields, or with unanswerable="empty", has the empty text in rows without an answer.
    filled = with_unanswerable(rows, systems.values(), answers, "empty")
    wanted = (
        _with_ids(rows, id, {row.id for row in given}) if id else _with_texts(filled, texts, verdicts["row"])
    )
    tables = (table.filter(pl.col(_ROW).is_in(wanted.implode())).sort(_ROW) for table in (rows, filled))
    candidates, shown = pl.collect_all(tables, engine="streaming")
    saved = {row.digest for row in given}
    both = zip(_digests(candidates, texts), _digests(shown, texts), strict=True)
    known = _rows(candidates, _ROW, id, [own if own in saved else other for own, other in both])
    values = verdicts["verdict"].to_list()
    matches = sorted(zip(_matched(given, values, known), values, strict=True))
    found = pl.DataFrame(matches, {_ROW: pl.UInt32, "verdict": pl.Enum(VERDICTS)}, orient="row")
    return attach(frame, found[_ROW], found.select("verdict"))


def _with_ids(rows: pl.LazyFrame, id_column: str, ids: set[str | None]) -> pl.Series:
    """Return the numbers of the rows that have one of the ids."""
    known = rows.select(_ROW, id_column).collect(engine="streaming")
    return known.filter(pl.Series(row_id in ids for row_id in _ids(known, id_column)))[_ROW]


def _with_texts(rows: pl.LazyFrame, texts: Sequence[str], numbers: pl.Series) -> pl.Series:
    """Return the numbers of the rows that have the texts of one of these rows."""
    hashes = rows.select(_ROW, pl.struct(texts).hash().alias(_TEXTS)).collect(engine="streaming")
    wanted = hashes.filter(pl.col(_ROW).is_in(numbers.implode()))[_TEXTS]
    return hashes.filter(pl.col(_TEXTS).is_in(wanted.implode()))[_ROW]


def _rows(table: pl.DataFrame, number: str, id_column: str | None, digests: Iterable[str]) -> list[_Row]:
    ids = [None] * table.height if id_column is None else _ids(table, id_column)
    repeats = [
        _ids(table, name) if name in table.columns and name != id_column else [None] * table.height
        for name in REPEATS
    ]
    return list(map(_Row, table[number], ids, zip(*repeats, strict=True), digests))


def _ids(table: pl.DataFrame, name: str) -> list[str | None]:
    """Return ids as texts, in which 7, 7.0 and "7" are equal, because scripts have one type of number."""
    return [
        None if key is None else str(int(key) if isinstance(key, float) and key.is_integer() else key)
        for key in map(plain_value, plain_frame(table.select(cs.by_name(name)), "rows").to_series())
    ]


def _digests(rows: pl.DataFrame, texts: Sequence[str]) -> list[str]:
    *predictions, answers = (rows[name] for name in texts)
    columns = [column.cast(pl.String) for column in predictions]
    accepted = answers if isinstance(answers.dtype, pl.List | pl.Array) else answers.cast(pl.String)
    return [
        digest(row, [answer] if isinstance(answer, str) else None if answer is None else list(answer))
        for answer, *row in zip(accepted, *columns, strict=True)
    ]


def _matched(given: Sequence[_Row], verdicts: Sequence[str], rows: Sequence[_Row]) -> list[int]:
    """Return the row number of each verdict; raise an error that names verdicts without a row."""
    rows_of_id = Counter(row.id for row in rows)
    alike: dict[tuple[str | None, str], list[_Row]] = defaultdict(list)
    for row in rows:
        alike[row.id, row.digest].append(row)
    groups: dict[_Row, list[int]] = defaultdict(list)
    for index, verdict in enumerate(given):
        groups[verdict._replace(number=0)].append(index)
    row_of: dict[int, int] = {}
    taken: set[int] = set()
    problems: dict[str, list[_Row]] = defaultdict(list)
    for kind, places in groups.items():
        is_alone = rows_of_id[kind.id] == 1
        same = [row for row in alike[kind.id, kind.digest] if is_alone or _may_be(kind, row)]
        numbers = [row.number for row in same]
        own = [given[index].number for index in places]
        if sorted(own) == numbers:
            numbers = own
        reason = _reason_against(kind, own, numbers, {verdicts[index] for index in places})
        if reason is None and not taken.isdisjoint(numbers):
            reason = _DOUBLED
        if reason is not None:
            problems[reason] += [given[index] for index in places]
            continue
        taken.update(numbers)
        row_of |= zip(places, numbers, strict=True)
    if problems:
        reasons = [Message(f"{_named(rejected, len(given))}: ", why) for why, rejected in problems.items()]
        raise ValueError(Message.joined("; ", reasons))
    return [row_of[index] for index in range(len(given))]


def _may_be(kind: _Row, row: _Row) -> bool:
    """Return whether a row matches the system and the epoch of a verdict, as far as both have them."""
    pairs = zip(kind.repeat, row.repeat, strict=True)
    return all(value is None or other is None or value == other for value, other in pairs)


def _reason_against(
    kind: _Row, own: Sequence[int], numbers: Sequence[int], verdicts: Collection[str]
) -> str | None:
    """Return why verdicts with an id and texts do not match the rows with the same id and texts."""
    if not numbers:
        return _LOST if kind.id is not None else Message(_LOST, ", or rows have moved: ", _GIVE_IDS)
    if len(numbers) < len(own):
        return _DOUBLED
    if own == numbers:
        return None
    if kind.id is None:
        return Message("other rows have the same texts, or rows have moved: ", _GIVE_IDS)
    # The assignment does not matter if all verdicts are equal.
    return _AMBIGUOUS if len(numbers) > len(own) or len(verdicts) > 1 else None


def _named(verdicts: Sequence[_Row], total: int) -> str:
    """Return the first of the verdicts by their ids, or the numbers of their rows."""
    names = [f"row {row.number}" if row.id is None else f"id {quoted(row.id)}" for row in verdicts]
    return f"{numbered(len(verdicts), 'verdict')} of {total:,} ({listed(names, _NAMED)})"


def read_verdicts(path: str | os.PathLike[str], page: RowsPage | None = None) -> pl.DataFrame:
    """
    Read the verdicts given on a page of rows, from the file saved by the page.

    Parameters
    ----------
    path
        The file, in JSON Lines.
    page
        The page, as returned by `anls_frame.browse`, to check that the texts of judged rows have not changed
        since.

    Returns
    -------
    DataFrame
        A row for each verdict, with the columns

        - `id`: the value of the column passed to `browse` as `id=`, as `Int64` if all values are integers and
          otherwise as `String`; null without such a column;
        - `row` (`Int64`): the number of the row in the frame, from 0;
        - `verdict` (`Enum`): `our_error`, `answer_wrong`, `answer_incomplete`, `ambiguous_question`, `format`
          or `score_right`; on a page whose score is a column, `right` or `wrong`;
        - `digest` (`String`): the digest of the row's predictions and answers;
        - `system` and `epoch` (`String`): the values of the columns with these names, which distinguish rows
          with the same id; null without such a column;
        - `score` (`String`): the name of the score that was judged, the first of the page; null in files
          without it.

    Raises
    ------
    InputError
        If a line is not a verdict, a row has two verdicts, or its texts have changed; the error lists all
        such lines.
    OSError
        If the file cannot be opened.

    See Also
    --------
    anls_frame.browse : the page for giving verdicts.
    anls_frame.readers.judged : the rows of a frame with a verdict.
    anls_frame.audited_scores : the score that judged rows should have had.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [7, 8], "prediction": ["4", "c0w"], "answer": ["four", "cow"]})
    >>> line = '{"id": 7, "row": 0, "verdict": "answer_incomplete", "digest": "b5fff5139edef2af"}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "verdicts.jsonl")
    ...     _ = path.write_text(line)
    ...     verdicts = af.readers.read_verdicts(path)
    >>> af.readers.judged(df, verdicts, "prediction", "answer", id="id").select("id", "verdict").row(0)
    (7, 'answer_incomplete')
    """
    if page is not None:
        from anls_frame.analysis.browsing import RowsPage  # noqa: PLC0415 - only for those who have one

        if not isinstance(page, RowsPage):
            raise TypeError(
                f"page must be a page of rows, as anls_frame.browse returns, got {type_name(page)}"
            )
    file = File.of(path)
    text = without_halves(file, file.decoded(file.read_bytes(may_be_empty=True)))
    problems = Problems(file)
    by_line: dict[str, dict[str, Any]] = {}
    seen: dict[int, str] = {}
    for place, written in raw_tables.read_lines(text, problems):
        verdict: dict[str, Any] = {name: written.get(name) for name in _FIELDS}
        wrong = [name for name, (is_right, _) in _FIELDS.items() if not is_right(verdict[name])]
        if wrong:
            must_be = f"{wrong[0]} must be {_FIELDS[wrong[0]][1]}"
            problems.add(f"{must_be}, got {quoted(verdict[wrong[0]])}", place)
            continue
        verdict["row"] = int(str(verdict["row"]))
        first = seen.setdefault(verdict["row"], place)
        if first != place:
            problems.add(f"row {verdict['row']} has a verdict in {first}", place)
        by_line[place] = verdict
    rows = [verdict["row"] for verdict in by_line.values()]
    known = [verdict["digest"] for verdict in by_line.values()] if page is None else page.digests(rows)
    for (place, verdict), current in zip(by_line.items(), known, strict=True):
        if verdict["digest"] != current:
            problems.add(f"the texts of row {verdict['row']} have changed since the verdict", place)
    problems.raise_any()
    return verdict_frame(list(by_line.values()))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number)


def _is_row(value: Any) -> bool:
    is_number = isinstance(value, Number) and value.isdigit() and len(value) <= len(str(MOST_ROWS))
    return is_number and int(value) < MOST_ROWS


def _is_key(value: Any) -> bool:
    """Whether a value is null, a text or a finite number."""
    return value is None or _is_text(value) or (isinstance(value, Number) and math.isfinite(float(value)))


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "id": (_is_key, "a string or a finite number"),
    "row": (_is_row, "the number of a row"),
    "verdict": (lambda value: _is_text(value) and value in VERDICTS, f"one of {', '.join(VERDICTS)}"),
    "digest": (_is_text, "a string"),
    **dict.fromkeys(REPEATS, (_is_key, "a string or a finite number")),
    SCORE: (lambda value: value is None or _is_text(value), "a string"),
}
"""What the fields of a verdict must be."""


Counted = Literal["given", "full"]


@table_of_frame
@takes_names
def audited_scores(
    frame: Any,
    verdicts: Any,
    score: str | Mapping[str, str],
    *,
    prediction: str | Mapping[str, str] = "prediction",
    answers: str = "answers",
    id: str | None = None,  # noqa: A002 - as in `anls_frame.browse`
    repaired: str | None = None,
    format: Counted = "given",  # noqa: A002 - the name of the verdict
    ambiguous: Counted = "given",
    lower_is_better: bool = False,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
) -> Any:
    """
    Return the score that each judged row should have had, according to its verdict.

    Parameters
    ----------
    frame
        All rows, as `audit_sample` returns them: a Polars DataFrame or LazyFrame (which is collected), a
        pandas DataFrame, or any object with the Arrow PyCapsule interface.
    verdicts
        The verdicts, from `anls_frame.readers.read_verdicts` or `RowsWidget.verdicts`.
    score
        Column with the given scores, from 0 to 1, or with error rates, which may exceed 1; for several
        systems, a mapping from their names to these columns.
    prediction, answers, id
        The columns passed to `browse` for the page, by which `anls_frame.readers.judged` finds the rows.
        `prediction` must name the same systems as `score`.
    repaired
        Column with the right answer or answers of rows whose accepted answers are wrong or incomplete; null
        elsewhere. These rows are scored against the repaired answers.
    format, ambiguous
        The score of rows with the verdicts `format` and `ambiguous_question`: `"given"` keeps their given
        score, `"full"` means the best score. These rows are never left out, because that would change the
        population whose score is estimated.
    lower_is_better
        Whether scores are error rates, where 0 is best; by default, 1 is the best score.
    protocol, missing
        How texts are scored against `repaired`, as for `add_scores`: by ANLS or, if lower is better, CER.

    Returns
    -------
    Frame
        All rows, in memory, as the same kind of frame with a new column `audited_score` (`Float64`), null for
        rows without a verdict; for several systems, `audited_score_NAME` for each. The verdicts `right` and
        `wrong` are the best score and the worst, 1 and 0 (of error rates 0 and 1), whatever was given. The
        verdicts `score_right` and `our_error` keep the given score, also if it is null. Without a repaired
        answer, the verdict `answer_wrong` reverses the score: it becomes 1 if it was less, because the model
        may well have been right, and 0 if it was 1; `answer_incomplete` gives 1. Without a repaired answer,
        both verdicts set an error rate to 0. With several systems, repair the answers, because only one of
        two texts that score less than 1 may be right.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If a drawn row has no verdict, an undrawn row has one, a verdict does not match exactly one row, a row
        with the best score has the verdict `our_error`, or an option has an invalid value.

    See Also
    --------
    anls_frame.audit_sample : the rows to be judged.
    anls_frame.corrected : the corrected score.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [7, 8], "prediction": ["4", "c0w"], "answers": ["four", "cow"]})
    >>> df = df.with_columns(anls=pl.Series([0.0, 2 / 3]))
    >>> verdicts = pl.DataFrame(
    ...     {"id": [7], "row": [0], "verdict": ["answer_incomplete"], "digest": ["b5fff5139edef2af"]}
    ... )
    >>> af.audited_scores(df, verdicts, "anls", id="id")["audited_score"].to_list()
    [1.0, None]
    """
    choice("format", format, ("given", "full"))
    choice("ambiguous", ambiguous, ("given", "full"))
    scores = score if isinstance(score, Mapping) else {"": score}
    systems = prediction if isinstance(prediction, Mapping) else {"": prediction}
    if list(scores) != list(systems):
        raise ValueError(f"score and prediction must name the same systems, got {[*scores]} and {[*systems]}")
    new = {name: f"audited_score_{name}" if name else "audited_score" for name in scores}
    given = at_hand(frame)
    frame, names = in_memory(given), column_names(given)
    check_new_names(names, new.values())
    texts = [*systems.values(), answers, *optional(repaired)]
    is_drawn = {AUDIT, AUDIT_PROBABILITY} <= {*names}
    others = [*scores.values(), *optional(id), *(name for name in REPEATS if name in names)]
    others += [AUDIT] if is_drawn else []
    rows = to_lazy(frame, texts, others).with_row_index(_ROW).collect()
    judged_rows = judged(rows, verdicts, prediction, answers, id=id)
    if is_drawn:
        _check_complete(rows, judged_rows, id)
    _check_errors(judged_rows, scores, id, lower_is_better=lower_is_better)
    full = [
        name for name, counted in (("format", format), ("ambiguous_question", ambiguous)) if counted == "full"
    ]
    how: dict[str, Any] = {"protocol": protocol, "missing": missing, "lower_is_better": lower_is_better}
    truths = [
        _truth(scores[name], text, repaired, full, **how).alias(new[name]) for name, text in systems.items()
    ]
    added = rows.select(_ROW).join(
        judged_rows.select(_ROW, *truths), on=_ROW, how="left", maintain_order="left"
    )
    return with_columns_like(given, frame, added.drop(_ROW))


def _truth(
    score: str, text: str, repaired: str | None, full: list[str], *, lower_is_better: bool, **how: Any
) -> pl.Expr:
    """Return the score that a judged row should have had."""
    given, verdict = cs.by_name(score).cast(pl.Float64), pl.col("verdict").cast(pl.String)
    metric, best = (cer, 0.0) if lower_is_better else (anls, 1.0)
    # Of a page that equals a wrong reference, nobody knows how much is wrong.
    turned = pl.lit(best) if lower_is_better else pl.when(given < 1).then(1.0).when(given >= 1).then(0.0)
    known = pl.lit(None, pl.Float64)
    if repaired is not None:
        how["protocol"] = resolve_errors(how["protocol"]) if lower_is_better else how["protocol"]
        known = metric(cs.by_name(text), cs.by_name(repaired), **how)
    return (
        pl.when(verdict == "answer_wrong")
        .then(pl.coalesce(known, turned))
        .when(verdict == "answer_incomplete")
        .then(pl.coalesce(known, pl.lit(best)))
        .when(verdict.is_in([*full, "right"]))
        .then(best)
        .when(verdict == "wrong")
        .then(1 - best)
        .otherwise(given)
    )


def _check_errors(
    judged_rows: pl.DataFrame, scores: Mapping[str, str], id_column: str | None, *, lower_is_better: bool
) -> None:
    """Raise an error for verdicts of an error on rows without one, which would confirm their score."""
    given = (cs.by_name(score).cast(pl.Float64) for score in scores.values())
    are_best = pl.all_horizontal((one <= 0 if lower_is_better else one >= 1) for one in given)
    ids = judged_rows.filter((pl.col("verdict").cast(pl.String) == "our_error") & are_best)
    if ids.height:
        named = listed(map(quoted, ids[id_column or _ROW].to_list()), _NAMED)
        raise ValueError(
            f"{numbered(ids.height, 'row')} ({id_column or 'row'} {named}) with the verdict 'our_error' and "
            f"the best score in {' and '.join(map(repr, scores.values()))}: nothing was lost there, and the "
            "verdict would confirm the score. To judge a given score, such as that of an LLM judge, "
            "make the page with this column as metrics=, where verdicts are 'right' and 'wrong'"
        )


def _check_complete(rows: pl.DataFrame, judged_rows: pl.DataFrame, id_column: str | None) -> None:
    """Raise an error unless the drawn rows have a verdict, and no others."""
    has_verdict = rows[_ROW].is_in(judged_rows[_ROW].implode())
    is_drawn = rows[AUDIT].fill_null(value=False)
    skipped = "drawn, but without a verdict; judge all drawn rows, because skipped rows are rarely typical"
    undrawn = "with a verdict, but not drawn; leave such verdicts out"
    for wrong, what in ((is_drawn & ~has_verdict, skipped), (~is_drawn & has_verdict, undrawn)):
        ids = rows.filter(wrong)[id_column or _ROW].to_list()
        if ids:
            named = f"{id_column or 'row'} {listed(map(quoted, ids), _NAMED)}"
            raise ValueError(f"{numbered(len(ids), 'row')} ({named}) {what}")


NOT_THE_MODELS = ("answer_wrong", "answer_incomplete", "ambiguous_question")
"""The verdicts that say that a row's loss is not the model's error."""


class LostPoints(NamedTuple):
    """
    Losses of judged rows: a row loses 1 minus its ANLS or, in CER, its character errors.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["c0w", "4"], "answers": [["cow"], ["four"]]})
    >>> rows = df.tail(1).with_columns(verdict=pl.lit("answer_incomplete"))
    >>> af.readers.lost_points(rows, df, "prediction", "answers").by_system["score_without"].round(
    ...     3
    ... ).to_list()
    [0.667]
    """

    by_verdict: pl.DataFrame
    """
    For each `system` and `verdict`: `rows`, `lost_points`, and their share of all (`share_of_lost`). Rows
    without a score are among `rows`, and lose nothing.
    """
    by_system: pl.DataFrame
    """
    For each `system`: how many rows are scored (`n`) and how many of them are judged (`n_judged`); what all
    of them lost (`lost_points`) and judged ones (`lost_points_of_judged`), and of it what is not the model's
    error (`not_the_models`); the `score` of all rows; how many are left without the latter (`n_without`), and
    their score (`score_without`).
    """


def lost_points(
    judged: Any,
    frame: Any,
    prediction: str | Mapping[str, str],
    answers: str,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    metric: Literal["anls", "cer"] = "anls",
) -> LostPoints:
    """
    Return the loss of judged rows, by verdict and by system.

    Parameters
    ----------
    judged
        The rows with a verdict, from `anls_frame.readers.judged`.
    frame
        All rows, as a Polars, pandas or Arrow frame.
    prediction, answers
        Name of the column with the predicted texts, or a mapping from the names of systems to their columns,
        and of the column with the accepted answer or answers.
    protocol
        How texts are scored: a preset's name or a `ScoreProtocol`.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer; `"empty"` treats the empty text as their
        answer.
    metric
        `"anls"`, in which a row loses 1 minus its ANLS, or `"cer"`, in which it loses its character errors.
        The score is then the corpus rate, for which lower is better.

    Returns
    -------
    LostPoints
        A table by verdict and a table by system. The verdicts `answer_wrong`, `answer_incomplete` and
        `ambiguous_question` mean that a loss is not the model's error.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frames.
    ValueError
        If the metric is unknown, or the protocol has no threshold for ANLS.

    See Also
    --------
    anls_frame.readers.judged : the rows with a verdict.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["c0w", "4"], "answers": [["cow"], ["four"]]})
    >>> rows = df.tail(1).with_columns(verdict=pl.lit("answer_incomplete"))
    >>> af.readers.lost_points(rows, df, "prediction", "answers").by_verdict.drop("system").row(0)
    ('answer_incomplete', 1, 1.0, 0.75)
    """
    choice("metric", metric, ("anls", "cer"))
    systems = systems_of(prediction)
    unanswerable = unanswerable_in(unanswerable, frame)
    texts = [*systems.values(), answers]
    lazy = to_lazy(judged, texts, ["verdict"])
    own_rows = with_unanswerable(lazy, systems.values(), answers, unanswerable).collect()
    rows = with_unanswerable(to_lazy(frame, texts, []), systems.values(), answers, unanswerable)
    by_verdict, by_system = [], []
    for name, column in systems.items():
        lost, size = _lost(metric, column, answers, protocol=protocol, missing=missing)
        own = own_rows.select("verdict", lost=lost, size=size)
        sums = rows.select(n=lost.count(), lost=lost.sum(), size=size.sum())
        n, total, whole = sums.collect(engine="streaming").row(0)
        table = own.group_by("verdict").agg(pl.len().alias("rows"), pl.col("lost").sum().alias("lost_points"))
        shares = table.sort("verdict").with_columns(share_of_lost=pl.col("lost_points") / total)
        by_verdict.append(shares.select(pl.lit(name).alias("system"), pl.all()))
        others = own.filter(pl.col("verdict").is_in(NOT_THE_MODELS))
        n_left = n - others["lost"].count()
        lost_by_others = others["lost"].sum()
        by_system.append(
            {
                "system": name,
                "n": n,
                "n_judged": own["lost"].count(),
                "lost_points": total,
                "lost_points_of_judged": own["lost"].sum(),
                "not_the_models": lost_by_others,
                "score": _score(metric, total, whole),
                "n_without": n_left,
                "score_without": _score(metric, total - lost_by_others, whole - others["size"].sum()),
            }
        )
    return LostPoints(pl.concat(by_verdict), pl.DataFrame(by_system))


def _lost(metric: str, column: str, answers: str, **how: Any) -> tuple[pl.Expr, pl.Expr]:
    """Return the loss of each row, and the denominators of sums of losses; null for rows without a score."""
    if metric == "anls":
        lost = 1 - anls(column, answers, **how)
        return lost, pl.when(lost.is_not_null()).then(1)
    counts = score(column, answers, **how)
    return counts.struct.field("char_errors"), counts.struct.field("reference_length")


def _score(metric: str, lost: float, size: float) -> float | None:
    if not size:
        return None
    return 1 - lost / size if metric == "anls" else lost / size
