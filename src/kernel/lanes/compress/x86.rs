//! The bytes of a word that are kept, in one operation. With the table of NEON instead, the short pairs that are decoded
//! take 8 to 12 % longer on an Intel Xeon. It would serve AMD's processors before Zen 3, where the operation is
//! microcode; they were not measured.

use std::arch::x86_64::_pext_u64;

use super::{Padded, Register, keep_by, keep_halves_by};

/// See [`keep`](super::keep).
#[target_feature(enable = "bmi2,popcnt")]
pub fn keep(text: &Padded, kept: u32) -> (Register, usize) {
    keep_by(text, kept, |word, kept| _pext_u64(word, kept))
}

/// See [`keep_halves`](super::keep_halves).
#[target_feature(enable = "bmi2,popcnt")]
pub fn keep_halves(texts: &Padded, kept: u32) -> (Register, [usize; 2]) {
    keep_halves_by(texts, kept, |word, kept| _pext_u64(word, kept))
}
