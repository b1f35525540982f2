//! Chunks of texts as one column of views.
//!
//! Texts of any string type become views of 16 bytes; their bytes are not copied. A repeated text and categories have
//! one view for many rows, which is looked up row by row.

use std::ops::Range;

use arrow_buffer::bit_chunk_iterator::BitChunks;
use arrow_buffer::{ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
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
    places: Places,
}

/// Which of the views is that of a text.
#[derive(Default)]
enum Places {
    /// Each text has its own.
    #[default]
    Own,
    /// The only one is repeated for any number of texts.
    First,
    /// Each text names its own: the view of its category.
    Keys(Keys),
}

impl Places {
    /// Which of the views is that of a text; a function, as it is asked for in many places.
    #[inline(never)]
    fn of(&self, index: usize) -> usize {
        match self {
            Self::Own => index,
            Self::First => 0,
            Self::Keys(keys) => keys.get(index),
        }
    }
}

impl Views {
    fn new(all: ScalarBuffer<u128>, buffers: Vec<Buffer>, nulls: Option<NullBuffer>) -> Self {
        Self { all, buffers, nulls: nulls.filter(|nulls| nulls.null_count() > 0), places: Places::Own }
    }

    /// Number of texts, nulls included.
    pub fn len(&self) -> usize {
        match &self.places {
            Places::Keys(keys) => keys.len(),
            _ => self.all.len(),
        }
    }

    #[inline(always)]
    pub fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    #[inline(always)]
    pub fn is_valid(&self, index: usize) -> bool {
        let index = if matches!(self.places, Places::First) { 0 } else { index };
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(index))
    }

    /// Clears a bit for each of these texts that is null; the lowest one is that of the first.
    pub fn clear_nulls(&self, texts: Range<usize>, bits: &mut [u64]) {
        let Some(nulls) = &self.nulls else { return };
        if matches!(self.places, Places::First) {
            // Its only text is null.
            bits.fill(0);
            return;
        }
        let valid = BitChunks::new(nulls.validity(), nulls.offset() + texts.start, texts.len());
        for (bits, valid) in bits.iter_mut().zip(valid.iter_padded()) {
            *bits &= valid;
        }
    }

    /// Repeats the only text, which was checked, any number of times. What a null hides is dropped.
    pub fn repeat(&mut self) {
        let view = if self.is_valid(0) { self.view(0) } else { 0 };
        *self = Self { all: vec![view].into(), places: Places::First, ..std::mem::take(self) };
    }

    /// Whether a view may be that of several texts.
    pub fn are_shared(&self) -> bool {
        !matches!(self.places, Places::Own)
    }

    /// Which of the views is that of a text.
    #[inline(always)]
    pub fn place(&self, index: usize) -> usize {
        match &self.places {
            Places::Own => index,
            shared => shared.of(index),
        }
    }

    /// The view of a text, or that of an empty one where a null hides that there is none.
    #[inline(always)]
    pub fn view(&self, index: usize) -> u128 {
        self.all.get(self.place(index)).copied().unwrap_or_default()
    }

    /// The views of texts, including nulls, in a row; copied into `room` if they are not contiguous.
    pub fn views<'a>(&'a self, texts: Range<usize>, room: &'a mut Vec<u128>) -> &'a [u128] {
        room.clear();
        match &self.places {
            Places::Own => return &self.all[texts],
            Places::First => room.resize(texts.len(), self.view(0)),
            Places::Keys(Keys::U8(keys)) => room.extend(views_of(&keys[texts], &self.all)),
            Places::Keys(Keys::U16(keys)) => room.extend(views_of(&keys[texts], &self.all)),
            Places::Keys(Keys::U32(keys)) => room.extend(views_of(&keys[texts], &self.all)),
        }
        room
    }

    /// The same texts, each with a view of its own.
    #[must_use]
    pub fn with_own_views(self) -> Self {
        if !self.are_shared() {
            return self;
        }
        let mut own = Vec::new();
        self.views(0..self.len(), &mut own);
        Self { all: own.into(), places: Places::Own, ..self }
    }

    /// The texts of a chunk; those of categories share their views, unless there are more of them than texts.
    pub fn read(dtype: &Dtype, data: &ArrayData) -> Result<Self> {
        if !matches!(dtype, Dtype::Categories(_) | Dtype::Enumeration(_)) {
            return Ok(Self::of(data));
        }
        let categories = Self::of(&data.child_data()[0]);
        let keys = Keys::of(data);
        let valid = |row: usize| !data.is_null(row);
        if keys.have_from(categories.len())
            && (0..data.len()).any(|row| valid(row) && keys.get(row) >= categories.len())
        {
            return Err(Error::new("not a valid Arrow array: a key outside the dictionary"));
        }
        let has_null = categories.has_nulls();
        let nulls = if has_null {
            let is_valid = |row: usize| valid(row) && categories.is_valid(keys.get(row));
            Some(NullBuffer::new(BooleanBuffer::collect_bool(data.len(), is_valid)))
        } else {
            data.nulls().cloned()
        };
        let is_longer = categories.len() > data.len();
        let shared =
            Self { places: Places::Keys(keys), ..Self::new(categories.all, categories.buffers, nulls) };
        Ok(if has_null || is_longer { shared.with_own_views() } else { shared })
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
                    let chunk = read(data)?.with_own_views();
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

/// For each text the number of its category.
enum Keys {
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
}

impl Keys {
    fn of(data: &ArrayData) -> Self {
        fn numbers<T: ArrowNativeType>(data: &ArrayData) -> ScalarBuffer<T> {
            ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len())
        }
        match data.data_type() {
            DataType::Dictionary(key, _) => match key.primitive_width() {
                Some(1) => Self::U8(numbers(data)),
                Some(2) => Self::U16(numbers(data)),
                _ => Self::U32(numbers(data)),
            },
            other => unreachable!("categories are imported as a dictionary, not as {other}"),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::U8(keys) => keys.len(),
            Self::U16(keys) => keys.len(),
            Self::U32(keys) => keys.len(),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> usize {
        match self {
            Self::U8(keys) => usize::from(keys[index]),
            Self::U16(keys) => usize::from(keys[index]),
            Self::U32(keys) => keys[index] as usize,
        }
    }

    /// Whether any is not below this number, those of nulls included.
    fn have_from(&self, end: usize) -> bool {
        fn have<T: ArrowNativeType>(keys: &[T], end: usize) -> bool {
            // Without a branch for each, so several at once.
            keys.iter().fold(0, |any, key| any | u8::from(key.as_usize() >= end)) != 0
        }
        match self {
            Self::U8(keys) => have(keys, end),
            Self::U16(keys) => have(keys, end),
            Self::U32(keys) => have(keys, end),
        }
    }
}

/// The views that keys name, and that of an empty text for a key of a null that names none.
fn views_of<T: ArrowNativeType>(keys: &[T], all: &[u128]) -> impl Iterator<Item = u128> {
    keys.iter().map(|key| all.get(key.as_usize()).copied().unwrap_or_default())
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
