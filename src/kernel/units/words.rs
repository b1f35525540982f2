//! Words as code points.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::super::distance::Workspace;
use super::borders::Borders;
use super::word_distance::WordDistance;
use super::{Range, TOO_MANY, WordRule};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Words {
    borders: [Borders; 2],
    distance: WordDistance,
    numbers: Numbers,
    letters: String,
}

impl Words {
    /// Number of words.
    pub fn count(&mut self, text: &str, rule: WordRule) -> usize {
        if rule == WordRule::Uax29 {
            let mut ranges = Vec::new();
            split_at_boundaries(text, &mut ranges, &mut self.letters);
            return ranges.len();
        }
        let [borders, _] = &mut self.borders;
        borders.find(text.as_bytes(), rule == WordRule::Spaces);
        borders.words()
    }

    /// The edit distance in words, and the words of each text.
    pub fn distance(
        &mut self,
        texts: [&str; 2],
        rule: WordRule,
        ranges: &mut [Vec<Range>; 2],
        workspace: &mut Workspace,
    ) -> (usize, [usize; 2]) {
        let Self { borders, distance, numbers, letters } = self;
        if rule == WordRule::Uax29 {
            for (text, ranges) in texts.into_iter().zip(&mut *ranges) {
                split_at_boundaries(text, ranges, letters);
            }
        } else {
            let bytes = texts.map(str::as_bytes);
            for (borders, text) in borders.iter_mut().zip(bytes) {
                borders.find(text, rule == WordRule::Spaces);
            }
            if let Some(distance) = distance.distance(bytes, borders) {
                return (distance, borders.each_ref().map(Borders::words));
            }
            for (borders, ranges) in borders.iter().zip(&mut *ranges) {
                borders.ranges(ranges);
            }
        }
        numbers.fill(texts, ranges);
        let distance = workspace
            .distance_of_numbers(numbers.of_words.each_ref().map(Vec::as_slice), numbers.known.len());
        (distance, ranges.each_ref().map(Vec::len))
    }

    /// Writes down the words of both texts, a code point for each.
    pub fn write(
        &mut self,
        texts: [&str; 2],
        rule: WordRule,
        ranges: &mut [Vec<Range>; 2],
        written: &mut [String; 2],
    ) {
        let Self { borders: [borders, _], numbers, letters, .. } = self;
        for (text, ranges) in texts.into_iter().zip(&mut *ranges) {
            if rule == WordRule::Uax29 {
                split_at_boundaries(text, ranges, letters);
            } else {
                borders.find(text.as_bytes(), rule == WordRule::Spaces);
                borders.ranges(ranges);
            }
        }
        numbers.fill(texts, ranges);
        for (numbers, written) in numbers.of_words.iter().zip(written) {
            written.clear();
            written.extend(numbers.iter().map(|&number| code_point(number)));
        }
    }
}

/// A code point for each number: surrogates are none.
fn code_point(number: u32) -> char {
    let code = if number < 0xd800 { number } else { number + 0x800 };
    char::from_u32(code).expect(TOO_MANY)
}

/// Finds the words of UAX 29 that have more than whitespace, punctuation and symbols. Characters for private use count
/// as letters, as dinglehopper has them, to which they are those of old prints.
fn split_at_boundaries(text: &str, words: &mut Vec<Range>, letters: &mut String) {
    let is_private = |character: char| ('\u{e000}'..='\u{f8ff}').contains(&character);
    words.clear();
    letters.clear();
    // A letter of as many bytes in place of each.
    letters.extend(text.chars().map(|character| if is_private(character) { '\u{a000}' } else { character }));
    let segments = letters.split_word_bound_indices().map(|(start, word)| start..start + word.len());
    words.extend(segments.filter(|word| text[word.clone()].chars().any(makes_a_word)));
}

/// Whether a character is more than whitespace, punctuation, a symbol, a mark or a control.
fn makes_a_word(character: char) -> bool {
    use GeneralCategoryGroup as Group;

    let alone = [Group::Mark, Group::Punctuation, Group::Separator, Group::Symbol];
    !alone.contains(&character.general_category_group())
        && !matches!(character.general_category(), GeneralCategory::Control | GeneralCategory::Format)
}

/// Numbers of words, in the order in which they are first seen.
#[derive(Default)]
struct Numbers {
    /// For each hash the number of a word and one more, or 0; its length is a power of 2.
    slots: Vec<u32>,
    known: Vec<Known>,
    /// The words that are longer than their beginnings.
    long: Vec<u8>,
    /// The words of both texts.
    of_words: [Vec<u32>; 2],
}

/// Stands for a word that is not in the first text.
const NOWHERE: u32 = u32::MAX;

/// Bytes of a word that are compared at once.
const BEGINNING: usize = size_of::<u128>();

/// A word with its number.
#[derive(Clone, Copy)]
struct Known {
    /// Its first bytes, followed by zeros.
    beginning: u128,
    len: usize,
    /// Where the rest stands among the long ones.
    rest: u32,
    /// Where the word was last seen in the first text.
    place: u32,
}

impl Numbers {
    /// Numbers the words of both texts.
    fn fill(&mut self, texts: [&str; 2], ranges: &[Vec<Range>; 2]) {
        let words: usize = ranges.iter().map(Vec::len).sum();
        self.slots.clear();
        self.slots.resize((2 * words).next_power_of_two(), 0);
        self.known.clear();
        self.long.clear();
        let [mut first, mut second] = std::mem::take(&mut self.of_words);
        first.clear();
        first.extend(ranges[0].iter().zip(0..).map(|(word, place)| {
            let number = self.number(&Word::new(texts[0].as_bytes(), word));
            self.known[number as usize].place = place;
            number
        }));
        // Most words of the second text are those of the first one in the same order, and need not be looked for.
        let mut expected = 0;
        second.clear();
        second.extend(ranges[1].iter().map(|word| {
            let word = Word::new(texts[1].as_bytes(), word);
            let number = match first.get(expected) {
                Some(&number) if self.is(number, &word) => number,
                _ => {
                    let number = self.number(&word);
                    let place = self.known[number as usize].place;
                    expected = if place == NOWHERE { expected } else { place as usize };
                    number
                }
            };
            expected += 1;
            number
        }));
        self.of_words = [first, second];
    }

    /// Whether a word has this number.
    #[inline(always)]
    fn is(&self, number: u32, word: &Word) -> bool {
        let seen = &self.known[number as usize];
        // To compare empty rests would take longer than all else: on AVX-512, memcmp reads where nothing is.
        seen.beginning == word.beginning
            && seen.len == word.len
            && (word.rest.is_empty() || self.long[seen.rest as usize..].starts_with(word.rest))
    }

    fn number(&mut self, word: &Word) -> u32 {
        let mut slot = word.hash();
        loop {
            slot &= self.slots.len() - 1;
            match self.slots[slot].checked_sub(1) {
                Some(number) if self.is(number, word) => return number,
                Some(_) => slot += 1,
                None => break,
            }
        }
        let number = self.known.len() as u32;
        self.slots[slot] = number + 1;
        let &Word { beginning, len, rest } = word;
        self.known.push(Known { beginning, len, rest: self.long.len() as u32, place: NOWHERE });
        self.long.extend(rest);
        number
    }
}

/// A word that is looked for.
struct Word<'a> {
    beginning: u128,
    len: usize,
    /// What stands behind its beginning.
    rest: &'a [u8],
}

/// The same for a word behind which the text has fewer bytes.
#[cold]
fn last_beginning(word: &[u8]) -> u128 {
    let mut bytes = [0; BEGINNING];
    bytes[..word.len()].copy_from_slice(word);
    u128::from_le_bytes(bytes)
}

impl<'a> Word<'a> {
    #[inline(always)]
    fn new(text: &'a [u8], word: &Range) -> Self {
        const KEPT: [u128; BEGINNING + 1] = {
            let mut kept = [u128::MAX; BEGINNING + 1];
            let mut len = 0;
            while len < BEGINNING {
                kept[len] = (1 << (8 * len)) - 1;
                len += 1;
            }
            kept
        };
        let len = word.len();
        let bytes = match text[word.start..].first_chunk() {
            Some(bytes) => u128::from_le_bytes(*bytes),
            None => last_beginning(&text[word.clone()]),
        };
        let rest = if len > BEGINNING { &text[word.start + BEGINNING..word.end] } else { &[] };
        Self { beginning: bytes & KEPT[len.min(BEGINNING)], len, rest }
    }

    /// The upper half of a product is mixed into the lower one, as in wyhash.
    #[inline(always)]
    fn hash(&self) -> usize {
        const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
        let (low, high) = (self.beginning as u64, (self.beginning >> u64::BITS) as u64);
        let product = u128::from(low ^ FACTORS[0]) * u128::from(high ^ self.len as u64 ^ FACTORS[1]);
        let mut hash = product as u64 ^ (product >> u64::BITS) as u64;
        for &byte in self.rest {
            hash = (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(FACTORS[0]);
        }
        (hash ^ hash >> u32::BITS) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::kernel::oracle::cases;
    use crate::kernel::whitespace::is_whitespace;

    fn words(text: &str, rule: WordRule) -> Vec<&str> {
        let mut ranges = Vec::new();
        match rule {
            WordRule::Uax29 => split_at_boundaries(text, &mut ranges, &mut String::new()),
            rule => {
                let mut borders = Borders::default();
                borders.find(text.as_bytes(), rule == WordRule::Spaces);
                borders.ranges(&mut ranges);
            }
        }
        ranges.into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn each_rule_finds_its_words() {
        let text = " \ta\tb  c\u{a0}d \n e\u{1f}\n";
        assert_eq!(words(text, WordRule::Whitespace), ["a", "b", "c", "d", "e"]);
        assert_eq!(words(text, WordRule::Spaces), ["a\tb", "c\u{a0}d", "e"]);
        let text = "Can't (5,5) – $ e\u{f50e}x. 漢字";
        assert_eq!(words(text, WordRule::Uax29), ["Can't", "5,5", "e\u{f50e}x", "漢", "字"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_are_those_of_a_split(text in "([a-cé漢]{1,20}|[ \t\u{1c}\u{85}\u{a0}\u{3000}\u{2003}]{1,2}){0,60}") {
            let expected: Vec<_> = text.split(is_whitespace).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(words(&text, WordRule::Whitespace), expected);
        }

        #[test]
        fn code_points_are_equal_where_words_are(
            texts in prop::array::uniform2("([ab\u{0}é]{1,3} |[a-c]{15,18} |x{30,40}[yz] ){0,300}"),
        ) {
            let mut numbers = Words::default();
            let mut written = [const { String::new() }; 2];
            let mut ranges = [const { Vec::new() }; 2];
            // Nothing of a pair is left for the next one.
            for _ in 0..2 {
                numbers.write(texts.each_ref().map(String::as_str), WordRule::Whitespace, &mut ranges, &mut written);
            }
            let words = texts.iter().flat_map(|text| text.split(' ').filter(|word| !word.is_empty()));
            let words: Vec<_> = words.collect();
            let code_points: Vec<_> = written.concat().chars().collect();
            prop_assert_eq!(code_points.len(), words.len());
            let (mut forth, mut back) = (HashMap::new(), HashMap::new());
            for (word, code_point) in words.into_iter().zip(code_points) {
                prop_assert_eq!(*forth.entry(word).or_insert(code_point), code_point);
                prop_assert_eq!(*back.entry(code_point).or_insert(word), word);
            }
        }
    }
}
