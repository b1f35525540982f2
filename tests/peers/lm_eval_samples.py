"""
Samples that the LM evaluation harness logs; written once, with lm-eval 0.4.13, to `tests/readers/lm_eval/`.

Takes a folder, which gets two tasks on the same questions, with three repeats each. The filter of `first` is
the default, which takes the first response; those of `numbers` extract numbers. Run it with
HF_DATASETS_OFFLINE=1 where lm-eval is installed, which is too large for the environment of the other peers.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker

QUESTIONS = [
    {
        "question": "Which brand?",
        "answers": ["Coke", "Coca Cola"],
        "docId": "d1",
        "prediction": "of its own",
    },
    {"question": "Which year?", "answers": ["[1871]"], "docId": "d1", "question_types": ["date"]},
    {"question": "日付は", "answers": ["2026年", 'it\'s "so"'], "docId": "d2"},
]
RESPONSES = {
    "Which brand?": ["Coke", " coke", "Pepsi 3"],
    "Which year?": ["[1871]", "1871 or 72", "1,871"],
    "日付は": ["2026年\n", "", "it's"],
}
NUMBERS = {"function": "regex", "regex_pattern": "([0-9]+)", "fallback": "none"}
FIRST = {"function": "take_first"}


class Scripted(LM):
    """A model that answers each question with its responses in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:  # noqa: ARG002, FBT001, FBT002
        found = []
        for request in requests:
            prompt = request.args[0]
            found.append(RESPONSES[prompt][self.asked[prompt] % 3])
            self.asked[prompt] += 1
        return found

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:  # noqa: FBT001, FBT002
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    data = folder / "questions.jsonl"
    data.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), encoding="utf-8")
    task = {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answers}}",
        "generation_kwargs": {"until": ["\n"], "do_sample": True, "temperature": 1.0},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "repeats": 3,
    }
    filters = [
        {"name": "one", "filter": [NUMBERS, FIRST]},
        {"name": "vote", "filter": [NUMBERS, {"function": "majority_vote"}, FIRST]},
    ]
    tracker = EvaluationTracker(output_path=str(folder))
    results = simple_evaluate(
        model=Scripted(),
        tasks=[{**task, "task": "first"}, {**task, "task": "numbers", "filter_list": filters}],
        log_samples=True,
        evaluation_tracker=tracker,
        bootstrap_iters=0,
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for name, rows in samples.items():
        tracker.save_results_samples(task_name=name, samples=rows)
        [path] = folder.glob(f"*/samples_{name}_*.jsonl")
        path.rename(folder / f"samples_{name}.jsonl")
