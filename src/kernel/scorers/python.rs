//! What Python's `float` and `\d` accept.

use std::borrow::Cow;

/// The zeros of all decimal digits, whose other nine follow them, from Unicode 14.
#[rustfmt::skip]
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The value of a decimal digit of any script.
pub fn decimal(character: char) -> Option<u32> {
    let code = u32::from(character);
    if character.is_ascii() {
        return character.to_digit(10);
    }
    let after = ZEROS.partition_point(|&zero| zero <= code);
    let value = code - ZEROS[after.checked_sub(1)?];
    (value < 10).then_some(value)
}

/// Whether `\d` matches a character.
pub fn is_digit(character: char) -> bool {
    decimal(character).is_some()
}

/// The number that Python's `float` reads in a text.
pub fn float(text: &str) -> Option<f64> {
    // Most texts are words or plain numbers.
    match *text.as_bytes().first()? {
        b'\t'..=b'\r' | b' ' | 0x80.. => unusual(text),
        byte if starts_number(char::from(byte)) => {
            let is_unusual = |byte: u8| byte <= b' ' || byte == b'_' || !byte.is_ascii();
            text.parse().ok().or_else(|| if text.bytes().any(is_unusual) { unusual(text) } else { None })
        }
        _ => None,
    }
}

#[inline(always)]
fn starts_number(character: char) -> bool {
    matches!(character, '0'..='9' | '+' | '-' | '.' | 'i' | 'I' | 'n' | 'N')
        || !character.is_ascii() && is_digit(character)
}

/// The number in a text with whitespace, underscores or digits beyond ASCII.
fn unusual(text: &str) -> Option<f64> {
    let text = text.trim();
    // Most are words.
    if !text.starts_with(starts_number) {
        return None;
    }
    let text = in_ascii(text)?;
    if text.contains('_') { without_underscores(&text)?.parse().ok() } else { text.parse().ok() }
}

/// The text with its digits as ASCII; nothing if it has any other character beyond.
fn in_ascii(text: &str) -> Option<Cow<'_, str>> {
    if text.is_ascii() {
        return Some(text.into());
    }
    let ascii = |character: char| match character {
        _ if character.is_ascii() => Some(character),
        _ => char::from_digit(decimal(character)?, 10),
    };
    text.chars().map(ascii).collect::<Option<String>>().map(Cow::from)
}

/// The text without underscores; nothing unless each of them is between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit =
        |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
    let stands_right =
        |(index, _): (usize, &str)| is_digit(index.checked_sub(1)) && is_digit(Some(index + 1));
    text.match_indices('_').all(stands_right).then(|| text.replace('_', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        for (text, number) in [
            ("1_000", 1000.0),
            ("1e5", 1e5),
            (" 5\u{a0}", 5.0),
            ("\u{ff11}\u{ff12}.5", 12.5),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            (".5", 0.5),
            ("5.", 5.0),
            ("+5", 5.0),
            ("1e400", f64::INFINITY),
            ("1e1_0", 1e10),
            ("\u{663}", 3.0),
            ("\u{3000}-\u{ff15}\n", -5.0),
            ("\u{2003}inf\t", f64::INFINITY),
        ] {
            assert_eq!(float(text), Some(number), "{text:?}");
        }
        assert!(float("nan").is_some_and(f64::is_nan));
        for text in [
            "1,000", "$5", "", ".", "_1", "1_", "1__0", "1e", "0x10", "\u{1c}1", "5 %", "1 2", "½", " ",
            "\u{a0}", " five", "\n日本", "日本", "5日", "\u{a0}_1", "e5 ",
        ] {
            assert_eq!(float(text), None, "{text:?}");
        }
    }
}
