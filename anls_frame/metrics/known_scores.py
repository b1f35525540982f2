"""Known scores, which check the installation."""

from __future__ import annotations

from typing import Literal

import polars as pl

from anls_frame.metrics.scores import anls, nls

# Computed by hand: the examples that define ANLS, and cases with case, whitespace and non-ASCII letters.
KNOWN = (
    ("The Coca", ["Coca Cola", "Coca Cola Company"], 0.0, 0.4444444444444444),
    ("CocaCola", ["Coca Cola", "Coca Cola Company"], 0.8888888888888888, 0.8888888888888888),
    ("Coca cola", ["Coca Cola", "Coca Cola Company"], 1.0, 1.0),
    ("Cola", ["Coca Cola", "Coca Cola Company"], 0.0, 0.4444444444444444),
    ("Cat", ["Coca Cola", "Coca Cola Company"], 0.0, 0.2222222222222222),
    (" stra\u00dfe\u001c", ["STRASSE"], 0.7142857142857143, 0.7142857142857143),
    ("\u6771\u4eac\U0001f600", ["\u6771\u4eac\U0001f601"], 0.6666666666666667, 0.6666666666666667),
    ("", [""], 1.0, 1.0),
)
"""Predictions, answers, ANLS and NLS."""


def wrong() -> list[str]:
    """Return a sentence for each known score that either engine does not reproduce to the last bit."""
    rows = pl.DataFrame(KNOWN, schema=["prediction", "answers", "anls", "nls"], orient="row")
    texts = rows.select("prediction", "answers").lazy()
    computed = texts.select(anls("prediction", "answers"), nls("prediction", "answers"))
    engines: tuple[Literal["in-memory", "streaming"], ...] = ("in-memory", "streaming")
    sentences = []
    for engine in engines:
        scored = computed.collect(engine=engine)
        sentences += [
            f"{name} of {text!r} on the {engine} engine: {value!r} instead of {due!r}"
            for name in ("anls", "nls")
            for text, value, due in zip(rows["prediction"], scored[name], rows[name], strict=True)
            if value != due
        ]
    return sentences
