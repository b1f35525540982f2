//! The edits between texts with all blocks in order.
//!
//! Pages with few edits are aligned as wholes. In others only the gaps between equal words are, and the edit distance
//! checks that this needs no more edits. Texts of many thousands of units are cut at shared stretches, so the memory
//! stays small; their edits can be more than the distance if that would take too long to compute.

use super::super::alignment::{Aligner, Edit, Operation};
use super::super::distance::Workspace;
use super::super::weighted::SubstitutionCost;
use super::chain::heaviest;
use super::kinds::STRETCH;
use super::run::{Run, runs};
use super::text::{Place, Text};

/// As few edits as possible, if they are few, and none of a stretch that may be spread over letters of others.
fn few_edits<'a>(texts: [&Text; 2], aligner: &'a mut Aligner) -> Option<&'a [Edit]> {
    let edits = aligner.few_edits(texts.map(Text::as_str), texts.iter().all(|text| text.is_ascii()))?;
    let are_near =
        |left: &Edit, right: &Edit| right.prediction_position - left.prediction_position <= STRETCH;
    let is_shifted = |near: &[Edit]| {
        let count = |operation| near.iter().filter(|edit| edit.operation == operation).count();
        count(Operation::Insert).abs_diff(count(Operation::Delete)) >= STRETCH
    };
    (!edits.chunk_by(are_near).any(is_shifted)).then_some(edits)
}

/// A text of at least this many units is long.
const LONG: usize = 1 << 14;

/// Units that are aligned at once where texts are long.
const PART: usize = 1 << 13;

/// Units in a row at which long texts are cut if both have them.
const SHARED: usize = 32;

/// Units of the shorter text times edits, up to which the edit distance takes about a second and its edits ten.
const AFFORDABLE: usize = 1 << 35;

/// The edits that turn the reference into the prediction, as few as possible.
///
/// To align the gaps between equal words takes far less than to align the texts. It mostly needs no more edits, which
/// the edit distance tells, and never spreads a line over the letters of a missing paragraph. Long texts are cut in the
/// middle of stretches that both have; they may have more edits than needed if their edit distance would take too long.
pub fn edits(
    texts: [&Text; 2],
    anchors: impl Iterator<Item = Run>,
    aligner: &mut Aligner,
    workspace: &mut Workspace,
) -> Vec<Edit> {
    if let Some(edits) = few_edits(texts, aligner) {
        return edits.to_vec();
    }
    let anchors: Vec<Run> = anchors.collect();
    let mut rest = Rest { texts, aligner, workspace, edits: Vec::new() };
    let mut start = [Place::default(); 2];
    let cuts = cuts(texts);
    for &cut in cuts.iter().chain([&texts.map(Text::end)]) {
        rest.align_part([0, 1].map(|side| [start[side], cut[side]]), &anchors);
        start = cut;
    }
    if !cuts.is_empty() {
        rest.align_shortest(texts.map(|text| [Place::default(), text.end()]), 0);
    }
    rest.edits
}

/// Places in stretches that long texts have in common.
fn cuts(texts: [&Text; 2]) -> Vec<[Place; 2]> {
    if texts.iter().any(|text| text.length() < LONG) {
        return Vec::new();
    }
    let codes = texts.map(|text| text.as_str().chars().map(u32::from).collect::<Vec<_>>());
    let runs = runs(codes.each_ref().map(Vec::as_slice), SHARED, SHARED);
    let mut cuts = Vec::new();
    let mut last = [Place::default(); 2];
    for run in heaviest(&runs, |unit| unit).into_iter().map(|place| runs[place]) {
        let passed = [0, 1].map(|side| (run.start(side) + run.words / 2).saturating_sub(last[side].unit));
        if passed[0].min(passed[1]) > 0 && passed[0].max(passed[1]) >= PART {
            last = [0, 1].map(|side| texts[side].ahead(last[side], passed[side]));
            cuts.push(last);
        }
    }
    cuts
}

/// Where a part of both texts starts and ends.
type Part = [[Place; 2]; 2];

/// What is left of a page while it is aligned.
struct Rest<'a> {
    texts: [&'a Text<'a>; 2],
    aligner: &'a mut Aligner,
    workspace: &'a mut Workspace,
    edits: Vec<Edit>,
}

impl<'a> Rest<'a> {
    fn slices(&self, part: Part) -> [&'a str; 2] {
        [0, 1].map(|side| self.texts[side].slice(part[side][0], part[side][1]))
    }

    /// Aligns the gaps between the anchors of a part.
    fn align_part(&mut self, part: Part, anchors: &[Run]) {
        let (first, texts) = (self.edits.len(), self.texts);
        let span = |run: &Run| {
            [0, 1].map(|side| {
                let word = run.start(side);
                [texts[side].start(word), texts[side].end_before(word + run.words)]
            })
        };
        let is_before = |run: &Run| (0..2).any(|side| span(run)[side][0].unit < part[side][0].unit);
        let ends_inside = |run: &Run| (0..2).all(|side| span(run)[side][1].unit <= part[side][1].unit);
        let inside = anchors.partition_point(is_before)..anchors.partition_point(ends_inside);
        let mut done = part.map(|[start, _]| start);
        for run in anchors.get(inside).unwrap_or_default() {
            let run = span(run);
            self.align([0, 1].map(|side| [done[side], run[side][0]]));
            self.align(run);
            done = run.map(|[_, end]| end);
        }
        self.align([0, 1].map(|side| [done[side], part[side][1]]));
        self.align_shortest(part, first);
    }

    /// Aligns a part again if it has more edits than its edit distance, unless that takes too long to find out.
    fn align_shortest(&mut self, part: Part, first: usize) {
        let edits = self.edits.len() - first;
        let [reference, prediction] = self.slices(part);
        let lengths = part.map(|[start, end]| end.unit - start.unit);
        if lengths[0].min(lengths[1]).saturating_mul(edits) > AFFORDABLE {
            return;
        }
        // Guesses of the distance can be far too high.
        let distance = self
            .workspace
            .distance_within(reference, prediction, SubstitutionCost::One, edits)
            .unwrap_or(edits);
        if edits > distance {
            self.edits.truncate(first);
            let edits = self.aligner.edits_within(reference, prediction, Some(distance));
            push(&mut self.edits, edits, part);
        }
    }

    /// Aligns a part, a long one so that each half of what is aligned at once shows where the next begins.
    fn align(&mut self, part: Part) {
        let mut rest = part;
        while rest.iter().all(|[start, end]| end.unit - start.unit >= LONG) {
            let near = [0, 1].map(|side| [rest[side][0], self.texts[side].ahead(rest[side][0], PART)]);
            let [reference, prediction] = self.slices(near);
            let edits = self.aligner.edits(reference, prediction);
            let edits = &edits[..edits.partition_point(|edit| edit.reference_position < PART / 2)];
            push(&mut self.edits, edits, rest);
            let count = |operation| edits.iter().filter(|edit| edit.operation == operation).count();
            let passed = PART / 2 + count(Operation::Insert) - count(Operation::Delete);
            rest[0][0] = self.texts[0].ahead(rest[0][0], PART / 2);
            rest[1][0] = self.texts[1].ahead(rest[1][0], passed);
        }
        let [reference, prediction] = self.slices(rest);
        push(&mut self.edits, self.aligner.edits(reference, prediction), rest);
    }
}

/// Appends the edits of a part.
fn push(all: &mut Vec<Edit>, edits: &[Edit], part: Part) {
    all.extend(edits.iter().map(|edit| Edit {
        reference_position: edit.reference_position + part[0][0].unit,
        prediction_position: edit.prediction_position + part[1][0].unit,
        ..*edit
    }));
}
