"""Logs of Inspect: JSON, or archives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import listed, quoted
from anls_frame.files import raw_tables
from anls_frame.files.archives import opened_archive, unpacked_member
from anls_frame.files.file import File, without_halves
from anls_frame.files.problems import Problems, problem
from anls_frame.files.standard_frames import SAMPLE, Key, checked_samples, members, role_key
from anls_frame.frames.missing_values import is_missing
from anls_frame.frames.strict_json import Number, kind, parse


def read_inspect(
    path: str | os.PathLike[str],
    *,
    scorer: str | None = None,
    allow_missing: bool = False,
) -> pl.DataFrame:
    """
    Read a log of Inspect: JSON, or an `.eval` archive.

    Parameters
    ----------
    path
        The log.
    scorer
        Name of a scorer whose extracted answer is the prediction, in place of the whole output.
    allow_missing
        Whether to read the log of an unsuccessful run.

    Returns
    -------
    DataFrame
        The standard frame, in Inspect's order: the prediction is the model's output (null where the sample
        has none), and the answers are the sample's `target`. Each id has one row per `epoch`; if a log has
        several epochs, pass the id as `cluster=`, or read a single epoch with ``read_file(path, epoch=1)``.

        Each scorer adds its value under its name (or as `SCORER_ENTRY` if the value is an object),
        `SCORER_answer`, `SCORER_explanation` and the fields of its metadata. Booleans become numbers, and the
        letters C, I, P and N become 1, 0, 0.5 and 0, as in Inspect's metrics, with the letter in
        `SCORER_grade`. An unscored sample (NaN) has null. The fields of `metadata` become columns, as do
        `task`, `model`, its tokens (`input_tokens`, `output_tokens`, ...), `total_time`, `working_time` and
        `error`. A field whose name is taken is prefixed with its source, such as `metadata_prediction`.
        Transcripts are left out.

    Raises
    ------
    InputError
        If the file has problems (the error lists all of them, with the index of the sample), or the scorer
        does not exist.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "log.json"
    >>> sample = (
    ...     '{"id": "7", "epoch": 1, "input": "Brand?", "target": ["Coke"], "output": {"completion": "coke"}}'
    ... )
    >>> _ = path.write_text('{"version": 2, "status": "success", "samples": [' + sample + "]}")
    >>> af.readers.read_inspect(path).drop("epoch")
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────┐
    │ question_id ┆ question ┆ prediction ┆ answers   │
    │ ---         ┆ ---      ┆ ---        ┆ ---       │
    │ str         ┆ str      ┆ str        ┆ list[str] │
    ╞═════════════╪══════════╪════════════╪═══════════╡
    │ 7           ┆ Brand?   ┆ coke       ┆ ["Coke"]  │
    └─────────────┴──────────┴────────────┴───────────┘
    """
    file = File.of(path)
    problems = Problems(file)
    run, samples = read_log(file, problems, allow_missing=allow_missing)
    if scorer is not None:
        scorers = sorted({name for _, sample in samples for name in sample.get("scores") or {}})
        if scorer not in scorers:
            among = listed([quoted(name) for name in scorers]) or "none"
            raise problem(file, f"no scorer {quoted(scorer)}; available: {among}")
    raw = raw_tables.from_objects(file, fields(run, samples, scorer, problems))
    # Inspect writes targets as strings or lists; the other harnesses print lists as strings.
    return checked_samples(
        file,
        replace(raw, columns=make_numbers(raw.columns)),
        problems,
        is_outcome=lambda key: key[0] in _OF_SCORES,
        answers_format="text",
    )


Sample = tuple[str, dict[str, Any]]


_ATTACHMENT = "attachment://"


_PARTS = ("output", "scores", "metadata", "attachments", "model_usage")


_OWN = ("choices", "limit", "total_time", "working_time")


# Transcripts and states, which are most of a log, are dropped at once.
_READ = {"id", "epoch", "input", "target", "error", *_PARTS, *_OWN}


# The values that Inspect's own metrics use: correct, incorrect, partially correct, no answer.
_LETTERS = {"C": Number("1.0"), "I": Number("0.0"), "P": Number("0.5"), "N": Number("0.0")}


# Sources of a score's fields: its value, entries of an object value, other fields, and metadata.
_VALUE, _ENTRY, _BESIDE, _METADATA = _OF_SCORES = "score", "score_value", "score_field", "score_metadata"


_DIGITS = 20


# A value takes 50 to 250 bytes of memory, however well it is compressed. One of these precedes each.
_BEFORE_VALUES = (b",", b"[", b"{")


_FREE_VALUES = 5_000_000


_MOST_VALUES = 2
"""Values for each compressed byte, where there are more."""


def read_log(file: File, problems: Problems, *, allow_missing: bool) -> tuple[dict[str, Any], list[Sample]]:
    """Return what a log says of its run, and its samples with their places; other types are problems."""
    archived = file.path.suffix.lower() == ".eval"
    header, entries = _archive(file) if archived else _json_log(file)
    status = header.get("status")
    if status != "success" and not allow_missing:
        what = f"the run's status is {quoted(status)}, so samples may be missing; to read it anyway, pass "
        problems.add(Message(what, Option("allow_missing", value=True)))
    samples = [(place, sample) for place, sample in entries if _is_sample(place, sample, problems)]
    if archived:  # an archive has them in the order in which they finished
        samples.sort(key=lambda located: _order(located[1]))
    run = header.get("eval")
    return run if isinstance(run, dict) else {}, samples


def fields(
    run: dict[str, Any], samples: Sequence[Sample], scorer: str | None, problems: Problems
) -> Iterator[tuple[str, dict[Key, Any]]]:
    """Yield the place and the fields of each sample; the answer of `scorer` is the prediction."""
    for place, sample in samples:
        attachments = sample.get("attachments") or {}
        scores = sample.get("scores") or {}
        row: dict[Key, Any] = {
            role_key("question_id"): sample["id"],
            role_key("question"): _question(sample.get("input"), attachments),
            role_key("prediction"): _output(sample, attachments),
            role_key("answers"): sample["target"],
            (SAMPLE, "epoch"): sample.get("epoch"),
        }
        if scorer is not None:
            if scorer not in scores and sample.get("error") is None:
                problems.add(f"no score from scorer {quoted(scorer)}", place)
            row[role_key("prediction")] = scores.get(scorer, {}).get("answer")
        for name, score in scores.items():
            row |= _score(name, score)
        row |= members("metadata", sample.get("metadata"))
        if run.get("task") is not None:
            row[SAMPLE, "task"] = run["task"]
        row |= _usage(run.get("model"), sample)
        row |= {(SAMPLE, name): sample[name] for name in _OWN if sample.get(name) is not None}
        row |= _error(sample.get("error"))
        yield place, row


def make_numbers(columns: Mapping[Key, list[Any]]) -> dict[Key, list[Any]]:
    """
    Return the columns with letters and Booleans of scores as numbers, as in Inspect's metrics.

    Only columns without other values are converted, because a scorer may grade with A, B and C. The letters
    are kept in another column, because N and I both become 0. NaN, Inspect's mark for unscored samples,
    becomes null.
    """
    made: dict[Key, list[Any]] = {}
    for key, column in columns.items():
        if key[0] not in {_VALUE, _ENTRY}:
            made[key] = column
            continue
        values = [None if is_missing(value) else value for value in column]
        given = [value for value in values if value is not None]
        counts = all(isinstance(value, Number | bool) or _is_letter(value) for value in given)
        made[key] = [_number(value) for value in values] if counts else values
        if counts and any(map(_is_letter, given)):
            made[*key, "grade"] = [value if _is_letter(value) else None for value in values]
    return made


def _is_letter(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number) and value in _LETTERS


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        return Number("1.0" if value else "0.0")
    return _LETTERS[value] if _is_letter(value) else value


def _is_sample(place: str, sample: Any, problems: Problems) -> bool:
    """Return whether this is a valid sample, and report its problems."""
    if not isinstance(sample, dict) or "id" not in sample or "target" not in sample:
        problems.add("must be a sample with an id and a target", place)
        return False
    known = len(problems)
    for name in _PARTS:
        _check(name, sample.get(name), dict, place, problems)
    if len(problems) > known:
        return False
    for name, score in (sample.get("scores") or {}).items():
        if not isinstance(score, dict):
            problems.add(f"the score of {quoted(name)} must be an object, got {kind(score)}", place)
    _check("choices", (sample.get("output") or {}).get("choices"), list, place, problems)
    if not isinstance(sample["id"], str):  # as numbers are here
        problems.add(f"the id must be a string or a number, got {kind(sample['id'])}", place)
    epoch = sample.get("epoch")
    if not (epoch is None or (isinstance(epoch, Number) and epoch.isdigit() and len(epoch) <= _DIGITS)):
        problems.add(f"the epoch must be an integer, got {kind(epoch)}", place)
    return len(problems) == known


def _check(name: str, value: Any, wanted: type, place: str, problems: Problems) -> None:
    if value is not None and not isinstance(value, wanted):
        what = "an object" if wanted is dict else "a list"
        problems.add(f"{name!r} must be {what}, got {kind(value)}", place)


def _order(sample: dict[str, Any]) -> tuple[int, str]:
    """Return the key by which Inspect sorts samples when it reads a log."""
    name = sample["id"]
    return int(sample.get("epoch") or 0), name.zfill(_DIGITS) if isinstance(name, Number) else str(name)


def _json_log(file: File) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    log = raw_tables.read_whole(file, file.read_json())
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise problem(file, "not a log of Inspect, or a log written without samples")
    return log, [(f"samples[{index}]", _reduced(sample)) for index, sample in enumerate(log["samples"])]


def _archive(file: File) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    header: dict[str, Any] = {"status": "started"}  # the rest is written at the end of a run
    samples: list[tuple[str, Any]] = []
    values = 0
    with opened_archive(file, "a log of Inspect") as archive:
        packed = sum(entry.compress_size for entry in archive.infolist())
        most = max(_FREE_VALUES, _MOST_VALUES * packed)
        for name in dict.fromkeys(archive.namelist()):
            is_sample = name.startswith("samples/") and name.endswith(".json")
            if not is_sample and name not in {"header.json", "_journal/start.json"}:
                continue
            content = unpacked_member(archive, name)
            values += sum(map(content.count, _BEFORE_VALUES))
            if values > most:
                raise problem(
                    file,
                    f"its {packed:,} bytes hold more than {most:,} values, far more than logs do; if that is "
                    "intended, write it as JSON",
                    name,
                )
            value = parse(without_halves(file, content.decode(), name))
            if is_sample:
                samples.append((name, _reduced(value)))
            elif isinstance(value, dict):
                header = {**value, **header} if name == "_journal/start.json" else {**header, **value}
    return header, samples


def _reduced(sample: Any) -> Any:
    if not isinstance(sample, dict):
        return sample
    return {name: value for name, value in sample.items() if name in _READ}


def _score(name: str, score: dict[str, Any]) -> dict[Key, Any]:
    value = score.get("value")
    columns: dict[Key, Any] = {}
    if isinstance(value, dict):
        columns |= {(_ENTRY, name, entry): part for entry, part in value.items()}
    else:
        columns[_VALUE, name] = value
    for beside in ("answer", "explanation", "reason"):
        if score.get(beside) is not None:
            columns[_BESIDE, name, beside] = score[beside]
    metadata = score.get("metadata")
    if isinstance(metadata, dict):
        columns |= {(_METADATA, name, entry): part for entry, part in metadata.items()}
    elif metadata is not None:
        columns[_BESIDE, name, "metadata"] = metadata
    return columns


def _usage(model: Any, sample: dict[str, Any]) -> dict[Key, Any]:
    """Return the model and its tokens; if other models (such as graders) used tokens, also the total."""
    if model is None:
        model = (sample.get("output") or {}).get("model")
    columns: dict[Key, Any] = {} if model is None else {(SAMPLE, "model"): model}
    usage = sample.get("model_usage") or {}
    own = usage.get(model) if isinstance(model, str) else None
    if isinstance(own, dict):
        columns |= {(SAMPLE, name): value for name, value in own.items()}
    if usage and (len(usage) > 1 or not isinstance(own, dict)):
        columns[SAMPLE, "model_usage"] = usage
    return columns


def _error(error: Any) -> dict[Key, Any]:
    """Return the error that ended a sample: its message and its traceback without colours."""
    if not isinstance(error, dict) or "message" not in error:
        return {} if error is None else {(SAMPLE, "error"): error}
    columns: dict[Key, Any] = {(SAMPLE, "error"): error["message"]}
    if error.get("traceback") is not None:
        columns[SAMPLE, "error_traceback"] = error["traceback"]
    return columns


def _output(sample: dict[str, Any], attachments: dict[str, Any]) -> Any:
    output = sample.get("output") or {}
    choices = output.get("choices") or []
    if output.get("completion") or not choices:
        # Without choices the model gave no answer: the empty completion means none.
        return _resolved(output.get("completion"), attachments) or None
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return _text(content, attachments)


def _question(value: Any, attachments: dict[str, Any]) -> Any:
    """Return the text of the user's messages."""
    if not isinstance(value, list):
        return _resolved(value, attachments)
    users = [message for message in value if isinstance(message, dict) and message.get("role") == "user"]
    return _joined([_text(message.get("content"), attachments) or "" for message in users])


def _text(content: Any, attachments: dict[str, Any]) -> Any:
    if not isinstance(content, list):
        return _resolved(content, attachments)
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return _joined([_resolved(part, attachments) for part in parts])


def _joined(parts: Sequence[Any]) -> Any:
    """Return texts below each other; a part that is no text is returned alone, to become a problem."""
    given = [part for part in parts if not is_missing(part)]
    others = [part for part in given if not isinstance(part, str)]
    return others[0] if others else "\n".join(given)


def _resolved(value: Any, attachments: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    return value
