"""Files in the ``.m2`` format: sentences with the edits of one or more annotators."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from anls_frame._atomic import replacing
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames.checks import no_column
from anls_frame.frames.conversion import in_polars

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
_DEFAULTS = {"type": "", "required": "REQUIRED", "comment": _NONE}
_FIELDS = 6
_SHOWN = 20

_BREAKS = re.compile(r"[\r\n]")
_WHOLE = re.compile(r"\s*([+-]?[0-9]{1,9})\s*")
_SPAN = re.compile(rf"{_WHOLE.pattern}(?<=\s){_WHOLE.pattern}")

Files: TypeAlias = "str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]"
"""The file of a system, or the files of several by the names of their columns."""


Block: TypeAlias = tuple[str, list[dict[str, Any]], set[int]]
"""A sentence, its edits, and its annotators."""


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


def _sentences(path: str | os.PathLike[str], other: str | os.PathLike[str], count: int) -> pl.Series:
    sentences = list(_lines(path))
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
    sources = list(_lines(source))
    corrected = zip(*(_sentences(path, source, len(sources)) for path in files), strict=True)
    schema = {"source": pl.String(), "references": pl.List(pl.String)}
    frame = pl.DataFrame({"source": sources, "references": list(map(list, corrected))}, schema=schema)
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
    with replacing(Path(path)) as file:
        for index, row in enumerate(rows.iter_rows(named=True)):
            try:
                file.write(_block(row).encode())
            except ValueError as error:
                raise M2FormatError(f"row {index}: {error}") from error


def _read(path: Path) -> pl.DataFrame:
    blocks: list[Block] = []
    problems: list[str] = []
    is_open = False
    for number, line in enumerate(_lines(path), 1):
        try:
            is_open = _take(line, blocks, is_open=is_open)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        others = len(problems) - _SHOWN
        more = f"; and {others} more lines" if others > 0 else ""
        raise M2FormatError(f"{path}: {'; '.join(problems[:_SHOWN])}{more}")
    rows = [(source, edits, sorted(annotators)) for source, edits, annotators in blocks]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _take(line: str, blocks: list[Block], *, is_open: bool) -> bool:
    """Add what a line says to the blocks; return whether the last one is open for edits."""
    if not line.strip():
        return False
    if line == "S" or line.startswith("S "):
        if is_open:
            raise ValueError("second S line in one block; put an empty line before it")
        blocks.append((line[2:], [], set()))
        return True
    if line.startswith("A "):
        if not is_open:
            raise ValueError("A line without an S line before it in its block")
        edit = _edit(line[2:])
        _, edits, annotators = blocks[-1]
        annotators.add(edit["annotator"])
        if not _is_noop(edit):
            edits.append(edit)
    elif line != "I" and not line.startswith("I "):
        raise ValueError(f"a line must start with 'S ', 'A ' or 'I ', got {line[:10]!r}")
    return is_open


def _edit(text: str) -> dict[str, Any]:
    fields = text.split("|||")
    if len(fields) != _FIELDS:
        raise ValueError(f"an A line must have {_FIELDS} fields separated by '|||', got {len(fields)}")
    span, kind, corrections, required, comment, who = fields
    ends, annotator = _SPAN.fullmatch(span), _WHOLE.fullmatch(who)
    if ends is None:
        raise ValueError(f"the span {span!r} must be two integers")
    if annotator is None:
        raise ValueError(f"the annotator {who!r} must be an integer")
    texts = [text.strip() for text in corrections.split("||")]
    edit: dict[str, Any] = {
        "start": int(ends[1]),
        "end": int(ends[2]),
        "type": kind,
        "corrections": ["" if text == _NONE else text for text in texts],
        "required": required,
        "comment": comment,
        "annotator": int(annotator[1]),
    }
    if not _is_noop(edit) and not 0 <= edit["start"] <= edit["end"]:
        raise ValueError(f"the span {span!r} must start at 0 or later and not end before it starts")
    return edit


def _is_noop(edit: dict[str, Any]) -> bool:
    """Whether an edit says of its annotator that nothing was changed."""
    return edit["type"] == _NOOP or (edit["start"], edit["end"]) == (-1, -1)


def _lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a file without their ends."""
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise M2FormatError(
                    f"{path}: line {number}: not UTF-8 (byte {error.start} of the line)"
                ) from error
            yield text.removesuffix("\n").removesuffix("\r")


def _block(row: dict[str, Any]) -> str:
    """Return the lines of a sentence; raise an error for content that would be read back as other content."""
    if row["source"] is None:
        raise ValueError("the source is null")
    lines = [f"S {row['source']}"]
    idle, busy = set(row.get("annotators") or ()), set()
    for edit in filter(None, row["edits"] or ()):
        if _is_noop(edit):
            idle.add(edit["annotator"])
            continue
        corrections = [text or "" for text in edit["corrections"] or [""]]
        numbers = {name: edit[name] for name in ("start", "end", "annotator")}
        texts = {name: edit.get(name) or default for name, default in _DEFAULTS.items()}
        written = "||".join(text or _NONE for text in corrections)
        span = f"{edit['start']} {edit['end']}"
        fields = [span, texts["type"], written, texts["required"], texts["comment"], str(edit["annotator"])]
        line = "|||".join(fields)
        if line.split("|||") != fields or _edit(line) != {**numbers, **texts, "corrections": corrections}:
            raise ValueError(
                f"{line!r} would be read back as other fields; remove '|' beside '||' and '|||', and "
                "whitespace around corrections, and write a deletion as an empty text"
            )
        busy.add(edit["annotator"])
        lines.append(f"A {line}")
    if None in idle:
        raise ValueError("an annotator is null")
    lines += [
        f"A -1 -1|||noop|||{_NONE}|||REQUIRED|||{_NONE}|||{annotator}" for annotator in sorted(idle - busy)
    ]
    for line in lines:
        if _BREAKS.search(line):
            raise ValueError(f"{line!r} contains a line break, which the format does not allow")
    return "\n".join(lines) + "\n\n"
