"""From a table to its overview without options: twenty layouts, and questions where two columns fit."""

from __future__ import annotations

import gzip
import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af

WRONG = 18
"""Of 60 rows, whose other 42 are right: the ANLS is 0.7."""


def rows() -> pl.DataFrame:
    """Return 60 rows of 20 documents; the wrong ones share no letter with their answers."""
    draw = random.Random(0)
    answers = [f"{draw.choice(['alpha', 'delta', 'gamma'])} {row}" for row in range(60)]
    wrong = set(draw.sample(range(60), WRONG))
    return pl.DataFrame(
        {
            "question_id": [f"q{row}" for row in range(60)],
            "doc_id": [f"d{row // 3}" for row in range(60)],
            "question": [f"What is number {row}?" for row in range(60)],
            "prediction": ["-----------" if row in wrong else text for row, text in enumerate(answers)],
            "answers": [[text, f"{text} EUR"] for text in answers],
            "lang": ["de" if row % 2 else "en" for row in range(60)],
        }
    )


def csv_of_separated_answers(folder: Path) -> list[str]:
    rows().with_columns(pl.col("answers").list.join("|")).write_csv(folder / "results.csv")
    return ["results.csv"]


def csv_of_printed_lists(folder: Path) -> list[str]:
    printed = [str(entries) for entries in rows()["answers"].to_list()]
    rows().with_columns(answers=pl.Series(printed)).write_csv(folder / "results.csv")
    return ["results.csv"]


def tsv_with_other_names(folder: Path) -> list[str]:
    named = {
        "prediction": "Model Output",
        "answers": "Ground Truth",
        "question_id": "qid",
        "doc_id": "Document",
    }
    frame = rows().with_columns(pl.col("answers").list.first()).rename(named)
    frame.write_csv(folder / "results.tsv", separator="\t")
    return ["results.tsv"]


def workbook(folder: Path) -> list[str]:
    rows().with_columns(pl.col("answers").list.first()).write_excel(folder / "results.xlsx")
    return ["results.xlsx"]


def json_lines(folder: Path) -> list[str]:
    rows().write_ndjson(folder / "results.jsonl")
    return ["results.jsonl"]


def json_of_objects(folder: Path) -> list[str]:
    (folder / "results.json").write_text(json.dumps(rows().to_dicts()), encoding="utf-8")
    return ["results.json"]


def parquet_with_labels(folder: Path) -> list[str]:
    rows().with_columns(kind=pl.Series(["form;layout", "form", "layout"] * 20)).write_parquet(
        folder / "r.parquet"
    )
    return ["r.parquet"]


def prediction_under_the_name_of_a_model(folder: Path) -> list[str]:
    rows().rename({"prediction": "qwen-7b"}).write_parquet(folder / "results.parquet")
    return ["results.parquet"]


def two_files(folder: Path) -> list[str]:
    rows().with_columns(prediction=pl.lit("?")).write_ndjson(folder / "old.jsonl")
    rows().write_ndjson(folder / "new.jsonl")
    return ["old.jsonl", "new.jsonl"]


def two_systems_in_columns(folder: Path) -> list[str]:
    rows().rename({"prediction": "b"}).with_columns(a=pl.lit("?")).write_parquet(folder / "both.parquet")
    return ["both.parquet", "--systems", "a,b"]


def table_with_a_judge(folder: Path) -> list[str]:
    """The judge's column says how the system did, so it is no slice."""
    right = pl.col("prediction") == pl.col("answers").list.first()
    rows().with_columns(judge=right.cast(pl.Int64)).write_parquet(folder / "judged.parquet")
    return ["judged.parquet"]


def scores_alone(folder: Path) -> list[str]:
    right = pl.col("prediction") == pl.col("answers").list.first()
    rows().select("question_id", "doc_id", "lang", score=right.cast(pl.Float64)).write_csv(folder / "s.csv")
    return ["s.csv"]


def submission_with_gold(folder: Path) -> list[str]:
    frame = rows()
    data = [
        {"questionId": index, "question": row["question"], "answers": row["answers"], "docId": index // 3}
        for index, row in enumerate(frame.iter_rows(named=True))
    ]
    gold = {"dataset_name": "x", "dataset_split": "test", "dataset_version": "1", "data": data}
    (folder / "gold.json").write_text(json.dumps(gold), encoding="utf-8")
    answers = [{"questionId": index, "answer": text} for index, text in enumerate(frame["prediction"])]
    (folder / "submission.json").write_text(json.dumps(answers), encoding="utf-8")
    return ["submission.json", "--gold", "gold.json"]


def predictions_with_gold_in_a_table(folder: Path) -> list[str]:
    rows().select("question_id", "prediction").write_ndjson(folder / "p.jsonl")
    rows().drop("prediction").write_ndjson(folder / "gold.jsonl")
    return ["p.jsonl", "--gold", "gold.jsonl"]


def compressed(folder: Path) -> list[str]:
    rows().write_ndjson(folder / "results.jsonl")
    text = (folder / "results.jsonl").read_bytes()
    (folder / "results.jsonl.gz").write_bytes(gzip.compress(text))
    return ["results.jsonl.gz"]


def lmms_eval(folder: Path) -> list[str]:
    samples = [
        {"doc_id": row, "target": str(one["answers"]), "resps": [[one["prediction"]]]}
        | {"filtered_resps": [one["prediction"]], "doc": {"answers": one["answers"], "lang": one["lang"]}}
        for row, one in enumerate(rows().iter_rows(named=True))
    ]
    return [log_of(folder / "samples.jsonl", samples)]


def lm_evaluation_harness(folder: Path) -> list[str]:
    samples = [
        {"doc_id": row, "doc": {"question": one["question"], "docId": one["doc_id"]}}
        | {"target": str(one["answers"]), "arguments": [["?", {}]], "filter": "none"}
        | {"resps": [[one["prediction"]]], "filtered_resps": [one["prediction"]]}
        for row, one in enumerate(rows().iter_rows(named=True))
    ]
    return [log_of(folder / "samples_docqa_2026-11-21T10-11-12.jsonl", samples)]


def inspect(folder: Path) -> list[str]:
    samples = [
        {"id": one["question_id"], "epoch": 1, "input": one["question"], "target": one["answers"]}
        | {"output": {"completion": one["prediction"]}, "metadata": {"doc_id": one["doc_id"]}}
        | {"scores": {"match": {"value": "C"}}}
        for one in rows().iter_rows(named=True)
    ]
    log = {"version": 2, "status": "success", "eval": {"model": "gpt"}, "samples": samples}
    (folder / "gpt.json").write_text(json.dumps(log), encoding="utf-8")
    return ["gpt.json"]


def log_of(path: Path, samples: list[Any]) -> str:
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return path.name


RIGHT: list[Callable[[Path], list[str]]] = [
    csv_of_separated_answers,
    csv_of_printed_lists,
    tsv_with_other_names,
    workbook,
    json_lines,
    json_of_objects,
    parquet_with_labels,
    prediction_under_the_name_of_a_model,
    two_files,
    two_systems_in_columns,
    table_with_a_judge,
    scores_alone,
    submission_with_gold,
    predictions_with_gold_in_a_table,
    compressed,
    lmms_eval,
    lm_evaluation_harness,
    inspect,
]


@pytest.mark.every_combination
@pytest.mark.parametrize("layout", RIGHT, ids=lambda layout: layout.__name__)
def test_a_file_needs_no_options(layout: Callable[[Path], list[str]], tmp_path: Path) -> None:
    arguments = layout(tmp_path)
    done = shell.run(tmp_path, "overview", *arguments)
    # What is split is said.
    printed = fine(done, done.stderr if layout is csv_of_separated_answers else "")
    assert ("are split at '|'" in done.stderr) == (layout is csv_of_separated_answers)
    assert ("answers were split at '|'" in " ".join(printed.split())) == (layout is csv_of_separated_answers)
    score = "0.700 ["
    assert score in printed.partition("What lowers")[0]
    assert "60 rows" in printed
    # A page is written of the same result: with and without a warning, of several files and of scores alone.
    if layout in {csv_of_separated_answers, workbook, two_files, scores_alone}:
        fine(shell.run(tmp_path, "overview", *arguments, "-o", "overview.html"), done.stderr)
        assert score in (tmp_path / "overview.html").read_text(encoding="utf-8")


def test_pages_of_ocr(tmp_path: Path) -> None:
    for folder in ("ocr", "truth"):
        (tmp_path / folder).mkdir()
        for page in range(12):
            text = "a line of text\n" * 5 if folder == "truth" or page % 2 else "a 1ine of text\n" * 5
            (tmp_path / folder / f"{page}.txt").write_text(text, encoding="utf-8")
    printed = fine(shell.run(tmp_path, "overview", "ocr", "--gold", "truth"))
    assert "CER" in printed.partition("\n")[2]
    assert "WER" in printed
    assert "misread" in printed


def test_frames_of_pandas_with_an_index_of_questions() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows().to_dicts()).set_index("question_id")
    made = af.overview(frame)
    assert made.report.overall["anls"] == pytest.approx(0.7)
    assert (made.roles.cluster, made.roles.id, made.roles.by) == ("doc_id", "question_id", ["lang"])
    assert isinstance(made.causes, pd.DataFrame)
    assert isinstance(made.account.frame, pd.DataFrame)
    assert made.causes["loss"].sum() == pytest.approx(0.3)


def test_a_column_of_several_types_is_refused_if_it_is_named() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows().to_dicts()).assign(mixed=["a", 1] * 30)
    assert af.overview(frame).roles.by == ["lang"]
    for options in ({"by": "mixed"}, {"cluster": "mixed"}, {"id": "mixed"}):
        with pytest.raises(
            af.DTypeError, match="column 'mixed' must hold values of one type: row 0 holds 'a'"
        ):
            af.overview(frame, **options)
    lists = [["a"], "a"] * 30
    with pytest.raises(
        af.DTypeError, match=r"'answers' mixes strings and lists: .*; put each single string into"
    ):
        af.overview(frame.assign(answers=lists), "prediction", "answers")
    alone = af.overview(frame.assign(answers=[["a"]] * 60), "prediction", "answers")
    assert alone.report.overall["n"] == 60


def test_texts_are_taken_for_predictions_before_lists() -> None:
    samples = rows().with_columns(predictions=pl.col("answers"), response=pl.col("prediction"))
    made = af.overview(samples.drop("prediction"))
    assert made.roles.systems == {"response": "response"}
    with pytest.raises(af.DTypeError, match=r"'predictions' has dtype List\(String\)"):
        af.overview(samples.drop("prediction", "response"))


def test_queries() -> None:
    assert af.overview(rows().lazy()).causes.equals(rows().anls.overview().causes)


def test_predictions_have_the_names_of_their_columns_and_files(tmp_path: Path) -> None:
    # The reader names both columns itself.
    arguments = tsv_with_other_names(tmp_path)
    printed = fine(shell.run(tmp_path, "overview", *arguments, "-p", "Model Output"))
    assert "Prediction: Model Output; answers: Ground Truth, found" in printed
    assert fine(shell.run(tmp_path, "overview", *arguments)) == printed
    arguments = two_systems_in_columns(tmp_path)
    for named in ([], ["--name", "old", "--name", "new"]):
        printed = fine(shell.run(tmp_path, "overview", *arguments, *named))
        assert "Prediction: a, b; answers: answers, found" in printed
        assert "Overview of old and new" in printed if named else "Overview of a and b" in printed
        assert "prediction of" not in printed
    both = two_files(tmp_path)
    for named in ([], ["-p", "prediction"]):
        printed = fine(shell.run(tmp_path, "overview", *both, *named))
        assert "Prediction: old, new; answers: answers, found" in printed
    for name in both:
        pl.read_ndjson(tmp_path / name).rename({"prediction": "said"}).write_ndjson(tmp_path / name)
    assert "Prediction: old, new;" in fine(shell.run(tmp_path, "overview", *both, "-p", "said"))


def test_two_candidates_are_a_question_that_shows_both(tmp_path: Path) -> None:
    frame = rows().rename({"prediction": "qwen"}).with_columns(llama=pl.col("qwen"))
    frame.write_parquet(tmp_path / "models.parquet")
    with pytest.raises(ValueError, match="several columns could hold the predictions: 'qwen' with ") as error:
        af.overview(frame)
    assert 'prediction="qwen", or prediction={"qwen": "qwen", "llama": "llama"} to compare' in str(
        error.value
    )
    told = "Pass --prediction qwen, or --systems qwen,llama to compare them"
    refused(shell.run(tmp_path, "overview", "models.parquet"), told)
    fine(shell.run(tmp_path, "overview", "models.parquet", "-p", "qwen"))
    fine(shell.run(tmp_path, "overview", "models.parquet", "--systems", "qwen,llama"))


def test_engines_named_alike_are_candidates_however_little_one_reads(tmp_path: Path) -> None:
    frame = rows().with_columns(reference=pl.col("answers").list.first()).drop("answers")
    frame = frame.rename({"prediction": "good_transcript"}).with_columns(bad_transcript=pl.lit("?"))
    frame.write_parquet(tmp_path / "engines.parquet")
    told = "--systems good_transcript,bad_transcript to compare them"
    refused(shell.run(tmp_path, "overview", "engines.parquet"), told)


def test_the_text_before_correction_is_no_prediction(tmp_path: Path) -> None:
    frame = rows().rename({"prediction": "original"}).with_columns(pl.col("answers").list.first())
    frame.write_parquet(tmp_path / "r.parquet")
    refused(shell.run(tmp_path, "overview", "r.parquet"), "no column looks like the predictions among")
    fine(shell.run(tmp_path, "overview", "r.parquet", "-p", "original"))


def test_a_model_that_answers_beside_a_ground_truth_is_not_taken_for_gold(tmp_path: Path) -> None:
    # Ragas wrote `answer` for what the model said.
    rows().rename({"prediction": "answer", "answers": "ground_truth"}).write_parquet(tmp_path / "r.parquet")
    refused(shell.run(tmp_path, "overview", "r.parquet"), "Pass --answers COLUMN")
    fine(shell.run(tmp_path, "overview", "r.parquet", "-p", "answer", "--answers", "ground_truth"))


def test_no_candidate_is_a_question(tmp_path: Path) -> None:
    rows().drop("answers").write_parquet(tmp_path / "r.parquet")
    told = "no column looks like the accepted answers among"
    refused(shell.run(tmp_path, "overview", "r.parquet"), told)


def test_what_was_found_can_be_said_explicitly() -> None:
    frame = rows().with_columns(
        prediction_confidence=pl.Series([row / 60 for row in range(60)]),
        kind=pl.Series(["form;layout", "form", "layout"] * 20),
        judge=pl.Series([row % 2 for row in range(60)]),
        row=pl.Series(range(60)),
    )
    made = af.overview(frame)
    roles = made.roles
    assert (roles.systems, roles.answers) == ({"prediction": "prediction"}, "answers")
    assert (roles.cluster, roles.model_confidence, roles.id) == (
        "doc_id",
        "prediction_confidence",
        "question_id",
    )
    assert list(roles.by) == ["lang", "kind"]
    same: Any = eval(made.code, {"af": af, "df": frame})  # noqa: S307 - our own code
    assert same.causes.equals(made.causes)
    assert same.slices.equals(made.slices)
    assert not same.roles.found
    # Each label of a joined text is a value.
    assert set(made.report.tables["kind"]["kind"]) == {"form", "layout"}
    alone = af.overview(frame, cluster=False, by=[], model_confidence=False)
    assert (alone.roles.cluster, alone.roles.model_confidence, alone.found) == (None, None, None)


def test_the_name_of_the_prediction_tells_which_confidence_is_its_own(tmp_path: Path) -> None:
    sure = {
        f"{name}_confidence": pl.Series([row / shift for row in range(60)])
        for name, shift in (("a", 60), ("b", 90))
    }
    frame = rows().rename({"prediction": "a"}).with_columns(b=pl.lit("?"), **sure)
    frame.write_parquet(tmp_path / "both.parquet")
    assert af.overview(frame, "a").roles.model_confidence == "a_confidence"
    printed = fine(shell.run(tmp_path, "overview", "both.parquet", "-p", "a", COLUMNS="300"))
    assert (
        "Prediction: a; answers: answers, found; documents: doc_id, found; confidence: a_confidence, found"
        in printed
    )
    told = "Pass --model-confidence a_confidence"
    refused(shell.run(tmp_path, "overview", "both.parquet", "-p", "question"), told)


def test_texts_of_a_system_are_no_slice_of_the_scores_beside_them() -> None:
    right = pl.col("prediction") == pl.col("answers").list.first()
    judged = rows().with_columns(judge=right.cast(pl.Float64), prediction=pl.Series(["yes", "no"] * 30))
    made = af.overview(judged.with_columns(answers=pl.lit("yes")), metrics="judge")
    assert list(made.roles.by) == ["lang"]


SCORES_OF_TOOLS = [
    "hit",  # VLMEvalKit
    "feedback.correct",  # LangSmith
    "correctness/value",  # MLflow
    "exact_match/v1/score",
    "outputs.f1_score.f1_score",  # Azure
    "factual_correctness(mode=f1)",  # Ragas
    "isCorrect",
    "answerCorrectness",
    "judge_a",
    "gpt_B",
    "correct_judge",
    "winner",  # MT-Bench
    "winner_judge",
    "winner_human",
    "result",  # OCRBench
    "gpt4o_verdict_kind",
    "LLM_grade",
    "BERTScore",
    "BERTscore",
]


def test_columns_of_scores_by_other_tools_are_no_slices() -> None:
    right = (pl.col("prediction") == pl.col("answers").list.first()).cast(pl.Int64)
    made = af.overview(rows().with_columns(right.alias(name) for name in SCORES_OF_TOOLS))
    assert list(made.roles.by) == ["lang"]


def test_texts_of_gold_are_no_slices_but_its_types_and_pages_are() -> None:
    labels = pl.Series(["yes", "no"] * 30)
    frame = rows().with_columns(gold_label=labels, gt_text=labels, expected_unit=labels, answer_type=labels)
    frame = frame.with_columns(gold_page=pl.Series([1, 2, 3] * 20))
    assert list(af.overview(frame).roles.by) == ["lang", "answer_type", "gold_page"]


def test_words_of_scores_within_a_name_make_no_score() -> None:
    names = [
        "score_sheet",
        "award_winner",
        "written_by_human",
        "correct_form",
        "hits",
        "value",
        "result_page",
        "f1_car",
        "größe",
        "--",
    ]
    made = af.overview(rows().with_columns(pl.Series(name, ["u", "v", "v"] * 20) for name in names))
    assert list(made.roles.by) == ["lang", *names]


def test_a_score_by_its_whole_name_is_preferred_in_a_table_of_scores() -> None:
    right = [float(row % 3 > 0) for row in range(60)]
    made = af.overview(pl.DataFrame({"score": right, "style_score": right[::-1], "lang": ["de", "en"] * 30}))
    assert made.roles.metrics == "score"
    only = af.overview(pl.DataFrame({"style_score": right, "lang": ["de", "en"] * 30}))
    assert only.roles.metrics == "style_score"


def test_a_table_of_grades_is_told_how_to_name_them(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": range(20), "grade": [1, 5, 4, 2] * 5, "lang": ["de", "en"] * 10})
    frame.write_csv(tmp_path / "grades.csv")
    refused(
        shell.run(tmp_path, "overview", "grades.csv"),
        "Pass --answers COLUMN, or, for a table of scores, --metric grade",
    )
    printed = fine(shell.run(tmp_path, "overview", "grades.csv", "--metric", "grade"))
    assert "grade 3" in printed
    with pytest.raises(ValueError, match=r'or, for a table of scores, metrics="grade"'):
        af.overview(frame)
    frame.select("id", verdict=pl.Series(["yes", "no"] * 10)).write_csv(tmp_path / "verdicts.csv")
    refused(shell.run(tmp_path, "overview", "verdicts.csv"), "for a table of scores, --metric COLUMN")


def test_predictions_without_answers_are_told_where_these_are_joined(tmp_path: Path) -> None:
    rows().select("question_id", "prediction").write_csv(tmp_path / "p.csv")
    rows().select("question_id", "answers").write_ndjson(tmp_path / "gold.jsonl")
    told = "answers in another file are joined with --gold FILE"
    refused(shell.run(tmp_path, "report", "p.csv"), "no column with the answers among", told)
    fine(shell.run(tmp_path, "report", "p.csv", "--gold", "gold.jsonl"))
    with pytest.raises(af.InputError, match=r'joined with gold="FILE" of `read_logs`'):
        af.read_results(tmp_path / "p.csv")
    done = shell.run(tmp_path, "overview", "p.csv")
    refused(done, "no column looks like the accepted answers among", told)
    fine(shell.run(tmp_path, "overview", "p.csv", "--gold", "gold.jsonl"))
    assert "for a table of scores" not in " ".join(done.stderr.split())


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_objects_are_asked_for_their_entry(tmp_path: Path, suffix: str) -> None:
    """As Langfuse has them; they were scored as text, whose keys are all right: an ANLS of 0.9 for 0.6."""
    rows = [
        {"output": {"answer": f"{i // 2} EUR"}, "expectedOutput": {"answer": f"{i} EUR"}} for i in range(40)
    ]
    frame = pl.DataFrame(rows)
    if suffix == "csv":
        frame = frame.with_columns(pl.all().struct.json_encode())
    af.write_results(frame, tmp_path / f"o.{suffix}")
    file, told = f"o.{suffix}", "entries of objects are named with dots: output.answer"
    done = shell.run(tmp_path, "overview", file)
    if suffix == "json":
        refused(done, "column 'expectedOutput' holds objects", told)
    else:
        warned = " ".join(done.stderr.split())
        assert "Name the entry to read in place of the column, such as expectedOutput.answer" in warned
    answers = ("--answers", "expectedOutput.answer")
    done = shell.run(
        tmp_path, "overview", file, *answers, "-p", "output.answer", "-m", "exact_match", "--json"
    )
    [overall] = json.loads(fine(done))["tables"]["All rows"]
    assert overall["exact_match"] == 1 / 40
    texts = frame if suffix == "csv" else frame.with_columns(pl.all().struct.json_encode())
    with pytest.raises(ValueError, match=r"column 'expectedOutput' holds objects, .*`anls_frame\.fields`"):
        af.overview(texts)
    given = {"prediction": "output", "answers": "expectedOutput"}
    with pytest.warns(af.InputWarning, match="most texts in column 'expectedOutput' are objects"):
        assert af.overview(texts, **given, metrics="exact_match").roles.answers == "expectedOutput"
    # The advice of this warning.
    parsed = texts.with_columns(af.parse_answers(texts["expectedOutput"], answers_format="text"))
    assert af.overview(parsed).roles.answers == "expectedOutput"


def test_results_of_ocrbench_are_no_slice(tmp_path: Path) -> None:
    rows = [
        {"type": "ab"[i % 2], "answers": ["a"], "predict": "ab"[i % 3 > 0], "result": int(i % 3 == 0)}
        for i in range(60)
    ]
    (tmp_path / "o.json").write_text(json.dumps(rows), encoding="utf-8")
    found = json.loads(fine(shell.run(tmp_path, "overview", "o.json", "--json")))
    assert found["settings"]["columns"]["by"] == ["type"]


def test_entries_of_objects_are_named_where_no_column_has_the_role(tmp_path: Path) -> None:
    row = {"output": {"text": "a"}, "doc": {"target": "a"}}
    frame = pl.DataFrame([{"id": number, **row} for number in range(40)])
    frame.write_ndjson(tmp_path / "r.jsonl")
    frame.write_parquet(tmp_path / "r.parquet")
    told = "entries of objects are named with dots: output.text, doc.target"
    for command in ("report", "overview"):
        for file in ("r.jsonl", "r.parquet"):
            refused(shell.run(tmp_path, command, file), told)
            refused(shell.run(tmp_path, command, file, "-p", "output.text"), told)
            fine(shell.run(tmp_path, command, file, "-p", "output.text", "--answers", "doc.target"))
    # Frames have columns alone.
    with pytest.raises(ValueError, match="no column looks like the accepted answers") as raised:
        af.overview(frame)
    assert "dots" not in str(raised.value)


def test_a_file_of_answers_alone_says_which_column_they_are_in(tmp_path: Path) -> None:
    rows().select("question_id", "doc_id", answer=pl.col("answers").list.first()).write_csv(
        tmp_path / "a.csv"
    )
    told = (
        "Pass --prediction COLUMN; the answers are in 'answer', or, if these are the predictions, answers in "
    )
    refused(shell.run(tmp_path, "overview", "a.csv"), f"{told}another file are joined with --gold FILE")
    rows().select("question_id", "answers").write_ndjson(tmp_path / "gold.jsonl")
    fine(shell.run(tmp_path, "overview", "a.csv", "-p", "answer", "--gold", "gold.jsonl"))


def test_a_copy_of_the_answers_is_no_prediction(tmp_path: Path) -> None:
    # A submission: the answer as it is scored, and as the model gave it. There is no gold.
    answers = [f"answer {row}" for row in range(80)]
    frame = pl.DataFrame({"question_id": range(80), "answer": answers, "full_answer": answers})
    longer = pl.when(pl.col("question_id") < 2).then(pl.lit("because")).otherwise("full_answer")
    frame.with_columns(full_answer=longer).write_ndjson(tmp_path / "submission.jsonl")
    done = shell.run(tmp_path, "overview", "submission.jsonl")
    refused(done, "no column looks like the predictions among 'question_id', 'full_answer'.")


def test_answers_of_a_model_beside_their_annotation_are_no_gold(tmp_path: Path) -> None:
    # As Qwen-VL and InternVL write the results of DocVQA.
    named = {"prediction": "answer", "answers": "annotation"}
    frame = rows().rename(named).drop("lang")
    frame.write_ndjson(tmp_path / "r.jsonl")
    told = "no column looks like the predictions among"
    refused(shell.run(tmp_path, "overview", "r.jsonl"), told, "the answers are in 'answer'")
    printed = fine(shell.run(tmp_path, "overview", "r.jsonl", "-p", "answer", "--answers", "annotation"))
    assert "0.700 [" in printed
    expected = frame.rename({"annotation": "expected"})
    told = "several columns could hold the accepted answers: 'answer' with .*; 'expected' with "
    with pytest.raises(ValueError, match=told):
        af.overview(expected)


def log_with_scores(folder: Path) -> Path:
    """Write a log of Inspect with scores of several kinds, which agree with each other."""
    samples = []
    for index, one in enumerate(rows().iter_rows(named=True)):
        right = one["prediction"] == one["answers"][0]
        graded = {"value": "C" if right else "I", "answer": str(right), "metadata": {"kind": str(right)}}
        scores = {"match": graded, "rubric": {"value": {"style": int(right), "fact": 1}}}
        sample = {"id": index, "epoch": 1, "input": one["question"], "target": one["answers"]}
        metadata = {"lang": one["lang"]}
        output = {"completion": one["prediction"]}
        samples.append(sample | {"output": output, "scores": scores, "metadata": metadata})
    log = {"version": 2, "status": "success", "eval": {"model": "m"}, "samples": samples}
    (folder / "log.json").write_text(json.dumps(log), encoding="utf-8")
    return folder / "log.json"


def logged_metrics(folder: Path) -> Path:
    """Write samples of lmms-eval with metrics that are numbers and objects."""
    lines = [
        {"doc_id": row, "target": str(one["answers"]), "resps": [[str(right)]], "lang": one["lang"]}
        | {"filtered_resps": [one["prediction"]], "mine": int(right), "detail": {"kind": str(right)}}
        for row, one in enumerate(rows().iter_rows(named=True))
        for right in [one["prediction"] == one["answers"][0]]
    ]
    return folder / log_of(folder / "samples.jsonl", [{**line} for line in lines])


def test_what_a_scorer_said_of_an_answer_is_no_slice(tmp_path: Path) -> None:
    path = log_with_scores(tmp_path)
    frame = af.readers.read_inspect(path)
    assert {"match", "match_grade", "match_answer", "match_kind", "rubric_style"} <= {*frame.columns}
    assert list(af.overview(frame).roles.by) == ["lang"]
    for given in (frame, af.read_logs({"m": path}), af.readers.read_file(path)):
        left_out = af.find_slices(given, "prediction", "answers").left_out
        of_scores = {name for name, reason in left_out.items() if reason == "it says how a system did"}
        assert {"match", "match_grade", "match_answer", "match_kind", "rubric_style"} <= of_scores
        assert not of_scores & {"lang", "input_tokens", "question"}
    printed = fine(shell.run(tmp_path, "overview", "log.json"))
    assert "slices: lang, found" in " ".join(printed.split())


def test_logged_metrics_are_no_slices(tmp_path: Path) -> None:
    frame = af.readers.read_lmms_eval(logged_metrics(tmp_path))
    assert {"mine", "detail_kind", "resps", "lang"} <= {*frame.columns}
    # Whether a number or a text was measured or describes the question, lmms-eval does not log.
    assert list(af.overview(frame).roles.by) == []


def test_several_answers_to_a_question_are_its_documents(tmp_path: Path) -> None:
    frame = pl.concat([rows().drop("doc_id").with_columns(epoch=pl.lit(epoch)) for epoch in (1, 2, 3)])
    frame.write_ndjson(tmp_path / "r.jsonl")
    made = af.overview(frame)
    assert (made.roles.id, made.roles.cluster) == ("question_id", "question_id")
    # The answers of a question are equal, so all of them say no more than one of them.
    once = af.overview(rows().drop("doc_id"))
    assert once.roles.cluster is None
    width = [one.report.overall["anls_high"] - one.report.overall["anls_low"] for one in (made, once)]
    assert width[0] == pytest.approx(width[1], rel=0.05)
    assert "documents: question_id, found" in " ".join(
        fine(shell.run(tmp_path, "overview", "r.jsonl")).split()
    )
    assert af.overview(frame, cluster=False).roles.cluster is None


def test_ids_that_start_again_in_each_document_are_no_documents() -> None:
    frame = rows().drop("doc_id").with_columns(question_id=pl.row_index() % 6)
    made = af.overview(frame)
    assert (made.roles.id, made.roles.cluster) == ("question_id", None)
    told = 'Pass cluster="question_id" (on the command line, -c question_id), or the column of documents'
    assert told in repr(made)
    assert told not in repr(af.overview(frame, cluster=False))
    # Rows without an id are no rows of one question.
    repeated = pl.concat([rows(), rows(), rows().with_columns(question_id=None)]).drop("doc_id")
    assert af.overview(repeated).roles.cluster == "question_id"


@pytest.mark.parametrize(
    "kinds", [["['form', 'layout']", "['form']", "['layout']"], ["form;layout", "form", "layout"]]
)
@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.filterwarnings("error")
def test_several_labels_in_a_text_are_split(kinds: list[str], *, is_read: bool) -> None:
    """A reader makes a list of each text of a column that usually has lists."""
    labels = pl.Series(kinds * 20)
    made = af.overview(rows().with_columns(kind=labels.reshape((-1, 1)).arr.to_list() if is_read else labels))
    assert set(made.report.tables["kind"]["kind"]) == {"form", "layout"}
    assert made.report.tables["kind"]["n"].to_list() == [40, 40]


def test_values_of_few_rows_that_lie_together_are_no_documents() -> None:
    """Of 100 rows, 40 have an empty list, and each other one a list of its own."""
    similarities = ["[]" if index < 40 else f"[0.{index}]" for index in range(100)]
    frame = pl.DataFrame(
        {"prediction": ["a", "b"] * 50, "answers": ["a"] * 100, "similarities": similarities}
    )
    assert af.overview(frame).roles.cluster is None
    together = frame.with_columns(similarities=pl.Series([f"[0.{index // 2}]" for index in range(100)]))
    assert af.overview(together).roles.cluster == "similarities"


@pytest.mark.parametrize(
    ("protocol", "written"),
    [
        (af.PROTOCOLS["anls"], ", protocol='anls')"),
        (af.PROTOCOLS["rrc"], ", protocol='rrc')"),
        (
            af.PROTOCOLS["rrc"].replace(threshold=0.8, errors="jiwer"),
            "replace(threshold=0.8, errors='jiwer'))",
        ),
    ],
)
def test_the_call_of_a_protocol_makes_the_same_overview(protocol: af.ScoreProtocol, written: str) -> None:
    frame = af.sample().head(100)
    made = af.overview(frame, "tesseract", protocol=protocol)

    assert written in made.code
    same: Any = eval(made.code, {"af": af, "df": frame})  # noqa: S307 - our own code
    assert same.report.overall == made.report.overall
    assert same.signature == made.signature


def long_rows(*, share: bool = True) -> pl.DataFrame:
    """Return the rows of two systems, whose second one is always right, with the same or other questions."""
    first = rows().with_columns(pl.col("answers").list.first(), model=pl.lit("old"))
    second = first.with_columns(prediction="answers", model=pl.lit("new"))
    other = second.with_columns(pl.col("question_id", "question") + "b")
    return pl.concat([first, second if share else other])


@pytest.mark.parametrize("key", ["question_id", "question"])
def test_the_advice_about_systems_in_rows_of_a_frame_makes_columns_to_compare(key: str) -> None:
    frame = long_rows().drop({"question_id", "question"} - {key})
    with pytest.warns(af.InputWarning, match="names 2 systems with questions in common") as warned:
        af.overview(frame)
    call = re.findall(
        r"`anls_frame\.side_by_side\(frame, prediction, answers, (.*)\)`", str(warned[0].message)
    )
    options = dict(option.split("=") for option in call[0].split(", "))
    wide = af.side_by_side(
        frame, "prediction", "answers", **{name: value.strip("'") for name, value in options.items()}
    )
    assert af.compare(wide).overall["difference"].item() == pytest.approx(0.3)


@pytest.mark.parametrize("command", ["overview", "report"])
def test_systems_in_rows_are_told_and_the_advice_tells_them_apart(tmp_path: Path, command: str) -> None:
    long_rows().write_csv(tmp_path / "long.csv")
    told = shell.run(tmp_path, command, "long.csv").stderr
    assert "column 'model' names 2 systems with questions in common ('new', 'old')" in told
    advice = re.findall("`anls-frame compare FILE (.*)`", told)[0]
    assert "+0.300" in fine(shell.run(tmp_path, "compare", "long.csv", *shlex.split(advice)))
    long_rows().drop("question_id").rename({"question": "query"}).write_csv(tmp_path / "no_ids.csv")
    told = shell.run(tmp_path, command, "no_ids.csv").stderr
    advice = re.findall("`anls-frame compare FILE (.*)`", told)[0]
    assert advice == "--system-column model --id query"
    assert "+0.300" in fine(shell.run(tmp_path, "compare", "no_ids.csv", *shlex.split(advice)))
    alone = shell.run(tmp_path, command, "long.csv", "--where", "model = 'old'")
    assert alone.stderr == ""
    assert "0.700" in alone.stdout


@pytest.mark.parametrize("command", ["overview", "report"])
def test_systems_are_not_told_where_they_are_slices_or_share_no_question(
    tmp_path: Path, command: str
) -> None:
    long_rows().write_csv(tmp_path / "long.csv")
    long_rows(share=False).write_csv(tmp_path / "other.csv")
    assert "systems" not in shell.run(tmp_path, command, "long.csv", "-b", "model").stderr
    assert shell.run(tmp_path, command, "other.csv").stderr == ""


def test_systems_in_rows_of_a_frame_are_told() -> None:
    with pytest.warns(af.InputWarning, match=r"side_by_side\(frame, .*, system='Model', "):
        af.overview(long_rows().rename({"model": "Model"}))


def test_scores_of_judges_and_passages_are_no_slices() -> None:
    """As Ragas and other tools for retrieval write them."""
    passages = [f"Passage {n}: " + "The invoice is due within thirty days. " * 4 for n in range(3)]
    frame = rows().with_columns(
        retrieved_contexts=pl.Series([passages[n % 3] for n in range(60)]),
        context_recall=pl.Series([n % 2 / 1 for n in range(60)]),
        answer_relevancy=pl.Series([n % 3 / 2 for n in range(60)]),
        hit_rate=pl.Series([n % 2 for n in range(60)]),
        sample_rate=pl.Series([8000 * (1 + n % 2) for n in range(60)]),
    )
    assert list(af.overview(frame).roles.by) == ["lang", "sample_rate"]


def test_several_scores_without_texts_are_asked_for() -> None:
    scores = pl.DataFrame({"factual_correctness(mode=f1)": [0.0, 0.5, 1.0], "faithfulness": [0.0, 1.0, 0.5]})
    with pytest.raises(ValueError, match=r"several columns could hold the scores: .*'faithfulness' with"):
        af.overview(scores)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["high", "0.5"], "column 'sure' must hold numbers, got 'high' in row 0"),
        ([True, False], "model_confidence: column 'sure' has dtype Boolean; a confidence is a number"),
    ],
)
def test_a_column_without_confidences_is_refused_by_its_name(values: list[Any], message: str) -> None:
    frame = pl.DataFrame({"prediction": ["a", "b"] * 10, "answer": ["a", "x"] * 10, "sure": values * 10})
    with pytest.raises(af.DTypeError, match=message):
        af.overview(frame, model_confidence="sure")
