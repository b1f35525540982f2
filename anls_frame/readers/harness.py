"""Readers of result files of evaluation harnesses: lmms-eval, VLMEvalKit, lm-evaluation-harness, Inspect."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import polars as pl

from anls_frame._arguments import choice
from anls_frame._text import listed, numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.answer_lists import may_be_lists
from anls_frame.frames.missing_values import is_missing
from anls_frame.frames.strict_json import Number, kind, parse
from anls_frame.readers import (
    _content,
    _log_files,
    _raw,
    _standard,
    table,
)
from anls_frame.readers._problems import Advice, Problems, problem
from anls_frame.readers._raw import Column, JsonColumn, Raw
from anls_frame.readers._standard import SAMPLE, Key, members, role_key
from anls_frame.readers.score_columns import with_numbers_where_all_are

_Field: TypeAlias = tuple[Key, Column]

Response: TypeAlias = "int | Literal['all']"
Meaning: TypeAlias = Literal["answer", "missing"]

_NONE = "None"

_NEEDED = ("doc_id", "target", "filtered_resps")
# Fields of a logged sample that have a role or are split up, and objects that are not metrics.
_USED = {*_NEEDED, "input", "doc"}
_OBJECTS = {*_USED, "arguments"}
# Fields that the harnesses write beside the metrics.
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


def _logged_samples(path: Path, problems: Problems) -> Raw:
    """Return the samples of a file."""
    if _content.file_format(path) != "jsonl":
        raise problem(path, "logged samples must be a .jsonl file")
    text = _content.read_json(path)
    samples = _raw.from_lines(path, text)
    if any(key not in samples.columns or not samples.columns[key].is_everywhere for key in _NEEDED):
        for place, sample in _raw.read_lines(text, problems):
            missing = [key for key in _NEEDED if key not in sample]
            if missing:
                problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
        problems.raise_any()
    return samples


def _check_response(response: Response | None) -> None:
    """Raise an error unless this is the number of a response, or "all"."""
    if response not in (None, "all") and (
        isinstance(response, bool) or not isinstance(response, numbers.Integral) or response == 0
    ):
        raise ValueError(f"response must be an integer other than 0, or 'all', got {response!r}")


def _check_none(none: Meaning | None) -> None:
    if none is not None:
        choice("none", none, get_args(Meaning))


def _logged_fields(
    path: Path, samples: Raw, response: Response | None, none: Meaning | None, problems: Problems
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
    targets = _targets(path, samples, none)
    columns = dict(_fields(path, logged | ({} if resps is None else {"resps": resps}), predictions, targets))
    height, place = samples.height, samples.place
    if response == "all":
        rows = _rows(predictions, resps)
        if rows is not None:
            columns = {key: _of_rows(key, values, rows) for key, values in columns.items()}
            sources = [row.sample for row in rows]
            height, place = len(rows), lambda row: samples.place(sources[row])
        epochs = [1] * height if rows is None else [row.epoch for row in rows]
        columns = _with_own(columns, "epoch", pl.Series(epochs, dtype=pl.Int64))
    run = _log_files.run_of(path)
    if run is not None:
        for name, value in (("task", run.task), ("model", _log_files.model(path, run))):
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
    path: Path, columns: Mapping[str, JsonColumn], predictions: Column, targets: Column
) -> Iterator[_Field]:
    """Yield the fields of the samples."""
    yield role_key("question_id"), columns["doc_id"]
    yield role_key("prediction"), predictions
    yield role_key("answers"), targets
    for name, values in columns.items():
        if name == "input":
            yield from _prompts(values)
        elif name == "token_counts":
            yield from _entries(path, (name,), name, values.only_objects())
        elif name == "doc":
            yield from _entries(path, (name,), name, values)
        elif name in _USED:
            pass
        elif name not in _OBJECTS and dict in values.kinds:
            yield from _entries(path, ("metric", name), name, values)
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


def _entries(path: Path, source: Key, name: str, values: JsonColumn) -> Iterator[_Field]:
    """Yield the entries of objects as fields of a source, and other values as a field of the sample."""
    if not values.kinds <= {dict, NoneType}:
        yield from _filled((SAMPLE, name), [None if type(value) is dict else value for value in values])
    try:
        members = values.members()
    except ValueError:
        keys = (key for value in values if type(value) is dict for key in value)
        raise problem(path, _raw.too_many_keys(keys)) from None
    yield from (((*source, member.key), member) for member in members)


def _filled(key: Key, values: Column) -> Iterator[_Field]:
    """Yield a field if a sample has it."""
    if _raw.kinds_of(values) - {NoneType}:
        yield key, values


def _targets(path: Path, samples: Raw, none: Meaning | None) -> Column:
    """
    Return the targets, which are written as Python prints them.

    `[1871]` may be a list of a number, or a string. It is a string if the document has exactly this string.
    `None` may be a target that is missing, or an answer: beside other targets, a warning asks which.
    """
    targets, documents = samples.columns["target"], samples.columns.get("doc", repeat(None))
    missing = None if none == "answer" else _NONE
    if none is None:
        _warn_of_none(path, samples, targets)
    if targets.holds_texts:
        texts = targets.texts()
        # For strings that are not printed lists, a list of the string becomes equal to the string.
        if not (may_be_lists(texts) & ~texts.str.contains("'", literal=True)).any():
            return texts if missing is None else pl.select(pl.lit(texts).replace(missing, None)).to_series()
    return [
        target if isinstance(target, str) and "'" in target else _target(target, document, missing)
        for target, document in zip(targets, documents, strict=False)
    ]


def _warn_of_none(path: Path, samples: Raw, targets: JsonColumn) -> None:
    """Warn if the text None stands beside other targets, which it may belong to."""
    texts = targets.texts()
    are_none = texts == _NONE
    count = int(are_none.sum())
    others = any(value not in (None, _NONE) for value in (texts if targets.holds_texts else targets))
    if count and others:
        place = samples.place(int(are_none.arg_true()[0]))
        warn(
            Advice(
                f"{path}: the target of {numbered(count, 'sample')} is the text None, such as {place}. "
                "Python prints it for a missing target, and it counts as one, so they are not scored. Pass "
                "none='answer' if the right answer is None, or none='missing' if there is none"
            )
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
        raise problem(
            problems.path,
            f"has {len(texts)} responses for one sample, from rounds or repeats; choose one with "
            "response=... (1 is the first, -1 the last)",
            place,
        )
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
    # Tasks such as SQuAD 2.0 log the likelihood of "no answer" beside the text.
    if texts and all(map(_is_likelihood, (text for text in several if not isinstance(text, str)))):
        return texts
    if any(isinstance(text, list | dict) for text in several):
        what = (
            kind(several[0])
            if len(several) == 1
            else f"{len(several)} responses, as in multiple-choice tasks"
        )
        problems.add(f"the response must be one string, got {what}", place)
        return []
    return [] if several == [None] else several


def _is_likelihood(response: Any) -> bool:
    """Return whether this is a logarithm of a likelihood, and whether the text is the likeliest one."""
    try:
        logarithm, is_likeliest = response
        return float(logarithm) <= 0 and str(is_likeliest) in {"True", "False"}
    except (TypeError, ValueError):
        return False


# Data sets that VLMEvalKit scores with ANLS, as they appear in file names.
_SCORED_BY_ANLS = ("DocVQA", "InfoVQA")
# Words in the names that VLMEvalKit gives to score columns.
_SCORE_WORDS = frozenset({"score", "scores", "hit", "anls", "acc", "em", "f1"})


def read_lmms_eval(
    path: str | os.PathLike[str], *, response: Response | None = None, none: Meaning | None = None
) -> pl.DataFrame:
    """
    Read samples logged by lmms-eval (`*_samples_TASK.jsonl`, from `--log_samples`).

    Parameters
    ----------
    path
        The file.
    response
        The response to read if samples have several, as in tasks of several rounds: 1 is the first, -1 the
        last. `"all"` reads each response, including those of `--repeats`, as a row with its number in
        `epoch`.
    none
        What the target `None`, which Python prints for a missing target, means in this task: `"answer"` or
        `"missing"`. By default, it is missing, with a warning if there are other targets.

    Returns
    -------
    DataFrame
        The standard frame: the prediction is the filtered response, the answers come from `target`, the
        question is the prompt (`input`), and the id is lmms-eval's `doc_id`. Metrics and all other fields
        keep their names; entries of a metric that is an object become `METRIC_ENTRY`. A field whose name is
        taken is prefixed with its source, such as `sample_prediction`. With `--repeats`, all responses are in
        `resps`. With ``response="all"``, metrics of a single response are only in its row. `task` and `model`
        are those of the run, if the file still has its original name (`TIME_samples_TASK.jsonl`) and the
        results of the run beside it.

        lmms-eval does not write the fields of documents. The id is the row number in the data set, by which
        `read_logs` joins these fields.

    Raises
    ------
    InputError
        If the file has problems (the error lists all of them, with their lines), including rows without
        answers, as in a test split, and rows without a single response, as in multiple-choice tasks.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "20261121_samples_docvqa_val.jsonl"
    >>> row = '{"doc_id": 0, "target": "Coke", "filtered_resps": "coke", "input": "Brand?", "anls": 1.0}'
    >>> _ = path.write_text(row)
    >>> af.readers.read_lmms_eval(path)
    shape: (1, 6)
    ┌─────────────┬──────────┬────────────┬───────────┬──────┬────────────┐
    │ question_id ┆ question ┆ prediction ┆ answers   ┆ anls ┆ task       │
    │ ---         ┆ ---      ┆ ---        ┆ ---       ┆ ---  ┆ ---        │
    │ str         ┆ str      ┆ str        ┆ list[str] ┆ f64  ┆ str        │
    ╞═════════════╪══════════╪════════════╪═══════════╪══════╪════════════╡
    │ 0           ┆ Brand?   ┆ coke       ┆ ["Coke"]  ┆ 1.0  ┆ docvqa_val │
    └─────────────┴──────────┴────────────┴───────────┴──────┴────────────┘
    """
    path = _content.as_path(path)
    problems = Problems(path)
    _check_response(response)
    _check_none(none)
    samples = _logged_samples(path, problems)
    frame = _frame(path, _logged_fields(path, samples, response, none, problems), problems)
    return origins.remember(frame, "rrc" if frame.schema.get("anls", pl.Null).is_numeric() else None)


def read_lm_eval(
    path: str | os.PathLike[str],
    *,
    filter: str | None = None,  # noqa: A002 - its name there
    response: Response | None = None,
    none: Meaning | None = None,
) -> pl.DataFrame:
    """
    Read samples logged by the LM evaluation harness (`samples_TASK_*.jsonl`, from `--log_samples`).

    Parameters
    ----------
    path
        The file.
    filter
        The filter whose responses are read, if a file has responses of several filters.
    response
        The response to read if a filter keeps several: 1 is the first, -1 the last. `"all"` reads each
        response as a row with its number in `epoch`, including `repeats` from which the filter only selects
        one unchanged.
    none
        What the target `None` means, as for `read_lmms_eval`.

    Returns
    -------
    DataFrame
        The standard frame: the prediction is the filtered response, the answers come from `target`, and the
        id is the harness' `doc_id`. The fields of `doc` become columns; metrics and all other fields keep
        their names. A field whose name is taken is prefixed with its source, such as `doc_prediction`. With
        `repeats`, all responses are in `resps`. With ``response="all"``, metrics of a single response are
        only in its row. `task` and `model` are those of the run, if the file still has its original name
        (`samples_TASK_TIME.jsonl`) and the results of the run beside it.

    Raises
    ------
    InputError
        If the file has problems, as for `read_lmms_eval`, or has several filters and none is chosen.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "samples_docqa_2026-11-21.jsonl"
    >>> row = '{"doc_id": 0, "doc": {"question": "Brand?"}, "target": "Coke", "filtered_resps": ["coke"]}'
    >>> _ = path.write_text(row)
    >>> af.readers.read_lm_eval(path)
    shape: (1, 5)
    ┌─────────────┬──────────┬────────────┬───────────┬───────┐
    │ question_id ┆ question ┆ prediction ┆ answers   ┆ task  │
    │ ---         ┆ ---      ┆ ---        ┆ ---       ┆ ---   │
    │ str         ┆ str      ┆ str        ┆ list[str] ┆ str   │
    ╞═════════════╪══════════╪════════════╪═══════════╪═══════╡
    │ 0           ┆ Brand?   ┆ coke       ┆ ["Coke"]  ┆ docqa │
    └─────────────┴──────────┴────────────┴───────────┴───────┘
    """
    path = _content.as_path(path)
    problems = Problems(path)
    _check_response(response)
    _check_none(none)
    samples = _logged_samples(path, problems)
    filters = samples.columns.get("filter")
    names = [] if filters is None else filters.texts().drop_nulls().unique().sort().to_list()
    among = listed(list(map(quoted, names))) or "none"
    if filter is None and len(names) > 1:
        raise problem(path, f"has responses after several filters: {among}; choose one with filter=...")
    if filter is not None:
        if filters is None or filter not in names:
            raise problem(path, f"no filter {quoted(filter)}; available: {among}")
        samples = filters.rows_with(filter)
    return _frame(path, _logged_fields(path, samples, response, none, problems), problems)


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
    path = _content.as_path(path)
    problems = Problems(path)
    run, samples = read_log(path, problems, allow_missing=allow_missing)
    if scorer is not None:
        scorers = sorted({name for _, sample in samples for name in sample.get("scores") or {}})
        if scorer not in scorers:
            among = listed([quoted(name) for name in scorers]) or "none"
            raise problem(path, f"no scorer {quoted(scorer)}; available: {among}")
    raw = _raw.from_objects(path, fields(run, samples, scorer, problems))
    # Inspect writes targets as strings or lists; the other harnesses print lists as strings.
    return _frame(path, replace(raw, columns=make_numbers(raw.columns)), problems, answers_format="text")


def read_vlmevalkit(path: str | os.PathLike[str], *, sheet: str | None = None) -> pl.DataFrame:
    r"""
    Read the predictions or detailed results of VLMEvalKit (`MODEL_DATASET.xlsx`, or TSV, CSV, JSON).

    For DocVQA and InfoVQA, VLMEvalKit's value of a row, `eval_score` in the detailed results, is the mean
    distance over the answers, so a perfect answer has 0. Do not report this value; score the rows instead
    (VLMEvalKit's aggregate figures equal those of the protocol `"rrc"`). VLMEvalKit also scores an empty
    prediction as the string "nan".

    Parameters
    ----------
    path
        The file.
    sheet
        Name of the sheet, for a workbook with several sheets.

    Returns
    -------
    DataFrame
        The standard frame; `index` is the id. All other columns keep their names. Scores (`eval_score`,
        `hit`, `anls`, ...) become numbers if the whole column can be converted; other columns of CSV, TSV and
        workbooks stay strings.

    Raises
    ------
    InputError
        If the file has problems; the error lists all of them, with their rows.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "Model_DocVQA_VAL.tsv"
    >>> _ = path.write_text("index\tquestion\tanswer\tprediction\n4\tBrand?\t['Coke', 'Coca Cola']\tcoke\n")
    >>> af.readers.read_vlmevalkit(path)
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────────────────┐
    │ question_id ┆ question ┆ prediction ┆ answers               │
    │ ---         ┆ ---      ┆ ---        ┆ ---                   │
    │ str         ┆ str      ┆ str        ┆ list[str]             │
    ╞═════════════╪══════════╪════════════╪═══════════════════════╡
    │ 4           ┆ Brand?   ┆ coke       ┆ ["Coke", "Coca Cola"] │
    └─────────────┴──────────┴────────────┴───────────────────────┘
    """
    path = _content.as_path(path)
    frame = table.read_table(
        path,
        required=_standard.SCORED,
        question_id="index",
        prediction="prediction",
        answers="answer",
        sheet=sheet,
        answers_format="list",
    )
    _check_answers(path, frame)
    others = [name for name in frame.columns if name not in _standard.ROLES]
    scores = [name for name in others if _SCORE_WORDS.intersection(name.casefold().split("_"))]
    frame = with_numbers_where_all_are(frame, scores)
    return origins.remember(frame, "rrc" if any(name in path.name for name in _SCORED_BY_ANLS) else None)


def _frame(path: Path, raw: Raw, problems: Problems, *, answers_format: str = "list") -> pl.DataFrame:
    if not raw.height:
        problems.raise_any()
        raise problem(path, "holds no samples")
    frame = _standard.samples_frame(raw, problems, answers_format=answers_format)
    if "question_id" in frame.columns:
        epochs = raw.columns.get((SAMPLE, "epoch"), [None] * frame.height)
        _standard.check_ids(frame["question_id"], problems, raw.place, epochs)
    problems.raise_any()
    _check_answers(path, frame)
    return frame


def _check_answers(path: Path, frame: pl.DataFrame) -> None:
    # The first rows nearly always have some.
    if not any(rows["answers"].list.drop_nulls().list.len().sum() for rows in (frame.head(100), frame)):
        raise problem(
            path,
            f"no answers in {frame.height:,} rows, as in a test split; there is nothing to score",
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
_VALUE, _ENTRY, _BESIDE, _METADATA = "score", "score_value", "score_field", "score_metadata"
_DIGITS = 20
# A value takes 50 to 250 bytes of memory, however well it is compressed. Before each stands one of these.
_BEFORE_VALUES = (b",", b"[", b"{")
_FREE_VALUES = 5_000_000
_MOST_VALUES = 2
"""Values for each compressed byte, where there are more."""


def read_log(path: Path, problems: Problems, *, allow_missing: bool) -> tuple[dict[str, Any], list[Sample]]:
    """Return what a log says of its run, and its samples with their places; other types are problems."""
    archived = path.suffix.lower() == ".eval"
    header, entries = _archive(path) if archived else _json_log(path)
    status = header.get("status")
    if status != "success" and not allow_missing:
        problems.add(
            f"the run's status is {quoted(status)}, so samples may be missing; to read it anyway, pass "
            "allow_missing=True"
        )
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


def _json_log(path: Path) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    log = _raw.read_whole(path, _content.read_json(path))
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise problem(path, "not a log of Inspect, or a log written without samples")
    return log, [(f"samples[{index}]", _reduced(sample)) for index, sample in enumerate(log["samples"])]


def _archive(path: Path) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    header: dict[str, Any] = {"status": "started"}  # the rest is written at the end of a run
    samples: list[tuple[str, Any]] = []
    values = 0
    with _content.opened_archive(path, "a log of Inspect") as archive:
        packed = sum(entry.compress_size for entry in archive.infolist())
        most = max(_FREE_VALUES, _MOST_VALUES * packed)
        for name in dict.fromkeys(archive.namelist()):
            is_sample = name.startswith("samples/") and name.endswith(".json")
            if not is_sample and name not in {"header.json", "_journal/start.json"}:
                continue
            content = _content.unpacked_member(archive, name)
            values += sum(map(content.count, _BEFORE_VALUES))
            if values > most:
                raise problem(
                    path,
                    f"its {packed:,} bytes hold more than {most:,} values, far more than logs do; if that is "
                    "intended, write it as JSON",
                    name,
                )
            value = parse(_content.without_halves(path, content.decode(), name))
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
