//! Damage that the border can see.
//!
//! What it cannot see is left sound: validity, views, keys and offsets are as long as their array says, and
//! what ends only by its content (names, metadata, the lengths of text buffers) has its end.

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::harness::describe::{Array, Fault, Schema, inline_view};

#[derive(Arbitrary, Debug)]
pub enum Damage {
    NegativeLength(i64),
    NegativeOffset(i64),
    Huge(bool, u64),
    NullCount(Number),
    View { row: u8, length: Number, prefix: u32, buffer: Number, offset: Number },
    InlineView { row: u8, view: u128 },
    Offset { row: u8, offset: Number },
    Key { row: u8, key: Number },
    TextLength { text: u8, length: Number },
    NoBuffer(u8),
    Skew(u8, u8),
    BufferCount(i8),
    ChildCount(Number),
    Fault(u8),
}

#[derive(Arbitrary, Debug)]
pub enum SchemaDamage {
    Format(Option<Vec<u8>>),
    Name(Option<Vec<u8>>),
    Metadata(Vec<(Vec<u8>, Vec<u8>)>, Option<i32>),
    ChildCount(Number),
    Fault(u8),
    Nest(u8),
    OfEntries(Box<SchemaDamage>),
    OfValues(Box<SchemaDamage>),
}

/// A number that is mostly small, as those that an array is made of, or else at the end of a range.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Number(u8);

const EXTREMES: [i64; 8] =
    [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 1 << 31, 1 << 32, (1 << 32) - 1, -(1 << 31)];

impl Number {
    fn long(self) -> i64 {
        match self.0 {
            small @ 0..224 => i64::from(small) % 28 - 2,
            extreme => EXTREMES[usize::from(extreme) % EXTREMES.len()],
        }
    }

    fn word(self) -> u32 {
        self.long() as u32
    }

    /// The number of a buffer, of which there are few.
    fn few(self) -> u32 {
        if self.0 < 224 { u32::from(self.0 % 4) } else { self.word() }
    }
}

const POINTER_FAULTS: [Fault; 6] = [
    Fault::Released,
    Fault::NoBuffers,
    Fault::NoChildren,
    Fault::NoChild,
    Fault::MisalignedChild,
    Fault::MisalignedDictionary,
];

fn to_long(number: usize) -> i64 {
    i64::try_from(number).expect("small")
}

/// Writes over a number in the middle of a buffer, where it has one at this place.
fn overwrite(array: &mut Array, buffer: usize, place: u8, number: &[u8]) {
    let Some(Some(buffer)) = array.buffers.get_mut(buffer) else { return };
    let places = buffer.bytes.len() / number.len();
    if let Some(place) = usize::from(place).checked_rem(places) {
        buffer.bytes[place * number.len()..][..number.len()].copy_from_slice(number);
    }
}

impl Damage {
    /// Damage to the values of an array, which is the hardest to see: most of it still names something.
    pub fn of_values(array: &Array, bytes: &mut Unstructured) -> Result<Self> {
        let row = bytes.arbitrary()?;
        let [first, second, third] = bytes.arbitrary()?;
        Ok(if array.dictionary.is_some() {
            Self::Key { row, key: first }
        } else if array.buffers.len() == 2 {
            Self::Offset { row, offset: first }
        } else {
            Self::View { row, length: first, prefix: bytes.arbitrary()?, buffer: second, offset: third }
        })
    }

    pub fn apply(&self, array: &mut Array) {
        let is_text = array.buffers.len() >= 3;
        let is_list = array.buffers.len() == 2 && array.dictionary.is_none();
        match *self {
            Self::NegativeLength(length) => array.length = length | i64::MIN,
            Self::NegativeOffset(offset) => array.offset = offset | i64::MIN,
            // Beyond what the border takes for a number of rows.
            Self::Huge(true, length) => array.length = (length >> 1).cast_signed() | 1 << 58,
            Self::Huge(false, offset) => array.offset = (offset >> 1).cast_signed() | 1 << 58,
            Self::NullCount(count) => array.null_count = count.long(),
            Self::View { row, length, prefix, buffer, offset } if is_text => {
                let [length, offset] = [length, offset].map(Number::word);
                let buffer = buffer.few();
                let view = u128::from(length) | u128::from(prefix) << 32;
                let view = view | u128::from(buffer) << 64 | u128::from(offset) << 96;
                overwrite(array, 1, row, &view.to_ne_bytes());
            }
            Self::InlineView { row, view } if is_text => {
                let view = view & !0xffff_ffff | inline_view(&[0; 12][..usize::from(row % 13)]) & 0xffff_ffff;
                overwrite(array, 1, row, &view.to_ne_bytes());
            }
            Self::Offset { row, offset } if is_list => {
                overwrite(array, 1, row, &offset.long().to_ne_bytes());
            }
            Self::Key { row, key } if array.dictionary.is_some() => {
                overwrite(array, 1, row, &key.word().to_ne_bytes());
            }
            Self::TextLength { text, length } if array.buffers.len() > 3 => {
                let text = 2 + usize::from(text) % (array.buffers.len() - 3);
                let real = array.buffers[text].as_ref().map_or(0, |text| to_long(text.bytes.len()));
                let lengths = array.buffers.len() - 1;
                overwrite(
                    array,
                    lengths,
                    u8::try_from(text - 2).expect("few"),
                    &length.long().min(real).to_ne_bytes(),
                );
            }
            Self::NoBuffer(index) => {
                let count = array.buffers.len();
                if let Some(index) = usize::from(index).checked_rem(count) {
                    array.buffers[index] = None;
                }
            }
            Self::Skew(index, skew) => {
                let count = array.buffers.len();
                if let Some(index) = usize::from(index).checked_rem(count)
                    && let Some(buffer) = &mut array.buffers[index]
                {
                    buffer.skew = usize::from(skew % 16);
                }
            }
            // More than there are would be followed, one less takes a text for the lengths.
            Self::BufferCount(count) => array.faults.push(Fault::BufferCount(i64::from(count).min(3))),
            Self::ChildCount(count) => array.faults.push(Fault::ChildCount(count.long())),
            Self::Fault(index) => {
                let fault = POINTER_FAULTS[usize::from(index) % POINTER_FAULTS.len()];
                let needs_child = matches!(fault, Fault::NoChild | Fault::MisalignedChild);
                if !needs_child || !array.children.is_empty() {
                    array.faults.push(fault);
                }
            }
            _ => {}
        }
    }
}

impl SchemaDamage {
    pub fn apply(&self, schema: &mut Schema) {
        let c_text = |text: &Vec<u8>| text.iter().copied().filter(|&byte| byte != 0).collect();
        match self {
            Self::Format(format) => schema.format = format.as_ref().map(c_text),
            Self::Name(name) => schema.name = name.as_ref().map(c_text),
            Self::Metadata(entries, count) => schema.metadata = Some(metadata(entries, *count)),
            Self::ChildCount(count) => schema.faults.push(Fault::ChildCount(count.long())),
            Self::Fault(index) => {
                let fault = POINTER_FAULTS[usize::from(*index) % POINTER_FAULTS.len()];
                let needs_child = matches!(fault, Fault::NoChild | Fault::MisalignedChild);
                if !needs_child || !schema.children.is_empty() {
                    schema.faults.push(fault);
                }
            }
            Self::Nest(depth) => {
                for _ in 0..depth % 40 {
                    *schema = Schema::list("answers", std::mem::take(schema));
                }
            }
            Self::OfEntries(damage) => schema.children.iter_mut().for_each(|child| damage.apply(child)),
            Self::OfValues(damage) => {
                if let Some(values) = schema.dictionary.as_deref_mut() {
                    damage.apply(values);
                }
            }
        }
    }
}

/// Metadata of the C data interface; a count that is given stands where it is negative.
fn metadata(entries: &[(Vec<u8>, Vec<u8>)], count: Option<i32>) -> Vec<u8> {
    let number = |number: usize| i32::try_from(number).expect("small").to_ne_bytes();
    let count = count.filter(|&count| count < 0).map_or(number(entries.len()), i32::to_ne_bytes);
    let mut bytes = count.to_vec();
    for field in entries.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend(number(field.len()));
        bytes.extend(field);
    }
    bytes
}
