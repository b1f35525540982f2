"""Read the samples that lmms-eval and the LM evaluation harness log."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from anls_frame.readers import _content, _json
from anls_frame.readers._fields import SAMPLE, members, role
from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import Advice, Option, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from anls_frame.readers._fields import Key, Row
    from anls_frame.readers._problems import Problems

Response: TypeAlias = "int | Literal['all']"

# Fields of a logged sample that have a role or are split up, and objects that are not metrics.
_USED = {"doc_id", "target", "filtered_resps", "input", "doc"}
_OBJECTS = {*_USED, "arguments"}
# What the harnesses write beside the metrics.
_WRITTEN = {
    *_OBJECTS,
    "resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
    "input_media",
}
_QUOTES = {"'", '"'}


def read(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the samples of a file with their places."""
    if _content.file_format(path) != "jsonl":
        raise problem(path, "logged samples must be a .jsonl file")
    return _json.read_lines(path, _content.read_text(path), problems)


def check_response(response: Response | None) -> None:
    """Raise an error unless this is the number of a response, or "all"."""
    if response not in (None, "all") and (
        isinstance(response, bool) or not isinstance(response, numbers.Integral) or response == 0
    ):
        raise ValueError(f"response must be an integer other than 0, or 'all', got {response!r}")


def rows(
    samples: Iterable[tuple[str, dict[str, Any]]], response: Response | None, problems: Problems
) -> Iterator[Row]:
    """
    Yield the fields of each sample, with the only response or the one that `response` selects.

    With "all", each response has a row and an epoch: each filtered one or, if the filter only selects one of
    several (`take_first` does), each of those. Metrics are then those of the selected response, and tokens,
    which are only logged for the first, those of the first.
    """
    if response == "all":
        samples = list(samples)
    selects = response == "all" and _selects(sample for _, sample in samples)
    for place, sample in samples:
        missing = [key for key in ("doc_id", "target", "filtered_resps") if key not in sample]
        if missing:
            problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
            yield place, {}
            continue
        texts = _responses(place, sample["filtered_resps"], problems)
        if response != "all":
            yield place, _fields(sample, _chosen(place, texts, response, problems))
            continue
        raw = _unwrapped(sample.get("resps"))
        scored = raw.index(texts[0]) if selects and len(texts) == 1 and len(raw) > 1 else None
        if scored is not None:
            texts = raw
        for index, text in enumerate(texts or [None]):
            row = _fields(
                sample, text, has_metrics=scored in (None, index), has_tokens=scored is None or not index
            )
            if (SAMPLE, "epoch") in row:
                row["metric", "epoch"] = row[SAMPLE, "epoch"]
            row[SAMPLE, "epoch"] = Number(index + 1)
            if len(texts) == len(raw) > 1:
                row[SAMPLE, "resps"] = [raw[index]]
            yield place, row


def _selects(samples: Iterable[dict[str, Any]]) -> bool:
    """
    Whether the filter returned one of several responses as it is, in all samples.

    A filter that changes responses may also return what another one happens to be, but not everywhere.
    """
    for sample in samples:
        raw, filtered = _unwrapped(sample.get("resps")), _unwrapped(sample.get("filtered_resps"))
        if len(raw) > 1 and len(filtered) == 1 and filtered[0] not in raw:
            return False
    return True


def _fields(
    sample: dict[str, Any], prediction: Any, *, has_metrics: bool = True, has_tokens: bool = True
) -> dict[Key, Any]:
    """Return the fields of a sample, perhaps without those that belong to another of its responses."""
    row: dict[Key, Any] = {
        role("question_id"): sample["doc_id"],
        role("prediction"): prediction,
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
            if has_tokens:
                row |= _token_counts(value)
        elif name in _USED or not (has_metrics or name in _WRITTEN):
            pass
        elif isinstance(value, dict) and name not in _OBJECTS:
            row |= {("metric", name, entry): one for entry, one in value.items()}
        else:
            row[SAMPLE, name] = value
    return row | members("doc", sample.get("doc"))


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


def _unwrapped(value: Any) -> list[Any]:
    """Return a list without the lists around it that hold nothing else; any other value in a list."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, list) else [value]


def _responses(place: str, responses: Any, problems: Problems) -> list[Any]:
    """Return the filtered responses, none if there is no text; anything but texts is a problem."""
    several = _unwrapped(responses)
    if any(isinstance(one, list | dict | bool) for one in several):
        what = (
            kind(several[0])
            if len(several) == 1
            else f"{len(several)} responses, as in multiple-choice tasks"
        )
        problems.add(f"the response must be one string, got {what}", place)
        return []
    return [] if several == [None] else several


def _chosen(place: str, texts: list[Any], wanted: int | None, problems: Problems) -> Any:
    if not texts:
        return None
    if wanted is None and len(texts) > 1:
        raise problem(
            problems.path,
            Advice(
                f"has {len(texts)} responses for one sample, from rounds or repeats; choose one with ",
                Option("response"),
                " (1 is the first, -1 the last)",
            ),
            place,
        )
    if wanted is not None and not 1 <= abs(wanted) <= len(texts):
        problems.add(f"no response {wanted}; there are {len(texts)}", place)
        return None
    return texts[0 if wanted is None else wanted - (wanted > 0)]


def _token_counts(counts: Any) -> dict[Key, Any]:
    """Return the counts of a single request, as most samples have, as fields, others unchanged."""
    one = counts[0] if isinstance(counts, list) and len(counts) == 1 else counts
    if isinstance(one, dict):
        return {("token_counts", name): value for name, value in one.items()}
    return {} if one is None else {(SAMPLE, "token_counts"): counts}
