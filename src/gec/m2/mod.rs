//! M²: the system edits that agree best with a gold standard, and how many of them do.
//!
//! Dahlmeier and Ng (2012), "Better Evaluation for Grammatical Error Correction", as the official scorer
//! computes it, ties included.

mod budget;
mod dynamic;
mod exact;
mod insertions;
mod lattice;
mod types;

use self::budget::{Budget, Taken};
use self::dynamic::Dynamic;
use self::exact::Exact;
use self::lattice::{Lattice, MAX_CELLS};
use self::types::{Gold, Span, Texts};
pub use self::types::{InsertLabels, Method, Options, Tables};
use super::edits::Annotator;
use super::tokens::Vocabulary;
use crate::kernel::whitespace::is_whitespace;

/// What lattices of all threads take at a time, with what the dynamic program keeps of them: the largest one, or some
/// long ones.
static LATTICES: Budget = Budget::new(256 << 20);

/// What the exact method takes at a time for large lattices. Who waits for it has a lattice already; a thread that has
/// both does not wait.
static ARCS: Budget = Budget::new(256 << 20);

/// Lattices of fewer bytes, 600 words against 600, are not counted, so that sentences do not wait for each other.
const SMALL: usize = 8 << 20;

/// To be called in a process that was just forked.
pub fn after_fork() {
    LATTICES.after_fork();
    ARCS.after_fork();
}

/// Counts of one annotator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Who.
    pub annotator: i64,
    /// System edits that match a gold edit.
    pub correct: u32,
    /// System edits.
    pub proposed: u32,
    /// Gold edits.
    pub gold: u32,
}

/// A system edit as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemEdit {
    /// Annotator whose gold standard it was chosen for.
    pub annotator: i64,
    /// First token.
    pub start: u32,
    /// One after the last token.
    pub end: u32,
    /// Tokens of the source, joined.
    pub original: String,
    /// Tokens of the hypothesis, joined.
    pub correction: String,
    /// Type of the gold edit that it matches.
    pub matched: Option<String>,
}

/// Scores sentences, keeping its memory from one to the next.
#[derive(Default)]
pub struct Scorer {
    lattice: Lattice,
    exact: Exact,
    dynamic: Dynamic,
    path: Vec<Span>,
    matched: Vec<Option<usize>>,
    /// What it has of [`LATTICES`] and of [`ARCS`]. Last, as memory is freed before its bytes are given back.
    taken: [Option<Taken>; 2],
}

impl Scorer {
    /// The counts against each annotator.
    pub fn counts(
        &mut self,
        hypothesis: &str,
        source: &str,
        annotators: &[Annotator],
        options: &Options,
    ) -> Result<Vec<Counts>, String> {
        let mut counts = Vec::with_capacity(annotators.len());
        self.score(hypothesis, source, annotators, options, |found| counts.push(found.counts))?;
        Ok(counts)
    }

    /// The system edits chosen for each annotator; `shrink` takes equal words off their ends.
    pub fn system_edits(
        &mut self,
        hypothesis: &str,
        source: &str,
        annotators: &[Annotator],
        options: &Options,
        shrink: bool,
    ) -> Result<Vec<SystemEdit>, String> {
        let mut edits = Vec::new();
        self.score(hypothesis, source, annotators, options, |found| {
            for (span, matched) in found.path.iter().zip(found.matched) {
                let (mut original, mut correction) =
                    (found.texts.original(span), found.texts.correction(span));
                let (mut start, mut end) = span.label;
                if shrink {
                    while let ([first, rest @ ..], [other, others @ ..]) = (original, correction)
                        && first == other
                    {
                        (original, correction) = (rest, others);
                        start += 1;
                    }
                    while let ([rest @ .., last], [others @ .., other]) = (original, correction)
                        && last == other
                    {
                        (original, correction) = (rest, others);
                        end -= 1;
                    }
                }
                edits.push(SystemEdit {
                    annotator: found.annotator.id,
                    start,
                    end,
                    original: found.vocabulary.join(original),
                    correction: found.vocabulary.join(correction),
                    matched: matched.map(|gold| found.annotator.edits[found.kept[gold]].kind.to_owned()),
                });
            }
        })?;
        Ok(edits)
    }

    fn score(
        &mut self,
        hypothesis: &str,
        source: &str,
        annotators: &[Annotator],
        options: &Options,
        give: impl FnMut(&Found),
    ) -> Result<(), String> {
        let result = self.score_in_turn(hypothesis, source, annotators, options, give);
        if self.taken.iter().any(Option::is_some) {
            *self = Self::default();
        }
        result
    }

    /// Scores a sentence, a long one when there is memory for it. What it took is to be given back.
    fn score_in_turn(
        &mut self,
        hypothesis: &str,
        source: &str,
        annotators: &[Annotator],
        options: &Options,
        mut give: impl FnMut(&Found),
    ) -> Result<(), String> {
        let mut vocabulary = Vocabulary::default();
        let [source, hypothesis] = [source, hypothesis].map(|text| vocabulary.numbers(text));
        let texts = Texts { source: &source, hypothesis: &hypothesis };
        let is_unchanged = source == hypothesis;
        let mut is_exact = false;
        if !is_unchanged {
            if (source.len() + 1).saturating_mul(hypothesis.len() + 1) > MAX_CELLS {
                return Err(format!(
                    "texts of {} and {} words are too long for M²; cut the prediction off",
                    source.len(),
                    hypothesis.len()
                ));
            }
            let bytes = lattice::bytes(texts) + dynamic::bytes(texts, options.max_unchanged);
            self.taken[0] = (bytes > SMALL).then(|| LATTICES.take(bytes));
            self.lattice.build(texts, options.tables == Tables::Paper);
            self.taken[1] = exact::bytes(&self.lattice, options.method).map(|bytes| ARCS.take(bytes));
            is_exact = match options.method {
                Method::Dynamic => false,
                Method::Auto => self.exact.build(&self.lattice, texts, options, true),
                Method::Exact if self.exact.build(&self.lattice, texts, options, false) => true,
                Method::Exact => {
                    return Err(format!(
                        "a lattice of {} vertices is too large for the exact method; use method=\"auto\"",
                        self.lattice.vertices.len()
                    ));
                }
            };
        }
        for annotator in annotators {
            let (golds, kept) = gold_edits(annotator, source.len(), &mut vocabulary);
            self.path.clear();
            if is_exact {
                self.exact.path(texts, &golds, &mut self.path);
            } else if !is_unchanged {
                self.dynamic.path(&self.lattice, texts, &golds, options.max_unchanged, &mut self.path);
            }
            if options.ignore_whitespace_casing {
                self.path.retain(|span| !changes_case_alone(texts, span, &vocabulary));
            }
            let correct = match_in_order(texts, &self.path, &golds, &mut self.matched);
            give(&Found {
                annotator,
                counts: Counts {
                    annotator: annotator.id,
                    correct,
                    proposed: self.path.len() as u32,
                    gold: golds.len() as u32,
                },
                texts,
                vocabulary: &vocabulary,
                path: &self.path,
                matched: &self.matched,
                kept: &kept,
            });
        }
        Ok(())
    }
}

/// What was found for one annotator.
struct Found<'a> {
    annotator: &'a Annotator<'a>,
    counts: Counts,
    texts: Texts<'a>,
    vocabulary: &'a Vocabulary<'a>,
    path: &'a [Span],
    matched: &'a [Option<usize>],
    kept: &'a [usize],
}

/// The gold edits in numbers with their places among the annotator's; those past the end are dropped.
fn gold_edits<'a>(
    annotator: &Annotator<'a>,
    tokens: usize,
    vocabulary: &mut Vocabulary<'a>,
) -> (Vec<Gold>, Vec<usize>) {
    let mut kept = Vec::with_capacity(annotator.edits.len());
    let mut golds = Vec::with_capacity(annotator.edits.len());
    for (place, edit) in annotator.edits.iter().enumerate() {
        let Some((start, end)) = edit.span(tokens) else { continue };
        kept.push(place);
        let is_plain =
            |text: &&&str| !text.contains("  ") && !text.contains(|c| c != ' ' && is_whitespace(c));
        let corrections = edit.corrections.iter().filter(is_plain);
        golds.push(Gold {
            start,
            end,
            corrections: corrections.map(|text| vocabulary.numbers(text)).collect(),
        });
    }
    (golds, kept)
}

/// Matches system edits with gold edits in the order of the file, as the official scorer does: gold edits
/// before the last one matched are out, and equal ones are matched at once.
fn match_in_order(texts: Texts, path: &[Span], golds: &[Gold], matched: &mut Vec<Option<usize>>) -> u32 {
    matched.clear();
    let (mut correct, mut open) = (0, 0);
    for span in path {
        let mut first = None;
        for (place, _) in golds.iter().enumerate().skip(open).filter(|(_, gold)| texts.hits(span, gold)) {
            correct += 1;
            open = place + 1;
            first = first.or(Some(place));
        }
        matched.push(first);
    }
    correct
}

fn changes_case_alone(texts: Texts, span: &Span, vocabulary: &Vocabulary) -> bool {
    let plain = |tokens: &[u32]| vocabulary.join(tokens).replace(' ', "").to_lowercase();
    plain(texts.original(span)) == plain(texts.correction(span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gec::edits::by_annotator;

    #[test]
    fn long_sentences_give_back_what_they_took() {
        // Three of them do not fit at a time: every pair of words is a vertex.
        let words = |letter: char| (0..1_900).map(|word| format!("{letter}{word}")).collect::<Vec<_>>();
        let (source, hypothesis) = (words('a').join(" "), words('b').join(" "));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let (mut scorer, annotators) =
                        (Scorer::default(), by_annotator(Vec::new(), [0].into_iter()));
                    let counts = scorer.counts(&hypothesis, &source, &annotators, &Options::default());
                    assert_eq!(counts.map(|counts| counts[0].proposed), Ok(1));
                    assert!(scorer.taken.iter().all(Option::is_none));
                    let exact = Options { method: Method::Exact, ..Options::default() };
                    assert!(scorer.counts(&hypothesis, &source, &annotators, &exact).is_err());
                    assert!(scorer.taken.iter().all(Option::is_none));
                });
            }
        });
    }
}
