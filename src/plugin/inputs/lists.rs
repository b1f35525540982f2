//! The bounds of lists, and the texts in them.

use std::ops::Range;

use arrow_buffer::{BooleanBufferBuilder, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;

use super::super::abi::Chunk;
use super::super::dtype::Dtype;
use super::super::{Error, Result};
use super::views::{Views, reserve};

/// Where each row starts and the last one ends, among the texts of all rows.
pub struct Lists {
    /// Rising, none below the first.
    offsets: ScalarBuffer<i64>,
    nulls: Option<NullBuffer>,
    /// Whether the only row is repeated for all.
    is_repeated: bool,
}

impl Lists {
    /// Imports the chunks of a column of lists, or of arrays of this width, and their texts.
    pub fn import(entries: &Dtype, width: Option<i32>, chunks: &[Chunk]) -> Result<(Self, Views)> {
        let read = |data: &ArrayData| Views::read(entries, data);
        if let [Chunk::Data(data)] = chunks {
            let offsets = list_offsets(data, width)?;
            let values = read(&entries_between(data, &offsets))?;
            let nulls = data.nulls().cloned().filter(|nulls| nulls.null_count() > 0);
            return Ok((Self { offsets, nulls, is_repeated: false }, values));
        }
        let mut offsets = vec![0];
        let mut validity = BooleanBufferBuilder::new(0);
        let mut children = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let base = offsets[offsets.len() - 1];
            match chunk {
                // A list of nulls has no answer, as a null list.
                Chunk::Nulls(rows) => {
                    reserve(&mut offsets, *rows)?;
                    offsets.extend(std::iter::repeat_n(base, *rows));
                    validity.append_n(*rows, false);
                }
                Chunk::Data(data) => {
                    let own = list_offsets(data, width)?;
                    reserve(&mut offsets, data.len())?;
                    offsets.extend(own[1..].iter().map(|end| base + (end - own[0])));
                    match data.nulls() {
                        Some(nulls) => validity.append_buffer(nulls.inner()),
                        None => validity.append_n(data.len(), true),
                    }
                    children.push(Chunk::Data(entries_between(data, &own)));
                }
            }
        }
        let values = Views::concatenate(&children, read)?;
        let nulls = Some(NullBuffer::new(validity.finish())).filter(|nulls| nulls.null_count() > 0);
        Ok((Self { offsets: offsets.into(), nulls, is_repeated: false }, values))
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Repeats the only row for all.
    pub fn repeat(&mut self) {
        self.is_repeated = true;
    }

    pub fn is_null(&self, row: usize) -> bool {
        let row = if self.is_repeated { 0 } else { row };
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// The indices of a row's texts; none for null.
    #[inline(always)]
    pub fn bounds(&self, row: usize) -> Range<usize> {
        if self.is_null(row) {
            return 0..0;
        }
        self.span(row..row + 1)
    }

    /// The indices of the texts of rows, including those in null rows.
    #[inline(always)]
    pub fn span(&self, rows: Range<usize>) -> Range<usize> {
        let rows = if self.is_repeated { 0..1 } else { rows };
        self.place(rows.start)..self.place(rows.end)
    }

    /// Whether each of these rows has one entry, and none is null.
    pub fn have_one_entry(&self, rows: Range<usize>) -> bool {
        if self.is_repeated || self.span(rows.clone()).len() != rows.len() {
            return false;
        }
        let is_other = |start: i64, end: i64| end - start != 1;
        let has_null = || {
            let nulls = |nulls: &NullBuffer| nulls.slice(rows.start, rows.len()).null_count() > 0;
            self.nulls.as_ref().is_some_and(nulls)
        };
        !any_step(&self.offsets[rows.start..=rows.end], is_other) && !has_null()
    }

    #[inline(always)]
    fn place(&self, row: usize) -> usize {
        // The entries are cut to those of these rows.
        size(self.offsets[row] - self.offsets[0])
    }
}

/// Whether this is true of any two neighbours. All are looked at, without a branch for each, so several at once.
fn any_step(offsets: &[i64], is: impl Fn(i64, i64) -> bool) -> bool {
    offsets.iter().zip(&offsets[1..]).fold(0, |any, (&start, &end)| any | u64::from(is(start, end))) != 0
}

/// A difference of bounds, which rise from 0.
fn size(difference: i64) -> usize {
    difference.cast_unsigned() as usize
}

fn entries_between(data: &ArrayData, offsets: &[i64]) -> ArrayData {
    let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
    data.child_data()[0].slice(size(first), size(last - first))
}

/// Bounds of each list in the entries of `data`, `len + 1` of them, rising and inside the entries.
fn list_offsets(data: &ArrayData, width: Option<i32>) -> Result<ScalarBuffer<i64>> {
    if data.is_empty() {
        return Ok(vec![0].into());
    }
    let rows = data.offset()..=data.offset() + data.len();
    let offsets = match width {
        Some(width) => {
            let mut offsets = Vec::new();
            reserve(&mut offsets, data.len() + 1)?;
            offsets.extend(rows.map(|row| row.cast_signed() as i64 * i64::from(width)));
            offsets.into()
        }
        None => ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len() + 1),
    };
    let inside =
        offsets[0] >= 0 && offsets[offsets.len() - 1] <= data.child_data()[0].len().cast_signed() as i64;
    if inside && !any_step(&offsets, |start, end| end < start) {
        return Ok(offsets);
    }
    Err(Error::new("not a valid Arrow array: the bounds of its lists fall or leave the entries"))
}
