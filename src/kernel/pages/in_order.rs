//! Pages of which a few letters are misread: no block of them stands elsewhere or again.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::super::alignment::{Edit, Operation};
use super::kinds::rows;
use super::text::Text;

/// Whether no block of at least so many words can be moved or repeated: runs of words that an alignment with these edits
/// does not find at their place are nowhere in the reference, and no stretch has so many words more than in the reference.
///
/// It may say no where it is so, and never says yes where it is not. No word is numbered, and few are looked up.
pub fn is_in_order(texts: [&Text; 2], edits: &[Edit], min_words: usize) -> bool {
    let [reference, prediction] = texts;
    let has_many_words = |row: &[Edit]| {
        row[0].operation == Operation::Insert && prediction.words_of_row(row).len() >= min_words
    };
    if rows(edits).any(has_many_words) {
        return false;
    }
    let in_place = words_in_place(texts, edits);
    let mut least = 0;
    let ends = (prediction.words(), Some(reference.words()));
    for (word, other) in in_place.iter().copied().enumerate().chain([ends]) {
        let Some(other) = other else { continue };
        let surplus = word.cast_signed() - other.cast_signed();
        least = surplus.min(least);
        if (surplus - least).unsigned_abs() >= min_words {
            return false;
        }
    }
    // Where runs start that are not all in place.
    let mut others = Vec::new();
    let (mut run, mut before) = (0, None);
    for (word, &other) in in_place.iter().enumerate() {
        run = if other.is_some() && other == before { run + 1 } else { usize::from(other.is_some()) };
        before = other.map(|other| other + 1);
        if run < min_words && word + 1 >= min_words {
            others.push(word + 1 - min_words);
        }
    }
    if others.is_empty() {
        return true;
    }
    let of_reference: Vec<u64> = (0..reference.words()).map(|word| hash(reference, word)).collect();
    let hash_in_place = |(word, other): (usize, &Option<usize>)| {
        other.map_or_else(|| hash(prediction, word), |other| of_reference[other])
    };
    let of_prediction: Vec<u64> = in_place.iter().enumerate().map(hash_in_place).collect();
    let mut wanted = Hashes::new(others.len());
    for at in others {
        wanted.insert(hash_of_run(&of_prediction[at..at + min_words]));
    }
    !of_reference.windows(min_words).any(|run| wanted.contains(hash_of_run(run)))
}

/// For each word of the prediction that of the reference that stands at its place, if it is the same.
fn words_in_place([reference, prediction]: [&Text; 2], edits: &[Edit]) -> Vec<Option<usize>> {
    let mut edits = edits.iter().peekable();
    let (mut shift, mut other) = (0, 0);
    let of_word = |word: usize| {
        let [start, end] = prediction.units(word);
        let is_before = |edit: &&Edit| {
            edit.prediction_position < start
                || edit.prediction_position == start && edit.operation == Operation::Delete
        };
        while let Some(edit) = edits.next_if(is_before) {
            shift += match edit.operation {
                Operation::Insert => 1,
                Operation::Delete => -1,
                Operation::Replace => 0,
            };
        }
        if edits.peek().is_some_and(|edit| edit.prediction_position < end) {
            return None;
        }
        let place = [start, end].map(|unit| unit.wrapping_add_signed(-shift));
        while other < reference.words() && reference.first_unit(other) < place[0] {
            other += 1;
        }
        (other < reference.words() && reference.units(other) == place).then_some(other)
    };
    (0..prediction.words()).map(of_word).collect()
}

/// Bytes of a word that are a number.
const SHORT: usize = size_of::<u64>();

/// A number of a word that hardly any other has.
fn hash(text: &Text, word: usize) -> u64 {
    let [word, behind] = text.word_and_behind(word);
    if word.len() > SHORT {
        return FxBuildHasher.hash_one(word);
    }
    let first = behind.first_chunk().map_or_else(
        // Near the end of the text.
        || word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)),
        |&first| u64::from_le_bytes(first),
    );
    // Nothing is left of what stands behind the word.
    first.unbounded_shl(u64::BITS - 8 * word.len() as u32)
}

fn hash_of_run(words: &[u64]) -> u64 {
    words.iter().fold(0, |all: u64, word| (all.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        | 1
}

/// A set of hashes, none of which is zero.
struct Hashes {
    slots: Vec<u64>,
}

impl Hashes {
    fn new(hashes: usize) -> Self {
        Self { slots: vec![0; (4 * hashes).next_power_of_two()] }
    }

    /// The slot of a hash, or a free one.
    fn slot(&self, hash: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut at = (hash >> u32::BITS) as usize & last;
        while self.slots[at] != hash && self.slots[at] != 0 {
            at = (at + 1) & last;
        }
        at
    }

    fn insert(&mut self, hash: u64) {
        let at = self.slot(hash);
        self.slots[at] = hash;
    }

    fn contains(&self, hash: u64) -> bool {
        self.slots[self.slot(hash)] == hash
    }
}
