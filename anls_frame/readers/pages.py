"""Pages of an OCR project: the ground truth, and the text from each engine."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, flag, string
from anls_frame._messages import Message, Option, for_readers, wrong
from anls_frame._text import differing_in_notation, numbered
from anls_frame.exceptions import warn
from anls_frame.files import standard_frames
from anls_frame.files.folders import checked_name
from anls_frame.files.problems import Problems
from anls_frame.frames import origins
from anls_frame.frames.reserved_columns import PAGE, PREDICTION, REFERENCE
from anls_frame.readers._page_files import NotAPageError, read_page_file
from anls_frame.readers._page_names import (
    OTHER_FORMATS,
    WHOLE_NAME,
    PageFiles,
    PagePath,
    Pages,
    by_page,
    is_about_folder,
    is_one_file,
    names_of_single_pages,
    page_in_file,
    that_may_pair,
)
from anls_frame.readers._page_text import PageFile

Unmatched: TypeAlias = Literal["error", "null", "drop"]
EmptyLines: TypeAlias = Literal["keep", "drop"]
UnknownText: TypeAlias = Literal["error", "warn"]

COLLECTION = "collection"
_SQUEEZE = for_readers(
    '`protocol=PROTOCOLS["raw"].replace(whitespace="squeeze")`', "--protocol anls,errors.whitespace=squeeze"
)
_LAYOUT: Mapping[str, tuple[str, Message]] = {
    "empty lines": ("\n\n", Message(Option("empty_lines", "drop"), " or ", _SQUEEZE)),
    "runs of spaces": ("  ", Message(_SQUEEZE)),
}
"""What a text may have for its layout, and what ignores it."""
_OFTEN = 0.002
"""Share of characters; a larger one is worth a warning."""

_NAMES = Message(
    "pages pair up by the names of their files, by the part of each name that ",
    Option("match", "..."),
    " finds or, in Python, in mappings from pages to files",
)
_ADVICE = Message(
    _NAMES,
    ". To keep all of them, with null for a missing text, pass ",
    Option("unmatched", "null"),
    "; to leave these pages out, ",
    Option("unmatched", "drop"),
)


def read_pages(
    reference: PageFiles | Pages,
    systems: Mapping[str, PageFiles | Pages] | PageFiles | Pages,
    *,
    match: str | None = None,
    collection: str | None = None,
    unmatched: Unmatched = "error",
    split: bool = True,
    empty_lines: EmptyLines = "keep",
    encoding: str | None = None,
    unknown: UnknownText = "error",
) -> pl.DataFrame:
    r"""
    Read the pages of an OCR project: a row for each page, with ground truth and text from each engine.

    Plain text, Markdown, PAGE XML, ALTO and hOCR can be mixed; the content of each file tells its kind.

    Parameters
    ----------
    reference
        The ground truth: a folder, a pattern such as `gt/*.txt`, a list of files, or a mapping from pages to
        files. In a folder and its subfolders, `.txt`, `.md`, `.xml`, `.hocr` and `.html` files are read.
        `readers.Pages` says which text to read where PAGE XML has several.
    systems
        A mapping from the names of engines, which become columns, to their pages in one of these forms; or
        the pages of a single engine, in the column `prediction`.
    match
        A regular expression that finds the name of a page in the name of its file, such as ``r"\d+$"`` for
        `OCR-D-GT_0001.xml` and `OCR-D-TESS_0001.xml`. If it has a group, the first group is the name. It does
        not apply to mappings.
    collection
        A pattern such as `"{collection}_{page}"` or `"{collection}/{page}"` that finds the book, box or kind
        of page in the name of a page. If it matches in several ways, the last match counts.
    unmatched
        How to treat pages that do not pair up: `"error"` lists them in an error; `"null"` gives null where a
        text is missing, and `"drop"` leaves these pages out, both with a warning that lists them.
    split
        Whether a file with several pages is a row for each page, or one row with all lines. Files of PAGE
        XML, ALTO and hOCR may have several page elements; form feeds end the pages of plain text.
    empty_lines
        `"drop"` leaves out empty lines. Plain text often has empty lines between blocks; PAGE, ALTO and hOCR
        have none, so each empty line would count as an error against them. Results of the returned frame say
        so in their settings and their signature.
    encoding
        Encoding of plain text and HTML files that are neither UTF-8 nor UTF-16 with a byte order mark; XML
        states its own encoding.
    unknown
        How to treat a file that has text, but none where pages have text: `"error"` names the
        file, `"warn"` reads it as a page without text, with a warning.

    Returns
    -------
    DataFrame
        The columns `page`, `collection` (with a pattern), `reference`, and one for each engine, all String,
        sorted by page. `report`, `compare` and row functions accept this frame unchanged.

        The name of a page is its file name (below the folder or the fixed part of the pattern) without
        suffixes for a format, an image or the role of the text, such as `.txt`, `.xml`, `.hocr`, `.gt`,
        `.ocr`, `.page`, `.alto`, `.png` or `.tif`. For example, `gt/page_001.gt.txt` pairs with
        `ocr/page_001.png.xml`. If names differ in other ways, pass `match` or mappings; the names of single
        files may differ. If a folder has both `1.gt.txt` and `1.txt`, files with `.gt` are the ground truth,
        and the others are those of the engine. The pages in a file `v` of several pages are `v#1`, `v#2` and
        so on; they pair with each other, and with files of single pages such as `v_1`, `v-0001` or `v/1`.

        Lines are separated by line feeds, also at the end of a block. They follow the file's ReadingOrder
        element if it has one, with omitted lines last, and otherwise the order of the file.

        - PAGE XML: the text of each line, wherever it is (regions, cells of tables, the page itself); of
          its words if the line has none; of the region or cell if none of its lines has text. Of several
          TextEquiv elements, the one with the lowest index is read, without indices the one with the highest
          confidence, without either the first; an empty one gives way to the next.
        - ALTO: words, spaces and hyphens as printed (SUBS_CONTENT is not read). Of alternative reading
          orders, the first counts.
        - hOCR: all text of `ocr_page` elements; each word as its own text or, if it has none, its boxes of
          letters. Alternative letters and words are left out.
        - Plain text and Markdown: as in the file, without a byte order mark and whitespace at the end of a
          page. An empty file is a page without text.

    Warns
    -----
    InputWarning
        If pages have nulls or were left out; if an engine has many more empty lines or runs of spaces than
        the ground truth, or the reverse; if files of a folder are not pages, such as `mets.xml` or
        `README.md`; if words are where no page has text; if only some lines of the ground truth have a text
        with the lowest index, as corrected lines do; if the files of an engine are those of the ground truth.

    Raises
    ------
    InputError
        If files are broken, do not pair up or have names that do not match the pattern, if nothing would be
        read of a file that has text, or if no text has the index of `readers.Pages`; the error lists all
        problems, with file and line. XML that declares entities, which could insert other files or gigabytes
        of text, is rejected.
    OSError
        If a file does not exist, no file matches a pattern, or a folder has no files.
    TypeError
        If an argument has an unsupported type.
    ValueError
        If an engine has the name of another column, or an option has an invalid value.

    See Also
    --------
    compare : compares the engines, with ``systems=["tesseract", ...]`` and ``answers="reference"``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> folder = Path(tempfile.mkdtemp())
    >>> files = {"gt/p1.gt.txt": "Coca\nCola\n", "a/p1.txt": "Coca\nCoIa\n", "b/p1.txt": "Coca Cola"}
    >>> for name, text in files.items():
    ...     (folder / name).parent.mkdir(exist_ok=True)
    ...     _ = (folder / name).write_text(text)
    >>> pages = af.read_pages(folder / "gt", {"a": folder / "a", "b": folder / "b" / "*.txt"})
    >>> pages
    shape: (1, 4)
    ┌──────┬───────────┬──────┬───────────┐
    │ page ┆ reference ┆ a    ┆ b         │
    │ ---  ┆ ---       ┆ ---  ┆ ---       │
    │ str  ┆ str       ┆ str  ┆ str       │
    ╞══════╪═══════════╪══════╪═══════════╡
    │ p1   ┆ Coca      ┆ Coca ┆ Coca Cola │
    │      ┆ Cola      ┆ CoIa ┆           │
    └──────┴───────────┴──────┴───────────┘
    >>> pages.select(af.levenshtein("a", "reference"), b=af.levenshtein("b", "reference")).row(0)
    (1, 1)
    """
    choice("unmatched", unmatched, get_args(Unmatched))
    choice("empty_lines", empty_lines, get_args(EmptyLines))
    choice("unknown", unknown, get_args(UnknownText))
    flag("split", split)
    named: Mapping[str, PageFiles | Pages] = (
        systems if isinstance(systems, Mapping) else {PREDICTION: systems}
    )
    pattern = None if collection is None else _pattern(collection)
    _check_names(named, (PAGE, REFERENCE, *([] if pattern is None else [COLLECTION])))
    pages = _read(
        {REFERENCE: reference, **named},
        match=WHOLE_NAME if match is None else _regex(match),
        unmatched=unmatched,
        split=split,
        empty_lines=empty_lines,
        encoding=encoding,
        unknown=unknown,
    )
    if pattern is not None:
        collections = _collections(pages[PAGE], pattern, str(collection))
        pages = origins.like(pages.select(PAGE, collections, cs.exclude(PAGE)), pages)
    return origins.add(pages, empty_lines="drop" if empty_lines == "drop" else None)


def read_as_answers(
    path: os.PathLike[str], *, gold: os.PathLike[str], unmatched: Unmatched = "error", **options: Any
) -> pl.DataFrame:
    """
    Return the pages of an engine as the standard frame, with the page as the id of the question.

    Collections are the documents: those found by the pattern, or else the folders of pages or the files of
    several pages, if any. Pages without ground truth are left out, unless they are an error.
    """
    (frame,) = read_engines([Path(path)], gold=gold, unmatched=unmatched, **options)
    return frame


def read_engines(
    paths: Sequence[Path], *, gold: os.PathLike[str], index: int | None = None, **options: Any
) -> list[pl.DataFrame]:
    """Return the frame of `read_as_answers` for each engine, all with the same pages."""
    names = {f"{path}/" if path.is_dir() else str(path): Pages(path, index) for path in paths}
    pages = read_pages(gold, names, **options)
    origin, has_truth = origins.of(pages), pages[REFERENCE].is_not_null()
    without_truth = origins.lacking("page", [["the ground truth"]] * int((~has_truth).sum()))
    if COLLECTION not in pages.columns:
        folders = pages[PAGE].str.extract(r"^(.*)(?:/|#\d+$)").alias(COLLECTION)
        pages = pages.with_columns([] if folders.null_count() == len(folders) else [folders])
    documents = [COLLECTION] if COLLECTION in pages.columns else []
    return [
        origins.remember(
            pages.filter(has_truth).select(
                pl.col(PAGE).alias("question_id"),
                cs.by_name(name).alias("prediction"),
                pl.col(REFERENCE).alias("answers"),
                *(cs.by_name(column).alias("doc_id") for column in documents),
            ),
            are_pages=True,
            empty_lines=origin.empty_lines,
            left_out={**origin.left_out, **without_truth},
        )
        for name in names
    ]


@dataclass
class _Column:
    """The pages of the ground truth or of an engine."""

    name: str
    index: int | None
    files: dict[str, PagePath]
    pages: dict[str, str] = field(default_factory=dict)
    several: dict[str, int] = field(default_factory=dict)
    """The number of pages of each file that has several."""
    lowest: Counter[int] = field(default_factory=Counter)
    """How many lines have each index as the lowest one of their texts."""

    def read(
        self, problems: Problems, *, split: bool, empty_lines: str, encoding: str | None, unknown: str
    ) -> None:
        """Read all files; what is not a page is skipped, with a warning, in folders only."""
        passed: dict[Path, str] = {}
        files: list[tuple[Path, PageFile]] = []
        for page, (path, is_found) in self.files.items():
            if is_found and is_about_folder(path):
                passed[path] = "describes the folder, by its name"
                continue
            with problems.collecting():
                try:
                    read = read_page_file(path, encoding, self.index)
                except NotAPageError as error:
                    if not is_found:
                        raise
                    passed[path] = error.problems[0].message
                    continue
                files.append((path, read))
                self.lowest += read.lowest
                self._add(page, read, split=split, without_empty=empty_lines == "drop")
        if passed and not files:
            for path, message in passed.items():
                problems.add(message, path=path)
            problems.hint(OTHER_FORMATS)
        elif passed:
            told = [f"{path.name}: {message.partition(';')[0]}" for path, message in passed.items()]
            warn(f"{self.name!r}: skipped {numbered(len(passed), 'file')} without pages: {'; '.join(told)}")
        self._tell_unknown(files, unknown, problems)

    def _add(self, page: str, file: PageFile, *, split: bool, without_empty: bool) -> None:
        texts = file.pages if split else ["\n".join(filter(None, file.pages))]
        names = [page]
        if len(texts) != 1:
            self.several[page] = len(texts)
            names = [page_in_file(page, number) for number in range(1, len(texts) + 1)]
        for name, text in zip(names, texts, strict=True):
            self.pages[name] = _without_empty(text) if without_empty else text

    def _tell_unknown(self, files: Sequence[tuple[Path, PageFile]], unknown: str, problems: Problems) -> None:
        """Report files of whose text nothing would be read, and warn of words that were not read."""
        partly = []
        for path, file in files:
            if not file.unknown:
                continue
            if file.has_text or unknown == "warn":
                partly.append((file, path))
                continue
            words, where = numbered(file.n_unknown, "word"), _place(file)
            what = f"none of its {words} is where pages have text (the first: {where})"
            advice = Message("to read it as a page without text, pass ", Option("unknown", "warn"))
            problems.add(Message(f"{what}; ", advice), path=path)
        if partly:
            file, worst = max(partly, key=lambda entry: entry[0].n_unknown)
            words, where = numbered(file.n_unknown, "word"), _place(file)
            others = f"; there are such words in {numbered(len(partly), 'file')}" if len(partly) > 1 else ""
            warn(
                f"{self.name!r}: left out {words} of {worst}, which are not where pages have text (the "
                f"first: {where}){others}"
            )


def _place(file: PageFile) -> str:
    first = file.unknown[0]
    return f"{first.element}, line {first.line}"


def _read(
    given: Mapping[str, PageFiles | Pages], *, match: re.Pattern[str], unmatched: str, **how: Any
) -> pl.DataFrame:
    """Return a column for each name: first the ground truth, then the engines; `how` says how to read."""
    problems = Problems()
    every = {name: pages if isinstance(pages, Pages) else Pages(pages) for name, pages in given.items()}
    files = {
        name: by_page(pages.files, problems, match, is_truth=name == REFERENCE)
        for name, pages in every.items()
    }
    if all(is_one_file(pages.files) for pages in every.values()):
        # Whatever their names.
        (page,) = files[REFERENCE]
        files = {name: dict.fromkeys([page], *paths.values()) for name, paths in files.items()}
    problems.raise_any()
    pairing = that_may_pair(files) if unmatched == "drop" else files
    columns = [_Column(name, every[name].index, pairing[name]) for name in files]
    for column in columns:
        unread = [page for page in files[column.name] if page not in column.files]
        column.pages = dict.fromkeys(unread, "")
        column.read(problems, **how)
    problems.raise_any()
    texts = _with_same_names(columns)
    lacking, alike = _lacking(texts)
    hints = [*alike, *_hints(columns)]
    in_all = set.intersection(*map(set, texts.values()))
    wanted = in_all if unmatched == "drop" else set().union(*texts.values())
    is_other = any(texts[REFERENCE].keys().isdisjoint(pages) for pages in texts.values())
    if is_other or not wanted or (unmatched == "error" and lacking):
        _refuse(problems, lacking, hints, _NAMES if is_other or not wanted else _ADVICE)
    problems.raise_any()
    left_out: dict[str, int] = {}
    if lacking:
        what = "left out" if unmatched == "drop" else "null in some columns"
        apart = set().union(*texts.values()) - in_all
        warn(f"{numbered(len(apart), 'page')} {what}, because {'; '.join([*lacking, *hints])}")
        if unmatched == "drop":
            called = {name: "the ground truth" if name == REFERENCE else repr(name) for name in texts}
            without = ([called[name] for name in texts if page not in texts[name]] for page in apart)
            left_out = origins.lacking("page", without)
    order = sorted(wanted)
    frame = pl.DataFrame(
        {PAGE: order} | {name: [*map(pages.get, order)] for name, pages in texts.items()},
        schema=dict.fromkeys((PAGE, *texts), pl.String),
    )
    _warn_of_layout(frame.drop(PAGE))
    _warn_of_uncorrected_lines(columns[0])
    _warn_of_same_files(columns)
    return origins.remember(frame, left_out=left_out)


def _with_same_names(columns: Sequence[_Column]) -> dict[str, dict[str, str]]:
    """Return the pages of each column; a page in a file of several is named like its own file elsewhere."""
    several = {page: n for column in columns for page, n in column.several.items()}
    singles = {page for column in columns for page in column.pages if "#" not in page} if several else set()
    alike = names_of_single_pages(several, singles)
    return {
        column.name: {
            page if page in singles else alike.get(page, page): text for page, text in column.pages.items()
        }
        for column in columns
    }


def _hints(columns: Sequence[_Column]) -> list[Message]:
    """Return messages about files of several pages whose text is a single page elsewhere."""
    hints = []
    for column in columns:
        for page, n in column.several.items():
            single = [repr(other.name) for other in columns if page in other.pages]
            if single:
                what = f"{column.name!r} has {n} pages in the file {page!r}, which is one page of "
                advice = Message("to read each file as one page, pass ", Option("split", value=False))
                hints.append(Message(f"{what}{' and '.join(single)}; ", advice))
    return hints


def _warn_of_uncorrected_lines(truth: _Column) -> None:
    """Warn if only some lines of the ground truth have the text with the lowest index, the corrected one."""
    lowest, lines = min(truth.lowest, default=0), truth.lowest.total()
    others = lines - truth.lowest[lowest]
    if others and truth.index in {None, lowest}:
        read = "the engine's own text is read there, and counts as right"
        if truth.index is not None:
            read = "these are left out, so what an engine read there counts as added"
        warn(
            f"the ground truth has no text with the index {lowest}, that of corrected lines, in "
            f"{others:,} of {numbered(lines, 'line')}: {read}"
        )


def _warn_of_same_files(columns: Sequence[_Column]) -> None:
    """Warn if the files of an engine are those of the ground truth."""
    truth, *engines = columns
    of_truth = {os.path.realpath(file.path) for file in truth.files.values()}
    for engine in engines:
        if engine.index != truth.index:
            continue
        same = sum(os.path.realpath(file.path) in of_truth for file in engine.files.values())
        if same:
            warn(
                f"{engine.name!r} reads {numbered(same, 'file')} of the ground truth, so texts are compared "
                "with themselves; if a file of PAGE XML has both texts, ",
                Option("index", 1),
                " reads that of the engine",
            )


def _regex(match: str) -> re.Pattern[str]:
    """Return a regular expression that finds the name of a page in the name of its file."""
    try:
        return re.compile(string("match", match))
    except re.error as error:
        wanted = f"must be a regular expression, got {match!r}: {error}"
        raise wrong("match", wanted) from None


def _pattern(collection: str) -> str:
    """Return a pattern of names of pages as a regular expression."""
    parts = string("collection", collection).split("{collection}")
    if len(parts) != 2 or collection.count("{page}") != 1:  # noqa: PLR2004 - it occurs there once
        raise ValueError(
            f"collection must be a pattern with {{collection}} and {{page}}, each once, got {collection!r}"
        )
    return "^" + re.escape(collection).replace(r"\{collection\}", "(.+)").replace(r"\{page\}", ".+") + "$"


def _collections(pages: pl.Series, pattern: str, given: str) -> pl.Series:
    """Return the collection of each page."""
    collections = pages.str.extract(pattern).alias(COLLECTION)
    others = pages.filter(collections.is_null()).to_list()
    if others:
        names = standard_frames.ids_text(others)
        problems = Problems()
        problems.add(f"{given!r} does not fit the names of {numbered(len(others), 'page')}: {names}")
        problems.raise_any()
    return collections


def _check_names(systems: Mapping[str, PageFiles | Pages], taken: Sequence[str]) -> None:
    if not systems:
        raise ValueError("systems must name at least one engine")
    for name in systems:
        if checked_name(name, "an engine") in taken:
            raise ValueError(f"an engine must have a name other than {' and '.join(map(repr, taken))}")


def _lacking(files: Mapping[str, Mapping[str, object]]) -> tuple[list[str], list[str]]:
    """Return messages about pages that an engine or the ground truth lacks, and hints of similar names."""
    truth = files[REFERENCE]
    messages: list[str] = []
    hints: list[str] = []
    for name, pages in files.items():
        lost = [page for page in truth if page not in pages]
        if lost:
            messages.append(f"{name!r} lacks {numbered(len(lost), 'page')}: {standard_frames.ids_text(lost)}")
        more = [page for page in pages if page not in truth]
        if more:
            pages_without = f"{numbered(len(more), 'page')} without ground truth"
            messages.append(f"{name!r} has {pages_without}: {standard_frames.ids_text(more)}")
        if hint := differing_in_notation([*lost, *more]):
            hints.append(hint)
    return messages, hints


def _refuse(problems: Problems, lacking: Sequence[str], hints: Sequence[str], advice: str) -> None:
    """Report pages that do not pair up, and what to do."""
    for message in lacking or [advice]:
        problems.add(message)
    for hint in [*hints, advice] if lacking else ():
        problems.hint(hint)


def _warn_of_layout(texts: pl.DataFrame) -> None:
    """Warn if an engine has more empty lines or runs of spaces than the ground truth, or the reverse."""
    whole = {column.name: "\f".join(column.drop_nulls()) for column in texts}
    for what, (run, ignoring) in _LAYOUT.items():
        shares = {name: text.count(run) / (len(text) or 1) for name, text in whole.items()}
        for name in whole:
            few, many = sorted((REFERENCE, name), key=lambda column: shares[column])
            if shares[many] - shares[few] > _OFTEN:
                said = f"{many!r} has more {what} than {few!r}: each counts as an error unless ignored by "
                warn(said, ignoring)


def _without_empty(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())
