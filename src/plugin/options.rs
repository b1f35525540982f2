//! The keyword arguments of an expression, as the Python package sends them.

use std::cell::RefCell;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::{Error, Result};
use crate::kernel::confusions::LONGEST;
use crate::kernel::equivalences::Equivalences;
use crate::kernel::prepare::{Preparation, UnicodeForm, Whitespace};
use crate::kernel::request::{Exact, Request, Similarity};
use crate::kernel::score::{Cut, Denominator, Protocol};
use crate::kernel::units::{TextUnit, WordRule};
use crate::kernel::weighted::SubstitutionCost;

/// Keyword arguments; a metric reads the ones it has.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    protocol: ProtocolOptions,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default = "one")]
    substitution_cost: u64,
    #[serde(default)]
    cer_protocol: Option<ProtocolOptions>,
    #[serde(default = "one")]
    max_length: u64,
    #[serde(default)]
    min_nls: f64,
    #[serde(default = "one")]
    min_words: u64,
    #[serde(default)]
    styles: bool,
}

/// The fields of Python's `ScoreProtocol`; its threshold arrives resolved, as an option of its own.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtocolOptions {
    ignore_case: bool,
    #[serde(default)]
    ignore_punctuation: bool,
    whitespace: Whitespace,
    unicode_form: Option<UnicodeForm>,
    length: Denominator,
    cut: Cut,
    unit: UnitName,
    words: WordRule,
    #[serde(deserialize_with = "equivalences")]
    equivalences: Option<Equivalences>,
}

/// The names of [`TextUnit`], without the rule for words.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UnitName {
    Codepoint,
    Grapheme,
    Word,
}

/// Reads the pickle in which Polars passes keyword arguments.
pub fn read<T: DeserializeOwned>(pickle: &[u8]) -> Result<T> {
    serde_pickle::from_slice(pickle, serde_pickle::DeOptions::new())
        .map_err(|error| Error::new(format!("the options of the expression cannot be read: {error}")))
}

/// Options that a thread remembers.
const REMEMBERED: usize = 8;

thread_local! {
    /// Options by their pickle: a query asks twice for the schema of an expression before it calls it, and to read a
    /// pickle takes longer than to score ten rows.
    static KNOWN: RefCell<Vec<(Box<[u8]>, Options)>> = RefCell::default();
}

fn one() -> u64 {
    1
}

fn equivalences<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Equivalences>, D::Error> {
    Ok(Equivalences::new(Vec::deserialize(deserializer)?))
}

impl Options {
    /// Reads the keyword arguments.
    pub fn parse(pickle: &[u8]) -> Result<Self> {
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, options)) = known.iter().find(|(bytes, _)| **bytes == *pickle) {
                return Ok(*options);
            }
            let options = read(pickle)?;
            if known.len() == REMEMBERED {
                known.clear();
            }
            known.push((pickle.into(), options));
            Ok(options)
        })
    }

    /// The scoring protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol.to_kernel()
    }

    /// The request for the nearest answer.
    pub fn nearest(&self, exact: Exact) -> Request {
        let similarity = Some(Similarity { protocol: self.protocol(), exact });
        Request { similarity, cost: self.substitution_cost(), ..Request::default() }
    }

    /// The request for the best similarity, whichever answer has it.
    pub fn best(&self, exact: Exact) -> Request {
        Request { any_of_equals: true, ..self.nearest(exact) }
    }

    /// The preparation for the character error rate, where it has one of its own.
    pub fn cer_preparation(&self) -> Preparation {
        self.cer_protocol.unwrap_or(self.protocol).to_kernel().preparation
    }

    /// Whether to say how predictions are written, for notes on error rates.
    pub fn styles(&self) -> bool {
        self.styles
    }

    /// The threshold of the cut.
    pub fn threshold(&self) -> Result<f64> {
        self.threshold.ok_or_else(|| Error::new("the protocol has no threshold; pass `threshold=`"))
    }

    /// Longest side of a confusion.
    pub fn max_length(&self) -> usize {
        usize::try_from(self.max_length).unwrap_or(LONGEST).clamp(1, LONGEST)
    }

    /// Lowest similarity of texts whose edits are counted. 0 is no limit: over lengths of other texts than those
    /// that are compared, similarities can be negative.
    pub fn min_nls(&self) -> Option<f64> {
        (self.min_nls > 0.0).then_some(self.min_nls)
    }

    /// What a word is.
    pub fn word_rule(&self) -> WordRule {
        self.protocol.words
    }

    /// Words of the shortest block; more than a text has find none.
    pub fn min_words(&self) -> usize {
        usize::try_from(self.min_words).unwrap_or(usize::MAX).max(1)
    }

    /// What a substitution costs.
    pub fn substitution_cost(&self) -> SubstitutionCost {
        SubstitutionCost::from_cost(self.substitution_cost)
    }
}

impl ProtocolOptions {
    fn to_kernel(self) -> Protocol {
        let Self { ignore_case, ignore_punctuation, whitespace, unicode_form, .. } = self;
        let Self { length, cut, unit, words, equivalences, .. } = self;
        let unit = match unit {
            UnitName::Codepoint => TextUnit::Codepoint,
            UnitName::Grapheme => TextUnit::Grapheme,
            UnitName::Word => TextUnit::Word(words),
        };
        let preparation =
            Preparation { ignore_case, ignore_punctuation, whitespace, unicode_form, equivalences, unit };
        Protocol { preparation, denominator: length, cut }
    }
}
