"""The mark `few_rows` of slices whose figure few clusters carry, against the definition in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
import report_oracle

from anls_frame import Metric, Report, Summary, compare, merge, report, summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

DOCUMENTS, ROWS = 40, 10

LOWER = Metric("s", higher_is_better=False)


def scores_of(wrong: Sequence[int], rows: int = ROWS) -> pl.DataFrame:
    """Documents of equal size, of each of which so many rows are wrong, and none of further ones."""
    counts = [*wrong, *([0] * (DOCUMENTS - len(wrong)))]
    return pl.DataFrame(
        [(document, float(row >= count)) for document, count in enumerate(counts) for row in range(rows)],
        schema=["d", "s"],
        orient="row",
    )


def carriers(amounts: Sequence[float]) -> float:
    return float(sum(amounts) ** 2 / sum(amount**2 for amount in amounts))


@pytest.mark.parametrize(
    ("wrong", "is_marked"),
    [
        ([1] * 10, False),
        ([3] * 10, False),
        ([7] * 10, False),
        ([1] * 9, True),
        ([10] * 9, True),
        ([10] * 2 + [1] * 30, False),
        ([10] * 2 + [1] * 12, True),
        ([10], True),
        ([], True),
    ],
)
def test_slice_is_marked_where_losses_or_scores_are_in_few_clusters(
    wrong: list[int], *, is_marked: bool
) -> None:
    assert is_marked == (not wrong or carriers(wrong) < 10)
    frame = scores_of(wrong)
    for score in (pl.col("s"), 1 - pl.col("s"), 0.9 + 0.1 * pl.col("s")):
        made = report(frame.with_columns(s=score), metrics="s", cluster="d")
        assert made.overall["few_rows"] == is_marked
    texts = frame.select(
        "d", t=pl.lit("abc"), p=pl.when(pl.col("s") > 0).then(pl.lit("abc")).otherwise(pl.lit("x"))
    )
    assert report(texts, "p", "t", cluster="d").overall["few_rows"] == is_marked


def test_independent_rows_are_not_marked_however_few_are_wrong() -> None:
    frame = scores_of([3]).with_row_index("own")
    for cluster in (None, "own"):
        assert not report(frame, metrics="s", cluster=cluster).overall["few_rows"]
    assert report(frame, metrics="s", cluster="d").overall["few_rows"]


def test_scores_that_are_bounded_below_only_are_marked_by_what_there_is() -> None:
    few, many = scores_of([1] * 9), scores_of([1] * 31)
    errors = 2 - 2 * pl.col("s")
    for frame, is_marked in ((few, True), (many, False)):
        made = report(frame.with_columns(s=errors), metrics=LOWER, cluster="d")
        assert made.overall["few_rows"] == is_marked
    # 2 in all documents but nine is not near a bound, and without bounds there is no side to look at.
    for score in (2 * pl.col("s"), 2 * pl.col("s") - 1):
        assert not report(few.with_columns(s=score), metrics="s", cluster="d").overall["few_rows"]
    rates = few.with_columns(s=2 * pl.col("s"))
    assert not report(rates, metrics=LOWER, cluster="d").overall["few_rows"]


def test_shares_that_are_0_by_nature_mark_nothing() -> None:
    # No page is exact, none is all wrong.
    pages = pl.DataFrame(
        {"p": ["abcd", "abxd"] * 200, "t": ["abcde"] * 400, "d": [i // 10 for i in range(400)]}
    )
    made = report(pages, "p", "t", cluster="d").overall
    assert (made["exact_match"], made["zeros"], made["few_rows"]) == (0.0, 0.0, False)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_marks_are_those_of_plain_loops(cluster: str | None) -> None:
    random = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for number in range(90):
        # Slices of documents with errors in many, in few, and in nearly all rows.
        share = {"many": 0.3, "few": 0.02, "all": 0.98}[kind := ("many", "few", "all")[number % 3]]
        for _ in range(int(random.integers(4, 12))):
            is_wrong = bool(random.random() < share)
            rows.append(
                {
                    "prediction": str(random.choice(["abcx", "axyz", "", "abcde"])) if is_wrong else "abcd",
                    "answers": ["abcd"],
                    "types": [kind, "long" if number % 2 else "short"],
                    "doc": number,
                    "score": float(random.choice([0.0, 0.5, 0.9])) if is_wrong else 1.0,
                }
            )
    options = report_oracle.Options(by=("types",), cluster=cluster)
    frame = pl.DataFrame(rows)
    report_oracle.check_report(
        report(frame, "prediction", "answers", by="types", cluster=cluster), rows, options
    )
    made = report(frame, metrics="score", by="types", cluster=cluster)
    expected = report_oracle.expected_scores(rows, options)
    report_oracle.check_slices(made.by_group, ["types"], expected)
    marks = {figures["few_rows"] for figures in expected.values()}
    assert marks == ({False} if cluster is None else {True, False})


def test_parts_whose_clusters_are_folded_have_the_marks_of_the_whole() -> None:
    frame = scores_of([1] * 9).with_columns(k=pl.col("d") % 2)
    parts = [
        summarize(frame.filter(pl.col("d") % 2 == part), metrics="s", by="k", cluster="d") for part in (0, 1)
    ]
    whole = report(frame, metrics="s", by="k", cluster="d")
    merged: Summary = merge([part.fold_clusters() for part in parts])
    assert Report.from_summary(merged).to_polars()["few_rows"].to_list() == [True] * 3
    report_oracle.check_alike(Report.from_summary(merged).to_polars(), whole.to_polars())


# Rows of a document on which the second system is right and the first is wrong, and the other way round.
@pytest.mark.parametrize(
    ("rises", "falls", "is_marked"),
    [
        ([2] * 15, [2] * 15, False),
        ([2] * 15, [2] * 9, False),
        ([2] * 15 + [4] * 25, [], False),
        ([10] * 5, [], True),
        ([10] * 3 + [1] * 20, [], True),
        ([], [10] * 5, True),
        ([], [], True),
        ([1] * 40, [], True),
    ],
)
@pytest.mark.parametrize("metric", ["anls", "exact_match", "cer_corpus"])
def test_comparison_is_marked_where_few_clusters_carry_one_side_of_the_difference(
    rises: list[int], falls: list[int], metric: Any, *, is_marked: bool
) -> None:
    differences = [*rises, *(-one for one in falls)]
    differences += [0] * (DOCUMENTS - len(differences))
    mean = sum(differences) / DOCUMENTS
    sides = [
        [one - mean for one in differences if one > mean],
        [mean - one for one in differences if one < mean],
    ]
    assert is_marked == any(not side or carriers(side) < 10 for side in sides)
    rows = [
        (document, "abc" if row >= difference else "x", "abc" if row >= -difference else "x", "abc")
        for document, difference in enumerate(differences)
        for row in range(ROWS)
    ]
    frame = pl.DataFrame(rows, schema=["d", "old", "new", "t"], orient="row")
    frame = pl.concat(
        [frame.with_columns(k=pl.lit("k")), frame.with_columns(k=pl.lit("all"), d=-1 - pl.col("d"))]
    )
    systems = {"old": "old", "new": "new"}
    made = compare(frame, systems, "t", by="k", cluster="d", metrics=metric)
    assert made.by_group["few_rows"].to_list() == [is_marked] * 2
    swapped = compare(frame, {"new": "new", "old": "old"}, "t", by="k", cluster="d", metrics=metric)
    assert swapped.by_group["few_rows"].to_list() == [is_marked] * 2
    assert not compare(frame, systems, "t", by="k", metrics=metric).by_group["few_rows"].any()
