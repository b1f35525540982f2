//! Containment, as `OCRBench` is scored: an answer stands somewhere in the prediction.

use crate::kernel::lanes::{Isa, LONGEST};
use crate::kernel::prepare::{Preparation, Whitespace};
use crate::kernel::prepared::{Prepared, Text};
use crate::kernel::text32::Text32;
use crate::kernel::view::Memory;

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
pub struct Buffers {
    /// The prepared texts.
    prediction: Prepared,
    answer: Prepared,
    /// A prepared answer of a few letters, followed by zeros.
    short: [u8; 2 * LONGEST],
    isa: Isa,
}

impl Default for Buffers {
    fn default() -> Self {
        let (prediction, answer) = <(Prepared, Prepared)>::default();
        Self { prediction, answer, short: [0; 2 * LONGEST], isa: Isa::default() }
    }
}

impl Containment {
    /// Whether one of the answers stands in a prediction; an empty one stands in each.
    #[inline]
    pub fn accepts<'a>(
        self,
        prediction: Text,
        mut answers: impl Iterator<Item = Text<'a>>,
        buffers: &mut Buffers,
    ) -> bool {
        let Buffers { prediction: prepared, answer: buffer, short, isa } = buffers;
        let (mut is_ascii, mut is_prepared) = (None, false);
        answers.any(|answer| {
            let part = if let Some(len) = self.short(answer.memory, short, *isa) {
                Memory::new(short, len)
            } else {
                self.prepare(answer, buffer, *isa);
                buffer.memory()
            };
            if part.is_empty() {
                return true;
            }
            if !self.remove_spaces && isa.is_ascii(part) {
                // ASCII is found as it came: what is stripped from the prediction is at no end of an answer.
                if isa.stands_in(part, prediction.memory, self.ignore_case) {
                    return true;
                }
                // In lower case or folded, other letters may become ASCII.
                if *is_ascii.get_or_insert_with(|| isa.is_ascii(prediction.memory)) {
                    return false;
                }
            }
            if !is_prepared {
                self.prepare(prediction, prepared, *isa);
                is_prepared = true;
            }
            isa.stands_in(part, prepared.memory(), false)
        })
    }

    /// Prepares a short answer of ASCII, and returns its length.
    #[inline]
    fn short(self, answer: Memory, prepared: &mut [u8; 2 * LONGEST], isa: Isa) -> Option<usize> {
        let short = Text32::load(answer).filter(|_| !self.remove_spaces)?;
        let ([bytes], len) = short.prepared(self.preparation(), isa)?.planes();
        bytes.store(prepared.first_chunk_mut()?);
        Some(len)
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
        rule.accepts(prediction, [answer].into_iter(), &mut Buffers::default())
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
    }
}
