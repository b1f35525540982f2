//! Text preparation equals a plain loop over characters, and a prepared text stays as it is.
#![no_main]

use anls_frame::kernel::length::{length, upper_length};
use anls_frame::kernel::prepare::{Preparation, UnicodeForm, Whitespace, is_punctuation};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use unicode_normalization::UnicodeNormalization;

#[derive(Arbitrary, Debug)]
struct Input {
    ignore_case: bool,
    ignore_punctuation: bool,
    whitespace: u8,
    unicode_form: u8,
    text: Text,
}

#[derive(Arbitrary, Debug)]
enum Text {
    Free(String),
    /// Positions in [`TELLING`].
    Telling(Vec<u8>),
}

/// Characters that preparation treats in a way of its own, among plain ones.
const TELLING: &[char] = &[
    'a', 'B', 'é', ' ', '\t', '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}', '\u{85}',
    '\u{a0}', '\u{1680}', '\u{2003}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}', '\u{200b}',
    '\u{feff}', '\u{180e}', '\0', '\u{7f}', 'Σ', 'σ', 'ς', 'İ', 'ı', 'ß', 'ẞ', 'ﬀ', 'ﬃ', 'ŉ', 'ǅ', 'ﾊ', 'ﾞ',
    '￥', '１', '¥', '²', '\u{301}', '\u{307}', '\u{323}', '\u{345}', '각', 'ᄀ', 'ᅡ', 'ᆨ', 'Å', 'Ω', '漢',
    '𝄞', '👩', '\u{200d}', '🇩', '.', '-', '$', '_', '«', '、', '۔', '׳', '\u{2e3b}',
];

impl Text {
    fn spell(self) -> String {
        match self {
            Self::Free(text) => text,
            Self::Telling(positions) => {
                positions.iter().map(|&position| TELLING[usize::from(position) % TELLING.len()]).collect()
            }
        }
    }
}

/// Whitespace as Python's `str.split` has it, written out.
fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r' | '\u{1c}'..=' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
        | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The characters without whitespace at both ends and, if asked, with one space for each run inside.
fn without_spaces(text: &[char], squeeze: bool) -> Vec<char> {
    let mut start = 0;
    while start < text.len() && is_space(text[start]) {
        start += 1;
    }
    let mut end = text.len();
    while end > start && is_space(text[end - 1]) {
        end -= 1;
    }
    let mut kept: Vec<char> = Vec::new();
    for &character in &text[start..end] {
        if !squeeze || !is_space(character) {
            kept.push(character);
        } else if kept.last() != Some(&' ') {
            kept.push(' ');
        }
    }
    kept
}

fuzz_target!(|input: Input| {
    let Input { ignore_case, ignore_punctuation, whitespace, unicode_form, text } = input;
    let text = text.spell();
    let whitespace = [Whitespace::Keep, Whitespace::Strip, Whitespace::Squeeze][usize::from(whitespace % 3)];
    let unicode_form = [None, Some(UnicodeForm::Nfc), Some(UnicodeForm::Nfkc)][usize::from(unicode_form % 3)];
    let preparation =
        Preparation { ignore_case, ignore_punctuation, whitespace, unicode_form, ..Preparation::NONE };

    let form = |text: &str| match unicode_form {
        None => text.to_owned(),
        Some(UnicodeForm::Nfc) => text.nfc().collect(),
        Some(UnicodeForm::Nfkc) => text.nfkc().collect(),
    };
    let mut expected = form(&text);
    if ignore_case {
        expected = expected.to_lowercase();
    }
    if ignore_punctuation {
        expected.retain(|character| !is_punctuation(character));
        expected = form(&expected);
    }
    let characters: Vec<char> = expected.chars().collect();
    if whitespace != Whitespace::Keep {
        expected = without_spaces(&characters, whitespace == Whitespace::Squeeze).into_iter().collect();
    }

    let mut buffer = "left from the row before".to_owned();
    let prepared = preparation.prepare(&text, &mut buffer);
    assert_eq!(prepared, expected);
    assert_eq!(length(prepared), prepared.chars().count());
    assert_eq!(upper_length(prepared), prepared.to_uppercase().chars().count());
    if unicode_form.is_none() || !ignore_case {
        // With both, lower case may leave two characters that the form would join: U+0054 U+0308.
        assert_eq!(preparation.prepare(prepared, &mut String::new()), prepared);
    }
});
