//! Case of single characters. A search through Unicode's tables is spared where most texts have theirs.
//!
//! The results are those of the standard library and follow its Unicode version: later versions add letters, but keep
//! the case of old ones. Categories are pinned to Unicode 14: see [`categories`](super::categories).

/// Whether a code point belongs to a script without case: nothing in it changes in lower case.
const fn is_caseless(code: u32) -> bool {
    matches!(
        code,
        // Lower case of Latin, and of Cyrillic.
        0xdf..=0xff | 0x430..=0x45f
        // From Hebrew to Myanmar, and Hangul.
        | 0x590..=0x109f | 0x1100..=0x139f
        // Punctuation and currencies; scripts of East Asia, and their punctuation.
        | 0x2000..=0x20ff | 0x2e80..=0xa63f | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0xff5b..=0xffef
    )
}

pub fn push_lowercase(buffer: &mut String, character: char) {
    let code = u32::from(character);
    let apart = match code {
        0x41..=0x5a | 0xc0..=0xd6 | 0xd8..=0xde | 0x410..=0x42f => 0x20,
        0x400..=0x40f => 0x50,
        _ if code < 0xc0 || is_caseless(code) => 0,
        _ => return buffer.extend(character.to_lowercase()),
    };
    buffer.push(char::from_u32(code + apart).expect("a character of the same alphabet"));
}

/// Number of characters of a character in upper case.
pub fn upper_length(code: u32) -> usize {
    match code {
        0xdf
        | 0x149
        | 0x1f0
        | 0x390
        | 0x3b0
        | 0x587
        | 0x1e96..=0x1e9a
        | 0x1f50..=0x1ffc
        | 0xfb00..=0xfb17 => char::from_u32(code).map_or(1, |character| character.to_uppercase().count()),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_case_of_the_tables() {
        let mut buffer = String::new();
        for character in '\0'..=char::MAX {
            buffer.clear();
            push_lowercase(&mut buffer, character);
            assert!(buffer.chars().eq(character.to_lowercase()), "{character:?}");
            assert_eq!(upper_length(character.into()), character.to_uppercase().count(), "{character:?}");
        }
    }
}
