//! Words as code points.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::super::lanes::{LONGEST, Register};
use super::super::whitespace::is_whitespace;
use super::{Range, TOO_MANY, WordRule};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Words {
    borders: Vec<u32>,
    numbers: Numbers,
    letters: String,
}

impl Words {
    /// Writes down the words of both texts, a code point for each.
    pub fn write(
        &mut self,
        texts: [&str; 2],
        rule: WordRule,
        ranges: &mut [Vec<Range>; 2],
        written: &mut [String; 2],
    ) {
        let Self { borders, numbers, letters } = self;
        for (text, ranges) in texts.into_iter().zip(&mut *ranges) {
            ranges.clear();
            match rule {
                WordRule::Whitespace => split_whitespace(text, ranges, borders),
                WordRule::Spaces => {
                    split_whitespace(text, ranges, borders);
                    join(text, ranges);
                }
                WordRule::Uax29 => split_at_boundaries(text, ranges, letters),
            }
        }
        numbers.clear(ranges.iter().map(Vec::len).sum());
        for (ranges, written) in ranges.iter().zip(&mut *written) {
            written.clear();
            written.reserve(size_of::<char>() * ranges.len());
        }
        let [first, second] = written;
        numbers.first(texts[0].as_bytes(), &ranges[0], first);
        numbers.second(texts[1].as_bytes(), &ranges[1], second);
    }
}

/// A code point for each number: surrogates are none.
fn code_point(number: u32) -> char {
    let code = if number < 0xd800 { number } else { number + 0x800 };
    char::from_u32(code).expect(TOO_MANY)
}

/// Finds what stands between whitespace; `borders` is working memory.
fn split_whitespace(text: &str, words: &mut Vec<Range>, borders: &mut Vec<u32>) {
    const BLOCK: usize = 2 * LONGEST;
    let mut is_inside = 0;
    let mut block = |first: usize, block: &[u8; BLOCK]| {
        let whitespace = |half: usize| {
            let half = block[half * LONGEST..].first_chunk().expect("a half of the block");
            u64::from(Register::load(half).whitespace().0)
        };
        let inside = !(whitespace(0) | whitespace(1) << u32::BITS);
        // Where a word begins or ends.
        let mut changes = inside ^ (inside << 1 | is_inside);
        is_inside = inside >> (u64::BITS - 1);
        while changes != 0 {
            borders.push(first as u32 + changes.trailing_zeros());
            changes &= changes - 1;
        }
    };
    let (blocks, rest) = text.as_bytes().as_chunks();
    (0..).step_by(BLOCK).zip(blocks).for_each(|(first, bytes)| block(first, bytes));
    // Whitespace behind the text ends its last word.
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    block(text.len() - rest.len(), &last);
    words.extend(borders.as_chunks().0.iter().map(|&[start, end]| start as usize..end as usize));
    borders.clear();
    if !text.is_ascii() {
        split_further(text, words);
    }
}

/// Splits words at whitespace beyond ASCII.
fn split_further(text: &str, words: &mut Vec<Range>) {
    // The first bytes of such characters.
    let may_split = |word: &Range| bytes(text, word).iter().any(|byte| matches!(byte, 0xc2 | 0xe1..=0xe3));
    if !words.iter().any(may_split) {
        return;
    }
    let found = std::mem::take(words);
    for word in found {
        if !may_split(&word) {
            words.push(word);
            continue;
        }
        let parts = text[word.clone()].split(is_whitespace).filter(|part| !part.is_empty());
        words.extend(parts.map(|part| {
            let start = part.as_ptr().addr() - text.as_ptr().addr();
            start..start + part.len()
        }));
    }
}

/// Joins words between which a single character of whitespace stands that is no space.
fn join(text: &str, words: &mut Vec<Range>) {
    words.dedup_by(|next, word| {
        let mut between = text[word.end..next.start].chars();
        let joins = between.next() != Some(' ') && between.next().is_none();
        if joins {
            word.end = next.end;
        }
        joins
    });
}

/// Finds the words of UAX 29 that have more than whitespace, punctuation and symbols. Characters for private use count
/// as letters, as dinglehopper has them, to which they are those of old prints.
fn split_at_boundaries(text: &str, words: &mut Vec<Range>, letters: &mut String) {
    let is_private = |character: char| ('\u{e000}'..='\u{f8ff}').contains(&character);
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
    /// The words of the first text.
    first: Vec<u32>,
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
    /// Makes room for so many words.
    fn clear(&mut self, words: usize) {
        self.slots.clear();
        self.slots.resize((2 * words).next_power_of_two(), 0);
        self.known.clear();
        self.long.clear();
        self.first.clear();
    }

    /// The words of the first text.
    fn first(&mut self, text: &[u8], words: &[Range], written: &mut String) {
        for word in words {
            let number = self.number(&Word::new(text, word));
            self.known[number as usize].place = self.first.len() as u32;
            self.first.push(number);
            written.push(code_point(number));
        }
    }

    /// The words of the second text. Most are those of the first one in the same order, and need not be looked for.
    fn second(&mut self, text: &[u8], words: &[Range], written: &mut String) {
        let mut expected = 0;
        for word in words {
            let word = Word::new(text, word);
            let number = match self.first.get(expected) {
                Some(&number) if self.is(number, &word) => number,
                _ => {
                    let number = self.number(&word);
                    let place = self.known[number as usize].place;
                    expected = if place == NOWHERE { expected } else { place as usize };
                    number
                }
            };
            expected += 1;
            written.push(code_point(number));
        }
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

fn bytes<'a>(text: &'a str, word: &Range) -> &'a [u8] {
    &text.as_bytes()[word.clone()]
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

    fn words(text: &str, rule: WordRule) -> Vec<&str> {
        let mut ranges = Vec::new();
        match rule {
            WordRule::Uax29 => split_at_boundaries(text, &mut ranges, &mut String::new()),
            rule => {
                split_whitespace(text, &mut ranges, &mut Vec::new());
                if rule == WordRule::Spaces {
                    join(text, &mut ranges);
                }
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
