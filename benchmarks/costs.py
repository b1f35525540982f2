"""What something costs over the same without it, as a ratio in one run. See `bench.py` for how."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from contenders import PAIR, similarity_plugins
from inputs import natural, pages, short_pairs
from timing import interleaved

import anls_frame as af

HEADER = (
    "| work | ms | over | ms | ratio of medians | of fastest rounds | goal | |\n"
    "|---|---:|---|---:|---:|---:|---:|---|"
)
CALLS = 100
"""Queries of one round, where one alone is too short to time."""


@dataclass(frozen=True)
class Cost:
    """One row of the table: two works, and how much longer the first may take."""

    work: str
    over: str
    most: float
    """Time of the first by time of the second, at most this."""
    own: Callable[[], Any]
    base: Callable[[], Any]
    calls: int = 1
    """How often each is called in one round."""


def measured(cost: Cost, *, rounds: int, budget: float) -> str:
    """Time both in turn and return the line of the table."""
    timings = interleaved({"own": cost.own, "base": cost.base}, rounds=rounds, budget=budget)
    own, base = timings["own"], timings["base"]
    ratio = own.median / base.median
    milliseconds = (f"{one.median / cost.calls * 1e3:.3g}" for one in (own, base))
    met = "met" if ratio <= cost.most else "**missed**"
    return (
        f"| {cost.work} | {next(milliseconds)} | {cost.over} | {next(milliseconds)} | {ratio:.3g} "
        f"| {own.fastest / base.fastest:.3g} | ≤ {cost.most:g} | {met} |"
    )


def query(frame: pl.DataFrame, expression: pl.Expr) -> Callable[[], Any]:
    """Return the query alone: as an array, only a column with a null would be copied."""
    return lambda: frame.select(expression)


def overall_with_details(frame: pl.DataFrame) -> dict[str, Any]:
    """Return the overall figures of a report with details."""
    return af.report(frame, *PAIR, details=True).overall


def costs_per_core(scale: float) -> Iterator[Cost]:
    """Yield what the default protocol and other inputs cost; run with one thread."""
    allowed: dict[str, dict[int, float]] = {
        "English": {40: 2, 100: 1.5, 300: 1.5},
        "French": {40: 2, 100: 2, 300: 2},
        "Cyrillic": {40: 2, 100: 2, 300: 2},
        "Japanese": {100: 1.5},
    }
    for language, lengths in allowed.items():
        for length, most in lengths.items():
            frame = natural(round(4_000_000 * scale / length), length, language)
            yield Cost(
                f"`nls`, default protocol, {language} words, {length} characters",
                "`protocol='raw'`",
                most,
                query(frame, af.nls(*PAIR)),
                query(frame, af.nls(*PAIR, protocol="raw")),
            )
    yield from costs_of_inputs(round(1_000_000 * scale))


def costs_of_inputs(rows: int) -> Iterator[Cost]:
    """Yield what nulls, lists, categories and repeated answers cost."""
    frame = short_pairs(rows)
    nls = query(frame, af.nls(*PAIR))
    with_null = frame.with_columns(
        prediction=pl.when(pl.int_range(pl.len()) != rows // 2).then("prediction")
    ).rechunk()
    yield Cost(f"`nls`, {rows:,} short pairs, one null", "no null", 1.1, query(with_null, af.nls(*PAIR)), nls)
    lists = frame.with_columns(pl.concat_list("answer")).rechunk()
    yield Cost("`nls`, same pairs, lists of one answer", "text", 1.2, query(lists, af.nls(*PAIR)), nls)
    categories = frame.with_columns(pl.col("answer").cast(pl.Categorical)).rechunk()
    answers = categories["answer"]
    work, of_categories = "`nls`, same pairs, answers Categorical", query(categories, af.nls(*PAIR))
    yield Cost(work, "text", 1.2, of_categories, nls)

    def nls_and_keys() -> None:
        nls()
        answers.to_arrow(compat_level=pl.CompatLevel.newest())

    # Polars does this before it calls any plugin.
    yield Cost(work, "text, and Polars' `to_arrow` of the categories", 1.2, of_categories, nls_and_keys)
    few = frame.head(rows // 10)
    other = [pl.col("answer").shift(by, fill_value="an answer") for by in (1, 2)]
    three = few.select("prediction", answers=pl.concat_list("answer", *other)).rechunk()
    # Each of them three times, and one of them once more, in turns.
    ten = three.select("prediction", answers=pl.concat_list("answers", "answers", "answers", "answers"))
    ten = ten.with_columns(pl.col("answers").list.head(10)).rechunk()
    yield Cost(
        f"`anls`, {few.height:,} rows, ten answers of which three differ",
        "these three",
        2,
        query(ten, af.anls("prediction", "answers")),
        query(three, af.anls("prediction", "answers")),
    )


def costs_on_all_cores(*, quick: bool) -> Iterator[Cost]:
    """Yield what a query costs before it scores anything, what details cost, and what files cost."""
    ten = short_pairs(10)

    def repeated(query: pl.Expr) -> Callable[[], None]:
        # One after the other, as in a loop over small tables: alone, each would pay for a cold cache.
        def run() -> None:
            for _ in range(CALLS):
                ten.select(query)

        return run

    plugin = repeated(similarity_plugins()["polars-ds"])
    yield Cost("`nls`, a query on ten rows", "polars-ds", 1.15, repeated(af.nls(*PAIR)), plugin, calls=CALLS)
    for rate in (0.01, 0.05):
        frame = pages(500, 3_000, rate)
        yield Cost(
            f"`report(details=True)`, 500 pages of 3,000 characters, {rate:.0%} errors",
            "`confusions`",
            2,
            functools.partial(overall_with_details, frame),
            functools.partial(af.confusions, frame, *PAIR),
        )
    for rows in (50_000,) if quick else (50_000, 1_000_000):
        yield from costs_of_writing(rows)
        yield from costs_of_reading(rows)


def rows_of_results(rows: int) -> pl.DataFrame:
    """Return a table of results with ids, predictions and lists of answers."""
    return short_pairs(rows).select(
        pl.format("q{}", pl.int_range(pl.len())).alias("question_id"),
        "prediction",
        answers=pl.concat_list("answer"),
    )


def costs_of_reading(rows: int) -> Iterator[Cost]:
    """Yield what it costs to read JSON Lines strictly and with roles, over Polars' own reader."""
    frame = rows_of_results(rows)
    samples = frame.select(
        pl.int_range(pl.len()).alias("doc_id"),
        pl.struct(question=pl.lit("What is it?"), answers="answers").alias("doc"),
        pl.format("['{}']", pl.col("answers").list.first().str.replace_all("'", "")).alias("target"),
        pl.struct(gen_args_0=pl.struct(arg_0=pl.lit("What is it?"), arg_1=pl.lit("until"))).alias(
            "arguments"
        ),
        pl.concat_list(pl.concat_list("prediction")).alias("resps"),
        pl.concat_list("prediction").alias("filtered_resps"),
        *(pl.col("question_id").hash(seed).cast(pl.String).alias(f"{seed}_hash") for seed in range(3)),
        exact_match=pl.lit(1.0),
    )
    with tempfile.TemporaryDirectory() as folder:
        table, logged = Path(folder) / "rows.jsonl", Path(folder) / "samples.jsonl"
        frame.write_ndjson(table)
        samples.write_ndjson(logged)
        for work, path, read in (
            ("`read_results`, {:,} rows of three columns in JSON Lines", table, af.read_results),
            ("`read_lm_eval`, {:,} samples", logged, af.readers.read_lm_eval),
        ):
            own, base = (lambda read=one, path=path: read(path) for one in (read, pl.read_ndjson))
            yield Cost(work.format(rows), "Polars' `read_ndjson`", 3, own, base)


def costs_of_writing(rows: int) -> Iterator[Cost]:
    """Yield what it costs to write rows as they are read again, over Polars' own writers."""
    frame = rows_of_results(rows)
    # Polars writes no lists to CSV.
    flat = frame.with_columns(pl.col("answers").list.join("|"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        yield Cost(
            f"`write_results` to CSV, {rows:,} rows of three columns",
            "Polars' `write_csv` without lists",
            15,
            lambda: af.write_results(frame, path.with_suffix(".csv")),
            lambda: flat.write_csv(path.with_suffix(".csv")),
        )
        yield Cost(
            "`write_results` to JSON Lines, same rows",
            "Polars' `write_ndjson`",
            15,
            lambda: af.write_results(frame, path.with_suffix(".jsonl")),
            lambda: frame.write_ndjson(path.with_suffix(".jsonl")),
        )
