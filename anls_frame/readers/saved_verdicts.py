"""Verdicts saved by a page of rows."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import quoted
from anls_frame.export.page_verdicts import REPEATS, VERDICTS, verdict_frame
from anls_frame.frames.strict_json import Number
from anls_frame.readers import _content, _json
from anls_frame.readers._problems import Problems
from anls_frame.summary.settings import MOST_ROWS

if TYPE_CHECKING:
    from anls_frame.analysis.browsing import RowsPage


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
    data = _content.read_bytes(path, may_be_empty=True)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _content.undecodable(path, data, error.start, "utf-8") from None
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
    for (place, verdict), digest in zip(by_line.items(), known, strict=True):
        if verdict["digest"] != digest:
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
