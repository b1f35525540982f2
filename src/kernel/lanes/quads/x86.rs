//! The distances of four pairs, a word of each in one vector: the compiler makes them of the portable code.

use super::{QUAD, Quads};

/// See [`distances`](super::distances).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn distances<const WORDS: usize, const LONGEST: usize>(
    quads: &mut Quads<WORDS, LONGEST>,
) -> [usize; QUAD] {
    quads.compute()
}
