"""`doctor`: check that the installation computes known scores; find the rule behind a harness's scores."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import anls_frame as af
from anls_frame.cli import output
from anls_frame.cli.options import Json, Source, command

if TYPE_CHECKING:
    from anls_frame.cli.harness_rules import Verdict

_SHOWN_ROWS = 20
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


@command
def doctor(
    file: Annotated[
        Path | None, typer.Argument(help="Results with a harness's own scores.", metavar="[FILE]")
    ] = None,
    *,
    against: Annotated[
        str | None,
        typer.Option(help="The harness's scores: a column of FILE, a file of its results, or a number."),
    ] = None,
    json: Json = False,
    source: Source,
) -> None:
    """
    Check the installation, or the scores of a harness.

    With FILE and --against, it finds the protocol that reproduces a harness's scores.
    """
    if (file is None) != (against is None):
        raise ValueError("FILE and --against must be given together")
    if file is None or against is None:
        fine = _installation(json=json)
    else:
        fine = _against(file, source, against, json=json)
    if not fine:
        raise typer.Exit(1)


def _installation(*, json: bool) -> bool:
    """Print versions and the library's path; return whether known scores are right to the last bit."""
    import polars as pl

    import anls_frame._native as native

    rows = pl.DataFrame(_KNOWN, schema=["prediction", "answers", "anls", "nls"], orient="row")
    computed = (
        rows.select("prediction", "answers")
        .lazy()
        .select(af.anls("prediction", "answers"), af.nls("prediction", "answers"))
    )
    wrong = []
    engines: tuple[Literal["in-memory", "streaming"], ...] = ("in-memory", "streaming")
    for engine in engines:
        found = computed.collect(engine=engine)
        wrong += [
            f"{name} of {text!r} on the {engine} engine: {value!r} instead of {due!r}"
            for name in ("anls", "nls")
            for text, value, due in zip(rows["prediction"], found[name], rows[name], strict=True)
            if value != due
        ]
    facts = {
        "anls_frame": af.__version__,
        "library": native.__file__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "polars": pl.__version__,
        "threads": pl.thread_pool_size(),
        "unicode of Python": _unicode(),
        "self-check": f"{len(wrong)} of {4 * rows.height} scores are wrong"
        if wrong
        else f"{4 * rows.height} known scores are right",
    }
    if json:
        output.print_json({**facts, "wrong": wrong})
    else:
        for name, value in facts.items():
            print(f"{name + ':':<20}{output.plain(str(value))}")
    for line in wrong:
        output.say(f"anls-frame: {line}")
    return not wrong


def _against(file: Path, source: Source, scores: str, *, json: bool) -> bool:
    """Print which rule reproduces a harness's scores, or which rows differ; return whether a rule does."""
    from anls_frame.cli.harness_rules import CANDIDATES, judge
    from anls_frame.cli.harness_scores import find
    from anls_frame.cli.source import load

    with output.working(f"Scoring {file}"):
        frame = load(file, source)
        theirs = find(frame, scores)
        verdicts = judge(frame, theirs)
    best = verdicts[0]
    fine = best.differing.height == 0
    if json:
        output.print_json(
            {
                "scores": theirs.name,
                "reproduced": fine,
                "rules": [_as_json(verdict) for verdict in verdicts],
                "rows": best.differing.head(_SHOWN_ROWS).to_dicts(),
            }
        )
        return fine
    equal = [verdict for verdict in verdicts if verdict.differing.height == 0]
    compared = "the mean" if theirs.is_mean else f"{best.compared:,} rows"
    written = "truth values" if theirs.are_verdicts else f"{theirs.digits} decimals"
    print(output.plain(f"{theirs.name}: {compared} against {len(CANDIDATES)} rules, {written}"))
    for verdict in equal:
        exactly = "to the last bit" if verdict.exact else "to the digit"
        print(f"reproduced {exactly}: {verdict.rule}{verdict.scaled}")
        if verdict.note:
            print(f"  {verdict.note}")
    if not equal:
        print(f"reproduced by none; nearest: {best.rule}{best.scaled}, {best.differing.height:,} differ")
        output.print_table(best.differing, most=_SHOWN_ROWS)
    return fine


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "rule": verdict.rule,
        "scale": verdict.scale,
        "differing": verdict.differing.height,
        "compared": verdict.compared,
        "exact": verdict.exact,
        "mean": verdict.mean,
    }


def _unicode() -> str:
    import unicodedata

    return f"{unicodedata.unidata_version} (Python {sys.version_info.major}.{sys.version_info.minor})"
