//! ERRANT's counts: which edits of a system are edits of a reference.
//!
//! Bryant, Felice and Briscoe (2017), "Automatic Annotation and Evaluation of Error Types for Grammatical
//! Error Correction", the comparison of two annotated files; nothing is annotated here.

use std::collections::BTreeMap;

use super::edits::{Annotator, Edit};
use super::tokens::split;

/// What makes two edits the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub enum Mode {
    /// Span and correction.
    #[default]
    #[cfg_attr(feature = "plugin", serde(rename = "cs"))]
    Correction,
    /// Span, type and correction.
    #[cfg_attr(feature = "plugin", serde(rename = "cse"))]
    TypedCorrection,
    /// Span.
    #[cfg_attr(feature = "plugin", serde(rename = "ds"))]
    Span,
    /// Each token of the span.
    #[cfg_attr(feature = "plugin", serde(rename = "dt"))]
    Token,
}

/// Which edits take part.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What makes two edits the same.
    pub mode: Mode,
    /// Those of at most one token.
    pub single: bool,
    /// Those of several tokens.
    pub multi: bool,
    /// All but those of these types.
    pub filter: Vec<String>,
}

/// Counts of one type of edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In both.
    pub tp: u32,
    /// Of the system alone.
    pub fp: u32,
    /// Of the reference alone.
    pub fn_: u32,
}

/// Counts of one annotator of the system's edits against one of the reference's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Whose edits of the system.
    pub hypothesis: i64,
    /// Whose edits of the reference.
    pub reference: i64,
    /// All types.
    pub all: Counts,
    /// By type, in order.
    pub by_type: Vec<(String, Counts)>,
}

/// More tokens of edits in a row are refused where each of them counts: they would fill the memory.
const MAX_TOKENS: i64 = 1 << 18;

/// What tells one edit from another: span, correction, and type where it counts.
type Key<'a> = (i64, i64, String, &'a str);

/// Compares every annotator of the system's edits with every one of the reference's. The error is that of spans that
/// by token would not fit into memory.
pub fn compare(
    hypothesis: &[Annotator],
    reference: &[Annotator],
    options: &Options,
) -> Result<Vec<Comparison>, String> {
    if options.mode == Mode::Token {
        let edits = hypothesis.iter().chain(reference).flat_map(|annotator| &annotator.edits);
        let tokens: i64 = edits.map(|edit| edit.end - edit.start).sum();
        if tokens > MAX_TOKENS {
            return Err(format!(
                "the edits span {tokens} tokens, more than {MAX_TOKENS}; compare whole spans (mode \"ds\"), or cut \
                 the text into sentences"
            ));
        }
    }
    let references: Vec<_> = reference.iter().map(|one| (one.id, types(&one.edits, options))).collect();
    let mut all = Vec::with_capacity(hypothesis.len() * reference.len());
    for one in hypothesis {
        let own = types(&one.edits, options);
        for (id, other) in &references {
            all.push(compare_two((one.id, &own), (*id, other)));
        }
    }
    Ok(all)
}

fn compare_two<'a>(
    (hypothesis, own): (i64, &BTreeMap<Key<'a>, Vec<&'a str>>),
    (reference, other): (i64, &BTreeMap<Key<'a>, Vec<&'a str>>),
) -> Comparison {
    let mut by_type: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for (key, kinds) in own {
        if let Some(kinds) = other.get(key) {
            for kind in kinds {
                by_type.entry(kind).or_default().tp += 1;
                all.tp += 1;
            }
        } else {
            for kind in kinds {
                by_type.entry(kind).or_default().fp += 1;
                all.fp += 1;
            }
        }
    }
    for (_, kinds) in other.iter().filter(|(key, _)| !own.contains_key(*key)) {
        for kind in kinds {
            by_type.entry(kind).or_default().fn_ += 1;
            all.fn_ += 1;
        }
    }
    let by_type = by_type.into_iter().map(|(kind, counts)| (kind.to_owned(), counts)).collect();
    Comparison { hypothesis, reference, all, by_type }
}

/// The types listed under each key.
fn types<'a>(edits: &'a [Edit<'a>], options: &Options) -> BTreeMap<Key<'a>, Vec<&'a str>> {
    let mut found: BTreeMap<Key<'a>, Vec<&'a str>> = BTreeMap::new();
    for edit in edits {
        let is_detection = matches!(options.mode, Mode::Span | Mode::Token);
        if options.filter.iter().any(|kind| kind == edit.kind) || (edit.kind == "UNK" && !is_detection) {
            continue;
        }
        // Alternatives are one correction, as the file writes them.
        let correction = edit.corrections.join("||");
        let is_multi = edit.end - edit.start >= 2 || split(&correction).nth(1).is_some();
        if (options.single && is_multi) || (options.multi && !is_multi) {
            continue;
        }
        let mut add = |key| found.entry(key).or_default().push(edit.kind);
        match options.mode {
            Mode::Correction => add((edit.start, edit.end, correction, "")),
            Mode::TypedCorrection => add((edit.start, edit.end, correction, edit.kind)),
            Mode::Span => add((edit.start, edit.end, String::new(), "")),
            Mode::Token if edit.start == edit.end => add((edit.start, edit.start + 1, String::new(), "")),
            Mode::Token => (edit.start..edit.end).for_each(|token| {
                add((token, token + 1, String::new(), ""));
            }),
        }
    }
    found
}
