"""Plots of error rates: ticks, notes and cells in per cent as in tables, of data that stay fractions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from plot_cases import frame, ranked

import anls_frame as af
from anls_frame import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

RATES = ["cer_corpus", "wer_corpus"]
MIXED = ["anls", "cer_corpus"]


def ticks(axis: Axis) -> dict[float, str]:
    """Return the texts of an axis by their places."""
    axis.get_figure().draw_without_rendering()  # type: ignore[union-attr]
    return {float(tick.get_loc()): tick.label1.get_text() for tick in axis.get_major_ticks()}


def is_in_percent(axis: Axis) -> bool:
    """Return whether all texts of an axis are in per cent, and equal their places; none or all are."""
    texts = ticks(axis)
    ends = {text.endswith(" %") for text in texts.values()}
    assert len(texts) > 1
    assert len(ends) == 1
    factor = 100 if ends == {True} else 1
    for place, text in texts.items():
        assert float(text.removesuffix(" %").replace("−", "-")) == pytest.approx(factor * place)  # noqa: RUF001
    return ends == {True}


def points(ax: Axes) -> list[list[float]]:
    """Return the data of all lines."""
    return [[*map(float, np.ravel(values))] for line in ax.lines for values in line.get_data()]


def reported(metrics: Any, **options: Any) -> af.Report:
    return af.report(frame(), "first", "answer", by="type", metrics=metrics, **options)


def two(metrics: Any) -> af.Comparison:
    return af.compare(frame(), ["first", "second"], "answer", by="type", metrics=metrics, draws=99)


CASES: dict[str, tuple[Callable[[Any], Any], Callable[..., Axes], str]] = {
    "group_scores": (reported, plot.group_scores, "x"),
    "group_scores of a frame": (lambda metrics: reported(metrics).to_polars(), plot.group_scores, "x"),
    "comparison": (two, plot.comparison, "x"),
    "comparison of a frame": (lambda metrics: two(metrics).to_polars(), plot.comparison, "x"),
    "ranking": (lambda metrics: ranked(frame(), metrics=metrics), plot.ranking, "x"),
    "ranking of a frame": (lambda metrics: ranked(frame(), metrics=metrics).ranking, plot.ranking, "x"),
    "curve": (lambda metrics: reported(metrics, details=True), lambda made, y: plot.curve(made, y=y), "y"),
    "curve of a summary": (
        lambda metrics: reported(metrics, details=True).summary,
        lambda made, y: plot.curve(made, y=y),
        "y",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_axes_of_error_rates_are_in_percent_and_their_data_in_fractions(name: str) -> None:
    made, draw, axis = CASES[name]

    rates, mixed = draw(made(RATES), "cer_corpus"), draw(made(MIXED), "cer_corpus")

    assert is_in_percent(getattr(rates, f"{axis}axis"))
    assert not is_in_percent(getattr(mixed, f"{axis}axis"))
    assert points(rates) == points(mixed)
    assert (rates.get_xlim(), rates.get_ylim()) == (mixed.get_xlim(), mixed.get_ylim())
    assert rates.get_xlabel() == mixed.get_xlabel()
    assert rates.get_ylabel() == mixed.get_ylabel()


def test_scores_beside_error_rates_of_lengths_stay_fractions() -> None:
    made = reported(RATES, details=True)

    assert not is_in_percent(plot.curve(made, y="anls").yaxis)
    # Its frame has ANLS, too.
    assert not is_in_percent(plot.curve(made.lengths(), y="cer_corpus").yaxis)


def test_found_slices_of_error_rates_are_in_percent() -> None:
    texts = ["xbcdefghij"] * 40 + ["abcdefghij"] * 160
    rows = pl.DataFrame({"a": texts, "answer": "abcdefghij", "kind": ["bad"] * 40 + ["good"] * 160})
    search = af.SliceSearch(draws=99)

    def found(metrics: list[str]) -> Any:
        return af.find_slices(rows, "a", "answer", columns="kind", metrics=metrics, search=search)

    rates, mixed = found(["cer_corpus"]), found(MIXED)
    # What is next to it in the result counts, even if no slice was found in it.
    assert mixed.frame["metric"].n_unique() == 1
    assert is_in_percent(plot.worse_slices(rates).xaxis)
    assert is_in_percent(plot.worse_slices(rates.frame).xaxis)
    assert not is_in_percent(plot.worse_slices(mixed).xaxis)
    beside = pl.concat([rates.frame, rates.frame.with_columns(metric=pl.lit("anls"))])
    both = plot.worse_slices(beside)
    assert not is_in_percent(both.xaxis)
    assert points(both) == points(plot.worse_slices(rates))
    assert both.get_xlim() == plot.worse_slices(rates).get_xlim()


def test_notes_and_cells_of_error_rates_are_in_percent() -> None:
    # One and four of ten characters are wrong in every row.
    texts = pl.DataFrame({"one": ["xbcdefghij"] * 40, "four": ["xxxxefghij"] * 40, "answer": "abcdefghij"})
    both = af.compare(texts, ["one", "four"], "answer", metrics=RATES, draws=99)
    mixed = af.compare(texts, ["one", "four"], "answer", metrics=MIXED, draws=99)

    def notes(ax: Axes) -> list[str]:
        return [text.get_text() for text in ax.texts]

    assert [text.split(" [")[0] for text in notes(plot.ranking(both))] == ["10.0 %", "40.0 %"]
    assert [text.split(" [")[0] for text in notes(plot.ranking(mixed, "cer_corpus"))] == ["0.100", "0.400"]
    assert [text.split(" [")[0] for text in notes(plot.comparison(both))] == ["+30.0 pp"]
    assert [text.split(" [")[0] for text in notes(plot.comparison(mixed, "cer_corpus"))] == ["+0.300"]
    assert {"10.0 %", "40.0 %"} < {*notes(plot.heat_map(both))}
    assert {"0.100", "0.400"} < {*notes(plot.heat_map(mixed, "cer_corpus"))}


def test_a_system_without_a_score_has_a_dash_in_its_cell() -> None:
    scores = pl.DataFrame({"a": [0.5, 0.25] * 4, "b": [0.5, None] * 4, "k": ["x", "y"] * 4})
    metric = af.Metric({"a": "a", "b": "b"}, name="score")
    made = af.compare(scores, ["a", "b"], metrics=metric, by="k", draws=99)
    table = made.ranking.with_columns(
        pl.when((pl.col("system") == "b") & (pl.col("k") == "x")).then(None).otherwise("score").alias("score")
    )

    assert "–" in {text.get_text() for text in plot.heat_map(table).texts}  # noqa: RUF001 - as in tables


@pytest.mark.parametrize(("wrong", "scale"), [([1, 2, 9], "linear"), ([1, 10, 60], "log")])
def test_both_axes_of_a_tradeoff_are_in_the_units_of_their_metrics(wrong: list[int], scale: str) -> None:
    texts = {f"s{count}": ["x" * count + "a" * (100 - count)] * 40 for count in wrong}
    rows = pl.DataFrame({**texts, "answer": ["a" * 100] * 40, "cost": [2.0, 3.0] * 20})
    cost = af.Metric(dict.fromkeys(texts, "cost"), name="cost", bounds=(0, None))

    made = af.compare(rows, [*texts], "answer", metrics=["cer_corpus", cost], draws=99)
    ax = plot.tradeoff(made)
    both = plot.tradeoff(af.compare(rows, [*texts], "answer", metrics=["anls", "cer_corpus"], draws=99))

    assert ax.get_yscale() == scale
    assert all(text.endswith(" %") for text in ticks(ax.yaxis).values())
    assert not any(text.endswith(" %") for text in ticks(ax.xaxis).values())
    # ANLS is beside the rates, though on another axis.
    assert not any(text.endswith(" %") for text in ticks(both.xaxis).values())
    assert not any(text.endswith(" %") for text in ticks(both.yaxis).values())


def test_the_distribution_of_error_rates_is_in_percent() -> None:
    rates = pl.DataFrame({"cer": [0.0, 0.0, 0.1, 0.3, 1.4, 1.5, 3.4567, 2.0]})

    ax = plot.cer_distribution(rates, upper=1.5)

    assert is_in_percent(ax.xaxis)
    assert ax.get_xlim() == (0, 1.5)
    assert ax.get_xlabel() == "CER of the rows between 0 and 150 %"
    legend = ax.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["0 %: 25 %", "between: 38 %", "150 % to 345.7 %: 38 %"]
