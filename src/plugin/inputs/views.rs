//! Chunks of texts as one column of views.

use std::ops::Range;

use arrow_buffer::bit_chunk_iterator::BitChunks;
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::super::abi::Chunk;
use super::super::dtype::Dtype;
use super::super::{Error, Result};
use crate::kernel::view::INLINE;

/// Texts in Arrow's view layout. Nothing is known of where the views point.
#[derive(Default)]
pub struct Views {
    pub all: ScalarBuffer<u128>,
    /// What the views point into.
    pub buffers: Vec<Buffer>,
    /// Without it none is null.
    nulls: Option<NullBuffer>,
    /// Whether the only text stands for any number of them.
    is_repeated: bool,
}

impl Views {
    fn new(all: ScalarBuffer<u128>, buffers: Vec<Buffer>, nulls: Option<NullBuffer>) -> Self {
        Self { all, buffers, nulls: nulls.filter(|nulls| nulls.null_count() > 0), is_repeated: false }
    }

    /// Number of texts, nulls included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    #[inline(always)]
    pub fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    #[inline(always)]
    pub fn is_valid(&self, index: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(self.place(index)))
    }

    /// Clears a bit for each of these texts that is null; the lowest one is that of the first.
    pub fn clear_nulls(&self, texts: Range<usize>, bits: &mut [u64]) {
        let Some(nulls) = &self.nulls else { return };
        if self.is_repeated {
            // Its only text is null.
            bits.fill(0);
            return;
        }
        let valid = BitChunks::new(nulls.validity(), nulls.offset() + texts.start, texts.len());
        for (bits, valid) in bits.iter_mut().zip(valid.iter_padded()) {
            *bits &= valid;
        }
    }

    /// Makes the only text stand for any number of them.
    pub fn repeat(&mut self) {
        self.is_repeated = true;
    }

    pub fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// Which of the views is that of a text.
    #[inline(always)]
    pub fn place(&self, index: usize) -> usize {
        if self.is_repeated { 0 } else { index }
    }

    /// The view of a text.
    #[inline(always)]
    pub fn view(&self, index: usize) -> u128 {
        self.all[self.place(index)]
    }

    /// The views of texts, nulls included, one behind the other; in `room` unless they stand so already.
    pub fn views<'a>(&'a self, texts: Range<usize>, room: &'a mut Vec<u128>) -> &'a [u128] {
        if !self.is_repeated {
            return &self.all[texts];
        }
        room.clear();
        room.resize(texts.len(), self.all[0]);
        room
    }

    /// The texts of a chunk; categories are looked up, which copies views but no text.
    pub fn read(dtype: &Dtype, data: &ArrayData) -> Result<Self> {
        if !matches!(dtype, Dtype::Categories(_) | Dtype::Enumeration(_)) {
            return Ok(Self::of(data));
        }
        let values = Self::of(&data.child_data()[0]);
        let mut views = Vec::with_capacity(data.len());
        let mut validity = BooleanBufferBuilder::new(data.len());
        for row in 0..data.len() {
            let key = if data.is_null(row) { None } else { Some(dictionary_key(data, row)) };
            let view = match key {
                Some(key) if key >= values.len() => {
                    return Err(Error::new("not a valid Arrow array: a key outside the dictionary"));
                }
                Some(key) if values.is_valid(key) => Some(values.all[key]),
                _ => None,
            };
            views.push(view.unwrap_or(0));
            validity.append(view.is_some());
        }
        Ok(Self::new(views.into(), values.buffers, Some(NullBuffer::new(validity.finish()))))
    }

    fn of(data: &ArrayData) -> Self {
        let Some((views, buffers)) = data.buffers().split_first().filter(|_| !data.is_empty()) else {
            return Self::default();
        };
        let views = ScalarBuffer::new(views.clone(), data.offset(), data.len());
        Self::new(views, buffers.to_vec(), data.nulls().cloned())
    }

    /// The texts of all chunks. They stay where they are: only views are copied, and nothing for one chunk.
    pub fn concatenate(chunks: &[Chunk], read: impl Fn(&ArrayData) -> Result<Self>) -> Result<Self> {
        if let [Chunk::Data(data)] = chunks {
            return read(data);
        }
        let mut views = Vec::new();
        let mut buffers = Vec::new();
        let mut validity = BooleanBufferBuilder::new(0);
        for chunk in chunks {
            match chunk {
                Chunk::Nulls(rows) => {
                    reserve(&mut views, *rows)?;
                    views.extend(std::iter::repeat_n(0, *rows));
                    validity.append_n(*rows, false);
                }
                Chunk::Data(data) => {
                    let chunk = read(data)?;
                    let moved = buffers.len()..buffers.len() + chunk.buffers.len();
                    views.extend(chunk.all.iter().map(|&view| moved_view(view, &moved)));
                    buffers.extend(chunk.buffers);
                    match &chunk.nulls {
                        Some(nulls) => validity.append_buffer(nulls.inner()),
                        None => validity.append_n(chunk.all.len(), true),
                    }
                }
            }
        }
        Ok(Self::new(views.into(), buffers, Some(NullBuffer::new(validity.finish()))))
    }
}

fn dictionary_key(data: &ArrayData, row: usize) -> usize {
    let keys = &data.buffers()[0];
    let index = data.offset() + row;
    match data.data_type() {
        DataType::Dictionary(key, _) => match key.primitive_width() {
            Some(1) => usize::from(keys[index]),
            Some(2) => usize::from(keys.typed_data::<u16>()[index]),
            _ => keys.typed_data::<u32>()[index] as usize,
        },
        other => unreachable!("categories are imported as a dictionary, not as {other}"),
    }
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
pub fn reserve<T>(values: &mut Vec<T>, rows: usize) -> Result<()> {
    values.try_reserve(rows).map_err(|_| Error::new(format!("{rows} rows do not fit into memory")))
}
