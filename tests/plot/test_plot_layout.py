"""Where texts stand: inside the figure and beside each other, in any style and on any axes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.style
import polars as pl
import pytest
from campaign import amount
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from plot_cases import PLOTS, compared, confusions, frame, report

import anls_frame as af
from anls_frame import plot
from anls_frame.metrics.errors import ERROR_TYPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

# Sample confusions hold letters that few machines can draw.
pytestmark = pytest.mark.filterwarnings("ignore:no installed font has these characters")

# seaborn.set_context("talk") of seaborn 0.13.
TALK = {
    "font.size": 18,
    "axes.labelsize": 18,
    "axes.titlesize": 18,
    "legend.fontsize": 16.5,
    "xtick.labelsize": 16.5,
    "ytick.labelsize": 16.5,
    "axes.linewidth": 1.875,
    "lines.markersize": 9,
}
STYLES: dict[str, dict[str, Any]] = {"usual": {}, "talk": TALK}
LAYOUTS = (None, "constrained")
AXES: dict[str, Callable[[], Axes | None]] = {
    "new": lambda: None,
    "usual": lambda: Figure().add_subplot(),
    "constrained": lambda: Figure(layout="constrained").add_subplot(),
}
KINDS = list(ERROR_TYPES)
LONG = "a rather long name of a slice, number "


def many(slices: int, name: str = LONG) -> pl.DataFrame:
    """Return six rows for each slice, with every kind of error among them."""
    rows = range(6 * slices)
    return pl.DataFrame(
        {
            "first": [("a", "b", "c")[row % 3] for row in rows],
            "second": [("a", "x")[row % 2] for row in rows],
            "answer": [("a", "b")[row % 2] for row in rows],
            "type": [f"{name}{row // 6}" for row in rows],
            "error_type": [KINDS[row % len(KINDS)] for row in rows],
        }
    )


def many_systems(count: int) -> af.Comparison:
    """Compare systems with long names."""
    data = many(4).with_columns(
        pl.col("first").alias(f"the system with the number {i}") for i in range(count)
    )
    names = [f"the system with the number {i}" for i in range(count)]
    return af.compare(data, names, "answer", by="type", metrics="anls", draws=19)


CASES: dict[str, Callable[[Axes | None], Axes]] = {
    **{name: lambda ax, draw=draw: draw(frame(), ax) for name, draw in PLOTS.items()},  # type: ignore[misc]
    "long labels": lambda ax: plot.group_scores({"a system": report(many(4))}, ax=ax),
    "long labels and names": lambda ax: plot.comparison(
        compared(many(4), "the first system with a long name", "the second system with a long name"), ax=ax
    ),
    "all kinds of errors": lambda ax: plot.error_types(many(4), "type", ax=ax),
    "hidden slices": lambda ax: plot.error_types(many(9), "type", max_groups=2, ax=ax),
    "one slice": lambda ax: plot.group_scores(report(many(1)), ax=ax),
    "shared axes": lambda ax: plot.group_scores(
        {
            "the first system": report(many(3)),
            "the second system": af.report(many(3), "second", "answer", by="type"),
        },
        ax=ax,
    ),
    "ranks of long names": lambda ax: plot.ranking(many_systems(9), ax=ax, max_systems=7),
    "a heat map of long names": lambda ax: plot.heat_map(many_systems(9), ax=ax, max_systems=7, max_groups=3),
    "odd characters": lambda ax: plot.confusion_matrix(
        confusions().with_columns(reference_char=pl.Series(["a\u0364", "\u0301", "␊", "\n"])), ax=ax
    ),
    "lengths of a report": lambda ax: plot.curve(report(frame(), details=True), by="type", ax=ax),
}


def drawn(ax: Axes) -> dict[str, Bbox]:
    """Lay the figure out; return the boxes of all texts outside the data, and of the legend."""
    renderer = FigureCanvasAgg(ax.figure.figure).get_renderer()
    ax.figure.figure.draw_without_rendering()

    def ticks(axis: Any) -> list[Text]:
        low, high = sorted(axis.get_view_interval())
        return [
            tick.label2 if tick.label2.get_visible() else tick.label1
            for tick in axis.get_major_ticks()
            if low <= tick.get_loc() <= high
        ]

    named = {
        "title": [ax.title],
        "left title": [ax._left_title],  # type: ignore[attr-defined]  # noqa: SLF001 - no other way to see it
        "x label": [ax.xaxis.label],
        "y label": [ax.yaxis.label],
        "x tick": ticks(ax.xaxis),
        "y tick": ticks(ax.yaxis),
        "note": [text for text in ax.texts if not text.get_transform().contains_branch(ax.transData)],
        "strip": [text for child in ax.child_axes for text in child.texts],
    }
    boxes = {
        f"{name} {index} {text.get_text()!r}": text.get_window_extent(renderer)
        for name, texts in named.items()
        for index, text in enumerate(texts)
        if text.get_text()
    }
    legend = ax.get_legend()
    return boxes | ({"legend": legend.get_window_extent(renderer)} if legend else {})


def check(ax: Axes) -> None:
    boxes = drawn(ax)
    width, height = ax.figure.figure.bbox.size
    cut = [
        name
        for name, box in boxes.items()
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1
    ]
    # The boxes of texts are a little larger than their letters.
    pairs = [
        (one, two)
        for (one, first), (two, second) in itertools.combinations(boxes.items(), 2)
        if first.padded(-2).overlaps(second.padded(-2)) and not (may_meet(one, two) or may_meet(two, one))
    ]
    assert (cut, pairs) == ([], [])


def may_meet(one: str, two: str) -> bool:
    """Labels at 45 degrees overlap in their boxes only; at the origin, large labels of both axes meet."""
    return one.startswith("x tick") and two.startswith(("x tick", "x label", "y tick"))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("case", CASES)
def test_all_texts_have_room(case: str, axes: str, style: str) -> None:
    with mpl.rc_context(STYLES[style]):
        check(CASES[case](AXES[axes]()))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", amount([*CASES][::5], [*CASES]))
def test_a_title_set_later_replaces_the_own_one_and_covers_nothing(case: str, layout: str | None) -> None:
    ax = CASES[case](Figure(layout=layout).add_subplot())

    ax.set_title("my own title $x$")

    check(ax)
    assert not ax.get_title(loc="left")
    assert ax.title.get_parse_math()


@pytest.mark.parametrize("case", amount([*PLOTS][::4], [*CASES]))
def test_neighbours_are_left_alone(case: str) -> None:
    left, right = Figure(figsize=(11, 4.8), layout="constrained").subplots(1, 2)

    boxes = drawn(CASES[case](left))

    assert max(box.x1 for box in boxes.values()) < right.get_window_extent().x0


def test_a_figure_of_several_axes_is_laid_out_by_its_caller() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    places = [ax.get_position().bounds for ax in (left, right)]

    CASES["long labels"](left)
    figure.draw_without_rendering()

    assert figure.get_layout_engine() is None
    assert [ax.get_position().bounds for ax in (left, right)] == places


def test_a_layout_asked_for_later_still_holds() -> None:
    figure = Figure()
    ax = CASES["long labels"](figure.add_subplot())
    figure.set_layout_engine("constrained")

    check(ax)
    assert isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    assert ax.get_window_extent().width > 150


def test_axes_that_were_placed_by_hand_stay_there() -> None:
    ax = Figure().add_axes((0.3, 0.2, 0.5, 0.6))

    assert CASES["long labels"](ax).get_position().bounds == pytest.approx((0.3, 0.2, 0.5, 0.6))


def test_texts_and_lines_are_visible_on_a_dark_background() -> None:
    with matplotlib.style.context("dark_background"):
        ax = plot.group_scores(report(frame()))
        ax.figure.draw_without_rendering()

        colors = [ax.lines[0].get_color(), *(text.get_color() for text in (*ax.texts, *ax.get_yticklabels()))]
    assert all(min(mpl.colors.to_rgb(color)) > 0.5 for color in colors)


def test_characters_that_no_font_has_are_shown_by_their_code_points() -> None:
    # U+E123 is for private use; matplotlib warns of characters that it cannot draw, which fails tests.
    pairs = pl.DataFrame({"reference_char": ["a\u0364", "␊", "\ue123"], "predicted_char": "x", "count": 1})
    ax = plot.confusion_matrix(pairs)
    rows = frame().with_columns(type=pl.lit("\ue123\ufffe"))

    ax.figure.draw_without_rendering()
    other = plot.group_scores(report(rows))
    other.figure.draw_without_rendering()

    labels = {text.get_text() for text in ax.get_yticklabels()}
    assert labels == {"a⟨U+0364⟩", "⟨U+240A⟩", "⟨U+E123⟩"} or "aͤ" in labels
    assert other.get_yticklabels()[1].get_text() == "⟨U+E123⟩⟨U+FFFE⟩"


def test_scripts_that_no_font_has_are_named_once() -> None:
    # Cuneiform, of which each sign is a letter.
    odd = ["\U00012000", "\U00012001", "\ue123"]
    pairs = pl.DataFrame({"reference_char": odd, "predicted_char": "x", "count": 1})
    if any(FT2Font(font.fname).get_char_index(0x12000) for font in fontManager.ttflist):
        pytest.skip("a font has cuneiform")

    with pytest.warns(af.exceptions.InputWarning) as caught:
        ax = plot.confusion_matrix(pairs)

    assert {str(warning.message).partition(";")[0] for warning in caught} == {
        "no installed font has these characters: Cuneiform. They are drawn as code points such as ⟨U+0041⟩"
    }
    assert {text.get_text() for text in ax.get_yticklabels()} == {"⟨U+12000⟩", "⟨U+12001⟩", "⟨U+E123⟩"}


def test_symbols_are_explained() -> None:
    odd = [" ", "\n", "\u0301", None]
    pairs = pl.DataFrame({"reference_char": odd, "predicted_char": "x", "count": 1})

    explained = plot.confusion_matrix(pairs).get_xlabel().replace("\n", " ")

    for words in ("∅: left out", "␣: space", "\\n: line feed", "◌: accent"):
        assert words in explained
    assert plot.confusion_matrix(confusions(1)).get_xlabel() == "predicted (∅: left out)"
