"""The rows that changed are those whose scores differ by definition, the largest loss first."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import error_oracle
import oracle
import polars as pl
import pytest
import report_oracle
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import anls_frame as af

ANLS, RAW = af.PROTOCOLS["anls"], af.PROTOCOLS["raw"]
SYSTEMS = {"old": "p", "new": "q"}
SCORES: dict[str, Callable[[Any, Any], Any]] = {
    "anls": lambda text, answers: oracle.anls(text, answers, ANLS),
    "nls": lambda text, answers: oracle.nls(text, answers, ANLS),
    "exact_match": lambda text, answers: oracle.exact_match(text, answers, ANLS),
    "cer": lambda text, answers: oracle.cer(text, answers, RAW),
}
ONLY_CASE = af.Metric(lambda p, a: af.exact_match(p, a, protocol="raw"), name="to_the_letter")
TEXTS = st.sampled_from([None, "", "ab", "Ab", "abc", "abd", "x", "12/03/2024", "12/04/2024"])
ROWS = st.lists(st.tuples(TEXTS, TEXTS, st.none() | st.lists(TEXTS, max_size=3)), min_size=1, max_size=12)


def frame_of(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    schema = {"p": pl.String, "q": pl.String, "t": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=schema, orient="row").with_row_index("id")


def sample() -> pl.DataFrame:
    """Return the sample data, with two systems."""
    return af.sample().rename({"answers": "t", "tesseract": "p", "rapidocr": "q"})


def slow(
    frame: pl.DataFrame, systems: dict[str, str], kind: str, metrics: list[str], missing: str
) -> dict[tuple[int, str], dict[str, Any]]:
    """Return the rows that changed by id and system, in plain Python, each with its scores and its order."""
    found = {}
    turned = -1 if kind == "better" else 1
    baseline, *others = systems.values()
    for row in frame.iter_rows(named=True):
        if missing == "drop" and None in {row[column] for column in systems.values()}:
            continue
        for number, column in enumerate(others, 1):
            texts = (row[baseline], row[column])
            scored = {
                name: [SCORES[name](text or "", row["t"]) for text in texts] for name in (*metrics, "nls")
            }
            if scored["nls"][0] is None:
                continue
            losses = {
                name: turned * (-1 if name == "cer" else 1) * (float(new) - float(old))
                for name, (old, new) in scored.items()
            }
            if any(losses[name] < 0 or (kind == "all" and losses[name] > 0) for name in metrics):
                order = (*(losses[name] for name in (*metrics, "nls")), number)
                found[row["id"], [*systems][number]] = {"order": order, "scores": scored, "texts": texts}
    return found


def check(table: pl.DataFrame, frame: pl.DataFrame, systems: dict[str, str], options: Any) -> None:
    """Compare all rows and columns of a result with plain Python."""
    metrics = options["metrics"]
    expected = slow(frame, systems, options["kind"], metrics, options["missing"])
    keys = table.select("id", "system").rows()
    assert sorted(keys) == sorted(expected)
    orders = [expected[key]["order"] for key in keys]
    assert orders == sorted(orders)
    for row in table.iter_rows(named=True):
        line = expected[row["id"], row["system"]]
        for start, text in zip(("baseline_", ""), line["texts"], strict=True):
            assert row[f"{start}prediction"] == text
            assert row[f"{start}nearest_answer"] == oracle.nearest_answer(text or "", row["t"], ANLS)
            # A missing prediction is right where the empty text is an answer.
            scored = "" if text is None and "" in row["t"] else text
            assert row[f"{start}error_type"] == error_oracle.error_type(scored, row["t"], ANLS)
        for name in metrics:
            old, new = line["scores"][name]
            assert (row[f"baseline_{name}"], row[name]) == (old, new)
            assert row[f"{name}_difference"] == float(new) - float(old)
        assert row["transition"] == f"{row['baseline_error_type']} → {row['error_type']}"


@report_oracle.FEWER
@given(
    rows=ROWS,
    kind=st.sampled_from(["worse", "better", "all"]),
    metrics=st.lists(st.sampled_from(list(SCORES)), min_size=1, max_size=3, unique=True),
    missing=st.sampled_from(["empty", "drop"]),
)
def test_the_rows_are_those_of_a_loop(rows: Any, kind: Any, metrics: list[str], missing: Any) -> None:
    frame = frame_of(rows)
    options = {"kind": kind, "keep": ["id", "t"], "metrics": metrics, "missing": missing}
    check(af.changes(frame, SYSTEMS, "t", **options), frame, SYSTEMS, options)


@pytest.mark.parametrize("number", [3, 12])
@pytest.mark.parametrize("kind", ["worse", "better", "all"])
@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_many_systems_are_compared_with_the_first(number: int, kind: Any, missing: Any) -> None:
    rows = 400 // number
    draw = random.Random(number)
    texts = ["", "ab", "Ab", "abc", "abd", "x", "12/03/2024", "12/04/2024", *[None] * (number < 10)]
    systems = {f"system {place}": f"s{place}" for place in range(number)}
    frame = pl.DataFrame(
        {
            "id": range(rows),
            **{column: draw.choices(texts, k=rows) for column in systems.values()},
            "t": [draw.choices(texts, k=2) for _ in range(rows)],
        },
        schema_overrides={"t": pl.List(pl.String)},
    )
    options: dict[str, Any] = {
        "kind": kind,
        "keep": ["id", "t"],
        "metrics": ["exact_match", "cer"],
        "missing": missing,
    }

    table = af.changes(frame, systems, "t", **options)

    assert number // 2 < table["system"].n_unique() < number
    check(table, frame, systems, options)
    for n in (0, 7):
        assert af.changes(frame.lazy(), systems, "t", n=n, **options).equals(table.head(n))


@report_oracle.FEWER
@given(rows=ROWS, order=st.randoms(), size=st.integers(1, 5), n=st.none() | st.integers(0, 6))
def test_order_chunks_and_engine_change_nothing(rows: Any, order: Any, size: int, n: int | None) -> None:
    frame = frame_of(rows)
    options: dict[str, Any] = {"keep": ["id", "t"], "n": n, "metrics": ["anls", "cer"], "kind": "all"}
    expected = af.changes(frame, SYSTEMS, "t", **options)
    whole = af.changes(frame, SYSTEMS, "t", **{**options, "n": None})
    assert_frame_equal(expected, whole if n is None else whole.head(n))
    shuffled = list(range(frame.height))
    order.shuffle(shuffled)
    mixed = frame[shuffled]
    parts = [mixed[start : start + size] for start in range(0, mixed.height, size)]
    for other in (mixed, mixed.lazy(), pl.concat(parts, rechunk=False), pl.concat(parts).lazy()):
        assert_frame_equal(af.changes(other, SYSTEMS, "t", **options), expected)
    of_parts = pl.concat(af.changes(part, SYSTEMS, "t", **options) for part in parts)
    again = {"old": "baseline_prediction", "new": "prediction"}
    assert_frame_equal(af.changes(of_parts, again, "t", **options), expected)


def test_a_break_of_another_metric_is_found_where_anls_is_equal() -> None:
    right = pl.col("t").list.first()
    # In upper case, ß is SS.
    is_ascii = right.str.contains(r"^[\x00-\x7F]*$")
    frame = sample().with_columns(
        p=right, q=pl.when(is_ascii).then(right.str.to_uppercase()).otherwise(right)
    )
    ids = sorted(frame.filter(~pl.col("q").is_in(pl.col("t")))["question_id"])
    options: dict[str, Any] = {"keep": "question_id"}
    assert af.changes(frame, SYSTEMS, "t", metrics=["anls", "exact_match"]).is_empty()
    found = af.changes(frame, SYSTEMS, "t", metrics=["anls", ONLY_CASE], **options)
    assert sorted(found["question_id"]) == ids
    assert set(found["anls_difference"]) == {0.0}
    assert set(found["to_the_letter_difference"]) == {-1.0}


def test_rows_without_an_answer_have_no_score_whatever_a_function_gives() -> None:
    length = af.Metric(lambda p, _: p.str.len_chars(), name="length", bounds=(0, 3))
    frame = frame_of([("abc", "a", None), ("abc", "ab", ["x"]), ("a", "too long", [None])])
    table = af.changes(frame, SYSTEMS, "t", kind="all", metrics=length, keep="id")
    assert table.select("id", "length_difference").rows() == [(1, -1.0)]


def test_existing_scores_have_differences_alone() -> None:
    frame = pl.DataFrame({"id": [1, 2, 3, 4, 5], "a": [0.5, 1, None, 0.25, 3], "b": [0.25, 1, 1.0, 1, None]})
    systems = {"x": "a", "y": "b"}
    table = af.changes(frame, systems, None, kind="all", keep=["id"])
    assert table.rows() == [(1, "y", 0.5, 0.25, -0.25), (4, "y", 0.25, 1.0, 0.75)]
    assert table.columns == ["id", "system", "baseline_score", "score", "score_difference"]
    wer = af.changes(frame, systems, None, keep=["id"], metrics="wer")
    figures = {"baseline_wer": 0.25, "wer": 1.0, "wer_difference": 0.75}
    assert wer.rows(named=True) == [{"id": 4, "system": "y", **figures}]


def test_columns_of_scores_stand_beside_texts() -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b"], "q": ["a", "x"], "t": ["a", "b"], "f": [1.0, 1.0], "g": [0.5, 1.0]}
    )
    judged = af.Metric({"old": "f", "new": "g"}, name="judge")
    table = af.changes(frame, SYSTEMS, "t", metrics=["anls", judged])
    columns = ["prediction", "anls_difference", "judge_difference", "transition"]
    assert table.select(columns).rows() == [
        ("x", -1.0, 0.0, "exact → wrong"),
        ("a", 0.0, -0.5, "exact → exact"),
    ]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.5, float("-inf"), float("inf")], r"metric 'score' \(b\) must be finite, got -inf in row 1"),
        ([0.5, 2.0, 0.1], r"metric 'score' \(b\) must be in \[0, 1\], got 2.0 in row 1 .*0\)$"),
    ],
)
@pytest.mark.parametrize("n", [None, 0, 1])
def test_wrong_values_are_an_error(scores: list[float], message: str, n: int | None) -> None:
    frame = pl.DataFrame({"a": [0.5] * 3, "b": scores})
    systems = {"x": "a", "y": "b"}
    metric = af.Metric(systems, name="score", bounds=(0, 1) if 2.0 in scores else None)
    with pytest.raises(ValueError, match=message):
        af.changes(frame, systems, None, metrics=metric, n=n)


def test_a_ratio_is_the_rate_of_a_row() -> None:
    frame = pl.DataFrame({"e": [1, 0, 3], "m": [4, 4, 0], "f": [2, 0, 1], "k": [4, 9, 0]})
    systems = {"x": "e", "y": "f"}
    rate = af.Metric(systems, denominator={"x": "m", "y": "k"}, name="wer")
    table = af.changes(frame, systems, None, kind="all", metrics=rate)
    assert table.rows() == [("y", 0.25, 0.5, 0.25), ("y", 3.0, 1.0, -2.0)]


def test_no_change_gives_the_same_columns() -> None:
    frame = frame_of([("a", "a", ["a"]), ("b", None, None), (None, "", ["c"])])
    table = af.changes(frame, SYSTEMS, "t", kind="all", keep="id")
    spoilt = af.changes(frame.with_columns(q=pl.lit("?")), SYSTEMS, "t", kind="all", keep="id")
    assert table.is_empty()
    assert table.schema == spoilt.schema
    assert spoilt["id"].to_list() == [0]


def test_a_score_that_two_metrics_share_is_shown_once() -> None:
    df = pl.DataFrame({"p": ["cat", "dog"], "q": ["c0t", "dog"], "t": ["cat", "dog"]})

    found = af.changes(df, SYSTEMS, "t", metrics=["cer", "cer_corpus"])

    assert found.equals(af.changes(df, SYSTEMS, "t", metrics="cer"))
    assert found["cer_difference"].to_list() == [1 / 3]


def test_a_wrong_argument_is_an_error_that_names_it() -> None:
    frame = frame_of([("a", "b", ["a"])]).with_columns(baseline_anls=1)
    cases: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
        (ValueError, "systems must name two or more", ({"old": "p"}, "t"), {}),
        (ValueError, "systems must name two or more", ("p", "t"), {}),
        (ValueError, "kind must be one of 'worse', 'better', 'all', got 'x'", (SYSTEMS, "t"), {"kind": "x"}),
        (ValueError, "'zeros' is not", (SYSTEMS, "t"), {"metrics": "zeros"}),
        (ValueError, "'old', 'new'", (SYSTEMS, "t"), {"metrics": af.Metric({"a": "p"}, name="s")}),
        (af.exceptions.ColumnNotFoundError, "'z'", ({"old": "p", "new": "z"}, "t"), {}),
        (af.exceptions.ColumnNotFoundError, "'z'", (SYSTEMS, "t"), {"keep": ["z"]}),
        (af.DTypeError, "column 'id' has dtype UInt32", ({"old": "p", "new": "id"}, "t"), {}),
        (af.DuplicateColumnError, "'baseline_anls'", (SYSTEMS, "t"), {"keep": "baseline_anls"}),
    ]
    for error, message, arguments, options in cases:
        with pytest.raises(error, match=message):
            af.changes(frame, *arguments, **options)
    objects = frame.with_columns(o=pl.Series([object()], dtype=pl.Object))
    with pytest.raises(af.DTypeError, match="column 'o' has dtype Object and cannot be kept"):
        af.changes(objects, SYSTEMS, "t", keep="o")
