//! Any number of input columns, for functions of more than a prediction and its answers.

use std::ops::Range;

use arrow_array::Array;

use super::{Column, Error, ForeignColumn, Result};
use crate::plugin::dtype::{Dtype, Role};

/// Input columns of equal length.
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
}

/// Refuses columns that do not fit what a function takes.
pub fn check<'a>(
    function: &str,
    roles: &[Role],
    columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>,
) -> Result<()> {
    if columns.len() != roles.len() {
        return Err(Error::new(format!("`{function}` takes {} columns, got {}", roles.len(), columns.len())));
    }
    columns.zip(roles).try_for_each(|((name, dtype), &role)| dtype.check(name, function, role))
}

impl Table {
    /// Imports and aligns the columns of a call; [`check`] has passed them.
    pub fn import(columns: Vec<ForeignColumn>) -> Result<Self> {
        let mut columns = columns.into_iter().map(Column::import).collect::<Result<Vec<_>>>()?;
        // A literal arrives as one row, whatever the length of the other columns, zero rows included.
        let longest = columns.iter().map(Column::len).find(|&rows| rows != 1);
        let rows = longest.unwrap_or(1);
        for column in &mut columns {
            match column.len() {
                length if length == rows => {}
                1 => column.repeat()?,
                length => {
                    return Err(Error::new(format!(
                        "columns of different lengths: '{}' has {length} rows, another has {rows}",
                        column.texts.name
                    )));
                }
            }
        }
        Ok(Self { rows, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Checks the texts of some rows; called before any of them is read.
    pub fn check(&self, rows: &Range<usize>) -> Result<()> {
        self.columns.iter().try_for_each(|column| column.check(rows.clone()))
    }

    /// The text of a row.
    pub fn text(&self, column: usize, row: usize) -> Option<&str> {
        self.texts(column, row)?.next()
    }

    /// The texts of a row that are not null; none where the row is null.
    pub fn texts(&self, column: usize, row: usize) -> Option<impl Iterator<Item = &str>> {
        let column = &self.columns[column];
        let index = row * column.stride;
        let is_null = match &column.lists {
            Some(lists) => lists.is_null(index),
            None => column.texts.values.is_null(index),
        };
        let values = &column.texts.values;
        let entries = move || column.bounds(index).filter(|&entry| values.is_valid(entry));
        (!is_null).then(|| entries().map(|entry| values.value(entry)))
    }

    /// An error at a row.
    pub fn at(&self, row: usize, message: &str) -> Error {
        Error::new(format!("row {row} (counted from 0, of {} rows in this batch): {message}", self.rows))
    }
}
