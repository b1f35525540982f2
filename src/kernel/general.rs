//! Scores of a pair in text of any kind: what the lanes cannot take.

use super::distance::Workspace;
use super::prepare::{Preparation, length};
use super::queue::Queue;
use super::rows::{Exact, Request, Similarity};
use super::score::{CharErrors, Nearest, denominator, distance_limit};
use super::short::{Short, wide};
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
    /// Where the queue has the distance, now or later.
    pub place: usize,
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

    /// Puts the distances of a pair into the queue, for the similarity and for the error rate, at two places or
    /// both at the first one.
    pub fn pair(
        &mut self,
        [prediction, answer]: [&str; 2],
        request: &Request,
        best: &mut Best,
        queue: &mut Queue,
        places: [usize; 2],
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
            let distance = prepared.queue(workspace, cost, limit, queue, places[0]);
            if distance.is_some() {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            near = Some(Measured { length, place: places[0] });
        }
        let edits = rate.map(|(pair, length)| {
            if is_shared {
                return Measured { length, place: places[0] };
            }
            let limit = best.errors.map_or(usize::MAX, |best| {
                // An empty reference is not divided, as if its length were one.
                distance_limit(best.rate(), length.max(1))
            });
            let distance = pair.queue(workspace, cost, limit, queue, places[1]);
            if let Some(errors) = distance {
                let candidate = CharErrors { errors, reference_length: length };
                if best.errors.is_none_or(|best| candidate.rate() < best.rate()) {
                    best.errors = Some(candidate);
                }
            }
            Measured { length, place: places[1] }
        });
        (near, edits)
    }
}

impl PreparedPair<'_> {
    /// Puts the distance into the queue and returns it, if it is known at once and within the limit.
    fn queue(
        &self,
        workspace: &mut Workspace,
        cost: SubstitutionCost,
        limit: usize,
        queue: &mut Queue,
        place: usize,
    ) -> Option<usize> {
        let Self { prediction, answer } = *self;
        if cost == SubstitutionCost::One && limit > 0 {
            if let Some([prediction, answer]) = Short::narrow([prediction, answer]) {
                queue.push(place, &prediction, &answer);
                return None;
            }
            if let Some((prediction, answer)) = wide(prediction).zip(wide(answer)) {
                queue.push_wide(place, prediction, answer);
                return None;
            }
        }
        let distance = workspace.distance_within(prediction, answer, cost, limit);
        queue.set(place, distance);
        distance
    }
}
