//! JSON as the Python package writes values that are not strings: spaces after commas and colons, numbers as they
//! are, strings with only the escapes that they need, and keys that are not ASCII as escapes.

use std::fmt::Write;

use super::scan::{Doubt, Scanner};

/// Appends the next value.
pub fn write(scanner: &mut Scanner, found: &mut String) -> Result<(), Doubt> {
    match scanner.peek() {
        b'{' => {
            found.push('{');
            let mut comma = "";
            scanner.members(|scanner, key| {
                found.push_str(comma);
                comma = ", ";
                write_key(&scanner.decoded(key), found)?;
                found.push_str(": ");
                write(scanner, found)
            })?;
            found.push('}');
        }
        b'[' => {
            found.push('[');
            let mut comma = "";
            scanner.entries(|scanner| {
                found.push_str(comma);
                comma = ", ";
                write(scanner, found)
            })?;
            found.push(']');
        }
        b'"' => {
            let span = scanner.string()?;
            write_string(&scanner.decoded(span), found);
        }
        _ => {
            let start = scanner.at();
            scanner.value()?;
            found.push_str(scanner.slice(start, scanner.at()));
        }
    }
    Ok(())
}

fn write_string(text: &str, found: &mut String) {
    found.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|letter| letter < ' ' || letter == '"' || letter == '\\') {
        found.push_str(&rest[..at]);
        write_escape(rest.as_bytes()[at].into(), found);
        rest = &rest[at + 1..];
    }
    found.push_str(rest);
    found.push('"');
}

fn write_key(key: &str, found: &mut String) -> Result<(), Doubt> {
    if key.contains('\x7f') {
        return Err(Doubt); // an escape or not, depending on the other keys
    }
    if key.is_ascii() {
        write_string(key, found);
        return Ok(());
    }
    found.push('"');
    for letter in key.chars() {
        if (' '..='~').contains(&letter) && letter != '"' && letter != '\\' {
            found.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write_escape(*unit, found);
            }
        }
    }
    found.push('"');
    Ok(())
}

fn write_escape(unit: u16, found: &mut String) {
    match unit {
        0x22 => found.push_str("\\\""),
        0x5c => found.push_str("\\\\"),
        0x08 => found.push_str("\\b"),
        0x0c => found.push_str("\\f"),
        0x0a => found.push_str("\\n"),
        0x0d => found.push_str("\\r"),
        0x09 => found.push_str("\\t"),
        _ => write!(found, "\\u{unit:04x}").expect("memory takes all"),
    }
}
