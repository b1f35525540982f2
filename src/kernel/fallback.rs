//! Distances of a pair of any kind: text beyond ASCII or of more than 32 bytes that has to be prepared, and text that
//! differs in more than 32 characters.
//!
//! Each pair is prepared by itself, which costs more than its distance: 290 ns for 60 ASCII characters that differ in
//! 16, where the same pair without preparation takes 90. What differs still waits for others in
//! [`batches`](super::batches) if it is short; long texts are computed at once, within the limit that the best answer of
//! the row sets.

use super::batches::{Batches, LONGEST_BYTES};
use super::distance::Workspace;
use super::lanes::{Affixes, Isa};
use super::prepare::{Preparation, length};
use super::request::{Exact, Request, Similarity};
use super::score::{CharErrors, Denominator, Nearest, denominator};
use super::view::Memory;
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

#[derive(Default)]
pub struct FallbackScorer {
    workspace: Workspace,
    buffers: [[String; 2]; 2],
}

/// A text with the memory in which it stands.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub text: &'a str,
    pub memory: Memory<'a>,
}

impl<'a> Text<'a> {
    fn prepared(self, preparation: Preparation, buffer: &'a mut String) -> Self {
        if preparation == Preparation::default() {
            return self;
        }
        let text = preparation.prepare(self.text, buffer);
        Self { text, memory: Memory::new(text.as_bytes(), text.len()) }
    }
}

/// A pair of texts after preparation, and what they have in common.
#[derive(Clone, Copy)]
struct PreparedPair<'a> {
    preparation: Preparation,
    texts: [Text<'a>; 2],
    affixes: Affixes,
}

impl FallbackScorer {
    /// Length of a text after preparation.
    pub fn length(&mut self, text: &str, preparation: Preparation) -> usize {
        length(preparation.prepare(text, &mut self.buffers[0][0]))
    }

    /// Puts the distances of a pair into the queue, for the similarity and for the error rate, at two places or
    /// both at the first one.
    pub fn pair(
        &mut self,
        raw: [Text; 2],
        affixes: Option<Affixes>,
        request: &Request,
        best: &mut Best,
        batches: &mut Batches,
        places: [usize; 2],
    ) -> (Option<Measured>, Option<Measured>) {
        let Self { workspace, buffers: [buffers, error_buffers] } = self;
        let (cost, isa) = (request.cost, batches.isa());
        let known =
            affixes.map(|affixes| PreparedPair { preparation: Preparation::default(), texts: raw, affixes });
        let prepared = request
            .similarity
            .map(|similarity| PreparedPair::new(raw, similarity.protocol.preparation, buffers, known, isa));
        let rate = request
            .errors
            .map(|preparation| PreparedPair::new(raw, preparation, error_buffers, prepared.or(known), isa));
        // The distance for the similarity serves the rate as well, where both agree; then it has no limit.
        let is_shared = rate.zip(prepared).is_some_and(|(rate, pair)| rate.is_the_same(&pair));
        let mut near = None;
        if let (Some(Similarity { protocol, exact }), Some(pair)) = (request.similarity, prepared) {
            let length = pair.denominator(raw, protocol.denominator);
            let cut = match exact {
                Exact::All => usize::MAX,
                Exact::Kept(threshold) => protocol.cut.distance_limit(threshold, length),
                Exact::Equality => 0,
            };
            let nearer = best.nearest.map_or(usize::MAX, |best| best.distance_limit(length));
            let limit = if is_shared { usize::MAX } else { nearer.min(cut) };
            let distance = pair.enqueue(workspace, cost, limit, batches, places[0]);
            if distance.is_some() {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            near = Some(Measured { length, place: places[0] });
        }
        let edits = rate.map(|pair| {
            let length = pair.affixes.characters[1];
            if is_shared {
                return Measured { length, place: places[0] };
            }
            let limit = best.errors.map_or(usize::MAX, |best| best.distance_limit(length));
            let distance = pair.enqueue(workspace, cost, limit, batches, places[1]);
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

impl<'a> PreparedPair<'a> {
    /// The pair after preparation, unless it is known.
    fn new(
        raw: [Text<'a>; 2],
        preparation: Preparation,
        [p, a]: &'a mut [String; 2],
        known: Option<Self>,
        isa: Isa,
    ) -> Self {
        if let Some(known) = known.filter(|known| known.preparation == preparation) {
            return known;
        }
        let texts = [raw[0].prepared(preparation, p), raw[1].prepared(preparation, a)];
        Self { preparation, texts, affixes: isa.affixes(texts.map(|text| text.memory)) }
    }

    fn is_the_same(&self, other: &Self) -> bool {
        let are_equal = |side: usize| self.texts[side].text == other.texts[side].text;
        self.preparation == other.preparation || are_equal(0) && are_equal(1)
    }

    /// The longer length, as the protocol counts it.
    fn denominator(&self, raw: [Text; 2], of: Denominator) -> usize {
        let length = |side: usize| match of {
            Denominator::Prepared => self.affixes.characters[side],
            _ => denominator(raw[side].text, self.texts[side].text, of),
        };
        length(0).max(length(1))
    }

    /// Puts the distance into the queue and returns it, if it is known at once and within the limit.
    fn enqueue(
        &self,
        workspace: &mut Workspace,
        cost: SubstitutionCost,
        limit: usize,
        batches: &mut Batches,
        place: usize,
    ) -> Option<usize> {
        let Affixes { prefix, suffix, different, .. } = self.affixes;
        let distance = if let Some(distance) = self.affixes.distance() {
            Some(distance).filter(|&distance| distance <= limit)
        } else {
            let is_short = cost == SubstitutionCost::One && limit > 0;
            if is_short && batches.push_middles(place, self.texts.map(|text| text.memory), &self.affixes) {
                return None;
            }
            let middles = self.texts.map(|Text { text, .. }| &text[prefix..text.len() - suffix]);
            let waits = is_short
                && different[0].max(different[1]) <= LONGEST_BYTES
                && different[0].abs_diff(different[1]) < limit;
            if waits && let Some(bytes) = workspace.as_bytes(middles) {
                batches.push_bytes(place, bytes);
                return None;
            }
            workspace.distance_within(middles[0], middles[1], cost, limit)
        };
        batches.set(place, distance);
        distance
    }
}
