"""Verdicts saved by a page of rows, and the rows that they judge."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._text import listed, numbered, quoted
from anls_frame._typing import table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.export.packed import plain_value
from anls_frame.export.page_verdicts import REPEATS, VERDICTS, digest, repeating, verdict_frame
from anls_frame.export.values import plain_frame
from anls_frame.frames.checks import check_column
from anls_frame.frames.conversion import at_hand, attach, column_names, in_polars, to_lazy
from anls_frame.frames.strict_json import Number
from anls_frame.readers import _content, _json
from anls_frame.readers._problems import Problems
from anls_frame.summary.keys import optional
from anls_frame.summary.settings import MOST_ROWS
from anls_frame.summary.systems import systems_of

if TYPE_CHECKING:
    from anls_frame.analysis.browsing import RowsPage


_ROW, _TEXTS = "__anls_frame_row", "__anls_frame_texts"
_NAMED = 5
"""Verdicts that a message names."""

_LOST = (
    "no row has their id and their texts: the row was left out, its texts have changed since the verdict, or "
    "the page had other systems, or the same in another order"
)
_DOUBLED = "several verdicts refer to the same row; keep one of them"
_GIVE_IDS = "rows are found again by ids, if the page is made with id="
_AMBIGUOUS = (
    "several rows have their id and their texts; make the page with an id= that differs in each row, or with "
    "a column 'epoch' or 'system' that tells them apart"
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
    if "verdict" in names:
        raise DuplicateColumnError("the frame has a column 'verdict' already; rename it")
    verdicts = in_polars(verdicts).lazy().collect()
    for name in ("id", "row", "verdict", "digest"):
        check_column(verdicts.columns, name)
    if verdicts.is_empty():
        raise ValueError("there are no verdicts")
    if id is None and verdicts["id"].null_count() < verdicts.height:
        raise ValueError("the verdicts have ids: pass id= with the column that identified the page's rows")
    systems = systems_of(prediction)
    texts = [*systems.values(), answers]
    keys = [*optional(id), *(name for name in REPEATS if name in names)]
    rows = to_lazy(frame, texts, keys, answers=answers).with_row_index(_ROW)
    repeats = repeating(rows.collect_schema())
    rows = rows.select(_ROW, *dict.fromkeys([*texts, *optional(id), *repeats]))
    given = list(_rows(verdicts, "row", "id", verdicts["digest"]))
    wanted = (
        _with_ids(rows, id, {row.id for row in given}) if id else _with_texts(rows, texts, verdicts["row"])
    )
    candidates = rows.filter(pl.col(_ROW).is_in(wanted.implode())).sort(_ROW).collect(engine="streaming")
    known = list(_rows(candidates, _ROW, id, _digests(candidates, texts)))
    values = verdicts["verdict"].to_list()
    matches = sorted(zip(_matched(given, values, known), values, strict=True))
    numbers = [number for number, _ in matches]
    column = pl.Series("verdict", [value for _, value in matches], dtype=pl.Enum(VERDICTS))
    return attach(frame, pl.Series(_ROW, numbers, dtype=pl.UInt32), column.to_frame())


def _with_ids(rows: pl.LazyFrame, id_column: str, ids: set[str | None]) -> pl.Series:
    """Return the numbers of the rows that have one of the ids."""
    known = rows.select(_ROW, id_column).collect(engine="streaming")
    return known.filter(pl.Series(row_id in ids for row_id in _ids(known, id_column)))[_ROW]


def _with_texts(rows: pl.LazyFrame, texts: Sequence[str], numbers: pl.Series) -> pl.Series:
    """Return the numbers of the rows that have the texts of one of these rows."""
    hashes = rows.select(_ROW, pl.struct(texts).hash().alias(_TEXTS)).collect(engine="streaming")
    wanted = hashes.filter(pl.col(_ROW).is_in(numbers.implode()))[_TEXTS]
    return hashes.filter(pl.col(_TEXTS).is_in(wanted.implode()))[_ROW]


def _rows(table: pl.DataFrame, number: str, id_column: str | None, digests: Iterable[str]) -> Iterator[_Row]:
    ids = [None] * table.height if id_column is None else _ids(table, id_column)
    repeats = [
        _ids(table, name) if name in table.columns and name != id_column else [None] * table.height
        for name in REPEATS
    ]
    for row in zip(table[number], ids, zip(*repeats, strict=True), digests, strict=True):
        yield _Row(*row)


def _ids(table: pl.DataFrame, name: str) -> list[str | None]:
    """Return ids as texts, in which 7, 7.0 and "7" are equal, because scripts have one type of number."""
    return [
        None if key is None else str(int(key) if isinstance(key, float) and key.is_integer() else key)
        for key in _plain(table[name])
    ]


def _plain(column: pl.Series) -> list[Any]:
    return list(map(plain_value, plain_frame(column.to_frame(), "rows").to_series()))


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
        reasons = (f"{_named(rejected, len(given))}: {why}" for why, rejected in problems.items())
        raise ValueError("; ".join(reasons))
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
        return _LOST if kind.id is not None else f"{_LOST}, or rows have moved: {_GIVE_IDS}"
    if len(numbers) < len(own):
        return _DOUBLED
    if own == numbers:
        return None
    if kind.id is None:
        return f"other rows have the same texts, or rows have moved: {_GIVE_IDS}"
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
          or `score_right`;
        - `digest` (`String`): the digest of the row's predictions and answers;
        - `system` and `epoch` (`String`): the values of the columns with these names, which distinguish rows
          with the same id; null without such a column.

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
    path = _content.as_path(path)
    text = _content.decoded(path, _content.read_bytes(path, may_be_empty=True))
    problems = Problems(path)
    by_line: dict[str, dict[str, Any]] = {}
    seen: dict[int, str] = {}
    for place, written in _json.read_lines(text, problems):
        try:
            verdict = _verdict(written)
        except ValueError as error:
            problems.add(str(error), place)
            continue
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


def _verdict(line: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict of a line; raise an error that describes the problem."""
    values = {name: line.get(name) for name in _FIELDS}
    for name, (is_right, must_be) in _FIELDS.items():
        if not is_right(values[name]):
            raise ValueError(f"{name} must be {must_be}, got {quoted(values[name])}")
    return values | {"row": int(str(values["row"]))}


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
}
"""What the fields of a verdict must be."""
