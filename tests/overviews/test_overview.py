"""Overviews on screens, pages and in files, and their figures beside those of other results."""

from __future__ import annotations

import html
import json
import random
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from html_pages import HtmlPage
from overview_cases import pages, planted
from shell import fine

import anls_frame as af

SAMPLE = af.sample()


@pytest.fixture(scope="module")
def made() -> Any:
    return af.overview(SAMPLE, "tesseract")


def test_figures_are_those_of_the_other_results(made: Any) -> None:
    report = af.report(SAMPLE, "tesseract", "answers", details=True, cluster="doc_id")
    assert made.report.overall["anls"] == report.overall["anls"]
    assert made.account.frame.equals(report.account.frame)
    named = ["cause", "n", "loss", "share_of_loss"]
    assert made.causes.select(named).equals(report.causes().select(named))
    assert made.causes["loss"].sum() == pytest.approx(1 - report.overall["anls"], abs=1e-15)
    assert (made.causes["loss_low"] <= made.causes["loss"]).all()
    assert (made.causes["loss"] <= made.causes["loss_high"]).all()
    slices = af.find_slices(SAMPLE, "tesseract", "answers", list(made.roles.by), cluster="doc_id", n=5)
    assert made.slices.equals(slices.frame)


def test_a_terminal_of_100_columns_has_45_lines(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = repr(made).splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100
    for said in (
        "ANLS 0.660 [",
        "1,568 of 1,624 rows were used",
        "documents: doc_id, found",
        "│ wrong ",
        "1. Get",
    ):
        assert said in repr(made)
    assert made.to_text(title="Week 3").startswith("Week 3\n")


def test_the_screen_shows_the_columns_and_tables_that_are_asked_for(made: Any) -> None:
    def tables(**options: Any) -> list[list[str]]:
        lines = made.to_text(**options).splitlines()
        heads = [index + 1 for index, line in enumerate(lines) if line.startswith("┌")]
        return [[lines[index - 2], *lines[index].strip("│ ").split(" ┆ ")] for index in heads]

    every = ["cause", "rows", "lowers the score by", "of the total loss"]
    assert [[cell.strip() for cell in one] for one in tables()] == [["What lowers the score", *every]]
    [few] = tables(columns=["share_of_loss", "example"])
    assert [cell.strip() for cell in few[1:]] == ["cause", "of the total loss", "example"]
    chosen = tables(tables=["What was taken for what", "lang"])
    assert [table[0] for table in chosen] == ["What was taken for what", "By lang"]
    text = made.to_text(tables=["lang"], intervals=False)
    assert "│ en       ┆   560  ┆ 0.701 │" in text
    assert "0.151 [" not in made.to_text(intervals=False)
    assert text.endswith(made.signature)
    with pytest.raises(ValueError, match="tables must be among"):
        made.to_text(tables=["By year"])
    with pytest.raises(ValueError, match="columns must be among"):
        made.to_text(columns=["nls"])
    # A table of causes always names them, on the page too.
    document = made.to_document(columns=["n"])
    assert list(document.main.headings) == ["cause", "n"]


def test_the_page_shows_everything_in_order(made: Any, tmp_path: Path) -> None:
    made.write(tmp_path / "overview.html", source="results.parquet")
    text = (tmp_path / "overview.html").read_text(encoding="utf-8")
    assert len(text) < 1_000_000
    page = HtmlPage(text)
    names = [
        "What lowers the score",
        "Where it fails",
        "What to do first",
        "By doc_type",
        "By question_types",
    ]
    headings = page.texts("h2")
    assert [name for name in headings if name in names] == names
    for call in made.step_frame["call"]:
        assert html.escape(call).replace("&quot;", "&#34;") in text
    assert "Rows: the worst of each cause" in headings
    assert "(most often: " in text


def test_examples_are_aligned_with_the_answer_that_counts() -> None:
    rows = [("Koca Cola", ["Pepsi", "Coca Cola"]), (None, ["seven", "7"]), ("x", ["x"])] * 10
    made = af.overview(pl.DataFrame(rows, ["prediction", "answers"], orient="row"))
    examples = dict(made.to_document().main.frame.select("cause", "example").iter_rows())
    assert examples["near"].startswith("“Koca Cola” for “Coca Cola”")
    # All answers are equally far from nothing, so the first one is shown.
    assert examples["missing"] == "nothing for “seven”"


def test_each_found_slice_is_a_step_and_the_largest_gain_comes_first(made: Any) -> None:
    steps = made.advice.filter(rule="slice")
    assert sorted(steps["n"]) == sorted(made.slices["n"])
    # By hand: (0.67611 - 0.28175) * 66 / 1568; 12 documents do not exclude that nothing would be won.
    assert steps["n"][0] == 66
    assert steps["gain"][0] == pytest.approx(0.016599, abs=1e-6)
    assert steps["gain_low"][0] < 0
    assert steps["gain"].is_sorted(descending=True)


def test_data_formats_hold_causes_and_the_call(made: Any, tmp_path: Path) -> None:
    for suffix in (".json", ".md", ".csv", ".xlsx", ".tex"):
        made.write(tmp_path / f"overview{suffix}")
    document = json.loads((tmp_path / "overview.json").read_text(encoding="utf-8"))
    assert document["settings"]["code"] == made.code
    # No format loses what became of the rows.
    for suffix in (".json", ".md"):
        text = (tmp_path / f"overview{suffix}").read_text(encoding="utf-8")
        assert "1,568 of 1,624 rows were used" in text
    assert {"What lowers the score", "What to do first"} <= {*document["tables"]}
    assert pl.read_csv(tmp_path / "overview.csv")["loss"].sum() == pytest.approx(made.causes["loss"].sum())
    assert pl.DataFrame(made).equals(made.causes)
    assert "<iframe" in made._repr_html_()


def test_each_cause_links_its_rows_on_the_page_of_rows(tmp_path: Path) -> None:
    frame, _ = planted("unwrap", 0)
    missing, _ = planted("missing", 0)
    # The table has a column of its own of this name.
    frame = frame.with_columns(missing["prediction"].alias("other"), cause=pl.lit("x")).with_columns(
        prediction=pl.when(pl.col("other").is_null()).then(None).otherwise("prediction")
    )
    made = af.overview(frame.drop("other"))
    causes = ("missing", "wrapped", "near")
    counted = dict(made.row_causes.explode(empty_as_null=True).value_counts().iter_rows())
    for cause in causes:
        assert counted[cause] == made.causes.filter(cause=cause)["n"].item()
    frame.drop("other").write_parquet(tmp_path / "r.parquet")
    fine(shell.run(tmp_path, "overview", "r.parquet", "-o", "o.html", "--rows", "900"))
    text = (tmp_path / "o.html").read_text(encoding="utf-8")
    for cause in causes:
        assert f"=%22{cause}%22&amp;" in text


def test_a_cause_of_several_systems_links_the_rows_of_the_best_one(tmp_path: Path) -> None:
    frame, _ = planted("missing", 0)
    frame = frame.with_columns(worse=pl.lit("zzzz"))
    made = af.overview(frame, {"worse": "worse", "best": "prediction"})
    assert made.row_causes.name == "cause of best"
    counted = dict(made.row_causes.explode(empty_as_null=True).value_counts().iter_rows())
    assert counted["missing"] == made.causes.filter(system="best", cause="missing")["n"].item()
    frame.write_parquet(tmp_path / "r.parquet")
    arguments = ("r.parquet", "--systems", "worse,prediction", "-o", "o.html", "--rows", "900")
    fine(shell.run(tmp_path, "overview", *arguments))
    text = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert "=%22missing%22&amp;" in text


@pytest.mark.parametrize("perfect", ["one", "self", "*", "^tw.$", "cause", "few_rows"])
@pytest.mark.parametrize("second", [["x", "y", "v"], ["x", "y", "z"]])
def test_a_system_without_a_loss_is_beside_others(second: list[str], perfect: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", "y", "z"], "b": second, "t": ["x", "y", "z"]})
    made = af.overview(frame, {perfect: "a", "two": "b"}, "t")
    lost = [line for line in str(made).splitlines() if "wrong" in line]
    assert [line.split()[3:6:2] for line in lost] == ([["0.000", "0.333"]] if second[2] == "v" else [])
    made.write(tmp_path / "o.html")


@pytest.mark.parametrize("name", ["n", "loss", "share_of_loss"])
def test_causes_of_a_system_named_like_their_columns(name: str) -> None:
    frame = pl.DataFrame({name: ["x", "v"], "t": ["x", "y"]})
    other = af.overview(frame.rename({name: "one"}), "one", "t").to_document().main
    table = af.overview(frame, name, "t").to_document().main
    assert (table.headings, table.bars) == (other.headings, other.bars)


def test_several_systems_are_side_by_side(tmp_path: Path) -> None:
    made = af.overview(SAMPLE, {"old": "tesseract", "new": "rapidocr"})
    assert "ANLS of new" in repr(made)
    by_system = made.causes.group_by("system", maintain_order=True).agg(pl.col("loss").sum())
    scores = {
        name: af.report(SAMPLE, column, "answers").overall["anls"]
        for name, column in made.roles.systems.items()
    }
    assert {name: 1 - loss for name, loss in by_system.iter_rows()} == pytest.approx(scores)
    # Slices and steps are those of the best system.
    assert made.report.overall["anls"] == max(scores.values())
    made.write(tmp_path / "overview.json")
    causes = json.loads((tmp_path / "overview.json").read_text())["tables"]["What lowers the score"]
    losses = [line["old"] + line["new"] for line in causes]
    assert losses == sorted(losses, reverse=True)


def test_pages_have_kinds_of_errors_that_add_up_to_the_rate() -> None:
    frame = pl.DataFrame(
        {
            "doc_id": [f"page {row}" for row in range(20)],
            "ocr": ["a 1ine of text\n" * 3, "a line\n" * 5] * 10,
            "gt": ["a line of text\n" * 3, "a line\n" * 5] * 10,
        }
    )
    made = af.overview(frame, "ocr", "gt", metrics="ocr")
    # By hand: 3 of 45 and 0 of 35 characters.
    assert made.causes["loss"].sum() == pytest.approx(made.report.overall["cer_corpus"])
    # Kinds that do not occur are no causes.
    assert made.causes["cause"].to_list() == ["misread"]
    assert "CER" in repr(made)
    assert "WER" in repr(made)
    # All errors are of one kind: each 1 for an l.
    assert made.advice["rule"].to_list() == ["confusion"]
    # Ten pages have three wrong characters of 45, and the three worst are shown, line by line.
    misread = {"cause": "misread", "n": 10, "loss": 3 / 80}
    assert made.causes.select("cause", "n", pl.col("loss").round(12)).row(0, named=True) == misread
    assert made.worst_rows.select("cause", "lost").rows() == [("misread", 3 / 45)] * 3
    assert made.row_causes.to_list() == [["misread"], []] * 10
    aligned = made.to_document().figures[-1]
    titles = [f"misread, page page {row}: loses 6.7 %" for row in (0, 2, 4)]
    assert (aligned.name, [title for title, *_ in aligned.rows]) == ("Pages: the worst of each cause", titles)
    assert made.advice["gain"].to_list() == pytest.approx([3 / 80])
    assert "'l' is read as '1' 30 times, 100 % of all edits" in repr(made).replace("\n", " ")
    document = made.to_document()
    assert document.main.name == "Kinds of errors"
    # The bar stands above its table, without kinds that do not occur.
    assert [(figure.table, figure.parts[0][:2], len(figure.parts)) for figure in document.figures[:1]] == [
        ("Kinds of errors", ("misread", 1.0), 1)
    ]


def test_pages_show_all_rates_in_per_cent(tmp_path: Path) -> None:
    made = af.overview(pages("slice", 1), "ocr", "gt", metrics="ocr", cluster="book")
    assert f"CER {100 * made.report.overall['cer_corpus']:.1f} %" in repr(made)
    for text in (repr(made), made.write(tmp_path / "o.md").read_text(encoding="utf-8")):
        assert f"{100 * made.causes['loss'][0]:.1f} % [" in text
        assert f"{100 * made.slices['score'][0]:.1f} % [" in text
    # Besides the settings, no figure is a fraction.
    assert re.findall(r"\b0\.\d+", repr(made).partition("\nanls|")[0].replace("above 0.5", "")) == []
    both = pages("slice", 1).with_columns(half=pl.col("ocr").str.slice(0, 300))
    compared = af.overview(both, {"whole": "ocr", "half": "half"}, "gt", metrics="ocr", cluster="book")
    assert re.search(r"of half \d\d\.\d % against whole", repr(compared))
    caption = made.to_document().figures[0].caption
    assert caption == f"Per cent of the {100 * made.causes['loss'].sum():.1f} % that are wrong"


def test_text_invented_for_a_blank_page_is_no_misreading() -> None:
    frame = pages("", 1)
    is_blank = pl.int_range(pl.len()) % 8 == 0
    blank = pl.when(is_blank).then(pl.lit("")).otherwise("gt")
    invented = pl.when(is_blank).then(pl.lit("invented").alias("ocr")).otherwise("ocr")
    made = af.overview(frame.with_columns(gt=blank, ocr=invented), "ocr", "gt", metrics="ocr")
    assert made.row_causes is not None
    assert made.row_causes.gather_every(8).to_list() == [["added"]] * 15
    assert made.row_causes.list.contains("misread").sum() == 105
    misread, of_blank = made.worst_rows.partition_by("cause", maintain_order=True)
    assert (misread["nearest"] != "").all()
    assert of_blank["lost"].to_list() == [8.0] * 3
    assert re.search(r"CER \d+\.\d % .*; worst: \w+ \d+\.\d %", repr(made))


def test_pages_without_text_or_prediction_have_steps() -> None:
    frame = pages("unreadable", 1)
    hidden = pl.int_range(frame.height) % 10 == 0
    no_text = frame.with_columns(gt=pl.when(~hidden).then("gt"))
    assert "CER" in repr(af.overview(no_text, "ocr", "gt", metrics="ocr", unanswerable="empty"))
    unread = frame.with_columns(ocr=pl.when(~hidden).then("ocr"))
    steps = af.overview(unread, "ocr", "gt", metrics="ocr").advice
    # Pages without a prediction are read again, too.
    both = {*range(0, 120, 10)} | {page for page, rate in enumerate(_rates(frame)) if rate > 0.5}
    assert steps.filter(rule="unreadable")["n"].item() == len(both)
    kinds = ["misread", "omitted", "added", "fabricated", "repeated", "moved"]
    assert af.overview(frame, "ocr", "gt", metrics=kinds).advice.is_empty()


def _rates(frame: pl.DataFrame) -> pl.Series:
    return frame.select(af.cer("ocr", "gt")).to_series()


def test_protocols_without_a_threshold_have_causes() -> None:
    made = af.overview(SAMPLE, "tesseract", protocol="raw")
    assert made.causes["loss"].sum() == pytest.approx(1 - made.report.overall["nls"])


def test_questions_without_an_answer_can_count() -> None:
    frame, _ = planted("invented", 0)
    made = af.overview(frame, unanswerable="empty")
    assert "invented" in made.causes["cause"].to_list()
    assert made.causes["loss"].sum() == pytest.approx(1 - made.report.overall["anls"])
    assert made.advice["rule"][0] == "invented"
    assert made.advice["gain"][0] > 0


def test_a_perfect_system_and_one_row_have_an_overview(tmp_path: Path) -> None:
    frame, _ = planted("", 0)
    perfect = af.overview(frame.with_columns(prediction=pl.col("answers").list.first()))
    assert perfect.causes.is_empty()
    assert perfect.advice.is_empty()
    # A screen has no table without rows.
    assert "┌" not in repr(perfect)
    assert "ANLS 1.000 [" in repr(perfect)
    assert repr(perfect).endswith(f"{perfect.signature}")
    for made in (perfect, af.overview(frame.head(1)), af.overview(frame.drop("lang", "type", "scanned"))):
        assert "ANLS" in repr(made)
        made.write(tmp_path / "overview.html")


def test_scores_alone_have_slices_but_no_causes() -> None:
    frame = pl.DataFrame({"score": [0.0] * 30 + [1.0] * 60, "lang": ["ja"] * 30 + ["en", "de"] * 30})
    made = af.overview(frame)
    assert made.slices["description"].to_list() == ["lang = ja"]
    assert made.causes.is_empty()
    assert "score 0.667 [" in repr(made)


def test_a_column_of_one_value_in_scored_rows_is_no_slice() -> None:
    # Only the German questions have answers.
    rows = [("a", ["a"], "de"), ("b", None, "en"), ("c", ["x"], "de")] * 40
    frame = pl.DataFrame(rows, ["prediction", "answers", "lang"], orient="row")
    made = af.overview(frame)
    assert (list(made.roles.by), made.found) == (["lang"], None)
    assert made.report.tables["lang"].select("lang", "n").rows() == [("de", 80), ("en", 0)]
    assert "slices: lang, found" in repr(made)
    # A column with more values than a table has is searched in the same rows.
    many = frame.with_columns(page=pl.Series([f"page {row % 15}" for row in range(120)]))
    assert af.overview(many, cluster=False).found.settings["columns"] == ["page"]


def test_columns_of_too_many_values_are_named_with_what_to_do(tmp_path: Path) -> None:
    rows = [(*pair, f"v{row % 60}", row % 2) for row, pair in enumerate([("a", "a"), ("b", "c")] * 60)]
    frame = pl.DataFrame(rows, ["prediction", "answer", "many", "few"], orient="row")
    made = af.overview(frame, by=["many", "few"])
    told = "“Where it fails”, not searched: many (it has 60 values, more than 50)."
    assert told in made.to_text()
    assert told in " ".join(made.to_document().notes)
    frame.write_csv(tmp_path / "r.csv")
    error = " ".join(shell.run(tmp_path, "overview", "r.csv", "-b", "many").stderr.split())
    assert "'many': it has 60 values, more than 50. Name a column with 2 to 50 values" in error


@pytest.mark.parametrize(
    ("column", "head", "role"),
    [("speaker", "10 speakers", "speakers: speaker"), ("doc_id", "10 documents", "documents: doc_id")],
)
def test_documents_are_called_as_in_reports(column: str, head: str, role: str) -> None:
    rows = [("a" if row % 10 < 4 else "x", "a", row % 10) for row in range(100)]
    made = af.overview(pl.DataFrame(rows, ["prediction", "answer", column], orient="row"), cluster=column)
    noun = head.split()[1]
    assert f"over 100 rows of {head}. " in made.to_text()
    assert role in made.to_text()
    assert f"Score more {noun}: with {head}, " in made.to_text()
    assert f"Intervals allow for {head}" in made.report.to_text()


def test_few_pages_with_a_high_rate_need_more_pages() -> None:
    """One page has most of the text, so there is no interval, and no other step is supported."""
    pages = pl.DataFrame({"ocr": ["x" * 2000, "abc", "def"], "truth": ["abcd" * 500, "abc", "def"]})
    made = af.overview(pages, "ocr", "truth", metrics="ocr")
    assert "Score more pages: with 3 pages, CER (corpus) has no interval." in made.to_text()
    rates = af.overview(pages, "ocr", "truth", metrics="wer_corpus")
    assert rates.advice["rule"].to_list() == ["documents"]


def test_large_tables_are_searched_column_by_column() -> None:
    frame = pl.concat([planted("slice", seed)[0] for seed in range(23)])
    made = af.overview(frame, cluster=False)
    assert made.found.settings["depth"] == 1
    assert any("too many rows" in note for note in made.to_document().notes)


def test_columns_may_have_the_names_of_computed_ones() -> None:
    frame, _ = planted("slice", 0)
    named = frame.rename({"type": "cause", "lang": "unwrapped"})
    made = af.overview(named)
    assert made.slices["description"].to_list() == ["cause = figure"]
    assert made.causes.equals(af.overview(frame).causes)
    same = af.overview(frame.rename({"doc_id": "lost", "question_id": "prediction "}), cluster="lost")
    assert same.causes.equals(af.overview(frame).causes)


def test_own_metrics_have_overviews_and_their_columns_are_no_slices(tmp_path: Path) -> None:
    rows = [("a", "a", 3, 1, "u"), ("bc", "xy", 1, 2, "u"), ("c", "c", 0, 1, "v"), ("d", "xyz", 0, 2, "v")]
    frame = pl.DataFrame(rows * 30, ["prediction", "answer", "found", "wanted", "lang"], orient="row")
    same_length = af.Metric(
        lambda prediction, answers: prediction.str.len_chars() == answers.str.len_chars(), name="same_length"
    )
    cases = [
        (af.Metric("found"), "found", 1.0, 0.0, ["wanted", "lang"]),
        (pl.col("found"), "found", 1.0, 0.0, ["wanted", "lang"]),
        (af.Metric("found", denominator="wanted", name="rate"), "rate", 4 / 6, 0.0, ["lang"]),
        (same_length, "same_length", 0.75, 0.5, ["found", "wanted", "lang"]),
    ]
    for metric, name, score, of_v, by in cases:
        made = af.overview(frame, metrics=metric)
        assert made.report.overall[name] == pytest.approx(score)
        assert list(made.roles.by) == by
        worse = af.overview(frame, metrics=metric, by="lang").slices
        assert worse.select("description", "score").row(0) == ("lang = v", of_v)
        made.write(tmp_path / "overview.json")
        assert json.loads((tmp_path / "overview.json").read_text())["settings"]["metrics"][0]["name"] == name


def test_slices_may_have_the_names_of_columns_of_reports() -> None:
    frame, _ = planted("slice", 0)
    for name in ("n", "few_rows", "anls_low", "n_clusters"):
        made = af.overview(frame.rename({"type": name}))
        assert made.slices["description"].to_list() == [f"{name} = figure"]
        assert name not in made.report.tables


def test_objects_given_as_slices_are_named_with_what_to_do() -> None:
    frame, _ = planted("slice", 0)
    objects = frame.with_columns(pl.Series("type", [{1}] * frame.height, dtype=pl.Object))
    with pytest.raises(af.DTypeError, match="column 'type' has dtype Object and cannot slice rows; convert"):
        af.overview(objects, by="type")


def test_lists_of_labels_stay_lists_and_numbers_as_answers_are_refused() -> None:
    frame, _ = planted("", 0)
    lists = frame.with_columns(kind=pl.Series([["a;b", "a"], ["b"], ["a"]] * 300))
    with pytest.warns(af.InputWarning, match="column 'kind' holds ';' between labels"):
        assert "kind" in af.overview(lists).roles.by
    numbers = frame.with_columns(answers=pl.Series(range(900)))
    with pytest.raises(af.DTypeError, match="answers"):
        af.overview(numbers)


def test_missing_predictions_can_be_left_out() -> None:
    frame, _ = planted("missing", 0)
    made = af.overview(frame, missing="drop")
    assert made.report.overall["n"] == frame["prediction"].count()
    assert made.causes["loss"].sum() == pytest.approx(1 - made.report.overall["anls"])
    assert made.advice.is_empty()


def test_answers_of_any_name_in_a_manifest_of_speech(tmp_path: Path) -> None:
    """`text` is a usual name of answers only beside `pred_text`: otherwise, an error asks for it."""
    utterances = [("the quick box", "the quick fox"), ("hello", "hello")]
    lines = [
        json.dumps({"audio_filepath": "a.wav", "text": gold, "pred_text": read}) for read, gold in utterances
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = fine(shell.run(tmp_path, "overview", "manifest.jsonl", "-p", "pred_text", "-a", "text"))
    assert "Prediction: pred_text; answers: text;" in done
    for given in ([], ["-p", "pred_text"]):
        assert "answers: text, found" in fine(shell.run(tmp_path, "overview", "manifest.jsonl", *given))
    (tmp_path / "others.jsonl").write_text("\n".join(lines).replace("pred_", "small_"), encoding="utf-8")
    assert "Pass --answers" in shell.run(tmp_path, "overview", "others.jsonl", "-p", "small_text").stderr
    # What is missing is asked for, by the names of the file.
    asked = shell.run(tmp_path, "overview", "others.jsonl", "-a", "audio_filepath").stderr
    assert "no column looks like the predictions among 'text', 'small_text'" in " ".join(asked.split())
    # A score that does not exist is refused as one, not as a table without answers.
    wrong = shell.run(tmp_path, "overview", "manifest.jsonl", "-p", "pred_text", "-a", "text", "-m", "wer")
    assert "pass 'wer_corpus' for the rate" in " ".join(wrong.stderr.split())


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("overview s.csv -m scroe", "or a function as FILE.py:NAME, got 'scroe'; did you mean 'score'?"),
        ("overview t.csv -m exact_mach", "got 'exact_mach'; did you mean 'exact_match'?"),
        ("report t.csv -m exact_mach", "got 'exact_mach'; did you mean 'exact_match'?"),
        ("report t.csv -m scroe", "got 'scroe'; did you mean 'score'?"),
        (
            "report s.csv -m scroe",
            "metrics must name columns of scores: no column 'scroe' among 'question_id', ",
        ),
        ("report s.csv -m scroe", "; did you mean 'score'?"),
        (
            "epochs e.jsonl -m scroe",
            "nor a column of the files; they have numbers in 'score'; did you mean 'score'?",
        ),
        (
            "audit t.csv -m scroe --sample a.parquet -o a.html",
            "or a column with scores, got scroe; did you mean 'score'?",
        ),
    ],
)
def test_a_misspelled_score_is_named_with_the_nearest(tmp_path: Path, command: str, told: str) -> None:
    scores = pl.DataFrame({"id": [1, 2], "lang": ["en", "de"], "score": [0.5, 1.0]})
    scores.write_csv(tmp_path / "s.csv")
    texts = scores.with_columns(prediction=pl.lit("a"), answers=pl.lit("b"))
    texts.write_csv(tmp_path / "t.csv")
    both = [texts.with_columns(epoch=pl.lit(epoch)) for epoch in (1, 2)]
    pl.concat(both).write_ndjson(tmp_path / "e.jsonl")
    shell.refused(shell.run(tmp_path, *command.split()), told)


def test_rows_without_a_document_are_not_of_document_0() -> None:
    documents = [None if place % 5 == 0 else place // 4 for place in range(120)]
    rows = pl.DataFrame(
        {"doc": documents, "prediction": ["**a**", "b", "c"] * 40, "answer": ["a", "b", "x"] * 40}
    )

    made = [
        af.overview(frame, "prediction", "answer", by=[], cluster="doc").causes
        for frame in (rows, rows.with_columns(pl.format("d{}", "doc")), rows.to_pandas())
    ]

    assert made[0].equals(made[1])
    assert made[0].rows() == [tuple(row) for row in made[2].itertuples(index=False)]


@pytest.mark.parametrize(
    ("labels", "chosen"),
    [
        (["A>B", "B>A", "A=B"], "exact_match"),  # verdicts of judges
        (["model_a", "model_b", "tie"], "exact_match"),
        (["yes", "no"], "anls"),  # scores of these are 0 or 1 anyway
        ([f"model {number}" for number in range(40)], "anls"),
    ],
)
@pytest.mark.parametrize("are_lists", [False, True])
def test_labels_count_as_right_or_wrong_however_alike_they_are(
    labels: list[str], chosen: str, *, are_lists: bool
) -> None:
    random.seed(1)
    gold, judged = (random.choices(labels, k=120) for _ in range(2))
    rows = pl.DataFrame({"label": [[text] for text in gold] if are_lists else gold, "response": judged})

    made = af.overview(rows)
    assert (made.measures[0].name, "metrics" in made.roles.found) == (chosen, chosen != "anls")
    share = sum(map(str.__eq__, gold, judged)) / 120
    if chosen == "exact_match":
        assert made.report.overall[chosen] == pytest.approx(share)
        assert af.report(rows, "response", "label").overall["anls"] > share + 0.1
        assert "confusion" not in {*made.advice["rule"]}
    advice = 'metrics="exact_match"'
    assert (advice in str(made), any(advice in note for note in made.to_document().notes)) == (
        (chosen == "exact_match",) * 2
    )
    assert advice not in str(af.overview(rows, metrics="exact_match"))
    # A score that is named is not replaced.
    assert af.overview(rows, metrics="nls").measures[0].name == "nls"
    free = rows.with_columns(response=pl.concat_str(pl.lit("I say "), pl.int_range(pl.len())))
    assert af.overview(free).measures[0].name == "anls"
    # Amounts are no labels, and neither are the rows of one question.
    numbers = pl.DataFrame(
        {"answers": [1.0, 1.5] * 60, "prediction": [1.5, 1.5] * 60, "score": [0.0, 1.0] * 60}
    )
    assert af.overview(numbers, metrics="score").measures[0].name == "score"
    alone = rows.with_columns(label=pl.lit("model_a"), response=pl.lit("model_b"))
    assert af.overview(alone).measures[0].name == "anls"


@pytest.mark.parametrize(
    ("answers", "read"),
    [
        (["Yes", "No"], lambda text, _: f"{text}."),  # the same label, in a sentence
        (["2021-03-01", "2021-03-02"], lambda text, row: text if row % 9 else text.replace("0", "O")),
        (["Austria", "Australia"], lambda text, row: text if row % 9 else f"{chr(97 + row // 9)}{text[1:]}"),
        (["total", "Total"], lambda text, _: text.upper()),
    ],
)
def test_misread_and_rephrased_texts_are_no_labels(answers: list[str], read: Any) -> None:
    gold = answers * 60
    rows = pl.DataFrame({"answers": gold, "prediction": [read(text, row) for row, text in enumerate(gold)]})
    assert af.overview(rows).measures[0].name == "anls"
