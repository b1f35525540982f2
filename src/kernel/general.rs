//! Scores of a pair in text of any kind: what the lanes cannot take.

use super::distance::Workspace;
use super::prepare::{Preparation, length};
use super::rows::{Exact, Request, Similarity};
use super::score::{CharErrors, Nearest, denominator, distance_limit};

/// The best of a row among the distances that are known already: others need not be exact beyond it.
#[derive(Clone, Copy, Default)]
pub struct Best {
    nearest: Option<Nearest>,
    errors: Option<CharErrors>,
}

/// A length, and a distance unless it is beyond a limit.
pub struct Measured {
    /// What the distance is divided by.
    pub length: usize,
    /// Edit distance.
    pub distance: Option<usize>,
}

/// Working memory for pairs of any kind.
#[derive(Default)]
pub struct GeneralScorer {
    workspace: Workspace,
    buffers: [[String; 2]; 2],
}

/// A pair of texts after preparation.
struct PreparedPair<'a> {
    prediction: &'a str,
    answer: &'a str,
}

impl GeneralScorer {
    /// Length of a text after preparation.
    pub fn length(&mut self, text: &str, preparation: Preparation) -> usize {
        length(preparation.prepare(text, &mut self.buffers[0][0]))
    }

    /// Distances of a pair: for the similarity and for the error rate.
    pub fn pair(
        &mut self,
        prediction: &str,
        answer: &str,
        request: &Request,
        best: &mut Best,
    ) -> (Option<Measured>, Option<Measured>) {
        let Self { workspace, buffers: [[p, a], [error_p, error_a]] } = self;
        let cost = request.cost;
        let mut known = None;
        let mut near = None;
        let rate = request.errors.map(|preparation| {
            let prediction = preparation.prepare(prediction, error_p);
            let answer = preparation.prepare(answer, error_a);
            (PreparedPair { prediction, answer }, length(answer))
        });
        if let Some(Similarity { protocol, exact }) = request.similarity {
            let preparation = protocol.preparation;
            let prepared = PreparedPair {
                prediction: preparation.prepare(prediction, p),
                answer: preparation.prepare(answer, a),
            };
            let of = |raw, prepared| denominator(raw, prepared, protocol.denominator);
            let length = of(prediction, prepared.prediction).max(of(answer, prepared.answer));
            // The distance serves the rate as well, where both agree; then it is computed without a limit.
            let shared = rate.as_ref().is_some_and(|(pair, _)| {
                pair.prediction == prepared.prediction && pair.answer == prepared.answer
            });
            let limit = if shared {
                usize::MAX
            } else {
                let cut = match exact {
                    Exact::All => usize::MAX,
                    Exact::Kept(threshold) => protocol.cut.distance_limit(threshold, length),
                    Exact::Equality => 0,
                };
                best.nearest.map_or(usize::MAX, |best| best.distance_limit(length)).min(cut)
            };
            let distance = workspace.distance_within(prepared.prediction, prepared.answer, cost, limit);
            if distance.is_some() {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            known = distance.filter(|_| shared);
            near = Some(Measured { length, distance });
        }
        let edits = rate.map(|(pair, reference_length)| {
            let limit = best.errors.map_or(usize::MAX, |best| {
                // An empty reference is not divided, as if its length were one.
                distance_limit(best.rate(), reference_length.max(1))
            });
            let distance =
                known.or_else(|| workspace.distance_within(pair.prediction, pair.answer, cost, limit));
            if let Some(errors) = distance {
                let candidate = CharErrors { errors, reference_length };
                if best.errors.is_none_or(|best| candidate.rate() < best.rate()) {
                    best.errors = Some(candidate);
                }
            }
            Measured { length: reference_length, distance }
        });
        (near, edits)
    }
}
