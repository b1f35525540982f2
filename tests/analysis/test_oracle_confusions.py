"""Confusions are those of a loop over rapidfuzz's edits, however the rows come."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import oracle
import polars as pl
import pytest
import strategies
from cases import FAMILIES, family
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from rapidfuzz.distance import Levenshtein

import anls_frame as af

Confusion = tuple[str, str | None, str | None]
Texts = tuple[str | None, "Sequence[str | None] | None"]

SCHEMA = {"prediction": pl.String, "answers": pl.List(pl.String)}
RAW = af.PROTOCOLS["raw"]
ROW_COUNTS = ("n", "n_missing", "n_unanswerable", "n_distant")


def edits(
    prediction: Sequence[str], reference: Sequence[str], longest: int, between: str
) -> Iterable[Confusion]:
    """Edits of a pair, neighbours put together where they are few and not as many on either side."""
    single = [
        (
            edit.tag,
            edit.src_pos,
            edit.dest_pos,
            () if edit.tag == "insert" else (reference[edit.src_pos],),
            () if edit.tag == "delete" else (prediction[edit.dest_pos],),
        )
        for edit in Levenshtein.editops(reference, prediction)
    ]
    runs: list[list[tuple[str, int, int, tuple[str, ...], tuple[str, ...]]]] = []
    for edit in single:
        if runs:
            _, source, destination, left, right = runs[-1][-1]
            if (source + len(left), destination + len(right)) == edit[1:3]:
                runs[-1].append(edit)
                continue
        runs.append([edit])
    for run in runs:
        before, after = ([unit for edit in run for unit in edit[side]] for side in (3, 4))
        if 0 < len(before) <= longest and 0 < len(after) <= longest and len(before) != len(after):
            yield "replace", between.join(before), between.join(after)
        else:
            yield from ((tag, *(side[0] if side else None for side in sides)) for tag, _, _, *sides in run)


def slow(
    rows: Iterable[Texts], protocol: af.ScoreProtocol = RAW, longest: int = 1, min_nls: float = 0.5
) -> dict[Confusion, dict[str, Any]]:
    found: Counter[Confusion] = Counter()
    reference: Counter[str] = Counter()
    counted: Counter[str] = Counter(dict.fromkeys(ROW_COUNTS, 0))
    for prediction, answers in rows:
        if not oracle.given("", answers):
            counted["n_unanswerable"] += 1
            continue
        if prediction is None:
            counted["n_missing"] += 1
            continue
        similarity = oracle.nls(prediction, answers, protocol)
        assert similarity is not None
        if min_nls > 0 and similarity < min_nls:
            counted["n_distant"] += 1
            continue
        counted["n"] += 1
        nearest = oracle.nearest_answer(prediction, answers, protocol)
        assert nearest is not None
        units = oracle.prepare(nearest, protocol)
        between = " " if protocol.unit == "word" else ""
        found.update(edits(oracle.prepare(prediction, protocol), units, longest, between))
        for length in range(1, longest + 1):
            starts = range(len(units) - length + 1)
            reference.update(between.join(units[start : start + length]) for start in starts)
    return {
        edit: {
            "count": count,
            "share_of_errors": count / found.total(),
            "share_of_reference": None if edit[0] == "insert" else count / reference[edit[1] or ""],
            **counted,
        }
        for edit, count in found.items()
    }


def as_dict(table: pl.DataFrame) -> dict[Confusion, dict[str, Any]]:
    return {
        (row.pop("op"), row.pop("reference_char"), row.pop("predicted_char")): row for row in table.to_dicts()
    }


def frame_of(rows: Sequence[Texts]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@pytest.mark.parametrize("longest", [1, 2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_confusions_are_those_of_a_loop(name: str, longest: int) -> None:
    rows = [(row.prediction, row.answers) for row in family(name)]
    for share in ({}, {"min_nls": 0.0}):
        table = af.confusions(frame_of(rows), "prediction", "answers", max_length=longest, **share)
        assert as_dict(table) == slow(rows, longest=longest, **share)


def test_rows_with_nls_of_less_than_a_half_are_counted_as_left_out() -> None:
    # 1 edit in 2 characters is an NLS of exactly 0.5; 2 edits in 3 characters are another answer.
    rows = pl.DataFrame({"p": ["ab", "abc", None], "a": ["ax", "axy", "b"]})
    table = af.confusions(rows, "p", "a")
    assert table.select("reference_char", "predicted_char", "count").rows() == [("x", "b", 1)]
    assert table.select("n", "n_missing", "n_unanswerable", "n_distant").row(0) == (1, 1, 0, 1)
    every = af.confusions(rows, "p", "a", min_nls=0)
    assert every.select("reference_char", "count").rows() == [("x", 2), ("y", 1)]
    assert every.select("n", "n_distant").row(0) == (2, 0)


SOME_ROWS = st.lists(
    st.tuples(
        st.none() | strategies.SHORT,
        st.none() | st.lists(st.none() | strategies.SHORT, max_size=3),
    )
    | strategies.ROW_OF_ANSWERS,
    max_size=30,
)


WORDS = [RAW.by("word"), RAW.by("grapheme"), af.PROTOCOLS["jiwer"].by("word")]


@given(
    SOME_ROWS,
    strategies.PROTOCOLS | st.sampled_from(WORDS),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_confusions_under_any_options(
    rows: list[Texts], protocol: af.ScoreProtocol, longest: int, min_nls: float
) -> None:
    table = af.confusions(
        frame_of(rows), "prediction", "answers", protocol=protocol, max_length=longest, min_nls=min_nls
    )
    assert as_dict(table) == slow(rows, protocol, longest, min_nls)


@given(st.lists(st.text("ab é漢", min_size=65, max_size=200), min_size=1, max_size=5), st.integers())
def test_edits_of_long_texts_do_not_depend_on_a_limit(references: list[str], seed: int) -> None:
    rng = random.Random(seed)
    # With a limit, texts are compared before, and their edits are looked for within that distance.
    rows = [(noisy(rng, text), text) for text in references]
    frame = pl.DataFrame(rows, schema=["prediction", "answer"], orient="row")
    limited = af.confusions(frame, "prediction", "answer", min_nls=0.01)
    assert_frame_equal(limited, af.confusions(frame, "prediction", "answer", min_nls=0))


def noisy(rng: random.Random, text: str) -> str:
    kept = [letter for letter in text if rng.random() > 0.1]
    return "".join(rng.choice("abx") if rng.random() < 0.1 else letter for letter in kept)


def test_a_report_counts_the_confusions_of_its_unit() -> None:
    rows = pl.DataFrame({"prediction": ["a gaod day", "ae\u0301"], "answer": ["a good day", "ae"]})
    expected = {
        "word": [("ae", "ae\u0301"), ("good", "gaod")],
        "grapheme": [("e", "e\u0301"), ("o", "a")],
        "codepoint": [("o", "a"), (None, "\u0301")],
    }
    for unit, pairs in expected.items():
        protocol = RAW.by(unit)  # type: ignore[arg-type]
        whole = af.PROTOCOLS["anls"].replace(errors=protocol)
        report = af.report(rows, "prediction", "answer", protocol=whole, details={"min_nls": 0})
        counted = af.confusions(rows, "prediction", "answer", protocol=protocol, min_nls=0)
        for table in report.confusions(), counted:
            found = table.select("reference_char", "predicted_char").sort("reference_char", nulls_last=True)
            assert found.rows() == pairs


@given(
    SOME_ROWS,
    st.lists(st.none() | st.lists(st.sampled_from(["x", "y", None]), max_size=3), min_size=30, max_size=30),
)
def test_each_slice_has_the_confusions_of_its_rows(
    rows: list[Texts], types: list[list[str | None] | None]
) -> None:
    types = types[: len(rows)]
    numbers = [index % 2 for index in range(len(rows))]
    frame = frame_of(rows).with_columns(
        pl.Series("types", types, dtype=pl.List(pl.String)), pl.Series("number", numbers, dtype=pl.Int64)
    )
    table = af.confusions(frame, "prediction", "answers", by=["types", "number"])
    for one, number in itertools.product(["x", "y", None], [0, 1]):

        def is_in(keys: list[str | None] | None, one: str | None = one) -> bool:
            return one in (keys or [None])

        sliced = [
            row for row, keys, n in zip(rows, types, numbers, strict=True) if is_in(keys) and n == number
        ]
        part = table.filter(pl.col("types").eq_missing(one) & (pl.col("number") == number))
        assert as_dict(part.drop("types", "number")) == slow(sliced)


def mixed() -> pl.DataFrame:
    rows = [(row.prediction, row.answers) for row in family("mixed")]
    return frame_of(rows).with_columns(
        part=pl.int_range(pl.len()) % 7,
        tags=pl.when(pl.int_range(pl.len()) % 3 > 0).then(pl.lit(["a", "b"])),
    )


def test_a_table_is_sorted_by_slices_then_from_the_most_frequent_on() -> None:
    table = af.confusions(mixed(), "prediction", "answers", by="part")
    assert table["part"].is_sorted()
    assert all(one["count"].is_sorted(descending=True) for _, one in table.group_by("part"))


def test_rows_without_errors_give_an_empty_table_of_the_same_columns() -> None:
    frame = pl.DataFrame({"p": ["a", None], "a": ["a", "b"], "by": [1, 2]})
    table = af.confusions(frame, "p", "a", by="by")
    assert table.height == 0
    assert table.schema == {
        "by": pl.Int64,
        "op": pl.String,
        "reference_char": pl.String,
        "predicted_char": pl.String,
        "count": pl.Int64,
        "share_of_errors": pl.Float64,
        "share_of_reference": pl.Float64,
        **dict.fromkeys(ROW_COUNTS, pl.Int64),
    }


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_length": 4}, ValueError, "max_length"),
        ({"max_length": 1.0}, TypeError, "max_length"),
        ({"min_nls": 1.5}, ValueError, "min_nls"),
        ({"min_nls": "0.5"}, TypeError, "min_nls"),
        ({"protocol": "docvqa"}, ValueError, "protocol"),
        ({"by": "tagz"}, af.exceptions.ColumnNotFoundError, "did you mean 'tags'"),
        ({"by": "count"}, af.DuplicateColumnError, "count"),
        ({"by": ["part", "part"]}, ValueError, "twice"),
    ],
)
def test_a_wrong_option_is_an_error_that_names_it(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame = mixed().with_columns(count=1)
    with pytest.raises(error, match=message):
        af.confusions(frame, "prediction", "answers", **options)


def test_a_column_that_holds_no_text_is_an_error_that_names_it() -> None:
    with pytest.raises(af.DTypeError, match="column 'part' has dtype Int64"):
        af.confusions(mixed(), "part", "answers")
    with pytest.raises(TypeError, match="frame must be a Polars"):
        af.confusions([], "prediction", "answers")
