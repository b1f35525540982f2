//! The kinds of the edits of an alignment: misread, omitted, added or fabricated.
//!
//! Kinds depend on the alignment. Several can have as few edits; the aligner always takes the same one.

use std::cell::OnceCell;

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use super::super::alignment::{Edit, Operation};
use super::super::whitespace::is_whitespace;
use super::PageErrors;
use super::ngrams;
use super::text::Text;

/// Names edits.
pub struct Kinds<'a> {
    reference: &'a Text<'a>,
    /// What the reference says in runs of [`KNOWN`] words.
    known: OnceCell<HashSet<&'a [u32], FxBuildHasher>>,
    min_words: usize,
    /// Whether units are words, so that each is a stretch of its own.
    are_words: bool,
}

/// Words of a run that shows a text to be known.
const KNOWN: usize = 3;

/// With at least this many units, edits in a row are a stretch even if no word ends there: words are not always separated.
pub const STRETCH: usize = 8;

/// Right units between edits that are taken for one row: in a long stretch some letters meet equal ones by chance.
const CHANCE: usize = 2;

impl<'a> Kinds<'a> {
    pub fn new(reference: &'a Text<'a>, min_words: usize, are_words: bool) -> Self {
        Self { reference, known: OnceCell::new(), min_words, are_words }
    }

    /// Adds the edits that lead to a prediction.
    pub fn count(&self, edits: &[Edit], prediction: &Text, errors: &mut PageErrors) {
        let is_one_empty = prediction.length() == 0 || self.reference.length() == 0;
        for row in rows(edits) {
            let units = row.len();
            if !is_one_empty && !self.is_stretch(row) {
                errors.misread += units;
            } else if row[0].operation == Operation::Delete {
                errors.omitted += units;
            } else {
                let fabricated = self.are_fabricated(row, prediction).iter().filter(|&&is| is).count();
                errors.fabricated += fabricated;
                errors.added += units - fabricated;
            }
        }
    }

    /// Whether insertions or deletions in a row are more than letters of a word.
    fn is_stretch(&self, row: &[Edit]) -> bool {
        let is_space = |edit: &Edit| edit.reference.or(edit.prediction).is_some_and(is_whitespace);
        row[0].operation != Operation::Replace
            && (self.are_words
                || row.len() >= STRETCH
                || row.iter().any(is_space) && !row.iter().all(is_space))
    }

    /// The insertions that are fabricated, each by its place among the edits that lead to a prediction.
    pub fn fabricated(&self, edits: &[Edit], prediction: &Text) -> Vec<bool> {
        let name = |row: &[Edit]| {
            let is_stretch = row[0].operation == Operation::Insert && self.is_stretch(row);
            if is_stretch { self.are_fabricated(row, prediction) } else { vec![false; row.len()] }
        };
        rows(edits).flat_map(name).collect()
    }

    /// Which insertions of a row are in long runs of words that have nothing in common with the reference.
    fn are_fabricated(&self, row: &[Edit], prediction: &Text) -> Vec<bool> {
        let words = prediction.words_of_row(row);
        if words.len() < self.min_words {
            return vec![false; row.len()];
        }
        let known = self.known.get_or_init(|| ngrams::set(&self.reference.numbers, KNOWN));
        let numbers = &prediction.numbers;
        let mut is_known = vec![false; words.len()];
        let first = words.start.saturating_sub(KNOWN - 1);
        let last = numbers.len().min(words.end + KNOWN - 1);
        for (place, run) in numbers[first..last].windows(KNOWN).enumerate() {
            if known.contains(run) {
                for word in (first + place..first + place + KNOWN).filter(|word| words.contains(word)) {
                    is_known[word - words.start] = true;
                }
            }
        }
        let mut is_fabricated = Vec::with_capacity(words.len());
        for run in is_known.chunk_by(|left, right| left == right) {
            is_fabricated.resize(is_fabricated.len() + run.len(), !run[0] && run.len() >= self.min_words);
        }
        let word =
            |edit: &Edit| prediction.word_at(edit.prediction_position).clamp(words.start, words.end - 1);
        row.iter().map(|edit| is_fabricated[word(edit) - words.start]).collect()
    }
}

/// Edits in rows of one kind.
pub fn rows(edits: &[Edit]) -> impl Iterator<Item = &[Edit]> {
    edits.chunk_by(are_in_a_row)
}

fn are_in_a_row(left: &Edit, right: &Edit) -> bool {
    let right_units = match right.operation {
        Operation::Replace => return false,
        Operation::Delete => right.reference_position - left.reference_position,
        Operation::Insert => right.prediction_position - left.prediction_position,
    };
    left.operation == right.operation && right_units <= CHANCE + 1
}
