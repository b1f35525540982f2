"""Readers of result files of evaluation harnesses: lmms-eval, VLMEvalKit, lm-evaluation-harness, Inspect."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from anls_frame._text import listed, quoted
from anls_frame.frames import origins
from anls_frame.readers import (
    _content,
    _inspect,
    _logged,
    _raw,
    _standard,
    table,
)
from anls_frame.readers._logged import Response
from anls_frame.readers._problems import Problems, problem
from anls_frame.readers._raw import Column
from anls_frame.readers._standard import SAMPLE, Key
from anls_frame.readers.score_columns import with_numbers_where_all_are

# Data sets that VLMEvalKit scores with ANLS, as they appear in file names.
_SCORED_BY_ANLS = ("DocVQA", "InfoVQA")
# Words in the names that VLMEvalKit gives to score columns.
_SCORE_WORDS = frozenset({"score", "scores", "hit", "anls", "acc", "em", "f1"})


def read_lmms_eval(path: str | os.PathLike[str], *, response: Response | None = None) -> pl.DataFrame:
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
    _logged.check_response(response)
    samples = _logged.read(path, problems)
    frame = _frame(path, *_logged.columns(path, samples, response, problems), problems)
    return origins.remember(frame, "rrc" if frame.schema.get("anls", pl.Null).is_numeric() else None)


def read_lm_eval(
    path: str | os.PathLike[str],
    *,
    filter: str | None = None,  # noqa: A002 - its name there
    response: Response | None = None,
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
    _logged.check_response(response)
    samples = _logged.read(path, problems)
    filters = samples.columns.get("filter")
    names = [] if filters is None else filters.texts().drop_nulls().unique().sort().to_list()
    among = listed(list(map(quoted, names))) or "none"
    if filter is None and len(names) > 1:
        raise problem(path, f"has responses after several filters: {among}; choose one with filter=...")
    if filter is not None:
        if filters is None or filter not in names:
            raise problem(path, f"no filter {quoted(filter)}; available: {among}")
        samples = filters.rows_with(filter)
    return _frame(path, *_logged.columns(path, samples, response, problems), problems)


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
    run, samples = _inspect.read(path, problems, allow_missing=allow_missing)
    if scorer is not None:
        scorers = sorted({name for _, sample in samples for name in sample.get("scores") or {}})
        if scorer not in scorers:
            among = listed([quoted(name) for name in scorers]) or "none"
            raise problem(path, f"no scorer {quoted(scorer)}; available: {among}")
    columns, places = _raw.gathered(path, _inspect.fields(run, samples, scorer, problems))
    # Inspect writes targets as strings or lists; the other harnesses print lists as strings.
    columns = _inspect.make_numbers(columns)
    return _frame(path, columns, len(places), places.__getitem__, problems, answers_format="text")


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


def _frame(
    path: Path,
    columns: Mapping[Key, Column],
    height: int,
    place: Callable[[int], str],
    problems: Problems,
    *,
    answers_format: str = "list",
) -> pl.DataFrame:
    if not height:
        problems.raise_any()
        raise problem(path, "holds no samples")
    frame = _standard.samples_frame(columns, height, place, problems, answers_format=answers_format)
    if "question_id" in frame.columns:
        epochs = columns.get((SAMPLE, "epoch"), [None] * frame.height)
        _standard.check_ids(frame["question_id"], problems, place, epochs)
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
