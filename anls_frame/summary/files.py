"""The file of a summary: one Parquet file with all its tables, and everything else in its metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame._native import __version__
from anls_frame.summary.settings import Settings

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

FORMAT = 10
"""Increased with each change of what is saved: tables, columns, units, settings, or their meaning."""

HEADER = ("settings", "parts", "digest", "scored_by", "forgotten_documents")
"""What a summary holds besides its frames."""

SYSTEMS = "systems"
"""What a summary of several systems holds besides."""

_METADATA_KEY = "anls_frame"
_FRAMES = ("cell", "bin", "worst")
# Polars panics on some damaged files.
_DAMAGE = (
    *(KeyError, TypeError, ValueError, AttributeError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)


def content(
    frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any], metadata: Mapping[str, str]
) -> bytes:
    """Return the content of the file: frames by kind, the header, and the caller's own metadata."""
    whole = pl.concat(
        [frame.select(pl.lit(kind).alias("kind"), pl.all()) for kind, frame in frames.items()],
        how="diagonal_relaxed",
    )
    own = {
        "format": FORMAT,
        "settings": header["settings"].to_dict(),
        "parts": dict(header["parts"]),
        "digest": header["digest"],
        "columns": {kind: frame.columns for kind, frame in frames.items()},
        "scored_by": header["scored_by"],
        "forgotten_documents": header["forgotten_documents"],
        **({SYSTEMS: header[SYSTEMS]} if SYSTEMS in header else {}),
    }
    file = io.BytesIO()
    whole.write_parquet(file, metadata={**metadata, _METADATA_KEY: json.dumps(own)})
    return file.getvalue()


def save(path: str | os.PathLike[str], content: bytes) -> None:
    """Write the content of a file, completely or not at all."""
    from anls_frame._atomic import replacing  # noqa: PLC0415 - only for those who save

    # Written through memory, because Polars would report a full disk with an error of its own.
    with replacing(Path(path)) as file:
        file.write(content)


def is_of_systems(path: Path) -> bool:
    """Whether a file is a summary of several systems; false for what is no summary."""
    return SYSTEMS in _metadata(path)


def is_summary(path: Path) -> bool:
    """Whether a file is a summary, of any format; pipes, which can be read only once, are none."""
    return path.is_file() and bool(_metadata(path))


def _metadata(path: Path) -> dict[str, Any]:
    """Return what the file of a summary says about it; nothing for other files."""
    try:
        with path.open("rb") as file:
            found: dict[str, Any] = json.loads(pl.read_parquet_metadata(file)[_METADATA_KEY])
    except (*_DAMAGE, OSError):
        return {}
    return found


def load(path: Path) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return the frames and the header that a file holds."""
    try:
        # Python reads the bytes, because Polars cannot open a file whose name is not valid Unicode.
        source = io.BytesIO(path.read_bytes())
    except IsADirectoryError as error:
        raise _no_summary(str(path), error) from None
    return read(source, str(path))


def read(source: io.BytesIO, name: str) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return the frames and the header from the content of a file; errors name the source."""
    try:
        metadata = json.loads(pl.read_parquet_metadata(source)[_METADATA_KEY])
        by = metadata["settings"]["version"]
    except _DAMAGE as error:
        raise _no_summary(name, error) from None
    # The format is checked first, because everything else may have other names in another format.
    _check_format(metadata.get("format", 0), by, name)
    try:
        # One after the other: together they have the columns of all, most of them null.
        whole = pl.scan_parquet(source)
        frames = {
            kind: whole.filter(pl.col("kind") == kind).select(columns).collect()
            for kind, columns in metadata["columns"].items()
        }
        of_systems = {SYSTEMS: metadata[SYSTEMS]} if SYSTEMS in metadata else {}
        if not of_systems:
            cells, *_ = (frames[kind] for kind in _FRAMES)
            _check_sums(cells, metadata["parts"])
        return frames, {
            **of_systems,
            "settings": Settings.from_dict(metadata["settings"]),
            "parts": metadata["parts"],
            "digest": metadata["digest"],
            "scored_by": metadata.get("scored_by"),
            "forgotten_documents": metadata["forgotten_documents"],
        }
    except _DAMAGE as error:
        raise _no_summary(name, error) from None


def _check_sums(cells: pl.DataFrame, parts: Mapping[str, int]) -> None:
    """Raise an error if the cells are not sums, or not sums over the rows of the parts."""
    sums = cells.select(cs.ends_with("rows", "_sum", "_units", "_squares"))
    wrong = [f"{column} ({dtype})" for column, dtype in sums.schema.items() if not dtype.is_integer()]
    if wrong:
        raise ValueError(f"columns must hold integers: {', '.join(wrong)}")
    rows = int(cells["rows"].sum())
    if rows != sum(parts.values()):
        raise ValueError(f"the rows do not add up: {sum(parts.values()):,} read, {rows:,} in cells")


def _check_format(found: object, by: str, name: str) -> None:
    if found == FORMAT:
        return
    newer = isinstance(found, int) and found > FORMAT
    way_out = "read it with that version or a later one" if newer else "summarize its rows again"
    raise ValueError(
        f"{name} is a summary of file format {found}, saved by anls_frame {by}; anls_frame {__version__} "
        f"reads format {FORMAT}: {way_out}"
    )


def _no_summary(name: str, error: BaseException) -> ValueError:
    return ValueError(f"{name} is not a summary of anls_frame {__version__}: {error}")
