"""Every plot with something to draw: from a frame, a report, a comparison or a summary of the same rows."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.reports.confidences import Selective
from anls_frame.slices.result import Slices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The letters of the answers stand for kinds of pages: (group, answer, first system, second system).
ROWS = [
    ("form", "invoice 42", "invoice 42", "invoice 42"),
    ("form", "invoice 43", "lnvoice 43", "invoice 43"),
    ("form", "total", "", "total"),
    ("table", "12.50", "12,50", "12.50"),
    ("table", "99", None, "98"),
    ("table", "Coca Cola", "The Coca", "CocaCola"),
    (None, "yes", "yes", "no"),
]


def frame(rows: int = len(ROWS)) -> pl.DataFrame:
    """Return the rows with the first system's scores and made up kinds of errors."""
    schema = ["type", "answer", "first", "second"]
    texts = pl.DataFrame(ROWS, schema=schema, orient="row").head(rows)
    kinds = ["exact", "near", "empty", "punctuation", "missing", "wrong", "exact"]
    return af.add_scores(texts, "first", "answer").with_columns(error_type=pl.Series(kinds).head(rows))


def report(data: pl.DataFrame, **options: Any) -> af.Report:
    """Report on the first system."""
    return af.report(data, "first", "answer", by="type", **options)


def compared(data: pl.DataFrame, first: str = "first", second: str = "second") -> af.Comparison:
    """Compare both systems, under any names."""
    return af.compare(data, {first: "first", second: "second"}, "answer", by="type")


def ranked(data: pl.DataFrame, **options: Any) -> af.Comparison:
    """Compare three systems, one of which makes nothing of any page."""
    systems = {"first": "first", "second": "second", "nothing": "nothing"}
    options = {"by": "type", "metrics": ["anls", "cer_corpus"], "draws": 99, **options}
    return af.compare(data.with_columns(nothing=pl.lit("")), systems, "answer", **options)


def confusions(rows: int = 4) -> pl.DataFrame:
    """Return counts of confusions, as `confusions` gives them."""
    pairs = [("I", "l", 9), (None, " ", 4), ("o", None, 2), ("体", "休", 1)]
    schema = {"reference_char": pl.String, "predicted_char": pl.String, "count": pl.Int64}
    return pl.DataFrame(pairs[:rows], schema=schema, orient="row")


@functools.cache
def found() -> Slices:
    """Find slices in which the second system is right less often, of two columns in two metrics."""
    rows = pl.DataFrame(
        {
            "score": ([0.2, 0.9] * 30 + [1.0] * 240),
            "other": ([0.9] * 60 + [0.3] * 40 + [0.8] * 200),
            "type": ["form"] * 60 + ["fax"] * 40 + ["letter"] * 200,
            "lang": (["ja", "de"] * 30 + ["de"] * 240),
        }
    )
    return af.find_slices(rows, metrics=["score", "other"], search=af.SliceSearch(draws=99))


def confident(rows: int = len(ROWS)) -> Selective:
    """Rank as many rows by two confidences, at least the two that this takes."""
    sure = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, None]
    scores = {"right": [1, 1, 0, 1, 0, 1, 0], "first": sure, "second": sure[::-1]}
    data = pl.DataFrame(scores).head(max(rows, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", af.InputWarning)  # of few rows
        return af.selective(data, metrics="right", model_confidence=["first", "second"])


def curve(rows: int) -> pl.DataFrame:
    """Return the first points of the curves."""
    return confident().curve().head(2 * rows)


PLOTS: dict[str, Callable[[pl.DataFrame, Axes | None], Axes]] = {
    "score_distribution": lambda data, ax: af.plot.score_distribution(report(data).summary, ax=ax),
    "cer_distribution": lambda data, ax: af.plot.cer_distribution(data, ax=ax),
    "ecdf": lambda data, ax: af.plot.ecdf(data, ["nls", "anls"], ax=ax),
    "group_scores": lambda data, ax: af.plot.group_scores(report(data), ax=ax),
    "error_types": lambda data, ax: af.plot.error_types(data, "type", ax=ax),
    "curve": lambda data, ax: af.plot.curve(data, "reference_length", "anls", ax=ax),
    "confusion_matrix": lambda data, ax: af.plot.confusion_matrix(confusions(data.height), ax=ax),
    "edit_matrix": lambda data, ax: af.plot.edit_matrix("cat"[: data.height], "cafe"[: data.height], ax=ax),
    "threshold_curve": lambda data, ax: af.plot.threshold_curve(report(data).summary, ax=ax),
    "comparison": lambda data, ax: af.plot.comparison(compared(data), ax=ax),
    "ranking": lambda data, ax: af.plot.ranking(ranked(data), ax=ax),
    "heat_map": lambda data, ax: af.plot.heat_map(ranked(data), ax=ax),
    "tradeoff": lambda data, ax: af.plot.tradeoff(ranked(data), ax=ax),
    "worse_slices": lambda data, ax: af.plot.worse_slices(found().frame.head(data.height), ax=ax),
    "risk_coverage": lambda data, ax: af.plot.risk_coverage(curve(data.height), ax=ax),
    "reliability": lambda data, ax: af.plot.reliability(confident().reliability().head(data.height), ax=ax),
    "Selective.plot": lambda _, ax: confident().plot(risk=0.5, ax=ax),
    "Report.plot": lambda data, ax: report(data).plot(ax=ax),
    "Comparison.plot": lambda data, ax: compared(data).plot(ax=ax),
    "Comparison.plot of many": lambda data, ax: ranked(data).plot(metric="cer_corpus", ax=ax),
    "Slices.plot": lambda _, ax: found().plot(ax=ax),
    "Slices.plot of shares": lambda _, ax: found().plot(kind="shares", ax=ax),
    "Comparison.plot of slices": lambda data, ax: compared(data).plot(kind="slices", ax=ax),
}


@functools.cache
def detailed() -> af.Report:
    """Return the report with everything that plots draw."""
    return report(frame(), details=True)


@functools.cache
def results() -> dict[str, Any]:
    """Return what one might take for the input of a plot."""
    return {
        "nothing": None,
        "frame": frame(),
        "report": report(frame()),
        "summary": report(frame()).summary,
        "comparison": compared(frame()),
        "table of a comparison": compared(frame()).to_polars(),
        "ranking": ranked(frame()),
        "confidences": confident(),
    }


WRONG_INPUTS: dict[str, tuple[str, ...]] = {
    "score_distribution": ("frame", "comparison", "nothing"),
    "cer_distribution": ("report", "summary", "comparison", "nothing"),
    "ecdf": ("report", "summary", "comparison", "nothing"),
    "group_scores": ("frame", "summary", "comparison", "nothing"),
    "error_types": ("comparison", "nothing"),
    "curve": ("comparison", "nothing"),
    "confusion_matrix": ("comparison", "nothing"),
    "edit_matrix": ("frame", "report", "comparison", "nothing"),
    "threshold_curve": ("frame", "comparison", "nothing"),
    "comparison": ("frame", "report", "summary", "ranking", "nothing"),
    "ranking": ("frame", "report", "summary", "table of a comparison", "nothing"),
    "heat_map": ("frame", "report", "summary", "table of a comparison", "nothing"),
    "tradeoff": ("frame", "report", "summary", "table of a comparison", "nothing"),
    "worse_slices": ("frame", "report", "summary", "comparison", "nothing"),
    "risk_coverage": ("frame", "report", "confidences", "nothing"),
    "reliability": ("frame", "report", "confidences", "nothing"),
}
"""What each plot must refuse, of `results`."""


def kinds(table: pl.DataFrame) -> list[Any]:
    """Return a table of Polars, of pandas and of Arrow, and a stream, which can be read only once."""
    return [table, table.to_pandas(), table.to_arrow(), table.to_arrow().to_reader()]


INPUTS: dict[str, Callable[[], list[Any]]] = {
    "score_distribution": lambda: [detailed().summary, detailed()],
    "group_scores": lambda: [detailed(), *kinds(detailed().to_polars())],
    "error_types": lambda: [detailed(), detailed().summary],
    "curve": lambda: [detailed(), detailed().summary, *kinds(detailed().lengths())],
    "confusion_matrix": lambda: [detailed(), detailed().summary, *kinds(detailed().confusions())],
    "edit_matrix": lambda: [af.edit_matrix("cat", "cafe")],
    "threshold_curve": lambda: [detailed(), detailed().summary, {"ANLS": detailed()}],
    "comparison": lambda: kinds(compared(frame()).to_polars()),
    "ranking": lambda: kinds(ranked(frame()).ranking),
    "worse_slices": lambda: kinds(found().frame),
    "heat_map": lambda: [(made := ranked(frame())), *kinds(made.ranking)],
    "risk_coverage": lambda: kinds(confident().curve()),
    "reliability": lambda: kinds(confident().reliability()),
}
"""What each plot draws alike, the first of which is how it is usually called."""
ARGUMENTS = {"ecdf": ("nls",), "edit_matrix": ("text",), "curve": ("reference_length", "nls")}
"""What some plots take beside their first argument."""


def labels(ax: Axes, axis: str = "y") -> list[str]:
    """Return the labels beside or below the axes."""
    return [text.get_text() for text in getattr(ax, f"get_{axis}ticklabels")()]
