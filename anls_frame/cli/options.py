"""
Options that several commands share, and the wrapper around every command.

The parameters of a command are its options, and its docstring describes them, or the docstring of a group of
options. These options have the same description in all commands:

Parameters
----------
by
    Column to slice by; A,B crosses two columns; repeat it for several tables.
cluster
    Column with the document of each row.
confidence
    Confidence level of the intervals.
escape_formulas
    In CSV, put an apostrophe before cells that a spreadsheet would run.
file
    Results: CSV, TSV, JSON Lines, JSON, Parquet, XLSX, or a harness's file.
files
    Results of one system, or a file or folder for each of several.
force
    Replace a file that already exists.
json
    Print JSON.
keep
    Column to show of rows; may be repeated.
macro
    Add macro averages, which weight all slices of a table equally.
metric
    Score, such as anls or cer_corpus (`anls-frame names metrics` lists them), a set (qa, ocr, speech,
    fields), or your own function as FILE.py:NAME; may be repeated.
output
    File to write, in the format of its suffix.
rows
    Add a page of this many rows, the worst ones, to a report in HTML, whose figures then link to their rows.
runs
    What to do with several runs of a task in a harness's folder. error: list them; newest: read the newest;
    all: read all, as repeats.
scores
    The columns of --systems hold existing scores.
"""

from __future__ import annotations

import csv
import dataclasses
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

import click
import polars as pl

from anls_frame._messages import SPELLING, Message
from anls_frame._paths import as_path
from anls_frame.cli import named, spelling
from anls_frame.cli.help import Argument, GroupedCommand, Option
from anls_frame.cli.named import ChosenReader, GoldFile
from anls_frame.cli.output import (
    check_distinct,
    check_target,
    print_account,
    print_document,
    print_json,
    say,
    show,
    working,
)
from anls_frame.export import OF_FIRST_TABLE, SUFFIXES, Document, row_files, shortened, write
from anls_frame.export.document import OVERALL
from anls_frame.files.file import File
from anls_frame.protocol import PROTOCOLS, ScoreProtocol

if TYPE_CHECKING:
    from anls_frame.runs.reading import Reading
    from anls_frame.runs.system_files import SystemFiles
    from anls_frame.summary.summary import Summary


Runs = Literal["error", "newest", "all"]

_SHORT = {"answers", "by", "cluster", "force", "metric", "n", "output", "prediction", "reader"}
"""The options that have their first letter as a short name."""
WRITTEN = {"output", "sample", "summary"}
"""The options of files that a command writes."""
_METAVARS = {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "FILE"}
"""The words for the values of options in the help, by their types."""


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """
    How to read a file; options that are None are detected.

    Parameters
    ----------
    reader
        Kind of the file; `anls-frame names readers` lists the kinds and their options, as in
        inspect,scorer=match.
    gold
        Gold answers: a table of questions, joined by id (gold_id= names its column of ids), a competition's
        labels, or a folder with the ground truth of pages.
    id
        Column that identifies a question, or several that do so together, as in image,question.
    prediction
        Column of the predictions.
    answers
        Column of the accepted answers.
    where
        Only rows for which this SQL expression is true, such as "lang = 'de' and n_words > 10".
    epoch
        Only this epoch of repeatedly answered questions; by default all.
    unmatched
        What to do with unread pages, and with questions that a system or --gold lacks. error: list them;
        null: count them as missing predictions; drop: leave them out.
    """

    reader: Annotated[
        ChosenReader,
        {"type": named.reader, "metavar": "NAME[,OPTION=VALUE]...", "show_default": named.AUTO},
    ] = ChosenReader(named.AUTO, {})  # noqa: RUF009 - it does not change
    gold: Annotated[GoldFile | None, {"type": named.gold_file, "metavar": "FILE[,gold_id=COLUMN]"}] = None
    id: Annotated[str | None, {"metavar": "COLUMN[,COLUMN]..."}] = None
    prediction: str | None = None
    answers: str | None = None
    where: str | None = None
    epoch: int | None = None
    unmatched: Literal["error", "null", "drop"] | None = None

    @property
    def roles(self) -> dict[str, str]:
        """The roles of the columns that options name."""
        named = {"prediction": self.prediction, "answers": self.answers, **self.reader.options}
        if self.id is not None:
            named["question_id"] = self.id
        return {str(column): role for role, column in named.items()}

    def how(self, metrics: Sequence[Any] | None = None, **of_systems: Any) -> Reading:
        """Return how files are read for these metrics; columns of scores need no texts."""
        from anls_frame.runs.reading import Reading
        from anls_frame.runs.score_columns import are_columns

        ids = None if self.id is None else named.columns(self.id)
        columns = {"question_id": ids, "prediction": self.prediction, "answers": self.answers}
        return Reading(
            reader=None if self.reader.name == named.AUTO else self.reader.name,
            gold=self.gold and self.gold.path,
            gold_id=self.gold and self.gold.gold_id,
            epoch=self.epoch,
            unmatched=self.unmatched,
            where=self.where,
            needs_texts=not are_columns(metrics),
            options={name: value for name, value in columns.items() if value is not None}
            | self.reader.options,
            **of_systems,
        )

    @contextmanager
    def rows_of(
        self, file: Path, entries: Sequence[str] = (), metrics: Sequence[Any] | None = None
    ) -> Iterator[pl.DataFrame]:
        """Give the rows of a file, with these entries of objects as columns; errors name what it lacks."""
        from anls_frame.runs.reading import load, reading

        results, how = File(file), self.how(metrics, entries=entries)
        with working(f"Reading {file}"), reading(results, how):
            yield load(results, how)


@dataclass(frozen=True, kw_only=True)
class SystemNames(SourceOptions):
    """
    How to read files, and the systems in them.

    Parameters
    ----------
    system_column
        Column with the system of each row, if a file has several systems in rows.
    name
        Name of a system, in place of its file or column name; once for each system.
    """

    system_column: str | None = None
    name: list[str] | None = None

    def in_files(
        self,
        files: Sequence[Path],
        runs: Runs = "error",
        metrics: Sequence[Any] | None = None,
        **options: Any,
    ) -> SystemFiles:
        """Return the files of the systems, with texts if these metrics need them, and other options."""
        from anls_frame.runs.system_files import SystemFiles

        systems: str | None = getattr(self, "systems", None)
        how = self.how(
            metrics,
            runs=runs,
            systems=None if systems is None else systems.split(","),
            system_column=self.system_column,
            names=self.name,
        )
        return SystemFiles(files=list(map(File.of, files)), how=how, **options)


@dataclass(frozen=True, kw_only=True)
class SystemColumns(SystemNames):
    """
    How to read files, and the systems in them, in rows or in columns.

    Parameters
    ----------
    systems
        Columns of several systems in one file, such as A,B,C; with --system-column, the systems to compare,
        in this order.
    """

    systems: str | None = None


By: TypeAlias = Annotated[list[list[str]] | None, {"type": named.table}]
"""The columns of each table of slices."""


def one_table(by: list[list[str]] | None) -> list[str] | None:
    """Return the columns of the only table."""
    if by is not None and len(by) > 1:
        raise ValueError("--by may be given once here; write columns to be crossed as A,B")
    return by[0] if by else None


def given_options(*groups: Any) -> list[str]:
    """Return the options in these groups that have other values than by default."""
    fields = [(group, field) for group in groups for field in dataclasses.fields(group)]
    return [_shown(field.name) for group, field in fields if getattr(group, field.name) != field.default]


@dataclass(frozen=True, kw_only=True)
class SlicingOptions:
    """Which rows belong together."""

    by: By = None
    cluster: str | None = None


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """
    How rows are scored.

    Parameters
    ----------
    protocol
        One of {protocols}. Options may follow, as in rrc,threshold=0.3 or anls,errors=jiwer.
    """

    protocol: Annotated[
        ScoreProtocol,
        {"type": named.protocol, "metavar": "NAME[,OPTION=VALUE]...", "show_default": "anls"},
    ] = PROTOCOLS["anls"]


@dataclass(frozen=True, kw_only=True)
class Reporting(Scoring):
    """
    How rows are scored, and which of them.

    Parameters
    ----------
    missing
        empty: score null predictions as empty strings; drop: leave them out.
    unanswerable
        drop: leave out rows without an answer; empty: score them, as right if nothing was predicted.
    """

    missing: Literal["empty", "drop"] = "empty"
    unanswerable: Literal["drop", "empty"] = "drop"

    def check_left_out(self, *, scores: bool) -> None:
        """Raise an error for options of texts together with --scores."""
        if scores and (given := given_options(self)):
            raise ValueError(f"--scores cannot be combined with {', '.join(given)}")


@dataclass(frozen=True, kw_only=True)
class Showing:
    """
    Display options of any result, as far as they also apply to a terminal.

    Parameters
    ----------
    title
        Title, in place of the default.
    percent
        Show scores and rates in per cent, as error rates of texts always are.
    noun
        What rows are called, as a plural such as utterances; by default rows, or pages of OCR.
    columns
        Figures to show in tables, in this order, such as n,anls, by their names in CSV.
    table
        Table to show, by its columns of slices, such as doc_type; may be repeated. By default all, in .md and
        .tex the first.
    no_intervals
        Show figures without their intervals.
    """

    title: str | None = None
    percent: bool = False
    noun: str | None = None
    columns: str | None = None
    table: list[str] | None = None
    no_intervals: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The options of `write`."""
        options = {**vars(self), "tables": self.table, "intervals": not self.no_intervals}
        if self.columns is not None:
            options["columns"] = next(csv.reader([self.columns]))
        return {name: value for name, value in options.items() if name not in ("table", "no_intervals")}


@dataclass(frozen=True, kw_only=True)
class Arranging(Showing):
    """
    Display options of a report, as far as they also apply to a terminal.

    Parameters
    ----------
    sort
        Column by which slices are sorted; by default n, for pages cer_corpus (worst first).
    min_n
        Leave out slices with fewer scored rows.
    """

    sort: str | None = None
    min_n: int = 0
    macro: bool = False


@dataclass(frozen=True, kw_only=True)
class Boarding(Showing):
    """
    Display options of a comparison, as far as they also apply to a terminal.

    Parameters
    ----------
    sort
        Column by which slices are sorted, such as n, score, difference or one of --by.
    significant
        Show only significant differences.
    pairs
        Add the differences between all pairs; by default for up to 12 systems.
    facts
        Table with a row for each system, named in its column system, to show in the ranking.
    published
        Published figure of a system without rows in the first metric; may be repeated.
    """

    sort: str | None = None
    significant: bool = False
    pairs: bool | None = None
    macro: bool = False
    facts: Path | None = None
    published: Annotated[list[str] | None, {"metavar": "NAME=FIGURE"}] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of `write`."""
        from anls_frame.runs.reading import Reading, load

        return {
            **super().options,
            "facts": None
            if self.facts is None
            else load(File(self.facts), Reading(reader="table"), required=()),
            "published": dict(map(_named_figure, self.published or ())),
        }


def _named_figure(text: str) -> tuple[str, float]:
    name, is_given, figure = text.rpartition("=")
    try:
        return name, float(figure if is_given and name else "")
    except ValueError:
        raise ValueError(f"--published must be NAME=FIGURE, as Smith=0.375, got {text!r}") from None


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a result goes: to a file, to the terminal as text, or there as JSON."""

    output: Path | None = None
    force: bool = False
    json: bool = False

    suffixes: ClassVar[Sequence[str]] = SUFFIXES
    """The suffixes that the file may have."""

    def __post_init__(self) -> None:
        check_target(self.output, self.force, self.suffixes)

    @property
    def is_terminal(self) -> bool:
        """Whether the result is printed as text."""
        return self.output is None and not self.json

    def put_document(self, document: Document) -> None:
        """Write a document with all tables to the file, and print it as JSON."""
        if self.output is not None:
            write(shortened(document, self.output, tables=False), self.output, escape_formulas=True)
        if self.json:
            print_document(document)

    def put(self, result: Any, shown: Mapping[str, Any], **written: Any) -> None:
        """
        Write a result with these options of `write`, and print it.

        With a file, only its name, its headline and rows that were not used as they are, are printed;
        `written` are options that only a file has.
        """
        if self.output is not None:
            result.write(self.output, escape_formulas=True, **shown, **written)
        if self.json:
            print_document(result.to_document(**shown))
        elif self.output is not None:
            document = result.to_document(**shown)
            head = document.head or document.title
            show(Message(f"{self.output}: ", head))
            # The head of an overview says what became of the rows.
            if str(result.account.sentence) not in head:
                print_account(result, shown.get("noun"))
            holds_one = self.output.suffix.lower() in OF_FIRST_TABLE and shown.get("tables", ()) is None
            if others := document.tables[1:] if holds_one else []:
                names = ", ".join(table.name for table in others)
                show(f"Further tables, which --table adds: {names}.")
        else:
            print(result.to_text(**shown))


@dataclass(frozen=True, kw_only=True)
class RowsTarget(Target):
    """Where rows go."""

    suffixes = row_files.SUFFIXES

    def put_rows(self, rows: pl.DataFrame, printed: Any = None) -> None:
        """Write rows to the file, and print JSON, of these rows unless something else is `printed`."""
        if self.output is not None:
            row_files.write(rows.lazy(), self.output, escape_formulas=True)
        if self.json:
            print_json(rows.to_dicts() if printed is None else printed)


@dataclass(frozen=True, kw_only=True)
class SummaryTarget(Target):
    """Where a result goes whose summary may be saved."""

    summary: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_target(self.summary, self.force, (".parquet",))

    def put(
        self, result: Any, shown: Mapping[str, Any], saved: Summary | None = None, **written: Any
    ) -> None:
        """Save the summary of a result, or another one, and write and print the result."""
        if self.summary is not None:
            result.to_document(**shown)  # before anything is written: a wrong option leaves no file
            (saved or result.summary).save(self.summary)
        super().put(result, shown, **written)

    def put_report(self, report: Any, shown: Mapping[str, Any], **written: Any) -> None:
        """Save, write and print a report; an error says that it has no rows, unless other parts may."""
        if not self.summary:
            report.account.check_scored(report.overall["n"])
        self.put(report, shown, **written)

    def put_comparison(self, comparison: Any, shown: Mapping[str, Any], **written: Any) -> None:
        """Save, write and print a comparison, with the note that nothing can be tested below one line."""
        from anls_frame.reports.comparison_documents import untestable_note

        self.put(comparison, shown, **written)
        if self.output is not None and not self.json:
            # The printed line names a best or a difference.
            overall = comparison.to_polars().filter(slice=OVERALL)
            note = untestable_note(overall, comparison.settings, comparison.row_names)
            if note is not None:
                say(note)


def command(*examples: str) -> Callable[[Callable[..., int | None]], click.Command]:
    """
    Make a command of a function that may return an exit code, with examples at the end of its help.

    The function's parameters are the options: a dataclass means its fields.
    """

    def made(function: Callable[..., int | None]) -> click.Command:
        parameters = _parameters(function)
        groups: dict[str, Any] = {
            name: option.annotation
            for name, option in parameters.items()
            if dataclasses.is_dataclass(option.annotation)
        }
        documented = [
            sys.modules[__name__],
            *(kind for group in groups.values() for kind in group.mro()),
            function,
        ]
        texts = {name: text for about in documented for name, text in _described(about)[1].items()}
        options = [
            _declared(option, texts)
            for name, parameter in parameters.items()
            for option in (_parameters(groups[name]).values() if name in groups else [parameter])
        ]
        # A mark keeps each example on its line.
        lines = "\n".join(f"  {example}" for example in examples)
        return GroupedCommand(
            function.__name__.replace("_", "-"),
            callback=lambda **given: _run(function, groups, options, given),
            params=options,
            help=_described(function)[0],
            epilog=f"\b\nExamples:\n{lines}",
        )

    return made


def _run(
    function: Callable[..., int | None],
    groups: Mapping[str, Any],
    options: Sequence[click.Parameter],
    given: dict[str, Any],
) -> int | None:
    """Call the function of a command with the values of its options; those of a group are one value."""
    shown = {
        str(one.name): str(one.metavar) if isinstance(one, Argument) else _shown(str(one.name))
        for one in options
    }
    # In the order of their declaration; what may be repeated is a tuple, which is empty without a value.
    given = {name: list(given[name]) or None if type(given[name]) is tuple else given[name] for name in shown}
    check_distinct(
        {shown[name]: value for name, value in given.items()}, {shown.get(name) for name in WRITTEN}
    )
    for name, group in groups.items():
        values = {field.name: given.pop(field.name) for field in dataclasses.fields(group)}
        given[name] = group(**values)
    # For messages, which are printed when the command has ended.
    spelling.OPTIONS.set(shown)
    spelling.COLUMNS.set(next((one.roles for one in given.values() if isinstance(one, SourceOptions)), {}))
    before = SPELLING.set(spelling.spelled)
    try:
        return function(**given)
    except SystemExit as error:
        # It would end with 0, or with 1, a failed gate, as a metric's own code wants to.
        raise RuntimeError(f"the command was ended by {error!r}") from error
    finally:
        SPELLING.reset(before)


def _parameters(called: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function, or those of a dataclass: its fields."""
    return inspect.signature(called, eval_str=True).parameters


def _described(documented: Any) -> tuple[str, dict[str, str]]:
    """Return a docstring as far as its parameters, and the description of each of them."""
    text, _, section = (inspect.getdoc(documented) or "").partition("\n\nParameters\n----------\n")
    section = section.replace("{protocols}", ", ".join(PROTOCOLS))
    parts = re.split(r"^(\w+)\n", section, flags=re.MULTILINE)[1:]
    return text, {name: " ".join(about.split()) for name, about in zip(parts[::2], parts[1::2], strict=True)}


def _declared(parameter: inspect.Parameter, texts: Mapping[str, str]) -> click.Parameter:
    """Return the option or the argument of a parameter, whose annotation may have settings of click."""
    name, kind, own = parameter.name, parameter.annotation, {}
    if get_origin(kind) is Annotated:
        kind, own = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    if is_many := get_origin(kind) is list:
        (kind,) = get_args(kind)
    settings: dict[str, Any] = {"type": _type(kind), "help": texts.get(name, "")}
    if parameter.default is parameter.empty:
        settings["required"] = True
    else:
        settings["default"] = parameter.default
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        settings["metavar"] = f"{name.removesuffix('s')}...".upper() if is_many else name.upper()
        return Argument(name, nargs=-1 if is_many else 1, **settings | own)
    if kind is bool:
        flag = _shown(name) if parameter.default is False else f"{_shown(name)}/--no-{_shown(name)[2:]}"
        settings |= {"is_flag": True}
    else:
        flag = _shown(name)
        is_column = settings["help"].startswith("Column ")
        settings |= {"multiple": is_many, "metavar": "COLUMN" if is_column else _METAVARS.get(kind)}
    short = [f"-{name[0]}"] if name in _SHORT else []
    return Option([flag, *short], **{"show_default": True, **settings, **own})


class _File(click.Path):
    """The name of a file, as in Python."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        try:
            return as_path(os.fsdecode(super().convert(value, param, ctx)))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _type(kind: Any) -> Any:
    """Return the type by which click checks values of a type."""
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    return _File() if kind is Path else kind


def _shown(name: str) -> str:
    return f"--{name.replace('_', '-')}"
