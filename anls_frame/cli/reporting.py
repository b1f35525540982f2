"""Reports, whole and in parts: `report` and `merge`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.cli import _output
from anls_frame.cli._inputs import load, scan
from anls_frame.export import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from anls_frame.cli._inputs import Source

_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)
_PART = re.compile(r"(?P<what>.*) shard (?P<index>[0-9]+)/(?P<count>[0-9]+)(?: .*)?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Target:
    """What becomes of a report."""

    output: Path | None
    summary: Path | None
    sort: str
    confidence: float
    force: bool
    json: bool
    escape_formulas: bool

    def check(self) -> None:
        """Raise an error before any work is done, if the files cannot be written."""
        _output.check_target(self.output, self.force, SUFFIXES)
        _output.check_target(self.summary, self.force, (".parquet",))

    def put(self, summary: af.Summary) -> None:
        """Write and print the report of a summary."""
        report = af.Report.from_summary(summary, sort=self.sort, confidence=self.confidence)
        if not report.overall["n"]:
            raise ValueError("no row has an answer to score against")
        if self.summary is not None:
            summary.save(self.summary)
        if self.output is not None:
            report.write(self.output, escape_formulas=self.escape_formulas)
        if self.json:
            _output.print_document(report.to_document())
        elif self.output is None:
            print(_output.plain(repr(report)))
        else:
            print(
                _output.plain(
                    f"{report.overall['n']:,} rows, ANLS {report.overall['anls']:.4f}: {self.output}"
                )
            )


def report(
    files: Sequence[Path], source: Source, settings: dict[str, Any], target: Target, shard: str | None
) -> None:
    """Report files, or save the summary of a shard of them."""
    target.check()
    if shard is not None and target.summary is None:
        raise ValueError("--shard makes a part of a report: save it by --summary, and merge the parts")
    doubled = {str(path) for path in files if files.count(path) > 1}
    if doubled:
        raise ValueError(f"a file is given twice: {', '.join(sorted(doubled))}")
    index, count = _shard(shard)
    names = "+".join(str(path) for path in files)
    what = names if shard is None else f"{names} shard {index}/{count}"
    with _output.working(f"Scoring {what}"):
        if len(files) == 1:
            frame = scan(files[0], source)
            if shard is not None:
                rows = frame.select(pl.len()).collect().item()
                start = rows * (index - 1) // count
                frame = frame.slice(start, rows * index // count - start)
            summary = af.summarize(frame, "prediction", "answers", part=what, **settings)
        else:
            chosen = files[len(files) * (index - 1) // count : len(files) * index // count]
            if not chosen:
                raise ValueError(f"there are fewer files than shards: {len(files)} and {count}")
            summary = af.merge(
                af.summarize(
                    load(path, source),
                    "prediction",
                    "answers",
                    part=str(path) if shard is None else f"{what} {path}",
                    **settings,
                )
                for path in chosen
            )
    if shard is None:
        target.put(summary)
        return
    assert target.summary is not None  # noqa: S101 - checked above
    summary.save(target.summary)
    if target.json:
        _output.print_json({"shard": index, "shards": count, "rows": summary.rows, "digest": summary.digest})
    else:
        print(_output.plain(f"shard {index}/{count}, {summary.rows:,} rows: {target.summary}"))


def merge(files: Sequence[Path], target: Target, *, allow_missing: bool) -> None:
    """Report the sum of summaries."""
    target.check()
    with _output.working("Merging"):
        summary = af.merge(af.Summary.load(path) for path in files)
    missing = missing_shards(summary.parts)
    if missing and not allow_missing:
        raise ValueError(
            f"shards are missing: {'; '.join(missing)}. Pass --allow-missing to merge the others"
        )
    target.put(summary)


def missing_shards(parts: Iterable[str]) -> list[str]:
    """Return the shards that the names of the others say there must be."""
    found: dict[tuple[str, int], set[int]] = {}
    for part in parts:
        match = _PART.fullmatch(part)
        if match is not None:
            found.setdefault((match["what"], int(match["count"])), set()).add(int(match["index"]))
    missing = []
    for (what, count), indices in found.items():
        lost = [str(index) for index in range(1, count + 1) if index not in indices]
        if lost:
            missing.append(f"{', '.join(lost)} of {count} of {what}")
    return missing


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    match = _SHARD.fullmatch(text)
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise ValueError(f"--shard is a part of several, as 1/4, got {text!r}")
    return index, count
