"""The pair of files of a competition, gold labels and a submission: their rows and ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anls_frame._text import quoted
from anls_frame.frames.strict_json import kind
from anls_frame.readers import _content, _json
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from anls_frame.readers._problems import Problems


def rows(path: Path, key: str | None, problems: Problems) -> list[dict[str, Any]]:
    """Return the rows of a list, or of the list under a key; anything but objects is a problem."""
    value = _json.read_whole(path, _content.read_text(path))
    if key is not None:
        if not isinstance(value, dict) or key not in value:
            raise problem(path, f"gold labels must be an object with the questions in {key!r}")
        value = value[key]
    if not isinstance(value, list):
        raise problem(path, f"must be a list of objects, got {kind(value)}")
    if not value:
        raise problem(path, "holds no questions")
    for index, row in enumerate(value):
        if not isinstance(row, dict):
            problems.add(f"must be an object, got {kind(row)}", f"index {index}", path)
    return value


def by_id(path: Path, rows: Sequence[dict[str, Any]], problems: Problems) -> dict[str, int]:
    """Return the index of each id; invalid or duplicate ids are problems."""
    found: dict[str, int] = {}
    for index, row in enumerate(rows):
        key = row.get("questionId")
        if not isinstance(key, str):
            what = (
                "no questionId"
                if key is None
                else f"questionId must be a number or a string, got {kind(key)}"
            )
            problems.add(what, f"index {index}", path)
        elif key in found:
            problems.add(
                f"duplicate questionId {quoted(key)}, first seen at index {found[key]}",
                f"index {index}",
                path,
            )
        else:
            found[key] = index
    return found


def check_accepted(row: dict[str, Any], place: str, problems: Problems) -> None:
    """Report accepted answers that are missing or not strings."""
    accepted = row.get("answers")
    if not isinstance(accepted, list):
        problems.add(f"answers must be a list, got {kind(accepted)}", place)
    elif not accepted:
        problems.add("the list of answers is empty", place)
    else:
        for value in accepted:
            if type(value) is not str:
                problems.add(f"an accepted answer must be a string, got {kind(value)}", place)
