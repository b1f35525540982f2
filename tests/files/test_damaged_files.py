"""
Real files, damaged at random: each is read, or is an error that names it, in bounded memory.

The files are damaged as a disk damages them (bytes changed, cut, doubled), and as somebody who knows the
format does (values of JSON, tags, cells of tables). They are read in a process of their own, whose memory is
limited: what ends the process or fills the memory fails the test.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount

import anls_frame as af

MEMORY = 4 << 30
HOSTILE_JSON = [
    *("1e400", "-1", "0", "true", "null", "NaN", "-Infinity", "9" * 5_000, "1.5", "18446744073709551616"),
    *('"x"', '""', '"\\ud800"', '"\\u0000"', "[]", "{}", '{"a": 1}', "[[]]", '[{"a": [1, "x"]}]'),
    *("[" * 90 + "]" * 90, "[" * 5_000 + "]" * 5_000, "[" * 50_000, '{"a":' * 500 + "1" + "}" * 500),
]
HOSTILE_HTML = [
    *("<div>" * 300, "</div>" * 3, "<span class='ocr_line'>", "</html>", "<!--", "&nbsp;&#0;&#xD800;&foo;"),
    *("<del>", "\0", "<script>", "<p " * 200, "<![CDATA[", "<?php", "x" * 100_000, "<table><tr>" * 100),
]
VALUE = re.compile(r'(?<=[:,\[])\s*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\])')
PAIR = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null)')

Damage = "Callable[[random.Random, bytes], bytes]"


def of_bytes(draw: random.Random, data: bytes) -> bytes:
    """Damage some bytes, as disks and transfers do."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        first, second = sorted(draw.randrange(len(changed) + 1) for _ in range(2))
        second = min(second, first + 64)
        match draw.randrange(5):
            case 0 if changed:
                changed[min(first, len(changed) - 1)] ^= 1 << draw.randrange(8)
            case 1:
                del changed[first:second]
            case 2:
                changed[first:first] = changed[first:second]
            case 3:
                changed[first:second] = draw.randbytes(second - first)
            case _ if draw.random() < 0.2:
                del changed[first:]
    return bytes(changed)


def of_json(draw: random.Random, data: bytes) -> bytes:
    """Replace values of JSON by others, or give a key twice."""
    text = data.decode()
    for _ in range(draw.randint(1, 3)):
        matches = list((PAIR if (double := draw.random() < 0.2) else VALUE).finditer(text))
        if matches:
            match = draw.choice(matches)
            new = f"{match[0]}, {match[0]}" if double else draw.choice(HOSTILE_JSON)
            text = text[: match.start()] + new + text[match.end() :]
    return text.encode()


def of_html(draw: random.Random, data: bytes) -> bytes:
    """Put tags and texts where they do not belong, or leave tags out."""
    text = data.decode()
    for _ in range(draw.randint(1, 4)):
        tags = list(re.finditer("<[^>]*>", text))
        tag = draw.choice(tags) if tags else re.compile("").search(text)
        assert tag is not None
        new = "" if draw.random() < 0.4 else tag[0] + draw.choice(HOSTILE_HTML)
        text = text[: tag.start()] + new + text[tag.end() :]
    return text.encode()


def of_archive(draw: random.Random, data: bytes) -> bytes:
    """Change members of an archive, whose sizes and checksums are right."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as archive,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        members = archive.namelist()
        chosen = draw.choice(members)
        for name in members:
            content = archive.read(name)
            if name == chosen:
                content = draw.choice((of_json, of_bytes))(draw, content)
            for _ in range(2 if draw.random() < 0.05 else 1):
                new.writestr(name, content)
    return file.getvalue()


def of_table(draw: random.Random, data: bytes) -> bytes:
    """Change a cell of the table of a summary, or its header."""
    metadata = pl.read_parquet_metadata(io.BytesIO(data))["anls_frame"]
    table = pl.read_parquet(io.BytesIO(data))
    if draw.random() < 0.5:
        metadata = of_json(draw, metadata.encode()).decode()
    else:
        name = draw.choice(table.columns)
        row, column = draw.randrange(table.height), table[name]
        values = [None, -1, 0, 1, 7, 1 << 40, (1 << 62) - 1, 0.5, float("nan"), float("inf"), "x", "cell"]
        value = draw.choice(values)
        fits = column.dtype.is_numeric() and not isinstance(value, str)
        value = str(value) if column.dtype == pl.String else value if fits else None
        changed = pl.Series(name, [value], strict=False).cast(column.dtype, strict=False)
        match draw.randrange(4):
            case 0:
                table = table.drop(name)
            case 1:
                as_text = pl.lit("x").alias(name) if column.dtype.is_nested() else column.cast(pl.String)
                table = table.with_columns(as_text)
            case 2:
                table = pl.concat([table, table[row]])
            case _:
                table = table.with_columns(pl.concat([column[:row], changed, column[row + 1 :]]))
    file = io.BytesIO()
    table.write_parquet(file, metadata={"anls_frame": metadata})
    return file.getvalue()


# What is read, in the process of its own


def log() -> bytes:
    """Return a log of Inspect as an archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        eval_ = {"model": "a/b", "task": "docvqa", "created": "2025-01-01"}
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": eval_}))
        archive.writestr("header.json", json.dumps({"status": "success", "eval": eval_}))
        for number in range(4):
            sample: dict[str, Any] = {
                "id": number,
                "epoch": 1,
                "input": [{"role": "user", "content": [{"type": "text", "text": f"question {number}"}]}],
                "target": ["a", "b"],
                "output": {"model": "a/b", "completion": "a", "choices": [{"message": {"content": "a"}}]},
                "scores": {"match": {"value": "C", "answer": "a", "metadata": {"edits": 0}}},
                "metadata": {"lang": "en", "pages": [1, 2]},
                "model_usage": {"a/b": {"input_tokens": 10, "output_tokens": 2}},
                "total_time": 0.5,
            }
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    return file.getvalue()


PAGE = b"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>page</title></head><body>
<div class="ocr_page" title="bbox 0 0 100 100"><div class="ocr_carea"><p class="ocr_par">
<span class="ocr_line" title="bbox 0 0 90 9"><span class="ocrx_word">Invoice</span>
<span class="ocrx_word">12</span></span>
<br><span class="ocr_line"><span class="ocrx_word">Total <del>x</del>&nbsp;EUR</span></span>
</p></div></div></body></html>
"""

VERDICTS = b"".join(
    json.dumps({"id": row, "row": row, "verdict": "format", "digest": f"{row:016x}", "epoch": 1}).encode()
    + b"\n"
    for row in range(5)
)

ROWS = pl.DataFrame({
    "old": ["cat", "dog", None, "bird"] * 5,
    "new": ["cat", "fog", "cow", "x"] * 5,
    "t": ["cat", "dog", "cow", None] * 5,
    "kind": [["a"], ["a", "b"]] * 10,
    "doc": [0, 1, 2, 3, 4] * 4,
    "s": [0.5, 1.25, -3.0, None] * 5,
})  # fmt: skip
OWN = af.Metric("s", name="s")


def read_summary(path: Path) -> None:
    summary = af.Summary.load(path)
    af.Report.from_summary(summary).to_polars()
    # Another dtype of keys is refused where the file is not known any more.
    with contextlib.suppress(ValueError):
        af.merge([summary, af.summarize(ROWS, "old", "t", part="another", **OF_ONE)])


def read_systems(path: Path) -> None:
    summary = af.Summary.load(path)
    af.Comparison.from_summary(summary).to_polars()
    with contextlib.suppress(ValueError):
        af.merge([summary, af.summarize(ROWS, ["old", "new"], "t", part="another", **OF_SYSTEMS)])


OF_ONE: dict[str, Any] = {
    "by": "kind",
    "cluster": "doc",
    "metrics": ["anls", OWN],
    "worst": 2,
    "details": True,
}
OF_SYSTEMS: dict[str, Any] = {"by": "kind", "cluster": "doc", "metrics": ["anls", "cer_corpus"]}
KINDS: dict[str, tuple[str, Callable[[], bytes], Any, Callable[[Path], Any]]] = {
    "archive": ("log.eval", log, of_archive, lambda path: af.readers.read_inspect(path, allow_missing=True)),
    "hocr": (
        "page.hocr",
        lambda: PAGE,
        of_html,
        lambda path: af.read_pages(path.parent, {"a": path.parent}),
    ),
    "verdicts": ("verdicts.jsonl", lambda: VERDICTS, of_json, af.readers.read_verdicts),
    "summary": (
        "one.parquet",
        lambda: af.summarize(ROWS, "old", "t", **OF_ONE).to_bytes(),
        of_table,
        read_summary,
    ),
    "systems": (
        "systems.parquet",
        lambda: af.summarize(ROWS, ["old", "new"], "t", **OF_SYSTEMS).to_bytes(),
        of_table,
        read_systems,
    ),
}


def tried(kind: str, cases: int, folder: Path, first: int = 0) -> dict[str, Any]:
    """Damage a file many times and read it: how often it was read and refused, and what went wrong."""
    name, make, of_format, read = KINDS[kind]
    whole, path = make(), folder / name
    path.write_bytes(whole)
    read(path)
    found: dict[str, Any] = {"read": 0, "refused": 0, "wrong": []}
    for seed in range(first, first + cases):
        draw = random.Random(f"{kind} {seed}")
        path.write_bytes((of_format if draw.random() < 0.6 else of_bytes)(draw, whole))
        sys.stderr.write(f"{seed}\n")
        try:
            read(path)
            found["read"] += 1
        except ValueError as error:
            found["refused"] += 1
            if name not in str(error) or len(str(error)) > 20_000:
                found["wrong"].append([seed, f"{type(error).__name__}: {str(error)[:200]}"])
        except BaseException as error:  # noqa: BLE001 - any other is what is looked for
            found["wrong"].append([seed, f"{type(error).__name__}: {str(error)[:200]}"])
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_by_name(
    kind: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    cases = amount(40, 3_000)
    done = run_python(__file__, kind, str(cases), str(tmp_path), POLARS_MAX_THREADS="2")
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["read"] + found["refused"] == cases
    assert found["refused"] > cases / 10


if __name__ == "__main__":
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    kind, cases, folder, *first = sys.argv[1:]
    sys.stdout.write(json.dumps(tried(kind, int(cases), Path(folder), *map(int, first))))
