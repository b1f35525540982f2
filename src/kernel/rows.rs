//! Scores of many rows, block by block: short pairs go through the lanes, all others one by one.
//!
//! A block is read in passes, so that no branch is decided by the texts at random: the first looks at the
//! views only and sorts the pairs, the second loads the texts that do not stand in their views and finds the
//! equal ones, and only what is left is prepared and sent to the lanes.
//!
//! The scores are those of [`Scorer::nearest`](super::score::Scorer::nearest) and
//! [`Scorer::char_errors`](super::score::Scorer::char_errors), which take a row at a time.

use std::ops::Range;

use super::block::{Pairs, Place};
use super::choice::Choice;
use super::general::{Best, GeneralScorer, Measured, Text};
use super::lanes::ends;
use super::prepare::Preparation;
use super::queue::{Queue, known};
use super::score::{CharErrors, Denominator, Nearest, Protocol};
use super::short::{Memory, Short};
use super::short_pair::{Inside, ShortPair, Spaced};
use super::weighted::SubstitutionCost;

/// Rows between two looks at the results: few enough to stay in the cache, enough to fill the lanes.
const BLOCK: usize = 1024;

/// Texts above so many bytes seldom fit into lanes, whatever their common ends.
const MIDDLING: usize = 256;

/// The texts of a table, each with its view: 16 bytes that hold the length in bytes and, up to [`INLINE`](super::short::INLINE)
/// bytes, the text itself behind it, followed by zeros; Arrow's layout.
pub trait Rows {
    /// Views of the predictions and of the answers.
    fn views(&self) -> [&[u128]; 2];

    /// Whether row i has prediction i and answer i, and none is null.
    fn is_plain(&self) -> bool;

    /// Where the prediction of a row stands; `None` for null.
    fn prediction(&self, row: usize) -> Option<usize>;

    /// Where the answers of a row stand, null ones included.
    fn answers(&self, row: usize) -> Range<usize>;

    /// Whether any answer is null.
    fn has_null_answers(&self) -> bool;

    /// Whether an answer is not null.
    fn is_answer(&self, index: usize) -> bool;

    /// A prediction that is not null.
    fn prediction_text(&self, index: usize) -> &str;

    /// An answer that is not null.
    fn answer_text(&self, index: usize) -> &str;

    /// The memory of a prediction that is not null.
    fn prediction_memory(&self, index: usize) -> Memory<'_>;

    /// The memory of an answer that is not null.
    fn answer_memory(&self, index: usize) -> Memory<'_>;
}

/// What is computed for each row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The answer with the best similarity.
    pub similarity: Option<Similarity>,
    /// The edits towards the reference with the lowest rate, after this preparation.
    pub errors: Option<Preparation>,
    /// What a substitution costs.
    pub cost: SubstitutionCost,
    /// Whether any of several equally good answers serves, and not the first of them alone.
    pub any_of_equals: bool,
}

/// How the best similarity is computed.
#[derive(Clone, Copy, Debug)]
pub struct Similarity {
    /// The protocol.
    pub protocol: Protocol,
    /// What of it has to be exact.
    pub exact: Exact,
}

/// Which similarities have to be exact. Others only have to lie where these do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exact {
    /// All.
    All,
    /// Those that the protocol's cut keeps at this threshold.
    Kept(f64),
    /// That of texts that are equal after preparation.
    Equality,
}

/// The rows of a block and what was found for them.
pub struct Block<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// The best of their answers.
    pub best: &'a Choice,
    /// Whether each row has a prediction and an answer, without which nothing was found; `None` if all have.
    pub answered: Option<&'a [bool]>,
}

/// Working memory for scoring blocks of rows.
#[derive(Default)]
pub struct BlockScorer {
    queue: Queue,
    pairs: Pairs,
    general: GeneralScorer,
    choice: Choice,
    /// Whether texts are compared as they came.
    is_raw: bool,
}

impl Request {
    /// Whether texts are compared as they came, and a distance is all that is asked for.
    fn is_raw(&self) -> bool {
        let raw = Preparation::default();
        let is_raw = |Similarity { protocol, exact }: Similarity| {
            protocol.preparation == raw
                && protocol.denominator == Denominator::Prepared
                && exact != Exact::Equality
        };
        self.cost == SubstitutionCost::One
            && self.errors.is_none_or(|preparation| preparation == raw)
            && self.similarity.is_none_or(is_raw)
    }
}

impl BlockScorer {
    /// A scorer that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: super::lanes::Lanes) -> Self {
        Self { queue: Queue::with_lanes(lanes), pairs: Pairs::with_lanes(lanes), ..Self::default() }
    }

    /// Scores rows and hands them over in order. Both results are `None` for a row without a prediction or
    /// without an answer, and where they were not asked for.
    pub fn score(
        &mut self,
        rows: &impl Rows,
        range: Range<usize>,
        request: &Request,
        mut emit: impl FnMut(usize, Option<Nearest>, Option<CharErrors>),
    ) {
        self.score_blocks(rows, range, request, |block| {
            for (index, row) in block.rows.clone().enumerate() {
                let is_answered = block.answered.is_none_or(|answered| answered[index]);
                let nearest = request.similarity.filter(|_| is_answered).map(|_| block.best.nearest(index));
                let errors = request.errors.filter(|_| is_answered).map(|_| block.best.char_errors(index));
                emit(row, nearest, errors);
            }
        });
    }

    /// Scores rows and hands them over block by block, in order.
    pub fn score_blocks(
        &mut self,
        rows: &impl Rows,
        range: Range<usize>,
        request: &Request,
        mut emit: impl FnMut(&Block),
    ) {
        self.is_raw = request.is_raw();
        let mut start = range.start;
        while start < range.end {
            let block = start..range.end.min(start + BLOCK);
            start = block.end;
            self.pairs.sort(rows, block.clone(), request);
            self.pairs.load(rows, request);
            self.queue.clear(2 * self.pairs.longer.len());
            self.queue_inside(rows, request);
            self.queue_spaced(rows, request);
            self.queue_loaded(rows, request);
            self.queue_general(rows, request);
            self.queue.flush();
            self.choose(block.len(), rows.is_plain(), request);
            emit(&Block {
                rows: block,
                best: &self.choice,
                answered: (!rows.is_plain()).then(|| self.pairs.answered()),
            });
        }
    }

    /// Chooses the best answer of each row.
    fn choose(&mut self, rows: usize, is_plain: bool, request: &Request) {
        let Self { queue, pairs, choice, .. } = self;
        let distances = queue.distances();
        let places = || pairs.places().iter().enumerate();
        if request.similarity.is_some() {
            if is_plain {
                choice.only_nearest(&distances[..rows], &pairs.longer);
            } else {
                let nearest = |pair: usize, place: &Place| {
                    let (distance, length) = (known(distances[pair]), pairs.longer[pair] as usize);
                    Nearest::new(place.index as usize, distance, length)
                };
                choice.best_nearest(rows, places().map(|(pair, place)| (place, nearest(pair, place))));
            }
        }
        if request.errors.is_some() {
            if is_plain {
                // The only answer of a row is compared without a limit.
                choice.only_fewest(distances, &pairs.errors_at, &pairs.reference);
            } else {
                let errors = |pair: usize| {
                    let errors = known(distances[pairs.errors_at[pair] as usize])?;
                    Some(CharErrors { errors, reference_length: pairs.reference[pair] as usize })
                };
                choice.best_fewest(rows, places().map(|(pair, place)| (place, errors(pair))));
            }
        }
    }

    /// Queues the pairs that stand in their views.
    fn queue_inside(&mut self, rows: &impl Rows, request: &Request) {
        let [predictions, answers] = rows.views();
        for index in 0..self.pairs.inside.len() {
            let pair = self.pairs.inside[index] as usize;
            let place = self.pairs.place(pair);
            let views = [predictions[place.prediction], answers[place.answer]];
            if !self.queue_short(pair, &Inside::new(views), request) {
                self.pairs.spaced.push(pair as u32);
            }
        }
    }

    /// Queues those of them whose whitespace has to change.
    fn queue_spaced(&mut self, rows: &impl Rows, request: &Request) {
        let [predictions, answers] = rows.views();
        for index in 0..self.pairs.spaced.len() {
            let pair = self.pairs.spaced[index] as usize;
            let place = self.pairs.place(pair);
            let texts = Inside::new([predictions[place.prediction], answers[place.answer]]);
            if !self.queue_short(pair, &Spaced(texts), request) {
                self.queue_any(rows, pair, request, &mut Best::default());
            }
        }
    }

    /// Queues the short pairs that had to be loaded.
    fn queue_loaded(&mut self, rows: &impl Rows, request: &Request) {
        for index in 0..self.pairs.loaded.len() {
            let pair = self.pairs.loaded[index] as usize;
            let place = self.pairs.place(pair);
            let prediction = Short::load(rows.prediction_memory(place.prediction));
            let answer = Short::load(rows.answer_memory(place.answer));
            let is_queued = prediction
                .zip(answer)
                .is_some_and(|(prediction, answer)| self.queue_short(pair, &[prediction, answer], request));
            if !is_queued {
                self.queue_any(rows, pair, request, &mut Best::default());
            }
        }
    }

    /// Queues all others.
    fn queue_general(&mut self, rows: &impl Rows, request: &Request) {
        let mut best = Best::default();
        let mut current = u32::MAX;
        // The row for which an equal answer was found.
        let mut equal = u32::MAX;
        for index in 0..self.pairs.general.len() {
            let pair = self.pairs.general[index] as usize;
            let place = self.pairs.place(pair);
            if place.row == equal {
                // No later answer can be better, nor is it, at distance 0 as well.
                continue;
            }
            if place.row != current {
                (current, best) = (place.row, Best::default());
            }
            let prediction = rows.prediction_text(place.prediction);
            let answer = rows.answer_text(place.answer);
            if prediction == answer {
                equal = place.row;
                if let Some(preparation) = request.errors {
                    self.pairs.reference[pair] = self.general.length(answer, preparation) as u32;
                }
            } else {
                self.queue_any(rows, pair, request, &mut best);
            }
        }
    }

    /// Queues a pair for the lanes; `false` where it does not fit into them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the loop over rows: its results stay in registers")]
    fn queue_short<P: ShortPair>(&mut self, pair: usize, texts: &P, request: &Request) -> bool {
        // The lanes know substitutions of cost 1 only.
        if request.cost != SubstitutionCost::One {
            return false;
        }
        let prepared = |preparation| texts.prepared(preparation);
        let similarity = request.similarity.map(|similarity| prepared(similarity.protocol.preparation));
        let errors = request.errors.map(prepared);
        if similarity == Some(None) || errors == Some(None) {
            return false;
        }
        let (similarity, errors) = (similarity.flatten(), errors.flatten());
        let Self { queue, pairs, .. } = self;
        let only_equality = request.similarity.is_some_and(|asked| asked.exact == Exact::Equality);
        if let (Some(prepared), Some(asked)) = (&similarity, request.similarity) {
            let [prediction, answer] = match asked.protocol.denominator {
                Denominator::RawUpper => texts.lengths(),
                // Upper case keeps the length of ASCII.
                Denominator::Prepared | Denominator::PreparedUpper => prepared.lengths(),
            };
            pairs.longer[pair] = prediction.max(answer) as u32;
            if !only_equality {
                prepared.push(queue, pair);
            } else if !prepared.are_equal() {
                queue.set(pair, None);
            }
        }
        if let Some(prepared) = &errors {
            pairs.reference[pair] = prepared.lengths()[1] as u32;
            if similarity != errors || only_equality {
                pairs.errors_at[pair] = pairs.apart(pair) as u32;
                prepared.push(queue, pairs.apart(pair));
            }
        }
        true
    }

    /// Computes the distances of a pair of any kind.
    fn queue_any(&mut self, rows: &impl Rows, pair: usize, request: &Request, best: &mut Best) {
        if !self.queue_raw(rows, pair, request) {
            self.queue_prepared(rows, pair, request, best);
        }
    }

    /// Queues a pair that is compared as it came; `false` where that is not the way, or it does not fit into lanes.
    fn queue_raw(&mut self, rows: &impl Rows, pair: usize, request: &Request) -> bool {
        let Self { queue, pairs, .. } = self;
        let place = pairs.place(pair);
        let texts = [rows.prediction_memory(place.prediction), rows.answer_memory(place.answer)];
        if !self.is_raw || texts.iter().any(|text| text.len() > MIDDLING) {
            return false;
        }
        let ends = ends(texts);
        let [left, right] = ends.different;
        if left.min(right) == 0 {
            // Insertions or deletions alone.
            queue.set(pair, Some(left.max(right)));
        } else if !queue.push_middles(pair, texts, &ends) {
            return false;
        }
        pairs.longer[pair] = ends.characters[0].max(ends.characters[1]) as u32;
        if request.errors.is_some() {
            pairs.reference[pair] = ends.characters[1] as u32;
        }
        true
    }

    /// Computes the distances of a pair that has to be prepared, or is long.
    #[cold]
    fn queue_prepared(&mut self, rows: &impl Rows, pair: usize, request: &Request, best: &mut Best) {
        let Self { queue, pairs, general, .. } = self;
        let place = pairs.place(pair);
        let prediction = Text {
            text: rows.prediction_text(place.prediction),
            memory: rows.prediction_memory(place.prediction),
        };
        let answer = Text { text: rows.answer_text(place.answer), memory: rows.answer_memory(place.answer) };
        let texts = [prediction, answer];
        let places = [pair, pairs.apart(pair)];
        let (near, errors) = general.pair(texts, request, best, queue, places);
        if let Some(Measured { length, .. }) = near {
            pairs.longer[pair] = length as u32;
        }
        if let Some(Measured { length, place }) = errors {
            pairs.reference[pair] = length as u32;
            pairs.errors_at[pair] = place as u32;
        }
    }
}

#[cfg(test)]
mod tests;
