"""What each command imports: a command waits for nothing that it does not use."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from shell import RunPython

import anls_frame as af

DEAR = [
    *("polars", "numpy", "pandas", "pyarrow", "pyarrow.compute", "scipy", "scipy.special", "scipy.sparse"),
    *("scipy.optimize", "scipy.stats", "rapidfuzz"),
    *("matplotlib", "great_tables", "rich", "jinja2", "lxml", "xlsxwriter"),
    *("typer", "pydantic"),
]
"""Modules that take long to import: the slowest takes as long as a small report."""

ROWS = [
    {"question_id": str(number), "prediction": text, "answers": ["a"], "lang": lang, "doc_id": f"d{number}"}
    | {"confidence": number / 10}
    for number, (text, lang) in enumerate([("a", "de"), ("b", "en"), ("a", "de"), ("c", "en")])
]

STATISTICS = {"polars", "numpy"}
IMPORTED = {
    "--version": set[str](),
    "score rows.jsonl": STATISTICS,
    "overview rows.jsonl": STATISTICS | {"scipy", "scipy.sparse", "jinja2"},
    "report rows.jsonl -b lang": STATISTICS,
    "report rows.csv -b lang": STATISTICS | {"pyarrow"},  # which reads CSV
    "report rows.jsonl -b lang -o report.html": STATISTICS | {"jinja2"},
    "report rows.jsonl -b lang -o report.xlsx": STATISTICS | {"xlsxwriter"},
    "report rows.jsonl --summary part.parquet": STATISTICS,
    "merge saved.parquet": STATISTICS,
    "compare rows.jsonl other.jsonl": STATISTICS,
    "epochs epochs.jsonl": STATISTICS,
    "slices rows.jsonl -c doc_id --min-rows 1": STATISTICS | {"scipy", "scipy.sparse"},
    "selective rows.jsonl --model-confidence confidence": STATISTICS,
    "fields documents.jsonl": STATISTICS,
    "format-tax rows.jsonl": STATISTICS,
    "audit rows.jsonl -n 2 -o audit.html --sample audit.parquet": STATISTICS | {"jinja2"},
    "convert rows.jsonl rows.parquet": {"polars"},
    "confusions rows.jsonl": {"polars"},
    "changes rows.jsonl other.jsonl": {"polars"},
    "browse rows.jsonl -o rows.html": STATISTICS | {"jinja2"},
    "plot groups rows.jsonl -b lang -o groups.svg": STATISTICS | {"matplotlib"},
    "doctor": {"polars"},
    "gec --help": {"polars"},
}
"""The dear modules that each command imports."""


@pytest.mark.parametrize("command", IMPORTED)
def test_a_command_imports_what_it_uses(command: str, tmp_path: Path, run_python: RunPython) -> None:
    for name in ("rows", "other"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    epochs = [row | {"epoch": epoch} for epoch in (1, 2) for row in ROWS]
    (tmp_path / "epochs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in epochs))
    document = {"document": "a", "prediction": {"total": "1"}, "answers": {"total": "1"}}
    (tmp_path / "documents.jsonl").write_text(json.dumps(document) + "\n")
    frame = pl.DataFrame(ROWS)
    frame.with_columns(pl.col("answers").list.first()).write_csv(tmp_path / "rows.csv")
    af.summarize(frame, "prediction", "answers").save(tmp_path / "saved.parquet")
    program = tmp_path / "program.py"
    program.write_text(
        f"""import os, sys
os.chdir({str(tmp_path)!r})
sys.argv = ["anls-frame", *{command.split()!r}]
from anls_frame.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
sys.stderr.write(",".join(name for name in {DEAR!r} if name in sys.modules))
"""
    )
    done = run_python(str(program))
    assert done.returncode == 0, done.stderr
    last = done.stderr.rpartition("\n")[2]
    assert set(filter(None, last.split(","))) == IMPORTED[command]
