"""Nulls, lists and categories anywhere in a column change no bit of what plain texts score, pair by pair."""

from __future__ import annotations

import random

import polars as pl
import pyarrow as pa
import pytest

import anls_frame as af

HEIGHT = 2_100
BORDERS = (0, 1, 62, 63, 64, 65, 1_022, 1_023, 1_024, 1_025, 2_047, 2_048, HEIGHT - 1)
LONG = "an answer that is longer than two registers hold"
WORDS = (
    *("", "cola", "Coca Cola", "coca  cola", "thirteen byte", "thirteen bytes", "thirteen bytet", "é"),
    *("café au lait", LONG, LONG.upper(), f"{LONG}!"),
)
ALL = (
    af.nls("prediction", "answer", protocol="raw").alias("raw"),
    af.nls("prediction", "answer"),
    af.anls("prediction", "answer", protocol="rrc"),
    af.cer("prediction", "answer"),
    af.exact_match("prediction", "answer"),
    af.nearest_answer("prediction", "answer"),
    af.score("prediction", "answer"),
)


def texts(seed: int, height: int = HEIGHT) -> pl.DataFrame:
    rng = random.Random(seed)
    return pl.DataFrame({name: rng.choices(WORDS, k=height) for name in ("prediction", "answer")})


def with_nulls(frame: pl.DataFrame, *columns: str, at: tuple[int, ...] = BORDERS) -> pl.DataFrame:
    return frame.with_columns(
        pl.when(~pl.int_range(pl.len()).is_in(at[number::2])).then(column)
        for number, column in enumerate(columns)
    )


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Score the rows without a null alone, as texts, and put them back."""
    rows = frame.select(pl.all().cast(pl.String)).with_row_index()
    scored = rows.drop_nulls().select("index", *ALL)
    return rows.select("index").join(scored, on="index", how="left", maintain_order="left").drop("index")


def chunked(frame: pl.DataFrame, rows: int) -> pl.DataFrame:
    return pl.concat([frame.slice(start, rows) for start in range(0, frame.height, rows)], rechunk=False)


@pytest.mark.parametrize("columns", [("prediction",), ("answer",), ("prediction", "answer")])
def test_nulls_at_the_borders_of_blocks(columns: tuple[str, ...]) -> None:
    frame = with_nulls(texts(1), *columns)
    expected = plain(frame)

    assert frame.select(ALL).equals(expected)
    for height in (1, 63, 64, 65, 1_023, 1_024, 1_025):
        assert frame.head(height).select(ALL).equals(expected.head(height))
    for start in (1, 7, 64, 1_023):
        assert frame.slice(start).select(ALL).equals(expected.slice(start))
        assert chunked(frame, start + 1_000).select(ALL).equals(expected)
    every_second = with_nulls(texts(2), *columns, at=tuple(range(0, HEIGHT, 2)))
    assert every_second.select(ALL).equals(plain(every_second))


def test_nulls_beside_a_constant() -> None:
    frame = with_nulls(texts(3), "prediction", "answer")
    for text in ("Coca Cola", LONG, None):
        literal = pl.lit(text, pl.String)
        for column in ("prediction", "answer"):
            constant = frame.with_columns(literal.alias(column))
            scores = frame.lazy().with_columns(literal.alias(column)).select(ALL).collect()
            assert scores.equals(plain(constant))
            assert chunked(frame, 1_500).with_columns(literal.alias(column)).select(ALL).equals(scores)


@pytest.mark.parametrize("dtype", [pl.List(pl.String), pl.Array(pl.String, 1)])
def test_lists_of_one_are_their_answers(dtype: pl.DataType) -> None:
    frame = with_nulls(texts(4), "prediction", "answer")
    expected = plain(frame)
    entries = frame.with_columns(pl.concat_list("answer").cast(dtype))
    null_rows = frame.with_columns(
        pl.when(pl.col("answer").is_not_null()).then(pl.concat_list("answer")).cast(dtype)
    )

    for lists in (entries, null_rows):
        assert lists.select(ALL).equals(expected)
        for start in (1, 64, 1_024):
            assert lists.slice(start).select(ALL).equals(expected.slice(start))
            assert lists.slice(start, 1_025).select(ALL).equals(expected.slice(start, 1_025))
            assert chunked(lists, start + 1_000).select(ALL).equals(expected)
    # One list of two answers, in the second block: the blocks around it still have one each.
    both = pl.col("answer").list.concat(pl.col("answer")) if dtype == pl.List(pl.String) else pl.col("answer")
    longer = entries.with_columns(pl.when(pl.int_range(pl.len()) == 1_500).then(both).otherwise("answer"))
    assert longer.select(ALL).equals(expected)


def test_entries_under_null_lists_are_not_read() -> None:
    frame = with_nulls(texts(5), "answer")
    entries = pa.array(
        frame["answer"].fill_null("\0 hidden, and longer than a view").to_list(), pa.large_string()
    )
    mask = pa.array(frame["answer"].is_null().to_list())
    offsets = pa.array(range(HEIGHT + 1), pa.int64())
    lists = pl.Series("answer", pa.LargeListArray.from_arrays(offsets, entries, mask=mask))
    assert frame.with_columns(lists).select(ALL).equals(plain(frame))


def best_pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """Choose the best answer of each row from the scores of all of its pairs, the first of equals."""
    rows = frame.with_row_index()
    entries = pl.int_ranges(pl.col("answer").list.len()).alias("answer_index")
    pairs = (
        rows.filter(pl.col("answer").list.len() > 0)
        .with_columns(entries)
        .explode("answer", "answer_index", empty_as_null=True)
    )
    scored = pairs.drop_nulls().select(
        "index", "answer", "answer_index", *ALL[:5], af.score("prediction", "answer")
    )
    scored = scored.with_columns(pl.col("score").struct.unnest().name.prefix("of_"))
    by_rate = scored.sort("index", "cer", "answer_index").unique("index", keep="first", maintain_order=True)
    nearest = scored.sort("index", -pl.col("nls"), "answer_index").unique(
        "index", keep="first", maintain_order=True
    )
    most = scored.group_by("index").agg(pl.col("raw", "nls", "anls", "exact_match").max())
    chosen = most.join(nearest.select("index", "answer", "answer_index"), on="index").join(
        by_rate.select("index", "cer", "of_char_errors", "of_reference_length"), on="index"
    )
    return rows.select("index").join(chosen, on="index", how="left", maintain_order="left").drop("index")


def test_repeated_answers_and_nulls_in_lists() -> None:
    rng = random.Random(6)
    frame = texts(6)
    lists = []
    for _ in range(HEIGHT):
        # Few texts, so that most stand in a row several times; or more than are compared with each other.
        known = rng.sample(WORDS, rng.choice((1, 2, 3, 12)))
        lists.append(rng.choice((None, [], [None], *([rng.choices([*known, *known, None], k=10)] * 9))))
    without_nulls = [[text for text in answers or [] if text is not None] for answers in lists]
    for values in (lists, without_nulls):
        rows = with_nulls(frame, "prediction").with_columns(pl.Series("answer", values, pl.List(pl.String)))
        expected = best_pairs(rows)
        for layout in (rows, chunked(rows, 1_111), rows.cast({"answer": pl.List(pl.Categorical)})):
            scores = layout.select(ALL)
            fields = scores["score"].struct
            for name in ("raw", "nls", "anls", "cer", "exact_match"):
                assert scores[name].equals(expected[name], null_equal=True), name
            assert scores["nearest_answer"].equals(expected["answer"], null_equal=True)
            for name, values_of in {
                "nls": "nls",
                "cer": "cer",
                "char_errors": "of_char_errors",
                "reference_length": "of_reference_length",
                "answer_index": "answer_index",
            }.items():
                assert (
                    fields.field(name)
                    .cast(pl.Float64)
                    .equals(expected[values_of].cast(pl.Float64), null_equal=True)
                ), name
        assert rows.slice(5, 1_030).select(ALL).equals(rows.select(ALL).slice(5, 1_030))


@pytest.mark.parametrize(
    "dtype", [pl.Categorical(), pl.Enum(WORDS), pl.Enum([*WORDS, *map(str, range(70_000))])], ids=str
)
def test_categories_are_their_texts(dtype: pl.DataType) -> None:
    frame = with_nulls(texts(7), "prediction", "answer")
    expected = plain(frame)
    for columns in (("prediction",), ("answer",), ("prediction", "answer")):
        categories = frame.cast(dict.fromkeys(columns, dtype))
        assert categories.select(ALL).equals(expected)
        for start in (1, 64, 1_023):
            assert categories.slice(start).select(ALL).equals(expected.slice(start))
            assert categories.slice(start, 3).select(ALL).equals(expected.slice(start, 3))
            assert chunked(categories, start + 500).select(ALL).equals(expected)
    literal = frame.lazy().with_columns(pl.lit(LONG).cast(dtype).alias("answer")).select(ALL).collect()
    assert literal.equals(plain(frame.with_columns(answer=pl.lit(LONG))))
