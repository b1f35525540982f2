//! Pages of which a few letters are misread: no block of them stands elsewhere or again.
//!
//! A word that no edit touches is at its place. Where words start and end is a bit for each byte, so what both texts have in
//! common between two edits is passed over without a look at its words.

use std::ops::Range;

use super::super::alignment::{Edit, Operation};
use super::super::lanes::{Isa, Task};
use super::super::units::Borders;
use super::kinds::rows;
use super::text::{Place, Text};

/// Whether no block of at least so many words can be moved or repeated: runs of words that an alignment with these edits
/// does not find at their place are nowhere in the reference, and no stretch has so many words more than in the reference.
///
/// It may say no where it is so, and never says yes where it is not. No word is numbered, and few are looked up.
pub fn is_in_order(texts: [&Text; 2], words: &[Borders; 2], edits: &[Edit], min_words: usize) -> bool {
    let sides = [0, 1].map(|side| Side { text: texts[side], words: &words[side] });
    !has_row_of_words(&sides[1], edits, min_words)
        && Altered::find(&sides, edits, min_words).is_some_and(|altered| !altered.has_run(&sides, min_words))
}

/// Whether so many words of the prediction lie in a row of insertions.
fn has_row_of_words(prediction: &Side, edits: &[Edit], min_words: usize) -> bool {
    let mut place = Place::default();
    rows(edits).any(|row| {
        let units = [row[0].prediction_position, row[row.len() - 1].prediction_position + 1];
        if row[0].operation != Operation::Insert || units[1] - units[0] < min_words {
            return false;
        }
        let [start, end] = units.map(|unit| {
            place = prediction.text.ahead(place, unit - place.unit);
            place.byte
        });
        let words = prediction.words;
        usize::from(words.goes_on(start)) + words.starts_in(start..end).count() >= min_words
    })
}

/// Bytes that both texts have.
struct Stretch {
    starts: [usize; 2],
    len: usize,
}

/// Words of a stretch that start and end at the same places of it in both texts, counted from its start.
struct Shared {
    first: usize,
    last: Range<usize>,
}

impl Stretch {
    /// The words that both texts have in the stretch: all but some that go on beyond its ends in one of them.
    fn shared(&self, sides: &[Side; 2]) -> Option<Shared> {
        let Self { starts, len } = *self;
        let next = |side: usize, at: usize| {
            let rest = starts[side] + at..starts[side] + len;
            Some(sides[side].words.starts_in(rest).next()? - starts[side])
        };
        let mut first = 0;
        loop {
            let [place, other] = [next(0, first)?, next(1, first)?];
            first = place.max(other);
            if place == other {
                break;
            }
        }
        // Mostly the edit behind it is within a word.
        let mut is_cut = (0..2).any(|side| sides[side].words.goes_on(starts[side] + len));
        let mut start = len;
        loop {
            start = sides[1].words.last(starts[1] + start - 1) - starts[1];
            if !is_cut && let Some(end) = self.shared_end(sides, start) {
                return Some(Shared { first, last: start..end });
            }
            if start == first {
                return None;
            }
            is_cut = false;
        }
    }

    /// The end of a word of the prediction, if the reference has it at the same place.
    fn shared_end(&self, sides: &[Side; 2], start: usize) -> Option<usize> {
        let Self { starts, len } = *self;
        let [end, other] = [0, 1].map(|side| sides[side].words.end(starts[side] + start) - starts[side]);
        (sides[0].words.is_start(starts[0] + start) && end == other && end <= len).then_some(end)
    }
}

/// A word of the prediction, in each run of words that is not at its place.
struct Seed {
    /// Where it starts.
    word: usize,
    /// Whether the word behind it is in the run as well: each of them is at its place, but not both together.
    is_joint: bool,
}

/// What differs between both texts in words.
#[derive(Default)]
struct Altered {
    seeds: Vec<Seed>,
    /// Where the last word of the prediction starts that is at its place, and where it ends in both texts.
    last: Option<usize>,
    ends: [usize; 2],
    /// The number of words that the prediction is ahead of the reference, below zero where it is behind.
    surplus: isize,
    /// The least that it was.
    least: isize,
}

impl Altered {
    /// The words that are not at their place; nothing if a stretch has so many words more than in the reference.
    fn find(sides: &[Side; 2], edits: &[Edit], min_words: usize) -> Option<Self> {
        let mut altered = Self::default();
        let (mut start, mut start_in_prediction) = (Place::default(), 0);
        for edit in edits.iter().map(Some).chain([None]) {
            // Both texts are equal from here up to the edit.
            let end = edit.map_or(sides[0].text.end(), |edit| {
                sides[0].text.ahead(start, edit.reference_position - start.unit)
            });
            let stretch = Stretch { starts: [start.byte, start_in_prediction], len: end.byte - start.byte };
            if let Some(Shared { first, last }) = stretch.shared(sides) {
                altered.pass(sides, stretch.starts.map(|start| start + first), min_words)?;
                altered.last = Some(start_in_prediction + last.start);
                altered.ends = stretch.starts.map(|start| start + last.end);
            }
            if let Some(edit) = edit {
                start = end.behind(edit.reference);
                start_in_prediction += stretch.len + edit.prediction.map_or(0, char::len_utf8);
            }
        }
        altered.pass(sides, sides.each_ref().map(|side| side.text.end().byte), min_words)?;
        Some(altered)
    }

    /// Passes over the words of both texts up to one that is at its place, or up to the ends.
    fn pass(&mut self, sides: &[Side; 2], to: [usize; 2], min_words: usize) -> Option<()> {
        let [other, words] = [0, 1].map(|side| sides[side].words.starts_in(self.ends[side]..to[side]));
        let known = self.seeds.len();
        self.seeds.extend(words.map(|word| Seed { word, is_joint: false }));
        let (more, less) = (self.seeds.len() - known, other.count());
        if more == 0 && less > 0 {
            self.seeds.extend(self.last.map(|word| Seed { word, is_joint: true }));
        }
        self.surplus += more.cast_signed() - less.cast_signed();
        self.least = self.least.min(self.surplus);
        ((self.surplus - self.least).unsigned_abs() < min_words).then_some(())
    }

    /// Whether the reference has a run of so many words with one of these, or whether that takes long to find out.
    fn has_run(self, sides: &[Side; 2], min_words: usize) -> bool {
        if self.seeds.is_empty() {
            return false;
        }
        let [reference, prediction] = sides;
        let seeds = self.seeds.into_iter().map(|seed| (prediction.key(seed.word), seed));
        let mut seeds: Vec<(u64, Seed)> = seeds.collect();
        seeds.sort_unstable_by_key(|&(key, _)| key);
        let mut filter = Filter::default();
        for &(key, _) in &seeds {
            filter.insert(key);
        }
        let mut left = reference.words.words() + prediction.words.words();
        let others = Isa::default().perform(Likely { side: reference, filter: &filter });
        others.into_iter().any(|other| {
            let key = reference.key(other);
            let first = seeds.partition_point(|&(seed, _)| seed < key);
            seeds[first..].iter().take_while(|&&(seed, _)| seed == key).any(|(_, seed)| {
                let [back, ahead] = Side::common_words(sides, [other, seed.word], min_words);
                left = left.saturating_sub(back + ahead + 1);
                left == 0 || back + ahead >= min_words && ahead > usize::from(seed.is_joint)
            })
        })
    }
}

/// Finds the words of a text whose keys a filter may have.
struct Likely<'a> {
    side: &'a Side<'a>,
    filter: &'a Filter,
}

impl Task for Likely<'_> {
    /// Where they start.
    type Result = Vec<usize>;

    #[inline(always)]
    fn perform(self) -> Vec<usize> {
        let Self { side, filter } = self;
        let mut likely = Vec::new();
        side.words.each_word(KEY, |start, bytes| {
            if filter.may_have(side.key_of(start, bytes)) {
                likely.push(start);
            }
        });
        likely
    }
}

/// A text and its words, each of which is told by the byte with which it starts.
struct Side<'a> {
    text: &'a Text<'a>,
    words: &'a Borders,
}

/// Bytes of a word that are a number.
const KEY: usize = size_of::<u64>();

impl Side<'_> {
    fn word(&self, start: usize) -> &[u8] {
        &self.text.as_bytes()[start..self.words.end(start)]
    }

    fn next(&self, start: usize) -> Option<usize> {
        self.words.starts_in(start + 1..self.text.end().byte).next()
    }

    fn previous(&self, start: usize) -> Option<usize> {
        self.words.starts_in(0..start).next().map(|_| self.words.last(start - 1))
    }

    /// The first bytes of a word as a number.
    fn key(&self, start: usize) -> u64 {
        self.key_of(start, KEY.min(self.words.end(start) - start))
    }

    /// So many bytes as a number.
    #[inline(always)]
    fn key_of(&self, start: usize, bytes: usize) -> u64 {
        let text = self.text.as_bytes();
        let all = match text[start..].first_chunk() {
            Some(&first) => u64::from_le_bytes(first),
            None => number_of_last(&text[start..]),
        };
        // Nothing is left of what stands behind the word.
        all & u64::MAX >> (u64::BITS as usize - 8 * bytes)
    }

    /// How many words, and no more than so many, both texts have in common before a word of each, and from there on.
    fn common_words(sides: &[Self; 2], words: [usize; 2], most: usize) -> [usize; 2] {
        let common = |step: fn(&Self, usize) -> Option<usize>| {
            let words = [0, 1]
                .map(|side| std::iter::successors(Some(words[side]), move |&word| step(&sides[side], word)));
            let [left, right] = words;
            left.zip(right)
                .take(most)
                .take_while(|&(left, right)| sides[0].word(left) == sides[1].word(right))
                .count()
        };
        let ahead = common(Self::next);
        if ahead == 0 { [0, 0] } else { [common(Self::previous) - 1, ahead] }
    }
}

/// The bytes at the end of a text as a number.
#[cold]
#[inline(never)]
fn number_of_last(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// A set of numbers that may seem to have others.
struct Filter {
    bits: [u64; u64::BITS as usize],
}

impl Default for Filter {
    fn default() -> Self {
        Self { bits: [0; u64::BITS as usize] }
    }
}

impl Filter {
    #[inline(always)]
    fn place(number: u64) -> (usize, u32) {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> (u64::BITS - 6)) as usize, (mixed >> (u64::BITS - 12)) as u32 % u64::BITS)
    }

    fn insert(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.bits[word] |= 1 << bit;
    }

    #[inline(always)]
    fn may_have(&self, number: u64) -> bool {
        let (word, bit) = Self::place(number);
        self.bits[word] >> bit & 1 != 0
    }
}
