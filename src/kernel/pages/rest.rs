//! The edits between texts in which every block stands in its order.

use super::super::alignment::{Aligner, Edit, Operation};
use super::super::distance::Workspace;
use super::super::weighted::SubstitutionCost;
use super::kinds::STRETCH;
use super::run::Run;
use super::text::{Place, Text};

/// As few edits as possible, if they are few, and none of a stretch that may be spread over letters of others.
pub fn few_edits<'a>(texts: [&Text; 2], aligner: &'a mut Aligner) -> Option<&'a [Edit]> {
    let edits = aligner.few_edits(texts[0].as_str(), texts[1].as_str())?;
    let are_near =
        |left: &Edit, right: &Edit| right.prediction_position - left.prediction_position <= STRETCH;
    let is_shifted = |near: &[Edit]| {
        let count = |operation| near.iter().filter(|edit| edit.operation == operation).count();
        count(Operation::Insert).abs_diff(count(Operation::Delete)) >= STRETCH
    };
    (!edits.chunk_by(are_near).any(is_shifted)).then_some(edits)
}

/// The edits that turn the reference into the prediction, as few as possible.
///
/// To align what stands between equal words takes far less than to align the texts. It mostly needs no more edits, which
/// the edit distance tells, and never spreads a line over the letters of a missing paragraph.
pub fn edits(
    texts: [&Text; 2],
    anchors: impl Iterator<Item = Run>,
    aligner: &mut Aligner,
    workspace: &mut Workspace,
) -> Vec<Edit> {
    if let Some(edits) = few_edits(texts, aligner) {
        return edits.to_vec();
    }
    let mut edits = Vec::new();
    let mut align = |from: [Place; 2], to: [Place; 2]| {
        let [reference, prediction] = [0, 1].map(|side| texts[side].slice(from[side], to[side]));
        edits.extend(aligner.edits(reference, prediction).iter().map(|edit| Edit {
            reference_position: edit.reference_position + from[0].unit,
            prediction_position: edit.prediction_position + from[1].unit,
            ..*edit
        }));
    };
    let mut done = [Place::default(); 2];
    for run in anchors {
        let start = [texts[0].start(run.reference), texts[1].start(run.prediction)];
        let end = [texts[0].end_before(run.reference_end()), texts[1].end_before(run.prediction_end())];
        align(done, start);
        align(start, end);
        done = end;
    }
    align(done, texts.map(Text::end));
    let [reference, prediction] = texts.map(Text::as_str);
    let distance = workspace.distance(reference, prediction, SubstitutionCost::One);
    if edits.len() > distance {
        return aligner.edits_within(reference, prediction, Some(distance)).to_vec();
    }
    edits
}
