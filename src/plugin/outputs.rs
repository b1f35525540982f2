//! From row results to a column.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, LargeListArray, StructArray, UInt8Array, UInt32Array,
    UInt64Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};

use super::memory::{bits, zeros};
use super::{Error, Result, parallel};
use crate::kernel::rows::Block;
use crate::kernel::score::{Cut, Nearest};

/// Values of all rows with the rows that have none.
pub struct Column<T> {
    values: Vec<T>,
    nulls: Option<NullBuffer>,
}

/// Some of the rows of a column, to be filled. Rows that are not set stay null.
pub struct Piece<'a, T> {
    rows: Range<usize>,
    values: &'a mut [T],
    valid: &'a mut [bool],
}

impl<T> Piece<'_, T> {
    /// The rows to be filled.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Sets a row.
    pub fn set(&mut self, row: usize, value: Option<T>) {
        let index = row - self.rows.start;
        self.valid[index] = value.is_some();
        if let Some(value) = value {
            self.values[index] = value;
        }
    }
}

/// Computes a column in pieces, on several threads where they are free; `state` is made once a thread.
pub fn map_pieces<T: Clone + Default + Send, S>(
    rows: usize,
    piece_rows: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Piece<T>) -> Result<()> + Sync,
) -> Result<Column<T>> {
    let mut values = zeros(rows);
    let mut valid = zeros(rows);
    let pieces =
        ranges(rows, piece_rows).zip(values.chunks_mut(piece_rows)).zip(valid.chunks_mut(piece_rows));
    let pieces = pieces.map(|((rows, values), valid)| Piece { rows, values, valid }).collect();
    parallel::for_each(pieces, state, |state, mut piece| work(state, &mut piece))?;
    Ok(Column { values, nulls: nulls(&valid) })
}

/// The rows in pieces.
pub fn ranges(rows: usize, piece_rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(piece_rows).map(move |start| start..rows.min(start + piece_rows))
}

fn nulls(valid: &[bool]) -> Option<NullBuffer> {
    if valid.iter().all(|&valid| valid) { None } else { Some(NullBuffer::new(bits(valid))) }
}

/// A count as the dtype of the result.
pub fn count(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::new("a distance exceeds UInt32: the texts are too long"))
}

impl<T> Column<T> {
    /// The values with the rows that have none, whose values are the default.
    pub fn into_parts(self) -> (Vec<T>, Option<NullBuffer>) {
        (self.values, self.nulls)
    }
}

impl Column<f64> {
    pub fn into_float(self) -> ArrayData {
        Float64Array::new(self.values.into(), self.nulls).into_data()
    }
}

impl Column<u32> {
    pub fn into_unsigned(self) -> ArrayData {
        UInt32Array::new(self.values.into(), self.nulls).into_data()
    }
}

impl Column<u8> {
    pub fn into_codes(self) -> ArrayData {
        UInt8Array::new(self.values.into(), self.nulls).into_data()
    }
}

impl Column<bool> {
    pub fn into_boolean(self) -> ArrayData {
        BooleanArray::new(bits(&self.values), self.nulls).into_data()
    }
}

impl Column<usize> {
    /// A text for each row, found by the row and its value.
    pub fn into_text<'a>(self, text: impl Fn(usize, usize) -> Option<&'a str>) -> ArrayData {
        let mut builder = StringViewBuilder::with_capacity(self.values.len());
        for (row, value) in self.values.into_iter().enumerate() {
            let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            builder.append_option(if is_null { None } else { text(row, value) });
        }
        builder.finish().into_data()
    }
}

impl<T> Column<Vec<T>> {
    /// A list for each row, of structs with these fields; `entries` makes their columns.
    pub fn into_lists(self, fields: Fields, entries: impl FnOnce(&[T]) -> Vec<ArrayRef>) -> ArrayData {
        let offsets = OffsetBuffer::<i64>::from_lengths(self.values.iter().map(Vec::len));
        let all: Vec<T> = self.values.into_iter().flatten().collect();
        list_array(fields, offsets, entries(&all), self.nulls)
    }
}

/// Lists of structs.
pub fn list_array(
    fields: Fields,
    offsets: OffsetBuffer<i64>,
    columns: Vec<ArrayRef>,
    nulls: Option<NullBuffer>,
) -> ArrayData {
    let structs = StructArray::new(fields.clone(), columns, None);
    let item = Arc::new(Field::new("item", DataType::Struct(fields), true));
    LargeListArray::new(item, offsets, Arc::new(structs), nulls).into_data()
}

/// The dtype of the `score` struct.
pub fn scores_dtype() -> DataType {
    DataType::Struct(scores_fields())
}

/// The dtype of `score` with what a summary needs beside it.
pub fn score_details_dtype() -> DataType {
    DataType::Struct(score_details_fields())
}

fn scores_fields() -> Fields {
    [
        ("nls", DataType::Float64),
        ("anls", DataType::Float64),
        ("cer", DataType::Float64),
        ("exact_match", DataType::Boolean),
        ("char_errors", DataType::UInt32),
        ("reference_length", DataType::UInt32),
        ("answer_index", DataType::UInt32),
    ]
    .into_iter()
    .map(|(name, dtype)| Field::new(name, dtype, true))
    .collect()
}

fn score_details_fields() -> Fields {
    let details = [("grid_threshold", DataType::UInt8), ("row_digest", DataType::UInt64)];
    let details = details.map(|(name, dtype)| Arc::new(Field::new(name, dtype, true)));
    scores_fields().iter().cloned().chain(details).collect()
}

/// The columns of `score` and of what a summary needs beside it.
#[derive(Default)]
pub struct ScoreColumns {
    nls: Vec<f64>,
    anls: Vec<f64>,
    cer: Vec<f64>,
    exact_match: Vec<bool>,
    char_errors: Vec<u32>,
    reference_length: Vec<u32>,
    answer_index: Vec<u32>,
    grid_threshold: Vec<u8>,
    row_digest: Vec<u64>,
    valid: Vec<bool>,
}

/// Some of the rows of [`ScoreColumns`], to be filled.
pub struct ScorePiece<'a> {
    rows: Range<usize>,
    nls: &'a mut [f64],
    anls: &'a mut [f64],
    cer: &'a mut [f64],
    exact_match: &'a mut [bool],
    char_errors: &'a mut [u32],
    reference_length: &'a mut [u32],
    answer_index: &'a mut [u32],
    grid_threshold: &'a mut [u8],
    row_digest: &'a mut [u64],
    valid: &'a mut [bool],
}

/// Sets each value from what was found for its row.
fn put<T, F>(values: &mut [T], found: &[F], value: impl Fn(&F) -> T) {
    for (target, found) in values.iter_mut().zip(found) {
        *target = value(found);
    }
}

/// Stands for no threshold in the grid.
const NO_THRESHOLD: u8 = u8::MAX;

impl ScorePiece<'_> {
    /// The rows to be filled.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Sets the scores of a block of rows, column by column.
    pub fn set_block(&mut self, block: &Block, cut: Cut, threshold: f64) -> Result<()> {
        let at = block.rows.start - self.rows.start..block.rows.end - self.rows.start;
        let (nearest, errors) = (block.nearest, block.errors);
        // Those of rows without an answer are not read: they are null.
        put(&mut self.nls[at.clone()], nearest, Nearest::nls);
        put(&mut self.anls[at.clone()], nearest, |nearest| nearest.anls(cut, threshold));
        put(&mut self.exact_match[at.clone()], nearest, Nearest::is_exact);
        if block.answered.is_some() {
            // Where each row has one answer, it is the first: zeros stand there already, in memory that nobody
            // has touched.
            put(&mut self.answer_index[at.clone()], nearest, |nearest| nearest.index as u32);
        }
        put(&mut self.cer[at.clone()], errors, |errors| errors.rate);
        put(&mut self.char_errors[at.clone()], errors, |errors| errors.edits.errors as u32);
        put(&mut self.reference_length[at.clone()], errors, |errors| errors.edits.reference_length as u32);
        match block.answered {
            Some(answered) => self.valid[at].copy_from_slice(answered),
            None => self.valid[at].fill(true),
        }
        let largest = nearest.iter().map(|nearest| nearest.index);
        let largest = largest.chain(errors.iter().map(|errors| errors.edits.errors));
        let largest = largest.chain(errors.iter().map(|errors| errors.edits.reference_length)).max();
        largest.map_or(Ok(()), |largest| count(largest).map(|_| ()))
    }

    /// Sets what a summary needs beside the scores.
    pub fn set_details(&mut self, row: usize, grid_threshold: Option<u8>, row_digest: u64) {
        let index = row - self.rows.start;
        self.grid_threshold[index] = grid_threshold.unwrap_or(NO_THRESHOLD);
        self.row_digest[index] = row_digest;
    }
}

impl ScoreColumns {
    /// Computes the columns in pieces; see [`map_pieces`].
    pub fn compute<S>(
        rows: usize,
        piece_rows: usize,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut ScorePiece) -> Result<()> + Sync,
    ) -> Result<Self> {
        // Columns of zeros take no memory before they are written to: the details cost nothing unasked.
        let mut columns = Self {
            nls: zeros(rows),
            anls: zeros(rows),
            cer: zeros(rows),
            exact_match: zeros(rows),
            char_errors: zeros(rows),
            reference_length: zeros(rows),
            answer_index: zeros(rows),
            grid_threshold: zeros(rows),
            row_digest: zeros(rows),
            valid: zeros(rows),
        };
        let mut nls = columns.nls.chunks_mut(piece_rows);
        let mut anls = columns.anls.chunks_mut(piece_rows);
        let mut cer = columns.cer.chunks_mut(piece_rows);
        let mut exact_match = columns.exact_match.chunks_mut(piece_rows);
        let mut char_errors = columns.char_errors.chunks_mut(piece_rows);
        let mut reference_length = columns.reference_length.chunks_mut(piece_rows);
        let mut answer_index = columns.answer_index.chunks_mut(piece_rows);
        let mut grid_threshold = columns.grid_threshold.chunks_mut(piece_rows);
        let mut row_digest = columns.row_digest.chunks_mut(piece_rows);
        let mut valid = columns.valid.chunks_mut(piece_rows);
        let piece = |rows| {
            Some(ScorePiece {
                rows,
                nls: nls.next()?,
                anls: anls.next()?,
                cer: cer.next()?,
                exact_match: exact_match.next()?,
                char_errors: char_errors.next()?,
                reference_length: reference_length.next()?,
                answer_index: answer_index.next()?,
                grid_threshold: grid_threshold.next()?,
                row_digest: row_digest.next()?,
                valid: valid.next()?,
            })
        };
        let pieces = ranges(rows, piece_rows).map_while(piece).collect();
        parallel::for_each(pieces, state, |state, mut piece| work(state, &mut piece))?;
        Ok(columns)
    }

    pub fn into_scores(mut self) -> ArrayData {
        let nulls = nulls(&self.valid);
        StructArray::new(scores_fields(), self.score_columns(nulls.as_ref()), nulls).into_data()
    }

    pub fn into_score_details(mut self) -> ArrayData {
        let nulls = nulls(&self.valid);
        let on_grid = |row: usize| self.valid[row] && self.grid_threshold[row] != NO_THRESHOLD;
        let on_grid = NullBuffer::new(BooleanBuffer::collect_bool(self.valid.len(), on_grid));
        let mut columns = self.score_columns(nulls.as_ref());
        columns.push(Arc::new(UInt8Array::new(self.grid_threshold.into(), Some(on_grid))));
        columns.push(Arc::new(UInt64Array::new(self.row_digest.into(), nulls.clone())));
        StructArray::new(score_details_fields(), columns, nulls).into_data()
    }

    fn score_columns(&mut self, nulls: Option<&NullBuffer>) -> Vec<ArrayRef> {
        let nulls = || nulls.cloned();
        let floats = |values: &mut Vec<f64>| -> ArrayRef {
            Arc::new(Float64Array::new(std::mem::take(values).into(), nulls()))
        };
        let counts = |values: &mut Vec<u32>| -> ArrayRef {
            Arc::new(UInt32Array::new(std::mem::take(values).into(), nulls()))
        };
        let exact_match = bits(&self.exact_match);
        vec![
            floats(&mut self.nls),
            floats(&mut self.anls),
            floats(&mut self.cer),
            Arc::new(BooleanArray::new(exact_match, nulls())),
            counts(&mut self.char_errors),
            counts(&mut self.reference_length),
            counts(&mut self.answer_index),
        ]
    }
}
