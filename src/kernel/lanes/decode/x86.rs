//! UTF-8 in a fixed number of bytes a character, with one operation for the bytes of a word that are kept.

use std::arch::x86_64::_pext_u64;

use super::{Decoded, Memory, decode_by};

/// See [`decode`](super::decode).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn decode(texts: [Memory; 2]) -> Option<Decoded> {
    decode_by(texts, |word, kept| _pext_u64(word, kept))
}
