"""Files in the ``.m2`` format: sentences with the edits of one or more annotators."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from anls_frame._atomic import replacing
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames.checks import no_column
from anls_frame.frames.conversion import in_polars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
_NOOP = "noop"
_FIELDS = 6
_SHOWN = 20

_BREAKS = re.compile(r"[\r\n]")

Files: TypeAlias = "str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]"
"""The file of a system, or the files of several by the names of their columns."""


class M2FormatError(ValueError):
    r"""
    A file is not in the ``.m2`` format. The message names the file, and each line with its problem.

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
    line 2: the span '0 x' must be two integers
    """


def read_m2(
    path: str | os.PathLike[str],
    *,
    prediction: Files | None = None,
    prediction_edits: Files | None = None,
) -> pl.DataFrame:
    r"""
    Read an ``.m2`` file, one row for each sentence.

    Parameters
    ----------
    path
        The file, in UTF-8: blocks of an ``S`` line and its ``A`` lines, with empty lines between.
    prediction
        A file with the corrected sentences, one per line, in the order of the blocks. It becomes the first
        column, `prediction`. For several systems, a mapping from names of columns to files.
    prediction_edits
        A second ``.m2`` file with a system's edits of the same sentences in the same order, as written by
        ERRANT. It becomes the last two columns, `prediction_edits` and `prediction_annotators`, for `errant`.
        For several systems, a mapping from names of columns of edits to files.

    Returns
    -------
    DataFrame
        `source` (`String`, the words as in the file), `edits` (a list of structs `start`, `end`, `type`,
        `corrections`, `required`, `comment`, `annotator`, in file order) and `annotators` (all annotators of
        the row, ascending, including those whose only line says ``noop``). A correction that is empty or
        ``-NONE-`` becomes the empty string. ``I`` lines are left out.

    Raises
    ------
    M2FormatError
        If lines are not in the format (the error has their numbers), the files have different numbers of
        sentences, or the two ``.m2`` files have different sentences.
    DuplicateColumnError
        If a column of a system has the name of another column.
    OSError
        If a file cannot be read.

    See Also
    --------
    read_parallel : reads plain sentences as references.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from anls_frame import gec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.m2")
    ...     _ = path.write_text("S He go home .\nA 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||0\n")
    ...     df = gec.read_m2(path)
    ...     both = gec.read_m2(path, prediction_edits=path)
    >>> df["edits"].item().struct.field("corrections").to_list()
    [['goes', 'went']]
    >>> counts = gec.errant("prediction_edits", "edits", "prediction_annotators", "annotators")
    >>> both.select(gec.errant_corpus(counts).struct.field("tp", "fp", "fn")).row(0)
    (1, 0, 0)
    """
    frame = _with_predictions(_read(Path(path)), prediction, path)
    if prediction_edits is None:
        return frame
    if isinstance(prediction_edits, Mapping):
        _check_names(prediction_edits, frame)
        edits = [_edits(file, path, frame)["edits"].alias(name) for name, file in prediction_edits.items()]
        return frame.hstack(edits)
    system = _edits(prediction_edits, path, frame)
    return frame.hstack(system.select(prediction_edits="edits", prediction_annotators="annotators"))


def _edits(file: str | os.PathLike[str], path: str | os.PathLike[str], frame: pl.DataFrame) -> pl.DataFrame:
    """Read a system's edits of the sentences of a frame."""
    system = _read(Path(file))
    if system.height != frame.height:
        raise M2FormatError(f"{file} has {system.height} sentences, but {path} has {frame.height}")
    for row, (own, other) in enumerate(zip(system["source"], frame["source"], strict=True), 1):
        if own.split() != other.split():
            raise M2FormatError(f"sentence {row} of {file} differs from that of {path}: {own!r}, {other!r}")
    return system


def _read(path: Path) -> pl.DataFrame:
    reader = _BlocksRead(path)
    for number, line in _lines(path, reader.problem):
        reader.take(number, line)
    return reader.frame()


def _with_predictions(
    frame: pl.DataFrame, prediction: Files | None, path: str | os.PathLike[str]
) -> pl.DataFrame:
    """Put columns with the corrected sentences before the others."""
    if prediction is None:
        return frame
    files = prediction if isinstance(prediction, Mapping) else {"prediction": prediction}
    _check_names(files, frame)
    columns = [_sentences(file, path, frame.height).alias(name) for name, file in files.items()]
    return pl.DataFrame(columns).hstack(frame)


def _check_names(names: Iterable[str], frame: pl.DataFrame) -> None:
    for name in names:
        if name in frame.columns:
            raise DuplicateColumnError(f"column {name!r} of a system would occur twice; give it another name")


def _read_sentences(path: str | os.PathLike[str]) -> list[str]:
    def fail(number: int, text: str) -> None:
        raise M2FormatError(f"{path}: line {number}: {text}")

    return [line for _, line in _lines(Path(path), fail)]


def _sentences(path: str | os.PathLike[str], other: str | os.PathLike[str], count: int) -> pl.Series:
    sentences = _read_sentences(path)
    if len(sentences) != count:
        raise M2FormatError(f"{path} has {len(sentences)} lines, but {other} has {count} sentences")
    return pl.Series(sentences, dtype=pl.String)


def read_parallel(
    source: str | os.PathLike[str],
    references: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    prediction: Files | None = None,
) -> pl.DataFrame:
    r"""
    Read sources and their corrections by one or more people, from files with one sentence per line.

    Parameters
    ----------
    source
        The file with the sentences before correction, in UTF-8.
    references
        The file with the corrected sentences of one person, or a list of such files.
    prediction
        The file with the corrected sentences of a system. It becomes the first column, `prediction`. For
        several systems, a mapping from names of columns to files.

    Returns
    -------
    DataFrame
        One row per line: `source` (`String`) and `references` (`List(String)`, in the order of the files),
        ready for `i_measure`.

    Raises
    ------
    M2FormatError
        If the files have different numbers of lines, or a line is not UTF-8.
    DuplicateColumnError
        If a column of a system has the name of another column.
    ValueError
        If `references` is empty.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from anls_frame import gec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, first, second = (pathlib.Path(folder, name) for name in ("src", "a", "b"))
    ...     _ = source.write_text("He go home .\n")
    ...     _ = first.write_text("He goes home .\n")
    ...     _ = second.write_text("He went home .\n")
    ...     df = gec.read_parallel(source, [first, second], prediction=second)
    >>> df.rows()
    [('He went home .', 'He go home .', ['He goes home .', 'He went home .'])]
    >>> df.select(
    ...     gec.i_measure("prediction", "source", references="references").struct.field("i_measure")
    ... ).item()
    1.0
    """
    files = [references] if isinstance(references, str | os.PathLike) else list(references)
    if not files:
        raise ValueError("`references` must name at least one file")
    sources = pl.Series("source", _read_sentences(source), dtype=pl.String)
    columns = [_sentences(path, source, len(sources)) for path in files]
    listed = pl.DataFrame([column.alias(str(index)) for index, column in enumerate(columns)])
    frame = pl.DataFrame([sources]).with_columns(
        listed.select(references=pl.concat_list(pl.all())).to_series()
    )
    return _with_predictions(frame, prediction, source)


def write_m2(frame: Any, path: str | os.PathLike[str]) -> None:
    """
    Write sentences with edits as an ``.m2`` file.

    Parameters
    ----------
    frame
        Polars, pandas or Arrow frame with the columns `source`, `edits` and, to keep annotators without
        edits, `annotators`, as `read_m2` returns them. `required` and `comment` may be missing in edits.
    path
        Path of the file, which is written completely or not at all.

    Returns
    -------
    None
        `read_m2` reads the same rows back, except for content that the format cannot represent: spaces around
        a correction, and ``noop`` edits, each of which becomes the line of an annotator without edits. Where
        `required` or `comment` is null or empty, ``REQUIRED`` or ``-NONE-`` is written.

    Raises
    ------
    M2FormatError
        If a row holds content that the format cannot represent: a line break; ``|||`` in a field, ``||`` in a
        correction, or a ``|`` next to one of them, such as at the end of a type; a correction that begins or
        ends with whitespace, or is ``-NONE-``, the format's word for a deletion; a null source, span or
        annotator; a span that starts below 0 or ends before it starts.
    TypeError
        If `frame` is not a frame.
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
    polars_frame = in_polars(frame)
    names = polars_frame.collect_schema().names()
    columns = [name for name in SCHEMA if name in names]
    for name in ("source", "edits"):
        if name not in columns:
            raise M2FormatError(no_column(name, names))
    rows = polars_frame.lazy().select(columns).collect()
    blocks = (_block(index, row) for index, row in enumerate(rows.iter_rows(named=True)))
    with replacing(Path(path)) as file:
        for block in blocks:
            file.write(block.encode())


class _BlocksRead:
    """The blocks read so far, and their problems."""

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
        if not line.strip():
            self.is_open = False
        elif line == "S" or line.startswith("S "):
            if self.is_open:
                self.problem(number, "second S line in one block; put an empty line before it")
            self.is_open = True
            self.sources.append(line[2:])
            self.edits.append([])
            self.annotators.append(set())
        elif line.startswith("A "):
            if self.is_open:
                self.take_edit(number, line[2:])
            else:
                self.problem(number, "A line without an S line before it in its block")
        elif line != "I" and not line.startswith("I "):
            self.problem(number, f"a line must start with 'S ', 'A ' or 'I ', got {line[:10]!r}")

    def take_edit(self, number: int, text: str) -> None:
        fields = text.split("|||")
        if len(fields) != _FIELDS:
            self.problem(
                number, f"an A line must have {_FIELDS} fields separated by '|||', got {len(fields)}"
            )
            return
        span, kind, corrections, required, comment, who = fields
        ends = [_whole(part) for part in span.split()]
        annotator = _whole(who.strip())
        start, end = ends if len(ends) == 2 else (None, None)  # noqa: PLR2004 - a start and an end
        if start is None or end is None:
            self.problem(number, f"the span {span!r} must be two integers")
            return
        if annotator is None:
            self.problem(number, f"the annotator {who!r} must be an integer")
            return
        if kind == _NOOP or (start, end) == (-1, -1):
            self.annotators[-1].add(annotator)
            return
        if not 0 <= start <= end:
            self.problem(number, f"the span {span!r} must start at 0 or later and not end before it starts")
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
            others = f"; and {self.others} more lines" if self.others else ""
            raise M2FormatError(f"{self.path}: {'; '.join(self.problems)}{others}")
        annotators = [sorted(names) for names in self.annotators]
        data: dict[str, Any] = {"source": self.sources, "edits": self.edits, "annotators": annotators}
        return pl.DataFrame(data, schema=SCHEMA)


def _whole(text: str) -> int | None:
    """Return the number if the text is a 32-bit integer in ASCII digits, else None."""
    if not re.fullmatch(r"[+-]?[0-9]{1,10}", text):
        return None
    number = int(text)
    return number if -(2**31) <= number < 2**31 else None


def _lines(path: Path, problem: Callable[[int, str], None]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file without their ends, with their numbers; `problem` is told of bad bytes."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem(number, f"not UTF-8 (byte {error.start} of the line)")
            else:
                yield number, text.removesuffix("\n").removesuffix("\r")


def _block(index: int, row: dict[str, Any]) -> str:
    if row["source"] is None:
        raise M2FormatError(f"row {index}: the source is null")
    edits = [edit for edit in _list(row["edits"]) if edit is not None]
    lines = [f"S {_checked(index, row['source'])}"]
    for edit in edits:
        start, end, annotator = (_number(index, edit, name) for name in ("start", "end", "annotator"))
        if edit["type"] == _NOOP or (start, end) == (-1, -1):
            continue
        if not 0 <= start <= end:
            raise M2FormatError(
                f"row {index}: an edit from {start} to {end}: a span must start at 0 or later and not end "
                "before it starts"
            )
        kind, required, comment = (
            _checked(index, edit.get(name) or default)
            for name, default in (("type", ""), ("required", "REQUIRED"), ("comment", _NONE))
        )
        corrections = [_correction(index, text) for text in _list(edit["corrections"]) or [""]]
        joined = _joined(index, corrections, "||")
        fields = [f"{start} {end}", kind, joined, required, comment, str(annotator)]
        lines.append(f"A {_joined(index, fields, '|||')}")
    written = {edit["annotator"] for edit in edits if edit["type"] != _NOOP and edit["start"] != -1}
    others = {*_list(row.get("annotators")), *(edit["annotator"] for edit in edits)}
    if None in others:
        raise M2FormatError(f"row {index}: an annotator is null")
    idle = others - written
    lines += [f"A -1 -1|||noop|||{_NONE}|||REQUIRED|||{_NONE}|||{annotator}" for annotator in sorted(idle)]
    return "\n".join(lines) + "\n\n"


def _number(index: int, edit: dict[str, Any], name: str) -> int:
    number = edit[name]
    if number is None:
        raise M2FormatError(f"row {index}: an edit whose `{name}` is null")
    return int(number)


def _joined(index: int, fields: list[str], separator: str) -> str:
    text = separator.join(fields)
    if text.split(separator) == fields:
        return text
    for field in fields:
        if separator in field:
            raise M2FormatError(f"row {index}: {field!r} contains {separator!r}, which separates fields")
    field = next(field for field in fields if field.startswith("|") or field.endswith("|"))
    raise M2FormatError(
        f"row {index}: {field!r} starts or ends with '|', which would merge with the separator {separator!r}"
    )


def _list(values: Iterable[Any] | None) -> list[Any]:
    return [] if values is None else list(values)


def _correction(index: int, text: str | None) -> str:
    text = _checked(index, text or "")
    if text == _NONE or text != text.strip():
        raise M2FormatError(
            f"row {index}: the correction {text!r} would be read back as another text; strip it, and write a "
            "deletion as an empty text"
        )
    return text or _NONE


def _checked(index: int, text: str) -> str:
    if _BREAKS.search(text):
        raise M2FormatError(f"row {index}: {text!r} contains a line break, which the format does not allow")
    return text
