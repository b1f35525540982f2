"""
Write every figure that the package gives for the sample data, a line each, and compare two such files.

    python tests/golden/figures.py before.json
    python tests/golden/figures.py after.json --compare before.json

A change that should leave all figures as they are is checked by running this before and after it. Figures
are known by the case, the table, the values in columns of text, and the name of their column.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

import anls_frame as af
from anls_frame import gec

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import shell  # noqa: E402 - from the folder of the tests

TWO = ["tesseract", "rapidocr"]
SIX = ["current", "budget", "routed", "update_1", "update_2", "update_3"]
SUFFIXES = ("html", "md", "csv", "json", "xlsx", "tex", "parquet")
NUMBER = re.compile(r"(?<![\w.#-])[-+\u2212]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
SHOWN = 60
"""How many of the differences of each kind are printed."""


def main() -> None:
    """Write the figures, or say which of them differ from those of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--compare", type=Path, help="file of another version")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", af.InputWarning)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        after = {name: value for case, result in cases() for name, value in figures(result, case)}
    arguments.path.write_text(json.dumps(after, indent=0), encoding="utf-8")
    print(f"{len(after):,} figures")
    if arguments.compare:
        before = json.loads(arguments.compare.read_text(encoding="utf-8"))
        print_differences(before, json.loads(json.dumps(after)))


def print_differences(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Print which figures are gone, new or different."""
    both = before.keys() & after.keys()
    kinds = {
        "gone": before.keys() - after.keys(),
        "new": after.keys() - before.keys(),
        "different": {name for name in both if not are_equal(before[name], after[name])},
    }
    for kind, names in kinds.items():
        print(f"\n{kind}: {len(names):,} of {len(before):,}")
        for case, count in Counter(name.partition(" | ")[0] for name in names).items():
            print(f"  {case}: {count:,}")
        for name in sorted(names)[:SHOWN]:
            print(f"    {name}: {before.get(name)!r:.60} -> {after.get(name)!r:.60}")


def are_equal(first: Any, second: Any) -> bool:
    """Whether two figures are the same, as far as floats of another order of additions can be."""
    if isinstance(first, float) and isinstance(second, float):
        return first == second or abs(first - second) <= 1e-12 * max(abs(first), abs(second))
    return bool(first == second)


def figures(result: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the figures of a result under their names."""
    if isinstance(result, pl.DataFrame):
        keys = result.select(~cs.numeric()).columns
        for number, row in enumerate(result.iter_rows(named=True)):
            line = ", ".join(f"{key}={row[key]}" for key in keys) or str(number)
            yield from ((f"{name} | {line} {column}", row[column]) for column in row if column not in keys)
    elif hasattr(result, "to_document"):
        for table in result.to_document().tables:
            yield from figures(table.frame, f"{name} {table.name}")
        for suffix in SUFFIXES:
            result.write(f"{name}.{suffix}")
            yield f"{name} | {suffix}", file_numbers(Path(f"{name}.{suffix}"))
        lines = [line.get_xydata().round(9).tolist() for line in result.plot().get_lines()]
        yield f"{name} | lines of the plot", lines
    else:
        yield f"{name} |", numbers(repr(result))


def digest(frame: pl.DataFrame) -> str:
    """Return a text that is equal for equal values."""
    return hashlib.sha256(frame.write_json().encode()).hexdigest()[:16]


def file_numbers(path: Path) -> Any:
    """Return the values of a table, or how often each number stands in another file."""
    if path.suffix == ".parquet":
        return digest(pl.read_parquet(path))
    if path.suffix == ".xlsx":
        sheets = pl.read_excel(path, sheet_id=0, has_header=False)
        return {name: numbers(sheet.write_csv()) for name, sheet in sheets.items()}
    return numbers(path.read_text(encoding="utf-8"))


def numbers(text: str) -> dict[str, int]:
    """Return how often each number stands in a text."""
    return dict(sorted(Counter(NUMBER.findall(text)).items()))


def questions() -> pl.DataFrame:
    """Return the sample questions with six systems, some predictions missing, and columns of scores."""
    frame = pl.read_parquet(ROOT / "anls_frame" / "samples" / "qa.parquet")
    current = pl.col("rapidocr")
    number = pl.col("question_id")
    return frame.with_columns(
        current=current,
        budget="tesseract",
        routed=pl.when(number % 2 == 0).then("tesseract").otherwise(current),
        update_1=pl.when(number % 7 == 0).then(current.str.to_uppercase()).otherwise(current),
        update_2=pl.when(number % 11 == 0).then(pl.lit(None, pl.String)).otherwise(current),
        update_3=pl.when(pl.col("doc_type") == "form").then(pl.lit("")).otherwise(current),
        right=number % 5,
        fields=number % 5 + number % 3,
        first_own=(number % 100) / 100,
        second_own=(number % 90) / 100,
    )


def cases() -> Iterator[tuple[str, Any]]:
    """Yield the results of all that the package computes, with their names."""
    frame, pages = questions(), pl.read_parquet(ROOT / "anls_frame" / "samples" / "pages.parquet")
    one, by = ("update_2", "answers"), {"by": "doc_type", "cluster": "doc_id"}
    ratio = af.Metric("right", denominator="fields", name="right_fields", bounds=(0, 1))
    for protocol, preset in af.PROTOCOLS.items():
        yield f"rows {protocol}", af.add_scores(frame, *one, protocol=preset.replace(threshold=0.5))
    yield "report", af.report(frame, *one)
    yield "report of rows", af.report(frame, *one, by="question_types", missing="drop")
    yield "report in detail", af.report(frame, *one, **by, details=True, worst=5)
    yield "report of metrics", af.report(frame, *one, **by, metrics=["anls", "cer_corpus", ratio])
    yield "report of scores", af.report(frame, metrics=["first_own", ratio], by="lang")
    yield "report of pages", af.report(pages, "rapidocr", "reference", metrics="ocr", **by)
    yield "pages", pages.select(af.words.edit_counts("rapidocr", "reference").struct.unnest())
    for name, systems in {"two": TWO, "six": SIX}.items():
        yield name, af.compare(frame, systems, "answers", **by, details=True, draws=2000)
        yield f"{name} by rows", af.compare(frame, systems, "answers", by="lang", draws=2000)
        yield (
            f"{name} in metrics",
            af.compare(frame, systems, "answers", metrics=["anls", "cer_corpus"], **by, draws=2000),
        )
    two = af.compare(frame, TWO, "answers", **by)
    yield "sample size", two.sample_size(0.02)
    yield "detectable", two.detectable_difference()
    yield "decision", two.decide(0.03)
    yield "scores of two", af.compare(frame, {"a": "first_own", "b": "second_own"}, by="lang")
    halves = [frame.filter(pl.col("doc_id").hash() % 2 == part) for part in (0, 1)]
    summaries = [af.summarize(half, *one, **by).fold_clusters() for half in halves]
    yield "folded", af.Report.from_summary(af.merge(summaries))
    columns = ["doc_type", "lang", "profile", "answer_type", "question_types"]
    for name, search in {"slices": af.SliceSearch(), "held out": af.SliceSearch(holdout=0.5)}.items():
        for system in ("tesseract", {"a": "tesseract", "b": "rapidocr"}):
            found = af.find_slices(frame, system, "answers", columns, cluster="doc_id", search=search)
            yield f"{name} of {system}", found.to_polars()
    yield "rest", af.report(frame, *one, **by).against_rest()
    yield "worst", af.worst(frame, *one, 20)
    yield "changes", af.changes(frame, TWO, "answers", keep=["question_id"])
    yield "confusions", af.confusions(frame, *one)
    yield "curve", af.threshold_curve(af.summarize(frame, *one))
    yield "lengths", af.length_scores(frame, *one)
    epochs = [frame.with_columns(epoch=epoch, answer=name) for epoch, name in enumerate(TWO)]
    answered = pl.concat(epochs, how="diagonal")
    yield "variance", af.repeats.variance_components(answered, "answer", "answers", id="question_id")
    texts = {name: ROOT / "data" / "gec" / f"{name}.txt" for name in ("bold", "careful")}
    corrections = gec.read_m2(ROOT / "data" / "gec" / "gold.m2", prediction=texts)
    for measure in ("m2", "i_measure"):
        yield f"gec {measure}", gec.compare([*texts], corrections, measure=measure)
    sample = ROOT / "anls_frame" / "samples" / "qa.parquet"
    for command in (
        f"report {sample} -p tesseract -b question_types -c doc_id",
        f"compare {sample} --systems tesseract,rapidocr -b doc_type -c doc_id",
        f"slices {sample} -p tesseract --column doc_type --column lang -c doc_id",
    ):
        yield command.partition(" ")[0], shell.run(ROOT, *command.split()).stdout


if __name__ == "__main__":
    main()
