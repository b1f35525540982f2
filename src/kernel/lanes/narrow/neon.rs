//! The bytes of a word that are kept, with a table.

use super::super::compress::neon::compress;
use super::narrow_by;

/// See [`narrow`](super::narrow).
#[target_feature(enable = "neon")]
pub fn narrow(text: &[u8], block: u8, narrow: &mut [u8]) -> (usize, usize) {
    narrow_by(text, block, narrow, |word, kept| compress(word, kept))
}
