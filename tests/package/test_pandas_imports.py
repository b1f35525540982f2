"""Who is imported when: a Polars user pays for Polars alone, a pandas user finds the accessor."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from campaign import amount
from shell import RunPython

SCORE = """
frame = pandas.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]}, index=["q1"])
scored = frame.anls.add_scores("prediction", "answer", columns=["char_errors"])
assert scored.loc["q1", "char_errors"] == 1, scored
import sys
watching = [finder for finder in sys.meta_path if type(finder).__module__.startswith("anls_frame")]
assert watching == [], watching
# pandas looks as if nobody had waited for it.
from importlib.machinery import PathFinder
alone = PathFinder.find_spec("pandas")
assert (alone.name, alone.origin) == (pandas.__spec__.name, pandas.__file__)
assert type(alone.loader) is type(pandas.__loader__)
"""
ORDERS = {
    "pandas_first": "import pandas; import anls_frame",
    "anls_frame_first": "import anls_frame; import pandas",
    "a_name_of_pandas": "import anls_frame; from pandas import DataFrame; import pandas",
    "a_module_of_pandas": "import anls_frame; import pandas.testing; import pandas",
    "the_accessor_alone": "import anls_frame.pandas; import pandas",
    "the_accessor_before_the_rest": "import anls_frame.pandas; import anls_frame; import pandas",
    "the_accessor_after_the_rest": "import anls_frame; import anls_frame.pandas; import pandas",
    "twice": "import anls_frame; import pandas; import anls_frame; import pandas",
    "by_name": "import importlib, anls_frame; pandas = importlib.import_module('pandas')",
    "by_polars": "import anls_frame, polars; polars.DataFrame({'a': [1]}).to_pandas(); import pandas",
    "after_a_search": (
        "import importlib.util, anls_frame; importlib.util.find_spec('pandas'); import pandas"
    ),
    "after_many_searches": (
        "import importlib.util, anls_frame\n"
        "for _ in range(3): assert importlib.util.find_spec('pandas').name == 'pandas'\n"
        "import pandas; importlib.util.find_spec('pandas')"
    ),
    "in_a_thread": (
        "import threading, anls_frame\n"
        "thread = threading.Thread(target=__import__, args=('pandas',)); thread.start(); thread.join()\n"
        "import pandas"
    ),
    "after_a_failure": (
        "import sys, anls_frame; sys.modules['pandas'] = None\n"
        "try: import pandas\n"
        "except ImportError: del sys.modules['pandas']\n"
        "import pandas"
    ),
}


USUAL = ["pandas_first", "the_accessor_alone", "after_a_failure"]


@pytest.mark.parametrize("order", amount(USUAL, ORDERS))
def test_pandas_frames_have_the_accessor_in_every_order_of_imports(run_python: RunPython, order: str) -> None:
    process = run_python("-W", "error", "-c", f"{ORDERS[order]}\n{SCORE}")

    assert process.stderr == ""
    assert process.returncode == 0


def imported(process: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the packages outside the standard library that a process has listed."""
    assert process.stderr == ""
    modules: list[Any] = json.loads(process.stdout)
    return {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)


LIST = "import json, sys; print(json.dumps([name for name in sys.modules if name not in before]))"


def test_scoring_in_polars_brings_nothing_either(run_python: RunPython) -> None:
    script = """
import sys, polars as pl
frame = pl.DataFrame({"prediction": ["a", None], "answers": [["a"], ["b"]]})
frame.lazy().select("prediction").collect(engine="streaming").to_series().to_list()
before = set(sys.modules)
import anls_frame as af
af.add_scores(frame, "prediction", "answers")
frame.lazy().anls.add_scores("prediction", "answers").collect(engine="streaming")
frame.select(pl.col("prediction").anls.nls("answers")).to_series().to_list()
af.anls_score("a", ["a"]), af.pairs.edit_distance("a", "b"), af.pairs.get_cer("a", "b")
"""

    assert imported(run_python("-c", script + LIST)) == {"anls_frame"}


def test_a_polars_user_without_pandas_is_not_kept_from_scoring(run_python: RunPython) -> None:
    script = """
import sys
for name in ("pandas", "pyarrow", "numpy", "matplotlib", "rapidfuzz"):
    sys.modules[name] = None
import polars as pl, anls_frame as af
frame = pl.DataFrame({"prediction": ["a"], "answer": ["a"]})
assert af.add_scores(frame, "prediction", "answer")["nls"].to_list() == [1.0]
assert frame.lazy().anls.add_scores("prediction", "answer").collect()["cer"].to_list() == [0.0]
"""

    process = run_python("-W", "error", "-c", script)

    assert process.stderr == ""
    assert process.returncode == 0
