"""Files of any kind as the standard frame, with a named reader or one detected from the file's beginning."""

from __future__ import annotations

import errno
import glob
import json
import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from anls_frame._arguments import choice
from anls_frame._messages import Message, Option
from anls_frame._text import path_text
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, InputWarning, warn
from anls_frame.export import row_files
from anls_frame.export.row_names import PAGES, ROWS, Names
from anls_frame.files import standard_frames
from anls_frame.files.file import SUFFIXES, File
from anls_frame.files.folders import is_one_of
from anls_frame.files.other_formats import TRANSCRIPTS
from anls_frame.files.problems import Problems, problem
from anls_frame.files.standard_frames import Rows
from anls_frame.files.table_files import read_table, reading_parquet, scan_table, with_entries
from anls_frame.frames import origins, usual_names
from anls_frame.frames.usual_names import PREDICTED, SCORED
from anls_frame.readers._page_names import OTHER_FORMATS, is_page
from anls_frame.readers.descriptions import ID_FIELDS, READERS
from anls_frame.readers.log_names import run_of
from anls_frame.readers.questions import GOLD_ROLES, Gold, read_gold
from anls_frame.runs import long_rows
from anls_frame.runs.conditions import columns_named_in, condition, only_parts, only_where
from anls_frame.runs.log_files import Runs
from anls_frame.runs.long_rows import Log, only_epoch

_ROW = "__anls_frame_row"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """
    How files are read, for `report_files` and `compare_files`; None means detection.

    Parameters
    ----------
    reader
        Name of the reader, such as `"vlmevalkit"`, whose files look like tables.
    gold, gold_id
        The gold labels of a submission, the ground truth of pages, or a table of the questions and its column
        of ids, as for `anls_frame.read_logs`.
    epoch
        The only epoch to read of questions with repeated answers.
    unmatched
        How to treat questions that a system or `gold` lacks, as for `anls_frame.read_logs`; by default, an
        error lists them.
    runs
        Which runs of a task to read from a folder, as for `anls_frame.read_logs`.
    where
        Only the rows for which this expression of SQL is true, such as ``"lang = 'de'"``.
    systems
        The prediction columns of systems in one file or, with `system_column`, which systems to read.
    system_column
        Column with the system of each row, if a file has rows for all systems.
    names
        Names of the systems, in place of the names of their files or columns.
    entries
        Entries of objects and lists to read as columns, such as ``["meta.lang"]``; columns that the arguments
        of a call name need not be named again.
    needs_texts
        Whether a table must have predictions and answers, rather than only columns of scores.
    options
        Options of the readers, such as ``{"question_id": "key", "scorer": "match"}``.

    Raises
    ------
    OSError
        If there is no file or pattern of the name `gold`.
    ValueError
        If an option has an invalid value, or needs another one.

    Examples
    --------
    >>> import anls_frame as af
    >>> df = af.sample()
    >>> df.select("question_id", prediction="tesseract").write_csv("tesseract.csv")
    >>> report = af.readers.report_files("tesseract.csv", af.readers.Reading(gold=df))
    >>> round(report.overall["anls"], 3)
    0.66
    """

    reader: str | None = None
    gold: Any = None
    gold_id: str | Sequence[str] | None = None
    epoch: int | None = None
    unmatched: Literal["error", "null", "drop", "keep"] | None = None
    runs: Runs = "error"
    where: str | None = None
    systems: Sequence[str] | None = None
    system_column: str | None = None
    names: Sequence[str] | None = None
    entries: Sequence[str] = ()
    needs_texts: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reader is not None:
            choice("reader", self.reader, READERS)
        if self.unmatched is not None:
            choice("unmatched", self.unmatched, ("error", "null", "drop", "keep"))
        choice("runs", self.runs, get_args(Runs))
        if self.where is not None:
            condition(self.where)
        if self.gold is None and self.gold_id is not None:
            raise ValueError(Message(Option("gold_id"), " needs ", Option("gold")))
        if isinstance(self.gold, str | os.PathLike):
            gold = File.of(self.gold)
            if not (gold.path.exists() or glob.has_magic(str(gold))):
                raise FileNotFoundError(errno.ENOENT, "there is no such file", str(gold))
            object.__setattr__(self, "gold", gold)

    @property
    def of_table(self) -> dict[str, Any]:
        """The options of `read_table` for a table that needs no texts."""
        return {} if self.needs_texts else {"required": ()}

    @property
    def unique_ids(self) -> standard_frames.UniqueIds:
        """Whether ids are checked while a table is read; otherwise, `where` first chooses among its rows."""
        return "in an epoch" if self.where is None else False

    @property
    def gold_files(self) -> list[Path]:
        """The files of questions or labels, which do not belong to a system."""
        if not isinstance(self.gold, File):
            return []
        matches = glob.glob(str(self.gold), recursive=True)  # noqa: PTH207 - a Path has no absolute patterns
        return [self.gold.path] if self.gold.path.exists() else list(map(Path, matches))

    def chosen(self, rows: Rows, file: File | None = None) -> Rows:
        """Return the rows to be read, with the entries of objects that are named as columns."""
        entries = [*self.entries, *columns_named_in(self.where)]
        made = only_where(with_entries(rows, entries, file), self.where)
        if isinstance(made, pl.DataFrame):
            self.check_chosen(made)
        conditions = ["runs = newest"] if self.runs == "newest" else []
        conditions += [] if self.epoch is None else [f"epoch = {self.epoch}"]
        if self.where is not None:
            conditions.append(f"({self.where})" if conditions else self.where)
        return origins.add(made, where=" AND ".join(conditions)) if conditions else made

    def check_chosen(self, *rows: pl.DataFrame) -> None:
        """Raise an error if `where` chooses none of the rows."""
        if self.where is not None and not any(map(len, rows)):
            raise ValueError(f"no row fulfils {self.where}")

    def asking(self, gold: Gold | None, columns: Collection[str]) -> Gold | None:
        """Return gold that asks only what `where` may choose, as far as it is not about these columns."""
        if gold is None or self.where is None:
            return gold
        own = [name for name in columns_named_in(self.where) if name not in columns or name == "question_id"]
        rows = gold.ids.hstack(gold.rows.drop("question_id", strict=False))
        rows = with_entries(rows, own, gold.path)
        asked = only_parts(rows, self.where, {*own} & {*rows.columns})
        return replace(gold, chosen=asked.select("question_id"))

    def questions(self, kinds: Collection[str]) -> Gold | None:
        """Return the questions to be joined to files of these kinds."""
        competitions = [READERS[kind].competition for kind in sorted(kinds) if READERS[kind].competition]
        if self.gold_id is not None and (competitions or are_pages(self)):
            raise ValueError(Message(Option("gold_id"), " is for gold in a table"))
        if self.gold is None or are_pages(self):
            return None
        if competitions:
            labels: Gold = competitions[0].labels(File.of(self.gold))
            return labels
        numbered = {kind for kind in kinds if READERS[kind].ids == "rows"}
        if self.gold_id is None and numbered and numbered != set(kinds):
            advice = "some files number their questions: name the column of the ids of all in gold with "
            raise ValueError(Message(advice, Option("gold_id")))
        by_number = self.gold_id is None and bool(numbered)
        return read_gold(self.gold, self.gold_id, by_number=by_number, options=self.options)

    def reader_options(self, kinds: Collection[str], questions: Gold | None = None) -> dict[str, Any]:
        """
        Return the options of these readers; raise an error for options that no reader has.

        Options that name a column of the questions are not options of readers.
        """
        for_gold = {"gold", "unmatched"} if questions is not None else set()
        if questions is not None:
            for_gold |= {"answers_format"} if questions.has_answers else set()
            for_gold |= {"question_types_format"} if "question_types" in questions.rows.columns else set()
            for_gold |= {role for role in GOLD_ROLES if self.options.get(role) in questions.names}
        known = set().union(*(READERS[kind].parameters for kind in kinds))
        own = {"gold": self.gold, "unmatched": self.unmatched}
        given = {name: value for name, value in own.items() if value is not None} | dict(self.options)
        useless = sorted(given.keys() - known - for_gold)
        if useless:
            kinds_of_files = " and ".join(map(repr, sorted(set(kinds))))
            more = "; with a folder as gold, all files are pages" if "pages" in kinds and self.gold else ""
            raise ValueError(Message(Option(useless[0]), f" does not apply to {kinds_of_files} files{more}"))
        theirs = known - (for_gold - {"gold", "answers_format", "question_types_format"})
        return {name: value for name, value in given.items() if name in theirs}


def read_file(
    path: str | os.PathLike[str],
    *,
    reader: str | None = None,
    gold: Any = None,
    gold_id: str | Sequence[str] | None = None,
    epoch: int | None = None,
    **options: Any,
) -> pl.DataFrame:
    r"""
    Read a file of any kind as the standard frame.

    Parameters
    ----------
    path
        The file, or the folder of pages. The kind is detected from the name and the beginning of the file.
    reader
        Name of the reader, as on the command line, such as `"vlmevalkit"`, whose files look like tables.
    gold, gold_id
        The gold labels of a submission, the ground truth of pages, or a table of the questions, as for
        `anls_frame.read_logs`.
    epoch
        The epoch to read of questions with repeated answers; by default, all.
    options
        Options of the reader, such as `question_id=` or `scorer=`.

    Returns
    -------
    DataFrame
        The standard frame, as returned by the reader. Ids of tables may be repeated.

    Raises
    ------
    InputError
        If the file has problems; the error lists all of them, with their places.
    OSError
        If the file cannot be opened.
    ValueError
        If the reader is unknown, does not have an option, or needs gold labels.

    See Also
    --------
    anls_frame.read_logs : reads the files of several systems as one frame.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("id,pred,answer\n7,CocaCola,Coke\n")
    >>> af.readers.read_file(path)["prediction"].to_list()
    ['CocaCola']
    """
    how = Reading(reader=reader, gold=gold, gold_id=gold_id, epoch=epoch, options=options)
    return load(File.of(path), how)


def load(file: File, how: Reading, **of_table: Any) -> pl.DataFrame:
    """
    Read a file as the standard frame; ids in files of harnesses are always unique within an epoch.

    Options `of_table` are those of `read_table` that a table takes besides.
    """
    kind = kind_of_file(file, how)
    questions = how.questions([kind])
    options = how.reader_options([kind], questions)
    may_repeat = kind == "table" and questions is None
    file.unique_ids = False if may_repeat else how.unique_ids
    frame = read_kind(file, kind, options, questions, **of_table | how.of_table)
    questions = how.asking(questions, frame.columns)
    if not may_repeat:
        frame = with_unique_ids(frame, file, how, questions)
    if questions is None:
        return how.chosen(only_epoch(frame, how.epoch), file)
    log = as_log(path_text(file.path), file, kind, frame)
    rows = long_rows.only_file(
        log, frame, gold=questions, unmatched=how.unmatched or "error", epoch=how.epoch
    )
    return how.chosen(rows, file)


def read_kind(
    file: File,
    kind: str,
    options: Mapping[str, Any],
    questions: Gold | None = None,
    **of_table: Any,
) -> pl.DataFrame:
    """Read a file by its reader, with the options of that reader; answers may be in `questions`."""
    reader = READERS[kind]
    if reader.competition is not None:
        if questions is None:
            message = "this is a submission: name the file of gold labels with "
            raise problem(file, Message(message, Option("gold", ...)))
        submission: pl.DataFrame = reader.competition.submission(file, questions)
        return submission
    given = {name: value for name, value in options.items() if name in reader.parameters}
    if kind == "pages" and "gold" not in given:
        raise problem(file, Message("name the ground truth of the pages with ", Option("gold", ...)))
    if kind != "table":
        return reader.read(file, **given)
    given |= {"required": SCORED if questions is None else PREDICTED} | of_table
    frame = read_table(file, **given)
    if questions is not None and "answers" not in frame.columns and given["required"]:
        questions.check_has_answers(file)
    return frame


def as_log(system: str, file: File, kind: str, frame: pl.DataFrame) -> Log:
    """Return the rows of a system in a file, each of whose questions occurs once in an epoch."""
    if "question_id" not in frame.columns:
        # Columns with roles may have other names in the file.
        texts = [name for name in frame.columns if frame.schema[name] == pl.String and name != "doc_id"]
        plain = {name: usual_names.plain_name(name) for name in texts}
        # Recordings and images are known by their files.
        ends = ("id", "filename", "filepath", "path", "file")
        ids = [name for name in texts if plain[name].endswith(ends) and frame[name].is_unique().all()]
        column = Option("question_id", min(ids, key=lambda name: not plain[name].endswith("id"), default=...))
        in_order = "; if all systems have the same rows in the same order, add a column id that numbers them"
        raise problem(file, Message("has no ids; name their column with ", column, in_order))
    return Log(system, file.path, long_rows.with_epoch(frame), _task(kind, file, frame))


def with_unique_ids(
    frame: pl.DataFrame, file: File, how: Reading, gold: Gold | None, column: str | None = None
) -> pl.DataFrame:
    """
    Return the rows that `where` chooses, with ids that are unique in an epoch; others are problems.

    If a `column` names systems, ids are unique in each. Of a question that `gold` asks, a row stays, so that
    it does not seem to lack; so do rows that `gold` lacks, for an error, unless the condition is false of
    their own columns alone.
    """
    if (column is None and how.unique_ids) or "question_id" not in frame.columns:
        return frame
    names = columns_named_in(how.where)
    rows = with_entries(frame, names, file).with_row_index(_ROW)
    keys = [frame["question_id"], long_rows.with_epoch(frame)["epoch"]]
    keys += [] if column is None else [frame[column]]
    if how.where is not None:
        # Labels of a competition would put the rows in their order.
        both = rows if gold is None else with_entries(Gold.joined(gold, rows), names, gold.path)
        chosen = _are_among(only_parts(both, how.where, both.columns)[_ROW])
        if gold is not None:
            question = pl.struct(keys)
            first = ~chosen.any().over(question) & question.is_first_distinct()
            unknown = ~_are_among(gold.ids["question_id"])
            own = _are_among(only_parts(rows, how.where, rows.columns)[_ROW])
            chosen |= (first & _are_among(gold.asked["question_id"])) | (unknown & own)
        rows = rows.filter(chosen)
    kept = rows[_ROW]
    problems = Problems(file)
    standard_frames.check_ids(
        rows["question_id"],
        problems,
        lambda row: f"row {kept[row] + 1}",
        zip(*(key.gather(kept) for key in keys[1:]), strict=True),
        standard_frames.SEVERAL_IDS if kind_of_file(file, how) == "table" else "",
    )
    problems.raise_any()
    return origins.like(frame[kept], frame)


def _are_among(values: pl.Series) -> pl.Expr:
    """Return whether a row has one of the values of its column."""
    return pl.col(values.name).is_in(values.implode())


def _task(kind: str, file: File, frame: pl.DataFrame) -> str | None:
    """Return the task of a harness's file, if the file states it."""
    if READERS[kind].ids == "rows":
        run = run_of(file.path)
        return None if run is None else run.task
    if kind != "inspect" or "task" not in frame.columns or frame["task"].n_unique() != 1:
        return None
    return str(frame["task"][0])


def load_table(file: File, how: Reading, option: str, **of_table: Any) -> pl.DataFrame:
    """Read a table, as `load` does; messages name the option that needs one."""
    kind = kind_of_file(file, how)
    if kind != "table":
        raise problem(file, Message(Option(option), f" needs a table, not a file of {kind!r}"))
    return load(file, how, **of_table)


@contextmanager
def reading(file: File, how: Reading) -> Iterator[None]:
    """Name a damaged Parquet file, and one of several, in errors; explain which columns a harness lacks."""
    try:
        with reading_parquet(file) if _is_parquet(file, how) else nullcontext():
            yield
    except (ColumnNotFoundError, DTypeError) as error:
        said = [f"{file}: " if file.is_part else "", error.args[0]]
        if isinstance(error, ColumnNotFoundError) and kind_of_file(file, how) == "lmms-eval":
            left_out = "\nlmms-eval leaves the document's fields out of its files: name the data set with "
            said += [left_out, Option("gold", ...)]
        raise type(error)(Message(*said)) from None


def _is_parquet(file: File, how: Reading) -> bool:
    """Whether the file is a table of Parquet, and not a folder or a pattern of several files."""
    if not file.path.exists() or file.path.is_dir() or kind_of_file(file, how) != "table":
        return False
    return file.format(how.options.get("format")) == "parquet"


def scan(file: File, how: Reading) -> pl.LazyFrame:
    """Read a file, lazily if its format allows it."""
    if how.epoch is None and how.gold is None and kind_of_file(file, how) == "table":
        required = SCORED if how.needs_texts else ()
        return how.chosen(scan_table(file, required=required, **how.reader_options(["table"])), file)
    frame = load(file, how)
    return origins.like(frame.lazy(), frame)


def columns(file: File, how: Reading) -> list[str]:
    """Return the names of a file's columns, without warnings: reading its rows gives them."""
    # Some of the questions may be in other files.
    how = how if how.gold is None or are_pages(how) else replace(how, unmatched="keep")
    with reading(file, how), warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return scan(file, how).collect_schema().names()


def with_every_response(file: File, how: Reading) -> Reading:
    """Return how to read all responses to a sample, if the file may have several and none is chosen."""
    has_several = "response" in READERS[kind_of_file(file, how)].parameters
    return replace(how, options={"response": "all", **how.options}) if has_several else how


def scan_counted(file: File, how: Reading) -> tuple[pl.LazyFrame, int]:
    """Read a file, lazily if its format allows it, and return its number of rows as well."""
    with reading(file, how):
        frame = scan(file, how)
        rows: int = frame.select(pl.len()).collect(engine="streaming").item()
    if how.where is None:
        warn_of_empty(file, rows)
    return frame, rows


def warn_of_empty(file: File, rows: int) -> None:
    """Warn of a file without rows, which may be what a job has left that failed."""
    if not rows:
        warn(f"{file}: holds no rows")


def kind_of_file(file: File, how: Reading) -> str:
    """Return the reader of a file: the given one, or that of its gold, its name and its first bytes."""
    if not are_pages(how) and is_one_of(file.path, how.gold_files):
        also = Message(
            "this file is also named by ", Option("gold"), ", which is for the questions and their answers"
        )
        raise problem(file, also)
    if how.reader is not None:
        return how.reader
    if are_pages(how):
        check_page(file, how)
        return "pages"
    if file.path.is_dir():
        message = "this is a folder: name a file in it or, for pages of OCR, the ground truth with "
        raise IsADirectoryError(errno.EISDIR, Message(message, Option("gold")), str(file))
    if how.gold is None and how.options.get("format") is None and is_page(file.path):
        file.check()
        page = Message("for a page of OCR, name the ground truth with ", Option("gold", ...))
        raise problem(file, Message(page, "; for a table, name its format with ", Option("format", ...)))
    kind = kind_of(file, how.options.get("format"))
    if how.gold is None:
        return kind
    if not _are_labels(how.gold):
        return "table" if READERS[kind].competition_name else kind
    is_list = kind == "table" and file.path.suffix.lower() == ".json"
    return "rrc" if is_list else kind


def kind_of(file: File, format: str | None = None) -> str:  # noqa: A002 - what it is
    """Return the kind of a file from its name and its beginning."""
    for name, description in READERS.items():
        if file.path.suffix.lower() in description.suffixes:
            return name
    if file.format(format) not in {"json", "jsonl"}:
        return "table"
    text = file.beginning.lstrip()
    keys = _first_keys(text)
    for name, description in READERS.items():
        if description.looks_like is not None and description.looks_like(text, keys):
            return name
    return "table"


_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')


def _first_keys(text: str) -> set[str]:
    """Return the keys of the first object of a list or of JSON Lines, as far as the text contains them."""
    start = max(text.find("{"), 0)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        # The value is longer than the beginning. A string that looks like a key can only cause a wrong guess.
        return set(_KEY.findall(text))
    return set(value) if isinstance(value, dict) else set()


def names_of_rows(how: Reading) -> Names:
    """Return the names for the rows of a file."""
    return PAGES if are_pages(how) else ROWS


def names_of_sample(file: File, how: Reading) -> Names:
    """Return the names for the rows of a file that may be a sample of pages."""
    if _is_parquet(file, how):
        with reading_parquet(file):
            metadata = pl.read_parquet_metadata(file.seekable())
        if metadata.get(row_files.ROWS) == PAGES["row"]:
            return PAGES
    return names_of_rows(how)


def are_pages(how: Reading) -> bool:
    """Return whether the files are pages of OCR: gold is a page, a folder, or a pattern of pages."""
    if how.reader is not None:
        return how.reader == "pages"
    path = how.gold.path if isinstance(how.gold, File) else None
    if path is None:
        return False
    is_pattern = not path.exists() and glob.has_magic(str(path))
    return path.is_dir() or is_page(path) or (is_pattern and path.suffix not in SUFFIXES)


def usual_metric(how: Reading) -> str:
    """Return the default metric of texts for comparisons."""
    return "cer_corpus" if are_pages(how) else "anls"


def check_page(file: File, how: Reading) -> None:
    """Raise an error for a table whose gold is read as a page, because of its name."""
    if file.suffix in SUFFIXES and how.reader is None and how.gold.path.is_file():
        kinds = "CSV, TSV, JSON Lines, JSON, Parquet or XLSX"
        what = f"its suffix is that of a page of OCR, but {path_text(file.path)} is a table"
        questions = f"name a table of questions by its format: {kinds}"
        raise problem(how.gold, f"{what}; {questions}; {OTHER_FORMATS}")


def warn_of_transcripts(metrics: Sequence[object] | None, how: Reading) -> None:
    """Warn if rates of speech are asked for of a file of text, whose lines are mostly utterances."""
    if "speech" not in (metrics or ()) or not are_pages(how) or not how.gold.path.is_file():
        return
    lines = how.gold.beginning.strip().splitlines()
    if len(lines) > 1 and not lines[0].startswith("<"):
        said = f"{how.gold} is read as one text, not as an utterance in each line, and ids count as words"
        warn(f"{said}; {TRANSCRIPTS}")


def _are_labels(gold: Any) -> bool:
    """Return whether gold is a competition's file of labels, an object with questions and ids in `data`."""
    is_file = isinstance(gold, File) and gold.path.exists()
    if not is_file or gold.suffix in SUFFIXES - {".json"}:
        return False
    squeezed = "".join(gold.beginning.split())
    _, _, questions = squeezed.partition('"data":[')
    return squeezed.startswith("{") and any(f'"{name}":' in questions for name in ID_FIELDS)
