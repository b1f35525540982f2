//! What is computed, and for which rows: the types that all ways of a pair share.

use std::ops::Range;

use super::prepare::Preparation;
use super::score::{Denominator, Protocol};
use super::units::{TextUnit, is_code_points};
use super::view::Memory;
use super::weighted::SubstitutionCost;

/// Texts, each with its view: 16 bytes that hold the length in bytes and, up to [`INLINE`](super::view::INLINE) bytes,
/// then the text itself, followed by zeros; Arrow's layout.
pub trait Texts {
    /// The views of texts, including nulls, in a row; copied into `room` if they are not contiguous.
    fn views<'a>(&'a self, texts: Range<usize>, room: &'a mut Vec<u128>) -> &'a [u128];

    /// Whether any is null.
    fn has_nulls(&self) -> bool;

    /// Whether a text is not null.
    fn is_valid(&self, index: usize) -> bool;

    /// Clears a bit for each of these texts that is null; the lowest one is that of the first.
    fn clear_nulls(&self, texts: Range<usize>, bits: &mut [u64]);

    /// A text that is not null.
    fn text(&self, index: usize) -> &str;

    /// The memory of a text that is not null.
    fn memory(&self, index: usize) -> Memory<'_>;
}

/// Rows of a prediction and any number of answers.
pub trait Rows {
    /// The column type.
    type Texts: Texts;

    /// The predictions, one for each row, and the answers.
    fn texts(&self) -> [&Self::Texts; 2];

    /// The indices of a row's answers, including null ones.
    fn answers(&self, row: usize) -> Range<usize>;

    /// The indices from the first to the last answer of these rows. There may be others between them.
    fn answers_of(&self, rows: Range<usize>) -> Range<usize>;

    /// Whether each of these rows has one answer, null or not, and these are contiguous.
    fn have_one_answer(&self, rows: Range<usize>) -> bool;
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

/// Similarities that must be exact; others may be any value outside that range.
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

    /// Whether the lanes can compute the request: they know substitutions of cost 1, case and whitespace.
    pub fn is_simple(&self) -> bool {
        self.cost == SubstitutionCost::One
            && self.errors.is_none_or(Preparation::is_simple)
            && self.similarity.is_none_or(|asked| asked.protocol.preparation.is_simple())
    }

    /// The same by code points, for texts in which each is a grapheme cluster; `None` if clusters are not asked for,
    /// or a preparation may make some of other characters.
    pub fn by_code_points(&self) -> Option<Self> {
        let mut request = *self;
        let similarity = request.similarity.as_mut().map(|similarity| &mut similarity.protocol.preparation);
        let mut asks = false;
        for preparation in similarity.into_iter().chain(&mut request.errors) {
            if preparation.unit == TextUnit::Grapheme {
                if preparation.unicode_form.is_some() || preparation.equivalences.is_some() {
                    return None;
                }
                preparation.unit = TextUnit::Codepoint;
                asks = true;
            }
        }
        asks.then_some(request)
    }
}

/// Whether the bytes of these rows show that each code point is a grapheme cluster, in lower case too.
pub fn are_code_points(rows: &impl Rows, range: &Range<usize>) -> bool {
    let [predictions, answers] = rows.texts();
    let are = |texts: &_, mut range: Range<usize>| {
        range.all(|index| !Texts::is_valid(texts, index) || is_code_points(Texts::text(texts, index)))
    };
    are(predictions, range.clone()) && are(answers, rows.answers_of(range.clone()))
}

/// Indices of a pair.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The row, counted from the start of the block.
    pub row: u32,
    /// The answer among those of the block, null ones counted.
    pub answer: u32,
}
