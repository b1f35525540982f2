//! Text preparation before scoring: Unicode form, then spellings, case, punctuation and whitespace.
//!
//! This is the definition, character by character. It serves single texts, rare letters and the steps that vectors
//! cannot do. Columns are prepared in [`prepared`](super::prepared), with equal results in a fraction of the time.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

use super::case;
use super::categories::{Category, category};
use super::equivalences::Equivalences;
use super::units::TextUnit;
use super::whitespace::{is_whitespace, strip};

/// What happens to whitespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Whitespace {
    /// Nothing.
    #[default]
    Keep,
    /// Removed at both ends.
    Strip,
    /// Removed at both ends; every run inside becomes one space.
    Squeeze,
    /// Removed at both ends of each line, and one line break at the end of the text; every line ends with LF.
    Lines,
}

/// Unicode normalization form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "UPPERCASE"))]
pub enum UnicodeForm {
    /// Canonical composition.
    Nfc,
    /// Compatibility composition.
    Nfkc,
}

/// The preparation steps of a protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preparation {
    /// Lower-case the text.
    pub ignore_case: bool,
    /// Leave out the characters of the Unicode categories P.
    pub ignore_punctuation: bool,
    /// Whitespace rule.
    pub whitespace: Whitespace,
    /// Normalization form, if any.
    pub unicode_form: Option<UnicodeForm>,
    /// Spellings that count as the same, if any.
    pub equivalences: Option<Equivalences>,
    /// What the prepared texts are compared by.
    pub unit: TextUnit,
}

impl Preparation {
    /// Nothing is changed.
    pub const NONE: Self = Self {
        ignore_case: false,
        ignore_punctuation: false,
        whitespace: Whitespace::Keep,
        unicode_form: None,
        equivalences: None,
        unit: TextUnit::Codepoint,
    };

    /// Whether short ASCII texts need no more than case and whitespace, which vectors do.
    pub fn is_simple(self) -> bool {
        self.equivalences.is_none()
            && !self.ignore_punctuation
            && self.unit == TextUnit::Codepoint
            && self.whitespace != Whitespace::Lines
    }

    /// The prepared text: a part of `raw` where nothing else is to do, otherwise written into `buffer`.
    pub fn prepare<'a>(self, raw: &'a str, buffer: &'a mut String) -> &'a str {
        if (Self { unit: TextUnit::Codepoint, whitespace: Whitespace::Keep, ..self }) == Self::NONE {
            match self.whitespace {
                Whitespace::Keep => return raw,
                Whitespace::Strip => return strip(raw),
                Whitespace::Squeeze | Whitespace::Lines => {}
            }
        }
        buffer.clear();
        if self.ignore_punctuation {
            return self.prepare_without_punctuation(raw, buffer);
        }
        if let Some(equivalences) = self.equivalences {
            return self.prepare_equivalent(raw, equivalences, buffer);
        }
        if raw.is_ascii() {
            // ASCII text is its own NFC and NFKC form.
            self.push(raw, buffer, String::push_str);
            if self.ignore_case {
                buffer.make_ascii_lowercase();
            }
            return buffer;
        }
        let normalized: String;
        let mut text = raw;
        if let Some(form) = self.unicode_form.filter(|form| !form.is_normalized(raw)) {
            normalized = form.normalize(raw);
            text = &normalized;
        }
        match self.ignore_case {
            // How a sigma is lowered depends on the text around it.
            true if text.contains('Σ') => self.push(&lowercase(text), buffer, String::push_str),
            // Lowering makes no whitespace and keeps it all, so words can be lowered one by one.
            true => self.push(text, buffer, push_lowercase),
            false => self.push(text, buffer, String::push_str),
        }
        buffer
    }

    /// Prepares a text whose punctuation is left out, after its lower case: what follows a sigma decides whether it is
    /// final.
    #[cold]
    fn prepare_without_punctuation<'a>(self, raw: &str, buffer: &'a mut String) -> &'a str {
        let whole = Self { ignore_punctuation: false, whitespace: Whitespace::Keep, ..self };
        let mut text = whole.prepare(raw, &mut String::new()).to_owned();
        text.retain(|character| !is_punctuation(character));
        // A mark after punctuation may join the letter before it, which another form undoes.
        let rest = Self { unicode_form: self.unicode_form, whitespace: self.whitespace, ..Self::NONE };
        let mut prepared = String::new();
        let text = rest.prepare(&text, &mut prepared);
        buffer.push_str(text);
        buffer
    }

    /// Prepares a text in which spellings are replaced, after its Unicode form and before everything else.
    #[cold]
    fn prepare_equivalent<'a>(
        self,
        raw: &str,
        equivalences: Equivalences,
        buffer: &'a mut String,
    ) -> &'a str {
        let form = Self { unicode_form: self.unicode_form, ..Self::NONE };
        let mut formed = String::new();
        let text = form.prepare(raw, &mut formed);
        let replaced = equivalences.apply(text);
        let text = replaced.as_deref().unwrap_or(text);
        // An inserted spelling may join the text after it, which another form undoes.
        let mut prepared = String::new();
        let text = Self { equivalences: None, ..self }.prepare(text, &mut prepared);
        buffer.push_str(text);
        buffer
    }

    /// Appends the words of a text, with the whitespace that stays.
    fn push(self, text: &str, buffer: &mut String, push_word: impl Fn(&mut String, &str)) {
        match self.whitespace {
            Whitespace::Keep => push_word(buffer, text),
            Whitespace::Strip => push_word(buffer, strip(text)),
            Whitespace::Squeeze => {
                for word in text.split(is_whitespace).filter(|word| !word.is_empty()) {
                    if !buffer.is_empty() {
                        buffer.push(' ');
                    }
                    push_word(buffer, word);
                }
            }
            Whitespace::Lines if text.contains('\r') => {
                let text = text.replace("\r\n", "\n").replace('\r', "\n");
                self.push(&text, buffer, push_word);
            }
            Whitespace::Lines => {
                let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
                for (number, line) in lines.enumerate() {
                    if number > 0 {
                        buffer.push('\n');
                    }
                    push_word(buffer, strip(line));
                }
            }
        }
    }
}

/// Whether a character is punctuation, in any of the Unicode categories P.
#[inline]
pub fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        let is_symbol = matches!(character, '$' | '+' | '<'..='>' | '^' | '`' | '|' | '~');
        return character.is_ascii_punctuation() && !is_symbol;
    }
    category(character) == Category::Punctuation
}

/// Appends a text without sigma in lower case.
fn push_lowercase(buffer: &mut String, text: &str) {
    text.chars().for_each(|character| case::push_lowercase(buffer, character));
}

impl UnicodeForm {
    fn is_normalized(self, text: &str) -> bool {
        let quick = match self {
            Self::Nfc => is_nfc_quick(text.chars()),
            Self::Nfkc => is_nfkc_quick(text.chars()),
        };
        quick == IsNormalized::Yes
    }

    fn normalize(self, text: &str) -> String {
        match self {
            Self::Nfc => text.nfc().collect(),
            Self::Nfkc => text.nfkc().collect(),
        }
    }
}

/// Lower case as Python's `str.lower`: final sigma and U+0130 included. Whether a sigma is final depends on its
/// neighbours, and two of those changed their nature after Unicode 14, in which the scores are defined: U+0295 is no
/// letter with case any more, U+1171E no mark.
pub fn lowercase(text: &str) -> String {
    let lowered = text.to_lowercase();
    if !(text.contains('Σ') && text.contains(['\u{295}', '\u{1171e}'])) {
        return lowered;
    }
    // The same text with letters of the old nature decides about the sigmas; it has as many characters.
    let context = text.replace('\u{295}', "a").replace('\u{1171e}', "\u{301}").to_lowercase();
    let sigma = |(own, seen)| if matches!(seen, 'σ' | 'ς') { seen } else { own };
    lowered.chars().zip(context.chars()).map(sigma).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUEEZE: Preparation =
        Preparation { ignore_case: true, whitespace: Whitespace::Squeeze, ..Preparation::NONE };

    fn prepared(preparation: Preparation, text: &str) -> String {
        preparation.prepare(text, &mut String::new()).to_owned()
    }

    #[test]
    fn squeezing_follows_python_whitespace() {
        assert_eq!(prepared(SQUEEZE, " \tCoca\u{1c}\u{a0} Cola\n"), "coca cola");
        assert_eq!(prepared(SQUEEZE, "\u{85}\u{3000}É\u{2003}a"), "é a");
        assert_eq!(prepared(SQUEEZE, "a\u{200b}b\u{feff}"), "a\u{200b}b\u{feff}");
        assert_eq!(prepared(SQUEEZE, " \u{1f} "), "");
    }

    #[test]
    fn stripping_keeps_inner_whitespace_and_case() {
        let strip = Preparation { whitespace: Whitespace::Strip, ..Preparation::default() };
        assert_eq!(prepared(strip, "\u{1d} A  b \n"), "A  b");
    }

    #[test]
    fn lower_case_knows_final_sigma_and_dotted_i() {
        assert_eq!(prepared(SQUEEZE, "ΟΔΟΣ ΣΑΣ"), "οδος σας");
        assert_eq!(prepared(SQUEEZE, "İ"), "i\u{307}");
    }

    #[test]
    fn unicode_forms_compose() {
        let canonical = Preparation { unicode_form: Some(UnicodeForm::Nfc), ..Preparation::default() };
        let compatible = Preparation { unicode_form: Some(UnicodeForm::Nfkc), ..Preparation::default() };
        assert_eq!(prepared(canonical, "e\u{301}"), "é");
        assert_eq!(prepared(canonical, "¥"), "¥");
        assert_eq!(prepared(compatible, "￥１"), "¥1");
    }
}
