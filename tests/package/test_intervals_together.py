"""Differences of three or more systems: no interval holds for one alone beside p-values adjusted together."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from shown_figures import shown_p

import anls_frame as af
from anls_frame import gec, statistics
from anls_frame.reports.corrected_scores import Corrected

RANDOM = np.random.default_rng(5)
SYSTEMS = ["one", "two", "three"]
ROWS = pl.DataFrame(
    {
        "d": np.repeat(np.arange(40), 10),
        "kind": np.tile(["a", "b"], 200),
        **{name: (RANDOM.random(400) < 0.7 + 0.05 * place) * 1.0 for place, name in enumerate(SYSTEMS)},
    }
)
ENDS = ["difference_low", "difference_high"]


def judged(names: list[str], **options: Any) -> pl.DataFrame:
    truths = [
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.col(name) * (pl.col("d") > 4)).alias(f"{name} true")
        for name in names
    ]
    systems = {name: (name, f"{name} true") for name in names}
    made: Corrected[pl.DataFrame] = af.corrected(
        ROWS.with_columns(truths), systems=systems, cluster="d", **options
    )
    return made.differences


def sentences(names: list[str], **options: Any) -> pl.DataFrame:
    edit = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
    texts = [
        pl.when(pl.col(name) > 0).then(pl.lit("He goes home .")).otherwise(pl.lit("He go home .")).alias(name)
        for name in names
    ]
    gold = ROWS.select("d", *texts, source=pl.lit("He go home ."), edits=pl.lit([edit]))
    table: pl.DataFrame = gec.compare(names, gold, cluster="d", draws=9, **options)
    return table[1:]


@pytest.mark.parametrize("compared", [judged, sentences])
def test_intervals_of_several_differences_hold_together(compared: Any) -> None:
    together = compared(SYSTEMS)
    for place, system in enumerate(SYSTEMS[1:]):
        # Each of two differences has half of the 5 %.
        alone = compared(["one", system], confidence=0.975)
        assert together[ENDS].row(place) == pytest.approx(alone[ENDS].row(0), rel=1e-9)
        assert alone[ENDS].row(0) != pytest.approx(compared(["one", system])[ENDS].row(0), rel=1e-3)


def test_macro_averages_of_several_systems_are_shown_without_intervals_of_each_alone() -> None:
    comparison = af.compare(ROWS, SYSTEMS, None, by="kind", cluster="d", draws=99)
    averages = comparison.macro()
    shown = comparison.to_text(macro=True).split("Macro averages")[1].splitlines()
    for line, adjusted in zip(
        averages.iter_rows(named=True), statistics.holm(averages["p_value"].to_numpy()), strict=True
    ):
        (text,) = [text for text in shown if f" {line['system']} " in text]
        difference, p_value = (cell.strip() for cell in text.split("┆")[-3:-1])
        assert difference == f"{line['difference']:+.3f}"
        assert p_value == shown_p(float(adjusted))
    of_two = af.compare(ROWS, SYSTEMS[:2], None, by="kind", cluster="d", draws=99)
    assert f"[{of_two.macro()['difference_low'].item():+.3f}" in of_two.to_text(macro=True)


def test_several_confidences_are_shown_without_intervals_of_each_alone() -> None:
    random = np.random.default_rng(1)
    rows = ROWS.with_columns(
        **{f"sure {place}": pl.col("one") * place + random.random(400) for place in range(3)}
    )
    names = [f"sure {place}" for place in range(3)]
    several = af.selective(rows, metrics="one", model_confidence=names, cluster="d")
    p_values = statistics.holm(several.differences["p_value"].to_numpy())
    for line, adjusted in zip(several.differences.iter_rows(named=True), p_values, strict=True):
        said = f"AUGRC of {line['signal']} minus sure 0: {line['difference']:+.3f}, p, adjusted "
        assert f"{said}{shown_p(float(adjusted))}." in several.to_text()
    two = af.selective(rows, metrics="one", model_confidence=names[:2], cluster="d")
    assert f"[{two.differences['difference_low'].item():+.3f}" in two.to_text()
