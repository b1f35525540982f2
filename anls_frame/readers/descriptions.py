"""
Descriptions of all kinds of result files.

The command line's help, the detection of kinds, errors, `read_logs` and the tables of the documentation
use these descriptions. A reader is imported when it reads a file.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

ID_FIELDS = ("questionId", "question_id")
"""The names of the ids in gold labels and submissions of competitions."""
_LOGGED = frozenset({"filtered_resps", "target"})
_MMF = frozenset({"question_id", "image_id", "answer", "pred_source"})
_DUDE = frozenset({"questionId", "answers", "answers_confidence", "answers_abstained"})


@dataclass(frozen=True, kw_only=True)
class ReaderOption:
    """An option that follows the name of the reader on the command line, as in `inspect,scorer=match`."""

    help: str
    is_text: bool = True
    """Whether the value is taken as text; others are read as JSON, so that 1 is a number."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """A kind of file."""

    function: str
    """Module and name of the reader, below `anls_frame`."""
    files: str
    """The files, for the table in the documentation."""
    python: str | None = None
    """The functions of this kind, for this table, where they are more than the reader."""
    command: str = "`FILE`"
    """The arguments of the command line, for this table."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of files that are always of this kind."""
    looks_like: Callable[[str, set[str]], bool] | None = None
    """Whether a JSON file with this beginning, without whitespace before it, and these first keys is one."""
    ids: Literal["own", "rows"] = "own"
    """Whether ids of questions are the numbers of the rows of the data set."""
    competition_name: str | None = None
    """Module and name of the `Competition` whose gold labels and submissions these are."""
    options: Mapping[str, ReaderOption]
    """Options of this kind alone; others, such as the names of columns, are options of the command line."""

    @cached_property
    def competition(self) -> Any:
        """The `submissions.Competition` of this kind, if its files are submissions."""
        return None if self.competition_name is None else _named(self.competition_name)

    @cached_property
    def parameters(self) -> set[str]:
        """Names of the reader's options; its file is the path or the submission."""
        names = {*inspect.signature(_named(self.function)).parameters, *self.options}
        return names - {"path", "submission", "options"}

    def read(self, file: os.PathLike[str], **options: Any) -> pl.DataFrame:
        """Read a file."""
        frame: pl.DataFrame = _named(self.function)(file, **options)
        return frame


def _named(function: str) -> Any:
    module, _, name = function.rpartition(".")
    return getattr(import_module(f"anls_frame.{module}"), name)


def _is_of_inspect(text: str, _: set[str]) -> bool:
    squeezed = "".join(text.split())
    return squeezed.startswith("{") and '"eval":{' in squeezed and '"status":' in squeezed


_SHEET = ReaderOption(help="sheet of a workbook")
_ENCODING = ReaderOption(help="encoding of text files that are neither UTF-8 nor UTF-16")
_RESPONSE = ReaderOption(
    help="which of several responses to a sample: 1, 2, ..., -1 for the last, or all", is_text=False
)
_NONE = ReaderOption(
    help="what the target None means: answer, or missing (the default, with a warning among other targets)"
)

READERS: Mapping[str, Description] = {
    "table": Description(
        function="files.table_files.read_results",
        files="CSV, TSV, JSON Lines, JSON, Parquet, XLSX; `.gz` and `.zst`",
        python="`read_results`, `scan_results` (lazy); `write_results` writes one",
        options={
            "format": ReaderOption(help="csv, tsv, jsonl, json, parquet or xlsx, if not clear from the name"),
            "encoding": _ENCODING,
            "delimiter": ReaderOption(help="delimiter of a CSV file, if it is not detected"),
            "sheet": _SHEET,
            "question": ReaderOption(help="column of the questions"),
            "question_types": ReaderOption(help="column of the types of the questions"),
            "doc_id": ReaderOption(help="column of the documents"),
            "answers_format": ReaderOption(
                help="how to read answers that are text: text (one answer each), list (parse a printed "
                "list), a separator such as ; (also split there) or auto (in CSV, TSV and XLSX: list if "
                "every cell is one, and split at | if it occurs only between answers)"
            ),
            "question_types_format": ReaderOption(
                help="how to read types of questions that are text: list (the default), text or a separator"
            ),
        },
    ),
    "rrc": Description(
        function="runs.competitions.read_rrc",
        files="Robust Reading Competition, MMF: gold labels and a submission",
        python="`read_rrc`; `readers.write_submission` writes one",
        command="`SUBMISSION --gold GOLD`",
        looks_like=lambda text, keys: text[:1] == "[" and keys in ({"questionId", "answer"}, _MMF),
        competition_name="readers.submissions.RRC",
        options={},
    ),
    "dude": Description(
        function="runs.competitions.read_dude",
        files="DUDE: gold labels and a submission",
        command="`SUBMISSION --gold GOLD`",
        looks_like=lambda text, keys: text[:1] == "[" and {"questionId", "answers"} <= keys <= _DUDE,
        competition_name="readers.submissions.DUDE",
        options={},
    ),
    "lmms-eval": Description(
        function="readers.lmms_eval.read_lmms_eval",
        files="lmms-eval: `*_samples_TASK.jsonl`",
        looks_like=lambda _, keys: keys >= _LOGGED and "arguments" not in keys,
        ids="rows",
        options={"response": _RESPONSE, "none": _NONE},
    ),
    "vlmevalkit": Description(
        function="readers.vlmevalkit.read_vlmevalkit",
        files="VLMEvalKit: `MODEL_DATASET.xlsx`, `.tsv`, `.json`",
        command="`FILE --reader vlmevalkit`",
        options={"sheet": _SHEET},
    ),
    "lm-eval": Description(
        function="readers.lm_eval.read_lm_eval",
        files="LM evaluation harness: `samples_TASK_*.jsonl`",
        looks_like=lambda _, keys: keys >= _LOGGED and "arguments" in keys,
        ids="rows",
        options={
            "filter": ReaderOption(help="filter to read, if responses of several are logged"),
            "response": _RESPONSE,
            "none": _NONE,
        },
    ),
    "inspect": Description(
        function="readers.inspect_logs.read_inspect",
        files="Inspect: `.json`, `.eval`",
        suffixes=(".eval",),
        looks_like=_is_of_inspect,
        options={
            "scorer": ReaderOption(help="scorer whose answer is the prediction, not the whole output"),
            "allow_missing": ReaderOption(
                help="true reads a log whose run did not end, in which samples may be missing", is_text=False
            ),
        },
    ),
    "pages": Description(
        function="readers.pages.read_as_answers",
        files="pages: text, Markdown, PAGE XML, ALTO, hOCR in folders",
        python="`read_pages`, `readers.Pages`: [an OCR project](pages.md)",
        command="`FOLDER --gold FOLDER`",
        options={
            "match": ReaderOption(
                help="regular expression that finds the name of a page in the name of its file, such as "
                "[0-9]+$; a group, if it has one, is the name"
            ),
            "collection": ReaderOption(
                help="pattern of the names of pages that says to which collection they belong, such as "
                "{collection}_{page}"
            ),
            "index": ReaderOption(
                help="index of the TextEquiv to read as the engine's text, in PAGE XML with several",
                is_text=False,
            ),
            "split": ReaderOption(
                help="false reads a file with several pages as one page, not as a row for each", is_text=False
            ),
            "empty_lines": ReaderOption(help="keep or drop empty lines in pages of plain text"),
            "encoding": _ENCODING,
            "unknown": ReaderOption(
                help="warn reads a file none of whose words is where pages have text, which is an error"
            ),
        },
    ),
}
"""The kinds of files by the names that users give them."""

READER_OPTIONS: Mapping[str, ReaderOption] = {
    name: option for description in READERS.values() for name, option in description.options.items()
}
"""The options of single readers."""
