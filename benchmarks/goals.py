"""The speed goals: what is measured against what. See `bench.py` for how."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import polars as pl
import polars_distance
import polars_ds
import polars_strsim
from contenders import (
    PAIR,
    best_slices,
    column,
    duckdb_similarity,
    exploded_anls,
    pysubgroup_quality,
    pysubgroup_slices,
    rapidfuzz_confusions,
    rapidfuzz_rates,
    rapidfuzz_similarity,
    similarity_plugins,
    sliceline_quality,
    sliceline_slices,
)
from inputs import (
    SCRIPTS,
    natural,
    ocr_pages,
    pages,
    sample,
    script_pairs,
    several_answers,
    short_pairs,
    unrelated,
    values_and_losses,
)
from rapidfuzz.distance import Levenshtein

import anls_frame as af

OWN = "anls_frame"
CLOSE = 1e-12


@dataclass(frozen=True)
class Goal:
    """One row of the table: contenders on one input, and how much faster the package is to be."""

    work: str
    rival: str
    target: float | None
    """Time of the rival by time of the package, at least this; only rows of README's table have a goal."""
    contenders: dict[str, Callable[[], Any]]
    """The package under its name, and its rivals; the fastest rival counts."""
    comparable: bool = True
    """Whether all contenders give the same numbers."""
    known: dict[str, float] = field(default_factory=dict)
    """Rivals measured elsewhere, in seconds."""


def check(goal: Goal) -> None:
    """Run each contender once and compare what it gives with the package's numbers."""
    results = {name: contender() for name, contender in goal.contenders.items()}
    if not goal.comparable:
        return
    own = np.asarray(results[OWN], dtype=np.float64)
    for name, result in results.items():
        if not np.allclose(own, np.asarray(result, dtype=np.float64), rtol=0, atol=CLOSE):
            raise AssertionError(f"{goal.work}: {name} gives other numbers than {OWN}")


def goals_on_all_cores(rows: int) -> Iterator[Goal]:
    """Yield the goals for short text, two workers each."""
    frame = short_pairs(rows)
    millions = f"{rows / 1e6:g} M"
    raw = column(frame, af.nls(*PAIR, protocol="raw"))
    work = f"`nls(protocol='raw')`, {millions} short pairs, 60 % equal"
    plugins = {name: column(frame, expression) for name, expression in similarity_plugins().items()}
    yield Goal(work, "fastest string plugin", 5, {OWN: raw, **plugins})
    yield Goal(
        work, "rapidfuzz `cpdist`, 2 workers", 25, {OWN: raw, "rapidfuzz": rapidfuzz_similarity(frame, 2)}
    )
    yield Goal(work, "DuckDB `levenshtein`", None, {OWN: raw, "DuckDB": duckdb_similarity(frame)})
    equality = {OWN: raw, "polars ==": column(frame, pl.col("prediction") == pl.col("answer"))}
    yield Goal(work, "Polars' `==`", 1 / 1.1, equality, comparable=False)
    default = column(frame, af.nls(*PAIR))
    yield Goal(
        "`nls`, default protocol, same pairs",
        "Polars' `==`",
        None,
        equality | {OWN: default},
        comparable=False,
    )
    unequal = short_pairs(rows, equal=0.0)
    plugins = {name: column(unequal, expression) for name, expression in similarity_plugins().items()}
    contenders = {OWN: column(unequal, af.nls(*PAIR, protocol="raw")), **plugins}
    yield Goal(f"same, {millions} pairs, none equal", "fastest string plugin", None, contenders)
    yield score_goal(frame)
    yield from error_goals(frame)
    yield answers_goal(rows)
    tenth = several_answers(rows // 10)
    anls = column(tenth, af.anls("prediction", "answers"))
    seconds = pypi_anls_seconds(tenth.head(2_000))
    known = {"PyPI anls": seconds * tenth.height / 2_000} if seconds else {}
    yield Goal(f"`anls`, {tenth.height:,} rows, 1-4 answers", "PyPI anls", 500, {OWN: anls}, known=known)
    sampled = sample()
    sampled = pl.concat([sampled] * max(1, rows // 10 // sampled.height)).rechunk()
    plugins = {name: column(sampled, expression) for name, expression in similarity_plugins().items()}
    rows_of_sample = f"sample data {sampled.height:,} rows"
    contenders = {OWN: column(sampled, af.nls(*PAIR, protocol="raw")), **plugins}
    yield Goal(f"`nls(protocol='raw')`, {rows_of_sample}", "fastest string plugin", None, contenders)
    # The plugins prepare nothing, so they do less.
    contenders = {OWN: column(sampled, af.nls(*PAIR)), **plugins}
    yield Goal(
        f"`nls`, default protocol, {rows_of_sample}",
        "fastest string plugin",
        None,
        contenders,
        comparable=False,
    )


def score_goal(frame: pl.DataFrame) -> Goal:
    """Return the goal that all scores in one pass cost little more than one."""
    nls = column(frame, af.nls(*PAIR))

    def score() -> Any:
        return frame.select(result=af.score(*PAIR))

    return Goal("`score`, same pairs", "`nls` alone", 1 / 1.6, {OWN: score, "nls": nls}, comparable=False)


def error_goals(frame: pl.DataFrame) -> Iterator[Goal]:
    """Yield the goals for the kinds of errors and for the characters that are confused."""
    kinds = {OWN: column(frame, af.error_type(*PAIR).to_physical())}
    yield Goal("`error_type`, same pairs", "", None, kinds)

    def confusions() -> Any:
        return np.sort(af.confusions(frame, *PAIR, min_nls=0)["count"].to_numpy())

    contenders = {OWN: confusions, "rapidfuzz `editops`": lambda: rapidfuzz_confusions(frame)}
    yield Goal("`confusions`, same pairs", "a loop over edits", 20, contenders)


def answers_goal(rows: int) -> Goal:
    """Return the goal for several answers under the default protocol."""
    frame = several_answers(rows)
    plugins: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
        "polars-strsim": polars_strsim.levenshtein,
        "polars-ds": lambda left, right: polars_ds.str_leven(left, right, return_sim=True),
        "polars-distance": lambda left, right: (
            1 - polars_distance.DistancePairWiseString(left).levenshtein(right, normalized=True)
        ),
    }

    def scores(plugin: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Any:
        return exploded_anls(frame, plugin)["result"].to_numpy()

    contenders: dict[str, Callable[[], Any]] = {
        name: functools.partial(scores, plugin) for name, plugin in plugins.items()
    }
    contenders[OWN] = column(frame, af.anls("prediction", "answers"))
    return Goal(
        f"`anls`, {rows / 1e6:g} M rows, 1-4 answers", "explode, prepare, plugin, group_by", 15, contenders
    )


def goals_per_core(scale: float) -> Iterator[Goal]:
    """Yield the goals for long and for non-ASCII text; run with one thread."""
    # So many that what the query costs around them does not count: with 200 of 1 % it is half of the time.
    count = round(1_000 * scale)
    for rate, target in ((0.01, 60), (0.05, 8), (0.2, 4)):
        yield from page_goals(pages(count, 3_000, rate), f"{rate:.0%} errors", target)
    yield from page_goals(unrelated(count // 10, 3_000), "unrelated", None)
    yield from page_goals(pages(count, 3_000, 0.05, SCRIPTS["CJK"]), "CJK, 5% errors", None)
    french = natural(count, 3_000, "French", error_rate=0.01)
    yield from page_goals(french, "French words, 1% errors", None)
    yield from word_goals(scale)
    yield from cluster_goals(count // 10)
    for script in ("accented", "Cyrillic", "CJK"):
        frame = script_pairs(round(200_000 * scale), script)
        contenders = {
            OWN: column(frame, af.nls(*PAIR, protocol="raw")),
            "rapidfuzz": rapidfuzz_similarity(frame, 1),
        }
        work = f"`nls(protocol='raw')`, {script}, 20 characters"
        yield Goal(work, "rapidfuzz from the frame", None, contenders)


def page_goals(frame: pl.DataFrame, what: str, target: float | None) -> Iterator[Goal]:
    """Yield the goals of long pages: rapidfuzz on ready lists, alone and told the distance beforehand."""
    pairs = list(frame.iter_rows())
    hints = [Levenshtein.distance(left, right) for left, right in pairs]
    own = column(frame, af.cer(*PAIR))
    work = f"`cer`, pages of 3,000 characters, {what}"
    yield Goal(work, "rapidfuzz", target, {OWN: own, "rapidfuzz": lambda: rapidfuzz_rates(pairs)})
    hinted = {OWN: own, "rapidfuzz, told the distance": lambda: rapidfuzz_rates(pairs, hints)}
    yield Goal(work, "rapidfuzz, perfect `score_hint`", None, hinted)


def word_goals(scale: float) -> Iterator[Goal]:
    """Yield the goals of word error rates: pages, sentences as in dictation, and pages that engines read."""
    for rows, length, name in ((1_000, 3_000, "pages"), (20_000, 60, "sentences")):
        for rate in (0.004, 0.01, 0.04):
            frame = natural(round(rows * scale), length, "English", error_rate=rate)
            yield word_goal(frame, f"{name} of {length:,} characters, {rate:.1%} of them wrong")
    for engine in ("tesseract", "rapidocr"):
        yield word_goal(
            ocr_pages(round(10_000 * scale), engine), f"pages of the sample data as {engine} read them"
        )


def word_goal(frame: pl.DataFrame, what: str) -> Goal:
    """Return the goal of word error rates on one input."""
    pairs = list(frame.iter_rows())
    contenders = {
        # Its words: a line break alone does not end one.
        OWN: column(frame, af.wer(*PAIR, protocol="jiwer")),
        "jiwer": lambda: [jiwer.wer(right, left) for left, right in pairs],
    }
    return Goal(f"`wer`, {what}", "jiwer", None, contenders)


def cluster_goals(rows: int) -> Iterator[Goal]:
    """Yield error rates of grapheme clusters beside those of code points."""
    for language, form, name in (
        ("French", partial(unicodedata.normalize, "NFD"), "decomposed French"),
        ("Hindi", str, "Hindi"),
        ("vowelled Arabic", str, "vowelled Arabic"),
    ):
        for rate in (0.01, 0.05):
            frame = natural(rows, 3_000, language, error_rate=rate)
            frame = frame.select(pl.all().map_elements(form, pl.String))
            clusters = column(frame, af.cer(*PAIR, protocol=af.PROTOCOLS["raw"].by("grapheme")))
            contenders = {OWN: clusters, "code points": column(frame, af.cer(*PAIR))}
            work = f"`cer` of grapheme clusters, {name} of 3,000 characters, {rate:.0%} errors"
            yield Goal(work, "`cer` of code points", None, contenders, comparable=False)


def goals_of_slices() -> Iterator[Goal]:
    """
    Yield the goals of slices: tables against other finders, and the time of large ones.

    The others find the same best slices by their own measure, which the tables give as well. With 50,000
    rows, 10 columns and 3 conditions sliceline takes 2 GB, so it gets fewer.
    """
    for rows, columns, depth in ((50_000, 10, 2), (20_000, 8, 3)):
        values, losses = values_and_losses(rows, columns)
        work = f"tables of slices, {rows:,} rows, {columns} columns of 3 values, depth {depth}"
        for name, quality, rival in (
            ("sliceline", sliceline_quality(losses), sliceline_slices),
            ("pysubgroup", pysubgroup_quality(losses), pysubgroup_slices),
        ):
            given = values, losses, depth
            own = partial(best_slices, *given, quality)
            yield Goal(work, name, None, {OWN: own, name: partial(rival, *given)})
    for rows, columns in ((50_000, 20), (1_000_000, 10)):
        values, losses = values_and_losses(rows, columns)
        own = partial(best_slices, values, losses, 3, pysubgroup_quality(losses))
        work = f"tables of slices, {rows:,} rows, {columns} columns of 3 values, depth 3"
        yield Goal(work, "", None, {OWN: own}, comparable=False)
    for levels, documents in ((4, 1_000), (10, 5_000)):
        values, losses = values_and_losses(50_000, 20, levels)
        frame = pl.DataFrame(values, schema=[f"column {place}" for place in range(20)]).with_columns(
            loss=losses, document=np.arange(len(losses)) % documents
        )
        metric = af.Metric("loss", higher_is_better=False, bounds=(0, 1))
        own = partial(af.find_slices, frame, cluster="document", metrics=metric)
        slices = 20 * levels + 190 * levels**2
        work = f"`find_slices`, 199 draws, {slices:,} slices, {documents:,} documents"
        yield Goal(work, "", None, {OWN: own}, comparable=False)


def pypi_anls_seconds(frame: pl.DataFrame) -> float | None:
    """Return the time PyPI anls takes for the rows, in an environment of its own; None without one."""
    interpreter = os.environ.get("ANLS_PEER_PYTHON")
    if not interpreter:
        return None
    script = Path(__file__).with_name("time_pypi_anls.py")
    request = json.dumps(frame.select("prediction", "answers").rows())
    command = [interpreter, str(script)]
    answer = subprocess.run(command, input=request, capture_output=True, text=True, check=True)  # noqa: S603 - named by the developer
    return float(answer.stdout)


def import_seconds(module: str) -> float:
    """Return the time an import takes in a fresh interpreter, the shortest of five."""
    code = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - own code
        for _ in range(5)
    ]
    return min(float(run.stdout) for run in runs)
