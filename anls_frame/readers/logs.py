"""Logs of several systems as one long frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import polars as pl

from anls_frame._arguments import choice
from anls_frame._text import numbered, quoted
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column
from anls_frame.readers import _log_files, _long, _standard
from anls_frame.readers._log_files import Paths
from anls_frame.readers._long import Log, Unmatched
from anls_frame.readers._problems import Problems, problem
from anls_frame.readers._runs import Runs
from anls_frame.readers.any_file import Reading, as_log, kind_of_file, read_kind
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.gold import Gold


def read_logs(
    logs: Mapping[str, Paths] | Paths,
    *,
    reader: str | None = None,
    unmatched: Unmatched = "error",
    runs: Runs = "error",
    gold: Any = None,
    gold_id: str | None = None,
    **options: Any,
) -> pl.DataFrame:
    r"""
    Read the files of several systems as one long frame, with a row for each system, epoch and question.

    Files of different readers can be mixed; the reader is detected from the beginning of each file.

    Parameters
    ----------
    logs
        A mapping from the names of systems to their files: a file, a pattern such as `runs/old/*.jsonl`, a
        folder (all files in it that may be logs), or a list of these. Without names, each file or folder is a
        system, named after the file or folder (or, to be distinct, after the path below the common folder). A
        single folder or pattern contains a file or folder for each system. Samples written by lmms-eval or
        the LM evaluation harness (whose file names have the task and the time of the run) form one system for
        each folder, named after the folder; several runs of a task there form one system for each time.
    reader
        Name of the reader of all files, as in the shell. Only `"vlmevalkit"` needs to be named, because its
        files look like tables. For pages, use `read_pages`.
    unmatched
        How to treat questions of other systems or of `gold` that a system lacks, and questions that lack some
        of a system's epochs. `"error"` lists them in an error; `"null"` adds rows without a prediction;
        `"drop"` leaves out the questions that a system lacks, but keeps questions with fewer epochs; both
        warn and list these questions. `"keep"` returns the rows unchanged. The option also applies to
        questions that `gold` lacks, which both `"null"` and `"drop"` leave out. Questions of `gold` count as
        missing only if its answers are needed.
    runs
        How to treat several runs of a task by lmms-eval or the LM evaluation harness in a folder or pattern:
        `"error"` lists them, `"newest"` reads the newest run of each task, `"all"` reads all runs, as repeats
        of one system. Files named individually are all read.
    gold
        The questions with their answers, types and documents, to be joined to the predictions by id: a file
        or a pattern (CSV, JSON Lines, JSON, Parquet or a workbook), a Polars, pandas or Arrow frame, or a
        Hugging Face Dataset. Columns are found by the same usual names as in files of results. Files of
        predictions then need no answers; if they have answers, gold adds the other columns. Columns with
        images or other binary data are left out. A column whose name is taken becomes `gold_NAME`, unless it
        has the same values. For submissions to the Robust Reading Competition or DUDE, the file of gold
        labels.
    gold_id
        Column of `gold` with the ids; by default, a column with a usual name or, for files of lmms-eval and
        the LM evaluation harness, the row number, from 0.
    options
        Options of the readers, such as `question_id=` of `read_results` or `scorer=` of `read_inspect`. Each
        option is passed to the readers that have it. `answers=`, `question=`, `question_types=` and `doc_id=`
        name columns of `gold` if it has them, and `answers_format=` also applies to `gold`. `epoch=` reads a
        single epoch.

    Returns
    -------
    DataFrame
        `system`, `epoch` (1, 2, ...), the columns of the standard frame, all other columns of all files, and
        `log_file`. A column of a file with one of these names gets an underscore appended. A column whose
        dtypes differ between files is widened; it becomes String if no numeric dtype can hold all values
        exactly.

        `task` is the task of the run, if the harness records it. If a system has files of several tasks, a
        question is identified by task and id; pass `id=["task", "question_id"]` to `compare`.

        Epochs are those of Inspect, or all responses that lmms-eval and the LM evaluation harness logged for
        a sample (``response="all"`` is the default here). Files of one system with common questions are
        repeats, whose epochs are numbered consecutively, file by file.

        As in single readers, the protocol of the harness is remembered if it is the same for all files.

    Warns
    -----
    InputWarning
        If rows were added or left out, or if a few questions have different answers in `gold`.

    Raises
    ------
    InputError
        If the files have problems or do not fit together; the error lists all problems, with their places.
        Files do not fit together if they accept different answers to a question, if questions are missing, if
        `gold` lacks questions or has different answers to most of them, or if a folder has several runs of a
        task.
    OSError
        If a file cannot be opened, or no file matches a pattern.
    TypeError
        If `gold` has an unsupported type.
    ValueError
        If no reader of these files has a given option, or a system has several tasks and `gold` is given.

    See Also
    --------
    side_by_side : pivots the systems to columns for `compare`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, answer in {"old": "Cola", "new": "coke"}.items():
    ...     _ = (folder / f"{name}.csv").write_text(f"id,pred,answer\n1,{answer},Coke\n2,1999,1999\n")
    >>> frame = af.read_logs({"old": folder / "old.csv", "new": folder / "new.csv"})
    >>> frame.drop("log_file")
    shape: (4, 5)
    ┌────────┬───────┬─────────────┬────────────┬───────────┐
    │ system ┆ epoch ┆ question_id ┆ prediction ┆ answers   │
    │ ---    ┆ ---   ┆ ---         ┆ ---        ┆ ---       │
    │ str    ┆ i64   ┆ str         ┆ str        ┆ list[str] │
    ╞════════╪═══════╪═════════════╪════════════╪═══════════╡
    │ old    ┆ 1     ┆ 1           ┆ Cola       ┆ ["Coke"]  │
    │ old    ┆ 1     ┆ 2           ┆ 1999       ┆ ["1999"]  │
    │ new    ┆ 1     ┆ 1           ┆ coke       ┆ ["Coke"]  │
    │ new    ┆ 1     ┆ 2           ┆ 1999       ┆ ["1999"]  │
    └────────┴───────┴─────────────┴────────────┴───────────┘
    """
    choice("unmatched", unmatched, get_args(Unmatched))
    choice("runs", runs, get_args(Runs))
    if reader is not None:
        choice("reader", reader, [name for name in READERS if name != "pages"])
    epoch = options.pop("epoch", None)
    how = Reading(reader=reader, gold=gold, gold_id=gold_id, epoch=epoch, options=options)
    return rows_of(_log_files.by_system(logs, runs, how.gold_files), how, unmatched)


def rows_of(systems: Mapping[str, Sequence[Path]], how: Reading, unmatched: str) -> pl.DataFrame:
    """Return the concatenated rows of the files of each system."""
    logs, questions = read_each(systems, how)
    return _long.long_frame(logs, gold=questions, unmatched=unmatched, epoch=how.epoch)


def read_each(
    systems: Mapping[str, Sequence[Path]], how: Reading, *, column: str | None = None
) -> tuple[list[Log], Gold | None]:
    """
    Return the rows of each file, and the questions joined to them.

    If a `column` names the system of each row, a file contains several logs.
    """
    files = [(system, path) for system, paths in systems.items() for path in paths]
    problems = Problems()
    kinds: dict[Path, str] = {}
    for _, path in files:
        with problems.collecting():
            kinds[path] = kind_of_file(path, how)
    problems.raise_any()
    questions = how.questions({*kinds.values()})
    options = how.reader_options({*kinds.values()}, questions)
    logs: list[Log] = []
    for system, path in files:
        with problems.collecting():
            unique: _standard.UniqueIds = "in an epoch" if column is None else False
            frame = read_kind(path, kinds[path], options, questions, unique_ids=unique, **how.of_table)
            parts = [(system, frame)] if column is None else _by_system(path, frame, column)
            logs += [as_log(name, path, kinds[path], rows) for name, rows in parts]
    problems.raise_any()
    return logs, questions


def _by_system(path: Path, frame: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Return the rows of each system that a column names."""
    if column not in frame.columns:
        raise problem(path, no_column(column, frame.columns))
    if lacking := frame[column].null_count():
        raise problem(path, f"{numbered(lacking, 'row')} without a system in {quoted(column)}")
    if "question_id" in frame.columns:
        problems = Problems(path)
        epochs = zip(frame[column], _long.with_epoch(frame)["epoch"], strict=True)
        _standard.check_ids(frame["question_id"], problems, lambda row: f"row {row + 1}", epochs)
        problems.raise_any()
    parts = frame.partition_by(column, maintain_order=True, as_dict=True)
    return [(str(name), origins.like(rows, frame)) for (name,), rows in parts.items()]
