"""How comparisons look: as text, as a notebook table, as frames and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from notebook_tables import Texts
from shown_figures import NONE

from anls_frame import statistics
from anls_frame.reports.comparisons import Comparison, compare

FRAME = pl.DataFrame(
    {
        "a": ["ab", "x", None, "cd", "abcd"],
        "b": ["ab", "ab", "ab", "c", "x"],
        "t": [["ab"], ["ab"], ["ab"], [], ["abcd"]],
        "types": [["form"], ["form", "table"], ["table"], ["form"], None],
        "lang": ["en", "de", "en", "de", "en"],
    }
)


def made(**options: Any) -> Comparison:
    return compare(FRAME, {"old": "a", "new": "b"}, "t", **{"by": "types", **options})


def test_systems_called_as_the_ends_of_an_interval_are_shown_by_themselves() -> None:
    one = compare(FRAME, {"anls": "a", "anls_low": "b"}, "t")
    line = next(line for line in repr(one).splitlines() if "all rows" in line)

    for figure in one.overall.select("baseline_score", "score").row(0):
        assert f" {figure:.3f} " in line
        assert f"{figure:.3f}" in Texts(one._repr_html_()).cells


def test_two_systems_are_tested_once_for_all_views(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tested, test = [], statistics.pairwise

    def counted(sums: statistics.SystemSums, *pairs: Any, **options: Any) -> statistics.Pairwise:
        tested.append(sums.groups)
        return test(sums, *pairs, **options)

    monkeypatch.setattr(statistics, "pairwise", counted)
    monkeypatch.delattr(statistics, "rank_sets")
    one = made(by=[["lang"], ["types"]])
    shown = repr(one), one._repr_html_(), one.write(tmp_path / "page.html").read_text("utf-8")
    assert all("de" in text for text in shown)
    assert (one.tables["types"].height, one.by_group.height, one.to_polars().height) == (3, 5, 6)
    # All rows, two languages and three types of questions.
    assert sorted(tested) == [1, 2, 3]


def test_notes_account_for_the_rows_and_say_who_wins() -> None:
    one = made()
    cells = Texts(one._repr_html_()).cells
    for note in (
        "and was left out (predicted texts: 1 of old, 1 of new)",
        "missing predictions are scored as the empty text (1 of old).",
        "Difference: new minus old; wins and losses are those of new.",
        "The adjusted p allows for all slices of a table together; all rows are a table of their own.",
        "Each interval has 95 % confidence; intervals are not adjusted for multiple comparisons.",
        "All rows together and 3 slices cannot be tested at 0.05: fewer than 6 rows.",
        one.signature,
    ):
        assert note in " ".join(repr(one).splitlines())
        assert any(note in cell for cell in cells)
    dropped = " ".join(repr(made(missing="drop")).splitlines())
    assert "3 of 5 rows were used; 1 has no accepted answer" in dropped
    lacking = "1 has no prediction of a system (1 of old) and was left out"
    assert f'{lacking}: missing="empty" scores it.' in dropped
    assert repr(one).startswith("new against old: ANLS\n")


def of_steps(steps: dict[str, list[float]], **options: Any) -> Comparison:
    """Compare scores that differ by steps in slices."""
    rows = [(0.5, 0.5 + step, key) for key, values in steps.items() for step in values]
    frame = pl.DataFrame(rows, schema=["a", "b", "k"], orient="row")
    return compare(frame, {"old": "a", "new": "b"}, None, by="k", **options)


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        # Five nearly equal losses: Student's t has little spread, and 2 of 32 signs are as far.
        (
            {"k": [-0.1, -0.11, -0.1, -0.12, -0.1], "l": [0.1, -0.1] * 4},
            "p without adjustment and interval disagree for 1 difference: ",
        ),
        ({"k": [0.1, -0.1] * 5, "l": [0.1, -0.1] * 4}, None),
    ],
)
def test_note_says_why_interval_and_p_value_disagree(steps: dict[str, list[float]], line: str | None) -> None:
    one = of_steps(steps)
    frame = one.to_polars().drop_nulls("p_value")
    excluded = (frame["difference_low"] > 0) | (frame["difference_high"] < 0)
    disagreeing = (excluded != (frame["p_value"] <= 0.05)).sum()
    assert disagreeing == (line is not None)
    assert ("disagree" in repr(one)) == (line is not None)
    assert line is None or line in repr(one)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_what_cannot_be_tested_is_a_dash_and_is_counted(cluster: str | None) -> None:
    rows = [(0.786, 0.0, "one", 1), *((0.5, 0.6, "five", n) for n in range(5))]
    rows += [(0.5, 0.6 if n else 0.4, "six", n) for n in range(6)]
    frame = pl.DataFrame(rows, schema=["a", "b", "k", "doc"], orient="row")
    one = compare(frame, {"old": "a", "new": "b"}, None, by="k", cluster=cluster)
    line = next(line for line in repr(one).splitlines() if "one" in line)
    assert [cell.strip() for cell in line.split("┆")[4:6]] == [f"-0.786 [{NONE}]", NONE]
    units = "rows" if cluster is None else "documents (doc)"
    assert f"2 slices cannot be tested at 0.05: fewer than 6 {units}." in repr(one).splitlines()
    assert one.untestable()["k"].to_list() == ["five", "one"]
    assert one.untestable(0.0625)["k"].to_list() == ["one"]
    assert one.untestable(0.0)["slice"].to_list() == ["overall", "group", "group", "group"]
    assert not one.regressed()
    # Five pairs have p of at least 2 / 2^5, and six of at least 2 / 2^6; six documents have twelve rows.
    few_at_99 = "3 slices" if cluster is None else "All rows together and 3 slices"
    for confidence, kept, least in ((0.9, "1 slice", 5), (0.99, few_at_99, 8)):
        other = compare(frame, one.systems, None, by="k", cluster=cluster, confidence=confidence)
        level = f"{1 - confidence:.2g}"
        assert f"{kept} cannot be tested at {level}: fewer than {least} {units}." in repr(other).splitlines()
        assert any(f"significant at {level}, both" in note for note in other.to_document().notes)
    few = compare(frame, one.systems, None, by="k", cluster=cluster, draws=18)
    assert few.untestable().height == 4
    note = "All rows together and 3 slices cannot be tested at 0.05: with 18 draws p is larger."
    assert note in repr(few).splitlines()
    assert few.by_group["p_value"].drop_nulls().min() > 0.05
