"""A Daft frame with the number of rows that are summarized at once."""

from __future__ import annotations

import atexit
import functools
import time
from dataclasses import dataclass

import daft
import pyarrow as pa

from anls_frame._arguments import count

_SECONDS_OF_REST = 0.5


@dataclass(frozen=True)
class Batches:
    """
    A Daft frame with the number of rows that are summarized at once.

    Pass this object in place of a Daft frame. Smaller batches need less memory, which helps with pages of
    text, but every batch costs some milliseconds, even with few rows.

    Parameters
    ----------
    frame
        A Daft DataFrame.
    rows
        Number of rows of a batch.

    Raises
    ------
    TypeError
        If the frame is not a Daft DataFrame.
    ValueError
        If the number of rows is below 1.

    Examples
    --------
    >>> import anls_frame as af
    >>> import daft
    >>> df = daft.from_pydict({"prediction": ["a", "b"], "answer": ["a", "x"]})
    >>> af.report(af.distributed.Batches(df, rows=1000), "prediction", "answer").overall["anls"]
    0.5
    """

    frame: daft.DataFrame
    rows: int = 262_144

    def __post_init__(self) -> None:
        if not isinstance(self.frame, daft.DataFrame):
            raise TypeError(f"frame must be a Daft DataFrame, got {type(self.frame).__name__}")
        count("rows", self.rows, 1)
        _rest_at_exit()

    @classmethod
    def of(cls, frame: Batches | daft.DataFrame) -> Batches:
        """Return a Daft frame in batches, unless it already is."""
        return frame if isinstance(frame, Batches) else cls(frame)

    @property
    def nothing(self) -> pa.Table:
        """The columns without rows, as received by a worker."""
        fields = [pa.field(field.name, field.dtype.to_arrow_dtype()) for field in self.frame.schema()]
        return pa.schema(fields).empty_table()


@functools.cache
def _rest_at_exit() -> None:
    """
    Make Python wait briefly at exit, once Daft calls functions of this package.

    Daft's threads release their Python objects shortly after a query. If Python exits earlier, they sometimes
    crash it (Daft 0.7.26), with any function.
    """
    atexit.register(time.sleep, _SECONDS_OF_REST)
