//! A text in units, and the places of its words.
//!
//! Positions are kept in bytes and in units, so that slices and counts need no search. A text that leaves words out
//! copies the rest; a whole text borrows.

use std::borrow::Cow;
use std::ops::Range;

use super::super::alignment::Edit;
use super::super::units::Written;

/// The direction from a block to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ahead,
    Back,
}

/// The place of a word.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: Place,
    end: Place,
}

/// A border between two units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub byte: usize,
    pub unit: usize,
}

/// Bytes in which units are counted at once.
const BLOCK: usize = 32;

impl Place {
    fn since(self, start: Self) -> Self {
        Self { byte: self.byte - start.byte, unit: self.unit - start.unit }
    }

    /// The place of a later unit of a text whose units are its code points.
    fn ahead(self, text: &[u8], unit: usize) -> Self {
        let Self { mut byte, unit: mut first } = self;
        let is_first = |byte: &&u8| **byte & 0xc0 != 0x80;
        while let Some(block) = text[byte..].first_chunk::<BLOCK>() {
            let units = block.iter().filter(is_first).count();
            if units > unit - first {
                break;
            }
            (byte, first) = (byte + BLOCK, first + units);
        }
        let rest = text[byte..].iter().enumerate().filter(|(_, byte)| is_first(byte));
        let byte = rest.map(|(at, _)| byte + at).nth(unit - first).unwrap_or(text.len());
        Self { byte, unit }
    }
}

/// A text with a code point for each unit.
pub struct Text<'a> {
    content: Cow<'a, str>,
    units: usize,
    words: Cow<'a, [Word]>,
    /// The words as numbers, the same in both texts.
    pub numbers: Cow<'a, [u32]>,
    /// Units of the whole text that this part leaves out.
    pub left_out: Vec<Range<usize>>,
}

impl<'a> Text<'a> {
    /// A text whose words have no numbers yet.
    pub fn new(written: &Written<'a>, side: usize, ranges: &[[usize; 2]]) -> Self {
        let text = written.texts[side];
        let mut starts = written.starts(side);
        let is_ascii = text.is_ascii();
        let units = if is_ascii { text.len() } else { text.chars().count() };
        let mut next = starts.next();
        let mut unit = 0;
        let mut place = |byte: usize| {
            while let Some((start, at)) = next {
                if start >= byte {
                    return Place { byte: at, unit };
                }
                next = starts.next();
                unit += 1;
            }
            Place { byte: text.len(), unit: units }
        };
        let is_plain = written.are_code_points() && is_ascii;
        let words = ranges.iter().map(|&range| {
            let [start, end] =
                range.map(|byte| if is_plain { Place { byte, unit: byte } } else { place(byte) });
            Word { start, end }
        });
        Self {
            content: text.into(),
            units,
            words: words.collect::<Vec<_>>().into(),
            numbers: Cow::default(),
            left_out: Vec::new(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// Whether each byte is a unit.
    pub fn is_ascii(&self) -> bool {
        self.units == self.content.len()
    }

    /// Number of units.
    pub fn length(&self) -> usize {
        self.units
    }

    pub fn end(&self) -> Place {
        Place { byte: self.content.len(), unit: self.units }
    }

    /// Where a word starts; the end of the text after the last word.
    pub fn start(&self, word: usize) -> Place {
        self.words.get(word).map_or(self.end(), |word| word.start)
    }

    /// The end of the word before a word, before the first one the start of the text.
    pub fn end_before(&self, word: usize) -> Place {
        word.checked_sub(1).map_or(Place::default(), |word| self.words[word].end)
    }

    /// The unit with which a word starts; the number of units for the number of words.
    pub fn first_unit(&self, word: usize) -> usize {
        self.start(word).unit
    }

    pub fn slice(&self, from: Place, to: Place) -> &str {
        &self.content[from.byte..to.byte]
    }

    /// The place `units` units after another one.
    pub fn ahead(&self, place: Place, units: usize) -> Place {
        let unit = place.unit + units;
        if self.is_ascii() {
            return Place { byte: unit.min(self.units), unit };
        }
        place.ahead(self.content.as_bytes(), unit)
    }

    /// The text of words, without the separators around them.
    pub fn part(&self, words: Range<usize>) -> Text<'_> {
        let (start, end) = (self.start(words.start), self.end_before(words.end));
        let inner = self.words[words.clone()].iter();
        let inner = inner.map(|word| Word { start: word.start.since(start), end: word.end.since(start) });
        Text {
            content: self.content[start.byte..end.byte].into(),
            units: end.unit - start.unit,
            words: inner.collect::<Vec<_>>().into(),
            numbers: self.numbers[words].into(),
            left_out: Vec::new(),
        }
    }

    /// Units of words, each with what separates it from the next one, or from the one before where it is the last.
    pub fn weight(&self, words: Range<usize>) -> usize {
        if words.end < self.words.len() {
            self.start(words.end).unit - self.start(words.start).unit
        } else {
            self.end_before(words.end).unit - self.end_before(words.start).unit
        }
    }

    /// The words that have at least half of their units in a row of insertions; at least the word in which or before
    /// which it starts.
    pub fn words_of_row(&self, row: &[Edit]) -> Range<usize> {
        let units = row[0].prediction_position..row[row.len() - 1].prediction_position + 1;
        let is_before = |word: &Word| word.start.unit + word.end.unit <= 2 * units.start;
        let first = self.words.partition_point(is_before);
        let last = self.words.partition_point(|word| word.start.unit + word.end.unit <= 2 * units.end);
        first..last.max(first)
    }

    /// The word to which a unit belongs: the last one that starts there or before.
    pub fn word_at(&self, unit: usize) -> usize {
        self.words.partition_point(|word| word.start.unit <= unit).saturating_sub(1)
    }

    /// The text of words with the separator before them, or after them.
    pub fn beside(&self, words: Range<usize>, direction: Direction) -> &str {
        let (start, end) = match direction {
            Direction::Ahead => (self.end_before(words.start), self.end_before(words.end)),
            Direction::Back => (self.start(words.start), self.start(words.end)),
        };
        self.slice(start, end)
    }

    /// How many of these words lie within the first, or the last, `units` units of that text.
    pub fn words_beside(&self, words: Range<usize>, units: usize, direction: Direction) -> usize {
        match direction {
            Direction::Ahead => {
                let end = self.end_before(words.start).unit + units;
                self.words[words].partition_point(|word| word.end.unit <= end)
            }
            Direction::Back => {
                let start = self.start(words.end).unit.saturating_sub(units);
                words.len() - self.words[words].partition_point(|word| word.start.unit < start)
            }
        }
    }

    /// The text without words that are taken out, each with what separates it from the next one that stays; at the end
    /// of the text from the last one that stays.
    pub fn without(&self, taken: &[bool]) -> Text<'_> {
        if !taken.contains(&true) {
            return Text {
                content: Cow::Borrowed(&*self.content),
                units: self.units,
                words: self.words[..].into(),
                numbers: self.numbers[..].into(),
                left_out: Vec::new(),
            };
        }
        let mut rest = Text {
            content: String::with_capacity(self.content.len()).into(),
            units: 0,
            words: Vec::new().into(),
            numbers: Vec::new().into(),
            left_out: Vec::new(),
        };
        let mut copied = Place::default();
        let mut word = 0;
        while word < taken.len() {
            if !taken[word] {
                let shift = |place: Place| Place {
                    byte: rest.content.len() + place.byte - copied.byte,
                    unit: rest.units + place.unit - copied.unit,
                };
                let Word { start, end } = self.words[word];
                rest.words.to_mut().push(Word { start: shift(start), end: shift(end) });
                rest.numbers.to_mut().push(self.numbers[word]);
                word += 1;
                continue;
            }
            let first = word;
            while taken.get(word) == Some(&true) {
                word += 1;
            }
            let is_last = word == taken.len();
            let from = if is_last { self.end_before(first) } else { self.start(first) };
            rest.push(&self.content[copied.byte..from.byte], from.unit - copied.unit);
            copied = if is_last { self.words[word - 1].end } else { self.start(word) };
            rest.left_out.push(from.unit..copied.unit);
        }
        let end = self.end();
        rest.push(&self.content[copied.byte..end.byte], end.unit - copied.unit);
        rest
    }

    fn push(&mut self, text: &str, units: usize) {
        self.content.to_mut().push_str(text);
        self.units += units;
    }
}
