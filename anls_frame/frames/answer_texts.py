"""Detection of answers that are printed lists or objects, which would silently be scored as one text."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame import _plugin
from anls_frame._text import quoted
from anls_frame.exceptions import InputWarning, warn, warning_at_caller
from anls_frame.protocol import PROTOCOLS, ScoreProtocol

_KEY, _BESIDE = r"""['"](?:text|answer)['"]\s*:""", r"""['"]answer_\w+['"]\s*:"""
_TEXTS = rf"""(?sx)\A\s*(?:
    (?:array\()?\[\s*(?:np\.str_\()?['"].*['"]\)?,?\s*\](?:,[^\]]*\)|\))?
    | \(\s*['"].*['"]\s*,\s*(?:['"].*['"]\s*,?\s*)?\)
    | \{{\s*(?:'[^']*'|"[^"]*")\s*(?:,.*)?\}}
    | \{{\s*(?:{_KEY}.*{_BESIDE}|{_BESIDE}.*{_KEY}).*\}}
    | \{{\s*['"](?:choices|text)['"]\s*:\s*\[.*\]\s*\}}
    | \[\s*\{{\s*['"].*(?:text|answer)['"]\s*:.*\}}\s*\]
    )\s*\z"""
"""Pattern of several answers as they are printed: texts in a list, tuple or set, and objects of answers."""

SEPARATED = {
    "|": r"\A\s*[^|\s][^|\n]*(?:\|\s*[^|\s][^|\n]*)+\z",
    # Without "&", which begins an entity of HTML, as in AT&amp;T.
    ";": r"\A\s*[^;&\s][^;&\n]*(?:;\s*[^;&\s][^;&\n]*)+\z",
}
"""Patterns of one line of texts between separators; a row of a Markdown table begins with a separator."""

_FEWEST_SEPARATED = 3
SHARE_SEPARATED = 0.1
"""A separator is a letter like others, unless this number and this share of the texts contain it."""
_LONGEST_SEPARATED = 500
"""Length in bytes up to which a text with separators counts: pages have such letters."""

SPLIT_UNASKED = "|"
"""The only separator at which readers split answers without being asked: `;` is in many texts."""
_BRACKETS = ("()", "[]", "{}")

_OBJECT = r"""(?s)\A\s*\{\s*(?:(?:"[^"]*"|'[^']*')\s*:.*)?\}\s*\z"""
"""Pattern of an object as JSON or Python prints it: it is empty, or begins with a key."""

_JSON_STRING = r'\A"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"\z'

_LOOKED_AT = 1000
"""Number of texts that show whether most are objects and, drawn at random, whether many have separators."""
_ANLS_STAR = PROTOCOLS["anls_star"]


class SeveralAnswers(NamedTuple):
    """The reason why texts look like several answers."""

    separator: str | None
    """What separates the answers; None in printed lists."""
    row: int
    """The first row with such a text."""
    other: int | None
    """The first row with a text that looks like one answer, if there is one."""


def several_answers(texts: pl.Series, kinds: pl.Series | None = None) -> SeveralAnswers | None:
    """
    Return why texts look like several answers: a printed list, or separators in many texts.

    All texts are examined, at a small fraction of the cost of scoring, with their kinds if they are known.
    """
    texts = texts.alias("texts")  # Series find their column by its name, which may read like a pattern
    if kinds is None:
        kinds = pl.select(_plugin.call("text_kind", texts)).to_series()
    for separator in (None, *_frequent_separators(texts)):
        looks = _printed(texts, kinds) if separator is None else _separated(texts, separator)
        if looks is not None:
            rows = looks.fill_null(value=False)
            others = (~rows & (texts.str.strip_chars() != "")).fill_null(value=False).arg_true()
            return SeveralAnswers(separator, int(rows.arg_true()[0]), int(others[0]) if len(others) else None)
    return None


def are_separated(answers: pl.Series, predictions: pl.Series | None) -> bool:
    """
    Return whether `|` occurs only between answers, so that a reader may split them there.

    In code, formulas and tables, it also has other neighbours, or brackets that close in the next part, and a
    system that is asked for such texts predicts it as well.
    """
    if predictions is not None and _separated(predictions, SPLIT_UNASKED) is not None:
        return False
    having = answers.filter(answers.str.contains(SPLIT_UNASKED, literal=True))
    is_between = having.str.contains(SEPARATED[SPLIT_UNASKED])
    if not (is_between & (having.str.len_bytes() <= _LONGEST_SEPARATED)).all():
        return False
    parts = having.str.split(SPLIT_UNASKED).explode(empty_as_null=True)
    counts = [[parts.str.count_matches(sign, literal=True) for sign in pair] for pair in _BRACKETS]
    return all((opening == closing).all() for opening, closing in counts)


def _printed(texts: pl.Series, kinds: pl.Series) -> pl.Series | None:
    """Return which texts of these kinds are printed lists; None without one."""
    begins = kinds == _plugin.LIST_BEGINNING
    for bracket in "({":
        begins |= texts.str.starts_with(bracket)
    if not begins.any() or not texts.filter(begins).str.contains(_TEXTS).any():
        return None
    return texts.str.contains(_TEXTS)


def _frequent_separators(texts: pl.Series) -> list[str]:
    """Return the separators found in enough of some texts to be worth searching for in all."""
    drawn = texts.drop_nulls()
    if len(drawn) > _LOOKED_AT:
        drawn = drawn.sample(_LOOKED_AT, seed=0)
    few = SHARE_SEPARATED * len(drawn) / 2
    # In Python, because a query inside of a query waits for its threads, longer than all of this takes.
    short = [text for text in drawn.to_list() if len(text) <= _LONGEST_SEPARATED]
    return [separator for separator in SEPARATED if sum(separator in text for text in short) >= few]


def _separated(texts: pl.Series, separator: str) -> pl.Series | None:
    """Return which texts have the separator between answers; None if these are too few."""
    separated = texts.str.contains(SEPARATED[separator]) & (texts.str.len_bytes() <= _LONGEST_SEPARATED)
    fewest = max(_FEWEST_SEPARATED, SHARE_SEPARATED * texts.drop_nulls().len())
    return separated if separated.sum() >= fewest else None


def warn_of_answers(answers: pl.Series, protocol: ScoreProtocol | None = None) -> None:
    """Warn if texts look like several answers each, or like objects that the protocol scores as text."""
    message = _message(answers, f"frame[{answers.name!r}]", protocol)
    if message is not None:
        warn(message)


def watched(frame: pl.LazyFrame, answers: str, protocol: ScoreProtocol | None = None) -> pl.LazyFrame:
    """
    Return a query that gives these warnings, once, while it runs and reads the answers.

    Texts are examined batch by batch.
    """
    dtype, texts = frame.collect_schema()[answers], cs.by_name(answers)
    if dtype != pl.String and protocol != _ANLS_STAR:
        return frame
    kinds = [_plugin.call("text_kind", texts)] if dtype == pl.String else []
    warn_there = warning_at_caller()
    # Several threads may look at batches at the same time.
    once, warned = threading.Lock(), False

    def look(columns: Sequence[pl.Series]) -> pl.Series:
        nonlocal warned
        texts, *kinds = columns
        if warned:
            return texts
        message = _message(texts, repr(answers), protocol, *kinds)
        with once:
            if message is not None and not warned:
                warned = True
                warn_there(message, InputWarning)
        return texts

    return frame.with_columns(pl.map_batches([texts, *kinds], look, return_dtype=dtype, is_elementwise=True))


def _message(
    answers: pl.Series, column: str, protocol: ScoreProtocol | None, kinds: pl.Series | None = None
) -> str | None:
    """Return the warning about answers, if any; `column` is the argument for `parse_answers`."""
    if protocol == _ANLS_STAR and most_are_objects(answers):
        return (
            f"most texts in column {answers.name!r} are JSON objects, which protocol 'anls_star' compares as "
            "texts: these are not the scores of ANLS*, which matches the keys. Make one row of each key, "
            "with its value as the answer, or score the objects with the package anls-star and report its "
            "scores as a column"
        )
    hint = several_answers(answers, kinds) if answers.dtype == pl.String else None
    name, parse = answers.name, f"`anls_frame.parse_answers({column}"
    if hint is None:
        if answers.dtype != pl.String:
            return None
        if not most_are_objects(answers):
            return strings_of_json(answers)
        return (
            f"most texts in column {name!r} are objects that were printed as text, and each is scored as one "
            "answer. To score the fields of documents, make a row of each field with `anls_frame.fields`. If "
            f"they are answers, {parse}, answers_format='text')` makes each text a list of one, without this "
            "warning"
        )
    example = quoted(answers[hint.row])
    if hint.separator is None:
        return (
            f"column {name!r} holds lists that were printed as text, such as {example}; each is scored as "
            f"one answer. Parse the column first: {parse})` returns lists of accepted answers, and a "
            "prediction needs to match only one of them"
        )
    return (
        f"column {name!r} holds texts with {hint.separator!r}, such as {example}; each is scored as one "
        f"answer. If it separates answers, parse the column first: {parse}, "
        f"answers_format={hint.separator!r})` returns lists. If it belongs to the answers, {parse})` makes "
        "each text a list of one, without this warning"
    )


def strings_of_json(texts: pl.Series) -> str | None:
    """Return the warning about texts that all are strings of JSON, as some exports write them into tables."""
    name, texts = texts.name, texts.alias("texts")
    texts = texts.filter(texts != "null")
    # A single one may be a quotation.
    if len(texts) <= 1 or not all_match(texts, _JSON_STRING):
        return None
    return (
        f"each text in column {name!r} is a string of JSON, such as {quoted(texts[0])}, and scored with its "
        "quotes; read them, in Polars with `.str.json_decode(pl.String)`, in pandas with `.map(json.loads, "
        "na_action='ignore')`"
    )


def all_match(texts: pl.Series, pattern: str) -> bool:
    """Return whether all texts match a pattern; mostly, the first ones tell that they do not."""
    return all(bool(part.str.contains(pattern).all()) for part in (texts.head(100), texts))


def most_are_objects(texts: pl.Series) -> bool:
    """Whether most of the first texts, or of the texts in the first lists, are printed objects."""
    texts = texts.head(_LOOKED_AT).alias("texts")
    if isinstance(texts.dtype, pl.List | pl.Array):
        texts = texts.explode(empty_as_null=True)
    return _most_are(texts, _OBJECT)


def most_are_lists(texts: pl.Series) -> bool:
    """Whether most of the first texts are printed lists."""
    return _most_are(texts.head(_LOOKED_AT).alias("texts"), _TEXTS)


def first_printed(texts: pl.Series) -> int:
    """Return the first row with a printed list or object, where most texts are printed."""
    texts = texts.alias("texts")
    return int((texts.str.contains(_OBJECT) | texts.str.contains(_TEXTS)).arg_true()[0])


def _most_are(texts: pl.Series, pattern: str) -> bool:
    if texts.dtype != pl.String:
        return False
    texts = texts.filter(texts.str.strip_chars() != "")
    return bool(len(texts)) and int(texts.str.contains(pattern).sum()) * 2 > len(texts)
