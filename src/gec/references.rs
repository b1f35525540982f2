//! Reference sentences from edits: of each annotator, or mixed from the edits of all of them.
//!
//! Edits that overlap make up a cluster, in which one annotator's are taken; clusters are independent.

use std::collections::HashSet;

use super::edits::Annotator;
use super::tokens::Vocabulary;

/// Edits of one annotator in one cluster: start, end and tokens, one for each span.
type Alternative = Vec<(usize, usize, Vec<u32>)>;

struct Correction {
    start: usize,
    end: usize,
    /// Place among the annotators.
    annotator: usize,
    tokens: Vec<u32>,
}

/// Whether an edit overlaps with one that is at least as long.
fn overlap(edit: &Correction, other: &Correction) -> bool {
    if (edit.start, edit.end) == (other.start, other.end) {
        true
    } else if edit.start == edit.end {
        edit.start > other.start && edit.end < other.end
    } else if other.start == other.end {
        other.start > edit.start && other.end < edit.end
    } else {
        (edit.end > other.start && edit.end <= other.end)
            || (edit.start >= other.start && edit.start < other.end)
    }
}

/// The references of a row; the error tells how many there would be.
pub fn from_edits<'a>(
    source: &[u32],
    annotators: &[Annotator<'a>],
    vocabulary: &mut Vocabulary<'a>,
    mix: bool,
    max_references: usize,
) -> Result<Vec<Vec<u32>>, String> {
    let mut corrections = Vec::new();
    for (place, annotator) in annotators.iter().enumerate() {
        for edit in &annotator.edits {
            let Some((start, end)) = edit.span(source.len()) else { continue };
            let tokens = vocabulary.numbers(edit.corrections.first().copied().unwrap_or_default());
            corrections.push(Correction { start, end, annotator: place, tokens });
        }
    }
    // Stable: edits of equal length stay in the order of the file, by annotator.
    corrections.sort_by_key(|edit| std::cmp::Reverse(edit.end - edit.start));
    if mix {
        mixed(source, corrections, annotators.len(), max_references)
    } else {
        each(source, &corrections, annotators.len(), max_references)
    }
}

/// One reference an annotator; the source too where an annotator has no correction.
fn each(
    source: &[u32],
    corrections: &[Correction],
    annotators: usize,
    max_references: usize,
) -> Result<Vec<Vec<u32>>, String> {
    check(annotators, max_references)?;
    let mut found = Distinct::default();
    let mut is_unchanged = annotators == 0;
    for annotator in 0..annotators {
        let own = alternative(corrections.iter().filter(|edit| edit.annotator == annotator));
        if own.is_empty() {
            is_unchanged = true;
        } else {
            found.add(apply(source, own));
        }
    }
    if is_unchanged {
        found.add(source.to_vec());
    }
    Ok(found.all)
}

/// All combinations of one alternative a cluster.
fn mixed(
    source: &[u32],
    corrections: Vec<Correction>,
    annotators: usize,
    max_references: usize,
) -> Result<Vec<Vec<u32>>, String> {
    let mut clusters: Vec<Vec<Correction>> = Vec::new();
    for edit in corrections {
        let cluster = clusters.iter_mut().find(|cluster| cluster.iter().any(|other| overlap(&edit, other)));
        match cluster {
            Some(cluster) => cluster.push(edit),
            None => clusters.push(vec![edit]),
        }
    }
    clusters.sort_by_key(|cluster| (cluster[0].start, cluster[0].end));
    let mut choices: Vec<Vec<Alternative>> = Vec::with_capacity(clusters.len());
    for cluster in &clusters {
        let mut alternatives: Vec<Alternative> = Vec::new();
        let own = |annotator| alternative(cluster.iter().filter(move |edit| edit.annotator == annotator));
        let all: Vec<_> = (0..annotators).map(own).filter(|own| !own.is_empty()).collect();
        if all.len() < annotators {
            alternatives.push(Alternative::new());
        }
        for own in all {
            if !alternatives.contains(&own) {
                alternatives.push(own);
            }
        }
        choices.push(alternatives);
    }
    let count = choices.iter().fold(1usize, |count, choice| count.saturating_mul(choice.len()));
    check(count, max_references)?;
    let mut found = Distinct::default();
    let mut taken = vec![0; choices.len()];
    loop {
        let combination: Alternative =
            choices.iter().zip(&taken).flat_map(|(choice, &index)| choice[index].clone()).collect();
        let mut spans = HashSet::new();
        if combination.iter().all(|&(start, end, _)| spans.insert((start, end))) {
            found.add(apply(source, combination));
        }
        // The last cluster changes fastest.
        let Some(place) = (0..choices.len()).rev().find(|&place| taken[place] + 1 < choices[place].len())
        else {
            return Ok(found.all);
        };
        taken[place] += 1;
        taken[place + 1..].fill(0);
    }
}

fn check(count: usize, max_references: usize) -> Result<(), String> {
    if count > max_references {
        return Err(format!(
            "its edits make {count} references, more than max_references={max_references}: raise this limit, \
             or do not mix the edits of annotators"
        ));
    }
    Ok(())
}

/// The edits of one annotator, those of one span joined.
fn alternative<'a>(edits: impl Iterator<Item = &'a Correction>) -> Alternative {
    let mut own = Alternative::new();
    for edit in edits {
        match own.iter_mut().find(|(start, end, _)| (*start, *end) == (edit.start, edit.end)) {
            Some((_, _, tokens)) => tokens.extend(&edit.tokens),
            None => own.push((edit.start, edit.end, edit.tokens.clone())),
        }
    }
    own.sort_unstable_by_key(|&(start, end, _)| (start, end));
    own
}

/// The source with edits applied from its end. None empties it.
fn apply(source: &[u32], mut edits: Alternative) -> Vec<u32> {
    let mut tokens = source.to_vec();
    edits.sort_unstable_by_key(|&(start, end, _)| std::cmp::Reverse((start, end)));
    for (start, end, correction) in edits {
        // Edits that overlap may have moved the end of the text.
        let start = start.min(tokens.len());
        let end = end.clamp(start, tokens.len());
        if !(correction.is_empty() && end - start == tokens.len()) {
            tokens.splice(start..end, correction);
        }
    }
    if tokens.is_empty() { source.to_vec() } else { tokens }
}

#[derive(Default)]
struct Distinct {
    seen: HashSet<Vec<u32>>,
    all: Vec<Vec<u32>>,
}

impl Distinct {
    fn add(&mut self, tokens: Vec<u32>) {
        if self.seen.insert(tokens.clone()) {
            self.all.push(tokens);
        }
    }
}
