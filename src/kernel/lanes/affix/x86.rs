//! Masks of 64 bytes from two vectors of AVX2.

use std::arch::x86_64::{
    __m256i as Vector, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_movemask_epi8, _mm256_set1_epi8,
};

use super::super::arch::x86::load32;
use super::{Affixes, Block, Memory, affixes_by};

/// See [`affixes`](super::affixes).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn affixes(texts: [Memory; 2]) -> Affixes {
    affixes_by(texts, |left, right| same(left, right), |block| continuing(block))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block) -> [Vector; 2] {
    let (low, high) = block.split_at(block.len() / 2);
    [load32(low), load32(high)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask(low: Vector, high: Vector) -> u64 {
    let bits = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    bits(low) | bits(high) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn same(left: &Block, right: &Block) -> u64 {
    let (left, right) = (load(left), load(right));
    mask(_mm256_cmpeq_epi8(left[0], right[0]), _mm256_cmpeq_epi8(left[1], right[1]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn continuing(block: &Block) -> u64 {
    let [low, high] = load(block);
    // As signed numbers these bytes are the lowest ones.
    let end = _mm256_set1_epi8(0xc0_u8.cast_signed());
    mask(_mm256_cmpgt_epi8(end, low), _mm256_cmpgt_epi8(end, high))
}
