"""Reports of pages: how much text there was, the worst slices first, and the worst pages."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jiwer
import openpyxl
import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein

import anls_frame as af

PAGES = af.sample("pages").filter(pl.col("lang").is_in(["en", "de"])).gather_every(2)
TEXTS = ("tesseract", "reference")


def counted(texts: Iterable[str]) -> tuple[int, int, int]:
    """Return the numbers of pages, words and characters."""
    texts = list(texts)
    return len(texts), sum(len(text.split()) for text in texts), sum(map(len, texts))


def counts(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["n"], row["words"], row["characters"]


def corpus_cer(pages: pl.DataFrame) -> float:
    pages = pages.with_columns(pl.col("tesseract").fill_null(""))
    return float(jiwer.cer(pages["reference"].to_list(), pages["tesseract"].to_list()))


@pytest.mark.parametrize("cluster", [None, "doc_type"])
def test_pages_words_and_characters_are_those_of_the_references(cluster: str | None) -> None:
    expected = {kind: counted(own["reference"]) for (kind,), own in PAGES.group_by("doc_type")}
    options: dict[str, Any] = {"metrics": "ocr", "by": ["doc_type"], "cluster": cluster}
    is_form = pl.col("doc_type") == "form"
    parts = [af.summarize(PAGES.filter(rows), *TEXTS, **options) for rows in (is_form, ~is_form)]
    if cluster is not None:
        parts = [part.fold_clusters() for part in parts]
    kind = PAGES if cluster is None else PAGES.to_pandas()

    for report in (af.report(kind, *TEXTS, **options), af.Report(af.merge(parts))):
        assert counts(report.overall) == counted(PAGES["reference"])
        found = pl.DataFrame(report.by_group).to_dicts()
        assert {row["doc_type"]: counts(row) for row in found} == expected


def test_missing_pages_count_where_they_are_scored() -> None:
    pages = pl.DataFrame({"p": ["a b", None, "c", "d"], "a": ["a b", "c d e", "", None]})

    assert counts(af.report(pages, "p", "a", metrics="ocr").overall) == (3, 5, 8)
    assert counts(af.report(pages, "p", "a", metrics="ocr", missing="drop").overall) == (2, 2, 3)


def test_characters_are_what_the_protocol_counts() -> None:
    pages = pl.DataFrame({"p": ["Bache noire"], "a": ["Ba\u0308che noire"]})

    def found(errors: af.ScoreProtocol | str = "raw") -> dict[str, Any]:
        protocol = af.PROTOCOLS["anls"].replace(errors=errors)
        overall = af.report(pages, "p", "a", metrics="ocr", protocol=protocol).overall
        return {name: overall[name] for name in ("words", "characters") if name in overall}

    assert found() == {"words": 2, "characters": 12}
    assert found("dinglehopper") == {"words": 2, "characters": 11}
    # Rates of words alone have no characters to show.
    assert found(af.PROTOCOLS["raw"].by("word")) == {"words": 2}


def test_other_reports_have_no_lengths() -> None:
    columns = af.report(PAGES, *TEXTS, metrics=["cer_corpus", "wer_corpus"]).to_polars().columns
    assert not {"words", "characters"} & {*columns, *af.report(PAGES, *TEXTS).overall}


def test_a_metric_cannot_take_the_name_of_a_length() -> None:
    own = af.Metric(lambda prediction, answers: prediction.str.len_chars(), name="words")  # noqa: ARG005
    with pytest.raises(ValueError, match="'words' is taken"):
        af.report(PAGES, *TEXTS, metrics=["ocr", own])
    assert af.report(PAGES, *TEXTS, metrics=own).overall["words"] > 0


def test_the_worst_slices_come_first_unless_told_otherwise(tmp_path: Path) -> None:
    rates = {kind: corpus_cer(own) for (kind,), own in PAGES.group_by("doc_type")}
    words = {kind: counted(own["reference"])[1] for (kind,), own in PAGES.group_by("doc_type")}
    summary = af.summarize(PAGES, *TEXTS, metrics="ocr", by="doc_type")
    summary.save(tmp_path / "summary.parquet")

    loaded = af.Report(af.Summary.load(tmp_path / "summary.parquet"))

    def order(**shown: Any) -> list[str]:
        return loaded.to_document(**shown).main.frame["doc_type"].to_list()[1:]

    assert order() == sorted(rates, key=rates.__getitem__, reverse=True)
    assert order(sort="words") == sorted(words, key=words.__getitem__, reverse=True)
    assert order(sort="n") == order(sort="doc_type") == sorted(rates)
    kinds = ["receipt", "table", "form", "letter", "invoice"]
    enumerated = PAGES.with_columns(pl.col("doc_type").cast(pl.Enum(kinds)))
    assert af.report(enumerated, *TEXTS, metrics="ocr", by="doc_type").by_group["doc_type"].to_list() == kinds


def test_lengths_are_in_print_and_in_files(tmp_path: Path) -> None:
    report = af.report(PAGES, *TEXTS, metrics="ocr")
    pages, words, characters = counted(PAGES["reference"])

    assert f"┆ {pages}* ┆ {words:,} ┆ {characters:,} " in re.sub(" +", " ", repr(report))
    (row,) = json.loads(report.write(tmp_path / "r.json").read_text(encoding="utf-8"))["tables"][
        "All pages together"
    ]
    assert counts(row) == (pages, words, characters)
    # A workbook has no room for them, unless columns are chosen.
    chosen = report.write(tmp_path / "r.xlsx", columns=["words", "characters", "cer_corpus"])
    sheet = openpyxl.load_workbook(chosen).worksheets[0]
    cells = {cell.value: cell.column for line in sheet.iter_rows() for cell in line}
    assert {words, characters} <= cells.keys()
    assert cells[words] == cells["words"]
    assert cells[characters] == cells["characters"]
    for name in ("r.html", "r.md", "r.csv"):
        text = report.write(tmp_path / name).read_text(encoding="utf-8")
        between = {"r.html": ",", "r.md": ",", "r.csv": ""}[name]
        shown = f"{characters:,}".replace(",", between)
        assert shown in text, name


def test_the_worst_pages_are_named_with_the_rates_of_characters_and_words(tmp_path: Path) -> None:
    read = PAGES.drop_nulls("tesseract")
    by_page = {
        page: (Levenshtein.distance(text, truth) / len(truth), jiwer.wer([" ".join(truth.split())], [text]))
        for page, text, truth in read.select("doc_id", *TEXTS).iter_rows()
    }
    worst = sorted(by_page, key=by_page.__getitem__, reverse=True)[:3]

    report = af.report(read, *TEXTS, metrics="ocr", worst=3, keep=["doc_id"])
    html = report.write(tmp_path / "report.html").read_text(encoding="utf-8")

    assert report.worst["doc_id"].to_list() == worst
    captions = [*dict.fromkeys(re.findall(r'id="pair\d+" dir="auto">([^<(]*)', html))]
    assert [caption.split(": ")[0] for caption in captions] == worst
    for caption, page in zip(captions, worst, strict=True):
        assert "ANLS" not in caption
        assert f"CER {100 * by_page[page][0]:.1f} %, WER " in caption
    of_answers = af.report(read, *TEXTS, worst=1).write(tmp_path / "qa.html").read_text(encoding="utf-8")
    assert re.search(r"Row 1: ANLS \d\.\d{3}, CER \d\.\d{3}<", of_answers)


def test_the_worst_pages_are_aligned_in_what_the_protocol_counts(tmp_path: Path) -> None:
    # A letter with two marks is one cluster of three code points, and one word.
    pages = pl.DataFrame({"p": ["x y\nz b"], "a": ["x y\nz a\u0323\u0302"]})
    edits = {}
    for unit in ("codepoint", "grapheme", "word"):
        protocol = af.PROTOCOLS["anls"].replace(errors=af.PROTOCOLS["raw"].by(unit))
        report = af.report(pages, "p", "a", metrics="ocr", protocol=protocol, worst=1)
        html = report.write(tmp_path / f"{unit}.html").read_text(encoding="utf-8")
        (found,) = re.findall(r"(\d+) edits? in 1 of 2 lines", html)
        edits[unit] = int(found)
    assert edits == {"codepoint": 3, "grapheme": 1, "word": 1}


def test_pages_have_their_lengths_beside_their_number_and_the_worst_ones_their_names(tmp_path: Path) -> None:
    pages = PAGES.rename({"doc_id": "page"})
    made = af.report(pages, *TEXTS, metrics="ocr", by="lang", worst=3)
    text = made.write(tmp_path / "report.html").read_text("utf-8")

    heads = re.findall("<th[^>]*>(.*?)</th>", text.partition("</thead>")[0])
    assert [re.sub("<[^>]*>", "", head) for head in heads][:5] == [
        "lang",
        "pages",
        "words",
        "characters",
        "CER (corpus)",
    ]
    captions = re.findall('<p class="cap" id="pair[0-9]+" dir="auto">([^:]*):', text)
    assert captions == made.worst["page"].to_list()
    assert af.report(pages, *TEXTS, metrics="ocr", by="page", worst=3).worst.height == 3


@pytest.mark.parametrize(
    ("noun", "name"),
    [(None, "All rows, worst first"), ("utterances", "All utterances, worst first"), ("pages", "All pages")],
)
def test_every_row_and_all_rows_together_are_tables_with_different_names(noun: str | None, name: str) -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "read": ["one", "tvvo"], "said": ["one", "two"]})
    report = af.report(frame, "read", "said", metrics="cer_mean", worst=2, keep="id")
    names = [table.name for table in report.to_document(noun=noun).tables]
    assert name in names
    assert len({*names}) == len(names)


def test_a_report_of_pages_speaks_of_pages_and_their_errors(tmp_path: Path) -> None:
    pages = PAGES.rename({"doc_id": "page"})
    report = af.report(pages, *TEXTS, metrics="ocr", worst=100, details=True)
    document = report.to_document()
    overall = report.overall

    head = f"CER {100 * overall['cer_corpus']:.1f} % [{100 * overall['cer_corpus_low']:.1f}, "
    assert document.head.startswith(head)
    assert f"WER {100 * overall['wer_corpus']:.1f} % · {pages.height} pages, " in document.head
    names = [table.name for table in document.tables]
    assert "All pages" in names
    assert "Error types" not in names
    (rates,) = [table for table in document.tables if table.name == "All pages"]
    assert rates.frame["page"].to_list() == report.worst["page"].to_list()
    assert not {"prediction", "answers", "anls", "nls"} & {*rates.frame.columns}
    html = report.write(tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"misread {100 * overall['misread']:.1f}" in html
    assert "NLS of the rows" not in html
    assert html.count('class="len"') == 2 * pages.height
    substituted = [table.frame for table in document.tables if "substitutions" in table.name]
    assert not substituted[0]["reference_char"].str.contains(r"^\s+$").any()


def test_the_matrix_of_substitutions_names_characters_for_private_use() -> None:
    pages = pl.DataFrame({"p": ["qr ab"] * 2, "a": ["\ue8bf\ueba7 ab"] * 2})
    drawn = af.report(pages, "p", "a", metrics="ocr", details=True).to_document().figures
    (matrix,) = [figure for figure in drawn if "Substitutions" in str(figure)]
    assert {"⟨U+E8BF⟩", "⟨U+EBA7⟩"} <= {*re.findall(r"⟨U\+E...⟩", str(matrix))}


@pytest.mark.parametrize("metrics", ["ocr", "speech", "wer_corpus"])
def test_the_wer_of_texts_without_spaces_has_a_note(metrics: str) -> None:
    def notes_of(text: str, **options: Any) -> list[str]:
        pages = pl.DataFrame({"p": [text, "a"], "a": [text, ""]})
        return af.report(pages, "p", "a", metrics=metrics, **options).to_document().notes

    japanese = "東京都千代田区丸の内一丁目"
    assert any("Words have 13 characters on average" in note for note in notes_of(japanese))
    by_words = af.PROTOCOLS["raw"].replace(words="uax29")
    for notes in (notes_of("a few words"), notes_of(""), notes_of(japanese, protocol=by_words)):
        assert not any("on average" in note for note in notes)


@pytest.mark.parametrize("metrics", ["speech", "ocr", "wer_mean"])
def test_a_note_says_that_words_reach_over_the_ends_of_lines(metrics: str) -> None:
    """The segments of Whisper's text files are lines; jiwer 4 gives the same rate."""
    lines = {"reference": ["Call me. No. Ten."], "a": ["Call me.\nNo.\nTen."], "b": ["Call me. No."]}
    pages = pl.DataFrame({"page": ["1"], **lines})
    squeezed = af.PROTOCOLS["jiwer"].replace(whitespace="squeeze")

    def notes_of(protocol: Any, frame: pl.DataFrame = pages, name: str = "reference") -> list[str]:
        report = af.report(frame, "a", name, metrics=metrics, protocol=protocol)
        comparison = af.compare(frame, ["a", "b"], name, metrics=metrics, protocol=protocol)
        return [note for result in (report, comparison) for note in result.to_document().notes]

    said = "the last word of a line and the first of the next are one"
    assert sum(said in note for note in notes_of("jiwer")) == 2
    others = [
        notes_of(squeezed),
        notes_of("anls"),
        notes_of("jiwer", pages.rename({"page": "id", "reference": "text"}), "text"),
    ]
    assert not [note for notes in others for note in notes if said in note]
    assert jiwer.wer(lines["reference"], lines["a"]) == 0.75
    rates = pages.select(
        af.wer("a", "reference", protocol=protocol).alias(str(number))
        for number, protocol in enumerate(["jiwer", squeezed])
    )
    assert rates.row(0) == (0.75, 0.0)


@functools.cache
def results() -> list[Any]:
    """Return what is made of pages: reports, and comparisons of two and of three engines."""
    # With the names of the columns that `read_pages` makes.
    pages = PAGES.with_columns(third="tesseract", page=pl.int_range(PAGES.height).cast(pl.String))
    engines = ["tesseract", "rapidocr", "third"]
    options: dict[str, Any] = {"by": "lang", "metrics": ["cer_corpus", "wer_corpus"]}
    return [
        af.report(pages, *TEXTS, **options),
        af.report(pages, *TEXTS, metrics="ocr", worst=3, details=True),
        *(af.compare(pages, engines[:count], "reference", **options, draws=99) for count in (2, 3)),
    ]


@pytest.mark.parametrize("suffix", [".html", ".md", ".tex", ".txt"])
def test_pages_are_called_pages_everywhere(suffix: str, tmp_path: Path) -> None:
    for result in results():
        if suffix == ".txt":
            text = result.to_text()
        else:
            path = tmp_path / f"{type(result).__name__}{suffix}"
            every = [table.name for table in result.to_document().tables]
            text = result.write(path, tables=every).read_text("utf-8")
        text = re.sub(r"(?s)<style.*?</style>|<script.*?</script>", "", text)
        shown = re.sub(r"(?m)<[^>]*>|^%.*$", " ", text)
        assert "all pages" in shown
        assert re.search(r"\bpages\b", shown)
        # Of rows speak only the note on slices with few of them, those of tables, and the name of a setting.
        shown = re.sub(
            r"few rows or documents|[Tt]able(, by +lang +)?: \d+ rows|\brows(: `\d+`|  +\d+  )", "", shown
        )
        assert not re.findall(r".*\brows?\b.*", shown)
        assert "Scores" not in shown
        assert "ANLS" not in shown


QUESTIONS = pl.DataFrame({"p": ["cat", "c0w", "ox"] * 20, "a": ["cat", "cow", "ox"] * 20})


def test_rows_of_questions_are_no_pages() -> None:
    options: dict[str, Any] = {"metrics": ["cer_corpus", "wer_corpus"], "details": True, "worst": 2}
    report = af.report(QUESTIONS, "p", "a", **options)
    shown = report.to_text() + " ".join(report.to_document().notes) + report.to_document().head
    assert shown.startswith("Error rates of all rows")
    assert "60 rows" in shown
    assert "page" not in shown
    compared = af.compare(QUESTIONS, {"p": "p", "q": "a"}, "a", metrics="cer_corpus").to_text()
    assert "all rows" in compared
    assert "page" not in compared
    assert "page" not in af.find_slices(QUESTIONS, "p", "a", ["a"], metrics="cer").to_text()


def test_rows_are_called_by_their_noun(tmp_path: Path) -> None:
    report = af.report(QUESTIONS, "p", "a", metrics=["cer_corpus", "wer_corpus"])
    comparison = af.compare(QUESTIONS, {"p": "p", "q": "a"}, "a", metrics="cer_corpus")
    found = af.find_slices(QUESTIONS, "p", "a", ["a"], metrics="cer")
    for result in (report, comparison, found):
        assert "utterances" in result.to_text(noun="utterances")
        for suffix in (".html", ".md", ".tex"):
            text = result.write(tmp_path / f"r{suffix}", noun="utterances").read_text("utf-8")
            assert "utterances" in text
    assert "all utterances" in report.to_text(noun="utterances")
    assert report.to_document(noun="pages").head.startswith("CER")
    for noun in ("utterance", "", 3):
        with pytest.raises(ValueError, match="noun must be a plural that ends in s"):
            report.to_text(noun=noun)


def test_the_worst_utterances_are_known_by_their_ids() -> None:
    rows = pl.DataFrame({"question_id": ["1.wav", "2.wav"], "asr": ["no", "yes"], "said": ["yes", "yes"]})
    report = af.report(rows, "asr", "said", metrics="speech", worst=1)
    assert report.worst["question_id"].to_list() == ["1.wav"]
    text = report.to_text(noun="utterances")
    assert "│ utterance ┆     CER" in text
    assert "│ 1.wav     ┆ 100.0 %" in text


def test_a_comparison_of_many_rates_counts_them_and_defines_them_for_pages() -> None:
    pages = pl.DataFrame({"old": ["one twp", "two"], "new": ["one two", "two"], "text": ["one two", "two"]})
    made = af.compare(pages, ["old", "new"], "text", metrics="ocr", draws=199)
    # The rates of "ocr" are fourteen.
    assert made.to_document().title == "new against old: CER (corpus) and 13 more error rates"
    meanings = " ".join(made.to_document().main.definitions.values())
    assert "mean of the pages' character error rates" in meanings
    assert "{" not in meanings
    few = af.compare(pages, ["old", "new"], "text", metrics=["cer_corpus", "wer_corpus"], draws=199)
    assert few.to_document().title == "new against old: CER (corpus) and WER (corpus)"


def test_rates_of_pages_are_in_per_cent_wherever_people_read_them(tmp_path: Path) -> None:
    # Of 20 characters, 3 are wrong.
    rows = pl.DataFrame({"old": ["abcdefghix", "abcdefghyx"], "new": ["abcdefghij"] * 2})
    rows = rows.with_columns(truth=pl.lit("abcdefghij"), lang=pl.Series(["de", "en"]))
    how: dict[str, Any] = {"metrics": ["cer_corpus", "wer_corpus"], "by": "lang", "worst": 2}
    report = af.report(rows, "old", "truth", **how)
    compared = af.compare(rows, ["old", "new"], "truth", metrics="cer_corpus", by="lang")
    for made, said in ((report, "15.0 %"), (compared, "-15.0 pp")):
        for text in (made.to_text(), made.write(tmp_path / "m.md").read_text(encoding="utf-8")):
            assert said in text
            assert re.findall(r"0\.[12]\d\d", text) == []
        assert "0.15" in made.write(tmp_path / "m.csv").read_text(encoding="utf-8")
    assert report.overall["cer_corpus"] == 0.15
    # Scores of answers are shares, also next to error rates.
    assert "0.150" in af.report(rows, "old", "truth", metrics=["nls", "cer_corpus"]).to_text()
