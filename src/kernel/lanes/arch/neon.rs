//! Loads and stores of NEON.

use std::arch::aarch64::{uint8x16_t, uint32x4x4_t, uint64x2_t, vld1q_u8, vld1q_u64, vld4q_u32, vst1q_u8};

/// The vector of 16 bytes.
#[inline]
#[target_feature(enable = "neon")]
pub fn load16(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: 16 bytes, any alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

/// The bytes of a vector.
#[inline]
#[target_feature(enable = "neon")]
pub fn store16(bytes: &mut [u8; 16], value: uint8x16_t) {
    // SAFETY: 16 bytes, any alignment.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), value) }
}

/// The vector of two words.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_words(words: &[u64; 2]) -> uint64x2_t {
    // SAFETY: 16 bytes, any alignment.
    unsafe { vld1q_u64(words.as_ptr()) }
}

/// Four vectors: the lowest 32 bits of each view, the next ones, and so on.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_quarters(views: &[u128; 4]) -> uint32x4x4_t {
    // SAFETY: 64 bytes, any alignment.
    unsafe { vld4q_u32(views.as_ptr().cast()) }
}
