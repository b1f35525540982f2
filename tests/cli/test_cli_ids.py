"""Ids that occur more than once: in several files they are two systems, in one they are not independent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
import shell
from shell import fine, refused

from anls_frame.runs.reported_files import check_disjoint


def report(folder: Path, *arguments: str) -> shell.Done:
    return shell.run(folder, "report", *arguments, "--json")


def save(path: Path, ids: Iterable[object], prediction: str = "a") -> None:
    rows = [{"id": str(one), "doc_id": "d", "prediction": prediction, "answers": ["a"]} for one in ids]
    if path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_two_systems_are_not_pooled(tmp_path: Path, suffix: str) -> None:
    names = [f"{name}.{suffix}" for name in ("old", "else", "third", "new")]
    for name, ids, prediction in zip(
        names, (range(400), range(400, 450), range(500, 550), range(100, 500)), "abca", strict=True
    ):
        save(tmp_path / name, ids, prediction)

    first = ", ".join(f"'{one}'" for one in range(100, 110))
    refused(
        report(tmp_path, names[0], names[3]),
        f"{names[0]} and {names[3]} have ids in common ({first} and 290 more)",
        f"anls-frame compare {names[0]} {names[3]}",
    )
    # The third of three files shares ids with none of the two before it, the fourth with two.
    assert report(tmp_path, *names[:3]).returncode == 0
    assert f"{names[0]} and {names[3]} have ids in common" in report(tmp_path, *names).stderr
    pooled = report(tmp_path, names[0], names[3], "--allow-repeated-ids")
    assert (pooled.returncode, pooled.stderr) == (0, "")
    [rows, *_] = json.loads(pooled.stdout)["tables"].values()
    assert rows[0]["n"] == 800


def test_parts_of_a_run_whose_ids_begin_anew_are_one_report(tmp_path: Path) -> None:
    """OpenCompass splits a data set, and numbers the questions of each part from 0."""
    for part, answers in enumerate((["a", "b"], ["c", "d", "e"])):
        rows = {str(row): {"prediction": "a", "gold": text} for row, text in enumerate(answers)}
        (tmp_path / f"qa_{part}.json").write_text(json.dumps(rows), encoding="utf-8")

    told = "as OpenCompass numbers the parts of a data set, make the ids different or, for a report, pass"
    refused(report(tmp_path, "qa_*.json"), "accepts other answers than qa_0.json for 2 questions", told)
    for named in (["qa_*.json"], ["qa_0.json", "qa_1.json"], ["."]):
        [[overall]] = json.loads(fine(report(tmp_path, *named, "--allow-repeated-ids")))["tables"].values()
        assert (overall["n"], overall["exact_match"]) == (5, 1 / 5)


def test_results_say_that_a_file_repeats_ids(tmp_path: Path) -> None:
    """In several files, too, and where the figures are; the advice, followed, ends the note."""
    told = "Questions have several rows (question_id), but intervals and p-values treat rows as independent"
    for name, ids in {"rows.csv": (1, 1, 2, 3), "others.csv": (4, 5, 6)}.items():
        pl.DataFrame({"id": ids, "prediction": "a", "answers": "a"}).write_csv(tmp_path / name)

    for files in (["rows.csv"], ["others.csv", "rows.csv"]):
        assert told in fine(report(tmp_path, *files))
        fine(shell.run(tmp_path, "report", *files, "-o", "page.html", "--summary", "part.parquet", "--force"))
        assert told in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert told in " ".join(fine(shell.run(tmp_path, "merge", "part.parquet")).split())
        assert told not in fine(report(tmp_path, *files, "--cluster", "question_id"))
    assert told not in fine(report(tmp_path, "others.csv"))


def test_rows_without_ids_are_no_repetition(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("prediction,answer\na,a\n", encoding="utf-8")
    assert report(tmp_path, "a.csv", "b.csv").returncode == 0
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id,prediction,answer\n,a,a\n,b,b\n", encoding="utf-8")
    fine(report(tmp_path, "a.csv", "b.csv"))
    assert report(tmp_path, "a.csv").stderr == ""


@pytest.mark.parametrize("count", range(2, 10))
def test_any_two_of_many_files_are_found(count: int) -> None:
    for first in range(count):
        for second in range(first + 1, count):
            owners = (first, second)
            ids = (["x" if index in owners else f"y{index}", None] for index in range(count))
            files = {str(index): pl.LazyFrame({"question_id": own}) for index, own in enumerate(ids)}
            with pytest.raises(ValueError, match=f"^{first} and {second} have ids in common \\('x'\\)"):
                check_disjoint(files)


def test_long_ids_are_shown_with_the_parts_in_which_they_differ(tmp_path: Path) -> None:
    """Paths of recordings begin alike: cut at the end, ten of them looked the same."""
    recordings = [
        f"/home/somebody/speech/datasets/recordings/{'test/' * 4}utterance_{n:03}.wav" for n in range(4)
    ]
    save(tmp_path / "old.jsonl", recordings[:2])
    save(tmp_path / "new.jsonl", recordings[2:])
    told = shell.run(tmp_path, "compare", "old.jsonl", "new.jsonl").stderr
    assert all(f"utterance_{n:03}.wav'" in told for n in range(4)), told
    assert recordings[0] not in told
