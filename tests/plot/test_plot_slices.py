"""Plots of slices: shared axes, order and labels of the rows, measures with their bounds and direction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from plot_cases import compared, frame, labels, report

import anls_frame as af
from anls_frame import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def points(ax: Axes) -> dict[Any, list[tuple[float, float]]]:
    """Return the points of each colour, as row and value."""
    found: dict[Any, list[tuple[float, float]]] = {}
    for line in ax.lines:
        if line.get_marker() in ("o", "D"):
            place = float(np.asarray(line.get_ydata())[0]), float(np.asarray(line.get_xdata())[0])
            found.setdefault(line.get_color(), []).append(place)
    return found


def two() -> tuple[af.Report, af.Report]:
    """Return reports of both systems, the second without forms and with a slice of its own."""
    data = frame()
    changed = data.with_columns(pl.col("type").replace("form", "letter"))
    first = af.report(data, "first", "answer", by="type")
    return first, af.report(changed, "second", "answer", by="type")


def test_reports_share_axes_and_match_their_slices() -> None:
    first, second = two()

    ax = plot.group_scores({"first": first, "second": second})

    assert labels(ax) == ["all rows", "form", "table", "null", "letter"]
    one, other = points(ax).values()
    rows = {row: index for index, row in enumerate(labels(ax))}
    for made, drawn in ((first, one), (second, other)):
        table = made.to_polars()
        names = ["all rows", *("null" if name is None else name for name in table["type"][1:])]
        expected = [(rows[name], value) for name, value in zip(names, table["anls"], strict=True)]
        assert [(round(row), value) for row, value in drawn] == sorted(expected)
    assert all(row < round(row) for row, _ in one)
    assert all(row > round(row) for row, _ in other)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["first", "second"]
    assert [text.get_text() for text in ax.texts] == ["n = 7", "n = 3 / 0", "n = 3", "n = 1", "n = 0 / 3"]
    assert ax.get_title() == "ANLS by type"
    assert [line.get_color() for line in legend.get_lines()] == list(points(ax))


def test_reports_that_do_not_belong_together_are_refused() -> None:
    first, _ = two()
    exact = af.report(frame(), "second", "answer", metrics="exact_match", by="type")
    whole = af.report(frame(), "second", "answer")

    for reports, message in (
        ({}, "at least one report"),
        ({"first": first, "second": exact}, "measure must be .*'anls'"),
        ({"first": first, "second": whole}, r"the same columns, got \['type'\] and \[\]"),
    ):
        with pytest.raises(ValueError, match=message):
            plot.group_scores(reports)


def test_results_pass_options_on_to_their_plots() -> None:
    made, both = report(frame()), compared(frame())

    ax = made.plot("cer_corpus", title="Week 3", max_groups=1)
    assert ax.get_xlabel() == "CER (corpus), lower is better, 95 % interval (2 more groups not shown)"
    assert (ax.get_title(), labels(ax)) == ("Week 3", labels(made.plot())[:2])
    assert made.plot(measure="nls").get_xlabel().startswith("NLS")
    assert made.plot(title="").get_title() == ""
    assert both.plot(title="Both", max_groups=1).get_title() == "Both"
    with pytest.raises(ValueError, match="measure"):
        made.plot("bleu")


def test_slices_are_drawn_in_the_order_of_the_report_or_of_its_frame() -> None:
    made = report(frame(), details=True)
    order = ["null" if one is None else one for one in made.by_group["type"]]

    assert labels(made.plot()) == ["all rows", *order]
    assert labels(plot.error_types(made)) == ["all rows", *order]
    assert labels(plot.group_scores(made.by_group.reverse())) == order[::-1]
    assert labels(plot.error_types(made.errors("type"))) == sorted(
        order, key=lambda one: (one == "null", one)
    )


@pytest.mark.parametrize("ordered", [pl.Enum(["table", "form"]), pl.Categorical])
def test_ordered_categories_stay_in_the_order_of_a_table(ordered: Any) -> None:
    table = report(frame()).by_group.with_columns(pl.col("type").cast(ordered))
    pandas_table = table.to_pandas()

    assert labels(plot.group_scores(table)) == labels(plot.group_scores(pandas_table))
    assert labels(plot.group_scores(table.reverse())) == ["null", "table", "form"]


def test_null_and_empty_keys_are_told_from_texts_that_read_alike() -> None:
    texts = pl.DataFrame({"first": "a", "answer": "a", "type": [None, "", "null", "None", "empty", "x"]})

    ax = report(texts).plot()

    styles = {text.get_text(): text.get_fontstyle() for text in ax.get_yticklabels()}
    assert styles == {
        "all rows": "normal",
        "empty": "italic",
        "null": "italic",
        "x": "normal",
        '"None"': "normal",
        '"empty"': "normal",
        '"null"': "normal",
    }
    crossed = af.report(texts.with_columns(k=pl.lit(None)), "first", "answer", by=["type", "k"])
    assert "null / null" in labels(crossed.plot())
    assert '"null" / null' in labels(crossed.plot())


@pytest.mark.parametrize("measure", ["anls", "cer_corpus", "cer_mean"])
def test_axes_end_at_the_bounds_of_the_measure(measure: str) -> None:
    made = report(frame())
    metric = next(one for one in made.measures if one.name == measure)

    ax = plot.group_scores(made, measure)

    least, most = metric.bounds or (None, None)
    highest = max(value for value in made.to_polars()[f"{measure}_high"] if value is not None)
    low, high = ax.get_xlim()
    assert least == 0
    assert -0.02 * (high - low) < low < 0
    assert high == pytest.approx(highest if most is None else most, rel=0.07)
    assert high > highest
    assert ax.get_xlabel().startswith(metric.label)
    assert ("lower is better" in ax.get_xlabel()) is not metric.higher_is_better


@pytest.mark.parametrize("name", ["own_bleu", "own_wer"])
def test_scores_without_bounds_end_at_the_data(name: str) -> None:
    data = pl.DataFrame({name: [-30.0, -10.0, 20.0, 40.0] * 30, "k": ["a", "b"] * 60})
    made = af.report(data, metrics=name, by="k")

    ax = plot.group_scores(made)

    table = made.to_polars()
    low, high = ax.get_xlim()
    assert low < table[f"{name}_low"].min() < low + 0.1 * (high - low)  # type: ignore[operator]
    assert high > table[f"{name}_high"].max() > high - 0.1 * (high - low)  # type: ignore[operator]
    assert ("lower is better" in ax.get_xlabel()) is name.endswith("wer")


def test_names_of_error_rates_say_the_direction() -> None:
    data = frame().with_columns(wer="cer", bleu="nls")

    assert plot.ecdf(data, "wer").get_xlabel() == "wer, lower is better"
    assert plot.ecdf(data, ["wer", "bleu"]).get_xlabel() == "score"
    assert plot.curve(data, "reference_length", "wer").get_ylabel() == "mean wer, lower is better"
    assert plot.cer_distribution(data, "wer").get_xlabel() == "wer of the rows between 0 and 100 %"


def test_lengths_of_a_report_are_its_ranges() -> None:
    made = report(frame(), details=True)
    table = made.lengths()

    ax = plot.curve(made, y="cer_corpus")

    [line] = ax.lines
    assert list(np.asarray(line.get_ydata())) == table["cer_corpus"].to_list()
    places = [math.log2(last + 1) for last in table["length_to"]]
    assert list(np.asarray(line.get_xdata())) == pytest.approx(places)
    ticks = [text.get_text() for text in ax.get_xticklabels()]
    assert ticks == [
        f"{first}" if first == last else f"{first}–{last}"  # noqa: RUF001 - as on the axis
        for first, last in table.select("length_from", "length_to").iter_rows()
    ]
    assert ax.get_ylabel() == "CER (corpus), lower is better"
    with pytest.raises(ValueError, match="x must be None for results"):
        plot.curve(made, "reference_length", "anls")


def test_details_that_were_not_counted_are_asked_for() -> None:
    for function in (plot.error_types, plot.curve, plot.confusion_matrix):
        with pytest.raises(ValueError, match="make it with details=True"):
            function(report(frame()))


def test_error_types_of_a_report_are_those_of_its_rows() -> None:
    data = frame().with_columns(af.error_type("first", "answer"))
    made = report(frame(), details=True)

    of_report, of_rows = plot.error_types(made), plot.error_types(data, "type")

    assert labels(of_report) == labels(of_rows)
    for one, other in zip(of_report.containers, of_rows.containers, strict=True):
        assert [bar.get_width() for bar in one] == [bar.get_width() for bar in other]
