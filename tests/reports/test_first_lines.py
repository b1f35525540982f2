"""The first line of a page or print says nothing that its own tables contradict, over drawn results."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import polars as pl
import pytest
import shell

import anls_frame as af
from anls_frame.export.heads import head

SHARE = re.compile(r"(\d+) % ([^,.;]+)")
WORST = re.compile(r"worst(?: with at least 30 rows)?: (\S+) ([+-]?\d+\.\d+)")


def drawn(seed: int, n: int = 600) -> pl.DataFrame:
    """Return answers of two systems, whose errors have kinds and slices at random."""
    draw = random.Random(seed)
    kinds = [None, "", "right answer", "Right Answer", "rihgt answer", "right", "nothing like it", "1,5"]
    weights = [draw.random() ** 2 for _ in kinds]
    texts = {name: draw.choices(kinds, weights, k=n) for name in ("old", "new")}
    slices = [draw.choice("abcde") for _ in range(n)]
    if seed % 2:  # one slice loses
        texts["new"] = [
            None if one == "a" and draw.random() < 0.4 else text
            for one, text in zip(slices, texts["new"], strict=True)
        ]
    return pl.DataFrame(
        {**texts, "answer": "right answer", "lang": slices, "doc": [row // 4 for row in range(n)]}
    )


@pytest.mark.parametrize("seed", range(12))
def test_shares_of_causes_add_up(seed: int) -> None:
    rows = drawn(seed)
    head = af.report(rows, "new", "answer", details=True).to_document().head
    named = {kind: int(share) for share, kind in SHARE.findall(head.partition("loss by cause: ")[2])}
    assert sum(named.values()) == 100
    scored = af.add_scores(rows, "new", "answer", columns=["anls"], missing="empty").with_columns(
        kind=af.error_type("new", "answer").cast(pl.String), lost=1 - pl.col("anls")
    )
    total = scored["lost"].sum()
    by_type = {
        kind: 100 * lost / total for kind, lost in scored.group_by("kind").agg(pl.sum("lost")).iter_rows()
    }
    by_type["form"] = by_type.pop("case", 0)  # "1,5" is another answer, not another form of it
    for kind, share in named.items():
        if kind != "other causes":
            assert share == pytest.approx(by_type[kind], abs=0.51)
    # What is not named lost no more than what is.
    least = min((share for kind, share in named.items() if kind != "other causes"), default=0)
    assert all(share <= least + 0.51 for kind, share in by_type.items() if kind not in named)


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ((0.335, 0.335, 0.33), "33 % a, 34 % b, 33 % c"),
        ((0.333, 0.333, 0.334), "34 % c, 33 % a, 33 % b"),
        ((0.606, 0.386, 0.006, 0.002), "60 % a, 39 % b, 1 % c"),
        ((0.5, 0.25, 0.125, 0.125), "50 % a, 25 % b, 12 % c, 13 % other causes"),
        ((0.998, 0.002), "100 % a"),
    ],
)
def test_rounded_shares_add_up(lost: tuple[float, ...], said: str) -> None:
    assert head("ANLS 0.5", 9, lost=dict(zip("abcd", lost, strict=False))).endswith(f"loss by cause: {said}.")


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_slice_of_one_system_is_the_lowest_row_of_the_table(seed: int) -> None:
    # "z" is worse, but too small to be called the worst.
    rows = pl.concat([drawn(seed), drawn(seed, 9).with_columns(lang=pl.lit("z"), new=pl.lit("none"))])
    report = af.report(rows, "new", "answer", by="lang")
    lowest = report.by_group.filter(pl.col("n") >= 30).sort("anls").row(0, named=True)
    page = af.browse(rows, "new", "answer", by="lang")
    for first in (report.to_document().head, page._content.notes[0]):  # noqa: SLF001 - its first line
        found = WORST.search(first)
        assert found is not None
        assert found.groups() == (lowest["lang"], f"{lowest['anls']:.3f}")
        assert "; worst with at least 30 rows: " in first
    better = rows.with_columns(new=pl.when(pl.col("lang") == "z").then("answer").otherwise("new"))
    assert "; worst: " in af.report(better, "new", "answer", by="lang").to_document().head


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", ["anls", "cer_mean"])
def test_the_worst_slice_of_a_comparison_is_one_that_lost(seed: int, metric: str) -> None:
    made = af.compare(
        drawn(seed), ["old", "new"], "answer", by="lang", cluster="doc", metrics=metric, draws=999
    )
    head = made.to_document().head
    lost = made.by_group.filter(
        pl.col("p_adjusted") <= 0.05,
        (pl.col("difference") < 0) if metric == "anls" else (pl.col("difference") > 0),
    )
    found = WORST.search(head)
    if lost.is_empty():
        assert found is None
        return
    assert found is not None
    by = "difference"
    row = lost.sort(by, descending=metric != "anls").row(0, named=True)
    assert found[1] == row["lang"]


def test_both_kinds_of_comparisons_occur() -> None:
    heads = [
        af.compare(drawn(seed), ["old", "new"], "answer", by="lang", draws=999).to_document().head
        for seed in range(12)
    ]
    assert {WORST.search(head) is None for head in heads} == {True, False}


def test_thresholds_by_slice_begin_with_what_all_rows_allow(tmp_path: Path) -> None:
    draw = random.Random(1)
    sure = [draw.random() for _ in range(2000)]
    rows = pl.DataFrame(
        {
            "prediction": ["yes" if draw.random() < one**0.2 else "no" for one in sure],
            "answers": "yes",
            "sure": sure,
            "kind": ["fax" if row % 25 == 0 else "form" for row in range(2000)],
        }
    )
    rows.write_csv(tmp_path / "sure.csv")
    command = ("selective", "sure.csv", "--model-confidence", "sure", "--risk", "0.1")
    whole = shell.fine(shell.run(tmp_path, *command)).splitlines()[-1]
    printed = shell.run(tmp_path, *command, "-b", "kind", "-o", "page.html").stdout.splitlines()
    said = [line for line in printed if "risk of 10 %" in line or "at most 10 %" in line]
    assert said[0] == whole
    assert [line.partition(":")[0] for line in said[1:]] == ["form", "fax"]
    found = json.loads(shell.run(tmp_path, *command, "-b", "kind", "--json").stdout)
    assert list(found["tables"])[-2:] == [
        "Thresholds for a risk of 10 %",
        "Thresholds for a risk of 10 % by kind",
    ]
