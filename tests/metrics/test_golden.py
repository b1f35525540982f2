"""Scores of released versions stay as they are, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from cases import bits, column, scoring

import anls_frame as af

FILES = sorted((Path(__file__).parents[1] / "golden").glob("scores-*.json"))
CHANGED = (
    "scores changed. Released scores are compared for years, so none may change unnoticed: where it is "
    "meant, it must stand under Changed in CHANGELOG.md, and tests/golden/make.py must write a new file"
)


def columns(
    rows: list[tuple[str | None, list[str | None] | None]], preset: str, threshold: float
) -> pl.DataFrame:
    """Every score of the rows by name, `score` with a prefix beside the single functions."""
    first = [(prediction, answers[0] if answers else None) for prediction, answers in rows]
    single = column(rows, af.score, protocol=scoring(preset, threshold, preset)).struct.unnest()
    return single.select(pl.all().name.prefix("score ")).with_columns(
        column(rows, af.nls, protocol=preset),
        column(rows, af.anls, protocol=preset, threshold=threshold),
        column(rows, af.cer, protocol=preset),
        column(rows, af.exact_match, protocol=preset),
        column(first, af.levenshtein, protocol=preset),
        column(first, af.hamming, protocol=preset),
    )


def presets(file: Path) -> list[str]:
    """Return the presets of the file's version."""
    return [
        name
        for name in json.loads(file.read_text(encoding="utf-8"))["rows"][0]
        if name not in ("prediction", "answers")
    ]


@pytest.mark.parametrize(
    ("file", "preset"),
    [(file, preset) for file in FILES for preset in presets(file)],
    ids=lambda value: getattr(value, "name", value),
)
def test_scores_are_those_of_the_golden_file(file: Path, preset: str) -> None:
    golden = json.loads(file.read_text(encoding="utf-8"))
    rows = [(row["prediction"], row["answers"]) for row in golden["rows"]]
    nothing = [None] * len(golden["fields"])
    expected = zip(*(row[preset] or nothing for row in golden["rows"]), strict=True)
    actual = columns(rows, preset, golden["threshold"])
    for field, values in zip(golden["fields"], expected, strict=True):
        found = {field, f"score {field}"} & set(actual.columns)
        assert found, f"there is no {field} any more: {CHANGED}"
        for name in sorted(found):
            changes = [
                f"{name} of {row!a}: was {want}, is {bits(got)}"
                for row, want, got in zip(rows, values, actual[name], strict=True)
                if bits(got) != want
            ]
            assert not changes, "\n".join([f"{len(changes)} {CHANGED}:", *changes[:10]])


def test_every_preset_is_in_a_golden_file_and_none_is_gone() -> None:
    assert {preset for file in FILES for preset in presets(file)} == set(af.PROTOCOLS)
