"""`compare` and `merge` of many systems: what they print and write is what `anls_frame.compare` returns."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from campaign import amount
from sample import DATA
from shell import fine, refused

import anls_frame as af

Run = Callable[..., shell.Done]

SIX = ["rapidocr", "tesseract", "mixture", "dates", "exchanged", "silent"]
SYSTEMS = ("--systems", ",".join(SIX))
KEPT = ("question_id", "doc_id", "doc_type", "lang", "answers")
EXCHANGED = {"yes": "no", "no": "yes", "Yes": "No", "No": "Yes", "Ja": "Nein", "Nein": "Ja"}


def _six() -> pl.DataFrame:
    """Return the sample with six systems: two engines, a mixture of them, and three spoilt copies of one."""
    answer, kind = pl.col("rapidocr"), pl.col("answer_type")
    next_digit = {str(digit): str((digit + 1) % 10) for digit in range(10)}
    spoilt = answer.str.head(-1) + answer.str.tail(1).replace(next_digit)
    return af.sample().with_columns(
        pl.col("question_id").cast(pl.String),
        mixture=pl.when(pl.col("question_id") % 2 == 0).then("tesseract").otherwise("rapidocr"),
        dates=pl.when(kind == "date").then(spoilt).otherwise(answer),
        exchanged=pl.when(kind == "yes/no").then(answer.replace(EXCHANGED)).otherwise(answer),
        silent=pl.when(pl.col("doc_type") != "form").then(answer),
    )


ALL = _six()
FRAME = ALL.filter(pl.col("doc_id").rank("dense") % 4 == 0)
"""Every fourth document."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `anls-frame` in a folder with a quarter of the sample."""
    FRAME.write_parquet(tmp_path / "all.parquet")
    return functools.partial(shell.run, tmp_path)


def write(folder: Path, suffix: str, systems: list[str] = SIX) -> list[str]:
    """Write a file for each system, in an order of rows of its own, and return their names."""
    for place, name in enumerate(systems):
        rows = FRAME.select(*KEPT, pl.col(name).alias("prediction")).sample(
            fraction=1, shuffle=True, seed=place
        )
        rows = FRAME.select(*KEPT, pl.col(name).alias("prediction")) if place == 0 else rows
        path = folder / f"{name}.{suffix}"
        if suffix == "csv":
            # In CSV, an empty cell is an empty text.
            texts = pl.col("answers").map_elements(lambda one: json.dumps(one.to_list()), pl.String)
            rows.with_columns(texts).write_csv(path)
        elif suffix == "jsonl":
            rows.write_ndjson(path)
        else:
            rows.write_parquet(path)
    return [f"{name}.{suffix}" for name in systems]


def figures(text: str) -> Any:
    """Return the tables of a document that was printed as JSON."""
    return json.loads(text)["tables"]


def expected(frame: pl.DataFrame = FRAME, systems: Any = SIX, **options: Any) -> Any:
    """Return the tables of a comparison as JSON has them."""
    made: af.Comparison = af.compare(frame, systems, "answers", **options)
    return figures(_printed(made))


def _printed(made: af.Comparison) -> str:
    import io  # noqa: PLC0415 - only here

    from anls_frame.export.json_files import write_json  # noqa: PLC0415 - only here

    file = io.BytesIO()
    write_json(made.to_document(), file)
    return file.getvalue().decode()


@pytest.mark.parametrize("suffix", amount(["csv"], ["csv", "jsonl", "parquet"]))
def test_files_give_what_the_package_gives(run: Run, tmp_path: Path, suffix: str) -> None:
    files = write(tmp_path, suffix)
    options = ("-b", "doc_type", "-c", "doc_id", "-m", "anls", "-m", "exact_match", "--baseline", "dates")

    printed = fine(run("compare", *files, *options, "--json"))

    assert figures(printed) == expected(
        FRAME,
        ["dates", *(system for system in SIX if system != "dates")],
        by="doc_type",
        cluster="doc_id",
        metrics=["anls", "exact_match"],
    )


def test_columns_and_rows_give_what_files_give(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, "jsonl")
    long = FRAME.unpivot(SIX, index=KEPT, variable_name="model", value_name="output")
    long.write_parquet(tmp_path / "long.parquet")
    options = ("-c", "doc_id", "-m", "nls", "--json")

    of_files = figures(fine(run("compare", *files, *options)))

    assert figures(fine(run("compare", "all.parquet", *SYSTEMS, *options))) == of_files
    assert figures(fine(run("compare", "long.parquet", "--system-column", "model", *options))) == of_files


def test_problems_of_all_columns_are_found_in_one_reading(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": 1, "a": "x", "b": ["x", "y"], "c": "x", "answer": "x"},
        {"id": 2, "a": {}, "b": "y", "answer": "x"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    refused(
        run("compare", "rows.jsonl", "--systems", "a,b,c"),
        "2 problems",
        "line 1: 'b' must be one text, got a list of 2; keep one of them",
        "line 2: 'a' must be a string, got an object",
    )
    refused(run("compare", "rows.jsonl", "--systems", "a,e,d"), "no column 'e' among", "no column 'd' among")
    gold = ("--gold", str(DATA / "rrc" / "gold_label.json"))
    submission = str(DATA / "rrc" / "submission_rapidocr.json")
    refused(
        run("compare", submission, *gold, "--systems", "a,b"), "--systems needs a table, not a file of 'rrc'"
    )


def test_names_are_those_of_the_files_or_given(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "parquet", SIX[:3])
    (tmp_path / "b").mkdir()
    files = ["model-1.5.parquet", "model-2.parquet", "b/model-2.parquet"]
    for old, new in zip(SIX, files, strict=False):
        (tmp_path / f"{old}.parquet").rename(tmp_path / new)

    def systems(*arguments: str) -> list[str]:
        content = json.loads(fine(run("compare", *arguments, "--json")))
        return list(content["settings"]["systems"])

    assert systems(*files[:2]) == ["model-1.5", "model-2"]
    assert systems(*files) == [file.removesuffix(".parquet") for file in files]
    names = ("--name", "x", "--name", "y", "--name", "a b")
    assert systems(*files, *names) == ["x", "y", "a b"]
    assert systems("all.parquet", "--systems", "dates,silent,mixture", *names) == ["x", "y", "a b"]
    assert systems(*files, *names, "--baseline", "y") == ["y", "x", "a b"]
    refused(run("compare", *files, *names[:4]), "--name must be given for each system or none: 2 for 3")
    refused(run("compare", *files, *names[:4], "--name", "x"), "--name must differ between systems")
    refused(run("compare", *files, "--baseline", "z"), "--baseline must be one of the systems")


def test_questions_that_a_file_lacks_are_listed_for_each(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, "jsonl", SIX[:3])
    ids = FRAME["question_id"].to_list()
    for name, kept in (("tesseract", FRAME[2:]), ("mixture", FRAME[:-1])):
        kept.select(*KEPT, pl.col(name).alias("prediction")).write_ndjson(tmp_path / f"{name}.jsonl")
    said = (
        f"'tesseract' lacks 2 questions: '{ids[0]}', '{ids[1]}'",
        f"'mixture' lacks 1 question: '{ids[-1]}'",
    )

    refused(run("compare", *files), "2 problems", *said, "pass --unmatched null; to leave out")
    done = run("compare", *files, "--unmatched", "drop", "--json")

    assert done.returncode == 0
    assert done.stderr == f"anls-frame: 3 questions (6 rows) left out, because {'; '.join(said)}\n"
    assert figures(done.stdout) == expected(FRAME[2:-1], SIX[:3])
    for name, kept in (("tesseract", FRAME[:9]), ("mixture", FRAME[9:])):
        kept.select(*KEPT, pl.col(name).alias("prediction")).write_ndjson(tmp_path / f"{name}.jsonl")
    refused(run("compare", *files, "--unmatched", "drop"), "no question is common to all systems")


def test_rows_that_are_no_comparison_are_refused(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": id_, "model": model, "prediction": "a", "answer": "a"}
        for id_ in (1, 2)
        for model in ("x", "y")
    ]

    def long(*rows: dict[str, Any]) -> shell.Done:
        text = "\n".join(map(json.dumps, rows))
        (tmp_path / "long.jsonl").write_text(text, encoding="utf-8")
        return run("compare", "long.jsonl", "--system-column", "model")

    assert long(*rows).returncode == 0
    refused(long(*rows[:3]), "'y' lacks 1 question: '2'", "--unmatched drop")
    refused(long(*rows, rows[0]), "duplicate id '1', first seen at row")
    refused(long(*rows, {**rows[0], "model": None}), "1 row without a system in 'model'")
    refused(long(*rows, {**rows[0], "id": None}), "the id is missing")
    refused(long(*rows[::2]), "model: names one system")
    refused(long(*({"model": row["model"], "prediction": "a", "answer": "a"} for row in rows)), "has no ids")
    refused(
        long(*rows[:3], {**rows[3], "answer": "b"}), "'y' accepts other answers than 'x' for 1 question: '2'"
    )
    refused(run("compare", "long.jsonl", "--system-column", "nope"), "no column 'nope'")
    both = ("--system-column", "model", "--systems", "prediction,model")
    refused(run("compare", "long.jsonl", *both), "--systems must be among")
    refused(run("compare", "long.jsonl", "all.parquet", *both[2:]), "--systems is for systems in one file")


@pytest.mark.parametrize("suffix", amount(["csv"], ["csv", "parquet"]))
def test_metrics_are_built_in_ones_functions_and_columns(run: Run, tmp_path: Path, suffix: str) -> None:
    code = (
        "import anls_frame as af\n"
        "def same(prediction, answers):\n    return (prediction == answers.list.first()).cast(float)\n"
        "sure = af.Metric({'rapidocr': 'rapidocr_confidence', 'tesseract': 'tesseract_confidence'}, "
        "name='sure')\n"
    )
    (tmp_path / "own.py").write_text(code, encoding="utf-8")
    frame = FRAME.drop("question_types").with_columns(pl.col("rapidocr", "tesseract").fill_null(""))
    texts = pl.col("answers").map_elements(lambda one: json.dumps(one.to_list()), pl.String)
    frame.with_columns(texts).write_csv(tmp_path / "all.csv")
    frame.write_parquet(tmp_path / "all.parquet")
    pair = ["rapidocr", "tesseract"]
    metrics = ("-m", "cer_mean", "-m", "own.py:same", "-m", "own.py:sure")

    printed = fine(run("compare", f"all.{suffix}", "--systems", ",".join(pair), *metrics, "--json"))

    def same(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
        return (prediction == answers.list.first()).cast(pl.Float64)

    sure = af.Metric({name: f"{name}_confidence" for name in pair}, name="sure")
    assert figures(printed) == expected(frame, pair, metrics=["cer_mean", af.Metric(same), sure])
    of_set = figures(fine(run("compare", f"all.{suffix}", "--systems", ",".join(pair), "-m", "qa", "--json")))
    assert of_set == expected(frame, pair, metrics="qa")


def test_the_best_is_said_where_a_file_is_written(run: Run, tmp_path: Path) -> None:
    ALL.write_parquet(tmp_path / "all.parquet")
    options = ("compare", "all.parquet", *SYSTEMS, "-c", "doc_id", "-m", "anls", "-m", "cer_mean")
    for suffix in ("html", "csv", *amount((), ("json", "xlsx", "md"))):
        first, account = fine(run(*options, "-o", f"out.{suffix}")).splitlines()
        best, *others = first.split("; ")
        assert best.startswith(f"out.{suffix}: ANLS of 6 systems over 1,568 rows: rapidocr 0.846 [")
        assert best.endswith("] is the best")
        assert not any(other.startswith(("possibly", "first by")) for other in others)
        assert account.startswith("1,568 of 1,624 rows were used; ")
        assert (tmp_path / f"out.{suffix}").stat().st_size
    # Ten documents cannot tell which copy is best, and two that are equal share the first rank.
    few = ALL.head(140).with_columns(twin="rapidocr")
    few.write_parquet(tmp_path / "few.parquet")
    printed = fine(run("compare", "few.parquet", "--systems", "rapidocr,twin,dates", "-o", "few.csv"))
    ranking = af.compare(few, ["rapidocr", "twin", "dates"], "answers").ranking
    assert ranking["rank"].to_list()[:2] == [1, 1]
    rivals = ", ".join(ranking.filter("possibly_best")["system"][1:])
    first = printed.partition("\n")[0]
    assert first.startswith("few.csv: ANLS of 3 systems over ")
    assert f": {ranking['system'][0]} 0." in first
    assert f"] has the highest rank; possibly the best too: {rivals}" in first


def test_one_document_can_show_no_best_and_the_shell_says_so(run: Run, tmp_path: Path) -> None:
    ALL.with_columns(book=pl.lit("all")).write_parquet(tmp_path / "all.parquet")
    done = run("compare", "all.parquet", *SYSTEMS, "-c", "book", "-o", "out.csv")
    assert done.returncode == 0
    note = "all rows together cannot be tested at 0.05: fewer than 6 books."
    assert done.stderr == f"anls-frame: {note}\n"


def test_details_print_how_error_types_changed(run: Run) -> None:
    options = ("compare", "all.parquet", "--systems", "silent,rapidocr,dates", "--baseline", "rapidocr")

    printed = fine(run(*options, "--details"))

    made = af.compare(FRAME, ["rapidocr", "silent", "dates"], "answers", details=True)
    changed = made.transitions.filter(pl.col("baseline_error_type") != pl.col("error_type"))
    largest = changed.sort("n", descending=True).row(0, named=True)
    title, first = "Error types, old and new", printed.splitlines()
    heads = [cell.strip() for cell in first[first.index(title) + 2].strip("│").split("┆")]
    assert heads == ["system", "error type of rapidocr", "its error type", "rows", "share"]
    line = [cell.strip() for cell in first[first.index(title) + 4].strip("│").split("┆")]
    assert line[:4] == [
        *(largest[name] for name in ("system", "baseline_error_type", "error_type")),
        str(largest["n"]),
    ]
    assert title not in fine(run(*options))
    content = figures(
        fine(run("compare", "all.parquet", "--systems", "rapidocr,dates", "--details", "--json"))
    )
    of_two = af.compare(FRAME, ["rapidocr", "dates"], "answers", details=True).transitions
    assert [row["n"] for row in content["Error types, old and new"]] == of_two["n"].to_list()
    scores = ("compare", "all.parquet", "--systems", "rapidocr_confidence,tesseract_confidence", "--scores")
    refused(run(*scores, "--details"), "details need texts")


WORSE = "is worse than rapidocr by at least 0.01 (p at most 0.05)"
GATE = ("-c", "doc_id", "-b", "doc_type", "-m", "anls", "-m", "exact_match")


@pytest.mark.parametrize(
    ("arguments", "code", "lines"),
    [
        (["all.parquet", "--systems", "tesseract,mixture,rapidocr", *GATE, "--fail-if-drop", "0.01"], 0, []),
        (
            ["all.parquet", *SYSTEMS, *GATE, "--fail-if-drop", "0.01"],
            1,
            [
                f"tesseract {WORSE}: ANLS (overall; doc_type = table, form, invoice and 1 more), exact",
                "mixture is worse than rapidocr by",
                # The last digit of a date costs little ANLS.
                f"dates {WORSE}: exact match (overall; doc_type = ",
                f"exchanged {WORSE}: ANLS (overall; doc_type = table), exact match (overall; doc_type =",
                f"silent {WORSE}: ANLS (overall; doc_type = form), exact match (overall; doc_type = form)",
            ],
        ),
        (
            ["all.parquet", *SYSTEMS, "--baseline", "silent", "-c", "doc_id", "--fail-if-drop", "0.01"],
            1,
            ["tesseract is worse than silent by at least 0.01 (p at most 0.05): ANLS (overall)"],
        ),
        (
            ["all.parquet", "--systems", "dates,silent", *GATE, "--require-within", "0.01"],
            1,
            [
                f"regressed: silent is worse than dates by more than 0.01 in {name}"
                for name in ("ANLS", "exact match")
            ],
        ),
    ],
    ids=["fine", "regressed", "baseline", "metrics"],
)
def test_exit_codes_say_what_was_found(
    run: Run, tmp_path: Path, arguments: list[str], code: int, lines: list[str]
) -> None:
    ALL.write_parquet(tmp_path / "all.parquet")

    done = run("compare", *arguments)

    assert done.returncode == code, done.stderr
    said = done.stderr.splitlines()
    for line, start in zip(said, lines, strict=False):
        assert start in line
    # More than a hundredth of the questions have no answer.
    assert [line.partition(" rows were used")[0] for line in said[len(lines) :]] in (
        [],
        ["anls-frame: 1,568 of 1,624"],
    )


def rounded(tables: Any) -> Any:
    """Return figures to ten digits."""
    return json.loads(json.dumps(tables), parse_float=lambda text: float(f"{float(text):.10g}"))


def test_merge_compares_the_summaries_of_systems(run: Run, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"by": "doc_type", "cluster": "doc_id", "metrics": ["anls", "cer_mean"]}
    for name, rows in (("a", FRAME[:200]), ("b", FRAME[200:])):
        af.summarize(rows, SIX, "answers", **settings).save(tmp_path / f"{name}.parquet")
    af.summarize(FRAME, "dates", "answers").save(tmp_path / "one.parquet")

    printed = fine(run("merge", "a.parquet", "b.parquet", "--summary", "both.parquet", "--json"))

    # Parts add floats in another order.
    assert rounded(figures(printed)) == rounded(expected(**settings))
    assert fine(run("merge", "both.parquet", "--json")) == printed
    said = fine(run("merge", "both.parquet", "--confidence", "0.9", "-o", "out.html"))
    assert said.startswith("out.html: ANLS of 6 systems over ")
    assert ": rapidocr 0.857 [" in said
    assert "] has the highest rank; possibly the best too: " in said
    assert "rapidocr" in fine(run("merge", "a.parquet"))
    refused(run("merge", "a.parquet", "one.parquet"), "cannot be merged: systems (['rapidocr', 'tesseract")
    refused(run("merge", "both.parquet", "--min-n", "5"), "--min-n: only for reports")
    refused(run("merge", "a.parquet", "both.parquet"), "the same part occurs twice")
    refused(run("merge", "a.parquet", "b.parquet", "-o", "out.html"), "out.html: the file already exists")


def test_logs_of_several_tasks_of_a_model_are_compared_as_the_error_says(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for model in ("x", "y"):
        for task, n in (("first", 3), ("second", 2)):
            samples = [
                {
                    "id": index,
                    "epoch": 1,
                    "input": f"{task} {index}?",
                    "target": f"{task} {index}",
                    "output": {"choices": [], "completion": f"{task} {index}" if model == "y" else ""},
                }
                for index in range(n)
            ]
            log = {"version": 2, "status": "success", "eval": {"task": task, "model": model}}
            path = logs / f"2026-11-21T10-00-00_{task}_{model}.json"
            path.write_text(json.dumps(log | {"samples": samples}))
    refused(
        run("compare", "logs"), "several of the systems are files of one model: pass --system-column model"
    )
    tables = figures(fine(run("compare", "logs", "--system-column", "model", "-b", "task", "--json")))
    assert [(row["task"], row["n"]) for row in tables["ANLS by task"]][-2:] == [("first", 3), ("second", 2)]
