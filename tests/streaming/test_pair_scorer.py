"""The compiled scorer of batches of pairs: what it refuses, and that it keeps nothing."""

from __future__ import annotations

import gc
import pickle
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from anls_frame import _native
from anls_frame.protocol import plugin_options


def scorer(**options: Any) -> _native.PairScorer:
    return _native.PairScorer(pickle.dumps({"protocol": plugin_options("anls"), **options}))


def test_scores_are_those_of_single_pairs() -> None:
    pairs = ["CocaCola", "", "na\u00efve"], [["Coke", "Coca Cola"], [""], ["naive"]]
    assert scorer().nls(*pairs) == [0.8888888888888888, 1.0, 0.8]
    assert scorer(threshold=0.15).anls(*pairs) == [0.8888888888888888, 1.0, 0.0]
    assert scorer().char_errors(*pairs) == [(1, 9, 1 / 9), (0, 0, 0.0), (1, 5, 0.2)]
    assert scorer(substitution_cost=2).nls(["a"], [["b"]]) == [-1.0]
    assert scorer().nls([], []) == []


@pytest.mark.parametrize(
    "options", [b"", b"text", pickle.dumps({}), pickle.dumps({"protocol": "anls"})], ids=repr
)
def test_options_that_cannot_be_read_are_an_error(options: bytes) -> None:
    with pytest.raises(ValueError, match="options of the expression cannot be read"):
        _native.PairScorer(options)


@pytest.mark.parametrize("method", ["nls", "anls", "char_errors"])
def test_pairs_that_are_none_are_errors(method: str) -> None:
    score = getattr(scorer(threshold=0.5), method)
    with pytest.raises(ValueError, match="2 predictions and 1 answers"):
        score(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="a pair without answers"):
        score(["a", "b"], [["a"], []])
    with pytest.raises(UnicodeEncodeError, match="surrogates"):
        score(["a"], [["\ud800"]])
    wrong: list[tuple[Any, Any]] = [
        (["a"], ["a"]),
        ([1], [["a"]]),
        (["a"], [[None]]),
        ("a", ["a"]),
        (None, []),
    ]
    for predictions, answers in wrong:
        with pytest.raises(TypeError):
            score(predictions, answers)


def test_a_cut_needs_a_threshold() -> None:
    with pytest.raises(ValueError, match="the options have no threshold"):
        scorer().anls(["a"], [["a"]])


def test_threads_may_share_one() -> None:
    shared = scorer(threshold=0.5)
    batches = [([f"{n}abc", "x" * n], [[f"{n}abd", ""], ["x"]]) for n in range(1, 200)]
    alone = [shared.anls(*batch) for batch in batches]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda batch: shared.anls(*batch), batches)) == alone


def test_nothing_of_a_batch_is_kept() -> None:
    shared = scorer(threshold=0.5)
    prediction, answer = "".join(["a", "\u00e9" * 50_000]), "".join(["b", "\u00e9" * 50_000])
    before = sys.getrefcount(prediction), sys.getrefcount(answer)
    shared.anls([prediction] * 10, [[answer, prediction]] * 10)
    assert (sys.getrefcount(prediction), sys.getrefcount(answer)) == before

    gc.collect()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for n in range(300):
        shared.char_errors([f"{n} {prediction}"], [[f"{n} {answer}"]])
    # 300 pairs of 200 kB each would be 60 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 20_000
