"""A command refuses, before it works, to write a file that it reads, or two results into one file."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from shell import fine, run

import anls_frame as af
from anls_frame.cli.app import commands
from anls_frame.cli.options import WRITTEN

ROWS = pl.DataFrame({
    "question_id": [1, 2],
    "prediction": ["a", "b"],
    "answers": [["a"], ["c"]],
    "other": ["a", "c"],
})  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ROWS.write_parquet(tmp_path / "rows.parquet")
    ROWS.write_ndjson(tmp_path / "rows.jsonl")
    af.summarize(ROWS, "prediction", "answers").save(tmp_path / "part.parquet")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(folder: Path, *arguments: str) -> str:
    before = content(folder)
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert content(folder) == before
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (
            ("report", "rows.jsonl", "--summary", "x.parquet", "-o", "./sub/../x.parquet"),
            "--output and --summary name the same file, sub/../x.parquet or x.parquet: the",
        ),
        (("merge", "part.parquet", "--summary", "part.parquet", "-f"), "--summary and SUMMARY... name"),
        (("merge", "*.parquet", "--summary", "part.parquet", "-f"), "--summary and SUMMARY... name"),
        (("report", "rows.parquet", "--summary", "rows.parquet", "-f"), "--summary and FILE... name"),
        (("convert", "rows.parquet", "rows.parquet", "-f"), "OUTPUT and FILE name the same file"),
        (("changes", "rows.jsonl", "rows.parquet", "-o", "rows.parquet", "-f"), "--output and FILE... name"),
        (
            ("report", "rows.jsonl", "--gold", "rows.parquet", "-o", "rows.parquet", "-f"),
            "--output and --gold name the same file",
        ),
        (("report", "rows.*", "-o", "rows.parquet", "-f"), "--output and FILE... name the same file"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)  # fmt: skip
def test_one_file_in_two_roles_is_refused(folder: Path, arguments: tuple[str, ...], options: str) -> None:
    (folder / "sub").mkdir()
    assert options in refused(folder, *arguments)


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_links_lead_to_the_same_file(folder: Path) -> None:
    (folder / "symbolic.parquet").symlink_to("rows.parquet")
    os.link(folder / "rows.parquet", folder / "hard.parquet")
    (folder / "folder").symlink_to(".")
    (folder / "dangling.parquet").symlink_to("new.parquet")
    for other in ("symbolic.parquet", "hard.parquet", "folder/rows.parquet"):
        assert "--output and FILE name the same file" in refused(
            folder, "score", "rows.parquet", "-f", "-o", other
        )
        assert "--output and FILE name the same file" in refused(
            folder, "score", other, "-f", "-o", "rows.parquet"
        )
    for first, second in (("dangling.parquet", "new.parquet"), ("folder/new.parquet", "new.parquet")):
        assert f"name the same file, {first} or {second}" in refused(
            folder, "report", "rows.jsonl", "-f", "-o", first, "--summary", second
        )


def test_different_files_are_written(folder: Path) -> None:
    fine(run(folder, "report", "rows.jsonl", "--summary", "a.parquet", "-o", "b.parquet"))
    assert af.Summary.load(folder / "a.parquet").rows == pl.read_parquet(folder / "b.parquet")["n"][0] == 2


def test_every_option_of_a_written_file_is_checked() -> None:
    """Whoever adds such an option names it there; all other paths are read."""
    parameters = [
        (parameter.name in WRITTEN, str(getattr(parameter, "help", None) or getattr(parameter, "text", "")))
        for command in commands().values()
        for parameter in command.params
    ]
    assert ("Save the merged summary.", True) in {(text, is_written) for is_written, text in parameters}
    for is_written, text in parameters:  # every option has a description
        assert is_written == text.startswith(("File to write", "Save the "))
