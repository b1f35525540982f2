"""Folders of logs with several epochs: `compare`, `report` and `epochs` against means computed by hand."""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import oracle
import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af
from anls_frame.protocol import PROTOCOLS

Run = Callable[..., shell.Done]

SYSTEMS = ("alpha", "beta", "gamma")
EPOCHS = 3
QUESTIONS = range(24)
WORDS = ("Invoice", "12 EUR", "Coca Cola", "")


def text(question: int, system: int, epoch: int) -> str:
    """Return an answer: right in some epochs, nearly right or missing in others."""
    place = (question // 2 + (question % 7) * epoch * (system + 1)) % 5
    right = WORDS[question % 3]
    return right if place < 3 - system else right[:-1] + "x" if place < 4 else ""


def sample(question: int, system: int, epoch: int) -> dict[str, Any]:
    prediction = text(question, system, epoch)
    right = WORDS[question % 3]
    return {
        "id": question,
        "epoch": epoch,
        "input": f"question {question}?",
        "target": [right, right.lower()],
        "output": {"completion": prediction},
        "metadata": {"docId": f"d{question // 3}", "kind": "odd" if question % 2 else "even"},
        "scores": {"match": {"value": "C" if prediction == right else "I", "answer": prediction}},
        "total_time": 0.5 + epoch,
    }


def log(path: Path, samples: list[dict[str, Any]], model: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"version": 2, "status": "success", "eval": {"model": model, "task": "t"}, "samples": samples}
    path.write_text(json.dumps(content), encoding="utf-8")


def score(prediction: str, question: int) -> float:
    """Return the ANLS of an answer, by the textbook."""
    right = WORDS[question % 3]
    return max(oracle.anls(prediction, one, PROTOCOLS["anls"]) for one in (right, right.lower()))


def means(system: int, value: Callable[[str, int], float] = score) -> list[float]:
    """Return the mean of each question over its epochs."""
    epochs = range(1, EPOCHS + 1)
    return [
        statistics.fmean(value(text(question, system, epoch), question) for epoch in epochs)
        for question in QUESTIONS
    ]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `anls-frame` in a folder that has one of logs."""
    for place, name in enumerate(SYSTEMS):
        samples = [sample(*one, epoch) for epoch in range(1, EPOCHS + 1) for one in _of(place)]
        log(tmp_path / "runs" / f"{name}.json", samples, f"org/{name}")
    (tmp_path / "runs" / "notes.txt").write_text("no log", encoding="utf-8")
    return functools.partial(shell.run, tmp_path)


def _of(place: int) -> list[tuple[int, int]]:
    return list(itertools.product(QUESTIONS, [place]))


def ranking(printed: str) -> dict[str, Mapping[str, Any]]:
    document = json.loads(printed)
    rows = [row for name, rows in document["tables"].items() if name.startswith("Ranking by") for row in rows]
    return {row["system"]: row for row in rows}


def test_a_folder_is_compared_by_the_means_of_its_questions(run: Run) -> None:
    frame = pl.DataFrame({name: means(place) for place, name in enumerate(SYSTEMS)})
    frame = frame.with_columns(doc=pl.Series([f"d{question // 3}" for question in QUESTIONS]))
    metric = af.Metric({name: name for name in SYSTEMS}, name="anls")
    expected = af.compare(frame, {name: name for name in SYSTEMS}, metrics=metric, cluster="doc")

    printed = fine(run("compare", "runs", "-c", "doc_id", "--json"))

    for place, (name, row) in enumerate(ranking(printed).items()):
        own = expected.ranking.filter(system=name, slice="overall").row(0, named=True)
        assert row["n"] == len(QUESTIONS)
        assert row["score"] == pytest.approx(statistics.fmean(means(SYSTEMS.index(name))), rel=1e-12)
        assert (row["score_low"], row["rank"]) == (pytest.approx(own["score_low"], rel=1e-9), place + 1)
        assert (row["rank_low"], row["rank_high"]) == (own["rank_low"], own["rank_high"])
        assert row["n_clusters"] == 8
    settings = json.loads(printed)["settings"]
    assert settings["scored_by"].startswith("Scores are means over 3 epochs of each question (protocol anls,")


def test_systems_are_folders_of_repeats_or_named_by_a_column(run: Run, tmp_path: Path) -> None:
    whole = ranking(fine(run("compare", "runs", "--json")))
    for place, name in enumerate(SYSTEMS):
        for epoch in range(1, EPOCHS + 1):
            samples = [{**sample(*one, epoch), "epoch": 1} for one in _of(place)]
            log(tmp_path / "apart" / name / f"run{epoch}.json", samples, f"org/{name}")
            log(tmp_path / "flat" / f"{epoch}_{name}.json", samples, f"org/{name}")
    by_folder = ranking(fine(run("compare", "apart", "--json")))
    by_column = ranking(fine(run("compare", "flat", "--system-column", "model", "--json")))

    assert by_folder == whole
    for name in SYSTEMS:
        # In another order, so with another baseline.
        same = ("n", "score", "score_low", "score_high", "rank", "rank_low", "rank_high")
        assert [by_column[f"org/{name}"][key] for key in same] == [whole[name][key] for key in same]
    repeats = json.loads(fine(run("report", "apart/beta", "--repeats", "-m", "anls", "--json")))
    assert repeats["tables"]["All rows"][0]["anls"] == whole["beta"]["score"]
    refused(run("report", "apart/beta"), "have ids in common", "For repeated answers to the same questions")


def test_an_epoch_is_chosen_for_any_kind_of_file(run: Run, tmp_path: Path) -> None:
    one = ranking(fine(run("compare", "runs", "--epoch", "2", "--json")))
    for place, name in enumerate(SYSTEMS):
        expected = statistics.fmean(score(text(question, place, 2), question) for question in QUESTIONS)
        assert one[name]["score"] == pytest.approx(expected, rel=1e-12)
    af.write_results(af.read_logs(tmp_path / "runs"), tmp_path / "long.csv")
    long = ("long.csv", "--system-column", "system", "--json")
    assert ranking(fine(run("compare", *long, "--epoch", "2"))) == one
    assert ranking(fine(run("compare", *long))) == ranking(fine(run("compare", "runs", "--json")))
    refused(run("compare", "runs", "--epoch", "9"), "--epoch 9: there is no such epoch among 1, 2, 3")
    refused(run("changes", "runs/alpha.json", "runs/beta.json"), "several epochs: 1, 2, 3; choose one with")


def test_a_report_counts_every_question_once(run: Run) -> None:
    printed = json.loads(fine(run("report", "runs/beta.json", "-c", "doc_id", "-b", "kind", "--json")))
    overall, *slices = printed["tables"]["By kind"]

    found = means(1)
    assert (overall["n"], overall["n_clusters"]) == (len(QUESTIONS), 8)
    assert overall["anls"] == pytest.approx(statistics.fmean(found), rel=1e-12)
    assert {row["kind"]: row["anls"] for row in slices} == {
        "even": pytest.approx(statistics.fmean(found[::2]), rel=1e-12),
        "odd": pytest.approx(statistics.fmean(found[1::2]), rel=1e-12),
    }
    assert any("means over 3 epochs" in note for note in printed["notes"])

    rows = run("report", "runs/beta.json", "--worst", "2", "--json")
    assert "all 72 rows of 24 questions, in clusters by question_id" in rows.stderr
    assert json.loads(rows.stdout)["tables"]["All rows"][0]["n"] == 72


def test_components_and_pass_at_k_are_those_of_the_formulas(run: Run) -> None:
    found = json.loads(fine(run("epochs", "runs", "--pass-at", "1,2", "--json")))

    variances = {(row["system"], row["level"]): row["variance"] for row in found["components"]}
    for place, name in enumerate(SYSTEMS):
        scores = [
            [score(text(question, place, epoch), question) for epoch in range(1, EPOCHS + 1)]
            for question in QUESTIONS
        ]
        within = statistics.fmean(statistics.variance(one) for one in scores)
        between = statistics.variance(statistics.fmean(one) for one in scores) - within / EPOCHS
        assert variances[name, "epoch"] == pytest.approx(within, rel=1e-9)
        assert variances[name, "question"] == pytest.approx(max(between, 0), rel=1e-9)
        right = [sum(one == 1 for one in question) for question in scores]
        passed = statistics.fmean(1 - math.comb(EPOCHS - c, 2) / math.comb(EPOCHS, 2) for c in right)
        (row,) = [row for row in found["pass_at_k"] if row["system"] == name]
        assert row["pass_at_2"] == pytest.approx(passed, rel=1e-12)
        assert row["pass_at_1"] == pytest.approx(sum(right) / EPOCHS / len(right), rel=1e-12)
    errors = [row for row in found["standard_errors"] if row["system"] == "beta"]
    assert [(row["epochs"], row["now"]) for row in errors if row["now"] or row["epochs"] is None] == [
        (3.0, True),
        (None, False),
    ]
    text_of_beta = fine(run("epochs", "runs/beta.json", "-c", "doc_id", "--pass-at", "3"))
    assert text_of_beta.startswith("beta\n  ANLS: variance ")
    assert "with 3 (now)" in text_of_beta
    errors = re.findall(r"(\S+) with (?=\d|any)", text_of_beta)
    assert len(errors) == 4
    assert all(re.fullmatch(r"0\.\d{3}", error) for error in errors)
    assert "exact match: pass@3 0." in text_of_beta


def test_the_data_set_is_joined(run: Run, tmp_path: Path) -> None:
    kinds = ["form", "table"]
    (tmp_path / "runs" / "docs.csv").write_text(
        "key,topic\n" + "".join(f"{question},{kinds[question % 2]}\n" for question in QUESTIONS),
        encoding="utf-8",
    )
    docs = ("--gold", "runs/docs.csv,gold_id=key", "-b", "topic", "--json")

    compared = json.loads(fine(run("compare", "runs", *docs)))
    reported = json.loads(fine(run("report", "runs/beta.json", *docs)))

    (scores,) = [
        rows for name, rows in compared["tables"].items() if name == "anls by topic" or "by topic" in name
    ]
    by_topic = {row["topic"]: row["beta"] for row in scores}
    assert by_topic["table"] == pytest.approx(statistics.fmean(means(1)[1::2]), rel=1e-12)
    _, *slices = reported["tables"]["By topic"]
    assert {row["topic"]: row["anls"] for row in slices}["table"] == by_topic["table"]
    refused(run("compare", "runs", "--gold", "runs/docs.csv"), "name it with --gold FILE,gold_id=...")
    unknown = run("report", "runs/beta.json", "--gold", "runs/docs.csv,gold_id=kye")
    refused(unknown, "runs/docs.csv: no column 'kye' among 'key', 'topic'")


def test_what_does_not_fit_together_is_said(run: Run, tmp_path: Path) -> None:
    alpha = [sample(question, 0, epoch) for epoch in (1, 2, 3) for question in QUESTIONS]
    log(tmp_path / "short" / "alpha.json", alpha, "org/alpha")
    log(tmp_path / "short" / "beta.json", [one for one in alpha if (one["id"], one["epoch"]) != (5, 3)], "b")
    refused(
        run("compare", "short"),
        "'beta' has 3 epochs, but not all of them for 1 question: '5'",
        "to leave out questions that some systems lack, and keep questions with fewer epochs, "
        "--unmatched drop",
    )
    uneven = run("compare", "short", "--unmatched", "drop", "--json")
    said = "questions with fewer epochs stay: 'beta' has 3 epochs, but not all of them for 1 question: '5'"
    assert uneven.stderr.startswith(f"anls-frame: {said}")
    assert json.loads(uneven.stdout)["settings"]["n"] == len(QUESTIONS)
    assert (
        "1 question with fewer than 3 epochs, averaged over the existing epochs: '5'"
        in run("report", "short/beta.json").stderr
    )

    (tmp_path / "short" / "broken.json").write_text('{"status": "success", "eval": {', encoding="utf-8")
    log(tmp_path / "short" / "worse.json", [{**alpha[0], "epoch": "x"}], "w")
    refused(run("compare", "short"), "short/broken.json: ", "short/worse.json: ", "invalid JSON")

    (tmp_path / "empty").mkdir()
    refused(run("compare", "empty"), "empty: this folder contains no logs")
    refused(run("compare", "no/*.json"), "no/*.json: no file matches this pattern")
    refused(run("compare", "runs/alpha.json", "runs/alpha.json"), "occurs twice; each file")
    refused(run("compare", "runs/alpha.json"), "name two or more files")
    refused(
        run("compare", "runs", "-m", "rouge"),
        "--metric rouge: neither a score (qa, ocr, speech, fields, anls",
        "'match'",
    )
    refused(run("compare", "runs", "-m", "cer_corpus"), "divides two sums", "choose an epoch")
    refused(run("compare", "runs", "--details"), "--details counts the error types of texts")
    refused(
        run("compare", "runs", "-b", "total_time"), "the rows of a question must have the same 'total_time'"
    )
    refused(run("epochs", "runs", "--epoch", "1"), "one answer to each question")
    refused(run("epochs", "runs", "--pass-at", "4"), "--pass-at 4: there are questions with 3 epochs")
    refused(run("epochs", "runs", "--pass-at", "two"), "--pass-at must be whole numbers")


def test_a_column_that_a_system_lacks_is_named(run: Run, tmp_path: Path) -> None:
    rows = [{**one, "scores": {}} for one in (sample(question, 0, 1) for question in QUESTIONS)]
    log(tmp_path / "runs" / "delta.json", rows, "org/delta")

    refused(run("compare", "runs", "-m", "match"), "'delta' has no scores in 'match'")


def test_figures_of_harnesses_beside_their_samples_are_passed_over(run: Run, tmp_path: Path) -> None:
    figures = tmp_path / "runs" / "results_2026.json"
    figures.write_text('{"results": {"docvqa": {"anls": 0.5}}}', encoding="utf-8")
    before = ranking(fine(run("compare", "runs", "--json")))

    # As the shell expands runs/*.json.
    files = [f"runs/{path.name}" for path in sorted((tmp_path / "runs").glob("*.json"))]
    said = "anls-frame: skipped runs/results_2026.json: it has aggregated results, not rows\n"
    assert ranking(fine(run("compare", *files, "--json"), said)) == before


def test_runs_and_tasks_of_a_harness_are_told_apart(run: Run, tmp_path: Path) -> None:
    def write(name: str, task: str, right: int, time: str = "20261121_1000") -> None:
        rows = [
            {
                "doc_id": n,
                "input": "?",
                "target": "['yes']",
                "filtered_resps": "yes" if n < right else "no",
                "anls": 1.0,
            }
            for n in range(10)
        ]
        path = tmp_path / "harness" / name / f"{time}_samples_{task}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    for name, right in (("a", 9), ("b", 6), ("c", 3)):
        write(name, "docvqa_val", right)
        write(name, "infovqa_val", right - 2)
    scores = {name: row["score"] for name, row in ranking(fine(run("compare", "harness", "--json"))).items()}
    assert scores == pytest.approx({"a": 0.8, "b": 0.5, "c": 0.2}, rel=1e-12)
    named = "The file's harness uses protocol rrc, but these scores use protocol anls."
    assert named in run("compare", "harness").stdout

    write("a", "docvqa_val", 10, "20261122_1000")
    refused(run("compare", "harness"), "2 runs of task 'docvqa_val'", "pass --runs newest", "--runs all")
    newest = ranking(fine(run("compare", "harness", "--runs", "newest", "--json")))
    assert newest["a"]["score"] == pytest.approx((1 + 0.7) / 2, rel=1e-12)
    uneven = run("compare", "harness", "--runs", "all", "--unmatched", "drop", "--json")
    assert ranking(uneven.stdout)["a"]["score"] == pytest.approx((0.95 + 0.7) / 2, rel=1e-12)


def test_hypotheses_of_utterances_count_all_in_rates_that_have_no_mean(tmp_path: Path) -> None:
    """Two beams of each utterance: 1 of 3 and 0 of 3 words are wrong, then 1 of 1 and 1 of 1."""
    beams = [("a", "x y z", ["x y", "x y z"]), ("b", "no", ["so", "go"])]
    rows = [
        json.dumps({"audio": audio, "text": truth, "pred_text": read, "epoch": epoch})
        for audio, truth, texts in beams
        for epoch, read in enumerate(texts, 1)
    ]
    (tmp_path / "beams.json").write_text("\n".join(rows), encoding="utf-8")
    call = ("report", "beams.json", "--id", "audio", "--json")

    done = shell.run(tmp_path, *call, "-m", "speech")
    (table,) = json.loads(done.stdout)["tables"].values()
    assert table[0]["wer_corpus"] == 3 / 8
    assert table[0]["word_deletions"] == 1 / 8
    told = " ".join(done.stderr.split())
    assert "--metric speech needs single answers, so these are all 4 rows of 2 questions" in told
    means = json.loads(shell.run(tmp_path, *call, "-m", "wer_mean").stdout)["tables"]
    assert next(iter(means.values()))[0]["wer_mean"] == pytest.approx((1 / 6 + 1) / 2)
    (tmp_path / "other.json").write_text("\n".join(rows), encoding="utf-8")
    refused(
        shell.run(tmp_path, "compare", "beams.json", "other.json", "--id", "audio", "-m", "speech"),
        "metric 'wer_corpus' divides two sums and has no mean over epochs; choose an epoch, a mean of rows",
    )
