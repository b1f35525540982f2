//! Runs of words that two texts have in common.

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

    /// Without words at its start.
    pub fn behind(self, words: usize) -> Self {
        Self {
            reference: self.reference + words,
            prediction: self.prediction + words,
            words: self.words - words,
        }
    }

    /// Where runs stand among the words that are not taken out.
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
