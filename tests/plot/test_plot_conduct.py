"""How every plot behaves: where it draws, what it leaves alone, what it says of itself."""

from __future__ import annotations

import gc
import io
import pickle
import subprocess
import sys
import weakref
from typing import Any

import matplotlib as mpl
import pytest
from campaign import amount
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from plot_cases import ARGUMENTS, INPUTS, PLOTS, WRONG_INPUTS, detailed, frame, results

import anls_frame as af

# Sample confusions hold letters that few machines can draw.
pytestmark = pytest.mark.filterwarnings("ignore:no installed font has these characters")

FUNCTIONS = af.plot.__all__
PNG = b"\x89PNG"


@pytest.fixture(params=PLOTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def draw(ax: Axes) -> bytes:
    file = io.BytesIO()
    ax.figure.savefig(file, format="png", dpi=40)
    return file.getvalue()


def test_every_plot_is_looked_at_here() -> None:
    assert {name for name in PLOTS if "." not in name} == set(FUNCTIONS)


def test_the_axes_given_are_drawn_on_and_returned_with_the_title_that_they_have(name: str) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.set_title("mine")

    assert PLOTS[name](frame(), left) is left
    assert left.has_data()
    assert not right.has_data()
    assert figure.axes == [left, right]
    assert left.get_title() == "mine"
    assert left.get_title(loc="left") == ""


def test_new_axes_are_a_picture_in_notebooks_change_no_settings_and_go_with_their_figure() -> None:
    before, figures = dict(mpl.rcParams), []
    for name in amount([*PLOTS][::4], [*PLOTS]):
        ax = PLOTS[name](frame(), None)
        picture, size = ax._repr_png_()
        assert type(ax) is Axes, name  # whose name tells other programs that it is a picture
        assert pickle.loads(pickle.dumps(ax))._repr_png_()[1] == size, name  # noqa: S301 - own
        assert picture.startswith(PNG), name
        assert set(size) == {"width", "height"}, name
        assert dict(mpl.rcParams) == before, name
        figures.append(weakref.ref(ax.figure))
    del ax
    gc.collect()
    assert [figure() for figure in figures] == [None] * len(figures)


def test_neither_plotting_nor_importing_loads_pyplot_and_importing_no_matplotlib() -> None:
    code = """
import sys
import polars as pl
import anls_frame as af
assert "matplotlib" not in sys.modules
df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
af.report(df, "prediction", "answer").plot()._repr_png_()
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code


@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row_can_be_drawn(name: str, rows: int) -> None:
    assert draw(PLOTS[name](frame(rows), None)).startswith(PNG)


def test_something_else_than_axes_is_refused(name: str) -> None:
    figure = Figure()
    axes = figure.subplots(1, 2)
    for given, kind in ((figure, "Figure"), (axes, "ndarray"), ([*axes], "list")):
        with pytest.raises(TypeError, match=rf"ax must be a matplotlib Axes, got [\w.]*{kind}$"):
            PLOTS[name](frame(), given)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_error_says_what_a_plot_takes_and_what_it_got(function: str) -> None:
    for kind in WRONG_INPUTS[function]:
        wrong = results()[kind]
        with pytest.raises(TypeError, match=f"^{function} takes .*; got {type(wrong).__name__}"):
            getattr(af.plot, function)(wrong, *ARGUMENTS.get(function, ()))


def drawn(ax: Axes) -> list[Any]:
    """Return what the axes show: texts, points, bars and limits."""
    points = [[*line.get_xdata(), *line.get_ydata()] for line in ax.lines]
    bars = [(patch.get_extents().extents.tolist()) for patch in ax.patches]
    texts = [text.get_text() for text in (*ax.get_yticklabels(), *ax.get_xticklabels(), *ax.texts)]
    return [texts, points, bars, ax.get_xlim(), ax.get_ylim(), ax.get_ylabel()]


@pytest.mark.parametrize("function", INPUTS)
def test_whatever_holds_the_data_is_drawn_alike(function: str) -> None:
    first, *others = (getattr(af.plot, function)(one) for one in INPUTS[function]())

    assert first.has_data()
    for other in others:
        assert drawn(other) == drawn(first)


def test_pandas_columns_may_be_called_as_parts_of_reports_are() -> None:
    data = frame().with_columns(by_group=1, cells=2).to_pandas()

    assert af.plot.ecdf(data, "nls").has_data()
    assert af.plot.error_types(data).has_data()


def test_a_curve_of_a_frame_has_no_threshold_of_its_own() -> None:
    of_summary = af.plot.threshold_curve(detailed().summary)
    of_frame = af.plot.threshold_curve(af.threshold_curve(detailed().summary))
    assert len(of_frame.lines) == len(of_summary.lines) - 1
