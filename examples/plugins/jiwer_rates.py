"""The rates of jiwer with jiwer's names and arguments: `import jiwer_rates as jiwer`."""

from collections.abc import Callable
from functools import partial

import polars as pl

import anls_frame as af

Texts = str | list[str]


def _rate(name: str, counts: Callable[..., pl.Expr], reference: Texts, hypothesis: Texts) -> float:
    texts = {"hypothesis": hypothesis, "reference": reference}
    frame = pl.DataFrame({side: [text] if isinstance(text, str) else text for side, text in texts.items()})
    found = frame.select(counts(*texts, protocol="jiwer").alias("of")).unnest("of").sum().row(0, named=True)
    hits, substitutions = found["hits"], found["substitutions"]
    errors = sum(found.values()) - hits
    n, n_read = (hits + substitutions + found[rest] for rest in ("deletions", "insertions"))
    preserved = (hits / n) * (hits / n_read) if n_read else 0.0
    return {"rate": errors / n, "mer": errors / (errors + hits), "wil": 1 - preserved}[name]


wer = partial(_rate, "rate", af.words.word_errors)
mer = partial(_rate, "mer", af.words.word_errors)
wil = partial(_rate, "wil", af.words.word_errors)
cer = partial(_rate, "rate", af.words.edit_counts)
