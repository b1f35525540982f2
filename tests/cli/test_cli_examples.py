"""
The commands of the help and of the docs run, on files as they name them.

A command stands in the help, in a block of a page (`sh`), or in a line of text. One that is not run is listed
here with the reason. Lines of comment after a command are what it prints.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import example_files
import pytest
import shell

from anls_frame.cli.app import commands

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]

NOT_RUN = {
    "pip install": "needs a release, or compiles the library; make test-wheel installs it",
    "python3 -m venv": "of pip install",
    ". .venv/bin/activate": "of pip install",
    "export POLARS_MAX_THREADS=": "Polars reads it when it is loaded",
    "echo": "of the script around a gate",
    "exit": "of the script around a gate",
    "anls-frame COMMAND --help": "the help of every command is in tests/cli",
}
"""How commands begin that no test can run, and why."""

STANDS_FOR = {
    "FILE": "results.csv",
    "GOLD": "gold.json",
    "LOG": "rounds.jsonl",
    "NEW": "new.jsonl",
    "OLD": "old.jsonl",
    "SCORES": "scores.csv",
    "SUBMISSION": "submission.json",
    "VERDICTS": "verdicts.jsonl",
    "D": "output",
    "G": "gold.json",
    "S": "submission.json",
    "T": "0.5",
}
"""Files for the words in capitals."""

JOBS = {"i": 2, "SLURM_ARRAY_TASK_ID": 2}
"""Variables that number the jobs of an array; their commands run once in each."""

_FENCED = re.compile(r"^( *)(```+) *(\S*)[^\n]*\n(.*?)^ *\2 *$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(anls-frame [-a-zA-Z]|calculate-anls )")
_KEYWORDS = {"if", "!", "then", "else", "fi"}
_ENDS = {";", "&&"}


class Command(NamedTuple):
    """A command of a page or of the help."""

    text: str
    printed: tuple[str, ...] = ()
    """Lines that the page shows below the command."""


def commands_of_block(block: str) -> list[Command]:
    """Return the commands of a block as a shell splits them."""
    commands: list[Command] = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("#"):
            if commands and not line.startswith("#!"):
                commands[-1] = commands[-1]._replace(printed=(*commands[-1].printed, line[1:].strip()))
            continue
        words = shlex.shlex(line, posix=False, punctuation_chars=";")
        words.whitespace_split, words.commenters = True, "#"
        command: list[str] = []
        for word in [*words, ";"]:
            if word not in _ENDS:
                command += [] if word in _KEYWORDS and not command else [word]
            elif command:
                commands.append(Command(" ".join(command)))
                command = []
    return commands


def commands_of_page(text: str) -> list[Command]:
    """Return the commands of a page's blocks and lines, in their order."""
    commands: list[Command] = []
    end = 0
    for block in [*_FENCED.finditer(text), None]:
        lines = text[end : block.start() if block else len(text)]
        spans = re.findall(r"`((?:anls-frame|calculate-anls)\s[^`]+)`", lines)
        commands += [Command(" ".join(span.split())) for span in spans if not _is_name(span)]
        if block:
            end = block.end()
            if block[3] == "sh":
                commands += commands_of_block(block[4])
            else:
                assert not re.search(rf"^ *{_COMMAND.pattern}", block[4], re.MULTILINE), (
                    f"commands belong into a block of sh: {block[0]}"
                )
    return commands


def _is_name(span: str) -> bool:
    """Whether it only names a command."""
    return re.fullmatch(r"anls-frame( [a-z][-a-z0-9]*){1,2}", span) is not None


EXAMPLES = {
    name: [line.strip() for line in str(command.epilog).splitlines() if "anls-frame" in line]
    for name, command in commands().items()
}
"""The examples in the help of each command, by its name."""
SOURCES = {f"help of {name}": [Command(example) for example in EXAMPLES[name]] for name in EXAMPLES} | {
    str(page.relative_to(ROOT)): commands
    for page in PAGES
    if (commands := commands_of_page(page.read_text(encoding="utf-8")))
}

FIRST_IN = {command.text: source for source in reversed(SOURCES) for command in SOURCES[source]}
"""The first source of each command."""


@pytest.fixture(scope="module")
def all_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    example_files.write_for_docs(folder)
    return folder


@pytest.fixture
def folder(all_files: Path, tmp_path: Path) -> Path:
    """Return a folder of all files: what the commands of one page write is not in the way of the next."""
    folder = tmp_path / "folder"
    shutil.copytree(all_files, folder, copy_function=os.link, symlinks=True)
    return folder


def words_of(folder: Path, text: str) -> Iterator[str]:
    """Return the words of a command, its variables and patterns replaced as a shell does."""
    for quoted in shlex.split(os.path.expandvars(text), posix=False):
        written = "".join(shlex.split(quoted))
        word = written.strip("[]")  # what may be left out
        word = STANDS_FOR.get(word, word)
        if "*" in word and quoted[0] not in "'\"":
            matching = sorted(str(path.relative_to(folder)) for path in folder.glob(word))
            assert matching, f"no file for {word}"
            yield from matching
        else:
            yield word


def run(folder: Path, command: Command) -> None:
    """Run a command, once for each job if it is that of an array."""
    jobs = next((range(1, n + 1) for name, n in JOBS.items() if f"${name}" in command.text), [None])
    for job in jobs:
        numbers = {} if job is None else dict.fromkeys(JOBS, str(job))
        with mock.patch.dict(os.environ, numbers):
            program, *arguments = words_of(folder, command.text)
        output = next((arguments[i + 1] for i, word in enumerate(arguments) if word == "-o"), None)
        if output:  # pages write report.html again and again
            (folder / output).unlink(missing_ok=True)
        if arguments == ["demo"]:
            shutil.rmtree(folder / "demo")
        started = time.time_ns()
        done = shell.run(folder, *arguments, program=program)
        # Whether these files pass is not what the docs are about.
        gate = "--require-within" in arguments or "--fail-if-drop" in arguments or "--against" in arguments
        assert done.returncode in ((0, 1, 3) if gate else (0,)), (command.text, done.stderr)
        assert done.stdout or any(
            path.stat().st_mtime_ns > started for path in folder.rglob("*") if path.is_file()
        ), command.text
        assert output is None or (folder / output).exists(), command.text
        assert [line for line in command.printed if line not in done.stdout.splitlines()] == []


def repeats(command: Command, source: str) -> bool:
    """Whether a command ran for an earlier source, prints no line of this one, and writes at most a page."""
    for_others = re.search(r" (--summary|--sample|(-o|--output) \S+\.(?!html\b)\w+)\b", command.text)
    return FIRST_IN[command.text] != source and not command.printed and not for_others


@pytest.mark.parametrize("source", SOURCES)
def test_every_command_runs(folder: Path, source: str) -> None:
    for command in SOURCES[source]:
        if not command.text.startswith(tuple(NOT_RUN)) and not repeats(command, source):
            if command.printed:  # of all questions
                example_files.write_runs(folder, "rapidocr")
            assert _COMMAND.match(command.text), f"run or listed in NOT_RUN: {command.text}"
            run(folder, command)


def test_every_exception_is_needed() -> None:
    texts = [command.text for commands in SOURCES.values() for command in commands]
    assert [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)] == []


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_ends_with_the_examples(tmp_path: Path, command: str) -> None:
    _, _, shown = shell.run(tmp_path, *command.split(), "--help").stdout.partition("Examples:")
    assert [line.strip() for line in shown.strip().splitlines()] == [*EXAMPLES[command]]


def test_every_command_has_examples() -> None:
    assert [name for name, examples in EXAMPLES.items() if not examples] == []
