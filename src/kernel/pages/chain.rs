//! The heaviest runs that both texts have in the same order.
//!
//! An exact maximum, not a greedy choice, in `n log n` steps for `n` runs.

use std::cmp::Reverse;
use std::ops::Range;

use super::run::Run;

/// Places of the heaviest chain among runs, which are apart and in order in the prediction: in the reference each ends
/// after the one before it, with which it may share words, which weigh once. `weight` is that of all words before one.
pub fn heaviest(runs: &[Run], weight: impl Fn(usize) -> usize) -> Vec<usize> {
    let weight = |word: usize| weight(word).cast_signed();
    let mut ends: Vec<usize> = runs.iter().map(Run::reference_end).collect();
    ends.sort_unstable();
    ends.dedup();
    let rank = |end: usize| ends.partition_point(|&other| other < end);
    // What chains weigh that end with a run, and what they weigh beyond the words up to its end.
    let (mut whole, mut beyond) = (Maxima::new(ends.len()), Maxima::new(ends.len()));
    let mut before = Vec::with_capacity(runs.len());
    for (place, run) in runs.iter().enumerate() {
        let (start, end) = (run.reference, run.reference_end());
        let [start_rank, end_rank] = [rank(start + 1), rank(end)];
        let apart = whole.best(0..start_rank).map(|(best, at)| (best + weight(end) - weight(start), at));
        let shared = beyond.best(start_rank..end_rank).map(|(best, at)| (best + weight(end), at));
        let alone = weight(end) - weight(start);
        let (best, at) = match apart.max(shared) {
            Some((best, Reverse(at))) if best > alone => (best, Some(at)),
            _ => (alone, None),
        };
        before.push(at);
        whole.raise(end_rank, best, place);
        beyond.raise(end_rank, best - weight(end), place);
    }
    let last = whole.best(0..ends.len()).map(|(_, Reverse(at))| at);
    let mut chain: Vec<usize> = std::iter::successors(last, |&at| before[at]).collect();
    chain.reverse();
    chain
}

/// A value and whose it is, the first of equals.
type Best = (isize, Reverse<usize>);

/// Values in a row that only grow, and the largest of any part of them.
struct Maxima {
    tree: Vec<Option<Best>>,
}

impl Maxima {
    fn new(places: usize) -> Self {
        Self { tree: vec![None; 2 * places] }
    }

    fn raise(&mut self, place: usize, value: isize, of: usize) {
        let mut node = self.tree.len() / 2 + place;
        while node > 0 {
            self.tree[node] = self.tree[node].max(Some((value, Reverse(of))));
            node /= 2;
        }
    }

    fn best(&self, places: Range<usize>) -> Option<Best> {
        let half = self.tree.len() / 2;
        let (mut from, mut to) = (half + places.start, half + places.end);
        let mut best = None;
        while from < to {
            if from % 2 == 1 {
                best = best.max(self.tree[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                best = best.max(self.tree[to]);
            }
            (from, to) = (from / 2, to / 2);
        }
        best
    }
}
