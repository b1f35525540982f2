//! Any number of input columns, for functions of more than a prediction and its answers.

use std::ops::Range;

use super::{CheckedColumn, Column, Error, ForeignColumn, Result};

/// Input columns of equal length.
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
}

impl Table {
    /// Imports and aligns the columns of a call; [`check_columns`](super::check_columns) has passed them.
    pub fn import(columns: Vec<ForeignColumn>) -> Result<Self> {
        let (rows, columns) = super::import(columns)?;
        Ok(Self { rows, columns })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The texts of some rows, if they can be read.
    pub fn check(&self, rows: &Range<usize>) -> Result<CheckedTable<'_>> {
        let columns = self.columns.iter().map(|column| column.check(rows.clone()));
        Ok(CheckedTable { columns: columns.collect::<Result<_>>()? })
    }

    pub fn at(&self, row: usize, message: &str) -> Error {
        Error::new(format!("row {row} (counted from 0, of {} rows in this batch): {message}", self.rows))
    }
}

/// Rows of a [`Table`] whose texts were checked.
pub struct CheckedTable<'a> {
    columns: Vec<CheckedColumn<'a>>,
}

impl<'a> CheckedTable<'a> {
    pub fn column(&self, column: usize) -> &CheckedColumn<'a> {
        &self.columns[column]
    }

    pub fn text(&self, column: usize, row: usize) -> Option<&'a str> {
        self.texts(column, row)?.next()
    }

    /// The texts of a row that are not null; none where the row is null.
    pub fn texts(&self, column: usize, row: usize) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        let CheckedColumn { column, texts } = self.columns[column].clone();
        let values = &column.texts.values;
        let is_valid = match &column.lists {
            Some(lists) => !lists.is_null(row),
            None => values.is_valid(row),
        };
        let entries = move || column.bounds(row).filter(|&entry| values.is_valid(entry));
        is_valid.then(|| entries().map(move |entry| texts.text(entry)))
    }
}
