"""What can be saved as the file of a summary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from anls_frame.summary import files

if TYPE_CHECKING:
    import os


class Saved(ABC):
    """A summary, which can be saved; its class says how it is loaded."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Save the summary as one Parquet file, with the settings in its metadata.

        Parameters
        ----------
        path
            The file, which is written completely or not at all.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"], "new": ["b"], "answer": ["a"]})
        >>> path = Path(tempfile.mkdtemp()) / "summary.parquet"
        >>> af.summarize(df, "new", "answer").save(path)
        >>> af.Summary.load(path).rows
        1
        >>> af.summarize_systems(df, ["old", "new"], "answer").save(path)
        >>> af.SystemsSummary.load(path).rows
        1
        """
        files.save(path, self._content())

    def to_bytes(self) -> bytes:
        """
        Return the content of the file that `save` writes, for example to send it to another machine.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"], "new": ["b"], "answer": ["a"]})
        >>> content = af.summarize(df, "new", "answer").to_bytes()
        >>> af.Summary.from_bytes(content).rows
        1
        >>> content = af.summarize_systems(df, ["old", "new"], "answer").to_bytes()
        >>> af.SystemsSummary.from_bytes(content).rows
        1
        """
        return self._content()

    @abstractmethod
    def _content(self) -> bytes:
        """Return the content of the file."""
