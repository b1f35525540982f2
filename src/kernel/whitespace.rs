//! What counts as whitespace, everywhere.

/// Whitespace as Python's `str.split` and `str.strip` understand it: Unicode's `White_Space` and the four
/// ASCII separators U+001C to U+001F, which Unicode does not count.
pub fn is_whitespace(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}
