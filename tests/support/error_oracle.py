"""Error types by definition: slow, in plain Python, from `unicodedata` and exact fractions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction

import oracle

import anls_frame as af

CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)


def without(text: str, unwanted: Callable[[str], object]) -> str:
    return "".join(letter for letter in text if not unwanted(letter))


def is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter).startswith("P")


def without_whitespace(text: str) -> str:
    return "".join(text.lower().split())


def without_punctuation(text: str) -> str:
    return without(without_whitespace(text), is_punctuation)


def without_diacritics(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.lower())
    return without(without_punctuation_of_lower(decomposed), unicodedata.combining)


def without_punctuation_of_lower(text: str) -> str:
    return without("".join(text.split()), is_punctuation)


def numbers(text: str) -> set[Fraction]:
    """Every number that a text can be read as."""
    text = unicodedata.normalize("NFKC", text)
    text = without(
        "".join(text.split()), lambda letter: letter == "%" or unicodedata.category(letter) == "Sc"
    )
    found = set()
    for point, comma in ((r"\.", ","), (",", r"\.")):
        pattern = rf"([-+\u2212]?)((?:[0-9]{{1,3}}(?:{comma}[0-9]{{3}})+)|[0-9]*)(?:{point}([0-9]+))?"
        match = re.fullmatch(pattern, text)
        if match and (match[2] or match[3]):
            digits = re.sub("[.,]", "", match[2]) or "0"
            value = Fraction(f"{digits}.{match[3] or 0}")
            found.add(-value if match[1] and match[1] != "+" else value)
    return found


def is_word(letter: str) -> bool:
    if letter.isascii():
        return letter.isalnum()
    return not letter.isspace() and unicodedata.category(letter)[0] not in "PS"


def is_border(text: str, position: int) -> bool:
    if position in (0, len(text)):
        return True
    beside = text[position - 1], text[position]
    return not all(map(is_word, beside)) or any(map(CJK.match, beside))


def contains(text: str, part: str) -> bool:
    text, part = (" ".join(one.lower().split()) for one in (text, part))
    if len(part) < 2 or part == text:
        return False
    return any(
        text.startswith(part, start) and is_border(text, start) and is_border(text, start + len(part))
        for start in range(len(text) - len(part) + 1)
    )


def error_type(
    prediction: str | None,
    answers: oracle.Answers,
    protocol: af.ScoreProtocol,
    threshold: float | None = None,
) -> str | None:
    given = [answer for _, _, answer in oracle.given("", answers)]
    if not given:
        return None
    if prediction is None:
        return "missing"
    if prediction in given:
        return "exact"
    if not prediction.strip():
        return "whitespace" if any(not answer.strip() for answer in given) else "empty"
    texts = [answer for answer in given if answer.strip()]
    rules: list[tuple[str, Callable[[str, str], object]]] = [
        ("case", lambda p, a: p.lower() == a.lower()),
        ("whitespace", lambda p, a: without_whitespace(p) == without_whitespace(a)),
        ("punctuation", lambda p, a: without_punctuation(p) == without_punctuation(a)),
        ("diacritics", lambda p, a: without_diacritics(p) == without_diacritics(a)),
        ("number_format", lambda p, a: numbers(p) & numbers(a)),
        ("extra_text", contains),
        ("truncated", lambda p, a: contains(a, p)),
    ]
    for name, applies in rules:
        if any(applies(prediction, answer) for answer in texts):
            return name
    is_near = oracle.anls(prediction, given, protocol, threshold)
    return "invented" if not texts else "near" if is_near else "wrong"
