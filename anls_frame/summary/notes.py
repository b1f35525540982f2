"""Notes on texts of figures, for reports and pages of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anls_frame._messages import Message, Option, for_readers
from anls_frame._text import numbered, shortened_apart
from anls_frame.protocol import ScoreProtocol, in_python, resolve_errors, spelled
from anls_frame.summary.catalogue import FABRICATION, NAMED, VQA, is_described
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import STYLES

_LEAST_SHARE = 0.5
"""Highest score of what may be amounts: above it, shares have an interval of about the same width."""
_MOST_OF_THREE_ANSWERS = 2 / 3
"""Highest VQA accuracy of a row with three answers: each person is compared with two others."""
_STYLES = {
    "other_case": "written in another case than their reference",
    "other_marks": "with punctuation if their reference has none, or the reverse",
}
"""What is said of predictions that differ from their references in this way."""
_OFTEN = 0.1
"""The share of predictions above which a system writes in another way, rather than misreads."""
_NAMED_SYSTEMS = 3
"""Systems that a note names."""


def written_otherwise(
    counts: Mapping[str, Any], n: int, protocol: ScoreProtocol
) -> tuple[list[str], ScoreProtocol]:
    """Return how predictions often differ from their references, and the error rates that ignore it."""
    errors = resolve_errors(protocol)
    found = []
    for style in STYLES:
        count = counts[f"n_{style}"]
        most = count if isinstance(count, int) else max(count.values())
        if most > _OFTEN * n:
            found.append(style)
    ignored = {STYLES[style][1]: True for style in found}
    # Where punctuation stood alone, two spaces follow each other.
    joins = "ignore_punctuation" in ignored and errors.whitespace in {"keep", "strip"}
    return found, errors.replace(threshold=None, **ignored, **({"whitespace": "squeeze"} if joins else {}))


def text_notes(
    counts: Mapping[str, Any], n: int, protocol: ScoreProtocol, *, without: Sequence[str] = ()
) -> list[str]:
    """
    Return notes on predictions that are perhaps no texts, or differ in case or punctuation.

    The counts are those of one system, or of several by name. `without` names notes that are not needed.
    """
    count = counts["n_placeholders"]
    counted = by_system(count) if isinstance(count, Mapping) else f"{count:,}" if count else ""
    text = 'Predictions such as "None" or "N/A", scored as texts (make them null if they are missing)'
    notes = [f"{text}: {counted}."] if counted and "placeholder" not in without else []
    found, plain = written_otherwise(counts, n, protocol)
    if not found or "style" in without:
        return notes
    told = []
    for style in found:
        count = counts[f"n_{style}"]
        counted = f"{count:,} of {n:,}" if isinstance(count, int) else f"{by_system(count)}, of {n:,} each"
        told.append(f"Predictions {_STYLES[style]}: {counted}. ")
    # Error types need the threshold, which changes no error rate.
    whole = plain if protocol.threshold is None else protocol.replace(errors=plain)
    how = for_readers(f"protocol={in_python(whole)}", f"--protocol {spelled(whole)}")
    return [*notes, Message(*told, "These differences count as errors; ", how, " ignores them.")]


def empty_reference_notes(metrics: Iterable[Metric], n_empty: int, n: int, noun: str) -> list[str]:
    """Return a note on references without text, by which error rates cannot divide."""
    if not n_empty or all(metric.format != "rate" for metric in metrics):
        return []
    of_all = f"{n_empty:,} of {numbered(n, noun)}"
    return [f"The reference of {of_all} has no text: all text predicted there counts as errors."]


def score_notes(metrics: Iterable[Metric], noun: str, *, of_fields: bool) -> list[str]:
    """Return notes on scores that are null, may be shares or amounts, or are low for want of answers."""
    notes = list[str]()
    for metric in metrics:
        if metric.divides_by_nothing:
            # What a named score divides by is the end of its meaning.
            meaning = NAMED[metric.name].meaning if is_described(metric) else ""
            divisor = meaning.partition("divided by ")[2].removeprefix("all ").replace("{row}", noun)
            why = f"there are no {divisor}" if divisor else f"no {noun} has a denominator above 0"
            if metric.name == FABRICATION and of_fields:
                keep = Option("nulls", "keep")
                why = Message(f"no {noun} is a key with null in gold, which `fields` marks with ", keep)
            notes.append(Message(f"{metric.label} is null, because ", why, "."))
        if metric.highest is None:
            continue
        if metric.is_taken_for_share and metric.highest < _LEAST_SHARE:
            share = (
                f"{metric.label} counts as a share, because all scores are between 0 and 1. The highest is "
                f"{metric.highest:.4g}: if they are amounts, pass "
            )
            bounds = for_readers("Metric(..., bounds=(0, None))", "-m bounds:0::NAME")
            notes.append(Message(share, bounds, " for narrower intervals."))
        if metric.name == VQA and is_described(metric) and metric.highest <= _MOST_OF_THREE_ANSWERS:
            notes.append(
                f"No {noun} has a {metric.label} above {metric.highest:.3f}. It counts how many other people "
                f"gave the predicted answer, so each {noun} needs the answers of all people, usually ten, "
                "with repeated ones: with one answer it is always 0, with two at most 0.333, with three at "
                "most 0.667."
            )
    return notes


def line_notes(metrics: Iterable[Metric], protocol: ScoreProtocol, *, from_pages: bool) -> list[str]:
    """Return a note on words that reach over the ends of lines, as jiwer counts them in pages."""
    errors = resolve_errors(protocol)
    joins_lines = errors.words == "spaces" and errors.whitespace in {"keep", "strip"}
    of_words = any(metric.name.startswith(("wer_", "word_", "bag_of_words")) for metric in metrics)
    if not (from_pages and joins_lines and of_words):
        return []
    joined = "Words are separated by spaces only: the last word of a line and the first of the next are one. "
    squeeze = for_readers('A protocol with whitespace="squeeze"', "--protocol jiwer,whitespace=squeeze")
    return [Message(joined, squeeze, " separates them.")]


def by_system(counts: Mapping[str, int]) -> str:
    """List the positive counts of systems, the largest first."""
    ordered = sorted(((name, n) for name, n in counts.items() if n), key=lambda line: -line[1])
    # "1 more system" is no shorter than its name.
    shown = ordered[: _NAMED_SYSTEMS + (len(ordered) == _NAMED_SYSTEMS + 1)]
    short = shortened_apart([name for name, _ in shown])
    named = [f"{n:,} of {name}" for name, (_, n) in zip(short, shown, strict=True)]
    rest = ordered[len(shown) :]
    if rest:
        named.append(f"{sum(n for _, n in rest):,} of {len(rest)} more systems")
    return ", ".join(named)
