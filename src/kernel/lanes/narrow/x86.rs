//! The bytes of a word that are kept, in one operation.

use std::arch::x86_64::_pext_u64;

use super::narrow_by;

/// See [`narrow`](super::narrow).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn narrow(text: &[u8], block: u8, narrow: &mut [u8]) -> (usize, usize) {
    narrow_by(text, block, narrow, |word, kept| _pext_u64(word, kept))
}
