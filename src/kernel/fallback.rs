//! Distances of a pair of any kind: text beyond ASCII or of more than 32 bytes that has to be prepared, and text that
//! differs in more than 32 characters.
//!
//! [`prepared`](super::prepared) prepares the texts; a prediction with several answers once. What differs still waits for
//! others in [`batches`](super::batches) if it is short; long texts are computed at once, within the limit that the best
//! answer of the row sets.

use super::batches::{Batches, LONGEST_BYTES};
use super::distance::Workspace;
use super::lanes::{Affixes, Isa};
use super::length::{length, upper_length};
use super::prepare::Preparation;
use super::prepared::{self, Prepared, Text};
use super::request::{Exact, Request, Similarity};
use super::score::{CharErrors, Denominator, Nearest};
use super::units::{self, TextUnit, Units};
use super::utf8::characters;
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

/// A pair of texts as they came.
pub struct RawPair<'a> {
    pub texts: [Text<'a>; 2],
    /// Which prediction it is: several answers follow each other.
    pub prediction: usize,
    /// What the texts have in common, if that is known.
    pub affixes: Option<Affixes>,
    /// Where the distances go, for the similarity and for the error rate; both to the first one where they are one.
    pub places: [usize; 2],
}

#[derive(Default)]
pub struct FallbackScorer {
    workspace: Workspace,
    /// The texts for the similarity and for the error rate.
    rooms: [Room; 2],
    /// The prediction among them.
    prediction: Option<usize>,
}

/// Room for the texts of a pair after preparation.
#[derive(Default)]
struct Room {
    prepared: [Prepared; 2],
    /// Texts that are compared by other units than code points, before they are rewritten.
    texts: [String; 2],
    units: Units,
    /// What is known of them, in which case they are not written down.
    measured: Option<units::Measured>,
}

/// A pair of texts after preparation, and what they have in common.
struct PreparedPair<'a> {
    texts: PreparedTexts<'a>,
    affixes: Affixes,
}

/// The texts of a pair after preparation.
#[derive(Clone, Copy)]
struct PreparedTexts<'a> {
    raw: &'a RawPair<'a>,
    /// `None` where they are compared as they came.
    prepared: Option<&'a [Prepared; 2]>,
    /// What is known of them already.
    measured: Option<units::Measured>,
}

impl FallbackScorer {
    /// Forgets the texts of the last call.
    pub fn clear(&mut self) {
        self.prediction = None;
    }

    /// Length of an answer after preparation.
    pub fn length(&mut self, answer: Text, preparation: Preparation, isa: Isa) -> usize {
        if preparation == Preparation::default() {
            return length(answer.text);
        }
        let Room { prepared: [_, prepared], texts: [_, buffer], units, .. } = &mut self.rooms[1];
        if preparation.unit != TextUnit::Codepoint {
            return units.length(preparation.prepare(answer.text, buffer), preparation.unit);
        }
        prepared.fill(answer, preparation, isa);
        characters(prepared.memory().text()).count()
    }

    /// Puts the distances of a pair into the queue, for the similarity and for the error rate.
    pub fn pair(
        &mut self,
        raw: &RawPair,
        request: &Request,
        best: &mut Best,
        batches: &mut Batches,
    ) -> (Option<Measured>, Option<Measured>) {
        let (cost, isa) = (request.cost, batches.isa());
        let is_known = self.prediction.replace(raw.prediction) == Some(raw.prediction);
        let Self { workspace, rooms: [for_similarity, for_errors], .. } = self;
        let is_levenshtein = cost == SubstitutionCost::One;
        let mut texts = |preparation, room| {
            let workspace = is_levenshtein.then_some(&mut *workspace);
            PreparedTexts::new(raw, preparation, room, is_known, isa, workspace)
        };
        let similarity = request.similarity.map(|Similarity { protocol, .. }| protocol.preparation);
        let pair = similarity.map(|preparation| PreparedPair::new(texts(preparation, for_similarity), isa));
        let errors = request.errors.filter(|_| request.errors != similarity);
        let errors = errors.map(|preparation| texts(preparation, for_errors));
        // The distance for the similarity serves the rate as well, where both agree; then it has no limit.
        let apart = errors.filter(|texts| pair.as_ref().is_none_or(|pair| !texts.are_equal(&pair.texts)));
        let is_shared = request.errors.is_some() && apart.is_none();
        let mut near = None;
        if let (Some(Similarity { protocol, exact }), Some(pair)) = (request.similarity, &pair) {
            let length = pair.denominator(protocol.denominator);
            let cut = match exact {
                Exact::All => usize::MAX,
                Exact::Kept(threshold) => protocol.cut.distance_limit(threshold, length),
                Exact::Equality => 0,
            };
            let nearer = best.nearest.map_or(usize::MAX, |best| best.distance_limit(length));
            let limit = if is_shared { usize::MAX } else { nearer.min(cut) };
            let distance = pair.enqueue(workspace, cost, limit, batches, raw.places[0]);
            if distance.is_some() {
                let candidate = Nearest::new(0, distance, length);
                if best.nearest.is_none_or(|best| candidate.is_better_than(&best)) {
                    best.nearest = Some(candidate);
                }
            }
            near = Some(Measured { length, place: raw.places[0] });
        }
        if let Some(pair) = pair.filter(|_| is_shared) {
            let edits = Measured { length: pair.affixes.characters[1], place: raw.places[0] };
            return (near, Some(edits));
        }
        let edits = apart.map(|texts| {
            let pair = PreparedPair::new(texts, isa);
            let length = pair.affixes.characters[1];
            let limit = best.errors.map_or(usize::MAX, |best| best.distance_limit(length));
            let distance = pair.enqueue(workspace, cost, limit, batches, raw.places[1]);
            if let Some(errors) = distance {
                let candidate = CharErrors { errors, reference_length: length };
                if best.errors.is_none_or(|best| candidate.rate() < best.rate()) {
                    best.errors = Some(candidate);
                }
            }
            Measured { length, place: raw.places[1] }
        });
        (near, edits)
    }
}

impl Room {
    /// Prepares both texts, a code point for each unit, unless their distance is found without. There is a workspace
    /// for it where substitutions cost 1.
    fn fill_units(&mut self, raw: [&str; 2], preparation: Preparation, workspace: Option<&mut Workspace>) {
        let Self { prepared, texts: [prediction, answer], units, measured } = self;
        let texts = [preparation.prepare(raw[0], prediction), preparation.prepare(raw[1], answer)];
        *measured = workspace.and_then(|workspace| units.measure(texts, preparation.unit, workspace));
        if measured.is_some() {
            return;
        }
        for (prepared, text) in prepared.iter_mut().zip(units.code_points(texts, preparation.unit)) {
            prepared.set(text);
        }
    }
}

impl<'a> PreparedTexts<'a> {
    /// Prepares the texts; the prediction unless it is known.
    fn new(
        raw: &'a RawPair<'a>,
        preparation: Preparation,
        room: &'a mut Room,
        is_known: bool,
        isa: Isa,
        workspace: Option<&mut Workspace>,
    ) -> Self {
        if preparation == Preparation::default() {
            return Self { raw, prepared: None, measured: None };
        }
        let mut measured = None;
        if preparation.unit == TextUnit::Codepoint {
            for (room, text) in room.prepared.iter_mut().zip(raw.texts).skip(usize::from(is_known)) {
                room.fill(text, preparation, isa);
            }
        } else {
            room.fill_units(raw.texts.map(|text| text.text), preparation, workspace);
            measured = room.measured;
        }
        Self { raw, prepared: Some(&room.prepared), measured }
    }

    fn memory(&self, side: usize) -> Memory<'a> {
        self.prepared.map_or(self.raw.texts[side].memory, |prepared| prepared[side].memory())
    }

    /// Whether both are known to be equal.
    fn are_equal(&self, other: &Self) -> bool {
        let are_written = self.measured.is_none() && other.measured.is_none();
        are_written && (0..2).all(|side| self.memory(side).text() == other.memory(side).text())
    }
}

impl<'a> PreparedPair<'a> {
    fn new(texts: PreparedTexts<'a>, isa: Isa) -> Self {
        if let Some(units::Measured { distance, lengths }) = texts.measured {
            // Encodes a known distance as that many insertions.
            let affixes = Affixes { prefix: 0, suffix: 0, characters: lengths, different: [0, distance] };
            return Self { texts, affixes };
        }
        let known = texts.raw.affixes.filter(|_| texts.prepared.is_none());
        let affixes = known.unwrap_or_else(|| isa.affixes([texts.memory(0), texts.memory(1)]));
        Self { texts, affixes }
    }

    /// The longer length, as the protocol counts it.
    fn denominator(&self, of: Denominator) -> usize {
        self.length(0, of).max(self.length(1, of))
    }

    fn length(&self, side: usize, of: Denominator) -> usize {
        let raw = self.texts.raw.texts[side].text;
        let characters = self.affixes.characters[side];
        match (of, self.texts.prepared.map(|prepared| &prepared[side])) {
            (Denominator::PreparedUpper, Some(text)) if text.may_grow() => {
                prepared::upper_length(text, characters)
            }
            (Denominator::Prepared, _) | (Denominator::PreparedUpper, Some(_)) => characters,
            (Denominator::RawUpper, Some(text)) if !text.may_grow() => length(raw),
            (_, _) => upper_length(raw),
        }
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
            let texts = [self.texts.memory(0), self.texts.memory(1)];
            let is_short = cost == SubstitutionCost::One && limit > 0;
            if is_short && batches.push_middles(place, texts, &self.affixes) {
                return None;
            }
            let middles = texts.map(|text| &text.text()[prefix..text.len() - suffix]);
            let waits = is_short
                && different[0].max(different[1]) <= LONGEST_BYTES
                && different[0].abs_diff(different[1]) < limit;
            if waits && let Some(bytes) = workspace.as_bytes(middles) {
                batches.push_bytes(place, bytes);
                return None;
            }
            workspace.distance_of_utf8(middles, cost, limit)
        };
        batches.set(place, distance);
        distance
    }
}
