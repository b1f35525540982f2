//! UTF-8 in a fixed number of bytes a character, with a table for the bytes of a word that are kept.

use super::super::compress::neon::compress;
use super::{Decoded, Memory, decode_by};

/// See [`decode`](super::decode).
#[target_feature(enable = "neon")]
pub fn decode(texts: [Memory; 2]) -> Option<Decoded> {
    decode_by(texts, |word, kept| compress(word, kept))
}
