//! Pages of which a few letters are misread: no block of them stands elsewhere or again.

use super::super::alignment::{Edit, Operation};
use super::kinds::rows;
use super::text::Place;

/// Where a word starts and ends, in bytes.
type Range = [usize; 2];

/// Whether no block of at least so many words can be moved or repeated: runs of words that an alignment with these edits
/// does not find at their place are nowhere in the reference, and no stretch has so many words more than in the reference.
///
/// It may say no where it is so, and never says yes where it is not. No word is numbered, and few are looked up.
pub fn is_in_order(texts: [&str; 2], words: &[Vec<Range>; 2], edits: &[Edit], min_words: usize) -> bool {
    let sides = [0, 1].map(|side| Side { text: texts[side].as_bytes(), words: &words[side] });
    !has_row_of_words(&sides[1], edits, min_words)
        && Altered::find(&sides, edits, min_words).is_some_and(|altered| !altered.has_run(&sides, min_words))
}

/// A text and its words.
struct Side<'a> {
    text: &'a [u8],
    words: &'a [Range],
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
            place = place.ahead(prediction.text, unit);
            place.byte
        });
        let first = prediction.words.partition_point(|word| word[1] <= start);
        let last = prediction.words.partition_point(|word| word[0] < end);
        last.saturating_sub(first) >= min_words
    })
}

/// A word of the prediction, in each run of words that is not at its place.
struct Seed {
    word: usize,
    /// Whether the word behind it is in the run as well: each of them is at its place, but not both together.
    is_joint: bool,
}

/// What differs between both texts in words.
struct Altered {
    seeds: Vec<Seed>,
    /// How many words of both texts have the same place so far.
    next: Range,
    /// The least number of words that the prediction was ahead of the reference, below zero where it was behind.
    least: isize,
}

impl Altered {
    /// The words that are not at their place; nothing if a stretch has so many words more than in the reference.
    fn find([reference, prediction]: &[Side; 2], edits: &[Edit], min_words: usize) -> Option<Self> {
        let mut altered = Self { seeds: Vec::new(), next: [0, 0], least: 0 };
        let [mut other, mut word] = [0, 0];
        let (mut start, mut start_in_prediction) = (Place::default(), 0);
        for edit in edits.iter().map(Some).chain([None]) {
            // Both texts are equal from here up to the edit.
            let end = edit.map_or(Place { byte: reference.text.len(), ..start }, |edit| {
                start.ahead(reference.text, edit.reference_position)
            });
            let end_in_prediction = start_in_prediction + end.byte - start.byte;
            let shift = start.byte.wrapping_sub(start_in_prediction);
            other += reference.words[other..].iter().take_while(|word| word[0] < start.byte).count();
            word += prediction.words[word..].iter().take_while(|word| word[0] < start_in_prediction).count();
            while let (Some(&place), Some(&[from, to])) =
                (reference.words.get(other), prediction.words.get(word))
                && to <= end_in_prediction
            {
                let expected = [from.wrapping_add(shift), to.wrapping_add(shift)];
                if place == expected {
                    altered.pass([other, word], min_words)?;
                    altered.next = [other + 1, word + 1];
                }
                other += usize::from(place[0] <= expected[0]);
                word += usize::from(place[0] >= expected[0]);
            }
            if let Some(edit) = edit {
                start = end.behind(edit.reference);
                start_in_prediction = end_in_prediction + edit.prediction.map_or(0, char::len_utf8);
            }
        }
        altered.pass([reference.words.len(), prediction.words.len()], min_words)?;
        Some(altered)
    }

    /// Passes over the words of both texts up to two that have the same place, or up to the ends.
    fn pass(&mut self, to: Range, min_words: usize) -> Option<()> {
        if to == self.next {
            return Some(());
        }
        let first = self.next[1];
        if first < to[1] {
            self.seeds.extend((first..to[1]).map(|word| Seed { word, is_joint: false }));
        } else {
            self.seeds.extend(first.checked_sub(1).map(|word| Seed { word, is_joint: true }));
        }
        let surplus = to[1].cast_signed() - to[0].cast_signed();
        self.least = self.least.min(surplus);
        ((surplus - self.least).unsigned_abs() < min_words).then_some(())
    }

    /// Whether the reference has a run of so many words with one of these, or whether that takes long to find out.
    fn has_run(self, [reference, prediction]: &[Side; 2], min_words: usize) -> bool {
        if self.seeds.is_empty() {
            return false;
        }
        let seeds = self.seeds.into_iter().map(|seed| (prediction.key(seed.word), seed));
        let mut seeds: Vec<(u64, Seed)> = seeds.collect();
        seeds.sort_unstable_by_key(|&(key, _)| key);
        let mut filter = Filter::default();
        for &(key, _) in &seeds {
            filter.insert(key);
        }
        let mut left = reference.words.len() + prediction.words.len();
        (0..reference.words.len()).any(|other| {
            let key = reference.key(other);
            if !filter.may_have(key) {
                return false;
            }
            let first = seeds.partition_point(|&(seed, _)| seed < key);
            seeds[first..].iter().take_while(|&&(seed, _)| seed == key).any(|(_, seed)| {
                let words = Side::common_words([reference, prediction], [other, seed.word], min_words);
                let [back, ahead] = words;
                left = left.saturating_sub(back + ahead + 1);
                left == 0 || back + ahead >= min_words && ahead > usize::from(seed.is_joint)
            })
        })
    }
}

/// Bytes of a word that are a number.
const KEY: usize = size_of::<u64>();

impl Side<'_> {
    fn word(&self, word: usize) -> Option<&[u8]> {
        self.words.get(word).map(|&[start, end]| &self.text[start..end])
    }

    /// The first bytes of a word as a number.
    fn key(&self, word: usize) -> u64 {
        let [start, end] = self.words[word];
        let bytes = self.text[start..].first_chunk().map_or_else(
            // Near the end of the text.
            || self.text[start..end].iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)),
            |&first| u64::from_le_bytes(first),
        );
        // Nothing is left of what stands behind the word.
        bytes & u64::MAX >> (u64::BITS as usize - 8 * (end - start).min(KEY))
    }

    /// How many words, and no more than so many, both texts have in common before a word of each, and from there on.
    fn common_words(sides: [&Self; 2], words: Range, most: usize) -> Range {
        let same = |places: [Option<usize>; 2]| {
            let words = [0, 1].map(|side| places[side].and_then(|word| sides[side].word(word)));
            words[0].is_some() && words[0] == words[1]
        };
        let ahead = (0..most).take_while(|&step| same(words.map(|word| Some(word + step)))).count();
        if ahead == 0 {
            return [0, 0];
        }
        let back = (1..most).take_while(|&step| same(words.map(|word| word.checked_sub(step)))).count();
        [back, ahead]
    }
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
    fn place(number: u64) -> (usize, u32) {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> (u64::BITS - 6)) as usize, (mixed >> (u64::BITS - 12)) as u32 % u64::BITS)
    }

    fn insert(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.bits[word] |= 1 << bit;
    }

    fn may_have(&self, number: u64) -> bool {
        let (word, bit) = Self::place(number);
        self.bits[word] >> bit & 1 != 0
    }
}
