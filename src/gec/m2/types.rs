//! What the parts of M² share: its options, the two texts, gold edits and the edits of a path.

/// Which Levenshtein tables make up the lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Tables {
    /// Two, with substitutions at cost 1 and 2: the official scorer.
    #[default]
    Official,
    /// One, at cost 1: the paper.
    Paper,
}

/// The position given to an insertion before the first token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum InsertLabels {
    /// Before the first token.
    #[default]
    Fixed,
    /// Wherever it ends in the hypothesis: version 3.2 of the official scorer.
    #[cfg_attr(feature = "plugin", serde(rename = "v3.2"))]
    Version32,
}

/// How the path is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Method {
    /// The exact one, where the lattice is small.
    #[default]
    Auto,
    /// The official scorer's.
    Exact,
    /// A dynamic program whose time is bounded by the lattice.
    #[cfg_attr(feature = "plugin", serde(rename = "dp"))]
    Dynamic,
}

/// Options of M².
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Unchanged words that an edit may span.
    pub max_unchanged: usize,
    /// Leave out edits that change whitespace and case alone.
    pub ignore_whitespace_casing: bool,
    /// Tables of the lattice.
    pub tables: Tables,
    /// The positions given to insertions.
    pub insert_labels: InsertLabels,
    /// How the path is found.
    pub method: Method,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_unchanged: 2,
            ignore_whitespace_casing: false,
            tables: Tables::default(),
            insert_labels: InsertLabels::default(),
            method: Method::default(),
        }
    }
}

/// A gold edit in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// First token.
    pub start: usize,
    /// One after the last token.
    pub end: usize,
    /// The accepted replacements, without corrections that no tokens spell.
    pub corrections: Vec<Vec<u32>>,
}

/// An edit between two vertices of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where the edit is said to start and end in the source.
    pub label: (u32, u32),
    /// Vertex it starts at.
    pub from: (u32, u32),
    /// Vertex it ends at.
    pub to: (u32, u32),
}

/// The two texts in numbers.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// Tokens of the source.
    pub source: &'a [u32],
    /// Tokens of the hypothesis.
    pub hypothesis: &'a [u32],
}

impl<'a> Texts<'a> {
    /// The tokens that an edit replaces.
    pub fn original(self, span: &Span) -> &'a [u32] {
        &self.source[span.from.0 as usize..span.to.0 as usize]
    }

    /// The tokens that an edit puts there.
    pub fn correction(self, span: &Span) -> &'a [u32] {
        &self.hypothesis[span.from.1 as usize..span.to.1 as usize]
    }

    /// Whether an edit is this gold edit.
    pub fn hits(self, span: &Span, gold: &Gold) -> bool {
        (span.label.0 as usize, span.label.1 as usize) == (gold.start, gold.end) && self.hits_here(span, gold)
    }

    /// Whether an edit at the place of a gold edit has its texts.
    pub fn hits_here(self, span: &Span, gold: &Gold) -> bool {
        self.original(span) == &self.source[gold.start..gold.end]
            && gold.corrections.iter().any(|accepted| accepted == self.correction(span))
    }
}
