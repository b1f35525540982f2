"""`fields`: the report by field of extracted documents, and the documents that are wholly right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anls_frame as af
from anls_frame._arguments import count
from anls_frame._text import numbered, quoted
from anls_frame.cli import options
from anls_frame.cli.output import print_table, show, working

if TYPE_CHECKING:
    import polars as pl

    from anls_frame.export import Table

_SHOWN_DOCUMENTS = 10
DOCUMENT = "document"
"""The column with the names of documents."""


@options.command(
    "anls-frame fields extracted/ --gold gold/ -o fields.html",
    "anls-frame fields extracted/ --gold gold/ --model-confidence confidences/ --required total",
    "anls-frame fields documents.jsonl --kind 'total*=number:,' --kind '*date=date:%d.%m.%Y'",
    "anls-frame fields extracted/ --gold gold/ --nulls keep",
)
def fields(
    file: Path,
    *,
    gold: Path | None = None,
    prediction: str | None = None,
    answers: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    model_confidence: str | None = None,
    required: list[str] | None = None,
    kind: list[str] | None = None,
    match: str = "best",
    absent: list[str] | None = None,
    nulls: Literal["drop", "keep"] = "drop",
    by: options.By = None,
    n: int | None = None,
    scoring: options.Scoring,
    target: options.Target,
) -> None:
    """
    Report extracted documents by field.

    The report also says how many documents are right in every field.

    With confidences, the least confident documents come first: these are the ones to look at.

    Parameters
    ----------
    file
        A folder with a JSON file for each document, or a table with the documents in two columns.
    gold
        The folder with the gold documents, in files of the same names.
    prediction
        In a table, the column of the predicted documents, by default prediction.
    answers
        In a table, the column of the gold documents, by default answers.
    id
        In a table, the column that identifies a document, by default document, or else one with a usual name
        of ids.
    model_confidence
        A folder of the confidences, in files of the same names; in a table, their column. Name the predicted
        documents again if they hold their confidences with their values.
    required
        Field that must be right in a document that is wholly right; may be repeated; by default, all are.
    kind
        Kind of the values of fields, as 'NAME=KIND', where * in a name matches any text; may be repeated.
        Kinds are code, number (1,250.00), number:, (1.250,00) and date:FORMAT, such as date:%d.%m.%Y;
        for several date formats of a field, repeat the option with each.
    match
        How the items of lists are paired: best, order, or a key whose equal values pair items.
    absent
        Text that means that there is no value; may be repeated; by default the empty text.
    nulls
        keep also reports fabrication_rate: values predicted for keys that gold names with null, divided by
        all these keys.
    by
        Column to slice by, by default field; A,B crosses two columns; repeat it for several tables.
    n
        How many documents to print, by default 10; a file has all of them.
    """
    from anls_frame.frames import usual_names
    from anls_frame.readers.document_folders import read_documents
    from anls_frame.summary.catalogue import FABRICATION

    most = _SHOWN_DOCUMENTS if n is None else count("--n", n)
    kinds = _kinds(kind or [])
    with working("Comparing"):
        if file.is_dir():
            named = {"--prediction": prediction, "--answers": answers, "--id": id}
            if given := [option for option, name in named.items() if name is not None]:
                raise ValueError(f"{given[0]} names a column, but {file} is a folder: leave it out")
            frame, (name, read, right, sure) = _of_folders(file, gold, model_confidence)
        else:
            frame = read_documents(file)
            if gold is not None:
                raise ValueError(
                    f"--gold needs a folder of documents, but {file} is a file: name its columns with "
                    "--prediction and --answers; if another table has the gold documents, join them to this "
                    "one by their ids, in a column of their own"
                )
            read, right, sure = prediction or "prediction", answers or "answers", model_confidence
            others = [name for name in frame.columns if name not in {read, right}]
            ids = usual_names.usual_names("question_id", others)
            usual = [*filter(usual_names.is_document, others), *ids]
            name = id or (DOCUMENT if DOCUMENT in others else next(iter(usual), DOCUMENT))
        rows = af.fields(
            frame,
            read,
            right,
            id=name,
            match=match,
            absent=absent or [""],
            nulls=nulls,
            kinds=kinds,
            model_confidence=sure,
        )
        confidence = None if sure is None else "confidence"
        report = af.report(
            rows,
            "prediction",
            "answers",
            metrics=["fields", *([FABRICATION] if nulls == "keep" else [])],
            by=by or [["field"]],
            cluster=name,
            **vars(scoring),
        )
        whole = af.documents(
            rows,
            "prediction",
            "answers",
            id=name,
            required=required,
            model_confidence=confidence,
            **vars(scoring),
        )
    if not report.overall["n"]:
        raise ValueError(f"{file}: no document has a field, in gold or predicted")
    documents = _documents_table(whole, confidence)
    n_right = int(whole["all_right"].sum())
    said = f"{n_right:,} of {numbered(whole.height, 'document')} wholly right"
    said += f" in {', '.join(map(quoted, required))}" if required else ""
    order = "the most wrong fields" if confidence is None else "the least confident"
    # A document without fields is in a slice of its own, without rows that count.
    shown: Any = {"sort": "exact_match", "min_n": 1}
    document = report.to_document(**shown)
    notes = [f"{said}. Documents are listed with {order} first.", *document.notes]
    document = replace(document, tables=[*document.tables, documents], notes=notes)
    target.put_document(document)
    if target.json:
        return
    show(f"{said}: {target.output}" if target.output is not None else report.to_text(**shown))
    if target.is_terminal:
        show(f"\n{said}\n\n{documents.name}, {order} first")
        print_table(documents, most=most)


def _of_folders(
    file: Path, gold: Path | None, model_confidence: str | None
) -> tuple[pl.DataFrame, tuple[str, str, str, str | None]]:
    """Return the documents in folders, and the names of the columns."""
    from anls_frame.readers.document_folders import column_of, read_folders

    if gold is None:
        raise ValueError(f"name the folder of the gold documents with --gold; {file} is the predicted one")
    sure = None if model_confidence is None else Path(model_confidence)
    if sure is not None and sure.resolve() == file.resolve():
        sure = file
    frame = read_folders(file, gold, sure)
    return frame, (DOCUMENT, column_of(file), column_of(gold), None if sure is None else column_of(sure))


def _kinds(given: list[str]) -> dict[str, Any]:
    """Return the kinds of fields for values such as total*=number:, and *date=date:%d.%m.%Y."""
    formats: dict[str, list[str]] = {}
    kinds: dict[str, Any] = {}
    for text in given:
        name, _, kind = text.partition("=")
        how, _, option = kind.partition(":")
        if not name or how not in {"code", "number", "date"} or (how == "code" and option):
            raise ValueError(
                f"--kind must be NAME=KIND, with the kind code, number, number:, or date:FORMAT, got {text!r}"
            )
        if name in kinds and (how != "date" or name not in formats):
            raise ValueError(
                f"--kind must give a name one kind, got two for {name!r}; if gold and predictions write "
                "numbers in different ways, write those of gold as JSON numbers, such as 12.5"
            )
        if how == "date":
            formats[name] = [*formats.get(name, []), option]
            kinds[name] = af.fields.date(*formats[name])
        else:
            decimal: Any = option or "."
            kinds[name] = "code" if how == "code" else af.fields.number(decimal=decimal)
    return kinds


def _documents_table(whole: pl.DataFrame, confidence: str | None) -> Table:
    """Return the documents, those to look at first on top: the least confident, or those with most faults."""
    from anls_frame.export.columns import Column
    from anls_frame.export.document import result_table

    if confidence is None:
        whole = whole.sort("n_wrong", descending=True, maintain_order=True)
    else:
        whole = whole.sort(confidence, nulls_last=False, maintain_order=True)
    own = {} if confidence is None else {confidence: Column(confidence, kind="score")}
    return result_table("Documents", whole, own=own)
