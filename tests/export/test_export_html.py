"""The HTML report: read back by a parser, and checked for what a browser would load or run."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from export_cases import DASH, NOT_NUMBERS, single
from hostile_texts import HOSTILE_NAMES, HOSTILE_TEXTS, hostile_document, hostile_names
from html_pages import HtmlPage
from plot_cases import compared, frame, report

import anls_frame as af
from anls_frame._text import spelled_space, visible
from anls_frame.export import Document, Table, html, write
from anls_frame.export.charts import Axis, Crossed, Stacked
from anls_frame.export.display import display_table

KNOWN = """
html head meta title style body main header nav section h1 h2 p ul li a code dl dt dd div span small i figure
figcaption script details summary table thead tbody tr th td svg line rect circle text bdi mark ins del wbr
"""


def page(document: Document, folder: Path) -> HtmlPage:
    return HtmlPage(write(document, folder / "page.html").read_text(encoding="utf-8"))


def check_harmless(shown: HtmlPage) -> None:
    """Nothing is loaded, nothing runs but the script that is known."""
    assert shown.tags <= set(KNOWN.split())
    [script] = shown.texts("script")
    policies = [one.attributes["content"] for one in shown.find("meta") if "http-equiv" in one.attributes]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policies == [
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    ]
    assert not any(name.startswith("on") or name in {"src", "srcset", "action"} for name in shown.names)
    assert {one.tag for one in shown.inside if "href" in one.attributes} <= {"a"}
    assert all(re.fullmatch(r"#(s\d+|pair\d+|a\d+-\d+)", link) for link in shown.values("href"))
    assert "url(" not in "".join([*shown.values("style"), *shown.texts("style")])
    assert "@import" not in "".join(shown.texts("style"))


def seen(text: str, *, outer: bool = False) -> str:
    """Return a text as the page has it, in a cell with visible spaces at its ends."""
    if len(text) > html.LONGEST_TEXT:
        rest = len(text) - html.LONGEST_TEXT
        text = f"{text[: html.LONGEST_TEXT]} [... and {rest:,} more characters]"
    if outer:
        spaces = str.maketrans({" ": "␣", "\u00a0": "⟨U+00A0⟩", "\u202f": "⟨U+202F⟩", "\u3000": "⟨U+3000⟩"})
        text = re.sub(r"^\s+|\s+$", lambda match: match[0].translate(spaces), text)
    return visible(text)


def test_hostile_texts_are_shown_and_do_nothing(tmp_path: Path) -> None:
    shown = page(hostile_document(), tmp_path)

    check_harmless(shown)
    cells = shown.texts("td.d")
    assert cells[:2] == ["all rows", "null"]
    expected = [seen(text, outer=True) or "empty" for text in HOSTILE_TEXTS]
    assert cells[2 : len(HOSTILE_TEXTS) + 2] == expected
    notes = [one.text for one in shown.find("li") if one.attributes.get("dir")]
    assert notes[-len(HOSTILE_TEXTS) :] == [seen(text) for text in HOSTILE_TEXTS]
    assert shown.texts("dd") == [seen(text) or "empty" for text in HOSTILE_TEXTS]


@pytest.mark.parametrize("text", [text for text in HOSTILE_NAMES if len(text) < 200], ids=ascii)
def test_a_hostile_name_is_shown_everywhere_and_does_nothing(text: str, tmp_path: Path) -> None:
    shown = page(hostile_names(text), tmp_path)

    check_harmless(shown)
    assert shown.texts("h1") == [seen(text)]
    assert shown.texts("h2")[0] == (seen(text) or "\N{NO-BREAK SPACE}")
    assert shown.texts("th")[0] == seen(text or "nameless")
    assert shown.texts("dt") == [seen(text) or "\N{NO-BREAK SPACE}"]


def test_hostile_names_of_systems_do_nothing(tmp_path: Path) -> None:
    names = list(dict.fromkeys(text for text in HOSTILE_TEXTS if text and len(text) < 100))[:30]
    scores = {f"s{place}": [place / 100, 0.5, 0.75, 0.5] for place in range(len(names))}
    data = pl.DataFrame(scores).with_columns(k=pl.Series(["a", "a", "b", None]))
    for count in (2, len(names)):
        systems = dict(zip(names[:count], scores, strict=False))
        metrics = [af.Metric(dict(zip(systems, systems.values(), strict=True)), name=name) for name in "xy"]
        made = af.compare(data, systems, None, by="k", metrics=metrics, draws=19)
        shown = page(made.to_document(), tmp_path)
        check_harmless(shown)
        cells = {text.strip() for kind in ("td", "th", "div", "li") for text in shown.texts(kind)}
        assert {seen(name).strip() for name in names[:count]} <= cells


def test_hostile_labels_and_categories_of_figures_do_nothing(tmp_path: Path) -> None:
    rows = [(text, {text: 1}) for text in HOSTILE_TEXTS if len(text) < 200]
    shares = Stacked("figure", {kind: "#0072B2" for _, kinds in rows for kind in kinds}, rows, "errors")
    texts = [text for text in HOSTILE_NAMES if 0 < len(text) < 200]
    cells = {(text, text): (1, place) for place, text in enumerate(texts)}
    matrix = Crossed("figure", "table", [((texts[0], texts[1]), texts, texts, cells)], "caption")
    table = Table("table", pl.DataFrame({"n": [1] * len(texts)}))

    shown = page(Document("title", [table], {}, "", figures=[shares, matrix]), tmp_path)

    check_harmless(shown)
    assert shown.texts("div.lab") == [seen(label) for label, _ in rows]
    found = [one.text for one in shown.find("th") if one.attributes.get("scope") == "row"]
    assert found == [seen(spelled_space(text)) for text in texts]


def test_nothing_in_a_page_turns_the_writing_around_it(tmp_path: Path) -> None:
    source = write(hostile_document(), tmp_path / "page.html").read_text(encoding="utf-8")

    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", source)
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", source)
    turned = [one.attributes["dir"] for one in HtmlPage(source).find("td.d") if "dir" in one.attributes]
    assert len(turned) > len(HOSTILE_TEXTS)
    assert set(turned) == {"auto"}


def test_a_report_has_its_parts_and_a_table_of_contents(tmp_path: Path) -> None:
    made = report(frame(), worst=2)

    shown = HtmlPage(made.write(tmp_path / "report.html").read_text(encoding="utf-8"))

    check_harmless(shown)
    parts = ["By type", "Distribution", "Worst rows", "Worst rows, aligned", "How to read this", "Settings"]
    assert sorted(shown.texts("h2")) == sorted(parts)
    links = [(one.attributes["href"], one.text) for one in shown.find("a")]
    sections = [one.attributes["id"] for one in shown.find("section")]
    assert [href for href, _ in links] == [f"#{name}" for name in sections]
    assert [text for _, text in links] == shown.texts("h2")
    assert made.signature in shown.texts("code")
    assert str(made.settings["digest"]) in shown.texts("dd")


def test_a_report_with_details_shows_errors_and_confusions(tmp_path: Path) -> None:
    texts = {"first": ["lnvoice", "b c", None, "x", "a"], "answer": ["Invoice", "bc", "y", "zzz", None]}
    data = pl.DataFrame({**texts, "error_type": [["a"], ["a", "b"], ["b"], [], ["c"]]})
    made = af.report(data, "first", "answer", by="error_type", details=True)

    shown = HtmlPage(made.write(tmp_path / "report.html").read_text(encoding="utf-8"))

    check_harmless(shown)
    assert shown.texts("h2")[:5] == [
        *("By error_type", "Distribution", "Error types by slice"),
        *("Substitutions in rows with NLS of at least 0.5", "How to read this"),
    ]
    assert shown.texts("ul.key")[-1] == (
        "whitespace: 1 (25.0 %)near: 1 (25.0 %)wrong: 1 (25.0 %)missing: 1 (25.0 %)"
    )
    labels = shown.texts("div.lab")[-5:]
    assert labels == ["all rows", "a", "b", "null", "c"]
    assert shown.texts("div.val")[-5:] == ["n = 4", "n = 2", "n = 2", "n = 1", "n = 0"]
    widths = [float((one.attributes["width"] or "").rstrip("%")) for one in shown.find("rect.seg")]
    assert widths[-9:] == [25, 25, 25, 25, 50, 50, 50, 50, 100]
    # Who does not see colours reads the same shares.
    a_and_b = ["whitespace: 50.0 %, near: 50.0 %", "whitespace: 50.0 %, missing: 50.0 %"]
    assert [one.attributes["aria-label"] for one in shown.find("svg.strip")][-4:] == [
        *a_and_b,
        "wrong: 100.0 %",
        "none",
    ]
    cells = shown.texts("td.d")
    assert ["I", "l"] in [cells[at : at + 2] for at in range(len(cells))]


def test_the_worst_rows_are_aligned_with_their_nearest_answers(tmp_path: Path) -> None:
    texts = {"first": ["<b>ab</b>", None, "x" * 5_000], "answer": [["zzz", "<b>ac</b>"], ["y"], ["z" * 9]]}
    data = pl.DataFrame({**texts, "type": ["a", "a", "b"]})

    shown = HtmlPage(report(data, worst=3).write(tmp_path / "report.html").read_text(encoding="utf-8"))

    check_harmless(shown)
    captions = [text for text in shown.texts("p.cap") if text.startswith("Row")]
    assert captions == [
        "Row 2: ANLS 0.000, CER 555.556 (the first 2,000 characters)",
        "Row 3: ANLS 0.889, CER 0.111",
    ]
    assert shown.texts("td.text") == ["z" * 9, "x" * 2_000, "<b>ac</b>", "<b>ab</b>"]
    assert shown.texts("mark")[-2:] == ["c", "b"]


def test_a_cell_has_the_exact_number_and_shows_the_interval(tmp_path: Path) -> None:
    made = report(frame())
    table = made.to_polars()

    shown = HtmlPage(made.write(tmp_path / "report.html").read_text(encoding="utf-8"))

    cells = shown.find("td.n")
    width = len(cells) // table.height
    assert [float(one.attributes["data-v"] or "") for one in cells[1::width]] == pytest.approx(
        table["anls"].to_list()
    )
    low, high = table["anls_low"][0], table["anls_high"][0]
    assert cells[1].text == f"{table['anls'][0]:.3f}[{low:.3f}, {high:.3f}]"
    assert shown.texts("tr.all")[0].startswith("all rows")


def test_what_is_no_number_has_no_place_in_an_order(tmp_path: Path) -> None:
    source = write(single([*NOT_NUMBERS, None, 0.5], "score"), tmp_path / "report.html").read_text("utf-8")
    cells = re.findall(r'<td class="n"( data-v="[^"]*")?>([^<]*)</td>', source)
    assert cells == [("", "NaN"), ("", "inf"), ("", "-inf"), ("", DASH), (' data-v="0.5"', "0.500")]


def test_intervals_are_drawn_on_one_scale(tmp_path: Path) -> None:
    made = report(frame())
    source = made.write(tmp_path / "report.html").read_text(encoding="utf-8")

    drawn = re.findall(r'class="iv" x1="([\d.]+)%" x2="([\d.]+)%"', source)

    table = made.to_polars().select("anls_low", "anls_high").drop_nulls()
    expected = [(float(low), float(high)) for low, high in drawn]
    # Once: in the figure, from four slices on, otherwise in the table.
    assert len(expected) == table.height
    scales = [
        (high - low) / (b - a) for (low, high), (a, b) in zip(expected, table.iter_rows(), strict=False)
    ]
    # To the tenth of a percent that places are written in.
    assert scales == pytest.approx([scales[0]] * table.height, rel=0.005)
    assert all(0 <= place <= 100 for pair in expected for place in pair)


def test_a_comparison_shows_both_systems(tmp_path: Path) -> None:
    made = compared(frame(), "<old>", "new")

    shown = HtmlPage(made.write(tmp_path / "comparison.html").read_text(encoding="utf-8"))

    check_harmless(shown)
    assert "ANLS by type" in shown.texts("h2")
    assert {"<old>", "new", "difference"} <= {*shown.texts("th")}


def test_existing_scores_and_empty_frames_have_pages(tmp_path: Path) -> None:
    scores = af.report(pl.DataFrame({"score": [0.5, -2.0, None]}), metrics="score")
    empty = report(frame(0), worst=3)

    for made in (scores, empty, compared(frame(0))):
        check_harmless(HtmlPage(made.write(tmp_path / "page.html").read_text(encoding="utf-8")))


def test_what_is_left_out_is_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "LARGEST", 1_000_000)
    long = Table("long", pl.DataFrame({"text": ["x" * 100] * 20_000}))
    short = Table("short", pl.DataFrame({"text": ["last"] * 3}))

    path = write(Document("title", [long, short], {}, ""), tmp_path / "page.html")

    shown = HtmlPage(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 1_100_000
    rows = len(shown.texts("td.d")) - 3
    assert 3_000 < rows < 20_000
    [note] = shown.texts("p.cap")
    assert note.startswith(f"The first {rows:,} of 20,000 rows: a page is kept below 1 MB.")
    assert shown.texts("td.d")[-3:] == ["last"] * 3


def test_no_more_rows_are_laid_out_than_can_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "LARGEST", 100_000)
    laid_out = []

    def layout(table: Table) -> Any:
        laid_out.append(table.frame.height)
        return display_table(table)

    monkeypatch.setattr(html, "display_table", layout)
    null = pl.DataFrame(
        {name: pl.Series([None] * 200_000, dtype=pl.Float64) for name in ("s", "s_low", "s_high")}
    )
    path = write(Document("title", [Table("t", null)], {}, ""), tmp_path / "page.html")

    shown = len(HtmlPage(path.read_text(encoding="utf-8")).texts("td.n"))
    assert path.read_text(encoding="utf-8").count(f"The first {shown:,} of 200,000 rows") == 1
    assert shown < max(laid_out) < 20_000


def test_the_head_of_a_report_says_what_its_tables_say() -> None:
    # By hand: 40 right, 30 missing, 20 wrong and 10 blank predictions; half of the German ones are right.
    rows = [("de", "cat", 20), ("de", None, 20), ("en", "cat", 20), ("en", "zzz", 20)]
    rows += [("en", " ", 10), ("fr", None, 10)]
    frame = pl.DataFrame(
        [(lang, text, "cat") for lang, text, count in rows for _ in range(count)],
        schema=["lang", "prediction", "answer"],
        orient="row",
    )
    options: dict[str, Any] = {"by": ["lang"], "details": True}
    made = af.report(frame, "prediction", "answer", **options)
    ends = {name: f"{made.overall[f'anls_{name}']:.3f}" for name in ("low", "high")}
    of_english = made.by_group.filter(lang="en")
    low, high = (of_english[f"anls_{name}"][0] for name in ("low", "high"))
    # French has too few rows to be the worst, though it has no right one.
    assert made.to_document(name="Mine").head == (
        f"Mine: ANLS 0.400 [{ends['low']}, {ends['high']}] over 100 rows; worst with at least 30 rows: "
        f"en 0.400 [{low:.3f}, {high:.3f}]; loss by cause: 50 % missing, 33 % wrong, 17 % empty."
    )
    for other in (
        af.report(frame, "prediction", "answer", **options | {"details": False}),
        af.report(frame, "prediction", "answer", metrics="exact_match", **options),
    ):
        assert "loss by cause" not in other.to_document().head
    # By hand: of 70 rows with a prediction, 20 are wrong and 10 blank.
    dropped = af.report(frame, "prediction", "answer", missing="drop", **options).to_document().head
    assert dropped.endswith("loss by cause: 67 % wrong, 33 % empty.")
    rates = af.report(frame, "prediction", "answer", by="lang", metrics="cer_mean").to_document().head
    assert rates.startswith("CER (mean) 60.0 % [")
    assert "; worst with at least 30 rows: en 60.0 % [" in rates
    plain = af.report(frame, "prediction", "answer", metrics="anls").to_document().head
    assert plain == f"ANLS 0.400 [{ends['low']}, {ends['high']}] over 100 rows."
    without = af.report(frame.head(0), "prediction", "answer").to_document()
    assert without.head == ""


def test_the_head_of_a_comparison_names_the_slice_that_lost_most() -> None:
    texts = [
        ("de", "cat", "cat", 40),
        ("de", "cat", "zzz", 10),
        ("en", "zzz", "cat", 40),
        ("fr", "cat", "zzz", 9),
    ]
    frame = pl.DataFrame(
        [(lang, old, new, "cat") for lang, old, new, count in texts for _ in range(count)],
        schema=["lang", "old", "new", "answer"],
        orient="row",
    )
    made = af.compare(frame, ["old", "new"], "answer", by="lang")
    german = made.by_group.filter(lang="de")
    low, high = (f"{german[f'difference_{name}'][0]:+.3f}" for name in ("low", "high"))
    ends = [f"{made.overall[f'difference_{name}'].item():+.3f}" for name in ("low", "high")]
    assert made.to_document().head == (
        f"ANLS of new 0.808 against old 0.596: +0.212 [{', '.join(ends)}] over 99 rows; "
        f"worst with at least 30 rows: de -0.200 [{low}, {high}]."
    )


def test_a_page_names_its_files_and_has_no_other_date(tmp_path: Path) -> None:
    results, folder = tmp_path / "<b>results.jsonl", tmp_path / "truth"
    folder.mkdir()
    for file, day in ((results, 20), (folder / "old.txt", 3), (folder / "new.txt", 7)):
        file.touch()
        seconds = datetime(2024, 2, day, 23, 59, tzinfo=UTC).timestamp()
        os.utime(file, (seconds, seconds))
    named = ["<b>results.jsonl (2024-02-20)", "truth (2024-02-07)", "runs-*.csv"]
    made, files = report(frame()), [results, str(folder), "runs-*.csv"]

    shown = HtmlPage(made.write(tmp_path / "report.html", source=files).read_text(encoding="utf-8"))

    check_harmless(shown)
    assert shown.texts("p.source") == [", ".join(named)]
    again = made.write(tmp_path / "again.html", source=files).read_text(encoding="utf-8")
    assert again == (tmp_path / "report.html").read_text(encoding="utf-8")
    many = made.write(tmp_path / "many.html", source=[f"{number}.csv" for number in range(14)])
    assert "<bdi>2 more files</bdi></p>" in many.read_text(encoding="utf-8")
    rows = af.browse(frame(), "first", "answer").write(tmp_path / "rows.html", source=results)
    assert "<bdi>&lt;b&gt;results.jsonl (2024-02-20)</bdi></p>" in rows.read_text(encoding="utf-8")


def test_the_head_stands_above_the_notes_and_settings_are_folded(tmp_path: Path) -> None:
    document = report(frame()).to_document()
    shown = page(document, tmp_path)
    assert shown.texts("p.head") == [document.head]
    assert len(shown.texts("details")) == 1


def test_a_page_leaves_out_the_least_important_columns_and_names_them(tmp_path: Path) -> None:
    pages = pl.DataFrame({"page": ["p1", "p2"], "read": ["one twp", None], "text": ["one two", "three"]})
    made = af.report(pages, "read", "text", metrics="ocr")
    shown = HtmlPage(made.write(tmp_path / "few.html").read_text(encoding="utf-8"))
    heads = [head.text for head in shown.find("table")[0].find("th") if head.attributes.get("class") != "g"]
    assert heads == [
        *("slice", "pages", "words", "characters", "CER (corpus)", "WER (corpus)"),
        *("misread", "omitted", "added", "fabricated", "repeated", "moved", "CER in any order"),
        "bag-of-words error (mean)",
    ]
    (note,) = [note for note in shown.texts("li") if "more column" in note]
    assert note.startswith("All pages together has ")
    for name in ("substitutions", "deletions", "insertions", "cer_mean"):
        assert name in note
        assert name in made.write(tmp_path / "all.csv").read_text(encoding="utf-8")
    chosen = made.write(tmp_path / "chosen.html", columns=["cer_mean", "deletions"])
    assert {"CER (mean)", "deletions"} <= {*HtmlPage(chosen.read_text(encoding="utf-8")).texts("th")}


def test_an_interval_without_a_figure_is_one_column(tmp_path: Path) -> None:
    rows = pl.DataFrame({"doc": [f"d{n // 4}" for n in range(80)], "judge": [n % 5 > 0 for n in range(80)]})
    rows = rows.with_columns(judge=pl.col("judge").cast(float), human=(pl.int_range(80) % 4 > 0).cast(float))
    made = af.corrected(rows, "judge", "human", cluster="doc")
    shown = HtmlPage(made.write(tmp_path / "page.html").read_text(encoding="utf-8"))
    table = shown.find("table")[0]
    at = table.texts("th").index("these rows alone")
    # Where every row has a verdict, the mean verdict of these rows is known: 60 of 80.
    assert table.texts("td")[at] == "[0.750, 0.750]"
    assert not any("these rows alone, " in text for text in [*table.texts("th"), *shown.texts("p")])


def test_names_break_between_their_parts_only(tmp_path: Path) -> None:
    names = ["line_items[].unit_price", "Qwen2.5-VL/base.v2", "short_name", "1,234,567.0123456"]
    text = write(single(names, "text"), tmp_path / "page.html").read_text(encoding="utf-8")
    for shown in ("line_<wbr>items[].<wbr>unit_<wbr>price", "Qwen2.5-VL/<wbr>base.<wbr>v2", ">short_name<"):
        assert shown in text
    assert "1,234,567.0123456" in text


def test_labels_of_a_figure_tell_groups_apart_as_its_table_does(tmp_path: Path) -> None:
    groups = [None, "null", "", "empty", "form", "form ", " form"]
    rows = pl.DataFrame({"first": "a", "answer": "a", "type": groups * 3})
    report(rows).write(tmp_path / "page.html")

    shown = HtmlPage((tmp_path / "page.html").read_text(encoding="utf-8"))

    assert set(shown.texts("div.lab")) == {
        *("all rows", "null", '"null"', "empty", '"empty"', "form", "form␣", "␣form"),
    }


@pytest.mark.parametrize(
    ("values", "in_percent", "ends"),
    [
        ((0.1, 0.9), False, ("0.06", "0.94")),
        ((0.94, 0.946), False, ("0.940", "0.946")),
        ((0.172, 0.184), True, ("17 %", "18 %")),
        ((0.007, 0.012), True, ("0.7 %", "1.2 %")),
        ((-0.002, 0.002), True, ("-0.2 %", "0.2 %")),
        ((0.3, 0.1 + 0.2), False, ("0.300000", "0.300000")),
        ((0.5, 0.5), True, ("45 %", "55 %")),
    ],
)
def test_the_ends_of_an_axis_have_the_decimals_that_tell_them_apart(
    *, values: tuple[float, float], in_percent: bool, ends: tuple[str, str]
) -> None:
    assert Axis(values, in_percent=in_percent).ends == ends
