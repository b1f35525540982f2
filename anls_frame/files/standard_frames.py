"""
The standard frame: roles of columns, and their conversion.

A sample of a harness has fields from several sources: the harness itself, the scores, the document of the
data set. Fields of different sources can share a name, or be called `prediction`, so a field is identified by
its path. Columns are named once all paths are known, so that no field replaces another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from types import NoneType
from typing import Any, Literal, TypeAlias, TypeVar

import polars as pl

from anls_frame._messages import Either, Message, Option
from anls_frame._text import listed, numbered, quoted, shortened_apart
from anls_frame.exceptions import warn
from anls_frame.files import raw_tables
from anls_frame.files.file import File
from anls_frame.files.other_formats import way_of
from anls_frame.files.problems import Problems, problem
from anls_frame.files.raw_tables import Column, Raw
from anls_frame.frames import answer_texts, origins
from anls_frame.frames.answer_lists import (
    NotAListError,
    answer_key,
    answers_in,
    as_lists,
    check_answers_format,
    entry,
    may_be_lists,
    parsed,
)
from anls_frame.frames.checks import free_name, no_column, text_advice
from anls_frame.frames.strict_json import Number
from anls_frame.frames.usual_names import (
    IDS,
    LISTS,
    PREDICTED,
    ROLES,
    SCORED,
    Role,
    is_outcome,
    plain_name,
    usual_names,
)

Rows = TypeVar("Rows", pl.DataFrame, pl.LazyFrame)
UniqueIds: TypeAlias = bool | Literal["in an epoch"]
GOLD_ELSEWHERE = Message(
    "answers in another file are joined with ", Option("gold", "FILE"), Either(" of `read_logs`", "")
)
_FAILED_CALL = "Failed to obtain answer via API"
_SHOWN_IDS = 10
_LONGEST_ID = 56
_SHOWN_NAMES = 40
_LONGEST_NAME = 200
"""Number of letters up to which the name of an entry is shown: the key of a cache is a whole document."""
_SHOWN_TITLES = 3


def choose(
    raw: Raw,
    given: Mapping[Role, str | None],
    required: Sequence[Role],
    problems: Problems,
    objects: Sequence[Role] = (),
) -> dict[Role, str]:
    """
    Return the column of each role: the given column, or else a column with a usual name.

    The standard name takes precedence over other usual names; only one of these may occur. A column of
    objects has no role that is neither given nor required, unless the role is one of `objects`:
    `response.score` may be wanted, and no text.
    """
    names = raw.names
    chosen = _named_columns(names, given, problems)
    if required != PREDICTED and "answers" in chosen and chosen["answers"] == chosen.get("prediction"):
        problems.add(f"column {chosen['answers']!r} is named for both the prediction and the answers")
    for role in ROLES:
        if given.get(role) is not None:
            continue
        beside = chosen.get("prediction") if role in required else None
        usual = usual_names(role, [name for name in names if name not in chosen.values()], beside)
        if role not in (*required, *objects):
            usual = [name for name in usual if _may_be_of(role, raw, name)]
        if not usual and role in required == PREDICTED and len(names) == 2:  # noqa: PLR2004 - and an id
            usual = [name for name in names if plain_name(name) == "answer"]
        if len(usual) == 1:
            chosen[role] = usual[0]
        elif role in required:
            ask_for(role, usual, names, problems, role)
    return chosen


def _may_be_of(role: Role, raw: Raw, name: str) -> bool:
    """Return whether a column has a role without being asked for: one of objects only holds answers."""
    column = raw.column(name)
    if not raw_tables.holds_objects(column):
        return True
    dtype = column.dtype if isinstance(column, pl.Series) else None
    objects = (value for value in column if type(value) is dict)
    fields = dtype.to_schema() if isinstance(dtype, pl.Struct) else next(objects)
    return role == "answers" and answer_key(fields) is not None


def _named_columns(
    names: Sequence[str], given: Mapping[Role, str | None], problems: Problems
) -> dict[Role, str]:
    """Return the columns that are given for roles; report those that do not exist."""
    chosen: dict[Role, str] = {}
    for role, name in given.items():
        if name is None:
            continue
        if not isinstance(name, str):
            raise TypeError(f"{role} must be the name of a column, got {name!r}")
        if name in names:
            chosen[role] = name
        else:
            others = [other for other in given.values() if other is not None]
            # As plain text: no column has another name than in the file yet.
            problems.add(str(no_column(name, names, [*others, *path_of(name, names)[:1]])))
    return chosen


def ask_for(role: Role, usual: Sequence[str], names: Sequence[str], problems: Problems, option: str) -> None:
    """Report that no column, or one of several usual names, has a role; say how to name it."""
    among = listed([quoted(name) for name in usual or names], _SHOWN_NAMES)
    found = (
        f"columns {among} could all be the {role}" if usual else f"no column with the {role} among {among}"
    )
    problems.add(Message(f"{found}; name it with ", Option(option, ...)))
    if role == "answers" and not usual:
        problems.hint(GOLD_ELSEWHERE)
    if role == "prediction" and not usual and (scores := [*filter(is_outcome, names)]):
        better = "lower" if plain_name(scores[0]).endswith(("cer", "wer", "errorrate")) else "higher"
        command = f"`anls-frame report FILE --metric '{better}:{scores[0]}'` (lower: or higher:)"
        read = Either(f"`report_files` with metrics=Metric({scores[0]!r})", command)
        problems.hint(Message(f"if {quoted(scores[0])} holds scores, ", read, " needs no texts"))


def path_of(name: str, names: Container[str]) -> list[str]:
    """Return the column and the keys of a dotted name, such as `output.answer`; nothing without a column."""
    dots = [index for index, letter in enumerate(name) if letter == "."]
    paths = ([name[:dot], *name[dot + 1 :].split(".")] for dot in dots if name[:dot] in names)
    return next(paths, [])


def column_names(given: Iterable[Any]) -> list[str]:
    """Return the names among the values of options that name a column or, of ids, several."""
    lists = ([value] if isinstance(value, str) else value or () for value in given)
    return [name for names in lists for name in names if isinstance(name, str)]


def with_entries(raw: Raw, names: Iterable[str], problems: Problems) -> Raw:
    """Return a table with the entries of objects that dotted names name as columns."""
    added = {}
    for name in names:
        path = path_of(name, raw.names) if name not in raw.names else []
        values = raw_tables.entries(raw, path[0], path[1:], problems) if path else None
        if values is not None:
            added[name] = values
    return replace(raw, columns={**raw.columns, **added}) if added else raw


def entry_hints(raw: Raw, names: Sequence[str]) -> list[str]:
    """Return what to do with a file, or the entries of objects in these columns, if it has any."""
    if (way := rows_within(raw) or way_of(raw.names)) is not None:
        return [way]
    paths = [f"{name}.{key}" for name in names for key in raw_tables.entry_names(raw, name)]
    short = [path for path in paths if len(path) <= _LONGEST_NAME]
    return [f"entries of objects are named with dots: {listed(short)}"] if short else []


def rows_within(raw: Raw) -> str | None:
    """Return what to do with rows that objects hold in a column; None without any."""
    for name in raw.names:
        rows = next((value for value in raw.column(name) if isinstance(value, list) and value), [None])
        if isinstance(rows[0], dict) and all(usual_names(role, [*rows[0]]) for role in SCORED):
            return (
                f"column {name!r} holds rows in lists; write a file with each of them in a row of its own, "
                "and the other values of its list next to it"
            )
    return None


def with_ids(raw: Raw, given: str | Sequence[str] | None, problems: Problems) -> tuple[Raw, str | None]:
    """Return a table with a column of ids, and its name; several given columns become one column of both."""
    if given is None or isinstance(given, str):
        return raw, given
    names = list(given)
    if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
        if len(names) == 1:
            return raw, names[0]
        raise ValueError(f"question_id must name different columns, got {names!r}")
    known = len(problems)
    for name in names:
        choose(raw, {"question_id": name}, (), problems)
    if len(problems) > known:
        return raw, None
    columns = [raw_tables.texts(name, raw.column(name), problems, raw.place) for name in names]
    parts = pl.DataFrame([column.alias(f"part_{index}") for index, column in enumerate(columns)])
    ids = parts.select(joined_ids(pl.all())).to_series()
    name = free_name(", ".join(names), raw.names)
    return replace(raw, columns={**raw.columns, name: ids}), name


SEVERAL_IDS = Message(
    "if several columns identify a question together, name them all with ",
    Either('question_id=["A", "B"]', "--id A,B"),
    "; number repeated answers 1, 2, ... in a column epoch; if a run was resumed, keep one row a question",
)


def joined_ids(parts: pl.Expr | Iterable[pl.Expr]) -> pl.Expr:
    """Return the ids of several columns as one, null where one of them is."""
    return pl.concat_str(parts, separator=" | ")


MOST_ABOVE = 10
"""Rows among which the header is looked for."""


def rows_above_header(rows: Iterable[Sequence[str]]) -> int:
    """
    Return how many rows are above the header of a table, as a title is.

    The header is the first row with the usual names of two roles, if each row above it fills fewer cells.
    """
    most = -1
    for index, cells in enumerate(islice(rows, MOST_ABOVE)):
        filled = [cell.strip() for cell in cells if cell.strip()]
        if len(filled) > most and sum(bool(usual_names(role, filled)) for role in ROLES) > 1:
            return index
        most = max(most, len(filled))
    return 0


def warn_of_title(file: os.PathLike[str], rows: Sequence[Sequence[str]]) -> None:
    """Warn of rows above the header of a table, which are left out."""
    if cells := [cell for cell in chain.from_iterable(rows) if cell.strip()]:
        count = f"{numbered(len(rows), 'row')} above the header left out"
        warn(f"{os.fspath(file)}: {count}: {listed(map(quoted, cells), _SHOWN_TITLES)}")


def frame(
    raw: Raw,
    chosen: Mapping[Role, str],
    problems: Problems,
    *,
    unique_ids: UniqueIds = True,
    is_named: bool = True,
    answers_format: str = "auto",
    question_types_format: str = "list",
) -> pl.DataFrame:
    """
    Return the standard frame: the columns with roles, then all others unchanged.

    A column with the name but not the role gets an underscore appended to its name. If options name the
    columns (`is_named`), hints say how they name entries of objects.
    """
    columns: list[pl.Series] = []
    separator = None
    for role in (role for role in ROLES if role in chosen):
        name, known = chosen[role], len(problems)
        if role == "prediction":
            own = prediction(raw, name, problems)
        elif role == "answers":
            _note_formats(role, name, raw, problems)
            predictions = next((column for column in columns if column.name == "prediction"), None)
            own, separator = as_answers(raw, name, problems, answers_format, predictions)
            _warn_of_written(name, own, problems, raw)
        elif role in LISTS:
            own = as_text_lists(name, raw.column(name), problems, raw.place, question_types_format)
        else:
            own = raw_tables.texts(name, raw.column(name), problems, raw.place)
            own = in_one_form(own) if role in IDS else own
        columns.append(own.alias(role))
        if is_named and len(problems) > known:
            problems.hint(*entry_hints(raw, [name]))
    taken = {column.name for column in columns}
    names, used = set(raw.names), set(chosen.values())
    for name in raw.names:
        if name not in used:
            free = name if name not in taken else free_name(name, taken | names)
            taken.add(free)
            columns.append(raw_tables.kept(free, raw.others.get(name, raw.column(name))))
    standard = origins.remember(pl.DataFrame(columns), separator=separator)
    if "question_id" in chosen and unique_ids:
        epochs = epochs_of(standard) if unique_ids == "in an epoch" else None
        ids = standard["question_id"]
        check_ids(ids, problems, raw.place, repeat(None) if epochs is None else epochs, SEVERAL_IDS)
    return standard


def prediction(raw: Raw, name: str, problems: Problems) -> pl.Series:
    """Return a column as the texts of a system."""
    _note_formats(name, name, raw, problems)
    column = _out_of_lists(name, raw.column(name), problems, raw.place)
    texts = raw_tables.texts(name, column, problems, raw.place)
    _warn_of_written(name, texts, problems, raw)
    return texts


def _out_of_lists(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> Column:
    """Return the only entries of predictions that are lists, as of responses; other lists are problems."""
    if isinstance(column, pl.Series):
        if not isinstance(column.dtype, pl.List | pl.Array) or not raw_tables.is_text(column.dtype.inner):
            return column
        column = column.to_list()
    elif list not in raw_tables.kinds_of(column):
        return column
    single: list[Any] = []
    for index, value in enumerate(column):
        is_list = isinstance(value, list)
        is_single = is_list and len(value) == 1 and not isinstance(value[0], list | dict)
        single.append(value[0] if is_single else None if is_list and len(value) != 1 else value)
        if is_list and len(value) != 1:
            several = "keep one of them, or make a row of each, with its number in a column 'epoch'"
            advice = several if value else "write null for a missing prediction"
            problems.add(f"{name!r} must be one text, got a list of {len(value):,}; {advice}", place(index))
    return single


_WHOLE_FLOAT = r"\A-?[0-9]+\.0\z"
_MILLISECONDS, _DAY = r"\A-?\d{10,14}\z", 24 * 60 * 60 * 1000
"""Dates of JSON from pandas: milliseconds since 1970, at midnight."""


def _warn_of_written(source: str, texts: pl.Series, problems: Problems, raw: Raw) -> None:
    """
    Warn of texts that the program which wrote the file changed, as all of them show.

    pandas makes floats of whole numbers if one is missing. Some exports write JSON into the fields of CSV.
    """
    column = raw.columns[source]
    if raw.typed and (isinstance(column, pl.Series) or Number not in raw_tables.kinds_of(column)):
        return
    texts = texts.explode(empty_as_null=True) if texts.dtype == pl.List else texts
    filled = texts.drop_nulls()
    if filled.is_empty():
        return
    first, about = filled[0], f"{problems.path}: each text in column {source!r} is"
    if len(filled) < len(texts) and answer_texts.all_match(filled, _WHOLE_FLOAT):
        warn(
            f"{about} a whole number with .0, such as {first!r}, which is not the text "
            f"{first.removesuffix('.0')!r}; {raw_tables.FLOATS_OF_PANDAS}, before you write the file"
        )
    elif raw.typed and answer_texts.all_match(filled, _MILLISECONDS) and (filled.cast(int) % _DAY == 0).all():
        warn(
            f"{about} a number of milliseconds, such as {first!r}, which is how pandas writes dates to JSON; "
            "make texts of the dates, as in the other column, with dt.strftime before you write the file"
        )
    elif not raw.typed and (told := answer_texts.strings_of_json(filled.alias(source))) is not None:
        warn(f"{problems.path}: {told}, and write the texts themselves")


def warn_of_verdicts(raw: Raw, problems: Problems) -> None:
    """Warn of columns in which each text begins with a verdict, as in CSV files of promptfoo."""
    for name, column in () if raw.typed else raw.columns.items():
        texts = column.drop_nulls()
        if len(texts) and answer_texts.all_match(texts, r"\A\[(PASS|FAIL|ERROR)\] "):
            warn(
                f"{problems.path}: each text in column {quoted(name)} begins with a verdict, such as "
                f"{quoted(texts[0])}, which counts if it is scored; read the JSON Lines of promptfoo, as the "
                'guide to logs does under "Other harnesses"'
            )


def _note_formats(role: str, name: str, raw: Raw, problems: Problems) -> None:
    """Report cells in which a spreadsheet has replaced the text by a date, and warn of formatted numbers."""
    formatted = raw.formatted.get(name, ())
    if numbers := [cell for cell in formatted if cell[2] is not None]:
        place, text, code = numbers[0]
        warn(
            f"{problems.path}: column {quoted(name)} has {numbered(len(numbers), 'number')} that the "
            f"workbook shows as another text, as in {place} ({text} in the format {code}); the number itself "
            "is read. Save the sheet as CSV, which has what the cells show, or enter the cells as text"
        )
    for place, date, _ in (cell for cell in formatted if cell[2] is None):
        problems.add(
            f"{role!r} must be text, got a date or time ({date}), which Excel shows in its own format; enter "
            "it as text, or save the sheet as CSV, which has what the cells show",
            place,
        )


def epochs_of(frame: pl.DataFrame) -> pl.Series | None:
    """Return the column `epoch` of a file as integers; None if it holds other values."""
    column = frame["epoch"] if "epoch" in frame.columns else pl.Series([None])
    if column.dtype == pl.String:  # as CSV has numbers
        column = column.cast(pl.Int64, strict=False)
    if not column.dtype.is_integer() or column.null_count():
        return None
    return column.cast(pl.Int64)


def in_one_form(ids: pl.Series) -> pl.Series:
    """Return ids in the Unicode form NFC, because tables that are joined may have them in different forms."""
    is_ascii = ids.str.len_bytes().sum() == ids.str.len_chars().sum()
    return ids if is_ascii else ids.str.normalize("NFC")


def check_ids(
    ids: pl.Series,
    problems: Problems,
    place: Callable[[int], str],
    epochs: Iterable[Any] = repeat(None),
    advice: str = "",
) -> None:
    """Report ids that are missing, or duplicated within an epoch, with their places; say what to do."""
    ids = ids.alias("id")  # Series methods take some names for patterns
    if not ids.null_count() and not ids.is_duplicated().any():
        return
    first: dict[tuple[str, str], int] = {}
    for index, (value, epoch) in enumerate(zip(ids, epochs, strict=False)):
        if value is None:
            problems.add("the id is missing", place(index))
            continue
        seen = first.setdefault((value, str(epoch)), index)  # a field of this name may be a list
        if seen != index:
            problems.add(f"duplicate id {quoted(value)}, first seen at {place(seen)}", place(index))
            if advice:
                problems.hint(advice)


def ids_text(values: Sequence[object]) -> str:
    """Return the first few ids for a message, long ones without a part that others share."""
    names = shortened_apart([str(value) for value in values[:_SHOWN_IDS]], _LONGEST_ID)
    return listed([*map(quoted, names), *map(str, values[_SHOWN_IDS:])], _SHOWN_IDS)


Key: TypeAlias = tuple[str, ...]
"""The path of a field: its source, and the names that lead to it."""

SAMPLE = "sample"
"""The source of the harness' own fields of a sample, which are named first."""
_ROLE = "role"
_DOCUMENTS = ("metadata", "doc", "gold")
DOC_IDS = ("docId", "doc_id", "ucsf_document_id")


def role_key(name: Role) -> Key:
    """Return the key of the field with a role."""
    return (_ROLE, name)


def members(source: str, value: Any) -> dict[Key, Any]:
    """Return the fields of an object; any other value is a field of the sample, named after the source."""
    if isinstance(value, dict):
        return {(source, name): entry for name, entry in value.items()}
    return {} if value is None else {(SAMPLE, source): value}


def checked_samples(
    file: File,
    raw: Raw,
    problems: Problems,
    *,
    is_outcome: Callable[[Key], bool],
    answers_format: str = "list",
    repeated: str = "",
) -> pl.DataFrame:
    """
    Return the standard frame of samples. A sample occurs once in each epoch.

    `is_outcome` says which fields say how the system did; `repeated` what to do about ids that occur again.
    """
    if not raw.height:
        problems.raise_any()
        raise problem(file, "holds no samples")
    rows = samples_frame(raw, problems, is_outcome=is_outcome, answers_format=answers_format)
    if file.unique_ids and "question_id" in rows.columns:
        epochs = raw.columns.get((SAMPLE, "epoch"), [None] * rows.height)
        check_ids(rows["question_id"], problems, raw.place, epochs, repeated)
    problems.raise_any()
    check_answers(file, rows)
    return rows


def check_answers(file: File, rows: pl.DataFrame) -> None:
    """Raise an error if no row has an answer."""
    if not rows["answers"].list.drop_nulls().list.len().sum():
        none = f"no answers in {numbered(rows.height, 'row')}, as in a test split; there is nothing to score"
        raise problem(file, none)


def samples_frame(
    raw: Raw,
    problems: Problems,
    *,
    is_outcome: Callable[[Key], bool] = lambda _: False,
    doc_ids: Sequence[str] = DOC_IDS,
    answers_format: str = "list",
) -> pl.DataFrame:
    """
    Return the standard frame; ids may occur several times. Fields that say how the system did are remembered.

    A field keeps its name, unless a role or an earlier field has this name; the name is then prefixed with
    the source of the field, as in `doc_prediction`. Document fields known to hold the question, its types or
    the document's id get these roles; the prompt is then named `input`.
    """
    names = _names(raw.columns, doc_ids)
    named = replace(raw, columns={names[key]: column for key, column in raw.columns.items()})
    chosen: dict[Role, str] = {usual: usual for usual in ROLES if usual in named.names}
    rows = frame(named, chosen, problems, unique_ids=False, is_named=False, answers_format=answers_format)
    return origins.remember(rows, outcomes=frozenset(names[key] for key in raw.columns if is_outcome(key)))


def _names(columns: Mapping[Key, raw_tables.Column], doc_ids: Sequence[str]) -> dict[Key, str]:
    names = {key: key[1] for key in columns if key[0] == _ROLE}
    prompt = role_key("question")
    known: dict[Role, Sequence[str]] = {
        "question": ("question",),
        "question_types": ("question_types", "question_type"),
        "doc_id": doc_ids,
    }
    for role_name, usual in known.items():
        candidates = [(source, name) for name in usual for source in _DOCUMENTS if (source, name) in columns]
        fitting = [key for key in candidates if _fits(columns[key], lists=role_name in LISTS)]
        if not fitting or (
            role_name == "question"
            and prompt in names
            and NoneType in raw_tables.kinds_of(columns[fitting[0]])
        ):
            continue
        if role_name == "question":
            names.pop(prompt, None)
        if role_name not in names.values():
            names[fitting[0]] = role_name
    taken = {*ROLES, *names.values()}
    for key in sorted((key for key in columns if key not in names), key=lambda key: key[0] != SAMPLE):
        plain = "input" if key == prompt else "_".join(key[1:])
        name = plain if plain not in taken else "_".join((key[0], plain))
        names[key] = free_name(name, taken)
        taken.add(names[key])
    return names


def _fits(values: raw_tables.Column, *, lists: bool) -> bool:
    """Return whether values are strings (or lists of strings), so that they can have a role."""
    texts = {str, Number}
    kinds = raw_tables.kinds_of(values) - {NoneType}
    if not lists or list not in kinds:
        return bool(kinds) and kinds <= texts
    entries = chain.from_iterable(value for value in values if type(value) is list)
    return kinds <= {*texts, list} and set(map(type, entries)) <= texts


_LIST = pl.List(pl.String)
_FORMATS = {"answers_format": "auto", "question_types_format": "list"}
_NEVER_LISTS = frozenset({"reference", "transcription", "gt", "text"})
"""Names of columns that imply one string per row."""


def formats_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `frame` that say how lists in texts are read, which must be valid."""
    formats = {name: options.get(name, usual) for name, usual in _FORMATS.items()}
    check_answers_format(formats["answers_format"], ("auto", "text", "list"))
    check_answers_format(formats["question_types_format"], ("text", "list"), "question_types_format")
    return formats


def as_answers(
    raw: Raw, source: str, problems: Problems, answers_format: str, predictions: pl.Series | None = None
) -> tuple[pl.Series, str | None]:
    """
    Return the column of the answers as lists of strings, and where they were split without being asked.

    "text" reads each string as a single answer, "list" parses each string that is a printed list, and a
    separator also splits all other strings. "auto" does so only if the file's format has no lists and the
    column is not called reference, transcription, gt or text: it parses printed lists if every non-empty cell
    is one, and splits at `|` if this occurs only between answers.
    """
    name, column, separator = "answers", raw.column(source), None
    if answers_format == "auto":
        is_text = raw.typed or source.casefold().strip() in _NEVER_LISTS
        if isinstance(column, pl.Series) and not is_text:
            entries = _every(name, column, problems, raw.place)
            if entries is not None:
                return entries, None
            if _are_bare_lists(source, column.str.strip_chars(), problems):
                return as_text_lists(name, column, problems, raw.place, "text"), None
        separator = _separator(source, column, problems, raw, predictions, may_split=not is_text)
        answers_format = separator or "text"
    return as_text_lists(name, column, problems, raw.place, answers_format), separator


def as_text_lists(
    name: str,
    column: Column,
    problems: Problems,
    place: Callable[[int], str],
    answers_format: str = "list",
) -> pl.Series:
    """Return a column as lists of strings, parsed as `parse_answers` does; a damaged list is a problem."""
    if isinstance(column, raw_tables.JsonColumn) and column.holds_lists:
        column = column.lists()
    if isinstance(column, pl.Series):
        column = _typed(name, column, problems)
        if column.dtype == pl.String:
            column = _from_texts(name, column, problems, place, answers_format)
        return column.alias(name)
    texts = pl.Series([value if type(value) is str else None for value in column], dtype=pl.String)
    from_texts = _from_texts(name, texts, problems, place, answers_format).to_list()
    entries: list[Sequence[str | None] | None] = []
    for index, (value, from_text) in enumerate(zip(column, from_texts, strict=True)):
        try:
            entries.append(from_text if type(value) is str else _entries(value))
        except NotAListError as error:
            problems.add(f"{name!r} {error}", place(index))
            entries.append(None)
    return as_lists(name, entries)


def _typed(name: str, column: pl.Series, problems: Problems) -> pl.Series:
    """Return a column as strings or as lists of strings."""
    column = _out_of_objects(column)
    dtype = column.dtype
    if raw_tables.is_text(dtype):
        return column.cast(pl.String)
    if isinstance(dtype, pl.List | pl.Array) and raw_tables.is_text(dtype.inner):
        return column.cast(_LIST)
    nested = f"before you write the file, {text_advice(name, dtype)}"
    advice = f"; {nested if dtype.is_nested() else raw_tables.cast_advice(column)}"
    advice = "" if isinstance(dtype, pl.Struct) else advice  # a hint names the entries
    problems.add(f"column {name!r} must hold strings or lists of strings, got {dtype}{advice}")
    return pl.Series([None] * len(column), dtype=_LIST)


def _out_of_objects(column: pl.Series) -> pl.Series:
    """Return the answers of objects as data sets have them, or of lists of such objects."""
    dtype = column.dtype
    if isinstance(dtype, pl.Struct):
        key = answer_key(dtype.to_schema())
        return column if key is None else column.struct.field(key)
    if not isinstance(dtype, pl.List | pl.Array) or not isinstance(dtype.inner, pl.Struct):
        return column
    key = answer_key(dtype.inner.to_schema(), is_entry=True)
    if key is None:
        return column
    answers = column.cast(pl.List(dtype.inner)).list.eval(pl.element().struct.field(key))
    is_nested = dtype.inner.to_schema()[key] in (pl.List, pl.Array)
    return answers.list.eval(pl.element().explode(empty_as_null=False)) if is_nested else answers


def _from_texts(
    name: str, texts: pl.Series, problems: Problems, place: Callable[[int], str], answers_format: str
) -> pl.Series:
    entries, damaged = parsed(texts, answers_format)
    for index, message in damaged.items():
        problems.add(f"{name!r} {message}", place(index))
    return entries


def _every(name: str, column: pl.Series, problems: Problems, place: Callable[[int], str]) -> pl.Series | None:
    """Return a column of printed lists as lists; None if a cell is not a printed list, or all are empty."""
    filled = column.str.strip_chars()
    shaped = may_be_lists(column)
    if not (shaped | (filled == "")).all() or not shaped.any():
        return None
    entries, damaged = parsed(column, "list")
    read = pl.DataFrame([filled.alias("text"), entries.alias("entries")])
    # A value that is not a list becomes a list of one.
    alone = (pl.col("entries").list.len() == 1) & (pl.col("entries").list.first() == pl.col("text"))
    if read.select((alone & (pl.col("text") != "")).any()).item():
        return None
    for index, message in damaged.items():
        as_text = Message("; if it is one string, pass ", Option("answers_format", "text"))
        problems.add(Message(f"{name!r} {message}", as_text), place(index))
    return entries.alias(name)


def _are_bare_lists(source: str, texts: pl.Series, problems: Problems) -> bool:
    """Warn of lists without quotes, as DuckDB writes them, in which a comma may belong to a text."""
    bare = texts.filter(texts.str.contains(r"\A\[[^'\"\]]*, "))
    if bare.is_empty() or not texts.str.contains(r"(?s)\A(\[.*\])?\z").all():
        return False
    warn(
        f"{problems.path}: column {source!r} holds texts in brackets, as {quoted(bare[0])}; each counts as "
        f"one text. If they are lists, as DuckDB writes them to CSV, write to_json({source}) AS {source}"
    )
    return True


def _separator(
    source: str,
    column: Column,
    problems: Problems,
    raw: Raw,
    predictions: pl.Series | None,
    *,
    may_split: bool,
) -> str | None:
    """Return where strings are to be split, which is said; warn if others look like several answers."""
    if isinstance(column, raw_tables.JsonColumn) and column.holds_lists:
        return None
    if not isinstance(column, pl.Series):
        column = pl.Series([value if type(value) is str else None for value in column], dtype=pl.String)
    several = answer_texts.several_answers(column) if column.dtype == pl.String else None
    if several is None:
        if answer_texts.most_are_objects(column):
            warn(
                _most_are_printed(source, "objects", column, problems, raw, how="each counts as one answer"),
                "To score all entries, make a row of each with `anls_frame.fields`. ",
                "If these are answers, pass ",
                Option("answers_format", "text"),
            )
        return None
    separator, index, other = several
    is_certain = separator == answer_texts.SPLIT_UNASKED and answer_texts.are_separated(column, predictions)
    if may_split and is_certain:
        warn(
            f"{problems.path}: answers in column {source!r} are split at {separator!r}, as "
            f"{quoted(column[index])} ({raw.place(index)}); each part is accepted. Pass ",
            Option("answers_format", "text"),
            " to read each text as one answer, or ",
            Option("answers_format", separator),
            " to split without this message",
        )
        return separator
    unlike = "" if other is None else f", but not {quoted(column[other])} ({raw.place(other)})"
    what = "look like lists" if separator is None else f"hold {separator!r}"
    warn(
        f"{problems.path}: column {source!r} holds texts that {what}, as {quoted(column[index])} "
        f"({raw.place(index)}){unlike}; each counts as one text. Pass ",
        Option("answers_format", separator or "list"),
        " to read them as lists of accepted answers (matching one of them is enough), or ",
        Option("answers_format", "text"),
        " if they are texts",
    )
    return None


def warn_of_printed(source: str, texts: pl.Series, problems: Problems, raw: Raw) -> None:
    """Warn that predictions are printed lists or, in formats without objects of their own, objects."""
    are_objects = answer_texts.most_are_objects(texts)
    if (are_objects and raw.typed) or not (are_objects or answer_texts.most_are_lists(texts)):
        return
    kind, how = "objects" if are_objects else "lists", "each is scored as it is, with brackets and quotes"
    told = _most_are_printed(source, kind, texts, problems, raw, how=how)
    warn(f"{told}Ignore this if the model itself wrote them")


def warn_of_failed_calls(source: str, texts: pl.Series, problems: Problems, raw: Raw) -> None:
    """Warn of the text that VLMEvalKit writes in place of an answer."""
    failed = texts.alias("texts").str.contains(_FAILED_CALL, literal=True).fill_null(value=False).arg_true()
    if len(failed):
        said = "says" if len(failed) == 1 else "say"
        warn(
            f"{problems.path}: {numbered(len(failed), 'prediction')} in column {source!r} {said} "
            f"{_FAILED_CALL!r}, such as {raw.place(int(failed[0]))}. VLMEvalKit writes this if a call fails, "
            "and it is scored as an answer: run these questions again, or empty the cells, which counts them "
            "as missing"
        )


def with_ratings(frame: Rows, problems: Problems) -> Rows:
    """Return rows with null for -1, which FastChat writes if it finds no rating in a judgement, and warn."""
    dtypes: Mapping[str, pl.DataType] = frame.lazy().collect_schema()
    if not {"judge", "judgment", "score"} <= {*dtypes} or dtypes["score"].is_nested():
        return frame
    is_failed = pl.col("score").cast(pl.String).is_in(["-1", "-1.0"])
    failed = frame.lazy().select(pl.arg_where(is_failed)).collect().to_series()
    if not len(failed):
        return frame
    count = "1 judgement has" if len(failed) == 1 else f"{len(failed):,} judgements have"
    warn(
        f"{problems.path}: {count} the score -1, with which FastChat marks one without a rating, such as row "
        f"{failed[0] + 1:,}; FastChat leaves them out, and here they have no score"
    )
    rated: Rows = frame.with_columns(pl.when(~is_failed).then("score").alias("score"))
    return rated


def _most_are_printed(
    source: str, kind: str, texts: pl.Series, problems: Problems, raw: Raw, *, how: str
) -> str:
    """Return what is printed, how it counts, and which entry of it to name."""
    row = answer_texts.first_printed(texts)
    example = f"as {quoted(texts[row])} ({raw.place(row)})"
    entry = f"To read the first text of each list, name {source}.0 in place of the column. "
    if names := raw_tables.entry_names(raw, source):
        entry = f"Name the entry to read in place of the column, such as {source}.{names[0]}. "
    return f"{problems.path}: most texts in column {source!r} are {kind}, {example}, and {how}. {entry}"


def _entries(value: Any) -> Sequence[str | None] | None:
    """Return the strings of a cell that is not text, None for null."""
    if isinstance(value, list | dict):
        return answers_in(value)
    text = entry(value)
    return None if text is None else [text]
