"""`demo` writes the sample data and its pages, and replaces nothing unasked."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import shell
from polars.testing import assert_frame_equal
from shell import fine, refused

import anls_frame as af


def test_demo_writes_what_it_names(tmp_path: Path) -> None:
    printed = fine(shell.run(tmp_path, "demo"))
    named = [line.partition(":")[0] for line in printed.splitlines() if ": " in line]
    assert sorted(named) == sorted(f"demo/{path.name}" for path in (tmp_path / "demo").iterdir())
    assert "Open demo/overview.html in a browser first." in printed
    assert_frame_equal(pl.read_parquet(tmp_path / "demo" / "questions.parquet"), af.sample())
    report = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "0.660" in report  # data/README.md has this score of tesseract
    both = (tmp_path / "demo" / "comparison.html").read_text(encoding="utf-8")
    assert "0.846" in both
    assert {path.name for path in (tmp_path / "demo" / "pages").iterdir()} == {
        "truth",
        "tesseract",
        "rapidocr",
    }


def test_demo_replaces_files_only_with_force(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").write_text("my own")
    refused(shell.run(tmp_path, "demo", "mine"), "report.html: already exists", "--force")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["report.html"]
    fine(shell.run(tmp_path, "demo", "mine", "--force"))
    assert "my own" not in (tmp_path / "mine" / "report.html").read_text(encoding="utf-8")
