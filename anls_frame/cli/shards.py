"""Parts of a report: what each consists of, and whether a file already holds it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.protocol import preset_name
from anls_frame.readers import _files
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anls_frame.cli.options import Source
    from anls_frame.summary.settings import Settings

_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)
_PART = re.compile(r"(?P<what>.*) shard (?P<index>[0-9]+)/(?P<count>[0-9]+)(?: .*)?", re.ASCII | re.DOTALL)
_KEY = "anls_frame_shard"
_FOOTER = 8
_READ_WHOLE = 64 << 20
"""Files up to this many bytes are identified by their content, larger Parquet files by their footer."""
_NAMED = 3


@dataclass(frozen=True)
class Shard:
    """One of several parts, counted from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard for the text of the option, such as `1/4`."""
        match = _SHARD.fullmatch(text)
        shard = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= shard.index <= shard.count:
            raise ValueError(f"--shard must be a part of several, such as 1/4, got {text!r}")
        return shard

    def __str__(self) -> str:
        """Return the text of the option."""
        return f"{self.index}/{self.count}"

    def of(self, total: int) -> tuple[int, int]:
        """Return the first of its rows (or files), and how many it has, out of `total`."""
        start, end = (total * index // self.count for index in (self.index - 1, self.index))
        return start, end - start

    def file(self, folder: Path) -> Path:
        """Return the file of its summary."""
        return folder / f"part-{self.index:0{len(str(self.count))}}-of-{self.count}.parquet"


@dataclass(frozen=True)
class Origin:
    """
    Origin of a part: the names of all files, the content of those it reads, and how they are read.

    It is saved with the summary, so that a job that is run again can skip finished parts.
    """

    files: tuple[str, ...]
    shard: str
    inputs: Mapping[str, Mapping[str, Any]]
    reading: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        files: Sequence[Path],
        shard: Shard,
        read: Iterable[Path],
        source: Source,
        options: Mapping[str, Any],
    ) -> Origin:
        """Return the origin, with the current content of the files."""
        inputs = [*read, *([source.gold] if source.gold is not None else [])]
        reading = {
            name: str(value) if isinstance(value, Path) else value
            for name, value in dataclasses.asdict(source).items()
        }
        return cls(
            files=tuple(map(str, files)),
            shard=str(shard),
            inputs={str(path): fingerprint(path) for path in inputs},
            reading={**reading, **options},
        )

    def metadata(self) -> dict[str, str]:
        """Return the metadata with which a summary is saved."""
        return {_KEY: json.dumps(dataclasses.asdict(self))}

    @classmethod
    def load(cls, path: Path) -> Origin | None:
        """Return the origin with which a summary was saved, or None."""
        text = pl.read_parquet_metadata(_files.seekable(path)).get(_KEY)
        if text is None:
            return None
        try:
            values = json.loads(text)
            return cls(**{**values, "files": tuple(values["files"])})
        except (TypeError, ValueError, KeyError):
            return None

    def differences(self, other: Origin) -> list[str]:
        """Return what differs in another origin, each with both values, its own first."""
        found = []
        if self.files != other.files:
            found.append(f"files ({names(self.files)}, not {names(other.files)})")
        if self.shard != other.shard:
            found.append(f"shard ({self.shard}, not {other.shard})")
        found += [f"content of {name}" for name in self.changed(other)]
        for name in sorted(self.reading.keys() | other.reading.keys()):
            now, then = self.reading.get(name), other.reading.get(name)
            if now != then:
                found.append(f"--{name.replace('_', '-')} ({now}, not {then})")
        return found

    def changed(self, other: Origin) -> list[str]:
        """Return the files that both have read, but with different contents."""
        return sorted(
            name
            for name in self.inputs.keys() & other.inputs.keys()
            if self.inputs[name] != other.inputs[name]
        )


def fingerprint(path: Path) -> dict[str, Any]:
    """
    Return what distinguishes a file from another with the same name.

    For a large Parquet file it is the footer, which has the size, position and bounds of each column in each
    row group: reading the whole file for each shard would take longer than scoring it. The modification time
    is not used, because every copy has another one.
    """
    if _files.is_stream(path):
        raise ValueError(f"{path} can be read only once, but shards need files to read again; save it first")
    with path.open("rb") as file:
        size = file.seek(0, 2)
        footer = _footer(file, size) if size > _READ_WHOLE else None
        if footer is not None:
            return {"bytes": size, "footer": hashlib.sha256(footer).hexdigest()}
        file.seek(0)
        return {"bytes": size, "content": hashlib.file_digest(file, "sha256").hexdigest()}


def _footer(file: Any, size: int) -> bytes | None:
    file.seek(size - _FOOTER)
    end = file.read(_FOOTER)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or not 0 < length <= size - _FOOTER:
        return None
    file.seek(size - _FOOTER - length)
    footer: bytes = file.read(length)
    return footer


def names(files: Sequence[str]) -> str:
    """Return one name for the files, whose length does not grow with their number."""
    if len(files) <= _NAMED:
        return "+".join(files)
    digest = hashlib.sha256("\0".join(files).encode(errors="surrogateescape")).hexdigest()
    return f"{files[0]}+{len(files) - 2} files {digest[:12]}+{files[-1]}"


def finished(path: Path, origin: Origin, settings: Settings) -> Summary | None:
    """Return the summary in a file, or None if the file does not exist; raise an error if it is another."""
    if not path.exists():
        return None
    try:
        # The whole file is read, not only its metadata, so that a damaged part is not skipped.
        summary = Summary.load(path)
    except ValueError as error:
        raise ValueError(f"{error}; pass --force to replace it") from None
    found = Origin.load(path)
    if found is None:
        raise ValueError(
            f"{path}: the file already exists and was not made by --shard; pass --force to replace it"
        )
    differing = origin.differences(found) + [
        f"{name} ({_shown(now)}, not {_shown(then)})"
        for name, (now, then) in settings.differences(summary.settings).items()
    ]
    if differing:
        raise ValueError(
            f"{path}: the file holds a different summary: {'; '.join(differing)}. Pass --force to replace "
            "it, or name another file"
        )
    return summary


def _shown(value: object) -> str:
    return preset_name(value) or repr(value)


def check_inputs(paths: Sequence[Path]) -> None:
    """Raise an error if parts were made from different contents of the same file."""
    known: dict[str, tuple[Path, Mapping[str, Any]]] = {}
    for path in paths:
        origin = Origin.load(path)
        for name, content in origin.inputs.items() if origin is not None else ():
            first, then = known.setdefault(name, (path, content))
            if then != content:
                raise ValueError(
                    f"{first} and {path} were made from different contents of {name}, which changed in "
                    "between; make both from the same content"
                )


def missing_shards(parts: Iterable[str]) -> list[str]:
    """Return the shards that are missing, according to the names of the others."""
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
