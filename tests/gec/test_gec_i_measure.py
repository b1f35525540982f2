"""The I-measure agrees with its definition: alignments, counts, references, formulas."""

from __future__ import annotations

import random
from typing import Any

import gec_oracle as oracle
import polars as pl
import pytest
from campaign import amount
from gec_cases import Case, edit, frame, noised, tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from anls_frame import gec

COLUMNS = ("prediction", "source", "edits", "annotators")


def texts(*rows: tuple[str, str, list[str]]) -> pl.DataFrame:
    schema = {"prediction": pl.String, "source": pl.String, "references": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def measure(data: pl.DataFrame, **options: Any) -> list[dict[str, Any]]:
    expression = gec.i_measure("prediction", "source", references="references", **options)
    return data.select(expression).to_series().to_list()


# Two annotators who take different ways: "those dogs are", "that dog was"; "to find", "for finding".
SOURCE = "Those dog is trained for find people ."
PREDICTION = "Those dog was trained to find people ."
TWO_WAYS = pl.DataFrame(
    {
        "prediction": [PREDICTION],
        "source": [SOURCE],
        "edits": [
            [
                edit(0, 0, 3, ["That dog was"]),
                edit(0, 4, 6, ["for finding"]),
                edit(1, 1, 2, ["dogs"]),
                edit(1, 4, 5, ["to"]),
            ]
        ],
        "annotators": [[0, 1]],
    }
)


def test_mixed_references() -> None:
    row = TWO_WAYS.select(gec.i_measure(*COLUMNS)).item()

    counts = {"tp": 2, "tn": 5, "fp": 0, "fn": 1, "fpn": 0}
    assert row["correction"] == row["detection"] == counts
    assert row["wacc"] == 0.9
    assert row["wacc_base"] == 0.625
    assert round(100 * row["i_measure"], 2) == 73.33


def test_one_reference_for_each_annotator() -> None:
    row = TWO_WAYS.select(gec.i_measure(*COLUMNS, mix=False)).item()

    assert row["correction"] == {"tp": 1, "tn": 5, "fp": 1, "fn": 1, "fpn": 0}
    assert (row["wacc"], row["wacc_base"]) == (0.7, 0.75)
    assert round(100 * row["i_measure"], 2) == -6.67


# What the authors' program (`ieval.py`, Python 2) prints: tp, tn, fp, fn, fpn of the correction, tn and fn
# of the source in its place, then WAcc of both and I. Here the predictions have words that nothing else has.
Row = tuple[str, str, str, tuple[int, ...], tuple[int, int], tuple[float, ...]]
PROGRAM: list[Row] = [
    ("a b c d", "a x c d e f g h", "a x c d", (1, 3, 4, 0, 0), (3, 1), (0.384615, 0.75, -0.487179)),
    ("b a a b a a", "a b b b b b b", "b a", (0, 1, 5, 4, 3), (2, 4), (0.095238, 0.333333, -0.714286)),
    ("a b", "x a b", "a b", (0, 2, 1, 0, 0), (2, 0), (0.5, 1.0, -0.5)),
    ("a b", "x a y b z", "a c", (0, 1, 3, 1, 0), (1, 1), (0.125, 0.5, -0.75)),
    ("a b", "a x y", "a b c", (0, 1, 2, 1, 1), (2, 1), (0.222222, 0.666667, -0.666667)),
    ("a", "b c", "a b c", (2, 0, 1, 0, 0), (1, 2), (0.666667, 0.333333, 0.5)),
    ("c a", "", "a b", (1, 0, 1, 1, 0), (1, 2), (0.4, 0.333333, 0.1)),
    ("a b c", "a b c", "a x b c", (0, 3, 0, 1, 0), (3, 1), (0.75, 0.75, 0.0)),
    (
        "She have a umbrella .",
        "She has got an umbrella with her .",
        "She has an umbrella .",
        (2, 3, 3, 0, 0),
        (3, 2),
        (0.538462, 0.6, -0.102564),
    ),
    (
        "Those dog is trained for find people .",
        "Those dogs are trained in order to find lost people .",
        "Those dogs are trained to find people .",
        (3, 5, 3, 0, 0),
        (5, 3),
        (0.647059, 0.625, 0.058824),
    ),
]


@pytest.mark.parametrize("case", PROGRAM, ids=lambda case: case[1])
def test_counts_and_scores_are_those_of_the_authors_program(case: Row) -> None:
    source, prediction, reference, counts, base, scores = case

    [row] = measure(texts((prediction, source, [reference])))

    assert tuple(row["correction"].values()) == counts
    nothing_changed = {"tp": 0, "tn": base[0], "fp": 0, "fn": base[1], "fpn": 0}
    assert row["base_correction"] == row["base_detection"] == nothing_changed
    assert tuple(round(row[name], 6) for name in ("wacc", "wacc_base", "i_measure")) == scores


# The same program with other costs of a gap and of a mismatch: source, prediction, reference, counts of the
# correction, tn and fn of the base, and the scores.
AT_OTHER_COSTS: list[tuple[int, int, Row]] = [
    (1, 1, ("a", "b c", "a b c", (2, 0, 0, 1, 0), (1, 2), (0.8, 0.333333, 0.7))),
    (1, 1, ("d b", "y d", "d b b b y", (0, 0, 2, 3, 0), (2, 3), (0.0, 0.4, -1.0))),
    (3, 2, ("c a", "", "a b", (0, 0, 2, 2, 2), (0, 2), (0.0, 0.0, 0.0))),
    (3, 2, ("d b", "y d", "b b d b", (0, 0, 2, 2, 0), (2, 2), (0.0, 0.5, -1.0))),
    (2, 9, ("a b c d", "a x c d e f g h", "a x c d", (2, 3, 4, 0, 0), (3, 2), (0.466667, 0.6, -0.222222))),
    (2, 9, ("d b", "y d", "d x c", (1, 1, 1, 2, 0), (1, 3), (0.428571, 0.25, 0.238095))),
]


@pytest.mark.parametrize(("gap", "mismatch", "case"), AT_OTHER_COSTS)
def test_costs_of_the_alignment_are_those_of_the_authors_program(gap: int, mismatch: int, case: Row) -> None:
    source, prediction, reference, counts, base, scores = case
    rows = texts((prediction, source, [reference]))

    for factor in (1, 7):
        costs: dict[str, Any] = {"gap_cost": factor * gap, "mismatch_cost": factor * mismatch}
        [row] = measure(rows, **costs)
        assert tuple(row["correction"].values()) == counts
        assert tuple(row["base_correction"][name] for name in ("tn", "fn")) == base
        assert tuple(round(row[name], 6) for name in ("wacc", "wacc_base", "i_measure")) == scores
    default = {name: value for name, value in measure(rows)[0].items() if name != "reference_index"}
    assert default != {name: row[name] for name in default}


def test_the_reference_chosen_is_that_of_the_authors_program() -> None:
    # The second and the third have the same weighted accuracy; I against their bases decides.
    [row] = measure(texts(("y d", "d b", ["d b b b y", "b b d b", "d x c"])))

    assert row["reference_index"] == 2
    assert round(row["i_measure"], 6) == -0.454545


@pytest.mark.parametrize(
    ("w", "beta", "expected"), [(2.0, 1.0, (0.8, 0.9, 0.7333)), (1.0, 0.5, (0.9091, 0.875, 0.6667))]
)
def test_the_scores_of_a_file(w: float, beta: float, expected: tuple[float, float, float]) -> None:
    rows = gec.i_measure(*COLUMNS, w=w, beta=beta)
    scores = TWO_WAYS.select(gec.i_measure_corpus(rows, w=w, beta=beta)).item()

    assert tuple(round(scores[name], 4) for name in ("f", "wacc", "i_measure")) == expected
    assert (scores["precision"], round(scores["recall"], 4)) == (1.0, 0.6667)
    assert (scores["accuracy"], scores["accuracy_base"]) == (0.875, 0.625)


@pytest.mark.parametrize("costs", [(2, 3), (1, 1), (1, 3), (3, 2), (5, 7)])
def test_alignments_are_those_of_the_definition(costs: tuple[int, int]) -> None:
    gap, mismatch = costs
    rng = random.Random(4)
    rows = []
    for number in range(amount(200, 1500) if costs == (2, 3) else amount(60, 300)):
        case = tiny(rng, length=5) if number % 3 else noised(rng, length=7)
        reference = case.source if rng.random() < 0.3 else tiny(rng, length=5).source
        if rng.random() < 0.2:
            reference = case.hypothesis
        rows.append((case.hypothesis, case.source, reference))
    data = pl.DataFrame(rows, schema=["prediction", "source", "reference"], orient="row")

    expression = gec.align3("prediction", "source", "reference", gap_cost=gap, mismatch_cost=mismatch)
    columns = data.select(expression).to_series().to_list()

    for (prediction, source, reference), found in zip(rows, columns, strict=True):
        plain = [tuple(column[name] or "" for name in ("src", "hyp", "ref")) for column in found]
        assert plain == oracle.align(source.split(), prediction.split(), reference.split(), *costs)
        counts = oracle.count(plain)["correction"]
        labels = [column["label"] for column in found]
        assert [labels.count(name) for name in ("tp", "tn", "fpn")] == [
            counts[name] for name in ("tp", "tn", "fpn")
        ]


@pytest.mark.parametrize("mix", [True, False])
@pytest.mark.parametrize("aspect", ["correction", "detection"])
def test_rows_are_those_of_the_definition(mix: bool, aspect: Any) -> None:  # noqa: FBT001
    rng = random.Random(5)
    cases = [
        tiny(rng, length=5) if number % 2 else noised(rng, length=8) for number in range(amount(50, 400))
    ]
    rows = frame(cases).select(gec.i_measure(*COLUMNS, mix=mix, aspect=aspect)).to_series().to_list()

    for case, row in zip(cases, rows, strict=True):
        size = len(case.source.split())
        annotated = {
            who: [(a, b, texts[0]) for a, b, texts in golds if b <= size]
            for who, golds in case.annotated.items()
        }
        references = [list(one) for one in oracle.references(case.source, annotated, mix=mix)]
        best = oracle.i_measure(case.source, case.hypothesis, references, aspect=aspect)
        found = (
            {name: row[name] for name in ("detection", "correction")},
            {name: row[f"base_{name}"] for name in ("detection", "correction")},
            (row["wacc"], row["wacc_base"], row["i_measure"]),
        )
        # References that tie in everything may come in any order.
        assert found in [(one.system, one.base, (one.wacc, one.wacc_base, one.i)) for one in best], case


@st.composite
def with_insertions(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """A sentence, the same with words put in and others changed, and references made of it likewise."""
    source = draw(st.lists(st.sampled_from("abc"), max_size=5))

    def changed(words: str) -> str:
        slots = st.lists(st.sampled_from(words), max_size=2)
        kept = [draw(st.sampled_from([word, word, "", *words])) for word in source]
        return " ".join([*draw(slots), *(word for one in kept for word in [one, *draw(slots)])])

    return changed("abcxy"), " ".join(source), [changed("abz") for _ in range(draw(st.integers(1, 3)))]


@given(
    with_insertions(),
    st.sampled_from(["correction", "detection"]),
    st.just((2, 3)) | st.tuples(st.integers(1, 5), st.integers(1, 9)),
)
@settings(max_examples=amount(25, 300))
def test_insertions_are_counted_as_the_definition_does(
    row: tuple[str, str, list[str]], aspect: Any, costs: tuple[int, int]
) -> None:
    prediction, source, references = row
    [found] = measure(texts(row), aspect=aspect, gap_cost=costs[0], mismatch_cost=costs[1])

    best = oracle.i_measure(
        source, prediction, [text.split() for text in references], aspect=aspect, costs=costs
    )

    # Unlike the system, the base has no column that the source and the reference do not have.
    words = max(len(source.split()), len(references[found["reference_index"]].split()))
    base = found["base_correction"]
    assert base["tp"] == base["fp"] == base["fpn"] == 0
    assert words <= base["tn"] + base["fn"] <= 2 * words
    assert (found["correction"], base, found["wacc"], found["wacc_base"], found["i_measure"]) in [
        (one.system["correction"], one.base["correction"], one.wacc, one.wacc_base, one.i) for one in best
    ]
    assert references[found["reference_index"]].split() in [one.reference for one in best]


def test_the_first_of_equal_references_counts_and_nothing_is_scored_against_none() -> None:
    first, none, nulls, mixed = measure(
        texts(("a b", "a c", ["a b", "a b"]), ("a", "a", []), ("a", "a", None), ("a", "b", [None, "a"]))
    )

    assert first["reference_index"] == 0
    assert none is nulls is None
    assert mixed["i_measure"] == 1


def test_empty_sentences() -> None:
    nothing, invented = measure(texts(("", "", [""]), ("a", "", [""])))

    assert nothing["wacc"] is nothing["i_measure"] is None
    # Of the source in its place there is nothing to count, so there is nothing to improve on.
    assert (invented["wacc"], invented["wacc_base"], invented["i_measure"]) == (0, None, None)


def test_the_choice_of_a_reference_follows_the_option() -> None:
    data = texts(("a x c", "a b c", ["a y c d e", "a b c"]))

    by_accuracy, by_recall = (measure(data, optimise=metric)[0] for metric in ("wacc", "r"))

    assert (by_accuracy["reference_index"], by_recall["reference_index"]) == (1, 1)
    assert measure(data, optimise="tp", aspect="detection")[0]["reference_index"] == 0


def test_too_many_references_are_an_error_that_names_the_row() -> None:
    few = Case("a b", "a b", {0: [], 1: []})
    many = Case(" ".join("ab" * 20), "a", {0: [(i, i + 1, ["x"]) for i in range(0, 40, 2)], 1: []})

    with pytest.raises(
        pl.exceptions.ComputeError, match=r"row 1 .*1048576 references.*max_references=4096: raise this"
    ):
        frame([few, many]).select(gec.i_measure(*COLUMNS))
    assert frame([few, many]).select(gec.i_measure(*COLUMNS, mix=False)).height == 2


def test_too_large_tables_are_an_error_that_names_the_row() -> None:
    data = texts(("a", "b", ["c"]), ("a " * 600, "b " * 600, ["c " * 600]))

    with pytest.raises(pl.exceptions.ComputeError, match=r"row 1 .*max_cells=134217728"):
        measure(data)
    with pytest.raises(pl.exceptions.ComputeError, match=r"row 0 .*8 cells"):
        measure(data[:1], max_cells=7)
    with pytest.raises(pl.exceptions.ComputeError, match=r"row 0 .*80 words are allowed"):
        measure(texts(("a b", "a " * 80, ["b"])), gap_cost=200, mismatch_cost=301)
    garbage = texts((" ".join("abc" * 334), "a b c d " * 6, ["a b d c " * 6]))
    assert -1 <= measure(garbage)[0]["i_measure"] <= 1


def test_either_edits_or_references() -> None:
    with pytest.raises(TypeError, match="references="):
        gec.i_measure("prediction", "source")
    with pytest.raises(TypeError, match="references="):
        gec.i_measure("prediction", "source", "edits", references="references")
    with pytest.raises(TypeError, match="annotators"):
        gec.i_measure("prediction", "source", None, "annotators", references="references")
