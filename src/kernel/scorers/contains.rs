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
    /// Whether one of the answers stands in a prediction; an empty one stands in each. Texts are prepared in buffers.
    pub fn accepts<'a>(
        self,
        prediction: &str,
        mut answers: impl Iterator<Item = &'a str>,
        buffers: &mut [String; 2],
    ) -> bool {
        let [prepared, buffer] = buffers;
        self.prepare(prediction, prepared);
        answers.any(|answer| {
            self.prepare(answer, buffer);
            prepared.contains(buffer.as_str())
        })
    }

    fn prepare(self, text: &str, buffer: &mut String) {
        buffer.clear();
        if !text.is_ascii() {
            return self.prepare_any(text, buffer);
        }
        buffer.push_str(text.trim_matches(is_whitespace));
        if self.ignore_case {
            buffer.make_ascii_lowercase();
        }
        if self.remove_spaces || buffer.contains('\n') {
            *buffer = self.spaced(buffer);
        }
    }

    fn prepare_any(self, text: &str, buffer: &mut String) {
        let mut text = if self.fold_width { text.chars().map(folded).collect() } else { text.to_owned() };
        if self.ignore_case {
            text = lowercase(&text);
        }
        buffer.push_str(&self.spaced(text.trim_matches(is_whitespace)));
    }

    /// The text with ends of lines as spaces, or without any of both.
    fn spaced(self, text: &str) -> String {
        let line = text.replace('\n', " ");
        if self.remove_spaces { line.replace(' ', "") } else { line }
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
        rule.accepts(prediction, [answer].into_iter(), &mut Default::default())
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
