"""Transitions between error types are those that loops over the sample's rows count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import error_oracle
import polars as pl
import pytest

import anls_frame as af
from anls_frame._typing import ErrorType
from anls_frame.summary import details

ANLS = af.PROTOCOLS["anls"]
SYSTEMS = ["tesseract", "rapidocr"]
ORDER: list[Any] = [*get_args(ErrorType), None]


def rows() -> pl.DataFrame:
    return af.sample()


def counted(frame: Any, by: Any, systems: Any = SYSTEMS, **options: Any) -> dict[str, pl.DataFrame]:
    names = dict(zip(systems, systems, strict=True))
    return af.summarize(frame, names, "answers", by=by or None, details=True, **options).sums.of(
        "transitions"
    )


def slow(frame: pl.DataFrame, by: list[str], missing: str) -> Counter[tuple[Any, ...]]:
    """Count each row, in plain Python, in the slices of its keys."""

    def types() -> Iterator[tuple[Any, ...]]:
        for row in frame.iter_rows(named=True):
            texts = [row[name] for name in SYSTEMS]
            if not row["answers"] or (missing == "drop" and None in texts):
                continue
            both = tuple(error_oracle.error_type(text, row["answers"], ANLS) for text in texts)
            entries = row["question_types"] if "question_types" in by else [None]
            rest = (row["lang"],) if "lang" in by else ()
            for entry in entries:
                yield (*([entry] if "question_types" in by else []), *rest, *both)

    return Counter(types())


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("by", [[], ["lang"], ["question_types", "lang"]], ids=str)
def test_counts_are_those_of_a_loop(by: list[str], missing: Any) -> None:
    keys = [f"key_{i}" for i in range(len(by))]
    table = details.error_table(counted(rows(), by, missing=missing)["rapidocr"], keys, details.PAIR)
    expected = slow(rows(), by, missing)
    assert {row[:-2]: row[-2] for row in table.iter_rows()} == expected
    places = [tuple(ORDER.index(kind) for kind in row[len(by) : len(by) + 2]) for row in table.iter_rows()]
    assert [
        (*row[: len(by)], *place) for row, place in zip(table.iter_rows(), places, strict=True)
    ] == sorted((*row[: len(by)], *(ORDER.index(kind) for kind in row[len(by) :])) for row in expected)
    shares = table.group_by(keys or pl.lit(0)).agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1.0] * len(shares))


def test_each_of_many_systems_is_counted_beside_the_first() -> None:
    frame = rows().with_columns(empty=pl.lit(""))
    found = counted(frame, [], ["rapidocr", "tesseract", "empty"])
    assert list(found) == ["tesseract", "empty"]
    assert set(found["empty"]["error_type"]) == {"empty"}
    expected = slow(frame, [], "empty")
    olds = Counter[str]()
    for (_, new), n in expected.items():
        olds[new] += n
    assert dict(found["empty"].select("baseline_error_type", "n").iter_rows()) == olds
    turned = found["tesseract"].select("error_type", "baseline_error_type", "n").rows()
    assert {row[:2]: row[2] for row in turned} == expected
