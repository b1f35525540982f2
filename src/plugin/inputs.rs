//! From imported columns to rows: dtype gates, UTF-8 check, chunks, nulls, broadcast.
//!
//! Every expression starts here. Afterwards a row is plain texts: the kernel sees neither chunks nor nulls
//! nor invalid bytes.

mod arrays;
mod lists;
pub mod table;
mod texts;

use std::ops::Range;

use arrow_array::{Array, StringViewArray, UInt64Array};

use self::arrays::{concatenate, reserve, text_array};
use self::lists::Lists;
use self::texts::{Fault, Texts};
use super::abi::{Chunk, ForeignColumn};
use super::dtype::{Dtype, Role};
use super::outputs::Extent;
use super::{Error, Result};
use crate::kernel::request::Rows;
use crate::kernel::view::Memory;

/// Rows of one piece of work, where texts are short.
const PIECE: usize = 8192;

/// A column of inputs: a text a row, or a list of texts.
struct Column {
    texts: Texts,
    lists: Option<Lists>,
    /// 1, or 0 where the column's only row stands for all.
    stride: usize,
}

/// The two inputs of a metric, of equal length.
pub struct Pair {
    rows: usize,
    prediction: Column,
    answers: Column,
}

/// Refuses columns that do not fit the metric; shared by the schema call and the call on data.
pub fn check_columns<'a>(
    metric: &str,
    role: Role,
    columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>,
) -> Result<()> {
    if columns.len() != 2 {
        return Err(Error::new(format!("`{metric}` takes 2 columns, got {}", columns.len())));
    }
    columns
        .zip([Role::Prediction, role])
        .try_for_each(|((name, dtype), role)| dtype.check(name, metric, role))
}

impl Pair {
    /// Imports and aligns the columns of a call; [`check_columns`] has passed them.
    pub fn import(columns: Vec<ForeignColumn>) -> Result<Self> {
        let [prediction, answers] =
            <[_; 2]>::try_from(columns).map_err(|_| Error::new("a metric takes 2 columns"))?;
        let mut prediction = Column::import(prediction)?;
        let mut answers = Column::import(answers)?;
        // A literal arrives as one row, whatever the length of the other column, zero rows included.
        let rows = match (prediction.len(), answers.len()) {
            (left, right) if left == right => left,
            (left, 1) => {
                answers.repeat()?;
                left
            }
            (1, right) => {
                prediction.repeat()?;
                right
            }
            (left, right) => {
                return Err(Error::new(format!(
                    "columns of different lengths: '{}' has {left} rows, '{}' has {right}",
                    prediction.texts.name, answers.texts.name
                )));
            }
        };
        Ok(Self { rows, prediction, answers })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows, and how they are cut; without nulls where each row has a prediction and an answer.
    pub fn extent(&self) -> Extent {
        Extent { rows: self.rows, piece_rows: self.piece_rows(), has_nulls: !self.is_plain() }
    }

    /// Rows of one piece of work: about as much text in each, a tenth of a millisecond of short text.
    pub fn piece_rows(&self) -> usize {
        let heavy = (self.prediction.texts.mean_length() + self.answers.texts.mean_length()) / 64;
        (PIECE / (1 + heavy)).max(1)
    }

    /// Whether no row has more than one answer.
    pub fn has_one_answer(&self) -> bool {
        self.answers.lists.is_none()
    }

    /// Checks the texts of some rows; called before any of them is read.
    pub fn check(&self, rows: Range<usize>) -> Result<()> {
        self.prediction.check(rows.clone())?;
        self.answers.check(rows)
    }

    /// The predicted text of a row.
    pub fn predicted(&self, row: usize) -> Option<&str> {
        self.prediction(row).map(|index| self.prediction_text(index))
    }

    /// The answers of a row that are not null, with their positions.
    pub fn accepted(&self, row: usize) -> impl Iterator<Item = (usize, &str)> {
        let answers = self.answers(row);
        let start = answers.start;
        answers
            .filter(|&index| self.is_answer(index))
            .map(move |index| (index - start, self.answer_text(index)))
    }

    /// The only reference of a row.
    pub fn reference(&self, row: usize) -> Option<&str> {
        self.accepted(row).next().map(|(_, text)| text)
    }
}

/// The group of each row.
pub struct Groups {
    values: Vec<u64>,
    stride: usize,
}

impl Groups {
    /// Imports a column of groups for so many rows; nulls are one group.
    pub fn import(column: ForeignColumn, rows: usize) -> Result<Self> {
        let (name, dtype, chunks) = column.import()?;
        if dtype != Dtype::Groups {
            return Err(Error::new(format!("column '{name}': groups are UInt64")));
        }
        let mut values = Vec::new();
        for chunk in &chunks {
            match chunk {
                Chunk::Nulls(rows) => {
                    reserve(&mut values, *rows)?;
                    values.extend(std::iter::repeat_n(0, *rows));
                }
                Chunk::Data(data) => {
                    let chunk = UInt64Array::from(data.clone());
                    values.extend(chunk.iter().map(Option::unwrap_or_default));
                }
            }
        }
        match values.len() {
            length if length == rows => Ok(Self { values, stride: 1 }),
            1 => Ok(Self { values, stride: 0 }),
            length => Err(Error::new(format!("column '{name}' has {length} rows, the others have {rows}"))),
        }
    }

    /// The group of a row.
    pub fn get(&self, row: usize) -> u64 {
        self.values[row * self.stride]
    }
}

impl Rows for Pair {
    fn views(&self) -> [&[u128]; 2] {
        [self.prediction.texts.values.views(), self.answers.texts.values.views()]
    }

    fn is_plain(&self) -> bool {
        let is_plain = |column: &Column| {
            column.stride == 1 && column.lists.is_none() && column.texts.values.null_count() == 0
        };
        is_plain(&self.prediction) && is_plain(&self.answers)
    }

    #[inline(always)]
    fn prediction(&self, row: usize) -> Option<usize> {
        let index = row * self.prediction.stride;
        self.prediction.texts.values.is_valid(index).then_some(index)
    }

    #[inline(always)]
    fn answers(&self, row: usize) -> Range<usize> {
        self.answers.bounds(row * self.answers.stride)
    }

    #[inline(always)]
    fn has_null_answers(&self) -> bool {
        self.answers.texts.values.null_count() > 0
    }

    #[inline(always)]
    fn is_answer(&self, index: usize) -> bool {
        self.answers.texts.values.is_valid(index)
    }

    #[inline(always)]
    fn prediction_text(&self, index: usize) -> &str {
        self.prediction.texts.values.value(index)
    }

    #[inline(always)]
    fn answer_text(&self, index: usize) -> &str {
        self.answers.texts.values.value(index)
    }

    #[inline(always)]
    fn prediction_memory(&self, index: usize) -> Memory<'_> {
        self.prediction.texts.memory(index)
    }

    #[inline(always)]
    fn answer_memory(&self, index: usize) -> Memory<'_> {
        self.answers.texts.memory(index)
    }
}

impl Column {
    fn import(column: ForeignColumn) -> Result<Self> {
        let (name, dtype, chunks) = column.import()?;
        let in_column = |error: Error| Error::new(format!("column '{name}': {error}"));
        let (lists, values) = match &dtype {
            Dtype::List(entries) => some_lists(Lists::import(entries, None, &chunks)).map_err(in_column)?,
            Dtype::Array(entries, width) => {
                some_lists(Lists::import(entries, Some(*width), &chunks)).map_err(in_column)?
            }
            dtype => (None, concatenate(&chunks, |data| text_array(dtype, data)).map_err(in_column)?),
        };
        Ok(Self { texts: Texts::new(name, values), lists, stride: 1 })
    }

    fn len(&self) -> usize {
        self.lists.as_ref().map_or(self.texts.values.len(), Lists::len)
    }

    /// Where the texts of the column's row `index` stand.
    #[inline(always)]
    fn bounds(&self, index: usize) -> Range<usize> {
        self.lists.as_ref().map_or(index..index + 1, |lists| lists.bounds(index))
    }

    /// Makes the only row stand for all, and checks it once.
    fn repeat(&mut self) -> Result<()> {
        self.check(0..1)?;
        self.stride = 0;
        Ok(())
    }

    fn check(&self, rows: Range<usize>) -> Result<()> {
        if self.stride == 0 {
            return Ok(());
        }
        let fault = |row, fault: Fault| fault.at(&self.texts.name, row, self.len());
        let Some(lists) = &self.lists else {
            return self.texts.check(rows).map_err(|(row, found)| fault(row, found));
        };
        if lists.has_nulls() {
            // The texts of null lists are never read.
            for row in rows {
                self.texts.check(lists.bounds(row)).map_err(|(_, found)| fault(row, found))?;
            }
            return Ok(());
        }
        self.texts.check(lists.span(rows)).map_err(|(text, found)| fault(lists.row(text), found))
    }
}

fn some_lists(imported: Result<(Lists, StringViewArray)>) -> Result<(Option<Lists>, StringViewArray)> {
    imported.map(|(lists, values)| (Some(lists), values))
}
