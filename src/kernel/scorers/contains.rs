//! Containment, as `OCRBench` is scored: an answer stands somewhere in the prediction.

use crate::kernel::prepare::lowercase;
use crate::kernel::whitespace::is_whitespace;

/// What is ignored when texts are searched.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Containment {
    ignore_case: bool,
    /// Whether U+0020 is left out.
    remove_spaces: bool,
    /// Whether full-width letters, digits and punctuation count as those of ASCII.
    fold_width: bool,
}

impl Containment {
    /// Whether one of the answers stands in a prediction; an empty one stands in each.
    pub fn accepts<'a>(self, prediction: &str, mut answers: impl Iterator<Item = &'a str>) -> bool {
        let prediction = self.prepared(prediction);
        answers.any(|answer| prediction.contains(&self.prepared(answer)))
    }

    fn prepared(self, text: &str) -> String {
        let mut text = if self.fold_width { text.chars().map(folded).collect() } else { text.to_owned() };
        if self.ignore_case {
            if text.is_ascii() {
                text.make_ascii_lowercase();
            } else {
                text = lowercase(&text);
            }
        }
        let prepared = |character: char| if character == '\n' { ' ' } else { character };
        let characters = text.trim_matches(is_whitespace).chars().map(prepared);
        if self.remove_spaces {
            characters.filter(|&character| character != ' ').collect()
        } else {
            characters.collect()
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
        rule.accepts(prediction, [answer].into_iter())
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
