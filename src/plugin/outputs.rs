//! From row results to a column.
//!
//! Each thread writes its pieces into their part of the column, so nothing is put together at the end.

pub mod counts;
pub mod edits;
pub mod lists;
mod scores;

use std::ops::Range;

use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, StringViewArray, UInt8Array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;

pub use self::scores::{Details, ScoreColumns, score_details_dtype, scores_dtype};
use super::memory::{Values, bits};
use super::{Result, parallel};
use crate::kernel::best_answers::BestAnswers;
use crate::kernel::rows::Block;

/// Values of all rows with the rows that have none.
#[derive(Default)]
pub struct Column<T> {
    values: Vec<T>,
    nulls: Option<NullBuffer>,
}

/// Numbers of all rows with the rows that have none, whose numbers are 0.
pub struct Numbers<T> {
    values: Values<T>,
    nulls: Option<NullBuffer>,
}

/// Some of the rows of a column, to be filled, each of them.
pub struct Piece<'a, T> {
    rows: Range<usize>,
    values: &'a mut [T],
    /// Empty where no row is null.
    valid: &'a mut [bool],
}

impl<T: Clone + Default> Piece<'_, T> {
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    pub fn set(&mut self, row: usize, value: Option<T>) {
        let index = row - self.rows.start;
        self.valid[index] = value.is_some();
        self.values[index] = value.unwrap_or_default();
    }

    /// Sets the rows of a block from the best of their answers.
    pub fn set_block(&mut self, block: &Block, set: impl FnOnce(&mut [T], &BestAnswers))
    where
        T: Copy,
    {
        let at = block.rows.start - self.rows.start..block.rows.end - self.rows.start;
        let values = &mut self.values[at.clone()];
        set(values, block.best);
        if let Some(answered) = block.answered {
            for (value, &is_answered) in values.iter_mut().zip(answered) {
                *value = if is_answered { *value } else { T::default() };
            }
        }
        set_valid(self.valid, at, block);
    }
}

/// Notes which rows of a block have a value, unless all of the column have.
fn set_valid(valid: &mut [bool], at: Range<usize>, block: &Block) {
    match (valid.get_mut(at), block.answered) {
        (Some(valid), Some(answered)) => valid.copy_from_slice(answered),
        (Some(valid), None) => valid.fill(true),
        (None, _) => {}
    }
}

/// The rows of a call, and how they are cut.
#[derive(Clone, Copy)]
pub struct Extent {
    pub rows: usize,
    pub piece_rows: usize,
    pub has_nulls: bool,
    /// Whether no row has more than one answer.
    pub has_one_answer: bool,
}

/// Computes a column in pieces, on several threads where they are free; `state` is made once a thread.
pub fn map_pieces<T: Clone + Default + Send, S>(
    rows: usize,
    piece_rows: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Piece<T>) -> Result<()> + Sync,
) -> Result<Column<T>> {
    let mut values = vec![T::default(); rows];
    let extent = Extent { rows, piece_rows, has_nulls: true, has_one_answer: false };
    let nulls = fill(&mut values, extent, state, work)?;
    Ok(Column { values, nulls })
}

/// Computes a column of numbers; see [`map_pieces`].
pub fn map_numbers<T: ArrowNativeType, S>(
    extent: Extent,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Piece<T>) -> Result<()> + Sync,
) -> Result<Numbers<T>> {
    let mut values = Values::any(extent.rows);
    let nulls = fill(values.as_mut_slice(), extent, state, work)?;
    Ok(Numbers { values, nulls })
}

fn fill<T: Send, S>(
    values: &mut [T],
    extent: Extent,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut Piece<T>) -> Result<()> + Sync,
) -> Result<Option<NullBuffer>> {
    let mut valid = extent.validity();
    let mut valid_chunks = valid.chunks_mut(extent.piece_rows);
    let chunks = values.chunks_mut(extent.piece_rows);
    let piece = |(rows, values)| Piece { rows, values, valid: valid_chunks.next().unwrap_or_default() };
    let pieces = extent.pieces().zip(chunks).map(piece).collect();
    parallel::for_each(pieces, state, |state, mut piece| work(state, &mut piece))?;
    Ok(nulls(&valid))
}

impl Extent {
    fn pieces(self) -> impl Iterator<Item = Range<usize>> {
        ranges(self.rows, self.piece_rows)
    }

    /// Room for whether each row has a value; none where all have.
    fn validity(self) -> Vec<bool> {
        vec![false; if self.has_nulls { self.rows } else { 0 }]
    }
}

pub fn ranges(rows: usize, piece_rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(piece_rows).map(move |start| start..rows.min(start + piece_rows))
}

fn nulls(valid: &[bool]) -> Option<NullBuffer> {
    // Many at a time: a loop that may end at each of them is not one of vectors.
    let all = |valid: &[bool]| valid.iter().fold(true, |all, &valid| all & valid);
    if valid.chunks(1024).all(all) { None } else { Some(NullBuffer::new(bits(valid))) }
}

/// Sets each value from what was found for its row.
pub fn put<T, F: Copy>(values: &mut [T], found: &[F], value: impl Fn(F) -> T) {
    for (target, &found) in values.iter_mut().zip(found) {
        *target = value(found);
    }
}

/// A count or a position as it is exported: signed, so that differences of columns do not wrap.
pub fn count(value: usize) -> i64 {
    // No text is as long as half of the address space.
    value.cast_signed() as i64
}

impl<T> Column<T> {
    /// The values with the rows that have none, whose values are the default.
    pub fn into_parts(self) -> (Vec<T>, Option<NullBuffer>) {
        (self.values, self.nulls)
    }
}

impl Numbers<f64> {
    pub fn into_float(self) -> ArrayData {
        Float64Array::new(self.values.into_buffer(), self.nulls).into_data()
    }
}

impl Numbers<i64> {
    pub fn into_counts(self) -> ArrayData {
        Int64Array::new(self.values.into_buffer(), self.nulls).into_data()
    }
}

impl Numbers<u128> {
    /// Texts from their views. They stay in these buffers, which the column shares.
    ///
    /// # Safety
    /// The views must hold UTF-8, or point to some in the buffers.
    pub unsafe fn into_texts(self, buffers: &[Buffer]) -> ArrayData {
        // SAFETY: promised by the caller.
        unsafe { StringViewArray::new_unchecked(self.values.into_buffer(), buffers.into(), self.nulls) }
            .into_data()
    }
}

impl Numbers<u8> {
    pub fn into_codes(self) -> ArrayData {
        UInt8Array::new(self.values.into_buffer(), self.nulls).into_data()
    }

    /// Booleans, from values that are zeros and ones.
    pub fn into_boolean(self) -> ArrayData {
        BooleanArray::new(bits(&self.values.into_buffer()), self.nulls).into_data()
    }
}
