"""Pages of OCR in a table: every command that docs/which.md names scores them, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jiwer
import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein
from shell import fine, run

import anls_frame as af

PAGES = [
    ("the quick brown fox", "the quick brown fox"),
    ("lnvoice 4 of Smith", "Invoice 42 of Smith"),
    ("jumps  the over", "jumps over the"),
    ("", "page four"),
    ("a b c", "a b c d"),
] * 4
SECOND = [read[:-1] for read, _ in PAGES]
ACCEPTED = {
    "text": lambda right: right,
    "one": lambda right: [right],
    "several": lambda right: [right.upper(), right, "page"],
}
FORMATS = ("csv", "jsonl", "xlsx", "parquet")


def table(folder: Path, answers: str, suffix: str) -> str:
    """Write the pages with these answers, and return the file's name."""
    accepted = [ACCEPTED[answers](right) for _, right in PAGES]
    df = pl.DataFrame(
        {
            "question_id": [str(page) for page in range(len(PAGES))],
            "doc": [f"book {page // 3}" for page in range(len(PAGES))],
            "lang": [("de", "en", "fr")[page % 3] for page in range(len(PAGES))],
            "ocr": [read for read, _ in PAGES],
            "second": SECOND,
            "truth": accepted,
        }
    )
    if suffix in {"csv", "xlsx"} and answers != "text":
        df = df.with_columns(truth=pl.Series([json.dumps(texts) for texts in accepted]))
    path = folder / f"pages.{suffix}"
    write = {
        "csv": df.write_csv,
        "jsonl": df.write_ndjson,
        "xlsx": df.write_excel,
        "parquet": df.write_parquet,
    }
    write[suffix](path)
    return path.name


COMMANDS = (
    "report FILE -p ocr -m ocr -b lang -c doc",
    "report FILE -p ocr -m wer_mean -m bag_of_words -m char_errors -m cer_corpus",
    "report FILE -p ocr -m ocr --details --worst 3 --rows 5 -o report.html",
    "score FILE -p ocr",
    "score FILE -p ocr -o scored.csv",
    "plot groups FILE -p ocr -m wer_corpus -b lang -o groups.svg",
    "plot length FILE -p ocr -m cer -o length.svg",
    "slices FILE -p ocr -m wer_corpus -c doc --rows 5 -o slices.html",
    "slices FILE -p ocr -m ocr",
    "browse FILE -p ocr -m ocr -b lang -o rows.html",
    "confusions FILE -p ocr",
    "convert FILE converted.jsonl -p ocr",
    "compare FILE --systems ocr,second -m ocr -b lang -c doc",
    "compare FILE --systems ocr,second -m wer_corpus --fail-if-drop 0.5 -c doc",
    "compare FILE --systems ocr,second -m wer_corpus --rows 100 -o comparison.html",
    "compare FILE --systems ocr,second -m ocr --rows 5 -o of_sets.html",
    "slices FILE --systems ocr,second -m wer_corpus --rows 5 -o lost.html",
    "changes FILE --systems ocr,second -m ocr",
    "browse FILE --systems ocr,second -m wer_corpus -m substitutions -o both.html",
)


@pytest.mark.parametrize("answers", ACCEPTED)
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_pages_in_a_table(
    tmp_path: Path, answers: str, suffix: str, command: str
) -> None:
    words = command.replace("FILE", table(tmp_path, answers, suffix)).split()

    fine(run(tmp_path, *words, "-a", "truth", "--reader", "table,answers_format=list"))


@pytest.mark.parametrize("answers", ACCEPTED)
@pytest.mark.parametrize("suffix", FORMATS)
def test_their_rates_are_those_of_jiwer_and_rapidfuzz(tmp_path: Path, answers: str, suffix: str) -> None:
    file = table(tmp_path, answers, suffix)
    # The other answers of "several" are farther from every page than the right one, or as far as it.
    words = jiwer.process_words([right for _, right in PAGES], [read for read, _ in PAGES])
    edits = [Levenshtein.editops(right, read) for read, right in PAGES]
    length = sum(len(right) for _, right in PAGES)

    metrics = "-m cer_corpus -m wer_corpus -m substitutions -m deletions -m insertions"
    command = f"report {file} -p ocr -a truth {metrics} --reader table,answers_format=list --json"
    printed = fine(run(tmp_path, *command.split()))

    (overall,) = json.loads(printed)["tables"]["All rows"]
    found: dict[str, Any] = overall
    assert found["wer_corpus"] == pytest.approx(words.wer, abs=1e-12)
    for name, tag in (("substitutions", "replace"), ("deletions", "delete"), ("insertions", "insert")):
        count = sum(one.tag == tag for ops in edits for one in ops)
        assert found[name] == pytest.approx(count / length, abs=1e-12), name
    assert found["cer_corpus"] == pytest.approx(sum(map(len, edits)) / length, abs=1e-12)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_error_of_scoring_is_not_a_damaged_file(tmp_path: Path, suffix: str) -> None:
    file = table(tmp_path, "text", suffix)
    (tmp_path / "own.py").write_text(
        "import polars as pl\n\ndef number(prediction, answers):\n    return prediction.cast(pl.Int64)\n"
    )

    done = run(tmp_path, "report", file, "-p", "ocr", "-a", "truth", "-m", "own.py:number")

    assert done.returncode == 2
    assert "conversion from `str` to `i64` failed" in done.stderr
    assert "damaged" not in done.stderr
    assert "cannot be read" not in done.stderr


def test_metrics_of_a_result_are_metrics_of_other_functions() -> None:
    df = pl.DataFrame(
        {"ocr": [read for read, _ in PAGES], "second": SECOND, "truth": [right for _, right in PAGES]}
    )
    systems = {"ocr": "ocr", "second": "second"}
    for names in ("ocr", "qa", ["wer_mean", "char_errors", "bag_of_words"]):
        first = af.report(df, "ocr", "truth", metrics=names)
        again = af.report(df, "ocr", "truth", metrics=first.measures)
        assert again.overall == first.overall
        compared = af.compare(df, systems, "truth", metrics=first.measures)
        assert [metric.name for metric in compared.measures] == [
            metric.name for metric in first.measures if metric.name != "zeros"
        ]
        assert (
            af.compare(df, systems, "truth", metrics=compared.measures)
            .to_polars()
            .equals(compared.to_polars())
        )
        assert af.browse(df, "ocr", "truth", metrics=first.measures).rows == len(PAGES)
        assert af.browse(df, systems, "truth", metrics=compared.measures).rows == len(PAGES)
        assert af.changes(df, systems, "truth", metrics=compared.measures).height > 0
        af.find_slices(df, "ocr", "truth", "second", metrics=first.measures)
        assert af.worst(df, "ocr", "truth", 2, metrics=first.measures[:1]).height == 2


def test_a_function_that_a_result_does_not_keep_is_named() -> None:
    df = pl.DataFrame({"ocr": ["a"], "truth": ["a"]})
    metric = af.Metric(lambda prediction, answers: prediction == answers, name="same")
    report = af.report(df, "ocr", "truth", metrics=metric)

    with pytest.raises(ValueError, match=r"metric 'same' comes from a result.*pass the original Metric"):
        af.browse(df, "ocr", "truth", metrics=report.measures)
