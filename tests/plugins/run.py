"""
The plug-ins of examples/plugins, each in the program that it is for; `.ci/heavy plugins` runs it.

Needs inspect-ai, lm-eval, torchmetrics, jiwer and pytest, which are too large for the other environments.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PLUGINS = Path(__file__).parents[2] / "examples/plugins"
ANSWERS = [["Coca Cola", "Coca Cola Company"], ["Invoice 42"], ["Straße"]]
PREDICTIONS = ["CocaCola", "lnvoice 42", "no"]
SCORES = [1 - 1 / 9, 1 - 1 / 10, 0.0]  # by hand: a space is missing, one letter is another, all of them are
EDITS, CHARACTERS = 1 + 1 + 6, 9 + 10 + 6


def of_inspect(folder: Path) -> None:
    """Score three samples, of two documents, by scripted answers."""
    from inspect_ai import Task, eval  # noqa: A004 - its name there
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_anls import anls
    from inspect_cer import cer

    scripted = [ModelOutput.from_content("mockllm", text) for text in PREDICTIONS]
    for output in scripted:
        output.usage = ModelUsage()  # otherwise it is counted by a table from the network
    documents = ["a", "a", "b"]
    for scorer, targets, expected in (
        (anls(), ANSWERS, {"mean": sum(SCORES) / 3}),
        (cer(), [answers[0] for answers in ANSWERS], {"cer_corpus": EDITS / CHARACTERS}),
    ):
        samples = [
            Sample(id=number, input="?", target=target, metadata={"docId": document})
            for number, (target, document) in enumerate(zip(targets, documents, strict=True))
        ]
        model = get_model("mockllm/model", custom_outputs=scripted)
        logs = eval(Task(samples, scorer=scorer), model, log_dir=str(folder), display="none", max_samples=1)
        assert logs[0].status == "success", str(logs[0].error)[:500]
        found = {name: one for score in logs[0].results.scores for name, one in score.metrics.items()}
        for name, value in expected.items():
            assert abs(found[name].value - value) < 1e-15, (name, found[name].value, value)


def of_lm_eval(folder: Path) -> None:
    """Run a task whose YAML file names the functions."""
    from lm_eval.api.model import LM
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.tasks import TaskManager

    class Scripted(LM):
        def generate_until(self, requests, disable_tqdm=False):  # noqa: ANN001, ANN202, ARG002, FBT002
            return [PREDICTIONS[int(request.args[0])] for request in requests]

        def loglikelihood(self, requests, disable_tqdm=False):  # noqa: ANN001, ANN202, FBT002
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    (folder / "lm_eval_anls.py").write_bytes((PLUGINS / "lm_eval_anls.py").read_bytes())
    rows = [{"question": str(number), "answers": answers} for number, answers in enumerate(ANSWERS)]
    (folder / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "documents.yaml").write_text(
        "task: documents\n"
        "dataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {folder / 'rows.json'}}}}}\n"
        "test_split: test\n"
        "output_type: generate_until\n"
        'doc_to_text: "{{question}}"\n'
        "doc_to_target: answers\n"
        "process_results: !function lm_eval_anls.process_results\n"
        "metric_list:\n"
        "  - metric: anls\n"
        "    aggregation: mean\n"
        "    higher_is_better: true\n"
    )
    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate(Scripted(), tasks=["documents"], task_manager=tasks, bootstrap_iters=0)
    values = {key: value for key, value in found["results"]["documents"].items() if key.startswith("anls,")}
    assert values["anls,none"] == sum(SCORES) / 3, values


def of_torchmetrics(_folder: Path) -> None:
    """Score two batches, in a collection, by two protocols."""
    from torchmetrics import MetricCollection
    from torchmetrics_anls import ANLS

    metric = MetricCollection({"anls": ANLS()})
    for batch in (slice(0, 2), slice(2, 3)):
        metric.update(PREDICTIONS[batch], ANSWERS[batch])
    assert metric.compute()["anls"].item() == sum(SCORES) / 3
    metric.reset()
    assert metric(PREDICTIONS[:1], ANSWERS[:1])["anls"].item() == SCORES[0]
    for protocol, at_threshold in (("anls", 0.0), ("rrc", 0.5)):
        assert ANLS(protocol)(["ab"], [["abcd"]]).item() == at_threshold


def of_jiwer(_folder: Path) -> None:
    """Compare with jiwer itself, on corpora and on pairs."""
    import jiwer
    import jiwer_rates

    generator = random.Random(1)
    words = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs"]
    for _ in range(300):
        references, hypotheses = (
            [" ".join(generator.choices(words, k=generator.randint(1, 9))) for _ in range(5)]
            for _ in range(2)
        )
        for name in ("wer", "mer", "wil", "cer"):
            ours, theirs = getattr(jiwer_rates, name), getattr(jiwer, name)
            assert ours(references, hypotheses) == theirs(references, hypotheses)
            assert ours(references[0], hypotheses[0]) == theirs(references[0], hypotheses[0])


def of_pytest(folder: Path) -> None:
    """Run tests that use the fixture: one must pass, two must fail with what was decided."""
    (folder / "test_gate.py").write_text(
        "import polars as pl\n"
        "same = pl.DataFrame({'old': ['a'] * 400, 'new': ['a'] * 400, 'answer': ['a'] * 400})\n"
        "worse = same.with_columns(new=pl.Series(['a', 'a', 'a', 'b'] * 100))\n"
        "def test_same(must_not_regress):\n"
        "    assert must_not_regress(same, ['old', 'new'], 'answer', within=0.1).answer == 'fine'\n"
        "def test_worse(must_not_regress):\n"
        "    must_not_regress(worse, ['old', 'new'], 'answer', within=0.1)\n"
        "def test_few(must_not_regress):\n"
        "    must_not_regress(worse.head(8), ['old', 'new'], 'answer', within=0.1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "pytest_anls", "-p", "no:cacheprovider", "test_gate.py"],
        cwd=folder,
        env={"PYTHONPATH": f"{PLUGINS}:{':'.join(sys.path)}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "allow a larger margin or add documents" in done.stdout


if __name__ == "__main__":
    sys.path.insert(0, str(PLUGINS))
    hosts = {"inspect": of_inspect, "lm_eval": of_lm_eval, "torchmetrics": of_torchmetrics}
    hosts |= {"jiwer": of_jiwer, "pytest": of_pytest}
    for name in sys.argv[1:] or hosts:
        with tempfile.TemporaryDirectory() as folder:
            hosts[name](Path(folder))
        print(f"{name}: the plug-in works")
