//! The views of four texts in four vectors: a load that takes them apart puts equal parts side by side.

use std::arch::aarch64::{
    uint8x16_t, uint32x4_t, uint32x4x4_t, vaddl_high_u32, vaddl_u32, vaddvq_u32, vandq_u8, vandq_u32,
    vbicq_u32, vceqq_u32, vcgtq_u32, vcgtq_u64, vcleq_u32, vcombine_u32, vcreate_u32, vdupq_n_u8,
    vdupq_n_u32, vdupq_n_u64, vget_low_u32, vgetq_lane_u64, vmaxq_u32, vmvnq_u32, vorrq_u32, vpaddq_u8,
    vreinterpretq_u8_u16, vreinterpretq_u8_u64, vreinterpretq_u16_u32, vreinterpretq_u32_u64,
    vreinterpretq_u64_u8, vtstq_u32, vuzp1q_u8, vuzp1q_u16, vuzp1q_u32,
};

use super::super::arch::neon::load_quarters;
use super::{INLINE, LONGEST, Shown, VIEWS};

/// Views whose masks fit one vector in a byte each.
const PACKED: usize = 16;

/// See [`shown`](super::shown).
#[target_feature(enable = "neon")]
pub fn shown(predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
    let mut masks = [[vdupq_n_u8(0); VIEWS / PACKED]; 4];
    let chunks = predictions.as_chunks::<PACKED>().0.iter().zip(answers.as_chunks::<PACKED>().0);
    for (place, (predictions, answers)) in chunks.enumerate() {
        let mut words = [[vdupq_n_u32(0); PACKED / 4]; 4];
        let fours = predictions.as_chunks().0.iter().zip(answers.as_chunks().0);
        for (step, (prediction, answer)) in fours.enumerate() {
            let (prediction, answer) = (Four::load(prediction), Four::load(answer));
            let longer = vmaxq_u32(prediction.length, answer.length);
            words[0][step] = vcleq_u32(longer, vdupq_n_u32(INLINE));
            words[1][step] = vcleq_u32(longer, vdupq_n_u32(LONGEST as u32));
            words[2][step] = prediction.equals(&answer);
            words[3][step] = vmvnq_u32(beyond_ascii(vorrq_u32(prediction.text(), answer.text())));
        }
        for (masks, words) in masks.iter_mut().zip(words) {
            masks[place] = packed(words);
        }
    }
    let [inside, short, equal, ascii] = masks.map(|masks| bits(masks));
    Shown { inside, short, equal, ascii }
}

/// See [`strange`](super::strange).
#[target_feature(enable = "neon")]
pub fn strange(views: &[[u128; 4]], buffer: u32, end: usize) -> u64 {
    let bit = vcombine_u32(vcreate_u32(1 | 2 << 32), vcreate_u32(4 | 8 << 32));
    let mut strange = 0;
    for (step, four) in views.iter().enumerate() {
        let four = Four::load(four);
        let is_long = vcgtq_u32(four.length, vdupq_n_u32(INLINE));
        // Sums of 33 bits.
        let ends = [
            vaddl_u32(vget_low_u32(four.length), vget_low_u32(four.start)),
            vaddl_high_u32(four.length, four.start),
        ];
        let [low, high] = ends.map(|ends| vreinterpretq_u32_u64(vcgtq_u64(ends, vdupq_n_u64(end as u64))));
        let is_here = vceqq_u32(four.buffer, vdupq_n_u32(buffer));
        let outside = vorrq_u32(vuzp1q_u32(low, high), vmvnq_u32(is_here));
        let inside = vbicq_u32(beyond_ascii(four.text()), is_long);
        let is_strange = vorrq_u32(inside, vandq_u32(is_long, outside));
        strange |= u64::from(vaddvq_u32(vandq_u32(is_strange, bit))) << (4 * step);
    }
    strange
}

/// Four views, part by part; those of short texts hold text in all parts but the first.
struct Four {
    length: uint32x4_t,
    prefix: uint32x4_t,
    buffer: uint32x4_t,
    start: uint32x4_t,
}

impl Four {
    #[inline]
    #[target_feature(enable = "neon")]
    fn load(views: &[u128; 4]) -> Self {
        let uint32x4x4_t(length, prefix, buffer, start) = load_quarters(views);
        Self { length, prefix, buffer, start }
    }

    /// All bits that are set somewhere in the text.
    #[inline]
    #[target_feature(enable = "neon")]
    fn text(&self) -> uint32x4_t {
        vorrq_u32(self.prefix, vorrq_u32(self.buffer, self.start))
    }

    /// All ones where the views are equal.
    #[inline]
    #[target_feature(enable = "neon")]
    fn equals(&self, other: &Self) -> uint32x4_t {
        let head = vandq_u32(vceqq_u32(self.length, other.length), vceqq_u32(self.prefix, other.prefix));
        let tail = vandq_u32(vceqq_u32(self.buffer, other.buffer), vceqq_u32(self.start, other.start));
        vandq_u32(head, tail)
    }
}

/// All ones where a byte is beyond ASCII.
#[inline]
#[target_feature(enable = "neon")]
fn beyond_ascii(text: uint32x4_t) -> uint32x4_t {
    vtstq_u32(text, vdupq_n_u32(0x8080_8080))
}

/// Masks of 32 bits each in a byte each.
#[inline]
#[target_feature(enable = "neon")]
fn packed(masks: [uint32x4_t; PACKED / 4]) -> uint8x16_t {
    let [a, b, c, d] = masks.map(|mask| vreinterpretq_u16_u32(mask));
    let [low, high] = [vuzp1q_u16(a, b), vuzp1q_u16(c, d)].map(|mask| vreinterpretq_u8_u16(mask));
    vuzp1q_u8(low, high)
}

/// A bit for each byte that is all ones.
#[inline]
#[target_feature(enable = "neon")]
fn bits(masks: [uint8x16_t; VIEWS / PACKED]) -> u64 {
    let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let [a, b, c, d] = masks.map(|mask| vandq_u8(mask, bit));
    let pairs = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
}
