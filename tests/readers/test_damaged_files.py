"""
Archives of Inspect, damaged at random: each is read, or is an error that names it, in bounded memory.

They are damaged as a disk damages them (bytes changed, cut, doubled), and as somebody who knows the format
does (values of JSON, members). They are read in a process of their own, whose memory is limited: what ends
the process or fills the memory fails the test.
"""

from __future__ import annotations

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

import pytest
from campaign import amount

import anls_frame as af

MEMORY = 4 << 30
HOSTILE_JSON = [
    *("1e400", "-1", "0", "true", "null", "NaN", "-Infinity", "9" * 5_000, "1.5", "18446744073709551616"),
    *('"x"', '""', '"\\ud800"', '"\\u0000"', "[]", "{}", '{"a": 1}', "[[]]", '[{"a": [1, "x"]}]'),
    *("[" * 90 + "]" * 90, "[" * 5_000 + "]" * 5_000, "[" * 50_000, '{"a":' * 500 + "1" + "}" * 500),
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


def read(path: Path) -> None:
    af.readers.read_inspect(path, allow_missing=True)


def tried(cases: int, folder: Path, first: int = 0) -> dict[str, Any]:
    """Damage a file many times and read it: how often it was read and refused, and what went wrong."""
    whole, path = log(), folder / "log.eval"
    path.write_bytes(whole)
    read(path)
    found: dict[str, Any] = {"read": 0, "refused": 0, "wrong": []}
    for seed in range(first, first + cases):
        draw = random.Random(f"archive {seed}")
        path.write_bytes((of_archive if draw.random() < 0.6 else of_bytes)(draw, whole))
        sys.stderr.write(f"{seed}\n")
        try:
            read(path)
            found["read"] += 1
        except ValueError as error:
            found["refused"] += 1
            if path.name not in str(error) or len(str(error)) > 20_000:
                found["wrong"].append([seed, f"{type(error).__name__}: {str(error)[:200]}"])
        except BaseException as error:  # noqa: BLE001 - any other is what is looked for
            found["wrong"].append([seed, f"{type(error).__name__}: {str(error)[:200]}"])
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_damaged_archives_are_read_or_refused_by_name(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    cases = amount(60, 3_000)
    done = run_python(__file__, str(cases), str(tmp_path), POLARS_MAX_THREADS="2")
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["read"] + found["refused"] == cases
    assert found["refused"] > cases / 10


if __name__ == "__main__":
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    cases, folder, *first = sys.argv[1:]
    sys.stdout.write(json.dumps(tried(int(cases), Path(folder), *map(int, first))))
