"""
Metric objects for training loops, which take pairs in batches and return one value for all pairs.

`NormalizedLevenshteinSimilarity`, `ANLS` and `CharErrorRate` have the methods known from torchmetrics:
`update` adds a batch, a call adds a batch and returns its value, `compute` returns the value of all batches,
`reset` starts over, and `merge` combines processes. The scores equal those of the expressions `nls`, `anls`
and `cer` bit for bit. Sums are exact, so the result does not depend on the batches or on the order of
merging.
"""

from __future__ import annotations

from anls_frame.streaming.metric_objects import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

__all__ = ["ANLS", "CharErrorRate", "NormalizedLevenshteinSimilarity"]
