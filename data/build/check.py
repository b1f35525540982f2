"""Compares rows built anew with the committed ones."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .assemble import Result, Row


def check(results: Sequence[Result], folder: Path) -> int:
    """Print every difference, and return 1 if there is one."""
    questions = [row for result in results for row in result.questions]
    differences = [
        *_differences(questions, folder / "anls_frame" / "samples" / "qa.parquet", "question_id", results),
        *_differences(
            [result.page for result in results],
            folder / "anls_frame" / "samples" / "pages.parquet",
            "doc_id",
            results,
        ),
    ]
    for line in differences:
        print(line)
    print(
        f"{len(questions)} questions, {len(results)} pages, {len(differences)} differences", file=sys.stderr
    )
    return 1 if differences else 0


def _differences(rows: Sequence[Row], file: Path, key: str, results: Sequence[Result]) -> list[str]:
    documents = [result.page["doc_id"] for result in results]
    frame = pl.read_parquet(file).filter(pl.col("doc_id").is_in(documents))
    committed = {row[key]: row for row in frame.to_dicts()}
    built = {row[key]: row for row in rows}
    lines = [f"{identity}: only on one side" for identity in sorted(committed.keys() ^ built.keys())]
    for identity in sorted(committed.keys() & built.keys()):
        one, other = committed[identity], built[identity]
        lines += [
            f"{identity}: {name}: {one[name]!r} became {other[name]!r}"
            for name in one
            if one[name] != other[name]
        ]
    return lines
