"""
The speed goals of benchmarks' scorers: `POLARS_MAX_THREADS=1 python benchmarks/scorer_goals.py CLONES`.

Prints a table of CPU times a row, of this package and of the original codes, which must give the same scores:
medians of rounds in turn. CLONES is the folder of their repositories that `tests/golden/make_accuracies.py`
describes. Without one, only this package is measured.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
from inputs import WORDS
from timing import interleaved

import anls_frame as af

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "golden"))
from collections.abc import Callable

import make_accuracies

Rows = list[tuple[str, list[str]]]

HEADER = "| work | ns per row | original code, ns per row | ratio | goal | |\n|---|---:|---:|---:|---:|---|"
GOAL = 50
DISTINCT = 5_000
"""Rows that the original codes score; the package gets them 50 times."""


def sentences() -> Rows:
    """Return English sentences of 72 characters on average, each with an answer of one to three words."""
    choose, words = random.Random(1), WORDS["English"].split()
    made = []
    for _ in range(DISTINCT):
        said = choose.choices(words, k=choose.randint(8, 24))
        start = choose.randrange(len(said) - 2)
        part = said[start : start + choose.randint(1, 3)]
        answer = part if choose.random() < 0.6 else choose.choices(words, k=2)
        made.append((" ".join(said).capitalize() + ".", [" ".join(answer).title()]))
    return made


def charts() -> Rows:
    """Return what is read in charts, half numbers and half words, with one answer each."""
    choose, words = random.Random(2), WORDS["English"].split()
    made = []
    for _ in range(DISTINCT):
        number = choose.random() * 100
        if choose.random() < 0.5:
            answer = choose.choice((str(int(number)), f"{number:.2f}", f"{number:.1f}%"))
            prediction = answer if choose.random() < 0.5 else f"{choose.random() * 100:.2f}"
        else:
            answer = " ".join(choose.choices(words, k=choose.randint(1, 3))).title()
            prediction = answer if choose.random() < 0.6 else " ".join(choose.choices(words, k=2))
        made.append((prediction, [answer]))
    return made


def mixed() -> Rows:
    """
    Return the random rows on which the scores are compared with the original codes.

    A third of the texts are beyond ASCII, and a row has up to twelve answers: no benchmark has such rows.
    """
    made: Rows = make_accuracies.rows(DISTINCT)
    return made


def line(
    work: str, rows: Rows, expression: pl.Expr, original: Callable[[str, list[str]], float] | None
) -> str:
    """Measure an expression on a quarter of a million rows, and the original code on the distinct ones."""
    texts = pl.DataFrame({"prediction": [text for text, _ in rows], "answers": [each for _, each in rows]})
    frame = pl.concat([texts] * 50).rechunk()
    contenders: dict[str, Callable[[], object]] = {"own": lambda: frame.select(expression)}
    if original is not None:
        scores = [original(prediction, answers) for prediction, answers in rows]
        if texts.select(expression).to_series().to_list() != scores:
            raise AssertionError(f"{work}: other scores than those of the original code")
        contenders["original"] = lambda: [original(*row) for row in rows]
    timings = interleaved(contenders, rounds=51, budget=10, clock=time.process_time)
    own = timings["own"].median / frame.height
    if original is None:
        return f"| {work} | {own * 1e9:.0f} | not run | | | |"
    others = timings["original"].median / len(rows)
    met = "met" if others / own >= GOAL else "**missed**"
    return f"| {work} | {own * 1e9:.0f} | {others * 1e9:.0f} | {others / own:.3g} | {GOAL} | {met} |"


def lines(clones: Path | None) -> list[str]:
    """Measure all goals."""
    codes: Any = clones and make_accuracies.Originals(clones)

    def relaxed(prediction: str, answers: list[str]) -> float:
        return float(any(codes.relaxed(answer, prediction) for answer in answers))

    def contained(prediction: str, answers: list[str]) -> float:
        return float(codes.contained("middle", "IIIT5K", prediction, answers))

    def folded(prediction: str, answers: list[str]) -> float:
        return float(codes.contained("new", "IIIT5K", prediction, answers))

    def of_people(prediction: str, answers: list[str]) -> float:
        cleaned = [codes.evalai(text) for text in (prediction, *answers)]
        return float(make_accuracies.statistics.mean(make_accuracies.shares(cleaned[0], cleaned[1:])))

    def original(code: Callable[[str, list[str]], float]) -> Callable[[str, list[str]], float] | None:
        return code if codes else None

    pair = ("prediction", "answers")
    people = [(text, [*answers, *answers, *answers][:10]) for text, answers in mixed() if len(answers) > 3]
    made = []
    for what, rows in (("sentences", sentences()), ("values of charts", charts()), ("mixed texts", mixed())):
        made += [
            line(f"`relaxed_accuracy`, {what}", rows, af.relaxed_accuracy(*pair), original(relaxed)),
            line(f"`contains_answer`, {what}", rows, af.contains_answer(*pair), original(contained)),
            line(
                f"`contains_answer(fold_width=True)`, {what}",
                rows,
                af.contains_answer(*pair, fold_width=True),
                original(folded),
            ),
            # An empty answer stands in every prediction: only the checks of texts and the query are left.
            line(
                f"`contains_answer`, {what}, nothing to search",
                [(prediction, ["", *answers[1:]]) for prediction, answers in rows],
                af.contains_answer(*pair),
                None,
            ),
        ]
    made += [
        line("`vqa_accuracy`, mixed texts, ten answers", people, af.vqa_accuracy(*pair), original(of_people)),
        line("`unwrap`, sentences", sentences(), af.unwrap("prediction"), None),
        line('`unwrap`, sentences after "The answer is"', wrapped(), af.unwrap("prediction"), None),
    ]
    return made


def wrapped() -> Rows:
    """Return the sentences as the answers of a model that has thought."""
    return [(f"<think>Well.</think>The answer is **{text}**", answers) for text, answers in sentences()]


if __name__ == "__main__":
    found = lines(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    sys.stdout.write("\n".join([HEADER, *found]) + "\n")
