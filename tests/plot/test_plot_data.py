"""What the plots draw: the numbers behind their artists, their labels and axes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from campaign import amount
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection
from plot_cases import compared, confusions, detailed, frame, labels, report
from rapidfuzz.distance import Levenshtein
from rich.cells import cell_len
from scipy import stats

import anls_frame as af
from anls_frame import _palette, _text, plot
from anls_frame.analysis.curves import score_histogram
from anls_frame.exceptions import ColumnNotFoundError, DTypeError
from anls_frame.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


TEXT = st.text("ab 1", max_size=6)
ONE_SLICE = pl.DataFrame({"lang": ["en"], "n": [1], "anls": [0.5], "few_rows": [True]})


@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=60),
    st.sampled_from(["anls", "rrc", "anls_star"]),
)
@settings(max_examples=60, deadline=None)
def test_the_histogram_of_a_summary_counts_the_rows_scores(
    pairs: list[tuple[str, str]], protocol: str
) -> None:
    data = pl.DataFrame(pairs, schema=["p", "a"], orient="row")
    summary = af.summarize(data, "p", "a", protocol=protocol)
    nls = data.select(af.nls("p", "a", protocol=protocol)).to_series().to_numpy()

    histogram = score_histogram(summary, bars=10)

    # Short texts have no score between 0 and 1/200 or 1 - 1/200 and 1.
    assert (histogram.low, histogram.high) == ((nls == 0).sum(), (nls == 1).sum())
    between = nls[(nls > 0) & (nls < 1)]
    # Which of two bars a score on their border belongs to is the protocol's business.
    edge = 0.0 if protocol != "anls" else -1e-9
    # Not numpy's histogram, whose edges are not the quotients.
    expected = [int(sum(bar / 10 <= score + edge < (bar + 1) / 10 for score in between)) for bar in range(10)]
    assert histogram.bins == expected


def test_the_strip_of_a_score_distribution_says_what_became_of_all_rows() -> None:
    rows = [("a", "a")] * 3 + [("a", "x")] * 2 + [("ab", "ac")] * 3 + [("abcd", "abcx")] * 2
    data = pl.DataFrame(rows, schema=["p", "a"], orient="row")
    ax = plot.score_distribution(af.summarize(data, "p", "a"), label="mine")

    strip = ax.child_axes[-1]
    assert [bar.get_width() for bar in strip.patches] == pytest.approx([0.2, 0.3, 0.2, 0.3])
    assert legend_texts(ax) == ["0: 20 %", "below 0.5: 30 %", "kept: 20 %", "1: 30 %"]
    box = ax.get_legend()
    assert box is not None
    assert [patch.get_facecolor() for patch in box.get_patches()] == [
        bar.get_facecolor() for bar in strip.patches
    ]
    assert {place / 40: bar.get_height() for place, bar in enumerate(ax.patches) if bar.get_height()} == {
        # On the border a distance of 1/2 lies in the step below it.
        0.475: 3,
        0.725: 2,
    }
    assert ax.get_title() == "NLS of mine, 10 rows"


def test_the_histogram_of_rates_is_numpys() -> None:
    rates = np.random.default_rng(1).gamma(1, 0.4, 500)

    ax = plot.cer_distribution(pl.DataFrame({"cer": rates}), upper=1.5)

    expected, edges = np.histogram(rates[rates < 1.5], bins=40, range=(0, 1.5))
    assert [bar.get_height() for bar in ax.patches] == expected.tolist()
    assert [bar.get_x() for bar in ax.patches] == pytest.approx(edges[:-1])
    assert legend_texts(ax)[1].startswith("between")


@pytest.mark.parametrize("name", ["cer", "^cer.$"])  # the other one is a pattern to Polars
def test_a_rate_on_the_border_of_two_bars_counts_in_the_upper_one(name: str) -> None:
    borders = [bar / 40 for bar in range(1, 40)]
    ax = plot.cer_distribution(pl.DataFrame({name: borders}), name)
    assert [bar.get_height() for bar in ax.patches] == [0, *[1] * 39]


def test_the_curve_of_scores_is_scipys() -> None:
    scores = np.random.default_rng(2).integers(0, 12, 300) / 11

    ax = plot.ecdf(pl.DataFrame({"a": scores, "b": [*scores[:-1], None]}), {"one": "a", "two": "b"})

    expected = stats.ecdf(scores).cdf
    x, y = np.asarray(ax.lines[0].get_xdata()), np.asarray(ax.lines[0].get_ydata())
    assert x[1:-1].tolist() == expected.quantiles.tolist()
    assert y[1:-1] == pytest.approx(expected.probabilities)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["one (n = 300)", "two (n = 299)"]


def test_the_curve_of_very_many_scores_has_few_steps() -> None:
    scores = np.random.default_rng(3).random(50_000)

    line = plot.ecdf(pl.DataFrame({"a": scores}), "a").lines[0]

    x, y = np.asarray(line.get_xdata())[1:-1], np.asarray(line.get_ydata())[1:-1]
    assert len(x) <= 2_001
    assert np.abs(stats.ecdf(scores).cdf.evaluate(x) - y).max() < 1e-12


@pytest.mark.parametrize("score", ["anls", "exact_match", "cer_corpus", "zeros"])
def test_a_forest_has_the_reports_numbers(score: str) -> None:
    made = report(frame())
    table = made.to_polars()

    ax = plot.group_scores(made, score)

    assert labels(ax) == ["all rows", "form", "table", "null"]
    points = [line.get_xdata() for line in ax.lines if line.get_marker() in ("o", "D")]
    assert [float(np.asarray(point)[0]) for point in points] == table[score].to_list()
    drawn = [part.get_segments()[0][:, 0].tolist() for part in ax.collections]
    known = table.drop_nulls(f"{score}_low")
    assert drawn == [list(row) for row in known.select(f"{score}_low", f"{score}_high").iter_rows()]
    assert texts(ax) == [f"n = {n}" for n in table["n"]]
    assert "95 % interval" in ax.get_xlabel()


@pytest.mark.parametrize("score", ["anls", "cer_corpus"])
def test_a_forest_marks_few_rows(score: str) -> None:
    ax = plot.group_scores(report(frame()), score)

    faces = {line.get_markerfacecolor() for line in ax.lines if line.get_marker() in ("o", "D")}
    assert faces == {(1.0, 1.0, 1.0)}


def test_a_forest_has_no_point_where_nothing_is_scored() -> None:
    data = pl.DataFrame({"first": ["a", "b"], "answer": ["a", None], "type": ["scored", "unanswerable"]})

    ax = plot.group_scores(report(data))

    assert texts(ax) == ["n = 1", "n = 1", "n = 0"]
    assert sum(line.get_marker() in ("o", "D") for line in ax.lines) == 2


@pytest.mark.parametrize("groups", [2, 25])
def test_a_new_figure_is_as_high_as_its_groups_need(groups: int) -> None:
    data = pl.DataFrame({"first": ["a"] * groups, "answer": ["a"] * groups, "type": range(groups)})

    height = report(data).plot().figure.get_size_inches()[1]

    assert height / (groups + 1) > 0.3
    assert labels(report(data).plot())[-1] == str(groups - 1)


def test_what_is_not_drawn_is_counted() -> None:
    data = pl.DataFrame({"first": ["a"] * 9, "second": ["b"] * 9, "answer": ["a"] * 9, "type": range(9)})
    data = data.with_columns(error_type=pl.lit("wrong"))
    made = [
        plot.group_scores(report(data), max_groups=4),
        plot.comparison(compared(data), max_groups=4),
        plot.error_types(data, "type", max_groups=4),
    ]

    assert [len(labels(ax)) for ax in made] == [5, 5, 5]
    assert all("(5 more groups not shown)" in ax.get_xlabel() for ax in made)


def test_a_dumbbell_has_the_comparisons_numbers() -> None:
    made = compared(frame())
    table = made.to_polars()

    ax = plot.comparison(made)

    assert [line.get_xdata().tolist() for line in ax.lines] == [
        table["baseline_score"].to_list(),
        table["score"].to_list(),
    ]
    assert labels(ax) == ["all rows", "form", "table", "null"]
    written = f"{table['difference'][0]:+.3f} [{table['difference_low'][0]:+.3f}, "
    assert texts(ax)[0].startswith(written)


def test_differences_beyond_chance_are_bold() -> None:
    data = pl.DataFrame(
        {
            "first": ["x"] * 20 + ["a", "x"] * 10,
            "second": ["a"] * 20 + ["x", "a"] * 10,
            "answer": ["a"] * 40,
            "type": ["better"] * 20 + ["same"] * 20,
        }
    )

    ax = plot.comparison(compared(data))

    weights = dict(zip(labels(ax), [text.get_fontweight() for text in ax.texts], strict=True))
    assert weights == {"all rows": "bold", "better": "bold", "same": "normal"}


def test_error_types_are_shares_of_each_group() -> None:
    data = pl.DataFrame(
        {
            "error_type": ["wrong", "exact", "exact", None, "near"],
            "types": [["form", "form"], ["form", "table"], ["table"], ["form"], []],
        }
    )

    ax = plot.error_types(data, "types")

    assert labels(ax) == ["all rows", "form", "table", "null"]
    shares = {
        kind: [bar.get_width() for bar in container]
        for kind, container in zip(["exact", "near", "wrong"], ax.containers, strict=True)
    }
    assert shares == {
        "exact": [0.5, 0.5, 1.0, 0.0],
        "near": [0.25, 0.0, 0.0, 1.0],
        "wrong": [0.25, 0.5, 0.0, 0.0],
    }
    assert [text for text in texts(ax) if text.startswith("n = ")] == ["n = 4", "n = 2", "n = 2", "n = 1"]


def test_lengths_are_cut_into_bins_of_equal_numbers_of_rows() -> None:
    rng = np.random.default_rng(4)
    data = pl.DataFrame({"length": rng.permutation(60), "score": rng.random(60)})

    ax = plot.curve(data, x="length", y="score", bins=4)

    ordered = data.sort("length")
    bins = [ordered[at : at + 15] for at in range(0, 60, 15)]
    x, y = np.asarray(ax.lines[0].get_xdata()), np.asarray(ax.lines[0].get_ydata())
    assert x == pytest.approx([one["length"].mean() for one in bins])
    assert y == pytest.approx([one["score"].mean() for one in bins])
    [band] = ax.collections
    low = stats.t.interval(0.95, 14, bins[0]["score"].mean(), stats.sem(bins[0]["score"].to_numpy()))[0]
    assert band.get_paths()[0].vertices[:, 1].min() <= low + 1e-12
    assert any(abs(band.get_paths()[0].vertices[:, 1] - low) < 1e-9)


def test_lengths_are_drawn_for_the_largest_groups() -> None:
    data = pl.DataFrame(
        {"length": [1.0, 2.0] * 20, "score": [0.5] * 40, "g": [min(i // 3, 7) for i in range(40)]}
    )

    ax = plot.curve(data, x="length", y="score", by="g", bins=1)

    assert len(ax.lines) == 6
    assert ax.get_xlabel() == "length (the 6 largest of 8 groups)"


def test_lengths_of_different_orders_are_on_a_logarithmic_axis() -> None:
    scales = {
        (low, high): plot.curve(pl.DataFrame({"n": [low, high], "s": [1, 0]}), "n", "s").get_xscale()
        for low, high in [(1, 20), (1, 2_000), (0, 2_000)]
    }

    assert scales == {(1, 20): "linear", (1, 2_000): "log", (0, 2_000): "symlog"}


def test_the_curve_of_thresholds_has_the_points_of_its_table() -> None:
    summary = af.summarize(frame(), "first", "answer")
    line = plot.threshold_curve(summary).lines[1]
    points = zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True)
    assert list(points) == af.threshold_curve(summary).select("threshold", "anls").rows()


def test_fonts_added_after_a_plot_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ["DejaVu Sans"]
    monkeypatch.setattr(_style.fontManager, "get_font_names", lambda: known)
    before = _style.font_families()
    known.append("Noto Sans Thai")

    assert _style.font_families() == [*before, "Noto Sans Thai"]


def test_a_confusion_matrix_has_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_style, "_has_glyph", lambda *_: True)
    ax = plot.confusion_matrix(confusions())

    assert labels(ax) == ["I", "o", "体", "∅"]
    assert labels(ax, "x") == ["l", "␣", "休", "∅"]
    cells = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in ax.texts}
    assert cells == {(0, 0): "9", (1, 3): "2", (2, 2): "1", (3, 1): "4"}
    assert ax.get_title() == "100 % of 16 errors"


def test_a_confusion_matrix_adds_groups_up_and_leaves_out_the_rare() -> None:
    twice = pl.concat([confusions(), confusions()])

    ax = plot.confusion_matrix(twice, max_characters=2)

    assert labels(ax) == ["I", "∅"]
    assert [text.get_text() for text in ax.texts] == ["18", "8"]
    assert ax.get_title() == "81 % of 32 errors"


@given(st.text("abc ", max_size=9), st.text("abc ", max_size=9))
@settings(max_examples=amount(12, 100), deadline=None)
def test_an_edit_matrix_has_all_distances_and_a_path_of_edits(prediction: str, reference: str) -> None:
    ax = plot.edit_matrix(prediction, reference)

    cells = {(text.get_position()[1], text.get_position()[0]): int(text.get_text()) for text in ax.texts}
    assert cells == {
        (row, column): Levenshtein.distance(reference[:row], prediction[:column])
        for row in range(len(reference) + 1)
        for column in range(len(prediction) + 1)
    }
    [path] = ax.lines
    steps = list(zip(np.asarray(path.get_ydata()), np.asarray(path.get_xdata()), strict=True))
    assert steps[0] == (0, 0)
    assert steps[-1] == (len(reference), len(prediction))
    edits = []
    for (row, column), (to_row, to_column) in itertools.pairwise(steps):
        step = {(1, 1): "replace", (1, 0): "delete", (0, 1): "insert"}[to_row - row, to_column - column]
        if step != "replace" or reference[row] != prediction[column]:
            edits.append((step, row, column))
    assert edits == Levenshtein.editops(reference, prediction).as_list()
    bold = {text.get_position()[::-1] for text in ax.texts if text.get_fontweight() == "bold"}
    assert bold == set(steps)


def legend_texts(ax: Axes) -> list[str]:
    box = ax.get_legend()
    return [text.get_text() for text in box.get_texts()] if box else []


def test_an_edit_matrix_explains_its_colours_and_shows_other_paths() -> None:
    ax = plot.edit_matrix("cat", "cafe")

    assert legend_texts(ax) == ["kept", "replaced", "left out", "another cheapest path"]
    assert ax.get_title() == "2 edits: 1 replaced, 1 left out\none of 2 cheapest paths"
    [others] = ax.collections
    assert isinstance(others, LineCollection)
    # From (2, 2) down to (3, 2), and on to (4, 3), in the order of x and y.
    assert [line.tolist() for line in others.get_segments()] == [[[2, 2], [2, 3]], [[2, 3], [3, 4]]]
    only = plot.edit_matrix("same", "same")
    assert (legend_texts(only), list(only.collections)) == (["kept"], [])
    assert legend_texts(plot.edit_matrix("", "")) == []


def test_an_edit_matrix_may_have_the_reference_above_and_another_cost() -> None:
    ax = plot.edit_matrix("cat", "cafe", across="reference", substitution_cost=3)

    assert (labels(ax, "x"), labels(ax)) == (["ε", "c", "a", "f", "e"], ["ε", "c", "a", "t"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("reference", "prediction")
    cells = {(text.get_position()[1], text.get_position()[0]): int(text.get_text()) for text in ax.texts}
    assert cells == {
        (row, column): Levenshtein.distance("cat"[:row], "cafe"[:column], weights=(1, 1, 3))
        for row in range(4)
        for column in range(5)
    }
    assert ax.get_title() == "cost 3: 1 added, 2 left out\none of 3 cheapest paths"


def test_what_cannot_be_seen_is_named() -> None:
    odd = ["\n", "\t", "\u00a0", "\u3000", "\u202e", "\u2003", "rn", "$"]
    pairs = pl.DataFrame({"reference_char": odd, "predicted_char": "x", "count": range(9, 1, -1)})

    assert labels(plot.confusion_matrix(pairs)) == [
        *("\\n", "\\t", "⟨U+00A0⟩", "⟨U+3000⟩", "⟨U+202E⟩", "⟨U+2003⟩", "rn", "$"),
    ]


def test_a_long_label_below_a_matrix_turns_alone() -> None:
    pairs = pl.DataFrame({"reference_char": "x", "predicted_char": ["a", "\u00a0", "rn"], "count": [3, 2, 1]})

    ticks = plot.confusion_matrix(pairs).get_xticklabels()

    assert {text.get_text(): text.get_rotation() for text in ticks} == {"a": 0, "⟨U+00A0⟩": 90, "rn": 0}


def test_a_risk_coverage_plot_is_in_per_cent_with_everything_in_its_legend() -> None:
    scores = pl.DataFrame({"score": [0, 1, 1, 1] * 50, "one": [place / 200 for place in range(200)]})
    of_one = af.selective(scores, metrics="score", model_confidence="one")
    both = scores.with_columns(k=pl.Series(["x", "y"] * 100))
    of_two = af.selective(both, metrics="score", model_confidence="one", by="k")

    single = plot.risk_coverage(of_one.curve(), certified=of_one.threshold(0.5))
    double = plot.risk_coverage(of_two.curve("k"))

    assert legend_texts(single) == [
        *("these confidences", "interval", "certified", "best possible order", "random order"),
    ]
    assert {*single.yaxis.get_major_formatter().format_ticks([0.0, 0.135])} == {"0 %", "13.5 %"}
    assert single.xaxis.get_major_formatter().format_ticks([1.0]) == ["100 %"]
    assert legend_texts(double)[-1] == "interval"
    assert len(legend_texts(double)) == len(double.lines) + 1


def test_a_system_has_the_same_colour_in_every_plot() -> None:
    names = {"first": "first", "second": "second"}
    two = compared(frame())
    data = frame().with_columns(a="nls", b="anls")
    summaries = {name: af.summarize(frame(), name, "answer") for name in names}
    pairs = [
        [line.get_color() for line in plot.comparison(two).lines],
        [line.get_color() for line in plot.ecdf(data, {"second": "a", "first": "b"}).lines][::-1],
        [line.get_color() for line in plot.threshold_curve(summaries).lines[1:]],
        [plot.group_scores({name: report(frame())}).lines[1].get_color() for name in names],
    ]

    assert len({tuple(pair) for pair in pairs}) == 1
    assert pairs[0][0] != pairs[0][1]


@given(st.lists(st.text(max_size=5), unique=True, max_size=7))
@settings(max_examples=30)
def test_up_to_seven_systems_have_colours_of_their_own(names: list[str]) -> None:
    colors = _palette.system_colors(names)

    assert len(set(colors.values())) == len(names)
    assert colors == _palette.system_colors(names[::-1])


def test_colours_can_be_chosen() -> None:
    ax = plot.ecdf(frame(), ["nls", "anls"], colors={"nls": "red"})

    assert ax.lines[0].get_color() == "red"
    assert ax.lines[1].get_color() in _palette.PALETTE


@given(st.text())
def test_labels_are_short_and_hold_nothing_invisible(text: str) -> None:
    label = _text.label(text)

    assert _text.text_width(label) <= _text.LABEL_WIDTH
    assert "\n" not in label
    assert not any(ord(letter) < 32 for letter in label)


def test_long_labels_keep_their_ends() -> None:
    first, second = (_text.label("a long name that many groups share, number " + end) for end in "12")

    assert first.startswith("a long name")
    assert first.endswith("number 1")
    assert first != second


@pytest.mark.parametrize("name", ["$x^2$", "_hidden", "<b>", "a\nb", "日本語", "سؤال"])
def test_names_are_shown_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_style, "_has_glyph", lambda *_: True)
    data = frame().with_columns(type=pl.lit(name))
    seen = name.replace("\n", "\\n")

    ax = plot.comparison(compared(data, name, "other"))
    legend = ax.get_legend()
    ax.figure.draw_without_rendering()

    assert legend is not None
    assert labels(ax) == ["all rows", seen]
    assert [text.get_text() for text in legend.get_texts()] == [seen, "other"]
    assert not any(text.get_parse_math() for text in (*legend.get_texts(), *ax.get_yticklabels()))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plot.ecdf(frame(), "nsl"), ColumnNotFoundError, "nls"),
        (lambda: plot.ecdf(frame(), "answer"), DTypeError, "needs a numeric column"),
        (lambda: plot.ecdf(frame(), []), ValueError, "scores must name one or more columns of scores"),
        (lambda: plot.ecdf(frame(), ["nls", "nls"]), ValueError, "scores must have different names"),
        (lambda: plot.curve(frame(), "cer", [1]), ValueError, "y must name one or more columns of scores"),
        (
            lambda: plot.ecdf(frame(), frame()),
            TypeError,
            "scores takes names of columns, got a polars.DataFrame",
        ),
        (lambda: plot.cer_distribution(frame(), upper=0), ValueError, "upper"),
        (lambda: plot.cer_distribution(frame(), "answer"), DTypeError, "needs a numeric column"),
        (lambda: plot.group_scores(report(frame()), "bleu"), ValueError, "bleu"),
        (lambda: plot.group_scores(report(frame()), max_groups=0), ValueError, "max_groups"),
        (lambda: plot.curve(frame(), "cer", "nls", bins=0), ValueError, "bins"),
        (lambda: plot.confusion_matrix(frame()), TypeError, "takes a frame from .* without the column"),
        (
            lambda: plot.error_types(frame().drop("error_type")),
            TypeError,
            "rows with error types.* add it with `anls_frame",
        ),
        (lambda: plot.curve(frame()), TypeError, "which needs the columns of both axes"),
        (lambda: plot.score_distribution(frame()), TypeError, "`ecdf` draws the scores of a frame"),
        (lambda: plot.curve(frame(), "cer", ["nls", "cer"], by="type"), ValueError, "not both"),
        (lambda: plot.error_types(frame(), error_type="answer"), ValueError, "'12.50'"),
        (lambda: plot.edit_matrix("", "a" * 41), ValueError, "at most 40 characters, got 41"),
        (
            lambda: plot.threshold_curve(
                {name: af.summarize(frame(), "first", "answer", protocol=name) for name in ("anls", "rrc")}
            ),
            ValueError,
            "must cut in the same way",
        ),
        (lambda: plot.threshold_curve({}), ValueError, "at least one summary"),
        (lambda: plot.edit_matrix(af.edit_matrix("a", "b"), "b"), ValueError, "for a finished matrix"),
        (lambda: plot.curve(detailed(), y=["nls"]), ValueError, "must be the name of a measure"),
        (lambda: plot.group_scores(ONE_SLICE), TypeError, "without a measure that has an interval"),
        (lambda: plot.score_distribution(af.summarize(frame(), metrics="nls")), ValueError, "existing"),
    ],
)
def test_mistakes_are_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@given(st.text("aé\u0301\u0308ßж東カ字한กั1"))
def test_labels_are_measured_in_columns_as_a_terminal_counts_them(text: str) -> None:
    assert _text.text_width(text) == cell_len(text)


def test_each_training_step_has_its_own_point() -> None:
    steps = pl.DataFrame(
        {
            "step": [10, 10, 20, 20, 20, 40] * 2,
            "run": ["a"] * 6 + ["b"] * 6,
            "anls": [i / 12 for i in range(12)],
        }
    )
    ax = plot.curve(steps, x="step", y="anls", by="run", bins=1000)
    means = steps.group_by("run", "step").agg(pl.mean("anls")).sort("run", "step")
    for line, run in zip(ax.lines, "ab", strict=True):
        own = means.filter(pl.col("run") == run)
        assert line.get_xdata().tolist() == own["step"].to_list()
        assert line.get_ydata().tolist() == pytest.approx(own["anls"].to_list())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "mean anls")


def test_error_types_of_a_report_by_ordered_categories_keep_their_order() -> None:
    kinds = pl.Series("kind", ["y", "x"] * 30, dtype=pl.Enum(["y", "x"]))
    rows = pl.DataFrame({"p": ["a", "b", "c"] * 20, "t": ["a", "b", "x"] * 20, "kind": kinds})

    ax = plot.error_types(af.report(rows, "p", "t", by="kind", details=True), "kind")

    assert [label.get_text() for label in ax.get_yticklabels()] == ["all rows", "y", "x"]
    assert [round(bar.get_width(), 3) for bar in ax.patches] == [0.667] * 3 + [0.333] * 3
