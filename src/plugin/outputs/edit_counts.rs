//! Counts of edits, as a column of structs.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, StructArray};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::super::memory::Values;
use super::lists::named_fields;
use super::{Column, count, put};
use crate::kernel::alignment::EditCounts;

const NAMES: [&str; 4] = ["substitutions", "deletions", "insertions", "hits"];

fn fields() -> impl Iterator<Item = (&'static str, DataType)> {
    NAMES.into_iter().map(|name| (name, DataType::Int64))
}

pub fn edit_counts_dtype() -> DataType {
    DataType::Struct(named_fields(fields()))
}

/// The counts of a row in the order of their names.
pub fn edit_counts(counts: EditCounts) -> [i64; NAMES.len()] {
    let EditCounts { substitutions, deletions, insertions, hits } = counts;
    [substitutions, deletions, insertions, hits].map(count)
}

pub fn into_edit_counts(rows: Column<[i64; NAMES.len()]>) -> ArrayData {
    let (rows, nulls) = rows.into_parts();
    let column = |field: usize| -> ArrayRef {
        let mut values = Values::any(rows.len());
        put(values.as_mut_slice(), &rows, |row| row[field]);
        Arc::new(Int64Array::new(values.into_buffer(), nulls.clone()))
    };
    let columns = (0..NAMES.len()).map(column).collect();
    StructArray::new(named_fields(fields()), columns, nulls.clone()).into_data()
}
