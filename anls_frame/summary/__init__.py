"""Counts and sums of rows that can be added up over slices, over parts of the data and over machines."""

from __future__ import annotations

from anls_frame.summary.measures import Metric
from anls_frame.summary.merging import merge
from anls_frame.summary.settings import Settings
from anls_frame.summary.summarizing import summarize
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems_summary import SystemsSummary, summarize_systems

__all__ = ["Metric", "Settings", "Summary", "SystemsSummary", "merge", "summarize", "summarize_systems"]
