"""ERRANT's counts agree with their definition, and so does the choice of annotators."""

from __future__ import annotations

import random
from typing import Any

import gec_oracle as oracle
import polars as pl
import pytest
from campaign import amount
from gec_cases import edit

import anls_frame as af
from anls_frame import gec
from anls_frame.gec._m2_files import SCHEMA

KINDS = ("R:NOUN", "R:SPELL", "M:DET", "U:DET", "UNK", "noop", "Odd")
Annotated = dict[int, list[oracle.Typed]]


def random_edits(rng: random.Random, annotators: int) -> Annotated:
    def one() -> oracle.Typed:
        start = rng.randint(0, 3)
        texts = ("a", "b", "a b", "", "c||d")
        return start, start + rng.randint(0, 3), rng.choice(KINDS[:-2] + KINDS[-1:]), rng.choice(texts)

    return {who: [one() for _ in range(rng.randint(0, 4))] for who in range(annotators)}


def rows(seed: int, count: int) -> list[tuple[Annotated, Annotated]]:
    rng = random.Random(seed)
    return [
        (random_edits(rng, rng.choice((1, 1, 2))), random_edits(rng, rng.randint(1, 3))) for _ in range(count)
    ]


def frame(cases: list[tuple[Annotated, Annotated]]) -> pl.DataFrame:
    def edits(annotated: Annotated) -> list[dict[str, Any]]:
        return [
            edit(who, start, end, text.split("||"), kind)
            for who, all_edits in annotated.items()
            for start, end, kind, text in all_edits
        ]

    columns = {"system": 0, "edits": 1}
    data = {name: [edits(case[side]) for case in cases] for name, side in columns.items()}
    data |= {f"{name}_annotators": [sorted(case[side]) for case in cases] for name, side in columns.items()}  # type: ignore[misc]
    schema = dict.fromkeys(columns, SCHEMA["edits"])
    return pl.DataFrame(
        data, schema=schema | {f"{name}_annotators": SCHEMA["annotators"] for name in columns}
    )


def counts(**options: Any) -> pl.Expr:
    return gec.errant("system", "edits", "system_annotators", "edits_annotators", **options)


OPTIONS: tuple[dict[str, Any], ...] = (
    *({"mode": mode} for mode in ("cs", "cse", "ds", "dt")),
    {"single": True},
    {"multi": True, "mode": "ds"},
    {"filt": ("R:NOUN", "M:DET")},
)


def expected(case: tuple[Annotated, Annotated], **options: Any) -> list[dict[str, list[int]]]:
    options = {"mode": "cs", **options}
    return [
        oracle.errant_counts(oracle.errant_keys(own, **options), oracle.errant_keys(other, **options))
        for own in case[0].values()
        for other in case[1].values()
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_counts_are_those_of_the_definition(options: dict[str, Any]) -> None:
    cases = rows(1, amount(150, 500))

    found = frame(cases).select(counts(**options)).to_series().to_list()

    for case, comparisons in zip(cases, found, strict=True):
        types = [
            {one["type"]: [one["tp"], one["fp"], one["fn"]] for one in comparison["types"]}
            for comparison in comparisons
        ]
        assert types == expected(case, **options)
        for comparison, kinds in zip(comparisons, types, strict=True):
            totals = [sum(kind[place] for kind in kinds.values()) for place in range(3)]
            assert [comparison["tp"], comparison["fp"], comparison["fn"]] == totals


def f_score(tp: int, fp: int, fn: int, beta: float) -> float:
    precision, recall = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    if not precision + recall:
        return 0.0
    return round((1 + beta**2) * precision * recall / (beta**2 * precision + recall), 4)


@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_the_annotators_chosen_are_those_of_the_definition(beta: float) -> None:
    cases = rows(2, 300)
    total = [0, 0, 0]
    by_type: dict[str, list[int]] = {}
    for case in cases:
        best: tuple[Any, ...] | None = None
        for types in expected(case):
            own = [sum(kind[place] for kind in types.values()) for place in range(3)]
            f = f_score(*(a + b for a, b in zip(total, own, strict=True)), beta)  # type: ignore[misc]
            key = (f, own[0], -own[1], -own[2])
            if best is None or key > best[0]:
                best = key, own, types
        assert best is not None
        total = [a + b for a, b in zip(total, best[1], strict=True)]
        for kind, numbers in best[2].items():
            by_type[kind] = [a + b for a, b in zip(by_type.get(kind, [0, 0, 0]), numbers, strict=True)]

    scores = frame(cases).select(gec.errant_corpus(counts(), beta=beta)).item()
    table = gec.by_type(frame(cases), counts(), tier=3, beta=beta)

    assert [scores["tp"], scores["fp"], scores["fn"]] == total
    assert scores["f"] == f_score(*total, beta)  # type: ignore[misc]
    assert {kind: [tp, fp, fn] for kind, tp, fp, fn, *_ in table.iter_rows()} == by_type


def test_tiers_add_up() -> None:
    data = frame(rows(3, 200))

    tables = [gec.by_type(data, counts(mode="ds"), tier=tier) for tier in (1, 2, 3)]

    assert [sorted(table["type"]) for table in tables[:2]] == [
        ["M", "Odd", "R", "U", "UNK"],
        ["DET", "NOUN", "Odd", "SPELL", "UNK"],
    ]
    assert len({table.select(pl.sum("tp", "fp", "fn")).row(0) for table in tables}) == 1


def test_no_edits_at_all_are_right() -> None:
    empty = frame([({0: []}, {0: []})])

    assert empty.select(gec.errant_corpus(counts())).item()["f"] == 1.0
    assert gec.by_type(empty, counts()).height == 0
    assert empty.head(0).select(gec.errant_corpus(counts())).item()["precision"] == 1.0


def test_scores_are_rounded_as_the_program_does() -> None:
    data = frame([({0: [(0, 1, "X", "a")] * 1}, {0: [(0, 1, "X", "a"), (1, 2, "X", "a"), (2, 3, "X", "a")]})])

    rounded, exact = (data.select(gec.errant_corpus(counts(), round4=flag)).item() for flag in (True, False))

    assert (rounded["recall"], exact["recall"]) == (0.3333, 1 / 3)


@pytest.mark.parametrize(("edits", "length"), [(1, 2**31 - 1), (1_000, 65_536)])
def test_spans_that_no_sentence_has_are_refused(edits: int, length: int) -> None:
    data = frame([({0: [(at, at + length, "X", "a") for at in range(edits)]}, {0: []})])

    with pytest.raises(pl.exceptions.ComputeError, match=rf"row 0 .*{edits * length}"):
        data.select(counts(mode="dt"))
    assert data.select(counts(mode="ds")).item()[0]["fp"] == edits


def test_annotators_of_gold_in_the_place_of_those_of_the_system_are_refused() -> None:
    with pytest.raises(ValueError, match="annotators= is missing: pass those of the system's edits"):
        gec.errant("prediction_edits", "edits", "annotators")


COUNTS = {
    "m2": gec.m2("p", "s", "e"),
    "errant": gec.errant("e", "e"),
    "i_measure": gec.i_measure("p", "s", "e"),
}


@pytest.mark.parametrize("given", COUNTS)
@pytest.mark.parametrize("function", COUNTS)
def test_counts_of_another_measure_are_refused(function: str, given: str) -> None:
    rows = pl.DataFrame({"p": ["a"], "s": ["b"], "e": [[edit(0, 0, 1, ["a"], "R:NOUN")]]})
    corpus = getattr(gec, f"{function}_corpus")

    assert rows.select(corpus(COUNTS[function])).item()["tp"] == 1
    with pytest.raises(af.DTypeError, match=f"counts must be those of `{function}`, got (List|String)"):
        rows.select(corpus("e" if given == function else "p"))
    if given != function:
        with pytest.raises(
            af.DTypeError, match=f"`{function}`, got those of `{given}`, which `{given}_corpus` takes"
        ):
            rows.select(corpus(COUNTS[given]))
    if given != "errant":
        with pytest.raises(af.DTypeError, match="counts must be those of `errant`, got"):
            gec.by_type(rows, COUNTS[given])
