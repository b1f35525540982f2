"""
Every dtype that Polars has, on either side, inside lists and inside arrays: a right answer or a clear error.

The cases run in a process of their own, because what must not happen is that it ends.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import polars as pl
import pytest
from campaign import amount
from registry import ENGINES, LIST_EXPRESSIONS, ROW_EXPRESSIONS, TEXT_EXAMPLES, Engine
from shell import RunPython

import anls_frame as af

Nesting = Literal["plain", "list", "array"]
Outcome = list[Any]
"""`["value", values]` or `["error", name of the class, message]`."""

TAG = "anls_frame.tests.tag"


class Tag(pl.BaseExtension):
    """An extension dtype that Polars knows by name."""

    def __init__(self) -> None:
        super().__init__(TAG, pl.String)


@dataclass(frozen=True)
class Sample:
    """A dtype with a value of it."""

    dtype: pl.DataType
    value: object
    shown: str
    """How an error names the dtype."""
    text_depth: int | None = None
    """0 for text, 1 for lists of text."""

    def series(self) -> pl.Series:
        if self.shown.startswith("Extension"):
            return pl.Series("x", [self.value, None]).ext.to(self.dtype)
        return pl.Series("x", [self.value, None], dtype=self.dtype)


NOON = dt.datetime(2026, 1, 2, 12)  # noqa: DTZ001 - a column without a time zone

# By the class of the dtype: a class that is new in Polars fails the tests until it stands here.
SAMPLES: dict[str, tuple[Sample, ...]] = {
    "Int8": (Sample(pl.Int8(), 1, "Int8"),),
    "Int16": (Sample(pl.Int16(), 1, "Int16"),),
    "Int32": (Sample(pl.Int32(), 1, "Int32"),),
    "Int64": (Sample(pl.Int64(), 1, "Int64"),),
    "Int128": (Sample(pl.Int128(), 1, "Int128"),),
    "UInt8": (Sample(pl.UInt8(), 1, "UInt8"),),
    "UInt16": (Sample(pl.UInt16(), 1, "UInt16"),),
    "UInt32": (Sample(pl.UInt32(), 1, "UInt32"),),
    "UInt64": (Sample(pl.UInt64(), 1, "UInt64"),),
    "UInt128": (Sample(pl.UInt128(), 1, "UInt128"),),
    "Float16": (Sample(pl.Float16(), 0.5, "Float16"),),
    "Float32": (Sample(pl.Float32(), 0.5, "Float32"),),
    "Float64": (Sample(pl.Float64(), 0.5, "Float64"),),
    "Decimal": (
        Sample(pl.Decimal(10, 2), Decimal("1.50"), "Decimal"),
        Sample(pl.Decimal(38, 38), Decimal("0.5"), "Decimal"),
    ),
    "Boolean": (Sample(pl.Boolean(), value=True, shown="Boolean"),),
    "Date": (Sample(pl.Date(), NOON.date(), "Date"),),
    "Time": (Sample(pl.Time(), NOON.time(), "Time"),),
    "Datetime": (
        Sample(pl.Datetime("ms"), NOON, "Datetime"),
        Sample(pl.Datetime("us"), NOON, "Datetime"),
        Sample(pl.Datetime("ns", "Asia/Tokyo"), NOON, "Datetime"),
    ),
    "Duration": (
        Sample(pl.Duration("ms"), dt.timedelta(1), "Duration"),
        Sample(pl.Duration("us"), dt.timedelta(1), "Duration"),
        Sample(pl.Duration("ns"), dt.timedelta(1), "Duration"),
    ),
    "Binary": (Sample(pl.Binary(), b"a", "Binary"),),
    "Object": (Sample(pl.Object(), {1, 2}, "Object"),),
    "String": (Sample(pl.String(), "a", "String", text_depth=0),),
    "Categorical": (
        Sample(pl.Categorical(), "a", "Categorical", text_depth=0),
        Sample(pl.Categorical(pl.Categories("c8", "anls", pl.UInt8)), "a", "Categorical", text_depth=0),
        Sample(pl.Categorical(pl.Categories("c16", "anls", pl.UInt16)), "a", "Categorical", text_depth=0),
    ),
    "Enum": (
        Sample(pl.Enum(["b", "a"]), "a", "Enum", text_depth=0),
        Sample(pl.Enum([str(number) for number in range(300)] + ["a"]), "a", "Enum", text_depth=0),
        Sample(pl.Enum([]), None, "Enum", text_depth=0),
    ),
    "Null": (Sample(pl.Null(), None, "Null", text_depth=0),),
    "List": (
        Sample(pl.List(pl.Int64), [1], "List(Int64)"),
        Sample(pl.List(pl.Null), [None], "List(Null)", text_depth=1),
        Sample(pl.List(pl.String), ["a"], "List(String)", text_depth=1),
    ),
    "Array": (
        Sample(pl.Array(pl.Int64, 1), [1], "Array(Int64, shape=1)"),
        Sample(pl.Array(pl.String, 0), [], "Array(String, shape=0)", text_depth=1),
        Sample(pl.Array(pl.String, 1), ["a"], "Array(String, shape=1)", text_depth=1),
    ),
    "Struct": (
        Sample(pl.Struct({"a": pl.String}), {"a": "a"}, "Struct"),
        Sample(pl.Struct([]), {}, "Struct"),
    ),
    "Extension": (Sample(pl.Extension("anls_frame.tests.unknown", pl.String), "a", "Extension(String)"),),
    "BaseExtension": (Sample(Tag(), "a", "Extension(String)"),),
    # No column has it; a schema can.
    "Unknown": (),
}
if hasattr(pl, "Map"):  # since Polars 2
    SAMPLES["Map"] = (Sample(pl.Map(pl.String, pl.Int64), {"a": 1}, "Map"),)
# Parents of dtypes, and another name of String.
NO_DTYPES = {
    *("DataType", "NumericType", "IntegerType", "SignedIntegerType", "UnsignedIntegerType", "FloatType"),
    *("TemporalType", "NestedType", "ObjectType", "Utf8"),
}

CASES: dict[str, tuple[Sample, Nesting]] = {
    f"{name}-{number}-{nesting}": (sample, nesting)
    for name, samples in SAMPLES.items()
    for number, sample in enumerate(samples)
    for nesting in ("plain", "list", "array")
}
EQUAL = next(example for example in TEXT_EXAMPLES if example.prediction == example.answers == "a")
MATCH: dict[str, Any] = {row.name: EQUAL.expected(row.name) for row in ROW_EXPRESSIONS} | {
    "add_scores": EQUAL.expected("anls")
}


# In the process of its own.


def column(sample: Sample, nesting: Nesting) -> pl.Series:
    """Return a column with the value and a null: two rows, or one row that holds both."""
    series = sample.series()
    if nesting == "plain":
        return series
    if nesting == "list":
        return series.implode()
    if isinstance(sample.dtype, pl.List | pl.Array):
        # A reshape would flatten them.
        return pl.Series("x", [[sample.value, None]], dtype=pl.Array(sample.dtype, 2))
    return series.reshape((1, 2))


def evaluate(plan: pl.LazyFrame, engine: Engine) -> Outcome:
    try:
        return ["value", plan.collect(engine=engine).to_series().to_list()]
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return ["error", type(error).__name__, str(error)]


def evaluate_scores(frame: pl.DataFrame, *inputs: str) -> Outcome:
    try:
        return ["value", af.add_scores(frame, *inputs, columns=["nls"])["nls"].to_list()]
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return ["error", type(error).__name__, str(error)]


def outcomes(series: pl.Series, turn: int) -> dict[str, Outcome]:
    """Evaluate every expression with the column on either side; engines take turns, but for a campaign."""
    frame = pl.DataFrame([series.alias("x"), pl.Series("other", ["a"] * len(series))])
    result: dict[str, Outcome] = {}
    for role, inputs in {"prediction": ("x", "other"), "answers": ("other", "x")}.items():
        for number, row in enumerate(ROW_EXPRESSIONS, turn):
            plan = frame.lazy().select(row.function(*inputs))
            for engine in amount((ENGINES[number % 2],), ENGINES):
                result[f"{role} {row.name} {engine}"] = evaluate(plan, engine)
        result[f"{role} add_scores eager"] = evaluate_scores(frame, *inputs)
    return result


def run(names: list[str]) -> None:
    warnings.simplefilter("error")
    pl.register_extension_type(TAG, Tag)
    for turn, name in enumerate(names):
        sample, nesting = CASES[name]
        try:
            series = column(sample, nesting)
        except BaseException as error:  # noqa: BLE001 - whatever keeps Polars from making such a column
            line: dict[str, Any] = {"case": name, "unmade": str(error)}
        else:
            line = {"case": name, "dtype": str(series.dtype), "outcomes": outcomes(series, turn)}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


# Here.


@pytest.fixture(scope="module")
def results(run_python: RunPython) -> dict[str, dict[str, Any]]:
    """Run all cases; one that ends the process has its exit code in place of outcomes."""
    done: dict[str, dict[str, Any]] = {}
    while left := [name for name in CASES if name not in done]:
        process = run_python(__file__, *left)
        lines = [json.loads(line) for line in process.stdout.splitlines()]
        done |= {line["case"]: line for line in lines}
        if len(lines) < len(left):
            done[left[len(lines)]] = {"exit code": process.returncode, "stderr": process.stderr}
    return done


def leaves(dtype: type[pl.DataType]) -> Iterator[str]:
    yield dtype.__name__
    for child in dtype.__subclasses__():
        yield from leaves(child)


def test_every_dtype_of_polars_is_tried() -> None:
    exported = {
        name
        for module in (pl, pl.datatypes)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, pl.DataType)
    }
    known = {name for name in leaves(pl.DataType) if name != Tag.__name__}

    assert exported | known == SAMPLES.keys() | NO_DTYPES


@pytest.mark.parametrize("case", CASES)
def test_a_dtype_gives_a_right_answer_or_an_error_that_names_column_and_dtype(
    results: dict[str, dict[str, Any]], case: str
) -> None:
    sample, nesting = CASES[case]
    result = results[case]
    if nesting == "list" and isinstance(sample.dtype, pl.Object):
        assert "nested objects are not supported" in result["unmade"]
        return

    for name, outcome in result["outcomes"].items():
        role, function, _ = name.split()
        values = right_answer(sample, nesting, role, function)
        if values is None:
            assert outcome[:2] == ["error", "DTypeError" if function == "add_scores" else "ComputeError"]
            assert f"column 'x' has dtype {shown(sample, nesting)}." in outcome[2]
            assert "panicked" not in outcome[2]
            assert "internal error" not in outcome[2]
        else:
            assert (name, outcome) == (name, ["value", values])


def test_nothing_panics_on_the_way(results: dict[str, dict[str, Any]]) -> None:
    assert [name for name, result in results.items() if "exit code" in result] == []


def right_answer(sample: Sample, nesting: Nesting, role: str, function: str) -> list[Any] | None:
    """Return the right values; `None` where an error is due."""
    if sample.text_depth is None:
        return None
    depth = sample.text_depth + (nesting != "plain")
    takes_lists = role == "answers" and function in {"add_scores", *(row.name for row in LIST_EXPRESSIONS)}
    if depth > int(takes_lists):
        return None
    # Of a prediction that is null, the error type alone says something.
    nothing = "missing" if function == "error_type" and role == "prediction" else None
    first = MATCH[function] if sample.value in ("a", ["a"]) else nothing
    return [first, nothing] if nesting == "plain" else [first]


def shown(sample: Sample, nesting: Nesting) -> str:
    if nesting == "plain":
        return sample.shown
    return f"List({sample.shown})" if nesting == "list" else f"Array({sample.shown}, shape=2)"


def test_a_schema_of_unknown_dtype_counts_as_null() -> None:
    frame = pl.LazyFrame(schema={"x": pl.Unknown, "other": pl.String})

    for row in ROW_EXPRESSIONS:
        assert frame.select(row.function("x", "other")).collect_schema() == {row.name: row.dtype}
    assert af.add_scores(frame, "x", "other").collect().height == 0


if __name__ == "__main__":
    run(sys.argv[1:])
