//! A text in Arrow's view layout: 16 bytes with its length and, up to [`INLINE`] bytes, the text itself.
//!
//! Longer texts have their first four bytes there and the place of the rest. Equal views mean equal inline texts, and
//! different lengths or first bytes mean different texts, so most pairs are decided without reading the text.

use std::ops::Range;

/// Longest text that is stored in its view, in bytes.
pub const INLINE: u32 = 12;

/// The bits of a view that are set where an inline text is not ASCII.
pub const BEYOND_ASCII: u128 = 0x8080_8080_8080_8080_8080_8080 << u32::BITS;

/// Masks that keep as many bytes.
const KEPT_INSIDE: [u128; INLINE as usize + 1] = {
    let mut kept = [0; INLINE as usize + 1];
    let mut len = 0;
    while len < kept.len() {
        kept[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    kept
};

/// The first two bytes of a text, which every view has; 0 where it is shorter.
#[inline(always)]
pub const fn first_bytes(view: u128) -> [u8; 2] {
    ((view >> u32::BITS) as u16).to_le_bytes()
}

/// The memory that starts with a text and may go on after its end, so that it can be loaded by one read of
/// fixed size.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl<'a> Memory<'a> {
    /// At least as many bytes as the text has.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], len: usize) -> Self {
        debug_assert!(len <= bytes.len());
        Self { bytes, len }
    }

    /// Length of the text in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text.
    #[inline(always)]
    pub fn text(&self) -> &'a [u8] {
        &self.bytes[..self.len]
    }

    /// A part of the text.
    #[inline(always)]
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        Self::new(&self.bytes[range.start..], range.len())
    }

    /// `N` bytes from a place on, the text and the memory after it; `None` where the memory ends.
    #[inline(always)]
    pub fn block<const N: usize>(&self, at: usize) -> Option<&'a [u8; N]> {
        self.bytes[at..].first_chunk()
    }

    /// The same with zeros after the end of the memory.
    #[inline(always)]
    pub fn last_block<const N: usize>(&self, at: usize) -> [u8; N] {
        padded(&self.bytes[at..])
    }
}

/// The start of some bytes, followed by zeros. A slice is passed in registers, which a text would have to leave.
#[cold]
fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut block = [0; N];
    let len = bytes.len().min(N);
    block[..len].copy_from_slice(&bytes[..len]);
    block
}

/// The inline text of a view, followed by zeros, and its length.
#[inline(always)]
pub fn text_inside(view: u128) -> (u128, usize) {
    let len = (view as u32).min(INLINE) as usize;
    // The producer of the view may have left bytes after the text.
    ((view >> u32::BITS) & KEPT_INSIDE[len], len)
}
