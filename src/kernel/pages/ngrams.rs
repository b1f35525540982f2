//! Runs of a few words, found by their hash.
//!
//! Tables hold slices of the text, so they cost no copies: one hash of `words` numbers per run.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use rustc_hash::FxBuildHasher;

/// The places of runs of a fixed number of words, if each is at one place only.
pub struct Places<'a> {
    words: usize,
    places: HashMap<&'a [u32], Option<usize>, FxBuildHasher>,
}

impl<'a> Places<'a> {
    /// The places of the runs that start at every `every`th word.
    pub fn new(text: &'a [u32], words: usize, every: usize) -> Self {
        let mut places = HashMap::with_capacity_and_hasher(text.len() / every, FxBuildHasher);
        for (place, run) in text.windows(words).enumerate().step_by(every) {
            match places.entry(run) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(place));
                }
                Entry::Occupied(mut entry) => {
                    entry.insert(None);
                }
            }
        }
        Self { words, places }
    }

    /// The only place of the words with which a text starts.
    pub fn only(&self, text: &[u32]) -> Option<usize> {
        *self.places.get(text.get(..self.words)?)?
    }
}

/// For the start of each run of `words` words, the earlier place where the same run starts.
pub fn earlier(text: &[u32], words: usize) -> Vec<Option<usize>> {
    let mut last = HashMap::with_capacity_and_hasher(text.len(), FxBuildHasher);
    text.windows(words).enumerate().map(|(place, run): (usize, &[u32])| last.insert(run, place)).collect()
}

/// All runs of `words` words.
pub fn set(text: &[u32], words: usize) -> HashSet<&[u32], FxBuildHasher> {
    text.windows(words).collect()
}

/// How many words two texts start with in common.
pub fn common_start(left: &[u32], right: &[u32]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// How many words they end with in common.
pub fn common_end(left: &[u32], right: &[u32]) -> usize {
    left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count()
}
