"""Options that several commands share, and the wrapper around every command."""

from __future__ import annotations

import csv
import dataclasses
import functools
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_type_hints

import typer

from anls_frame.cli import chosen_reader, protocols
from anls_frame.cli.chosen_reader import ChosenReader
from anls_frame.cli.exits import CLOSED_PIPE
from anls_frame.cli.output import check_target, plain, print_document, print_json
from anls_frame.cli.written import WRITTEN, check_distinct
from anls_frame.protocol import PROTOCOLS, ScoreProtocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    import polars as pl

    from anls_frame.readers.any_file import Reading
    from anls_frame.readers.system_files import SystemFiles
    from anls_frame.results import Written

_FIRST = re.compile(r"(\w+)(?= (?:is|must|lies|takes|names)\b)")
"""Matches the parameter with which a message of the library begins."""

File = Annotated[
    Path,
    typer.Argument(
        help="Results: CSV, TSV, JSON Lines, JSON, Parquet, XLSX, or a harness's file.", metavar="FILE"
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(help="Results of one system, or a file or folder for each of several.", metavar="FILE..."),
]
Keep = Annotated[list[str] | None, typer.Option(help="Column to show of rows; may be repeated.")]
Id = Annotated[
    str | None,
    typer.Option("--id", help="Column that identifies rows in saved verdicts, by default question_id."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by", "-b", help="Column to slice by; A,B crosses two columns; repeat it for several tables."
    ),
]
Cluster = Annotated[str | None, typer.Option("--cluster", "-c", help="Column with the document of each row.")]
Confidence = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, in the format of its suffix."), WRITTEN
]
EscapeFormulas = Annotated[
    bool, typer.Option(help="In CSV, put an apostrophe before cells that a spreadsheet would run.")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace a file that already exists.")]
Rows = Annotated[
    int | None,
    typer.Option(
        help="Add a page of this many rows, the worst ones, to a report in HTML, whose figures then link to "
        "their rows."
    ),
]
Scores = Annotated[bool, typer.Option("--scores", help="The columns of --systems hold existing scores.")]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="Lower --scores are better, as for error rates.")
]
Macro = Annotated[
    bool,
    typer.Option("--macro", help="Add macro averages, which weight all slices of a table equally."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class GoldFile(NamedTuple):
    """The file or folder of `--gold`, and which of its columns has the ids."""

    path: Path
    gold_id: str | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the value of `--gold`, such as ``gold.csv,gold_id=key``."""
        path, is_named, gold_id = text.rpartition(",gold_id=")
        return cls(Path(path), gold_id) if is_named else cls(Path(text), None)


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How to read a file; options that are None are detected."""

    reader: Annotated[
        ChosenReader,
        typer.Option(
            "--reader",
            "-r",
            parser=chosen_reader.parse,
            metavar="NAME[,OPTION=VALUE]...",
            show_default=chosen_reader.AUTO,
            help=chosen_reader.described(),
        ),
    ] = ChosenReader()  # noqa: RUF009 - it does not change
    gold: Annotated[
        GoldFile | None,
        typer.Option(
            parser=GoldFile.parse,
            metavar="FILE[,gold_id=COLUMN]",
            help="Table of questions with their answers, types and documents, joined by id (a file or a "
            "quoted pattern), a competition's gold labels, for submissions, or the folder with the ground "
            "truth of pages. gold_id= names the table's column of ids; by default a column with a usual name "
            "or, for harnesses that number their questions, the row number.",
        ),
    ] = None
    prediction: Annotated[
        str | None, typer.Option("--prediction", "-p", help="Column of the predictions.")
    ] = None
    answers: Annotated[
        str | None, typer.Option("--answers", "-a", help="Column of the accepted answers.")
    ] = None
    where: Annotated[
        str | None,
        typer.Option(
            help="Only rows for which this SQL expression is true, such as \"lang = 'de' and n_words > 10\"."
        ),
    ] = None
    epoch: Annotated[
        int | None,
        typer.Option(help="Only this epoch of repeatedly answered questions; by default all."),
    ] = None
    unmatched: Annotated[
        Literal["error", "null", "drop"] | None,
        typer.Option(
            help="What to do with unread pages, and with questions that a system or --gold lacks. error: "
            "list them; null: count them as missing predictions; drop: leave them out."
        ),
    ] = None

    @property
    def how(self) -> Reading:
        """How files are read."""
        from anls_frame.readers.any_file import Reading

        columns = {"prediction": self.prediction, "answers": self.answers}
        return Reading(
            reader=self.reader.kind,
            gold=None if self.gold is None else self.gold.path,
            gold_id=None if self.gold is None else self.gold.gold_id,
            epoch=self.epoch,
            unmatched=self.unmatched,
            where=self.where,
            options={
                **{name: value for name, value in columns.items() if value is not None},
                **self.reader.options,
            },
        )


Runs = Annotated[
    Literal["error", "newest", "all"],
    typer.Option(
        help="What to do with several runs of a task in a harness's folder. error: list them; newest: read "
        "the newest; all: read all, as repeats."
    ),
]


@dataclass(frozen=True, kw_only=True)
class SystemNames:
    """The systems in the files."""

    system_column: Annotated[
        str | None,
        typer.Option(help="Column with the system of each row, if a file has several systems in rows."),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option(help="Name of a system, in place of its file or column name; once for each system."),
    ] = None

    @property
    def columns(self) -> list[str] | None:
        """The prediction columns of systems, if a single file has them."""
        return None

    def in_files(
        self,
        files: Sequence[Path],
        source: SourceOptions,
        runs: Runs,
        *,
        repeats: bool = False,
        least: int = 2,
    ) -> SystemFiles:
        """Return the files of the systems."""
        from anls_frame.readers.system_files import SystemFiles

        return SystemFiles(
            files=files,
            columns=self.columns,
            column_of_names=self.system_column,
            names=self.name,
            how=source.how,
            runs=runs,
            repeats=repeats,
            least=least,
        )


@dataclass(frozen=True, kw_only=True)
class SystemColumns(SystemNames):
    """The systems in the files, in rows or in columns."""

    systems: Annotated[
        str | None,
        typer.Option(
            help="Columns of several systems in one file, as A,B,C; with --system-column, the systems to "
            "compare, in this order."
        ),
    ] = None

    @property
    def columns(self) -> list[str] | None:
        """The prediction columns of systems, if a single file has them."""
        return None if self.systems is None else self.systems.split(",")


def scores_of_rows(more: str = "") -> Any:
    """Return the repeatable option for scores of rows; `more` ends its help."""
    from anls_frame.summary.catalogue import NAMES

    names = ", ".join(name for name in NAMES if name != "zeros")
    text = f"{names} or your own function as FILE.py:NAME; may be repeated{more}."
    return typer.Option("--metric", "-m", help=text)


def tables(by: list[str] | None) -> list[list[str]] | None:
    """Return the columns of each table; a column whose name has a comma is written in double quotes."""
    return [next(csv.reader([names])) if "," in names else [names] for names in by] if by else None


def one_table(by: list[str] | None) -> list[str] | None:
    """Return the columns of the only table."""
    columns = tables(by)
    if columns is not None and len(columns) > 1:
        raise ValueError("--by may be given once here; write columns to be crossed as A,B")
    return columns[0] if columns else None


def given_options(*groups: Any) -> list[str]:
    """Return the options in these groups that have other values than by default."""
    fields = [(group, field) for group in groups for field in dataclasses.fields(group)]
    names = [field.name for group, field in fields if getattr(group, field.name) != field.default]
    return [f"--{name.replace('_', '-')}" for name in names]


@dataclass(frozen=True, kw_only=True)
class SlicingOptions:
    """Which rows belong together."""

    by: By = None
    cluster: Cluster = None


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How rows are scored."""

    protocol: Annotated[
        ScoreProtocol,
        typer.Option(
            parser=protocols.parse,
            metavar="NAME[,OPTION=VALUE]...",
            show_default="anls",
            help=f"One of {', '.join(PROTOCOLS)}. Options of a ScoreProtocol may follow, as in "
            "rrc,threshold=0.3 or anls,errors=jiwer, where errors prepares texts for error rates.",
        ),
    ] = PROTOCOLS["anls"]


@dataclass(frozen=True, kw_only=True)
class Reporting(Scoring):
    """How rows are scored, and which of them."""

    missing: Annotated[
        str, typer.Option(help="empty: score null predictions as empty strings; drop: leave them out.")
    ] = "empty"
    unanswerable: Annotated[
        str,
        typer.Option(
            help="drop: leave out rows without an answer; empty: score them, as right if nothing was "
            "predicted."
        ),
    ] = "drop"

    def check_left_out(self, *, lower_is_better: bool, scores: bool, metrics: Sequence[str] | None) -> None:
        """Raise an error for options of texts beside --scores, and for one of scores beside texts."""
        if not scores and lower_is_better:
            raise ValueError(
                "--lower-is-better applies only to --scores; metrics of texts have their own direction"
            )
        if scores and len(metrics or ()) > 1:
            raise ValueError("--metric may be given once with --scores, as the name of the scores")
        if scores and (given := given_options(self)):
            raise ValueError(f"--scores cannot be combined with {', '.join(given)}")


@dataclass(frozen=True, kw_only=True)
class Showing:
    """Display options of any result, as far as they also apply to a terminal."""

    title: Annotated[str | None, typer.Option(help="Title, in place of the default.")] = None
    percent: Annotated[bool, typer.Option("--percent", help="Show scores and rates in per cent.")] = False
    columns: Annotated[
        str | None,
        typer.Option(help="Figures to show in tables, in this order, such as n,anls, by their names in CSV."),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of `write`."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        columns = self.columns
        return {**given, "columns": None if columns is None else next(csv.reader([columns]))}


@dataclass(frozen=True, kw_only=True)
class Arranging(Showing):
    """Display options of a report, as far as they also apply to a terminal."""

    sort: Annotated[
        str | None,
        typer.Option(
            help="Column by which slices are sorted; by default n, for pages cer_corpus (worst first)."
        ),
    ] = None
    min_n: Annotated[int, typer.Option("--min-n", help="Leave out slices with fewer scored rows.")] = 0
    macro: Macro = False


@dataclass(frozen=True, kw_only=True)
class Boarding(Showing):
    """Display options of a comparison, as far as they also apply to a terminal."""

    sort: Annotated[
        str | None,
        typer.Option(help="Column by which slices are sorted, such as n, score, difference or one of --by."),
    ] = None
    significant: Annotated[bool, typer.Option("--significant", help="Show only significant differences.")] = (
        False
    )
    pairs: Annotated[
        bool | None,
        typer.Option(
            "--pairs/--no-pairs",
            help="Add the differences between all pairs; by default for up to 12 systems.",
            show_default=False,
        ),
    ] = None
    macro: Macro = False
    facts: Annotated[
        Path | None,
        typer.Option(
            help="Table with a row for each system, named in its column system, to show in the ranking."
        ),
    ] = None
    published: Annotated[
        list[str] | None,
        typer.Option(
            help="Published figure of a system without rows in the first metric; may be repeated.",
            metavar="NAME=FIGURE",
        ),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of `write`."""
        return {
            **super().options,
            "facts": None if self.facts is None else _table(self.facts),
            "published": dict(map(_named_figure, self.published or ())),
        }


def _table(path: Path) -> Any:
    from anls_frame.readers.any_file import Reading, load

    return load(path, Reading(reader="table"), required=())


def _named_figure(text: str) -> tuple[str, float]:
    name, is_given, figure = text.rpartition("=")
    try:
        return name, float(figure if is_given and name else "")
    except ValueError:
        raise ValueError(f"--published must be NAME=FIGURE, as Smith=0.375, got {text!r}") from None


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a result goes: to a file, to the terminal as text, or there as JSON."""

    output: Output = None
    force: Force = False
    json: Json = False

    def check(self, suffixes: Sequence[str]) -> None:
        """Raise an error, before any work is done, if the file cannot be written."""
        check_target(self.output, self.force, suffixes)

    @property
    def is_terminal(self) -> bool:
        """Whether the result is printed as text."""
        return self.output is None and not self.json

    def put_rows(self, rows: pl.DataFrame, printed: Any = None) -> None:
        """Write rows to the file, and print JSON, of these rows unless something else is `printed`."""
        from anls_frame.export import row_files

        if self.output is not None:
            row_files.write(rows.lazy(), self.output, escape_formulas=True)
        if self.json:
            print_json(rows.to_dicts() if printed is None else printed)

    def put(self, result: Written, said: str, shown: Mapping[str, Any], **written: Any) -> None:
        """
        Write a result with these options of `write`, and print it.

        With a file, only what is `said` and its name are printed; `written` are options that only a file has.
        """
        if self.output is not None:
            result.write(self.output, escape_formulas=True, **shown, **written)
        if self.json:
            print_document(result.to_document(**shown))
        elif self.output is not None:
            print(plain(f"{said}: {self.output}"))
        else:
            print(plain(result.to_text(**shown)))


class Command(NamedTuple):
    """A command of the shell: a function whose parameters are its options, and examples for its help."""

    run: Callable[..., None]
    examples: Sequence[str]

    def add_to(self, app: typer.Typer) -> None:
        """Add the command under the name of its function; the mark keeps each example on its line."""
        lines = "\n".join(f"  {example}" for example in self.examples)
        app.command(self.run.__name__.replace("_", "-"), epilog=f"\b\nExamples:\n{lines}")(self.run)


def command(*examples: str) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command, with examples at the end of its help; a test runs every one."""
    return lambda function: Command(_with_options(function), examples)


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """
    Return a function for which typer sees the fields of a dataclass in place of its parameter.

    Errors that name a parameter name the option instead. A closed pipe ends the command with 141, as usual in
    shells; typer alone would end it with 1, which means that a gate failed.
    """
    parameters = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, Any] = {
        name: option.annotation
        for name, option in parameters.items()
        if dataclasses.is_dataclass(option.annotation)
    }

    @functools.wraps(function)
    def run(**options: Any) -> None:
        check_distinct(
            {shown[name]: options[name] for name in written},
            {shown[name]: value for name, value in options.items() if name not in written},
        )
        for name, group in groups.items():
            values = {field.name: options.pop(field.name) for field in dataclasses.fields(group)}
            options[name] = group(**values)
        try:
            function(**options)
            sys.stdout.flush()
        except BrokenPipeError:
            raise typer.Exit(CLOSED_PIPE) from None
        except (EOFError, SystemExit) as error:
            # typer would end with 1, a failed gate, or as a metric's own code wants to.
            raise RuntimeError(f"the command was ended by {error!r}") from error
        except (ValueError, TypeError) as error:
            about = _FIRST.match(str(error))
            if about is None or about[1] not in named:
                raise
            raise ValueError(f"--{about[1].replace('_', '-')}{about.string[about.end() :]}") from None

    flat = [
        option
        for name, parameter in parameters.items()
        for option in (_options(groups[name]) if name in groups else [parameter])
    ]
    named = {option.name for option in flat if option.kind is inspect.Parameter.KEYWORD_ONLY}
    written = [option.name for option in flat if WRITTEN in getattr(option.annotation, "__metadata__", ())]
    shown = {option.name: _shown(option) for option in flat}
    signature = inspect.Signature(flat)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: option.annotation for name, option in signature.parameters.items()}
    return run


def _shown(parameter: inspect.Parameter) -> str:
    """Return an option as written, or the placeholder of an argument in the help."""
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
        return f"--{parameter.name.replace('_', '-')}"
    marks = getattr(parameter.annotation, "__metadata__", ())
    metavars = (getattr(mark, "metavar", None) for mark in marks)
    return next(filter(None, metavars), parameter.name.upper())


def _options(group: Any) -> Iterator[inspect.Parameter]:
    """Return the fields of a dataclass as parameters."""
    types = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(field.name, kind, default=field.default, annotation=types[field.name])
