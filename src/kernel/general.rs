//! Scores of a pair in text of any kind: what the lanes cannot take.

use super::distance::Workspace;
use super::prepare::{Preparation, length};
use super::rows::{Exact, Request, Similarity};
use super::score::{CharErrors, Nearest, denominator, distance_limit};
use super::short::Short;
use super::weighted::SubstitutionCost;

/// The best of a row among the distances that are known already: others need not be exact beyond it.
#[derive(Clone, Copy, Default)]
pub struct Best {
    nearest: Option<Nearest>,
    errors: Option<CharErrors>,
}

/// What is known of a pair.
pub struct Measured {
    /// What the distance is divided by.
    pub length: usize,
    /// The distance, or what it takes to have it.
    pub distance: Distance,
}

/// The distance of a pair.
pub enum Distance {
    /// Edit distance; `None` beyond the limit.
    Known(Option<usize>),
    /// That of two texts that fit into the lanes.
    OfShort([Short; 2]),
    /// That of the similarity.
    Shared,
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
        let mut near = None;
        let mut is_shared = false;
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
            is_shared = rate.as_ref().is_some_and(|(pair, _)| {
                pair.prediction == prepared.prediction && pair.answer == prepared.answer
            });
            let cut = match exact {
                Exact::All => usize::MAX,
                Exact::Kept(threshold) => protocol.cut.distance_limit(threshold, length),
                Exact::Equality => 0,
            };
            let nearer = best.nearest.map_or(usize::MAX, |best| best.distance_limit(length));
            let limit = if is_shared { usize::MAX } else { nearer.min(cut) };
            let distance = prepared.distance(workspace, cost, limit);
            if let Distance::Known(distance @ Some(_)) = distance {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            near = Some(Measured { length, distance });
        }
        let edits = rate.map(|(pair, length)| {
            if is_shared {
                return Measured { length, distance: Distance::Shared };
            }
            let limit = best.errors.map_or(usize::MAX, |best| {
                // An empty reference is not divided, as if its length were one.
                distance_limit(best.rate(), length.max(1))
            });
            let distance = pair.distance(workspace, cost, limit);
            if let Distance::Known(Some(errors)) = distance {
                let candidate = CharErrors { errors, reference_length: length };
                if best.errors.is_none_or(|best| candidate.rate() < best.rate()) {
                    best.errors = Some(candidate);
                }
            }
            Measured { length, distance }
        });
        (near, edits)
    }
}

impl PreparedPair<'_> {
    fn distance(&self, workspace: &mut Workspace, cost: SubstitutionCost, limit: usize) -> Distance {
        let Self { prediction, answer } = *self;
        let is_for_lanes = cost == SubstitutionCost::One && limit > 0;
        match Short::narrow([prediction, answer]).filter(|_| is_for_lanes) {
            Some(pair) => Distance::OfShort(pair),
            None => Distance::Known(workspace.distance_within(prediction, answer, cost, limit)),
        }
    }
}
