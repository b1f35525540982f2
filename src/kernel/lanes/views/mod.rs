//! What the views of many texts show, four at a time.
//!
//! Every row passes here first: its two texts are checked ([`strange`]), and its pair is sorted ([`shown`]) before
//! any text is read. With AVX2 that takes about 1.5 ns a view and 3 ns a pair.
//!
//! A view holds 16 bytes: the length, and then the text itself where it has at most [`INLINE`] bytes, or its first
//! four bytes, the number of its buffer, and where it starts there.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::LONGEST;
use crate::kernel::view::{BEYOND_ASCII, INLINE};

/// Pairs of one call; a mask has a bit for each.
pub const VIEWS: usize = 64;

/// What the views of pairs show, a bit for each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shown {
    /// Both texts are in their views.
    pub inside: u64,
    /// Both texts are short enough for the lanes.
    pub short: u64,
    /// The views are equal. Those of longer texts prove nothing: they may point into different buffers.
    pub equal: u64,
    /// The views hold only ASCII where an inline text would be.
    pub ascii: u64,
}

/// What pairs of views show.
pub fn shown(predictions: &[u128; VIEWS], answers: &[u128; VIEWS]) -> Shown {
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

/// The views, a bit for each, that neither hold ASCII nor point into this buffer before `end`.
pub fn strange(views: &[[u128; 4]], buffer: u32, end: usize) -> u64 {
    let views = views.as_flattened().iter().enumerate();
    views.fold(0, |strange, (place, &view)| strange | u64::from(!is_plain(view, buffer, end)) << place)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
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
                let strange = isa.strange(&predictions[..used], buffer, end);
                for (place, &view) in predictions.iter().enumerate() {
                    let is_strange = place < used && !is_plain(view, buffer, end);
                    prop_assert_eq!(strange >> place & 1 == 1, is_strange);
                }
            }
        }
    }
}
