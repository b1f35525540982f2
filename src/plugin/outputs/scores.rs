//! The columns of `score`, and those that a summary needs in addition.

use std::ops::Range;
use std::slice::ChunksMut;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StructArray, UInt8Array, UInt64Array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::super::memory::{Values, bits};
use super::super::{Result, parallel};
use super::lists::named_fields;
use super::{Extent, count, nulls, put, set_valid};
use crate::kernel::rows::Block;
use crate::kernel::score::{Cut, Nearest};

pub fn scores_dtype() -> DataType {
    DataType::Struct(named_fields(SCORES))
}

pub fn score_details_dtype() -> DataType {
    DataType::Struct(named_fields(SCORES.into_iter().chain(DETAILS)))
}

const SCORES: [(&str, DataType); 7] = [
    ("nls", DataType::Float64),
    ("anls", DataType::Float64),
    ("cer", DataType::Float64),
    ("exact_match", DataType::Boolean),
    ("char_errors", DataType::Int64),
    ("reference_length", DataType::Int64),
    ("answer_index", DataType::Int64),
];

const DETAILS: [(&str, DataType); 3] =
    [("grid_threshold", DataType::UInt8), ("row_digest", DataType::UInt64), ("style", DataType::UInt8)];

/// What a summary needs of a row in addition to the scores.
#[derive(Default)]
pub struct Details {
    pub grid_threshold: Option<u8>,
    pub row_digest: u64,
    /// See [`differing_styles`](crate::kernel::text_style::differing_styles).
    pub style: u8,
}

/// The columns of `score`, and those that a summary needs in addition, grouped by their type.
pub struct ScoreColumns {
    /// The similarity, the same after the cut, and the error rate.
    floats: [Values<f64>; 3],
    /// Errors, length of the reference, and which answer.
    counts: [Values<i64>; 3],
    exact_match: Values<u8>,
    /// Empty unless asked for, as are the next two.
    grid_threshold: Values<u8>,
    row_digest: Values<u64>,
    style: Values<u8>,
    valid: Vec<bool>,
}

/// Some of the rows of [`ScoreColumns`], to be filled.
pub struct ScorePiece<'a> {
    rows: Range<usize>,
    /// The only answer of a row is the first: the zeros are already right.
    has_one_answer: bool,
    floats: [&'a mut [f64]; 3],
    counts: [&'a mut [i64]; 3],
    exact_match: &'a mut [u8],
    grid_threshold: &'a mut [u8],
    row_digest: &'a mut [u64],
    style: &'a mut [u8],
    valid: &'a mut [bool],
}

/// Marks that no threshold of the grid keeps a score.
const NO_THRESHOLD: u8 = u8::MAX;

impl ScorePiece<'_> {
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Sets the scores of a block of rows, column by column.
    pub fn set_block(&mut self, block: &Block, cut: Cut, threshold: f64) {
        let at = block.rows.start - self.rows.start..block.rows.end - self.rows.start;
        let best = block.best;
        let distances = &best.normalized_distances;
        let nearest = |distance| Nearest::at(0, distance);
        let [nls, anls, cer] = self.floats.each_mut().map(|values| &mut values[at.clone()]);
        let [char_errors, reference_length, answer_index] =
            self.counts.each_mut().map(|values| &mut values[at.clone()]);
        // Those of rows without an answer are not read: they are null.
        put(nls, distances, |distance| nearest(distance).nls());
        put(anls, distances, |distance| nearest(distance).anls(cut, threshold));
        put(&mut self.exact_match[at.clone()], distances, |distance| nearest(distance).is_exact().into());
        cer.copy_from_slice(&best.rates);
        put(reference_length, &best.reference_lengths, i64::from);
        put(char_errors, &best.errors, count);
        if !self.has_one_answer {
            put(answer_index, &best.indexes, i64::from);
        }
        set_valid(self.valid, at, block);
    }

    /// Sets what a summary needs in addition to the scores, or that a row has none.
    pub fn set_details(&mut self, row: usize, details: Option<Details>) {
        let index = row - self.rows.start;
        let Details { grid_threshold, row_digest, style } = details.unwrap_or_default();
        self.grid_threshold[index] = grid_threshold.unwrap_or(NO_THRESHOLD);
        self.row_digest[index] = row_digest;
        self.style[index] = style;
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
        let Extent { rows, piece_rows, has_one_answer, .. } = extent;
        let detailed_rows = if has_details { rows } else { 0 };
        let answer_index = if has_one_answer { Values::zeros(rows) } else { Values::any(rows) };
        let mut columns = Self {
            floats: [(); 3].map(|()| Values::any(rows)),
            counts: [Values::any(rows), Values::any(rows), answer_index],
            exact_match: Values::any(rows),
            grid_threshold: Values::any(detailed_rows),
            row_digest: Values::any(detailed_rows),
            style: Values::any(detailed_rows),
            valid: extent.validity(),
        };
        let mut floats = columns.floats.each_mut().map(|values| chunks(values, piece_rows));
        let mut counts = columns.counts.each_mut().map(|values| chunks(values, piece_rows));
        let mut exact_match = chunks(&mut columns.exact_match, piece_rows);
        let mut grid_threshold = chunks(&mut columns.grid_threshold, piece_rows);
        let mut row_digest = chunks(&mut columns.row_digest, piece_rows);
        let mut style = chunks(&mut columns.style, piece_rows);
        let mut valid = columns.valid.chunks_mut(piece_rows);
        let piece = |rows| ScorePiece {
            rows,
            has_one_answer,
            floats: floats.each_mut().map(next),
            counts: counts.each_mut().map(next),
            exact_match: next(&mut exact_match),
            grid_threshold: next(&mut grid_threshold),
            row_digest: next(&mut row_digest),
            style: next(&mut style),
            valid: next(&mut valid),
        };
        let pieces = extent.pieces().map(piece).collect();
        parallel::for_each(pieces, state, |state, mut piece| work(state, &mut piece))?;
        Ok(columns)
    }

    pub fn into_scores(self) -> ArrayData {
        self.into_structs(false)
    }

    pub fn into_score_details(self) -> ArrayData {
        self.into_structs(true)
    }

    fn into_structs(self, has_details: bool) -> ArrayData {
        let nulls = nulls(&self.valid);
        let exact_match = BooleanArray::new(bits(&self.exact_match.into_buffer()), nulls.clone());
        let floats = self.floats.map(|values| Float64Array::new(values.into_buffer(), nulls.clone()));
        let counts = self.counts.map(|values| Int64Array::new(values.into_buffer(), nulls.clone()));
        let mut columns: Vec<ArrayRef> = floats.into_iter().map(|column| Arc::new(column) as _).collect();
        columns.push(Arc::new(exact_match));
        columns.extend(counts.into_iter().map(|column| Arc::new(column) as ArrayRef));
        if has_details {
            let grid_threshold = self.grid_threshold.into_buffer();
            let on_grid = |row: usize| {
                nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) && grid_threshold[row] != NO_THRESHOLD
            };
            let on_grid = NullBuffer::new(BooleanBuffer::collect_bool(grid_threshold.len(), on_grid));
            columns.push(Arc::new(UInt8Array::new(grid_threshold, Some(on_grid))));
            columns.push(Arc::new(UInt64Array::new(self.row_digest.into_buffer(), nulls.clone())));
            columns.push(Arc::new(UInt8Array::new(self.style.into_buffer(), nulls.clone())));
        }
        let fields = SCORES.into_iter().chain(DETAILS).take(columns.len());
        StructArray::new(named_fields(fields), columns, nulls).into_data()
    }
}

fn chunks<T: ArrowNativeType>(values: &mut Values<T>, rows: usize) -> ChunksMut<'_, T> {
    values.as_mut_slice().chunks_mut(rows)
}

/// The next rows; none of a column that is empty.
fn next<'a, T>(chunks: &mut ChunksMut<'a, T>) -> &'a mut [T] {
    chunks.next().unwrap_or_default()
}
