"""
Metric objects for training loops: pairs come in batches, one value of all of them goes out.

`NormalizedLevenshteinSimilarity`, `ANLS` and `CharErrorRate` have the methods that users of torchmetrics
know: `update` takes a batch in, a call returns its value as well, `compute` gives the value of all batches,
`reset` starts anew, `merge` adds up processes. Scores are those of the expressions `nls`, `anls` and `cer`,
to the last bit. Sums are exact, so any batches, merged in any order, give the same bits.
"""

from __future__ import annotations

from anls_frame.streaming.metrics import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

__all__ = ["ANLS", "CharErrorRate", "NormalizedLevenshteinSimilarity"]
