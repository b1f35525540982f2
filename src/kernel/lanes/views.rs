//! What the views of many texts show, four at a time.
//!
//! A view holds 16 bytes: the length, and then the text itself where it has at most [`INLINE`] bytes, or its first
//! four bytes, the number of its buffer, and where it starts there.

use super::{Isa, LONGEST};
use crate::kernel::view::{BEYOND_ASCII, INLINE};

/// Pairs that are looked at together, a bit each.
pub const VIEWS: usize = 64;

/// What the views of pairs show, a bit for each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shown {
    /// Both texts stand in their views.
    pub inside: u64,
    /// Both texts are short enough for the lanes.
    pub short: u64,
    /// The views are equal. Those of longer texts prove nothing: they may point into different buffers.
    pub equal: u64,
    /// The views hold nothing beyond ASCII where a text would stand.
    pub ascii: u64,
}

impl Isa {
    /// What pairs of views show.
    pub fn shown(self, predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
        match self {
            // SAFETY: this instruction set is only chosen where the machine has it.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx2 => unsafe { avx2::shown(predictions, answers) },
            // SAFETY: every aarch64 machine has NEON.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => unsafe { neon::shown(predictions, answers) },
            _ => shown(predictions, answers),
        }
    }

    /// Whether each view holds ASCII, or points into one buffer before `end`.
    pub fn are_plain(self, views: &[u128], buffer: u32, end: usize) -> bool {
        let (fours, rest) = views.as_chunks::<4>();
        let are_plain = |views: &[u128]| views.iter().all(|&view| is_plain(view, buffer, end));
        let fours_are = match self {
            // SAFETY: as in `shown`.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx2 => unsafe { avx2::are_plain(fours, buffer, end) },
            // SAFETY: as in `shown`.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => unsafe { neon::are_plain(fours, buffer, end) },
            _ => are_plain(fours.as_flattened()),
        };
        fours_are && are_plain(rest)
    }
}

fn shown(predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
    let mut shown = Shown::default();
    for (pair, (&prediction, &answer)) in predictions.iter().zip(answers).enumerate() {
        let longer = (prediction as u32).max(answer as u32);
        let bit = |is: bool| u64::from(is) << pair;
        shown.inside |= bit(longer <= INLINE);
        shown.short |= bit(longer <= LONGEST as u32);
        shown.equal |= bit(prediction == answer);
        shown.ascii |= bit((prediction | answer) & BEYOND_ASCII == 0);
    }
    shown
}

/// Whether a view holds ASCII, or points into this buffer before `end`.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "computed for every text, without a branch")]
pub fn is_plain(view: u128, buffer: u32, end: usize) -> bool {
    let length = view as u32;
    let (number, start) = ((view >> 64) as u32, (view >> 96) as usize);
    let is_inside = length <= INLINE;
    let is_before_end = (number == buffer) & (start + length as usize <= end);
    (is_inside & (view & BEYOND_ASCII == 0)) | (!is_inside & is_before_end)
}

#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i as Vector, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
        _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, _mm256_movemask_pd, _mm256_or_si256,
        _mm256_set_m128i, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srli_epi64, _mm256_unpackhi_epi64,
        _mm256_unpacklo_epi64, _mm256_xor_si256,
    };

    use super::{BEYOND_ASCII, INLINE, LONGEST, Shown, VIEWS};

    /// The halves of four views.
    struct Four {
        low: Vector,
        high: Vector,
    }

    /// See [`Isa::shown`](super::Isa::shown).
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
            let bits = |mask| u64::from(_mm256_movemask_pd(_mm256_castsi256_pd(mask)).cast_unsigned());
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

    /// See [`Isa::are_plain`](super::Isa::are_plain).
    #[target_feature(enable = "avx2")]
    pub fn are_plain(views: &[[u128; 4]], buffer: u32, end: usize) -> bool {
        let mut strange = _mm256_setzero_si256();
        for four in views {
            let four = Four::load(four);
            let lengths = four.lengths();
            let is_long = above(lengths, u64::from(INLINE));
            let ends = _mm256_add_epi64(lengths, _mm256_srli_epi64::<32>(four.high));
            let number = _mm256_and_si256(four.high, each(u64::from(u32::MAX)));
            let elsewhere = _mm256_xor_si256(number, each(u64::from(buffer)));
            let outside = _mm256_or_si256(above(ends, end as u64), above(elsewhere, 0));
            let beyond_ascii = _mm256_andnot_si256(four.ascii(), each(u64::MAX));
            let inside = _mm256_andnot_si256(is_long, beyond_ascii);
            strange = _mm256_or_si256(strange, _mm256_or_si256(inside, _mm256_and_si256(is_long, outside)));
        }
        _mm256_movemask_pd(_mm256_castsi256_pd(strange)) == 0
    }

    impl Four {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn load(views: &[u128; 4]) -> Self {
            // SAFETY: 16 bytes each, any alignment.
            let [a, b, c, d] =
                views.each_ref().map(|view| unsafe { _mm_loadu_si128(std::ptr::from_ref(view).cast()) });
            // So that the halves stand in the order of the views.
            let (even, odd) = (_mm256_set_m128i(c, a), _mm256_set_m128i(d, b));
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn views() -> impl Strategy<Value = Vec<u128>> {
        let lengths = prop::sample::select(vec![0_u32, 1, 4, 11, 12, 13, 31, 32, 33, 100, 1 << 31, u32::MAX]);
        let numbers = prop::sample::select(vec![0_u32, 0, 1, 0x80, u32::MAX]);
        let starts = prop::sample::select(vec![0_u32, 5, 68, 87, 88, 0x8000_0000, u32::MAX]);
        let view = (lengths, prop::sample::select(vec![0x6161_6161_u32, 0x61c3_a961]), numbers, starts);
        let view = view.prop_map(|(length, prefix, number, start)| {
            [length, prefix, number, start].iter().rev().fold(0, |view, &part| view << 32 | u128::from(part))
        });
        prop::collection::vec(view, VIEWS)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn views_show_the_same_to_every_instruction_set(
            predictions in views(),
            answers in views(),
            equal in prop::collection::vec(any::<bool>(), VIEWS),
            used in 0..=VIEWS,
            buffer in prop::sample::select(vec![0_u32, 0x80, u32::MAX]),
            end in prop::sample::select(vec![0_usize, 100, 101, 0x8000_0064, usize::MAX >> 1]),
        ) {
            let answers: Vec<_> = (0..VIEWS)
                .map(|pair| if equal[pair] { predictions[pair] } else { answers[pair] })
                .collect();
            let [predictions, answers] = [predictions, answers].map(|views| {
                <[u128; VIEWS]>::try_from(views).expect("so many")
            });
            for isa in Isa::available() {
                prop_assert_eq!(isa.shown(&predictions, &answers), shown(&predictions, &answers));
                let expected = predictions[..used].iter().all(|&view| is_plain(view, buffer, end));
                prop_assert_eq!(isa.are_plain(&predictions[..used], buffer, end), expected);
                for &view in &predictions {
                    prop_assert_eq!(isa.are_plain(&[view; 4], buffer, end), is_plain(view, buffer, end));
                }
            }
        }
    }
}
