//! What counts as whitespace, everywhere.
//!
//! Python's definition, not Rust's: they differ in four ASCII separators. Do not call `char::is_whitespace` elsewhere.

/// Whitespace as Python's `str.split` and `str.strip` understand it: Unicode's `White_Space` and the four
/// ASCII separators U+001C to U+001F, which Unicode does not count.
pub fn is_whitespace(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// The text without whitespace at its ends.
#[inline]
pub fn strip(text: &str) -> &str {
    let is_kept = |byte: Option<&u8>| byte.is_some_and(|byte| (b'!'..0x80).contains(byte));
    let bytes = text.as_bytes();
    // Most texts have none, which two bytes show.
    if is_kept(bytes.first()) && is_kept(bytes.last()) { text } else { text.trim_matches(is_whitespace) }
}
