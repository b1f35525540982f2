//! From imported columns to rows: dtype gates, UTF-8 check, chunks, nulls, broadcast.
//!
//! Every expression starts here. Afterwards a row is plain texts: the kernel sees neither chunks nor nulls
//! nor invalid bytes.

mod lists;
pub mod table;
mod texts;
mod views;

use std::ops::Range;

use arrow_array::UInt64Array;
use arrow_buffer::Buffer;

use self::lists::Lists;
use self::texts::{CheckedTexts, Fault, Texts};
use self::views::{Views, reserve};
use super::abi::{Chunk, ForeignColumn};
use super::dtype::{Dtype, Role};
use super::outputs::Extent;
use super::{Error, Result};
use crate::kernel::request::{self, Rows};
use crate::kernel::view::Memory;

/// Estimated nanoseconds of one piece of work.
const PIECE_TIME: usize = 100_000;

/// Rows of one piece at most.
const PIECE: usize = 8192;

/// Pieces of a call that is more than one, so that no thread waits long for the last of them ...
const PIECES: usize = 64;

/// ... unless they were to be smaller than this part of a piece.
const SMALLEST: usize = 4;

/// Neighbouring rows that are looked at together.
const TOGETHER: usize = 64;

/// A column of inputs: a text a row, or a list of texts.
struct Column {
    texts: Texts,
    lists: Option<Lists>,
}

/// A column of inputs, some rows of it checked.
#[derive(Clone)]
pub struct CheckedColumn<'a> {
    column: &'a Column,
    texts: CheckedTexts<'a>,
}

/// The two inputs of a metric, of equal length.
pub struct Pair {
    rows: usize,
    prediction: Column,
    answers: Column,
}

/// Rows of a [`Pair`] whose texts were checked: only they can be read.
pub struct CheckedPair<'a> {
    prediction: CheckedColumn<'a>,
    answers: CheckedColumn<'a>,
}

/// Refuses columns that do not fit what a function takes; shared by the schema call and the call on data.
pub fn check_columns<'a>(
    function: &str,
    roles: &[Role],
    columns: impl ExactSizeIterator<Item = (&'a str, &'a Dtype)>,
) -> Result<()> {
    if columns.len() != roles.len() {
        return Err(Error::new(format!("`{function}` takes {} columns, got {}", roles.len(), columns.len())));
    }
    columns.zip(roles).try_for_each(|((name, dtype), &role)| dtype.check(name, function, role))
}

/// The columns of a call, with the number of their rows.
fn import(columns: Vec<ForeignColumn>) -> Result<(usize, Vec<Column>)> {
    let mut columns = columns.into_iter().map(Column::import).collect::<Result<Vec<_>>>()?;
    // A literal arrives as one row, whatever the length of the other columns, zero rows included.
    let Some(first) = columns.iter().position(|column| column.len() != 1) else { return Ok((1, columns)) };
    let rows = columns[first].len();
    for index in 0..columns.len() {
        match columns[index].len() {
            length if length == rows => {}
            1 => columns[index].repeat()?,
            length => {
                return Err(Error::new(format!(
                    "columns of different lengths: '{}' has {rows} rows, '{}' has {length}",
                    columns[first].texts.name, columns[index].texts.name
                )));
            }
        }
    }
    Ok((rows, columns))
}

impl Pair {
    /// Imports and aligns the columns of a call; [`check_columns`] has passed them.
    pub fn import(columns: Vec<ForeignColumn>) -> Result<Self> {
        let (rows, columns) = import(columns)?;
        let [prediction, mut answers] =
            <[_; 2]>::try_from(columns).map_err(|_| Error::new("a metric takes 2 columns"))?;
        // A list of one answer, null or not, is that answer.
        answers.lists = answers.lists.filter(|lists| !lists.have_one_entry(0..lists.len()));
        Ok(Self { rows, prediction, answers })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows, and how they are cut; without nulls where each row has a prediction and an answer.
    pub fn extent(&self) -> Extent {
        let has_nulls =
            [&self.prediction, &self.answers].iter().any(|column| column.texts.values.has_nulls());
        let has_one_answer = self.has_one_answer();
        let has_nulls = has_nulls || !has_one_answer;
        Extent { rows: self.rows, piece_rows: self.piece_rows(), has_nulls, has_one_answer }
    }

    /// Rows of one piece of work, by what their texts are estimated to take.
    pub fn piece_rows(&self) -> usize {
        let answers = self.answers.texts.values.len().div_ceil(self.answers.len().max(1)).max(1);
        let pair = self.prediction.texts.mean_cost().midpoint(self.answers.texts.mean_cost());
        // Nulls alone cost nothing.
        let rows = (PIECE_TIME / pair.saturating_mul(answers).max(1)).clamp(1, PIECE);
        let rows = if self.rows <= rows {
            rows
        } else {
            self.rows.div_ceil(PIECES).clamp(rows.div_ceil(SMALLEST), rows)
        };
        if rows < TOGETHER { rows } else { rows / TOGETHER * TOGETHER }
    }

    /// Whether no row has more than one answer.
    pub fn has_one_answer(&self) -> bool {
        self.answers.lists.is_none()
    }

    /// What the views of the answers point into.
    pub fn answer_buffers(&self) -> &[Buffer] {
        &self.answers.texts.values.buffers
    }

    /// The texts of some rows, if they can be read.
    pub fn check(&self, rows: Range<usize>) -> Result<CheckedPair<'_>> {
        Ok(CheckedPair {
            prediction: self.prediction.check(rows.clone())?,
            answers: self.answers.check(rows)?,
        })
    }
}

impl<'a> CheckedPair<'a> {
    #[inline]
    pub fn predicted(&self, row: usize) -> Option<&'a str> {
        let Self { prediction, .. } = self;
        prediction.values().is_valid(row).then(|| prediction.texts.text(row))
    }

    /// The answers of a row that are not null, with their positions.
    pub fn accepted(&self, row: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let start = self.answers(row).start;
        self.accepted_places(row).map(move |place| (place - start, self.answer_text(place)))
    }

    /// The indices of a row's answers that are not null, among the answers of all rows.
    #[inline(always)]
    pub fn accepted_places(&self, row: usize) -> impl Iterator<Item = usize> {
        let values = self.answers.values();
        self.answers(row).filter(|&place| values.is_valid(place))
    }

    /// The answer at a place.
    #[inline(always)]
    pub fn answer_text(&self, place: usize) -> &'a str {
        self.answers.texts.text(place)
    }

    /// The memory of the answer with this index.
    #[inline(always)]
    pub fn answer_memory(&self, place: usize) -> Memory<'a> {
        self.answers.texts.memory(place)
    }

    /// Whether all of the texts are known to be ASCII.
    #[inline]
    pub fn are_ascii(&self) -> bool {
        self.prediction.texts.are_ascii && self.answers.texts.are_ascii
    }

    /// The memory of a row's prediction.
    #[inline(always)]
    pub fn predicted_memory(&self, row: usize) -> Option<Memory<'a>> {
        let Self { prediction, .. } = self;
        prediction.values().is_valid(row).then(|| prediction.texts.memory(row))
    }

    /// One of the answers of a row.
    pub fn answer(&self, row: usize, index: usize) -> Option<&'a str> {
        self.answer_place(row, index).map(|place| self.answer_text(place))
    }

    /// The view of one of the answers of a row, if there is an index.
    #[inline(always)]
    pub fn answer_view(&self, row: usize, index: Option<usize>) -> Option<u128> {
        self.answer_place(row, index?).map(|place| self.answers.values().view(place))
    }

    #[inline(always)]
    fn answer_place(&self, row: usize, index: usize) -> Option<usize> {
        self.answers(row).nth(index).filter(|&place| self.answers.values().is_valid(place))
    }

    pub fn reference(&self, row: usize) -> Option<&'a str> {
        self.accepted(row).next().map(|(_, text)| text)
    }
}

pub struct Groups {
    values: Vec<u64>,
    stride: usize,
}

impl Groups {
    /// Imports a column of groups for `rows` rows; nulls are one group.
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

    pub fn get(&self, row: usize) -> u64 {
        self.values[row * self.stride]
    }
}

impl<'a> Rows for CheckedPair<'a> {
    type Texts = CheckedColumn<'a>;

    #[inline(always)]
    fn texts(&self) -> [&CheckedColumn<'a>; 2] {
        [&self.prediction, &self.answers]
    }

    #[inline(always)]
    fn answers(&self, row: usize) -> Range<usize> {
        self.answers.column.bounds(row)
    }

    fn answers_of(&self, rows: Range<usize>) -> Range<usize> {
        self.answers.column.lists.as_ref().map_or(rows.clone(), |lists| lists.span(rows))
    }

    fn have_one_answer(&self, rows: Range<usize>) -> bool {
        self.answers.column.lists.as_ref().is_none_or(|lists| lists.have_one_entry(rows))
    }
}

impl request::Texts for CheckedColumn<'_> {
    fn views<'a>(&'a self, texts: Range<usize>, room: &'a mut Vec<u128>) -> &'a [u128] {
        self.values().views(texts, room)
    }

    fn has_nulls(&self) -> bool {
        self.values().has_nulls()
    }

    #[inline(always)]
    fn is_valid(&self, index: usize) -> bool {
        self.values().is_valid(index)
    }

    fn clear_nulls(&self, texts: Range<usize>, bits: &mut [u64]) {
        self.values().clear_nulls(texts, bits);
    }

    #[inline(always)]
    fn text(&self, index: usize) -> &str {
        self.texts.text(index)
    }

    #[inline(always)]
    fn memory(&self, index: usize) -> Memory<'_> {
        self.texts.memory(index)
    }
}

impl<'a> CheckedColumn<'a> {
    #[inline(always)]
    fn values(&self) -> &'a Views {
        &self.column.texts.values
    }
}

impl Column {
    fn import(column: ForeignColumn) -> Result<Self> {
        let (name, dtype, chunks) = column.import()?;
        let lists = |entries, width| {
            Lists::import(entries, width, &chunks).map(|(lists, values)| (Some(lists), values))
        };
        let imported = match &dtype {
            Dtype::List(entries) => lists(entries, None),
            Dtype::Array(entries, width) => lists(entries, Some(*width)),
            dtype => {
                let views = Views::concatenate(&chunks, |data| Views::read(dtype, data));
                views.map(|values| (None, values))
            }
        };
        let (lists, values) = imported.map_err(|error| Error::new(format!("column '{name}': {error}")))?;
        Ok(Self { texts: Texts::new(name, values), lists })
    }

    fn len(&self) -> usize {
        self.lists.as_ref().map_or(self.texts.values.len(), Lists::len)
    }

    /// The indices of a row's texts.
    #[inline(always)]
    fn bounds(&self, row: usize) -> Range<usize> {
        self.lists.as_ref().map_or(row..row + 1, |lists| lists.bounds(row))
    }

    /// Repeats the only row for all, and checks it once.
    fn repeat(&mut self) -> Result<()> {
        self.check(0..1)?;
        match &mut self.lists {
            Some(lists) => lists.repeat(),
            None => self.texts.values.repeat(),
        }
        Ok(())
    }

    fn check(&self, rows: Range<usize>) -> Result<CheckedColumn<'_>> {
        let fault = |row, fault: Fault| fault.at(&self.texts.name, row, self.len());
        let texts = match &self.lists {
            None => self.texts.check(rows).map_err(|(row, found)| fault(row, found))?,
            Some(lists) => self.texts.check(lists.span(rows.clone())).or_else(|_| {
                for row in rows {
                    self.texts.check(lists.bounds(row)).map_err(|(_, found)| fault(row, found))?;
                }
                // The texts of null lists are never read.
                Ok(self.texts.checked_singly())
            })?,
        };
        Ok(CheckedColumn { column: self, texts })
    }
}
