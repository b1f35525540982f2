"""Tables of results: CSV, TSV, JSON Lines, JSON, Parquet and Excel workbooks."""

from __future__ import annotations

import csv
import inspect
import io
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import check_names
from anls_frame._paths import as_path, known_suffix
from anls_frame._text import numbered
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError, warn
from anls_frame.export import row_files
from anls_frame.export.csv_files import FORMULA_START
from anls_frame.files import raw_tables, standard_frames
from anls_frame.files.file import File
from anls_frame.files.other_formats import PARQUET
from anls_frame.files.problems import Problems, problem
from anls_frame.files.raw_tables import Raw, by_name, from_frame
from anls_frame.files.standard_frames import Rows
from anls_frame.frames import origins, usual_names
from anls_frame.frames.answer_lists import alone
from anls_frame.frames.checks import no_column
from anls_frame.frames.conversion import at_hand, column_names, in_polars
from anls_frame.frames.usual_names import Role

if TYPE_CHECKING:
    import pyarrow as pa


_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
_LOOKED_AT = 100_000
"""Rows of a Parquet file that are looked at before any others are read."""


def read_results(
    path: str | os.PathLike[str],
    *,
    prediction: str | None = None,
    answers: str | None = None,
    question_id: str | Sequence[str] | None = None,
    question: str | None = None,
    question_types: str | None = None,
    doc_id: str | None = None,
    format: str | None = None,  # noqa: A002 - what it is
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    answers_format: str = "auto",
    question_types_format: str = "list",
) -> pl.DataFrame:
    r"""
    Read a table of results as the standard frame.

    Reading loses no data: fields of CSV and TSV stay strings (`007` is "007"), JSON numbers in columns of
    strings keep their digits, and keys that first appear late in a JSON Lines file become columns.

    Parameters
    ----------
    path
        A `.csv`, `.tsv`, `.jsonl`, `.json`, `.parquet` or `.xlsx` file. Text formats can have the suffix
        `.gz` or `.zst`; they may decompress to 1 GiB or a hundred times the size of the file, whichever is
        larger. A `.json` file with an object in each line is read as JSON Lines.
    prediction, answers, question_id, question, question_types, doc_id
        Names of the columns. By default, columns are found by usual names (`prediction`, `pred`, `response`;
        `answers`, `answer`, `ground_truth`, `target`; `question_id`, `questionId`, `id`, ...). The standard
        name takes precedence; with several other candidates, you must name the column. Several columns of
        ids, such as `["image", "question"]`, identify a question together.
    format
        `"csv"`, `"tsv"`, `"jsonl"`, `"json"`, `"parquet"` or `"xlsx"`, if the suffix does not say it.
    encoding
        Encoding of a text file that is neither UTF-8 nor UTF-16.
    delimiter
        Delimiter of a CSV file; comma, semicolon, tab and bar are detected.
    sheet
        Name of the sheet, for a workbook with several sheets.
    answers_format
        How strings in the answers are read: `"text"` reads each as a single answer; `"list"` reads printed
        lists (JSON, or as printed by Python or numpy), tuples, sets and objects of answers (as in SQuAD and
        VQA) as lists of accepted answers, and other strings as a single answer; a separator such as `"|"`
        also splits these other strings (see `parse_answers`). `"auto"` looks at CSV, TSV and workbooks, which
        have no lists of their own, unless the column is called reference, transcription, gt or text: it reads
        printed lists if every non-empty cell of the column is one, and splits at `|`, with a warning, if a
        tenth of the strings (and at least three) have it between texts, none has it elsewhere, and the
        predictions do not have it. Otherwise, and in all other formats, a string is a single answer. Lists of
        the format itself stay lists.
    question_types_format
        How strings in the question types are read: `"list"`, `"text"` or a separator such as `";"`, with the
        same meaning.

    Returns
    -------
    DataFrame
        One row per row of the file: `question_id` (String), `question` (String), `prediction` (String, null
        if missing), `answers` (List(String)), `question_types` (List(String)) and `doc_id` (String), if the
        file has them, and all other columns under their own names; a column with one of these names but not
        its role gets an underscore appended. In CSV, an empty field is null, and an empty field in quotes is
        the empty string.

    Warns
    -----
    InputWarning
        If `"auto"` splits strings at `|`, or if strings that it reads as single answers look like several: if
        there is a printed list, or if a tenth of the strings (and at least three) have `|` or `;` between
        texts. `scan_results` checks the first 100,000 rows of a Parquet file.

    Raises
    ------
    InputError
        If the file has problems, such as missing or duplicate ids, which `scan_results` allows; the error
        lists all of them, with line, index or cell.
    OSError
        If the file cannot be opened.
    ValueError
        If an option has an invalid value.
    TypeError
        If a name is not a string.

    See Also
    --------
    anls_frame.scan_results : reads lazily, for tables larger than memory or with repeated ids.
    anls_frame.read_logs : reads logs of harnesses, of one system or several.
    anls_frame.write_results : writes such a table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("id,pred,answer\n007,CocaCola,\"['Coca Cola', 'Coke']\"\n")
    >>> af.read_results(path)
    shape: (1, 3)
    ┌─────────────┬────────────┬───────────────────────┐
    │ question_id ┆ prediction ┆ answers               │
    │ ---         ┆ ---        ┆ ---                   │
    │ str         ┆ str        ┆ list[str]             │
    ╞═════════════╪════════════╪═══════════════════════╡
    │ 007         ┆ CocaCola   ┆ ["Coca Cola", "Coke"] │
    └─────────────┴────────────┴───────────────────────┘
    """
    return read_table(
        File.of(path),
        required=usual_names.SCORED,
        question_id=question_id,
        question=question,
        prediction=prediction,
        answers=answers,
        question_types=question_types,
        doc_id=doc_id,
        format=format,
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
        answers_format=answers_format,
        question_types_format=question_types_format,
    )


def scan_results(path: str | os.PathLike[str], **options: Any) -> pl.LazyFrame:
    """
    Read a table of results lazily.

    Only the required parts of a Parquet file are read, so it can be larger than memory. Other formats are
    read completely at once to find all problems; when read in pieces, short rows would be padded, late keys
    lost and numbers reformatted. `anls-frame convert` converts such files to Parquet. Missing and duplicate
    ids are allowed.

    Parameters
    ----------
    path
        As for `read_results`.
    options
        The options of `read_results`.

    Returns
    -------
    LazyFrame
        The standard frame of `read_results`.

    Raises
    ------
    InputError
        If the file has problems. Damaged pages and lists of a Parquet file are found only on ``collect``.
    OSError
        If the file cannot be opened.
    ValueError
        If an option has an invalid value.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.sample().write_parquet("questions.parquet")
    >>> questions = af.scan_results("questions.parquet", prediction="tesseract")
    >>> questions.select(af.anls("prediction", "answers").mean().round(3)).collect().item()
    0.737
    """
    inspect.signature(read_results).bind(path, **options)
    return scan_table(File.of(path), required=usual_names.SCORED, **options)


def scan_table(file: File, *, required: Sequence[Role], **options: Any) -> pl.LazyFrame:
    """Read a file as `scan_results` does, with at least the required columns."""
    given: dict[Role, Any] = {role: options.get(role) for role in usual_names.ROLES}
    named = standard_frames.column_names(given.values())
    if file.format(options.get("format")) != "parquet" or _are_in_texts(scan(file).collect_schema(), named):
        file.unique_ids = False
        table = read_table(file, required=required, **options)
        return origins.like(table.lazy(), table)
    formats = standard_frames.formats_of(options)
    problems = Problems(file)
    with reading_parquet(file):
        lazy = standard_frames.with_ratings(with_entries(scan(file), named, file), problems)
    ids = given["question_id"]
    first, given["question_id"] = standard_frames.with_ids(from_frame(lazy.head(0).collect()), ids, problems)
    problems.raise_any()
    if given["question_id"] not in (None, ids):
        parts = [cs.by_name(name).as_expr() for name in ids]
        lazy = lazy.with_columns(standard_frames.joined_ids(parts).alias(given["question_id"]))
    schema = lazy.collect_schema()
    chosen = standard_frames.choose(first, given, required, problems)
    if len(problems):
        _hint_entries(file, lazy, problems)
    problems.raise_any()
    # The schema of the result comes from the same code, run without rows.
    empty = standard_frames.frame(first, chosen, problems, unique_ids=False)
    problems.raise_any()
    is_auto = formats["answers_format"] == "auto"
    if is_auto and "answers" in chosen and schema[chosen["answers"]] == pl.String:
        with reading_parquet(file):
            looked = {chosen[role] for role in usual_names.SCORED if role in chosen}
            some = from_frame(lazy.select(cs.by_name(*looked)).head(_LOOKED_AT).collect())
        standard_frames.as_answers(some, chosen["answers"], problems, "auto")  # warns
        if "prediction" in chosen and schema[chosen["prediction"]] == pl.String:
            texts = some.columns[chosen["prediction"]]
            standard_frames.warn_of_printed(chosen["prediction"], texts, problems, some)

    in_parts = formats | ({"answers_format": "text"} if is_auto else {})

    # Not as expressions: Polars makes another error of the text of one that an expression raises.
    def standard(frame: pl.DataFrame) -> pl.DataFrame:
        damaged = Problems(file)
        result = standard_frames.frame(from_frame(frame), chosen, damaged, unique_ids=False, **in_parts)
        damaged.raise_any()
        return result

    are_printed = any(
        schema[chosen[role]] == pl.String and (role != "answers" or in_parts["answers_format"] != "text")
        for role in usual_names.LISTS
        if role in chosen
    )
    nested = {role: schema[name] for role, name in chosen.items() if schema[name].is_nested()}
    are_objects = any(isinstance(getattr(dtype, "inner", dtype), pl.Struct) for dtype in nested.values())
    if are_printed or are_objects or "prediction" in nested:
        rows = lazy.map_batches(standard, schema=empty.schema, streamable=True, validate_output_schema=True)
        return origins.remember(rows, columns=chosen)
    roles = [chosen[role] for role in usual_names.ROLES if role in chosen]
    sources = [*roles, *(name for name in schema if name not in roles)]
    columns = []
    for source, (name, dtype) in zip(sources, empty.schema.items(), strict=True):
        column = cs.by_name(source).as_expr()
        is_single = dtype == pl.List and schema[source] == pl.String
        columns.append((alone(column) if is_single else column.cast(dtype)).alias(name))
    ids_read = cs.by_name(*usual_names.IDS, require_all=False).as_expr()
    in_one_form = ids_read.map_batches(standard_frames.in_one_form, pl.String, is_elementwise=True)
    return origins.remember(lazy.select(columns).with_columns(in_one_form), columns=chosen)


def _are_in_texts(schema: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Return whether a dotted name may name an entry of objects in texts, which have to be parsed."""
    paths = [standard_frames.path_of(name, schema) for name in names if name not in schema]
    return any(
        path and raw_tables.typed_entry(pl.lit(None), schema[path[0]], path[1:]) is None for path in paths
    )


def _hint_entries(file: File, lazy: pl.LazyFrame, problems: Problems) -> None:
    """Say how the entries of objects in a Parquet file are named."""
    with reading_parquet(file):
        some = from_frame(lazy.head(_LOOKED_AT).collect())
    problems.hint(*standard_frames.entry_hints(some, some.names))


def with_entries(frame: Rows, names: Iterable[str], file: os.PathLike[str] | None = None) -> Rows:
    """
    Return rows with the entries of objects and lists that dotted names name as columns.

    A query stays one if no text has to be parsed for this.

    Raises
    ------
    InputError
        If a column has objects without the entry, or other values among objects.
    """
    schema = frame.lazy().collect_schema()
    paths = {name: standard_frames.path_of(name, schema) for name in names if name not in schema}
    rows = frame
    for name, (root, *keys) in ((name, path) for name, path in paths.items() if path):
        problems = Problems(file)
        entry = None
        if isinstance(rows, pl.LazyFrame):
            entry = raw_tables.typed_entry(cs.by_name(root).as_expr(), schema[root], keys)
        some = rows.lazy() if entry is None else rows.lazy().head(_LOOKED_AT)
        raw = from_frame(some.select(cs.by_name(root)).collect())
        values = raw_tables.entries(raw, root, keys, problems)  # warns
        known = [] if entry is not None or values is not None else raw_tables.entry_names(raw, root)
        if known:
            problems.add(no_column(name, [f"{root}.{key}" for key in known]))
        problems.raise_any()
        if entry is not None:
            rows = rows.with_columns(entry.alias(name))
        elif values is not None:
            read = rows.lazy().collect().with_columns(raw_tables.kept(name, values))
            rows = read if isinstance(rows, pl.DataFrame) else read.lazy()
    return origins.like(rows, frame)


def read_table(
    file: File,
    *,
    required: Sequence[Role],
    systems: Mapping[str, str] = {},
    **options: Any,
) -> pl.DataFrame:
    """
    Read a file as the standard frame, with at least the required columns, by options of `read_results`.

    The predictions in the columns of `systems` are added under these names.
    """
    formats = standard_frames.formats_of(options)
    problems = Problems(file)
    given: dict[Role, Any] = {role: options.pop(role, None) for role in usual_names.ROLES}
    stored = {name: value for name, value in options.items() if name not in formats}
    raw = read_raw(file, problems, **stored)
    if not (raw.height or file.is_part):
        problems.raise_any()
        raise problem(file, "holds no rows")
    standard_frames.warn_of_verdicts(raw, problems)
    damaged = len(problems)
    named = standard_frames.column_names([*given.values(), *systems.values()])
    raw = standard_frames.with_entries(raw, named, problems)
    raw, given["question_id"] = standard_frames.with_ids(raw, given["question_id"], problems)
    chosen = standard_frames.choose(raw, given, required, problems)
    for name in systems.values():
        standard_frames.choose(raw, {"prediction": name}, (), problems)
    if len(problems) > damaged:  # without the columns, nothing else can be checked
        problems.hint(*standard_frames.entry_hints(raw, raw.names))
        if not (raw.typed or any(usual_names.usual_names(role, raw.names) for role in usual_names.ROLES)):
            problems.hint("the first line names the columns; if it is a row, write their names above it")
        problems.raise_any()
    if {*usual_names.SCORED}.isdisjoint(chosen) and (within := standard_frames.rows_within(raw)) is not None:
        warn(f"{file}: {within}")
    standard = standard_frames.frame(raw, chosen, problems, unique_ids=file.unique_ids, **formats)
    texts = {}
    for name, column in systems.items():
        known = len(problems)
        texts[name] = standard_frames.prediction(raw, column, problems)
        if len(problems) > known:
            problems.hint(*standard_frames.entry_hints(raw, [column]))
    problems.raise_any()
    predicted = [(column, texts[name]) for name, column in systems.items()]
    if "prediction" in chosen:
        predicted.insert(0, (chosen["prediction"], standard["prediction"]))
    for column, said in predicted:
        standard_frames.warn_of_printed(column, said, problems, raw)
        standard_frames.warn_of_failed_calls(column, said, problems, raw)
    separator = origins.of(standard).separator
    with_texts = standard.with_columns(text.alias(name) for name, text in texts.items())
    rows = standard_frames.with_ratings(with_texts, problems)
    return origins.remember(rows, columns=chosen, separator=separator)


def read_columns(file: File) -> Raw:
    """Read a file as columns that have no roles; raise its problems."""
    problems = Problems(file)
    raw = read_raw(file, problems)
    problems.raise_any()
    return raw


def read_raw(file: File, problems: Problems, **options: Any) -> Raw:
    """Read a file as columns that have no roles, with the columns of its folders."""
    raw, folders = _stored(file, problems, **options), _columns_of_folders(file)
    if not folders.keys().isdisjoint(raw.columns):
        return raw
    added = {
        name: pl.repeat(value, raw.height, dtype=pl.String, eager=True) for name, value in folders.items()
    }
    return replace(raw, columns={**raw.columns, **added})


def _columns_of_folders(file: File) -> dict[str, str | None]:
    """Return the columns that folders of the names `lang=de` are, as in partitioned tables."""
    folders = [part.partition("=") for part in file.path.parts[:-1] if not file.is_stream]
    values = {name: unquote(value) for name, equals, value in folders if equals}
    return {name: None if value == _NULL_FOLDER else value for name, value in values.items()}


def _stored(
    file: File,
    problems: Problems,
    *,
    format: str | None = None,  # noqa: A002 - what it is
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Raw:
    """Read the columns that are stored in a file."""
    kind = file.format(format)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii()):
        raise ValueError(f"delimiter must be one character, got {delimiter!r}")
    if kind == "parquet":
        with reading_parquet(file):
            return from_frame(scan(file).collect())
    if kind == "xlsx":
        from anls_frame.files import workbooks  # noqa: PLC0415 - only for those who read one

        return workbooks.read(file, problems, sheet)
    if kind in {"csv", "tsv"}:
        text = file.read_text(encoding)
        is_misnamed = "\t" not in text and re.match(r"[^\n]*[,;|]", text)
        tab = "\t" if kind == "tsv" and not is_misnamed else None
        return read_delimited(file, text, problems, delimiter or tab)
    text = file.read_json(encoding)
    # Speech toolkits give manifests of JSON Lines the suffix .json.
    if kind == "jsonl" or raw_tables.are_lines(text):
        return raw_tables.from_lines(file, text)
    return raw_tables.from_objects(
        file, raw_tables.records(file, raw_tables.read_whole(file, text), problems)
    )


def scan(file: File) -> pl.LazyFrame:
    """
    Return the rows of a file as a query, whose schema was read, with the columns of its folders.

    Numbers in the names of folders become numbers, which text files do not have.
    """
    file.check()
    source = file.seekable()
    folders = _columns_of_folders(file).keys()
    with reading_parquet(file):
        lazy = pl.scan_parquet(source, glob=False)
        own = lazy.collect_schema()
        if folders and folders.isdisjoint(own) and isinstance(source, Path):
            lazy = pl.scan_parquet(source, glob=False, hive_partitioning=True)
    return lazy


@contextmanager
def reading_parquet(file: File) -> Iterator[None]:
    """
    Raise an error that names the file if Polars fails or panics in the block because the file is damaged.

    Errors in computations with the rows are raised unchanged.
    """
    try:
        yield
    except (DTypeError, ColumnNotFoundError, DuplicateColumnError):
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        fault = _fault_of_parquet(file)
        if fault is None:
            raise
        if not file.is_stream:
            with file.path.open("rb") as content:
                file.check_content(content.read(64), [PARQUET])
        raise problem(
            file, f"cannot be read as Parquet: {fault}; it is damaged, no Parquet, or was changed meanwhile"
        ) from None


def _fault_of_parquet(file: File) -> str | None:
    """Read the whole file, and return the reason for a failure, or None."""
    try:
        rows = pl.scan_parquet(file.seekable(), glob=False)
        rows.map_batches(pl.DataFrame.clear, streamable=True, projection_pushdown=False).collect(
            engine="streaming"
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        return str(error).partition("\n")[0]
    return None


def write_results(frame: Any, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> Path:
    """
    Write rows to a file, in the format of the file's suffix, for `read_results` to read again.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame or an Arrow table. The rows of a LazyFrame are
        written in batches, so they may exceed memory, except in a workbook.
    path
        Path that ends in .csv, .tsv, .jsonl, .json, .parquet or .xlsx. An existing file is replaced
        completely or, on an error, left unchanged.
    escape_formulas
        In .csv and .tsv, whether to put an apostrophe before text that a spreadsheet would run as a formula.

    Returns
    -------
    Path
        The path of the file. Lists are JSON where the format has none. In .csv and .tsv, null is an empty
        field, the empty string a pair of quotes, and all columns but the answers are read as strings. The
        index of a pandas frame is not written.

    Raises
    ------
    ValueError
        If the suffix is not supported.
    TypeError
        If the frame is not of an accepted kind, or the name of a column is not a string.
    DTypeError
        If the values of a column have no common dtype.
    OSError
        If the file cannot be written. An existing file then stays unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import anls_frame as af
    >>> frame = pl.DataFrame({"prediction": ["lnvoice", None], "answers": [["Invoice"], ["Total", "total"]]})
    >>> path = af.write_results(frame, Path(tempfile.mkdtemp()) / "results.csv")
    >>> print(path.read_text())
    prediction,answers
    lnvoice,"[""Invoice""]"
    ,"[""Total"",""total""]"
    <BLANKLINE>
    >>> af.read_results(path, answers_format="list")["answers"].to_list()
    [['Invoice'], ['Total', 'total']]
    """
    target = as_path(path)
    known_suffix(target, row_files.SUFFIXES)
    frame = at_hand(frame)
    check_names(column_names(frame))
    row_files.write(in_polars(frame).lazy(), target, escape_formulas=escape_formulas)
    return target


_DELIMITERS = (",", ";", "\t", "|")
# Arrow reads in blocks, and each row must fit into one.
_BLOCK = 256 << 20
_limit_lock = threading.Lock()


def read_delimited(file: File, text: str, problems: Problems, delimiter: str | None) -> Raw:
    """
    Return the fields of a delimited text; an empty field is null, an empty field in quotes an empty string.

    Rows with too few or too many fields are problems, and left out. Quotes that do not enclose whole fields
    are an error, because readers drop such quotes, or read everything after them as one field.
    """
    # A line that only tells Excel the delimiter is left empty, so that other lines keep their numbers.
    text = re.sub(r"\Asep=.(?=\r?\n)", "", text, flags=re.IGNORECASE)
    with _fields_of_any_length():
        text = _below_title(file, text, delimiter)
        delimiter = delimiter or _detected(text)
        header, lines = _checked(text, delimiter, problems)
    table = _arrow_table(file, text, delimiter, len(header))
    # As streams: to take columns as what they are, Polars would import all functions of Arrow.
    streams = [SimpleNamespace(__arrow_c_stream__=column.__arrow_c_stream__) for column in table.columns]
    columns = [pl.Series(stream, dtype=pl.String).slice(1) for stream in streams]
    # One before a quoted text, such as '=' or '-5', has another after it, not within a word.
    if n := sum(int(column.str.contains(rf"^'{FORMULA_START}([^']|\b'\b)*$").sum()) for column in columns):
        said = f"the apostrophe that keeps spreadsheets from running {numbered(n, 'text')} is scored, too;"
        others = "Parquet and JSON Lines, nor with --no-escape-formulas into CSV"
        warn(f"{file}: {said} commands write none into {others}")
    names = [name.strip() or f"column_{index}" for index, name in enumerate(header, start=1)]
    named = by_name(names, columns, problems)
    return Raw(named, table.num_rows - 1, lambda row: f"line {lines[row]}", typed=False)


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift the limit of the length of a field, which all threads share."""
    with _limit_lock:
        limit = csv.field_size_limit(sys.maxsize)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _below_title(file: File, text: str, delimiter: str | None) -> str:
    """Return a text whose lines above the header, such as a title, are empty; warn of them."""
    first = [*islice(re.finditer(r"[^\r\n]+", text), standard_frames.MOST_ABOVE)]
    rows = [next(csv.reader([line[0]], delimiter=delimiter or _detected(line[0])), []) for line in first]
    above = standard_frames.rows_above_header(rows)
    if not above:
        return text
    standard_frames.warn_of_title(file, rows[:above])
    start = first[above].start()
    return re.sub(r"[^\r\n]+", "", text[:start]) + text[start:]


def _detected(text: str) -> str:
    """Return the delimiter of the header."""
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(filter(None, rows), [""])
    return "," if len(header) > 1 else max(_DELIMITERS, key=header[0].count)


def _checked(text: str, delimiter: str, problems: Problems) -> tuple[list[str], list[int]]:
    """Return the header, and the line on which each row of its width starts; report all other rows."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    lines: list[int] = []
    longest = range(0)
    are_quoted = True
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            what = "a quote is opened and never closed" if unclosed else "text after a closing quote"
            problems.add(what, f"line {line}")
            are_quoted = False
            continue
        if not fields:  # an empty line
            continue
        header = header or fields
        longest = max(longest, range(line, reader.line_num), key=len)
        if len(fields) == len(header):
            lines.append(line)
        else:
            problems.add(f"{numbered(len(fields), 'field')} instead of {len(header)}", f"line {line}")
    if are_quoted and len(lines) == 1 and problems:
        problems.hint("the first line is no header of the others; delete it if it is a title")
    _check_quotes(text, delimiter, header, problems, longest if are_quoted else None)
    return header, lines[1:]


_QUOTED = 'a field with quotes must be in quotes, with each of its own doubled, such as "5"" disk"'


def _check_quotes(
    text: str, delimiter: str, header: Sequence[str], problems: Problems, longest: range | None
) -> None:
    """
    Raise the problems of quotes, or warn of the row of most lines, if quotes may be text.

    `longest` are the lines of this row but its last; None if quotes do not enclose whole fields.
    """
    file = problems.path
    are_text = longest != range(0) and _is_table_without_quotes(text, delimiter, header)
    advice = (
        "if quotes are text in this file, as in Common Voice, "
        f"`polars.read_csv({str(file)!r}, separator={delimiter!r}, quote_char=None, "
        f"infer_schema=False).write_parquet({str(file.with_suffix('.parquet'))!r})` keeps them"
    )
    if longest is None:
        problems.hint(advice if are_text else _QUOTED)
        problems.raise_any()
    elif are_text:
        span = f"lines {longest[0]} to {longest[-1] + 1} are one row, because a quote is opened there"
        warn(f"{file}: {span}, although each line has the {len(header)} fields of a row; {advice}")


def _is_table_without_quotes(text: str, delimiter: str, header: Sequence[str]) -> bool:
    """Return whether each line has the fields of a row if quotes are text, as in files of IANA's TSV."""
    lines = filter(None, re.split(r"[\r\n]+", text))
    return len(header) > 1 and all(line.count(delimiter) == len(header) - 1 for line in lines)


def _arrow_table(file: File, text: str, delimiter: str, width: int) -> pa.Table:
    """Return the header and the rows of its width, with strings in all fields."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    data = _arrow_memory(text.encode())
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                autogenerate_column_names=True,
                block_size=min(max(data.size, 1), _BLOCK),
                # A thread could release the handler below, which is a Python object, at any time.
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=lambda _: "skip"
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={f"f{index}": pa.large_string() for index in range(width)},
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
    except pa.ArrowException as error:
        raise problem(file, f"cannot be read: {error}") from None


def _arrow_memory(data: bytes) -> pa.Buffer:
    """
    Return the bytes in memory owned by Arrow.

    Arrow reads ahead in a thread. If this thread were the last to release memory of Python while Python
    exits, the process would abort.
    """
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    buffer = pa.allocate_buffer(len(data))
    if data:
        memoryview(buffer).cast("B")[:] = data
    return buffer
