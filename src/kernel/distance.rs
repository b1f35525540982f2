//! Edit distance of two texts: picks the method, cheapest test first.
//!
//! [`Workspace`] serves pairs one at a time, in any script and of any length, and keeps its memory from pair to pair.
//! Columns of short pairs are several times as fast in [`rows`](super::rows), which computes many pairs side by side.
//! The table in [`kernel`](super) has the methods for long text and their times. Two unrelated texts of a million
//! characters take seconds; pass a limit if larger distances do not matter.

use super::band::Band;
use super::bit_parallel::{distance_by_table, distance_units};
use super::byte_ids::ByteIds;
use super::diagonal::{Found, Wavefronts};
use super::lcs::CommonSubsequence;
use super::pattern::{DenseIds, Unit};
use super::utf8::characters;
use super::weighted::{SubstitutionCost, indel};

/// Longest pattern of the one-word method.
const WORD: usize = 64;

/// Working memory of the distances, reused from pair to pair.
#[derive(Default)]
pub struct Workspace {
    ids: ByteIds,
    bytes: ByteTexts,
    left: Vec<u32>,
    right: Vec<u32>,
    lcs: CommonSubsequence,
    long: Long,
    /// Match bits for each number; zeros between pairs.
    of_numbers: Vec<u64>,
}

/// Working memory for text of one byte a character.
struct ByteTexts {
    bits: Box<[u64; BYTES]>,
    wavefronts: Wavefronts,
    band: Band,
}

/// Working memory for text of more than one word.
#[derive(Default)]
struct Long {
    wavefronts: Wavefronts,
    band: Band,
    ids: DenseIds,
}

const BYTES: usize = 256;

impl Default for ByteTexts {
    fn default() -> Self {
        Self { bits: Box::new([0; BYTES]), wavefronts: Wavefronts::default(), band: Band::default() }
    }
}

impl Workspace {
    /// Both texts, which are UTF-8, in one byte a character, if that is possible; see [`ByteIds::bytes`].
    pub fn as_bytes<'a>(&'a mut self, texts: [&'a [u8]; 2]) -> Option<[&'a [u8]; 2]> {
        self.ids.bytes(texts)
    }

    /// Edit distance of two texts in code points; insertions and deletions cost 1.
    pub fn distance(&mut self, left: &str, right: &str, cost: SubstitutionCost) -> usize {
        self.distance_within(left, right, cost, usize::MAX).expect("no limit was set")
    }

    /// Edit distance of two texts in code points, or `None` where it exceeds `limit`.
    pub fn distance_within(
        &mut self,
        left: &str,
        right: &str,
        cost: SubstitutionCost,
        limit: usize,
    ) -> Option<usize> {
        if left == right {
            return Some(0);
        }
        self.distance_of_utf8([left.as_bytes(), right.as_bytes()], cost, limit)
    }

    /// Edit distance of two texts whose units are bytes.
    pub fn distance_of_bytes(&mut self, texts: [&[u8]; 2]) -> usize {
        let Self { bytes, lcs, .. } = self;
        let distance = bytes.distance_within(texts, SubstitutionCost::One, usize::MAX, lcs);
        distance.expect("no limit was set")
    }

    /// Edit distance of two texts whose units are numbers below `ids`.
    pub fn distance_of_numbers(&mut self, texts: [&[u32]; 2], ids: usize) -> usize {
        let Self { lcs, long, of_numbers, .. } = self;
        if of_numbers.len() < ids {
            of_numbers.resize(ids, 0);
        }
        let (left, right) = trim_common_ends(texts[0], texts[1]);
        let distance = distance_of(left, right, SubstitutionCost::One, usize::MAX, lcs, |pattern, text| {
            if pattern.len() <= WORD {
                return Some(distance_by_table(pattern, text, of_numbers));
            }
            match long.wavefronts.distance(pattern, text, budget(text.len()), usize::MAX) {
                Found::Distance(distance) => Some(distance),
                Found::TooFar => None,
                Found::Guess(guess) => long.band.distance(pattern, text, ids, guess, usize::MAX),
            }
        });
        distance.expect("no limit was set")
    }

    /// The same for texts that are not empty, the first one not longer, with about `guess` errors.
    pub fn many_errors(&mut self, [pattern, text]: [&[u32]; 2], ids: usize, guess: usize) -> usize {
        let distance = self.long.band.distance(pattern, text, ids, guess, usize::MAX);
        distance.expect("no limit was set")
    }

    /// The same for different texts that are UTF-8.
    pub fn distance_of_utf8(
        &mut self,
        texts: [&[u8]; 2],
        cost: SubstitutionCost,
        limit: usize,
    ) -> Option<usize> {
        if let Some(texts) = self.ids.bytes(texts) {
            return self.bytes.distance_within(texts, cost, limit, &mut self.lcs);
        }
        let Self { lcs, long, left: left_units, right: right_units, .. } = self;
        for (units, text) in [&mut *left_units, &mut *right_units].into_iter().zip(texts) {
            units.clear();
            units.extend(characters(text));
        }
        Self::distance_of_codes(long, lcs, [left_units, right_units], cost, limit)
    }

    /// The same for texts whose units are any numbers.
    fn distance_of_codes(
        long: &mut Long,
        lcs: &mut CommonSubsequence,
        [left, right]: [&[u32]; 2],
        cost: SubstitutionCost,
        limit: usize,
    ) -> Option<usize> {
        let (left, right) = trim_common_ends(left, right);
        distance_of(left, right, cost, limit, lcs, |pattern, text| {
            if pattern.len() <= WORD {
                return Some(distance_units(pattern, text));
            }
            match long.wavefronts.distance(pattern, text, budget(text.len()), limit) {
                Found::Distance(distance) => Some(distance),
                Found::TooFar => None,
                Found::Guess(guess) => {
                    let ids = long.ids.fill(pattern, text);
                    long.band.distance(&long.ids.pattern, &long.ids.text, ids, guess, limit)
                }
            }
        })
    }
}

impl ByteTexts {
    fn distance_within(
        &mut self,
        [left, right]: [&[u8]; 2],
        cost: SubstitutionCost,
        limit: usize,
        lcs: &mut CommonSubsequence,
    ) -> Option<usize> {
        let Self { bits, wavefronts, band } = self;
        let (left, right) = trim_common_ends(left, right);
        distance_of(left, right, cost, limit, lcs, |pattern, text| {
            if pattern.len() <= WORD {
                return Some(distance_by_table(pattern, text, &mut bits[..]));
            }
            match wavefronts.distance(pattern, text, budget(text.len()), limit) {
                Found::Distance(distance) => Some(distance),
                Found::TooFar => None,
                Found::Guess(guess) => band.distance(pattern, text, BYTES, guess, limit),
            }
        })
    }
}

/// Steps along the diagonals that take about as long as the band.
fn budget(length: usize) -> usize {
    length * (2 * length.max(1).ilog2() as usize).saturating_sub(16).max(3)
}

/// `None` where the distance exceeds `limit`. The ends are trimmed.
fn distance_of<U: Unit>(
    left: &[U],
    right: &[U],
    cost: SubstitutionCost,
    limit: usize,
    lcs: &mut CommonSubsequence,
    levenshtein: impl FnOnce(&[U], &[U]) -> Option<usize>,
) -> Option<usize> {
    // Each insertion or deletion changes the length by one, so the lengths bound the distance from below.
    let difference = left.len().abs_diff(right.len());
    if difference > limit {
        return None;
    }
    let (pattern, text) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let distance = match cost {
        SubstitutionCost::Free => Some(difference),
        _ if pattern.is_empty() => Some(text.len()),
        SubstitutionCost::Indel => Some(indel(pattern, text, lcs)),
        SubstitutionCost::One => levenshtein(pattern, text),
    };
    distance.filter(|&distance| distance <= limit)
}

/// Both texts without their common prefix and suffix, which never change the distance.
fn trim_common_ends<'a, U: Unit>(left: &'a [U], right: &'a [U]) -> (&'a [U], &'a [U]) {
    let prefix = U::common_prefix(left, right);
    let (left, right) = (&left[prefix..], &right[prefix..]);
    let suffix = U::common_suffix(left, right);
    (&left[..left.len() - suffix], &right[..right.len() - suffix])
}
