"""Samples logged by the LM evaluation harness."""

from __future__ import annotations

import os

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import listed, quoted
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.standard_frames import checked_samples
from anls_frame.readers.logged_samples import Meaning, Response, is_outcome, logged_fields, logged_samples


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
        The filter whose responses are read, if a file has responses of several filters. A file of a task
        without filters, which the harness logs as the filter `none`, is read as it is.
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
        (`samples_TASK_TIME.jsonl`) and the results of the run next to it.

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
    file = File.of(path)
    problems = Problems(file)
    samples = logged_samples(file, response, none, problems)
    filters = samples.columns.get("filter")
    names = [] if filters is None else filters.texts().drop_nulls().unique().sort().to_list()
    among = listed(list(map(quoted, names))) or "none"
    if filter is None and len(names) > 1:
        several = f"has responses after several filters: {among}; choose one with "
        raise problem(file, Message(several, Option("filter", ...)))
    if filter is not None and names != ["none"]:
        if filters is None or filter not in names:
            raise problem(file, f"no filter {quoted(filter)}; available: {among}")
        samples = filters.rows_with(filter)
    raw = logged_fields(file, samples, response, none, problems)
    return checked_samples(file, raw, problems, is_outcome=is_outcome)
