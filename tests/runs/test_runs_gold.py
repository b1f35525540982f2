"""Gold in a table of its own, joined to files of predictions: which columns, which rows, which mistakes."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell
from polars.testing import assert_frame_equal

import anls_frame as af

QUESTIONS = pl.DataFrame(
    {
        "question_id": ["1", "2", "3", "4"],
        "question": ["Brand?", "Year?", "City?", "Sum?"],
        "answers": [["Coke", "Coca Cola"], ["1999"], ["Rome"], None],
        "category": ["a", "b", "a", "b"],
        "doc_id": ["x", "x", "y", "y"],
    },
    schema_overrides={"answers": pl.List(pl.String)},
)
PREDICTIONS = {"old": ["coke", "1998", "Rom", ""], "new": ["Coca Cola", "1999", "Rome", "7"]}


def save(path: Path, ids: list[Any], predictions: list[Any], **columns: list[Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    af.write_results(pl.DataFrame({"id": ids, "response": predictions, **columns}), path)
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name, texts in PREDICTIONS.items():
        save(tmp_path / "runs" / f"{name}.jsonl", [1, 2, 3, 4], texts)
    return tmp_path / "runs"


def by_hand() -> pl.DataFrame:
    """Return the long frame as one writes it without the reader."""
    systems = [
        QUESTIONS.with_columns(system=pl.lit(name), prediction=pl.Series(PREDICTIONS[name]))
        for name in ("new", "old")
    ]
    return pl.concat(systems)


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "labels", "frame", "pandas", "lazy"]
)
def test_gold_of_any_kind_is_joined(tmp_path: Path, runs: Path, suffix: str) -> None:
    gold: Any = tmp_path / f"gold.{suffix}"
    if suffix == "labels":  # of the Robust Reading Competition, beside predictions in tables
        rows = QUESTIONS.rename({"question_id": "questionId"}).to_dicts()
        gold = tmp_path / "gold.json"
        gold.write_text(json.dumps({"data": rows}), encoding="utf-8")
    elif suffix == "json":
        gold.write_text(json.dumps(QUESTIONS.to_dicts()), encoding="utf-8")
    elif suffix in {"frame", "pandas", "lazy"}:
        gold = {
            "frame": QUESTIONS,
            "pandas": QUESTIONS.drop("answers").to_pandas(),
            "lazy": QUESTIONS.lazy(),
        }[suffix]
        if suffix == "pandas":
            gold["answers"] = [None if texts is None else list(texts) for texts in QUESTIONS["answers"]]
    else:
        af.write_results(QUESTIONS, gold)

    frame = af.read_logs(f"{runs}/*.jsonl", gold=gold)

    expected = by_hand()
    assert_frame_equal(frame.select(expected.columns), expected)
    assert set(frame.columns) == {*expected.columns, "epoch", "log_file"}


def test_columns_with_other_names_are_named(tmp_path: Path) -> None:
    gold = QUESTIONS.rename({"question_id": "key", "answers": "truth", "category": "prediction"})
    path = save(tmp_path / "a.jsonl", [1, 2, 3, 4], PREDICTIONS["old"]).rename(tmp_path / "b.jsonl")
    text = path.read_text(encoding="utf-8").replace("response", "said").replace('"id"', '"number"')
    path.write_text(text, encoding="utf-8")
    named = {"prediction": "said", "question_id": "number", "answers": "truth", "gold_id": "key"}

    frame = af.readers.read_file(path, gold=gold, **named)

    assert frame["answers"].to_list() == QUESTIONS["answers"].to_list()
    assert frame["gold_prediction"].to_list() == ["a", "b", "a", "b"]
    assert frame.columns[:5] == ["question_id", "question", "prediction", "answers", "doc_id"]


def test_a_column_that_is_named_for_ids_is_that_of_gold_too(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", [1, 2, 3, 4], PREDICTIONS["old"])
    path.write_text(path.read_text(encoding="utf-8").replace('"id"', '"task_id"'), encoding="utf-8")
    gold = QUESTIONS.rename({"question_id": "task_id"})

    for own in (gold, gold.with_columns(id=pl.col("task_id").reverse())):
        frame = af.readers.read_file(path, gold=own, question_id="task_id")
        assert frame["answers"].to_list() == QUESTIONS["answers"].to_list()
    with pytest.raises(af.InputError, match=r"no column with the question_id .*; name it with gold_id="):
        af.readers.read_file(path, gold=gold)


def test_answers_that_are_texts_are_read_as_in_files(tmp_path: Path, runs: Path) -> None:
    mixed = ["Coke|Coca Cola", "['1999', '99']", "Rome", None]
    gold = tmp_path / "gold.csv"
    QUESTIONS.with_columns(answers=pl.Series(mixed)).drop("question").write_csv(gold)

    frame = af.read_logs(runs / "old.jsonl", gold=gold, answers_format="|")

    lists = [["Coke", "Coca Cola"], ["1999", "99"], ["Rome"], None]
    assert frame["answers"].to_list() == lists
    assert af.parse_answers(pl.Series(mixed), answers_format="|").to_list() == lists


def test_an_answer_beside_an_id_is_the_prediction(tmp_path: Path) -> None:
    """As in a submission, but only if no other column could be one."""
    path = tmp_path / "a.csv"
    path.write_text("id,answer\n1,coke\n2,1998\n3,Rom\n4,\n", encoding="utf-8")
    assert af.readers.read_file(path, gold=QUESTIONS)["prediction"].to_list() == ["coke", "1998", "Rom", None]

    path.write_text("id,answer,model\n1,coke,x\n", encoding="utf-8")
    with pytest.raises(af.InputError, match=r"no column with the prediction .*; name it with prediction="):
        af.readers.read_file(path, gold=QUESTIONS)


def test_a_submission_is_read_with_a_table_too(tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    rows = [
        {"questionId": int(key), "answer": text} for key, text in zip("1234", PREDICTIONS["new"], strict=True)
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")

    frame = af.readers.read_file(path, gold=QUESTIONS)

    assert frame.select("prediction", "category").rows() == [
        *zip(PREDICTIONS["new"], QUESTIONS["category"], strict=True)
    ]


# What does not fit


@pytest.fixture
def unequal(tmp_path: Path) -> Path:
    """A system without two questions, and with one that gold lacks; all have one that only gold has not."""
    save(tmp_path / "runs" / "a.jsonl", [1, 3, 9], ["p", "q", "r"])
    save(tmp_path / "runs" / "b.jsonl", [1, 2, 3, 4], PREDICTIONS["new"])
    return tmp_path / "runs"


@pytest.mark.parametrize("column", [None, "model"])
def test_questions_that_where_leaves_out_need_no_gold(tmp_path: Path, column: str | None) -> None:
    """A table of all splits, and gold of one."""
    splits = pl.DataFrame({"id": [1, 2, 3], "split": ["dev", "test", "dev"], "prediction": ["a", "a", "a"]})
    systems = [splits.with_columns(model=pl.lit(name)) for name in ("x", "y")]
    pl.concat(systems if column else systems[:1]).write_csv(tmp_path / "all.csv")
    gold = pl.DataFrame({"id": ["1", "3"], "answer": ["a", "b"], "lang": ["de", "en"]})

    def scores(where: str) -> list[float]:
        reading = af.readers.Reading(gold=gold, where=where, system_column=column)
        if column is None:
            report = af.readers.report_files(tmp_path / "all.csv", reading, metrics="exact_match")
            return [report.overall["n"], report.overall["exact_match"]]
        compared = af.readers.compare_files([tmp_path / "all.csv"], reading, metrics="exact_match")
        return [compared.ranking["n"][0], compared.ranking["score"][0]]

    assert scores("split = 'dev'") == [2, 0.5]
    assert scores("question_id <> '2'") == [2, 0.5]
    with pytest.raises(af.InputError, match="has 1 question that gold lacks: '2'"):
        scores("split IN ('dev', 'test')")


def test_where_may_be_about_columns_of_gold_and_of_files_at_once(tmp_path: Path) -> None:
    """German questions of dev are 1 and 5. Gold lacks 2, of test; the system lacks 6, in English."""
    rows = {"id": [1, 2, 3, 3, 4, 5], "split": ["dev", "test", "dev", "dev", "test", "dev"]}
    path = tmp_path / "all.csv"
    pl.DataFrame(rows).with_columns(prediction=pl.lit("a")).write_csv(path)
    gold = pl.DataFrame(
        {
            "id": ["1", "3", "4", "5", "6"],
            "answer": ["a", "b", "a", "b", "a"],
            "lang": ["de", "en", "de", "de", "en"],
        }
    )

    def scores(where: str) -> list[float]:
        reading = af.readers.Reading(gold=gold, where=where)
        report = af.readers.report_files(path, reading, metrics="exact_match")
        several = af.readers.report_files([path], reading, metrics="exact_match")
        assert several.overall["n"] == report.overall["n"]
        return [report.overall["n"], report.overall["exact_match"]]

    assert scores("split = 'dev' AND lang = 'de'") == [2, 0.5]
    assert scores("lang = 'de' AND (split = 'dev' OR split IS NULL) AND question_id <> '1'") == [1, 0]
    assert scores("split <> 'test' AND (lang = 'de' OR split = 'train') AND question_id <> '6'") == [2, 0.5]
    with pytest.raises(af.InputError, match="has 1 question that gold lacks: '2'"):
        scores("split IN ('dev', 'test') AND lang = 'de'")
    with pytest.raises(af.InputError, match="lacks 1 question: '6'"):
        scores("split = 'dev' AND (lang = 'de' OR lang = 'en') AND question_id <> '3'")
    with pytest.raises(af.InputError, match="row 4: duplicate id '3', first seen at row 3"):
        scores("split = 'dev' AND lang = 'en'")


@pytest.mark.parametrize("harness", ["lmms-eval", "lm-eval", "inspect", "vlmevalkit"])
def test_where_chooses_among_the_samples_of_a_harness(tmp_path: Path, harness: str) -> None:
    """The runs of two languages, which number their questions alike, in one file."""
    samples = [
        {"doc_id": row, "target": "a", "filtered_resps": [text], "lang": lang}
        for lang, row, text in (("de", 0, "a"), ("de", 1, "b"), ("en", 0, "a"), ("en", 1, "a"))
    ]
    path = tmp_path / "samples_both_2026-11-21T10-11-12.jsonl"
    if harness == "lm-eval":
        samples = [sample | {"arguments": []} for sample in samples]
    if harness == "inspect":
        path = tmp_path / "both.json"
        entries = [
            {
                "id": sample["doc_id"],
                "epoch": 1,
                "input": "?",
                "target": "a",
                "metadata": {"lang": sample["lang"]},
                "output": {"completion": sample["filtered_resps"][0]},
            }
            for sample in samples
        ]
        path.write_text(json.dumps({"eval": {}, "status": "success", "samples": entries}), encoding="utf-8")
    elif harness == "vlmevalkit":
        path = tmp_path / "both.tsv"
        named = pl.DataFrame(samples).with_columns(pl.col("filtered_resps").list.first())
        named.rename({"doc_id": "index", "target": "answer", "filtered_resps": "prediction"}).write_csv(
            path, separator="\t"
        )
    else:
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    reader = "vlmevalkit" if harness == "vlmevalkit" else None

    with pytest.raises(af.InputError, match="duplicate id '0', first seen at"):
        af.readers.report_files(path, af.readers.Reading(reader=reader))
    gold = pl.DataFrame({"index": [0, 1], "question_id": [0, 1], "page": ["x", "y"]})
    for questions in (None, gold):
        reading = af.readers.Reading(where="lang = 'de'", reader=reader, gold=questions)
        for files in (path, [path]):
            report = af.readers.report_files(files, reading, metrics="exact_match")
            assert report.overall["exact_match"] == 0.5
            assert report.overall["n"] == 2
    reading = af.readers.Reading(where="lang = 'de' AND page = 'x'", reader=reader, gold=gold)
    assert af.readers.report_files(path, reading, metrics="exact_match").overall["n"] == 1
    with pytest.raises(af.InputError, match="row 3: duplicate id '0', first seen at row 1"):
        af.readers.report_files(path, af.readers.Reading(where="lang <> 'fr'", reader=reader))


LACKING = ["'a' has 1 question that gold lacks: '9'", "'a' lacks 2 questions: '2', '4'"]


def test_missing_and_unknown_questions_are_listed_for_each_system(unequal: Path) -> None:
    with pytest.raises(af.InputError) as raised:
        af.read_logs(unequal, gold=QUESTIONS)
    [advice] = raised.value.hints
    assert [problem.message for problem in raised.value.problems] == LACKING
    assert advice.count("unmatched=") == 2

    with pytest.warns(af.InputWarning) as caught:
        filled = af.read_logs(unequal, gold=QUESTIONS, unmatched="null")
    assert [str(one.message) for one in caught] == [
        f"1 row left out, because {LACKING[0]}",
        f"2 rows added without a prediction, because {LACKING[1]}",
    ]
    # Added rows have what is known about their questions.
    assert filled.filter(system="a").sort("question_id").select(
        "prediction", "category", "answers"
    ).rows() == [
        ("p", "a", ["Coke", "Coca Cola"]),
        (None, "b", ["1999"]),
        ("q", "a", ["Rome"]),
        (None, "b", None),
    ]
    with pytest.warns(af.InputWarning):
        left = af.read_logs(unequal, gold=QUESTIONS, unmatched="drop")
    assert left.select("system", "question_id").rows() == [(name, key) for name in "ab" for key in "13"]
    kept = af.read_logs(unequal, gold=QUESTIONS, unmatched="keep")
    assert kept.filter(system="a").select("question_id", "category").rows() == [
        ("1", "a"),
        ("3", "a"),
        ("9", None),
    ]


def test_a_question_that_no_system_answered_is_missing(runs: Path) -> None:
    more = pl.concat([QUESTIONS, QUESTIONS[:1].with_columns(question_id=pl.lit("5"))])
    with pytest.raises(af.InputError, match="'new' lacks 1 question: '5'\n'old' lacks 1 question: '5'"):
        af.read_logs(runs, gold=more)


def test_systems_whose_answers_differ_from_gold_are_listed(tmp_path: Path) -> None:
    """One file has answers of its own, fewer than gold: its scores would not be comparable."""
    own = save(tmp_path / "own.jsonl", [1, 2, 3], ["x"] * 3, answers=[["Coke"], ["1999"], ["Rome"]])
    other = save(tmp_path / "other.jsonl", [1, 2, 3], ["x"] * 3)
    with pytest.raises(
        af.InputError, match=r"other\.jsonl: accepts other answers than .*own\.jsonl for 1 question: '1'"
    ):
        af.read_logs({"own": own, "other": other}, gold=QUESTIONS[:3])


@pytest.mark.parametrize(
    ("ids", "gold", "message"),
    [
        (["q1", "Q2"], ["Q1", "Q2"], "ids must be written the same way: 'q1' and 'Q1' count as different"),
        (["007", "8"], [7, 8], "ids must be written the same way: '007' and '7' count as different"),
        (
            ["10101.0", "10102.0"],
            ["10101", "10102"],
            "'10101.0' and '10101' count as different; pandas makes floats of whole numbers",
        ),
        (
            ["a", "b"],
            ["c", "d"],
            "gold has no question of 'a', its ids are such as 'c', 'd': name the columns",
        ),
        (["1", "2"], ["1", "1"], "gold: row 2: duplicate id '1', first seen at row 1"),
        (["1", "2"], [1.5, 2.0], "column 'id' must hold strings, got Float64; cast it"),
    ],
)
def test_mistakes_in_ids_are_said(tmp_path: Path, ids: Any, gold: Any, message: str) -> None:
    path = save(tmp_path / "a.parquet", ids, ["x"] * len(ids))
    questions = pl.DataFrame({"id": gold, "answer": ["x"] * len(gold)})
    with pytest.raises(af.InputError) as raised:
        af.read_logs(path, gold=questions)
    assert message in str(raised.value)


def test_columns_of_ids_are_not_to_be_named_if_ids_differ_in_notation(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", ["0001", "0002"], ["x", "x"])
    with pytest.raises(af.InputError, match="'0001' and '1' count as different") as raised:
        af.read_logs(path, gold=pl.DataFrame({"id": [1, 2], "answer": ["x", "x"]}))
    assert "gold has no question of 'a'" in str(raised.value)
    assert "name the columns" not in str(raised.value)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_ids_of_two_unicode_forms_are_the_same(tmp_path: Path, suffix: str) -> None:
    """A file system, or a tool on macOS, decomposed the names of the images."""
    composed, decomposed = ["Zo\u00eb", "q2"], ["Zoe\u0308", "q2"]
    written = pl.DataFrame({"id": decomposed, "docId": decomposed, "pred": ["a", "b"], "answer": ["a", "c"]})
    path = tmp_path / f"a.{suffix}"
    af.write_results(written, path)
    other = save(tmp_path / "b.jsonl", composed, ["a", "c"])

    gold = pl.DataFrame({"id": composed, "answer": ["a", "c"]})
    frame = af.read_logs([path, other], gold=gold)
    assert frame["question_id"].to_list() == composed * 2
    assert frame["answers"].to_list() == [["a"], ["c"]] * 2
    comparison = af.readers.compare_files([path, other], af.readers.Reading(gold=gold))
    assert comparison.overall["n"].item() == 2
    scanned = af.scan_results(path).collect()
    assert scanned["question_id"].to_list() == scanned["doc_id"].to_list() == composed
    assert_frame_equal(scanned, af.read_results(path))
    path = tmp_path / f"double.{suffix}"
    af.write_results(written.with_columns(id=pl.Series(["Zo\u00eb", "Zoe\u0308"])), path)
    with pytest.raises(af.InputError, match="duplicate id 'Zo\u00eb'"):
        af.read_results(path)


@pytest.mark.parametrize("suffix", ["frame", "pandas", "parquet"])
def test_ids_that_pandas_made_floats_are_named_with_the_cure(tmp_path: Path, suffix: str) -> None:
    path = save(tmp_path / "runs" / "a.jsonl", [1, 3], ["x", "z"])
    gold = pd.DataFrame({"number": [1, None, 3], "answer": ["x", "y", "z"]})

    def given(questions: pd.DataFrame) -> Any:
        if suffix == "parquet":
            questions.to_parquet(tmp_path / "gold.parquet")
            return tmp_path / "gold.parquet"
        return questions if suffix == "pandas" else pl.from_pandas(questions)

    with pytest.raises(af.InputError) as raised:
        af.read_logs(path, gold=given(gold), gold_id="number")

    [problem] = raised.value.problems
    assert problem.message == (
        "column 'number' must hold strings, got Float64; pandas makes floats of whole numbers if one is "
        "missing: cast the column to whole numbers, with .astype('Int64')"
    )
    cured = gold.dropna(subset="number").astype({"number": "Int64"})
    rows = af.read_logs(path, gold=given(cured), gold_id="number")
    assert rows["answers"].to_list() == [["x"], ["z"]]


@pytest.mark.parametrize("name", ["__anls_frame_gold_id", "__anls_frame_task", "__anls_frame_gold_id_answer"])
def test_columns_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / "a.jsonl", [1, 2], ["x", "y"], answer=["x", "y"], **{name: ["p", "q"]})
    gold = pl.DataFrame({"id": [1, 2], "answer": ["x", "y"], name: ["r", "s"]})

    rows = af.read_logs(path, gold=gold)

    columns = [column for column in rows.columns if column.startswith(("__anls", "gold"))]
    assert [rows[column].to_list() for column in columns] == [["p", "q"], ["r", "s"]]


@pytest.mark.parametrize("gold", ["a.json", "*.json", "./a.json"])
@pytest.mark.parametrize("command", ["report", "compare"])
def test_a_file_is_not_its_own_gold(tmp_path: Path, command: str, gold: str) -> None:
    (tmp_path / "a.json").write_text('[{"questionId": 1, "answer": "x"}]', encoding="utf-8")
    save(tmp_path / "b.jsonl", [1], ["x"])

    done = shell.run(tmp_path, command, "a.json", *(["b.jsonl"] * (command == "compare")), "--gold", gold)

    said = "a.json: this file is also named by --gold, which is for the questions and their answers"
    shell.refused(done, said)
    with contextlib.chdir(tmp_path), pytest.raises(af.InputError, match="also named by gold="):
        af.read_logs({"a": "a.json"}, gold=gold)


@pytest.mark.parametrize("suffix", ["txt", "html"])
@pytest.mark.parametrize("command", ["report", "compare"])
def test_tables_are_no_pages_whatever_gold_is_called(tmp_path: Path, command: str, suffix: str) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        save(tmp_path / name, [1], ["x"])
    (tmp_path / f"gold.{suffix}").write_text("id\tanswer\n1\tx\n", encoding="utf-8")
    files = ["a.jsonl"] if command == "report" else ["a.jsonl", "b.jsonl"]

    done = shell.run(tmp_path, command, *files, "--gold", f"gold.{suffix}")

    said = f"gold.{suffix}: its suffix is that of a page of OCR, but a.jsonl is a table; name a table of "
    shell.refused(done, f"{said}questions by its format: CSV, TSV, JSON Lines, JSON, Parquet or XLSX")


@pytest.mark.parametrize("unmatched", ["null", "drop", "keep"])
def test_a_system_without_a_known_question_is_never_left_out(runs: Path, unmatched: Any) -> None:
    save(runs / "odd.jsonl", ["q1", "q2"], ["x", "y"])
    with pytest.raises(
        af.InputError, match="gold has no question of 'odd', its ids are such as '1', '2', '3'"
    ):
        af.read_logs(runs, gold=QUESTIONS, unmatched=unmatched)


@pytest.mark.parametrize(
    ("gold", "options", "message"),
    [
        (QUESTIONS.drop("question_id"), {}, "gold: no column with the question_id .*; name it with gold_id="),
        (
            QUESTIONS.with_columns(target="answers").rename({"answers": "label"}),
            {},
            "has no answers, and neither has gold, with the columns .*'label'.*; name one with answers=",
        ),
        (QUESTIONS, {"gold_id": "key"}, "gold: no column 'key' among"),
        (QUESTIONS, {"prediction": "said"}, "no column 'said' among 'id', 'response'"),
        (QUESTIONS, {"question_id": "key"}, "no column 'key' among 'id', 'response'"),
        (QUESTIONS.with_columns(answers=1.5), {}, "has no answers, and neither has gold"),
    ],
)
def test_columns_that_are_not_found_are_said(
    runs: Path, gold: pl.DataFrame, options: Any, message: str
) -> None:
    with pytest.raises(af.InputError, match=message):
        af.read_logs(runs / "old.jsonl", gold=gold, **options)


def test_answers_in_objects_are_named_as_the_error_says(runs: Path) -> None:
    # As in SQuAD's Dataset.
    starts = pl.col("answers").list.eval(pl.lit(0, pl.Int64))
    gold = QUESTIONS.with_columns(answers=pl.struct(text="answers", answer_start=starts))
    with pytest.raises(
        af.InputError, match=r"with the columns .*'answers\.text', 'answers\.answer_start'; name"
    ):
        af.read_logs(runs / "old.jsonl", gold=gold)

    frame = af.read_logs(runs / "old.jsonl", gold=gold, answers="answers.text")
    assert frame["answers"].equals(af.read_logs(runs / "old.jsonl", gold=QUESTIONS)["answers"])


# On the command line


@pytest.fixture
def benchmark(tmp_path: Path, runs: Path) -> Path:
    QUESTIONS.write_ndjson(tmp_path / "gold.jsonl")
    return runs.parent


@pytest.mark.parametrize(
    "options", [("-b", "kind"), ("-c", "kind"), ("--where", "kind = 'a'"), ("--rows", "2", "--keep", "kind")]
)
def test_a_column_renamed_by_the_reader_is_named(tmp_path: Path, options: tuple[str, ...]) -> None:
    save(tmp_path / "a.csv", [1, 2], ["x", "y"])
    save(tmp_path / "b.csv", [1, 2], ["x", "z"])
    save(tmp_path / "gold.csv", [1, 2], ["", ""], answer=["x", "y"], kind=["a", "b"])
    command = ("compare", "a.csv", "b.csv", "--gold", "gold.csv", "--reader", "table,question_types=kind")
    output = ("-o", "page.html") if "--rows" in options else ()
    hint = "; did you mean 'question_types', renamed from 'kind' by the reader?"
    shell.refused(shell.run(tmp_path, *command, *options, *output), "no column 'kind' among", hint)


@pytest.mark.parametrize("option", ["-p", "--id"])
def test_a_misspelled_column_is_not_said_to_be_renamed(tmp_path: Path, option: str) -> None:
    pl.DataFrame({"question_id": [1], "prediction": ["x"], "answers": ["x"]}).write_csv(tmp_path / "a.csv")
    near = {"-p": ("predction", "prediction"), "--id": ("questionid", "question_id")}[option]

    done = shell.run(tmp_path, "report", "a.csv", option, near[0])

    shell.refused(done, f"no column '{near[0]}' among", f"; did you mean '{near[1]}'?")


@pytest.mark.parametrize(
    "command",
    [
        ("report", "runs/new.jsonl", "-b", "category", "-c", "doc_id"),
        ("score", "runs/new.jsonl"),
        ("browse", "runs", "-b", "category", "-o", "rows.html"),
        ("changes", "runs/old.jsonl", "runs/new.jsonl", "--keep", "category"),
        ("slices", "runs/new.jsonl", "-c", "doc_id"),
        ("plot", "groups", "runs/new.jsonl", "-b", "category", "-o", "groups.svg"),
        ("confusions", "runs/new.jsonl"),
        ("convert", "runs/new.jsonl", "table.csv"),
    ],
)
def test_every_command_of_files_takes_gold(benchmark: Path, command: tuple[str, ...]) -> None:
    done = shell.run(benchmark, *command, "--gold", "gold.jsonl")
    assert done.returncode == 0, done.stderr


def test_rows_that_are_read_together_may_be_left_out(benchmark: Path) -> None:
    save(benchmark / "rest" / "more.jsonl", [1, 2, 3, 4], PREDICTIONS["new"])
    for files in ("runs/new.jsonl", "rest"):
        done = shell.run(
            *(benchmark, "report", files, "--gold", "gold.jsonl", "--where", "category = 'a'", "--json")
        )
        [rows, *_] = json.loads(done.stdout)["tables"].values()
        assert rows[0]["n"] == 2, done.stderr


def test_the_shell_says_what_to_pass(benchmark: Path) -> None:
    save(benchmark / "short.jsonl", [1, 2], ["x", "y"])
    done = shell.run(benchmark, "report", "short.jsonl", "--gold", "gold.jsonl")
    assert done.returncode == 2
    assert "'short.jsonl' lacks 2 questions: '3', '4'" in done.stderr
    assert "pass --unmatched null" in done.stderr
    assert (
        shell.run(
            benchmark, "report", "short.jsonl", "--gold", "gold.jsonl", "--unmatched", "null"
        ).returncode
        == 0
    )
    # Parts of a run are one system, whose questions are those of all parts.
    save(benchmark / "rest.jsonl", [3, 4], ["x", "y"])
    assert shell.run(benchmark, "report", "short.jsonl", "rest.jsonl", "--gold", "gold.jsonl").returncode == 0


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_ids_of_runs_lead_to_those_of_questions(tmp_path: Path, suffix: str) -> None:
    # Tracing tools give each run of a question an id of its own, beside that of the question.
    for system in ("a", "b"):
        ids = {"id": [f"{system}{row}" for row in range(3)], "example_id": ["x", "y", "z"]}
        frame = pl.DataFrame({**ids, "output": ["1", "2", "3"], "expected": ["1", "2", "4"]})
        af.write_results(frame, tmp_path / f"{system}.{suffix}")
    files = [f"a.{suffix}", f"b.{suffix}"]
    done = shell.run(tmp_path, "compare", *files)
    told = "no two systems share a question: name the column of the ids of questions with --id ..."
    shell.refused(done, told)
    assert "--unmatched" not in done.stderr
    shell.fine(shell.run(tmp_path, "compare", *files, "--id", "example_id"))


def test_gold_with_data_that_is_no_file_of_labels_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"q1": "a", "q2": "x"}', encoding="utf-8")
    answers = [{"text": [text], "answer_start": [0]} for text in ("a", "b")]
    data = [{"id": f"q{row}", "answers": one} for row, one in enumerate(answers, 1)]
    (tmp_path / "gold.json").write_text(json.dumps({"version": "1", "data": data}), encoding="utf-8")
    report = af.readers.report_files(tmp_path / "m.json", af.readers.Reading(gold=tmp_path / "gold.json"))
    assert report.overall["exact_match"] == 0.5
    # As SQuAD nests its questions.
    nested = {"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": data}]}]}
    (tmp_path / "gold.json").write_text(json.dumps(nested), encoding="utf-8")
    told = "no column with the question_id among 'title', 'paragraphs'"
    shell.refused(shell.run(tmp_path, "report", "m.json", "--gold", "gold.json"), told, "SQuAD's JSON has")
