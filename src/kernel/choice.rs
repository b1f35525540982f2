//! The best answer of each row of a block, first of equals, among those whose distances are known.
//!
//! Pairs are taken one after the other, whatever their row: neither how many answers a row has nor which of them
//! is the best is a branch, as nobody could predict it.

use std::hint::select_unpredictable;

use super::score::{CharErrors, Nearest};

/// What was found for each row.
#[derive(Default)]
pub struct Choice {
    /// The answer with the best similarity.
    pub nearest: Vec<Nearest>,
    /// The edits with the lowest rate.
    pub errors: Vec<Fewest>,
}

/// Edits with their rate.
#[derive(Clone, Copy)]
pub struct Fewest {
    /// The edits.
    pub edits: CharErrors,
    /// Character error rate.
    pub rate: f64,
}

impl Choice {
    /// Takes the only candidate of each row.
    pub fn all_nearest(&mut self, candidates: impl Iterator<Item = Nearest>) {
        self.nearest.clear();
        self.nearest.extend(candidates);
    }

    /// Takes the only candidate of each row.
    pub fn all_fewest(&mut self, candidates: impl Iterator<Item = CharErrors>) {
        self.errors.clear();
        self.errors.extend(candidates.map(|edits| Fewest { edits, rate: edits.rate() }));
    }

    /// Chooses among the candidates, each with its row.
    pub fn nearest(&mut self, rows: usize, candidates: impl Iterator<Item = (usize, Nearest)>) {
        self.nearest.clear();
        self.nearest.resize(rows, Nearest::new(0, None, 0));
        for (row, candidate) in candidates {
            let best = &mut self.nearest[row];
            *best = candidate.better_of(*best);
        }
    }

    /// Chooses among the candidates, each with its row; `None` for edits that are not the fewest.
    pub fn fewest(&mut self, rows: usize, candidates: impl Iterator<Item = (usize, Option<CharErrors>)>) {
        let nothing = CharErrors { errors: 0, reference_length: 0 };
        self.errors.clear();
        self.errors.resize(rows, Fewest { edits: nothing, rate: f64::INFINITY });
        for (row, candidate) in candidates {
            let Some(edits) = candidate else { continue };
            let rate = edits.rate();
            let best = &mut self.errors[row];
            *best = select_unpredictable(rate < best.rate, Fewest { edits, rate }, *best);
        }
    }
}
