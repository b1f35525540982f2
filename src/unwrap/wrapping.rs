//! Wrapping around an answer: tags, fences, emphasis, quotes, a full stop.
//!
//! Only what surrounds the whole answer is removed; the same signs inside it are content.

use super::reading::{bytes, find, rfind};
use crate::kernel::whitespace::{is_whitespace, strip};

const OPEN_TAG: &str = "<answer>";
const CLOSE_TAG: &str = "</answer>";
const BOXES: [&str; 2] = [r"\boxed{", r"\fbox{"];
const FENCE: &str = "```";
/// Longer ones first, which begin as others do.
const EMPHASIS: [&str; 5] = ["**", "__", "*", "_", "`"];
const QUOTES: [[char; 2]; 7] =
    [['"', '"'], ['\'', '\''], ['“', '”'], ['‘', '’'], ['«', '»'], ['„', '“'], ['「', '」']];
const ABBREVIATIONS: [&str; 20] = [
    "inc", "ltd", "co", "corp", "jr", "sr", "mr", "mrs", "ms", "dr", "st", "no", "vs", "etc", "dept", "fig",
    "vol", "ed", "al", "approx",
];

/// Words in lower case that make a sentence of a text.
const FEW_WORDS: usize = 3;

/// The inside of the last answer tag, or else of the last box.
pub fn tagged(text: &str) -> Option<&str> {
    let lowered = text.to_ascii_lowercase();
    let tag = rfind(&lowered, CLOSE_TAG).and_then(|end| {
        let start = rfind(&lowered[..end], OPEN_TAG)? + OPEN_TAG.len();
        Some(&text[start..end])
    });
    tag.or_else(|| boxed(text))
}

/// The inside of the box that begins last, of those that are closed; escaped braces are part of the text.
fn boxed(text: &str) -> Option<&str> {
    let text = &text[BOXES.iter().filter_map(|name| find(text, name)).min()?..];
    let mut last: Option<(usize, usize)> = None;
    // Where the braces were opened that are not closed yet.
    let mut open = Vec::new();
    let mut is_escaped = false;
    for (at, byte) in bytes(text) {
        match byte {
            b'{' if !is_escaped => open.push(at + 1),
            b'}' if !is_escaped => {
                let is_box = |start: &usize| BOXES.iter().any(|name| text[..*start].ends_with(name));
                last = last.max(open.pop().filter(is_box).map(|start| (start, at)));
            }
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    last.map(|(start, end)| &text[start..end])
}

/// The inside of a fence around the entire text, without the label of its language.
pub fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    if inside.contains(FENCE) || is_blank(inside) {
        return None;
    }
    let is_label = |line: &str| {
        line.trim_end().bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'))
    };
    match inside.split_once('\n') {
        Some((label, rest)) if is_label(label) => Some(rest),
        _ => Some(inside),
    }
}

/// The text without a pair of signs of Markdown around it, or without those of a heading.
pub fn emphasized(text: &str) -> Option<&str> {
    let heading = text.trim_start_matches('#');
    if heading.len() < text.len() && heading.starts_with(' ') {
        return Some(heading);
    }
    let inside = |sign: &&str| {
        let inside = text.strip_prefix(*sign)?.strip_suffix(*sign)?;
        (!is_blank(inside) && !inside.contains(*sign)).then_some(inside)
    };
    let sign = EMPHASIS.iter().find(|&&sign| text.starts_with(sign))?;
    inside(sign)
}

/// The text without the quotes around it.
pub fn quoted(text: &str) -> Option<&str> {
    let inside = |&[open, close]: &[char; 2]| {
        let inside = text.strip_prefix(open)?.strip_suffix(close)?;
        (!is_blank(inside) && !inside.contains([open, close])).then_some(inside)
    };
    QUOTES.iter().find_map(inside)
}

/// The text without a full stop at its end, unless that belongs to the last word or to a sentence.
pub fn without_full_stop(text: &str) -> Option<&str> {
    let without = text.strip_suffix(['.', '。'])?;
    let (before, word) = match without.rfind(is_whitespace) {
        Some(at) => without.split_at(at),
        None => ("", without),
    };
    let word = strip(word);
    let lowered = word.to_lowercase();
    let is_abbreviation = ABBREVIATIONS.contains(&lowered.as_str());
    let is_initial = !before.is_empty() && word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    let has_other = word.contains(['.', '。']) && !is_number(word) && !is_address(word);
    let belongs = word.is_empty() || is_abbreviation || is_initial || has_other || is_sentence(without);
    (!belongs).then_some(without)
}

/// Whether a text has several words, the first not in lower case, but most of the others.
fn is_sentence(text: &str) -> bool {
    let words = || text.split(is_whitespace).filter(|word| !word.is_empty()).skip(1);
    let lowered = words().filter(|word| word.starts_with(char::is_lowercase)).count();
    !text.starts_with(char::is_lowercase) && lowered >= FEW_WORDS && 2 * lowered > words().count()
}

/// Whether a word is a name of the internet, none of whose parts is a single letter.
fn is_address(word: &str) -> bool {
    word.split('.').all(|part| part.chars().count() > 1)
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_whitespace)
}

/// Whether a word is a number, perhaps with a sign, a currency or a percent sign.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-', '$', '€', '£', '¥']).trim_end_matches(['%', '€']);
    digits.ends_with(|letter: char| letter.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::{BOXES, boxed};

    /// The text after an opening brace, up to the brace that closes it.
    fn closed(text: &str) -> Option<&str> {
        let (mut levels, mut is_escaped) = (1, false);
        for (at, letter) in text.char_indices() {
            levels += i32::from(letter == '{' && !is_escaped) - i32::from(letter == '}' && !is_escaped);
            if levels == 0 {
                return Some(&text[..at]);
            }
            is_escaped = letter == '\\' && !is_escaped;
        }
        None
    }

    #[test]
    fn the_box_is_the_last_one_that_is_closed() {
        for text in texts_of(&[r"\boxed{", r"\fbox{", "{", "}", r"\", "é"], 6) {
            let starts = (0..text.len()).filter(|&at| text.is_char_boundary(at));
            let inside = |at| BOXES.iter().find_map(|name| closed(text[at..].strip_prefix(name)?));
            assert_eq!(boxed(&text), starts.rev().find_map(inside), "{text:?}");
        }
    }
}
