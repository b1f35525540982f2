"""Scores of a single pair of Python strings, under well-known names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import anls_frame._native as native
from anls_frame._arguments import string
from anls_frame.pairs.edits import as_numbers
from anls_frame.pairs.units import in_python, options, tokens
from anls_frame.protocol import resolve_threshold


def anls_score(
    prediction: str,
    answers: Sequence[str] | None = None,
    threshold: float = 0.5,
    *,
    gold_labels: Sequence[str] | None = None,
) -> float:
    """
    ANLS of one prediction, as in the function of the same name in the PyPI package anls.

    For more than a few pairs, use `anls` on columns, which is orders of magnitude faster.

    Parameters
    ----------
    prediction
        The predicted text.
    answers
        The accepted answers, at least one.
    threshold
        The threshold t in [0, 1]: the score is kept where d / L < t.
    gold_labels
        The name of `answers` in the PyPI package. Pass one of the two.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError
        If the prediction or an answer is not a string, `answers` is one string, or both `answers` and
        `gold_labels` are passed, or neither.
    ValueError
        If there is no answer, or the threshold is outside [0, 1].

    Examples
    --------
    >>> import anls_frame as af
    >>> af.anls_score("CocaCola", ["Coca Cola", "Coca Cola Company"])
    0.8888888888888888

    With the names of the PyPI package:

    >>> af.anls_score(prediction="CocaCola", gold_labels=["Coca Cola"], threshold=0.5)
    0.8888888888888888
    """
    if (answers is None) == (gold_labels is None):
        raise TypeError(
            "pass the accepted answers as answers= or as gold_labels=, its name in PyPI anls, and not as both"
        )
    answers = gold_labels if answers is None else answers
    if isinstance(answers, str) or not isinstance(answers, Iterable):
        raise TypeError(f"answers must be a list of strings, got {answers!r}; wrap a string in a list")
    accepted = [string("answer", answer) for answer in answers]
    if not accepted:
        raise ValueError("answers must not be empty: a prediction needs at least one answer")
    given = options("anls", threshold=resolve_threshold("anls", threshold))
    score = native.anls(string("prediction", prediction), accepted, given)
    assert score is not None  # noqa: S101 - there is an answer
    return score


def edit_distance(a: str | Sequence[str], b: str | Sequence[str]) -> int:
    """
    Levenshtein distance of two strings, in code points, or of two sequences of tokens.

    For more than a few pairs, use `levenshtein` on columns, which is orders of magnitude faster.

    Parameters
    ----------
    a, b
        Two strings, or two sequences of strings, whose entries are compared as a whole. The distance is
        symmetric, so it does not matter which is which: `str1` and `str2`, `s1` and `s2`, or `seq1` and
        `seq2` in other packages.

    Returns
    -------
    int
        Number of insertions, deletions and substitutions.

    Raises
    ------
    TypeError
        If only one of them is a string, or an argument is neither a string nor a sequence of strings.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.pairs.edit_distance("cat", "cafe")
    2
    >>> af.pairs.edit_distance(["the", "cat"], ["a", "cat", "sat"])
    2
    """
    if isinstance(a, str) or isinstance(b, str):
        return native.levenshtein(string("a", a), string("b", b))
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for tokens

    return Levenshtein.distance(*as_numbers(tokens("a", a), tokens("b", b)))


def get_cer(prediction: str, reference: str) -> float:
    """
    Character error rate of one prediction: edits divided by the reference length.

    For more than a few pairs, use `cer` on columns, which is orders of magnitude faster.

    Parameters
    ----------
    prediction
        The predicted text: `src` of a function `get_cer(src, trg)`, the text that is turned into the other,
        and `hypothesis` or `preds` of packages that pass the reference first, such as jiwer and nlptutti.
    reference
        The correct text, by whose length the edits are divided: `trg`, `reference` or `refs` there.

    Returns
    -------
    float
        0 for equal texts; may exceed 1; for an empty reference, the number of insertions.

    Raises
    ------
    TypeError
        If an argument is not a string.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.pairs.get_cer("lnvoice 42", "Invoice 42")
    0.1
    """
    return native.cer(string("prediction", prediction), string("reference", reference))


def hamming_distance(a: Sequence[object], b: Sequence[object]) -> int:
    """
    Hamming distance of two strings or two sequences of equal length: the number of positions that differ.

    For more than a few pairs, use `hamming` on columns of strings or `hamming_vectors` on columns of lists.

    Parameters
    ----------
    a, b
        Two strings, compared by code points, or two sequences of one dimension, compared by entries: lists,
        tuples, numpy arrays, Polars or pandas Series.

    Returns
    -------
    int
        Number of differing positions. `scipy.spatial.distance.hamming` is this number divided by the length.

    Raises
    ------
    TypeError
        If only one of them is a string, or an argument is not a sequence.
    ValueError
        If their lengths differ, because the distance is then undefined.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.pairs.hamming_distance("karolin", "kathrin")
    3
    >>> af.pairs.hamming_distance([1, 0, 1, 1], [1, 1, 1, 0])
    2
    """
    if isinstance(a, str) != isinstance(b, str):
        raise TypeError("a and b must be two strings or two sequences; wrap a single string in a list")
    left, right = _entries("a", a), _entries("b", b)
    if len(left) != len(right):
        raise ValueError(
            f"a has {len(left):,} entries and b {len(right):,}; the Hamming distance needs equal lengths"
        )
    return sum(entry != other for entry, other in zip(left, right, strict=True))


def _entries(name: str, values: object) -> Sequence[object]:
    """Return the entries of a string or a sequence; those of arrays and Series become Python values."""
    if len(getattr(values, "shape", (0,))) != 1:
        raise ValueError(f"{name} must have one dimension")
    entries = in_python(values)
    if not isinstance(entries, Sequence):
        raise TypeError(f"{name} must be a string or a sequence, got {type(values).__name__}")
    return entries
