"""What commands print with --json follows the published schemas."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import example_files
import jsonschema
import polars as pl
import pytest
import shell
from shell import fine

from anls_frame.cli.app import commands
from anls_frame.export.columns import RESULTS, ROW_TABLES, figure_of

SCHEMAS = Path(__file__).parents[2] / "docs/schemas"
SLICED = "-b doc_type -c doc_id"
COMMANDS = {
    "overview": [
        "overview uneven.csv",
        "overview results.csv",
        "overview old.jsonl new.jsonl",
        "overview ocr/ --gold truth/",
    ],
    "score": ["score results.csv", "score ocr/ --gold truth/"],
    "report": [
        "report results.csv",
        f"report results.csv {SLICED} --worst 3 --details",
        f"report results.csv {SLICED} -b question_id,doc_type -m anls -m wer_corpus",
        "report ocr/ --gold truth/ --worst 1",
        "merge part_1.parquet part_2.parquet",
    ],
    "compare": [
        "compare old.jsonl new.jsonl",
        f"compare old.jsonl new.jsonl {SLICED} --details",
        f"compare old.jsonl new.jsonl newer.jsonl {SLICED} -m anls -m exact_match --details",
    ],
    "epochs": ["epochs rounds.jsonl --pass-at 1,2", "epochs logs/ --system-column model -c doc_id"],
    "changes": ["changes old.jsonl new.jsonl", "changes results.parquet --systems old,new --kind all"],
    "slices": [
        "slices results.csv -c doc_id --min-rows 10",
        "slices big.parquet",  # some overlap, but none with more slices than are named
        "slices results.csv --confidence 0.4 --min-rows 5",
        "slices old.jsonl new.jsonl -c doc_id --confidence 0.5 --min-rows 5 --min-clusters 2",
    ],
    "selective": [
        "selective qa.parquet --model-confidence confidence -b doc_type -c doc_id",
        "selective qa.parquet --model-confidence confidence --model-confidence severity",
    ],
    "corrected": [
        "corrected judged.csv --score judge --truth human -c doc_id",
        "corrected judged.csv --score judge --truth human -b doc_type",
    ],
    "fields": [
        "fields extracted/ --gold gold/",
        "fields documents.jsonl --kind total=number:, --required total -b field",
        "fields extracted/ --gold gold/ --model-confidence confidences/",
    ],
    "names": ["names metrics", "names readers"],
    "confusions": [
        "confusions results.csv",
        "confusions results.csv -b doc_type --max-length 2 --op replace",
    ],
    "format_tax": [
        "format-tax results.csv",
        "format-tax results.csv -c doc_id -b lang -m anls -m exact_match",
    ],
    "verdicts": [
        "verdicts verdicts.jsonl results.csv",
        "verdicts verdicts_two.jsonl old.jsonl new.jsonl",
        "verdicts audited.jsonl drawn.parquet",
        "verdicts audited_two.jsonl drawn_two.parquet --systems old,new",
        "verdicts verdicts_judge.jsonl judge.parquet",
    ],
    "doctor": ["doctor", "doctor samples.jsonl --against anls"],
    "gec_m2": ["gec m2 system.txt gold.m2"],
    "gec_i_measure": ["gec i-measure system.txt gold.m2"],
    "gec_errant": ["gec errant system.m2 gold.m2", "gec errant system.m2 gold.m2 --tier 2"],
    "gec_compare": [
        "gec compare old.txt new.txt gold.m2",
        "gec compare old.txt new.txt gold.m2 --measure i-measure",
    ],
}


OF_FILES = {column.name for column in ROW_TABLES} - {"verdict", "lost_points", "share_of_lost"}
"""Columns of users' files, and scores, which a user chooses; a schema cannot list them."""
FIXED = {column.name for columns in RESULTS.values() for column in columns} - OF_FILES
"""Columns of results that have the same name whatever is passed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas")
    example_files.write(folder)
    # All rows of one kind are wrong, so that an overview finds a slice.
    rows = range(200)
    uneven = {
        "prediction": ["y" if row % 4 == 0 or row % 9 == 0 else "x" for row in rows],
        "answer": ["x"] * len(rows),
        "kind": [str(row % 4) for row in rows],
    }
    pl.DataFrame(uneven).write_csv(folder / "uneven.csv")
    return folder


@functools.cache
def printed(folder: Path, command: str) -> str:
    """Return what a command prints with --json."""
    return fine(shell.run(folder, *command.split(), "--json"))


def validator(name: str) -> Any:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", COMMANDS)
def test_output_follows_the_schema(folder: Path, name: str) -> None:
    check = validator(name)
    for command in COMMANDS[name]:
        found = json.loads(printed(folder, command))
        assert [error.message for error in check.iter_errors(found)] == [], command
        schema = check.schema.get("items", check.schema)
        row = found[0] if isinstance(found, list) else found
        for key in schema.get("required", ()):
            less = {one: value for one, value in row.items() if one != key}
            assert not check.is_valid([less] if isinstance(found, list) else less), key


def names_in(value: Any) -> Iterator[str]:
    """Yield the names in a printed value and in all that it holds, except in its settings."""
    if isinstance(value, list):
        for one in value:
            yield from names_in(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from names_in(one if name != "settings" else None)


def parts_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a schema with all alternatives that it offers."""
    others = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())]
    return [schema, *(part for one in others for part in parts_of(one))]


def described(schema: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all keys that a schema describes, with `*` for keys that the data name."""
    for part in parts_of(schema):
        for key, one in part.get("properties", {}).items():
            yield f"{path}/{key}"
            yield from described(one, f"{path}/{key}")
        for key, one in part.get("patternProperties", {}).items():
            yield from described(one, f"{path}/{key}")
        if isinstance(part.get("additionalProperties"), dict):
            yield from described(part["additionalProperties"], f"{path}/*")
        if "items" in part:
            yield from described(part["items"], path)


def paths_in(value: Any, schemas: list[dict[str, Any]], path: str = "") -> Iterator[str]:
    """Yield the paths of all keys of a printed value, as `described` writes them."""
    parts = [part for schema in schemas for part in parts_of(schema)]
    if isinstance(value, list):
        for one in value:
            yield from paths_in(one, [part["items"] for part in parts if "items" in part], path)
    elif isinstance(value, dict):
        for key, one in value.items():
            own = [part["properties"][key] for part in parts if key in part.get("properties", {})]
            step = key if own else "*"
            for part in parts:
                for pattern, schema in part.get("patternProperties", {}).items():
                    if re.search(pattern, key):
                        own, step = [*own, schema], pattern
            further = [part.get("additionalProperties") for part in parts]
            yield f"{path}/{step}"
            yield from paths_in(
                one, own or [one for one in further if isinstance(one, dict)], f"{path}/{step}"
            )


@pytest.mark.parametrize("name", COMMANDS)
def test_a_schema_describes_what_is_printed_and_nothing_else(folder: Path, name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    names, paths, lacking = set(names_in(schema)), set(), {}
    for command in COMMANDS[name]:
        value = json.loads(printed(folder, command))
        paths |= {*paths_in(value, [schema])}
        lacking |= dict.fromkeys({one for one in names_in(value) if figure_of(one) in FIXED} - names, command)
    assert lacking == {}
    assert set(described(schema)) - paths == set()


def test_every_command_that_prints_json_has_a_schema() -> None:
    printing = {
        name.replace("-", "_").replace(" ", "_")
        for name, command in commands().items()
        if any(one.name == "json" for one in command.params)
    }
    assert printing - {"merge"} == {*COMMANDS} == {path.stem for path in SCHEMAS.glob("*.json")}
