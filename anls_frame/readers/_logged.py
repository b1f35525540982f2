"""Read the samples that lmms-eval and the LM evaluation harness log."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from anls_frame.readers import _content, _json
from anls_frame.readers._fields import SAMPLE, members, role
from anls_frame.readers._json import kind
from anls_frame.readers._problems import Advice, Option, problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anls_frame.readers._fields import Key, Row
    from anls_frame.readers._problems import Problems

# Fields of a logged sample that have a role or are split up, and objects that are not metrics.
_USED = {"doc_id", "target", "filtered_resps", "input", "doc"}
_OBJECTS = {*_USED, "arguments"}
_QUOTES = {"'", '"'}


def read(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the samples of a file with their places."""
    if _content.file_format(path) != "jsonl":
        raise problem(path, "logged samples must be a .jsonl file")
    return _json.read_lines(path, _content.read_text(path), problems)


def check_response(response: int | None) -> None:
    """Raise an error unless this is the number of a response."""
    if response is not None and (
        isinstance(response, bool) or not isinstance(response, numbers.Integral) or response == 0
    ):
        raise ValueError(f"response must be an integer other than 0, got {response!r}")


def fields(place: str, sample: dict[str, Any], response: int | None, problems: Problems) -> Row:
    """Return the fields of a sample; `response` selects one of several responses."""
    missing = [key for key in ("doc_id", "target", "filtered_resps") if key not in sample]
    if missing:
        problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
        return place, {}
    row: dict[Key, Any] = {
        role("question_id"): sample["doc_id"],
        role("prediction"): _response(place, sample["filtered_resps"], response, problems),
        role("answers"): _target(sample),
    }
    prompt = sample.get("input")
    if prompt is not None:
        row[role("question") if isinstance(prompt, str) else (SAMPLE, "input")] = prompt
    for name, value in sample.items():
        if name == "resps":
            while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
                value = value[0]  # noqa: PLW2901 - out of the list around it
            row[SAMPLE, name] = value
        elif name == "token_counts":
            row |= _token_counts(value)
        elif isinstance(value, dict) and name not in _OBJECTS:
            row |= {("metric", name, entry): one for entry, one in value.items()}
        elif name not in _USED:
            row[SAMPLE, name] = value
    return place, row | members("doc", sample.get("doc"))


def _target(sample: dict[str, Any]) -> Any:
    """
    Return the target, which is written as Python prints it.

    `[1871]` may be a list of a number or a string. If the document has exactly this string, it is a string.
    """
    target, document = sample["target"], sample.get("doc")
    if target == "None":
        return None
    if isinstance(target, str) and isinstance(document, dict) and not _QUOTES.intersection(target):
        texts = (value for value in document.values() if type(value) is str)
        return [target] if target in texts else target
    return target


def _response(place: str, responses: Any, wanted: int | None, problems: Problems) -> Any:
    """Return the only response, or the selected one, without the lists around it."""
    value = responses
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    several = value if isinstance(value, list) else [value]
    if any(isinstance(one, list | dict | bool) for one in several):
        what = f"{len(several)} responses, as in multiple-choice tasks" if several is value else kind(value)
        problems.add(f"the response must be one string, got {what}", place)
    elif not several or several == [None]:
        return None
    elif wanted is None and len(several) > 1:
        raise problem(
            problems.path,
            Advice(
                f"has {len(several)} responses for one sample, from rounds or repeats; choose one with ",
                Option("response"),
                " (1 is the first, -1 the last)",
            ),
            place,
        )
    elif wanted is not None and not 1 <= abs(wanted) <= len(several):
        problems.add(f"no response {wanted}; there are {len(several)}", place)
    else:
        return several[0 if wanted is None else wanted - (wanted > 0)]
    return None


def _token_counts(counts: Any) -> dict[Key, Any]:
    """Return the counts of a single request, as most samples have, as fields, others unchanged."""
    one = counts[0] if isinstance(counts, list) and len(counts) == 1 else counts
    if isinstance(one, dict):
        return {("token_counts", name): value for name, value in one.items()}
    return {} if one is None else {(SAMPLE, "token_counts"): counts}
