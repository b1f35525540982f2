"""Files of systems on the same questions: logs as one long frame, or texts side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice
from anls_frame._messages import Message, Option, wrong
from anls_frame._paths import as_names, is_many
from anls_frame._text import listed, numbered, quoted
from anls_frame.files import standard_frames
from anls_frame.files.file import File
from anls_frame.files.folders import check_different
from anls_frame.files.problems import Problems, problem
from anls_frame.files.table_files import with_entries
from anls_frame.frames import origins
from anls_frame.frames.checks import check_columns, free_name, no_column
from anls_frame.frames.number_columns import with_numbers
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.questions import Gold
from anls_frame.reports.long_frames import Wide
from anls_frame.reports.long_frames import side_by_side as in_columns
from anls_frame.runs import log_files, long_rows
from anls_frame.runs.log_files import NUMBERED, Paths, Runs
from anls_frame.runs.long_rows import Log, Unmatched
from anls_frame.runs.reading import (
    Reading,
    are_pages,
    as_log,
    check_page,
    kind_of_file,
    load_table,
    read_kind,
    scan_counted,
    warn_of_empty,
    with_every_response,
    with_unique_ids,
)
from anls_frame.runs.score_columns import are_columns, metric_of_scores
from anls_frame.summary.measures import Metric


def read_logs(
    logs: Mapping[str, Paths] | Paths,
    *,
    reader: str | None = None,
    unmatched: Unmatched = "error",
    runs: Runs = "error",
    gold: Any = None,
    gold_id: str | Sequence[str] | None = None,
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
        Name of the reader of all files, as on the command line. Only `"vlmevalkit"` needs to be named,
        because its files look like tables. For pages, use `read_pages`.
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
        of one system. Of files named individually, all are read unless it is `"newest"`.
    gold
        The questions with their answers, types and documents, to be joined to the predictions by id: a file
        or a pattern (CSV, JSON Lines, JSON, Parquet or a workbook), a Polars, pandas or Arrow frame, or a
        Hugging Face Dataset. Columns are found by the same usual names as in files of results. Files of
        predictions then need no answers; if they have answers, gold adds the other columns. Columns with
        images or other binary data are left out. A column whose name is taken becomes `gold_NAME`, unless it
        has the same values. For submissions to the Robust Reading Competition or DUDE, the file of gold
        labels.
    gold_id
        Column or columns of `gold` with the ids; by default, a column with a usual name or, for files of
        lmms-eval and the LM evaluation harness, the row number, from 0.
    options
        Options of the readers, such as `question_id=` of `read_results` or `scorer=` of `read_inspect`. Each
        option is passed to the readers that have it. `answers=`, `question=`, `question_types=` and `doc_id=`
        name columns of `gold` if it has them; `answers_format=` and `question_types_format=` also apply to
        `gold`. `epoch=` reads a single epoch.

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
        If rows were added or left out, if a few questions have different answers in `gold`, or if files, or
        a file and `gold`, have different questions under the same ids.

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
    if reader is not None:
        choice("reader", reader, [name for name in READERS if name != "pages"])
    epoch = options.pop("epoch", None)
    how = Reading(reader=reader, gold=gold, gold_id=gold_id, epoch=epoch, runs=runs, options=options)
    return rows_of(log_files.by_system(logs, runs, how.gold_files), how, unmatched)


def rows_of(
    systems: Mapping[str, Sequence[File]],
    how: Reading,
    unmatched: str,
    read: Mapping[File, pl.DataFrame] = {},
) -> pl.DataFrame:
    """Return the concatenated rows of the files of each system, some of which may have been read."""
    logs, questions = read_each(systems, how, read=read)
    rows = long_rows.long_frame(logs, gold=questions, unmatched=unmatched, epoch=how.epoch)
    return how.chosen(rows)


def read_each(
    systems: Mapping[str, Sequence[File]],
    how: Reading,
    *,
    column: str | None = None,
    read: Mapping[File, pl.DataFrame] = {},
) -> tuple[list[Log], Gold | None]:
    """
    Return the rows of each file, and the questions joined to them.

    If a `column` names the system of each row, a file contains several logs. Files in `read` are not read
    again.
    """
    files = [(system, file) for system, of_system in systems.items() for file in of_system]
    problems = Problems()
    kinds: dict[File, str] = {}
    for _, file in files:
        with problems.collecting():
            kinds[file] = kind_of_file(file, how)
    problems.raise_any()
    questions = how.questions({*kinds.values()})
    options = {"response": "all", **how.reader_options({*kinds.values()}, questions)}
    logs: list[Log] = []
    for system, file in files:
        with problems.collecting():
            frame = read.get(file)
            if frame is None:
                file.unique_ids = how.unique_ids if column is None else False
                file.is_part = len(systems[system]) > 1
                frame = read_kind(file, kinds[file], options, questions, **how.of_table)
                warn_of_empty(file, frame.height)
            asked = how.asking(questions, frame.columns)
            if column is None:
                parts = [(system, with_unique_ids(frame, file, how, asked))]
            else:
                parts = _by_system(file, frame, how, asked, column)
            logs += [as_log(name, file, kinds[file], rows) for name, rows in parts]
    problems.raise_any()
    how.check_chosen(*(log.rows for log in logs))
    return logs, how.asking(questions, set().union(*(log.rows.columns for log in logs)))


def _by_system(
    file: File, frame: pl.DataFrame, how: Reading, gold: Gold | None, column: str
) -> list[tuple[str, pl.DataFrame]]:
    """Return the rows of each system that a column names."""
    frame = with_entries(frame, [column], file)
    if column not in frame.columns:
        raise problem(file, no_column(column, frame.columns))
    dtype = frame[column].dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise problem(file, f"column {column!r} must hold the names of systems, got {dtype}")
    if lacking := frame[column].null_count():
        raise problem(file, f"{numbered(lacking, 'row')} without a system in {quoted(column)}")
    frame = with_unique_ids(frame, file, how, gold, column)
    parts = frame.partition_by(column, maintain_order=True, as_dict=True)
    return [(str(name), origins.like(rows, frame)) for (name,), rows in parts.items()]


def has_epochs(frame: pl.LazyFrame) -> bool:
    """Return whether the file of one system numbers several answers to the same question."""
    if not {"epoch", "question_id"} <= set(frame.collect_schema()):
        return False
    keys = frame.select("question_id", "epoch")
    if keys.select(pl.col("epoch").n_unique()).collect(engine="streaming").item() == 1:
        return False
    table = keys.collect(engine="streaming")
    is_distinct = table["question_id"].n_unique() < table.height == table.n_unique()
    return is_distinct and standard_frames.epochs_of(table) is not None


QUESTION = ["system", "question_id"]


@dataclass(frozen=True, kw_only=True)
class SystemFiles:
    """The layout of systems: files for each, columns of one file, or rows of files with all systems."""

    files: Sequence[File]
    """Files, folders and patterns, as they are named."""
    how: Reading
    repeats: bool = False
    """Whether a folder holds repeated answers of one system, not systems."""
    least: int = 2
    """How many there must be."""

    @classmethod
    def of(
        cls,
        given: SystemFiles | Paths,
        how: Reading | None,
        metrics: Sequence[str | Metric] | None,
        **options: Any,
    ) -> SystemFiles:
        """Return files, with how they are read for these metrics; those read before as they are."""
        if isinstance(given, SystemFiles):
            return given
        how = replace(how or Reading(), needs_texts=not are_columns(metrics))
        return cls(files=[File.of(name) for name in as_names(given, "files")], how=how, **options)

    def naming(self, *columns: str | None) -> SystemFiles:
        """Return the same files, of whose objects the named entries are read as columns."""
        named = {name: None for name in columns if name is not None and "." in name}
        if named.keys() <= {*self.how.entries}:
            return self  # with the rows that it has read
        return replace(self, how=replace(self.how, entries=[*self.how.entries, *named]))

    @cached_property
    def every_file(self) -> list[File]:
        """All files, including those of folders and patterns."""
        files = [*self.files]
        if not are_pages(self.how):
            runs: Runs = "all" if self.repeats else self.how.runs
            files = log_files.files_of(files, runs, self.how.gold_files)
        for file in files if are_pages(self.how) else []:
            check_page(file, self.how)
        check_different(files)
        for file in files:
            file.is_part = len(files) > 1
        return files

    @cached_property
    def scanned(self) -> dict[File, tuple[pl.LazyFrame, int]]:
        """The rows of each file, lazily if its format allows it, and their number."""
        return {file: scan_counted(file, with_every_response(file, self.how)) for file in self.every_file}

    @property
    def part(self) -> str:
        """The name of the single part that all files form, if they are read together."""
        return "+".join(map(str, self.every_file))

    @cached_property
    def together(self) -> pl.DataFrame:
        """The rows of all files of one system, read together."""
        scanned = self.scanned if "scanned" in vars(self) else {}
        # Of a table, the ids of each epoch are checked while it is read.
        read = {
            file: frame.collect()
            for file, (frame, _) in scanned.items()
            # Where some were chosen, questions with no chosen row would be missing.
            if self.how.where is None and (kind_of_file(file, self.how) != "table" or has_epochs(frame))
        }
        unmatched = self.how.unmatched or ("error" if self.how.gold is not None else "keep")
        return long_rows.told_apart(rows_of({self.part: self.every_file}, self.how, unmatched, read))

    @cached_property
    def rows(self) -> pl.DataFrame:
        """A row for each system, epoch and question."""
        return logged(self)

    @cached_property
    def texts(self) -> Wide[pl.DataFrame]:
        """The texts of systems in columns of one file."""
        first, *others = names = _column_names(self)
        (file,) = self.files
        read = {"prediction": first} | {f"__anls_frame_{index}": name for index, name in enumerate(others)}
        # The first system is in one place only, because checks would find its problems twice.
        how = replace(self.how, options={**self.how.options, "prediction": first})
        frame = load_table(file, how, "systems", systems={name: read[name] for name in [*read][1:]})
        systems: dict[str, str] = {}
        for name in _names(self, names):
            systems[name] = free_name(f"prediction of {name}", {*frame.columns, *systems.values()})
        named = frame.rename(dict(zip(read, systems.values(), strict=True)))
        return Wide(origins.like(named, frame), systems, "answers", None)

    @property
    def one_table(self) -> str:
        """What to do if `lr=0.1`, `data_1.csv` and others, parts of one table by their names, are systems."""
        (first, *_), given = self.every_file, self.files[0].path
        below = [path for path in (first.path, *first.path.parents) if given in path.parents]
        parts = [path for path in below if "=" in path.name or NUMBERED.search(path.name)]
        pattern = "".join(quoted(str(path.parent / "*")) for path in parts[-1:])
        return pattern and f"; if {parts[-1].name} and the others are systems, name them by {pattern}"

    @property
    def are_logged(self) -> bool:
        """Whether each system has its own rows, rather than a column."""
        in_rows = self.how.system_column is not None
        return in_rows or len(self.files) > 1 or is_many(self.files[0].path)


def read_systems(
    files: Sequence[str | os.PathLike[str]],
    *,
    systems: Sequence[str] | None = None,
    system_column: str | None = None,
    names: Sequence[str] | None = None,
    reader: str | None = None,
    gold: Any = None,
    gold_id: str | Sequence[str] | None = None,
    epoch: int | None = None,
    unmatched: Literal["error", "null", "drop"] = "error",
    runs: Runs = "error",
    **options: Any,
) -> Wide[pl.DataFrame]:
    """
    Read the files of systems on the same questions, with all predictions side by side.

    Parameters
    ----------
    files
        A file or folder for each system, a single folder with a file or folder for each system, or a single
        file with all systems.
    systems
        The prediction columns of the systems, if a single file has them.
    system_column
        Column with the system of each row, if a single file has rows for all systems.
    names
        Names of the systems, in place of the names of their files or columns.
    reader
        As for `readers.read_file`.
    gold, gold_id
        As for `anls_frame.read_logs`.
    epoch
        As for `readers.read_file`.
    unmatched
        How to treat questions that a system lacks: `"error"` lists them, `"null"` counts them as missing
        predictions, `"drop"` leaves them out.
    runs
        As for `anls_frame.read_logs`.
    options
        Options of the readers, such as `question_id=` or `scorer=`.

    Returns
    -------
    Wide
        A `frame` with a row for each question, which has the columns of the first system and the predictions
        of all, and the `systems` with the columns of their predictions. `compare` takes it as it is;
        `changes` and `browse` take its frame and its systems, with ``answers="answers"``.

    Raises
    ------
    InputError
        If the files have problems, or do not have the same questions and answers.
    OSError
        If a file cannot be opened.
    ValueError
        If a system has several answers to a question (`epoch` chooses one), or options do not fit.

    See Also
    --------
    anls_frame.read_logs : the concatenated rows of all systems and epochs.
    anls_frame.side_by_side : the same of a frame with a row for each system and question.

    Examples
    --------
    >>> import anls_frame as af
    >>> df = af.sample()
    >>> df.select("question_id", prediction="tesseract").write_csv("tesseract.csv")
    >>> df.select("question_id", prediction="rapidocr").write_csv("rapidocr.csv")
    >>> both = af.readers.read_systems(["tesseract.csv", "rapidocr.csv"], gold=df)
    >>> both.frame.height, both.systems
    (1624, {'tesseract': 'prediction of tesseract', 'rapidocr': 'prediction of rapidocr'})
    >>> round(af.compare(both).overall["difference"].item(), 3)
    0.186
    """
    given = SystemFiles(
        files=[File.of(file) for file in files],
        how=Reading(
            reader=reader,
            gold=gold,
            gold_id=gold_id,
            epoch=epoch,
            unmatched=None if unmatched == "error" else unmatched,
            runs=runs,
            systems=systems,
            system_column=system_column,
            names=names,
            options=options,
        ),
    )
    return texts_of(given)


def texts_of(given: SystemFiles) -> Wide[pl.DataFrame]:
    """Return the texts of all systems side by side."""
    if not given.are_logged:
        return given.texts
    rows = given.rows
    if are_repeated(rows):
        epochs = listed([str(epoch) for epoch in rows["epoch"].unique().sort()])
        several = f"there are several epochs: {epochs}; choose one with "
        raise ValueError(Message(several, Option("epoch"), given.one_table))
    return side_by_side(rows)


def systems_of(rows: pl.DataFrame) -> list[str]:
    """Return the names of the systems, in the order of the rows."""
    return rows["system"].unique(maintain_order=True).to_list()


def are_repeated(rows: pl.DataFrame) -> bool:
    """Return whether a system has several rows for a question."""
    return bool(rows.select(pl.struct(QUESTION).is_duplicated().any()).item())


def scores_in_columns(given: SystemFiles, metrics: Sequence[str | Metric] | None) -> Wide[pl.DataFrame]:
    """Return a table with a column of scores for each system, and the metric that they are."""
    if len(given.files) > 1 or given.how.systems is None:
        what = "scores are in two or more columns of one file; name them with "
        one = "; a single column, with systems in rows, is a metric: instead, pass "
        raise ValueError(Message(what, Option("systems", "OLD,NEW"), one, Option("metrics", "COLUMN")))
    names = _column_names(given)
    (file,) = given.files
    how = replace(given.how, entries=[*given.how.entries, *names])
    frame = load_table(file, how, "scores", required=())
    for name in names:
        check_columns(frame.columns, [name], names)
    systems = dict(zip(_names(given, names), names, strict=True))
    numbers = with_numbers(frame, names).with_columns(cs.by_name(names).cast(pl.Float64)).collect()
    return Wide(origins.like(numbers, frame), systems, None, [metric_of_scores(systems, metrics)])


def _column_names(given: SystemFiles) -> list[str]:
    for file in given.files:
        if not is_many(file.path):
            file.check()
    names = [*(given.how.systems or ())]
    if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
        what = "name two or more files, or two or more prediction columns of one file with "
        raise ValueError(Message(what, Option("systems", "OLD,NEW"), ", each once"))
    return names


def logged(given: SystemFiles, *, together: bool = True) -> pl.DataFrame:
    """
    Return a row for each system, epoch and question.

    Raises
    ------
    InputError
        If the files have problems, or a system lacks a question or an epoch, unless these may be left out or
        the systems are treated separately.
    """
    if given.how.systems is not None and given.how.system_column is None:
        first, *others = given.files
        but = f"{len(given.files)} files are given" if others else f"{first} names several: name one of them"
        raise ValueError(Message(Option("systems"), " is for systems in one file, but ", but))
    logs, questions = _logs(given)
    systems = _chosen(given, list(dict.fromkeys(log.system for log in logs)))
    logs = [log for log in logs if log.system in systems]
    if len(systems) < (given.least if together else 1):
        what = "holds the logs of one system" if given.how.system_column is None else "names one system"
        source = given.how.system_column or given.files[0]
        raise ValueError(f"{source}: {what}; name two or more systems{given.one_table}")
    names = dict(zip(systems, _names(given, systems), strict=True))
    logs = [
        log._replace(system=names[log.system])
        for log in sorted(logs, key=lambda log: systems.index(log.system))
    ]
    usual = "error" if together or questions is not None else "keep"
    unmatched = given.how.unmatched or usual
    rows = long_rows.long_frame(logs, gold=questions, unmatched=unmatched, epoch=given.how.epoch)
    if are_pages(given.how):
        dropped = {origins.of(log.rows).empty_lines for log in logs}
        rows = origins.add(rows, are_pages=True, empty_lines=next(iter(dropped)))
    return given.how.chosen(long_rows.told_apart(rows))


def _chosen(given: SystemFiles, systems: list[str]) -> list[str]:
    """Return the systems of a column to compare, in order."""
    if given.how.systems is None:
        return systems
    unknown = [name for name in given.how.systems if name not in systems]
    if unknown:
        among = listed(list(map(quoted, systems)))
        raise ValueError(Message(Option("systems"), f" must be among {among}, got {quoted(unknown[0])}"))
    return list(dict.fromkeys(given.how.systems))


def _logs(given: SystemFiles) -> tuple[list[Log], Gold | None]:
    """Return the rows of each system in each file, and the questions that are joined to them."""
    # Unmatched questions are known only after the files of all systems are read.
    how = replace(given.how, unmatched=None)
    if given.how.system_column is not None:
        return read_each({"": given.every_file}, how, column=given.how.system_column)
    if are_pages(given.how):
        from anls_frame.readers.pages import read_engines  # noqa: PLC0415 - only for pages

        files = given.every_file
        paths = [file.path for file in files]
        frames = read_engines(paths, **given.how.reader_options(["pages"]))
        return [
            Log(name, path, long_rows.with_epoch(frame))
            for name, path, frame in zip(log_files.names_of(paths), paths, frames, strict=True)
        ], None
    runs: Runs = "all" if given.repeats else given.how.runs
    systems = log_files.by_system(given.files, runs, how.gold_files, repeats=given.repeats)
    return read_each(systems, how)


def side_by_side(rows: pl.DataFrame) -> Wide[pl.DataFrame]:
    """Pivot the predictions of systems to columns, with all other columns from the first system."""
    wide = in_columns(rows, "prediction", "answers", system="system", id="question_id")
    return wide._replace(frame=origins.like(wide.frame.drop("prediction"), rows))


def _names(given: SystemFiles, usual: Sequence[str]) -> list[str]:
    """Return the given names of the systems, or the default names."""
    names = list(given.how.names or usual)
    if len(names) != len(usual):
        counts = f"must be given for each system or none: {len(names)} for {len(usual)}"
        raise wrong("name", counts)
    if len(set(names)) < len(names) or "" in names:
        raise wrong("name", f"must differ between systems, got {listed(map(quoted, names))}")
    return names
