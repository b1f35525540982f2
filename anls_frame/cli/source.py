"""From a file's name to the standard frame: which reader, with which options."""

from __future__ import annotations

import dataclasses
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.exceptions import ColumnNotFoundError
from anls_frame.frames import origins
from anls_frame.readers import (
    _content,
    _files,
    read_inspect,
    read_lm_eval,
    read_lmms_eval,
    read_results,
    read_rrc,
    read_vlmevalkit,
)
from anls_frame.readers._problems import listed, problem, reading_parquet
from anls_frame.readers._standard import ROLES
from anls_frame.readers.table import read_table, scan_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anls_frame.cli.options import Source

_TABLE_OPTIONS = (
    *("prediction", "answers", "question_id"),
    *("answers_format", "format", "sheet", "encoding"),
)
_PEEK = 1 << 16
_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')


def load(path: Path, source: Source, *, unique_ids: bool = False) -> pl.DataFrame:
    """Read a file as the standard frame; harness' files have unique ids in any case, in each epoch."""
    kind = _kind(path, source)
    _check_options(kind, source)
    if kind == "rrc":
        if source.gold is None:
            raise ValueError(f"{path} is a submission: name the file of gold labels, --gold GOLD")
        return read_rrc(source.gold, path, allow_missing=source.allow_missing)
    if kind == "lmms-eval":
        return read_lmms_eval(path, response=source.response)
    if kind == "lm-eval":
        return read_lm_eval(path, filter=source.filter, response=source.response)
    if kind == "inspect":
        frame = read_inspect(
            path, scorer=source.scorer, epoch=source.epoch, allow_missing=source.allow_missing
        )
        if unique_ids and frame["epoch"].n_unique() > 1:
            epochs = listed([str(epoch) for epoch in frame["epoch"].unique().sort()])
            raise problem(path, f"holds several epochs: {epochs}; name one: --epoch ...")
        return frame
    if kind == "vlmevalkit":
        return read_vlmevalkit(path, sheet=source.sheet)
    return read_results(path, **_columns(source), unique_ids=unique_ids)


def table(path: Path, source: Source) -> pl.DataFrame:
    """Read a table of which no column has to be there."""
    if _kind(path, source) != "table":
        raise ValueError(f"{path}: scores are columns of a table, not of a harness' file")
    _check_options("table", source)
    given = _columns(source)
    roles = {role: given.pop(role, None) for role in ROLES}
    return read_table(path, roles, required=(), unique_ids=False, **given)


@contextmanager
def reading(path: Path, source: Source) -> Iterator[None]:
    """Name the file where Polars finds it damaged, and say where a column is that a harness leaves out."""
    try:
        with reading_parquet(path):
            yield
    except ColumnNotFoundError as error:
        if _kind(path, source) != "lmms-eval":
            raise
        raise ColumnNotFoundError(
            f"{error}\nlmms-eval leaves the document's fields out of its files: join them by question_id, "
            "the number of the row in the data set, and report the joined table"
        ) from None


def scan(path: Path, source: Source, rows: tuple[int, int] | None = None) -> pl.LazyFrame:
    """Read a file, or some of its rows (the first and how many), lazily where its format allows it."""
    if _kind(path, source) == "table":
        _check_options("table", source)
        return scan_rows(path, rows, **_columns(source))
    frame = load(path, source)
    whole = frame.lazy()
    return origins.like(whole if rows is None else whole.slice(*rows), frame)


def scan_counted(path: Path, source: Source) -> tuple[pl.LazyFrame, int]:
    """Read a file lazily, where its format allows it, and say how many rows it has."""
    rows = stored_rows(path, source)
    if rows is None:
        frame = load(path, source)
        return origins.like(frame.lazy(), frame), frame.height
    if not rows:
        raise problem(path, "holds no rows")
    return scan(path, source), rows


def stored_rows(path: Path, source: Source) -> int | None:
    """Return how many rows a file says it holds; None where it has to be read to know."""
    if _kind(path, source) != "table" or _content.file_format(path, source.format) != "parquet":
        return None
    _content.check_file(path)
    with reading_parquet(path):
        rows: int = pl.scan_parquet(_files.seekable(path), glob=False).select(pl.len()).collect().item()
    return rows


def _columns(source: Source) -> dict[str, Any]:
    given = {name: getattr(source, name) for name in _TABLE_OPTIONS}
    return {name: value for name, value in given.items() if value is not None}


def _check_options(kind: str, source: Source) -> None:
    """Raise an error for options that a reader has no use for, rather than leave them out."""
    allowed = {
        "table": set(_TABLE_OPTIONS),
        "rrc": {"gold", "allow_missing"},
        "lmms-eval": {"response"},
        "lm-eval": {"filter", "response"},
        "inspect": {"scorer", "epoch", "allow_missing"},
        "vlmevalkit": {"sheet"},
    }.get(kind, set())
    given = {
        field.name
        for field in dataclasses.fields(source)
        if field.name != "reader" and getattr(source, field.name) not in (None, False)
    }
    useless = sorted(f"--{name.replace('_', '-')}" for name in given - allowed)
    if useless:
        raise ValueError(f"files of the kind {kind!r} are read without {', '.join(useless)}")


def _kind(path: Path, source: Source) -> str:
    """Which reader a file is for, by its name and its beginning."""
    _files.keep(path)
    if source.reader != "auto":
        return source.reader
    if source.gold is not None:
        return "rrc"
    if path.suffix.lower() == ".eval":
        return "inspect"
    if _content.file_format(path, source.format) not in {"json", "jsonl"}:
        return "table"
    return _kind_of_json(path)


def _kind_of_json(path: Path) -> str:
    text = _beginning(path).lstrip()
    keys = _first_keys(text)
    if {"filtered_resps", "target"} <= keys:
        return "lm-eval" if "arguments" in keys else "lmms-eval"
    if text.startswith("[") and keys == {"questionId", "answer"}:
        return "rrc"
    squeezed = "".join(text.split())
    if squeezed.startswith("{") and '"eval":{' in squeezed and '"status":' in squeezed:
        return "inspect"
    if squeezed.startswith("{") and '"data":[{"questionId":' in squeezed:
        raise problem(path, "these are gold labels: name them by --gold, and the submission as the file")
    return "table"


def _first_keys(text: str) -> set[str]:
    """Keys of the first object of a list or of JSON Lines, as far as the beginning has them."""
    start = max(text.find("{"), 0)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        # Longer than the beginning: what looks like a key within a text does no harm but a wrong guess.
        return set(_KEY.findall(text))
    return set(value) if isinstance(value, dict) else set()


def _beginning(path: Path) -> str:
    data = _content.beginning(path, _PEEK)
    return data.decode("utf-8" if b"\0" not in data else "utf-16", errors="replace").removeprefix("\ufeff")
