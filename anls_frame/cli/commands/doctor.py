"""`doctor`: a check of the installation, and a search for the rule of a harness's scores."""

from __future__ import annotations

import platform
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli import options, output
from anls_frame.export.terminal import plain

_SHOWN_ROWS = 20
_DISTANCE_NOTE = (
    "These are distances, as in VLMEvalKit's column eval_score: 0 is a perfect answer. Report the scores of "
    "protocol rrc instead; their mean is the one that the harness reports."
)

# Computed by hand: the examples that define ANLS, and cases with case, whitespace and non-ASCII letters.
_KNOWN = (
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


@options.command(
    "anls-frame doctor",
    "anls-frame doctor samples.jsonl --against anls",
)
def doctor(
    file: Annotated[Path | None, {"metavar": "[FILE]"}] = None,
    *,
    against: str | None = None,
    json: bool = False,
    source: options.SourceOptions,
) -> int:
    """
    Check the installation, or the scores of a harness.

    With FILE and --against, find the protocol that reproduces a harness's scores.

    Parameters
    ----------
    file
        Results with a harness's own scores.
    against
        The harness's scores: a column of FILE, a file of its results, or a number.
    """
    if (file is None) != (against is None):
        raise ValueError("FILE and --against must be given together")
    if file is None or against is None:
        return int(not _installation(json=json))
    return int(not _against(file, source, against, json=json))


def _installation(*, json: bool) -> bool:
    """Print versions and the library's path; return whether known scores are right to the last bit."""
    import anls_frame._native as native

    wrong = _wrong_scores()
    n_known = 4 * len(_KNOWN)
    facts = {
        "anls_frame": af.__version__,
        "library": native.__file__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "polars": pl.__version__,
        "threads": pl.thread_pool_size(),
        "unicode of Python": unicodedata.unidata_version,
        "self-check": f"{len(wrong)} of {n_known} scores are wrong"
        if wrong
        else f"{n_known} known scores are right",
    }
    if json:
        output.print_json({**facts, "wrong": wrong})
    else:
        for name, value in facts.items():
            print(f"{name + ':':<20}{plain(str(value))}")
    for line in wrong:
        output.say(line)
    return not wrong


def _wrong_scores() -> list[str]:
    """Return a sentence for each known score that either engine does not reproduce to the last bit."""
    rows = pl.DataFrame(_KNOWN, schema=["prediction", "answers", "anls", "nls"], orient="row")
    texts = rows.select("prediction", "answers").lazy()
    computed = texts.select(af.anls("prediction", "answers"), af.nls("prediction", "answers"))
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


def _against(file: Path, source: options.SourceOptions, scores: str, *, json: bool) -> bool:
    """Print which rule reproduces a harness's scores, or which rows differ; return whether a rule does."""
    with source.rows_of(file, [scores]) as rows:
        result = af.readers.scoring_rules(rows, scores)
    if json:
        output.print_json(
            {
                "scores": result.name,
                "reproduced": result.are_reproduced,
                "rules": result.rules.to_dicts(),
                "rows": result.rows.head(_SHOWN_ROWS).to_dicts(),
            }
        )
        return result.are_reproduced
    best = result.rules.row(0, named=True)
    compared = "the mean" if result.is_mean else f"{best['compared']:,} rows"
    written = "truth values" if result.are_truth_values else f"{result.digits} decimals"
    n_rules = result.rules.filter(~pl.col("rule").str.contains("[≤≥]")).height
    output.show(f"{result.name}: {compared} against {n_rules} rules, {written}")
    for rule in result.reproducing.iter_rows(named=True):
        exactly = "to the last bit" if rule["exact"] else "to the digit"
        output.show(f"reproduced {exactly}: {_rule(rule)}")
        if "distance" in rule["rule"] and "≤" not in rule["rule"]:
            output.show(f"  {_DISTANCE_NOTE}")
    if not result.are_reproduced:
        other = "" if result.is_mean else f", another score in {numbered(best['differing'], 'row')}"
        output.show(f"reproduced by none; nearest: {_rule(best)}{other}")
        output.print_table(result.rows, most=_SHOWN_ROWS)
    return result.are_reproduced


def _rule(row: Mapping[str, Any]) -> str:
    return row["rule"] if row["scale"] == 1 else f"{row['rule']}, times {row['scale']}"
