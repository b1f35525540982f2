"""How reports look: as text, as a notebook table, as frames and files, whatever the keys hold."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from notebook_tables import HOSTILE, NONE, TAGS, Texts

import anls_frame as af
from anls_frame.analysis.browsing import RowsPage
from anls_frame.reports import reports
from anls_frame.reports.reports import Report, report

FRAME = pl.DataFrame(
    {
        "p": ["ab", "abcd", None, "x", "ab"],
        "a": [["ab"], ["abce"], ["a"], [""], []],
        "types": [["form", "table"], ["table"], ["form"], None, ["form"]],
        "lang": ["en", "de", "en", "de", "en"],
        "doc": [1, 1, 2, 2, 3],
    }
)


def made(**options: Any) -> Report:
    return report(FRAME, "p", "a", **{"by": "types", "cluster": "doc", **options})


def shown(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


@pytest.mark.parametrize("by", [None, "types", ["types", "lang"]], ids=str)
def test_text_and_table_hold_the_figures_of_every_slice(by: Any) -> None:
    one = made(by=by)
    text, page = repr(one), Texts(one._repr_html_())
    for row in one.to_polars().iter_rows(named=True):
        figures = [f"{row['n']}*", shown(row["nls"]), shown(row["zeros"])]
        for name in ("anls", "exact_match", "cer_corpus"):
            bounds = f" [{shown(row[f'{name}_low'])}, {shown(row[f'{name}_high'])}]"
            none = " [\N{EN DASH}]" if row[name] is not None else ""
            figures.append(shown(row[name]) + (bounds if row[f"{name}_low"] is not None else none))
        line = next(line for line in text.splitlines() if all(f" {figure} " in line for figure in figures))
        if row["slice"] == "overall":
            assert "all rows" in line
        else:
            keys = [row[key] for key in (by if isinstance(by, list) else [by])]
            assert all(f" {'null' if key is None else key} " in line for key in keys)
        assert set(figures) <= set(page.cells)
    assert "all rows" in page.cells


def test_figures_are_estimated_once_for_all_views(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made()
    slices, text = one.by_group, one.to_text()

    def estimate_anything(*_: object) -> None:
        raise AssertionError("slices were estimated again")

    monkeypatch.setattr(reports, "estimate", estimate_anything)
    assert one.by("types").equals(slices)
    assert one.to_text() == text
    assert one.to_document(sort="anls", min_n=2).tables[0].frame.height == 3
    with pytest.raises(AssertionError, match="estimated again"):
        _ = made().overall


@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_notes_account_for_the_rows(missing: Any) -> None:
    one = made(missing=missing)
    counts = {
        "empty": "missing predictions are scored as the empty text (1).",
        "drop": '1 has no prediction and was left out: missing="empty" scores it.',
    }
    cells = Texts(one._repr_html_()).cells
    n = {"empty": 4, "drop": 3}[missing]
    unanswerable = "1 has no accepted answer and was left out (predicted texts: 1): "
    used = f'{n} of 5 rows were used; {unanswerable}unanswerable="empty" scores it; {counts[missing]}'
    for note in (
        used,
        f"The reference of 1 of {n} rows has no text: all text predicted there counts as errors.",
        "A row in several slices counts once in each, so the counts may add up to more than the total.",
        "Intervals allow for 2 documents (doc).",
        (
            "* few rows or documents, or a figure that rests on few of them: treat the interval as rough; "
            "where they are too few, there is none."
        ),
        one.signature,
    ):
        assert note in " ".join(repr(one).splitlines())
        assert note in cells


def test_few_rows_are_marked_and_enough_are_not() -> None:
    many = pl.DataFrame(
        {"s": [0.0, 0.5, 1.0, 1.0] * 100, "k": ["many"] * 300 + ["few"] * 100, "d": range(400)}
    )
    alone = report(many.with_columns(d=pl.col("d") % 200), metrics="s", by="k")
    assert alone.to_polars()["few_rows"].to_list() == [False, False, False]
    assert "few rows" not in repr(alone)
    # The hundred are of two documents.
    together = report(many.with_columns(d=pl.min_horizontal("d", 301)), metrics="s", by="k", cluster="d")
    assert together.to_polars()["few_rows"].to_list() == [True, False, True]
    lines = repr(together).splitlines()
    assert [line.split("┆")[1].strip() for line in lines if "┆" in line][1:] == ["400*", "300", "100*"]
    assert any(line.startswith("* few rows or documents") for line in lines)
    page = Texts(together._repr_html_())
    assert {"400*", "300", "100*"} <= set(page.cells)


def test_rows_too_few_for_an_interval_are_said_to_be() -> None:
    rows = pl.DataFrame({"s": [0.0, 0.5, 1.0, 1.0] * 5, "d": [0, 1] * 10, "alone": [1] * 20})
    said = "; where they are too few, there is none."
    assert said not in " ".join(report(rows, metrics="s", cluster="d").to_document().notes)
    one = report(rows, metrics="s", cluster="alone")
    assert one.overall["s_low"] is None
    assert said in " ".join(one.to_document().notes)


def test_only_lists_put_a_row_in_several_slices() -> None:
    note = "A row in several slices counts once in each"
    assert note in repr(made(by=["lang", "types"]))
    assert note not in repr(made(by="lang"))
    assert note not in repr(made(by=None))


def test_title_says_what_is_sliced() -> None:
    capital = report(FRAME.with_columns(Types="types"), "p", "a", by="Types")
    assert repr(capital).startswith("Scores by Types\n")
    assert repr(made()).startswith("Scores by types\n")
    assert repr(made(by=["types", "lang"])).startswith("Scores by types and lang\n")
    assert repr(made(by=None)).startswith("Scores of all rows\n")
    assert repr(report(FRAME, metrics="doc")).startswith("doc of all rows\n")


def test_existing_scores_are_shown_under_their_name() -> None:
    one = report(FRAME, metrics="doc", by="lang")
    heading = repr(one).splitlines()[2]
    assert [cell.strip() for cell in heading.strip("│").split("┆")] == ["lang", "rows", "doc"]
    assert "doc" in Texts(one._repr_html_()).cells
    with pytest.raises(ValueError, match="'n' is taken"):
        report(FRAME.rename({"doc": "n"}), metrics="n", by="lang")
    renamed = report(FRAME.rename({"doc": "n"}), metrics=af.Metric("n", name="pages"), by="lang")
    assert [cell.strip() for cell in repr(renamed).splitlines()[2].strip("│").split("┆")] == [
        *("lang", "rows", "pages")
    ]


@pytest.mark.parametrize("name", ["ANLS", "exact match", "CER (corpus)"])
def test_slices_called_as_a_heading_keep_theirs(name: str) -> None:
    one = (
        made(by=name, cluster=None)
        if name in FRAME.columns
        else report(FRAME.rename({"lang": name}), "p", "a", by=name)
    )
    headings = [cell.strip() for cell in repr(one).splitlines()[2].strip("│").split("┆")]
    assert headings[0] == name
    assert len(headings) == len(set(headings)) == 7
    assert "en" in repr(one)


@pytest.mark.parametrize("key", HOSTILE)
def test_hostile_keys_and_names_are_texts_in_a_page(key: str) -> None:
    frame = pl.DataFrame({"p": ["a", "b"], "a": ["a", "a"], key: [key, "other"]})
    one = report(frame, "p", "a", by=key, cluster=key)
    html = one._repr_html_()
    page = Texts(html)
    assert page.tags <= TAGS
    assert not any(name.startswith("on") for name in page.names)
    assert not {"href", "src"} & page.names
    assert page.cells.count(key) == 2
    assert f"Scores by {key}" in set(page.cells)
    assert any(cell.endswith(f"documents ({key}).") for cell in page.cells)
    assert "<script" not in html


def test_styles_are_of_the_tables_of_the_result_only() -> None:
    comparison = af.compare(FRAME, {"old": "p", "new": "p"}, "a", by="lang")
    for result, selected in ((made(), "#anls-report"), (comparison, "#anls-comparison")):
        (style, *_) = re.findall("<style>(.*?)</style>", result._repr_html_(), re.DOTALL)
        rules = re.findall(r"([^{}]+)\{[^{}]*\}", style)
        assert len(rules) > 20
        for rule in rules:
            for selector in re.split(r",(?![^()]*\))", rule):
                assert selector.strip().startswith(f"{selected} ")


def test_control_characters_are_shown_by_symbols() -> None:
    keys = ["\x1b]0;title\x07\x1b[31mred", "two\nlines", "a\tb", "\0", "\r", "\x9b31m"]
    name = "the\x1b[0mkey"
    one = report(pl.DataFrame({"p": ["a"] * 6, "a": ["a"] * 6, name: keys}), "p", "a", by=name, cluster=name)
    for text in (repr(one), " ".join(Texts(one._repr_html_()).cells)):
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", text)
        for expected in ("␛]0;title␇␛[31mred", "two␊lines", "a␉b", "␀", "␍", "⟨U+009B⟩31m", "the␛[0mkey"):
            assert expected in text
    # The data are as they were.
    assert set(one.by_group[name]) == set(keys)


def test_many_slices_are_cut_in_notebooks_with_a_note() -> None:
    frame = pl.DataFrame({"p": ["a"] * 510, "a": ["a"] * 510, "b": ["b"] * 510, "k": range(510)})
    note = "... and 11 more rows; `by_group` has them all."
    made: Any
    for made in (report(frame, "p", "a", by="k"), af.compare(frame, {"x": "p", "y": "b"}, "a", by="k")):
        shown, whole = made._repr_html_(), made.to_gt().as_raw_html()
        # The note is a row as well.
        assert whole.count("<tr") - shown.count("<tr") == 11 - 1
        assert note in shown
        assert "more rows" not in whole
    assert "more rows" not in report(frame[:499], "p", "a", by="k")._repr_html_()


def test_large_counts_are_grouped_and_long_keys_cut_with_a_mark() -> None:
    frame = pl.DataFrame({"p": ["a"] * 1234, "a": ["a"] * 1234, "k": ["long " * 100] * 1234})
    text = repr(report(frame, "p", "a", by="k"))
    assert " 1,234 " in text
    assert max(map(len, text.splitlines()[:8])) < 200
    assert "…" in text


def test_a_summary_is_a_line_at_the_prompt() -> None:
    frame = pl.DataFrame({"p": ["a", "b", None], "a": ["a", "x", "y"], "by\u202e": [["x"], ["y"], ["x"]]})
    parts = [
        af.summarize(frame, "p", "a", by="by\u202e", worst=2, details=True, part=name)
        for name in ("one", "two")
    ]

    assert repr(parts[0]) == (
        "<Summary of p on 3 rows by by⟨U+202E⟩: 1 part, 2 cells, 2 worst rows, details; "
        f"{parts[0].settings.signature}>"
    )
    assert repr(af.merge(parts)).startswith("<Summary of p on 6 rows by by⟨U+202E⟩: 2 parts, 2 cells")
    assert "\n" not in repr(parts[0])


def test_marks_of_direction_reach_neither_terminal_nor_notebook() -> None:
    mark = "\u202e"
    frame = pl.DataFrame(
        {
            "p": ["a", "b", "c"] * 40,
            f"q{mark}": ["a", "b", "x"] * 40,
            "r": ["a", "x", "x"] * 40,
            "a": ["a", "b", "y"] * 40,
            f"by{mark}": [f"x{mark}y", "z", "\u2066null"] * 40,
        }
    )
    by = f"by{mark}"
    systems = {f"old{mark}": "p", "new\u200f": f"q{mark}"}
    shown = [
        af.report(frame, "p", "a", by=by, worst=2, details=True),
        af.compare(frame, systems, "a", by=by, details=True),
        af.compare(frame, systems | {"\ufeff3": "r"}, "a", by=by),
        af.find_slices(frame, "p", "a", columns=[by]),
        af.browse(frame, f"q{mark}", "a", by=by, id=by),
    ]

    for result in shown:
        # A page of rows holds texts as data, which its script shows as symbols.
        texts = [repr(result), str(result)]
        texts += [] if isinstance(result, RowsPage) else [result._repr_html_() or ""]
        for text in texts:
            assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", text), type(result)


@pytest.mark.parametrize("method", ["write", "to_text", "to_document", "to_gt"])
def test_an_option_that_no_result_has_is_named_with_those_that_there_are(method: str, tmp_path: Any) -> None:
    comparison = af.compare(FRAME, {"old": "p", "new": "p"}, "a", by="lang")
    path = tmp_path / "r.md"
    for result, option in ((made(), "min_n"), (comparison, "significant")):
        call = getattr(result, method)
        with pytest.raises(
            TypeError, match=rf"no option 'percnt' to show a {result.noun}; .*percent.*{option}"
        ):
            call(*([path] if method == "write" else []), percnt=True)
    assert not path.exists()
