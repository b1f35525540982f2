"""Pages of OCR on the command line: folders for engines, `--gold` for the ground truth."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from shell import Done, refused
from shell import run as call

import anls_frame as af

TRUTH = {"a/1": "Coca Cola", "a/2": "Pepsi\nWater", "b/3": "Tea"}
ENGINES = {
    "old": {"a/1": "CocaCola", "a/2": "Pepsi\nWater", "b/3": "Tae"},
    "new": {"a/1": "Coca Cola", "a/2": "Pepsi\n\nVVater", "b/3": "Tea"},
}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Done]:
    for folder, pages in {"truth": TRUTH, **ENGINES}.items():
        for page, text in pages.items():
            path = tmp_path / folder / f"{page}{'.gt' if folder == 'truth' else ''}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n", encoding="utf-8")
    return partial(call, tmp_path)


def result(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lines(done: Done) -> list[dict[str, Any]]:
    """Return the rows of the first table."""
    first: list[dict[str, Any]] = next(iter(result(done)["tables"].values()))
    return first


def test_a_report_of_pages_is_that_of_the_frame(run: Callable[..., Done], tmp_path: Path) -> None:
    pages = af.read_pages(tmp_path / "truth", {"old": tmp_path / "old"})
    expected = af.report(pages, "old", "reference", metrics="ocr")

    (found,) = lines(run("report", "old", "--gold", "truth", "--json"))
    by_folder = lines(
        run("report", "old/*/*.txt", "--gold", "truth", "-b", "doc_id", "-m", "cer_mean", "--json")
    )

    names = ("n", "cer_corpus", "insertions", "wer_corpus", "cer_mean", "cer_corpus_low", "cer_corpus_high")
    assert [found[name] for name in names] == [expected.overall[name] for name in names]
    assert found["cer_corpus"] == 3 / 23
    assert [(row["doc_id"], row["cer_mean"]) for row in by_folder[1:]] == [("a", 1 / 18), ("b", 2 / 3)]


def test_settings_say_that_empty_lines_were_left_out(run: Callable[..., Done], tmp_path: Path) -> None:
    for folder in ("truth", "old", "new"):
        (tmp_path / "spaced" / folder).mkdir(parents=True)
        (tmp_path / "spaced" / folder / "1.txt").write_text("one\n\ntwo", encoding="utf-8")
        (tmp_path / "spaced" / folder / "2.txt").write_text("three", encoding="utf-8")
    spaced, said = tmp_path / "spaced", "|empty_lines:drop|"
    folders = spaced / "truth", {"old": spaced / "old"}
    kept, dropped = (
        af.report(pages, "old", "reference", metrics="ocr")
        for pages in (af.read_pages(*folders), af.read_pages(*folders, empty_lines="drop"))
    )
    assert (said in kept.signature, said in dropped.signature) == (False, True)
    assert dropped.settings["empty_lines"] == "drop"
    with pytest.raises(ValueError, match="empty_lines"):
        af.merge([kept.summary, dropped.summary])

    drop = ("--gold", "spaced/truth", "--reader", "pages,empty_lines=drop")
    for command in (("report", "spaced/old"), ("compare", "spaced/old", "spaced/new")):
        assert said in run(*command, *drop).stdout
        assert said not in run(*command, "--gold", "spaced/truth").stdout


def test_a_single_page_needs_no_folder(run: Callable[..., Done]) -> None:
    (found,) = lines(run("report", "old/b/3.txt", "--gold", "truth/b/3.gt.txt", "--json"))
    (other,) = lines(run("compare", "old/b/3.txt", "new/a/1.txt", "--gold", "truth/a/1.gt.txt", "--json"))

    assert (found["n"], found["cer_corpus"]) == (1, 2 / 3)
    assert (other["n"], other["system"], other["score"]) == (1, "1", 0)


def test_the_worst_pages_are_named(run: Callable[..., Done]) -> None:
    done = run("report", "old", "--gold", "truth", "--worst", 1)

    assert "b/3" in done.stdout
    assert "a/1" not in done.stdout


def test_the_worst_folder_comes_first_unless_told_otherwise(run: Callable[..., Done]) -> None:
    by_folder = partial(run, "report", "old", "--gold", "truth", "-b", "doc_id", "--json")

    found = [(row["doc_id"], row["n"], row["words"], row["characters"]) for row in lines(by_folder())]
    assert found == [(None, 3, 5, 23), ("b", 1, 1, 3), ("a", 2, 4, 20)]
    assert [row["doc_id"] for row in lines(by_folder("--sort", "n"))] == [None, "a", "b"]


def test_a_report_counts_substitutions_in_pages_that_were_read(run: Callable[..., Done]) -> None:
    options = "--details --reader pages,empty_lines=drop --json"
    found = result(run("report", "new", "--gold", "truth", *options.split()))

    table = found["tables"]["Substitutions in pages with NLS of at least 0.5"]
    assert [(row["reference_char"], row["predicted_char"], row["count"]) for row in table] == [("W", "V", 1)]


def test_engines_are_compared_by_corpus_cer(run: Callable[..., Done]) -> None:
    (found,) = lines(run("compare", "old", "new", "--gold", "truth", "--json"))
    dropping = ("--reader", "pages,empty_lines=drop", "--json")
    (spaced,) = lines(run("compare", "old", "new", "--gold", "truth", *dropping))

    assert (found["baseline_score"], found["score"], spaced["score"]) == (3 / 23, 3 / 23, 2 / 23)
    assert found["p_value"] == 1


def test_commands_of_rows_speak_of_error_rates(run: Callable[..., Done], tmp_path: Path) -> None:
    printed = run("score", "old", "--gold", "truth").stdout
    assert "CER (corpus) 13.0 %" in printed
    assert "WER" in printed
    assert "ANLS" not in printed.replace("|anls", "")
    means = result(run("score", "old", "--gold", "truth", "--json"))
    assert means["cer_corpus"] == 3 / 23
    assert run("plot", "ecdf", "old", "--gold", "truth", "-o", tmp_path / "e.svg").returncode == 0
    assert (
        run("plot", "groups", "old", "--gold", "truth", "-b", "doc_id", "-o", tmp_path / "g.svg").returncode
        == 0
    )
    assert "CER" in (tmp_path / "g.svg").read_text(encoding="utf-8")
    refused = run("plot", "scores", "old", "--gold", "truth", "-o", tmp_path / "s.svg")
    assert "'scores' needs answers to questions; for pages, draw groups, cer" in refused.stderr


def test_commands_of_rows_speak_of_pages(run: Callable[..., Done], tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        done = run(*arguments, "--gold", "truth")
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    changed = said("changes", "old", "new", "--kind", "all")
    assert changed.splitlines()[1].split()[1] == "page"
    assert "CER old" in re.sub("[│┆ ]+", " ", changed)
    assert "anls" not in changed
    assert "Cola" not in changed
    assert changed.endswith("3 pages in which new has another score than old\n")
    # Of b/3, two of three characters are misread.
    assert "2 pages with NLS of at least 0.5 compared, 1 with a lower NLS" in said("confusions", "old")
    said("convert", "old", "pages.csv")
    for command in (("compare", "old", "new"), ("report", "old")):
        told = said(*command, "-b", "doc_id")
        assert "all pages" in told
        assert not re.search(r"\brows?\b", told.replace("few rows or documents", "")), told
    assert said("browse", "old", "-o", "rows.html") == "3 pages: rows.html\n"
    html = (tmp_path / "rows.html").read_text(encoding="utf-8")
    assert "over 3 pages." in html
    assert '"names": {"row": "page", "answer": "reference", "prediction": "read"}' in html
    assert "treat pages as independent" in said("slices", "old", "--features", "--min-rows", "1")


def test_a_page_that_one_engine_lacks_is_left_out_for_all(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "new/a/1.txt").unlink()
    compare = ("compare", "old", "new", "--gold", "truth")

    failed = run(*compare)
    dropped = run(*compare, "--unmatched", "drop", "--json")
    filled = run(*compare, "--unmatched", "null", "--json")
    changed = run("changes", "old", "new", "--gold", "truth", "-m", "cer", "--unmatched", "drop", "--json")

    assert failed.returncode == 2
    assert "'new/' lacks 1 page: 'a/1'" in failed.stderr
    figures = ("n", "baseline_score", "score")
    assert [lines(dropped)[0][name] for name in figures] == [2, 2 / 14, 3 / 14]
    assert "1 page left out, because 'new/' lacks 1 page: 'a/1'" in dropped.stderr
    assert [lines(filled)[0][name] for name in figures] == [3, 3 / 23, 12 / 23]
    assert [row["question_id"] for row in result(changed)] == ["a/2"]


def test_ground_truth_without_text_is_a_sentence_and_no_error(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    for page in TRUTH:
        (tmp_path / f"truth/{page}.gt.txt").write_text("")
    blank = "The reference of 3 of 3 pages has no text: all text predicted there counts as errors."

    for metric in ("cer_corpus", "wer_corpus", "ocr"):
        done = run("report", "old", "--gold", "truth", "-m", metric)
        assert done.returncode == 0, done.stderr
        assert blank in done.stdout.splitlines()
        assert done.stderr == ""
    (row,) = lines(run("report", "old", "--gold", "truth", "--json"))
    assert (row["n"], row["n_empty_reference"], row["cer_corpus"]) == (3, 3, None)
    scored = run("score", "old", "--gold", "truth")
    assert "CER (corpus) –, WER (corpus) –, CER (mean)" in scored.stdout  # noqa: RUF001
    assert blank in scored.stdout.splitlines()
    assert result(run("score", "old", "--gold", "truth", "--json"))["cer_corpus"] is None
    done = run("report", "old", "--gold", "truth", "-o", "report.html")
    assert (done.returncode, "report.html: Error rates of all pages\n" in done.stdout) == (0, True)
    pages = af.read_pages(tmp_path / "truth", {"old": tmp_path / "old"})
    report = af.report(pages, "old", "reference", metrics="ocr")
    for suffix in ("xlsx", "md", "tex", "csv", "tsv", "json", "jsonl", "parquet"):
        assert report.write(tmp_path / f"report.{suffix}", noun="pages").stat().st_size
    assert blank in (tmp_path / "report.html").read_text("utf-8")
    compared = run("compare", "old", "new", "--gold", "truth", "-m", "cer_corpus")
    assert compared.returncode == 0, compared.stderr
    assert blank in compared.stdout.splitlines()


def test_pages_pair_by_the_part_of_the_name_that_an_expression_finds(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    for folder, name in (("gt", "OCR-D-GT"), ("ocr", "OCR-D-TESS")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}_0001.txt").write_text("hay")

    refused(run("report", "ocr", "--gold", "gt"), "--reader auto,match=... finds")
    (row,) = lines(run("report", "ocr", "--gold", "gt", "--reader", "pages,match=[0-9]+$", "--json"))

    assert (row["n"], row["cer_corpus"]) == (1, 0)


def test_truth_and_engine_of_one_file_are_compared(run: Callable[..., Done], tmp_path: Path) -> None:
    texts = [("Hay", 0), ("Hav", 1)]
    equivalents = "".join(
        f'<TextEquiv index="{index}"><Unicode>{text}</Unicode></TextEquiv>' for text, index in texts
    )
    (tmp_path / "larex").mkdir()
    (tmp_path / "larex/1.xml").write_text(f"<PcGts><Page><TextLine>{equivalents}</TextLine></Page></PcGts>")

    same = run("report", "larex", "--gold", "larex", "--json")
    (row,) = lines(run("report", "larex", "--gold", "larex", "--reader", "pages,index=1", "--json"))

    assert "--reader auto,index=1 reads that of the engine" in same.stderr
    assert row["cer_corpus"] == 1 / 3


def test_several_pages_of_a_file_are_rows_or_one_page(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "volume.txt").write_text("one\f\ftwo\f")
    (tmp_path / "read.txt").write_text("one\fx\fto")
    (tmp_path / "single.txt").write_text("one\ntwo")

    scored = run("score", "read.txt", "--gold", "volume.txt")
    refused(run("report", "read.txt", "--gold", "single.txt"), "pass --reader auto,split=false")
    (row,) = lines(
        run("report", "volume.txt", "--gold", "single.txt", "--reader", "auto,split=false", "--json")
    )

    assert "CER (corpus) 33.3 %" in scored.stdout
    assert "All 3 pages were used" in scored.stdout
    assert (row["n"], row["cer_corpus"]) == (1, 0)


def test_a_page_of_unknown_markup_says_how_to_go_on(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<alto><Layout><Page><String CONTENT='x'/></Page></Layout></alto>")
    (tmp_path / "a.txt").write_text("x")

    refused(run("score", "a.xml", "--gold", "a.txt"), "pass --reader auto,unknown=warn")
    done = run("score", "a.xml", "--gold", "a.txt", "--reader", "pages,unknown=warn")

    assert "left out 1 word of a.xml" in done.stderr
    assert "CER (corpus) 100.0 %" in done.stdout


def test_confusions_are_prepared_as_a_report_is(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "gt.txt").write_text("e\u0301 A or", encoding="utf-8")
    (tmp_path / "ocr.txt").write_text("e a or", encoding="utf-8")

    def counted(*protocol: str) -> list[tuple[str, str]]:
        table = result(run("confusions", "ocr.txt", "--gold", "gt.txt", *protocol, "--json"))
        return sorted((row["reference_char"] or "", row["predicted_char"] or "") for row in table)

    assert counted() == [("A", "a"), ("\u0301", "")]
    for protocol in ("raw,unit=grapheme", "anls,errors.unit=grapheme"):
        assert counted("--protocol", protocol) == [("A", "a"), ("e\u0301", "e")]
    assert counted("--protocol", "raw,ignore_case=true") == [("\u0301", "")]
    refused(run("confusions", "ocr.txt", "--gold", "gt.txt", "--protocol", "none"), "unknown protocol 'none'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "old: this folder contains no logs; for pages, name the ground truth with --gold"),
        ("--reader pages", "old: name the ground truth of the pages with --gold"),
        ("--gold truth --unmatched keep", "Invalid value for '--unmatched'"),
        (
            "--gold truth --reader auto,allow_missing=true",
            "--reader auto,allow_missing= does not apply to 'pages' files",
        ),
        ("--gold nowhere", "nowhere: there is no such file"),
        ("--gold truth --reader pages,empty_lines=x", "empty_lines must be one of 'keep', 'drop'"),
        (
            "--gold truth --id x",
            "--id does not apply to 'pages' files; with a folder as gold, all files are pages",
        ),
    ],
)
def test_wrong_use_is_explained(run: Callable[..., Done], options: str, message: str) -> None:
    refused(run("report", "old", *options.split()), message)


@pytest.mark.parametrize("command", ["report", "overview", "score"])
def test_a_page_without_a_ground_truth_is_no_table(run: Callable[..., Done], command: str) -> None:
    refused(
        run(command, "old/a/1.txt"),
        "old/a/1.txt: for a page of OCR, name the ground truth with --gold ...; for a table, name its format "
        "with --reader table,format=...",
    )


def test_files_that_are_neither_pages_nor_tables_say_what_to_do(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    for name in ("text", "book.pdf", "hyp.trn", "ref.stm", "a.srt"):
        (tmp_path / name).write_text("no (s1-u1)\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "gt.zip", "w") as archive:
        archive.write(tmp_path / "text", "1.txt")
    (tmp_path / "out.hyp").write_text("no (s1-u1)\nyes (s1-u2)\n", encoding="utf-8")
    refused(
        run("report", "out.hyp"), "but utterances with an id at the end; make a table with a row for each"
    )
    for name in ("text", "book.pdf"):
        refused(run("report", name), "make a table of any other file, with a row for each prediction")
    for name in ("hyp.trn", "ref.stm", "a.srt"):
        refused(run("report", name), "make a table with a row for each utterance, as")
    refused(run("report", "gt.zip"), "or unpack the archive")
    (tmp_path / "page.json").write_text("{}", encoding="utf-8")
    (tmp_path / "page.txt").write_text("a", encoding="utf-8")
    refused(
        run("report", "page.json", "--gold", "page.txt"),
        "page.json is a table",
        "to score OCR in another format, save the text of each page as a .txt file",
    )
    refused(run("fields", "old", "--gold", "truth"), "for pages of OCR, use `anls-frame report`")


@pytest.mark.parametrize("command", [["report"], ["overview"], ["compare", "b.txt"]])
def test_transcripts_of_several_utterances_are_no_page(
    run: Callable[..., Done], tmp_path: Path, command: list[str]
) -> None:
    texts = {"ref.txt": "u1 a b\nu2 c\n", "a.txt": "u1 a\nu2 c\n", "b.txt": "u1 a b\nu2 d\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    said = "ref.txt is read as one text, not as an utterance in each line"

    done = run(*command, "a.txt", "--gold", "ref.txt", "-m", "speech")
    assert done.returncode == 0
    assert said in " ".join(done.stderr.split())

    # Pages of OCR are texts of several lines.
    assert said not in run(*command, "a.txt", "--gold", "ref.txt").stderr


def test_recordings_in_a_folder_are_texts_of_several_lines(run: Callable[..., Done]) -> None:
    done = run("report", "old", "--gold", "truth", "-m", "speech")
    assert (done.returncode, "utterance in each line" in done.stderr) == (0, False)
