"""
Textbook definitions in plain Python, to hold the compiled scores against.

Beside the Rust kernel this is the one place where a formula stands. Nothing here calls the package: a
protocol is read as a set of options, and text is prepared by Python's own string methods.
"""

from __future__ import annotations

import functools
import io
import re
import statistics
import unicodedata
from collections.abc import Sequence
from typing import TypedDict

import uniseg.wordbreak
from uniseg.graphemecluster import grapheme_clusters

import anls_frame as af

Answers = Sequence[str | None] | str | None


class Scores(TypedDict):
    """The fields of `score`."""

    nls: float
    anls: float
    cer: float
    exact_match: bool
    char_errors: int
    reference_length: int
    answer_index: int


@functools.cache
def edit_distance(left: Sequence[str], right: Sequence[str], substitution_cost: int = 1) -> int:
    """Wagner and Fischer's table, row by row."""
    row = list(range(len(right) + 1))
    for from_left in left:
        diagonal, *above_each = row
        cell = diagonal + 1
        row = [cell]
        for from_right, above in zip(right, above_each, strict=True):
            # The least of three, without `min`, which takes twice as long.
            cell = (cell if cell < above else above) + 1  # noqa: FURB136
            substituted = diagonal if from_left == from_right else diagonal + substitution_cost
            if substituted < cell:  # noqa: PLR1730
                cell = substituted
            row.append(cell)
            diagonal = above
    return row[-1]


def hamming(left: Sequence[str], right: Sequence[str]) -> int | None:
    if len(left) != len(right):
        return None
    return sum(a != b for a, b in zip(left, right, strict=True))


def prepare(text: str, protocol: af.ScoreProtocol) -> str | tuple[str, ...]:
    """Return the prepared text, or its units if these are not code points."""
    text = prepare_text(text, protocol)
    if protocol.unit == "grapheme":
        return clusters(text)
    return tuple(words(text, protocol.words)) if protocol.unit == "word" else text


@functools.lru_cache(maxsize=1 << 16)
def clusters(text: str) -> tuple[str, ...]:
    """Return the grapheme clusters, which uniseg looks up character by character."""
    return tuple(grapheme_clusters(text))


def prepare_text(text: str, protocol: af.ScoreProtocol) -> str:
    if protocol.unicode_form is not None:
        text = unicodedata.normalize(protocol.unicode_form, text)
    for old, new in dict(protocol.equivalences).items():
        text = text.replace(old, new)
    if protocol.unicode_form is not None:
        text = unicodedata.normalize(protocol.unicode_form, text)
    if protocol.ignore_case:
        text = text.lower()
    if protocol.ignore_punctuation:
        text = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
        if protocol.unicode_form is not None:
            text = unicodedata.normalize(protocol.unicode_form, text)
    if protocol.whitespace == "strip":
        text = text.strip()
    elif protocol.whitespace == "squeeze":
        text = " ".join(text.split())
    elif protocol.whitespace == "lines":
        text = "\n".join(line.strip() for line in io.StringIO(text, newline=None))
    return text


def words(text: str, rule: str) -> list[str]:
    if rule == "spaces":
        return re.sub(r"\s\s+", " ", text).strip().split(" ") if text.strip() else []
    if rule == "whitespace":
        return text.split()
    alone = re.compile("[MPSZ]|C[cf]")
    found = (word for word in uniseg.wordbreak.words(text))
    return [word for word in found if not all(alone.match(unicodedata.category(c)) for c in word)]


def counted_length(raw: str, protocol: af.ScoreProtocol) -> int:
    if protocol.length == "raw_upper":
        return len(raw.upper())
    prepared = prepare(raw, protocol)
    is_upper = isinstance(prepared, str) and protocol.length == "prepared_upper"
    return len(prepared.upper() if is_upper else prepared)


@functools.lru_cache(maxsize=1 << 16)
def normalized_distance(
    prediction: str, answer: str, protocol: af.ScoreProtocol, substitution_cost: int = 1
) -> float:
    length = max(counted_length(prediction, protocol), counted_length(answer, protocol))
    prepared = prepare(prediction, protocol), prepare(answer, protocol)
    return edit_distance(*prepared, substitution_cost) / length if length else 0.0


def given(prediction: str | None, answers: Answers) -> list[tuple[int, str, str]]:
    """Index, prediction and answer of each pair that there is to score."""
    entries = [answers] if answers is None or isinstance(answers, str) else answers
    return [(i, prediction, a) for i, a in enumerate(entries) if prediction is not None and a is not None]


def nls(
    prediction: str | None, answers: Answers, protocol: af.ScoreProtocol, substitution_cost: int = 1
) -> float | None:
    pairs = given(prediction, answers)
    return max(
        (1 - normalized_distance(p, a, protocol, substitution_cost) for _, p, a in pairs), default=None
    )


def anls(
    prediction: str | None, answers: Answers, protocol: af.ScoreProtocol, threshold: float | None = None
) -> float | None:
    limit = protocol.threshold if threshold is None else threshold
    assert limit is not None, "the protocol has no threshold"
    distances = [normalized_distance(p, a, protocol) for _, p, a in given(prediction, answers)]
    if protocol.cut == "distance":
        return max((1 - distance if distance < limit else 0.0 for distance in distances), default=None)
    return max((1 - distance if 1 - distance >= limit else 0.0 for distance in distances), default=None)


def nearest_index(prediction: str | None, answers: Answers, protocol: af.ScoreProtocol) -> int | None:
    similarities = [(1 - normalized_distance(p, a, protocol), i) for i, p, a in given(prediction, answers)]
    return max(similarities, key=lambda pair: (pair[0], -pair[1]), default=(0.0, None))[1]


def nearest_answer(prediction: str | None, answers: Answers, protocol: af.ScoreProtocol) -> str | None:
    index = nearest_index(prediction, answers, protocol)
    if index is None or answers is None or isinstance(answers, str):
        return answers if isinstance(answers, str) and prediction is not None else None
    return answers[index]


def char_errors(
    prediction: str | None, answers: Answers, protocol: af.ScoreProtocol
) -> tuple[float, int, int] | None:
    """Rate, edits and reference length of the answer with the lowest rate, first of equals."""
    best: tuple[float, int, int] | None = None
    for _, p, a in given(prediction, answers):
        reference = prepare(a, protocol)
        errors = edit_distance(prepare(p, protocol), reference)
        rate = errors / len(reference) if reference else float(errors)
        if best is None or rate < best[0]:
            best = rate, errors, len(reference)
    return best


def cer(prediction: str | None, answers: Answers, protocol: af.ScoreProtocol) -> float | None:
    best = char_errors(prediction, answers, protocol)
    return None if best is None else best[0]


def exact_match(prediction: str | None, answers: Answers, protocol: af.ScoreProtocol) -> bool | None:
    pairs = given(prediction, answers)
    return any(prepare(p, protocol) == prepare(a, protocol) for _, p, a in pairs) if pairs else None


def score(
    prediction: str | None,
    answers: Answers,
    protocol: af.ScoreProtocol,
    threshold: float,
    for_errors: af.ScoreProtocol,
) -> Scores | None:
    similarity, thresholded = (
        nls(prediction, answers, protocol),
        anls(prediction, answers, protocol, threshold),
    )
    exact, index = exact_match(prediction, answers, protocol), nearest_index(prediction, answers, protocol)
    edits = char_errors(prediction, answers, for_errors)
    if similarity is None or thresholded is None or exact is None or index is None or edits is None:
        return None
    rate, errors, reference_length = edits
    return Scores(
        nls=similarity,
        anls=thresholded,
        cer=rate,
        exact_match=exact,
        char_errors=errors,
        reference_length=reference_length,
        answer_index=index,
    )


def relaxed_accuracy(prediction: str | None, answers: Answers) -> float | None:
    """Relaxed accuracy of plain numbers and words."""
    pairs = given(prediction, answers)
    return float(any(_agree(text, answer) for _, text, answer in pairs)) if pairs else None


def _agree(prediction: str, answer: str) -> bool:
    try:
        return abs(float(prediction) - float(answer)) <= 0.05 * abs(float(answer)) and float(answer) != 0
    except ValueError:
        return prediction.lower() == answer.lower()


def _without_articles(text: str) -> list[str]:
    return [word for word in text.lower().split() if word not in {"a", "an", "the"}]


def contains_answer(prediction: str | None, answers: Answers) -> float | None:
    """Whether an answer stands in the prediction, case ignored."""
    pairs = given(prediction, answers)
    return (
        float(any(answer.lower().strip() in text.lower().strip() for _, text, answer in pairs))
        if pairs
        else None
    )


def vqa_accuracy(prediction: str | None, answers: Answers) -> float | None:
    """VQA accuracy of texts without punctuation, numbers and contractions."""
    pairs = given(prediction, answers)
    if not pairs:
        return None
    equal = [_without_articles(text) == _without_articles(answer) for _, text, answer in pairs]
    return statistics.mean(min(1.0, (sum(equal) - is_equal) / 3) for is_equal in equal)
