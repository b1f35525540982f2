"""`gec.compare` against loops over all swaps in fractions, and in what may not change it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gec_oracle as oracle
import pandas as pd
import polars as pl
import pytest
import swap_oracle
from campaign import amount
from gec_cases import edit, frame, noised, tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_oracle import Numbers, Score

import anls_frame as af
from anls_frame import gec
from anls_frame.exceptions import ColumnNotFoundError
from anls_frame.gec._m2_files import SCHEMA
from anls_frame.statistics import holm

COLUMNS = ("source", "edits", "annotators")
SYSTEMS = ("prediction", "other", "third")


def cases(seed: int, count: int) -> pl.DataFrame:
    """Return sentences with three systems, of which the last two do the same as the first in some rows."""
    rng = random.Random(seed)
    data = frame([tiny(rng) if number % 2 else noised(rng, 6) for number in range(count)])
    words = data["source"].str.split(" ").to_list()
    columns = []
    for name in SYSTEMS[1:]:
        made = [
            rng.choice((own, " ".join(rng.sample(some, len(some))), " ".join(some[1:])))
            for own, some in zip(data["prediction"], words, strict=True)
        ]
        columns.append(pl.Series(name, made))
    documents = pl.Series("document", [rng.choice("abcd") for _ in range(count)])
    return data.with_columns(*columns, documents)


def f_of(beta: Fraction) -> Score:
    def score(totals: Numbers) -> Fraction:
        matched, proposed, gold = totals
        size = beta**2 * gold + proposed
        return Fraction((1 + beta**2) * matched) / size if size else Fraction(1)

    return score


def improvement(totals: Numbers) -> Fraction:
    own, base = Fraction(totals[0]) / totals[1], Fraction(totals[2]) / totals[3]
    if own == base:
        return Fraction(own // 1)
    return (own - base) / (1 - base) if own > base else own / base - 1


def m2_numbers(data: pl.DataFrame, system: str, beta: float) -> list[Numbers]:
    """Return the counts that each row adds under the scorer's choice of annotators."""
    rows = []
    for row in data.iter_rows(named=True):
        annotated = {
            who: [tuple(one[name] for name in ("start", "end", "corrections")) for one in row["edits"]
                  if one["annotator"] == who]
            for who in row["annotators"]
        }  # fmt: skip
        rows.append([
            oracle.m2_counts(row["source"], oracle.m2_edits(row["source"], row[system], golds), golds)
            for golds in annotated.values()
        ])  # fmt: skip
    sums = [oracle.m2_greedy(rows[:count], beta) for count in range(len(rows) + 1)]
    return [
        tuple(after - before for after, before in zip(*pair, strict=True))
        for pair in zip(sums[1:], sums[:-1], strict=True)
    ]


def i_numbers(data: pl.DataFrame, system: str, w: int) -> list[Numbers]:
    """Return dividends and divisors of both weighted accuracies; each row has one reference."""
    rows: list[Numbers] = []
    for row in data.iter_rows(named=True):
        [found, *_] = oracle.i_measure(row["source"], row[system], [row["references"][0].split()], w=w)
        parts: list[Fraction] = []
        for counts in (found.system["correction"], found.base["correction"]):
            tp, tn, fp, fn, fpn = (counts[name] for name in ("tp", "tn", "fp", "fn", "fpn"))
            parts += [Fraction(w * tp + tn), w * (tp + fp) + tn + fn - Fraction((w + 1) * fpn, 2)]
        rows.append(tuple(parts))
    return rows


def by_document(numbers: list[Numbers], documents: pl.Series) -> list[Numbers]:
    names = sorted(set(documents))
    return [
        swap_oracle.total([own for own, one in zip(numbers, documents, strict=True) if one == name])
        for name in names
    ]


def check(
    row: dict[str, Any], first: list[Numbers], second: list[Numbers], score: Score, sized: slice
) -> None:
    """Compare a row of the table with the loops."""
    assert row["difference"] == pytest.approx(float(swap_oracle.difference(first, second, score)), abs=1e-14)
    assert row["p_value"] == swap_oracle.p_value(first, second, score)
    sizes = [sum((*a[sized], *b[sized])) for a, b in zip(first, second, strict=True)]
    most = 1 if sized.stop == 3 else 2
    ends = swap_oracle.interval(first, second, score, sizes, 0.9, unseen=most)
    found = row["difference_low"], row["difference_high"]
    if ends is None:
        assert found == (None, None)
    else:
        assert found == pytest.approx(tuple(min(max(end, -most), most) for end in ends), abs=1e-12)


@given(st.integers(0, 2**32), st.integers(2, 7), st.sampled_from([0.5, 1.0]))
@pytest.mark.parametrize("cluster", [None, "document"])
@settings(max_examples=amount(10, 100), deadline=None)
def test_few_sentences_are_those_of_the_loop(cluster: str | None, seed: int, count: int, beta: float) -> None:
    data = cases(seed, count)
    if data["document"].n_unique() < 2:
        data = data.with_columns(document=pl.Series(["a", *"b" * (count - 1)]))

    # Two differences that hold together in 80 % have 90 % each.
    table = gec.compare(SYSTEMS, data, cluster=cluster, confidence=0.8, beta=beta)

    score = f_of(Fraction(beta))
    numbers = [m2_numbers(data, system, beta) for system in SYSTEMS]
    rows = table.to_dicts()
    for row, own in zip(rows[1:], numbers[1:], strict=True):
        gains = [score(b) - score(a) for a, b in zip(numbers[0], own, strict=True)]
        assert row["wins"] == sum(gain > 0 for gain in gains)
        assert row["losses"] == sum(gain < 0 for gain in gains)
        assert row["wins"] + row["ties"] + row["losses"] == row["n"] == count
        units = [numbers[0], own]
        if cluster:
            units = [by_document(one, data["document"]) for one in units]
        assert row["n_clusters"] == (len(units[0]) if cluster else None)
        check(row, *units, score, slice(1, 3))
    assert [row["p_adjusted"] for row in rows[1:]] == list(holm([row["p_value"] for row in rows[1:]]))


@given(st.integers(0, 2**32), st.integers(2, 7), st.sampled_from([1, 2, 3]))
@settings(max_examples=amount(15, 100), deadline=None)
def test_the_i_measure_is_recomputed_in_every_swap(seed: int, count: int, w: int) -> None:
    rng = random.Random(seed)
    source = [" ".join(rng.choices("abc", k=rng.randint(1, 5))) for _ in range(count)]
    texts = [[" ".join(rng.choices("abc", k=rng.randint(1, 5))) for _ in range(count)] for _ in range(2)]
    references = [[rng.choice((one, *pair))] for one, *pair in zip(source, *texts, strict=True)]
    data = pl.DataFrame({"source": source, "old": texts[0], "new": texts[1], "references": references})

    row = gec.compare(["old", "new"], data, measure="i_measure", confidence=0.9, w=w).row(1, named=True)

    first, second = (i_numbers(data, system, w) for system in ("old", "new"))
    check(row, first, second, improvement, slice(1, 2))


def test_errant_counts_edits_of_both_sides() -> None:
    rng = random.Random(3)

    def edits() -> list[dict[str, Any]]:
        return [edit(0, at, at + 1, [rng.choice("xy")]) for at in range(6) if rng.random() < 0.5]

    rows = {name: [edits() for _ in range(7)] for name in ("edits", "old", "new")}
    data = pl.DataFrame(rows, schema=dict.fromkeys(rows, SCHEMA["edits"]))

    row = gec.compare(["old", "new"], data, measure="errant", confidence=0.9).row(1, named=True)

    def numbers(system: str) -> list[Numbers]:
        return [
            (sum(one in gold for one in own), len(own), len(gold))
            for own, gold in zip(rows[system], rows["edits"], strict=True)
        ]

    check(row, numbers("old"), numbers("new"), f_of(Fraction(1, 2)), slice(1, 3))


DATA = cases(5, 60).with_columns(swapped=pl.col("other"))
ERRANT = DATA.with_columns(old=pl.col("edits"), new=pl.col("edits").list.head(1))
MEASURES: list[tuple[str, dict[str, Any]]] = [
    ("m2", {}),
    ("m2", {"beta": 1, "choose": "best_sentence"}),
    ("m2", {"choose": "sum"}),
    ("m2", {"choose": "annotator", "annotator": 0, "max_unchanged": 0}),
    ("i_measure", {"w": 3.0, "aspect": "detection", "mix": False}),
    ("errant", {"mode": "ds", "round4": False}),
]
each_measure = pytest.mark.parametrize(("measure", "options"), MEASURES, ids=str)


def systems_of(measure: str) -> tuple[list[str], pl.DataFrame]:
    return (["old", "new"], ERRANT) if measure == "errant" else (["prediction", "other"], DATA)


@each_measure
def test_the_scores_are_those_of_the_corpus_functions(measure: str, options: dict[str, Any]) -> None:
    systems, data = systems_of(measure)
    of_corpus = {"beta", "choose", "annotator", "round4"} | {"w", "aspect"}
    rows = {name: value for name, value in options.items() if name not in of_corpus - {"w", "aspect"}}
    corpus = {name: value for name, value in options.items() if name in of_corpus}

    table = gec.compare(systems, data, measure=measure, draws=9, **options)  # type: ignore[call-overload]

    for system, row in zip(systems, table.to_dicts(), strict=True):
        if measure == "errant":
            counts = gec.errant(system, "edits", None, "annotators", **rows)
            scores = data.select(gec.errant_corpus(counts, **corpus)).item()
        elif measure == "m2":
            counts = gec.m2(system, *COLUMNS, **rows)
            scores = data.select(gec.m2_corpus(counts, **corpus)).item()
        else:
            counts = gec.i_measure(system, *COLUMNS, **rows)
            scores = data.select(gec.i_measure_corpus(counts, **corpus)).item()
        scores.pop("beta", None)
        assert {name: row[name] for name in scores} == scores
        assert (row["system"], row["n"]) == (system, 60)
    name = "i_measure" if measure == "i_measure" else "f"
    assert table["difference"][1] == pytest.approx(table[name][1] - table[name][0], abs=1e-14)


@each_measure
def test_equal_systems_do_not_differ(measure: str, options: dict[str, Any]) -> None:
    (system, _), data = systems_of(measure)

    table = gec.compare({"one": system, "same": system}, data, measure=measure, **options)  # type: ignore[call-overload]

    row = table.row(1, named=True)
    assert row["difference"] == 0
    # 60 sentences of equal size leave this much room for one that differs, others more.
    assert row["difference_high"] == -row["difference_low"] >= -math.log(0.025) / 60
    assert (row["p_value"], row["p_adjusted"]) == (1, 1)
    assert (row["wins"], row["ties"], row["losses"]) == (0, 60, 0)
    assert set(table.row(0)[table.columns.index("difference") :]) == {None}


@pytest.mark.parametrize(
    "make", [pl.DataFrame.clone, pl.DataFrame.lazy, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas]
)
def test_frames_of_any_kind(make: Callable[[pl.DataFrame], Any]) -> None:
    data = make(DATA)

    table = gec.compare(SYSTEMS, data, cluster="document", draws=99)

    assert type(table) is (pl.DataFrame if isinstance(data, pl.LazyFrame) else type(data))
    found = pl.from_pandas(table) if isinstance(table, pd.DataFrame) else pl.DataFrame(table)
    expected = gec.compare(SYSTEMS, DATA, cluster="document", draws=99)
    assert found.cast(expected.schema).equals(expected)  # type: ignore[arg-type]


def test_systems_are_columns_expressions_or_series() -> None:
    named = gec.compare({"a": "prediction", "b": "other"}, DATA, draws=9)

    others = gec.compare({"a": pl.col("prediction"), "b": DATA["other"].alias("x")}, DATA, draws=9)
    without = gec.compare({"a": "prediction", "b": "other"}, DATA.drop("document", "third"), draws=9)

    assert named.equals(others)
    assert named.equals(without)


def test_annotators_and_references_are_optional() -> None:
    data = DATA.drop("annotators")
    counts = gec.m2("prediction", "source", "edits")
    references = DATA.select("source", "prediction", "other", references=pl.concat_list("third", "source"))

    table = gec.compare(SYSTEMS, data, draws=9)
    improved = gec.compare(["prediction", "other"], references, measure="i_measure", draws=9)
    same = gec.compare(
        ["prediction", "other"],
        references.rename({"references": "texts"}).with_columns(DATA["edits"]),
        measure="i_measure",
        references="texts",
        draws=9,
    )

    assert table["f"][0] == data.select(gec.m2_corpus(counts)).item()["f"]
    assert improved.equals(same)


def test_one_sentence_has_no_interval_and_no_p_value() -> None:
    for data, cluster in ((DATA[:1], None), (DATA.with_columns(document=pl.lit("a")), "document")):
        row = gec.compare(SYSTEMS, data, cluster=cluster).row(1, named=True)

        found = {name: row[name] for name in ("difference_low", "difference_high", "p_value", "p_adjusted")}
        assert set(found.values()) == {None}
    assert gec.compare(SYSTEMS, DATA[:0])["difference"].to_list() == [None, 0, 0]


def test_the_i_measure_of_empty_sentences_is_undefined() -> None:
    data = pl.DataFrame({"source": ["", ""], "references": [[""], [""]], "a": ["", ""], "b": ["", ""]})

    row = gec.compare(["a", "b"], data, measure="i_measure").row(1, named=True)

    assert [row[name] for name in ("difference", "difference_low", "p_value")] == [None] * 3
    assert row["ties"] == 2


def test_rows_without_a_source_are_left_out() -> None:
    hole = pl.int_range(60) == 7
    data = DATA.with_columns(source=pl.when(~hole).then("source"))

    assert gec.compare(SYSTEMS, data).equals(gec.compare(SYSTEMS, DATA.filter(~hole)))


def test_wrong_input() -> None:
    hole = DATA.with_columns(other=pl.when(pl.int_range(60) != 7).then("other"))

    with pytest.raises(ValueError, match="system 'other' has no correction in row 7, but another one has"):
        gec.compare(SYSTEMS, hole)
    wrong: list[Any] = [["prediction"], ["other", "other"], {"a": "other"}, "other", 3, {1: "a", 2: "b"}]
    for systems in wrong:
        with pytest.raises(ValueError, match="systems must name two or more different columns"):
            gec.compare(systems, DATA)
    with pytest.raises(ValueError, match="measure must be one of 'm2', 'errant', 'i_measure', got 'gleu'"):
        gec.compare(SYSTEMS, DATA, measure="gleu")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="unexpected keyword argument 'bata'"):
        gec.compare(SYSTEMS, DATA, bata=1)
    with pytest.raises(ValueError, match="beta must be a number above 0"):
        gec.compare(SYSTEMS, DATA, beta=-1)
    with pytest.raises(ValueError, match=r"confidence must be a number in \(0, 1\)"):
        gec.compare(SYSTEMS, DATA, confidence=95)
    with pytest.raises(ValueError, match="draws must be an integer"):
        gec.compare(SYSTEMS, DATA, draws=0)
    with pytest.raises(ColumnNotFoundError, match="missing"):
        gec.compare(SYSTEMS, DATA, cluster="missing")
    with pytest.raises(ColumnNotFoundError, match="missing"):
        gec.compare(["prediction", "missing"], DATA)
    with pytest.raises(TypeError, match=r"`m2` takes a column name, .* got list"):
        gec.compare({"a": "prediction", "b": ["x"] * 60}, DATA)  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="frame must be"):
        gec.compare(SYSTEMS, {})


def spelled(rows: int, lost: int, won: int) -> pl.DataFrame:
    """Return sentences with an error each, which two systems correct but for a few, in documents of ten."""
    old, new = ([True] * rows for _ in range(2))
    new[: 3 * lost : 3] = [False] * lost
    old[1 : 1 + 3 * won : 3] = [False] * won
    texts = {True: "a right c", False: "a wrong c"}
    edits = [edit(0, 1, 2, ["right"])]
    return pl.DataFrame({
        "source": ["a wrong c"] * rows,
        "edits": pl.Series([edits] * rows, dtype=SCHEMA["edits"]),
        "old": [texts[is_right] for is_right in old],
        "new": [texts[is_right] for is_right in new],
        "answers": ["a right c"] * rows,
        "document": [number // 10 for number in range(rows)],
    })  # fmt: skip


@pytest.mark.parametrize("cluster", [None, "document"])
@pytest.mark.parametrize(
    ("rows", "lost", "won"), [(100, 0, 0), (300, 0, 0), (1000, 0, 0), (4000, 0, 0), (300, 12, 12)]
)
@pytest.mark.parametrize("within", [0.005, 0.01, 0.05, 0.3])
def test_an_answer_is_that_of_comparisons(
    rows: int, lost: int, won: int, within: float, cluster: str | None
) -> None:
    """The recall of one error a sentence is the share of sentences that are exactly right."""
    data = spelled(rows, lost, won)
    # F of a large beta is the recall.
    table = gec.compare(["old", "new"], data, cluster=cluster, within=within, beta=1e4, draws=9)
    found = table.row(1, named=True)
    compared = af.compare(data, ["old", "new"], "answers", cluster=cluster, metrics="exact_match")
    decided = compared.decide(within).frame.row(0, named=True)
    assert found["answer"] == decided["answer"]
    assert found["difference"] == pytest.approx(decided["difference"], abs=1e-8)
    assert found["detectable"] == pytest.approx(decided["detectable"], rel=0.01)
    unit = "n" if cluster is None else "n_clusters"
    # A comparison never plans with fewer units than a p-value needs.
    assert max(found["needed"], 5) == pytest.approx(decided[f"{unit}_needed"], rel=0.02, abs=1)
    assert found["few_rows"] == (compared.overall["few_rows"].item() or lost < 10)


def test_equal_systems_are_fine_by_the_rule_of_three() -> None:
    for rows, answer in ((299, "undecided"), (300, "fine")):
        data = spelled(rows, 0, 0)
        row = gec.compare(["old", "new"], data, within=0.01).row(1, named=True)
        assert (row["answer"], row["needed"], row["few_rows"]) == (answer, 300, True)
        # The interval is that of as many rows of a comparison.
        rows_alike = af.compare(data, ["old", "new"], "answers").overall.row(0, named=True)
        assert row["difference_low"] == pytest.approx(rows_alike["difference_low"])
        assert -row["difference_high"] == row["difference_low"] == pytest.approx(math.log(0.025) / rows)


def test_equal_systems_are_fine_and_a_margin_must_be_positive() -> None:
    data = cases(3, 20)
    # By the rule of three, 20 sentences without a loss do not show that fewer than 14 % have one.
    pair = {"a": "prediction", "b": "prediction"}
    assert gec.compare(pair, data, within=0.5)["answer"].to_list() == [None, "fine"]
    assert gec.compare(pair, data, within=0.14)["answer"].to_list() == [None, "undecided"]
    with pytest.raises(ValueError, match="within must be"):
        gec.compare(SYSTEMS, data, within=0)
    with pytest.raises(ValueError, match="alpha must be"):
        gec.compare(SYSTEMS, data, within=0.1, alpha=0.5)
    one = gec.compare(SYSTEMS, data.head(1), within=0.1)
    assert one["answer"].to_list() == [None, "undecided", "undecided"]
