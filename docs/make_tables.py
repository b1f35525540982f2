"""Write what the pages list of readers, scores, formats and commands: `python docs/make_tables.py`."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli.app import commands as every_command
from anls_frame.export import SUFFIXES
from anls_frame.export.columns import RESULTS, Column
from anls_frame.export.row_names import of_rows
from anls_frame.namespaces import ROW_FUNCTIONS
from anls_frame.readers.descriptions import READERS, Description
from anls_frame.summary.catalogue import NAMED

FOLDER = Path(__file__).parent
GOLD = "[gold in one table](many_files.md#gold-in-one-table)"
LOGS = f"""| any of these, of several systems | `read_logs` | `FILE...`, `FOLDER` |
| predictions, and {GOLD} | `read_logs` | `FILE... --gold GOLD` |"""


def kinds() -> str:
    """Return the table of the kinds of files."""
    rows = [
        f"| {kind.files} | {kind.python or _in_code(kind)} | {kind.command} |" for kind in READERS.values()
    ]
    *of_questions, pages = rows
    return "\n".join(["| file | reader | on the command line |", "|---|---|---|", *of_questions, LOGS, pages])


def options() -> str:
    """Return the table of the options of single readers."""
    rows = [
        f"| `{name},{option}=` | {_in_cell(described.help)} |"
        for name, kind in READERS.items()
        for option, described in kind.options.items()
    ]
    return "\n".join(["| `--reader` | meaning |", "|---|---|", *rows])


def names() -> str:
    """Return the list of the readers of one kind, for the reference."""
    functions = [kind.function.rpartition(".")[2] for kind in READERS.values()]
    own = [name for name in functions if name in af.readers.__all__ and name not in af.__all__]
    head = [
        ".. rubric:: One kind of file",
        "",
        ".. currentmodule:: anls_frame.readers",
        "",
        ".. autosummary::",
        "   :toctree: generated",
        "",
    ]
    return "\n".join([*head, *(f"   {name}" for name in own)])


def commands() -> str:
    """Return the table of the commands, by the first line of their help."""
    rows = [
        f"| `{name}` | {str(command.help).splitlines()[0]} |" for name, command in every_command().items()
    ]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def scores() -> str:
    """Return the table of the scores of reports."""
    rows = []
    for name, metric in NAMED.items():
        direction = "higher" if metric.higher_is_better else "lower"
        rows.append(f"| `{name}` | {of_rows(metric.meaning)} | {direction} is better |")
    return "\n".join(["| name | score | direction |", "|---|---|---|", *rows])


def columns() -> str:
    """Return the tables of the columns of results, for the reference."""
    sections = [
        "\n".join(
            [
                f"## {title}",
                "",
                "| column | heading | meaning |",
                "|---|---|---|",
                *(
                    f"| `{column.name}` | {_seen(column)} | {of_rows(column.meaning)} |"
                    for column in of_result
                    if column.meaning
                ),
            ]
        )
        for title, of_result in RESULTS.items()
    ]
    return "\n\n".join(sections)


def _seen(column: Column) -> str:
    """Return what people see of a column: its heading, or the mark on another one."""
    if column.mark is None:
        return of_rows(column.heading) or column.name
    marked, mark = column.mark
    return f"{mark.strip()} after `{marked}`".replace("*", "\\*")


def formats() -> str:
    """Return the suffixes of reports."""
    *others, last = (f"`{suffix}`" for suffix in SUFFIXES)
    return f"{', '.join(others)} and {last}"


def questions() -> str:
    """Return the questions of the page on functions, without links."""
    page, _, _ = (FOLDER / "which.md").read_text(encoding="utf-8").partition("\n## Notebooks\n")
    tables = re.findall(r"^\|---.*\n((?:\|.*\n)+)", page, re.MULTILINE)
    rows = [line for table in tables for line in table.splitlines()]
    plain = [re.sub(r"[:;,] \[[^\]]+\]\([^)]*\)", "", row) for row in rows]
    return "\n".join(["| question | function | on the command line |", "|---|---|---|", *plain])


def row_functions() -> str:
    """Return the lists of the row functions, for the reference: those of a module under its first words."""
    lines = []
    for module, functions in itertools.groupby(ROW_FUNCTIONS, key=lambda function: function.__module__):
        title = re.split("[:,;.]", (sys.modules[module].__doc__ or "").strip())[0]
        lines += [f".. rubric:: {title}", ""]
        for home, of_home in itertools.groupby(sorted(functions, key=_public_module), key=_public_module):
            names = [f"   {function.__name__}" for function in of_home]
            lines += [
                f".. currentmodule:: {home}",
                "",
                ".. autosummary::",
                "   :toctree: generated",
                "",
                *names,
                "",
            ]
    return "\n".join(lines).rstrip()


def _public_module(function: Callable[..., Any]) -> str:
    return "anls_frame" if function.__name__ in af.__all__ else function.__module__


WRITTEN: list[tuple[str, str, Callable[[], str]]] = [
    ("files.md", r"^\| file \| reader \|.*?(?=\n\n)", kinds),
    ("command_line.md", r"^\| `--reader` \|.*?(?=\n\n)", options),
    ("command_line.md", r"^\| command \|.*?(?=\n\n)", commands),
    ("metrics.md", r"^\| name \| score \|.*?(?=\n\n)", scores),
    ("reference/columns.md", r"^## Rows and documents$.*?(?=\n\n## Scores of reports)", columns),
    ("command_line.md", r"(?<=reports can be\n)`\.\w+`.*?(?=\. `--json`)", formats),
    ("../anls_frame/SKILL.md", r"^\| question \|.*?(?=\n\n)", questions),
    (
        "reference/files.md",
        r"^\.\. rubric:: One kind of file$.*?(?=\n\n\.\. rubric::)",
        names,
    ),
    (
        "reference/scores.md",
        r"^\.\. rubric:: Scores of predictions .*?(?=\n\n\.\. rubric:: How texts)",
        row_functions,
    ),
]
"""The pages, what is replaced in each, and by what."""


def page(path: Path) -> str:
    """Return a page with what is written into it."""
    text = path.read_text(encoding="utf-8")
    for name, pattern, make in WRITTEN:
        if FOLDER / name == path:
            text, count = re.subn(pattern, lambda _: make(), text, flags=re.MULTILINE | re.DOTALL)  # noqa: B023
            if count != 1:
                raise ValueError(f"{name} has {count} places for the {make.__name__}")
    return text


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _in_code(kind: Description) -> str:
    return f"`readers.{kind.function.rpartition('.')[2]}`"


def main() -> None:
    """Write all pages."""
    for name in {name for name, _, _ in WRITTEN}:
        (FOLDER / name).write_text(page(FOLDER / name), encoding="utf-8")


if __name__ == "__main__":
    main()
