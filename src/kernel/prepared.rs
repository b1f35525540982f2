//! A text after its preparation, in memory of its own: the result of [`Preparation::prepare`], computed in vectors.
//!
//! For columns, one text after the other in the same memory. Case and ASCII whitespace are changed 32 bytes at a time;
//! runs of whitespace, and whitespace beyond ASCII, take a second pass. Letters whose lower case has another length are
//! left to [`Preparation::prepare`], and so are Unicode forms and spellings.

use super::case;
use super::lanes::{AT_ONCE, Isa, Seen, Steps};
use super::prepare::{Preparation, Whitespace, is_punctuation};
use super::utf8::{character, characters};
use super::view::Memory;
use super::whitespace::is_whitespace;

/// Blocks after a text, so that a read of fixed size never passes the end of the memory.
const BEHIND: usize = 3;

/// A text with its memory.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// The same text, and the memory after it.
    pub memory: Memory<'a>,
}

/// Room for a prepared text.
#[derive(Default)]
pub struct Prepared {
    blocks: Vec<[u8; AT_ONCE]>,
    len: usize,
    seen: Seen,
    /// Room for a text that is prepared character by character.
    text: String,
}

impl Prepared {
    /// The prepared text.
    pub fn memory(&self) -> Memory<'_> {
        Memory::new(self.blocks.as_flattened(), self.len)
    }

    /// Whether the text, or the one that it came from, may have more characters in upper case.
    pub fn may_grow(&self) -> bool {
        self.seen.any(Seen::GROWING | Seen::UNKNOWN_CASE)
    }

    /// Prepares a text.
    pub fn fill(&mut self, raw: Text, preparation: Preparation, isa: Isa) {
        let Preparation { ignore_case, whitespace, unicode_form, .. } = preparation;
        if !preparation.is_simple() {
            if preparation.ignore_punctuation && self.fill_without_punctuation(raw, preparation, isa) {
                return;
            }
            return self.fill_by_characters(raw.text, preparation);
        }
        let text = if whitespace == Whitespace::Keep { raw.memory } else { stripped(raw) };
        if unicode_form.is_some() && !raw.text.is_ascii() {
            return self.fill_by_characters(raw.text, preparation);
        }
        self.reserve(text.len());
        let squeezes = whitespace == Whitespace::Squeeze;
        self.seen = isa.prepare(text, Steps { lower: ignore_case, space: squeezes }, &mut self.blocks);
        if ignore_case && self.seen.any(Seen::UNKNOWN_CASE) {
            return self.fill_by_characters(raw.text, preparation);
        }
        self.len = text.len();
        if squeezes && self.seen.any(Seen::RUN | Seen::FOREIGN_SPACE) {
            let has_foreign_spaces = self.seen.any(Seen::FOREIGN_SPACE);
            self.len = squeeze(&mut self.blocks.as_flattened_mut()[..text.len()], has_foreign_spaces);
        }
    }

    /// Prepares a text whose punctuation is left out; false where characters one by one are needed.
    #[inline(never)]
    fn fill_without_punctuation(&mut self, raw: Text, preparation: Preparation, isa: Isa) -> bool {
        let Preparation { ignore_case, whitespace, unicode_form, .. } = preparation;
        let rest = Preparation { ignore_punctuation: false, ..preparation };
        if !rest.is_simple() || (unicode_form.is_some() && !raw.text.is_ascii()) {
            return false;
        }
        self.reserve(raw.memory.len());
        let squeezes = whitespace == Whitespace::Squeeze;
        self.seen = isa.prepare(raw.memory, Steps { lower: ignore_case, space: squeezes }, &mut self.blocks);
        let has_foreign_spaces = whitespace != Whitespace::Keep && self.seen.any(Seen::FOREIGN_SPACE);
        if has_foreign_spaces || (ignore_case && self.seen.any(Seen::UNKNOWN_CASE)) {
            return false;
        }
        let text = &mut self.blocks.as_flattened_mut()[..raw.memory.len()];
        let mut len = without_punctuation(text);
        if whitespace != Whitespace::Keep {
            let is_space = |byte: &u8| byte.is_ascii() && is_whitespace(char::from(*byte));
            let start = text[..len].iter().position(|byte| !is_space(byte)).unwrap_or(len);
            let end = text[..len].iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
            text.copy_within(start..end, 0);
            len = end - start;
        }
        self.len = if squeezes { squeeze(&mut text[..len], false) } else { len };
        true
    }

    fn fill_by_characters(&mut self, raw: &str, preparation: Preparation) {
        let mut buffer = std::mem::take(&mut self.text);
        self.set(preparation.prepare(raw, &mut buffer));
        self.text = buffer;
    }

    /// Takes a text that is prepared already.
    pub fn set(&mut self, text: &str) {
        self.reserve(text.len());
        self.blocks.as_flattened_mut()[..text.len()].copy_from_slice(text.as_bytes());
        self.len = text.len();
        self.seen = Seen::UNKNOWN_CASE;
    }

    /// Leaves out bytes of ASCII.
    pub fn remove(&mut self, is_removed: impl Fn(u8) -> bool) {
        let text = &mut self.blocks.as_flattened_mut()[..self.len];
        self.len = 0;
        for at in 0..text.len() {
            let byte = text[at];
            text[self.len] = byte;
            self.len += usize::from(!is_removed(byte));
        }
    }

    fn reserve(&mut self, bytes: usize) {
        let blocks = bytes.div_ceil(AT_ONCE) + BEHIND;
        if self.blocks.len() < blocks {
            self.blocks.resize(blocks, [0; AT_ONCE]);
        }
    }
}

/// Leaves out punctuation, and returns the length that is left.
fn without_punctuation(text: &mut [u8]) -> usize {
    let (mut at, mut len) = (0, 0);
    while at < text.len() {
        let (code, width) = character(text, at);
        let is_kept = !char::from_u32(code).is_some_and(is_punctuation);
        if width == 1 {
            text[len] = text[at];
        } else {
            text.copy_within(at..at + width, len);
        }
        len += if is_kept { width } else { 0 };
        at += width;
    }
    len
}

/// The text without whitespace at its ends.
fn stripped(raw: Text) -> Memory {
    let Text { text, memory } = raw;
    let bytes = text.as_bytes();
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        return memory;
    }
    let from = text.len() - text.trim_start_matches(is_whitespace).len();
    let end = text.trim_end_matches(is_whitespace).len();
    memory.part(from..end.max(from))
}

/// Makes one space of each run of whitespace, and returns the length that is left. Nothing but spaces is left of ASCII
/// whitespace, and none is at an end.
#[expect(clippy::needless_bitwise_bool, reason = "computed for every byte, without a branch")]
fn squeeze(text: &mut [u8], has_foreign_spaces: bool) -> usize {
    let (mut at, mut len, mut is_behind) = (0, 0, false);
    while at < text.len() {
        // Mostly eight bytes hold nothing to squeeze, and are moved as they are.
        let eight = text[at..].first_chunk().copied().filter(|_| !has_foreign_spaces);
        if let Some(eight) = eight {
            let spaces = spaces(u64::from_le_bytes(eight));
            if spaces & (spaces << u8::BITS | u64::from(is_behind) << (u8::BITS - 1)) == 0 {
                text[len..len + eight.len()].copy_from_slice(&eight);
                (at, len) = (at + eight.len(), len + eight.len());
                is_behind = spaces >> (u64::BITS - 1) == 1;
                continue;
            }
        }
        let end = text.len().min(at + size_of::<u64>());
        while at < end {
            let mut byte = text[at];
            let mut width = 1;
            // What starts whitespace beyond ASCII.
            if has_foreign_spaces && matches!(byte, 0xc2 | 0xe1..=0xe3) {
                let (code, bytes) = character(text, at);
                if char::from_u32(code).is_some_and(char::is_whitespace) {
                    (byte, width) = (b' ', bytes);
                }
            }
            text[len] = byte;
            // Neither is a branch, as the processor could not predict where words end.
            len += usize::from(!(is_behind & (byte == b' ')));
            is_behind = byte == b' ';
            at += width;
        }
    }
    len
}

/// The highest bit of each byte that is a space.
fn spaces(word: u64) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    let other = word ^ u64::from_ne_bytes([b' '; 8]);
    // The addition carries nothing into the next byte.
    !(((other & LOW) + LOW) | other) & !LOW
}

/// Length in upper case of a prepared text of `length` code points, in code points.
pub fn upper_length(prepared: &Prepared, length: usize) -> usize {
    let text = prepared.memory().text();
    if prepared.seen.any(Seen::UNKNOWN_CASE) {
        return characters(text).map(case::upper_length).sum();
    }
    // ß and ŉ become two, ΐ and ΰ three.
    let grown = |pair: &[u8]| match (pair[0], pair[1]) {
        (0xc3, 0x9f) | (0xc5, 0x89) => 1,
        (0xce, 0x90 | 0xb0) => 2,
        _ => 0,
    };
    length + text.windows(2).map(grown).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::length;
    use super::super::oracle::{cases, one_in};
    use super::super::prepare::UnicodeForm;
    use super::*;

    const WHITESPACES: [Whitespace; 3] = [Whitespace::Keep, Whitespace::Strip, Whitespace::Squeeze];

    /// The text is what characters one by one give, alone in memory and before another text.
    fn assert_prepared(prepared: &mut Prepared, text: &str, preparation: Preparation) {
        let mut buffer = String::new();
        let expected = preparation.prepare(text, &mut buffer);
        let longer = format!("{text} Él\u{a0}");
        for memory in [text, &longer] {
            let raw = Text { text, memory: Memory::new(memory.as_bytes(), text.len()) };
            for isa in Isa::available() {
                prepared.fill(raw, preparation, isa);
                assert_eq!(prepared.memory().text(), expected.as_bytes(), "{text:?} {preparation:?} {isa:?}");
                let upper = upper_length(prepared, length::length(expected));
                assert_eq!(upper, length::upper_length(expected), "{text:?}");
                for text in [text, expected].into_iter().filter(|_| !prepared.may_grow()) {
                    assert_eq!(length::length(text), length::upper_length(text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn every_character_alone_and_between_letters() {
        let mut prepared = Prepared::default();
        // Beyond the first two planes there is neither case nor whitespace, so all are treated the same.
        let beyond = ('\u{20000}'..=char::MAX).step_by(one_in(61));
        for character in ('\0'..='\u{1ffff}').chain(beyond) {
            let lowered = Preparation { ignore_case: true, ..Preparation::default() };
            assert_prepared(&mut prepared, &character.to_string(), lowered);
            let squeezed = Preparation { whitespace: Whitespace::Squeeze, ..lowered };
            assert_prepared(&mut prepared, &format!("A{character}Z"), squeezed);
            let words = Preparation { ignore_punctuation: true, ..squeezed };
            assert_prepared(&mut prepared, &format!("A {character} Z{character}"), words);
        }
    }

    #[test]
    fn every_character_across_blocks() {
        // In each place around the end of a block.
        let mut prepared = Prepared::default();
        let preparation = Preparation { ignore_case: true, ..Preparation::default() };
        for character in '\u{80}'..='\u{1ffff}' {
            let before = "x".repeat(AT_ONCE - 1 - character as usize % character.len_utf8());
            assert_prepared(&mut prepared, &format!("{before}{character}Y"), preparation);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: cases(20_000), ..ProptestConfig::default() })]

        #[test]
        fn texts_are_prepared_as_characters_are(
            parts in prop::collection::vec(
                prop_oneof![
                    4 => "[A-Za-z0-9,.]{1,9}",
                    4 => "[ \t\n\u{b}\u{c}\r\u{1c}-\u{1f}\u{85}\u{a0}\u{1680}\u{2000}-\u{200b}\u{2028}-\u{202f}\u{205f}\u{3000}]{1,3}",
                    2 => "[À-öÿß’œ€«»]{1,9}",
                    2 => "[Ā-ſ]{1,9}",
                    2 => "[Ѐ-ԯ]{1,9}",
                    1 => "[Ά-ώ]{1,9}",
                    1 => "[ΣσςİıẞßŉǰΐΰևẖﬀﬁŸſĿ]",
                    1 => "[Ạ-ỹ]{1,4}",
                    1 => "[ぁ-ヿ一-龥、。Ａ-ｚ！-９]{1,9}",
                    1 => "[\0-\u{3ff}]{1,4}",
                    1 => any::<char>().prop_map(String::from),
                ],
                0..12,
            ),
            ignore_case: bool,
            ignore_punctuation: bool,
            whitespace in prop::sample::select(WHITESPACES.to_vec()),
            unicode_form in prop::option::weighted(0.1, Just(UnicodeForm::Nfkc)),
        ) {
            let preparation = Preparation {
                ignore_case,
                ignore_punctuation,
                whitespace,
                unicode_form,
                ..Preparation::default()
            };
            assert_prepared(&mut Prepared::default(), &parts.concat(), preparation);
        }
    }
}
