"""What is used of a Dataset of Hugging Face's library, which is too large for the tests."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


class Dataset:
    """A Dataset, which gives away its rows as an Arrow table only in the format of Arrow."""

    def __init__(self, table: pa.Table, kind: str | None = None) -> None:
        self.table, self.kind = table, kind

    def with_format(self, kind: str) -> Dataset:
        return Dataset(self.table, kind)

    def __getitem__(self, rows: slice) -> Any:
        return self.table[rows] if self.kind == "arrow" else self.table[rows].to_pydict()


class IterableDataset(Dataset):
    """A Dataset whose rows arrive one after the other."""


class DatasetDict(dict[str, Dataset]):
    """Splits of a Dataset, as `load_dataset` returns them without `split`."""


for kind in (Dataset, IterableDataset, DatasetDict):
    kind.__module__ = "datasets.arrow_dataset"
