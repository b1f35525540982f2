//! Masks of 64 bytes from two vectors of AVX2.

use super::super::affix::x86::{highest, same};
use super::{Memory, is_ascii_by, stands_in_by};

/// See [`stands_in`](super::stands_in).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn stands_in(part: Memory, text: Memory, ignore_case: bool) -> bool {
    stands_in_by(part, text, ignore_case, |left, right| same(left, right))
}

/// See [`is_ascii`](super::is_ascii).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn is_ascii(text: Memory) -> bool {
    is_ascii_by(text, |block| highest(block))
}
