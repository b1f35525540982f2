//! What is asked for, of which rows: the ground that the ways of a pair share.

use std::ops::Range;

use super::prepare::Preparation;
use super::score::{Denominator, Protocol};
use super::view::Memory;
use super::weighted::SubstitutionCost;

/// The texts of a table, each with its view: 16 bytes that hold the length in bytes and, up to [`INLINE`](super::view::INLINE)
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

impl Request {
    /// Whether texts are compared as they came, and a distance is all that is asked for.
    pub fn is_raw(&self) -> bool {
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

/// Where a pair stands.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The row, counted from the start of the block.
    pub row: u32,
    /// The answer among those of its row, null ones counted.
    pub index: u32,
    /// Where the prediction stands.
    pub prediction: usize,
    /// Where the answer stands.
    pub answer: usize,
}
