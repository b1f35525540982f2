"""Every plot with something to draw: from a frame, a report, a comparison or a summary of the same rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from anls_frame.reports.confidences import Selective
    from anls_frame.slices.result import Slices

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


def found(**options: Any) -> Slices:
    """Find slices in which the second system is right less often, of two columns in two metrics."""
    rows = pl.DataFrame(
        {
            "score": ([0.2, 0.9] * 30 + [1.0] * 240),
            "other": ([0.9] * 60 + [0.3] * 40 + [0.8] * 200),
            "type": ["form"] * 60 + ["fax"] * 40 + ["letter"] * 200,
            "lang": (["ja", "de"] * 30 + ["de"] * 240),
        }
    )
    return af.find_slices(rows, metrics=["score", "other"], search=af.SliceSearch(draws=99), **options)


FOUND = found()


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
    "length_effect": lambda data, ax: af.plot.length_effect(data, "anls", "reference_length", ax=ax),
    "confusion_matrix": lambda data, ax: af.plot.confusion_matrix(confusions(data.height), ax=ax),
    "edit_matrix": lambda data, ax: af.plot.edit_matrix("cat"[: data.height], "cafe"[: data.height], ax=ax),
    "threshold_curve": lambda data, ax: af.plot.threshold_curve(report(data).summary, ax=ax),
    "comparison": lambda data, ax: af.plot.comparison(compared(data), ax=ax),
    "ranking": lambda data, ax: af.plot.ranking(ranked(data), ax=ax),
    "heat_map": lambda data, ax: af.plot.heat_map(ranked(data), ax=ax),
    "worse_slices": lambda data, ax: af.plot.worse_slices(FOUND.frame.head(data.height), ax=ax),
    "risk_coverage": lambda data, ax: af.plot.risk_coverage(curve(data.height), ax=ax),
    "reliability": lambda data, ax: af.plot.reliability(confident().reliability().head(data.height), ax=ax),
    "Selective.plot": lambda _, ax: confident().plot(risk=0.5, ax=ax),
    "Report.plot": lambda data, ax: report(data).plot(ax=ax),
    "Comparison.plot": lambda data, ax: compared(data).plot(ax=ax),
    "Comparison.plot of many": lambda data, ax: ranked(data).plot(metric="cer_corpus", ax=ax),
    "Slices.plot": lambda _, ax: FOUND.plot(ax=ax),
    "Slices.plot of shares": lambda _, ax: FOUND.plot(kind="shares", ax=ax),
    "Comparison.plot of slices": lambda data, ax: compared(data).plot(kind="slices", ax=ax),
}
WRONG_INPUTS: dict[str, Any] = {
    "score_distribution": [frame(), compared(frame()), None],
    "cer_distribution": [report(frame()), report(frame()).summary, compared(frame()), None],
    "ecdf": [report(frame()), report(frame()).summary, compared(frame()), None],
    "group_scores": [frame(), report(frame()).summary, compared(frame()), None],
    "error_types": [compared(frame()), None],
    "length_effect": [compared(frame()), None],
    "confusion_matrix": [compared(frame()), None],
    "edit_matrix": [frame(), report(frame()), compared(frame()), None],
    "threshold_curve": [frame(), compared(frame()), None],
    "comparison": [frame(), report(frame()), report(frame()).summary, ranked(frame()), None],
    "ranking": [frame(), report(frame()), report(frame()).summary, compared(frame()).to_polars(), None],
    "heat_map": [frame(), report(frame()), report(frame()).summary, compared(frame()).to_polars(), None],
    "worse_slices": [frame(), report(frame()), report(frame()).summary, compared(frame()), None],
    "risk_coverage": [frame(), report(frame()), confident(), None],
    "reliability": [frame(), report(frame()), confident(), None],
}
"""What each plot must refuse."""
DETAILED = report(frame(), details=True)
RANKED = ranked(frame())
CURVE, RELIABILITY = confident().curve(), confident().reliability()
INPUTS: dict[str, list[Any]] = {
    "score_distribution": [DETAILED.summary, DETAILED],
    "group_scores": [DETAILED, DETAILED.to_polars(), DETAILED.to_pandas(), DETAILED.to_polars().to_arrow()],
    "error_types": [DETAILED, DETAILED.summary],
    "length_effect": [DETAILED, DETAILED.summary, DETAILED.lengths(), DETAILED.lengths().to_pandas()],
    "confusion_matrix": [
        DETAILED,
        DETAILED.summary,
        DETAILED.confusions(),
        DETAILED.confusions().to_pandas(),
    ],
    "edit_matrix": [af.edit_matrix("cat", "cafe")],
    "threshold_curve": [DETAILED, DETAILED.summary, {"ANLS": DETAILED}],
    "comparison": [compared(frame()).to_polars(), compared(frame()).to_pandas()],
    "ranking": [RANKED.ranking, RANKED.ranking.to_pandas(), RANKED.ranking.to_arrow()],
    "worse_slices": [FOUND.frame, FOUND.to_pandas(), FOUND.frame.to_arrow()],
    "heat_map": [RANKED, RANKED.ranking, RANKED.ranking.to_pandas(), RANKED.ranking.to_arrow()],
    "risk_coverage": [CURVE, CURVE.to_pandas(), CURVE.to_arrow()],
    "reliability": [RELIABILITY, RELIABILITY.to_pandas(), RELIABILITY.to_arrow()],
}
"""What each plot draws alike, the first of which is how it is usually called."""
ARGUMENTS = {"ecdf": ("nls",), "edit_matrix": ("text",), "length_effect": ("nls", "reference_length")}
"""What some plots take beside their first argument."""
