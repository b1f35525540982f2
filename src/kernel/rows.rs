//! Scores of many rows, block by block. Every score of a column comes from here; [`kernel`](super) has a table of the
//! ways that a pair can take.
//!
//! A block is read in passes, so that no branch is decided by the texts at random. The first pass looks at the views
//! only and sorts the pairs; the second loads the short texts that are not in their views and finds the equal
//! ones. Only what is left is prepared, and queued for the lanes.
//!
//! The scores are those of [`Scorer::nearest`](super::score::Scorer::nearest) and
//! [`Scorer::char_errors`](super::score::Scorer::char_errors), which take a row at a time.

use std::ops::Range;

use super::batches::{Batches, known};
use super::best_answers::BestAnswers;
use super::fallback::{Best, FallbackScorer, Measured, RawPair};
use super::lanes::Affixes;
use super::pair32::{Inline, Pair32};
use super::request::{Exact, Place, Request, Rows, are_code_points};
use super::score::{CharErrors, Denominator, Nearest};
use super::text32::Text32;
use super::triage::{Pairs, ViewRoom};

/// Rows between two looks at the results: few enough to stay in the cache, enough to fill the lanes.
const BLOCK: usize = 1024;

/// The rows of a block and what was found for them.
pub struct Block<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// The best of their answers.
    pub best: &'a BestAnswers,
    /// Whether each row has a prediction and an answer, without which nothing was found; `None` if all have.
    pub answered: Option<&'a [bool]>,
}

/// Working memory for scoring blocks of rows.
#[derive(Default)]
pub struct BlockScorer {
    batches: Batches,
    pairs: Pairs,
    fallback: FallbackScorer,
    best_answers: BestAnswers,
    room: ViewRoom,
    /// Whether texts are compared as they came.
    is_raw: bool,
    /// Whether lanes can compute the request.
    is_simple: bool,
}

impl BlockScorer {
    /// A scorer that computes with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: super::lanes::Isa) -> Self {
        Self { batches: Batches::with_isa(isa), pairs: Pairs::with_isa(isa), ..Self::default() }
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
        let by_code_points = request.by_code_points();
        let mut room = std::mem::take(&mut self.room);
        let mut start = range.start;
        while start < range.end {
            let block = start..range.end.min(start + BLOCK);
            start = block.end;
            let plain = by_code_points.as_ref().filter(|_| are_code_points(rows, &block));
            let request = plain.unwrap_or(request);
            self.is_raw = request.is_raw();
            self.is_simple = request.is_simple();
            self.fallback.clear();
            let views = self.pairs.sort(rows, block.clone(), request, &mut room);
            self.pairs.load(rows, request);
            self.batches.clear(2 * self.pairs.longer.len());
            self.queue_inline::<false>(views, request);
            self.queue_inline::<true>(views, request);
            self.queue_loaded(rows, request);
            self.queue_fallback(rows, request);
            self.batches.flush();
            self.choose(block.len(), request);
            emit(&Block { rows: block, best: &self.best_answers, answered: self.pairs.answered() });
        }
        self.room = room;
    }

    /// Chooses the best answer of each row.
    fn choose(&mut self, rows: usize, request: &Request) {
        let Self { batches, pairs, best_answers, .. } = self;
        let distances = batches.distances();
        let Some(places) = pairs.places() else {
            if request.similarity.is_some() {
                best_answers.only_nearest(&distances[..rows], &pairs.longer);
            }
            if request.errors.is_some() {
                // The only answer of a row is compared without a limit.
                best_answers.only_fewest(distances, &pairs.errors_at, &pairs.reference);
            }
            return;
        };
        let pairs_at = || places.iter().enumerate();
        if request.similarity.is_some() {
            let nearest = |pair: usize, place: &Place| {
                let (distance, length) = (known(distances[pair]), pairs.longer[pair] as usize);
                Nearest::new(place.answer as usize, distance, length)
            };
            let candidates = pairs_at().map(|(pair, place)| (place, nearest(pair, place)));
            best_answers.best_nearest(&pairs.first_answers, candidates);
        }
        if request.errors.is_some() {
            let errors = |pair: usize| {
                let errors = known(distances[pairs.errors_at[pair] as usize])?;
                Some(CharErrors { errors, reference_length: pairs.reference[pair] as usize })
            };
            best_answers.best_fewest(rows, pairs_at().map(|(pair, place)| (place, errors(pair))));
        }
    }

    /// Queues the pairs that are in their views, and keeps those that do not fit into the lanes.
    fn queue_inline<const SPACED: bool>(&mut self, [predictions, answers]: [&[u128]; 2], request: &Request) {
        let mut kept = 0;
        for index in 0..self.pairs.inside.len() {
            let pair = self.pairs.inside[index] as usize;
            let views = [predictions[pair], answers[pair]];
            if !self.queue_short(pair, &Inline::<SPACED>::new(views), request) {
                self.pairs.inside[kept] = pair as u32;
                kept += 1;
            }
        }
        self.pairs.inside.truncate(kept);
    }

    /// Queues the short pairs that had to be loaded, and those that were kept before.
    fn queue_loaded(&mut self, rows: &impl Rows, request: &Request) {
        for index in 0..self.pairs.loaded.len() {
            let pair = self.pairs.loaded[index] as usize;
            let [prediction, answer] = self.pairs.memories(rows, pair).map(Text32::load);
            let is_queued = prediction
                .zip(answer)
                .is_some_and(|(prediction, answer)| self.queue_short(pair, &[prediction, answer], request));
            if !is_queued {
                self.queue_any(rows, pair, request, &mut Best::default());
            }
        }
        for index in 0..self.pairs.inside.len() {
            self.queue_any(rows, self.pairs.inside[index] as usize, request, &mut Best::default());
        }
    }

    /// Queues all others.
    fn queue_fallback(&mut self, rows: &impl Rows, request: &Request) {
        let mut best = Best::default();
        let mut current = u32::MAX;
        // The row for which an equal answer was found.
        let mut equal = u32::MAX;
        for index in 0..self.pairs.fallback.len() {
            let pair = self.pairs.fallback[index] as usize;
            let row = self.pairs.row(pair);
            if row == equal {
                // No later answer can be better, nor is it, at distance 0 as well.
                continue;
            }
            if row != current {
                (current, best) = (row, Best::default());
            }
            let [prediction, answer] = self.pairs.texts(rows, pair);
            if prediction.text == answer.text {
                equal = row;
                if let Some(preparation) = request.errors {
                    let length = self.fallback.length(answer, preparation, self.batches.isa());
                    self.pairs.reference[pair] = length as u32;
                }
            } else {
                self.queue_any(rows, pair, request, &mut best);
            }
        }
    }

    /// Queues a pair for the lanes; `false` where it does not fit into them.
    #[inline(always)]
    fn queue_short<P: Pair32>(&mut self, pair: usize, texts: &P, request: &Request) -> bool {
        if !self.is_simple {
            return false;
        }
        let isa = self.batches.isa();
        let prepared = |preparation| texts.prepared(preparation, isa);
        let similarity = request.similarity.map(|similarity| prepared(similarity.protocol.preparation));
        let errors = request.errors.map(prepared);
        if similarity == Some(None) || errors == Some(None) {
            return false;
        }
        let (similarity, errors) = (similarity.flatten(), errors.flatten());
        let Self { batches, pairs, .. } = self;
        let only_equality = request.similarity.is_some_and(|asked| asked.exact == Exact::Equality);
        if let (Some(prepared), Some(asked)) = (&similarity, request.similarity) {
            let [prediction, answer] = match asked.protocol.denominator {
                Denominator::RawUpper => texts.lengths(),
                // Upper case keeps the length of ASCII.
                Denominator::Prepared | Denominator::PreparedUpper => prepared.lengths(),
            };
            pairs.longer[pair] = prediction.max(answer) as u32;
            if !only_equality {
                prepared.push(batches, pair);
            } else if !prepared.are_equal() {
                batches.set(pair, None);
            }
        }
        if let Some(prepared) = &errors {
            pairs.reference[pair] = prepared.lengths()[1] as u32;
            if similarity != errors || only_equality {
                pairs.errors_at[pair] = pairs.apart(pair) as u32;
                prepared.push(batches, pairs.apart(pair));
            }
        }
        true
    }

    /// Queues a pair of any kind.
    fn queue_any(&mut self, rows: &impl Rows, pair: usize, request: &Request, best: &mut Best) {
        let Self { batches, pairs, .. } = self;
        let texts = pairs.memories(rows, pair);
        let affixes = self.is_raw.then(|| batches.isa().affixes(texts));
        match &affixes {
            Some(affixes) if batches.push_middles(pair, texts, affixes) => {
                pairs.longer[pair] = affixes.characters[0].max(affixes.characters[1]) as u32;
                if request.errors.is_some() {
                    pairs.reference[pair] = affixes.characters[1] as u32;
                }
            }
            _ => self.queue_prepared(rows, pair, affixes, request, best),
        }
    }

    /// Queues a pair that has to be prepared, or is long.
    #[inline(never)]
    fn queue_prepared(
        &mut self,
        rows: &impl Rows,
        pair: usize,
        affixes: Option<Affixes>,
        request: &Request,
        best: &mut Best,
    ) {
        let Self { batches, pairs, fallback, .. } = self;
        let raw = RawPair {
            texts: pairs.texts(rows, pair),
            prediction: pairs.at(pair)[0],
            affixes,
            places: [pair, pairs.apart(pair)],
        };
        let (near, errors) = fallback.pair(&raw, request, best, batches);
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
