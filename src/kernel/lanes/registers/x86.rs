//! Two vectors of SSE2.

use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_sub_epi8,
};

use super::super::arch::x86::{load16, store16};
use super::{Masks, Padded};

pub type Halves = [__m128i; 2];

#[inline]
#[target_feature(enable = "sse2")]
pub fn load(bytes: &Padded) -> Halves {
    let (halves, _) = bytes.as_chunks();
    [load16(&halves[0]), load16(&halves[1])]
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn store([low, high]: Halves, bytes: &mut Padded) {
    let (halves, _) = bytes.as_chunks_mut();
    store16(&mut halves[0], low);
    store16(&mut halves[1], high);
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn and(left: Halves, right: Halves) -> Halves {
    [_mm_and_si128(left[0], right[0]), _mm_and_si128(left[1], right[1])]
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn or(left: Halves, right: Halves) -> Halves {
    [_mm_or_si128(left[0], right[0]), _mm_or_si128(left[1], right[1])]
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn equal(left: Halves, right: Halves) -> bool {
    let equal = _mm_and_si128(_mm_cmpeq_epi8(left[0], right[0]), _mm_cmpeq_epi8(left[1], right[1]));
    _mm_movemask_epi8(equal) == 0xffff
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn same(left: Halves, right: Halves) -> u32 {
    mask(_mm_cmpeq_epi8(left[0], right[0]), _mm_cmpeq_epi8(left[1], right[1]))
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn lowercase([low, high]: Halves) -> Halves {
    [lowercase_half(low), lowercase_half(high)]
}

#[inline]
#[target_feature(enable = "sse2")]
fn lowercase_half(half: __m128i) -> __m128i {
    let above = _mm_cmpgt_epi8(half, _mm_set1_epi8(b'A'.cast_signed() - 1));
    let below = _mm_cmpgt_epi8(_mm_set1_epi8(b'Z'.cast_signed() + 1), half);
    _mm_add_epi8(half, _mm_and_si128(_mm_and_si128(above, below), _mm_set1_epi8(32)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn mask(low: __m128i, high: __m128i) -> u32 {
    _mm_movemask_epi8(low).cast_unsigned() | _mm_movemask_epi8(high).cast_unsigned() << 16
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn masks([low, high]: Halves) -> Masks {
    let space = _mm_set1_epi8(b' '.cast_signed());
    Masks {
        beyond_ascii: mask(low, high),
        controls: mask(_mm_cmpgt_epi8(space, low), _mm_cmpgt_epi8(space, high)),
        spaces: mask(_mm_cmpeq_epi8(space, low), _mm_cmpeq_epi8(space, high)),
    }
}

#[inline]
#[target_feature(enable = "sse2")]
pub fn whitespace(halves: Halves) -> (u32, Halves) {
    let [low, high] = halves.map(|half| whitespace_half(half));
    let spaced = |half, at| {
        _mm_or_si128(_mm_andnot_si128(at, half), _mm_and_si128(at, _mm_set1_epi8(b' '.cast_signed())))
    };
    (mask(low, high), [spaced(halves[0], low), spaced(halves[1], high)])
}

#[inline]
#[target_feature(enable = "sse2")]
fn whitespace_half(half: __m128i) -> __m128i {
    // Two ranges of five bytes each, those below them being far above after the subtraction.
    let within = |first: u8| {
        let above = _mm_sub_epi8(half, _mm_set1_epi8(first.cast_signed()));
        _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(4)), above)
    };
    _mm_or_si128(within(b'\t'), within(0x1c))
}
