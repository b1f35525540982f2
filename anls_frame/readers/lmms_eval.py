"""Samples logged by lmms-eval."""

from __future__ import annotations

import os

import polars as pl

from anls_frame.files.file import File
from anls_frame.files.problems import Problems
from anls_frame.files.standard_frames import checked_samples
from anls_frame.frames import origins
from anls_frame.readers.logged_samples import (
    FILTERS,
    Meaning,
    Response,
    is_outcome,
    logged_fields,
    logged_samples,
)


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
        results of the run next to it.

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
    file = File.of(path)
    problems = Problems(file)
    samples = logged_samples(file, response, none, problems)
    raw = logged_fields(file, samples, response, none, problems)
    frame = checked_samples(file, raw, problems, is_outcome=is_outcome, repeated=FILTERS)
    protocol = "rrc" if frame.schema.get("anls", pl.Null).is_numeric() else None
    return origins.remember(frame, protocol, outcomes=origins.of(frame).outcomes)
