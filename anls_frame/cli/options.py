"""Options that several commands share, and what every command does around its own work."""

from __future__ import annotations

import functools
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

_CLOSED_PIPE = 141

File = Annotated[
    Path,
    typer.Argument(
        help="Results: CSV, TSV, JSON Lines, JSON, Parquet, XLSX, or a harness' file.", metavar="FILE"
    ),
]
Files = Annotated[
    list[Path], typer.Argument(help="One file of results, or several of the same kind.", metavar="FILE...")
]
Reader = Annotated[
    str, typer.Option("--reader", "-r", help="auto, table, rrc, lmms-eval, vlmevalkit, lm-eval or inspect.")
]
Gold = Annotated[
    Path | None, typer.Option(help="Gold labels of the Robust Reading Competition; FILE is the submission.")
]
Prediction = Annotated[str | None, typer.Option("--prediction", "-p", help="Column of the predictions.")]
Answers = Annotated[str | None, typer.Option("--answers", "-a", help="Column of the accepted answers.")]
AnswersFormat = Annotated[
    str | None,
    typer.Option(
        help="Of answers that are texts: text (one answer each), list (read what is printed as a list) or "
        "auto (list in CSV, TSV and XLSX where every cell is one)."
    ),
]
QuestionId = Annotated[str | None, typer.Option(help="Column of the ids.")]
Format = Annotated[
    str | None, typer.Option(help="csv, tsv, jsonl, json, parquet or xlsx, where the name does not say it.")
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file that is not UTF-8 or UTF-16.")]
Filter = Annotated[str | None, typer.Option(help="Filter of lm-evaluation-harness.")]
Scorer = Annotated[str | None, typer.Option(help="Scorer of Inspect whose answer is the prediction.")]
Epoch = Annotated[int | None, typer.Option(help="Epoch of Inspect; otherwise all, a row for each.")]
Response = Annotated[
    int | None,
    typer.Option(help="Of several responses to a sample (lmms-eval, lm-eval): 1, 2, ..., -1 the last."),
]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing", help="Take questions without an answer as missing predictions.")
]
Protocol = Annotated[str, typer.Option(help="anls, rrc, anls_star, jiwer or raw.")]
Threshold = Annotated[float | None, typer.Option(help="In place of the protocol's own.")]
CerProtocol = Annotated[str, typer.Option(help="How texts are prepared for CER.")]
Missing = Annotated[
    str, typer.Option(help="empty: null predictions score as the empty text; drop: they are left out.")
]
By = Annotated[
    list[str] | None, typer.Option("--by", "-b", help="Column that slices the rows; may be given again.")
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", "-c", help="Column of the document that rows belong to.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, in the format of its suffix.")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace a file that is there already.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Escape = Annotated[bool, typer.Option(help="In CSV, put an apostrophe before what a spreadsheet would run.")]

_SOURCE: dict[str, tuple[Any, Any]] = {
    "reader": (Reader, "auto"),
    "gold": (Gold, None),
    "prediction": (Prediction, None),
    "answers": (Answers, None),
    "answers_format": (AnswersFormat, None),
    "question_id": (QuestionId, None),
    "format": (Format, None),
    "sheet": (Sheet, None),
    "encoding": (Encoding, None),
    "filter": (Filter, None),
    "scorer": (Scorer, None),
    "epoch": (Epoch, None),
    "response": (Response, None),
    "allow_missing": (AllowMissing, False),
}
"""How a file is read: the options that a command with a parameter `source` has."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """
    Make a function a command: typer sees the options of the source in place of `source`.

    A pipe that is closed ends it as shells have it, with 141; typer alone would end with 1, which says that
    a gate failed.
    """
    parameters = inspect.signature(function, eval_str=True).parameters
    reads = "source" in parameters
    own = [one for name, one in parameters.items() if name != "source"]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in (_SOURCE.items() if reads else ())
    ]

    @functools.wraps(function)
    def run(**options: Any) -> None:
        if reads:
            from anls_frame.cli.source import Source

            options["source"] = Source(**{name: options.pop(name) for name in _SOURCE})
        try:
            function(**options)
            sys.stdout.flush()
        except BrokenPipeError:
            raise typer.Exit(_CLOSED_PIPE) from None

    signature = inspect.Signature([*own, *shared])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    return run
