"""Parts of a report: what each consists of, and whether a file holds it already."""

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
"""Files of so many bytes are known by their content; larger Parquet files by their footer."""
_NAMED = 3


@dataclass(frozen=True)
class Shard:
    """One of several parts, counted from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard that the shell calls `1/4`."""
        match = _SHARD.fullmatch(text)
        shard = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= shard.index <= shard.count:
            raise ValueError(f"--shard is a part of several, as 1/4, got {text!r}")
        return shard

    def __str__(self) -> str:
        """Return it as the shell has it."""
        return f"{self.index}/{self.count}"

    def of(self, total: int) -> tuple[int, int]:
        """Return where it starts among so many rows or files, and how many are its own."""
        start, end = (total * index // self.count for index in (self.index - 1, self.index))
        return start, end - start

    def file(self, folder: Path) -> Path:
        """Return the file of its summary."""
        return folder / f"part-{self.index:0{len(str(self.count))}}-of-{self.count}.parquet"


@dataclass(frozen=True)
class Origin:
    """
    What a part is made of: files by name, those it reads by content, and how they are read.

    It is saved beside the summary, so that a job that is run again knows what it need not do again.
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
        """Look at the files as they are now."""
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
        """Return it as a summary is saved with it."""
        return {_KEY: json.dumps(dataclasses.asdict(self))}

    @classmethod
    def load(cls, path: Path) -> Origin | None:
        """Return what a summary was saved with, if it was."""
        text = pl.read_parquet_metadata(_files.seekable(path)).get(_KEY)
        if text is None:
            return None
        try:
            values = json.loads(text)
            return cls(**{**values, "files": tuple(values["files"])})
        except (TypeError, ValueError, KeyError):
            return None

    def differences(self, other: Origin) -> list[str]:
        """Return what is not the same in another one, first what it is here."""
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
        """Return the files that both have read, with another content."""
        return sorted(
            name
            for name in self.inputs.keys() & other.inputs.keys()
            if self.inputs[name] != other.inputs[name]
        )


def fingerprint(path: Path) -> dict[str, Any]:
    """
    Return what tells a file from another one of its name.

    Of a large Parquet file it is the footer, which has the size, place and bounds of each column in each
    group of rows: reading all of a file for each of its shards would take longer than scoring them. The time
    of its last change is left out: every copy has another.
    """
    if _files.is_stream(path):
        raise ValueError(f"{path} can be read but once, and a shard is known by what its files hold; save it")
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
    """Return the files as one name, which does not grow with their number."""
    if len(files) <= _NAMED:
        return "+".join(files)
    digest = hashlib.sha256("\0".join(files).encode(errors="surrogateescape")).hexdigest()
    return f"{files[0]}+{len(files) - 2} files {digest[:12]}+{files[-1]}"


def finished(path: Path, origin: Origin, settings: Settings) -> Summary | None:
    """Return the summary that a file holds if it is this one; None if there is no such file."""
    if not path.exists():
        return None
    try:
        # All of it, and not only what it says of itself: what is skipped is whole.
        summary = Summary.load(path)
    except ValueError as error:
        raise ValueError(f"{error}; pass --force to replace it") from None
    found = Origin.load(path)
    if found is None:
        raise ValueError(
            f"{path}: there is such a file already, which was not made by --shard; pass --force to replace it"
        )
    differing = origin.differences(found) + [
        f"{name} ({_shown(now)}, not {_shown(then)})"
        for name, (now, then) in settings.differences(summary.settings).items()
    ]
    if differing:
        raise ValueError(
            f"{path}: there is another summary already, made otherwise: {'; '.join(differing)}. Pass --force "
            "to replace it, or name another file"
        )
    return summary


def _shown(value: object) -> str:
    return preset_name(value) or repr(value)


def check_inputs(paths: Sequence[Path]) -> None:
    """Raise an error where parts were made of different contents of the same file."""
    known: dict[str, tuple[Path, Mapping[str, Any]]] = {}
    for path in paths:
        origin = Origin.load(path)
        for name, content in origin.inputs.items() if origin is not None else ():
            first, then = known.setdefault(name, (path, content))
            if then != content:
                raise ValueError(
                    f"{first} and {path} were made of different contents of {name}, which was changed in "
                    "between; make both of the same"
                )


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
