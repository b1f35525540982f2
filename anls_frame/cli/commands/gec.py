"""`anls-frame gec`: scores of grammatical error correction, from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import polars as pl

import anls_frame as af
from anls_frame._paths import is_many
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.exits import gate_code
from anls_frame.cli.output import print_json, print_table, say, score_text, show
from anls_frame.export.columns import Column, by_name
from anls_frame.export.document import Table, result_table
from anls_frame.export.row_names import named_rows

Gold = Annotated[
    Path,
    {
        "metavar": "GOLD.m2",
        "help": "Sentences with the annotators' edits. For several files, a folder or a pattern in quotes; "
        "the systems then are folders or patterns of files with the same names.",
    },
]

_FRACTIONS = ("precision", "recall", "f")
_SCORES = {"i_measure": ("wacc", "wacc_base", "i_measure")}
_COLUMNS = ("prediction", "source", "edits", "annotators")


@options.command(
    "anls-frame gec m2 system.txt gold.m2",
)
def m2(
    system: Path,
    gold: Gold,
    *,
    beta: float = 0.5,
    choose: str = "greedy",
    max_unchanged: int = 2,
    ignore_whitespace_casing: bool = False,
    json: bool = False,
) -> None:
    """
    Print precision, recall and F of M² (MaxMatch).

    Parameters
    ----------
    system
        Corrected sentences, one per line.
    beta
        Weight of recall relative to precision.
    choose
        greedy, best_sentence or sum.
    max_unchanged
        Unchanged words that one edit may span.
    ignore_whitespace_casing
        Ignore edits of only whitespace and case.
    """
    counts = af.gec.m2(
        *_COLUMNS,
        max_unchanged=max_unchanged,
        ignore_whitespace_casing=ignore_whitespace_casing,
    )
    corpus = af.gec.m2_corpus(counts, beta=beta, choose=choose)  # type: ignore[arg-type] # checked there
    _print(af.gec.read_m2(gold, prediction=system).select(corpus).item(), json=json)


@options.command(
    "anls-frame gec i-measure system.txt gold.m2",
    "anls-frame gec i-measure system.txt first.txt second.txt --source source.txt",
)
def i_measure(
    system: Path,
    gold: list[Path],
    *,
    source: Path | None = None,
    w: float = 2.0,
    beta: float = 1.0,
    mix: bool = True,
    optimise: str = "wacc",
    max_references: int = 4096,
    json: bool = False,
) -> None:
    """
    Print the I-measure: what the system improves on the source.

    Parameters
    ----------
    system
        Corrected sentences, one per line.
    gold
        Sentences with the annotators' edits, as .m2, or a folder or a pattern in quotes; or, with --source,
        one file of corrected sentences, one per line, for each annotator.
    source
        Uncorrected sentences, one per line; GOLD is then plain text, too.
    w
        Weight of positives relative to negatives.
    beta
        Weight of recall relative to precision.
    mix
        Mix references from the edits of several annotators.
    optimise
        Measure that the best reference maximizes.
    max_references
        Largest number of references for a sentence; more raise an error.
    """
    if source is None and len(gold) > 1:
        raise ValueError("several files of corrected sentences need --source as well")
    if source is None:
        rows, names = af.gec.read_m2(gold[0], prediction=system), ["edits", "annotators"]
    else:
        rows, names = af.gec.read_parallel(source, gold, prediction=system), ["references"]
    columns: Any = {name: name for name in names}
    how: Any = {"w": w, "beta": beta, "mix": mix, "optimise": optimise, "max_references": max_references}
    counts = af.gec.i_measure("prediction", "source", **columns, **how)
    scores = af.gec.i_measure_corpus(counts, w=w, beta=beta)
    _print(rows.select(scores).item(), json=json)


@options.command(
    "anls-frame gec errant system.m2 gold.m2",
)
def errant(
    system: Annotated[Path, {"metavar": "SYSTEM.m2"}],
    gold: Gold,
    *,
    mode: str = "cs",
    beta: float = 0.5,
    single: bool = False,
    multi: bool = False,
    filt: list[str] | None = None,
    tier: int | None = None,
    json: bool = False,
) -> None:
    """
    Print precision, recall and F of a system's typed edits.

    Parameters
    ----------
    system
        Edits of the system, as .m2.
    mode
        cs, cse, ds or dt.
    beta
        Weight of recall relative to precision.
    single
        Leave out edits of several words.
    multi
        Leave out edits of at most one word.
    filt
        Edit type to leave out, such as R:SPELL; may be repeated.
    tier
        Also print a table of edit types of tier 1, 2 or 3.
    """
    rows = af.gec.read_m2(gold, prediction_edits=system)
    columns = ("prediction_edits", "edits", "prediction_annotators", "annotators")
    counts = af.gec.errant(*columns, mode=mode, single=single, multi=multi, filt=filt or ())  # type: ignore[arg-type]
    scored = rows.select(counts.alias("counts"))
    scores = scored.select(af.gec.errant_corpus("counts", beta=beta)).item()
    if tier is None:
        _print(scores, json=json)
        return
    table = af.gec.by_type(scored, "counts", tier=tier, beta=beta)  # type: ignore[call-overload]
    _print(scores | {"types": table.to_dicts()} if json else scores, json=json)
    if not json:
        print_table(_table(table, _FRACTIONS))


@options.command(
    "anls-frame gec compare old.txt new.txt gold.m2 --measure m2",
)
def compare(
    systems: list[Path],
    gold: Gold,
    *,
    measure: str = "m2",
    beta: float | None = None,
    documents: Path | None = None,
    confidence: float = 0.95,
    require_within: float | None = None,
    alpha: float = 0.05,
    json: bool = False,
) -> int:
    """
    Compare systems by F or the I-measure, with intervals.

    With --require-within the command is a gate for scripts: it exits with 0 to pass, 1 for a regression, 2
    for unusable input, or 3 if it cannot decide.

    Parameters
    ----------
    systems
        Corrected sentences of two or more systems, one per line; for errant, their edits as .m2. The others
        are compared with the first.
    measure
        m2, errant or i-measure.
    beta
        Weight of recall relative to precision in m2 and errant: 0.5.
    documents
        File with the document of each sentence, one name per line. If GOLD.m2 names several files, each of
        them is a document.
    require_within
        Exit with 0 if the data show that every system loses less than this against the first, with 1 if they
        show a larger loss, and with 3 otherwise.
    alpha
        Largest probability of exits 0 and 1 if the true loss is the bound.
    """
    from anls_frame.files.folders import check_different
    from anls_frame.gec._m2_files import lines_of
    from anls_frame.runs.log_files import names_of

    if len(systems) < 2:  # noqa: PLR2004 - there is nothing to compare
        raise ValueError("name two or more systems, and GOLD.m2 after them")
    check_different(systems)
    measure = measure.replace("-", "_")
    columns = {str(number): path for number, path in enumerate(systems)}
    if documents is not None and is_many(gold):
        raise ValueError("each file that GOLD.m2 names is a document; leave --documents out")
    files = {"prediction_edits" if measure == "errant" else "prediction": columns}
    how: Any = {"measure": measure} if beta is None else {"measure": measure, "beta": beta}
    rows = af.gec.read_m2(gold, **files)
    if documents is not None:
        rows = rows.with_columns(lines_of(documents, gold, rows).alias("document"))
    cluster = "document" if "document" in rows.columns else None
    table: pl.DataFrame = af.gec.compare(
        dict(zip(names_of(systems), columns, strict=True)),
        rows,
        cluster=cluster,
        confidence=confidence,
        within=require_within,
        alpha=alpha,
        **how,
    )
    if json:
        print_json(table.to_dicts())
    else:
        differences = table.columns[table.columns.index("difference") :]
        scores = _SCORES.get(measure, _FRACTIONS)
        print_table(_table(table.select("system", "n", *scores, *differences), (*scores, "detectable")))
        show(*_notes(table, cluster is not None))
    return 0 if require_within is None else _decided(table, require_within, cluster is not None)


def _notes(table: pl.DataFrame, has_documents: bool) -> Iterator[str]:
    """Yield what the figures of a comparison mean."""
    from anls_frame.reports.report_documents import few_note

    unit = "document" if has_documents else "sentence"
    yield f"Difference: each system minus {table['system'][0]}; wins and losses are sentences of the system."
    # Of two systems there is one difference.
    together = "; the intervals of all systems apply together" if table.height > 2 else ""  # noqa: PLR2004
    yield f"Each interval and p allows for {unit}s{together}."
    yield from few_note(table, f"{unit}s")


def _decided(table: pl.DataFrame, within: float, has_documents: bool) -> int:
    """Say for each system what was decided, and return the exit code of the worst answer."""
    from anls_frame.reports.decisions import difference_in_words, in_words, rounded_up

    first, *others = table.iter_rows(named=True)
    unit, n = ("document", "n_clusters") if has_documents else ("sentence", "n")
    for row in others:
        said = f"; {numbered(row[n], unit)} can decide no margin"
        if row["answer"] != "undecided":
            said = difference_in_words(row["difference"])
        elif row["detectable"] is not None:
            can = f"; {numbered(row[n], unit)} can decide margins of at least {row['detectable']:.2g}"
            said = f"{can}; this one needs about {rounded_up(row['needed']):,}"
        say(in_words(row["answer"], first["system"], row["system"], f"{within:g}") + said)
    return gate_code(*(row["answer"] for row in others))


_HEADINGS = {
    "f": "F",
    "accuracy_base": "source accuracy",
    "wacc": "WAcc",
    "wacc_base": "source WAcc",
    "i_measure": "I-measure",
}


def _table(frame: pl.DataFrame, scores: Sequence[str]) -> Table:
    """Return a table whose scores have the form and the names of those of the commands."""
    own = by_name(Column(name, kind="score", heading=_HEADINGS.get(name, name)) for name in scores)
    own |= by_name([Column("answer", kind="note"), Column("needed", kind="count")])
    return result_table("", frame, own=own, names=named_rows("sentences"))


def _print(scores: Mapping[str, Any], *, json: bool) -> None:

    if json:
        print_json(scores)
        return
    for name, value in scores.items():
        shown = f"{value:,}" if isinstance(value, int) else score_text(value)
        print(f"{_HEADINGS.get(name, name) + ':':<17}{shown}")


gec = click.Group(
    "gec", help="Score corrected sentences: M², I-measure, ERRANT.", commands=[m2, i_measure, errant, compare]
)
