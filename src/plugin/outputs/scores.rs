//! The columns of `score` and of what a summary needs beside it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, StructArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};

use super::super::memory::{Values, bits};
use super::super::{Result, parallel};
use super::{Extent, nulls, put, put_counts};
use crate::kernel::rows::Block;
use crate::kernel::score::{Cut, Nearest};

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
pub struct ScoreColumns {
    nls: Values<f64>,
    anls: Values<f64>,
    cer: Values<f64>,
    exact_match: Values<u8>,
    char_errors: Values<u32>,
    reference_length: Values<u32>,
    answer_index: Values<u32>,
    details: Details,
    valid: Vec<bool>,
}

/// Empty unless asked for.
struct Details {
    grid_threshold: Values<u8>,
    row_digest: Values<u64>,
}

/// Some of the rows of [`ScoreColumns`], to be filled.
pub struct ScorePiece<'a> {
    rows: Range<usize>,
    nls: &'a mut [f64],
    anls: &'a mut [f64],
    cer: &'a mut [f64],
    exact_match: &'a mut [u8],
    char_errors: &'a mut [u32],
    reference_length: &'a mut [u32],
    answer_index: &'a mut [u32],
    grid_threshold: &'a mut [u8],
    row_digest: &'a mut [u64],
    valid: &'a mut [bool],
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
        let best = block.best;
        let distances = &best.normalized_distances;
        let nearest = |distance| Nearest::at(0, distance);
        // Those of rows without an answer are not read: they are null.
        put(&mut self.nls[at.clone()], distances, |distance| nearest(distance).nls());
        put(&mut self.anls[at.clone()], distances, |distance| nearest(distance).anls(cut, threshold));
        put(&mut self.exact_match[at.clone()], distances, |distance| nearest(distance).is_exact().into());
        self.cer[at.clone()].copy_from_slice(&best.rates);
        self.reference_length[at.clone()].copy_from_slice(&best.reference_lengths);
        put_counts(&mut self.char_errors[at.clone()], &best.errors)?;
        if let Some(answered) = block.answered {
            // Where each row has one answer, it is the first: zeros stand there already.
            self.answer_index[at.clone()].copy_from_slice(&best.indexes);
            self.valid[at].copy_from_slice(answered);
        }
        Ok(())
    }

    /// Sets what a summary needs beside the scores, or that a row has none.
    pub fn set_details(&mut self, row: usize, details: Option<(Option<u8>, u64)>) {
        let index = row - self.rows.start;
        let (grid_threshold, row_digest) = details.unwrap_or_default();
        self.grid_threshold[index] = grid_threshold.unwrap_or(NO_THRESHOLD);
        self.row_digest[index] = row_digest;
    }
}

impl ScoreColumns {
    /// Computes the columns in pieces; see [`map_pieces`](super::map_pieces).
    pub fn compute<S>(
        extent: Extent,
        has_details: bool,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut ScorePiece) -> Result<()> + Sync,
    ) -> Result<Self> {
        let Extent { rows, piece_rows, has_nulls } = extent;
        let detailed_rows = if has_details { rows } else { 0 };
        let mut columns = Self {
            nls: Values::any(rows),
            anls: Values::any(rows),
            cer: Values::any(rows),
            exact_match: Values::any(rows),
            char_errors: Values::any(rows),
            reference_length: Values::any(rows),
            answer_index: if has_nulls { Values::any(rows) } else { Values::zeros(rows) },
            details: Details {
                grid_threshold: Values::any(detailed_rows),
                row_digest: Values::any(detailed_rows),
            },
            valid: extent.validity(),
        };
        let mut nls = chunks(&mut columns.nls, piece_rows);
        let mut anls = chunks(&mut columns.anls, piece_rows);
        let mut cer = chunks(&mut columns.cer, piece_rows);
        let mut exact_match = chunks(&mut columns.exact_match, piece_rows);
        let mut char_errors = chunks(&mut columns.char_errors, piece_rows);
        let mut reference_length = chunks(&mut columns.reference_length, piece_rows);
        let mut answer_index = chunks(&mut columns.answer_index, piece_rows);
        let mut grid_threshold = chunks(&mut columns.details.grid_threshold, piece_rows);
        let mut row_digest = chunks(&mut columns.details.row_digest, piece_rows);
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
                grid_threshold: grid_threshold.next().unwrap_or_default(),
                row_digest: row_digest.next().unwrap_or_default(),
                valid: valid.next().unwrap_or_default(),
            })
        };
        let pieces = extent.pieces().map_while(piece).collect();
        parallel::for_each(pieces, state, |state, mut piece| work(state, &mut piece))?;
        Ok(columns)
    }

    pub fn into_scores(self) -> ArrayData {
        let nulls = nulls(&self.valid);
        let (columns, _) = self.into_columns(nulls.as_ref());
        StructArray::new(scores_fields(), columns, nulls).into_data()
    }

    pub fn into_score_details(self) -> ArrayData {
        let nulls = nulls(&self.valid);
        let (mut columns, details) = self.into_columns(nulls.as_ref());
        let grid_threshold = details.grid_threshold.into_buffer();
        let on_grid = |row: usize| {
            nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) && grid_threshold[row] != NO_THRESHOLD
        };
        let on_grid = NullBuffer::new(BooleanBuffer::collect_bool(grid_threshold.len(), on_grid));
        columns.push(Arc::new(UInt8Array::new(grid_threshold, Some(on_grid))));
        columns.push(Arc::new(UInt64Array::new(details.row_digest.into_buffer(), nulls.clone())));
        StructArray::new(score_details_fields(), columns, nulls).into_data()
    }

    fn into_columns(self, nulls: Option<&NullBuffer>) -> (Vec<ArrayRef>, Details) {
        let nulls = || nulls.cloned();
        let floats =
            |values: Values<f64>| -> ArrayRef { Arc::new(Float64Array::new(values.into_buffer(), nulls())) };
        let counts =
            |values: Values<u32>| -> ArrayRef { Arc::new(UInt32Array::new(values.into_buffer(), nulls())) };
        let exact_match = bits(&self.exact_match.into_buffer());
        let columns = vec![
            floats(self.nls),
            floats(self.anls),
            floats(self.cer),
            Arc::new(BooleanArray::new(exact_match, nulls())),
            counts(self.char_errors),
            counts(self.reference_length),
            counts(self.answer_index),
        ];
        (columns, self.details)
    }
}

fn chunks<T: ArrowNativeType>(values: &mut Values<T>, rows: usize) -> std::slice::ChunksMut<'_, T> {
    values.as_mut_slice().chunks_mut(rows)
}
