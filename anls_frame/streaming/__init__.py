"""
Metric objects for training loops: they take pairs in batches and return one value for all of them.

`NormalizedLevenshteinSimilarity`, `ANLS` and `CharErrorRate` have the methods that users of torchmetrics
know: `update` adds a batch, a call also returns its value, `compute` returns the value of all batches,
`reset` starts over, and `merge` adds up processes. The scores equal those of the expressions `nls`, `anls`
and `cer` bit for bit. Sums are exact, so any batches, merged in any order, give the same bits.
"""

from __future__ import annotations

from anls_frame.streaming.metric_objects import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

__all__ = ["ANLS", "CharErrorRate", "NormalizedLevenshteinSimilarity"]
