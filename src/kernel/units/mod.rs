//! What texts are compared by: code points, grapheme clusters or words.
//!
//! Every method compares code points. Texts of other units are therefore rewritten, with one code point for each unit:
//! two code points are equal where the units are. Distances, lengths and alignments of the new texts are those of the
//! units. A pair has at most about a million different units; more panic.

mod graphemes;
mod word_band;
mod word_keys;
mod word_table;
mod words;

use self::graphemes::Graphemes;
pub use self::graphemes::is_code_points;
use self::words::Words;
use super::distance::Workspace;
use super::length::length;

/// What a distance counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextUnit {
    /// Code points.
    #[default]
    Codepoint,
    /// Extended grapheme clusters of UAX 29.
    Grapheme,
    /// Words.
    Word(WordRule),
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum WordRule {
    /// Text between whitespace, as Python's `str.split`.
    Whitespace,
    /// Text between spaces, or between two or more characters of whitespace, as jiwer's words.
    Spaces,
    /// The words of UAX 29, except those of whitespace, punctuation and symbols alone.
    Uax29,
}

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Units {
    graphemes: Graphemes,
    words: Words,
    ranges: [Vec<Range>; 2],
    texts: [String; 2],
}

/// Where a unit begins and ends in its text.
type Range = [usize; 2];

/// Both texts of a pair with a code point for each unit.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// The new texts.
    pub texts: [&'a str; 2],
    originals: [&'a str; 2],
    /// The ranges of the units in the originals; `None` if they are code points.
    ranges: Option<&'a [Vec<Range>; 2]>,
    /// The text between two units that are shown together.
    separator: &'static str,
}

impl<'a> Written<'a> {
    /// A unit of one of the original texts; `None` where units are code points.
    pub fn unit(&self, side: usize, position: usize) -> Option<&'a str> {
        self.ranges.map(|ranges| {
            let [start, end] = ranges[side][position];
            &self.originals[side][start..end]
        })
    }

    /// Whether each unit is a code point of the new texts, and these are the original ones.
    pub fn are_code_points(&self) -> bool {
        self.ranges.is_none()
    }

    /// Number of units of one of the texts, unless they are code points.
    pub fn count(&self, side: usize) -> usize {
        self.ranges.map_or(0, |ranges| ranges[side].len())
    }

    /// Whether the units are words.
    pub fn are_words(&self) -> bool {
        !self.separator.is_empty()
    }

    /// Where each unit of one of the texts starts in the original text, and in the new one.
    pub fn starts(&self, side: usize) -> impl Iterator<Item = (usize, usize)> {
        let ranges = self.ranges.map(|ranges| ranges[side].as_slice());
        self.texts[side]
            .char_indices()
            .enumerate()
            .map(move |(unit, (byte, _))| (ranges.map_or(byte, |ranges| ranges[unit][0]), byte))
    }

    /// Units of one of the original texts as one text, unless they are code points.
    pub fn joined(&self, side: usize, positions: impl Iterator<Item = usize>) -> String {
        positions.filter_map(|position| self.unit(side, position)).collect::<Vec<_>>().join(self.separator)
    }

    /// One of the original texts in parts: by turns the text between units, which may be empty, and a unit; `None` if
    /// units are code points.
    pub fn parts(&self, side: usize) -> Option<Vec<&'a str>> {
        let text = self.originals[side];
        let mut parts = Vec::new();
        let mut seen = 0;
        for &[start, end] in &self.ranges?[side] {
            parts.push(&text[seen..start]);
            parts.push(&text[start..end]);
            seen = end;
        }
        parts.push(&text[seen..]);
        Some(parts)
    }
}

/// What is known of a pair of texts without rewriting them.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The edit distance in units.
    pub distance: usize,
    /// The units of each text.
    pub lengths: [usize; 2],
}

impl Units {
    /// Number of units of a text.
    pub fn length(&mut self, text: &str, unit: TextUnit) -> usize {
        match unit {
            TextUnit::Word(rule) => self.words.count(text, rule, &mut self.ranges[0]),
            TextUnit::Codepoint | TextUnit::Grapheme => length(self.code_points(["", text], unit)[1]),
        }
    }

    /// The distance of two texts in words, which needs no rewritten texts; `None` for other units.
    pub fn measure(
        &mut self,
        texts: [&str; 2],
        unit: TextUnit,
        workspace: &mut Workspace,
    ) -> Option<Measured> {
        let TextUnit::Word(rule) = unit else { return None };
        let (distance, lengths) = self.words.distance(texts, rule, &mut self.ranges, workspace);
        Some(Measured { distance, lengths })
    }

    /// Both texts with a code point for each unit.
    ///
    /// # Panics
    ///
    /// If a pair has more different units than there are code points, about a million.
    pub fn write<'a>(&'a mut self, originals: [&'a str; 2], unit: TextUnit) -> Written<'a> {
        let Self { graphemes, words, ranges, texts } = self;
        let are_written = match unit {
            TextUnit::Codepoint => false,
            TextUnit::Grapheme => graphemes.write(originals, ranges, texts),
            TextUnit::Word(rule) => {
                words.write(originals, rule, ranges, texts);
                true
            }
        };
        let separator = if matches!(unit, TextUnit::Word(_)) { " " } else { "" };
        if are_written {
            let texts = texts.each_ref().map(String::as_str);
            Written { texts, originals, ranges: Some(ranges), separator }
        } else {
            Written { texts: originals, originals, ranges: None, separator }
        }
    }

    /// The words of both texts as numbers, equal where the words are, and the ranges of the words.
    pub fn numbers(&mut self, texts: [&str; 2], rule: WordRule) -> ([&[u32]; 2], &[Vec<Range>; 2]) {
        let Self { words, ranges, .. } = self;
        (words.number(texts, rule, ranges), ranges)
    }

    /// The texts that [`write`](Self::write) makes.
    pub fn code_points<'a>(&'a mut self, texts: [&'a str; 2], unit: TextUnit) -> [&'a str; 2] {
        self.write(texts, unit).texts
    }
}

/// What a pair with too many different units panics with.
const TOO_MANY: &str = "a pair of texts has more than a million different words or grapheme clusters";
