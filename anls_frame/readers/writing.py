"""Writing of results in the formats that `read_results` reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from anls_frame.export import row_files
from anls_frame.frames.conversion import at_hand, column_names, in_polars
from anls_frame.readers import _content


def write_results(frame: Any, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> Path:
    """
    Write rows to a file, in the format of the file's suffix, for `read_results` to read again.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame or an Arrow table. The rows of a LazyFrame are
        written in batches, so they may exceed memory, except in a workbook.
    path
        Path that ends in .csv, .tsv, .jsonl, .json, .parquet or .xlsx. An existing file is replaced
        completely or, on an error, left unchanged.
    escape_formulas
        In .csv and .tsv, whether to put an apostrophe before text that a spreadsheet would run as a formula.

    Returns
    -------
    Path
        The path of the file. Lists are JSON where the format has none. In .csv and .tsv, null is an empty
        field, the empty string a pair of quotes, and all columns but the answers are read as strings. The
        index of a pandas frame is not written.

    Raises
    ------
    ValueError
        If the suffix is not supported.
    TypeError
        If the frame is not of an accepted kind, or the name of a column is not a string.
    DTypeError
        If the values of a column have no common dtype.
    OSError
        If the file cannot be written. An existing file then stays unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import anls_frame as af
    >>> frame = pl.DataFrame({"prediction": ["lnvoice", None], "answers": [["Invoice"], ["Total", "total"]]})
    >>> path = af.write_results(frame, Path(tempfile.mkdtemp()) / "results.csv")
    >>> print(path.read_text())
    prediction,answers
    lnvoice,"[""Invoice""]"
    ,"[""Total"",""total""]"
    <BLANKLINE>
    >>> af.read_results(path, answers_format="list")["answers"].to_list()
    [['Invoice'], ['Total', 'total']]
    """
    target = _content.as_path(path)
    if target.suffix.lower() not in row_files.SUFFIXES:
        raise ValueError(
            f"cannot tell the format of {str(target)!r} from its suffix; "
            f"it must end in one of {', '.join(row_files.SUFFIXES)}"
        )
    frame = at_hand(frame)
    for name in column_names(frame):
        if not isinstance(name, str):
            raise TypeError(f"a column name must be a string, got {name!r}")
    row_files.write(in_polars(frame).lazy(), target, escape_formulas=escape_formulas)
    return target
