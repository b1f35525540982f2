//! Rows of columns, to hand over one alone.

use crate::harness::describe::Column;

/// Number of rows, of a column whose lengths are sound.
pub fn rows(column: &Column) -> usize {
    column.chunks.iter().filter_map(|chunk| usize::try_from(chunk.length).ok()).fold(0, usize::saturating_add)
}

/// The same column with one row alone.
pub fn only_row(column: &Column, mut row: usize) -> Column {
    for chunk in &column.chunks {
        let rows = usize::try_from(chunk.length).expect("accepted");
        if row < rows {
            let chunk = chunk.clone();
            let offset = chunk.offset + i64::try_from(row).expect("small");
            return Column { chunks: vec![chunk.slice(offset, 1)], ..column.clone() };
        }
        row -= rows;
    }
    unreachable!("the row is one of the column's")
}
