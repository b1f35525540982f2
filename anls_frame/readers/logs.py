"""Read the logs of several systems as one long frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from anls_frame._arguments import choice
from anls_frame._text import listed, quoted
from anls_frame.frames import origins
from anls_frame.readers import _docs, _log_files, _long, _runs, _standard
from anls_frame.readers._long import Log, Unmatched
from anls_frame.readers._problems import Advice, ManyProblems, Option, Problems, problem
from anls_frame.readers._runs import Runs
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl

    from anls_frame.readers._log_files import Paths

__all__ = ["read_logs"]


def read_logs(
    logs: Mapping[str, Paths] | Paths,
    *,
    reader: str | None = None,
    unmatched: Unmatched = "error",
    runs: Runs = "error",
    docs: Any = None,
    docs_id: str | None = None,
    **options: Any,
) -> pl.DataFrame:
    r"""
    Read the files of several systems as one long frame: a row for each system, epoch and question.

    Files of all readers of this package can be mixed; the reader of each is chosen by the file's beginning.

    Parameters
    ----------
    logs
        The files of each system, by the system's name: a file, a pattern such as `runs/old/*.jsonl`, a folder
        (all files in it that may be logs), or a list of these. Without names, each file is a system, named
        after its path below the folder that all files share, without suffix. Samples that lmms-eval or the
        LM evaluation harness wrote (the files' names have the task and the time of the run) are one system
        for each folder, named after the folder; if a task has several runs there, one for each time.
    reader
        The kind of all files by the name that the shell has for it, such as `"vlmevalkit"`: only
        VLMEvalKit's files must be named, because they look like tables. Pages have `read_pages`.
    unmatched
        What to do about questions that some systems have and others lack, and about questions that lack some
        of a system's epochs: `"error"` lists them in an error; `"null"` adds rows without a prediction for
        them, and `"drop"` leaves these questions out, both with a warning that lists them; `"keep"` returns
        the rows as they are.
    runs
        What to do about several runs of a task that lmms-eval or the LM evaluation harness left in a folder
        (or that match a pattern): `"error"` lists them, `"newest"` reads the newest of each task, `"all"` all
        of them, as repeats of one system. Files that you name are all read.
    docs
        The data set, whose columns are added to its questions: a file or a pattern (Parquet or any table), a
        Polars, pandas or Arrow frame, or a Dataset of Hugging Face. Columns with images or other binary data
        are left out. A column whose name is taken becomes `doc_NAME`.
    docs_id
        Column of `docs` with the ids. By default, the id is the number of the row, from 0, as in lmms-eval
        and the LM evaluation harness; for other files, the column must be named.
    options
        Options of the readers, such as `question_id=` of `read_results`, `scorer=` of `read_inspect` or, for
        submissions to the Robust Reading Competition or DUDE, `gold=`. Each is passed to the readers that
        have it.

    Returns
    -------
    DataFrame
        `system`, `epoch` (1, 2, ...), the columns of the standard frame, all other columns of all files, and
        `log_file`. A column of a file with one of these names gets an underscore appended. A column that has
        different dtypes in several files is widened, or String if no number can hold it exactly.

        `task` is the task of the run, where a harness writes it. If a system has files of several tasks, a
        question is identified by task and id; pass `id=["task", "question_id"]` to `compare`.

        Inspect's epochs, and all responses that lmms-eval and the LM evaluation harness logged for a sample
        (`response="all"` is the default here), are epochs. Files of one system that have questions in common
        are repeats: their epochs are counted on, file by file.

        The protocol of the harness is remembered, if it is the same for all files, as in the readers.

    Warns
    -----
    InputWarning
        If rows were added or left out, or some documents do not have the answers of their questions.

    Raises
    ------
    InputError
        If the files have problems, or do not fit together: all of them, with their places. Files do not fit
        if they accept different answers to a question, if questions are missing, or if `docs` lacks questions
        or has other answers for most of them. Also if a folder has several runs of a task.
    OSError
        If a file cannot be opened, or no file matches.
    TypeError
        If no reader of these files has an option, or `docs` is of an unknown kind.
    ValueError
        If `docs_id` is missing, or does not identify the rows of `docs`, or a system has several tasks.
    ColumnNotFoundError
        If `docs` has no column `docs_id`.

    See Also
    --------
    side_by_side : put the systems into columns, for `compare`, with `"prediction", "answers",
        system="system", id="question_id"`.

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
    files = [(system, path) for system, paths in _log_files.by_system(logs, runs).items() for path in paths]
    problems = ManyProblems()
    kinds = _kinds([path for _, path in files], reader, options, problems)
    if docs is None and docs_id is not None:
        raise ValueError("docs_id needs docs")
    if docs is not None and docs_id is None and any(READERS[kind].ids != "rows" for kind in kinds.values()):
        raise ValueError("name the column of docs that has the ids of the questions with docs_id=")
    read: list[Log] = []
    protocols: dict[str, set[str | None]] = {}
    for system, path in files:
        with problems.collecting():
            log, protocol = _read(system, path, kinds[path], options)
            read.append(log)
            protocols.setdefault(system, set()).add(protocol)
    problems.raise_any()
    tasks = _long.tasks_of(read)
    if docs is not None and tasks:
        raise ValueError(
            f"docs has the questions of one task, but these files are of {listed(list(map(quoted, tasks)))}; "
            "read the files of each task with its own docs"
        )
    rows = _long.joined(read)
    _long.check_answers(rows, problems, (path for _, path in files))
    if unmatched == "error":
        _long.check_complete(rows, problems)
    problems.raise_any()
    if unmatched == "null":
        rows = _long.filled(rows)
    elif unmatched == "drop":
        rows = _long.shared(rows)
    rows = _long.without_tasks(rows)
    if docs is not None:
        rows = _docs.joined(rows, docs, docs_id, problems)
    return _remembered(rows, protocols)


def _kinds(
    paths: list[Path], reader: str | None, options: dict[str, Any], problems: ManyProblems
) -> dict[Path, str]:
    """Return the kind of each file; raise an error for options that none of their readers has."""
    kinds: dict[Path, str] = {}
    for path in paths:
        with problems.collecting():
            kinds[path] = reader or kind_of(path, options.get("format"))
    problems.raise_any()
    known = {option for kind in kinds.values() for option in READERS[kind].parameters} - {"unique_ids"}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise TypeError(
            f"no option {', '.join(map(repr, unknown))} of the readers of these files "
            f"({', '.join(sorted(set(kinds.values())))})"
        )
    return kinds


def _read(system: str, path: Path, kind: str, options: dict[str, Any]) -> tuple[Log, str | None]:
    """Read a file, and return it with its harness' protocol; each epoch may have a question once."""
    chosen = READERS[kind]
    given = {name: value for name, value in options.items() if name in chosen.parameters}
    if "response" in chosen.parameters:
        given.setdefault("response", "all")
    if "gold" in chosen.parameters and "gold" not in given:
        raise problem(
            path, Advice("this is a submission: name the file of gold labels with ", Option("gold"))
        )
    if kind == "table":
        given["unique_ids"] = False
    frame = chosen.read(path, **given)
    if "question_id" not in frame.columns:
        raise problem(path, Advice("has no ids; name their column with ", Option("question_id")))
    rows = _long.with_epoch(frame)
    keys = rows.select("question_id", "epoch")
    if keys["question_id"].null_count() or keys.is_duplicated().any():
        if kind == "table" and _long.epochs_of(frame) is None:  # only the reader knows the lines
            chosen.read(path, **given | {"unique_ids": True})
        problems = Problems(path)
        _standard.check_ids_in_epochs(keys["question_id"], keys["epoch"], problems, _row)
        problems.raise_any()
    return Log(system, path, rows, _task(kind, path, frame)), origins.protocol_of(frame)


def _task(kind: str, path: Path, frame: pl.DataFrame) -> str | None:
    """Return the task of a file that a harness wrote, if it says so."""
    if READERS[kind].ids == "rows":
        run = _runs.of(path)
        return None if run is None else run.task
    if kind != "inspect" or "task" not in frame.columns or frame["task"].n_unique() > 1:
        return None
    return str(frame["task"][0])


def _remembered(rows: pl.DataFrame, protocols: Mapping[str, set[str | None]]) -> pl.DataFrame:
    """Remember the protocol of the harness of all files or, if they differ, of each system."""
    of_systems = {system: found.pop() if len(found) == 1 else None for system, found in protocols.items()}
    if len(set(of_systems.values())) > 1:
        return origins.remember(rows, of_systems=of_systems)
    return origins.remember(rows, next(iter(of_systems.values())))


def _row(index: int) -> str:
    return f"row {index + 1}"
