"""`anls-frame gec`: scores of grammatical error correction, from files to a line of numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anls_frame.cli._options import Json, command

app = typer.Typer(help="Score corrected sentences: M², I-measure, ERRANT.")

System = Annotated[Path, typer.Argument(help="Corrected sentences, one a line.", metavar="SYSTEM")]
SystemEdits = Annotated[Path, typer.Argument(help="Edits of the system, as .m2.", metavar="SYSTEM.m2")]
Gold = Annotated[Path, typer.Argument(help="Sentences with the edits of people.", metavar="GOLD.m2")]
Beta = Annotated[float, typer.Option(help="Weight of recall against precision.")]

_COLUMNS = ("prediction", "source", "edits", "annotators")


@app.command()
@command
def m2(
    system: System,
    gold: Gold,
    *,
    beta: Beta = 0.5,
    choose: Annotated[str, typer.Option(help="greedy, best_sentence or sum.")] = "greedy",
    max_unchanged: Annotated[int, typer.Option(help="Unchanged words that one edit may span.")] = 2,
    ignore_whitespace_casing: Annotated[
        bool, typer.Option("--ignore-whitespace-casing", help="Leave out edits of spaces and case alone.")
    ] = False,
    lattice: Annotated[str, typer.Option(help="official or paper.")] = "official",
    insert_labels: Annotated[str, typer.Option(help="fixed or v3.2.")] = "fixed",
    json: Json = False,
) -> None:
    """Print precision, recall and F of M² (MaxMatch)."""
    from anls_frame import gec

    options: dict[str, Any] = {
        "max_unchanged": max_unchanged,
        "ignore_whitespace_casing": ignore_whitespace_casing,
        "lattice": lattice,
        "insert_labels": insert_labels,
    }
    corpus = gec.m2_corpus(gec.m2(*_COLUMNS, **options), beta=beta, choose=choose)  # type: ignore[arg-type]
    _print(gec.read_m2(gold, prediction=system).select(corpus).item(), json=json)


@app.command(name="i-measure")
@command
def i_measure(
    system: System,
    gold: Gold,
    *,
    w: Annotated[float, typer.Option(help="Weight of positives against negatives.")] = 2.0,
    beta: Beta = 1.0,
    mix: Annotated[bool, typer.Option(help="Mix references from the edits of several annotators.")] = True,
    optimise: Annotated[str, typer.Option(help="What the best reference has most of.")] = "wacc",
    aspect: Annotated[str, typer.Option(help="correction or detection.")] = "correction",
    max_references: Annotated[int, typer.Option(help="More for one sentence are an error.")] = 4096,
    json: Json = False,
) -> None:
    """Print the I-measure: by how much the system improves on the sources."""
    from anls_frame import gec

    options: dict[str, Any] = {"w": w, "beta": beta, "aspect": aspect}
    choice: dict[str, Any] = {"mix": mix, "optimise": optimise, "max_references": max_references} | options
    corpus = gec.i_measure_corpus(gec.i_measure("prediction", *_COLUMNS[1:], **choice), **options)
    _print(gec.read_m2(gold, prediction=system).select(corpus).item(), json=json)


@app.command()
@command
def errant(
    system: SystemEdits,
    gold: Gold,
    *,
    mode: Annotated[str, typer.Option(help="cs, cse, ds or dt.")] = "cs",
    beta: Beta = 0.5,
    tier: Annotated[int | None, typer.Option(help="A table of types as well, of tier 1, 2 or 3.")] = None,
    json: Json = False,
) -> None:
    """Print precision, recall and F of a system's typed edits."""
    from anls_frame import gec
    from anls_frame.cli import _output

    own, other = gec.read_m2(system), gec.read_m2(gold)
    if own.height != other.height:
        raise ValueError(f"{system} has {own.height} sentences, but {gold} has {other.height}")
    differing = (own["source"] != other["source"]).arg_true()
    if len(differing):
        raise ValueError(f"sentence {differing[0] + 1} of {system} is another than that of {gold}")
    rows = other.with_columns(own["edits"].alias("own"), own["annotators"].alias("own_annotators"))
    counts = gec.errant("own", "edits", "own_annotators", "annotators", mode=mode)  # type: ignore[arg-type]
    scored = rows.select(counts.alias("counts"))
    scores = scored.select(gec.errant_corpus("counts", beta=beta)).item()
    if tier is None:
        _print(scores, json=json)
        return
    table = gec.by_type(scored, "counts", tier=tier, beta=beta)  # type: ignore[arg-type]
    _print(scores | {"types": table.to_dicts()} if json else scores, json=json)
    if not json:
        _output.print_table(table)


def _print(scores: dict[str, Any], *, json: bool) -> None:
    from anls_frame.cli import _output

    if json:
        _output.print_json(scores)
        return
    for name, value in scores.items():
        shown = "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        print(f"{name + ':':<16}{shown}".rstrip())
