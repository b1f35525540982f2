//! Scores of one prediction against its accepted answers: the one place in Rust with formulas.
//!
//! [`Scorer`] takes a row at a time. It is the definition that tests compare columns with, and serves single pairs from
//! Python. Use [`rows`](super::rows) for columns: it computes many rows at once, and the scores are the same to the
//! last bit.

use std::collections::HashMap;
use std::hint::select_unpredictable;

use rustc_hash::FxBuildHasher;

use super::distance::Workspace;
use super::length::{length, upper_length};
use super::prepare::Preparation;
use super::units::{TextUnit, Units};
use super::weighted::SubstitutionCost;

/// The length by which a distance is divided: the longer one of the two texts, counted so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Denominator {
    /// Code points after preparation.
    Prepared,
    /// Code points of the prepared text in upper case.
    PreparedUpper,
    /// Code points of the text as it came, in upper case.
    RawUpper,
}

/// How the threshold `t` cuts a score to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Cut {
    /// Kept where `d / L < t`.
    Distance,
    /// Kept where `1 - d / L >= t`.
    Similarity,
}

/// How a question-answering score is computed.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// Text preparation.
    pub preparation: Preparation,
    /// What a distance is divided by.
    pub denominator: Denominator,
    /// Side of the threshold comparison.
    pub cut: Cut,
}

/// Normalized distance of two texts; 0 for two empty ones.
pub fn normalized_distance(distance: usize, length: usize) -> f64 {
    // Two empty texts are at distance 0.
    distance as f64 / (length as f64).max(1.0)
}

/// Character error rate: edits by reference length; the number of edits where the reference is empty.
pub fn error_rate(errors: usize, reference_length: usize) -> f64 {
    errors as f64 / (reference_length as f64).max(1.0)
}

impl Cut {
    /// The score after the cut. In this order and in double precision, as the named scorers compute it:
    /// `1 - 9/10` stays below 0.1.
    fn apply(self, normalized_distance: f64, threshold: f64) -> f64 {
        let similarity = 1.0 - normalized_distance;
        let kept = match self {
            Self::Distance => normalized_distance < threshold,
            Self::Similarity => similarity >= threshold,
        };
        if kept { similarity } else { 0.0 }
    }

    /// A distance above this one, divided by `length`, is cut; generous as [`distance_limit`] is.
    pub fn distance_limit(self, threshold: f64, length: usize) -> usize {
        let rate = match self {
            Self::Distance => threshold,
            Self::Similarity => 1.0 - threshold,
        };
        distance_limit(rate, length)
    }

    /// The threshold on the grid k/200 at which a score is just kept: the lowest k for a distance cut, the
    /// highest for a similarity cut; `None` where no threshold in [0, 1] keeps it.
    fn grid_threshold(self, normalized_distance: f64) -> Option<u8> {
        let kept = |k: &u8| match self {
            Self::Distance => normalized_distance < f64::from(*k) / GRID,
            Self::Similarity => 1.0 - normalized_distance >= f64::from(*k) / GRID,
        };
        // Rounding may be off by one step: the comparison itself finds the exact one nearby.
        #[expect(clippy::cast_sign_loss, reason = "a negative value saturates to 0")]
        let near = match self {
            Self::Distance => normalized_distance * GRID,
            Self::Similarity => (1.0 - normalized_distance) * GRID,
        } as u8;
        let mut around = near.saturating_sub(1)..=near.saturating_add(2).min(200);
        match self {
            Self::Distance => around.find(kept),
            Self::Similarity => around.rev().find(kept),
        }
    }
}

impl Protocol {
    /// The largest distance that two prepared texts of this similarity can have; `None` if lengths are counted
    /// otherwise.
    pub fn most_edits(&self, nearest: &Nearest, texts: [&str; 2]) -> Option<usize> {
        let is_known =
            self.denominator == Denominator::Prepared && self.preparation.unit == TextUnit::Codepoint;
        // Rounded by less than one.
        #[expect(clippy::cast_sign_loss, reason = "no distance is negative")]
        let most = |longer: usize| (nearest.normalized_distance * longer as f64).ceil() as usize;
        is_known.then(|| most(texts.map(length).into_iter().fold(0, usize::max)))
    }
}

/// Number of steps of the threshold grid on [0, 1].
const GRID: f64 = 200.0;

/// The answer with the best normalized similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Position among the answers, null ones counted.
    pub index: usize,
    normalized_distance: f64,
}

impl Nearest {
    /// The answer at `index`, at `distance / length`; without a distance, farther than any other.
    pub fn new(index: usize, distance: Option<usize>, length: usize) -> Self {
        let normalized_distance = distance.map_or(f64::INFINITY, |d| normalized_distance(d, length));
        Self { index, normalized_distance }
    }

    /// The answer at `index` at this normalized distance.
    pub fn at(index: usize, normalized_distance: f64) -> Self {
        Self { index, normalized_distance }
    }

    /// The distance divided by the length; infinite without one.
    pub fn normalized_distance(&self) -> f64 {
        self.normalized_distance
    }

    /// Whether this answer comes before one found earlier.
    pub fn is_better_than(&self, earlier: &Self) -> bool {
        self.normalized_distance < earlier.normalized_distance
    }

    /// The better one of this answer and one found earlier, without a branch.
    #[inline(always)]
    #[must_use]
    pub fn better_of(self, earlier: Self) -> Self {
        let is_better = self.is_better_than(&earlier);
        Self {
            index: select_unpredictable(is_better, self.index, earlier.index),
            normalized_distance: select_unpredictable(
                is_better,
                self.normalized_distance,
                earlier.normalized_distance,
            ),
        }
    }

    /// Whether the texts are equal after preparation.
    pub fn is_exact(&self) -> bool {
        self.normalized_distance <= 0.0
    }

    /// A distance above this one, divided by `length`, cannot be better.
    pub fn distance_limit(&self, length: usize) -> usize {
        distance_limit(self.normalized_distance, length)
    }

    /// Normalized Levenshtein similarity.
    pub fn nls(&self) -> f64 {
        1.0 - self.normalized_distance
    }

    /// The similarity after the protocol's cut.
    pub fn anls(&self, cut: Cut, threshold: f64) -> f64 {
        cut.apply(self.normalized_distance, threshold)
    }

    /// The place of the score on the threshold grid, in steps of 1/200.
    pub fn grid_threshold(&self, cut: Cut) -> Option<u8> {
        cut.grid_threshold(self.normalized_distance)
    }
}

/// The edits towards the reference that gives the lowest character error rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharErrors {
    /// Edit distance.
    pub errors: usize,
    /// Length of that reference in code points.
    pub reference_length: usize,
}

impl CharErrors {
    /// Character error rate.
    pub fn rate(&self) -> f64 {
        error_rate(self.errors, self.reference_length)
    }

    /// Edits above this number, towards a reference of this length, cannot give a lower rate.
    pub fn distance_limit(&self, reference_length: usize) -> usize {
        // An empty reference has a rate that is not divided: its length counts as one.
        distance_limit(self.rate(), reference_length.max(1))
    }
}

/// Working memory for scoring row after row.
#[derive(Default)]
pub struct Scorer {
    workspace: Workspace,
    prediction: String,
    answer: String,
    units: Units,
}

impl Scorer {
    /// The answer nearest to the prediction, first of equals; `None` without answers.
    pub fn nearest<'a>(
        &mut self,
        prediction: &str,
        answers: impl Iterator<Item = (usize, &'a str)>,
        protocol: &Protocol,
        cost: SubstitutionCost,
    ) -> Option<Nearest> {
        let Self { workspace, prediction: prediction_buffer, answer: answer_buffer, units } = self;
        let Protocol { preparation, denominator: of, .. } = *protocol;
        let prepared = preparation.prepare(prediction, prediction_buffer);
        let mut best: Option<Nearest> = None;
        for (index, answer) in answers {
            if prediction == answer {
                // Nothing beats equality, but an earlier answer may equal it.
                return best
                    .filter(|best| best.normalized_distance <= 0.0)
                    .or(Some(Nearest { index, normalized_distance: 0.0 }));
            }
            let prepared_answer = preparation.prepare(answer, answer_buffer);
            let texts = units.code_points([prepared, prepared_answer], preparation.unit);
            let length = denominator(prediction, texts[0], of).max(denominator(answer, texts[1], of));
            let limit = best.map_or(usize::MAX, |best| distance_limit(best.normalized_distance, length));
            let Some(distance) = workspace.distance_within(texts[0], texts[1], cost, limit) else {
                continue;
            };
            let normalized_distance = normalized_distance(distance, length);
            if best.is_none_or(|best| normalized_distance < best.normalized_distance) {
                best = Some(Nearest { index, normalized_distance });
            }
        }
        best
    }

    /// Edits towards the answer that gives the lowest error rate, first of equals.
    pub fn char_errors<'a>(
        &mut self,
        prediction: &str,
        answers: impl Iterator<Item = (usize, &'a str)>,
        preparation: Preparation,
    ) -> Option<CharErrors> {
        self.lowest_rate(prediction, answers, preparation).map(|(_, edits)| edits)
    }

    /// The answer that gives the lowest error rate, first of equals, and the edits towards it.
    pub fn lowest_rate<'a>(
        &mut self,
        prediction: &str,
        answers: impl Iterator<Item = (usize, &'a str)>,
        preparation: Preparation,
    ) -> Option<(&'a str, CharErrors)> {
        let Self { workspace, prediction: prediction_buffer, answer: answer_buffer, units } = self;
        let prediction = preparation.prepare(prediction, prediction_buffer);
        let mut best: Option<(&str, CharErrors)> = None;
        for (_, answer) in answers {
            let reference = preparation.prepare(answer, answer_buffer);
            let [prediction, reference] = units.code_points([prediction, reference], preparation.unit);
            let reference_length = length(reference);
            let limit = best.map_or(usize::MAX, |(_, best)| best.distance_limit(reference_length));
            let Some(errors) = workspace.distance_within(prediction, reference, SubstitutionCost::One, limit)
            else {
                continue;
            };
            let candidate = CharErrors { errors, reference_length };
            if best.is_none_or(|(_, best)| candidate.rate() < best.rate()) {
                best = Some((answer, candidate));
            }
        }
        best
    }

    /// Edit distance of two prepared texts.
    pub fn distance(
        &mut self,
        prediction: &str,
        reference: &str,
        preparation: Preparation,
        cost: SubstitutionCost,
    ) -> usize {
        let Self { workspace, prediction: prediction_buffer, answer: answer_buffer, units } = self;
        let prediction = preparation.prepare(prediction, prediction_buffer);
        let reference = preparation.prepare(reference, answer_buffer);
        let [prediction, reference] = units.code_points([prediction, reference], preparation.unit);
        workspace.distance(prediction, reference, cost)
    }

    /// Units that both prepared texts have, as often as both have them.
    pub fn shared(&mut self, prediction: &str, reference: &str, preparation: Preparation) -> usize {
        let prediction = preparation.prepare(prediction, &mut self.prediction);
        let reference = preparation.prepare(reference, &mut self.answer);
        let texts = self.units.code_points([prediction, reference], preparation.unit);
        let mut counts: HashMap<char, usize, FxBuildHasher> = HashMap::default();
        for unit in texts[1].chars() {
            *counts.entry(unit).or_default() += 1;
        }
        let is_left = |unit: &char| {
            let left = counts.get_mut(unit).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        };
        texts[0].chars().filter(is_left).count()
    }

    /// Hamming distance of two prepared texts; `None` where their lengths differ.
    pub fn hamming(&mut self, prediction: &str, reference: &str, preparation: Preparation) -> Option<usize> {
        let prediction = preparation.prepare(prediction, &mut self.prediction);
        let reference = preparation.prepare(reference, &mut self.answer);
        let [prediction, reference] = self.units.code_points([prediction, reference], preparation.unit);
        super::hamming(prediction, reference)
    }
}

/// The length of a text that its protocol divides by. Upper case is that of code points, whatever is compared.
fn denominator(raw: &str, prepared: &str, denominator: Denominator) -> usize {
    match denominator {
        Denominator::Prepared => length(prepared),
        Denominator::PreparedUpper => upper_length(prepared),
        Denominator::RawUpper => upper_length(raw),
    }
}

/// A distance above this one cannot give a rate below `rate`; generous by one against rounding, because
/// the rate itself is compared afterwards.
fn distance_limit(rate: f64, length: usize) -> usize {
    // A float to integer cast saturates.
    #[expect(clippy::cast_sign_loss, reason = "rates are not negative")]
    let limit = (rate * length as f64).ceil() as usize;
    limit.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similarity_says_how_many_edits_there_are_at_most() {
        let protocol = Protocol {
            preparation: Preparation::NONE,
            denominator: Denominator::Prepared,
            cut: Cut::Distance,
        };
        for length in 0..=600_usize {
            let longer = "é".repeat(length);
            for distance in 0..=length {
                let nearest = Nearest::new(0, Some(distance), length);
                let most = protocol.most_edits(&nearest, ["", &longer]).expect("of code points");
                assert!((distance..=distance + 1).contains(&most), "{distance}/{length}");
            }
        }
        let upper = Protocol { denominator: Denominator::PreparedUpper, ..protocol };
        assert_eq!(upper.most_edits(&Nearest::new(0, Some(1), 2), ["a", "b"]), None);
    }

    #[test]
    fn the_grid_threshold_is_the_edge_of_the_cut() {
        for length in 1..=60_usize {
            for distance in 0..=length {
                let normalized = normalized_distance(distance, length);
                for cut in [Cut::Distance, Cut::Similarity] {
                    let kept: Vec<u8> = (0..=200)
                        .filter(|&k| match cut {
                            Cut::Distance => normalized < f64::from(k) / 200.0,
                            Cut::Similarity => 1.0 - normalized >= f64::from(k) / 200.0,
                        })
                        .collect();
                    let edge = if cut == Cut::Distance { kept.first() } else { kept.last() };
                    assert_eq!(cut.grid_threshold(normalized), edge.copied(), "{distance}/{length} {cut:?}");
                }
            }
        }
    }
}
