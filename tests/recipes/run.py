"""
Run the recipes of docs/recipes.md as they stand, and compare what they give with one frame in memory.

    python tests/recipes/run.py              # all
    python tests/recipes/run.py Dask Spark   # these

Each recipe runs in a process of its own and leaves the frame `scored` and the report `report`. Called by
`.ci/heavy recipes`, which installs the engines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

import anls_frame as af

ROOT = Path(__file__).parents[2]
SCORES = ["nls", "anls", "cer", "exact_match"]


def from_dask(scored: Any) -> pl.DataFrame:
    return pl.from_pandas(scored[["question_id", *SCORES]].compute())


def from_ray(scored: Any) -> pl.DataFrame:
    import ray  # noqa: PLC0415 - installed for this check alone

    blocks = ray.get(scored.select_columns(["question_id", *SCORES]).to_arrow_refs())
    return pl.concat([pl.DataFrame(pl.from_arrow(block)) for block in blocks])


def from_spark(scored: Any) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(scored.select("question_id", *SCORES).toArrow()))


RECIPES: dict[str, Callable[[Any], pl.DataFrame]] = {
    "Dask": from_dask,
    "Ray Data": from_ray,
    "Spark": from_spark,
}
# So that there are several processes, and several batches in each.
ENVIRONMENT = {
    "DASK_SCHEDULER": "processes",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false "
    "--conf spark.sql.execution.arrow.maxRecordsPerBatch=100 pyspark-shell",
    # A cluster of its own, and none that happens to run on the machine.
    "RAY_ADDRESS": "local",
}


def blocks(name: str) -> list[str]:
    """Return the code of a section, without its doctests."""
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text, flags=re.MULTILINE)
    (body,) = [part for part in section if part.startswith(f"{name}\n")]
    return [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", body, re.DOTALL | re.MULTILINE)
        if ">>>" not in code
    ]


def check(name: str) -> None:
    """Run a recipe here and compare its frames."""
    (code,) = blocks(name)
    frame = af.sample()
    # As the first example of the page does.
    frame.write_parquet("questions.parquet")
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(code, f"docs/recipes.md, {name}", "exec"), found)  # noqa: S102 - the recipe is our own

    expected = af.report(frame, "tesseract", "answers", by="question_types", cluster="doc_id")
    report = found["report"]
    assert_frame_equal(report.to_polars(), expected.to_polars(), check_exact=True)
    assert report.settings["digest"] == expected.settings["digest"]
    assert report.overall["n_clusters"] == frame["doc_id"].n_unique()
    parts = len(found["parts"])
    assert parts > 1

    scores = RECIPES[name](found["scored"]).sort("question_id")
    one_pass = af.add_scores(frame, "tesseract", "answers").select("question_id", *SCORES).sort("question_id")
    assert_frame_equal(scores, one_pass, check_exact=True)
    print(f"{name}: {frame.height} rows, {parts} parts: scores and report as in memory")


def main(names: list[str]) -> int:
    """Run each recipe in a process of its own; the first that fails ends it."""
    for name in names or RECIPES:
        # Recipes and engines leave files where they run and at home. Paths of sockets must be short.
        with tempfile.TemporaryDirectory(prefix="recipe-") as home:
            environment = {**os.environ, **ENVIRONMENT, "HOME": home, "RAY_TMPDIR": home}
            command = [sys.executable, str(Path(__file__).resolve()), "--here", name]
            done = subprocess.run(  # noqa: S603 - our own recipes
                command, cwd=home, env=environment, capture_output=True, text=True, check=False
            )
        if done.returncode:
            print(done.stdout, done.stderr, file=sys.stderr)
            return 1
        print(done.stdout.splitlines()[-1])
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        check(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
