//! The bytes of a text that are kept, side by side, eight at a time.
//!
//! Preparation uses it where whitespace is left out of a text of up to 32 bytes, and [`decode`](super::decode) for
//! every word of a text. x86-64-v3 has an operation for it, NEON a lookup in a table of 2 KiB. A text takes about 11 ns
//! with the operation, and three times as long byte by byte.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::{LONGEST, Padded, Register};

/// Bytes of one step.
pub const STEP: usize = size_of::<u64>();

/// A bit or value in each byte.
pub const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; STEP])
}

/// The bytes of a word whose mask is set, side by side from the lowest one on.
pub fn compress(word: u64, kept: u64) -> u64 {
    let (mut result, mut place) = (0, 0);
    for byte in 0..STEP {
        let shift = u8::BITS * byte as u32;
        let is_kept = kept >> shift & 1;
        result |= ((word >> shift & 0xff) * is_kept) << place;
        place = (place + u8::BITS * is_kept as u32) % u64::BITS;
    }
    result
}

/// All ones in the bytes of a word whose bits are set.
#[inline(always)]
fn spread(bits: u8) -> u64 {
    // The eight bits go to the lowest bits of eight bytes.
    let low = u64::from(bits & 0x7f) * 0x0002_0408_1020_4081;
    ((low | (u64::from(bits & 0x80) << 49)) & each(1)) * 0xff
}

/// The bytes whose bits are set, followed by zeros, and their number.
pub fn keep(text: &Padded, kept: u32) -> (Register, usize) {
    keep_by(text, kept, compress)
}

#[inline(always)]
fn keep_by(text: &Padded, kept: u32, compress: impl Fn(u64, u64) -> u64) -> (Register, usize) {
    let mut result = [0; LONGEST + STEP];
    let mut len = 0;
    for (own, kept) in text.as_chunks::<STEP>().0.iter().zip(kept.to_le_bytes()) {
        let word = compress(u64::from_le_bytes(*own), spread(kept));
        result[len..len + STEP].copy_from_slice(&word.to_le_bytes());
        len += kept.count_ones() as usize;
    }
    (Register::load_first(result.first_chunk().expect("longer"), len), len)
}

/// The bytes of each half whose bits are set, followed by zeros, and their numbers.
pub fn keep_halves(texts: &Padded, kept: u32) -> (Register, [usize; 2]) {
    keep_halves_by(texts, kept, compress)
}

#[inline(always)]
fn keep_halves_by(texts: &Padded, kept: u32, compress: impl Fn(u64, u64) -> u64) -> (Register, [usize; 2]) {
    let words = texts.as_chunks::<STEP>().0;
    let kept = kept.to_le_bytes();
    let word = |index: usize| u128::from(compress(u64::from_le_bytes(words[index]), spread(kept[index])));
    let count = |index: usize| kept[index].count_ones();
    let half = |index: usize| word(index) | word(index + 1) << (u8::BITS * count(index));
    let mut result = [0; LONGEST];
    let (low, high) = result.split_at_mut(LONGEST / 2);
    low.copy_from_slice(&half(0).to_le_bytes());
    high.copy_from_slice(&half(2).to_le_bytes());
    (Register::load(&result), [0, 2].map(|index| (count(index) + count(index + 1)) as usize))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 10_000, ..ProptestConfig::default() })]

        #[test]
        fn kept_bytes_stand_side_by_side(text: Padded, kept: u32) {
            let expected: Vec<u8> = (0..LONGEST).filter(|&at| kept >> at & 1 == 1).map(|at| text[at]).collect();
            for isa in Isa::available() {
                let (register, len) = isa.keep(&text, kept);
                let mut bytes = [0; LONGEST];
                register.store(&mut bytes);
                prop_assert_eq!(&bytes[..len], &expected);
                prop_assert!(bytes[len..].iter().all(|&byte| byte == 0));
            }
            for isa in Isa::available() {
                let (register, lens) = isa.keep_halves(&text, kept);
                let mut bytes = [0; LONGEST];
                register.store(&mut bytes);
                for (half, len) in lens.into_iter().enumerate() {
                    let places = half * LONGEST / 2..(half + 1) * LONGEST / 2;
                    let expected: Vec<u8> =
                        places.clone().filter(|&at| kept >> at & 1 == 1).map(|at| text[at]).collect();
                    let found = &bytes[places];
                    prop_assert_eq!(&found[..len], &expected);
                    prop_assert!(found[len..].iter().all(|&byte| byte == 0));
                }
            }
        }
    }
}
