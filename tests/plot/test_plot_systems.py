"""Plots of several systems: figures, ranks, colours, and which metric, slices and systems are drawn."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS
from matplotlib.figure import Figure
from plot_cases import frame, labels, ranked

import anls_frame as af
from anls_frame import plot

COUNT = 12


def scores(
    count: int = COUNT, rows: int = 60, names: list[str] | None = None, **options: Any
) -> af.Comparison:
    dice = np.random.default_rng(0)
    table = {f"s{place}": dice.random(rows) for place in range(count)}
    data = pl.DataFrame(table).with_columns(k=pl.Series(range(rows)) % 6, h=pl.Series(range(rows)) % 2)
    systems = dict(zip(names or table, table, strict=True))
    return af.compare(data, systems, None, **{"by": "k", "metrics": "score", "draws": 99, **options})


@pytest.mark.parametrize("metric", ["anls", "cer_corpus"])
def test_points_intervals_and_ranks_are_those_of_the_ranking(metric: str) -> None:
    made = ranked(frame())

    ax = plot.ranking(made, metric)

    overall = made.ranking.filter((pl.col("slice") == "overall") & (pl.col("metric") == metric))
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [point.get_xdata()[0] for point in points] == overall["score"].to_list()
    assert [point.get_ydata()[0] for point in points] == [0, 1, 2]
    drawn = [collection.get_segments()[0][:, 0].tolist() for collection in ax.collections]
    assert drawn == [
        list(ends) for ends in overall.select("score_low", "score_high").rows() if None not in ends
    ]
    for text, row in zip(ax.get_yticklabels(), overall.iter_rows(named=True), strict=True):
        low, high = row["rank_low"], row["rank_high"]
        ranks = f"{low}" if low == high else f"{low}–{high}"  # noqa: RUF001 - as it is shown
        assert text.get_text() == f"{row['system']} ({ranks})"
        assert (text.get_fontweight() == "bold") == row["possibly_best"]
    assert [text.get_text() for text in ax.texts] == [
        f"{row['score']:.3f} [{row['score_low']:.3f}, {row['score_high']:.3f}]"
        for row in overall.iter_rows(named=True)
    ]
    assert ("lower is better" in ax.get_xlabel()) == (metric == "cer_corpus")
    assert "95 % interval" in ax.get_xlabel()


def test_systems_have_their_colours_and_many_have_one() -> None:
    few, many = plot.ranking(ranked(frame()), colors={"first": "#123456"}), plot.ranking(scores())

    shades = {line.get_color() for line in few.lines}
    assert len(shades) == 3
    assert "#123456" in shades
    assert len({line.get_color() for line in many.lines}) == 1


def test_the_best_are_drawn_and_the_others_counted() -> None:
    made = scores()
    names = made.ranking["system"][:COUNT].to_list()

    ranks, heat = plot.ranking(made, max_systems=5), plot.heat_map(made, max_systems=5, max_groups=2)

    assert [text.partition(" (")[0] for text in labels(ranks)] == names[:5]
    assert "7 more systems not shown" in ranks.get_xlabel()
    assert labels(heat, "x") == names[:5]
    assert len(labels(heat)) == 3
    words = heat.get_xlabel().replace("\n", " ")
    assert "4 more groups and 7 more systems not shown" in words


@pytest.mark.parametrize("metric", ["anls", "cer_corpus"])
def test_cells_hold_the_scores_and_better_ones_have_a_stronger_colour(metric: str) -> None:
    made = ranked(frame())

    ax = plot.heat_map(made, metric)

    lines = made.ranking.filter(pl.col("metric") == metric)
    systems = labels(ax, "x")
    assert systems == lines["system"][:3].to_list()
    groups = lines["type"].filter(lines["slice"] == "group").unique(maintain_order=True)
    assert labels(ax) == ["all rows", *("null" if key is None else key for key in groups)]
    cells = {text.get_position(): text for text in ax.texts if text.get_transform() == ax.transData}
    image = ax.images[0]
    shades = np.asarray(image.cmap(image.norm(image.get_array())))[..., :3].sum(axis=2)
    found = []
    for row, key in enumerate([None, *groups]):
        is_line = pl.col("type").eq_missing(key) & (pl.col("slice") == ("group" if row else "overall"))
        for system in lines.filter(is_line).iter_rows(named=True):
            column = systems.index(system["system"])
            text = cells.pop((column, row))
            assert text.get_text() == f"{system['score']:.3f}"
            assert (text.get_fontweight() == "bold") == (system["rank"] == 1)
            found.append((system["score"], shades[row, column]))
    assert not cells
    # A darker colour has a smaller sum.
    found.sort(reverse=metric == "anls")
    assert [shade for _, shade in found] == sorted(shade for _, shade in found)


def test_figures_are_legible_on_their_cells() -> None:
    for style in ({}, {"figure.facecolor": "black", "axes.facecolor": "black", "text.color": "white"}):
        with mpl.rc_context(style):
            ax = plot.heat_map(scores())
        image = ax.images[0]
        shades = np.asarray(image.cmap(image.norm(image.get_array())))[..., :3]
        for text in ax.texts:
            if text.get_transform() != ax.transData:
                continue
            column, row = text.get_position()
            assert contrast(shades[row, column], mpl.colors.to_rgb(text.get_color())) > 7


def test_cells_too_narrow_for_legible_figures_have_none() -> None:
    narrow = Figure(figsize=(3.5, 4)).subplots()

    ax = plot.heat_map(scores(), max_systems=12, ax=narrow)

    assert "too narrow for figures" in ax.get_xlabel().replace("\n", " ")
    assert not [text for text in ax.texts if text.get_transform() == ax.transData]
    assert all(text.get_fontsize() >= 6 for text in plot.heat_map(scores()).texts)


def test_a_ranking_shows_the_range_of_its_intervals() -> None:
    made = scores()
    ends = made.ranking.filter(pl.col("slice") == "overall").select("score_low", "score_high")
    least, most = ends["score_low"].min(), ends["score_high"].max()

    low, high = plot.ranking(made).get_xlim()

    assert low < least < low + 0.1 * (high - low)  # type: ignore[operator]
    assert high > most > high - 0.1 * (high - low)  # type: ignore[operator]


def contrast(first: Any, second: Any) -> float:
    """Return the contrast of two colours as WCAG defines it."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: Any) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_of_several_tables_the_first_is_drawn() -> None:
    for by, first in (([["h"], ["k"]], 2), ([["k"], ["h"]], 6), ([["k", "h"], ["k"]], 6)):
        made = scores(by=by)
        for given in (made, made.ranking):
            ax = plot.heat_map(given)
            assert len(labels(ax)) == first + 1
            assert ax.get_title() == f"score by {' and '.join(by[0])}"


def test_a_slice_of_a_frame_can_be_ranked() -> None:
    made = scores()
    one = made.ranking.filter(pl.col("k") == 3)
    assert [text.partition(" (")[0] for text in labels(plot.ranking(one))] == one["system"].to_list()
    with pytest.raises(ValueError, match="ranking draws one slice"):
        plot.ranking(made.ranking.filter(pl.col("slice") == "group"))


def test_unknown_metrics_are_refused() -> None:
    for draw in (plot.ranking, plot.heat_map, plot.comparison):
        made = scores(2) if draw is plot.comparison else ranked(frame())
        with pytest.raises(ValueError, match="metric must be"):
            draw(made, "bleu")
    with pytest.raises(ValueError, match="kind must be"):
        ranked(frame()).plot(kind="pie")  # type: ignore[arg-type] # is refused


def test_two_systems_in_several_metrics_are_drawn_in_one() -> None:
    made = af.compare(
        frame(), ["first", "second"], "answer", by="type", metrics=["anls", "cer_corpus"], draws=99
    )
    alone = af.compare(frame(), ["first", "second"], "answer", by="type", metrics="cer_corpus", draws=99)
    for given in (made, made.differences()):
        ax = plot.comparison(given, "cer_corpus")
        other = plot.comparison(alone)
        assert [*labels(ax)[:1], *labels(other)[:1]] == ["all rows", "all rows"]
        assert labels(ax)[1:] == labels(other)[1:]
        for one, two in zip(ax.lines, other.lines, strict=True):
            assert list(one.get_xdata()) == list(two.get_xdata())
        assert ax.get_xlabel() == other.get_xlabel()
    assert made.plot().get_xlabel() == "ANLS"
    assert labels(made.plot(kind="slices", metric="cer_corpus"), "x") == ["second", "first"]


def test_systems_of_any_name_can_be_drawn() -> None:
    names = list(dict.fromkeys(text for text in HOSTILE_TEXTS if text))[:20]
    made = scores(len(names), names=names, by=None)
    for ax in (plot.ranking(made), plot.heat_map(made)):
        ax.figure.draw_without_rendering()
    assert len(labels(plot.heat_map(made))) == 1


def test_scores_that_are_missing_leave_their_rows_empty() -> None:
    data = pl.DataFrame({"a": [0.5] * 9, "b": [None] * 9, "c": [0.1] * 9}, schema_overrides={"b": pl.Float64})
    made = af.compare(data, ["a", "b", "c"], None, metrics="score")
    assert [text.get_text() for text in plot.ranking(made).texts] == ["no rows"] * 3
    heat = plot.heat_map(made)
    assert [text.get_text() for text in heat.texts].count("–") == 3  # noqa: RUF001 - as it is shown


def priced(count: int, **options: Any) -> af.Comparison:
    """Compare systems in a score and its cost, which grows with the score."""
    dice = np.random.default_rng(count)
    skill = dice.random(count)
    table = {f"s{place}": (dice.random(80) < skill[place]).astype(float) for place in range(count)}
    costs = {
        f"c{place}": 10 ** (2 * skill[place] * dice.random()) * dice.random(80) for place in range(count)
    }
    data = pl.DataFrame({**table, **costs, "one": [1] * 80})
    score = af.Metric({name: name for name in table}, name="right")
    cost = af.Metric(
        dict(zip(table, costs, strict=True)),
        denominator=dict.fromkeys(table, "one"),
        name="cost",
        higher_is_better=False,
    )
    return af.compare(data, list(table), None, metrics=[score, cost], draws=9, **options)


@pytest.mark.parametrize("count", [2, 5, 12, 43])
def test_systems_that_no_other_beats_are_marked(count: int) -> None:
    made = priced(count)
    ax = plot.tradeoff(made)
    overall = made.ranking.filter(slice="overall") if "slice" in made.ranking.columns else made.ranking
    points = {
        system: tuple(
            overall.filter(system=system, metric=name)["score"].item() for name in ("cost", "right")
        )
        for system in made.systems
    }
    drawn = {(line.get_xdata()[0], line.get_ydata()[0]): line.get_color() for line in ax.lines}
    assert drawn.keys() == set(points.values())
    unbeaten = {
        name
        for name, (cost, right) in points.items()
        if not any(a <= cost and b >= right and (a, b) != (cost, right) for a, b in points.values())
    }
    assert {name for name, at in points.items() if drawn[at] == "#0072B2"} == unbeaten
    named = {text.get_text(): text.get_fontweight() for text in ax.texts}
    assert {name for name, weight in named.items() if weight == "bold"} == unbeaten & named.keys()
    assert named.keys() <= points.keys()
    left_out = count - len(named)
    assert (f"{left_out} names left out" in ax.get_xlabel()) == bool(left_out)
    if count <= COUNT:
        assert not left_out
    segments = [collection.get_segments()[0].tolist() for collection in ax.collections]
    ends = overall.filter(system="s0", metric="cost").select("score_low", "score_high").row(0)
    assert [[ends[0], points["s0"][1]], [ends[1], points["s0"][1]]] in segments


@pytest.mark.parametrize("count", [12, 43])
def test_names_of_points_cover_neither_names_nor_points(count: int) -> None:
    ax = plot.tradeoff(priced(count))
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) >= count * 2 / 3
    assert not any(box.count_overlaps(boxes[:place]) for place, box in enumerate(boxes))
    centres = ax.transData.transform([(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines])
    assert not any(box.contains(*centre) for box in boxes for centre in centres)
    assert all(ax.get_window_extent().contains(*end) for box in boxes for end in (box.min, box.max))


def test_axes_of_wide_ranges_are_logarithmic_and_metrics_can_be_named() -> None:
    data = pl.DataFrame(
        {"a": [0.5, 1.0] * 20, "b": [0.25, 1.0] * 20, "x": [1.0, 2.0] * 20, "y": [80.0, 90.0] * 20}
    )
    cost = af.Metric({"a": "x", "b": "y"}, name="cost", higher_is_better=False)
    made = af.compare(data, ["a", "b"], None, metrics=[af.Metric({"a": "a", "b": "b"}, name="score"), cost])
    ax, turned = plot.tradeoff(made), plot.tradeoff(made, x="score", y="cost")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert (turned.get_xscale(), turned.get_yscale()) == ("linear", "log")
    assert turned.get_ylabel() == "cost, lower is better"
    with pytest.raises(ValueError, match="x must be one of"):
        plot.tradeoff(made, x="score", y="score")
    with pytest.raises(ValueError, match="tradeoff draws two metrics, but the comparison has only 'score'"):
        plot.tradeoff(scores(2))
