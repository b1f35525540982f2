//! Two vectors of NEON.

use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vandq_u8, vbslq_u8, vceqq_s8, vceqq_u8, vcgtq_s8, vcleq_u8, vcltq_u8, vcltzq_s8,
    vdupq_n_s8, vdupq_n_u8, vdupq_n_u64, veorq_u8, vgetq_lane_u32, vgetq_lane_u64, vmaxvq_u32, vorrq_u8,
    vpaddq_u8, vreinterpretq_s8_u8, vreinterpretq_u8_u64, vreinterpretq_u32_u8, vreinterpretq_u64_u8,
    vsubq_u8,
};

use super::super::arch::neon::{load16, store16};
use super::{Masks, Padded};

pub type Halves = [uint8x16_t; 2];

#[inline]
#[target_feature(enable = "neon")]
pub fn load(bytes: &Padded) -> Halves {
    let (halves, _) = bytes.as_chunks();
    [load16(&halves[0]), load16(&halves[1])]
}

#[inline]
#[target_feature(enable = "neon")]
pub fn store([low, high]: Halves, bytes: &mut Padded) {
    let (halves, _) = bytes.as_chunks_mut();
    store16(&mut halves[0], low);
    store16(&mut halves[1], high);
}

#[inline]
#[target_feature(enable = "neon")]
pub fn and(left: Halves, right: Halves) -> Halves {
    [vandq_u8(left[0], right[0]), vandq_u8(left[1], right[1])]
}

#[inline]
#[target_feature(enable = "neon")]
pub fn or(left: Halves, right: Halves) -> Halves {
    [vorrq_u8(left[0], right[0]), vorrq_u8(left[1], right[1])]
}

#[inline]
#[target_feature(enable = "neon")]
pub fn equal(left: Halves, right: Halves) -> bool {
    let different = vorrq_u8(veorq_u8(left[0], right[0]), veorq_u8(left[1], right[1]));
    vmaxvq_u32(vreinterpretq_u32_u8(different)) == 0
}

#[inline]
#[target_feature(enable = "neon")]
pub fn same(left: Halves, right: Halves) -> u32 {
    let same = [vceqq_u8(left[0], right[0]), vceqq_u8(left[1], right[1])];
    let bits = bits([same, same]);
    vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(bits, bits)))
}

#[inline]
#[target_feature(enable = "neon")]
pub fn lowercase(halves: Halves) -> Halves {
    halves.map(|half| {
        let is_upper = vcltq_u8(vsubq_u8(half, vdupq_n_u8(b'A')), vdupq_n_u8(26));
        vaddq_u8(half, vandq_u8(is_upper, vdupq_n_u8(32)))
    })
}

/// Twice added up, the bits of the bytes that are all ones, for two texts: a last addition makes them a mask.
#[inline]
#[target_feature(enable = "neon")]
fn bits(texts: [Halves; 2]) -> uint8x16_t {
    let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    // There is no `movemask`: each of eight bytes keeps a bit of its own, and neighbours are added three times, the last
    // time by the caller.
    let [left, right] = texts.map(|[low, high]| vpaddq_u8(vandq_u8(low, bit), vandq_u8(high, bit)));
    vpaddq_u8(left, right)
}

#[inline]
#[target_feature(enable = "neon")]
pub fn masks(halves: Halves) -> Masks {
    let space = vdupq_n_s8(b' '.cast_signed());
    let signed = halves.map(|half| vreinterpretq_s8_u8(half));
    let beyond_ascii = signed.map(|half| vcltzq_s8(half));
    let controls = signed.map(|half| vcgtq_s8(space, half));
    let spaces = signed.map(|half| vceqq_s8(space, half));
    let last = bits([spaces, spaces]);
    let bits = vreinterpretq_u64_u8(vpaddq_u8(bits([beyond_ascii, controls]), last));
    let first = vgetq_lane_u64::<0>(bits);
    Masks {
        beyond_ascii: first as u32,
        controls: (first >> u32::BITS) as u32,
        spaces: vgetq_lane_u64::<1>(bits) as u32,
    }
}

#[inline]
#[target_feature(enable = "neon")]
pub fn whitespace(halves: Halves) -> (u32, Halves) {
    let at = halves.map(|half| {
        // Two ranges of five bytes each, those below them being far above after the subtraction.
        let within = |first| vcleq_u8(vsubq_u8(half, vdupq_n_u8(first)), vdupq_n_u8(4));
        vorrq_u8(within(b'\t'), within(0x1c))
    });
    let space = vdupq_n_u8(b' ');
    let spaced = [vbslq_u8(at[0], space, halves[0]), vbslq_u8(at[1], space, halves[1])];
    let bits = bits([at, at]);
    (vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(bits, bits))), spaced)
}
