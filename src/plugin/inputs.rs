//! From imported columns to rows: dtype gates, UTF-8 check, chunks, nulls, broadcast.
//!
//! Every expression starts here. Afterwards a row is plain texts: the kernel sees neither chunks nor nulls
//! nor invalid bytes.

pub mod table;

use std::ops::Range;

use arrow_array::{Array, StringViewArray, UInt64Array};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;

use super::abi::{Chunk, ForeignColumn};
use super::dtype::{Dtype, Role};
use super::{Error, Result};
use crate::kernel::Lanes;
use crate::kernel::rows::Rows;
use crate::kernel::short::{BEYOND_ASCII, INLINE, Text};

/// Rows of one piece of work, where texts are short.
const PIECE: usize = 8192;

/// A column of texts, checked piece by piece before they are read.
struct Texts {
    name: String,
    values: StringViewArray,
    /// For each buffer how far it holds nothing but ASCII, of which any part is UTF-8; and 0 for buffers that
    /// do not exist.
    ascii_ends: Vec<usize>,
    /// Whether a buffer as a whole is UTF-8.
    is_utf8: Vec<bool>,
    lanes: Lanes,
}

/// Where each row starts and the last one ends, among the texts of all rows.
struct Lists {
    offsets: Vec<usize>,
    nulls: Option<NullBuffer>,
}

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

    /// Rows of one piece of work: about as much text in each, a tenth of a millisecond of short text.
    pub fn piece_rows(&self) -> usize {
        let heavy =
            (mean_length(&self.prediction.texts.values) + mean_length(&self.answers.texts.values)) / 64;
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
        self.prediction(row).map(|index| self.prediction_text(index).as_str())
    }

    /// The answers of a row that are not null, with their positions.
    pub fn accepted(&self, row: usize) -> impl Iterator<Item = (usize, &str)> {
        let answers = self.answers(row);
        let start = answers.start;
        answers
            .filter(|&index| self.is_answer(index))
            .map(move |index| (index - start, self.answer_text(index).as_str()))
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
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn prediction(&self, row: usize) -> Option<usize> {
        let index = row * self.prediction.stride;
        self.prediction.texts.values.is_valid(index).then_some(index)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn answers(&self, row: usize) -> Range<usize> {
        self.answers.bounds(row * self.answers.stride)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn has_null_answers(&self) -> bool {
        self.answers.texts.values.null_count() > 0
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn is_answer(&self, index: usize) -> bool {
        self.answers.texts.values.is_valid(index)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn prediction_text(&self, index: usize) -> Text<'_> {
        text(&self.prediction.texts.values, index)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn answer_text(&self, index: usize) -> Text<'_> {
        text(&self.answers.texts.values, index)
    }
}

/// The text at an index, with what lies behind it in memory.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
fn text(values: &StringViewArray, index: usize) -> Text<'_> {
    let view = values.views()[index];
    let memory = if view as u32 as usize <= INLINE as usize {
        // The text stands in the view itself, and other views behind it.
        &values.views().inner()[size_of::<u128>() * index + size_of::<u32>()..]
    } else {
        &values.data_buffers()[(view >> 64) as u32 as usize][(view >> 96) as usize..]
    };
    Text::within(values.value(index), memory)
}

/// Mean length in bytes of some of the texts, spread over the column.
fn mean_length(values: &StringViewArray) -> usize {
    const SAMPLE: usize = 512;
    let step = (values.len() / SAMPLE).max(1);
    let sampled = (0..values.len()).step_by(step).filter(|&index| values.is_valid(index));
    let (texts, bytes) = sampled
        .fold((0, 0), |(texts, bytes), index| (texts + 1, bytes + values.views()[index] as u32 as usize));
    bytes / texts.max(1)
}

impl Column {
    fn import(column: ForeignColumn) -> Result<Self> {
        let (name, dtype, chunks) = column.import()?;
        let in_column = |error: Error| Error::new(format!("column '{name}': {error}"));
        let (lists, values) = match &dtype {
            Dtype::List(entries) => import_lists(entries, None, &chunks).map_err(in_column)?,
            Dtype::Array(entries, width) => {
                import_lists(entries, Some(*width), &chunks).map_err(in_column)?
            }
            dtype => (None, concatenate(&chunks, |data| text_array(dtype, data)).map_err(in_column)?),
        };
        Ok(Self { texts: Texts::new(name, values), lists, stride: 1 })
    }

    fn len(&self) -> usize {
        self.lists.as_ref().map_or(self.texts.values.len(), |lists| lists.offsets.len() - 1)
    }

    /// Where the texts of the column's row `index` stand.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn bounds(&self, index: usize) -> Range<usize> {
        match &self.lists {
            None => index..index + 1,
            Some(lists) if lists.nulls.as_ref().is_some_and(|nulls| nulls.is_null(index)) => 0..0,
            Some(lists) => lists.offsets[index]..lists.offsets[index + 1],
        }
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
        if self.lists.is_none() {
            return self.texts.check(rows).map_err(|(row, found)| fault(row, found));
        }
        let Some(Lists { offsets, nulls: None }) = &self.lists else {
            // The texts of null lists are never read.
            for row in rows {
                self.texts.check(self.bounds(row)).map_err(|(_, found)| fault(row, found))?;
            }
            return Ok(());
        };
        self.texts.check(offsets[rows.start]..offsets[rows.end]).map_err(|(index, found)| {
            let row = offsets.partition_point(|&start| start <= index) - 1;
            fault(row, found)
        })
    }
}

fn import_lists(
    entries: &Dtype,
    width: Option<i32>,
    chunks: &[Chunk],
) -> Result<(Option<Lists>, StringViewArray)> {
    let mut offsets = vec![0];
    let mut validity = BooleanBufferBuilder::new(0);
    let mut children = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        match chunk {
            // A list of nulls has no answer, as a null list.
            Chunk::Nulls(rows) => {
                let end = *offsets.last().expect("starts with one");
                reserve(&mut offsets, *rows)?;
                offsets.extend(std::iter::repeat_n(end, *rows));
                validity.append_n(*rows, false);
            }
            Chunk::Data(data) => {
                let child = data.child_data()[0].clone();
                let base = *offsets.last().expect("starts with one");
                let bounds = list_offsets(data, width, child.len())?;
                // The child is cut to the rows of this chunk, so that it starts at `base`.
                let (first, last) = (bounds[0], bounds[bounds.len() - 1]);
                reserve(&mut offsets, data.len())?;
                offsets.extend(bounds.iter().skip(1).map(|end| base + (end - first)));
                match data.nulls() {
                    Some(nulls) => validity.append_buffer(nulls.inner()),
                    None => validity.append_n(data.len(), true),
                }
                children.push(Chunk::Data(child.slice(first, last - first)));
            }
        }
    }
    let values = concatenate(&children, |data| text_array(entries, data))?;
    let nulls = Some(NullBuffer::new(validity.finish())).filter(|nulls| nulls.null_count() > 0);
    Ok((Some(Lists { offsets, nulls }), values))
}

/// Bounds of each list in the child of `data`, `len + 1` of them, rising and inside the child.
fn list_offsets(data: &ArrayData, width: Option<i32>, child_length: usize) -> Result<Vec<usize>> {
    let bad = || Error::new("not a valid Arrow array: the bounds of its lists fall or leave the entries");
    if data.is_empty() {
        return Ok(vec![0]);
    }
    let offsets: Vec<usize> = match width {
        Some(width) => {
            let width = usize::try_from(width).map_err(|_| bad())?;
            let mut offsets = Vec::new();
            reserve(&mut offsets, data.len() + 1)?;
            offsets.extend((data.offset()..=data.offset() + data.len()).map(|row| row * width));
            offsets
        }
        None => ScalarBuffer::<i64>::new(data.buffers()[0].clone(), data.offset(), data.len() + 1)
            .iter()
            .map(|&offset| usize::try_from(offset).map_err(|_| bad()))
            .collect::<Result<_>>()?,
    };
    let inside = offsets.last().is_some_and(|&last| last <= child_length);
    if inside && offsets.is_sorted() { Ok(offsets) } else { Err(bad()) }
}

/// A chunk as views; categories are looked up, which copies views but no text.
fn text_array(dtype: &Dtype, data: &ArrayData) -> Result<StringViewArray> {
    match dtype {
        Dtype::Categories(_) | Dtype::Enumeration(_) => {
            let values = view_array(&data.child_data()[0]);
            let mut views = Vec::with_capacity(data.len());
            let mut validity = BooleanBufferBuilder::new(data.len());
            for row in 0..data.len() {
                let key = if data.is_null(row) { None } else { Some(dictionary_key(data, row)) };
                let view = match key {
                    Some(key) if key >= values.len() => {
                        return Err(Error::new("not a valid Arrow array: a key outside the dictionary"));
                    }
                    Some(key) if values.is_valid(key) => Some(values.views()[key]),
                    _ => None,
                };
                views.push(view.unwrap_or(0));
                validity.append(view.is_some());
            }
            let (_, buffers, _) = values.into_parts();
            // SAFETY: the views come from the dictionary's array and keep its buffers; they are checked
            // before a text is read, as every column's are.
            Ok(unsafe {
                StringViewArray::new_unchecked(
                    views.into(),
                    buffers,
                    Some(NullBuffer::new(validity.finish())),
                )
            })
        }
        _ => Ok(view_array(data)),
    }
}

fn dictionary_key(data: &ArrayData, row: usize) -> usize {
    let keys = &data.buffers()[0];
    let index = data.offset() + row;
    match data.data_type() {
        arrow_schema::DataType::Dictionary(key, _) => match key.primitive_width() {
            Some(1) => usize::from(keys[index]),
            Some(2) => usize::from(keys.typed_data::<u16>()[index]),
            _ => keys.typed_data::<u32>()[index] as usize,
        },
        other => unreachable!("categories are imported as a dictionary, not as {other}"),
    }
}

fn view_array(data: &ArrayData) -> StringViewArray {
    if data.is_empty() {
        return StringViewArray::new_null(0);
    }
    let views = ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len());
    let buffers = data.buffers()[1..].iter().cloned().collect();
    // SAFETY: views are checked by `check_text` before a text is read; null ones are never read.
    unsafe { StringViewArray::new_unchecked(views, buffers, data.nulls().cloned()) }
}

/// One array of all chunks. Texts stay where they are: only views are copied, and nothing for one chunk.
fn concatenate(
    chunks: &[Chunk],
    array: impl Fn(&ArrayData) -> Result<StringViewArray>,
) -> Result<StringViewArray> {
    if let [Chunk::Data(data)] = chunks {
        return array(data);
    }
    let mut views = Vec::new();
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut validity = BooleanBufferBuilder::new(0);
    for chunk in chunks {
        match chunk {
            Chunk::Nulls(rows) => {
                reserve(&mut views, *rows)?;
                views.extend(std::iter::repeat_n(0, *rows));
                validity.append_n(*rows, false);
            }
            Chunk::Data(data) => {
                let array = array(data)?;
                let moved = buffers.len()..buffers.len() + array.data_buffers().len();
                views.extend(array.views().iter().map(|&view| moved_view(view, &moved)));
                buffers.extend(array.data_buffers().iter().cloned());
                match array.nulls() {
                    Some(nulls) => validity.append_buffer(nulls.inner()),
                    None => validity.append_n(array.len(), true),
                }
            }
        }
    }
    let nulls = Some(NullBuffer::new(validity.finish())).filter(|nulls| nulls.null_count() > 0);
    // SAFETY: as in `view_array`; the buffer numbers were moved with their buffers.
    Ok(unsafe { StringViewArray::new_unchecked(views.into(), buffers.into(), nulls) })
}

/// A view whose buffers have moved to these positions. One outside its buffers stays outside, lest it name
/// those of another chunk.
fn moved_view(view: u128, buffers: &Range<usize>) -> u128 {
    if view as u32 as usize <= INLINE as usize {
        return view;
    }
    // A long view names its buffer in bits 64 to 95.
    let moved = buffers.start + (view >> 64) as u32 as usize;
    let moved = u32::try_from(moved).ok().filter(|_| moved < buffers.end).unwrap_or(u32::MAX);
    view & !(u128::from(u32::MAX) << 64) | u128::from(moved) << 64
}

/// Makes room, or an error: rows that are all null or lists of width 0 take no memory at the producer, so
/// their number proves nothing, and a failing allocation would end the process.
fn reserve<T>(values: &mut Vec<T>, rows: usize) -> Result<()> {
    values.try_reserve(rows).map_err(|_| Error::new(format!("{rows} rows do not fit into memory")))
}

/// What is wrong with a text.
enum Fault {
    Utf8,
    Range,
}

impl Fault {
    fn at(&self, column: &str, row: usize, rows: usize) -> Error {
        let place = format!("column '{column}', row {row} (counted from 0, of {rows} rows in this batch)");
        Error::new(match self {
            Self::Utf8 => format!("{place}: the text is not valid UTF-8; decode it to String again"),
            Self::Range => format!("{place}: not a valid Arrow array: a text outside its buffer"),
        })
    }
}

/// Checks that views point into their buffers and hold UTF-8. Arrow's importer trusts the producer.
impl Texts {
    fn new(name: String, values: StringViewArray) -> Self {
        // A buffer may hold much more than these rows; then looking at all of it does not pay.
        let worth = |buffer: &Buffer| buffer.len() / 64 <= values.len();
        let end = |buffer: &Buffer| if worth(buffer) && buffer.is_ascii() { buffer.len() } else { 0 };
        let ascii_ends: Vec<_> = values.data_buffers().iter().map(end).chain([0]).collect();
        let buffers = values.data_buffers().iter().zip(&ascii_ends);
        let is_utf8 = |(buffer, &end): (&Buffer, &usize)| {
            end > 0 || worth(buffer) && simdutf8::basic::from_utf8(buffer).is_ok()
        };
        let is_utf8 = buffers.map(is_utf8).collect();
        Self { name, values, ascii_ends, is_utf8, lanes: Lanes::default() }
    }

    fn check(&self, range: Range<usize>) -> std::result::Result<(), (usize, Fault)> {
        let mut start = range.start;
        let mut buffer = 0;
        // Most texts are ASCII, which a block of them shows without a branch for each.
        for views in self.values.views()[range].chunks(64) {
            if !self.are_plain(views, &mut buffer) {
                for (index, &view) in (start..).zip(views) {
                    if self.values.is_valid(index) {
                        self.check_view(view).map_err(|fault| (index, fault))?;
                    }
                }
            }
            start += views.len();
        }
        Ok(())
    }

    /// Whether views hold ASCII or point to some; `buffer` is where the last ones pointed to.
    fn are_plain(&self, views: &[u128], buffer: &mut u32) -> bool {
        let number = |view: u128| (view >> 64) as u32;
        let points_elsewhere = |&&view: &&u128| view as u32 > INLINE && number(view) != *buffer;
        let are_plain = |buffer: u32| {
            let end = self.ascii_ends[(buffer as usize).min(self.ascii_ends.len() - 1)];
            self.lanes.are_plain(views, buffer, end)
        };
        if are_plain(*buffer) {
            return true;
        }
        // Neighbours mostly stand in one buffer.
        match views.iter().find(points_elsewhere) {
            Some(&view) => *buffer = number(view),
            None => return false,
        }
        are_plain(*buffer) || views.iter().fold(true, |plain, &view| plain & self.is_plain(view))
    }

    /// Whether a view holds ASCII or points to some.
    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "computed for every text, without a branch")]
    fn is_plain(&self, view: u128) -> bool {
        let length = view as u32 as usize;
        let (number, start) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
        let end = self.ascii_ends[number.min(self.ascii_ends.len() - 1)];
        let is_inside = length <= INLINE as usize;
        (is_inside & (view & BEYOND_ASCII == 0)) | (!is_inside & (start + length <= end))
    }

    fn check_view(&self, view: u128) -> std::result::Result<(), Fault> {
        let length = view as u32 as usize;
        if length <= INLINE as usize {
            return check_utf8(&view.to_le_bytes()[4..4 + length]);
        }
        let (number, start) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
        let buffer = self.values.data_buffers().get(number).ok_or(Fault::Range)?;
        let text = buffer.get(start..start + length).ok_or(Fault::Range)?;
        // A part of UTF-8 is UTF-8 if it does not cut a character.
        let is_border = |at: usize| buffer.get(at).is_none_or(|byte| byte.cast_signed() >= -0x40);
        if self.is_utf8[number] && is_border(start) && is_border(start + length) {
            return Ok(());
        }
        check_utf8(text)
    }
}

fn check_utf8(text: &[u8]) -> std::result::Result<(), Fault> {
    if text.is_ascii() || std::str::from_utf8(text).is_ok() { Ok(()) } else { Err(Fault::Utf8) }
}
