"""Read the samples that lmms-eval and the LM evaluation harness log."""

from __future__ import annotations

import numbers
from bisect import bisect_left
from itertools import chain, repeat
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import polars as pl

from anls_frame.frames.answer_lists import may_be_lists
from anls_frame.frames.strict_json import kind
from anls_frame.readers import _content, _runs, _samples
from anls_frame.readers import _json_columns as json
from anls_frame.readers._problems import Advice, Option, problem
from anls_frame.readers._raw import kinds_of
from anls_frame.readers._sample_fields import SAMPLE, gathered, role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from anls_frame.readers._problems import Problems
    from anls_frame.readers._raw import Column, Values
    from anls_frame.readers._sample_fields import Key
    from anls_frame.readers._samples import Sample, Samples

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


def read(path: Path, problems: Problems) -> Samples:
    """Return the samples of a file."""
    if _content.file_format(path) != "jsonl":
        raise problem(path, "logged samples must be a .jsonl file")
    return _samples.in_lines(path, problems)


def check_response(response: Response | None) -> None:
    """Raise an error unless this is the number of a response, or "all"."""
    if response not in (None, "all") and (
        isinstance(response, bool) or not isinstance(response, numbers.Integral) or response == 0
    ):
        raise ValueError(f"response must be an integer other than 0, or 'all', got {response!r}")


def columns(
    samples: Samples, response: Response | None, problems: Problems
) -> tuple[dict[Key, Column], Sequence[str]]:
    """
    Return the fields of all samples as columns, and the samples' places.

    The prediction is the only response or the one that `response` selects. With "all", each response has a
    row and an epoch: each filtered one or, if the filter only selects one of several (`take_first` does),
    each of those. Metrics are then those of the selected response, and tokens, which are only logged for the
    first, those of the first.
    """
    logged = _logged(samples.table, response, problems)
    if logged is None:
        found = gathered(_checked(samples, response, problems), problems)
        logged = _Logged({**found.columns}, found.places, found.firsts)
    if "resps" in logged.columns:
        resps = logged.columns["resps"]
        logged.columns["resps"] = (
            resps.out_of_lists() if isinstance(resps, json.JsonColumn) else list(map(out_of_lists, resps))
        )
    fields, places = list(_fields(logged, problems)), logged.places
    if response == "all" and "filtered_resps" in logged.columns:
        rows = _LoggedRows(logged.columns)
        fields = [rows.of_field(field) for field in fields]
        fields.append(_Field(0, (SAMPLE, "epoch"), pl.Series(rows.epochs, dtype=pl.Int64)))
        places = places if rows.are_samples else [places[sample] for sample in rows.samples]
    # In the order in which a reader of rows would meet them, whatever their source.
    columns = {field.key: field.values for field in sorted(fields, key=itemgetter(0))}
    return _with_run(samples.path, columns, len(places)), places


def _with_run(path: Path, columns: dict[Key, Column], height: int) -> dict[Key, Column]:
    """Return the columns with the task and the model of the run, as far as they are known."""
    run = _runs.of(path)
    if run is not None:
        for name, value in (("task", run.task), ("model", _runs.model(path, run))):
            if value is not None:
                key = (SAMPLE, name)
                columns = {("metric", name) if one == key else one: of for one, of in columns.items()}
                columns[key] = pl.repeat(value, height, dtype=pl.String, eager=True)
    return columns


class _Field(NamedTuple):
    """A field, and the first sample or row that has it."""

    first: int
    key: Key
    values: Column


class _Logged(NamedTuple):
    """The fields of all samples."""

    columns: dict[str, Values]
    places: Sequence[str]
    firsts: dict[str, int]
    """The first sample that has a field."""


def _logged(table: json.JsonTable | None, response: Response | None, problems: Problems) -> _Logged | None:
    """Return the samples that `_checked` yields as columns; None if it has to look at each of them."""
    if table is None or not {key for key, of in table.columns.items() if of.is_everywhere} >= _NEEDED:
        return None
    responses = table.columns["filtered_resps"]
    chosen: Values = responses.out_of_lists().only_texts()
    if kinds_of(chosen) != {str} or response not in (None, "all", 1, -1):
        pairs = zip(table.places, responses, strict=True)
        chosen = [_response(*pair, response, problems) for pair in pairs]
    firsts = {key: of.first for key, of in table.columns.items()}
    return _Logged({**table.columns, "filtered_resps": chosen}, table.places, firsts)


def _checked(samples: Iterable[Sample], response: Response | None, problems: Problems) -> Iterator[Sample]:
    """Yield the samples with the response in `filtered_resps`; with "all", with a list of all."""
    for place, sample in samples:
        if not sample.keys() >= _NEEDED:
            missing = [key for key in ("doc_id", "target", "filtered_resps") if key not in sample]
            problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
            yield place, {}
            continue
        sample["filtered_resps"] = _response(place, sample["filtered_resps"], response, problems)
        yield place, sample


class _LoggedRows:
    """The rows of all responses, in the order of the samples."""

    def __init__(self, columns: Mapping[str, Values]) -> None:
        predictions, resps = columns["filtered_resps"], columns.get("resps", [])
        self.samples: Sequence[int] = range(len(predictions))
        self.epochs = [1] * len(predictions)
        self._predictions: Values = predictions
        # As columns, responses are one string each.
        are_texts = isinstance(predictions, json.JsonColumn)
        if are_texts and (
            not resps or (isinstance(resps, json.JsonColumn) and resps.only_texts().holds_texts)
        ):
            self.are_samples = True
            return
        filtered = [[texts] if are_texts else texts or [None] for texts in predictions]
        raw = [value if isinstance(value, list) else [value] for value in resps]
        raw = raw or [[None]] * len(filtered)
        self._predictions = [texts[0] for texts in filtered]
        self.are_samples = all(len(one) <= 1 for one in chain(filtered, raw))
        if not self.are_samples:
            self._expand(filtered, raw)

    def _expand(self, filtered: list[list[Any]], raw: list[list[Any]]) -> None:
        # Whether the filter returned one of several responses as it is, in all samples. One that changes
        # responses may also return what another one happens to be, but not everywhere.
        selects = all(
            len(given) <= 1 or len(texts) > 1 or texts[0] in given
            for texts, given in zip(filtered, raw, strict=True)
        )
        predictions: list[Any] = []
        self.samples, self.epochs = samples, epochs = [], []
        self._predictions = predictions
        self._resps: list[Any] = []
        self._has_metrics: list[bool] = []
        self._has_tokens: list[bool] = []
        for sample, (texts, given) in enumerate(zip(filtered, raw, strict=True)):
            selected = None
            if selects and len(texts) == 1 and len(given) > 1 and texts[0] is not None:
                selected, texts = given.index(texts[0]), given  # noqa: PLW2901 - all of them
            for index, text in enumerate(texts):
                samples.append(sample)
                epochs.append(index + 1)
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
        if self.are_samples:
            return field
        belongs = None
        if "token_counts" in (source, name):
            belongs = self._has_tokens
        elif source == "metric" or (source == SAMPLE and name not in _WRITTEN):
            belongs = self._has_metrics
        first = bisect_left(self.samples, field.first)
        samples: Sequence[int | None] = self.samples
        if belongs is not None:
            samples = [sample if own else None for sample, own in zip(samples, belongs, strict=True)]
            first = belongs.index(True, first)
        values = _at(field.values, samples)
        if (source, name) == (SAMPLE, "resps"):
            pairs = zip(self._resps, values, strict=True)
            values = [value if own is None else own for own, value in pairs]
        return _Field(first, field.key, values)


def _at(values: Column, rows: Sequence[int | None]) -> Values:
    """Return the values of these rows, null without a row."""
    if isinstance(values, json.JsonColumn):
        return values.at(rows)
    given = list(values)
    return [None if row is None else given[row] for row in rows]


def _fields(logged: _Logged, problems: Problems) -> Iterator[_Field]:
    """Yield the fields of the samples."""
    columns, firsts = logged.columns, logged.firsts
    for name, key in _ROLES.items():
        if name in columns:
            yield _Field(firsts[name], key, _targets(columns) if name == "target" else columns[name])
    prompts = columns.get("input", [])
    if isinstance(prompts, json.JsonColumn) and prompts.holds_texts:
        yield from _filled(role("question"), prompts)
        prompts = []
    for key, kind_of_prompt in ((role("question"), True), ((SAMPLE, "input"), False)):
        found = [prompt if isinstance(prompt, str) is kind_of_prompt else None for prompt in prompts]
        yield from _filled(key, found)
    for name, values in columns.items():
        if name == "token_counts":
            counts: Values = (
                values.only_objects()
                if isinstance(values, json.JsonColumn)
                else list(map(only_count, values))
            )
            yield from _entries((name,), name, counts, problems)
        elif name in _USED:
            pass
        elif name not in _OBJECTS and dict in kinds_of(values):
            yield from _entries(("metric", name), name, values, problems)
        else:
            yield _Field(firsts[name], (SAMPLE, name), values)
    yield from _entries(("doc",), "doc", columns.get("doc", []), problems)


def _entries(source: Key, name: str, values: Values, problems: Problems) -> Iterator[_Field]:
    """Yield the entries of objects as fields of a source, and other values as a field of the sample."""
    if isinstance(values, json.JsonColumn) and values.kinds <= {dict, NoneType}:
        try:
            members = values.members()
        except ValueError:
            pass  # too many keys, as `gathered` will say
        else:
            for member in members:
                yield _Field(member.first, (*source, member.key), member)
            return
    yield from _filled((SAMPLE, name), [None if type(value) is dict else value for value in values])
    objects = (value if type(value) is dict else {} for value in values)
    entries = gathered(zip(repeat(""), objects), problems)
    for key, found in entries.columns.items():
        yield _Field(entries.firsts[key], (*source, key), found)


def _filled(key: Key, values: Values) -> Iterator[_Field]:
    """Yield a field if a sample has it."""
    if isinstance(values, json.JsonColumn):
        first = values.first_value
    else:
        first = next((index for index, value in enumerate(values) if value is not None), None)
    if first is not None:
        yield _Field(first, key, values)


def _targets(columns: Mapping[str, Values]) -> Column:
    """
    Return the targets, which are written as Python prints them.

    `[1871]` may be a list of a number or a string. If the document has exactly this string, it is a string.
    """
    targets, documents = columns["target"], columns.get("doc", repeat(None))
    if isinstance(targets, json.JsonColumn) and targets.holds_texts:
        texts = targets.texts()
        # Of other strings than lists, a list of the string becomes the same as the string.
        if not (may_be_lists(texts) & ~texts.str.contains("'", literal=True)).any():
            return texts.to_frame("target").select(pl.col("target").replace("None", None))["target"]
    return [
        target if isinstance(target, str) and "'" in target else _target(target, document)
        for target, document in zip(targets, documents, strict=False)
    ]


def _target(target: Any, document: Any) -> Any:
    if target == "None":
        return None
    if isinstance(target, str) and isinstance(document, dict) and '"' not in target and "'" not in target:
        texts = (value for value in document.values() if type(value) is str)
        return [target] if target in texts else target
    return target


def only_count(counts: Any) -> Any:
    """Return the counts of a single request, as most samples have; others unchanged."""
    is_single = isinstance(counts, list) and len(counts) == 1 and isinstance(counts[0], dict | None)
    return counts[0] if is_single else counts


def out_of_lists(value: Any) -> Any:
    """Return a list without the lists around it that hold nothing else."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value


def _response(place: str, responses: Any, response: Response | None, problems: Problems) -> Any:
    """Return the response that is the prediction; with "all", a list of all."""
    texts = _responses(place, responses, problems)
    return (texts or [None]) if response == "all" else _chosen(place, texts, response, problems)


def _responses(place: str, responses: Any, problems: Problems) -> list[Any]:
    """Return the filtered responses, none if there is no text; anything but texts is a problem."""
    found = out_of_lists(responses)
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
