//! Distances of many pairs: short ones wait until a vector is full.

use super::lanes::{Batch, LONGEST, Lanes, PAIRS};
use super::short::Short;

/// Longest text of each width of lanes.
const WIDTHS: [usize; 3] = [8, 16, LONGEST];

/// Stands for a distance beyond its limit.
const BEYOND: usize = usize::MAX;

/// Distances, some of them still to be computed.
#[derive(Default)]
pub struct Queue {
    lanes: Lanes,
    distances: Vec<usize>,
    waiting: [Waiting; WIDTHS.len()],
}

/// Pairs of one width.
#[derive(Default)]
struct Waiting {
    batch: Batch,
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

    /// Takes a pair of ASCII texts whose distance is to be computed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push(&mut self, place: usize, left: &Short, right: &Short) {
        let longer = left.length().max(right.length());
        let width = usize::from(longer > WIDTHS[0]) + usize::from(longer > WIDTHS[1]);
        let Waiting { batch, places } = &mut self.waiting[width];
        let lane = batch.push(left.padded(), right.padded());
        places[lane] = place as u32;
        if batch.len() == PAIRS {
            self.run(width);
        }
    }

    /// Computes what still waits.
    pub fn flush(&mut self) {
        for width in 0..WIDTHS.len() {
            if self.waiting[width].batch.len() > 0 {
                self.run(width);
            }
        }
    }

    /// The distance at a place, after [`Self::flush`]; `None` beyond its limit.
    #[inline]
    pub fn distance(&self, place: usize) -> Option<usize> {
        Some(self.distances[place]).filter(|&distance| distance != BEYOND)
    }

    fn run(&mut self, width: usize) {
        let Waiting { batch, places } = &mut self.waiting[width];
        let used = batch.len();
        let distances = batch.distances(self.lanes);
        for (&place, distance) in places[..used].iter().zip(distances) {
            self.distances[place as usize] = usize::from(distance);
        }
    }
}
