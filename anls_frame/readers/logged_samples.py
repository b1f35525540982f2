"""Samples logged by lmms-eval and the LM evaluation harness, which share a format."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import polars as pl

from anls_frame._arguments import choice
from anls_frame._messages import Message, Option
from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.files import raw_tables
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.raw_tables import Column, JsonColumn, Raw
from anls_frame.files.standard_frames import SAMPLE, Key, role_key
from anls_frame.frames.answer_lists import may_be_lists
from anls_frame.frames.strict_json import kind
from anls_frame.readers.log_names import model, run_of

_Field: TypeAlias = tuple[Key, Column]

Response: TypeAlias = "int | Literal['all']"
Meaning: TypeAlias = Literal["answer", "missing"]

_NONE = "None"

_NEEDED = ("doc_id", "target", "filtered_resps")
# Fields of a logged sample that have a role or are split up, and objects that are not metrics.
_USED = {*_NEEDED, "input", "doc"}
# Fields that the harnesses write in addition to the metrics.
_WRITTEN = {
    *_USED,
    "arguments",
    "resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
    "input_media",
}


# Fields that describe a run or its inputs; all others are metrics, or what the model said.
_DESCRIBING = {*_WRITTEN, "epoch", "task", "model"} - {"resps"}
_OF_CHOICES = Message(
    "multiple-choice tasks log likelihoods, not texts: name the files of the other tasks only, such as "
    "'logs/*/samples_TASK_*.jsonl' (in quotes). For a score that they log, pass ",
    Option("reader", "table"),
    " and ",
    Option("metrics", "acc"),
)
FILTERS = "a sample is logged after each filter of its task: keep the lines of one filter"
"""What to do about samples that occur several times, as lmms-eval does not log the names of filters."""


def is_outcome(key: Key) -> bool:
    """Return whether a field says how the system did."""
    return key[0] == "metric" or (key[0] == SAMPLE and key[1] not in _DESCRIBING)


def logged_samples(file: File, response: Response | None, none: Meaning | None, problems: Problems) -> Raw:
    """Return the samples of a file, after a check of the options for their fields."""
    if response not in (None, "all") and (
        isinstance(response, bool) or not isinstance(response, numbers.Integral) or response == 0
    ):
        raise ValueError(f"response must be an integer other than 0, or 'all', got {response!r}")
    if none is not None:
        choice("none", none, get_args(Meaning))
    if file.format() != "jsonl":
        raise problem(file, "logged samples must be a .jsonl file")
    text = file.read_json()
    samples = raw_tables.from_lines(file, text)
    if any(key not in samples.columns or not samples.columns[key].is_everywhere for key in _NEEDED):
        for place, sample in raw_tables.read_lines(text, problems):
            missing = [key for key in _NEEDED if key not in sample]
            if missing:
                problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
        problems.raise_any()
    return samples


def logged_fields(
    file: File, samples: Raw, response: Response | None, none: Meaning | None, problems: Problems
) -> Raw:
    """
    Return the fields of all samples as columns.

    The prediction is the only response, or the response selected by `response`. With "all", each response has
    its own row and epoch: each filtered response or, if the filter only selects one of several (as
    `take_first` does), each unfiltered response. Metrics then belong to the row of the selected response, and
    tokens, which are logged only for the first response, to the row of the first.
    """
    logged: dict[str, JsonColumn] = dict(samples.columns)
    predictions = _predictions(samples, response, problems)
    resps = logged["resps"].out_of_lists() if "resps" in logged else None
    targets = _targets(file, samples, none)
    columns = dict(_fields(file, logged | ({} if resps is None else {"resps": resps}), predictions, targets))
    height, place = samples.height, samples.place
    if response == "all":
        rows = _rows(predictions, resps)
        if rows is not None:
            columns = {key: _of_rows(key, values, rows) for key, values in columns.items()}
            sources = [row.sample for row in rows]
            height, place = len(rows), lambda row: samples.place(sources[row])
        epochs = [1] * height if rows is None else [row.epoch for row in rows]
        columns = _with_own(columns, "epoch", pl.Series(epochs, dtype=pl.Int64))
    run = run_of(file.path)
    if run is not None:
        for name, value in (("task", run.task), ("model", model(file.path, run))):
            if value is not None:
                own = pl.repeat(value, height, dtype=pl.String, eager=True)
                columns = _with_own(columns, name, own)
    return Raw(columns, height, place)


def _with_own(columns: dict[Key, Column], name: str, column: pl.Series) -> dict[Key, Column]:
    """Return the columns with a field of the sample; a logged field of this name becomes a metric."""
    own = (SAMPLE, name)
    renamed = {("metric", name) if key == own else key: logged for key, logged in columns.items()}
    return renamed | {own: column}


def _predictions(samples: Raw, response: Response | None, problems: Problems) -> Column:
    """Return the response that is the prediction of each sample; with "all", a list of all responses."""
    responses: JsonColumn = samples.columns["filtered_resps"].out_of_lists()
    single = responses.only_texts()
    if single.kinds == {str} and response in (None, "all", 1, -1):
        return single
    return [_response(samples.place(row), texts, response, problems) for row, texts in enumerate(responses)]


class _LoggedRow(NamedTuple):
    """A response, which has its own row."""

    sample: int
    epoch: int
    prediction: Any
    resps: list[Any] | None
    """The unfiltered response, if the sample has one for each row."""
    has_metrics: bool
    has_tokens: bool


def _rows(predictions: Column, resps: JsonColumn | None) -> list[_LoggedRow] | None:
    """Return the rows of all responses, in the order of the samples; None if columns show one for each."""
    # As a column, responses are one string each.
    are_texts = isinstance(predictions, JsonColumn)
    if are_texts and (resps is None or resps.only_texts().holds_texts):
        return None
    filtered = [[texts] if are_texts else texts for texts in predictions]
    unfiltered = [None] * len(filtered) if resps is None else resps
    raw = [value if isinstance(value, list) else [value] for value in unfiltered]
    # Whether the filter returned one of several responses unchanged, in all samples. A filter that changes
    # responses may by chance return another response, but not in every sample.
    selects = all(
        len(given) <= 1 or len(texts) > 1 or texts[0] in given
        for texts, given in zip(filtered, raw, strict=True)
    )
    rows: list[_LoggedRow] = []
    for sample, (texts, given) in enumerate(zip(filtered, raw, strict=True)):
        is_selected = selects and len(texts) == 1 and len(given) > 1 and texts[0] is not None
        selected = given.index(texts[0]) + 1 if is_selected else None
        for epoch, text in enumerate(given if is_selected else texts, 1):
            own = [given[epoch - 1]] if is_selected or len(texts) == len(given) > 1 else None
            rows.append(
                _LoggedRow(sample, epoch, text, own, selected in (None, epoch), not is_selected or epoch == 1)
            )
    return rows


def _of_rows(key: Key, values: Column, rows: Sequence[_LoggedRow]) -> Column:
    """Return a field of the samples as a column of rows; metrics belong to one of several responses."""
    source, name = key[:2]
    if key == role_key("prediction"):
        return [row.prediction for row in rows]
    samples: list[int | None] = [row.sample for row in rows]
    if "token_counts" in (source, name):
        samples = [row.sample if row.has_tokens else None for row in rows]
    elif source == "metric" or (source == SAMPLE and name not in _WRITTEN):
        samples = [row.sample if row.has_metrics else None for row in rows]
    if isinstance(values, JsonColumn):
        values = values.at(samples)
    else:
        given = list(values)
        values = [None if sample is None else given[sample] for sample in samples]
    if (source, name) == (SAMPLE, "resps"):
        return [value if row.resps is None else row.resps for row, value in zip(rows, values, strict=True)]
    return values


def _fields(
    file: File, columns: Mapping[str, JsonColumn], predictions: Column, targets: Column
) -> Iterator[_Field]:
    """Yield the fields of the samples."""
    yield role_key("question_id"), columns["doc_id"]
    yield role_key("prediction"), predictions
    yield role_key("answers"), targets
    for name, values in columns.items():
        if name == "input":
            yield from _prompts(values)
        elif name == "token_counts":
            yield from _entries(file, (name,), name, values.only_objects())
        elif name == "doc":
            yield from _entries(file, (name,), name, values)
        elif name in _USED:
            pass
        elif name != "arguments" and dict in values.kinds:
            yield from _entries(file, ("metric", name), name, values)
        else:
            yield (SAMPLE, name), values


def _prompts(prompts: JsonColumn) -> Iterator[_Field]:
    """Yield textual prompts as the questions, and other prompts as a field of the sample."""
    if prompts.holds_texts:
        yield from _filled(role_key("question"), prompts)
        return
    for key, are_texts in ((role_key("question"), True), ((SAMPLE, "input"), False)):
        values = [prompt if isinstance(prompt, str) is are_texts else None for prompt in prompts]
        yield from _filled(key, values)


def _entries(file: File, source: Key, name: str, values: JsonColumn) -> Iterator[_Field]:
    """Yield the entries of objects as fields of a source, and other values as a field of the sample."""
    if not values.kinds <= {dict, NoneType}:
        yield from _filled((SAMPLE, name), [None if type(value) is dict else value for value in values])
    try:
        members = values.members()
    except ValueError:
        keys = (key for value in values if type(value) is dict for key in value)
        raise problem(file, raw_tables.too_many_keys(keys)) from None
    yield from (((*source, member.key), member) for member in members)


def _filled(key: Key, values: Column) -> Iterator[_Field]:
    """Yield a field if a sample has it."""
    if raw_tables.kinds_of(values) - {NoneType}:
        yield key, values


def _targets(file: File, samples: Raw, none: Meaning | None) -> Column:
    """
    Return the targets, which are written as Python prints them.

    `[1871]` may be a list of a number, or a string. It is a string if the document has exactly this string.
    `None` may be a target that is missing, or an answer: if there are other targets, a warning asks which.
    """
    targets, documents = samples.columns["target"], samples.columns.get("doc", repeat(None))
    missing = None if none == "answer" else _NONE
    if none is None:
        _warn_of_none(file, samples, targets)
    if targets.holds_texts:
        texts = targets.texts()
        # For strings that are not printed lists, a list of the string becomes equal to the string.
        if not (may_be_lists(texts) & ~texts.str.contains("'", literal=True)).any():
            return texts if missing is None else pl.select(pl.lit(texts).replace(missing, None)).to_series()
    return [
        target if isinstance(target, str) and "'" in target else _target(target, document, missing)
        for target, document in zip(targets, documents, strict=False)
    ]


def _warn_of_none(file: File, samples: Raw, targets: JsonColumn) -> None:
    """Warn if the text None is among other targets, which it may belong to."""
    texts = targets.texts()
    are_none = texts == _NONE
    count = int(are_none.sum())
    others = any(value not in (None, _NONE) for value in (texts if targets.holds_texts else targets))
    if count and others:
        place = samples.place(int(are_none.arg_true()[0]))
        warn(
            f"{file}: the target of {numbered(count, 'sample')} is the text None, such as {place}. "
            "Python prints it for a missing target, and it counts as one, so they are not scored. Pass ",
            Option("none", "answer"),
            " if the right answer is None, or ",
            Option("none", "missing"),
            " if there is none",
        )


def _target(target: Any, document: Any, missing: str | None) -> Any:
    if target == missing:
        return None
    if isinstance(target, str) and isinstance(document, dict) and '"' not in target and "'" not in target:
        texts = (value for value in document.values() if type(value) is str)
        return [target] if target in texts else target
    return target


def _response(place: str, responses: Any, wanted: Response | None, problems: Problems) -> Any:
    """Return the response that is the prediction; with "all", a list of all responses."""
    texts = _responses(place, responses, problems)
    if wanted == "all":
        return texts or [None]
    if not texts:
        return None
    if wanted is None and len(texts) > 1:
        what = f"has {len(texts)} responses for one sample, from rounds or repeats; choose one with "
        advice = Message(Option("response", ...), " (1 is the first, -1 the last)")
        raise problem(problems.path, Message(what, advice), place)
    if wanted is not None and not 1 <= abs(wanted) <= len(texts):
        problems.add(f"no response {wanted}; there are {len(texts)}", place)
        return None
    return texts[0 if wanted is None else wanted - (wanted > 0)]


def _responses(place: str, response: Any, problems: Problems) -> list[Any]:
    """Return the filtered responses (none without text); values other than texts are problems."""
    several = response if isinstance(response, list) else [response]
    if len(several) == 1 and isinstance(several[0], str):
        return several
    texts = [text for text in several if isinstance(text, str)]
    # Tasks such as SQuAD 2.0 log the likelihood of "no answer" with the text.
    if texts and all(map(_is_likelihood, (text for text in several if not isinstance(text, str)))):
        return texts
    if any(isinstance(text, list | dict) for text in several):
        what = (
            kind(several[0])
            if len(several) == 1
            else f"{len(several)} responses, as in multiple-choice tasks"
        )
        problems.add(f"the response must be one string, got {what}", place)
        if len(several) > 1:
            problems.hint(_OF_CHOICES)
        return []
    return [] if several == [None] else several


def _is_likelihood(response: Any) -> bool:
    """Return whether this is a logarithm of a likelihood, and whether the text is the likeliest one."""
    try:
        logarithm, is_likeliest = response
        return float(logarithm) <= 0 and str(is_likeliest) in {"True", "False"}
    except (TypeError, ValueError):
        return False
