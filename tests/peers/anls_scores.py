"""
Scores of PyPI anls, for the tests; run by the interpreter of the environment that holds that package.

Reads ``[[threshold, [[prediction, answers], ...]], ...]`` as JSON from standard input and writes
``{"version": ..., "scores": [[score, ...], ...]}``. Floats come through JSON unchanged: they are written in
their shortest form that reads back as the same float.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import sys

from anls import anls_score  # type: ignore[import-not-found]  # only there, not where the tests run
from anls.metrics import dist  # type: ignore[import-not-found]

if __name__ == "__main__":
    # The same texts come with many thresholds.
    dist.levenshtein_distance = functools.cache(dist.levenshtein_distance)
    groups = json.load(sys.stdin)
    scores = [[anls_score(text, answers, threshold) for text, answers in rows] for threshold, rows in groups]
    json.dump({"version": importlib.metadata.version("anls"), "scores": scores}, sys.stdout)
