//! Distances of many pairs: short ones wait until a vector is full.

use super::lanes::{Affixes, Batch, Decoded, Isa, LONGEST, PAIRS, Planes, QUAD, Quads, Register};
use super::text32::Text32;
use super::view::Memory;

/// Longest text of each width of lanes.
const WIDTHS: [usize; 3] = [8, 16, LONGEST];

/// Stands for a distance beyond its limit.
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
    narrow: [Waiting<1>; WIDTHS.len()],
    wide: [Waiting<2>; WIDTHS.len()],
    one_word: WaitingQuads<1, WORD>,
    two_words: WaitingQuads<2, LONGEST_BYTES>,
}

/// Longest text of one word.
const WORD: usize = 64;

/// Longest text in one byte a character that waits.
pub const LONGEST_BYTES: usize = 2 * WORD;

/// Pairs of texts that are too long for lanes.
#[derive(Default)]
struct WaitingQuads<const WORDS: usize, const LONGEST: usize> {
    quads: Quads<WORDS, LONGEST>,
    /// Where their distances go.
    places: [u32; QUAD],
}

/// Pairs of one width.
#[derive(Default)]
struct Waiting<const BYTES: usize> {
    batch: Batch<BYTES>,
    /// Where their distances go.
    places: [u32; PAIRS],
}

impl Batches {
    /// A queue that computes with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
    }

    /// The instruction set that computes.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Makes room for so many distances, all of them 0; called before the first one.
    pub fn clear(&mut self, distances: usize) {
        self.distances.clear();
        self.distances.resize(distances, 0);
    }

    /// Sets a distance that is known, or beyond its limit.
    pub fn set(&mut self, place: usize, distance: Option<usize>) {
        self.distances[place] = distance.unwrap_or(BEYOND);
    }

    /// Takes a pair of one byte a character whose distance is to be computed.
    #[inline(always)]
    pub fn push(&mut self, place: usize, left: &Text32, right: &Text32) {
        self.push_narrow(place, left.planes(), right.planes());
    }

    /// The same.
    #[inline(always)]
    pub fn push_narrow(&mut self, place: usize, left: Planes<1>, right: Planes<1>) {
        let waiting = &mut self.narrow[width(left.1, right.1)];
        waiting.push(place, left, right, self.isa, &mut self.distances);
    }

    /// Takes a pair of texts of at most half of a register, which stand side by side.
    #[inline(always)]
    pub fn push_inline(&mut self, place: usize, texts: Register, lens: [usize; 2]) {
        let waiting = &mut self.narrow[width(lens[0], lens[1])];
        let lane = waiting.batch.push_both(texts, lens);
        waiting.place(lane, place, self.isa, &mut self.distances);
    }

    /// Takes a pair of two bytes a character.
    pub fn push_wide(&mut self, place: usize, left: Planes<2>, right: Planes<2>) {
        let waiting = &mut self.wide[width(left.1, right.1)];
        waiting.push(place, left, right, self.isa, &mut self.distances);
    }

    /// Takes a pair without its common ends, if it fits into lanes then.
    pub fn push_middles(&mut self, place: usize, texts: [Memory; 2], affixes: &Affixes) -> bool {
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
        if left.len().max(right.len()) <= WORD {
            self.one_word.push(place, left, right, self.isa, &mut self.distances);
        } else {
            self.two_words.push(place, left, right, self.isa, &mut self.distances);
        }
    }

    /// Computes what still waits.
    pub fn flush(&mut self) {
        let Self { isa, distances, narrow, wide, one_word, two_words } = self;
        one_word.run(*isa, distances);
        two_words.run(*isa, distances);
        for waiting in narrow {
            waiting.run(*isa, distances);
        }
        for waiting in wide {
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

impl<const BYTES: usize> Waiting<BYTES> {
    #[inline(always)]
    fn push(
        &mut self,
        place: usize,
        left: Planes<BYTES>,
        right: Planes<BYTES>,
        isa: Isa,
        distances: &mut [usize],
    ) {
        let lane = self.batch.push(left, right);
        self.place(lane, place, isa, distances);
    }

    /// Notes where the distance of a lane goes, and computes all if this is the last one.
    #[inline(always)]
    fn place(&mut self, lane: usize, place: usize, isa: Isa, distances: &mut [usize]) {
        self.places[lane] = place as u32;
        if self.batch.len() == PAIRS {
            self.run(isa, distances);
        }
    }

    fn run(&mut self, isa: Isa, distances: &mut [usize]) {
        let used = self.batch.len();
        if used == 0 {
            return;
        }
        let found = self.batch.distances(isa);
        for (&place, distance) in self.places[..used].iter().zip(found) {
            distances[place as usize] = usize::from(distance);
        }
    }
}

impl<const WORDS: usize, const LONGEST: usize> WaitingQuads<WORDS, LONGEST> {
    fn push(&mut self, place: usize, left: &[u8], right: &[u8], isa: Isa, distances: &mut [usize]) {
        self.places[self.quads.push(left, right)] = place as u32;
        if self.quads.len() == QUAD {
            self.run(isa, distances);
        }
    }

    fn run(&mut self, isa: Isa, distances: &mut [usize]) {
        let used = self.quads.len();
        if used == 0 {
            return;
        }
        let found = self.quads.distances(isa);
        for (&place, distance) in self.places[..used].iter().zip(found) {
            distances[place as usize] = distance;
        }
    }
}
