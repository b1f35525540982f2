//! The views of four texts in two vectors of AVX2: their lower halves and their upper halves.

use std::arch::x86_64::{
    __m256i as Vector, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_pd,
    _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, _mm256_movemask_pd, _mm256_or_si256, _mm256_set_m128i,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srli_epi64, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::super::arch::x86::load16;
use super::{BEYOND_ASCII, INLINE, LONGEST, Shown, VIEWS};

/// The halves of four views.
struct Four {
    low: Vector,
    high: Vector,
}

/// See [`shown`](super::shown).
#[target_feature(enable = "avx2")]
pub fn shown(predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
    let mut shown = Shown::default();
    let fours = predictions.as_chunks().0.iter().zip(answers.as_chunks().0);
    for (step, (prediction, answer)) in fours.enumerate() {
        let (prediction, answer) = (Four::load(prediction), Four::load(answer));
        let lengths = [prediction.lengths(), answer.lengths()];
        let equal = _mm256_and_si256(
            _mm256_cmpeq_epi64(prediction.low, answer.low),
            _mm256_cmpeq_epi64(prediction.high, answer.high),
        );
        let both = Four {
            low: _mm256_or_si256(prediction.low, answer.low),
            high: _mm256_or_si256(prediction.high, answer.high),
        };
        let long = |longest| {
            _mm256_or_si256(above(lengths[0], u64::from(longest)), above(lengths[1], u64::from(longest)))
        };
        shown.inside |= (bits(long(INLINE)) ^ 0xf) << (4 * step);
        shown.short |= (bits(long(LONGEST as u32)) ^ 0xf) << (4 * step);
        shown.equal |= bits(equal) << (4 * step);
        shown.ascii |= bits(both.ascii()) << (4 * step);
    }
    shown
}

/// See [`strange`](super::strange).
#[target_feature(enable = "avx2")]
pub fn strange(views: &[[u128; 4]], buffer: u32, end: usize) -> u64 {
    let mut strange = 0;
    for (step, four) in views.iter().enumerate() {
        let four = Four::load(four);
        let lengths = four.lengths();
        let is_long = above(lengths, u64::from(INLINE));
        let ends = _mm256_add_epi64(lengths, _mm256_srli_epi64::<32>(four.high));
        let number = _mm256_and_si256(four.high, each(u64::from(u32::MAX)));
        let elsewhere = _mm256_xor_si256(number, each(u64::from(buffer)));
        let outside = _mm256_or_si256(above(ends, end as u64), above(elsewhere, 0));
        let beyond_ascii = _mm256_andnot_si256(four.ascii(), each(u64::MAX));
        let inside = _mm256_andnot_si256(is_long, beyond_ascii);
        strange |= bits(_mm256_or_si256(inside, _mm256_and_si256(is_long, outside))) << (4 * step);
    }
    strange
}

/// A bit for each view whose mask is all ones.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(mask: Vector) -> u64 {
    u64::from(_mm256_movemask_pd(_mm256_castsi256_pd(mask)).cast_unsigned())
}

impl Four {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(views: &[u128; 4]) -> Self {
        let view = |index: usize| load16(&views[index].to_ne_bytes());
        // So that the halves are in the order of the views.
        let (even, odd) = (_mm256_set_m128i(view(2), view(0)), _mm256_set_m128i(view(3), view(1)));
        Self { low: _mm256_unpacklo_epi64(even, odd), high: _mm256_unpackhi_epi64(even, odd) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lengths(&self) -> Vector {
        _mm256_and_si256(self.low, each(u64::from(u32::MAX)))
    }

    /// All ones where the views hold ASCII.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn ascii(&self) -> Vector {
        let low = _mm256_and_si256(self.low, each(BEYOND_ASCII as u64));
        let high = _mm256_and_si256(self.high, each((BEYOND_ASCII >> u64::BITS) as u64));
        _mm256_cmpeq_epi64(_mm256_or_si256(low, high), _mm256_setzero_si256())
    }
}

/// All ones where a value, of at most 63 bits, is above another.
#[inline]
#[target_feature(enable = "avx2")]
fn above(values: Vector, limit: u64) -> Vector {
    _mm256_cmpgt_epi64(values, each(limit))
}

#[inline]
#[target_feature(enable = "avx2")]
fn each(value: u64) -> Vector {
    _mm256_set1_epi64x(value.cast_signed())
}
