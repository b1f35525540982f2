"""
Logs that Inspect writes, for the tests; run by the interpreter of the environment that holds inspect-ai.

Takes a folder, and writes a run of several samples, epochs and scorers into it: `log.eval` and `log.json`.
Writes to standard output what Inspect's own reader has of each, sample by sample, as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - its name there
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, f1, match, mean, scorer, value_to_float
from inspect_ai.solver import generate, solver

LONG = "Which of these companies issued the document? " * 20
SAMPLES = [
    Sample(id=7, input="Brand?", target=["Coke", "Coca Cola"], metadata={"docId": "d1", "lang": "en"}),
    Sample(id=10, input=LONG, target="[1, 2]", metadata={"docId": "d1", "prediction": "of its own"}),
    Sample(
        id="b",
        input=[ChatMessageSystem(content="Answer."), ChatMessageUser(content="日付は")],
        target=["2026年", "令和8年"],
        metadata={"pages": [1, 2], "answers": 3, "epoch": "Edo"},
    ),
    Sample(id="broken", input="Fail!", target="never"),
]
ANSWERS = {"Brand?": "coke ", LONG: "[1, 2]", "日付は": "2026年" * 60}


@scorer(metrics={"anls": [mean()], "verdict": [mean()]})
def texts() -> Any:
    async def score(state: Any, _target: Any) -> Score:
        answer = state.output.completion.strip()
        return Score(
            value={"anls": len(answer) / 1000, "verdict": "P"},
            answer=answer,
            explanation=f"of epoch {state.epoch}",
            metadata={"edits": state.epoch, "lang": "a score's"},
        )

    return score


@scorer(metrics=[mean()])
def prediction() -> Any:
    async def score(state: Any, _target: Any) -> Score:
        return Score(value=state.epoch == 1, answer="not the output")

    return score


@scorer(metrics=[mean()])
def graded() -> Any:
    async def score(state: Any, _target: Any) -> Score:
        return Score(value="N") if state.sample_id == 7 else Score(value="C", answer="so it is")

    return score


@scorer(metrics=[mean()])
def sometimes() -> Any:
    async def score(state: Any, _target: Any) -> Score:
        return Score.unscored(reason="refusal") if state.sample_id == "b" else Score(value=0.1 + 0.2)

    return score


@solver
def fail_sometimes() -> Any:
    async def solve(state: Any, _generate: Any) -> Any:
        if state.sample_id == "broken":
            raise ValueError("this sample fails")
        return state

    return solve


def answer(messages: Any, *_others: Any) -> ModelOutput:
    """Answer as the last message asks for; with the usage given, no tokenizer is fetched."""
    output = ModelOutput.from_content("mockllm/model", ANSWERS[messages[-1].text])
    output.usage = ModelUsage(input_tokens=5, output_tokens=len(ANSWERS[messages[-1].text]), total_tokens=9)
    return output


def as_json(sample: Any) -> dict[str, Any]:
    """What Inspect's reader has of a sample."""
    number = value_to_float()
    return {
        "id": str(sample.id),
        "epoch": sample.epoch,
        "input": sample.input if isinstance(sample.input, str) else sample.input[-1].text,
        "target": [sample.target] if isinstance(sample.target, str) else sample.target,
        "completion": sample.output.completion,
        "metadata": sample.metadata,
        "tokens": {name: usage.output_tokens for name, usage in sample.model_usage.items()},
        "time": sample.total_time,
        "error": None if sample.error is None else sample.error.message,
        "scores": {
            name: {
                "values": {
                    entry: None if value != value else number(value)  # noqa: PLR0124 - not a number
                    for entry, value in (
                        score.value if isinstance(score.value, dict) else {"": score.value}
                    ).items()
                },
                "answer": score.answer,
                "explanation": score.explanation,
                "metadata": score.metadata or {},
            }
            for name, score in (sample.scores or {}).items()
        },
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    found = {}
    for kind in ("eval", "json"):
        task = Task(
            name="docvqa",
            dataset=SAMPLES,
            solver=[fail_sometimes(), generate()],
            scorer=[match(), f1(), texts(), prediction(), graded(), sometimes()],
        )
        model = get_model("mockllm/model", custom_outputs=answer)
        options = {
            "log_format": kind,
            "log_dir": str(folder / kind),
            "display": "none",
            "log_realtime": False,
        }
        [log] = eval(task, model=model, epochs=3, fail_on_error=False, **options)
        path = Path(log.location).rename(folder / f"log.{kind}")
        found[kind] = [as_json(sample) for sample in read_eval_log(str(path)).samples]
    json.dump(found, sys.stdout)
