"""Summaries of parts add up to that of the whole, whatever the parts; what does not add up is refused."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import report_oracle
from report_oracle import Options
from summary_checks import SCHEMA, check_equal

import anls_frame as af
from anls_frame import Summary, merge, summarize
from anls_frame.reports.reports import Report

FRAME = pl.DataFrame(
    {
        "prediction": ["a", "x", None, "abc", "b"],
        "answers": [["a"], ["b", "c"], ["a"], [], ["b"]],
        "types": [["t"], ["u", "t"], None, ["t"], []],
        "lang": ["en", "de", None, "en", "de"],
        "doc": [1, 2, 1, None, 1],
    },
    schema=SCHEMA,
)


def summary_of(frame: pl.DataFrame, options: Options, worst: int = 0) -> Summary:
    arguments = options.arguments()
    del arguments["confidence"]
    return summarize(frame, "prediction", "answers", worst=worst, **arguments)


@pytest.mark.usefixtures("each_default_engine")
def test_merging_one_or_empty_parts_changes_nothing() -> None:
    options = report_oracle.Options(by=("types",), cluster="doc")
    whole, empty = summary_of(FRAME, options, worst=2), summary_of(FRAME.clear(), options, worst=2)
    check_equal(merge([whole]), whole)
    check_equal(merge([empty, whole]), whole)
    nothing = merge([empty, summary_of(FRAME.clear(), options, worst=2)])
    assert (nothing.rows, nothing.digest, nothing.report_sums.cells[None].height) == (0, "0" * 16, 0)
    assert Report.from_summary(nothing).overall["n"] == 0


def test_parts_keep_their_names_and_sizes() -> None:
    first, second = (
        summarize(FRAME[:2], "prediction", "answers", part="one"),
        summarize(FRAME[2:], "prediction", "answers"),
    )
    merged = merge([first, second])
    assert merged.parts["one"] == 2
    assert sorted(merged.parts.values()) == [2, 3]
    assert merged.parts == {**first.parts, **second.parts}


def test_same_part_twice_is_refused() -> None:
    first, second, third = (
        summarize(FRAME, "prediction", "answers", part=part) for part in ("one", "two", "three")
    )
    with pytest.raises(ValueError, match="the same part occurs twice: one"):
        merge([first, second, first])
    with pytest.raises(ValueError, match="the same part occurs twice: one"):
        merge([merge([first, second]), merge([first, third])])
    again = summarize(FRAME[:1], "prediction", "answers", part="two")
    with pytest.raises(ValueError, match="the same part occurs twice: two"):
        merge([first, second, again])


@pytest.mark.parametrize("part", ["", 3, b"one", ["one"]], ids=repr)
def test_part_is_a_name(part: Any) -> None:
    with pytest.raises(ValueError, match="part must be a non-empty string"):
        summarize(FRAME, "prediction", "answers", part=part)


SETTINGS: dict[str, Any] = {
    "by": {"by": "lang"},
    "cluster": {"cluster": "doc"},
    "protocol": {"protocol": "rrc"},
    "missing": {"missing": "drop"},
    "worst": {"worst": 3},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_different_settings_are_refused_by_name(setting: str) -> None:
    first = summarize(FRAME, "prediction", "answers", by="types")
    other = summarize(FRAME, "prediction", "answers", **{"by": "types", **SETTINGS[setting]})
    with pytest.raises(ValueError, match=rf"different settings cannot be merged: {setting} \(.* and .*\)$"):
        merge([first, other])
    with pytest.raises(ValueError, match=f"different settings cannot be merged: {setting}"):
        merge([first, summarize(FRAME, "prediction", "answers", by="types"), other])


def test_functions_of_a_score_that_differ_are_refused_by_their_names() -> None:
    def strict(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
        return prediction == answers.list.first()

    def loose(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
        return prediction.is_not_null() | answers.is_not_null()

    first, other = (
        summarize(FRAME, "prediction", "answers", metrics=af.Metric(function, name="mine"))
        for function in (strict, loose)
    )
    with pytest.raises(ValueError, match=r"merged: metrics \(\['mine:.*strict\(\)'\] and \['mine:.*loose"):
        merge([first, other])


def test_protocols_that_differ_in_an_option_are_refused_by_it() -> None:
    first = summarize(FRAME, "prediction", "answers", protocol="rrc")
    for options, spelled in (
        ({"threshold": 0.25}, "rrc,threshold=0.25"),
        ({"errors": "jiwer"}, "rrc,errors=jiwer"),
        ({"ignore_punctuation": True}, "rrc,ignore_punctuation=true"),
        ({"errors": af.PROTOCOLS["raw"].replace(ignore_case=True)}, "rrc,errors=raw,errors.ignore_case=true"),
    ):
        other = summarize(FRAME, "prediction", "answers", protocol=af.PROTOCOLS["rrc"].replace(**options))
        with pytest.raises(ValueError, match=rf"merged: protocol \('rrc' and '{spelled}'\)$"):
            merge([first, other])


def test_texts_and_existing_scores_do_not_add_up() -> None:
    scores = summarize(pl.DataFrame({"s": [0.5]}), metrics="s")
    with pytest.raises(ValueError, match=r"systems .*, metrics \(\['anls', .*\] and \['s'\]\), has_texts "):
        merge([summarize(FRAME, "prediction", "answers"), scores])
    with pytest.raises(ValueError, match=r"merged: metrics \(\['s'\] and \['t'\]\)$"):
        merge([scores, summarize(pl.DataFrame({"t": [0.5]}), metrics="t")])


def test_summaries_of_other_versions_are_refused() -> None:
    import dataclasses  # noqa: PLC0415 - only here

    first, other = (summarize(FRAME, "prediction", "answers") for _ in range(2))
    later = dataclasses.replace(other, settings=dataclasses.replace(other.settings, version="99.0"))
    with pytest.raises(ValueError, match=rf"merged: version \('{af.__version__}' and '99.0'\)"):
        merge([first, later])


@pytest.mark.parametrize("column", ["types", "doc"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], ["1", "2"]),
        ([1, 2], [1.0, 2.5]),
        ([1, 2], [True, False]),
        (["a", "b"], [["a"], ["b"]]),
        ([["a"], []], [[1], []]),
    ],
    ids=["texts", "floats", "truth values", "lists", "lists of others"],
)
def test_keys_of_different_dtypes_are_refused_by_name(one: list[Any], other: list[Any], column: str) -> None:
    parts = [
        summarize(
            FRAME[:2].with_columns(pl.Series(column, values)),
            "prediction",
            "answers",
            by="types",
            cluster="doc",
        )
        for values in (one, other)
    ]
    message = rf"column '{column}' has dtype .* in one part and .* in another; cast it"
    with pytest.raises(ValueError, match=message):
        merge(parts)


def test_keys_without_values_add_up_with_any_dtype() -> None:
    parts = [
        summarize(
            FRAME[:2].with_columns(types=pl.Series(values, dtype=dtype)), "prediction", "answers", by="types"
        )
        for values, dtype in (
            ([None, None], pl.Null),
            ([[], []], pl.List(pl.Null)),
            ([["t"], []], pl.List(pl.String)),
            ([["t"], ["u"]], pl.List(pl.Categorical)),
            ([None, None], pl.String),
        )
    ]
    for order in itertools.permutations(parts):
        merged = merge(order)
        found = dict(Report.from_summary(merged).by_group.select("types", "n").iter_rows())
        assert found == {None: 7, "t": 2, "u": 1}


@pytest.mark.parametrize("values", [[True, False], [1, 2], [0.5, 1.5], [["t"], ["u"]], [None, None]], ids=str)
def test_keys_of_nulls_add_up_as_texts_with_values_of_any_dtype(values: list[Any], tmp_path: Path) -> None:
    for number, column in enumerate((pl.Series(values), pl.Series([None, None], dtype=pl.String))):
        frame = FRAME[:2].with_columns(flag=column)
        how: dict[str, Any] = {"by": "flag", "cluster": "flag", "worst": 4}
        summarize(frame, "prediction", "answers", **how).save(tmp_path / f"{number}.parquet")
    for order in ((0, 1), (1, 0)):
        merged = merge(Summary.load(tmp_path / f"{number}.parquet") for number in order)
        entries = [value[0] if isinstance(value, list) else value for value in values]
        assert dict(Report.from_summary(merged).by_group.select("flag", "n").iter_rows()) == (
            {None: 4} if entries[0] is None else dict.fromkeys(entries, 1) | {None: 2}
        )


@pytest.mark.usefixtures("each_default_engine")
def test_categories_and_texts_add_up() -> None:
    dtypes: list[Any] = [pl.String, pl.Categorical, pl.Enum(["de", "en", "fr"])]
    merged = merge(
        summarize(
            FRAME.with_columns(pl.col("lang").cast(dtype)), "prediction", "answers", by="lang", cluster="lang"
        )
        for dtype in dtypes
    )
    found = Report.from_summary(merged)
    assert dict(found.by_group.select("lang", "n").iter_rows()) == {"en": 3, "de": 6, None: 3}
    assert found.overall["n_clusters"] == 3


@pytest.mark.usefixtures("each_default_engine")
@pytest.mark.parametrize("cluster", [None, "doc"])
def test_equal_slices_are_one_cell(cluster: str | None) -> None:
    lists = [
        ["t", "u"],
        ["u", "t"],
        ["t", "u", "t"],
        [],
        None,
        [None],
        [None, None],
        [None, "t"],
        ["t", None],
    ]
    frame = pl.DataFrame(
        {"prediction": ["a"] * 9, "answers": ["a"] * 9, "types": lists, "doc": [1] * 9},
        schema_overrides={"types": pl.List(pl.String)},
    )
    for part in (frame, frame[:3], frame[3:7], frame[7:]):
        cells = summarize(part, "prediction", "answers", by="types", cluster=cluster).report_sums.cells[None]
        assert cells.height == (3 if part is frame else 1)
    whole = summarize(frame, "prediction", "answers", by="types", cluster=cluster)
    assert sorted(whole.report_sums.cells[None]["n"]) == [2, 3, 4]
    assert sorted(whole.report_sums.frames["bins"]["n"]) == [2, 3, 4]


def test_integers_of_any_width_add_up() -> None:
    merged = merge(
        summarize(FRAME.with_columns(pl.col("doc").cast(dtype)), "prediction", "answers", by="doc")
        for dtype in (pl.Int8, pl.Int64, pl.Int32)
    )
    assert dict(Report.from_summary(merged).by_group.select("doc", "n").iter_rows()) == {1: 9, 2: 3, None: 0}


def test_nothing_and_what_is_no_summary_is_refused() -> None:
    with pytest.raises(ValueError, match="merge needs at least one summary"):
        merge([])
    with pytest.raises(TypeError, match="merge needs summaries"):
        merge([summarize(FRAME, "prediction", "answers"), FRAME])  # type: ignore[list-item]


def test_one_summary_needs_no_list() -> None:
    summary = summarize(FRAME, "prediction", "answers", by="lang")
    assert Report.from_summary(merge(summary)).by_group.equals(Report.from_summary(summary).by_group)


def test_parts_come_from_other_processes() -> None:
    options = report_oracle.Options(by=("types", "lang"), cluster="doc")
    parts = [summary_of(part, options, worst=2) for part in (FRAME[:2], FRAME[2:])]
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]  # noqa: S301 - our own
    assert sent[0].settings == parts[0].settings
    check_equal(merge(sent), summary_of(FRAME, options, worst=2))
