"""Columns whose names Polars would take for patterns: every figure is as with plain names."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest
from campaign import amount

import anls_frame as af
from anls_frame import plot
from anls_frame.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

draw = random.Random(3)
ROWS = 60
NAMES = {
    "prediction": "^p.*$",
    "other": "^.*other$",
    "answer": "^a$",
    "lang": "^.*$",
    "tags": "*",
    "doc": "^d.*$",
    "score": "^s.*$",
    "length": "^",
    "kind": "{{x}}",
    "question": "",
    "grade": "^g.*$",
}
PLAIN = pl.DataFrame(
    {
        "prediction": draw.choices("abc", k=ROWS),
        "other": draw.choices("abc", k=ROWS),
        "answer": draw.choices("abc", k=ROWS),
        "lang": draw.choices(["en", "de", "ja"], k=ROWS),
        "tags": [draw.choices("uvw", k=2) for _ in range(ROWS)],
        "doc": [str(row // 4) for row in range(ROWS)],
        "score": [draw.random() for _ in range(ROWS)],
        "length": [draw.randrange(1, 50) for _ in range(ROWS)],
        "kind": draw.choices(["exact", "near", "wrong"], k=ROWS),
        "question": [str(row // 2) for row in range(ROWS)],
        "grade": [0.5, 1.5] * (ROWS // 2),
    }
)
PATTERNS = PLAIN.rename(NAMES)


class Named:
    """The names of the columns, plain or like patterns."""

    def __init__(self, names: dict[str, str]) -> None:
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> str:
        raise AttributeError(name)


def drawn(ax: Axes) -> Any:
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    bars = [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in ax.patches if hasattr(bar, "get_x")]
    return lines, bars, [label.get_text() for label in ax.get_yticklabels()]


def compared(frame: Any, names: Any, **options: Any) -> af.Comparison[Any]:
    return af.compare(frame, {"a": names.prediction, "b": names.other}, names.answer, **options)


FRAMES: dict[str, Callable[[Any, Any], Any]] = {
    "report": lambda f, c: af.report(f, c.prediction, c.answer, by=[c.lang, c.tags], cluster=c.doc).by_group,
    "tables of a report": lambda f, c: (
        af.report(f, c.prediction, c.answer, by=[[c.lang], [c.tags]], cluster=c.doc).by_group
    ),
    "means over epochs": lambda f, c: af.repeats.mean_over_epochs(
        f, metrics=[c.score], id=c.question, keep=c.doc
    ),
    "confusions": lambda f, c: af.confusions(f, c.prediction, c.answer, by=c.lang),
    "worst": lambda f, c: af.worst(f, c.prediction, c.answer, 9, by=c.lang, metrics=c.score),
    "changes": lambda f, c: af.changes(f, {"a": c.prediction, "b": c.other}, c.answer, keep=c.lang),
    "comparison": lambda f, c: compared(f, c, by=c.lang, cluster=c.doc).by_group,
    "printed changes of error types": lambda f, c: pl.DataFrame(
        line.split("│")
        for line in str(compared(f, c, by=c.lang, details=True)).split("\n")
        if line.startswith("│ exact")
    ),
    "audit sample": lambda f, c: af.audit_sample(f, 40, by=c.grade, lean="score", score=c.score)[
        ["audit", "audit_probability", "audit_stratum"]
    ],
    "overview": lambda f, c: (
        af.overview(f, c.prediction, c.answer, by=[c.lang, c.tags], cluster=c.doc).report.by_group
    ),
    "corrected": lambda f, c: af.corrected(
        f, c.score, c.length, by=c.lang, bounds=(0, 100), probability=None, stratum=None
    ).by(c.lang),
}
PLOTS: dict[str, Callable[[Any, Any], Axes]] = {
    "ecdf": lambda f, c: plot.ecdf(f, {"a": c.score, "b": c.length}),
    "cer_distribution": lambda f, c: plot.cer_distribution(f, c.score),
    "error_types of rows": lambda f, c: plot.error_types(f, c.lang, error_type=c.kind),
    "error_types of a report": lambda f, c: plot.error_types(
        af.report(f, c.prediction, c.answer, by=c.lang, details=True)
    ),
    "error_types of a frame": lambda f, c: plot.error_types(
        af.report(f, c.prediction, c.answer, by=c.lang, details=True).errors(c.lang)
    ),
    "curve": lambda f, c: plot.curve(f, c.length, {"a": c.score}),
    "curve by slice": lambda f, c: plot.curve(f, c.length, c.score, by=c.lang),
    "curve of a table": lambda f, c: plot.curve(af.length_scores(f, c.prediction, c.answer, by=c.lang)),
    "group_scores": lambda f, c: plot.group_scores(af.report(f, metrics=c.score, by=c.lang).to_polars()),
    "heat_map": lambda f, c: plot.heat_map(
        af.compare(f, {"a": c.prediction, "b": c.other, "c": c.lang}, c.answer, by=[c.lang, c.doc])
    ),
}
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "Polars": lambda frame: frame,
    "pandas": pl.DataFrame.to_pandas,
}
BOTH = (Named({name: name for name in NAMES}), Named(NAMES))


def values(table: Any) -> list[list[Any]]:
    """Return the rows of a table; the tables of a report are named after their columns."""
    plain = {like: name for name, like in NAMES.items()}
    rows = (pl.from_pandas(table) if isinstance(table, pd.DataFrame) else table).rows()
    return [[plain.get(value, value) if isinstance(value, str) else value for value in row] for row in rows]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_frames_are_as_with_plain_names(kind: str, make: Callable[[Any, Any], Any]) -> None:
    plain, patterns = (
        make(KINDS[kind](frame), names) for frame, names in zip((PLAIN, PATTERNS), BOTH, strict=True)
    )

    assert values(patterns) == values(plain)
    assert patterns.shape[1] == plain.shape[1]


@pytest.mark.parametrize("name", amount([*PLOTS][::3], [*PLOTS]))
def test_plots_are_as_with_plain_names(name: str) -> None:
    plain, patterns = (
        drawn(PLOTS[name](frame, names)) for frame, names in zip((PLAIN, PATTERNS), BOTH, strict=True)
    )

    assert patterns == plain


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_rows_are_written_as_with_plain_names(tmp_path: Path, suffix: str) -> None:
    rows = PATTERNS.with_columns(pl.lit(0.5).cast(pl.Decimal(4, 2)).alias("^x.*$"))

    af.write_results(rows, tmp_path / f"rows.{suffix}")

    written = (tmp_path / f"rows.{suffix}").read_text("utf-8")
    for name in ("^p.*$", "^x.*$"):
        assert written.count(name) == (1 if suffix == "csv" else ROWS)
    assert written.count("0.5") >= ROWS


def test_a_submission_is_checked_as_with_plain_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="duplicate id"):
        af.readers.write_submission(PATTERNS, tmp_path / "s.json", prediction="^p.*$", question_id="")
