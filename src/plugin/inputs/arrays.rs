//! Chunks of texts as one array of views.

use std::ops::Range;

use arrow_array::{Array, StringViewArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;

use super::super::abi::Chunk;
use super::super::dtype::Dtype;
use super::super::{Error, Result};
use crate::kernel::view::INLINE;

/// A chunk as views; categories are looked up, which copies views but no text.
pub fn text_array(dtype: &Dtype, data: &ArrayData) -> Result<StringViewArray> {
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
    // SAFETY: `Texts::check` looks at views before a text of these rows is read; those of nulls are never read.
    unsafe { StringViewArray::new_unchecked(views, buffers, data.nulls().cloned()) }
}

/// One array of all chunks. Texts stay where they are: only views are copied, and nothing for one chunk.
pub fn concatenate(
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
pub fn reserve<T>(values: &mut Vec<T>, rows: usize) -> Result<()> {
    values.try_reserve(rows).map_err(|_| Error::new(format!("{rows} rows do not fit into memory")))
}
