"""
A user's script in typed code, as README and docs write it, on Polars and pandas frames.

mypy reads it in strict mode with the package, `.ci/heavy types` has pyright read it, and a test runs it.
"""

from __future__ import annotations

import warnings
from typing import Any, assert_type

import pandas as pd
import polars as pl

import anls_frame as af
from anls_frame.slices.result import Slices

PREDICTIONS = {"id": [1, 2], "old": ["CocaCola", None], "new": ["Coca Cola", "Pepsi"]}
ANSWERS = {"answers": [["Coca Cola", "Coke"], ["Pepsi"]], "lang": ["en", "de"]}
POLARS = pl.DataFrame(PREDICTIONS | ANSWERS)
PANDAS = pd.DataFrame(PREDICTIONS | ANSWERS)
SYSTEMS = {"old": "old", "new": "new"}


def scores_in_polars() -> None:
    """Score rows with expressions."""
    scored = POLARS.select("old", af.nls("old", "answers"), af.cer("old", "answers", missing="empty"))
    best = POLARS.select(af.anls(pl.col("new"), "answers", protocol="rrc").mean()).item()
    typed = POLARS.with_columns(af.error_type("old", "answers"), pl.struct(af.score("old", "answers")))
    edits = POLARS.select(af.edit_ops("old", pl.col("answers").list.first()).list.len())
    assert_type(scored, pl.DataFrame)
    assert_type(af.add_scores(POLARS, "old", "answers", columns=["anls", "cer"]), pl.DataFrame)
    assert_type(af.add_scores(POLARS.lazy(), "old", "answers"), pl.LazyFrame)
    assert_type(af.levenshtein("old", "new"), pl.Expr)
    assert best == 1.0
    assert typed.height == edits.height == 2


def scores_in_pandas() -> None:
    """Score rows of Series."""
    errors: pd.Series[Any] = af.cer(PANDAS["old"], PANDAS["answers"], missing="empty")
    types = af.error_type(PANDAS["old"], PANDAS["answers"])
    assert_type(af.score(PANDAS["old"], PANDAS["answers"]), pd.DataFrame)
    assert_type(af.add_scores(PANDAS, "old", "answers", missing="empty"), pd.DataFrame)
    assert pd.crosstab(PANDAS["lang"], types).to_numpy().sum() == 2
    assert errors.mean() > 0


def reports_in_polars(report: af.Report[pl.DataFrame]) -> None:
    """Read the tables of a report."""
    assert report.by_group.select("lang", "n", "anls").height == 2
    assert report.errors("lang").filter(pl.col("error_type") == "exact").is_empty()
    assert report.worst["prediction"].to_list()[0] is None
    assert_type(report.confusions(), pl.DataFrame)
    assert_type(report.lengths("lang"), pl.DataFrame)
    assert_type(report.against_rest(measure="anls"), pl.DataFrame)
    assert_type(report.to_pandas(), pd.DataFrame)


def reports_in_pandas(report: af.Report[pd.DataFrame]) -> None:
    """Read the same tables from a pandas frame."""
    assert report.by_group.set_index("lang").loc["en", "n"] == 1
    assert report.errors("lang").query("error_type == 'exact'").empty
    assert_type(report.by("lang"), pd.DataFrame)
    assert_type(report.confusions(), pd.DataFrame)
    assert_type(report.to_polars(), pl.DataFrame)


def overall(report: af.Report) -> float:
    """Take a report of either kind."""
    score: float = report.overall["anls"]
    return score


def results() -> None:
    """Make results from both kinds of frames."""
    of_polars = af.report(POLARS, "old", "answers", by="lang", worst=1, details=True)
    of_pandas = af.report(PANDAS, "old", "answers", by=["lang"], worst=1, details=True)
    reports_in_polars(of_polars)
    reports_in_polars(af.report(POLARS.lazy(), "old", "answers", by="lang", worst=1, details=True))
    reports_in_pandas(of_pandas)
    assert overall(of_polars) == overall(of_pandas)
    of_pandas.plot()
    af.plot.group_scores(of_polars)

    parts = [af.summarize(part, "old", "answers", by="lang") for part in (PANDAS[:1], PANDAS[1:])]
    assert_type(af.Report.from_summary(af.merge(parts)).by_group, pd.DataFrame)
    assert_type(af.threshold_curve(parts[0]), pd.DataFrame)
    assert_type(af.threshold_curve(af.summarize(POLARS, "old", "answers")), pl.DataFrame)
    assert_type(af.Summary.from_bytes(parts[0].to_bytes()), "af.Summary[pl.DataFrame]")

    comparison = af.compare(PANDAS, SYSTEMS, "answers", by="lang", cluster="id")
    assert_type(comparison.by_group, pd.DataFrame)
    assert_type(comparison.untestable(), pd.DataFrame)
    assert_type(comparison.regressions(), pd.DataFrame)
    assert_type(af.compare(POLARS, SYSTEMS, "answers").by(), pl.DataFrame)
    assert comparison.regressed(drop=0.01) is False
    assert_type(comparison.detectable_difference(), pd.DataFrame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", af.InputWarning)  # of a pilot this small
        assert_type(comparison.sample_size(0.01), pd.DataFrame)
    assert_type(comparison.decide(0.01, slices=True).slices, pd.DataFrame | None)


def tables() -> None:
    """Analyse errors."""
    assert_type(af.worst(POLARS, "old", "answers", 5), pl.DataFrame)
    assert_type(af.worst(PANDAS, "old", "answers", n=5, by="lang"), pd.DataFrame)
    assert_type(af.changes(POLARS, SYSTEMS, "answers", kind="all", keep=["id"]), pl.DataFrame)
    assert_type(af.changes(PANDAS, SYSTEMS, "answers", n=1), pd.DataFrame)
    assert_type(af.find_slices(POLARS, "old", "answers", cluster="id").frame, pl.DataFrame)
    assert_type(af.find_slices(PANDAS, SYSTEMS, "answers"), Slices[pd.DataFrame])
    sure = POLARS.with_columns(sure=pl.int_range(pl.len()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", af.InputWarning)  # of few different confidences
        assert_type(af.selective(sure, "old", "answers", "sure").threshold(0.1), pl.DataFrame)
    assert_type(af.confusions(POLARS.lazy(), "old", "answers", by="lang"), pl.DataFrame)
    assert_type(af.confusions(PANDAS, prediction="old", answers="answers"), pd.DataFrame)
    assert_type(af.length_scores(PANDAS, "old", "answers"), pd.DataFrame)
    assert_type(af.repeats.mean_over_epochs(POLARS, "old", "answers", id="id", keep="lang"), pl.DataFrame)
    assert_type(af.repeats.pass_at_k(PANDAS, 1, "old", "answers", id="id"), pd.DataFrame)
    twice = pd.concat([PANDAS, PANDAS])
    components = af.repeats.variance_components(twice, "old", "answers", id="id")
    assert_type(components, af.repeats.VarianceComponents[pd.DataFrame])
    assert_type(components.standard_errors, pd.DataFrame)
    first, second = PANDAS[["id", "old"]], PANDAS[["id", "new"]]
    renamed = [frame.set_axis(["id", "prediction"], axis=1) for frame in (first, second)]
    paired = af.pair(renamed[0], renamed[1], on="id", prediction="prediction", names=("old", "new"))
    assert_type(paired.frame, pd.DataFrame)
    assert_type(paired.only_first, pd.DataFrame)


def fields_of_documents() -> None:
    """Compare documents by field, with kinds of values."""
    documents = {"id": [1], "gold": ['{"total": 5, "due": "3.5.2024"}'], "model": ['{"total": "5,00"}']}
    kinds = {"total": af.fields.number(decimal=","), "due": af.fields.date("%d.%m.%Y")}
    rows = af.fields(pl.DataFrame(documents), "model", "gold", id="id", kinds=kinds)
    assert_type(rows, pl.DataFrame)
    codes = af.fields(pd.DataFrame(documents), "model", "gold", id="id", kinds={"due": "code"})
    assert_type(codes, pd.DataFrame)
    assert_type(af.documents(rows, "prediction", "answers", id="id"), pl.DataFrame)


def pairs() -> None:
    """Score single pairs."""
    metric = af.ANLS()
    metric.update(["CocaCola"], [["Coca Cola"]])
    assert_type(af.anls_score("a", ["a"]), float)
    assert metric.compute() > 0.8
    assert "HYP" in str(af.pairs.alignment("cat", "cafe"))


if __name__ == "__main__":
    for part in (scores_in_polars, scores_in_pandas, results, tables, fields_of_documents, pairs):
        part()
