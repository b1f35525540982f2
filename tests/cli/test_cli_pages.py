"""Pages of OCR in the shell: folders for engines, `--gold` for the ground truth."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from shell import run as call

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shell import Done

TRUTH = {"a/1": "Coca Cola", "a/2": "Pepsi\nWater", "b/3": "Tea"}
ENGINES = {
    "old": {"a/1": "CocaCola", "a/2": "Pepsi\nWater", "b/3": "Tae"},
    "new": {"a/1": "Coca Cola", "a/2": "Pepsi\n\nVVater", "b/3": "Tea"},
}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Done]:
    for folder, pages in {"truth": TRUTH, **ENGINES}.items():
        for page, text in pages.items():
            path = tmp_path / folder / f"{page}{'.gt' if folder == 'truth' else ''}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n", encoding="utf-8")
    return partial(call, tmp_path)


def result(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lines(done: Done) -> list[dict[str, Any]]:
    """Return the rows of the first table."""
    first: list[dict[str, Any]] = next(iter(result(done)["tables"].values()))
    return first


def test_a_report_of_pages_is_that_of_the_frame(run: Callable[..., Done], tmp_path: Path) -> None:
    pages = af.read_pages(tmp_path / "truth", {"old": tmp_path / "old"})
    expected = af.report(pages, "old", "reference", metrics=["cer_corpus", "cer_mean"])

    (found,) = lines(run("report", "old", "--gold", "truth", "--json"))
    by_folder = lines(run("report", "old/*/*.txt", "--gold", "truth", "-b", "doc_id", "-m", "cer", "--json"))

    names = ("n", "cer_corpus", "cer_mean", "cer_corpus_low", "cer_corpus_high")
    assert [found[name] for name in names] == [expected.overall[name] for name in names]
    assert found["cer_corpus"] == 3 / 23
    assert [(row["doc_id"], row["cer_mean"]) for row in by_folder[1:]] == [("a", 1 / 18), ("b", 2 / 3)]


def test_the_worst_pages_are_named(run: Callable[..., Done]) -> None:
    done = run("report", "old", "--gold", "truth", "--worst", 1)

    assert "b/3" in done.stdout
    assert "a/1" not in done.stdout


def test_a_report_counts_substitutions_in_pages_that_were_read(run: Callable[..., Done]) -> None:
    found = result(
        run(
            "report",
            "new",
            "--gold",
            "truth",
            "--details",
            "--min-nls",
            0.6,
            "--max-length",
            2,
            "--empty-lines",
            "drop",
            "--json",
        )
    )

    table = found["tables"]["Substitutions in rows of NLS 0.6 or more"]
    assert [(row["reference_char"], row["predicted_char"], row["count"]) for row in table] == [("W", "VV", 1)]


def test_engines_are_compared_by_corpus_cer(run: Callable[..., Done]) -> None:
    (found,) = lines(run("compare", "old", "new", "--gold", "truth", "--json"))
    (spaced,) = lines(run("compare", "old", "new", "--gold", "truth", "--empty-lines", "drop", "--json"))

    assert (found["old"], found["new"], spaced["new"]) == (3 / 23, 3 / 23, 2 / 23)
    assert found["p_value"] == 1


def test_other_commands_take_pages_too(run: Callable[..., Done]) -> None:
    changed = result(run("changes", "old", "new", "--gold", "truth", "-m", "cer", "--json"))
    confused = result(
        run("confusions", "new", "--gold", "truth", "--max-length", 2, "--empty-lines", "drop", "--json")
    )

    assert [row["question_id"] for row in changed] == ["a/2"]
    assert ("W", "VV") in [(row["reference_char"], row["predicted_char"]) for row in confused]
    assert run("convert", "old", "pages.csv", "--gold", "truth").returncode == 0


def test_pages_that_do_not_pair_up_are_an_error_until_they_may(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "old/b/3.txt").rename(tmp_path / "old/b/4.txt")

    failed = run("report", "old", "--gold", "truth")
    allowed = run("report", "old", "--gold", "truth", "--allow-missing", "--json")

    assert failed.returncode == 2
    assert "'old/' lacks 1 page: 'b/3'" in failed.stderr
    assert "'old/' has 1 page without ground truth: 'b/4'" in failed.stderr
    assert "pass --allow-missing" in failed.stderr
    assert lines(allowed)[0]["n_missing"] == 1
    assert "'old/' lacks 1 page: 'b/3'" in allowed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["report", "old"],
            "old: this folder contains no logs; for pages of OCR, name the ground truth with --gold",
        ),
        (["report", "old", "--reader", "pages"], "name the file of gold labels with --gold"),
        (["report", "old", "--gold", "truth", "--min-nls", 1], "--min-nls needs --details"),
        (["report", "old", "--gold", "nowhere"], "nowhere: there is no such file"),
        (
            ["report", "old", "--gold", "truth", "--empty-lines", "x"],
            "--empty-lines must be one of 'keep', 'drop'",
        ),
        (
            ["report", "old", "--gold", "truth", "--question-id", "x"],
            "--question-id does not apply to 'pages' files",
        ),
    ],
)
def test_wrong_use_is_explained(run: Callable[..., Done], arguments: list[str], message: str) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert message in done.stderr
