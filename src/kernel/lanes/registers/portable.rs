//! The bytes, one by one.

use super::{Masks, Padded};

pub type Halves = Padded;

pub fn load(bytes: &Padded) -> Halves {
    *bytes
}

pub fn store(halves: Halves, bytes: &mut Padded) {
    *bytes = halves;
}

pub fn and(left: Halves, right: Halves) -> Halves {
    std::array::from_fn(|index| left[index] & right[index])
}

pub fn or(left: Halves, right: Halves) -> Halves {
    std::array::from_fn(|index| left[index] | right[index])
}

pub fn equal(left: Halves, right: Halves) -> bool {
    left == right
}

pub fn same(left: Halves, right: Halves) -> u32 {
    (0..left.len()).fold(0, |mask, at| mask | u32::from(left[at] == right[at]) << at)
}

pub fn lowercase(halves: Halves) -> Halves {
    halves.map(|byte| byte.to_ascii_lowercase())
}

pub fn masks(halves: Halves) -> Masks {
    super::masks_by_bytes(&halves)
}

pub fn whitespace(halves: Halves) -> (u32, Halves) {
    let is_whitespace = |byte: u8| matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ');
    let bit = |(position, &byte)| u32::from(is_whitespace(byte)) << position;
    let mask = (0..).zip(&halves).map(bit).fold(0, |mask, bit| mask | bit);
    (mask, halves.map(|byte| if is_whitespace(byte) { b' ' } else { byte }))
}
