"""Wrapping is taken off answers, and nothing that belongs to them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

NEVER = (
    *("~42", "<42", "U.S.", "3.5", "No. 5", "John F.", "{a: b}", "`a` and `b`", "Is the answer yes?", "-5 %"),
    *(
        "≥ 3",
        "$1,000.00",
        "the answer",
        '"a" or "b"',
        "* 3 * 4 *",
        "{}",
        "[]",
        '{"answer": {"a": 1}}',
        "  x  ",
    ),
)
DAMAGE: dict[str, tuple[Callable[[str], str], float]] = {
    "think": (lambda text: f"<think>is it {text}?\nyes.</think>\n{text}", 1),
    "no opening tag": (lambda text: f"so I add them.</think>{text}", 1),
    "analysis": (lambda text: f"<analysis>a</analysis><analysis>b</analysis> {text}", 1),
    "reasoning": (lambda text: f"<reasoning></reasoning>{text}", 1),
    "answer tag": (lambda text: f"I think <answer>{text}</answer>.", 1),
    "two answer tags": (lambda text: f"<answer>no</answer> rather <ANSWER> {text} </answer>", 1),
    "boxed": (lambda text: rf"It is $\boxed{{{text}}}$", 1),
    "nested braces": (lambda text: rf"\boxed{{{text} {{x}}}}", 1),
    "fence": (lambda text: f"```\n{text}\n```", 1),
    "json fence": (lambda text: f"```json\n{json.dumps({'answer': text})}\n```", 1),
    "json object": (lambda text: json.dumps({"Final Answer": text, "reasoning": "…"}, indent=1), 0.95),
    "json number": (lambda _: '{"result": 12345678901234567890.50}', 0.95),
    "json string": (json.dumps, 0.95),
    "list of one": (lambda text: json.dumps([text]), 0.95),
    "the answer is": (lambda text: f"The answer is {text}", 0.95),
    "final answer": (lambda text: f"First this.\nFinal answer: {text}\n\nBecause.", 0.95),
    "bold marker": (lambda text: f"**Answer:** {text}", 0.95),
    "so": (lambda text: f"I count. So, the answer is: {text}", 0.95),
    "bold": (lambda text: f"**{text}**", 0.95),
    "quotes": (lambda text: f"“{text}”", 0.95),
    "final dot": (lambda text: f"{text}.", 0.95),
}


def unwrapped(texts: list[str | None]) -> pl.DataFrame:
    return (
        pl.DataFrame({"text": texts}, schema={"text": pl.String})
        .select(af.unwrap("text"))
        .unnest("unwrapped")
    )


def clean_answers() -> list[str]:
    answers = af.sample()["answers"].list.first().drop_nulls().unique(maintain_order=True)
    return [text for text in answers if text == text.strip() and "\n" not in text and text]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_undone(kind: str) -> None:
    damage, least = DAMAGE[kind]
    clean = [text for text in clean_answers() if not set("{}`") & set(text)]
    expected = {"json number": "12345678901234567890.50"}.get(kind)
    found = unwrapped([damage(text) for text in clean])
    wanted = [expected or (f"{text} {{x}}" if kind == "nested braces" else text) for text in clean]
    # A clean answer may end in a full stop of its own.
    wanted = unwrapped(wanted)["text"].to_list()
    right = sum(text == answer for text, answer in zip(found["text"], wanted, strict=True))
    assert right >= least * len(clean)
    assert found["steps"].null_count() <= (1 - least) * len(clean)
    assert unwrapped(found["text"].to_list())["text"].equals(found["text"])


def test_answers_without_wrapping_stay_byte_for_byte() -> None:
    found = unwrapped([*NEVER, None, ""])
    assert found["text"].to_list() == [*NEVER, None, ""]
    assert found["steps"].null_count() == found.height
    clean = clean_answers()
    changed = sum(text != after for text, after in zip(clean, unwrapped(clean)["text"], strict=True))
    assert changed < 0.01 * len(clean)


def test_running_text_stays_but_for_its_last_full_stop() -> None:
    choose = random.Random(3)
    words = " ".join(clean_answers()).split()
    lines = [" ".join(choose.choices(words, k=choose.randrange(3, 12))) for _ in range(2_000)]
    found = unwrapped(lines)
    steps = found["steps"].drop_nulls()
    assert set(steps) <= {"final_punctuation"}


def test_reasoning_that_is_cut_off_is_no_answer() -> None:
    found = unwrapped(["<think> The answer is 4."])
    assert found.row(0) == ("<think> The answer is 4.", "unclosed_reasoning")


def test_options_limit_and_add_steps() -> None:
    frame = pl.DataFrame({"p": ["Antwort: **4**"]})
    text = frame.select(af.unwrap("p", markers=["Antwort:"], steps=["marker"])).unnest("unwrapped")
    assert text.row(0) == ("**4**", "marker")
    tagged = pl.DataFrame({"p": ["<plan>x</plan>4"]}).select(af.unwrap("p", reasoning_tags=["<plan>"]))
    assert tagged.unnest("unwrapped").row(0) == ("4", "reasoning")
    for options, message in (
        ({"steps": ["all"]}, "steps must be one of"),
        ({"steps": []}, "steps must name at least one"),
        ({"reasoning_tags": ["plan"]}, "reasoning_tags must be written as '<name>'"),
    ):
        with pytest.raises(ValueError, match=message):
            af.unwrap("p", **options)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="markers must be a list of strings"):
        af.unwrap("p", markers="Antwort:")


def test_pandas_lazy_frames_and_expressions() -> None:
    series = pd.Series(["The answer is 4", None], index=["a", "b"])
    frame = af.unwrap(series)
    assert frame.index.tolist() == ["a", "b"]
    assert frame["text"].tolist()[0] == "4"
    assert pd.isna(frame["text"].tolist()[1])
    lazy = pl.LazyFrame({"p": ["`4`"] * 3}).select(pl.col("p").anls.unwrap().struct.field("text"))  # type: ignore[attr-defined]
    assert lazy.collect(engine="streaming")["text"].to_list() == ["4"] * 3
    with pytest.raises(pl.exceptions.ComputeError, match="one string per row"):
        pl.DataFrame({"p": [["a"]]}).select(af.unwrap("p"))
