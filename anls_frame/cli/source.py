"""From the name of a file to the standard frame: choose the reader and its options."""

from __future__ import annotations

import errno
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import listed
from anls_frame.exceptions import ColumnNotFoundError
from anls_frame.frames import origins
from anls_frame.readers import _content, _files, _long
from anls_frame.readers._parquet import reading_parquet
from anls_frame.readers._problems import problem
from anls_frame.readers._standard import ROLES, SCORED
from anls_frame.readers.descriptions import READER_OPTIONS, READERS
from anls_frame.readers.kinds import kind_for_gold, kind_of
from anls_frame.readers.table import read_systems, read_table, scan_results

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from anls_frame.cli.options import Source


def load(path: Path, source: Source, *, every_response: bool = False) -> pl.DataFrame:
    """Read a file as the standard frame; in files of harnesses, ids are always unique within an epoch."""
    kind = kind_of_file(path, source)
    given = options([kind], source, epochs_of_any=True)
    if kind == "pages" and source.gold is None:
        raise ValueError(f"{path}: name the ground truth of the pages with --gold")
    if "gold" in READERS[kind].parameters and source.gold is None:
        raise ValueError(f"{path} is a submission: name the file of gold labels with --gold")
    if kind == "table":
        given["unique_ids"] = False
    if every_response and "response" in READERS[kind].parameters:
        given.setdefault("response", "all")
    frame = READERS[kind].read(path, **given)
    return frame if "epoch" in given else of_epoch(frame, source)


def load_systems(path: Path, source: Source, names: Sequence[str]) -> tuple[pl.DataFrame, list[pl.Series]]:
    """Read a table as the standard frame, and the predictions of systems in columns with these names."""
    kind = kind_of_file(path, source)
    if kind != "table":
        raise ValueError(f"{path}: --systems needs a table, not a file of {kind!r}")
    given = options([kind], source)
    roles = {role: given.pop(role, None) for role in ROLES}
    # The first system is not in both places: its checks would find everything twice.
    first, *others = names
    frame, texts = read_systems(
        path, {**roles, "prediction": first}, others, required=SCORED, unique_ids=False, **given
    )
    return frame, [frame["prediction"], *texts]


def table(path: Path, source: Source) -> pl.DataFrame:
    """Read a table that needs no particular columns."""
    if kind_of_file(path, source) != "table":
        raise ValueError(f"{path}: --scores needs a table, not the file of a harness")
    given = options(["table"], source)
    roles = {role: given.pop(role, None) for role in ROLES}
    return read_table(path, roles, required=(), unique_ids=False, **given)


@contextmanager
def reading(path: Path, source: Source) -> Iterator[None]:
    """Name a table of Parquet that is damaged, and explain which columns a harness leaves out."""
    try:
        with reading_parquet(path) if _is_parquet(path, source) else nullcontext():
            yield
    except ColumnNotFoundError as error:
        if kind_of_file(path, source) != "lmms-eval":
            raise
        raise ColumnNotFoundError(
            f"{error}\nlmms-eval leaves the document's fields out of its files: join them by question_id, "
            "the number of the row in the data set, and report the joined table"
        ) from None


def _is_parquet(path: Path, source: Source) -> bool:
    """Whether the path is a table of Parquet, and not a folder or a pattern of several files."""
    if not path.exists() or path.is_dir() or kind_of_file(path, source) != "table":
        return False
    return _content.file_format(path, source.reader.format) == "parquet"


def scan(path: Path, source: Source, *, every_response: bool = False) -> pl.LazyFrame:
    """Read a file, lazily if its format allows it."""
    if source.epoch is None and kind_of_file(path, source) == "table":
        return scan_results(path, **options(["table"], source))
    frame = load(path, source, every_response=every_response)
    return origins.like(frame.lazy(), frame)


def columns(path: Path, source: Source) -> list[str]:
    """Return the names of a file's columns."""
    with reading(path, source):
        return scan(path, source).collect_schema().names()


def scan_counted(path: Path, source: Source) -> tuple[pl.LazyFrame, int]:
    """Read a file, lazily if its format allows it, and return its number of rows as well."""
    rows = stored_rows(path, source)
    if rows is None:
        frame = load(path, source)
        return origins.like(frame.lazy(), frame), frame.height
    if not rows:
        raise problem(path, "holds no rows")
    return scan(path, source), rows


def stored_rows(path: Path, source: Source) -> int | None:
    """Return the number of rows in a file's metadata, or None if the file must be read to know."""
    if source.epoch is not None or not _is_parquet(path, source):
        return None
    _content.check_file(path)
    with reading_parquet(path):
        rows: int = pl.scan_parquet(_files.seekable(path), glob=False).select(pl.len()).collect().item()
    return rows


def options(kinds: Collection[str], source: Source, *, epochs_of_any: bool = False) -> dict[str, Any]:
    """
    Return the given options of these readers; raise an error for options that none of them has.

    With `epochs_of_any`, the caller chooses the epoch where the reader does not.
    """
    given = {
        name: value
        for name, value in vars(source).items()
        if name != "reader" and value is not None and value is not False
    }
    given |= source.reader.options
    known = {option for kind in kinds for option in READERS[kind].parameters}
    useless = given.keys() - known - ({"epoch"} if epochs_of_any else set())
    if useless:
        named = sorted(
            f"{name}=" if name in READER_OPTIONS else f"--{name.replace('_', '-')}" for name in useless
        )
        does = "does" if len(useless) == 1 else "do"
        of = " and ".join(map(repr, sorted(set(kinds))))
        raise ValueError(f"{' and '.join(named)} {does} not apply to {of} files")
    return {name: value for name, value in given.items() if name in known}


def of_epoch(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return the rows of the chosen epoch, or all of them; a file without epochs has only the first."""
    if source.epoch is None:
        return frame
    epochs = _long.epochs_of(frame)
    if epochs is None:
        epochs = pl.repeat(1, frame.height, dtype=pl.Int64, eager=True)
    chosen = frame.filter(epochs == source.epoch)
    if chosen.is_empty():
        found = listed([str(epoch) for epoch in epochs.unique().sort()])
        raise ValueError(f"--epoch {source.epoch}: there is no such epoch among {found}")
    return origins.like(chosen, frame)


def kind_of_file(path: Path, source: Source) -> str:
    """Return the reader of a file: the given one, or by the file's name and first bytes."""
    _files.keep(path)
    if source.reader.name != "auto":
        return source.reader.name
    if source.gold is not None:
        return kind_for_gold(path, source.gold)
    if path.is_dir():
        message = "this is a folder: name a file in it or, for pages of OCR, the ground truth with --gold"
        raise IsADirectoryError(errno.EISDIR, message, str(path))
    return kind_of(path, source.reader.format)


def are_pages(path: Path, source: Source) -> bool:
    """Whether what is scored are pages of OCR, whose scores are error rates."""
    if source.reader.name != "auto" or source.gold is None:
        return source.reader.name == "pages"
    return kind_for_gold(path, source.gold) == "pages"
