"""On Daft: what is wrong shows before rows are computed, and rows cannot get lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import daft
import pyarrow as pa
import pytest
from shell import RunPython

import anls_frame as af
from anls_frame.distributed import Batches
from anls_frame.distributed import frames as workers

ROWS = pa.table(
    {
        "p": pa.array(["a", "b ", None, "abc"]),
        "a": pa.array([["a"], ["x", None, "B"], ["c"], []]),
        "n": pa.array([1, 2, None, 4]),
        "*": pa.array([1, 2, 3, 4]),
    }
)
DYING = """
import os, signal
import anls_frame as af
import daft

def die(texts):
    if "z" in texts.to_pylist():
        os.kill(os.getpid(), signal.SIGKILL)
    return texts

call = daft.func.batch(return_dtype=daft.DataType.string(), use_process=True, batch_size=10)(die)
frame = daft.from_pydict({"p": ["a"] * 100 + ["z"], "a": ["a"] * 101})
frame = frame.with_column("p", call(frame["p"]))
print("begun")
print(af.report(af.distributed.Batches(frame, 10), "p", "a"))
"""


def never_computed() -> daft.DataFrame:
    """Return a frame whose predictions cannot be computed."""

    def compute(texts: daft.Series) -> list[str]:
        raise AssertionError(f"{len(texts)} rows were computed")

    frame = daft.from_arrow(ROWS)
    return frame.with_column("p", daft.func.batch(return_dtype=daft.DataType.string())(compute)(frame["p"]))


def test_scores_are_computed_when_they_are_asked_for() -> None:
    scored = af.add_scores(never_computed(), "p", "a", columns=["nls"])
    assert scored.column_names == [*ROWS.column_names, "nls"]
    with pytest.raises(AssertionError, match="4 rows were computed"):
        scored.to_pydict()


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (
            af.summarize,
            {"prediction": None, "answers": None, "metrics": "a"},
            af.DTypeError,
            "must be numbers",
        ),
        (af.summarize, {"by": "*"}, ValueError, "as a pattern for columns; rename"),
        (af.report, {"details": 1}, TypeError, "details must be True or False"),
        (af.report, {"confidence": 95}, ValueError, r"confidence must be a number in \(0, 1\)"),
        (af.add_scores, {"columns": ["s"]}, ValueError, "unknown score columns"),
        (af.add_scores, {"prediction": ["p"]}, TypeError, "prediction must be the name of a column"),
        (af.format_tax, {"steps": ["marks"]}, ValueError, "steps must be one of"),
        (af.format_tax, {"confidence": 95}, ValueError, r"confidence must be a number in \(0, 1\)"),
        *(
            (function, *case)
            for function in (af.summarize, af.report, af.add_scores, af.format_tax)
            for case in (
                ({"answers": "b"}, af.exceptions.ColumnNotFoundError, "no column 'b' among"),
                (
                    {"prediction": "n"},
                    af.DTypeError,
                    "column 'n' has dtype Int64 and must hold strings or lists of strings",
                ),
                ({"protocol": 3}, TypeError, "protocol must be a ScoreProtocol or a preset's name"),
            )
        ),
    ],
)
def test_wrong_columns_and_options_are_errors_before_rows_are_computed(
    function: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        function(never_computed(), **{"prediction": "p", "answers": "a", **arguments})


def test_existing_columns_are_not_replaced_unasked() -> None:
    frame = daft.from_arrow(ROWS).with_column("nls", daft.lit(1))
    with pytest.raises(af.DuplicateColumnError, match=re.escape("already has the columns ['nls']")):
        af.add_scores(frame, "p", "a")
    with pytest.raises(af.DuplicateColumnError, match=re.escape("already has the columns ['unwrapped']")):
        af.format_tax(frame.with_column("unwrapped", daft.lit(1)), "p", "a")


@pytest.mark.parametrize("rows", [0, -1, True, 1.5])
def test_batches_are_of_a_daft_frame_and_have_rows(rows: Any) -> None:
    with pytest.raises(ValueError, match=f"rows must be an integer of at least 1, got {rows}"):
        Batches(daft.from_arrow(ROWS), rows)
    with pytest.raises(TypeError, match="frame must be a Daft DataFrame, got Table"):
        Batches(ROWS)


def test_features_of_rows_in_memory_are_refused() -> None:
    search = af.SliceSearch(features=True)
    with pytest.raises(ValueError, match="add them to the Daft frame as columns"):
        af.find_slices(never_computed(), "p", "a", "n", cluster="n", search=search)


def test_columns_of_python_objects_are_an_error_that_names_the_way_out() -> None:
    # Daft takes dictionaries of texts for Python objects.
    table = ROWS.set_column(0, "p", ROWS["p"].dictionary_encode())
    frame = daft.from_arrow(table)
    for function in (af.report, af.add_scores):
        with pytest.raises(
            af.DTypeError, match=r"column 'p' holds .* no dtype; cast it, for example to string"
        ):
            function(frame, "p", "a")
    texts = frame.with_column("p", frame["p"].cast(daft.DataType.string()))
    assert af.report(texts, "p", "a").overall == af.report(ROWS, "p", "a").overall


def test_scores_that_are_no_numbers_are_the_error_that_they_are_in_memory() -> None:
    frame = daft.from_pydict({"s": [1.0, float("inf"), None]})
    with pytest.raises(ValueError, match=r"metric 's' must be finite, got inf in row 1 \(counted from 0\); "):
        af.report(frame, metrics="s")


def test_rows_that_got_lost_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Losing(workers.PartialSummary):
        def aggregate(self, *columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> bytes:
            whole = super().aggregate(*columns, names=names, options=options)
            return b"" if 3 in columns[names.index("n")].to_pylist() else whole

    frame = daft.from_pydict({"p": ["a"] * 6, "a": ["a"] * 6, "n": [0, 1, 2, 3, 4, 5]})
    monkeypatch.setattr("anls_frame.distributed.frames.PartialSummary", Losing)
    with pytest.raises(RuntimeError, match="Daft read 6 rows, but the returned summaries cover 5"):
        af.summarize(Batches(frame, 1), "p", "a", by="n")


def test_rows_that_count_twice_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Doubling(workers.PartialSummary):
        def combine(self, states: daft.Series) -> bytes:
            return super().combine(daft.Series.from_pylist([*states.to_pylist(), states.to_pylist()[0]]))

    frame = daft.from_pydict({"p": ["a"] * 6, "a": ["a"] * 6})
    monkeypatch.setattr("anls_frame.distributed.frames.PartialSummary", Doubling)
    with pytest.raises(ValueError, match="the same part occurs twice"):
        af.summarize(Batches(frame, 1), "p", "a")


def test_a_process_that_dies_is_an_error(tmp_path: Path, run_python: RunPython) -> None:
    # In a process of its own: Daft leaves the socket to the dead one open.
    script = tmp_path / "script.py"
    script.write_text(DYING, encoding="utf-8")
    done = run_python(str(script))
    assert (done.stdout, done.returncode) == ("begun\n", 1)
    assert done.stderr.splitlines()[-1].startswith("RuntimeError: UDF process")


def test_daft_is_imported_on_demand_only(run_python: RunPython) -> None:
    script = (
        "import sys, anls_frame as af; print('daft' in sys.modules, 'distributed' in dir(af));"
        "af.distributed.Batches; print('daft' in sys.modules)"
    )
    assert run_python("-c", script).stdout == "False True\nTrue\n"


@pytest.mark.parametrize(
    ("daft_module", "message"),
    [
        ("None", "anls_frame.distributed needs Daft: pip install 'anls-frame[daft]'"),
        ("type(sys)('daft')", "anls_frame.distributed needs Daft 0.7.12 or later: pip"),
    ],
)
def test_without_daft_the_error_says_what_to_install(
    daft_module: str, message: str, run_python: RunPython
) -> None:
    script = f"import sys; sys.modules['daft'] = {daft_module}; import anls_frame; anls_frame.distributed"
    done = run_python("-c", script)
    assert done.returncode == 1
    assert message in done.stderr.splitlines()[-1]
    assert "pip install 'anls-frame[daft]'" in done.stderr.splitlines()[-1]
