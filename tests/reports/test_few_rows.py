"""The mark `few_rows` of slices whose figure few clusters carry, against the definition in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
import report_oracle

from anls_frame import Metric, compare, report, selective

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


@pytest.mark.parametrize(("worst", "is_marked"), [(1, False), (4, False), (5, True), (90, True)])
def test_rates_of_single_rows_are_marked_if_few_rows_have_the_errors(worst: int, *, is_marked: bool) -> None:
    errors = [1.0] * 40 + [float(worst)] * 2
    assert is_marked == (carriers(errors) < 30)
    frame = pl.DataFrame({"s": [*errors, *[0.0] * 158]}).with_row_index("own")
    for cluster in (None, "own"):
        assert report(frame, metrics=LOWER, cluster=cluster).overall["few_rows"] == is_marked
        systems = {"a": "s", "b": "t", "c": "u"}
        metric = Metric(systems, name="m", bounds=(0, None), higher_is_better=False)
        others = frame.with_columns(t=pl.lit(2.0), u=pl.lit(0.0))
        marks = compare(others, list("abc"), metrics=metric, cluster=cluster, draws=99).ranking
        # Without any error the upper end is a bound.
        assert dict(marks.select("system", "few_rows").iter_rows()) == {
            "a": is_marked,
            "b": False,
            "c": False,
        }


@pytest.mark.parametrize(
    ("of_short", "of_long", "is_marked"), [(0.1, 0.1, False), (0.1, 0.3, True), (0.3, 0.1, False)]
)
def test_rates_of_single_pages_are_marked_if_long_ones_are_worse(
    of_short: float, of_long: float, *, is_marked: bool
) -> None:
    # 300 pages of 100 characters and 30 of 1,000: half of the text is on long pages.
    pages = pl.DataFrame(
        {"y": [100] * 300 + [1000] * 30, "x": [of_short * 100] * 300 + [of_long * 1000] * 30}
    )
    units = carriers(pages["x"].to_list())
    assert units > 39
    # The rate where each page counts by its length once more, Σxy / Σy², by that of all text.
    longer = (of_short * 3_000_000 + of_long * 30_000_000) / 33_000_000
    rise = longer / ((of_short + of_long) / 2)
    assert is_marked == (units / max(rise, 1) ** 2 < 30)
    metric = Metric("x", denominator="y", bounds=(0, None), higher_is_better=False)
    assert report(pages, metrics=metric).overall["few_rows"] == is_marked
    # The mean of the rates of pages does not depend on their lengths.
    mean = Metric("rate", bounds=(0, None), higher_is_better=False)
    assert not report(pages.with_columns(rate=pl.col("x") / pl.col("y")), metrics=mean).overall["few_rows"]


def documents_of_three(lost: int, share: float = 0.15) -> pl.DataFrame:
    """Two systems with errors on rows of thirty documents, and one that loses whole documents."""
    random = np.random.default_rng(1)
    document = np.repeat(np.arange(30), 10)
    wrong = random.random((2, 300)) < share
    columns = {"a": ~wrong[0], "b": ~wrong[1], "c": document >= lost}
    return pl.DataFrame({"d": document, **{name: right.astype(float) for name, right in columns.items()}})


@pytest.mark.parametrize(
    ("lost", "share", "marked"),
    [
        # It has lost no document of thirty, but could have lost as many as would make up for the difference.
        (0, 0.15, "abc"),
        # It is not told apart from the others, whose ranks do not rest on it.
        (4, 0.15, "c"),
        # The difference is worth more than ten documents.
        (0, 0.5, "c"),
        (12, 0.15, ""),
    ],
)
def test_ranks_are_marked_if_they_rest_on_a_score_that_is(lost: int, share: float, marked: str) -> None:
    frame = documents_of_three(lost, share)
    for scale in (1, 100):
        metric = Metric({name: name for name in "abc"}, name="m", bounds=(0, scale))
        rows = frame.with_columns(pl.col("a", "b", "c") * scale)
        ranking = compare(rows, list("abc"), metrics=metric, cluster="d", draws=999).ranking
        assert set(ranking.filter("few_rows")["system"]) == set(marked)


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


def has_few_carriers(differences: Sequence[int]) -> bool:
    """Return whether fewer than ten units carry one side of the mean difference."""
    mean = sum(differences) / len(differences)
    above = [one - mean for one in differences if one > mean]
    below = [mean - one for one in differences if one < mean]
    return any(not side or carriers(side) < 10 for side in (above, below))


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
        ([2] * 4, [], True),
        ([3] * 3, [1] * 20, True),
    ],
)
@pytest.mark.parametrize("metric", ["anls", "exact_match", "cer_corpus"])
def test_comparison_is_marked_where_few_clusters_carry_one_side_of_the_difference(
    rises: list[int], falls: list[int], metric: Any, *, is_marked: bool
) -> None:
    differences = [*rises, *(-one for one in falls)]
    differences += [0] * (DOCUMENTS - len(differences))
    assert is_marked == has_few_carriers(differences)
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
    # Without clusters, rows count alike: each rises or falls by 1.
    changed = [1] * sum(rises) + [-1] * sum(falls)
    has_few = has_few_carriers([*changed, *[0] * (DOCUMENTS * ROWS - len(changed))])
    made = compare(frame, systems, "t", by="k", metrics=metric)
    assert made.by_group["few_rows"].to_list() == [has_few] * 2


@pytest.mark.parametrize("cluster", [None, "d"])
@pytest.mark.parametrize("wrong", [[1] * 9, [1] * 20, [10] * 12 + [0] * 20, [10] * 40])
def test_curves_of_confidences_are_marked_as_reports_of_the_accepted_rows(
    wrong: list[int], cluster: str | None
) -> None:
    frame = scores_of(wrong).with_columns(sure=(pl.col("d") * 7 % 5).cast(pl.Float64))
    chosen = selective(frame, metrics="s", model_confidence="sure", cluster=cluster)
    for line in chosen.curve().iter_rows(named=True):
        accepted = report(frame.filter(pl.col("sure") >= line["threshold"]), metrics="s", cluster=cluster)
        assert line["few_rows"] == accepted.overall["few_rows"], line
    for line in chosen.reliability().iter_rows(named=True):
        inside = frame.filter(pl.col("sure").is_between(line["confidence_min"], line["confidence_max"]))
        assert line["few_rows"] == report(inside, metrics="s", cluster=cluster).overall["few_rows"], line
