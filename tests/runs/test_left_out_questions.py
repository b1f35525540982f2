"""Every result counts the questions, pages and documents that were left out before it was made."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import polars as pl
import pytest
from shell import fine, run

import anls_frame as af
from anls_frame.readers import Reading, compare_files, report_files

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
pytestmark = pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")

# Gold has q1 to q6; the systems have q2 and q3 in common.
LEFT_OUT = {
    "questions that 'a' lacks": 1,  # q4
    "questions that 'b' lacks": 1,  # q1
    "questions that several lack": 2,  # q5, q6
    "questions that gold lacks": 1,  # q9
}
SAID = (
    "All 2 rows were used; left out before scoring: questions that 'a' lacks (1), questions that 'b' "
    "lacks (1), questions that several lack (2), questions that gold lacks (1)."
)


def table(path: Path, ids: Iterable[str], **columns: str) -> Path:
    pl.DataFrame([{"question_id": key, **columns} for key in ids]).write_csv(path)
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    table(tmp_path / "gold.csv", ["q1", "q2", "q3", "q4", "q5", "q6"], answers="x")
    table(tmp_path / "a.csv", ["q1", "q2", "q3", "q9"], prediction="x")
    table(tmp_path / "b.csv", ["q2", "q3", "q4"], prediction="y")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMPARE = ["compare", "a.csv", "b.csv", "--gold", "gold.csv", "--unmatched", "drop"]


def how() -> Reading:
    return Reading(gold="gold.csv", unmatched="drop")


def test_each_file_of_a_comparison_says_what_was_left_out(folder: Path) -> None:
    for suffix in ("html", "json", "csv", "md", "xlsx", "parquet"):
        assert run(folder, *COMPARE, "-o", f"c.{suffix}").returncode == 0
    shown = run(folder, *COMPARE)
    assert SAID in shown.stdout
    signature = shown.stdout.splitlines()[-1]
    assert "|left_out:5|" in signature

    assert SAID in Path("c.html").read_text().replace("&#39;", "'")
    assert SAID in Path("c.md").read_text().replace("\\", "")
    written = json.loads(Path("c.json").read_text())
    assert SAID in written["notes"]
    assert written["settings"]["left_out"] == LEFT_OUT
    with Path("c.csv").open() as file:
        assert {row["signature"] for row in csv.DictReader(file)} == {signature}
    pairs = pd.read_excel("c.xlsx", sheet_name="Settings", index_col=0)["value"]
    assert json.loads(pairs["left_out"]) == LEFT_OUT
    assert SAID in json.loads(pl.read_parquet_metadata("c.parquet")["anls_frame.notes"])


def test_given_used_and_left_out_are_all_questions_of_all_files() -> None:
    comparison = compare_files(["a.csv", "b.csv"], how())
    account = comparison.account.frame.filter(system="a")
    assert dict(account.filter(rows="not given").select("reason", "n").rows()) == LEFT_OUT
    every = {key for name in ("gold", "a", "b") for key in pl.read_csv(f"{name}.csv")["question_id"]}
    assert account.filter(pl.col("rows").is_in(["not given", "used"]))["n"].sum() == len(every) == 7
    decision = comparison.decide(0.01)
    assert SAID in str(decision)


def test_merged_and_saved_summaries_add_up_what_was_left_out(folder: Path) -> None:
    table(folder / "c.csv", ["q5"], prediction="x")
    lacking = [{"'a.csv'": 3, "gold": 1}, {"'b.csv'": 3}, {"'c.csv'": 5}]
    for name, lost in zip("abc", lacking, strict=True):
        summary = report_files(f"{name}.csv", how()).summary
        assert summary.settings.left_out == {f"questions that {who} lacks": n for who, n in lost.items()}
        summary.save(folder / f"{name}.parquet")
    shown = fine(run(folder, "merge", "a.parquet", "b.parquet", "c.parquet"))
    assert "|left_out:12|" in shown
    assert (
        "questions that 'a.csv' lacks (3), questions that gold lacks (1), questions that 'b.csv' lacks (3)"
        in shown
    )

    one, other = (compare_files(["a.csv", "b.csv"], how()).summary for _ in range(2))
    both = af.merge([one, af.Summary.from_bytes(other.to_bytes())])
    assert both.settings.left_out == {what: 2 * n for what, n in LEFT_OUT.items()}


def left_out(result: Any) -> dict[str, int]:
    """Return what the account of a result counts as not given."""
    account = pl.DataFrame(result.account.frame).filter(rows="not given")
    assert all(f"{what} ({n})" in str(result.account) for what, n in account.select("reason", "n").rows())
    return dict(account.select("reason", "n").rows())


@pytest.fixture
def pages(folder: Path) -> None:
    """The ground truth of pages 1 and 2, and the readings of an engine of pages 2, 3 and 4."""
    for name, numbers in {"truth": (1, 2), "ocr": (2, 3, 4)}.items():
        (folder / name).mkdir()
        for number in numbers:
            (folder / name / f"box-{number}.txt").write_text("Hay 9")


@pytest.mark.usefixtures("pages")
def test_pages_that_do_not_pair_up_are_counted() -> None:
    frame = af.read_pages("truth", {"ocr": "ocr"}, collection="{collection}-{page}", unmatched="drop")
    expected = {"pages that 'ocr' lacks": 1, "pages that the ground truth lacks": 2}
    assert left_out(af.report(frame, "ocr", "reference")) == expected
    engines = af.read_pages("truth", {"ocr": "ocr", "other": "truth"}, unmatched="drop")
    expected = {"pages that 'ocr' lacks": 1, "pages that several lack": 2}
    assert left_out(af.compare(engines, ["ocr", "other"], "reference")) == expected

    drop = Reading(gold="truth", unmatched="drop")
    expected = {"pages that 'ocr/' lacks": 1, "pages that the ground truth lacks": 2}
    assert left_out(report_files("ocr", drop)) == expected
    shutil.copytree("ocr", "again")
    expected = {"pages that several lack": 1, "pages that the ground truth lacks": 2}
    assert left_out(compare_files(["ocr", "again"], drop)) == expected
    # Page 1 counts as not read.
    null = Reading(gold="truth", unmatched="null")
    assert left_out(report_files("ocr", null)) == {"pages that the ground truth lacks": 2}
    assert left_out(compare_files(["ocr", "again"], null)) == {"pages that the ground truth lacks": 2}


def test_documents_without_gold_are_counted(folder: Path) -> None:
    frame = pl.DataFrame({"id": [1, 2, 3], "read": '{"a": "1"}', "gold": ['{"a": "1"}', None, None]})
    rows = af.fields(frame, "read", "gold", id="id")
    assert left_out(af.report(rows, "prediction", "answers", metrics="fields")) == {
        "documents without gold": 2
    }
    documents = af.documents(rows, "prediction", "answers", id="id")
    assert left_out(af.report(documents, metrics="all_right")) == {"documents without gold": 2}

    for name, numbers in {"truth": (1, 2), "read": (1, 2, 3)}.items():
        (folder / name).mkdir()
        for number in numbers:
            (folder / name / f"{number}.json").write_text('{"total": "9"}')
    assert run(folder, "fields", "read", "--gold", "truth", "-o", "fields.json").returncode == 0
    written = json.loads(Path("fields.json").read_text())
    assert any("left out before scoring: documents without gold (1)" in note for note in written["notes"])


@pytest.mark.parametrize("kind", [pl.DataFrame, pl.DataFrame.to_pandas])
def test_rows_that_only_one_table_has_are_counted(kind: Callable[[pl.DataFrame], Any]) -> None:
    rows = pl.DataFrame({"id": [1, 2, 3, 4], "answer": "x", "prediction": "x"})
    both = af.pair(kind(rows[:2]), kind(rows[1:]), on="id", prediction="prediction", names=("old", "new"))
    comparison = af.compare(both.frame, ["prediction_old", "prediction_new"], "answer")
    assert left_out(comparison) == {"rows that 'new' lacks": 1, "rows that 'old' lacks": 2}
    scored = af.add_scores(both.frame, "prediction_old", "answer")
    assert left_out(af.report(scored, metrics="anls")) == left_out(comparison)


def test_questions_of_submissions_are_counted(folder: Path) -> None:
    gold = {"data": [{"questionId": number, "question": "?", "answers": ["x"]} for number in (1, 2)]}
    answers = [{"questionId": number, "answer": text} for number, text in ((1, "x"), (2, None), (3, "x"))]
    (folder / "gold.json").write_text(json.dumps(gold))
    (folder / "sent.json").write_text(json.dumps(answers))
    lacking, unknown = {"questions that 'sent.json' lacks": 1}, {"questions that gold lacks": 1}
    cases: list[tuple[Any, dict[str, int]]] = [("drop", lacking | unknown), ("null", unknown)]
    for unmatched, expected in cases:
        frame = af.read_rrc("gold.json", "sent.json", unmatched=unmatched)
        for result in (
            af.report(frame, "prediction", "answers"),
            af.report(af.add_scores(frame, "prediction", "answers"), metrics="anls"),
            af.format_tax(frame, "prediction", "answers"),
            af.browse(frame, "prediction", "answers"),
            report_files("sent.json", Reading(gold="gold.json", unmatched=unmatched)),
        ):
            assert left_out(result) == expected


def test_questions_of_repeated_answers_are_counted(folder: Path) -> None:
    for name in "ab":
        twice = [pl.read_csv(f"{name}.csv").with_columns(epoch=pl.lit(epoch)) for epoch in (1, 2)]
        pl.concat(twice).write_csv(f"{name}.csv")
    assert left_out(compare_files(["a.csv", "b.csv"], how())) == LEFT_OUT
    frame = af.read_logs({"a": "a.csv", "b": "b.csv"}, gold="gold.csv", unmatched="drop")
    means = af.repeats.mean_over_epochs(frame, "prediction", "answers", id=["system", "question_id"])
    both = af.side_by_side(means, system="system", id="question_id", metrics="anls")
    assert left_out(af.compare(both)) == LEFT_OUT
    command = ["epochs", "a.csv", "b.csv", "--gold", "gold.csv", "--unmatched", "drop"]
    assert SAID.partition("; ")[2] in run(folder, *command).stdout
    schema = json.loads((SCHEMAS / "epochs.json").read_text(encoding="utf-8"))
    printed = json.loads(run(folder, *command, "--json").stdout)
    jsonschema.validate(printed, schema)
    counts = {row["reason"]: row["n"] for row in printed["account"] if row["rows"] == "not given"}
    assert counts == LEFT_OUT
