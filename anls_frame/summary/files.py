"""
Files of summaries: a Parquet file with all frames of a summary, and everything else in its metadata.

Each frame is a column of structures, with a range of rows that is null in all other columns.
A checksum of the whole file, computed with zeros in its own place, detects changes.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._native import __version__
from anls_frame.summary.cell_sums import CellSums
from anls_frame.summary.parquet_footer import sizes
from anls_frame.summary.settings import Settings

FORMAT = 23
"""Increased with each change of what is saved: tables, columns, units, settings, or their meaning."""

HEADER = ("settings", "systems", "parts", "scored_by", "forgotten_documents", "is_folded")
"""What a summary holds besides its sums."""

_METADATA_KEY = "anls_frame"
_NO_CHECKSUM = b"0" * 64
# Polars panics on some damaged files, and JSON may be nested too deep.
_DAMAGE = (
    *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)
# Most values are null, because each frame has its own columns.
_FREE_VALUES = 1 << 25
_MOST_VALUES = 100
"""Values for each byte, where there are more; malicious files have far more."""
_FREE_BYTES = 1 << 28
_MOST_BYTES = 100
"""Bytes after decompression for each byte, where there are more."""


def content(frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any]) -> bytes:
    """Return the content of the file: frames by name, and the header."""
    whole = pl.concat([frame.to_struct(name).to_frame() for name, frame in frames.items()], how="diagonal")
    own = {
        **header,
        "format": FORMAT,
        "heights": {name: frame.height for name, frame in frames.items()},
        "settings": header["settings"].to_dict(),
        "systems": dict(header["systems"]),
        "parts": dict(header["parts"]),
        "checksum": _NO_CHECKSUM.decode(),
    }
    file = io.BytesIO()
    whole.write_parquet(file, metadata={_METADATA_KEY: json.dumps(own)})
    return b"".join(_sealed(file, _NO_CHECKSUM))


def _sealed(file: io.BytesIO, checksum: bytes) -> tuple[bytes, bytes, bytes]:
    """Return a file with its right checksum, in three parts, given the one that it has."""
    # That of the metadata is the last match.
    start, _, end = file.getvalue().rpartition(checksum)
    digest = hashlib.sha256(start)
    digest.update(_NO_CHECKSUM + end)
    return start, digest.hexdigest().encode(), end


def is_summary(path: Path) -> bool:
    """Return whether a file is a summary; pipes never are, because they can be read only once."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return bool(json.loads(pl.read_parquet_metadata(file)[_METADATA_KEY]))
    except (*_DAMAGE, OSError):
        return False


def read(source: io.BytesIO, name: str) -> dict[str, Any]:
    """Return what a summary holds from the content of its file; errors name the source."""
    try:
        metadata = json.loads(pl.read_parquet_metadata(source)[_METADATA_KEY])
        by = metadata["settings"]["version"]
    except _DAMAGE as error:
        raise _no_summary(name, error) from None
    # The format is checked first, because everything else may have other names in another format.
    _check_format(metadata.get("format", 0), by, name)
    try:
        _check_size(source)
        checksum = metadata["checksum"].encode()
        if _sealed(source, checksum)[1] != checksum:
            raise ValueError("it was changed or damaged after it was saved, because its checksum differs")
        header = {name: metadata[name] for name in HEADER}
        _check_parts(header["parts"])
        header["settings"] = Settings.from_dict(header["settings"])
        whole, frames, start = pl.scan_parquet(source), {}, 0
        for frame, height in metadata["heights"].items():
            frames[frame] = whole.select(frame).slice(start, height).collect().unnest(frame)
            start += height
    except _DAMAGE as error:
        raise _no_summary(name, error) from None
    return {**header, "sums": CellSums(frames)}


def _check_parts(parts: Any) -> None:
    """Raise an error unless there are parts, each with its number of rows, which tell duplicates apart."""
    numbers = list(parts.values()) if isinstance(parts, dict) else []
    if not numbers or not all(type(rows) is int and rows >= 0 for rows in numbers):
        raise ValueError(f"its parts must be names with their numbers of rows, but are {parts!r}")


def _check_size(source: io.BytesIO) -> None:
    """Raise an error if a small file has more values than fit into memory."""
    file = source.getvalue()
    size, (values, content) = len(file), sizes(file)
    if values > (most := max(_FREE_VALUES, _MOST_VALUES * size)):
        raise ValueError(f"its {size:,} bytes hold {values:,} values, more than {most:,}")
    if content > (most := max(_FREE_BYTES, _MOST_BYTES * size)):
        raise ValueError(f"its {size:,} bytes decompress to {content:,}, more than {most:,}")


def _check_format(version: object, by: str, name: str) -> None:
    if version == FORMAT:
        return
    newer = isinstance(version, int) and version > FORMAT
    way_out = "read it with that version or a later one" if newer else "summarize its rows again"
    raise ValueError(
        f"{name} is a summary of file format {version}, saved by anls_frame {by}; anls_frame {__version__} "
        f"reads format {FORMAT}: {way_out}"
    )


def _no_summary(name: str, error: BaseException) -> ValueError:
    reason = f"it has no {error}" if isinstance(error, KeyError) else str(error).partition("\n")[0]
    return ValueError(f"{name} is not a summary of anls_frame {__version__}: {reason}")
