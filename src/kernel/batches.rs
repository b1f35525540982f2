//! The distances of a block: pairs of one width wait here until a vector is full, and are computed together.
//!
//! All ways but one end here: only pairs of more than 128 characters are computed alone, by
//! [`distance`](super::distance). Waiting takes two stores of a text; the distances of 32 short pairs then cost 5 to 30
//! ns a pair, those of four longer ones 190 to 390.

use super::lanes::{Affixes, Batch, Decoded, Isa, LONGEST, PAIRS, Planes, QUAD, Quads, Register};
use super::view::Memory;

/// Longest text of each width of lanes.
const WIDTHS: [usize; 3] = [8, 16, LONGEST];

/// Marks a distance beyond its limit.
const BEYOND: usize = usize::MAX;

/// A distance of the queue; `None` beyond its limit.
#[inline(always)]
pub fn known(distance: usize) -> Option<usize> {
    (distance != BEYOND).then_some(distance)
}

/// Distances, some of them still to be computed.
#[derive(Default)]
pub struct Batches {
    isa: Isa,
    distances: Vec<usize>,
    narrow: [Waiting<Batch<1>, PAIRS>; WIDTHS.len()],
    // Made for the first pair, because they are large compared with what a call on a few rows takes.
    wide: Option<Box<[Waiting<Batch<2>, PAIRS>; WIDTHS.len()]>>,
    one_word: Option<Box<Waiting<Quads<1, WORD>, QUAD>>>,
    two_words: Option<Box<Waiting<Quads<2, LONGEST_BYTES>, QUAD>>>,
}

/// Longest text of one word.
const WORD: usize = 64;

/// Longest text in one byte a character that waits.
pub const LONGEST_BYTES: usize = 2 * WORD;

/// Pairs of one width that wait until there are `FULL` of them.
struct Waiting<L, const FULL: usize> {
    lanes: L,
    /// How many there are.
    used: usize,
    /// Where their distances go.
    places: [u32; FULL],
}

trait Lanes<const FULL: usize>: Default {
    type Distance: Into<usize>;

    /// The distances of the first `used` of them.
    fn distances(&mut self, used: usize, isa: Isa) -> [Self::Distance; FULL];
}

impl<const BYTES: usize> Lanes<PAIRS> for Batch<BYTES> {
    type Distance = u8;

    #[inline(always)]
    fn distances(&mut self, used: usize, isa: Isa) -> [u8; PAIRS] {
        self.distances(used, isa)
    }
}

impl<const WORDS: usize, const LONGEST: usize> Lanes<QUAD> for Quads<WORDS, LONGEST> {
    type Distance = usize;

    #[inline(always)]
    fn distances(&mut self, used: usize, isa: Isa) -> [usize; QUAD] {
        self.distances(used, isa)
    }
}

impl Batches {
    /// A queue that computes with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
    }

    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Makes room for `distances` distances, all of them 0; called before the first one.
    pub fn clear(&mut self, distances: usize) {
        self.distances.clear();
        self.distances.resize(distances, 0);
    }

    /// Sets a distance that is known, or beyond its limit.
    pub fn set(&mut self, place: usize, distance: Option<usize>) {
        self.distances[place] = distance.unwrap_or(BEYOND);
    }

    /// Takes a pair of one byte a character.
    #[inline(always)]
    pub fn push_narrow(&mut self, place: usize, left: Planes<1>, right: Planes<1>) {
        let waiting = &mut self.narrow[width(left.1, right.1)];
        waiting.push(place, self.isa, &mut self.distances, |lanes, lane| lanes.set(lane, left, right));
    }

    /// Takes a pair of texts that share a register, each in at most half of it.
    #[inline(always)]
    pub fn push_inline(&mut self, place: usize, texts: Register, lens: [usize; 2]) {
        let waiting = &mut self.narrow[width(lens[0], lens[1])];
        waiting.push(place, self.isa, &mut self.distances, |lanes, lane| lanes.set_both(lane, texts, lens));
    }

    /// Takes a pair of two bytes a character.
    pub fn push_wide(&mut self, place: usize, left: Planes<2>, right: Planes<2>) {
        let waiting = &mut self.wide.get_or_insert_default()[width(left.1, right.1)];
        waiting.push(place, self.isa, &mut self.distances, |lanes, lane| lanes.set(lane, left, right));
    }

    /// Takes a pair without its common ends, if it fits into lanes then or nothing is left of a text.
    #[inline]
    pub fn push_middles(&mut self, place: usize, texts: [Memory; 2], affixes: &Affixes) -> bool {
        if let Some(distance) = affixes.distance() {
            self.set(place, Some(distance));
            return true;
        }
        let Affixes { prefix, suffix, different, .. } = *affixes;
        if different[0].max(different[1]) > LONGEST {
            return false;
        }
        match self.isa.decode(texts.map(|text| text.part(prefix..text.len() - suffix))) {
            Some(Decoded::Narrow([left, right])) => self.push_narrow(place, left, right),
            Some(Decoded::Wide([left, right])) => self.push_wide(place, left, right),
            None => return false,
        }
        true
    }

    /// Takes a pair of at most [`LONGEST_BYTES`], one a character.
    pub fn push_bytes(&mut self, place: usize, [left, right]: [&[u8]; 2]) {
        let Self { isa, distances, one_word, two_words, .. } = self;
        if left.len().max(right.len()) <= WORD {
            let waiting = one_word.get_or_insert_default();
            waiting.push(place, *isa, distances, |lanes, lane| lanes.set(lane, left, right));
        } else {
            let waiting = two_words.get_or_insert_default();
            waiting.push(place, *isa, distances, |lanes, lane| lanes.set(lane, left, right));
        }
    }

    pub fn flush(&mut self) {
        let Self { isa, distances, narrow, wide, one_word, two_words } = self;
        if let Some(waiting) = one_word {
            waiting.run(*isa, distances);
        }
        if let Some(waiting) = two_words {
            waiting.run(*isa, distances);
        }
        for waiting in narrow {
            waiting.run(*isa, distances);
        }
        for waiting in wide.iter_mut().flat_map(|waiting| &mut **waiting) {
            waiting.run(*isa, distances);
        }
    }

    /// The distances, after [`Self::flush`]; see [`known`].
    pub fn distances(&self) -> &[usize] {
        &self.distances
    }
}

/// The narrowest lanes for two lengths.
fn width(left: usize, right: usize) -> usize {
    let longer = left.max(right);
    usize::from(longer > WIDTHS[0]) + usize::from(longer > WIDTHS[1])
}

impl<L: Lanes<FULL>, const FULL: usize> Default for Waiting<L, FULL> {
    fn default() -> Self {
        Self { lanes: L::default(), used: 0, places: [0; FULL] }
    }
}

impl<L: Lanes<FULL>, const FULL: usize> Waiting<L, FULL> {
    /// Takes a pair, which `set` puts into a lane, and computes all distances if this is the last one.
    #[inline(always)]
    fn push(&mut self, place: usize, isa: Isa, distances: &mut [usize], set: impl FnOnce(&mut L, usize)) {
        self.places[self.used] = place as u32;
        set(&mut self.lanes, self.used);
        self.used += 1;
        if self.used == FULL {
            self.run(isa, distances);
        }
    }

    fn run(&mut self, isa: Isa, distances: &mut [usize]) {
        if self.used > 0 {
            let found = self.lanes.distances(self.used, isa);
            for (&place, distance) in self.places[..self.used].iter().zip(found) {
                distances[place as usize] = distance.into();
            }
            self.used = 0;
        }
    }
}
