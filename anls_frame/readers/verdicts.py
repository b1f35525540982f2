"""The verdicts that a page of rows saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.export.verdicts import VERDICTS
from anls_frame.readers._problems import Problems, problem, shown
from anls_frame.summary.settings import MOST_ROWS

if TYPE_CHECKING:
    import os

    from anls_frame.analysis.browsing import RowsPage

__all__ = ["read_verdicts"]

_MUST_BE = {
    "id": "a string or a number",
    "row": "the number of a row",
    "verdict": f"one of {', '.join(VERDICTS)}",
    "digest": "a string",
}


def read_verdicts(path: str | os.PathLike[str], page: RowsPage | None = None) -> pl.DataFrame:
    """
    Read the verdicts that were given on a page of rows, from the file that the page saves.

    Parameters
    ----------
    path
        The file, of JSON Lines.
    page
        The page, as `anls_frame.browse` returns it; a verdict on a row whose texts have changed since is then
        an error.

    Returns
    -------
    DataFrame
        A row for each verdict, with the columns

        - `id`: the value of the column that `browse` was given as `id=`, as `Int64` if all are whole numbers
          and otherwise as `String`; null without such a column;
        - `row` (`UInt32`): the number of the row in the frame, from 0;
        - `verdict` (`Enum`): `our_error`, `answer_wrong`, `answer_incomplete`, `ambiguous_question` or
          `format`;
        - `digest` (`String`): the digest of its predictions and answers.

    Raises
    ------
    InputError
        If a line is not a verdict, a row has two, or its texts have changed: all of these, with their lines.
    OSError
        If the file cannot be opened.

    See Also
    --------
    anls_frame.browse : the page.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [7, 8], "prediction": ["4", "c0w"], "answer": ["four", "cow"]})
    >>> line = '{"id": 7, "row": 0, "verdict": "answer_incomplete", "digest": "6dbcb2ce2dd1f5a3"}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "verdicts.jsonl")
    ...     _ = path.write_text(line)
    ...     verdicts = af.read_verdicts(path)
    >>> df.join(verdicts.select("id", "verdict"), on="id", how="left")["verdict"].to_list()
    ['answer_incomplete', None]
    """
    path = Path(path)
    try:
        lines = path.read_text("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise problem(path, f"is not UTF-8: {error}") from None
    problems = Problems(path)
    found: dict[str, dict[str, Any]] = {}
    seen: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        place = f"line {number}"
        if not line.strip():
            continue
        try:
            verdict = _verdict(line)
        except ValueError as error:
            problems.add(str(error), place)
            continue
        first = seen.setdefault(verdict["row"], place)
        if first != place:
            problems.add(f"row {verdict['row']} has a verdict in {first}", place)
        found[place] = verdict
    rows = [verdict["row"] for verdict in found.values()]
    known = [verdict["digest"] for verdict in found.values()] if page is None else page.digests(rows)
    for (place, verdict), digest in zip(found.items(), known, strict=True):
        if verdict["digest"] != digest:
            problems.add(f"the texts of row {verdict['row']} have changed since the verdict", place)
    problems.raise_any()
    return _frame(list(found.values()))


def _verdict(line: str) -> dict[str, Any]:
    """Return the verdict of a line; raise an error that says what is wrong with it."""
    verdict = json.loads(line)
    if not isinstance(verdict, dict):
        raise ValueError(f"a verdict must be an object, got {shown(verdict)}")  # noqa: TRY004 - of a file
    row = verdict.get("row")
    is_right = {
        "row": type(row) is int and 0 <= row < MOST_ROWS,
        "verdict": verdict.get("verdict") in VERDICTS,
        "digest": isinstance(verdict.get("digest"), str),
        "id": isinstance(verdict.get("id"), str | int | float | None),
    }
    for name, must_be in _MUST_BE.items():
        if not is_right[name]:
            raise ValueError(f"{name} must be {must_be}, got {shown(verdict.get(name))}")
    return {name: verdict.get(name) for name in _MUST_BE}


def _frame(verdicts: list[dict[str, Any]]) -> pl.DataFrame:
    ids = [verdict["id"] for verdict in verdicts]
    known = [one for one in ids if one is not None]
    are_numbers = bool(known) and all(type(one) is int for one in known)
    if not are_numbers:
        ids = [None if one is None else str(one) for one in ids]
    dtypes = {
        "id": pl.Int64 if are_numbers else pl.String,
        "row": pl.UInt32,
        "verdict": pl.Enum(VERDICTS),
        "digest": pl.String,
    }
    columns = {name: ids if name == "id" else [one[name] for one in verdicts] for name in dtypes}
    return pl.DataFrame(columns, schema=dtypes)
