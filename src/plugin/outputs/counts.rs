//! Counts of edits and of errors by kind, as columns of structs.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, StructArray};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::super::memory::Values;
use super::lists::named_fields;
use super::{Column, count, put};
use crate::kernel::alignment::EditCounts;
use crate::kernel::pages::PageErrors;

/// The names of counts, in the order in which a row holds them.
#[derive(Clone, Copy)]
pub struct Counts<const FIELDS: usize>([&'static str; FIELDS]);

pub const EDIT_COUNTS: Counts<4> = Counts(["substitutions", "deletions", "insertions", "hits"]);

pub const PAGE_ERRORS: Counts<7> =
    Counts(["misread", "omitted", "added", "fabricated", "repeated", "moved", "reference_length"]);

impl<const FIELDS: usize> Counts<FIELDS> {
    fn fields(self) -> impl Iterator<Item = (&'static str, DataType)> {
        self.0.into_iter().map(|name| (name, DataType::Int64))
    }

    pub fn dtype(self) -> DataType {
        DataType::Struct(named_fields(self.fields()))
    }

    pub fn column(self, rows: Column<[i64; FIELDS]>) -> ArrayData {
        let (rows, nulls) = rows.into_parts();
        let column = |field: usize| -> ArrayRef {
            let mut values = Values::any(rows.len());
            put(values.as_mut_slice(), &rows, |row| row[field]);
            Arc::new(Int64Array::new(values.into_buffer(), nulls.clone()))
        };
        let columns = (0..FIELDS).map(column).collect();
        StructArray::new(named_fields(self.fields()), columns, nulls.clone()).into_data()
    }
}

pub fn edit_counts(counts: EditCounts) -> [i64; 4] {
    let EditCounts { substitutions, deletions, insertions, hits } = counts;
    [substitutions, deletions, insertions, hits].map(count)
}

pub fn page_errors(errors: PageErrors) -> [i64; 7] {
    let PageErrors { misread, omitted, added, fabricated, repeated, moved, reference_length } = errors;
    [misread, omitted, added, fabricated, repeated, moved, reference_length].map(count)
}
