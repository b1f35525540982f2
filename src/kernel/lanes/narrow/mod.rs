//! Text in one byte a character where its letters lie in one block of 128, eight bytes at a time.
//!
//! Text in Latin, Cyrillic, Greek or Arabic letters comes here, with ASCII between them: the two bytes of a letter
//! become one. What lies in another block is left to [`ByteIds`](crate::kernel::byte_ids), whose table serves all
//! scripts and takes two to three times as long for pages.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use std::ops::Range;

use super::compress::{STEP, compress, each};
use super::decode::ones;

/// Bytes that no character is narrowed to. They are rare as characters, which are left to the caller as well.
pub const SPARE: Range<usize> = 0x0e..0x20;

/// Narrows a text up to the first eight bytes that are not all ASCII or at block; how many were read, and written.
pub fn narrow(text: &[u8], block: u8, narrow: &mut [u8]) -> (usize, usize) {
    narrow_by(text, block, narrow, compress)
}

#[inline(always)]
fn narrow_by(
    text: &[u8],
    block: u8,
    narrow: &mut [u8],
    compress: impl Fn(u64, u64) -> u64,
) -> (usize, usize) {
    let block = each(block);
    let (mut at, mut len) = (0, 0);
    // One byte more, as the last one may start a letter.
    while let Some(window) = text[at..].first_chunk::<{ STEP + 1 }>()
        && let Some(room) = narrow[len..].first_chunk_mut()
    {
        let word =
            |from: usize| u64::from_le_bytes(*window[from..].first_chunk().expect("at most one further"));
        let (own, next) = (word(0), word(1));
        let beyond_ascii = own & each(0x80);
        let leads = beyond_ascii & (own << 1);
        let continuing = beyond_ascii ^ leads;
        // Neither addition carries anything into the next byte.
        let elsewhere = (own ^ block) & each(0x7e);
        let elsewhere = (elsewhere + each(0x7f)) & leads;
        if elsewhere & each(0x80) != 0 {
            break;
        }
        let leads = ones(leads);
        let letters = next & each(0x3f) | (own & each(1)) << 6 | each(0x80);
        *room = compress(own & !leads | letters & leads, !ones(continuing)).to_le_bytes();
        (at, len) = (at + STEP, len + STEP - continuing.count_ones() as usize);
    }
    (at, len)
}
