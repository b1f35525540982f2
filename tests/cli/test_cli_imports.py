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
    *("anls_frame.export.charts", "anls_frame.statistics.system_sums"),
]
"""Modules that take long to import, alone or with what they need: the slowest as long as a small report."""

ROWS = [
    {"question_id": str(number), "prediction": text, "answers": ["a"], "lang": lang, "doc_id": f"d{number}"}
    | {"confidence": number / 10}
    for number, (text, lang) in enumerate([("a", "de"), ("b", "en"), ("a", "de"), ("c", "en")])
]

STATISTICS = {"polars", "numpy"}
FIGURES = STATISTICS | {"anls_frame.export.charts"}
SYSTEMS = {"anls_frame.statistics.system_sums"}
PAGES = FIGURES | {"jinja2"}
ARRAYS = {"scipy", "scipy.sparse"}
PROCESSES: list[list[tuple[set[str], list[str]]]] = [
    [
        (set(), ["--version"]),
        (
            {"polars"},
            [
                "gec --help",
                "doctor",
                "convert rows.jsonl rows.parquet",
                "confusions rows.jsonl",
                "changes rows.jsonl other.jsonl",
            ],
        ),
        (
            STATISTICS,
            [
                "score rows.jsonl",
                "report rows.jsonl -b lang",
                "merge saved.parquet",
                "epochs epochs.jsonl",
                "selective rows.jsonl --model-confidence confidence",
                "corrected judged.jsonl --score judge --truth human",
            ],
        ),
        (FIGURES, ["report rows.jsonl --summary part.parquet", "fields documents.jsonl"]),
        (
            PAGES,
            [
                "report rows.jsonl -b lang -o report.html",
                "audit rows.jsonl -n 2 -o audit.html --sample audit.parquet",
                "browse rows.jsonl -o rows.html",
            ],
        ),
        (PAGES | SYSTEMS | ARRAYS, ["overview rows.jsonl"]),
    ],
    [(STATISTICS | {"pyarrow"}, ["report rows.csv -b lang"])],  # which reads CSV
    [(FIGURES | SYSTEMS, ["compare rows.jsonl other.jsonl", "format-tax rows.jsonl"])],
    [(FIGURES | {"xlsxwriter"}, ["report rows.jsonl -b lang -o report.xlsx"])],
    [(STATISTICS | SYSTEMS | ARRAYS, ["slices rows.jsonl -c doc_id --min-rows 1"])],
    [(STATISTICS | {"matplotlib"}, ["plot groups rows.jsonl -b lang -o groups.svg"])],
]
"""The dear modules that each command has imported when it ends; a process runs its commands in this order."""

PROGRAM = """
import json, os, sys
folder, commands, dear = json.loads(sys.argv[1])
os.chdir(folder)
from anls_frame.cli import main
for command in commands:
    sys.argv = ["anls-frame", *command.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (command, end.code)
    sys.stderr.write("\\n%s\\n" % json.dumps([command, [name for name in dear if name in sys.modules]]))
"""


@pytest.mark.parametrize("process", PROCESSES)
def test_a_command_imports_what_it_uses(
    process: list[tuple[set[str], list[str]]], tmp_path: Path, run_python: RunPython
) -> None:
    for name in ("rows", "other"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    epochs = [row | {"epoch": epoch} for epoch in (1, 2) for row in ROWS]
    (tmp_path / "epochs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in epochs))
    document = {"document": "a", "prediction": {"total": "1"}, "answers": {"total": "1"}}
    (tmp_path / "documents.jsonl").write_text(json.dumps(document) + "\n")
    judged = [{"judge": row % 3 > 0, "human": row % 2 > 0 if row < 8 else None} for row in range(12)]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged))
    frame = pl.DataFrame(ROWS)
    frame.with_columns(pl.col("answers").list.first()).write_csv(tmp_path / "rows.csv")
    af.summarize(frame, "prediction", "answers").save(tmp_path / "saved.parquet")
    expected = {command: modules for modules, commands in process for command in commands}
    done = run_python("-c", PROGRAM, json.dumps([str(tmp_path), [*expected], DEAR]))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[")]
    assert {command: set(modules) for command, modules in lines} == expected


def test_a_command_starts_no_threads_of_numpy(
    tmp_path: Path, run_python: RunPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    pl.DataFrame(ROWS).write_ndjson(tmp_path / "rows.jsonl")
    program = """
import atexit, os, sys
atexit.register(lambda: print("BLAS", os.environ["OPENBLAS_NUM_THREADS"], "numpy" in sys.modules))
from anls_frame.cli import main
sys.argv = ["anls-frame", "score", sys.argv[1]]
main()
"""
    for given, used in ((None, "1"), ("2", "2")):
        if given:
            monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
        assert f"BLAS {used} True" in run_python("-c", program, str(tmp_path / "rows.jsonl")).stdout
