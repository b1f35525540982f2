"""Ranges, periods and ordered categories of pandas slice rows in their own order, everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import anls_frame as af

mpl.use("agg")

LENGTHS = np.array([1, 3, 12, 70, 4, 11, 90, 2] * 10)
MONTHS = pd.PeriodIndex(["2024-10", "2024-02", "2023-12", "2024-02"] * 20, freq="M")
COLUMNS: dict[str, tuple[Any, list[str]]] = {
    "cut": (pd.cut(LENGTHS, [0, 2, 10, 100]), ["(0, 2]", "(2, 10]", "(10, 100]"]),
    "qcut": (pd.qcut(LENGTHS, 2, precision=1), ["(0.9, 7.5]", "(7.5, 90.0]"]),
    "intervals": (
        pd.arrays.IntervalArray.from_arrays(LENGTHS // 10 * 10.0, LENGTHS // 10 * 10.0 + 10),
        ["(0.0, 10.0]", "(10.0, 20.0]", "(70.0, 80.0]", "(90.0, 100.0]"],
    ),
    "periods": (MONTHS, ["2023-12", "2024-02", "2024-10"]),
    "categories of periods": (pd.Categorical(MONTHS), ["2023-12", "2024-02", "2024-10"]),
    "stars": (pd.Categorical([5, 1, 3, 1] * 20, [5, 3, 1], ordered=True), ["5", "3", "1"]),
    "sizes": (
        pd.Categorical(
            ["small", "large", "middle", "small"] * 20, ["small", "middle", "large"], ordered=True
        ),
        ["small", "middle", "large"],
    ),
}


def frame_of(values: Any) -> pd.DataFrame:
    texts = np.where(LENGTHS > 10, "wrong", "right")
    return pd.DataFrame({"old": texts, "new": "right", "gold": "right", "key": values})


@pytest.fixture(params=list(COLUMNS))
def given(request: pytest.FixtureRequest) -> tuple[pd.DataFrame, list[str]]:
    values, labels = COLUMNS[request.param]
    return frame_of(values), labels


def test_slices_stand_in_the_order_of_the_values(given: tuple[pd.DataFrame, list[str]]) -> None:
    frame, labels = given
    means = (frame["old"] == frame["gold"]).groupby(frame["key"].astype(str)).mean()
    report = frame.anls.report("old", "gold", by="key", metrics="exact_match")
    found = report.by_group.sort_values("key")
    assert found["key"].astype(str).tolist() == labels
    assert found["exact_match"].tolist() == means[labels].tolist()
    compared = af.compare(frame, ["old", "new"], "gold", by="key", metrics="exact_match").by_group
    assert compared.sort_values("key")["key"].astype(str).tolist() == labels


def test_an_index_level_and_a_missing_value_are_taken_too(given: tuple[pd.DataFrame, list[str]]) -> None:
    frame, labels = given
    frame.loc[0, "key"] = None
    found = af.report(frame.set_index("key"), "old", "gold", by="key").by_group
    assert set(found["key"].astype(object).where(found["key"].notna(), None)) == {*labels, None}


def test_found_slices_name_them() -> None:
    frame = frame_of(COLUMNS["cut"][0])
    frame["doc"] = np.arange(len(frame))
    found = af.find_slices(frame, "old", "gold", columns=["key"], cluster="doc", metrics="exact_match")
    assert any("(10, 100]" in name for name in found.to_pandas()["description"])


def test_plots_and_files_show_them_in_order(given: tuple[pd.DataFrame, list[str]], tmp_path: Path) -> None:
    frame, labels = given
    report = af.report(frame, "old", "gold", by="key")
    axes = af.plot.group_scores(report)
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert [name for name in shown if name in labels]
    text = report.write(tmp_path / "report.md").read_text()
    assert all(label in text for label in labels)


def test_categories_with_the_same_text_are_refused() -> None:
    frame = frame_of(pd.Categorical([1, "1"] * 40, [1, "1"], ordered=True))
    with pytest.raises(af.DTypeError, match="column 'key' has different categories with the same text"):
        af.report(frame, "old", "gold", by="key")
