//! How a text is written: whether it has capitals, small letters and punctuation.
//!
//! Error rates count these, so a report says when a system writes otherwise than its references. Texts that have all of
//! them are not told apart, however they use them.

use super::prepare::is_punctuation;

/// What [`differing_styles`] says. The numbers are those of the Python package.
const OTHER_CASE: u8 = 1;
const OTHER_MARKS: u8 = 2;

/// The bits of a style.
const CAPITAL: u8 = 1;
const SMALL: u8 = 2;
/// Commas, full stops and other punctuation between words, and of other scripts all but apostrophes and hyphens.
const MARK: u8 = 4;
/// A letter or a digit of any kind: the text has something to write.
const WRITTEN: u8 = 8;

/// Whether one of two texts has capitals, or small letters, and the other none, and the same of punctuation.
///
/// Texts without letters have no case, and to write nothing is not another way to write.
pub fn differing_styles(prediction: &str, answer: &str) -> u8 {
    let [prediction, answer] = [prediction, answer].map(text_style);
    let has_case = |style: u8| style & (CAPITAL | SMALL) != 0;
    let differ = |bits: u8| (prediction ^ answer) & bits != 0;
    let is_other_case = has_case(prediction) && has_case(answer) && differ(CAPITAL | SMALL);
    let are_other_marks = prediction & answer & WRITTEN != 0 && differ(MARK);
    bits(is_other_case, OTHER_CASE) | bits(are_other_marks, OTHER_MARKS)
}

/// The bits of all characters of a text.
fn text_style(text: &str) -> u8 {
    if !text.is_ascii() {
        return text.chars().fold(0, |style, character| style | style_of(character));
    }
    let (blocks, rest) = text.as_bytes().as_chunks::<16>();
    // Block by block, the compiler looks at all bytes of a block at once.
    let mut styles = [0; 16];
    for block in blocks {
        for (style, &byte) in styles.iter_mut().zip(block) {
            *style |= style_of_ascii(byte);
        }
    }
    rest.iter().map(|&byte| style_of_ascii(byte)).chain(styles).fold(0, |style, other| style | other)
}

/// The bits of an ASCII character, without a branch or a table.
#[inline(always)]
fn style_of_ascii(byte: u8) -> u8 {
    bits(byte.is_ascii_uppercase(), CAPITAL | WRITTEN)
        | bits(byte.is_ascii_lowercase(), SMALL | WRITTEN)
        | bits(byte.is_ascii_digit(), WRITTEN)
        | bits(matches!(byte, b',' | b'.'), MARK)
        | bits(matches!(byte, b':' | b';'), MARK)
        | bits(matches!(byte, b'!' | b'?'), MARK)
}

#[inline(always)]
fn bits(are_set: bool, bits: u8) -> u8 {
    if are_set { bits } else { 0 }
}

fn style_of(character: char) -> u8 {
    if let Ok(byte) = u8::try_from(character)
        && byte.is_ascii()
    {
        return style_of_ascii(byte);
    }
    let mut style = 0;
    if character.is_uppercase() {
        style |= CAPITAL;
    }
    if character.is_lowercase() {
        style |= SMALL;
    }
    if character.is_alphanumeric() {
        style |= WRITTEN;
    }
    if is_punctuation(character) && !matches!(character, '\u{2010}' | '\u{2011}' | '\u{2019}') {
        style |= MARK;
    }
    style
}

#[cfg(test)]
mod tests {
    use super::{CAPITAL, MARK, SMALL, WRITTEN, differing_styles, text_style};

    #[test]
    fn styles_of_texts() {
        for (text, style) in [
            ("", 0),
            (" \n\u{3000}", 0),
            ("$ + 'x'", SMALL | WRITTEN),
            ("well-known", SMALL | WRITTEN),
            ("it\u{2019}s well\u{2010}known", SMALL | WRITTEN),
            ("42", WRITTEN),
            ("4,2", WRITTEN | MARK),
            ("NO", CAPITAL | WRITTEN),
            ("No.", CAPITAL | SMALL | WRITTEN | MARK),
            ("(\"'&-/)", 0),
            ("twelve and more words in a row", SMALL | WRITTEN),
            ("twelve and more words, in a row", SMALL | WRITTEN | MARK),
            ("twelve and more wordS in a row", CAPITAL | SMALL | WRITTEN),
            ("twelve and more words in a row?", SMALL | WRITTEN | MARK),
            ("\u{c9}T\u{c9}", CAPITAL | WRITTEN),
            ("\u{e9}t\u{e9}", SMALL | WRITTEN),
            ("\u{4eca}\u{65e5}\u{3002}", WRITTEN | MARK),
            ("\u{201e}", MARK),
        ] {
            assert_eq!(text_style(text), style, "{text:?}");
        }
    }

    #[test]
    fn differences_of_styles() {
        for (prediction, answer, differing) in [
            ("the cat", "The cat", 1),
            ("THE CAT", "The cat", 1),
            ("The cat", "the Cat", 0),
            ("the cat.", "the cat", 2),
            ("THE CAT", "the cat!", 3),
            ("4,2", "42", 2),
            ("42", "the cat", 0),
            ("", "the cat.", 0),
            ("?", "the cat", 0),
        ] {
            assert_eq!(differing_styles(prediction, answer), differing, "{prediction:?} {answer:?}");
            assert_eq!(differing_styles(answer, prediction), differing, "{prediction:?} {answer:?}");
        }
    }
}
