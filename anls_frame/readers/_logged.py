"""Read the samples that lmms-eval and the LM evaluation harness log."""

from __future__ import annotations

import numbers
from bisect import bisect_left
from itertools import chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from anls_frame.readers import _content, _json, _runs
from anls_frame.readers._fields import SAMPLE, gathered, role
from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import Advice, Option, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from anls_frame.readers._fields import Key
    from anls_frame.readers._problems import Problems
    from anls_frame.readers._raw import Gathered

Response: TypeAlias = "int | Literal['all']"

_ROLES = {
    "doc_id": role("question_id"),
    "filtered_resps": role("prediction"),
    "target": role("answers"),
}
_NEEDED = _ROLES.keys()
# Fields of a logged sample that have a role or are split up, and objects that are not metrics.
_USED = {*_ROLES, "input", "doc"}
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


def columns(
    path: Path,
    samples: Iterable[tuple[str, dict[str, Any]]],
    response: Response | None,
    problems: Problems,
) -> tuple[dict[Key, list[Any]], list[str]]:
    """
    Return the fields of all samples as columns, and the samples' places.

    The prediction is the only response or the one that `response` selects. With "all", each response has a
    row and an epoch: each filtered one or, if the filter only selects one of several (`take_first` does),
    each of those. Metrics are then those of the selected response, and tokens, which are only logged for the
    first, those of the first.
    """
    logged = gathered(_checked(samples, response, problems), problems)
    if "resps" in logged.columns:
        logged.columns["resps"] = list(map(_out_of_lists, logged.columns["resps"]))
    found, places = list(_fields(logged, problems)), logged.places
    if response == "all" and "filtered_resps" in logged.columns:
        rows = _Rows(logged.columns)
        found = [rows.of_field(field) for field in found]
        found.append(_Field(0, (SAMPLE, "epoch"), rows.epochs))
        places = [places[sample] for sample in rows.samples]
    # In the order in which a reader of rows would meet them, whatever their source.
    columns = {field.key: field.values for field in sorted(found, key=itemgetter(0))}
    return _with_run(path, columns, len(places)), places


def _with_run(path: Path, columns: dict[Key, list[Any]], height: int) -> dict[Key, list[Any]]:
    """Return the columns with the task and the model of the run, as far as they are known."""
    run = _runs.of(path)
    if run is not None:
        for name, value in (("task", run.task), ("model", _runs.model(path, run))):
            if value is not None:
                key = (SAMPLE, name)
                columns = {("metric", name) if one == key else one: of for one, of in columns.items()}
                columns[key] = [value] * height
    return columns


class _Field(NamedTuple):
    """A field, and the first sample or row that has it."""

    first: int
    key: Key
    values: list[Any]


def _checked(
    samples: Iterable[tuple[str, dict[str, Any]]], response: Response | None, problems: Problems
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the samples with the response in `filtered_resps`; with "all", with a list of all."""
    for place, sample in samples:
        if not sample.keys() >= _NEEDED:
            missing = [key for key in ("doc_id", "target", "filtered_resps") if key not in sample]
            problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
            yield place, {}
            continue
        texts = _responses(place, sample["filtered_resps"], problems)
        sample["filtered_resps"] = (
            (texts or [None]) if response == "all" else _chosen(place, texts, response, problems)
        )
        yield place, sample


class _Rows:
    """The rows of all responses, in the order of the samples."""

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        filtered = [texts or [None] for texts in columns["filtered_resps"]]
        raw = [value if isinstance(value, list) else [value] for value in columns.get("resps", [])]
        raw = raw or [[None]] * len(filtered)
        self.samples: Sequence[int] = range(len(filtered))
        self.epochs = [Number(1)] * len(filtered)
        self._predictions = [texts[0] for texts in filtered]
        self._are_samples = all(len(one) <= 1 for one in chain(filtered, raw))
        if not self._are_samples:
            self._expand(filtered, raw)

    def _expand(self, filtered: list[list[Any]], raw: list[list[Any]]) -> None:
        # Whether the filter returned one of several responses as it is, in all samples. One that changes
        # responses may also return what another one happens to be, but not everywhere.
        selects = all(
            len(given) <= 1 or len(texts) > 1 or texts[0] in given
            for texts, given in zip(filtered, raw, strict=True)
        )
        self.samples, self.epochs, self._predictions = samples, epochs, predictions = [], [], []
        self._resps: list[Any] = []
        self._has_metrics: list[bool] = []
        self._has_tokens: list[bool] = []
        for sample, (texts, given) in enumerate(zip(filtered, raw, strict=True)):
            selected = None
            if selects and len(texts) == 1 and len(given) > 1 and texts[0] is not None:
                selected, texts = given.index(texts[0]), given  # noqa: PLW2901 - all of them
            for index, text in enumerate(texts):
                samples.append(sample)
                epochs.append(Number(index + 1))
                predictions.append(text)
                self._resps.append([given[index]] if len(texts) == len(given) > 1 else None)
                self._has_metrics.append(selected in (None, index))
                self._has_tokens.append(selected is None or index == 0)

    def of_field(self, field: _Field) -> _Field:
        """Return a field of the samples as one of the rows: metrics belong to one of several."""
        source, name = field.key[:2]
        if field.key == role("prediction"):
            return field._replace(values=self._predictions)
        if field.key == (SAMPLE, "epoch"):  # a field of its own
            field = field._replace(key=("metric", "epoch"))
        if self._are_samples:
            return field
        values = [field.values[sample] for sample in self.samples]
        if (source, name) == (SAMPLE, "resps"):
            pairs = zip(self._resps, values, strict=True)
            values = [value if own is None else own for own, value in pairs]
        belongs = None
        if "token_counts" in (source, name):
            belongs = self._has_tokens
        elif source == "metric" or (source == SAMPLE and name not in _WRITTEN):
            belongs = self._has_metrics
        first = bisect_left(self.samples, field.first)
        if belongs is not None:
            values = [value if own else None for value, own in zip(values, belongs, strict=True)]
            first = belongs.index(True, first)
        return _Field(first, field.key, values)


def _fields(logged: Gathered[str], problems: Problems) -> Iterator[_Field]:
    """Yield the fields of the samples."""
    columns, firsts = logged.columns, logged.firsts
    for name, key in _ROLES.items():
        if name in columns:
            yield _Field(firsts[name], key, _targets(columns) if name == "target" else columns[name])
    prompts = columns.get("input", [])
    for key, kind_of_prompt in ((role("question"), True), ((SAMPLE, "input"), False)):
        values = [prompt if isinstance(prompt, str) is kind_of_prompt else None for prompt in prompts]
        yield from _filled(key, values)
    for name, values in columns.items():
        if name == "token_counts":
            yield from _entries((name,), name, list(map(_only_count, values)), problems)
        elif name in _USED:
            pass
        elif name not in _OBJECTS and dict in set(map(type, values)):
            yield from _entries(("metric", name), name, values, problems)
        else:
            yield _Field(firsts[name], (SAMPLE, name), values)
    yield from _entries(("doc",), "doc", columns.get("doc", []), problems)


def _entries(source: Key, name: str, values: list[Any], problems: Problems) -> Iterator[_Field]:
    """Yield the entries of objects as fields of a source, and other values as a field of the sample."""
    yield from _filled((SAMPLE, name), [None if type(value) is dict else value for value in values])
    objects = (value if type(value) is dict else {} for value in values)
    entries = gathered(zip(repeat(""), objects), problems)
    for key, found in entries.columns.items():
        yield _Field(entries.firsts[key], (*source, key), found)


def _filled(key: Key, values: list[Any]) -> Iterator[_Field]:
    """Yield a field if a sample has it."""
    first = next((index for index, value in enumerate(values) if value is not None), None)
    if first is not None:
        yield _Field(first, key, values)


def _targets(columns: Mapping[str, list[Any]]) -> list[Any]:
    """
    Return the targets, which are written as Python prints them.

    `[1871]` may be a list of a number or a string. If the document has exactly this string, it is a string.
    """
    documents = columns.get("doc", repeat(None))
    return [
        target if isinstance(target, str) and "'" in target else _target(target, document)
        for target, document in zip(columns["target"], documents, strict=False)
    ]


def _target(target: Any, document: Any) -> Any:
    if target == "None":
        return None
    if isinstance(target, str) and isinstance(document, dict) and '"' not in target and "'" not in target:
        texts = (value for value in document.values() if type(value) is str)
        return [target] if target in texts else target
    return target


def _only_count(counts: Any) -> Any:
    """Return the counts of a single request, as most samples have; others unchanged."""
    is_single = isinstance(counts, list) and len(counts) == 1 and isinstance(counts[0], dict | None)
    return counts[0] if is_single else counts


def _out_of_lists(value: Any) -> Any:
    """Return a list without the lists around it that hold nothing else."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value


def _responses(place: str, responses: Any, problems: Problems) -> list[Any]:
    """Return the filtered responses, none if there is no text; anything but texts is a problem."""
    found = _out_of_lists(responses)
    several = found if isinstance(found, list) else [found]
    if len(several) == 1 and isinstance(several[0], str):
        return several
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
