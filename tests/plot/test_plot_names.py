"""Names of groups and systems in plots: each tells its line or row from all others, however it is written."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgba
from plot_cases import labels

import anls_frame as af
from anls_frame import _text, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = "a very long name that differs only in the middle, part {} of the text at its end"
ALIKE = (LONG.format(1), LONG.format(2), "form", "form ", " form", "Form", "a", "b")
"""Names that differ in what a plot cuts off, or does not show."""
HEBREW = "מסמכים"  # "documents"


def rows(names: tuple[str, ...] = ALIKE, each: int = 20) -> pl.DataFrame:
    """Return rows of groups with these names, with right and wrong answers and confidences."""
    dice = np.random.default_rng(0)
    count = len(names) * each
    return pl.DataFrame(
        {
            "g": [name for name in names for _ in range(each)],
            "first": ["a", "b"] * (count // 2),
            "second": ["b", "b"] * (count // 2),
            "answer": ["a", "b", "b", "a"] * (count // 4),
            "length": dice.integers(1, 9, count),
            "score": dice.random(count),
            "sure": dice.random(count),
        }
    )


def selective(data: pl.DataFrame) -> Any:
    return af.selective(data, metrics="score", model_confidence="sure", by="g")


def legend_texts(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def typed(data: pl.DataFrame) -> pl.DataFrame:
    return data.with_columns(af.error_type("first", "answer"))


def compared(data: pl.DataFrame) -> af.Comparison:
    return af.compare(data, ["first", "second"], "answer", by="g", draws=19)


OF_GROUPS: dict[str, Callable[[pl.DataFrame], list[str]]] = {
    "group_scores": lambda data: labels(plot.group_scores(af.report(data, "first", "answer", by="g"))),
    "error_types": lambda data: labels(plot.error_types(typed(data), "g")),
    "comparison": lambda data: labels(plot.comparison(compared(data))),
    "heat_map": lambda data: labels(plot.heat_map(compared(data))),
    "curve": lambda data: legend_texts(
        plot.curve(data.filter(pl.col("g").is_in(SIX)), "length", "score", by="g")
    ),
    "risk_coverage": lambda data: legend_texts(plot.risk_coverage(selective(data).curve("g"))),
    "reliability": lambda data: legend_texts(plot.reliability(selective(data).reliability("g", bins=2))),
}
SIX = ALIKE[:6]


@pytest.mark.parametrize("name", OF_GROUPS)
def test_groups_that_differ_have_labels_that_differ(name: str) -> None:
    shown = OF_GROUPS[name](rows())

    expected = len(SIX) if name == "curve" else len(ALIKE)
    # Readers see neither marks of the writing direction nor outer spaces.
    seen = {text.strip().strip("\u200e") for text in shown} - {"all rows"}
    assert len(seen) == expected
    assert {"form", "form␣", "␣form"} <= seen
    assert sum("part 1" in text for text in seen) == 1
    assert max(map(_text.text_width, seen)) <= _text.LABEL_WIDTH


def test_each_group_has_its_own_line_of_risks_and_of_bins() -> None:
    data = rows(tuple(LONG.format(part) for part in range(5)))
    risks, bins = selective(data).curve("g"), selective(data).reliability("g", bins=2)

    drawn = [np.asarray(line.get_ydata()).tolist() for line in plot.risk_coverage(risks).lines]
    points = [np.asarray(bars.lines[0].get_ydata()).tolist() for bars in plot.reliability(bins).containers]

    assert drawn == [part["risk"].to_list() for part in risks.partition_by("g", maintain_order=True)]
    assert points == [part["score"].to_list() for part in bins.partition_by("g", maintain_order=True)]


@pytest.mark.parametrize("odd", ["interval", "certified", "random order"])
def test_a_group_may_have_the_name_of_another_entry_of_the_legend(odd: str) -> None:
    made = selective(rows((odd, "other")))

    ax = plot.risk_coverage(made.curve("g"), certified=made.threshold(0.9, by="g"))

    handles = dict(zip(legend_texts(ax)[:2], ax.get_legend().legend_handles, strict=False))  # type: ignore[union-attr]
    colors = [line.get_color() for line in ax.lines[:2]]
    assert {*handles} == {odd, "other"}
    assert [handle.get_color() for handle in handles.values()] == colors  # type: ignore[union-attr]
    assert legend_texts(ax)[2:] == ["interval", "certified"]


def test_lines_that_are_left_out_are_counted() -> None:
    made = selective(rows(tuple(f"group {place}" for place in range(11))))

    assert "(the first 8 of 11 lines)" in plot.risk_coverage(made.curve("g")).get_xlabel()
    assert "(the first 8 of 11 lines)" in plot.reliability(made.reliability("g", bins=2)).get_xlabel()


SYSTEMS = tuple(f"model {place}" for place in range(20))


def scored() -> pl.DataFrame:
    dice = np.random.default_rng(0)
    return pl.DataFrame({name: dice.random(40) for name in SYSTEMS}).with_columns(
        length=pl.Series(range(1, 41))
    )


def reports() -> dict[str, af.Report]:
    data = rows(("x", "y"))
    return dict.fromkeys(SYSTEMS, af.report(data, "first", "answer", by="g"))


OF_SYSTEMS: dict[str, Callable[[], Axes]] = {
    "ecdf": lambda: plot.ecdf(scored(), SYSTEMS),
    "curve": lambda: plot.curve(scored(), "length", SYSTEMS),
    "threshold_curve": lambda: plot.threshold_curve(reports()),
    "group_scores": lambda: plot.group_scores(reports()),
}


@pytest.mark.parametrize("name", OF_SYSTEMS)
def test_many_systems_are_told_apart_by_colour_and_stroke(name: str) -> None:
    ax = OF_SYSTEMS[name]()
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]

    legend = ax.get_legend()
    assert legend is not None
    # What each line looks like, as matplotlib draws it.
    looks = {(to_rgba(line.get_color()), str(line._dash_pattern)) for line in legend.get_lines()}  # noqa: SLF001
    assert len(looks) == len(SYSTEMS)
    # The legend covers no data, and the figure none of its names.
    box = legend.get_window_extent()
    assert box.y0 >= ax.get_window_extent().y1
    assert all(edge >= 0 for edge in (*box.min, *(ax.figure.bbox.max - box.max)))
    assert len(legend_texts(ax)) == len(SYSTEMS)


def test_the_points_of_many_reports_do_not_cover_each_other() -> None:
    ax = plot.group_scores(reports())
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]

    points = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    heights = sorted({float(ax.transData.transform((0, line.get_ydata()[0]))[1]) for line in points})  # type: ignore[index]
    size = points[0].get_markersize() * ax.figure.dpi / 72
    assert len(heights) == len(points) == 3 * len(SYSTEMS)
    assert min(after - before for before, after in itertools.pairwise(heights)) >= size


def test_figures_after_a_name_from_right_to_left_keep_their_order() -> None:
    # By the bidirectional algorithm (UAX 9, P2 and W2), figures run from left to right if the first strong
    # character of the text and the last before them do so.
    systems = {HEBREW: "first", "other": "second"}
    data = rows().with_columns(nls=pl.lit(0.5))
    made = af.compare(data, systems, "answer")

    shown = [
        labels(plot.ranking(made))[0],
        labels(plot.ranking(made))[1],
        *legend_texts(plot.ecdf(data, {HEBREW: "nls", "other": "score"})),
        plot.score_distribution(af.report(data, "first", "answer"), label=HEBREW).get_title(),
        plot.group_scores(
            af.report(data.with_columns(g=pl.lit(HEBREW), k=pl.lit(5)), "first", "answer", by=["g", "k"])
        )
        .get_yticklabels()[1]
        .get_text(),
    ]

    turned = [text for text in shown if HEBREW in text]
    assert len(turned) == 4
    for text in turned:
        before = text[: next(place for place, letter in enumerate(text) if letter.isdigit())]
        strong = [unicodedata.bidirectional(letter) for letter in before]
        strong = [kind for kind in strong if kind in ("L", "R", "AL")]
        assert (strong[0], strong[-1]) == ("L", "L"), ascii(text)


def test_a_code_is_shown_as_a_whole_or_not_at_all() -> None:
    codes = "".join(f"⟨U+{code:04X}⟩" for code in range(0xE000, 0xE010))

    short = _text.shortened(codes)

    assert short == "⟨U+E000⟩⟨U+E001⟩…⟨U+E00F⟩"


@given(
    st.sets(st.text("ab 日e\u0301", max_size=12), min_size=2, max_size=8),
    st.text("xy", min_size=20, max_size=60),
    st.text("xy", min_size=20, max_size=60),
    st.integers(8, 40),
)
@settings(max_examples=200, deadline=None)
def test_names_that_differ_in_the_middle_stay_different(
    middles: set[str], start: str, end: str, most: int
) -> None:
    names = [f"{start}{middle}{end}" for middle in sorted(middles)]

    short = _text.shortened_apart(names, most)

    assert len({*short}) == len(names)
    assert max(map(_text.text_width, short)) <= most


def test_names_of_groups_that_differ_in_the_same_parts_stay_different() -> None:
    kinds, sizes = ("instruct", "chat", "base"), ("2B", "7B", "72B")
    names = [f"Qwen2.5-VL-{kind}-{size}" for kind in kinds for size in sizes]

    assert _text.shortened_apart(names[:5], 14) == [
        "…-instruct-2B",
        "…-instruct-7B",
        "Qwen2.5-V…-72B",
        "…-chat-2B",
        "…-chat-7B",
    ]
    for most in range(13, 24):
        short = _text.shortened_apart(names, most)
        assert len({*short}) == len(names), short
        assert max(map(_text.text_width, short)) <= most
