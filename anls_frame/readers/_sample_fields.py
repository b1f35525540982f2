"""
Conversion of the fields of nested samples to columns with unique names.

A sample of a harness has fields from several sources: the harness itself, the scores, the document of the
data set. Fields of different sources can share a name, or be called `prediction`, so a field is identified by
its path. Columns are named once all paths are known, so that no field replaces another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Any, TypeAlias

import polars as pl

from anls_frame.frames.checks import free_name
from anls_frame.frames.strict_json import Number
from anls_frame.readers import _json_columns, _raw, _standard
from anls_frame.readers._problems import Problems

Key: TypeAlias = tuple[str, ...]
"""The path of a field: its source, and the names that lead to it."""
Row: TypeAlias = tuple[str, dict[Key, Any]]
"""A sample's place in the file, and its fields."""

SAMPLE = "sample"
"""The source of the harness' own fields of a sample, which are named first."""
_ROLE = "role"
_DOCUMENTS = ("metadata", "doc", "gold")
DOC_IDS = ("docId", "doc_id", "ucsf_document_id")


def role(name: _standard.Role) -> Key:
    """Return the key of the field with a role."""
    return (_ROLE, name)


def members(source: str, value: Any) -> dict[Key, Any]:
    """Return the fields of an object; any other value is a field of the sample, named after the source."""
    if isinstance(value, dict):
        return {(source, name): entry for name, entry in value.items()}
    return {} if value is None else {(SAMPLE, source): value}


def frame(
    columns: Mapping[Key, _raw.Column],
    height: int,
    place: Callable[[int], str],
    problems: Problems,
    *,
    doc_ids: Sequence[str] = DOC_IDS,
    answers_format: str = "list",
) -> pl.DataFrame:
    """
    Return the standard frame; ids may occur several times.

    A field keeps its name, unless a role or an earlier field has this name; the name is then prefixed with
    the source of the field, as in `doc_prediction`. Document fields known to hold the question, its types or
    the document's id get these roles; the prompt is then named `input`.
    """
    names = _names(columns, doc_ids)
    raw = _raw.Raw({names[key]: column for key, column in columns.items()}, height, place)
    chosen: dict[_standard.Role, str] = {usual: usual for usual in _standard.ROLES if usual in raw.names}
    return _standard.frame(raw, chosen, problems, unique_ids=False, answers_format=answers_format)


def _names(columns: Mapping[Key, _raw.Column], doc_ids: Sequence[str]) -> dict[Key, str]:
    names = {key: key[1] for key in columns if key[0] == _ROLE}
    prompt = role("question")
    known: dict[_standard.Role, Sequence[str]] = {
        "question": ("question",),
        "question_types": ("question_types", "question_type"),
        "doc_id": doc_ids,
    }
    for role_name, usual in known.items():
        candidates = [(source, name) for name in usual for source in _DOCUMENTS if (source, name) in columns]
        fitting = [key for key in candidates if _fits(columns[key], lists=role_name in _standard.LISTS)]
        if not fitting or (
            role_name == "question" and prompt in names and NoneType in _raw.kinds_of(columns[fitting[0]])
        ):
            continue
        if role_name == "question":
            names.pop(prompt, None)
        if role_name not in names.values():
            names[fitting[0]] = role_name
    taken = {*_standard.ROLES, *names.values()}
    for key in sorted((key for key in columns if key not in names), key=lambda key: key[0] != SAMPLE):
        plain = "input" if key == prompt else "_".join(key[1:])
        name = plain if plain not in taken else "_".join((key[0], plain))
        names[key] = free_name(name, taken)
        taken.add(names[key])
    return names


def _fits(values: _raw.Column, *, lists: bool) -> bool:
    """Return whether values are strings (or lists of strings), so that they can have a role."""
    texts = {str, Number}
    kinds = _raw.kinds_of(values) - {NoneType}
    if not lists or list not in kinds:
        return bool(kinds) and kinds <= texts
    if isinstance(values, _json_columns.JsonColumn) and values.holds_lists:
        return True
    entries = chain.from_iterable(value for value in values if type(value) is list)
    return kinds <= {*texts, list} and set(map(type, entries)) <= texts
