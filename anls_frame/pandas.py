"""
The accessor ``df.anls`` on pandas DataFrames.

``import anls_frame`` registers it as soon as pandas is loaded; importing this module registers it in any
case. If a frame has a column named `anls`, ``df.anls`` is the accessor and ``df["anls"]`` the column.
"""

from __future__ import annotations

import pandas as pd

from anls_frame.namespaces import AnlsFrameNamespace

__all__ = ["AnlsPandasAccessor"]


# pandas creates the accessor at each `df.anls`.
@pd.api.extensions.register_dataframe_accessor("anls")
class AnlsPandasAccessor(AnlsFrameNamespace[pd.DataFrame]):
    """
    Scores of a pandas frame, as ``df.anls``.

    Examples
    --------
    >>> import pandas as pd
    >>> import anls_frame.pandas
    >>> df = pd.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]}, index=["q1"])
    >>> df.anls.add_scores("prediction", "answer", columns=["anls", "char_errors"])
       prediction     answer      anls  char_errors
    q1   CocaCola  Coca Cola  0.888889            1
    """
