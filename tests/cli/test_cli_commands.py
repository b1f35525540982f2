"""The commands: what they print, write, and end with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from sample import DATA, QUESTIONS_FILE
from shell import fine, refused

import anls_frame as af
from anls_frame.cli.commands.plot import KINDS
from anls_frame.summary.catalogue import NAMED

Run = Callable[..., shell.Done]

TABLE = str(QUESTIONS_FILE)
GOLD = str(DATA / "rrc" / "gold_label.json")
SUBMISSION = {name: str(DATA / "rrc" / f"submission_{name}.json") for name in ("tesseract", "rapidocr")}


def test_score_prints_the_means_and_writes_the_rows(run: Run, tmp_path: Path) -> None:
    printed = fine(run("score", SUBMISSION["tesseract"], "--gold", GOLD, "-o", "rows.parquet"))

    frame = af.read_rrc(GOLD, SUBMISSION["tesseract"])
    expected = af.add_scores(frame, "prediction", "answers")
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(expected)
    assert f"ANLS {expected['anls'].mean():.3f}" in printed
    assert "All 1,568 rows were used." in printed
    assert "anls|protocol:anls|threshold:0.5" in printed


def test_an_incomplete_submission_is_named_and_can_be_scored(run: Run, tmp_path: Path) -> None:
    rows = json.loads(Path(SUBMISSION["tesseract"]).read_text(encoding="utf-8"))
    (tmp_path / "new.json").write_text(json.dumps([*rows[:-2], {"questionId": 7, "answer": ""}]))
    files = ("compare", SUBMISSION["rapidocr"], "new.json", "--gold", GOLD)

    refused(run(*files), "'new' has 1 question that gold lacks: '7'", "'new' lacks 2 questions: ")
    for command in (files, ("report", "new.json", "--gold", GOLD)):
        for unmatched, rows_left in (("null", 1568), ("drop", 1566)):
            done = run(*command, "--unmatched", unmatched)
            assert done.returncode == 0
            assert f" {rows_left:,} " in done.stdout
            assert "has 1 question that gold lacks: '7'" in done.stderr
            assert "lacks 2 questions: " in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet", "xlsx"])
def test_rows_that_are_converted_are_read_again(run: Run, tmp_path: Path, suffix: str) -> None:
    frame = af.read_results(TABLE, prediction="tesseract").select(
        "question_id", "question", "prediction", "answers", "question_types", "lang"
    )

    fine(run("convert", TABLE, f"rows.{suffix}", "-p", "tesseract", "--no-escape-formulas"))
    again = af.read_results(tmp_path / f"rows.{suffix}").select(frame.columns)

    assert again.equals(frame)


@pytest.mark.parametrize("formula", ["=1+1", "\nb", "＝1", "- it's"])  # noqa: RUF001 - as typed in Japanese
def test_formulas_are_escaped_unless_told_otherwise(run: Run, tmp_path: Path, formula: str) -> None:
    rows = json.dumps({"prediction": formula, "answer": "2"})
    (tmp_path / "in.jsonl").write_text(rows, encoding="utf-8")

    fine(run("convert", "in.jsonl", "safe.csv"))
    fine(run("convert", "in.jsonl", "as-it-is.csv", "--no-escape-formulas"))

    assert f"'{formula}" in (tmp_path / "safe.csv").read_text(encoding="utf-8")
    with pytest.warns(af.InputWarning, match=r"from running 1 text is scored, too.*--no-escape-formulas"):
        assert af.read_results(tmp_path / "safe.csv")["prediction"].item() == f"'{formula}"
    assert af.read_results(tmp_path / "as-it-is.csv")["prediction"].item() == formula
    # Quotation marks are no such apostrophes; that reads without a warning, which is an error in tests.
    (tmp_path / "quoted.csv").write_text("prediction,answer\n'=' is a sign,'-ed' and '-ing'\n", "utf-8")
    assert af.read_results(tmp_path / "quoted.csv")["prediction"].item() == "'=' is a sign"


def test_a_file_that_has_scores_already_keeps_them(run: Run, tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "['a']", "filtered_resps": "a", "input": "Q?", "anls": 0.25}
    (tmp_path / "samples.jsonl").write_text(json.dumps(row), encoding="utf-8")

    refused(
        run("score", "samples.jsonl"),
        "the file already has the columns ['anls']; pass --overwrite to replace them, or --suffix to give",
    )
    fine(run("score", "samples.jsonl", "--suffix", "_new", "-o", "out.jsonl"))
    assert pl.read_ndjson(tmp_path / "out.jsonl").select("anls", "anls_new").row(0) == (0.25, 1.0)


def test_a_process_of_its_own_says_the_same(run: Run, tmp_path: Path) -> None:
    command = ["report", TABLE, "-p", "tesseract", "-b", "lang", "-o", "report.html", "--force"]
    alone = shell.run_alone(tmp_path, *command)
    done = run(*command)

    assert "Traceback" not in alone.stderr
    assert (alone.returncode, alone.stdout, alone.stderr) == (done.returncode, done.stdout, done.stderr)


def test_on_a_terminal_there_is_progress_and_elsewhere_none(run: Run, tmp_path: Path) -> None:
    arguments = ["report", TABLE, "-p", "rapidocr"]

    command = [str(shell.SCRIPTS / "anls-frame"), *arguments]
    printed, shown = shell.on_a_terminal(command, tmp_path, columns=20)

    assert printed == fine(run(*arguments, COLUMNS="20"))
    assert b"Scoring" in shown


def test_report_is_the_report_of_the_package(run: Run, tmp_path: Path) -> None:
    options = ("-b", "question_types", "-c", "doc_id", "--worst", "3")

    printed = fine(run("report", TABLE, "-p", "tesseract", *options))
    fine(run("report", TABLE, "-p", "tesseract", *options, "-o", "report.html"))
    machine = json.loads(fine(run("report", TABLE, "-p", "tesseract", *options, "--json")))

    rows = pl.read_parquet(TABLE).cast({"question_id": pl.String})
    report = af.report(rows, "tesseract", "answers", by="question_types", cluster="doc_id", worst=3)
    assert printed == repr(report).replace('unanswerable="empty"', "--unanswerable empty") + "\n"
    assert printed.partition("\nWorst rows\n")[2].count("\n│ ") == 1 + 3
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert machine["settings"]["digest"] == report.summary.digest
    # The order in which threads add up may move the last bit.
    first = machine["tables"]["By question_types"][0]
    assert first["anls"] == pytest.approx(report.overall["anls"], rel=1e-12)


def check_tables(content: dict[str, Any], expected: dict[str, Any]) -> None:
    """Check that the tables of two reports in JSON have the same values."""
    assert content["tables"].keys() == expected["tables"].keys()
    for name, rows in content["tables"].items():
        for row, other in zip(rows, expected["tables"][name], strict=True):
            assert row.keys() == other.keys()
            for value, due in zip(row.values(), other.values(), strict=True):
                assert value == (pytest.approx(due, rel=1e-12) if isinstance(due, float) else due)


def test_clusters_are_folded_in_what_is_saved_alone(run: Run, tmp_path: Path) -> None:
    frame = pl.read_parquet(TABLE)
    options = ("-p", "rapidocr", "-b", "lang", "-c", "doc_id")
    for index in (0, 1):
        frame[index::2].write_parquet(tmp_path / f"rows-{index}.parquet")
        folded = ("--summary", f"{index}.parquet", "--fold-clusters")
        printed = fine(run("report", f"rows-{index}.parquet", *options, *folded))
        assert fine(run("report", f"rows-{index}.parquet", *options)) == printed
        assert af.Summary.load(tmp_path / f"{index}.parquet").is_folded

    merged = json.loads(fine(run("merge", "0.parquet", "1.parquet", "--json")))

    whole = af.summarize(frame, "rapidocr", "answers", by="lang", cluster="doc_id").fold_clusters()
    af.Report.from_summary(whole).write(tmp_path / "whole.json")
    check_tables(merged, json.loads((tmp_path / "whole.json").read_text(encoding="utf-8")))
    for needed in (("--summary", "a.parquet"), ("-c", "doc_id")):
        refused(
            run("report", TABLE, "-p", "rapidocr", *needed, "--fold-clusters"),
            "it needs --summary and --cluster",
        )


def test_gate_says_what_it_cannot_test(run: Run, tmp_path: Path) -> None:
    rows = ["kind,doc,old,new,answer", *(f"often,{n},ab,ab,ab" for n in range(8)), "rare,8,ab,xy,ab"]
    (tmp_path / "results.csv").write_text("\n".join(rows), encoding="utf-8")
    options = ("results.csv", "--systems", "old,new", "-b", "kind", "-c", "doc")

    passed = run("compare", *options, "--fail-if-drop", "0.01")

    assert passed.returncode == 0
    line = next(line for line in passed.stdout.splitlines() if "rare" in line)
    assert "-1.000" in line
    assert "1.0000" not in line
    assert "anls-frame: 1 slice cannot be tested at 0.05: fewer than 6 documents (doc)." in passed.stderr
    assert (
        "fewer than 8 documents" in run("compare", *options, "--fail-if-drop", "0", "--alpha", "0.01").stderr
    )
    assert "cannot be tested" not in run("compare", *options).stderr
    assert "cannot be tested" not in run("compare", *options[:3], "--fail-if-drop", "0").stderr


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["tesseract,rapidocr"], 0, "fine: rapidocr is not worse than tesseract by 0.01 or more"),
        (["rapidocr,tesseract"], 1, "regressed: tesseract is worse than rapidocr by more than 0.01"),
        (
            ["rapidocr,tesseract", "-m", "cer_mean"],
            1,
            "regressed: tesseract is worse than rapidocr by more than 1 pp (difference +19.8 pp)",
        ),
        (
            ["rapidocr,tesseract", "-m", "cer_mean", "--fail-if-drop", "0.015"],
            1,
            "tesseract is worse than rapidocr by at least 1.5 pp (p at most 0.05): CER (mean) (overall)",
        ),
        (
            ["old,new"],
            3,
            "undecided: new could be worse than old by more than 0.01; 112 documents can decide margins ",
        ),
        # A loss that is no chance, of which it is not shown that it is larger than the bound.
        (["rapidocr,tesseract", "--fail-if-drop", "0.1", "--require-within=0.19"], 1, "undecided: "),
        (["old,new", "--fail-if-drop", "0.01"], 3, "undecided: "),
        (["rapidocr,tesseract", "--require-within=0.3", "--fail-if-drop", "0.1"], 1, "fine: "),
        (["tesseract,rapidocr", "-b", "doc_type"], 0, "fine: rapidocr is not worse than tesseract by 0.01"),
        (
            ["tesseract,rapidocr", "-b", "doc_type", "--require-within-slices"],
            3,
            "more than 0.01, in 1 of 5 slices; the smallest of them has 16 documents",
        ),
        (["old,new", "--require-within", "x"], 2, "Invalid value for '--require-within'"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_gate_has_three_answers(run: Run, tmp_path: Path, arguments: list[str], code: int, line: str) -> None:
    row = pl.int_range(pl.len())
    pl.read_parquet(TABLE).with_columns(
        old=pl.when(row % 4 == 0).then("rapidocr").otherwise("tesseract"),
        new=pl.when(row % 4 == 2).then("rapidocr").otherwise("tesseract"),
    ).write_parquet(tmp_path / "rows.parquet")
    systems, *others = arguments
    named = {other.partition("=")[0] for other in others}
    gate = () if "--require-within" in named else ("--require-within", "0.01")

    done = run("compare", "rows.parquet", "--systems", systems, "-c", "doc_id", *gate, *others)

    assert done.returncode == code, done.stdout + done.stderr
    assert line in done.stderr
    assert "Traceback" not in done.stderr


def test_files_and_json_of_a_gate_have_its_decision_and_a_terminal_has_it_once(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "scores.csv").write_text("\n".join(["old,new", *["1,0"] * 40]), encoding="utf-8")
    options = ("compare", "scores.csv", "--systems", "old,new", "--scores", "--require-within", "0.1")
    decision = "regressed: new is worse than old by more than 0.1 (difference -1.000)"

    done = run(*options, "--json", "-o", "gate.md")

    assert (done.returncode, decision in done.stderr) == (1, True)
    assert json.loads(done.stdout)["notes"][0] == decision
    assert f"\n- {decision}\n" in (tmp_path / "gate.md").read_text("utf-8")
    assert decision not in run(*options).stdout


def test_gate_counts_slices_that_it_cannot_decide(run: Run, tmp_path: Path) -> None:
    rows = ["kind,old,new", *["often,1,1"] * 400, *["rare,1,0"] * 3]
    (tmp_path / "scores.csv").write_text("\n".join(rows), encoding="utf-8")
    options = ("scores.csv", "--systems", "old,new", "--scores", "-b", "kind", "--require-within", "0.1")

    assert "cannot be tested" not in run("compare", *options).stderr
    done = run("compare", *options, "--require-within-slices")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "anls-frame: 1 slice cannot be tested at 0.05: fewer than 6 rows.",
        (
            "anls-frame: fine: new is not worse than old by 0.1 or more, on all rows and in 1 of 1 slice "
            "(difference -0.007)"
        ),
    ]


def test_scores_that_exist_are_compared_by_their_name_and_direction(run: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({
        "id": list("abcdefgh"), "kind": ["u"] * 4 + ["v"] * 4,
        "old": [0.5, 0.25, None, 0.5, 0.5, 1.0, 0.5, 0.5], "new": [0.75, 1.0, 0.5, 0.75, 1.0, 1.5, 0.75, 1.0],
    })  # fmt: skip
    path = tmp_path / "scores.csv"
    frame.write_csv(path)
    options = (path.name, "--systems", "old,new", "--scores", "-b", "kind")

    shown = json.loads(fine(run("compare", *options, "--metric", "f1", "--json")))
    expected = af.compare(frame, {"old": "old", "new": "new"}, None, metrics="f1", by="kind")
    assert shown["title"] == "new against old: f1"
    assert [row["wins"] for row in shown["tables"]["f1 by kind"]] == expected.to_polars()["wins"].to_list()
    for lower in ("lower:tokens", "loss", "latency_ms"):
        worse = run("compare", *options, "--metric", lower, "--fail-if-drop", "0.1")
        refused(worse, "new is worse than old by at least 0.1", code=1)
        assert "Lower is better." in worse.stdout
    for higher in ("tokens", "higher:loss", "higher:errors"):
        assert run("compare", *options, "--metric", higher, "--fail-if-drop", "0.1").returncode == 0
    assert run("compare", *options, "--metric", "errors", "--fail-if-drop", "0.1").returncode == 1

    refused(run("compare", *options, "--protocol", "rrc"), "--scores cannot be combined with --protocol")
    refused(run("compare", path.name, "--systems", "old,kind", "--scores"), "'kind' must hold numbers")
    refused(run("compare", path.name, "--systems", "old,nwe", "--scores"), "no column 'nwe'")
    refused(run("compare", path.name, path.name, "--scores"), "scores are in two or more columns")
    refused(run("compare", path.name, "--system-column", "kind", "--scores"), "instead, pass --metric COLUMN")
    (tmp_path / "none.csv").write_text("a,b,c\n1,,\n,1,1\n", encoding="utf-8")
    nothing = "there is nothing to score. 0 of 2 rows were used; 2 have no score of a system"
    refused(run("compare", "none.csv", "--systems", "a,b,c", "--scores"), nothing)


def test_confusions_are_those_of_the_package(run: Run) -> None:
    rows = json.loads(fine(run("confusions", TABLE, "-p", "tesseract", "--json")))
    expected = af.confusions(pl.read_parquet(TABLE), "tesseract", "answers")

    assert pl.DataFrame(rows, schema=expected.schema).equals(expected)
    assert "and " in fine(run("confusions", TABLE, "-p", "tesseract", "--n", "3"))


def test_confusions_name_characters_that_look_alike_or_cannot_be_seen(run: Run, tmp_path: Path) -> None:
    rows = {"answer": ["\ue8bf \ueba7 a\u200cb c\u200dd e\u0303"], "prediction": ["q r ab cd e"]}
    pl.DataFrame(rows).write_parquet(tmp_path / "in.parquet")

    lines = fine(run("confusions", "in.parquet", "--min-nls", "0")).splitlines()

    cells = {tuple(cell.strip() for cell in line.strip("│").split("┆")[:3]) for line in lines[3:-2]}
    assert cells == {
        ("replace", "⟨U+E8BF⟩", "q"),
        ("replace", "⟨U+EBA7⟩", "r"),
        ("delete", "⟨U+200C⟩", ""),
        ("delete", "⟨U+200D⟩", ""),
        ("delete", "◌\u0303", ""),
    }


def test_confusions_are_printed_with_spaces_that_can_be_seen(run: Run, tmp_path: Path) -> None:
    rows = [("a b", "ab", "en"), ("ab", "a b", "en"), (None, "x", "en"), ("ac", "ab", "de"), ("a", "a", "de")]
    frame = pl.DataFrame(rows, schema=["prediction", "answer", "lang"], orient="row")
    frame.write_parquet(tmp_path / "in.parquet")

    printed = fine(run("confusions", "in.parquet"))

    assert [line.split() for line in printed.splitlines() if "insert" in line or "delete" in line] == [
        ["│", "delete", "┆", "␣", "┆", "┆", "1", "┆", "33.3", "%", "┆", "100.0", "%", "│"],
        ["│", "insert", "┆", "┆", "␣", "┆", "1", "┆", "33.3", "%", "┆", "\N{EN DASH}", "│"],
    ]
    end = "4 rows with NLS of at least 0.5 compared, 1 without a prediction."
    assert printed.endswith(f"{end}\n")
    higher = " ".join(fine(run("confusions", "in.parquet", "--min-nls", "0.6")).split())
    left_out = "1 without a prediction, 1 with a lower NLS (--min-nls 0 counts them)"
    assert higher.endswith(f"3 rows with NLS of at least 0.6 compared, {left_out}.")
    assert "4 rows compared, 1 without" in fine(run("confusions", "in.parquet", "--min-nls", "0"))
    none = fine(run("confusions", "in.parquet", "--min-nls", "1"))
    none_differs = "No character differs in rows with NLS of at least 1"
    assert none.endswith(f"{none_differs} (--min-nls 0 counts the others).\n")
    by = fine(run("confusions", "in.parquet", "-b", "lang"))
    assert by.endswith("Rows with NLS of at least 0.5 compared.\n")
    # What was left out is said with a file too.
    written = fine(run("confusions", "in.parquet", "--min-nls", "0.6", "-o", "c.csv"))
    assert " ".join(written.split()) == f"3 rows with NLS of at least 0.6 compared, {left_out}: c.csv"

    printed = fine(run("confusions", "in.parquet", "-b", "lang", "--n", "1"))

    assert [line.split()[1] for line in printed.splitlines() if line.startswith("│")][1:] == ["de", "en"]


def test_a_format_is_given_where_the_name_does_not_say_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "results.txt").write_text("prediction\tanswer\na\ta\n", encoding="utf-8")

    printed = fine(run("report", "results.txt", "--reader", "table,format=tsv"))

    assert "│ all rows ┆   1* ┆" in printed
    pl.read_parquet(TABLE).head(3).write_parquet(tmp_path / "table")
    assert "All 3 rows were used" in fine(
        run("score", "table", "--reader", "auto,format=parquet", "-p", "tesseract")
    )


def test_what_a_reader_asks_for_is_named_as_an_option(run: Run, tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("prediction,answer\nfür,für\n".encode("latin-1"))

    refused(run("score", "latin.csv"), "pass its encoding, such as --reader auto,encoding=cp1252")
    assert "ANLS 1.000" in fine(run("score", "latin.csv", "-r", "table,encoding=latin-1"))
    log = {"status": "error", "samples": [{"id": 1, "target": "a", "output": {"completion": "a"}}]}
    (tmp_path / "log.json").write_text(json.dumps({"eval": {}, **log}), encoding="utf-8")
    refused(
        run("score", "log.json"),
        "so samples may be missing; to read it anyway, pass --reader auto,allow_missing=true",
    )
    assert "The only row was used" in fine(run("score", "log.json", "--reader", "inspect,allow_missing=true"))


@pytest.mark.parametrize("kind", KINDS)
def test_plots_are_pictures(run: Run, tmp_path: Path, kind: str) -> None:
    fine(run("plot", kind, TABLE, "-p", "tesseract", "-o", f"{kind}.svg"))

    picture = (tmp_path / f"{kind}.svg").read_text(encoding="utf-8")
    assert "<svg" in picture
    # With the questions that the system left without a prediction.
    if kind in {"scores", "cer", "ecdf"}:
        assert re.search(r"<!-- .*\b1,568\b.* -->", picture)


@pytest.mark.parametrize(
    ("kind", "metric", "words"),
    [
        ("groups", "cer_corpus", "CER (corpus), lower is better, 95 % interval"),
        ("ecdf", "cer", "cer, lower is better"),
        ("ecdf", "bag_of_words", "bag_of_words, lower is better"),
        ("length", "nls", "mean nls"),
        ("length", "wer", "mean wer, lower is better"),
        ("length", "char_errors", "mean char_errors, lower is better"),
    ],
)
def test_plots_show_the_metric_asked_for(
    run: Run, tmp_path: Path, kind: str, metric: str, words: str
) -> None:
    fine(run("plot", kind, TABLE, "-p", "tesseract", "-m", metric, "-o", "a.svg"))

    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert f"<!-- {words} -->" in picture
    refused(
        run("plot", kind, TABLE, "-p", "tesseract", "-m", "bleu", "-o", "b.svg"), "--metric must be one of "
    )


def test_a_plot_of_groups_counts_a_question_once(run: Run, tmp_path: Path) -> None:
    rows = [
        {"question_id": str(number), "epoch": epoch, "prediction": "a", "answers": ["ab"[number % 2]]}
        for epoch in (1, 2, 3)
        for number in range(40)
    ]
    (tmp_path / "rounds.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    fine(run("plot", "groups", "rounds.jsonl", "-o", "groups.svg"))
    assert "<!-- n = 40 -->" in (tmp_path / "groups.svg").read_text(encoding="utf-8")


def test_a_file_is_not_overwritten_without_force(run: Run, tmp_path: Path) -> None:
    commands = (
        ("score", TABLE, "-p", "tesseract", "-o", "out.csv"),
        ("report", TABLE, "-p", "tesseract", "--summary", "out.parquet"),
        ("plot", "groups", TABLE, "-p", "tesseract", "-o", "out.png"),
        ("convert", TABLE, "out.csv", "-p", "tesseract"),
    )
    for command in commands:
        (target,) = (tmp_path / part for part in command if part.startswith("out."))
        target.write_text("precious", encoding="utf-8")

        refused(run(*command), "the file already exists; pass --force")
        assert target.read_bytes() == b"precious"
        assert run(*command, "--force").returncode == 0
        assert target.read_bytes() != b"precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "none.csv"], "none.csv: there is no such file"),
        (["report", TABLE, "-p", "tesseract", "-m", "none.py:f"], "none.py: there is no such file"),
        (["gec", "m2", "none.txt", "none.m2"], "none.m2: there is no such file"),
        (["compare", "none/"], "none: there is no such file"),
        (["changes", "none.csv", "--systems", "a,b"], "none.csv: there is no such file"),
        (["fields", "none/", "--gold", str(DATA)], "none: there is no such file"),
        (["compare", str(DATA), "--systems", "a,b"], "names several: name one of them"),
        (["score", "."], "this is a folder"),
        (
            ["score", str(DATA / "README.md")],
            "for a table, name its format with --reader table,format=...",
        ),
        (["score", TABLE, "--reader", "table,format=xls"], "format must be one of 'csv'"),
        (["score", TABLE], "no column with the prediction"),
        (["score", TABLE], "'rapidocr_confidence'; name it with --prediction ..."),
        (["score", TABLE, "-p", "teseract"], "did you mean 'tesseract'?"),
        *(
            (["score", TABLE, "-p", "tesseract", "--protocol", protocol], f"for '--protocol': {message}")
            for protocol, message in (
                ("docvqa", "unknown protocol 'docvqa'; the presets are 'anls', 'rrc'"),
                ("rrc,threshold=2", "threshold must be a number in [0, 1], got 2"),
                ("rrc,thresh=0.3", "a protocol has no option 'thresh'; its options are ignore_case, "),
                ("rrc,errors.case=true", "a protocol has no option 'case'; its options are ignore_case, "),
                ("rrc,threshold", "must be NAME,OPTION=VALUE,..., such as rrc,threshold=0.3, got 'rrc,thre"),
                ("rrc,cut=distance,cut=distance", "cut is given twice"),
            )
        ),
        (["score", TABLE, "-p", "tesseract", "-o", "a.doc"], "it must end in one of .csv"),
        (["score", TABLE, "-p", "tesseract", "-o", "no/a.csv"], "there is no folder 'no'"),
        (["score", TABLE, "-p", "tesseract", "-o", "s3://b/a.csv"], "'s3://b/a.csv' is an address; name a "),
        (["score", "s3://b/a.csv"], "'s3://b/a.csv' is an address; name a file of this machine"),
        (["report", TABLE, "-p", "tesseract", "--gold", "hf://a.csv"], "'hf://a.csv' is an address; name a "),
        (
            ["score", TABLE, "-p", "tesseract", "--reader", "auto,filter=x"],
            "filter= does not apply to 'table' files",
        ),
        (
            ["score", TABLE, "--reader", "vlmevalkit,filter=x"],
            "vlmevalkit has no option 'filter'; its options are sheet",
        ),
        (["score", TABLE, "--reader", "table,format"], "such as inspect,scorer=match, got 'table,format'"),
        (["score", TABLE, "--reader", "xml"], "reader must be one of 'auto'"),
        (["score", SUBMISSION["tesseract"]], "is a submission: name the file of gold labels with --gold"),
        (["report", TABLE, "-p", "tesseract", "-b", "language"], "no column 'language'"),
        (["report", TABLE, TABLE, "-p", "tesseract"], "occurs twice; each file must belong to one system"),
        (["compare", TABLE, "--systems", "tesseract,tesseract"], "name two or more files"),
        (["compare", TABLE, TABLE, "-p", "tesseract"], "occurs twice; each file must belong to one system"),
        (
            ["compare", TABLE, "--systems", "tesseract,rapidocr", "--alpha", "nan"],
            "--alpha must be a number in [0, 1]",
        ),
        (
            ["compare", TABLE, "--systems", "tesseract,rapidocr", "--require-within=0.1", "--alpha", "0.5"],
            "--alpha must be a number in (0, 0.5), got 0.5",
        ),
        (
            ["compare", TABLE, "--systems", "tesseract,rapidocr", "--require-within-slices"],
            "--require-within-slices and --anchor need --require-within",
        ),
        *(
            ([command, TABLE, "-p", "tesseract", *given.split(" ")], f"anls-frame: {message}")
            for command, given, message in (
                ("confusions", "--min-nls nan", "--min-nls must be a number in [0, 1], got nan"),
                ("confusions", "--n -1", "--n must be an integer from 0 to 4,294,967,295, got -1"),
                ("report", f"--worst {2**62}", "--worst must be an integer from 0 to 4,294,967,295, got 46"),
                ("report", "--confidence 2", "--confidence "),
                (
                    "report",
                    "--protocol raw",
                    "--protocol must have a threshold for ANLS and error types, but raw has none",
                ),
                ("report", "--by ", "no column '' among"),
                ("report", "--cluster ^.*$", "no column '^.*$' among"),
                (
                    "score",
                    "--reader table,answers_format=x",
                    "answers_format must be one of 'auto', ",
                ),
            )
        ),
        (
            ["report", TABLE, "-p", "tesseract", "--missing", "x"],
            "'--missing': 'x' is not one of 'empty', 'drop'",
        ),
        (["score", "latin.csv", "--reader", "table,encoding=utf-99"], "unknown encoding 'utf-99'"),
        (["plot", "pie", TABLE, "-o", "a.png"], "KIND must be one of 'scores'"),
        (["plot", "ecdf", TABLE, "-o", "a.png", "-b", "lang"], "'ecdf' plots do not take --by"),
        (
            ["plot", "cer", TABLE, "-o", "a.png", "-c", "x", "-b", "lang"],
            "'cer' plots do not take --by and --cluster",
        ),
        (["plot", "groups", TABLE, "-o", "a.gif"], "it must end in one of .svg"),
        (["doctor", TABLE], "FILE and --against must be given together"),
        (["scores"], "No such command 'scores'"),
        (["score", "--colour"], "No such option"),
        (
            ["report", TABLE, "--where", "a = 1", "--where", "b = 2"],
            "it takes one value, TEXT, but is given 2 times",
        ),
        (
            ["report", TABLE, "-c", "a", "--cluster", "b"],
            "Invalid value for '--cluster' / '-c': it takes one value",
        ),
        (
            ["compare", TABLE, "--id", "a", "--id", "b"],
            "takes one value, COLUMN[,COLUMN]..., but is given 2 times",
        ),
        (["merge"], "Missing argument"),
    ],
)
def test_wrong_usage_is_a_message_and_two(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "latin.csv").write_bytes("prediction,answer\nfür,für\n".encode("latin-1"))
    refused(run(*arguments), message)


def test_help_is_shown_whatever_else_is_given(run: Run) -> None:
    help_of_report = fine(run("report", "--help"))
    for option in ("--id", "--where"):
        assert fine(run("report", TABLE, option, "a", option, "b", "--help")) == help_of_report


ESCAPE = "\x1b]0;title\x07\x1b[31mred\x1b[0m[/red][bold]\u202e"


def test_text_from_data_is_no_markup_and_no_escape(run: Run, tmp_path: Path) -> None:
    row = {"id": ESCAPE, "prediction": ESCAPE, "answer": ["x", ESCAPE], "lang": ESCAPE}
    (tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    for name in ("bad.jsonl", "as-bad.jsonl"):
        (tmp_path / name).write_text(json.dumps(row) + "\n" + json.dumps(row), encoding="utf-8")

    outputs = [
        run("score", "in.jsonl"),
        run("report", "in.jsonl", "-b", "lang"),
        run("confusions", "in.jsonl", "-b", "lang"),
        run("changes", "in.jsonl", "--systems", "lang,prediction", "--keep", "question_id", "--kind", "all"),
        run("compare", "bad.jsonl", "as-bad.jsonl"),
        run("score", "in.jsonl", "-p", ESCAPE),
        run("score", f"{ESCAPE}.csv"),
        run("doctor", "in.jsonl", "--against", ESCAPE),
    ]

    for done in outputs:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout + done.stderr), done
        assert "Traceback" not in done.stderr
    assert "[/red][bold]" in outputs[0].stdout
    assert [done.returncode for done in outputs] == [0, 0, 0, 0, 2, 2, 2, 2]


def test_a_terminal_of_another_encoding_does_not_end_it(tmp_path: Path) -> None:
    arguments = ("report", TABLE, "-p", "rapidocr", "-b", "lang")
    # Windows writes files and pipes in cp1252, and terminals in cp437, which has half of a table's frame.
    for encoding, frame in {"ascii": "+=||-", "cp1252": "+=||-", "cp437": "╞═│|─"}.items():
        terminal = {"PYTHONIOENCODING": encoding, "LC_ALL": "C"}
        printed = fine(shell.run_alone(tmp_path, *arguments, encoding=encoding, environment=terminal))
        assert "zh-Hant" in printed
        assert {*frame} <= {*printed}
        assert "\\u" not in printed


def test_paths_may_hold_anything(run: Run, tmp_path: Path) -> None:
    name = "-a b 日本 [red].jsonl"
    (tmp_path / name).write_text('{"prediction": "a", "answer": "a"}', encoding="utf-8")

    fine(run("score", "-o", "out \u00e9.csv", "--", name))

    assert (tmp_path / "out \u00e9.csv").exists()


def test_a_closed_pipe_ends_it_quietly() -> None:
    command = f"{shell.SCRIPTS / 'anls-frame'} confusions {TABLE} -p tesseract --json"
    script = f"{command} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=False)  # noqa: S603

    assert done.stdout == "141\n"
    assert done.stderr == ""


def test_versions_completion_and_help_are_there(run: Run) -> None:
    assert fine(run("--version")) == f"anls-frame {af.__version__}\n"
    assert "compare" in fine(run("--help"))
    for name in ("bash", "zsh", "fish"):
        assert "_ANLS_FRAME_COMPLETE" in fine(run(_ANLS_FRAME_COMPLETE=f"{name}_source"))
    words = "anls-frame report a.csv --id a --id b --nou"
    asked = {"COMP_WORDS": words, "COMP_CWORD": "7", "_ANLS_FRAME_COMPLETE": "bash_complete"}
    assert fine(run(**asked)).strip() == "plain,--noun"


@pytest.mark.parametrize(("command", "names"), [("report", af.PROTOCOLS), ("plot", KINDS)])
def test_help_lists_what_can_be_chosen(run: Run, command: str, names: Iterable[str]) -> None:
    assert f"{','.join(names)}." in "".join(fine(run(command, "--help")).split())


def test_names_lists_every_metric_with_its_meaning(run: Run) -> None:
    printed = fine(run("names", "metrics"))
    rows = json.loads(fine(run("names", "metrics", "--json")))

    listed = [name for row in rows for name in row["name"].split(", ")]
    assert {*listed} == {*NAMED}
    assert len(listed) == len({*listed})
    for name in listed:
        assert name in printed


def test_the_help_of_every_command_is_grouped_and_brief(run: Run) -> None:
    listed = fine(run("-h")).partition("Commands:\n")[2].splitlines()
    for line in listed:
        name, summary = line.split(maxsplit=1)
        assert len(summary) <= 60
        assert not summary.endswith("...")
        if name == "gec":
            continue
        sections = [
            part for part in fine(run(name, "-h")).split("\n") if part.endswith(":") and part[0] != " "
        ]
        known = ["Arguments:", "Most used:", "Specific to this command:", "Input:", "Scoring:", "Intervals:"]
        assert sections == [part for part in [*known, "Output:", "Gate:", "Help:"] if part in sections]
    assert "[default: (" not in " ".join(fine(run("confusions", "-h")).split())


def test_the_most_used_options_of_a_command_fit_one_screen(run: Run) -> None:
    for name in ("overview", "report", "compare", "slices", "selective", "changes", "browse"):
        first = fine(run(name, "-h")).partition("Most used:\n")[2].partition("\n\n")[0]
        assert len(first.splitlines()) <= 32


def test_help_imports_neither_numpy_nor_pandas_nor_matplotlib(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.argv = ['anls-frame', '--help']\nfrom anls_frame.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'matplotlib', 'fastexcel', 'great_tables', 'rich.table'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert done.stdout.splitlines()[-1] == "[]"
