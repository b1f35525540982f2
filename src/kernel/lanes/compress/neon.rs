//! The bytes of a word that are kept, by a table of where they come from.

use std::arch::aarch64::{vcreate_u8, vget_lane_u64, vreinterpret_u64_u8, vtbl1_u8};

use super::{Padded, Register, STEP, each, keep_by, keep_halves_by};

/// Where the bytes of a result come from, for each choice of bytes; places beyond the word give zeros.
const SOURCES: [u64; 1 << STEP] = {
    let mut sources = [u64::MAX; 1 << STEP];
    let mut kept = 0;
    while kept < sources.len() {
        let (mut byte, mut places) = (STEP, u64::MAX);
        while byte > 0 {
            byte -= 1;
            if kept >> byte & 1 == 1 {
                places = places << u8::BITS | byte as u64;
            }
        }
        sources[kept] = places;
        kept += 1;
    }
    sources
};

/// See [`compress`](super::compress).
#[inline]
#[target_feature(enable = "neon")]
pub fn compress(word: u64, kept: u64) -> u64 {
    // A bit of each byte, in order in the highest one.
    let choice = (kept & each(1)).wrapping_mul(0x0102_0408_1020_4080) >> (u64::BITS - u8::BITS);
    let bytes = vtbl1_u8(vcreate_u8(word), vcreate_u8(SOURCES[choice as usize]));
    vget_lane_u64::<0>(vreinterpret_u64_u8(bytes))
}

/// See [`keep`](super::keep).
#[target_feature(enable = "neon")]
pub fn keep(text: &Padded, kept: u32) -> (Register, usize) {
    keep_by(text, kept, |word, kept| compress(word, kept))
}

/// See [`keep_halves`](super::keep_halves).
#[target_feature(enable = "neon")]
pub fn keep_halves(texts: &Padded, kept: u32) -> (Register, [usize; 2]) {
    keep_halves_by(texts, kept, |word, kept| compress(word, kept))
}
