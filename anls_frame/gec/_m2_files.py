"""Files in the ``.m2`` format: sentences with the edits of one or more annotators."""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from anls_frame._atomic import replacing
from anls_frame._paths import as_names, as_path, below_shared, files_at
from anls_frame._text import numbered, path_text
from anls_frame.exceptions import DuplicateColumnError, warn
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
_UNABLE = "NA"
_NO_SPAN = (-1, -1)
# ChERRANT's words for a sentence without errors, and for one that the annotator could not correct.
_NO_ERRORS, _CANNOT_BE_ANNOTATED = "没有错误", "无法标注"
_DEFAULTS = {"type": "", "required": "REQUIRED", "comment": _NONE}
_FIELDS = 6
_SHOWN = 20
_FEWEST, _FEWEST_JOINED = 10, 3
"""Smallest number of sentences to judge by, and of sentences with other words."""
_MOST_JOINED, _LEAST_KEPT = 0.75, 0.5
"""The share of such sentences, and of words of the sources, at which a warning begins."""

_BREAKS = re.compile(r"[\r\n]")
_WHOLE = re.compile(r"\s*([+-]?[0-9]{1,9})\s*")
_SPAN = re.compile(rf"{_WHOLE.pattern}(?<=\s){_WHOLE.pattern}")
_EDIT = re.compile(r"A -?[0-9]+ -?[0-9]+\|\|\|")
_TARGET = re.compile(r"T([0-9]{1,9})(?:-A[0-9]+)?(?: (.*))?")

OnePath: TypeAlias = "str | os.PathLike[str]"
Paths: TypeAlias = "OnePath | Sequence[OnePath]"
"""A file, a folder or a pattern, or several."""

Files: TypeAlias = "Paths | Mapping[str, Paths]"
"""The files of a system, or those of several systems by the names of their columns."""


@dataclass
class _Block:
    """A sentence, its edits, and the annotators who made edits or found no errors."""

    source: str
    edits: list[dict[str, Any]] = field(default_factory=list)
    annotators: set[int] = field(default_factory=set)
    has_unable: bool = False
    """Whether an annotator could not correct the sentence."""

    def row(self) -> tuple[str, list[dict[str, Any]] | None, list[int] | None]:
        if self.has_unable and not self.annotators:
            return self.source, None, None
        return self.source, self.edits, sorted(self.annotators)


class _Sentences(NamedTuple):
    """The sentences of files, as frames, to which the files of systems belong."""

    paths: Paths
    files: list[Path]
    frames: list[pl.DataFrame]


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
    path: Paths,
    *,
    prediction: Files | None = None,
    prediction_edits: Files | None = None,
) -> pl.DataFrame:
    r"""
    Read ``.m2`` files, one row for each sentence.

    Parameters
    ----------
    path
        The file, in UTF-8: blocks of an ``S`` line and its ``A`` lines, with empty lines between. Or several
        files: a folder (all files in it and below it that are not hidden), a pattern such as
        ``"gold/*.m2"``, both read in the order of their names, or a list.
    prediction
        A file with the corrected sentences, one per line, in the order of the blocks. It becomes the first
        column, `prediction`. For several systems, a mapping from names of columns to files. If `path` names
        several files, name the same number of files: a folder or a pattern with files of the same names up
        to the first dot, or a list in the same order.
    prediction_edits
        A second ``.m2`` file with a system's edits of the same sentences in the same order, as written by
        ERRANT; for several files, as `prediction`. It becomes the last two columns, `prediction_edits` and
        `prediction_annotators`, for `errant`. For several systems, a mapping from names of columns of edits
        to files.

    Returns
    -------
    DataFrame
        `source` (`String`, the words as in the file), `edits` (a list of structs `start`, `end`, `type`,
        `corrections`, `required`, `comment`, `annotator`, in file order) and `annotators` (all annotators of
        the row, ascending, including those whose only line says ``noop``). A correction that is empty or
        ``-NONE-`` becomes the empty string. With several files, `document` before these columns: the path of
        the file below the folder that contains all of them.

    Raises
    ------
    M2FormatError
        If lines are not in the format (the error has their numbers), the files have different numbers of
        sentences, the two ``.m2`` files have different sentences, one of several files has no counterpart, or
        a file of corrected sentences holds columns separated by tabs, JSON or edits.
    DuplicateColumnError
        If a column of a system has the name of another column.
    ValueError
        If a list of files is empty.
    OSError
        If a file cannot be read, or a folder or a pattern contains no files.

    Warns
    -----
    InputWarning
        If there are sentences that nobody could correct, or edits past the end of their sentence, with their
        number; with `prediction`, also if the words of a system do not fit the sources: three quarters of its
        sentences with the letters of the source have other words, or it lacks half of the words (with at
        least ten sentences).

    See Also
    --------
    read_parallel : reads plain sentences as references.

    Notes
    -----
    Every line is used, or left out by one of these rules. Any other line raises an error.

    - An ``S`` line begins a sentence, with or without an empty line before it.
    - An ``A`` line is an edit of the sentence. With the type ``noop`` or the span ``-1 -1``, it names an
      annotator without edits.
    - An ``A`` line with the type ``NA`` and the span ``-1 -1`` says that the annotator could not correct the
      sentence. It is left out. If the sentence has no other annotator, `edits` and `annotators` are null, so
      that it counts in no score.
    - A ``T`` line of ChERRANT is left out, because it repeats what ``A`` lines say: ``T0-A0`` has the
      corrected sentence, and ``T0 无法标注`` (cannot be annotated) means ``NA``. If it has the sentence
      unchanged or ``没有错误`` (no errors), it names an annotator without edits.
    - ``I`` lines and empty lines are left out, and so are a byte order mark at the beginning of a line and a
      carriage return at its end.

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
    files = _files(path)
    gold = _Sentences(path, files, list(map(_read, files)))
    frame = pl.concat(gold.frames)
    where = str(files[0]) if len(files) == 1 else _counted(path, files)
    unable = frame["edits"].null_count()
    if unable:
        count = numbered(unable, "sentence")
        warn(
            f"{where}: {count} with the type {_UNABLE!r}, which nobody could correct, will count in no score"
        )
    beyond = _beyond(frame)
    if beyond:
        count = numbered(beyond, "edit")
        warn(f"{where}: {count} past the end of the sentence, which M² and the I-measure will leave out")
    if len(files) > 1:
        frame.insert_column(0, _documents(gold))
    frame = _with_predictions(frame, prediction, gold)
    if prediction_edits is None:
        return frame
    if isinstance(prediction_edits, Mapping):
        _check_names(prediction_edits, frame)
        edits = [_edits(paths, gold)["edits"].alias(name) for name, paths in prediction_edits.items()]
        return frame.hstack(edits)
    system = _edits(prediction_edits, gold)
    return frame.hstack(system.select(prediction_edits="edits", prediction_annotators="annotators"))


def _beyond(frame: pl.DataFrame) -> int:
    """Count the edits that end after the last word of their sentence."""
    # What separates words in Python.
    words = pl.col("source").str.count_matches(r"[^\s\x1c-\x1f]+")
    edits = frame.select("edits", words=words).explode("edits", empty_as_null=True)
    return edits.filter(pl.col("edits").struct.field("end") > pl.col("words")).height


def _files(paths: Paths) -> list[Path]:
    """Return the file, or the files of a folder, a pattern or a list."""
    if not isinstance(paths, str | os.PathLike):
        files = [file for path in as_names(paths, "paths") for file in _files(path)]
        if len(set(files)) < len(files):
            raise ValueError(f"{max(files, key=files.count)} occurs twice in a list of files")
        return files
    files = files_at(as_path(paths))
    if not files:
        raise FileNotFoundError(errno.ENOENT, "this folder contains no files", str(paths))
    return files


def _documents(sentences: _Sentences) -> pl.Series:
    """Return the file of each sentence."""
    names = [path_text(path).replace(os.sep, "/") for path in below_shared(sentences.files)]
    rows = zip(names, sentences.frames, strict=True)
    return pl.concat(pl.repeat(name, frame.height, eager=True) for name, frame in rows).alias("document")


def _names(files: Sequence[Path]) -> list[str]:
    """Return the paths of files, each up to the first dot of its name, or as much further as they differ."""
    paths = below_shared(files)
    short = [str(path.parent / path.name.partition(".")[0]) for path in paths]
    longer = [str(path.with_suffix("")) for path in paths]
    distinct = (names for names in (short, longer) if len(set(names)) == len(names))
    return next(distinct, list(map(str, paths)))


def _counterparts(paths: Paths, sentences: _Sentences) -> list[Path]:
    """Return the files of a system in the order of the files of its sentences."""
    files = _files(paths)
    are_names = all(isinstance(one, str | os.PathLike) for one in (paths, sentences.paths))
    if len(files) == len(sentences.files) and (len(files) == 1 or not are_names):
        return files
    own = dict(zip(_names(files), files, strict=True))
    other = dict(zip(_names(sentences.files), sentences.files, strict=True))
    if own.keys() == other.keys():
        return [own[name] for name in other]
    alone = next(path for name, path in (other | own).items() if name in own.keys() ^ other.keys())
    gold, system = _counted(sentences.paths, sentences.files), _counted(paths, files)
    raise M2FormatError(
        f"{gold} and {system} do not pair up: {alone} has no counterpart. Files pair up by their names up to "
        "the first dot or, in Python, as lists, in order"
    )


def _counted(paths: Paths, files: Sequence[Path]) -> str:
    """Return what names the files, and their number."""
    count = numbered(len(files), "file")
    if not isinstance(paths, str | os.PathLike):
        return f"a list of {count}"
    return f"{paths} ({count})"


def _edits(paths: Paths, sentences: _Sentences) -> pl.DataFrame:
    """Read a system's edits of the sentences."""
    systems = []
    pairs = zip(_counterparts(paths, sentences), sentences.files, sentences.frames, strict=True)
    for file, path, frame in pairs:
        system = _read(file)
        if system.height != frame.height:
            theirs, ours = numbered(system.height, "sentence"), numbered(frame.height, "sentence")
            raise M2FormatError(f"{file} has {theirs}, but {path} has {ours}")
        columns = (system["source"], system["edits"].is_null(), frame["source"])
        for row, (own, is_unable, other) in enumerate(zip(*columns, strict=True), 1):
            if own.split() != other.split():
                raise M2FormatError(
                    f"sentence {row} of {file} differs from that of {path}: {own!r}, {other!r}"
                )
            if is_unable:
                raise M2FormatError(
                    f"sentence {row} of {file} has the type {_UNABLE!r}, which only people give; write the "
                    f"system's edits, or {_NOOP!r} if it has none"
                )
        systems.append(system)
    return pl.concat(systems)


def _with_predictions(frame: pl.DataFrame, prediction: Files | None, sentences: _Sentences) -> pl.DataFrame:
    """Put columns with the corrected sentences before the others."""
    if prediction is None:
        return frame
    systems = prediction if isinstance(prediction, Mapping) else {"prediction": prediction}
    _check_names(systems, frame)
    columns = []
    for name, paths in systems.items():
        pairs = zip(_counterparts(paths, sentences), sentences.files, sentences.frames, strict=True)
        column = pl.concat(lines_of(*pair) for pair in pairs).alias(name)
        _warn_of_words(paths, column, frame["source"])
        columns.append(column)
    return pl.DataFrame(columns).hstack(frame)


def _warn_of_words(paths: Paths, corrected: pl.Series, sources: pl.Series) -> None:
    """Warn if a system separates words in another way than the sources, or has few of their words."""
    if len(sources) < _FEWEST:
        return
    same_letters = joined = words = kept = 0
    for own, other in zip(corrected, sources, strict=True):
        own_words, source_words = own.split(), other.split()
        words += len(source_words)
        kept += len(source_words) - (Counter(source_words) - Counter(own_words)).total()
        if "".join(own_words) == "".join(source_words):
            same_letters += 1
            joined += own_words != source_words
    if joined >= max(_FEWEST_JOINED, _MOST_JOINED * same_letters):
        warn(
            f"{paths}: words are separated in another way than in the sources: {joined:,} of "
            f"{numbered(same_letters, 'sentence')} with the letters of the source have other words, which "
            "count as edits; separate words and punctuation as in the sources"
        )
    elif kept < _LEAST_KEPT * words:
        warn(
            f"{paths}: only {kept / words:.0%} of the words of the sources are in the corrected sentences; "
            "check that these are in the order of the sources, and that spaces separate the words (in "
            "Chinese, the characters) of both"
        )


def _check_names(names: Iterable[str], frame: pl.DataFrame) -> None:
    for name in names:
        if name in frame.columns:
            raise DuplicateColumnError(f"column {name!r} of a system would occur twice; give it another name")


def lines_of(file: Path, path: Path, frame: pl.DataFrame) -> pl.Series:
    """Read a line for each sentence of a frame, which was read from a path."""
    lines = list(_lines(file))
    _check_plain(file, lines)
    if len(lines) == frame.height:
        return pl.Series(lines, dtype=pl.String)
    empty = sum(not line.strip() for line in lines)
    has, wanted = numbered(len(lines), "line"), numbered(frame.height, "sentence")
    has += f" ({empty:,} of them empty)" if empty else ""
    raise M2FormatError(f"{file} has {has}, but {path} has {wanted}")


def _check_plain(file: Path, lines: Iterable[str]) -> None:
    """Raise an error for a file in another format than plain text."""
    filled = [line for line in lines if line.strip()]
    held = None
    if len(filled) > 1 and all("\t" in line for line in filled):
        held = "columns separated by tabs; write the one that is needed into a file of its own"
    elif len(filled) > 1 and all(line.startswith("{") and line.endswith("}") for line in filled):
        held = "JSON; write the texts that are needed into a file of their own"
    elif any(map(_EDIT.match, filled)):
        held = "the edits of an .m2 file, which ERRANT's score compares"
    if held:
        raise M2FormatError(f"{file} must hold plain text, one line for each sentence, but holds {held}")


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
        If the files have different numbers of lines, a line is not UTF-8, or a file of corrected sentences
        holds columns separated by tabs, JSON or edits.
    DuplicateColumnError
        If a column of a system has the name of another column.
    ValueError
        If `references` is empty.
    OSError
        If a file cannot be read.

    Warns
    -----
    InputWarning
        If the words of a system do not fit the sources, see `read_m2`.

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
    files = as_names(references, "references")
    path = as_path(source)
    sources = pl.DataFrame({"source": list(_lines(path))}, schema={"source": pl.String})
    corrected = zip(*(lines_of(as_path(file), path, sources) for file in files), strict=True)
    lists = pl.Series("references", list(map(list, corrected)), dtype=pl.List(pl.String))
    frame = sources.with_columns(lists)
    return _with_predictions(frame, prediction, _Sentences(path, [path], [frame]))


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
        `required` or `comment` is null or empty, ``REQUIRED`` or ``-NONE-`` is written; where `edits` is
        null, the type ``NA``.

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
    with replacing(as_path(path)) as file:
        for index, row in enumerate(rows.iter_rows(named=True)):
            try:
                file.write(_block(row).encode())
            except ValueError as error:
                raise M2FormatError(f"row {index}: {error}") from error


def _read(path: Path) -> pl.DataFrame:
    blocks: list[_Block] = []
    problems: list[str] = []
    is_open = False
    for number, line in enumerate(_lines(path), 1):
        try:
            is_open = _take(line, blocks, is_open=is_open)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        others = len(problems) - _SHOWN
        more = f"; and {numbered(others, 'more line')}" if others > 0 else ""
        raise M2FormatError(f"{path}: {'; '.join(problems[:_SHOWN])}{more}")
    return pl.DataFrame([block.row() for block in blocks], schema=SCHEMA, orient="row")


def _take(line: str, blocks: list[_Block], *, is_open: bool) -> bool:
    """Add what a line says to the blocks; return whether the last one is open for edits."""
    if not line.strip():
        return False
    if "\r" in line:
        raise ValueError("a carriage return within the line; save the file with line feeds as line ends")
    if line == "S" or line.startswith("S "):
        blocks.append(_Block(line[2:]))
        return True
    target = _TARGET.fullmatch(line)
    if target is not None or line.startswith("A "):
        if not is_open:
            raise ValueError(f"{line[0]} line without an S line before it in its block")
        if target is None:
            _take_edit(_edit(line[2:]), blocks[-1])
        else:
            _take_target(int(target[1]), target[2] or "", blocks[-1])
    elif line != "I" and not line.startswith("I "):
        raise ValueError(
            f"a line must start with 'S ', 'A ' or 'I ', or with 'T' and a number, got {line[:10]!r}"
        )
    return is_open


def _take_edit(edit: dict[str, Any], block: _Block) -> None:
    if _is_unable(edit):
        block.has_unable = True
        return
    block.annotators.add(edit["annotator"])
    if not _is_noop(edit):
        block.edits.append(edit)


def _take_target(annotator: int, text: str, block: _Block) -> None:
    """Add an annotator without edits; the edits of other annotators are in A lines."""
    if text in {_NO_ERRORS, block.source}:
        block.annotators.add(annotator)
    elif text == _CANNOT_BE_ANNOTATED:
        block.has_unable = True


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
    return edit["type"] == _NOOP or (edit["start"], edit["end"]) == _NO_SPAN


def _is_unable(edit: dict[str, Any]) -> bool:
    """Whether an edit says of its annotator that the sentence could not be corrected."""
    return edit["type"] == _UNABLE and (edit["start"], edit["end"]) == _NO_SPAN


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without their ends."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                # Files with byte order marks may have been set end to end.
                text = line.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise M2FormatError(
                    f"{path}: line {number}: not UTF-8 (byte {error.start} of the line)"
                ) from error
            yield text.rstrip("\r\n")


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
                f"{line!r} would be read back as other fields; remove '|' next to '||' and '|||', and "
                "whitespace around corrections, and write a deletion as an empty text"
            )
        busy.add(edit["annotator"])
        lines.append(f"A {line}")
    if None in idle:
        raise ValueError("an annotator is null")
    if row["edits"] is None:
        lines += [_line_without_edits(_UNABLE, annotator) for annotator in sorted(idle) or [0]]
    else:
        lines += [_line_without_edits(_NOOP, annotator) for annotator in sorted(idle - busy)]
    for line in lines:
        if _BREAKS.search(line):
            raise ValueError(f"{line!r} contains a line break, which the format does not allow")
    return "\n".join(lines) + "\n\n"


def _line_without_edits(kind: str, annotator: int) -> str:
    return f"A -1 -1|||{kind}|||{_NONE}|||REQUIRED|||{_NONE}|||{annotator}"
