"""The digest of a summary tells whether two reports have scored the same rows."""

from __future__ import annotations

import itertools
import struct
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

from anls_frame import merge, summarize
from anls_frame.protocol import PROTOCOLS
from anls_frame.reports.reports import report

FRAME = pl.DataFrame(
    {
        "p": ["a", "b", "", None, "ab"],
        "a": [["a", "b"], ["b"], [""], ["x"], ["a", "b"]],
        "k": ["t", "u", "t", "u", None],
    }
)


def digest(frame: Any, **options: Any) -> str:
    return summarize(frame, "p", "a", **options).digest


def changed() -> dict[str, pl.DataFrame]:
    """Return frames that differ from FRAME in one text, or in a row."""
    rows = FRAME.to_dicts()

    def replaced(index: int, **columns: Any) -> pl.DataFrame:
        return pl.DataFrame(
            [{**row, **columns} if place == index else row for place, row in enumerate(rows)],
            schema=FRAME.schema,
        )

    return {
        "prediction": replaced(0, p="b"),
        "case": replaced(0, p="A"),
        "space": replaced(0, p="a "),
        "answer": replaced(0, a=["a", "c"]),
        "order of answers": replaced(0, a=["b", "a"]),
        "one answer more": replaced(1, a=["b", "b"]),
        "an empty answer more": replaced(1, a=["b", ""]),
        "a null answer before": replaced(1, a=[None, "b"]),
        "row less": FRAME.head(4),
        "row doubled": pl.concat([FRAME, FRAME.head(1)]),
        "texts moved over the border": replaced(4, p="a", a=["ba", "b"]),
        "answers joined": replaced(4, a=["ab"]),
        "prediction and answer exchanged": replaced(4, p="b", a=["a", "ab"]),
    }


def test_digest_changes_when_any_text_does() -> None:
    digests = {name: digest(frame) for name, frame in changed().items()} | {"as it was": digest(FRAME)}
    for (name, one), (other_name, other) in itertools.combinations(digests.items(), 2):
        assert one != other, (name, other_name)


def test_digest_is_of_the_scored_rows() -> None:
    without = FRAME.filter(pl.col("p").is_not_null())
    assert digest(FRAME, missing="drop") == digest(without)
    assert digest(FRAME) != digest(without)
    unanswerable = FRAME.head(1).with_columns(a=pl.lit([], pl.List(pl.String)))
    assert digest(pl.concat([FRAME, unanswerable])) == digest(FRAME)
    assert digest(FRAME.with_columns(p=pl.col("p").fill_null(""))) == digest(FRAME)


def test_digest_does_not_depend_on_how_the_rows_are_scored_or_sliced() -> None:
    expected = digest(FRAME)
    anls = PROTOCOLS["anls"]
    for options in (
        {"by": "k"},
        {"cluster": "k"},
        {"by": "k", "cluster": "k", "worst": 2},
        {"protocol": "rrc"},
        {"protocol": anls.replace(threshold=0.1)},
        {"protocol": anls.replace(errors="anls")},
    ):
        assert digest(FRAME, **options) == expected


def test_digest_is_the_same_over_frames() -> None:
    frames = [
        FRAME.lazy(),
        pl.concat([FRAME[:2], FRAME[2:]], rechunk=False),
        FRAME.with_columns(pl.col("p").cast(pl.Categorical)),
        FRAME.with_columns(pl.col("a").cast(pl.List(pl.Categorical))),
        FRAME.to_arrow(),
        FRAME.to_pandas(),
        pd.DataFrame(FRAME.to_dict(as_series=False)),
        pa.table(FRAME.to_dict(as_series=False)),
    ]
    assert {digest(frame) for frame in frames} == {digest(FRAME)}


def test_one_answer_and_a_list_of_one_are_the_same_text() -> None:
    single = pl.DataFrame({"p": ["a", "b"], "a": ["x", "y"]})
    assert digest(single) == digest(single.with_columns(pl.concat_list("a")))


def test_digest_of_known_rows_stays_what_it_is() -> None:
    assert digest(FRAME) == "5af9b2def013e23e"
    assert (
        report(pl.DataFrame({"s": [0.25, None, 1.0]}), metrics="s").settings["digest"] == "b489efe99e285c01"
    )


def test_digest_of_many_rows_is_the_end_of_their_sum() -> None:
    of_rows = int(digest(FRAME), 16)
    many, expected = pl.concat([FRAME] * 10), 10 * of_rows % 2**64
    assert expected != 10 * of_rows, "the sum needs more than 64 bits"
    for options in ({}, {"by": "k"}, {"cluster": "k"}, {"by": "k", "cluster": "k"}):
        assert int(digest(many, **options), 16) == expected
    parts = [summarize(FRAME, "p", "a") for _ in range(10)]
    assert int(merge(parts).digest, 16) == expected
    several = summarize(many, ["p", "k"], "a")
    assert (
        several.predictions["p"].digest % 2**64
        == 10 * summarize(FRAME, ["p", "k"], "a").predictions["p"].digest % 2**64
    )


def test_digest_of_existing_scores_changes_with_the_last_bit() -> None:
    values = [0.3, 0.1 + 0.2, 0.0, -0.0, 5e-324, 1e140, 1.0, 2.0]
    digests = {summarize(pl.DataFrame({"s": [value]}), metrics="s").digest for value in values}
    assert len(digests) == len(values)
    integers, floats, truths = (
        summarize(pl.DataFrame({"s": column}), metrics="s").digest
        for column in ([0, 1, 1], [0.0, 1.0, 1.0], [False, True, True])
    )
    assert integers == floats == truths


def test_digest_of_many_scores_is_that_of_splitmix() -> None:
    """Eight columns, because the digest as one expression was eight times as large with each."""
    columns = [f"score_{place}" for place in range(8)]
    rows = [[None if (row + place) % 3 == 0 else row / (place + 1) for place in range(8)] for row in range(5)]
    rows.append([None] * 8)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Float64), orient="row")

    def of_row(scores: list[float | None]) -> int:
        found = 0
        for score in scores:
            bits = 0x7FF8 << 48 if score is None else struct.unpack("<Q", struct.pack("<d", score))[0]
            found = ((found ^ bits) + 0x9E3779B97F4A7C15) % 2**64
            found = (found ^ found >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            found = (found ^ found >> 27) * 0x94D049BB133111EB % 2**64
            found ^= found >> 31
        return found

    expected = sum(of_row(row) for row in rows[:-1]) % 2**64
    assert summarize(frame, metrics=columns).digest == f"{expected:016x}"
