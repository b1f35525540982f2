"""
Write the scores that the codes of benchmarks give for random texts into a file.

The codes are no packages: they are read from clones of their repositories.

    git clone https://github.com/facebookresearch/mmf ...
    python tests/golden/make_accuracies.py CLONES 1500 tests/golden/accuracies-2026-08.json.xz

CLONES is a folder with the clones mmf, pix2struct, lmms-eval, VLMEvalKit and VQA. Without a file, the scores
are compared with those of the package.
"""

# ruff: noqa: RUF001, S102, S603, S607 - letters of other widths; code of the clones, by git

from __future__ import annotations

import ast
import json
import lzma
import random
import re
import statistics
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

PLACES = {
    "mmf": "mmf/utils/m4c_evaluators.py",
    "pix2struct": "pix2struct/metrics.py",
    "lmms-eval": "lmms_eval/tasks/ocrbench/utils.py",
    "VLMEvalKit": "vlmeval/dataset/utils/vqa_eval.py",
    "VQA": "PythonEvaluationTools/vqaEvaluation/vqaEval.py",
}
WORDS = (
    *(
        "the",
        "a",
        "An",
        "none",
        "Ten",
        "three",
        "dont",
        "im",
        "its",
        "it's",
        "couldn'tve",
        "White-House",
        "yes",
    ),
    *("U.S.", "www.x.com", "Straße", "ΟΔΟΣ", "İ", "Σ", "ﬁ", "naïve", "日本", "Ｆｕｌｌ", "e", "inf", "nan"),
)
NUMBERS = (
    "0",
    "0.0",
    "2",
    "2%",
    "10",
    "10.4",
    "10.5",
    "1,000",
    "1,,000",
    "$5.00",
    "-5",
    "1e5",
    "1_000",
    "50%%",
)
MORE_NUMBERS = ("+3", ".5", "5.", "2010.", "٣", "１２.５", "9.99", "1e400", "½", "3,5", "-0", "inf%")
SIGNS = (*';/[]"{}()=+\\_-><@`,?!', ".", "'", "'s", ":", "%", "." * 40)
SPACES = (" ", "  ", "\n", "\t", "\u00a0", "\u3000", "\x1c", "")


def some_text(choose: random.Random) -> str:
    """Return a text of the grammar that the rules take apart."""
    if choose.random() < 0.35:
        number = choose.choice(NUMBERS + MORE_NUMBERS)
        return choose.choice(("", "", "", " ", "\n")) + number + choose.choice(("", "", "", "%", " ", "."))
    parts = [
        choose.choice(choose.choice((WORDS, WORDS, NUMBERS, SIGNS))) + choose.choice(SPACES)
        for _ in range(choose.randrange(5))
    ]
    return "".join(parts)


def changed(text: str, choose: random.Random) -> str:
    """Return a text that some of the rules take for equal, and others do not."""
    change = choose.randrange(8)
    if change == 0:
        return text.upper()
    if change == 1:
        return text + choose.choice(SIGNS)
    if change == 2:
        return choose.choice(("the ", " ", "The total is ")) + text
    if change == 3:
        try:
            return str(float(text) * choose.choice((0.94, 0.95, 1.05, 1.06)))
        except ValueError:
            return text.replace(" ", "")
    return text


def rows(n: int) -> list[tuple[str, list[str]]]:
    """Return predictions with up to twelve answers, many of them equal."""
    choose = random.Random(11)
    made = []
    for _ in range(n):
        base = some_text(choose)
        size = choose.choice((1, 2, 3, 10, 10, 10, 12))
        answers = [changed(base, choose) if choose.random() < 0.6 else some_text(choose) for _ in range(size)]
        made.append((changed(choose.choice((base, *answers)), choose), answers))
    return made


def source(clones: Path, repository: str, path: str, commit: str = "HEAD") -> str:
    """Return a file of a clone."""
    shown = subprocess.run(
        ["git", "-C", clones / repository, "show", f"{commit}:{path}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout


def definitions(text: str, *names: str) -> dict[str, Any]:
    """Run the definitions of these names alone, whose modules import much else."""
    tree = ast.parse(text)
    kept = [node for node in tree.body if getattr(node, "name", None) in names]
    for node in kept:
        node.decorator_list = []
    # What is called of torch, NumPy has too.
    torch = types.SimpleNamespace(zeros=np.zeros, float=np.float32)
    modules = {"re": re, "np": np, "statistics": statistics, "torch": torch}
    space: dict[str, Any] = {**modules, "Optional": None, "BaseProcessor": object}
    exec(
        compile(
            ast.Module([*ast.parse("from __future__ import annotations").body, *kept], []), "code", "exec"
        ),
        space,
    )
    return space


def class_score(clones: Path) -> Any:
    """Return MMF's score of a predicted class, in its configuration of VQA 2.0."""
    tokenize = definitions(source(clones, "mmf", "mmf/utils/text.py"), "word_tokenize")["word_tokenize"]
    path = "mmf/datasets/processors/processors.py"
    space = definitions(source(clones, "mmf", path), "VQAAnswerProcessor")
    processor = space["VQAAnswerProcessor"].__new__(space["VQAAnswerProcessor"])

    def score(prediction: str, answers: list[str]) -> float | None:
        if len(answers) > processor.DEFAULT_NUM_ANSWERS:
            return None
        tokens = processor._increase_to_ten([tokenize(answer) for answer in answers])  # noqa: SLF001 - its own
        # Each text is a class; the first one is for unknown texts.
        numbers = {text: number for number, text in enumerate(dict.fromkeys([prediction, *tokens]), 1)}
        processor.answer_vocab = types.SimpleNamespace(UNK_INDEX=0, num_vocab=len(numbers) + 1)
        scores = processor.compute_answers_scores(np.array([numbers[token] for token in tokens]))
        return float(scores[numbers[prediction]])

    return score


def shares(prediction: str, answers: list[str]) -> list[float]:
    """Return the loop over answers that all codes of VQA have, with answers told apart by their place."""
    return [
        min(1, sum(other == prediction for place, other in enumerate(answers) if place != skipped) / 3)
        for skipped in range(len(answers))
    ]


class Originals:
    """The codes."""

    def __init__(self, clones: Path) -> None:
        mmf = definitions(source(clones, "mmf", PLACES["mmf"]), "EvalAIAnswerProcessor")
        self.evalai = mmf["EvalAIAnswerProcessor"]()
        # The package that its constructor imports counts the same edits.
        scene_text = definitions(source(clones, "mmf", PLACES["mmf"]), "STVQAANLSEvaluator")[
            "STVQAANLSEvaluator"
        ]
        self.scene_text = scene_text.__new__(scene_text)
        self.scene_text.get_edit_distance = Levenshtein.distance
        equal = definitions(source(clones, "mmf", PLACES["mmf"]), "STVQAAccuracyEvaluator")
        self.equal = equal["STVQAAccuracyEvaluator"].__new__(equal["STVQAAccuracyEvaluator"])
        self.equal.answer_processor = self.evalai
        names = ("anls", "levenshtein_distance")
        self.anls = definitions(source(clones, "lmms-eval", "lmms_eval/api/metrics.py"), *names)["anls"]
        self.class_score = class_score(clones)
        relaxed = definitions(source(clones, "pix2struct", PLACES["pix2struct"]), "relaxed_correctness")
        self.relaxed = relaxed["relaxed_correctness"]
        kit = definitions(
            source(clones, "VLMEvalKit", PLACES["VLMEvalKit"]),
            *("_process_digit_article", "process_answer", "relaxed_correctness"),
            *("anls_compute", "levenshtein_distance"),
        )
        misc = definitions(source(clones, "VLMEvalKit", "vlmeval/smp/misc.py"), "process_punctuation")
        kit["process_punctuation"] = misc["process_punctuation"]
        self.kit = kit
        # Python 2: of the class only what needs no print.
        code = source(clones, "VQA", PLACES["VQA"]).expandtabs(4)
        begin, end = code.index("self.contractions"), code.index("def evaluate")
        methods = code[code.index("    def processPunctuation") : code.index("    def setAccuracy")]
        space: dict[str, Any] = {"re": re, "self": types.SimpleNamespace()}
        exec(textwrap.dedent(f"        {code[begin:end]}"), space)
        exec(textwrap.dedent(methods), space)
        self.vqa = space
        places = {"old": "f54dd288~1", "middle": "bbddc790~1", "new": "bbddc790"}
        self.ocrbench = {
            name: definitions(
                source(clones, "lmms-eval", PLACES["lmms-eval"], commit),
                *("ocrbench_process_results", "_fold_fullwidth_ascii"),
            )["ocrbench_process_results"]
            for name, commit in places.items()
        }

    def vqa_scores(self, prediction: str, answers: list[str]) -> dict[str, float]:
        """Return the accuracy by cleaning and mean."""
        cleaned = {
            "evalai": [self.evalai(text) for text in (prediction, *answers)],
            "vlmevalkit": [self.kit["process_answer"](text) for text in (prediction, *answers)],
        }
        trimmed = [text.replace("\n", " ").replace("\t", " ").strip() for text in (prediction, *answers)]
        punctuation, articles, self_ = (
            self.vqa[name] for name in ("processPunctuation", "processDigitArticle", "self")
        )
        official = [articles(self_, punctuation(self_, text)) for text in trimmed]
        cleaned["vqa"] = official if len({*trimmed[1:]}) > 1 else trimmed
        evalai = self.evalai
        cleaned["vqa_always"] = [
            evalai.process_digit_article(evalai.process_punctuation(text)) for text in trimmed
        ]
        found = {}
        for processing, texts in cleaned.items():
            each = shares(texts[0], texts[1:])
            total = 0.0
            for share in each:
                total += share
            found[f"{processing} exact"] = float(statistics.mean(each))
            found[f"{processing} sum"] = total / len(each)
            found[f"{processing} numpy"] = float(np.mean(each))
        return found

    def contained(self, version: str, dataset: str, prediction: str, answers: list[str]) -> float:
        """Return the score of a version of lmms-eval for a data set of OCRBench."""
        doc = {"answer": answers, "dataset": dataset, "question_type": ""}
        return float(self.ocrbench[version](doc, [prediction])["ocrbench_accuracy"]["score"])

    def scores(self, prediction: str, answers: list[str]) -> dict[str, float]:
        """Return all scores of a row."""
        kit = self.kit["relaxed_correctness"]
        return {
            "relaxed": float(any(self.relaxed(answer, prediction) for answer in answers)),
            "relaxed strip": float(any(kit(answer, prediction.strip()) for answer in answers)),
            "contains": self.contained("middle", "IIIT5K", prediction, answers),
            "contains fold": self.contained("new", "IIIT5K", prediction, answers),
            "contains formulas": self.contained("new", "HME100k", prediction, answers),
            "anls": float(self.anls(answers, [prediction])["anls"]),
            "anls scene text": self.scene_text_anls(prediction, answers),
            "equal": self.equal.eval_pred_list([{"pred_answer": prediction, "gt_answers": answers}]),
            "class": self.class_score(prediction, answers),
            "distance": float(np.mean([self.kit["anls_compute"](answer, prediction) for answer in answers])),
            **self.vqa_scores(prediction, answers),
        }

    def scene_text_anls(self, prediction: str, answers: list[str]) -> float | None:
        """Return MMF's ANLS of scene texts; None where it divides by 0."""
        try:
            return float(max(self.scene_text.get_anls(prediction, answer) for answer in answers))
        except ZeroDivisionError:
            return None


def main() -> None:
    """Write the file, or compare."""
    originals = Originals(Path(sys.argv[1]))
    recorded = [
        {"prediction": prediction, "answers": answers, **originals.scores(prediction, answers)}
        for prediction, answers in rows(int(sys.argv[2]))
    ]
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_bytes(lzma.compress(json.dumps(recorded, ensure_ascii=False).encode()))
        return
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from metrics.test_accuracies import differences  # noqa: PLC0415 - needs the package

    print(f"{len(recorded):,} rows; rows that differ: {differences(recorded)}")  # noqa: T201


if __name__ == "__main__":
    main()
