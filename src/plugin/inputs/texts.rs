//! A column of texts, and the checks before one of them is read. Arrow's importer trusts the producer.
//!
//! Whole buffers are checked as UTF-8 once, if many texts point into them; others are checked text by text. Nothing is
//! copied.

use std::hint::select_unpredictable;
use std::ops::Range;

use arrow_buffer::Buffer;

use super::super::Error;
use super::views::Views;
use crate::kernel::view::{INLINE, Memory, text_inside};
use crate::kernel::{Isa, VIEWS, is_plain, ones};

/// Views from which texts are checked with vectors, 64 bytes.
const WITH_VECTORS: usize = 4;

/// A column of texts. [`Texts::check`] gives those that may be read.
pub struct Texts {
    pub name: String,
    pub values: Views,
    /// How far each buffer holds only ASCII, so that any part of it is UTF-8; 0 for buffers that
    /// do not exist.
    ascii_ends: Vec<usize>,
    /// Whether a buffer as a whole is UTF-8.
    is_utf8: Vec<bool>,
    isa: Isa,
}

/// Texts that were checked, and may be read.
#[derive(Clone)]
pub struct CheckedTexts<'a> {
    values: &'a Views,
    /// Views whose texts are all UTF-8.
    utf8: Range<usize>,
    /// Whether the texts that were checked are known to be ASCII.
    pub are_ascii: bool,
}

/// What texts are known to be, each more than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Some are hidden by nulls and not UTF-8.
    Nothing,
    Utf8,
    Ascii,
}

pub enum Fault {
    Utf8,
    Range,
}

impl Fault {
    pub fn at(&self, column: &str, row: usize, rows: usize) -> Error {
        let place = format!("column '{column}', row {row} (counted from 0, of {rows} rows in this batch)");
        Error::new(match self {
            Self::Utf8 => format!("{place}: the text is not valid UTF-8; decode it to String again"),
            Self::Range => format!("{place}: not a valid Arrow array: a text outside its buffer"),
        })
    }
}

impl Texts {
    pub fn new(name: String, values: Views) -> Self {
        // A buffer may hold much more than these rows; then looking at all of it does not pay. Long texts are checked
        // as fast one by one, by several threads, and stay in the cache for what follows.
        let worth = |buffer: &Buffer| buffer.len() / 64 <= values.len();
        let end = |buffer: &Buffer| if worth(buffer) && buffer.is_ascii() { buffer.len() } else { 0 };
        let ascii_ends: Vec<_> = values.buffers.iter().map(end).chain([0]).collect();
        let buffers = values.buffers.iter().zip(&ascii_ends);
        let is_utf8 = |(buffer, &end): (&Buffer, &usize)| {
            end > 0 || worth(buffer) && simdutf8::basic::from_utf8(buffer).is_ok()
        };
        let is_utf8 = buffers.map(is_utf8).collect();
        let texts = Self { name, values, ascii_ends, is_utf8, isa: Isa::default() };
        // Categories are checked once; where that fails, each text is, as the wrong ones may be in no row.
        if texts.values.are_shared()
            && !matches!(
                texts.check_views(0..texts.values.all.len(), |_| true),
                Ok(Known::Utf8 | Known::Ascii)
            )
        {
            return Self { values: texts.values.with_own_views(), ..texts };
        }
        texts
    }

    /// Mean of the nanoseconds that pairs of some of the texts may take, spread over the column. The time of long
    /// texts depends on their errors, which are unknown beforehand: 3,000 characters count for 12 µs, and take 2 with 1 %
    /// of errors and 44 with 20 %.
    pub fn mean_cost(&self) -> usize {
        const SAMPLE: usize = 512;
        let values = &self.values;
        let step = (values.len() / SAMPLE).max(1);
        let sampled = (0..values.len()).step_by(step).filter(|&index| values.is_valid(index));
        let (texts, cost) = sampled.fold((0, 0_usize), |(texts, cost), index| {
            let length = values.view(index) as u32 as usize;
            (texts + 1, cost.saturating_add(12 + length + length * length / 1000))
        });
        cost / texts.max(1)
    }

    /// Checks that texts lie in their buffers and are UTF-8; otherwise the first that is not, and not null.
    pub fn check(&self, range: Range<usize>) -> std::result::Result<CheckedTexts<'_>, (usize, Fault)> {
        if self.values.are_shared() {
            // All were checked: categories by `new`, a repeated text before it was repeated.
            return Ok(self.checked(0..self.values.all.len(), Known::Utf8));
        }
        let known = self.check_views(range.clone(), |index| self.values.is_valid(index))?;
        Ok(self.checked(range, known))
    }

    /// Checks the texts of these views, each with whether it is read; what they are, or the first that is read and not
    /// UTF-8.
    fn check_views(
        &self,
        range: Range<usize>,
        is_read: impl Fn(usize) -> bool,
    ) -> std::result::Result<Known, (usize, Fault)> {
        let mut known = Known::Ascii;
        let mut start = range.start;
        let mut buffer = 0;
        // Most texts are ASCII, which a block of them shows without a branch for each.
        for views in self.values.all[range].chunks(VIEWS) {
            let strange = self.strange(views, &mut buffer);
            if strange != 0 {
                known = known.min(Known::Utf8);
                if !self.are_utf8(views, strange, buffer) {
                    for (index, &view) in (start..).zip(views) {
                        match self.check_view(view) {
                            Ok(()) => {}
                            Err(fault) if is_read(index) => return Err((index, fault)),
                            // What a null hides is never read.
                            Err(_) => known = Known::Nothing,
                        }
                    }
                }
            }
            start += views.len();
        }
        Ok(known)
    }

    /// Texts, some hidden and not UTF-8, so that each is checked again when it is read.
    pub fn checked_singly(&self) -> CheckedTexts<'_> {
        self.checked(0..0, Known::Nothing)
    }

    fn checked(&self, range: Range<usize>, known: Known) -> CheckedTexts<'_> {
        let utf8 = if known == Known::Nothing { 0..0 } else { range };
        CheckedTexts { values: &self.values, utf8, are_ascii: known == Known::Ascii }
    }

    /// The views that neither hold ASCII nor point to some, a bit for each; `buffer` is where the last ones pointed to.
    fn strange(&self, views: &[u128], buffer: &mut u32) -> u64 {
        let number = |view: u128| (view >> 64) as u32;
        let points_elsewhere = |&view: &u128| view as u32 > INLINE && number(view) != *buffer;
        let strange = |buffer: u32| self.isa.strange(views, buffer, self.ascii_end(buffer));
        let first = strange(*buffer);
        // Neighbours are mostly in one buffer.
        match ones(first).map(|place| views[place]).find(points_elsewhere) {
            Some(view) => *buffer = number(view),
            None => return first,
        }
        let in_its_own = |&place: &usize| {
            let view = views[place];
            is_plain(view, number(view), self.ascii_end(number(view)))
        };
        let second = strange(*buffer);
        ones(second).filter(in_its_own).fold(second, |strange, place| strange & !(1 << place))
    }

    /// Whether the views whose bits are set hold UTF-8 or point to some in this buffer, found without a branch for each;
    /// where not, or where the buffer as a whole is none, they have to be looked at one by one.
    #[expect(clippy::needless_bitwise_bool, reason = "computed for every text, without a branch")]
    fn are_utf8(&self, views: &[u128], strange: u64, number: u32) -> bool {
        let is_utf8 = self.is_utf8.get(number as usize).copied().unwrap_or(false);
        let buffer = self.values.buffers.get(number as usize).filter(|_| is_utf8);
        let buffer = buffer.map_or(&[][..], Buffer::as_slice);
        let is_border = |at: usize| buffer.get(at).is_none_or(|&byte| is_border(byte));
        // The inline texts, each followed by zeros, so that no character crosses into the next text.
        let mut inside = [[0_u8; size_of::<u128>()]; VIEWS + WITH_VECTORS];
        let (mut used, mut are_utf8) = (0, true);
        for place in ones(strange) {
            let view = views[place];
            let length = view as u32;
            let is_inside = length <= INLINE;
            let (text, _) = text_inside(view);
            inside[used] = text.to_le_bytes();
            used += usize::from(is_inside);
            // A part of UTF-8 is UTF-8 if it does not cut a character.
            let start = select_unpredictable(is_inside, 0, (view >> 96) as usize);
            let end = select_unpredictable(is_inside, 0, start + length as usize);
            let is_here = is_inside | ((view >> 64) as u32 == number);
            are_utf8 &= is_here & (end <= buffer.len()) & is_border(start) & is_border(end);
        }
        // The entry after the last is for a longer text.
        inside[used] = [0; size_of::<u128>()];
        let inside = inside[..used.max(WITH_VECTORS)].as_flattened();
        are_utf8 && simdutf8::basic::from_utf8(inside).is_ok()
    }

    fn ascii_end(&self, buffer: u32) -> usize {
        self.ascii_ends[(buffer as usize).min(self.ascii_ends.len() - 1)]
    }

    fn check_view(&self, view: u128) -> std::result::Result<(), Fault> {
        let length = view as u32 as usize;
        if length <= INLINE as usize {
            return check_utf8(&view.to_le_bytes()[4..4 + length]);
        }
        let (number, start) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
        let buffer = self.values.buffers.get(number).ok_or(Fault::Range)?;
        let text = buffer.get(start..start + length).ok_or(Fault::Range)?;
        // A part of UTF-8 is UTF-8 if it does not cut a character.
        let is_border = |at: usize| buffer.get(at).is_none_or(|&byte| is_border(byte));
        if self.is_utf8[number] && is_border(start) && is_border(start + length) {
            return Ok(());
        }
        check_utf8(text)
    }
}

impl<'a> CheckedTexts<'a> {
    #[inline(always)]
    pub fn memory(&self, index: usize) -> Memory<'a> {
        self.memory_at(self.values.place(index))
    }

    /// The memory of the text of a view.
    #[inline(always)]
    fn memory_at(&self, place: usize) -> Memory<'a> {
        let Views { all, buffers, .. } = self.values;
        let view = all[place];
        let len = view as u32;
        let bytes = if len <= INLINE {
            // The text is in the view itself, and other views follow.
            &all.inner()[size_of::<u128>() * place + size_of::<u32>()..]
        } else {
            &buffers[(view >> 64) as u32 as usize][(view >> 96) as usize..]
        };
        Memory::new(bytes, len as usize)
    }

    #[inline(always)]
    pub fn text(&self, index: usize) -> &'a str {
        let place = self.values.place(index);
        let text = self.memory_at(place).text();
        if self.utf8.contains(&place) {
            // SAFETY: `Texts::check` found all of these texts to be UTF-8 in their buffers.
            unsafe { std::str::from_utf8_unchecked(text) }
        } else {
            std::str::from_utf8(text).expect("checked before, as it is not null")
        }
    }
}

/// Whether a byte of UTF-8 starts a character.
fn is_border(byte: u8) -> bool {
    byte.cast_signed() >= -0x40
}

fn check_utf8(text: &[u8]) -> std::result::Result<(), Fault> {
    // Vectors pay from some length on.
    let is_utf8 = || match text.len() {
        0..64 => std::str::from_utf8(text).is_ok(),
        _ => simdutf8::basic::from_utf8(text).is_ok(),
    };
    if text.is_ascii() || is_utf8() { Ok(()) } else { Err(Fault::Utf8) }
}
