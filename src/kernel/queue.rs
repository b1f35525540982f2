//! Distances of many pairs: short ones wait until a vector is full.

use super::lanes::{Batch, LONGEST, Lanes, PAIRS, Planes, Register};
use super::short::Short;

/// Longest text of each width of lanes.
const WIDTHS: [usize; 3] = [8, 16, LONGEST];

/// Stands for a distance beyond its limit.
const BEYOND: usize = usize::MAX;

/// A distance of the queue; `None` beyond its limit.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
pub fn known(distance: usize) -> Option<usize> {
    (distance != BEYOND).then_some(distance)
}

/// Distances, some of them still to be computed.
#[derive(Default)]
pub struct Queue {
    lanes: Lanes,
    distances: Vec<usize>,
    narrow: [Waiting<1>; WIDTHS.len()],
    wide: [Waiting<2>; WIDTHS.len()],
}

/// Pairs of one width.
#[derive(Default)]
struct Waiting<const BYTES: usize> {
    batch: Batch<BYTES>,
    /// Where their distances go.
    places: [u32; PAIRS],
}

impl Queue {
    /// A queue that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: Lanes) -> Self {
        Self { lanes, ..Self::default() }
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
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push(&mut self, place: usize, left: &Short, right: &Short) {
        let waiting = &mut self.narrow[width(left.length(), right.length())];
        waiting.push(place, left.planes(), right.planes(), self.lanes, &mut self.distances);
    }

    /// Takes a pair of texts of at most half of a register, which stand side by side.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push_inside(&mut self, place: usize, texts: Register, lens: [usize; 2]) {
        let waiting = &mut self.narrow[width(lens[0], lens[1])];
        let lane = waiting.batch.push_both(texts, lens);
        waiting.place(lane, place, self.lanes, &mut self.distances);
    }

    /// Takes a pair of two bytes a character.
    pub fn push_wide(&mut self, place: usize, left: Planes<2>, right: Planes<2>) {
        let waiting = &mut self.wide[width(left.1, right.1)];
        waiting.push(place, left, right, self.lanes, &mut self.distances);
    }

    /// Computes what still waits.
    pub fn flush(&mut self) {
        let Self { lanes, distances, narrow, wide } = self;
        for waiting in narrow {
            waiting.run(*lanes, distances);
        }
        for waiting in wide {
            waiting.run(*lanes, distances);
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
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn push(
        &mut self,
        place: usize,
        left: Planes<BYTES>,
        right: Planes<BYTES>,
        lanes: Lanes,
        distances: &mut [usize],
    ) {
        let lane = self.batch.push(left, right);
        self.place(lane, place, lanes, distances);
    }

    /// Notes where the distance of a lane goes, and computes all if this is the last one.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn place(&mut self, lane: usize, place: usize, lanes: Lanes, distances: &mut [usize]) {
        self.places[lane] = place as u32;
        if self.batch.len() == PAIRS {
            self.run(lanes, distances);
        }
    }

    fn run(&mut self, lanes: Lanes, distances: &mut [usize]) {
        let used = self.batch.len();
        if used == 0 {
            return;
        }
        let found = self.batch.distances(lanes);
        for (&place, distance) in self.places[..used].iter().zip(found) {
            distances[place as usize] = usize::from(distance);
        }
    }
}
