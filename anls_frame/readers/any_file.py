"""A file of any kind as the standard frame: its reader is named, or known by its beginning."""

from __future__ import annotations

import errno
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import choice
from anls_frame._text import listed
from anls_frame.exceptions import ColumnNotFoundError
from anls_frame.frames import origins
from anls_frame.readers import _content, _long, _pipes
from anls_frame.readers._parquet import reading_parquet
from anls_frame.readers._problems import Advice, Option, problem
from anls_frame.readers._standard import ROLES, SCORED
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.kinds import kind_for_gold, kind_of
from anls_frame.readers.table import read_systems, read_table, scan_results

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from anls_frame.readers.descriptions import OptionValue

__all__ = ["read_file"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How files are read; what is None is detected."""

    reader: str | None = None
    gold: Path | None = None
    epoch: int | None = None
    unmatched: str | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Options of readers, those of one kind and others."""

    def __post_init__(self) -> None:
        if self.reader is not None:
            choice("reader", self.reader, READERS)

    @property
    def format(self) -> str | None:
        """The format of the file, if it is given."""
        given = self.options.get("format")
        return None if given is None else str(given)

    def of(self, kinds: Collection[str], *, epochs_of_any: bool = False) -> dict[str, Any]:
        """
        Return the options of these readers; raise an error for options that none of them has.

        With `epochs_of_any`, the caller chooses the epoch where the reader does not.
        """
        own = {"gold": self.gold, "epoch": self.epoch, "unmatched": self.unmatched}
        given = {name: value for name, value in (own | dict(self.options)).items() if value is not None}
        known = {option for kind in kinds for option in READERS[kind].parameters}
        useless = sorted(given.keys() - known - ({"epoch"} if epochs_of_any else set()))
        if useless:
            verb = "does" if len(useless) == 1 else "do"
            named = [part for name in useless for part in (" and ", Option(name, None))][1:]
            of_kinds = " and ".join(map(repr, sorted(set(kinds))))
            raise ValueError(Advice(*named, f" {verb} not apply to {of_kinds} files"))
        return {name: value for name, value in given.items() if name in known}


def read_file(
    path: str | os.PathLike[str],
    *,
    reader: str | None = None,
    gold: str | os.PathLike[str] | None = None,
    epoch: int | None = None,
    **options: Any,
) -> pl.DataFrame:
    r"""
    Read a file of any kind as the standard frame.

    Parameters
    ----------
    path
        The file, or the folder of pages. Its kind is known by its name and its beginning.
    reader
        The kind by the name that the shell has for it, such as `"vlmevalkit"`, whose files look like tables.
    gold
        The gold labels of a submission, or the ground truth of pages.
    epoch
        Only this epoch of questions that were answered several times.
    options
        Options of the reader of this kind, such as `question_id=` or `scorer=`.

    Returns
    -------
    DataFrame
        The standard frame, as the reader of this kind returns it. Ids may be repeated in tables.

    Raises
    ------
    InputError
        If the file has problems: all of them, with their places.
    OSError
        If the file cannot be opened.
    ValueError
        If the kind is unknown, has no such option, or needs gold labels.

    See Also
    --------
    anls_frame.read_logs : the files of several systems as one frame.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("id,pred,answer\n7,CocaCola,Coke\n")
    >>> af.readers.read_file(path)["prediction"].to_list()
    ['CocaCola']
    """
    labels = None if gold is None else _content.as_path(gold)
    return load(_content.as_path(path), Reading(reader=reader, gold=labels, epoch=epoch, options=options))


def load(path: Path, how: Reading, *, every_response: bool = False) -> pl.DataFrame:
    """Read a file as the standard frame; in files of harnesses, ids are always unique within an epoch."""
    kind = kind_of_file(path, how)
    given = how.of([kind], epochs_of_any=True)
    if kind == "pages" and how.gold is None:
        raise problem(path, Advice("name the ground truth of the pages with ", Option("gold", None)))
    if "gold" in READERS[kind].parameters and how.gold is None:
        advice = Advice("this is a submission: name the file of gold labels with ", Option("gold", None))
        raise problem(path, advice)
    if kind == "table":
        given["unique_ids"] = False
    if every_response and "response" in READERS[kind].parameters:
        given.setdefault("response", "all")
    frame = READERS[kind].read(path, **given)
    return frame if "epoch" in given else of_epoch(frame, how)


def load_systems(path: Path, how: Reading, names: Sequence[str]) -> tuple[pl.DataFrame, list[pl.Series]]:
    """Read a table as the standard frame, and the predictions of systems in columns with these names."""
    kind = kind_of_file(path, how)
    if kind != "table":
        raise problem(path, Advice(Option("systems", None), f" needs a table, not a file of {kind!r}"))
    given = how.of([kind])
    roles = {role: given.pop(role, None) for role in ROLES}
    # The first system is not in both places: its checks would find everything twice.
    first, *others = names
    frame, texts = read_systems(
        path, {**roles, "prediction": first}, others, required=SCORED, unique_ids=False, **given
    )
    return frame, [frame["prediction"], *texts]


def table(path: Path, how: Reading) -> pl.DataFrame:
    """Read a table that needs no particular columns."""
    if kind_of_file(path, how) != "table":
        raise problem(path, Advice(Option("scores", None), " needs a table, not the file of a harness"))
    given = how.of(["table"])
    roles = {role: given.pop(role, None) for role in ROLES}
    return read_table(path, roles, required=(), unique_ids=False, **given)


@contextmanager
def reading(path: Path, how: Reading) -> Iterator[None]:
    """Name a table of Parquet that is damaged, and explain which columns a harness leaves out."""
    try:
        with reading_parquet(path) if _is_parquet(path, how) else nullcontext():
            yield
    except ColumnNotFoundError as error:
        if kind_of_file(path, how) != "lmms-eval":
            raise
        raise ColumnNotFoundError(
            f"{error}\nlmms-eval leaves the document's fields out of its files: join them by question_id, "
            "the number of the row in the data set, and report the joined table"
        ) from None


def _is_parquet(path: Path, how: Reading) -> bool:
    """Whether the path is a table of Parquet, and not a folder or a pattern of several files."""
    if not path.exists() or path.is_dir() or kind_of_file(path, how) != "table":
        return False
    return _content.file_format(path, how.format) == "parquet"


def scan(path: Path, how: Reading, *, every_response: bool = False) -> pl.LazyFrame:
    """Read a file, lazily if its format allows it."""
    if how.epoch is None and kind_of_file(path, how) == "table":
        return scan_results(path, **how.of(["table"]))
    frame = load(path, how, every_response=every_response)
    return origins.like(frame.lazy(), frame)


def columns(path: Path, how: Reading) -> list[str]:
    """Return the names of a file's columns."""
    with reading(path, how):
        return scan(path, how).collect_schema().names()


def scan_counted(path: Path, how: Reading) -> tuple[pl.LazyFrame, int]:
    """Read a file, lazily if its format allows it, and return its number of rows as well."""
    rows = stored_rows(path, how)
    if rows is None:
        frame = load(path, how)
        return origins.like(frame.lazy(), frame), frame.height
    if not rows:
        raise problem(path, "holds no rows")
    return scan(path, how), rows


def stored_rows(path: Path, how: Reading) -> int | None:
    """Return the number of rows in a file's metadata, or None if the file must be read to know."""
    if how.epoch is not None or not _is_parquet(path, how):
        return None
    _content.check_file(path)
    with reading_parquet(path):
        rows: int = pl.scan_parquet(_pipes.seekable(path), glob=False).select(pl.len()).collect().item()
    return rows


def of_epoch(frame: pl.DataFrame, how: Reading) -> pl.DataFrame:
    """Return the rows of the chosen epoch, or all of them; a file without epochs has only the first."""
    if how.epoch is None:
        return frame
    epochs = _long.epochs_of(frame)
    if epochs is None:
        epochs = pl.repeat(1, frame.height, dtype=pl.Int64, eager=True)
    chosen = frame.filter(epochs == how.epoch)
    if chosen.is_empty():
        found = listed([str(epoch) for epoch in epochs.unique().sort()])
        raise ValueError(Advice(Option("epoch", how.epoch), f": there is no such epoch among {found}"))
    return origins.like(chosen, frame)


def kind_of_file(path: Path, how: Reading) -> str:
    """Return the reader of a file: the given one, or by the file's name and first bytes."""
    _pipes.keep(path)
    if how.reader is not None:
        return how.reader
    if how.gold is not None:
        return kind_for_gold(path, how.gold)
    if path.is_dir():
        message = "this is a folder: name a file in it or, for pages of OCR, the ground truth with "
        raise IsADirectoryError(errno.EISDIR, Advice(message, Option("gold", None)), str(path))
    return kind_of(path, how.format)


def are_pages(path: Path, how: Reading) -> bool:
    """Whether what is scored are pages of OCR, whose scores are error rates."""
    if how.reader is not None or how.gold is None:
        return how.reader == "pages"
    return kind_for_gold(path, how.gold) == "pages"
