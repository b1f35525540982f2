//! Answers inside JSON.
//!
//! A text is JSON only as a whole. An object with two keys that could name the answer has none: a guess would be worse.

use std::borrow::Cow;

use crate::json::{Doubt, Kind, Scanner};
use crate::kernel::whitespace::strip;

/// Keys of the answer, without what they may be written with.
const KEYS: [&str; 7] = ["answer", "finalanswer", "prediction", "response", "output", "result", "text"];

/// The answer in a text that is JSON: the value of the only key that names one, the only entry of a list, or the
/// string. Only strings and numbers are answers.
pub fn answer(text: &str) -> Option<Cow<'_, str>> {
    if !text.starts_with(['{', '[', '"']) {
        return None;
    }
    if !text.contains('\n') {
        return read(text).map(Cow::Owned);
    }
    // The scanner reads lines. Valid JSON has ends of lines between its values alone, where other blanks do as well.
    read(&text.replace('\n', "\r")).map(Cow::Owned)
}

fn read(text: &str) -> Option<String> {
    let mut scanner = Scanner::new(text, 0);
    let mut answers = Vec::new();
    let read = match scanner.peek() {
        b'{' => scanner.members(|scanner, key| {
            let key = normalized(&scanner.decoded(key));
            let value = scalar(scanner)?;
            if KEYS.contains(&key.as_str()) {
                answers.push(value);
            }
            Ok(())
        }),
        b'[' => scanner.entries(|scanner| {
            answers.push(scalar(scanner)?);
            Ok(())
        }),
        _ => scalar(&mut scanner).map(|value| answers.push(value)),
    };
    let is_whole = read.is_ok() && strip(&text[scanner.at()..]).is_empty();
    match <[_; 1]>::try_from(answers) {
        Ok([answer]) if is_whole => answer,
        _ => None,
    }
}

/// A string or a number as it is written; nothing for other values.
fn scalar(scanner: &mut Scanner) -> Result<Option<String>, Doubt> {
    if scanner.peek() == b'"' {
        let span = scanner.string()?;
        return Ok(Some(scanner.decoded(span).into_owned()));
    }
    let start = scanner.at();
    let kind = scanner.value()?;
    let written = scanner.slice(start, scanner.at());
    // Not `NaN` and `Infinity`.
    let is_number = kind == Kind::Number && !written.ends_with(|letter: char| letter.is_ascii_alphabetic());
    Ok(is_number.then(|| written.to_owned()))
}

fn normalized(key: &str) -> String {
    key.to_lowercase().replace([' ', '_', '-'], "")
}
