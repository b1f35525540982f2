//! Words: finding them, counting them, and numbering the words of a pair.
//!
//! [`WordRule`] says what a word is. Distances come from [`word_band`](super::word_band) without numbers. Alignments,
//! pages and the rare pairs that the band cannot decide number the words of both texts: equal words get equal numbers,
//! from one hash table per pair. Words of UAX 29, which the library `unicode-segmentation` finds, take many times as
//! long to find as words between whitespace.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::super::distance::Workspace;
use super::super::lanes::{Isa, Task};
use super::super::whitespace::is_whitespace;
use super::word_band::WordBand;
use super::word_keys::{FACTORS, mixed};
use super::{Range, TOO_MANY, WordRule};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct Words {
    isa: Isa,
    band: WordBand,
    numbers: Numbers,
    letters: String,
}

impl Words {
    /// Number of words.
    pub fn count(&mut self, text: &str, rule: WordRule, ranges: &mut Vec<Range>) -> usize {
        self.find(text, rule, ranges);
        ranges.len()
    }

    /// The edit distance in words, and the words of each text.
    pub fn distance(
        &mut self,
        texts: [&str; 2],
        rule: WordRule,
        ranges: &mut [Vec<Range>; 2],
        workspace: &mut Workspace,
    ) -> (usize, [usize; 2]) {
        self.find_both(texts, rule, ranges);
        let Self { isa, band, numbers, .. } = self;
        let distance =
            band.distance(*isa, texts.map(str::as_bytes), ranges, workspace).unwrap_or_else(|| {
                numbers.fill(*isa, texts, ranges);
                workspace.distance_of_numbers(numbers.of_words.each_ref().map(Vec::as_slice), numbers.count)
            });
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
        for (numbers, written) in self.number(texts, rule, ranges).into_iter().zip(written) {
            written.clear();
            written.extend(numbers.iter().map(|&number| code_point(number)));
        }
    }

    /// The words of both texts as numbers, in the order in which they are first seen.
    pub fn number(&mut self, texts: [&str; 2], rule: WordRule, ranges: &mut [Vec<Range>; 2]) -> [&[u32]; 2] {
        self.find_both(texts, rule, ranges);
        let Self { isa, numbers, .. } = self;
        numbers.fill(*isa, texts, ranges);
        numbers.of_words.each_ref().map(Vec::as_slice)
    }

    /// Finds the words of both texts.
    fn find_both(&mut self, texts: [&str; 2], rule: WordRule, ranges: &mut [Vec<Range>; 2]) {
        for (text, ranges) in texts.into_iter().zip(ranges) {
            self.find(text, rule, ranges);
        }
    }

    /// Finds the words of a text.
    fn find(&mut self, text: &str, rule: WordRule, ranges: &mut Vec<Range>) {
        let Self { isa, letters, .. } = self;
        match rule {
            WordRule::Uax29 => split_at_boundaries(text, ranges, letters),
            WordRule::Whitespace => split_at_whitespace(*isa, text, false, ranges),
            WordRule::Spaces => split_at_whitespace(*isa, text, true, ranges),
        }
    }
}

/// Finds the words between whitespace. With `joins`, a single character of whitespace other than a space joins its
/// neighbours.
fn split_at_whitespace(isa: Isa, text: &str, joins: bool, words: &mut Vec<Range>) {
    words.clear();
    let is_wide = |character: char| !character.is_ascii() && is_whitespace(character);
    if text.is_ascii() || !text.contains(is_wide) {
        isa.perform(SplitAtAscii { text: text.as_bytes(), words });
    } else {
        let mut start = 0;
        let gaps = text.match_indices(is_whitespace).map(|(at, gap)| [at, at + gap.len()]);
        for [end, next] in gaps.chain([[text.len(); 2]]) {
            words.extend((start < end).then_some([start, end]));
            start = next;
        }
    }
    if joins {
        words.dedup_by(|next, last| {
            let gap = &text[last[1]..next[0]];
            let is_joined = gap != " " && gap.chars().nth(1).is_none();
            if is_joined {
                last[1] = next[1];
            }
            is_joined
        });
    }
}

/// Finds the words between ASCII whitespace, with a bit for each byte: a branch for each byte would be mispredicted at
/// both ends of every word.
struct SplitAtAscii<'a> {
    text: &'a [u8],
    words: &'a mut Vec<Range>,
}

impl Task for SplitAtAscii<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        const BLOCK: usize = u64::BITS as usize;

        let Self { text, words } = self;
        let (mut start, mut is_inside) = (0, 0);
        for (block, first) in text.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            let mut bytes = [b' '; BLOCK];
            bytes[..block.len()].copy_from_slice(block);
            let is_letter = |byte: u8| byte.wrapping_sub(b'\t') >= 5 && byte.wrapping_sub(0x1c) >= 5;
            let letters = (0..BLOCK).fold(0, |bits, at| bits | u64::from(is_letter(bytes[at])) << at);
            // Where words begin, and where gaps do.
            let mut borders = letters ^ (letters << 1 | is_inside);
            is_inside = letters >> (BLOCK - 1);
            while borders != 0 {
                let bit = borders.trailing_zeros();
                if letters >> bit & 1 != 0 {
                    start = first + bit as usize;
                } else {
                    words.push([start, first + bit as usize]);
                }
                borders &= borders - 1;
            }
        }
        if is_inside != 0 {
            words.push([start, text.len()]);
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
    let segments = letters.split_word_bound_indices().map(|(start, word)| [start, start + word.len()]);
    words.extend(segments.filter(|&[start, end]| text[start..end].chars().any(makes_a_word)));
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
    /// For each hash the number of a word above the base; its length is a power of 2.
    slots: Vec<u32>,
    /// Slots below it are of earlier pairs, so that nothing has to be cleared.
    base: u32,
    /// The words that have numbers, and then others.
    known: Vec<Word>,
    count: usize,
    /// The words of both texts.
    of_words: [Vec<u32>; 2],
}

impl Numbers {
    /// Numbers the words of both texts.
    fn fill(&mut self, isa: Isa, texts: [&str; 2], ranges: &[Vec<Range>; 2]) {
        let Self { slots, base, known, count, of_words } = self;
        let words = ranges[0].len() + ranges[1].len();
        let size = (4 * words).next_power_of_two();
        *base += *count as u32;
        if slots.len() < size || *base as usize + words > u32::MAX as usize {
            slots.clear();
            slots.resize(size, 0);
            *base = 1;
        }
        // A word is put down before it is known to be new.
        if known.len() <= words {
            known.resize(words + 1, Word::default());
        }
        let texts = texts.map(str::as_bytes);
        let slots = &mut slots[..size];
        *count = isa.perform(Numbering { texts, ranges, slots, known, base: *base, of_words });
    }
}

/// What is needed to number the words of both texts.
struct Numbering<'a> {
    texts: [&'a [u8]; 2],
    ranges: &'a [Vec<Range>; 2],
    slots: &'a mut [u32],
    known: &'a mut [Word],
    base: u32,
    of_words: &'a mut [Vec<u32>; 2],
}

impl Task for Numbering<'_> {
    /// How many different words there are.
    type Result = usize;

    #[inline(always)]
    fn perform(self) -> usize {
        let Self { texts, ranges, slots, known, base, of_words } = self;
        let mut count = 0;
        // How many of them are in the first text.
        let mut of_first = usize::MAX;
        for side in 0..2 {
            let (text, ranges, numbers) = (texts[side], &ranges[side][..], &mut of_words[side]);
            numbers.resize(ranges.len(), 0);
            for (number, &range) in numbers.iter_mut().zip(ranges) {
                let word = Word::new(text, range);
                let mut slot = word.hash(text);
                // Whether a word is new is hard to foresee, and costs no branch: if it is, it is found to equal itself.
                known[count] = word;
                let found = loop {
                    slot &= slots.len() - 1;
                    let found = (slots[slot].wrapping_sub(base) as usize).min(count);
                    let same = &known[found];
                    if same.differs(&word) == 0
                        && (word.len() <= 2 * END
                            || same.is_in(texts[usize::from(found >= of_first)], &known[count], text))
                    {
                        break found;
                    }
                    slot += 1;
                };
                slots[slot] = base + found as u32;
                count += usize::from(found == count);
                *number = found as u32;
            }
            of_first = of_first.min(count);
        }
        count
    }
}

/// Bytes of each end of a word that are compared at once.
const END: usize = size_of::<u64>();

/// A word.
#[derive(Clone, Copy, Default)]
struct Word {
    /// Its first and last bytes, all of them where it is shorter, followed by zeros.
    ends: [u64; 2],
    range: Range,
}

impl Word {
    #[inline(always)]
    fn new(text: &[u8], range: Range) -> Self {
        let [start, end] = range;
        let len = end - start;
        let last = start.max(end.saturating_sub(END));
        let load = |at: usize| text.get(at..at + END)?.first_chunk().copied().map(u64::from_le_bytes);
        let ends = match (load(start), load(last)) {
            (Some(first), Some(last)) => {
                [first, last].map(|bytes| bytes & u64::MAX >> (u64::BITS as usize - 8 * len.min(END)))
            }
            _ => ends_of_last(&text[start..end]),
        };
        Self { ends, range }
    }

    fn len(&self) -> usize {
        self.range[1] - self.range[0]
    }

    fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.range[0]..self.range[1]]
    }

    /// Whether a word of this text is another one of another text.
    #[inline(never)]
    fn is_in(&self, text: &[u8], other: &Self, other_text: &[u8]) -> bool {
        self.of(text) == other.of(other_text)
    }

    /// Zero where two words are of the same length and have the same ends.
    #[inline(always)]
    fn differs(&self, other: &Self) -> u64 {
        let [first, last] = [0, 1].map(|end| self.ends[end] ^ other.ends[end]);
        first | last | (self.len() ^ other.len()) as u64
    }

    #[inline(always)]
    fn hash(&self, text: &[u8]) -> usize {
        let [first, last] = self.ends;
        let mut hash = mixed(first ^ FACTORS[0], last ^ self.len() as u64 ^ FACTORS[1]);
        if self.len() > 2 * END {
            hash ^= hash_of_middle(self.of(text));
        }
        (hash ^ hash >> u32::BITS) as usize
    }
}

/// The hash of a long word without its ends, eight bytes at a time; the last eight may overlap the end.
#[inline(never)]
fn hash_of_middle(word: &[u8]) -> u64 {
    let middle = word[END..].windows(END).step_by(END);
    middle
        .filter_map(|bytes| bytes.first_chunk().copied().map(u64::from_le_bytes))
        .fold(0, |hash: u64, bytes| mixed(hash ^ bytes ^ FACTORS[0], FACTORS[1]))
}

/// The ends of a word near the end of its text.
#[cold]
#[inline(never)]
fn ends_of_last(word: &[u8]) -> [u64; 2] {
    let end = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    let len = word.len().min(END);
    [end(&word[..len]), end(&word[word.len() - len..])]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::{TextUnit, Units};
    use super::*;
    use crate::kernel::oracle::cases;
    use crate::kernel::weighted::SubstitutionCost;

    fn words(text: &str, rule: WordRule) -> Vec<&str> {
        words_by(Isa::default(), text, rule)
    }

    fn words_by(isa: Isa, text: &str, rule: WordRule) -> Vec<&str> {
        let mut ranges = Vec::new();
        Words { isa, ..Words::default() }.find(text, rule, &mut ranges);
        ranges.into_iter().map(|[start, end]| &text[start..end]).collect()
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
        fn words_are_those_of_a_split(text in "([a-cé漢]{1,20}|[ \t\n\u{1c}\u{85}\u{a0}\u{3000}\u{2003}]{1,2}){0,60}|([a-cé]{1,20}|[ \t-\r\u{1c}-\u{1f}!]{1,2}|a{60,66}){0,40}") {
            let expected: Vec<_> = text.split(is_whitespace).filter(|word| !word.is_empty()).collect();
            for isa in Isa::available() {
                prop_assert_eq!(&words_by(isa, &text, WordRule::Whitespace), &expected, "{:?}", isa);
            }
            let characters: Vec<_> = text.chars().collect();
            let is_letter = |place: usize| characters.get(place).is_some_and(|&character| !is_whitespace(character));
            let joined: String = (0..characters.len())
                .map(|place| {
                    let joins = place > 0 && characters[place] != ' ' && is_letter(place - 1) && is_letter(place + 1);
                    if is_letter(place) || joins { characters[place] } else { ' ' }
                })
                .collect();
            let expected: Vec<_> = joined.split(' ').filter(|word| !word.is_empty()).collect();
            for isa in Isa::available() {
                prop_assert_eq!(&words_by(isa, &text, WordRule::Spaces), &expected, "{:?}", isa);
            }
        }

        #[test]
        fn distances_are_those_of_the_numbers(
            shared in "((a|b|ab|é|–|漢|abcdefghij|[x-z]{60,70})[ \n\u{a0}\u{2003}]{1,2}){0,40}",
            edits in prop::array::uniform2(prop::collection::vec(
                (any::<prop::sample::Index>(), "|[ab]|[ab]?[ \t\u{a0}\u{2003}–é]{1,2}[ab]?|(a b ){30}"), 0..6,
            )),
        ) {
            let texts = edits.map(|edits| {
                let mut characters: Vec<_> = shared.chars().map(String::from).collect();
                for (place, changed) in edits {
                    if !characters.is_empty() {
                        *place.get_mut(&mut characters) = changed;
                    }
                }
                characters.concat()
            });
            let texts = texts.each_ref().map(String::as_str);
            let (mut units, mut workspace) = (Units::default(), Workspace::default());
            for rule in [WordRule::Whitespace, WordRule::Spaces] {
                let [left, right] = units.code_points(texts, TextUnit::Word(rule)).map(str::to_owned);
                let lengths = [&left, &right].map(|text| text.chars().count());
                let expected = (workspace.distance(&left, &right, SubstitutionCost::One), lengths);
                for isa in Isa::available() {
                    let mut ranges = <[Vec<_>; 2]>::default();
                    let found = Words { isa, ..Words::default() }.distance(texts, rule, &mut ranges, &mut workspace);
                    prop_assert_eq!(found, expected, "{:?}: {:?} {:?}", isa, texts, rule);
                }
            }
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
