//! Runs of words that two texts have in common.
//!
//! Only runs of words that the reference has once are seeds, which are then extended: what occurs twice has no clear
//! place.

use super::ngrams::{Places, common_end, common_start};

/// Words that both texts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub reference: usize,
    pub prediction: usize,
    pub words: usize,
}

impl Run {
    pub fn reference_end(&self) -> usize {
        self.reference + self.words
    }

    pub fn prediction_end(&self) -> usize {
        self.prediction + self.words
    }

    /// The first word of it on a side, the reference's being 0.
    pub fn start(&self, side: usize) -> usize {
        [self.reference, self.prediction][side]
    }

    /// Without words at its start.
    pub fn behind(self, words: usize) -> Self {
        Self {
            reference: self.reference + words,
            prediction: self.prediction + words,
            words: self.words - words,
        }
    }

    /// The places of runs among the words that are not taken out.
    pub fn among_rest(runs: Vec<Self>, taken: &[Vec<bool>; 2]) -> impl Iterator<Item = Self> {
        let (mut left, mut seen) = ([0, 0], [0, 0]);
        runs.into_iter().map(move |run| {
            for (side, word) in [run.reference, run.prediction].into_iter().enumerate() {
                left[side] += taken[side][seen[side]..word].iter().filter(|&&taken| !taken).count();
                seen[side] = word;
            }
            Self { reference: left[0], prediction: left[1], ..run }
        })
    }
}

/// Runs of at least `min_words` words that the reference has at one place only, in the order of the prediction, in which
/// they are apart. Only runs at every `every`th word of the reference are looked up, and then extended.
pub fn runs(numbers: [&[u32]; 2], min_words: usize, every: usize) -> Vec<Run> {
    let [reference, prediction] = numbers;
    let places = Places::new(reference, min_words, every);
    let mut runs: Vec<Run> = Vec::new();
    let (mut done, mut at) = (0, 0);
    while at + min_words <= prediction.len() {
        // What is left of the last run has no other place.
        if at + min_words <= done {
            at = done - min_words + 1;
            continue;
        }
        let Some(place) = places.only(&prediction[at..]) else {
            at += 1;
            continue;
        };
        let diagonal = runs.last().map(|run| run.reference.wrapping_sub(run.prediction));
        if at < done && diagonal == Some(place.wrapping_sub(at)) {
            at += 1;
            continue;
        }
        let back = if at > done { common_end(&reference[..place], &prediction[done..at]) } else { 0 };
        let ahead = common_start(&reference[place..], &prediction[at..]);
        let run = Run { reference: place - back, prediction: at - back, words: back + ahead };
        let run = run.behind(done.saturating_sub(run.prediction));
        if run.words >= min_words {
            done = run.prediction_end();
            runs.push(run);
        }
        at += 1;
    }
    runs
}
