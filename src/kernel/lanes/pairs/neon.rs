//! The kernel over NEON, whose vectors have a type for each width of lanes: all operations here take bytes.

use std::arch::aarch64::{
    uint8x16_t as Vector, vaddq_u8 as add8, vaddq_u16, vaddq_u32, vandq_u8 as and, vbicq_u8,
    vceqq_u8 as equal8, vcgtq_u8 as greater8, vcntq_u8 as ones8, vdupq_n_s8, vdupq_n_s16, vdupq_n_s32,
    veorq_u8 as xor, vorrq_u8 as or, vpaddq_u8, vreinterpretq_u8_s8, vreinterpretq_u8_s16,
    vreinterpretq_u8_s32, vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u16_u8,
    vreinterpretq_u32_u8, vsliq_n_u8, vsubq_u8 as sub8, vzip1q_u8 as unpack_low8, vzip1q_u16,
    vzip2q_u8 as unpack_high8, vzip2q_u16,
};

use super::super::arch::neon::{load16, store16};
use super::{Batch, PAIRS, Padded};

const WIDTH: usize = 16;

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; PAIRS], first: usize) -> Vector {
    load16(bytes[first..].first_chunk().expect("half of the lanes"))
}

#[inline]
#[target_feature(enable = "neon")]
fn store(bytes: &mut [u8; PAIRS], first: usize, value: Vector) {
    store16(bytes[first..].first_chunk_mut().expect("half of the lanes"), value);
}

#[inline]
#[target_feature(enable = "neon")]
fn load_rows(texts: &[Padded; PAIRS], first: usize, from: usize) -> [Vector; 16] {
    let mut rows = [zero(); 16];
    for (row, text) in rows.iter_mut().zip(&texts[first..]) {
        *row = load(text, from);
    }
    rows
}

/// Operations on lanes of two bytes or four.
macro_rules! wider {
    ($name:ident, $operation:ident, $to:ident, $from:ident) => {
        #[inline]
        #[target_feature(enable = "neon")]
        fn $name(left: Vector, right: Vector) -> Vector {
            $from($operation($to(left), $to(right)))
        }
    };
}

wider!(add16, vaddq_u16, vreinterpretq_u16_u8, vreinterpretq_u8_u16);
wider!(add32, vaddq_u32, vreinterpretq_u32_u8, vreinterpretq_u8_u32);
wider!(unpack_low16, vzip1q_u16, vreinterpretq_u16_u8, vreinterpretq_u8_u16);
wider!(unpack_high16, vzip2q_u16, vreinterpretq_u16_u8, vreinterpretq_u8_u16);

/// `!a & b`
#[inline]
#[target_feature(enable = "neon")]
fn and_not(a: Vector, b: Vector) -> Vector {
    vbicq_u8(b, a)
}

#[inline]
#[target_feature(enable = "neon")]
fn zero() -> Vector {
    set8(0)
}

#[inline]
#[target_feature(enable = "neon")]
fn set8(value: i8) -> Vector {
    vreinterpretq_u8_s8(vdupq_n_s8(value))
}

#[inline]
#[target_feature(enable = "neon")]
fn set16(value: i16) -> Vector {
    vreinterpretq_u8_s16(vdupq_n_s16(value))
}

#[inline]
#[target_feature(enable = "neon")]
fn set32(value: i32) -> Vector {
    vreinterpretq_u8_s32(vdupq_n_s32(value))
}

/// For each lane the bits of the eight pattern positions from `from` that equal the text's character in one
/// column.
#[inline]
#[target_feature(enable = "neon")]
fn match_bits<const BYTES: usize>(
    pattern: &[[Vector; 16]; BYTES],
    from: usize,
    text: &[[Vector; 16]; BYTES],
    column: usize,
) -> Vector {
    let same = |i| {
        let mut same = set8(-1);
        for (pattern, text) in pattern.iter().zip(text) {
            same = and(same, equal8(pattern[from + i], text[column % 16]));
        }
        same
    };
    // A shift keeps the bits below it.
    let bits = vsliq_n_u8::<1>(same(0), same(1));
    let bits = vsliq_n_u8::<2>(bits, same(2));
    let bits = vsliq_n_u8::<3>(bits, same(3));
    let bits = vsliq_n_u8::<4>(bits, same(4));
    let bits = vsliq_n_u8::<5>(bits, same(5));
    let bits = vsliq_n_u8::<6>(bits, same(6));
    vsliq_n_u8::<7>(bits, same(7))
}

/// The sum of the two bytes of each 16-bit lane, in bytes.
#[inline]
#[target_feature(enable = "neon")]
fn fold16([low, high]: [Vector; 2]) -> Vector {
    vpaddq_u8(low, high)
}

/// The sum of the four bytes of each 32-bit lane, in bytes.
#[inline]
#[target_feature(enable = "neon")]
fn fold32([a, b, c, d]: [Vector; 4]) -> Vector {
    fold16([fold16([a, b]), fold16([c, d])])
}

kernel!("neon");
