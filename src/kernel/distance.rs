//! Edit distance of two texts: picks the method, cheapest test first.

use super::band::Band;
use super::bit_parallel::{distance_ascii, distance_units};
use super::blocks::Blocks;
use super::diagonal::{Found, Waves};
use super::pattern::{DenseIds, Unit};
use super::weighted::{SubstitutionCost, indel};

/// Longest pattern of the one-word method.
const WORD: usize = 64;

/// Working memory of the distances, reused from pair to pair.
pub struct Workspace {
    byte_bits: Box<[u64; 256]>,
    left: Vec<u32>,
    right: Vec<u32>,
    blocks: Blocks,
    long: Long,
}

/// Working memory for text of more than one word.
#[derive(Default)]
struct Long {
    byte_waves: Waves<u8>,
    waves: Waves<u32>,
    band: Band,
    ids: DenseIds,
}

/// Length above which the diagonals get twice the budget.
const LONG: usize = 1_000;

/// Ids of bytes.
const BYTES: usize = 256;

impl Default for Workspace {
    fn default() -> Self {
        Self {
            byte_bits: Box::new([0; 256]),
            left: Vec::new(),
            right: Vec::new(),
            blocks: Blocks::default(),
            long: Long::default(),
        }
    }
}

impl Workspace {
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
        let Self { byte_bits, blocks, long, left: left_units, right: right_units } = self;
        let distance = if left.is_ascii() && right.is_ascii() {
            let (left, right) = trim_common_ends(left.as_bytes(), right.as_bytes());
            distance_of(left, right, cost, limit, blocks, |pattern, text| {
                if pattern.len() <= WORD {
                    return Some(distance_ascii(pattern, text, byte_bits));
                }
                match long.byte_waves.distance(pattern, text, budget(text.len()), limit) {
                    Found::Distance(distance) => Some(distance),
                    Found::TooFar => None,
                    Found::Guess(guess) => long.band.distance(pattern, text, BYTES, guess, limit),
                }
            })
        } else {
            decode(left, left_units);
            decode(right, right_units);
            let (left, right) = trim_common_ends(left_units, right_units);
            distance_of(left, right, cost, limit, blocks, |pattern, text| {
                if pattern.len() <= WORD {
                    return Some(distance_units(pattern, text));
                }
                match long.waves.distance(pattern, text, budget(text.len()), limit) {
                    Found::Distance(distance) => Some(distance),
                    Found::TooFar => None,
                    Found::Guess(guess) => {
                        let ids = long.ids.fill(pattern, text);
                        long.band.distance(&long.ids.pattern, &long.ids.text, ids, guess, limit)
                    }
                }
            })
        };
        distance.filter(|&distance| distance <= limit)
    }
}

/// Steps along the diagonals before the band is tried: about where both take the same time.
fn budget(length: usize) -> usize {
    if length <= LONG { length } else { 2 * length }
}

/// `None` where the distance exceeds `limit`; one above it may still be returned. The ends are trimmed.
fn distance_of<U: Unit>(
    left: &[U],
    right: &[U],
    cost: SubstitutionCost,
    limit: usize,
    blocks: &mut Blocks,
    levenshtein: impl FnOnce(&[U], &[U]) -> Option<usize>,
) -> Option<usize> {
    // Each insertion or deletion changes the length by one, so the lengths bound the distance from below.
    let difference = left.len().abs_diff(right.len());
    if difference > limit {
        return None;
    }
    let (pattern, text) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    match cost {
        SubstitutionCost::Free => Some(difference),
        _ if pattern.is_empty() => Some(text.len()),
        SubstitutionCost::Indel => Some(indel(pattern, text, blocks)),
        SubstitutionCost::One => levenshtein(pattern, text),
    }
}

fn decode(text: &str, units: &mut Vec<u32>) {
    units.clear();
    units.extend(text.chars().map(u32::from));
}

/// Both texts without their common prefix and suffix, which never change the distance.
fn trim_common_ends<'a, U: Unit>(left: &'a [U], right: &'a [U]) -> (&'a [U], &'a [U]) {
    let prefix = U::common_prefix(left, right);
    let (left, right) = (&left[prefix..], &right[prefix..]);
    let suffix = U::common_suffix(left, right);
    (&left[..left.len() - suffix], &right[..right.len() - suffix])
}
