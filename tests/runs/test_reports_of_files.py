"""`report_files` and `compare_files` say what reports and comparisons of frames say, in one call."""

from __future__ import annotations

import gzip
import json
import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from shell import fine, run

import anls_frame as af
from anls_frame.readers import Reading, compare_files, report_files

ANSWERS = ["Coke", "1999", "Berlin", "yes"]


def write(path: Path, predictions: list[str | None], first: int = 0) -> Path:
    """Write predictions for the questions from this number on; every question has its own document."""
    rows: list[dict[str, Any]] = [
        {"question_id": str(first + number), "prediction": text, "answers": [ANSWERS[number]], "lang": lang}
        for number, (text, lang) in enumerate(zip(predictions, ["de", "en"] * 2, strict=True))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write(tmp_path / "old.jsonl", ["Coke", "1998", None, "yes"])


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write(tmp_path / "new.jsonl", ["Coke", "1999", "Berlin", "no"])


def test_a_report_of_a_file_is_that_of_its_rows(old: Path) -> None:
    report = report_files(old, by="lang", metrics=["anls", "exact_match"], missing="drop")
    rows = af.read_results(old)
    expected = af.report(
        rows, "prediction", "answers", by="lang", metrics=["anls", "exact_match"], missing="drop"
    )
    assert_frame_equal(report.to_polars(), expected.to_polars())
    assert report.overall["exact_match"] == pytest.approx(2 / 3)


def test_several_tables_and_the_rows_of_a_condition(old: Path) -> None:
    report = report_files(old, Reading(where="lang = 'de'"), by=[["lang"], ["lang", "question_id"]])
    assert report.overall["n"] == 2
    crossed = report_files(old, by=["lang", "question_id"])
    assert crossed.to_polars().columns[:3] == ["slice", "lang", "question_id"]


def test_the_choice_of_rows_is_part_of_the_signature(old: Path, new: Path, tmp_path: Path) -> None:
    chosen = {"where": "lang = 'de'  or\nlang = 'en'"}
    part = "where:lang = 'de' or lang = 'en'"
    plain = report_files(old)
    assert "where" not in plain.signature
    for made in (
        report_files(old, Reading(**chosen)),
        report_files(old, Reading(**chosen), metrics="question_id"),
        report_files([old, new], Reading(**chosen), shared_ids="repeats"),
        compare_files([old, new], Reading(**chosen)),
    ):
        assert part in made.signature.split("|")
    report_files(old, Reading(**chosen)).summary.save(tmp_path / "part.parquet")
    saved = af.Summary.load(tmp_path / "part.parquet")
    assert saved.settings.where == chosen["where"]
    with pytest.raises(ValueError, match="where"):
        af.merge([saved, report_files(new).summary])

    for command in (["slices", "old.jsonl", "--min-rows", "1"], ["selective", "old.jsonl"], ["compare"]):
        files = ["old.jsonl", "new.jsonl"] if command == ["compare"] else []
        sure = ["--model-confidence", "question_id"] if command[0] == "selective" else []
        done = run(tmp_path, *command, *files, *sure, "--where", "lang = 'de'")
        assert "|where:lang = 'de'|" in done.stdout, command

    (tmp_path / "scores.csv").write_text("lang,a,b\nde,0,1\nen,1,1\n")
    scores = compare_files(
        tmp_path / "scores.csv", Reading(systems=["a", "b"], where="lang = 'de'"), scores=True
    )
    assert "where:lang = 'de'" in scores.signature.split("|")

    both = compare_files([old, new], Reading(epoch=1, where="lang = 'de'"))
    assert "where:epoch = 1 AND (lang = 'de')" in both.signature.split("|")


def test_ids_in_two_files_are_an_error_repeats_or_rows(old: Path, new: Path) -> None:
    with pytest.raises(ValueError, match="have ids in common"):
        report_files([old, new])
    rows = report_files([old, new], shared_ids="rows", metrics="exact_match").overall
    assert (rows["n"], rows["exact_match"]) == (8, 5 / 8)
    # The means of the questions: 1, 1/2, 1/2 and 1/2.
    questions = report_files([old, new], shared_ids="repeats", metrics="exact_match").overall
    assert (questions["n"], questions["exact_match"]) == (4, 5 / 8)
    with pytest.raises(ValueError, match="shared_ids must be one of"):
        report_files([old, new], shared_ids="mean")  # type: ignore[arg-type]


def test_means_of_repeated_answers_have_the_headings_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "epochs.jsonl"
    rows = pl.DataFrame({"question_id": [1, 1, 2, 2], "epoch": [1, 2, 1, 2], "prediction": [*"abcc"]})
    rows.with_columns(answers=pl.lit("a")).write_ndjson(path)
    single, means = (
        report_files(path, Reading(epoch=epoch), metrics=["anls", "zeros"]) for epoch in (1, None)
    )
    names = ["ANLS", "ANLS is 0"]
    for report in (single, means, af.Report.from_summary(af.merge([means.summary]))):
        [table] = report.to_document().tables
        assert [table.headings[name] for name in ("anls", "zeros")] == names
    assert (single.overall["zeros"], means.overall["zeros"]) == (0.5, 0.75)


def test_a_comparison_of_files_is_that_of_their_columns(old: Path, new: Path) -> None:
    comparison = compare_files([old, new], by="lang", metrics="exact_match", baseline="new")
    wide = af.read_results(old).with_columns(new=af.read_results(new)["prediction"])
    systems = {"new": "new", "old": "prediction"}
    expected = af.compare(wide, systems, "answers", by="lang", metrics="exact_match")
    assert_frame_equal(comparison.to_polars(), expected.to_polars())
    assert comparison.overall.filter(system="old")["difference"].to_list() == [-0.25]


def test_columns_of_scores_are_compared(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": [0.5, 1.0, 0.0], "b": [0.25, 1.0, 0.5]})
    table.write_csv(tmp_path / "scores.csv")
    how = Reading(systems=["a", "b"])
    loss = af.Metric("loss", bounds=(0, 1), higher_is_better=False)
    comparison = compare_files(tmp_path / "scores.csv", how, metrics=loss, scores=True)
    assert comparison.measures[0].bounds == (0, 1)
    (row,) = comparison.overall.filter(system="b").to_dicts()
    assert row["metric"] == "loss"
    assert (row["baseline_score"], row["score"]) == pytest.approx((0.5, 1.75 / 3))
    assert comparison.overall.filter(system="b")["difference"][0] == pytest.approx(0.25 / 3)


def test_the_commands_print_what_the_functions_return(old: Path, new: Path) -> None:
    folder = old.parent
    fine(run(folder, "report", old, "-b", "lang", "-o", "report.parquet"))
    assert_frame_equal(pl.read_parquet(folder / "report.parquet"), report_files(old, by="lang").to_polars())
    said = run(folder, "compare", old, new, "-b", "lang", "-o", "comparison.parquet").stderr
    assert "cannot be tested" in said
    comparison = compare_files([old, new], by="lang").to_polars()
    assert_frame_equal(pl.read_parquet(folder / "comparison.parquet"), comparison)


def test_options_of_reading_are_checked(old: Path) -> None:
    with pytest.raises(ValueError, match="runs must be one of"):
        Reading(runs="latest")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unmatched must be one of"):
        Reading(unmatched="nothing")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        report_files(old, Reading(gold=old.with_name("gold.csv")))


def test_a_comparison_says_that_a_slice_differs_between_systems(tmp_path: Path) -> None:
    """Each run records its rate; the scan of question 2 is another document in one of them."""
    for name, rate, docs in (("a", 0.1, ["p", "q"]), ("b", 0.2, ["p", "r"])):
        rows = {"id": [1, 2], "prediction": ["x", name], "answer": "x", "rate": rate, "doc_id": docs}
        pl.DataFrame(rows).with_columns(tags=pl.lit(["t"])).write_ndjson(tmp_path / f"{name}.jsonl")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]

    with pytest.warns(af.InputWarning) as warned:
        compared = compare_files(files, by=["rate"], cluster="doc_id", baseline="b")
    assert compared.by_group["rate"].unique().to_list() == [0.1]
    ends = "the values of 'a' are used"
    assert [str(warning.message) for warning in warned] == [
        f"column 'rate' differs between systems for 2 questions, such as '1': 0.1 and 0.2; {ends}",
        f"column 'doc_id' differs between systems for 1 question, such as '2': 'q' and 'r'; {ends}",
    ]
    with warnings.catch_warnings(action="error"):
        compare_files(files, by=["tags", "question_id"])


def test_two_systems_without_ids_are_not_reported_as_one(tmp_path: Path) -> None:
    """LLaMA-Factory and LongBench write predictions and answers alone, in the order of the questions."""
    answers = [["yes"], ["no"], ["yes", "no"], ["yes"]]
    files = {}
    for name, own in (
        ("a", answers),
        ("b", answers),
        ("c", answers[::-1]),
        ("d", [["yes"]] * 4),
        ("e", [["yes"]] * 4),
    ):
        files[name] = tmp_path / f"{name}.jsonl"
        pl.DataFrame({"pred": name, "answers": own}).write_ndjson(files[name])

    same = f"{files['a']} and {files['b']} have the same 4 answers in the same order, and no ids"
    with pytest.raises(ValueError, match=re.escape(same)):
        report_files(list(files.values()))
    assert report_files([files["a"], files["b"]], shared_ids="rows").overall["n"] == 8
    assert report_files([files[name] for name in "acde"]).overall["n"] == 16

    asked = pl.read_ndjson(files["b"]).with_columns(question=pl.Series(["p", "q", "r", "s"]))
    asked.write_ndjson(files["b"])
    asked.with_columns(question=pl.lit("t")).write_ndjson(files["a"])
    assert report_files([files["a"], files["b"]]).overall["n"] == 8


def test_folders_of_a_partitioned_table_are_columns(tmp_path: Path) -> None:
    rows = af.sample().select("question_id", "answers", "lang", "doc_id", prediction="tesseract")
    rows.with_columns(epoch=1).write_parquet(pl.PartitionBy(tmp_path / "table", key=["lang", "epoch"]))
    whole = af.report(rows, "prediction", "answers", by="lang", cluster="doc_id")

    parts = report_files(tmp_path / "table", by="lang", cluster="doc_id")
    assert_frame_equal(parts.by_group, whole.by_group)
    assert parts.signature == whole.signature
    one = report_files(tmp_path / "table", Reading(where="lang = 'de' AND epoch = 1"))
    assert one.overall["n"] == whole.by_group.filter(lang="de")["n"].item()

    [path] = (tmp_path / "table" / "lang=de").rglob("*.parquet")
    own = pl.read_parquet(path).with_columns(lang=pl.lit("at"))
    own.write_parquet(path)
    assert af.read_results(path)["lang"].unique().to_list() == ["at"]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_commands_read_a_partitioned_table_as_one_with_its_folders_as_columns(
    tmp_path: Path, suffix: str
) -> None:
    columns = ("question_id", "answers", "lang", "doc_id", "tesseract", "rapidocr")
    rows = af.sample().select(columns).gather_every(8)
    for system in ("tesseract", "rapidocr"):
        for lang in rows["lang"].unique():
            folder = tmp_path / system / f"lang={lang}"
            folder.mkdir(parents=True)
            own = rows.filter(lang=lang).select("question_id", "answers", "doc_id", prediction=system)
            af.write_results(own, folder / f"part{suffix}")
    options: dict[str, Any] = {"by": "lang", "cluster": "doc_id"}

    whole = af.report(rows, "tesseract", "answers", **options)
    assert_frame_equal(report_files(tmp_path / "tesseract", **options).by_group, whole.by_group)
    compared = af.compare(rows, ["tesseract", "rapidocr"], "answers", **options)
    from_files = compare_files([tmp_path / "tesseract", tmp_path / "rapidocr"], **options)
    assert_frame_equal(from_files.by_group, compared.by_group)
    seen = fine(run(tmp_path, "overview", "tesseract"))
    said = af.overview(rows, "tesseract", "answers", by="lang", cluster="doc_id").report.overall
    assert f"[{said['anls_low']:.3f}, {said['anls_high']:.3f}]" in seen
    assert "lang" in next(line for line in seen.splitlines() if "slices:" in line)
    assert (af.read_results(folder / f"part{suffix}")["lang"] == lang).all()


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_names_of_folders_are_read_as_engines_write_them(tmp_path: Path, suffix: str) -> None:
    # As Hive, Spark and DuckDB write null and texts that no folder can be named by.
    names = {"__HIVE_DEFAULT_PARTITION__": None, "50%25%20a%2Fb": "50% a/b", "d": "d"}
    for folder in names:
        (tmp_path / f"kind={folder}").mkdir()
        rows = pl.DataFrame({"prediction": ["a"], "answers": ["a"], "question_id": [folder]})
        af.write_results(rows, tmp_path / f"kind={folder}" / f"part{suffix}")
    found = af.read_logs({"one": tmp_path})
    assert dict(found.select("question_id", "kind").iter_rows()) == names
    slices = report_files(tmp_path, by="kind").by_group["kind"].to_list()
    assert sorted(slices, key=str) == sorted(names.values(), key=str)


@pytest.mark.parametrize(
    "names",
    [
        "part-{:05}-4f1c-c000.snappy.parquet",
        "part.{}.parquet",
        "data_{}.csv",
        "data_0_{}_0.snappy.parquet",
        "0_{:06}_000000.parquet",
        "train-{:05}-of-00003.jsonl",
        "part-{:05}.jsonl.gz",
    ],
)
def test_parts_that_engines_number_are_one_system(tmp_path: Path, names: str) -> None:
    # Spark, Dask, DuckDB, Snowflake, Ray, Hugging Face, Hadoop
    rows = af.sample().select("question_id", "answers", "doc_id", prediction="tesseract").head(120)
    table = tmp_path / "table"
    table.mkdir()
    for number in range(3):
        path = table / names.format(number)
        plain = af.write_results(rows[40 * number :][:40], path.with_suffix("") if ".gz" in names else path)
        if ".gz" in names:
            path.write_bytes(gzip.compress(plain.read_bytes()))
            plain.unlink()
    (table / "_SUCCESS").touch()

    whole = af.report(rows, "prediction", "answers").overall
    assert report_files(table).overall["anls"] == whole["anls"]
    assert af.read_logs(table)["system"].unique().to_list() == ["table"]
    assert f"ANLS {whole['anls']:.3f}" in fine(run(tmp_path, "overview", "table"))

    (table / f"other-{names.format(0)}").write_bytes((table / names.format(0)).read_bytes())
    assert len(af.read_logs(table, unmatched="keep")["system"].unique()) == 4


def test_files_that_are_named_after_the_time_of_their_run_are_systems(tmp_path: Path) -> None:
    for time in ("251130_101500", "251201_120000"):
        write(tmp_path / f"gpt_{time}.jsonl", ["Coke"] * 4)
    assert set(af.read_logs(tmp_path)["system"]) == {"gpt_251130_101500", "gpt_251201_120000"}


def test_missing_parts_are_said_by_their_names(tmp_path: Path) -> None:
    for number in (0, 2):
        write(tmp_path / f"dev-{number:05}-of-00003.jsonl", [f"Coke {number}"] * 4)
    said = r"dev-\*-of-00003\.jsonl: only 2 of 3 files given"
    with pytest.warns(af.InputWarning, match=said):
        report_files(tmp_path, shared_ids="rows")
    with pytest.warns(af.InputWarning, match=said):
        af.read_logs(tmp_path, unmatched="keep")
    first = tmp_path / "dev-00000-of-00003.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("error", af.InputWarning)
        assert report_files(first).overall["n"] == 4  # as in an array job
        first.rename(tmp_path / "dev-00000-of-00002.jsonl")
        (tmp_path / "dev-00002-of-00003.jsonl").rename(tmp_path / "dev-00001-of-00002.jsonl")
        report_files(tmp_path, shared_ids="rows")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_a_part_without_rows_is_said_and_an_empty_system_refused(tmp_path: Path, suffix: str) -> None:
    rows = pl.DataFrame({"id": ["1", "2"], "prediction": ["Coke", "Fanta"], "answers": ["coke", "Pepsi"]})
    files = [tmp_path / f"part-{number}{suffix}" for number in range(3)]
    for file, part in zip(files, (rows[:1], rows[:0], rows[1:]), strict=True):
        af.write_results(part, file)
    for given in (files, tmp_path):
        with pytest.warns(af.InputWarning, match=f"part-1{suffix}: holds no rows"):
            overall = report_files(given).overall
        assert (overall["n"], overall["anls"]) == (2, 0.5)
    with pytest.warns(af.InputWarning, match=f"part-1{suffix}: holds no rows"):
        assert af.read_logs({"one": tmp_path})["question_id"].to_list() == ["1", "2"]
    with pytest.raises(af.InputError, match=f"part-1{suffix}: holds no rows"):
        compare_files(files[:2])


def test_folders_named_by_systems_are_systems_and_columns_of_a_file_stay(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"model={name}").mkdir()
        write(tmp_path / f"model={name}" / "part.jsonl", ["Coke", "1999", "Berlin", name])
    assert af.read_logs(tmp_path)["system"].unique().sort().to_list() == ["model=new", "model=old"]
    path = write((tmp_path / "lang=at").mkdir() or tmp_path / "lang=at" / "part.jsonl", ["Coke"] * 4)
    assert af.read_results(path)["lang"].to_list() == ["de", "en", "de", "en"]


@pytest.mark.parametrize("names", [("lr=0.1", "lr=0.2"), ("seed=1,lr=3e-4", "seed=2,lr=3e-4")])
@pytest.mark.parametrize("command", ["compare", "overview"])
def test_the_advice_about_folders_of_a_sweep_compares_them(
    tmp_path: Path, names: tuple[str, str], command: str
) -> None:
    for name, last in zip(names, ["yes", "no"], strict=True):
        (tmp_path / "runs" / "day" / name).mkdir(parents=True)
        write(tmp_path / "runs" / "day" / name / "rows.jsonl", ["Coke", "1999", "Berlin", last])
    told = run(tmp_path, command, "runs").stderr
    pattern = re.findall(f"if {names[0]} and the others are systems, name them by '(.*)'$", told.strip())
    for of in (pattern, ["runs/day/*"]):
        seen = fine(run(tmp_path, command, *of))
        assert f"{names[1]} against {names[0]}: ANLS" in seen or f"Overview of {' and '.join(names)}" in seen
    single = run(tmp_path, "compare", f"runs/day/{names[0]}").stderr
    assert single.strip().endswith("holds the logs of one system; name two or more systems")


@pytest.mark.parametrize("command", ["compare", "overview"])
def test_the_advice_about_numbered_files_compares_them(tmp_path: Path, command: str) -> None:
    for number in (1, 2):
        write(tmp_path / f"data_{number}.jsonl", ["Coke", "1999", "Berlin", str(number)])
    told = run(tmp_path, command, ".").stderr
    pattern = re.findall(r"if data_1\.jsonl and the others are systems, name them by '(.*)'$", told.strip())
    seen = fine(run(tmp_path, command, *pattern))
    assert "data_2 against data_1: ANLS" in seen or "Overview of data_1 and data_2" in seen


def test_files_named_by_an_option_are_systems(tmp_path: Path) -> None:
    for rate in ("0.1", "0.5"):
        write(tmp_path / f"rate={rate}.jsonl", ["Coke", "1999", "Berlin", rate])
    assert af.read_logs(tmp_path)["system"].unique().sort().to_list() == ["rate=0.1", "rate=0.5"]


def test_files_of_one_document_each_are_noted_as_forgotten_documents(tmp_path: Path) -> None:
    for number in range(3):
        path = write(tmp_path / f"{number}.jsonl", ["Coke", "1999", "Berlin", "no"], first=4 * number)
        pl.read_ndjson(path).with_columns(image=pl.lit(f"{number}.png")).write_ndjson(path)
    assert report_files(tmp_path).summary.forgotten_documents == "image"
    assert report_files(tmp_path, cluster="image").summary.forgotten_documents is None
    assert report_files(path).summary.forgotten_documents is None
    same = pl.read_ndjson(path).drop("image")
    same.write_ndjson(tmp_path / "0.jsonl")
    same.with_columns(prediction=pl.lit("x")).write_ndjson(tmp_path / "1.jsonl")
    rows = report_files([tmp_path / "0.jsonl", tmp_path / "1.jsonl"], shared_ids="rows")
    assert rows.summary.forgotten_documents is None


def test_errors_of_columns_name_the_file_of_several(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("id,prediction,answer,lang,score\n1,a,a,en,1\n")
    second.write_text("id,prediction,answer,score\n2,a,a,high\n")
    missing = "no column 'lang' among 'question_id', 'prediction', 'answers', 'score'"
    for options in ({"by": "lang"}, {"cluster": "lang"}, {"worst": 1, "keep": ["lang"]}):
        with pytest.raises(af.exceptions.ColumnNotFoundError, match=rf"b\.csv: {missing}"):
            report_files([first, second], **options)
        with pytest.raises(af.exceptions.ColumnNotFoundError, match=f"^{missing}"):
            report_files(second, **options)
    with pytest.raises(af.exceptions.DTypeError, match=r"b\.csv: column 'score' must hold numbers"):
        report_files([first, second], metrics="score")


@pytest.mark.parametrize(
    "names",
    [
        ("train-00000-of-00001.jsonl", "test-00000-of-00001.jsonl"),
        ("answers_train.jsonl", "answers_test.jsonl"),
    ],
)
def test_splits_that_are_read_together_are_said(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = tmp_path / "dev"
    folder.mkdir()
    for number, name in enumerate(names):
        write(folder / name, ["Coke"] * 4, 4 * number)
    with pytest.warns(af.InputWarning, match="files of test and train are read together"):
        assert report_files(folder).overall["n"] == 8
    with pytest.warns(af.InputWarning, match="files of test and train are read together"):
        assert af.read_logs({"one": folder}).height == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error", af.InputWarning)
        assert report_files(folder / names[1]).overall["n"] == 4
        (folder / names[0]).rename((folder / names[1]).with_name("validation_2.jsonl"))
        (folder / names[1]).rename(folder / "val_1.jsonl")
        write(folder / "latest_training.jsonl", ["Coke"] * 4, 8)
        assert report_files([*folder.rglob("*.jsonl")]).overall["n"] == 12
