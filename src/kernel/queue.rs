//! Distances of many pairs: short ones wait until a vector is full.

use super::lanes::{Batch, LONGEST, Lanes, PAIRS};
use super::short::Short;

/// Longest text of each width of lanes.
const WIDTHS: [usize; 3] = [8, 16, LONGEST];

/// Place of a distance in the queue.
#[derive(Clone, Copy, Debug)]
pub struct Ticket(u32);

impl Ticket {
    /// Of the distance 0.
    pub const ZERO: Self = Self(0);
}

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
    tickets: [u32; PAIRS],
}

impl Queue {
    /// A queue that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: Lanes) -> Self {
        Self { lanes, ..Self::default() }
    }

    /// Forgets all distances, but for that of [`Ticket::ZERO`]; called before the first one.
    pub fn clear(&mut self) {
        self.distances.clear();
        self.distances.push(0);
    }

    /// Takes a distance that is known already.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push_known(&mut self, distance: usize) -> Ticket {
        let ticket = self.distances.len() as u32;
        self.distances.push(distance);
        Ticket(ticket)
    }

    /// Takes a pair of ASCII texts whose distance is to be computed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    pub fn push(&mut self, left: &Short, right: &Short) -> Ticket {
        let ticket = self.push_known(0);
        let longer = left.length().max(right.length());
        let width = usize::from(longer > WIDTHS[0]) + usize::from(longer > WIDTHS[1]);
        let Waiting { batch, tickets } = &mut self.waiting[width];
        let lane = batch.push(left.padded(), right.padded());
        tickets[lane] = ticket.0;
        if batch.len() == PAIRS {
            self.run(width);
        }
        ticket
    }

    /// Computes what still waits.
    pub fn flush(&mut self) {
        for width in 0..WIDTHS.len() {
            if self.waiting[width].batch.len() > 0 {
                self.run(width);
            }
        }
    }

    /// The distance of a ticket, after [`Self::flush`].
    pub fn distance(&self, ticket: Ticket) -> usize {
        self.distances[ticket.0 as usize]
    }

    fn run(&mut self, width: usize) {
        let Waiting { batch, tickets } = &mut self.waiting[width];
        let used = batch.len();
        let distances = batch.distances(self.lanes);
        for (&ticket, distance) in tickets[..used].iter().zip(distances) {
            self.distances[ticket as usize] = usize::from(distance);
        }
    }
}
