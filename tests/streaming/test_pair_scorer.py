"""The compiled scorer of batches of pairs is shared by threads and keeps nothing."""

from __future__ import annotations

import gc
import pickle
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from anls_frame import _native
from anls_frame.protocol import plugin_options


def scorer(**options: Any) -> _native.PairScorer:
    return _native.PairScorer(pickle.dumps({"protocol": plugin_options("anls"), **options}))


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
