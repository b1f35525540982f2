"""Code for two systems in one metric works with any number of systems and metrics, of any scores."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af

WORDS = ["total", "12 EUR", "Jackson", "yes"]
EVERY = [f"system {number}" for number in range(6)]
COLUMNS = [
    *("metric", "baseline", "system", "n", "score", "score_low", "score_high", "baseline_score"),
    *("difference", "difference_low", "difference_high", "p_value", "p_adjusted"),
    *("wins", "ties", "losses", "few_rows", "n_clusters"),
]
OF_SLICES = [
    *("description", "metric", "system", "n", "n_clusters", "baseline_score", "score"),
    *("change", "change_low", "change_high", "rest", "difference", "share_of_rows", "share_of_loss"),
    *("p_adjusted", "few_rows", "overlapping"),
]


@functools.cache
def questions() -> pl.DataFrame:
    """Systems that are right a little less often each, and all but the first one less often in German."""
    dice = np.random.default_rng(7)
    answers = [WORDS[place] for place in dice.integers(0, 4, 240)]
    lang = np.array(["de", "en"] * 120)
    table: dict[str, Any] = {"answer": answers, "doc": np.arange(240) // 4, "lang": lang}
    for place, system in enumerate(EVERY):
        share = 0.05 + 0.03 * place + 0.3 * (lang == "de") * (place > 0)
        wrong = dice.random(240) < np.minimum(share, 0.9)
        table[system] = [f"{text}x" if bad else text for text, bad in zip(answers, wrong, strict=True)]
        table[f"{system} score"], table[f"{system} size"] = 5.0 - 3 * wrong, dice.integers(1, 4, 240)
    return pl.DataFrame(table)


def in_one_document() -> pl.DataFrame:
    """The same rows, which are all of one document."""
    return questions().with_columns(doc=pl.lit(0))


def pages() -> pl.DataFrame:
    """Pages of two engines, and of a third that cuts off the end."""
    rows = af.sample("pages")
    return rows.select(
        *("lang", "tesseract", "rapidocr"),
        doc="doc_id",
        answer="reference",
        cut=pl.col("rapidocr").str.head(150),
    )


def in_parts(frame: pl.DataFrame, *, fold: bool = False, draws: int, **options: Any) -> af.Comparison:
    """Return the comparison of three summaries, which share documents."""
    parts = [af.summarize(frame.gather_every(3, start), **options) for start in range(3)]
    return af.Comparison.from_summary(
        af.merge(part.fold_clusters() if fold else part for part in parts), draws=draws
    )


def folded(frame: pl.DataFrame, **options: Any) -> af.Comparison:
    """Return the same comparison of groups of documents."""
    return in_parts(frame, fold=True, **options)


def compared(frame: Any, *, prediction: Any, **options: Any) -> af.Comparison:
    """Return the comparison of a frame, with the options of `summarize`."""
    return af.compare(frame, prediction, **options)


def own(systems: Sequence[str]) -> list[af.Metric]:
    """Return a score of 0 to 5 points, and the ratio of two columns."""
    points, sizes = ({name: f"{name} {what}" for name in systems} for what in ("score", "size"))
    ratio = af.Metric(points, denominator=sizes, name="points_per_size", bounds=(0, None))
    return [af.Metric(points, name="points", bounds=(0, 5)), ratio]


class Case(NamedTuple):
    """What is compared, and how."""

    systems: Sequence[str] = EVERY
    metrics: Sequence[str] | Callable[[Sequence[str]], Any] = ("anls", "exact_match", "cer_corpus")
    rows: Callable[[], pl.DataFrame] = questions
    answers: str | None = "answer"
    made: Callable[..., af.Comparison] = compared
    in_pandas: bool = False

    def options(self, systems: Sequence[str]) -> dict[str, Any]:
        """Return the options of all functions."""
        metrics = self.metrics(systems) if callable(self.metrics) else list(self.metrics)
        return {"prediction": list(systems), "answers": self.answers, "cluster": "doc", "metrics": metrics}

    def frame(self) -> Any:
        """Return the rows."""
        return self.rows().to_pandas() if self.in_pandas else self.rows()

    def comparison(self, systems: Sequence[str]) -> af.Comparison:
        """Return the comparison of some systems."""
        return self.made(self.frame(), by="lang", draws=99, **self.options(systems))


CASES = {
    "two in one": Case(EVERY[:2], ["anls"]),
    "six in three, pandas": Case(in_pandas=True),
    "two rates": Case(EVERY[:2], ["cer_corpus"]),
    "rates": Case(EVERY[:4], ["cer_corpus", "wer_corpus"]),
    "own scores": Case(EVERY[:4], own, answers=None),
    "pages": Case(["rapidocr", "tesseract", "cut"], ["cer_corpus", "wer_corpus", "bag_of_words"], pages),
    "one document": Case(EVERY[:3], rows=in_one_document),
    "parts": Case(EVERY[:4], made=in_parts),
    "folded": Case(EVERY[:4], made=folded),
}


@functools.cache
def whole(name: str) -> af.Comparison:
    """Return the comparison of all systems of a case."""
    return CASES[name].comparison(CASES[name].systems)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a Polars or pandas frame."""
    return (frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)).to_dicts()


@pytest.mark.filterwarnings("ignore:the plan comes from:anls_frame.InputWarning")
@pytest.mark.parametrize("name", CASES)
def test_the_same_cell_reads_every_comparison(name: str, tmp_path: Path) -> None:
    case, comparison = CASES[name], whole(name)
    lines = (len(case.systems) - 1) * len(comparison.measures)
    slices = len(set(case.rows()["lang"]))
    overall, groups, alone = comparison.overall, comparison.by_group, comparison.by("lang")

    for frame in (overall, groups, alone, comparison.regressions(), comparison.differences()):
        assert isinstance(frame, pd.DataFrame if case.in_pandas else pl.DataFrame)
    assert list(overall.columns) == COLUMNS
    assert list(groups.columns) == list(alone.columns) == ["lang", *COLUMNS]
    assert (
        comparison.to_polars().columns == list(comparison.to_pandas().columns) == ["slice", *groups.columns]
    )
    assert (len(overall), len(groups)) == (lines, slices * lines)
    assert comparison.to_polars().height == (1 + slices) * lines

    first = rows_of(overall)[0]
    names = (comparison.measures[0].name, *case.systems[:2])
    assert (first["metric"], first["baseline"], first["system"]) == names
    assert first["difference"] == first["score"] - first["baseline_score"]
    assert float(overall["difference"].max()) >= first["difference"]
    lost = [row["system"] for row in rows_of(comparison.regressions()) if row["slice"] == "overall"]
    assert set(lost) <= set(overall["system"])

    for plan in (comparison.detectable_difference(), comparison.sample_size(0.1)):
        assert len(plan) == (1 + slices) * lines
        assert list(plan["system"])[:lines] == list(overall["system"])

    decision = comparison.decide(0.1, slices=True)
    assert decision.answer in {"fine", "regressed", "undecided"}
    assert str(decision).startswith(f"{decision.answer}: ")
    assert len(decision.sentences) == lines
    keys = ["metric", "baseline", "system", "n"]
    assert [row[name] for row in rows_of(decision.frame) for name in keys] == [
        row[name] for row in rows_of(overall) for name in keys
    ]
    assert decision.slices is not None
    assert len(decision.slices) == slices * lines

    # The first table of all rows is that of `differences`, which compares all pairs.
    against = rows_of(comparison.differences(case.systems[0]))
    pairs = [row for row in against if row["slice"] == "overall"]
    assert [{name: row[name] for name in COLUMNS} for row in pairs] == rows_of(overall)
    for suffix in ("md", "html", "xlsx"):
        assert comparison.write(tmp_path / f"comparison.{suffix}").stat().st_size
    assert comparison.plot().get_xlabel()
    assert comparison.plot(kind="slices").get_title()
    assert comparison.to_gt() is not None
    assert repr(comparison)


@pytest.mark.parametrize("name", CASES)
def test_lines_are_those_of_two_systems(name: str) -> None:
    # All but p-values, which are adjusted for all lines, and of more than two systems are of another test.
    case, every = CASES[name], whole(name).to_polars().drop("p_value", "p_adjusted")
    for system in case.systems[1:]:
        of_two = case.comparison([case.systems[0], system]).to_polars().drop("p_value", "p_adjusted")
        assert_frame_equal(every.filter(system=system), of_two, rel_tol=1e-9, abs_tol=1e-12)


def test_metrics_with_scores_in_different_rows_keep_their_names() -> None:
    # Recall has no score in rows without an answer, so the other metrics have more rows.
    frame = pl.DataFrame(
        {
            "a": ["x", "y", None, "u", "v", "w"] * 5,
            "b": ["x", "z", "w", None, "v", "w"] * 5,
            "answer": ["x", "y", None, None, "v", "q"] * 5,
            "lang": (["de"] * 3 + ["en"] * 3) * 5,
        }
    )
    metrics = ["field_recall", "exact_match", "field_precision", "wrong_share"]
    comparison = af.compare(frame, ["a", "b"], "answer", metrics=metrics, by="lang", draws=99)
    by = {"overall": af.report(frame, "b", "answer", metrics=metrics).overall}
    sliced = af.report(frame, "b", "answer", metrics=metrics, by="lang").by_group
    by |= {line["lang"]: line for line in sliced.iter_rows(named=True)}
    lines = comparison.to_polars().to_dicts()
    assert len(lines) == 3 * len(metrics)
    for line in lines:
        assert line["score"] == pytest.approx(by[line["lang"] or "overall"][line["metric"]], abs=1e-12)
    for key in ("overall", "de", "en"):
        assert [line["metric"] for line in lines if (line["lang"] or "overall") == key] == metrics
    labels = ("recall of fields", "exact match", "precision of fields", "share of wrong fields")
    first_table = str(comparison).partition(" by lang")[0]
    printed = [line for line in first_table.splitlines() if line.startswith("│ ")][1:]
    for line, label, name in zip(printed, labels, metrics, strict=True):
        cells = [cell.strip() for cell in line.split("┆")]
        assert (cells[0].lstrip("│ "), cells[3]) == (label, f"{by['overall'][name]:.3f}")


@pytest.mark.parametrize("name", ["two in one", "six in three, pandas", "own scores", "pages"])
def test_the_same_cell_finds_slices_in_which_systems_lost(name: str, tmp_path: Path) -> None:
    case, search = CASES[name], af.SliceSearch(draws=39, min_rows=5)
    found = af.find_slices(case.frame(), columns="lang", search=search, **case.options(case.systems))
    assert list(found.frame.columns) == OF_SLICES
    assert list(found.systems) == list(case.systems)
    in_slices = whole(name).to_polars()
    listed = rows_of(found.frame)
    assert listed
    for number, line in enumerate(listed):
        lang = line["description"].removeprefix("lang = ")
        row = in_slices.row(
            by_predicate=(pl.col("lang") == lang)
            & (pl.col("metric") == line["metric"])
            & (pl.col("system") == line["system"]),
            named=True,
        )
        assert line["change"] == pytest.approx(row["difference"], rel=1e-9)
        assert (line["n"], line["baseline_score"]) == (row["n"], pytest.approx(row["baseline_score"]))
        assert set(found.rows(case.frame(), number)["lang"]) == {lang}
    for suffix in ("csv", "json", "md", "html", "xlsx", "parquet"):
        assert found.write(tmp_path / f"slices.{suffix}").stat().st_size
    assert found.plot().get_xlabel()
    assert len(found.sentences) == len(listed)
    assert repr(found)
