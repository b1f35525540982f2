//! Containment, as `OCRBench` is scored: the prediction contains an answer.
//!
//! Most rows are decided on the texts as they came; only those that could differ after preparation are prepared. A
//! short answer is found in nearly every long prediction: the score is meant for short predictions.

use std::ops::Range;

use crate::kernel::lanes::Isa;
use crate::kernel::prepare::{Preparation, Whitespace};
use crate::kernel::prepared::{Prepared, Text};
use crate::kernel::search::{has_byte, stands_in};
use crate::kernel::view::Memory;
use crate::kernel::whitespace::is_whitespace;

/// What is ignored when texts are searched.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Containment {
    /// Whether upper and lower case are equal.
    pub ignore_case: bool,
    /// Whether U+0020 is left out.
    pub remove_spaces: bool,
    /// Whether full-width letters, digits and punctuation count as those of ASCII.
    pub fold_width: bool,
}

/// Working memory.
#[derive(Default)]
pub struct Buffers {
    prediction: Prepared,
    answer: Prepared,
    isa: Isa,
}

impl Containment {
    /// Whether a prediction contains an answer, without ASCII whitespace at its ends, as both came, except for ends
    /// of lines and the case of ASCII. Then it also contains the answer when both are prepared, as characters are prepared one by
    /// one. Every prediction contains an empty answer. `are_ascii`: whether all texts are known to be.
    #[inline(always)]
    pub fn accepts_raw<'a>(
        self,
        prediction: Memory,
        answers: impl Iterator<Item = Memory<'a>>,
        are_ascii: bool,
    ) -> bool {
        // The closure of `any` would be a function of its own.
        for answer in answers {
            let answer = without_ascii_whitespace(answer);
            if answer.is_empty() {
                return true;
            }
            // How a sigma is lowered depends on the text around it.
            let is_exact = || are_ascii || !self.ignore_case || !has_sigma(answer);
            if stands_in(answer, prediction, self.ignore_case) && is_exact() {
                return true;
            }
        }
        false
    }

    /// Whether [`Self::accepts_raw`] finds all answers that are accepted, if they and the prediction are ASCII.
    #[inline]
    pub fn takes_ascii_raw(self) -> bool {
        !self.remove_spaces
    }

    /// Whether a prediction contains an answer that [`Self::accepts_raw`] does not find when both are prepared.
    pub fn accepts_prepared<'a>(
        self,
        prediction: Text,
        answers: impl Iterator<Item = Text<'a>>,
        buffers: &mut Buffers,
    ) -> bool {
        let Buffers { prediction: prepared, answer: part, isa } = buffers;
        let is_ascii = self.takes_ascii_raw() && prediction.text.is_ascii();
        let mut answers = answers.filter(|answer| !(is_ascii && answer.text.is_ascii())).peekable();
        if answers.peek().is_none() {
            return false;
        }
        self.prepare(prediction, prepared, *isa);
        answers.any(|answer| {
            self.prepare(answer, part, *isa);
            part.memory().is_empty() || stands_in(part.memory(), prepared.memory(), false)
        })
    }

    fn preparation(self) -> Preparation {
        Preparation { ignore_case: self.ignore_case, whitespace: Whitespace::Strip, ..Preparation::NONE }
    }

    fn prepare(self, text: Text, prepared: &mut Prepared, isa: Isa) {
        let preparation = self.preparation();
        if self.fold_width && !text.text.is_ascii() {
            let folded: String = text.text.chars().map(folded).collect();
            let memory = Memory::new(folded.as_bytes(), folded.len());
            prepared.fill(Text { text: &folded, memory }, preparation, isa);
        } else {
            prepared.fill(text, preparation, isa);
        }
        if self.remove_spaces {
            prepared.remove(|byte| byte == b' ' || byte == b'\n');
        }
    }
}

#[inline(always)]
fn without_ascii_whitespace(text: Memory) -> Memory {
    let bytes = text.text();
    let is_plain = |byte: Option<&u8>| byte.is_some_and(|&byte| byte > b' ');
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        return text;
    }
    text.part(range_without_ascii_whitespace(bytes))
}

#[cold]
fn range_without_ascii_whitespace(bytes: &[u8]) -> Range<usize> {
    let is_kept = |&byte: &u8| !byte.is_ascii() || !is_whitespace(char::from(byte));
    let end = bytes.iter().rposition(is_kept).map_or(0, |last| last + 1);
    bytes.iter().position(is_kept).unwrap_or(end)..end
}

#[inline(always)]
fn has_sigma(text: Memory) -> bool {
    let sigma = "Σ".as_bytes();
    has_byte(text, sigma[0]) && text.text().windows(sigma.len()).any(|part| part == sigma)
}

fn folded(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        '\u{3000}' => ' ',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCRBENCH: Containment = Containment { ignore_case: true, remove_spaces: false, fold_width: false };

    fn accepts(rule: Containment, prediction: &str, answer: &str) -> bool {
        let [prediction, answer] =
            [prediction, answer].map(|text| Text { text, memory: Memory::new(text.as_bytes(), text.len()) });
        let mut buffers = Buffers::default();
        rule.accepts_raw(prediction.memory, [answer.memory].into_iter(), false)
            || rule.accepts_prepared(prediction, [answer].into_iter(), &mut buffers)
    }

    #[test]
    fn answers_are_found_as_the_options_say() {
        assert!(accepts(OCRBENCH, "The Answer:\n42 ", " answer: 42"));
        assert!(!accepts(OCRBENCH, "４２", "42"));
        assert!(accepts(Containment { fold_width: true, ..OCRBENCH }, "４２", "42"));
        let formulas = Containment { ignore_case: false, remove_spaces: true, fold_width: false };
        assert!(accepts(formulas, "x ^ 2\n+ y", "x^2 + y"));
        assert!(!accepts(formulas, "X^2", "x^2"));
        assert!(accepts(OCRBENCH, "", ""));
        assert!(accepts(OCRBENCH, "x \u{c}É", "\u{a0}é\u{1c}"));
        // As a word's last letter, a sigma is lowered to another one.
        assert!(accepts(OCRBENCH, "ΟΔΟΣ", "οδος"));
        assert!(!accepts(OCRBENCH, "ΟΔΟΣΑ", "ΟΔΟΣ"));
    }
}
