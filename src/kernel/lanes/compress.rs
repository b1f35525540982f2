//! Bytes of text side by side that were apart, eight at a time.

use super::{LONGEST, Padded, Register};

/// Bytes of one step.
pub const STEP: usize = size_of::<u64>();

/// A bit or value in each byte.
pub const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; STEP])
}

/// The bytes of a word whose mask is set, side by side from the lowest one on.
pub fn compress(word: u64, kept: u64) -> u64 {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every aarch64 machine has NEON.
    return unsafe { neon::compress(word, kept) };
    #[cfg(not(target_arch = "aarch64"))]
    byte_by_byte(word, kept)
}

/// The same, a byte at a time.
#[cfg(any(test, not(target_arch = "aarch64")))]
pub fn byte_by_byte(word: u64, kept: u64) -> u64 {
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
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has the feature.
        return unsafe { bmi2::keep(text, kept) };
    }
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
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has the feature.
        return unsafe { bmi2::keep_halves(texts, kept) };
    }
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

#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use std::arch::x86_64::_pext_u64;

    use super::{Padded, Register, keep_by, keep_halves_by};

    #[target_feature(enable = "bmi2")]
    pub fn keep(text: &Padded, kept: u32) -> (Register, usize) {
        keep_by(text, kept, |word, kept| _pext_u64(word, kept))
    }

    #[target_feature(enable = "bmi2")]
    pub fn keep_halves(texts: &Padded, kept: u32) -> (Register, [usize; 2]) {
        keep_halves_by(texts, kept, |word, kept| _pext_u64(word, kept))
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::{vcreate_u8, vget_lane_u64, vreinterpret_u64_u8, vtbl1_u8};

    use super::{STEP, each};

    /// Where the bytes of a result come from, for each choice of bytes; places beyond the word give zeros.
    const SOURCES: [u64; 1 << STEP] = {
        let mut sources = [u64::MAX; 1 << STEP];
        let mut kept = 0;
        while kept < sources.len() {
            let (mut byte, mut places) = (STEP, u64::MAX);
            while byte > 0 {
                byte -= 1;
                if kept >> byte & 1 == 1 {
                    places = places << u8::BITS | byte as u64;
                }
            }
            sources[kept] = places;
            kept += 1;
        }
        sources
    };

    /// See [`compress`](super::compress).
    #[inline]
    #[target_feature(enable = "neon")]
    pub fn compress(word: u64, kept: u64) -> u64 {
        // A bit of each byte, in order in the highest one.
        let choice = (kept & each(1)).wrapping_mul(0x0102_0408_1020_4080) >> (u64::BITS - u8::BITS);
        let bytes = vtbl1_u8(vcreate_u8(word), vcreate_u8(SOURCES[choice as usize]));
        vget_lane_u64::<0>(vreinterpret_u64_u8(bytes))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 10_000, ..ProptestConfig::default() })]

        #[test]
        fn kept_bytes_stand_side_by_side(text: Padded, kept: u32) {
            let expected: Vec<u8> = (0..LONGEST).filter(|&at| kept >> at & 1 == 1).map(|at| text[at]).collect();
            for (register, len) in [keep(&text, kept), keep_by(&text, kept, byte_by_byte)] {
                let mut bytes = [0; LONGEST];
                register.store(&mut bytes);
                prop_assert_eq!(&bytes[..len], &expected);
                prop_assert!(bytes[len..].iter().all(|&byte| byte == 0));
            }
            for (register, lens) in [keep_halves(&text, kept), keep_halves_by(&text, kept, compress)] {
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
