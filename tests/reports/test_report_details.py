"""Details of a report are those of the functions for frames, also from parts, files and clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import family
from polars.testing import assert_frame_equal

import anls_frame as af

BY = ["part", "tags"]


def rows() -> pl.DataFrame:
    cases = [(row.prediction, row.answers) for row in family("mixed")]
    frame = pl.DataFrame(cases, schema={"p": pl.String, "a": pl.List(pl.String)}, orient="row")
    number = pl.int_range(pl.len())
    return frame.with_columns(
        p=pl.when(number % 17 > 0).then("p"),
        a=pl.when(number % 19 > 0).then("a"),
        part=number % 3,
        doc=number // 10,
        tags=pl.when(number % 4 == 0).then(pl.lit(["x"])).when(number % 4 < 3).then(pl.lit(["x", "y"])),
    )


def assert_close(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Equal but for the order in which floats are added."""
    assert_frame_equal(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("by", [(), ("part",), ("tags",), ("tags", "part")])
def test_details_are_those_of_the_functions(by: tuple[str, ...], missing: Any) -> None:
    frame = rows()
    report = af.report(frame, "p", "a", by=BY, cluster="doc", missing=missing, details=True)
    assert_close(report.confusions(*by), af.confusions(frame, "p", "a", by=by, min_nls=0.5))
    substitutions = af.confusions(frame, "p", "a", by=by, min_nls=0.5, op="replace")
    assert_close(report.confusions(*by, op="replace"), substitutions)
    assert_frame_equal(substitutions, af.confusions(frame, "p", "a", by=by, min_nls=0.5).filter(op="replace"))
    assert_close(report.lengths(*by), af.length_scores(frame, "p", "a", by=by, missing=missing))
    scored = frame
    if missing == "empty":
        accepts_nothing = [
            any(text is not None and not text.strip() for text in a or ()) for a in frame["a"].to_list()
        ]
        assert frame.filter(pl.Series(accepts_nothing), pl.col("p").is_null()).height
        scored = frame.with_columns(
            pl.when(pl.Series(accepts_nothing)).then(pl.col("p").fill_null("")).otherwise("p").alias("p")
        )
    typed = scored.with_columns(af.error_type("p", "a")).drop_nulls("error_type")
    if missing == "drop":
        typed = typed.drop_nulls("p")
    if "tags" in by:
        typed = typed.explode("tags", empty_as_null=True)
    errors = report.errors(*by)
    expected = typed.group_by(*by, "error_type").agg(pl.len().cast(pl.Int64).alias("n"))
    assert_frame_equal(errors.drop("share"), expected.sort(*by, "error_type", nulls_last=True))
    shares = errors.group_by(by or pl.lit(0).alias("all")).agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1.0] * len(shares))


def test_parts_add_up_to_the_whole(tmp_path: Path) -> None:
    frame = rows()
    parts = [
        af.summarize(part, "p", "a", by=BY, cluster="doc", details=True)
        for part in (frame.head(700), frame.slice(700, 1), frame.slice(701))
    ]
    for index, part in enumerate(parts):
        part.save(tmp_path / f"{index}.parquet")
    loaded = [af.Summary.load(tmp_path / f"{index}.parquet") for index in range(3)]
    whole = af.report(frame, "p", "a", by=BY, cluster="doc", details=True)
    for summaries in (parts, parts[::-1], loaded):
        merged = af.Report.from_summary(af.merge(summaries))
        for by in ([], ["tags"], BY):
            assert_frame_equal(merged.errors(*by), whole.errors(*by))
            assert_frame_equal(merged.confusions(*by), whole.confusions(*by))
            assert_close(merged.lengths(*by), whole.lengths(*by))


def test_confusions_are_prepared_by_the_protocol_of_the_error_rate() -> None:
    frame = pl.DataFrame({"p": ["A b"], "a": ["ab"]})
    folded = af.PROTOCOLS["anls"].replace(errors=af.PROTOCOLS["raw"].replace(ignore_case=True))
    report = af.report(frame, "p", "a", protocol=folded, details=True)
    assert report.confusions()["op"].to_list() == ["insert"]
    assert report.overall["cer_corpus"] == 0.5


def test_confusions_are_counted_as_asked_for() -> None:
    frame = rows()
    options: dict[str, Any] = {"min_nls": 0.8, "max_length": 2}
    asked = af.report(frame, "p", "a", details=options)
    assert_close(asked.confusions(), af.confusions(frame, "p", "a", **options))
    (name,) = [table.name for table in asked.to_document().tables if "ubstitutions" in table.name]
    assert name.endswith("in rows with NLS of at least 0.8")
    every = af.report(frame, "p", "a", details={"min_nls": 0})
    assert_close(every.confusions(), af.confusions(frame, "p", "a", min_nls=0))
    assert_close(af.report(frame, "p", "a", details=True).confusions(), af.confusions(frame, "p", "a"))
    with pytest.raises(ValueError, match="min_nls"):
        af.merge([asked.summary, every.summary])
    for wrong, message in (
        ({"op": "replace"}, r"details must be True, False or options max_length and min_nls, got \['op'\]"),
        ({"max_length": 4}, "max_length must be an integer from 1 to 3, got 4"),
        ({"min_nls": 2}, r"min_nls must be a number in \[0, 1\], got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            af.report(frame, "p", "a", details=wrong)
    for function in (asked.confusions, lambda op: af.confusions(frame, "p", "a", op=op)):
        with pytest.raises(ValueError, match="op must be one of 'replace', 'insert', 'delete', got 'equal'"):
            function(op="equal")


def test_a_report_without_details_says_how_to_get_them() -> None:
    report = af.report(rows(), "p", "a")
    for method in (report.errors, report.confusions, report.lengths):
        with pytest.raises(ValueError, match=r"details=True"):
            method()
    detailed = af.report(rows(), "p", "a", by="part", details=True)
    with pytest.raises(ValueError, match=r"not sliced by \['tags'\], only by \['part'\]"):
        detailed.errors("tags")
    with pytest.raises(af.DuplicateColumnError, match="count"):
        af.report(rows().with_columns(count=1), "p", "a", by="count", details=True).confusions("count")


def test_details_are_part_of_the_settings() -> None:
    frame = rows()
    plain, detailed = af.summarize(frame, "p", "a"), af.summarize(frame, "p", "a", details=True)
    assert not plain.report_sums.of("details")
    assert set(detailed.report_sums.of("details")) == {"causes", "errors", "confusions", "lengths"}
    with pytest.raises(ValueError, match="details"):
        af.merge([plain, detailed])
    with pytest.raises(ValueError, match="details need texts; columns of scores have none"):
        af.summarize(pl.DataFrame({"s": [0.5]}), metrics="s", details=True)
    with pytest.raises(TypeError, match="details must be True or False"):
        af.summarize(frame, "p", "a", details=1)  # type: ignore[arg-type]


def test_no_rows_have_empty_details() -> None:
    report = af.report(rows().head(0), "p", "a", by="part", details=True)
    assert report.errors("part").height == report.confusions().height == report.lengths().height == 0


def test_the_worst_rows_show_what_they_are_known_by() -> None:
    named = {"question_id": [1, 2], "question": ["who?", "what?"], "p": ["x", "b"], "a": ["a", "b"]}

    of = pl.DataFrame(named)

    assert af.report(of, "p", "a", worst=1).worst.select("question_id", "question").row(0) == (1, "who?")
    assert "question" not in af.report(of, "p", "a", worst=1, keep="question_id").worst.columns
    sliced = af.report(of, "p", "a", worst=1, by="question", cluster="question_id").worst
    assert sliced.columns.count("question") == 1
    assert af.report(of.drop("question_id", "question"), "p", "a", worst=1).worst.columns[0] == "prediction"


def test_letters_that_look_alike_show_their_scripts() -> None:
    # The third letter of the first prediction is a Cyrillic one, spelled here by its code.
    of = pl.DataFrame({"p": ["c\u0430ts", "dug"], "a": ["cats", "dog"]})

    [table] = (table for table in af.report(of, "p", "a", details=True).to_document().tables if table.link)

    pairs = table.frame.select("reference_char", "predicted_char", "scripts").rows()
    assert sorted(pairs) == [("a", "\u0430", "Latin → Cyrillic"), ("o", "u", None)]
    [plain] = (
        table for table in af.report(of[1:], "p", "a", details=True).to_document().tables if table.link
    )
    assert "scripts" not in plain.frame.columns


@pytest.mark.parametrize(
    ("options", "case_counts"),
    [
        ({}, False),
        ({"protocol": af.ScoreProtocol(ignore_case=False, threshold=0.5)}, True),
        ({"metrics": "ocr"}, True),
        ({"protocol": "stvqa"}, False),
    ],
)
def test_changes_of_case_are_shown_where_a_score_counts_them(
    options: dict[str, Any], *, case_counts: bool
) -> None:
    frame = pl.DataFrame({"p": ["abcdef XY", "öx tEnd", "abcd"], "a": ["Abcdef xz", "Öx tond", "abcd"]})
    report = af.report(frame, "p", "a", details=True, **options)
    case, other = {("A", "a"), ("Ö", "ö"), ("x", "X")}, {("o", "E"), ("z", "Y")}

    (table,) = [one for one in report.to_document().tables if "ubstitutions" in one.name]
    title = af.plot.confusion_matrix(report).get_title()

    shown = {*table.frame.select("reference_char", "predicted_char").iter_rows()}
    assert shown == (case | other if case_counts else other)
    assert table.name.endswith(", without changes of case") is not case_counts
    wanted = "5 errors" if case_counts else "2 errors without changes of case"
    assert title.endswith(wanted)
    # Nothing is left out of data.
    counted = report.confusions(op="replace")
    assert {*counted.select("reference_char", "predicted_char").iter_rows()} == case | other
