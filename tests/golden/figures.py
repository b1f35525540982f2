"""
Write every figure that the package gives for the sample data, a line each, and compare two such files.

    python tests/golden/figures.py before.json
    python tests/golden/figures.py after.json --compare before.json

A change that should leave all figures as they are is checked by running this before and after it. Figures
are known by the case, the slice, the metric, the system and their name, so that a table may change its shape:
only the functions that read the tables below follow it. Of files, plots and commands all numbers are kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import polars as pl
import polars.selectors as cs

import anls_frame as af
from anls_frame import gec, plot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import shell  # noqa: E402 - from the folder of the tests

TWO = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
SIX = ["current", "budget", "routed", "update_1", "update_2", "update_3"]
SUFFIXES = ("html", "md", "csv", "json", "xlsx", "tex", "parquet")
NUMBER = re.compile(r"(?<![\w.#-])[-+\u2212]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")

Figures = dict[str, Any]


def main() -> None:
    """Write the figures, or say which of them differ from those of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--compare", type=Path, help="file of another version")
    parser.add_argument("--only", default="", help="only cases whose name starts so")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", af.InputWarning)
    figures: Figures = {}
    for case in CASES:
        if case.__name__.startswith(arguments.only):
            before = len(figures)
            figures |= {f"{case.__name__} | {name}": value for name, value in case()}
            print(f"{case.__name__:<24}{len(figures) - before:>8,} figures", flush=True)
    arguments.path.write_text(json.dumps(figures, indent=0, default=str), encoding="utf-8")
    if arguments.compare:
        print_differences(json.loads(arguments.compare.read_text(encoding="utf-8")), arguments)


def print_differences(before: Figures, arguments: argparse.Namespace) -> None:
    """Print which figures are gone, new or different, by case."""
    after = json.loads(arguments.path.read_text(encoding="utf-8"))
    before = {name: value for name, value in before.items() if name.startswith(arguments.only)}
    changed = [name for name in before if name in after and not are_equal(before[name], after[name])]
    kinds = {
        "gone": [name for name in before if name not in after],
        "new": [name for name in after if name not in before],
        "different": changed,
    }
    for kind, names in kinds.items():
        print(f"\n{kind}: {len(names):,} of {len(before):,}")
        for case, count in Counter(name.partition(" | ")[0] for name in names).items():
            print(f"  {case}: {count:,}")
        for name in names[:60]:
            print(f"    {name}: {str(before.get(name))[:60]} -> {str(after.get(name))[:60]}")


def are_equal(first: Any, second: Any) -> bool:
    """Whether two figures are the same, as far as floats of another order of additions can be."""
    if isinstance(first, float) and isinstance(second, float):
        return first == second or abs(first - second) <= 1e-12 * max(abs(first), abs(second))
    return bool(first == second)


def questions() -> pl.DataFrame:
    """Return the sample questions with six systems, some predictions missing, and columns of scores."""
    frame = pl.read_parquet(ROOT / "data" / "ocr_qa.parquet")
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


def pages() -> pl.DataFrame:
    """Return the sample pages."""
    return pl.read_parquet(ROOT / "data" / "ocr_pages.parquet")


def table(frame: Any, keys: list[str], name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a table by the values of its keys."""
    frame = frame() if callable(frame) else frame
    frame = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    keys = [key for key in keys if key in frame.columns]
    for row in frame.iter_rows(named=True):
        line = ", ".join(f"{key}={row[key]}" for key in keys)
        for column, value in row.items():
            if column not in keys:
                yield f"{name} {line} {column}", value


def digest(series: pl.Series) -> str:
    """Return a text that is equal for equal values."""
    values = series.to_frame("values").write_json().encode()
    return hashlib.sha256(values).hexdigest()[:16]


def report_figures(report: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield all figures of a report."""
    for figure, value in report.overall.items():
        yield f"{name} overall {figure}", value
    by = [*report.summary.settings.by]
    if by:
        yield from table(report.to_polars(), ["slice", "table", *by], name)
        yield from table(report.by_group, by, f"{name} by_group")


def comparison_figures(comparison: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield all figures of a comparison."""
    by = [*comparison.summary.settings.by]
    keys = ["slice", "table", *by, "metric", "baseline", "system"]
    yield from table(comparison.ranking, keys, f"{name} ranking")
    yield from table(comparison.differences(), keys, f"{name} differences")
    yield from table(comparison.to_polars(), keys, f"{name} flat")
    if comparison.summary.settings.details:
        yield from table(
            comparison.transitions, [*by, "system", "old_error_type", "new_error_type"], f"{name} transitions"
        )


def row_columns() -> Iterator[tuple[str, Any]]:
    """Yield the digests of all columns that row functions add."""
    frame, ocr = questions(), pages()
    for protocol in af.PROTOCOLS:
        whole = af.PROTOCOLS[protocol].replace(threshold=0.5)
        scored = af.add_scores(frame, "tesseract", "answers", protocol=whole)
        for column in scored.columns[len(frame.columns) :]:
            yield f"add_scores {protocol} {column}", digest(scored[column])
    answer = pl.col("answers").list.first()
    for name in ("levenshtein", "hamming", "lcs_distance", "cer", "wer", "mer", "wil", "word_errors"):
        function = getattr(af, name)
        yield f"{name} questions", digest(frame.select(value=function("tesseract", answer))["value"])
        yield f"{name} pages", digest(ocr.select(value=function("tesseract", "reference"))["value"])
    yield "edit_counts", digest(ocr.select(value=af.words.edit_counts("tesseract", "reference"))["value"])
    yield "error_type", digest(frame.select(value=af.error_type("tesseract", "answers"))["value"])


def reports() -> Iterator[tuple[str, Any]]:
    """Yield the figures of reports of questions, own scores and pages."""
    frame = questions()
    own = af.Metric(
        lambda prediction, _: prediction.str.len_chars().cast(pl.Float64), name="length", bounds=(0, None)
    )
    ratio = af.Metric("right", denominator="fields", name="right_fields", bounds=(0, 1))
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "slices": {"by": "question_types"},
        "clusters": {"by": ["doc_type", "lang"], "cluster": "doc_id"},
        "details": {"by": "doc_type", "cluster": "doc_id", "details": True, "worst": 5},
        "own": {"by": "question_types", "cluster": "doc_id", "metrics": ["anls", "cer_corpus", own, ratio]},
        "drop": {"by": "lang", "missing": "drop"},
    }
    for name, chosen in options.items():
        report = af.report(frame, "update_2", "answers", **chosen)
        yield from report_figures(report, name)
        if "details" in chosen:
            yield from table(report.errors, ["doc_type", "error_type"], f"{name} errors")
            yield from table(report.confusions(), ["op", "source", "target"], f"{name} confusions")
            yield from table(report.lengths, ["doc_type", "length"], f"{name} lengths")
            yield f"{name} worst", digest(report.worst.select(cs.numeric()).sum().transpose().to_series())
    yield from report_figures(af.report(frame, metrics=["first_own", ratio], by="lang"), "existing scores")
    yield from report_figures(
        af.report(pages(), "rapidocr", "reference", metrics="ocr", by="doc_type", cluster="doc_id"), "pages"
    )
    yield from report_figures(af.report(frame.to_pandas(), "tesseract", "answers", by="lang"), "pandas")


def comparisons() -> Iterator[tuple[str, Any]]:
    """Yield the figures of comparisons of two, three and six systems."""
    frame = questions()
    ratio = af.Metric(
        {"tesseract": "right", "rapidocr": "fields"},
        denominator={"tesseract": "fields", "rapidocr": "fields"},
        name="right_fields",
        bounds=(0, 1),
    )
    options: dict[str, dict[str, Any]] = {
        "two": {"by": "doc_type", "cluster": "doc_id", "details": True},
        "two rows": {"by": "question_types"},
        "two drop": {"systems": {"a": "current", "b": "update_2"}, "missing": "drop", "cluster": "doc_id"},
        "two cer": {"by": "lang", "cluster": "doc_id", "metrics": "cer_corpus"},
        "two cer rows": {"by": "lang", "metrics": "cer_corpus"},
        "two metrics": {"by": "doc_type", "cluster": "doc_id", "metrics": ["anls", "exact_match"]},
        "six": {"systems": SIX, "by": "doc_type", "cluster": "doc_id"},
        "six rows": {"systems": SIX, "metrics": ["anls", "cer_corpus"]},
        "three": {"systems": SIX[:3], "by": ["doc_type", "lang"], "cluster": "doc_id", "details": True},
    }
    for name, chosen in options.items():
        systems = chosen.pop("systems", TWO)
        comparison = af.compare(frame, systems, "answers", draws=2000, **chosen)
        yield from comparison_figures(comparison, name)
        regressions = comparison.regressions(0.001, 0.5)
        yield f"{name} regressions", regressions.height
        yield f"{name} untestable", comparison.untestable(1e-6).height
        if len(comparison.systems) == 2 and len(comparison.measures) == 1:
            keys = ["slice", *comparison.summary.settings.by]
            pair = ("metric", "baseline", "system")
            yield from table(comparison.sample_size(0.02).drop(pair), keys, f"{name} sample_size")
            yield from table(comparison.detectable_difference().drop(pair), keys, f"{name} detectable")
            yield f"{name} decide", str(comparison.decide(0.03))
    scores = af.compare(frame, TWO, metrics=[ratio], by="lang", cluster="doc_id", draws=2000)
    yield from comparison_figures(scores, "ratio")
    own = af.compare(frame, {"a": "first_own", "b": "second_own"}, by="lang", draws=2000)
    yield from comparison_figures(own, "existing scores")


def summaries() -> Iterator[tuple[str, Any]]:
    """Yield the figures of summaries that were saved, loaded, merged and folded."""
    frame = questions()
    halves = [frame.filter(pl.col("doc_id").hash() % 2 == part) for part in (0, 1)]
    made = [af.summarize(half, "tesseract", "answers", by="lang", cluster="doc_id") for half in halves]
    with tempfile.TemporaryDirectory() as folder:
        for number, summary in enumerate(made):
            summary.save(Path(folder) / f"{number}.parquet")
        loaded = [af.Summary.load(Path(folder) / f"{number}.parquet") for number in range(2)]
    yield from report_figures(af.Report.from_summary(af.merge(loaded)), "merged")
    folded = [summary.fold_clusters() for summary in made]
    yield from report_figures(af.Report.from_summary(af.merge(folded)), "folded")
    several = [af.summarize(half, SIX[:3], "answers", by="lang", cluster="doc_id") for half in halves]
    merged = af.Comparison.from_summary(af.merge(several), draws=2000)
    yield from comparison_figures(merged, "merged systems")


def slices() -> Iterator[tuple[str, Any]]:
    """Yield the slices that are found in one system and between two, by search and on other documents."""
    frame = questions()
    columns = ["doc_type", "lang", "profile", "answer_type", "question_types"]
    of_one = {"score_low": "low", "score_high": "high"}
    of_two = {"baseline_score": "first_score", "score": "second_score"}
    of_two |= {"change_low": "low", "change_high": "high"}
    for name, search in {"search": af.SliceSearch(), "holdout": af.SliceSearch(holdout=0.5)}.items():
        options = {"cluster": "doc_id", "search": search}
        found = af.find_slices(frame, "tesseract", "answers", columns, **options)
        yield from table(found.to_polars().rename(of_one), ["slice", "where"], f"one {name}")
        lost = af.find_slices(frame, TWO, "answers", columns, **options)
        yield from table(lost.to_polars().rename(of_two), ["slice", "where"], f"two {name}")
    rest = af.report(frame, "tesseract", "answers", by="doc_type", cluster="doc_id").against_rest()
    yield from table(rest, ["doc_type", "metric"], "against_rest")


def rows() -> Iterator[tuple[str, Any]]:
    """Yield digests of the rows that `worst`, `changes` and `browse` choose, and of other analyses."""
    frame = questions()
    selected = {
        "worst": af.worst(frame, "tesseract", "answers", 20),
        "changes": af.changes(frame, TWO, "answers", keep=["question_id"]),
    }
    for name, chosen in selected.items():
        yield f"{name} question_id", chosen["question_id"].to_list()
        for column in chosen.select(cs.numeric()).columns:
            yield f"{name} {column}", digest(chosen[column])
    page = af.browse(frame, TWO, "answers", by="doc_type", id="question_id")
    yield "browse", repr(page)
    yield from table(af.confusions(frame, "tesseract", "answers"), ["op", "source", "target"], "confusions")
    yield from table(
        af.threshold_curve(af.summarize(frame, "tesseract", "answers")), ["threshold"], "threshold_curve"
    )
    yield from table(af.length_scores(frame, "tesseract", "answers"), ["length"], "length_scores")
    parts = af.repeats.variance_components(
        frame.with_columns(epoch=1).vstack(
            frame.with_columns(epoch=2, tesseract="rapidocr").select([*frame.columns, "epoch"])
        ),
        "tesseract",
        "answers",
        id="question_id",
        cluster="doc_id",
    )
    yield "variance_components", str(parts)


def files() -> Iterator[tuple[str, Any]]:
    """Yield the numbers in the files of all formats."""
    frame = questions()
    made = {
        "report": af.report(
            frame, "tesseract", "answers", by="doc_type", cluster="doc_id", details=True, worst=3
        ),
        "two": af.compare(frame, TWO, "answers", by="doc_type", cluster="doc_id", draws=500),
        "six": af.compare(frame, SIX, "answers", by="doc_type", cluster="doc_id", draws=500),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, result in made.items():
            for suffix in SUFFIXES:
                path = Path(folder) / f"{name}.{suffix}"
                result.write(path)
                yield f"{name} {suffix}", file_numbers(path)


def file_numbers(path: Path) -> Any:
    """Return how often each number stands in a file."""
    if path.suffix == ".parquet":
        return [digest(series) for series in pl.read_parquet(path).select(cs.numeric())]
    if path.suffix == ".xlsx":
        sheets = pl.read_excel(path, sheet_id=0, has_header=False)
        return {name: numbers(sheet.write_csv()) for name, sheet in sheets.items()}
    return numbers(path.read_text(encoding="utf-8"))


def numbers(text: str) -> dict[str, int]:
    """Return how often each number stands in a text."""
    return dict(sorted(Counter(NUMBER.findall(text)).items()))


def plots() -> Iterator[tuple[str, Any]]:
    """Yield the numbers behind the artists of plots."""
    frame = questions()
    report = af.report(frame, "tesseract", "answers", by="doc_type", cluster="doc_id", details=True)
    two = af.compare(frame, TWO, "answers", by="doc_type", cluster="doc_id", draws=500)
    six = af.compare(frame, SIX, "answers", by="doc_type", cluster="doc_id", draws=500)
    drawn: dict[str, Callable[[], Any]] = {
        "report": report.plot,
        "distribution": lambda: plot.score_distribution(report.summary),
        "two": two.plot,
        "six": six.plot,
        "heat map": lambda: six.plot(kind="slices"),
    }
    for name, draw in drawn.items():
        axes = draw()
        lines = [line.get_xydata().round(9).tolist() for line in axes.get_lines()]
        patches = [[round(value, 9) for value in patch.get_extents().bounds] for patch in axes.patches]
        yield f"{name} lines", lines
        yield f"{name} patches", len(patches)
        yield f"{name} texts", [text.get_text() for text in axes.texts]
        plt.close("all")


def corrections() -> Iterator[tuple[str, Any]]:
    """Yield the scores of corrections."""
    folder = ROOT / "data" / "gec"
    for path in sorted(folder.rglob("*.m2")):
        yield f"gec {path.name}", len(gec.read_m2(path))


def commands() -> Iterator[tuple[str, Any]]:
    """Yield the numbers that commands print."""
    sample = str(ROOT / "data" / "ocr_qa.parquet")
    lines = {
        "report": ["report", sample, "-p", "tesseract", "-b", "question_types", "-c", "doc_id"],
        "report json": ["report", sample, "-p", "tesseract", "-b", "doc_type", "-c", "doc_id", "--json"],
        "compare": ["compare", sample, "-s", "tesseract", "-s", "rapidocr", "-b", "doc_type", "-c", "doc_id"],
        "score": ["score", sample, "-p", "tesseract"],
        "slices": ["slices", sample, "-p", "tesseract", "-b", "doc_type", "-b", "lang", "-c", "doc_id"],
        "changes": ["changes", sample, "-s", "tesseract", "-s", "rapidocr"],
    }
    for name, arguments in lines.items():
        result = shell.run(ROOT, *arguments)
        yield f"{name} code", result.returncode
        yield f"{name} output", numbers(result.stdout)


CASES = (
    row_columns,
    reports,
    comparisons,
    summaries,
    slices,
    rows,
    files,
    plots,
    corrections,
    commands,
)


if __name__ == "__main__":
    main()
