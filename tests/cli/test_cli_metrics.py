"""Own metrics on the command line: columns of files, functions of Python files, and reports in parts."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from report_oracle import check_close
from shell import fine, refused

import anls_frame as af

Run = Callable[..., shell.Done]

CODE = """
from __future__ import annotations

from dataclasses import dataclass
import polars as pl
import anls_frame as af

@dataclass
class Limit:
    most: float = 1.0

def characters(prediction, answers):
    return prediction.str.len_chars()

def ratio(prediction, answers):
    import difflib
    answers = [answers] if isinstance(answers, str) else answers
    return min(Limit().most, max(difflib.SequenceMatcher(None, prediction, one).ratio() for one in answers))

similarity = af.Metric.of_texts(ratio, name="similarity", label="difflib ratio")
words = af.Metric("errors", denominator="words", name="errors_per_word", higher_is_better=False)
nothing = 3

def text(prediction, answers):
    return "x"
"""
ROWS = pl.DataFrame(
    {
        "prediction": [["cat", "dog", "", "x y"][n % 4] for n in range(40)],
        "answer": [["cat", "dot", "bird", "x z"][n % 4] for n in range(40)],
        "seconds": [None if n % 5 == 0 else n / 8 for n in range(40)],
        "errors": [n % 3 for n in range(40)],
        "words": [n % 4 + 1 for n in range(40)],
        "lang": [["en", "de", "fr"][0 if n % 7 else 1 if n else 2] for n in range(40)],
        "id": [f"q{n}" for n in range(40)],
    }
)
METRICS = ("-m", "anls", "-m", "seconds", "-m", "own.py:characters", "-m", "own.py:similarity")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ROWS.write_csv(tmp_path / "rows.csv")
    ROWS.write_parquet(tmp_path / "rows.parquet")
    ROWS.write_ndjson(tmp_path / "rows.jsonl")
    (tmp_path / "own.py").write_text(CODE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    return functools.partial(shell.run, folder)


def in_python(**options: Any) -> af.Report:
    names: dict[str, Any] = {}
    exec(CODE, names)  # noqa: S102 - what the file holds
    metrics = ["anls", "seconds", af.Metric(names["characters"]), names["similarity"]]
    return af.report(ROWS, "prediction", "answer", metrics=metrics, **options)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_report_takes_names_columns_and_functions(run: Run, folder: Path, suffix: str) -> None:
    fine(run("report", f"rows.{suffix}", *METRICS, "-b", "lang", "-o", "report.parquet"))
    expected = in_python(by="lang").to_polars()
    found = pl.read_parquet(folder / "report.parquet")
    check_close(found, expected)
    assert found["seconds_n"][0] == 32
    assert found["seconds"][0] == pytest.approx(ROWS["seconds"].mean(), rel=1e-12)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["time:ms", "json:loads", "own.py:characters"])
def test_a_column_comes_before_a_function_of_the_same_name(
    run: Run, folder: Path, suffix: str, name: str
) -> None:
    named = ROWS.rename({"seconds": name})
    named.write_csv(folder / "named.csv")
    named.write_parquet(folder / "named.parquet")
    printed = fine(run("report", f"named.{suffix}", "-m", name, "--json"))
    assert json.dumps(ROWS["seconds"].mean()) in printed
    fine(run("plot", "groups", f"named.{suffix}", "-m", name, "-o", "groups.svg"))


def test_worst_rows_keep_ids_and_slices_need_rows(run: Run, folder: Path) -> None:
    options = ("--worst", "3", "--keep", "question_id", "--keep", "words", "--min-n", "5", "-b", "lang")
    printed = fine(run("report", "rows.csv", *METRICS, *options, "--json"))
    content = json.loads(printed)
    expected = in_python(by="lang", worst=3, keep=["id", "words"])
    sizes = dict(ROWS.group_by("lang").len().iter_rows())
    assert expected.to_document(min_n=5).main.frame.height == 1 + sum(n >= 5 for n in sizes.values())
    assert json.dumps(expected.worst["id"][0]) in json.dumps(content)
    fine(run("report", "rows.csv", *METRICS, *options, "--table", "Worst rows", "-o", "r.md"))
    text = (folder / "r.md").read_text(encoding="utf-8")
    assert all(f"| {one} " in text for one in expected.worst["id"])
    fine(run("report", "rows.csv", *METRICS, "-b", "lang", "--min-n", "7", "-o", "s.md"))
    hidden = sum(n < 7 for n in sizes.values())
    plural = "slice" if hidden == 1 else "slices"
    assert f"{hidden} {plural} of fewer than 7 rows left out." in (folder / "s.md").read_text(
        encoding="utf-8"
    )


def test_a_command_says_which_tables_a_text_leaves_out(run: Run, folder: Path) -> None:
    options = ("report", "rows.csv", *METRICS, "-b", "lang", "--worst", "3", "-o")
    said = "Further tables, which --table adds: Worst rows.\n"
    for name in ("one.md", "one.tex"):
        assert fine(run(*options, name)).endswith(said)
    assert "## Worst rows" not in (folder / "one.md").read_text(encoding="utf-8")
    assert said not in fine(run(*options, "both.md", "--table", "lang", "--table", "Worst rows"))
    assert "## Worst rows" in (folder / "both.md").read_text(encoding="utf-8")
    assert said not in fine(run(*options, "all.html"))


def test_titles_are_headings(run: Run) -> None:
    assert fine(run("report", "rows.csv", "--title", "Weekly")).startswith("Weekly\n")


def test_parts_give_the_whole(run: Run, folder: Path) -> None:
    options = (*METRICS, "-b", "lang", "--worst", "4", "--keep", "question_id")
    fine(run("report", "rows.csv", *options, "-o", "whole.parquet", "--summary", "whole-summary.parquet"))
    ROWS[:7].write_csv(folder / "rows0.csv")
    ROWS[7:10].write_parquet(folder / "rows1.parquet")
    ROWS[10:].write_parquet(folder / "rows2.parquet")
    for part, file in enumerate(["rows0.csv", "rows1.parquet", "rows2.parquet"]):
        fine(run("report", file, *options, "--summary", f"part{part}.parquet"))
    names = [f"part{part}.parquet" for part in (2, 0, 1)]
    fine(run("merge", *names, "-o", "merged.parquet", "--summary", "merged-summary.parquet"))
    whole = pl.read_parquet(folder / "whole.parquet")
    check_close(pl.read_parquet(folder / "merged.parquet"), whole)
    summaries = [af.Summary.load(folder / f"{name}-summary.parquet") for name in ("whole", "merged")]
    reports = [af.Report.from_summary(one) for one in summaries]
    assert reports[0].worst.equals(reports[1].worst)
    assert reports[0].settings == reports[1].settings
    check_close(whole, in_python(by="lang").to_polars())


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("bleu", "got 'bleu'"),
        ("lang", "column 'lang' must hold numbers, got '"),
        ("own.py:none", "own.py has no metric or function 'none'"),
        ("own.py:nothing", "own.py has no metric or function 'nothing'"),
        ("own.py:text", "the function of metric 'text' must return an expression, got str"),
        ("missing.py:metric", "missing.py"),
        ("no_such_module:metric", "cannot import 'no_such_module'"),
        ("bounds:0:s", "write both bounds and a score, as bounds:0:1:judge"),
        ("bounds:low:1:s", "write both bounds and a score, as bounds:0:1:judge"),
        ("bounds:1:0:s", "bounds must be a pair of numbers or None, the lower one first"),
        ("bounds:0:1:anls", "no column 'anls'"),
        ("lower:anls", "no column 'anls'"),
        ("higher:cer", "no column 'cer'"),
        ("ratio:errors", "write two columns, as ratio:usd:right"),
    ],
)
def test_metrics_that_cannot_be_are_refused(run: Run, metric: str, message: str) -> None:
    refused(run("report", "rows.csv", "-m", metric), message)


def test_numbers_that_are_wrong_are_named(run: Run, folder: Path) -> None:
    (folder / "bad.csv").write_text("prediction,answer,s\na,a,0.5\nb,b,\nc,c,1.5x\n", encoding="utf-8")
    done = run("report", "bad.csv", "-m", "s")
    refused(
        done, "column 's' must hold numbers, got '1.5x' in row 2 (counted from 0); write 78.5% and 0,785 as"
    )
    assert "This error occurred" not in done.stderr  # as Polars says of an error in an expression
    assert "and replace other words in the file" in done.stderr
    (folder / "inf.csv").write_text("prediction,answer,s\na,a,0.5\nb,b,inf\n", encoding="utf-8")
    refused(
        run("report", "inf.csv", "-m", "s"),
        "metric 's' must be finite, got inf in row 1 (counted from 0) of inf.csv; drop",
    )
    both = ("report", "inf.csv", "rows.csv", "-m", "s")
    refused(run(*both), "in row 1 (counted from 0) of inf.csv; drop")
    refused(run("report", "rows.csv", "-m", "anls", "-m", "anls"), "'anls' is taken")


@pytest.mark.parametrize("command", [("report",), ("compare", "other.jsonl")])
def test_bounds_are_declared_as_in_python(run: Run, folder: Path, command: tuple[str, ...]) -> None:
    rows = pl.DataFrame({"id": [1, 2, 3], "prediction": "a", "answers": "a", "judge": [1.0, 0.5, 85.0]})
    rows.write_ndjson(folder / "judge.jsonl")
    rows.with_columns(judge=pl.Series([1.0, 1.0, 1.0])).write_ndjson(folder / "other.jsonl")

    for bounds, interval in (("0:1", r"[0, 1]"), (":1", "(-∞, 1]"), ("90:", "[90, ∞)")):
        low, high = (float(end) if end else None for end in bounds.split(":"))
        with pytest.raises(ValueError, match=r"metric 'judge' must be in ") as raised:
            af.report(rows, metrics=af.Metric("judge", bounds=(low, high)))
        assert interval in str(raised.value)
        said = str(raised.value).partition(" (counted")[0].partition(" in row")[0]
        refused(run(command[0], "judge.jsonl", *command[1:], "-m", f"bounds:{bounds}:judge"), said)
    printed = fine(run(command[0], "judge.jsonl", *command[1:], "-m", "bounds:0:100:judge"))
    assert "28.83" in printed
    if command == ("report",):
        wide = af.report(rows, metrics=af.Metric("judge", bounds=(0, 100))).overall
        assert f"[{wide['judge_low']:.2f}, {wide['judge_high']:.2f}]" in printed


SCORED = pl.DataFrame({
    "id": range(200),
    "right": [i % 4 > 0 for i in range(200)],
    "sure": [i % 7 / 7 for i in range(200)],
    "lang": ["de" if i % 8 else "en" for i in range(200)],
})  # fmt: skip


def test_a_table_of_scores_with_the_name_of_a_metric_says_how_to_read_it(run: Run, folder: Path) -> None:
    """As harnesses write it: the score of texts has that name, too, and there are no texts."""
    SCORED.select("id", cer=1 - pl.col("right").cast(pl.Float64)).write_csv(folder / "rates.csv")
    for command in ("report", "slices"):
        told = (
            "if 'cer' holds scores, `anls-frame report FILE --metric 'lower:cer'` (lower: or higher:) needs"
        )
        refused(run(command, "rates.csv", "-m", "cer"), told)
    for name, better in (("correct", "higher"), ("word_error_rate", "lower")):
        SCORED.select("id", pl.col("right").alias(name)).write_csv(folder / "named.csv")
        told = f"if {name!r} holds scores, `anls-frame report FILE --metric '{better}:{name}'`"
        refused(run("report", "named.csv"), told)
    figures = json.loads(fine(run("report", "rates.csv", "-m", "lower:cer", "--json")))["tables"]
    assert next(iter(figures.values()))[0]["cer"] == 0.25
    with pytest.raises(af.InputError, match=r"`report_files` with metrics=Metric\('cer'\) needs no texts"):
        af.readers.report_files(folder / "rates.csv", metrics="cer")
    report = af.readers.report_files(folder / "rates.csv", metrics=af.Metric("cer"))
    assert report.overall["cer"] == 0.25


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_of_scores_need_no_texts(run: Run, folder: Path, suffix: str) -> None:
    file = f"scores.{suffix}"
    SCORED.write_csv(folder / file) if suffix == "csv" else SCORED.write_parquet(folder / file)
    options = ("-m", "right", "--json")
    figures = [
        next(iter(json.loads(run(*command, *options).stdout)["tables"].values()))[0]
        for command in (("report", file), ("selective", file, "--model-confidence", "sure"))
    ]
    assert figures[0]["right"] == 0.75
    selective = af.selective(SCORED, model_confidence="sure", metrics="right")
    assert figures[1]["augrc"] == pytest.approx(selective.overall["augrc"].item())
    SCORED.with_columns(right=True).write_csv(folder / "better.csv")
    compared = json.loads(run("compare", file, "better.csv", *options).stdout)
    assert next(iter(compared["tables"].values()))[0]["difference"] == pytest.approx(0.25)
    assert "lang = en" in fine(run("slices", file, "-m", "right"))
    fine(run("plot", "groups", file, "-m", "right", "-b", "lang", "-o", "groups.svg"))
    for more in (("-m", "anls"), ("--rows", "2", "-o", "page.html")):
        refused(
            run("report", file, "-m", "right", *more), "no column with the prediction among 'id', 'right'"
        )


def test_metrics_of_files_together_are_those_of_one(run: Run, folder: Path) -> None:
    ROWS[:15].write_csv(folder / "a.csv")
    ROWS[15:].write_csv(folder / "b.csv")
    fine(run("report", "a.csv", "b.csv", *METRICS, "-b", "lang", "-o", "both.parquet"))
    check_close(pl.read_parquet(folder / "both.parquet"), in_python(by="lang").to_polars())


def test_compare_takes_a_function(run: Run, folder: Path) -> None:
    other = ROWS.with_columns(prediction=pl.col("answer"))
    other.write_csv(folder / "new.csv")
    code = CODE + "\nlower = af.Metric(characters, name='characters', higher_is_better=False)\n"
    (folder / "own.py").write_text(code, encoding="utf-8")
    files = ("compare", "rows.csv", "new.csv", "--id", "id")
    content = json.loads(fine(run(*files, "-m", "own.py:lower", "--json")))
    lengths = [ROWS[name].str.len_chars() for name in ("prediction", "answer")]
    difference = lengths[1].mean() - lengths[0].mean()  # type: ignore[operator]
    assert f'"difference": {difference!r}' in json.dumps(content)
    assert f'"losses": {(lengths[1] > lengths[0]).sum()}' in json.dumps(content)
    gate = ("--fail-if-drop", "0.1")
    assert run(*files, "-m", "own.py:lower", *gate).returncode == 1
    assert run(*files, "-m", "own.py:characters", *gate).returncode == 0
    assert run(*files, "-m", "own.py:similarity", *gate).returncode == 0
    refused(run(*files, "-m", "own.py:none"), "own.py has no metric or function 'none'")
    refused(run(*files, "-m", "zeros"), "'zeros' is not; pass 'anls'")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_quantiles_of_names_columns_and_functions(run: Run, suffix: str) -> None:
    names = ("median:cer", "quantile:0.9:wer", "median:seconds", "median:own.py:similarity")
    options = [option for name in names for option in ("-m", name)]
    saved = ("--summary", "s.parquet")
    figures = json.loads(fine(run("report", f"rows.{suffix}", *options, *saved, "--json")))["tables"][
        "All rows"
    ][0]
    scored = ROWS.with_columns(cer=af.cer("prediction", "answer"), wer=af.wer("prediction", "answer"))
    assert figures["cer_median"] == scored["cer"].median()
    assert figures["wer_quantile_0.9"] == pytest.approx(scored["wer"].quantile(0.9, "linear"), rel=1e-14)
    assert figures["seconds_median"] == ROWS["seconds"].median()
    assert "similarity_median_low" in figures
    assert "three significant digits" in fine(run("merge", "s.parquet"))


@pytest.mark.parametrize(
    ("command", "metric", "message"),
    [
        (
            "report",
            "quantile:cer",
            "--metric quantile:cer: write a probability and a score, as quantile:0.9:cer",
        ),
        ("report", "quantile:2:cer", "probability must be a number in (0, 1)"),
        ("report", "median:f1", "a quantile must be of 'anls', 'nls'"),
        ("slices", "median:cer", "'cer_median' is a quantile, which only reports support"),
    ],
)
def test_quantiles_that_cannot_be_are_refused(run: Run, command: str, metric: str, message: str) -> None:
    refused(run(command, "rows.csv", "-m", metric), message)


def test_ratios_of_columns_are_reported_and_compared(run: Run, folder: Path) -> None:
    fine(run("report", "rows.csv", "-m", "anls", "-m", "lower:ratio:seconds:words", "-o", "report.parquet"))
    scored = ROWS.drop_nulls("seconds")
    ratio = scored["seconds"].sum() / scored["words"].sum()
    assert pl.read_parquet(folder / "report.parquet")["seconds_per_words"][0] == pytest.approx(
        ratio, rel=1e-12
    )
    faster = ROWS.with_columns(pl.col("seconds") / 2, words=pl.col("words") + 1)
    faster.write_csv(folder / "faster.csv")
    metrics = ("-m", "anls", "-m", "seconds", "-m", "lower:ratio:seconds:words")
    printed = fine(run("compare", "rows.csv", "faster.csv", *metrics, "-o", "compared.csv"))
    compared = pl.read_csv(folder / "compared.csv").filter(metric="seconds_per_words").row(0, named=True)
    fast = scored["seconds"].sum() / 2 / (scored["words"] + 1).sum()
    assert (compared["baseline_score"], compared["score"]) == pytest.approx((ratio, fast), rel=1e-12)
    # In each row with seconds, both parts are better.
    assert compared["wins"] == scored.height, printed
    refused(run("compare", "rows.csv", "faster.csv", "-m", "ratio:seconds:none"), "no column 'none'")
