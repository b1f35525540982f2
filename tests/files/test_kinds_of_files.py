"""What a file is, said by its first bytes where its name says something else, and what to do with it."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import re
import zipfile
from pathlib import Path

import openpyxl
import polars as pl
import pyarrow as pa
import pytest

import anls_frame as af


def contents() -> dict[str, tuple[bytes, str]]:
    """Return files of many kinds, each with what their error says under the name of another kind."""
    frame = pl.DataFrame({"question_id": ["1", "2"], "prediction": ["a", "b"], "answers": ["a", "c"]})
    csv, lines = frame.write_csv().encode(), frame.write_ndjson().encode()
    made = {name: io.BytesIO() for name in ("parquet", "arrow", "xlsx", "zip")}
    frame.write_parquet(made["parquet"])
    frame.write_ipc(made["arrow"])
    openpyxl.Workbook().save(made["xlsx"])
    with zipfile.ZipFile(made["zip"], "w") as archive:
        archive.writestr("r.csv", csv)
    of_zip = "a workbook or a ZIP archive: save a workbook as .xlsx, or unpack the archive"
    of_pack, other = "compressed: unpack it", "a pickle or a file of old Excel: save it as CSV"
    of_arrow = "a file of Arrow: write its rows to a Parquet file, in Python with polars.read_ipc"
    of_html = (
        "HTML or XML, such as a page that asks to sign in; if a spreadsheet shows a table, save it as CSV"
    )
    return {
        "gzip": (gzip.compress(csv), "compressed with gzip: append .gz to its name"),
        "zstd": (pa.compress(csv, codec="zstd", asbytes=True), "compressed with Zstandard: append .zst"),
        "bz2": (bz2.compress(csv), of_pack),
        "xz": (lzma.compress(csv), of_pack),
        "parquet": (made["parquet"].getvalue(), "a Parquet file: name it .parquet"),
        "arrow": (made["arrow"].getvalue(), of_arrow),
        "pickle": (pickle.dumps(frame.to_dicts()), other),
        "xls": (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504), other),
        "xlsx": (made["xlsx"].getvalue(), of_zip),
        "zip": (made["zip"].getvalue(), of_zip),
        "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF or an image: name the file with its text"),
        "png": (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PDF or an image"),
        "login": (b"<!DOCTYPE html>\n<html><body>Sign in, a, b</body></html>\n", of_html),
        "table": (b"\n<table><tr><td>prediction</td><td>answers</td></tr></table>\n", of_html),
        "json": (json.dumps(frame.to_dicts(), indent=1).encode(), "JSON: name it .json"),
        "jsonl": (lines, "JSON: name it .json"),
        "csv": (csv, "a table of text: name it .csv or .tsv"),
        "quoted": (b'"prediction","answers"\n"a","b"\n', "a table of text: name it .csv or .tsv"),
    }


OWN = {"json": ["json", "jsonl"], "csv": ["csv", "quoted"], "parquet": ["parquet"], "xlsx": ["xlsx", "zip"]}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet", "xlsx", "csv.gz"])
def test_a_file_of_another_kind_than_its_name_is_named(tmp_path: Path, suffix: str) -> None:
    own = {"tsv": "csv", "jsonl": "json"}.get(suffix, suffix)
    path = tmp_path / f"r.{suffix}"
    for kind, (content, told) in contents().items():
        if kind in OWN.get(own, ["gzip"]):
            continue
        path.write_bytes(content)
        with pytest.raises(af.InputError, match=re.escape(f"{path}: this is {told}")):
            af.read_results(path)


@pytest.mark.parametrize("kind", ["gzip", "zstd", "parquet", "json", "jsonl", "csv", "quoted"])
def test_a_file_is_read_under_the_name_that_its_error_says(tmp_path: Path, kind: str) -> None:
    content, told = contents()[kind]
    added = re.search(r"(append|name it) (\.\w+)", told)
    assert added is not None
    path = tmp_path / f"r{'.csv' if added[1] == 'append' else ''}{added[2]}"
    path.write_bytes(content)
    assert af.read_results(path)["prediction"][0] == "a"


@pytest.mark.parametrize("kind", ["gzip", "parquet", "zip", "pdf", "xz"])
def test_what_is_no_text_is_no_page_of_text_either(tmp_path: Path, kind: str) -> None:
    content, told = contents()[kind]
    (tmp_path / "gt.txt").write_text("a", encoding="utf-8")
    (tmp_path / "ocr.txt").write_bytes(content)
    with pytest.raises(af.InputError, match=re.escape(f"this is {told}")):
        af.read_pages(tmp_path / "gt.txt", tmp_path / "ocr.txt")
    # Texts of pages may be JSON, markup or a table.
    for text in ('{"a": 1}', "<table>", "name,sum\n1,2"):
        (tmp_path / "ocr.txt").write_text(text, encoding="utf-8")
        assert af.read_pages(tmp_path / "gt.txt", tmp_path / "ocr.txt")["prediction"].item() == text
    # What no kind is known by is no text either.
    (tmp_path / "ocr.txt").write_bytes(bytes(4096))
    with pytest.raises(af.InputError, match=r"is not valid UTF-8|not a text file"):
        af.read_pages(tmp_path / "gt.txt", tmp_path / "ocr.txt")
