"""
The tables of `scale.py`: seeded, never repeating, written in groups of rows without holding them all.

    python benchmarks/scale_rows.py ROWS FILE
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from inputs import SEED, short_pairs

BATCH = 1_000_000
ROW_GROUP = 250_000
VOCABULARY = 200_000
ROWS_A_DOCUMENT = 20
TYPES = [["form"], ["table", "form"], ["layout"], ["free_text"], ["handwritten", "form"], ["others"]]


def rows(start: int, count: int, vocabulary: pl.DataFrame) -> pl.DataFrame:
    """
    Return rows of question answering by number, the same whatever was made before.

    Two texts of a vocabulary make an answer: of the one the prediction has what was read, of the other what
    is right. A third of the rows accept a second answer, 1 % have no prediction, 0.5 % no answer.
    """
    number = pl.int_range(start, start + count, dtype=pl.UInt64)
    draws = [number.hash(SEED + seed) for seed in range(4)]
    words = vocabulary.select(
        read="prediction", due="answer", upper=pl.col("answer").str.to_uppercase()
    ).to_struct()
    picked = (
        pl.select(
            number.alias("number"),
            *(draw.alias(f"draw {index}") for index, draw in enumerate(draws)),
        )
        .with_columns(
            first=words.gather(pl.select(draws[0] % VOCABULARY).to_series()),
            second=words.gather(pl.select(draws[1] % VOCABULARY).to_series()),
        )
        .lazy()
    )
    first, second = pl.col("first").struct, pl.col("second").struct
    answer = pl.concat_str(first.field("due"), second.field("due"), separator=" ")
    loud = pl.concat_str(first.field("upper"), second.field("due"), separator=" ")
    return picked.select(
        question_id=pl.format("q{}", "number"),
        prediction=pl.when(pl.col("draw 2") % 100 > 0).then(
            pl.concat_str(first.field("read"), second.field("due"), separator=" ")
        ),
        answers=pl.when(pl.col("draw 2") % 200 == 1)
        .then(pl.lit([], dtype=pl.List(pl.String)))
        .when(pl.col("draw 2") % 3 == 0)
        .then(pl.concat_list(answer, loud))
        .otherwise(pl.concat_list(answer)),
        types=pl.Series(TYPES).gather(pl.select(draws[3] % len(TYPES)).to_series()),
        doc_id=pl.format("d{}", pl.col("number") // ROWS_A_DOCUMENT),
    ).collect()


def write(path: Path, count: int) -> None:
    """Write a table, batch by batch."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - by hand, group of rows by group of rows

    vocabulary = short_pairs(VOCABULARY)
    temporary = path.with_suffix(".tmp")
    writer = None
    for start in range(0, count, BATCH):
        table = rows(start, min(BATCH, count - start), vocabulary).to_arrow()
        writer = writer or pq.ParquetWriter(temporary, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=ROW_GROUP)
    assert writer is not None
    writer.close()
    temporary.replace(path)


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
