"""What is said of a reader before it is imported agrees with the reader, the command line and the pages."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import shell

from anls_frame.cli.options import SourceOptions
from anls_frame.readers.descriptions import READERS

ROOT = Path(__file__).parents[2]
# Flags of the command line, and what it does itself: ids may be repeated there.
SHARED = {*SourceOptions.__dataclass_fields__, "question_id"} - {"reader"}


@pytest.mark.parametrize("name", READERS)
def test_the_options_are_those_of_the_reader(name: str) -> None:
    described = READERS[name]

    assert described.parameters - SHARED == {*described.options}


def test_names_lists_every_reader_and_its_options(tmp_path: Path) -> None:
    rows = json.loads(shell.run(tmp_path, "names", "readers", "--json").stdout)
    printed = shell.run(tmp_path, "names", "readers").stdout.split()

    assert {row["name"]: row["options"] for row in rows} == {
        name: ", ".join(f"{option}=" for option in described.options) for name, described in READERS.items()
    }
    assert {word for row in rows for text in row.values() for word in text.split()} <= {
        part for word in printed for part in (word, word.rstrip("."))
    }


@pytest.mark.parametrize(
    "page",
    [
        *("files.md", "command_line.md", "metrics.md"),
        *("reference/files.md", "reference/scores.md", "../anls_frame/SKILL.md"),
    ],
)
def test_the_pages_have_what_is_written_from_the_package(page: str) -> None:
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs/make_tables.py")
    assert spec is not None
    assert spec.loader is not None
    tables: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    path = ROOT / "docs" / page

    assert path.read_text(encoding="utf-8") == tables.page(path), "run docs/make_tables.py"


def test_descriptions_are_read_without_polars() -> None:
    script = (
        "import sys\nfrom anls_frame.readers.descriptions import READERS\nassert len(READERS) > 5\n"
        "print('polars' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter

    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("written", "prediction"),
    [
        ("table,doc_id=page,delimiter=;", "a"),
        ("auto,doc_id=page,delimiter=;", "a"),
        ("table,delimiter=|", None),
    ],
)
def test_the_shell_passes_options_on(tmp_path: Path, written: str, prediction: str | None) -> None:
    (tmp_path / "rows.csv").write_text("prediction;answer;page\na;a;7\n", encoding="utf-8")

    done = shell.run(tmp_path, "convert", "rows.csv", "out.csv", "--reader", written)

    assert (done.returncode == 0) == (prediction is not None), done.stderr
    if prediction is not None:
        assert (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()[0].split(",")[:3] == [
            "prediction",
            "answers",
            "doc_id",
        ]
