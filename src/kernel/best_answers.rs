//! The best answer of each row of a block, first of equals, among those whose distances are known.
//!
//! Every block of rows ends here, after its distances were computed. Pairs are taken one after the other, whatever
//! their row: neither how many answers a row has nor which of them is the best is a branch, because the processor
//! could not predict it. The results are columns, so that rows of one answer each are divided several at a time.

use std::hint::select_unpredictable;

use super::request::Place;
use super::score::{CharErrors, Nearest, error_rate, normalized_distance};

/// What was found for each row; empty where it was not asked for.
#[derive(Default)]
pub struct BestAnswers {
    /// Normalized distance of the answer with the best similarity.
    pub normalized_distances: Vec<f64>,
    /// Its position among the answers, null ones counted.
    pub indexes: Vec<u32>,
    /// The lowest character error rate.
    pub rates: Vec<f64>,
    /// The edits that give it.
    pub errors: Vec<usize>,
    /// Length of their reference in code points.
    pub reference_lengths: Vec<u32>,
}

impl BestAnswers {
    /// The answer of a row with the best similarity.
    pub fn nearest(&self, row: usize) -> Nearest {
        Nearest::at(self.indexes[row] as usize, self.normalized_distances[row])
    }

    /// The edits of a row with the lowest rate.
    pub fn char_errors(&self, row: usize) -> CharErrors {
        CharErrors { errors: self.errors[row], reference_length: self.reference_lengths[row] as usize }
    }

    /// Takes the only answer of each row, at these distances. One beyond its limit is longer than any text, so the
    /// answer is as far as one without a distance.
    pub fn only_nearest(&mut self, distances: &[usize], lengths: &[u32]) {
        self.normalized_distances.resize(distances.len(), 0.0);
        put_ratios(&mut self.normalized_distances, distances, lengths, normalized_distance);
        self.indexes.clear();
        self.indexes.resize(distances.len(), 0);
    }

    /// Takes the only edits of each row, whose numbers are at these places among the distances.
    pub fn only_fewest(&mut self, distances: &[usize], places: &[u32], lengths: &[u32]) {
        self.errors.clear();
        self.errors.extend(places.iter().map(|&place| distances[place as usize]));
        self.reference_lengths.clear();
        self.reference_lengths.extend_from_slice(lengths);
        self.rates.resize(self.errors.len(), 0.0);
        put_ratios(&mut self.rates, &self.errors, lengths, error_rate);
    }

    /// Chooses the nearest answer of rows, given the place of each row's first answer in the block; each candidate
    /// with its place.
    pub fn best_nearest<'a>(
        &mut self,
        first: &[u32],
        candidates: impl Iterator<Item = (&'a Place, Nearest)>,
    ) {
        let nothing = Nearest::new(0, None, 0);
        self.normalized_distances.clear();
        self.normalized_distances.resize(first.len(), nothing.normalized_distance());
        self.indexes.clear();
        self.indexes.extend_from_slice(first);
        for (place, candidate) in candidates {
            let row = place.row as usize;
            let best = candidate.better_of(self.nearest(row));
            self.normalized_distances[row] = best.normalized_distance();
            self.indexes[row] = best.index as u32;
        }
        for (index, first) in self.indexes.iter_mut().zip(first) {
            *index -= first;
        }
    }

    /// Chooses the fewest edits of each row; each candidate with its place, `None` for edits that are not
    /// the fewest.
    pub fn best_fewest<'a>(
        &mut self,
        rows: usize,
        candidates: impl Iterator<Item = (&'a Place, Option<CharErrors>)>,
    ) {
        self.errors.clear();
        self.errors.resize(rows, 0);
        self.reference_lengths.clear();
        self.reference_lengths.resize(rows, 0);
        self.rates.clear();
        self.rates.resize(rows, f64::INFINITY);
        for (place, candidate) in candidates {
            let Some(edits) = candidate else { continue };
            let (row, rate) = (place.row as usize, edits.rate());
            let is_better = rate < self.rates[row];
            let best = select_unpredictable(is_better, edits, self.char_errors(row));
            self.rates[row] = select_unpredictable(is_better, rate, self.rates[row]);
            self.errors[row] = best.errors;
            self.reference_lengths[row] = best.reference_length as u32;
        }
    }
}

/// Sets each ratio from a distance and a length; several at a time, as there is no branch.
fn put_ratios(ratios: &mut [f64], distances: &[usize], lengths: &[u32], ratio: impl Fn(usize, usize) -> f64) {
    for ((target, &distance), &length) in ratios.iter_mut().zip(distances).zip(lengths) {
        *target = ratio(distance, length as usize);
    }
}
