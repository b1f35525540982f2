//! 32 bytes in a vector of AVX2.

use std::arch::x86_64::{
    __m256i as Vector, _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_sub_epi8,
};

use super::super::arch::x86::load32;
use super::{BLOCK, wide_starts_by};

/// See [`whitespace`](super::whitespace).
#[target_feature(enable = "avx2")]
pub fn whitespace(blocks: &[[u8; BLOCK]], letters: &mut [u64], controls: &mut [u64]) -> bool {
    let mut all = each(0);
    for ((block, letters), controls) in blocks.iter().zip(letters).zip(controls) {
        let (low, high) = halves(block);
        let whitespace = both(is_whitespace(low), is_whitespace(high));
        *letters = !whitespace;
        *controls = whitespace & !places(low, high, b' ');
        all = _mm256_or_si256(all, _mm256_or_si256(low, high));
    }
    _mm256_movemask_epi8(all) == 0
}

/// See [`wide_starts`](super::wide_starts).
#[target_feature(enable = "avx2")]
pub fn wide_starts(blocks: &[[u8; BLOCK]], starts: &mut [u64]) {
    for (block, starts) in blocks.iter().zip(starts) {
        let (low, high) = halves(block);
        *starts = wide_starts_by(|byte| places(low, high, byte));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn halves(block: &[u8; BLOCK]) -> (Vector, Vector) {
    let (halves, _) = block.as_chunks::<32>();
    (load32(&halves[0]), load32(&halves[1]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn places(low: Vector, high: Vector, byte: u8) -> u64 {
    both(_mm256_cmpeq_epi8(low, each(byte)), _mm256_cmpeq_epi8(high, each(byte)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn each(byte: u8) -> Vector {
    _mm256_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_whitespace(bytes: Vector) -> Vector {
    // Two ranges of five bytes each, those below them being far above after the subtraction.
    let tabs = _mm256_sub_epi8(bytes, each(b'\t'));
    let separators = _mm256_sub_epi8(bytes, each(0x1c));
    let is_tab = _mm256_cmpeq_epi8(_mm256_min_epu8(tabs, each(4)), tabs);
    let is_separator = _mm256_cmpeq_epi8(_mm256_min_epu8(separators, each(4)), separators);
    _mm256_or_si256(is_tab, is_separator)
}

/// The highest bit of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn both(low: Vector, high: Vector) -> u64 {
    let bits = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    bits(low) | bits(high) << u32::BITS
}
