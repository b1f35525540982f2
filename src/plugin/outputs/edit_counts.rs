//! Counts of edits, as a column of structs.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, UInt32Array};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::super::Result;
use super::lists::named_fields;
use super::{Column, count};
use crate::kernel::alignment::EditCounts;

const NAMES: [&str; 4] = ["substitutions", "deletions", "insertions", "hits"];

fn fields() -> impl Iterator<Item = (&'static str, DataType)> {
    NAMES.into_iter().map(|name| (name, DataType::UInt32))
}

pub fn edit_counts_dtype() -> DataType {
    DataType::Struct(named_fields(fields()))
}

/// The counts of a row in the order of their names.
pub fn edit_counts(counts: EditCounts) -> Result<[u32; NAMES.len()]> {
    let EditCounts { substitutions, deletions, insertions, hits } = counts;
    Ok([count(substitutions)?, count(deletions)?, count(insertions)?, count(hits)?])
}

pub fn into_edit_counts(rows: Column<[u32; NAMES.len()]>) -> ArrayData {
    let (rows, nulls) = rows.into_parts();
    let column = |field: usize| -> ArrayRef {
        let values = rows.iter().map(|row| row[field]).collect::<Vec<_>>();
        Arc::new(UInt32Array::new(values.into(), nulls.clone()))
    };
    let columns = (0..NAMES.len()).map(column).collect();
    StructArray::new(named_fields(fields()), columns, nulls.clone()).into_data()
}
