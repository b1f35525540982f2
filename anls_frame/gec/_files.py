"""The ``.m2`` format: sentences with the edits of one or several annotators."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.export.atomic import replacing
from anls_frame.gec import _columns

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

EDIT = pl.Struct(
    {
        "start": pl.Int32,
        "end": pl.Int32,
        "type": pl.String,
        "corrections": pl.List(pl.String),
        "required": pl.String,
        "comment": pl.String,
        "annotator": pl.Int32,
    }
)
SCHEMA: dict[str, pl.DataType] = {
    "source": pl.String(),
    "edits": pl.List(EDIT),
    "annotators": pl.List(pl.Int32),
}

_NONE = "-NONE-"
_FIELDS = 6
_SHOWN = 20

_BREAKS = re.compile(r"[\r\n]")


class M2FormatError(ValueError):
    r"""
    A file is not in the ``.m2`` format; the message names the file and each line with what is wrong there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from anls_frame import gec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.m2")
    ...     _ = path.write_text("S a b\nA 0 x|||R|||c|||REQUIRED|||-NONE-|||0\n")
    ...     try:
    ...         gec.read_m2(path)
    ...     except gec.M2FormatError as error:
    ...         print(str(error).partition(": ")[2])
    line 2: the span '0 x' is not two whole numbers
    """


def read_m2(
    path: str | os.PathLike[str], *, prediction: str | os.PathLike[str] | None = None
) -> pl.DataFrame:
    r"""
    Read an ``.m2`` file, one row for each sentence.

    Parameters
    ----------
    path
        The file, in UTF-8: blocks of an ``S`` line and its ``A`` lines, with empty lines between.
    prediction
        A file with the corrected sentences, one a line in the order of the blocks; becomes the first column.

    Returns
    -------
    DataFrame
        `source` (`String`, the words as in the file), `edits` (a list of structs `start`, `end`, `type`,
        `corrections`, `required`, `comment`, `annotator`, in the order of the file) and `annotators` (all of
        the row, ascending, those included whose only line says ``noop``). A correction that is empty or
        ``-NONE-`` is the empty text. ``I`` lines are left out.

    Raises
    ------
    M2FormatError
        If lines are not in the format, with the number of each; or if the number of predictions differs.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from anls_frame import gec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.m2")
    ...     _ = path.write_text("S He go home .\nA 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||0\n")
    ...     df = gec.read_m2(path)
    >>> df["edits"].item().struct.field("corrections").to_list()
    [['goes', 'went']]
    """
    reader = _Reader(Path(path))
    for number, line in _lines(reader):
        reader.take(number, line)
    frame = reader.frame()
    if prediction is None:
        return frame
    predictions = _read_predictions(Path(prediction))
    if len(predictions) != frame.height:
        raise M2FormatError(
            f"{prediction} has {len(predictions)} lines, but {path} has {frame.height} sentences"
        )
    return frame.insert_column(0, pl.Series("prediction", predictions, dtype=pl.String))


def write_m2(frame: Any, path: str | os.PathLike[str]) -> None:
    """
    Write sentences with edits as an ``.m2`` file.

    Parameters
    ----------
    frame
        Polars or pandas frame with the columns `source`, `edits` and, if annotators without an edit are to
        be kept, `annotators`, as `read_m2` gives them. `required` and `comment` may be missing in edits.
    path
        The file, which is complete or not there at all.

    Returns
    -------
    None
        Read again with `read_m2`, the file gives the same rows.

    Raises
    ------
    M2FormatError
        If a text cannot stand in the format: a line break, or what separates fields. The message names the
        row. Also if a source is null.
    TypeError
        If the frame is none.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
    >>> df = pl.DataFrame({"source": ["He go home ."], "edits": [[edit]], "annotators": [[0, 1]]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.m2")
    ...     gec.write_m2(df, path)
    ...     print(path.read_text().rstrip())
    S He go home .
    A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
    """
    polars_frame, _ = _columns.to_polars(frame, "write_m2")
    names = polars_frame.collect_schema().names()
    columns = [name for name in SCHEMA if name in names]
    for name in ("source", "edits"):
        if name not in columns:
            raise M2FormatError(f"no column {name!r} among {names}")
    rows = polars_frame.lazy().select(columns).collect()
    blocks = (_block(index, row) for index, row in enumerate(rows.iter_rows(named=True)))
    with replacing(Path(path)) as file:
        for block in blocks:
            file.write(block.encode())


class _Reader:
    """Blocks read so far, and what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sources: list[str] = []
        self.edits: list[list[dict[str, Any]]] = []
        self.annotators: list[set[int]] = []
        self.is_open = False
        self.problems: list[str] = []
        self.others = 0

    def problem(self, number: int, text: str) -> None:
        if len(self.problems) < _SHOWN:
            self.problems.append(f"line {number}: {text}")
        else:
            self.others += 1

    def take(self, number: int, line: str) -> None:
        line = line.rstrip("\r")
        if not line.strip():
            self.is_open = False
        elif line == "S" or line.startswith("S "):
            if self.is_open:
                self.problem(number, "a second S line in one block; put an empty line before it")
            self.is_open = True
            self.sources.append(line[2:])
            self.edits.append([])
            self.annotators.append(set())
        elif line.startswith("A "):
            if self.is_open:
                self.take_edit(number, line[2:])
            else:
                self.problem(number, "an A line without an S line before it in its block")
        elif line != "I" and not line.startswith("I "):
            self.problem(number, f"a line starts with 'S ', 'A ' or 'I ', this one with {line[:10]!r}")

    def take_edit(self, number: int, text: str) -> None:
        fields = text.split("|||")
        if len(fields) != _FIELDS:
            self.problem(number, f"an A line has {_FIELDS} fields separated by '|||', this one {len(fields)}")
            return
        span, kind, corrections, required, comment, who = fields
        ends = [_whole(part) for part in span.split()]
        annotator = _whole(who.strip())
        start, end = ends if len(ends) == 2 else (None, None)  # noqa: PLR2004 - a start and an end
        if start is None or end is None:
            self.problem(number, f"the span {span!r} is not two whole numbers")
            return
        if annotator is None:
            self.problem(number, f"the annotator {who!r} is no whole number")
            return
        if kind == "noop" or (start, end) == (-1, -1):
            self.annotators[-1].add(annotator)
            return
        if not 0 <= start <= end:
            self.problem(number, f"the span {span!r} does not start at 0 or later and end behind its start")
            return
        self.annotators[-1].add(annotator)
        texts = [text.strip() for text in corrections.split("||")]
        self.edits[-1].append(
            {
                "start": start,
                "end": end,
                "type": kind,
                "corrections": ["" if text == _NONE else text for text in texts],
                "required": required,
                "comment": comment,
                "annotator": annotator,
            }
        )

    def frame(self) -> pl.DataFrame:
        if self.problems:
            others = f"; and {self.others} lines more" if self.others else ""
            raise M2FormatError(f"{self.path}: {'; '.join(self.problems)}{others}")
        annotators = [sorted(one) for one in self.annotators]
        data: dict[str, Any] = {"source": self.sources, "edits": self.edits, "annotators": annotators}
        return pl.DataFrame(data, schema=SCHEMA)


def _whole(text: str) -> int | None:
    """Return the number, if it is one of 32 bits in ASCII digits."""
    if not re.fullmatch(r"[+-]?[0-9]{1,10}", text):
        return None
    number = int(text)
    return number if -(2**31) <= number < 2**31 else None


def _lines(reader: _Reader) -> Iterator[tuple[int, str]]:
    with reader.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reader.problem(number, f"not UTF-8 (byte {error.start} of the line)")
                continue
            yield number, text.removesuffix("\n")


def _read_predictions(path: Path) -> list[str]:
    lines = path.read_bytes().split(b"\n")
    if not lines[-1]:
        lines.pop()
    texts = []
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise M2FormatError(
                f"{path}: line {number}: not UTF-8 (byte {error.start} of the line)"
            ) from None
        texts.append(text.removesuffix("\r"))
    return texts


def _block(index: int, row: dict[str, Any]) -> str:
    if row["source"] is None:
        raise M2FormatError(f"row {index}: the source is null")
    edits = row["edits"] if row["edits"] is not None else []
    lines = [f"S {_checked(index, row['source'])}"]
    for edit in edits:
        fields = [
            edit["type"] or "",
            "||".join(_correction(index, text) for text in _list(edit["corrections"]) or [""]),
            edit.get("required") or "REQUIRED",
            edit.get("comment") or _NONE,
            str(edit["annotator"]),
        ]
        for field in (fields[0], *fields[2:4]):
            _checked(index, field, "|||")
        lines.append("|||".join([f"A {edit['start']} {edit['end']}", *fields]))
    idle = {*_list(row.get("annotators"))} - {edit["annotator"] for edit in edits}
    lines += [f"A -1 -1|||noop|||{_NONE}|||REQUIRED|||{_NONE}|||{annotator}" for annotator in sorted(idle)]
    return "\n".join(lines) + "\n\n"


def _list(values: Iterable[Any] | None) -> list[Any]:
    return [] if values is None else list(values)


def _correction(index: int, text: str | None) -> str:
    return _checked(index, text or "", "||") or _NONE


def _checked(index: int, text: str, separator: str | None = None) -> str:
    if _BREAKS.search(text):
        raise M2FormatError(f"row {index}: {text!r} holds a line break, which the format cannot")
    if separator and separator in text:
        raise M2FormatError(f"row {index}: {text!r} holds {separator!r}, which separates fields")
    return text
