"""
Functions of Daft frames give what they give of the same rows in memory, whatever the partitions and batches.

On Daft's native runner, in this process; `.ci/heavy ray` runs the same tests on a cluster of two workers.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import daft
import polars as pl
import pyarrow as pa
import pytest
import report_oracle
from campaign import amount
from hypothesis import given
from hypothesis import strategies as st
from key_columns import KEYS, TEXTS
from report_oracle import Options
from sample import QUESTIONS_FILE
from summary_checks import SCHEMA, check_equal

import anls_frame as af
from anls_frame.distributed import Batches

QUESTIONS = QUESTIONS_FILE
HONEST = af.SliceSearch(holdout=0.5)
# What Daft does not read: 128-bit integers, lists of categories, lists of no entries.
NOT_READ = {
    *("huge integers", "lists of categories", "lists of an enumeration", "arrays of categories"),
    "empty arrays",
}
ROWS = pa.table(
    {
        "p": pa.array(["a", "b ", None, "abc"]),
        "a": pa.array([["a"], ["x", None, "B"], ["c"], []]),
        "k": pa.array([1, 2, None, 4]),
    }
)
T = ["a", "B ", None]
LAYOUTS = {
    "texts": pa.array(T),
    "large texts": pa.array(T, pa.large_string()),
    "nulls": pa.nulls(3),
    "lists": pa.array([["b", None], [], None], pa.list_(pa.string())),
    "large lists": pa.array([["a"], ["x", "b"], [None]], pa.large_list(pa.large_string())),
    "lists of nulls": pa.array([[None], [], None], pa.list_(pa.null())),
    "lists of one": pa.array([["a"], ["b"], None], pa.list_(pa.string(), 1)),
    "lists of two": pa.array([["x", "a"], [None, "b"], None], pa.list_(pa.string(), 2)),
    "integers": pa.array([1, 2, None]),
    "lists of integers": pa.array([[1], [2], None]),
    "lists of lists": pa.array([[["a"]], [["b"]], None]),
    "bytes": pa.array([b"a", b"b", None]),
    "structs": pa.array([{"x": "a"}, {"x": "b"}, None]),
}


def outcome(call: Any) -> Any:
    """Return the result or the error, as what can be compared."""
    try:
        return call()
    except af.DTypeError as error:
        return str(error)


def test_report_of_the_sample_data_is_that_of_memory() -> None:
    arguments: dict[str, Any] = {"by": "question_types", "cluster": "doc_id", "worst": 5, "details": True}
    expected = af.report(pl.read_parquet(QUESTIONS), "tesseract", "answers", **arguments)
    found = af.report(Batches(daft.read_parquet(str(QUESTIONS)), 500), "tesseract", "answers", **arguments)
    check_equal(found.summary, expected.summary)
    report_oracle.check_alike(found.by_group, expected.by_group)
    assert found.overall["n"] + found.overall["n_unanswerable"] == found.settings["rows"] == 1624
    assert found.signature == expected.signature
    assert found.worst.equals(expected.worst)
    assert found.errors("question_types").equals(expected.errors("question_types"))
    assert found.confusions("question_types").equals(expected.confusions("question_types"))
    assert found.lengths("question_types").equals(expected.lengths("question_types"))


def test_slices_found_in_the_sample_data_are_those_of_memory() -> None:
    frame = daft.read_parquet(str(QUESTIONS))
    columns = ["doc_type", "lang", "question_types", "n_words"]
    for options in ({}, {"search": HONEST, "metrics": ["anls", "exact_match"], "depth": 3}):
        arguments: dict[str, Any] = {"columns": columns, "cluster": "doc_id", **options}
        expected = af.find_slices(pl.read_parquet(QUESTIONS), "rapidocr", "answers", **arguments)
        found = af.find_slices(Batches(frame, 500), "rapidocr", "answers", **arguments)
        assert found.frame.height
        shown = ["description", "metric", "n", "n_clusters", "score", "score_low", "score_high", "p_adjusted"]
        assert found.frame.select(shown).equals(expected.frame.select(shown))
        assert found.sentences == expected.sentences
        assert found.settings == expected.settings


def test_what_slices_cannot_be_found_for_is_an_error_before_any_row_is_read() -> None:
    frame = daft.from_arrow(ROWS)
    for options, message in (
        ({"metrics": "cer_corpus"}, "means of scores"),
        ({"columns": None}, "sliced by"),
        ({"cluster": None}, "must have clusters"),
        ({"depth": 4}, "depth must be"),
        ({"prediction": {}}, "systems must name one or more"),
    ):
        given: dict[str, Any] = {"prediction": "p", "answers": "a", "columns": "k", "cluster": "k", **options}
        with pytest.raises(ValueError, match=message):
            af.find_slices(frame, **given)


@report_oracle.FEWER
@given(
    rows=report_oracle.rows_of(),
    options=report_oracle.OPTIONS,
    cuts=st.lists(st.integers(0, 14), max_size=4).map(sorted),
    batch_rows=st.integers(1, 20),
)
def test_any_partitions_and_batches_give_the_summary_of_memory(
    rows: list[dict[str, Any]], options: Options, cuts: list[int], batch_rows: int
) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    # Some partitions have no rows.
    bounds = [0, *cuts, 14]
    tables = [frame[start:stop].to_arrow() for start, stop in itertools.pairwise(bounds)]
    arguments = options.arguments()
    del arguments["confidence"]
    batches = Batches(daft.from_arrow(tables), batch_rows)
    found = af.summarize(batches, "prediction", "answers", worst=3, **arguments)
    check_equal(found, af.summarize(frame, "prediction", "answers", worst=3, **arguments))
    assert list(found.parts.values()) == [len(rows)]


def test_many_batches_add_up() -> None:
    rows = amount(80, 500)
    frame = pl.DataFrame(
        {"s": [index % 7 / 6 for index in range(rows)], "k": [[1], [1, 2], None, []] * (rows // 4)}
    )
    found = af.summarize(Batches(daft.from_arrow(frame.to_arrow()), 3), metrics="s", by="k", part="all")
    check_equal(found, af.summarize(frame, metrics="s", by="k"))
    assert found.parts == {"all": rows}


@pytest.mark.parametrize("name", [name for name in KEYS if name not in NOT_READ])
def test_keys_of_any_dtype_are_those_of_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.DataFrame(TEXTS).with_columns(k=KEYS[name]).write_parquet(path)
    frame = daft.read_parquet(str(path))
    # Whatever a column does as slices alone, it does beside clusters too.
    both: dict[str, Any] = {"by": "k", "cluster": "k", "worst": 2}
    for arguments in amount([both], [{"by": "k"}, both]):
        found = af.report(Batches(frame, 2), "p", "a", **arguments)
        expected = af.report(frame.to_arrow(), "p", "a", **arguments)
        report_oracle.check_alike(found.by_group, expected.by_group)
        assert found.settings == expected.settings
        assert found.worst.height == expected.worst.height


@pytest.mark.parametrize("answers", LAYOUTS)
@pytest.mark.parametrize("prediction", ["texts", "large texts", "nulls", "integers", "lists", "bytes"])
def test_columns_of_any_layout_give_what_they_give_in_memory(prediction: str, answers: str) -> None:
    table = pa.table({"p": LAYOUTS[prediction], "a": LAYOUTS[answers]})
    frame = daft.from_arrow(table)
    for name in ("add_scores", "summarize"):
        function = getattr(af, name)
        expected = outcome(lambda: function(frame.to_arrow(), "p", "a"))  # noqa: B023 - called at once
        found = outcome(lambda: function(frame, "p", "a"))  # noqa: B023
        if isinstance(expected, str):
            # Daft is not asked for rows to show one of them.
            assert found == re.sub(r", but row \d+ \(counted from 0\) holds .*?; ", "; ", expected)
        elif name == "summarize":
            check_equal(found, expected)
        else:
            assert found.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("tables", [ROWS[:0], [ROWS[:0], ROWS[:0]]], ids=["one", "two"])
def test_frames_without_rows_give_reports_without_rows(tables: Any) -> None:
    for frame in (daft.from_arrow(tables), daft.from_arrow(ROWS).where(daft.col("k") > 9)):
        found = af.report(frame, "p", "a", by="k")
        assert found.overall["n"] == 0
        assert found.by_group.equals(af.report(ROWS[:0], "p", "a", by="k").by_group)
        assert af.add_scores(frame, "p", "a").to_arrow().num_rows == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"columns": ["cer", "nls", "cer"], "prefix": "a.", "suffix": "*"},
        {"protocol": af.PROTOCOLS["rrc"].replace(threshold=0.9, errors="anls")},
        {"protocol": af.ScoreProtocol(ignore_case=False, threshold=0.1), "columns": ("anls",)},
        {"columns": ["nls"], "prefix": "rapidocr_", "overwrite": True},
        {"columns": []},
        {"columns": ["cer"], "missing": "empty"},
        {"missing": "empty"},
    ],
    ids=str,
)
def test_scores_are_those_of_memory(arguments: dict[str, Any]) -> None:
    rows = pl.read_parquet(QUESTIONS).rename({"rapidocr_confidence": "rapidocr_nls"})
    found = af.add_scores(daft.from_arrow(rows.to_arrow()), "tesseract", "answers", **arguments)
    expected = af.add_scores(rows, "tesseract", "answers", **arguments)
    assert found.column_names == expected.columns
    assert pl.DataFrame(found.to_arrow()).equals(expected)


@pytest.mark.parametrize("unanswerable", ["drop", "empty"])
@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_rows_are_accounted_for_as_in_memory(missing: Any, unanswerable: Any) -> None:
    texts = ["a", None, "b", "", "a", None]
    answers = [["a"], ["a"], None, [None], [], None]
    rows = pl.DataFrame({"old": texts * 9, "new": ["b", *texts[1:]] * 9, "answers": answers * 9})
    rows = rows.with_columns(kind=pl.int_range(pl.len()) // 6 % 2, doc=pl.int_range(pl.len()) % 7)
    batches = Batches(daft.from_arrow(rows.to_arrow()), rows=20)
    how: dict[str, Any] = {"missing": missing}
    of_reports: dict[str, Any] = {**how, "unanswerable": unanswerable}
    search: dict[str, Any] = {"cluster": "doc", "search": af.SliceSearch(min_rows=1, min_clusters=1)}
    both = ["old", "new"]
    for in_memory, on_daft in (
        (af.report(made, "old", "answers", **of_reports) for made in (rows, batches)),
        (af.compare(made, both, "answers", **of_reports) for made in (rows, batches)),
        (af.summarize(made, both, "answers", **of_reports) for made in (rows, batches)),
        (
            af.find_slices(made, "old", "answers", ["kind"], **search, **of_reports)
            for made in (rows, batches)
        ),
        (af.format_tax(made, "old", "answers", **how) for made in (rows, batches)),
    ):
        wanted, found = in_memory.account, on_daft.account
        assert (found.given, found.used) == (54, wanted.used)
        assert found.frame.equals(wanted.frame)
        assert found.notes == wanted.notes


def test_what_wrapping_costs_is_that_of_memory() -> None:
    row, text = pl.int_range(pl.len()), pl.col("tesseract")
    wrapped = pl.when(row % 5 == 0).then("The answer is " + text).when(row % 5 == 1).then("**" + text + "**")
    rows = pl.read_parquet(QUESTIONS).with_columns(tesseract=wrapped.otherwise(text))
    arguments: dict[str, Any] = {
        "metrics": ["anls", "relaxed_accuracy", "vqa_accuracy", "contains_answer"],
        "by": "lang",
        "cluster": "doc_id",
    }
    frame = daft.from_arrow(rows.to_arrow())
    for options in ({}, {"steps": ["markdown"], "markers": ["is"]}):
        expected = af.format_tax(rows, "tesseract", "answers", **arguments, **options)
        found = af.format_tax(Batches(frame, 500), "tesseract", "answers", **arguments, **options)
        assert expected.steps["n"].min() > 0
        assert expected.steps["unwrap_steps"].n_unique() == len({*found.steps["unwrap_steps"]}) > 1
        report_oracle.check_close(found.steps, expected.steps)
        report_oracle.check_close(found.by("lang"), expected.by("lang"))
        assert found.settings == expected.settings


def test_rows_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def collect(*_: object) -> None:
        raise AssertionError("the rows were collected")

    frame = daft.from_arrow(ROWS)
    monkeypatch.setattr(daft.DataFrame, "__arrow_c_stream__", collect, raising=False)
    assert af.report(frame=frame, prediction="p", answers="a").overall["n"] == 3
    assert af.compare(frame=frame, systems={"x": "p", "y": "p"}, answers="a").overall["n"].item() == 3
    assert af.format_tax(frame=frame, prediction="p", answers="a").overall["n"].item() == 3
    with pytest.raises(AssertionError, match="the rows were collected"):
        af.worst(frame, "p", "a")


def test_generators_name_columns_as_lists_do() -> None:
    frame = daft.from_arrow(ROWS)
    scored = af.add_scores(frame, "p", "a", columns=(name for name in ["nls"]))  # type: ignore[arg-type]
    assert scored.column_names == [*ROWS.column_names, "nls"]
    by = (name for name in ["k"])
    assert af.report(frame, "p", "a", by=by).by_group.height == 4  # type: ignore[arg-type]


def test_own_metrics_are_those_of_memory() -> None:
    frame = pl.DataFrame(
        {
            "p": [["cat", None, "dog"][index % 3] for index in range(300)],
            "a": [["cat", "dot"][index % 2] for index in range(300)],
            "s": [None if index % 7 == 0 else 1.7e9 + index / 3 for index in range(300)],
            "errors": [index % 5 for index in range(300)],
            "words": [index % 3 for index in range(300)],
            "k": [[1], [1, 2], None, []] * 75,
            "d": [index % 11 for index in range(300)],
            "id": range(300),
        }
    )
    metrics = [
        af.Metric(lambda p, _: p.str.len_chars(), name="chars", higher_is_better=False),
        *("anls", "s"),
        (pl.col("s") / 2).alias("half"),
        af.Metric("errors", denominator="words", name="rate"),
        af.Metric(pl.col("errors") / 7, denominator="words", name="cost", higher_is_better=False),
        af.Metric((pl.col("errors") < pl.col("words")).cast(pl.Int8), denominator="words", name="share"),
        af.Metric.of_texts(lambda p, a: float(p == a), name="equal"),
    ]
    arguments: dict[str, Any] = {"metrics": metrics, "by": "k", "cluster": "d", "worst": 4, "keep": ["id"]}
    expected = af.report(frame, "p", "a", **arguments)
    batches = Batches(daft.from_arrow(frame.to_arrow()), amount(110, 17))
    found = af.report(batches, "p", "a", **arguments)
    check_equal(found.summary, expected.summary)
    assert found.worst.equals(expected.worst)
    assert found.to_text(min_n=80, title="Run") == expected.to_text(min_n=80, title="Run")
    wrong = af.Metric("s", bounds=(0, 1))
    with pytest.raises(Exception, match=r"metric 's' must be in \[0, 1\], got 1700000000"):
        af.report(daft.from_arrow(frame.to_arrow()), metrics=wrong)


SYSTEMS = {"new": "rapidocr", "old": "tesseract", "same": "rapidocr"}


@pytest.mark.parametrize("count", [2, 3])
def test_comparisons_are_those_of_memory(count: int) -> None:
    frame = pl.read_parquet(QUESTIONS)
    systems = dict(list(SYSTEMS.items())[:count])
    metrics = [
        *("anls", "cer_corpus"),
        af.Metric(lambda p, _: p.str.len_chars(), name="chars", bounds=(0, None), higher_is_better=False),
        af.Metric({name: f"{column}_confidence" for name, column in systems.items()}, name="sure"),
    ]
    arguments: dict[str, Any] = {
        "metrics": metrics,
        "by": "question_types",
        "cluster": "doc_id",
        "details": True,
        "draws": 199,
    }
    expected = af.compare(frame, systems, "answers", **arguments)
    rows = daft.read_parquet(str(QUESTIONS))
    found = af.compare(Batches(rows, 500), systems, "answers", **arguments)
    report_oracle.check_close(found.ranking, expected.ranking)
    report_oracle.check_close(found.differences(), expected.differences())
    assert found.settings == expected.settings
    assert found.transitions.equals(expected.transitions)


def test_what_is_wrong_with_systems_is_said_at_once() -> None:
    frame = daft.from_arrow(ROWS)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"systems": ["p"]}, "systems must name two or more prediction columns"),
        ({"systems": ["p", "nope"]}, "nope"),
        ({"confidence": 2}, "confidence must be"),
        ({"metrics": "zeros"}, "'zeros' is not"),
    ]
    for arguments, message in wrong:
        with pytest.raises((ValueError, af.exceptions.ColumnNotFoundError), match=message):
            af.compare(frame, **{"systems": {"x": "p", "y": "p"}, "answers": "a", **arguments})
    empty = af.compare(frame.where(daft.col("k") > 9), {"x": "p", "y": "p"}, "a")
    assert empty.overall["n"].item() == 0


@pytest.mark.parametrize("cluster", [None, "doc_id"])
def test_documents_without_a_cluster_are_noted_as_in_memory(cluster: str | None) -> None:
    rows = daft.read_parquet(str(QUESTIONS))
    for found in (
        af.report(rows, "tesseract", "answers", cluster=cluster),
        af.compare(rows, ["tesseract", "rapidocr"], "answers", cluster=cluster, draws=99),
    ):
        assert found.summary.forgotten_documents == ("doc_id" if cluster is None else None)
        assert ("Documents have several rows" in repr(found)) is (cluster is None)
