"""The examples of every command's help run, on files as they name them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import example_files
import pytest
import shell
import typer

from anls_frame.cli.app import app
from anls_frame.cli.examples import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    example_files.write(folder)
    return folder


def arguments(folder: Path, example: str) -> list[str]:
    """Return the arguments of an example, its patterns replaced by files, as a shell does."""
    program, *words = shlex.split(example)
    assert program == "anls-frame"
    return [
        str(path)
        for word in words
        for path in (sorted(one.name for one in folder.glob(word)) if "*" in word else [word])
    ]


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_example_runs(folder: Path, command: str) -> None:
    for example in EXAMPLES[command]:
        done = shell.run(folder, *arguments(folder, example))
        gates = "--require-within" in example
        assert done.returncode in ((0, 1, 3) if gates else (0,)), (example, done.stderr)
        assert done.stdout or "-o" in example or command in ("convert", "report"), example


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_ends_with_the_examples(folder: Path, command: str) -> None:
    words = ["gec", command] if command in ("m2", "i-measure", "errant") else command.split()
    _, _, shown = shell.run(folder, *words, "--help").stdout.partition("Examples:")
    assert [line.strip() for line in shown.strip().splitlines()] == [*EXAMPLES[command]]


def test_every_command_has_examples() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    gec = {f"gec {name}" if name == "compare" else name for name in commands.pop("gec").commands}
    assert {*commands} | gec == {*EXAMPLES}
