"""Writers that fail or are killed on the way: the file is the old one or the new one, never a mixture."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from campaign import amount

from anls_frame.export import SUFFIXES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs resource limits and SIGKILL")

DOCUMENTS = """
import polars as pl
from anls_frame.export import Document, Table, write

def document(text, rows):
    frame = pl.DataFrame({
        "slice": ["overall"] + ["group"] * rows,
        "key": [None] + [f"{text} {row}" for row in range(rows)],
        "n": range(rows + 1),
        "anls": [row / 7 for row in range(rows + 1)],
    })
    table = Table("By key", frame, {"key": "key", "n": "count", "anls": "score"})
    return Document(text, [table], {"protocol": "anls", "digest": text}, f"anls|{text}", [text])
"""

# The limit makes a write fail at that byte with EFBIG, as a full disk would; a regular file only, so that the
# answer still gets through.
LIMITS = (
    DOCUMENTS
    + """
import json, os, pathlib, resource, signal, sys

# Python does not see that what it has compiled is cut off.
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, highest = resource.getrlimit(resource.RLIMIT_FSIZE)
answers = {}
for folder in map(pathlib.Path, sys.argv[1:]):
    path = folder / f"report.{folder.name}"
    new = document("new", 200)
    write(new, path)
    whole = path.read_bytes()
    write(document("old", 30), path)
    old = path.read_bytes()
    steps = sorted({*range(0, len(whole), max(len(whole) // 50, 1)), 1, 2, len(whole) - 2, len(whole) - 1})
    wrong = []
    for step in steps:
        resource.setrlimit(resource.RLIMIT_FSIZE, (step, highest))
        try:
            write(new, path)
            outcome = "no error"
        except OSError as error:
            is_right = "no space left" in str(error) and str(path) in str(error)
            outcome = "as it should" if is_right else str(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (highest, highest))
        if outcome != "as it should" or path.read_bytes() != old or os.listdir(path.parent) != [path.name]:
            wrong.append((step, outcome, os.listdir(path.parent)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole), highest))
    write(new, path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (highest, highest))
    at_last = path.read_bytes() == whole
    answers[folder.name] = {"steps": len(steps), "wrong": wrong, "at last": at_last}
print(json.dumps(answers))
"""
)

# Processes are forked off one that has imported everything but started no thread, which takes milliseconds.
KILLS = (
    DOCUMENTS
    + """
import json, os, pathlib, random, signal, sys, time
import anls_frame.export.json_files
from anls_frame.export import csv_files, excel, latex, markdown, parquet_files

def in_a_process(work):
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return child

def versions():
    return [document("first", 150), document("second", 200)]

def write_for_ever():
    both = versions()
    write(both[0], path)
    os.write(ready[1], b".")
    while True:
        for version in both:
            write(version, path)

def write_each():
    for number, version in enumerate(versions()):
        write(version, folder / f"{number}{suffix}")

answers = {}
ready = os.pipe()
for folder in map(pathlib.Path, sys.argv[2:]):
    suffix = f".{folder.name}"
    os.waitpid(in_a_process(write_each), 0)
    whole = [(folder / f"{number}{suffix}").read_bytes() for number in range(2)]
    path = folder / f"report{suffix}"
    path.write_bytes(whole[0])
    rng = random.Random(suffix)
    torn, litter = 0, set()
    for kill in range(int(sys.argv[1])):
        child = in_a_process(write_for_ever)
        os.read(ready[0], 1)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), status
        torn += path.read_bytes() not in whole
        litter |= set(os.listdir(folder)) - {path.name, f"0{suffix}", f"1{suffix}"}
    answers[folder.name] = {"torn": torn, "litter": sorted(litter)}
print(json.dumps(answers))
"""
)


def run(program: str, folder: Path, *arguments: str) -> dict[str, Any]:
    """Run a script with a folder for each format, and return what it says of each."""
    folders = [folder / suffix[1:] for suffix in SUFFIXES]
    for one in folders:
        one.mkdir()
    result = subprocess.run(  # noqa: S603 - our own interpreter and our own script
        [sys.executable, "-c", program, *arguments, *map(str, folders)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    answers: dict[str, Any] = json.loads(result.stdout)
    assert [*answers] == [one.name for one in folders]
    return answers


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    for suffix, answer in run(LIMITS, tmp_path).items():
        assert answer["wrong"] == [], suffix
        assert answer["steps"] >= 50, suffix
        assert answer["at last"], suffix


def test_a_process_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    for suffix, answer in run(KILLS, tmp_path, str(amount(5, 30))).items():
        assert answer["torn"] == 0, suffix
        # A killed process cannot clean up; what it leaves says what it is.
        names = answer["litter"]
        assert all(name.startswith(".anls-frame-") and name.endswith(".tmp") for name in names), suffix
