//! Any number of input columns, for functions of more than a prediction and its answers.

use std::ops::Range;

use super::{CheckedColumn, Column, Error, ForeignColumn, Result};
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

    /// The texts of some rows, if they can be read.
    pub fn check(&self, rows: &Range<usize>) -> Result<CheckedTable<'_>> {
        let columns = self.columns.iter().map(|column| column.check(rows.clone()));
        Ok(CheckedTable { columns: columns.collect::<Result<_>>()? })
    }

    /// An error at a row.
    pub fn at(&self, row: usize, message: &str) -> Error {
        Error::new(format!("row {row} (counted from 0, of {} rows in this batch): {message}", self.rows))
    }
}

/// Rows of a [`Table`] whose texts were checked.
pub struct CheckedTable<'a> {
    columns: Vec<CheckedColumn<'a>>,
}

impl<'a> CheckedTable<'a> {
    /// The text of a row.
    pub fn text(&self, column: usize, row: usize) -> Option<&'a str> {
        self.texts(column, row)?.next()
    }

    /// The texts of a row that are not null; none where the row is null.
    pub fn texts(&self, column: usize, row: usize) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        let CheckedColumn { column, texts } = self.columns[column].clone();
        let index = row * column.stride;
        let values = &column.texts.values;
        let is_valid = match &column.lists {
            Some(lists) => !lists.is_null(index),
            None => values.is_valid(index),
        };
        let entries = move || column.bounds(index).filter(|&entry| values.is_valid(entry));
        is_valid.then(|| entries().map(move |entry| texts.text(entry)))
    }
}
