"""Questions that several columns identify together, in files, in gold and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell

import anls_frame as af

ROWS = pl.DataFrame(
    {
        "image": ["a", "a", "b"],
        "number": [1, 2, 1],
        "prediction": ["x", "y", "z"],
        "answer": ["x", "x", "z"],
    }
)


def saved(folder: Path, suffix: str, rows: pl.DataFrame = ROWS, name: str = "t") -> Path:
    return af.write_results(rows, folder / f"{name}.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet", "xlsx"])
def test_two_columns_are_one_id_and_stay(tmp_path: Path, suffix: str) -> None:
    path = saved(tmp_path, suffix)
    ids = ["image", "number"]

    for frame in (
        af.read_results(path, question_id=ids),
        af.scan_results(path, question_id=ids).collect(),
        af.read_logs({"m": path}, question_id=ids),
        af.readers.read_file(path, question_id=ids),
    ):
        assert frame["question_id"].to_list() == ["a | 1", "a | 2", "b | 1"]
        assert frame["image"].to_list() == ["a", "a", "b"]
    repeated = af.scan_results(path, question_id=["number"]).collect()
    assert repeated["question_id"].to_list() == ["1", "2", "1"]


def test_what_does_not_identify_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path, "csv")
    with pytest.raises(af.InputError, match=r"no column 'numbr' .*did you mean 'number'"):
        af.read_results(path, question_id=["image", "numbr"])
    with pytest.raises(ValueError, match="question_id must name different columns"):
        af.read_results(path, question_id=["image", "image"])
    with pytest.raises(af.InputError) as raised:
        af.read_results(path, question_id="image")
    assert [problem.message for problem in raised.value.problems] == [
        "duplicate id 'a', first seen at line 2"
    ]
    [hint] = raised.value.hints
    assert hint.startswith(
        'if several columns identify a question together, name them all with question_id=["A", "B"]'
    )
    gaps = saved(tmp_path, "jsonl", ROWS.with_columns(image=pl.Series(["a", None, "b"])))
    with pytest.raises(af.InputError, match="line 2: the id is missing"):
        af.read_results(gaps, question_id=["image", "number"])


def test_a_resumed_run_is_compared_as_the_error_says(tmp_path: Path) -> None:
    """The harness called the model again where a call had failed, and appended the answer."""
    rows = pl.DataFrame({"id": ["p", "q", "p"], "prediction": [None, "y", "x"], "answer": ["x", "y", "x"]})
    other = saved(tmp_path, "jsonl", rows[1:].with_columns(prediction=pl.lit("y")), "other")
    resumed = saved(tmp_path, "jsonl", rows, "resumed")
    with pytest.raises(af.InputError, match="if a run was resumed, keep one row a question"):
        af.readers.compare_files([other, resumed])

    saved(tmp_path, "jsonl", rows.unique("id", keep="last", maintain_order=True), "resumed")
    assert af.readers.compare_files([other, resumed]).overall["difference"].item() == 0.5
    saved(tmp_path, "jsonl", rows.with_columns(epoch=pl.Series([1, 1, 2])), "resumed")
    reading = af.readers.Reading(unmatched="drop")  # q has one answer
    with pytest.warns(af.InputWarning, match="fewer epochs"):
        repeated = af.readers.compare_files([other, resumed], reading)
    assert repeated.overall["difference"].item() == (0.5 + 1) / 2 - 0.5


@pytest.mark.parametrize("gold_id", [None, ["image", "number"]])
def test_gold_is_joined_by_the_same_columns(tmp_path: Path, gold_id: list[str] | None) -> None:
    path = saved(tmp_path, "csv", ROWS.drop("answer"))
    gold = ROWS.select("image", pl.col("number").cast(pl.String), "answer").reverse()

    frame = af.read_logs({"m": path}, gold=gold, question_id=["image", "number"], gold_id=gold_id)

    assert frame["answers"].to_list() == [["x"], ["x"], ["z"]]
    renamed = gold.rename({"image": "file", "number": "key"})
    named = af.read_logs({"m": path}, gold=renamed, question_id=["image", "number"], gold_id=["file", "key"])
    assert named["answers"].to_list() == [["x"], ["x"], ["z"]]


def test_the_command_line_names_them_with_commas(tmp_path: Path) -> None:
    saved(tmp_path, "csv")
    saved(tmp_path, "csv", ROWS.with_columns(prediction=pl.lit("x")), "u")
    saved(tmp_path, "csv", ROWS.drop("answer"), "v")
    ROWS.select(file="image", key="number", answer="answer").write_csv(tmp_path / "gold.csv")

    refused = shell.run(tmp_path, "compare", "t.csv", "u.csv", "--id", "image")
    assert refused.stderr.startswith(
        "anls-frame: 2 problems:\nt.csv: line 3: duplicate id 'a', first seen at line 2\n"
    )
    assert "if several columns identify a question together, name them all with --id A,B; " in refused.stderr
    done = shell.run(
        tmp_path, "compare", "t.csv", "u.csv", "--id", "image,number", "-m", "exact_match", "--json"
    )
    assert json.loads(done.stdout)["tables"]["All rows"][0]["n"] == 3
    for how in ("gold.csv,gold_id=file,key",):
        done = shell.run(tmp_path, "score", "v.csv", "--gold", how, "--id", "image,number", "--json")
        assert (json.loads(done.stdout)["n"], done.stderr) == (3, "")
    commas = ROWS.rename({"image": "im,age"})
    saved(tmp_path, "csv", commas, "w")
    done = shell.run(tmp_path, "compare", "w.csv", "w.csv", "--id", '"im,age",number')
    assert "occurs twice" in done.stderr  # the file, not a column
    assert "no column" not in done.stderr


def epochs(folder: Path) -> Path:
    rows = [
        {"epoch": epoch, "id": row, "prediction": "a" if epoch + row > 2 else "b", "answers": ["a"]}
        for epoch in (1, 2, 3)
        for row in (0, 1, 2)
    ]
    path = folder / "e.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_epochs_of_a_training_are_systems_and_the_message_says_so(tmp_path: Path) -> None:
    epochs(tmp_path)

    refused = shell.run(tmp_path, "report", "e.jsonl", "-b", "epoch")
    assert (
        "choose an epoch with --epoch, or name with --id all columns that identify a question"
        in refused.stderr
    )
    assert "`anls-frame compare FILE --system-column epoch`" in refused.stderr
    done = shell.run(
        tmp_path, "compare", "e.jsonl", "--system-column", "epoch", "-m", "exact_match", "--json"
    )
    # By hand: one, two and three of three answers are right.
    tables = json.loads(done.stdout)["tables"].values()
    shown = {row["system"]: row["score"] for table in tables for row in table if row.get("rank")}
    assert shown == {"1": pytest.approx(1 / 3), "2": pytest.approx(2 / 3), "3": 1.0}
    done = shell.run(
        tmp_path, "report", "e.jsonl", "--id", "id,epoch", "-b", "epoch", "-m", "exact_match", "--json"
    )
    assert [row["n"] for row in json.loads(done.stdout)["tables"]["By epoch"]][-3:] == [3, 3, 3]


def test_files_without_ids_are_told_a_column_that_identifies_rows(tmp_path: Path) -> None:
    for system, text in (("a", "x"), ("b", "y")):
        own = {"DocID": ["p", "q"], "run_id": ["r", "r"], "financebench_id": ["p", "q"]}
        rows = own | {"pred": ["x", text], "gold": ["x", "y"]}
        pl.DataFrame(rows).write_csv(tmp_path / f"{system}.csv")
    both = "compare", "a.csv", "b.csv"
    shell.refused(shell.run(tmp_path, *both), "has no ids; name their column with --id financebench_id")
    shell.fine(shell.run(tmp_path, *both, "--id", "financebench_id"))


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (["audio_path"], "audio_path"),
        (["audio_filepath", "utt_id"], "utt_id"),
        (["File name"], "'File name'"),
        (["pathos"], "..."),
    ],
)
def test_files_without_ids_are_told_a_column_of_files(tmp_path: Path, columns: list[str], named: str) -> None:
    texts = {"prediction": ["a", "b"], "answer": ["a", "c"]}
    rows = pl.DataFrame(texts | {name: [f"{name} 1", f"{name} 2"] for name in columns})
    for name in ("old.csv", "new.csv"):
        rows.write_csv(tmp_path / name)
    refused = shell.run(tmp_path, "compare", "old.csv", "new.csv")
    assert f"has no ids; name their column with --id {named};" in refused.stderr
    if named != "...":
        option = named.strip("'")
        assert shell.run(tmp_path, "compare", "old.csv", "new.csv", "--id", option).returncode == 0


def test_a_board_without_ids_is_compared_by_its_questions(tmp_path: Path) -> None:
    board = pl.DataFrame(
        {
            "Model": ["m", "m", "n", "n"],
            "Question": ["q", "r", "q", "r"],
            "prediction": ["a", "b", "a", "c"],
            "answer": ["a", "c", "a", "c"],
        }
    )
    board.write_csv(tmp_path / "board.csv")

    refused = shell.run(tmp_path, "compare", "board.csv", "--system-column", "Model")
    assert "has no ids; name their column with --id ..." in refused.stderr
    done = shell.run(
        tmp_path, "compare", "board.csv", "--system-column", "Model", "--id", "Question", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [{"a": "m"}, ["m"], b"m"])
def test_a_system_is_named_by_a_text_or_a_number(tmp_path: Path, name: Any) -> None:
    rows = pl.DataFrame({"id": [1, 1], "model": [name, name], "prediction": "a", "answers": "a"})
    rows.write_parquet(tmp_path / "m.parquet")

    with pytest.raises(af.InputError, match="column 'model' must hold the names of systems, got"):
        af.readers.read_systems([tmp_path / "m.parquet"], system_column="model")


@pytest.mark.parametrize("column", [None, "model"])
def test_where_chooses_among_the_rows_of_a_resumed_run(tmp_path: Path, column: str | None) -> None:
    """A second call for p failed, as did both for r: the answer to p counts, and r is left out."""
    rows = pl.DataFrame(
        {
            "id": ["p", "q", "p", "r", "r"],
            "prediction": ["x", "y", None, None, None],
            "answer": ["x", "y", "x", "z", "z"],
            "error": [None, None, "timeout", "timeout", "timeout"],
        }
    )
    other = rows[:2].with_columns(prediction=pl.lit("y"))
    if column is None:
        files = [saved(tmp_path, "csv", other, "other"), saved(tmp_path, "csv", rows, "resumed")]
    else:
        parts = [part.with_columns(model=pl.lit(name)) for name, part in (("o", other), ("r", rows))]
        files = [saved(tmp_path, "csv", pl.concat(parts))]
    first = 3 if column is None else 5
    for where in (None, "question_id <> 'q'", "question_id IS NOT NULL"):
        reading = af.readers.Reading(where=where, system_column=column)
        with pytest.raises(af.InputError) as raised:
            af.readers.compare_files(files, reading)
        assert "duplicate id 'p', first seen at" in raised.value.problems[0].message
        if where is not None:
            assert raised.value.problems[0].place == f"row {first}"
    reading = af.readers.Reading(where="error IS NULL", system_column=column)
    compared = af.readers.compare_files(files, reading)
    assert compared.overall["difference"].item() == 0.5
    with pytest.raises(ValueError, match=r"^no row fulfils prediction = 'n'$"):
        af.readers.compare_files(files, af.readers.Reading(where="prediction = 'n'", system_column=column))

    gold = rows.unique("id").select("id", "answer")
    answers = saved(tmp_path, "csv", rows.drop("answer"), "predictions")
    reading = af.readers.Reading(where="error IS NULL", gold=gold)
    report = af.readers.report_files(answers, reading)
    assert report.overall["n"] == 2
    assert report.overall["anls"] == 1
