//! Characters of bytes that were checked to be UTF-8, without the type that says so: prepared text lies in blocks of
//! bytes. Of other bytes the results are of no use, but there are some.

/// The character that starts at a place, and its length in bytes.
#[inline(always)]
pub fn character(text: &[u8], at: usize) -> (u32, usize) {
    let bits = |behind: usize| u32::from(text.get(at + behind).copied().unwrap_or(0)) & 0x3f;
    let lead = u32::from(text[at]);
    match lead {
        0..0x80 => (lead, 1),
        0x80..0xe0 => ((lead & 0x1f) << 6 | bits(1), 2),
        0xe0..0xf0 => ((lead & 0xf) << 12 | bits(1) << 6 | bits(2), 3),
        _ => ((lead & 7) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4),
    }
}

/// All characters.
pub fn characters(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut at = 0;
    std::iter::from_fn(move || {
        (at < text.len()).then(|| {
            let (code, len) = character(text, at);
            at += len;
            code
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_read() {
        let text: String = ('\0'..=char::MAX).collect();
        assert!(characters(text.as_bytes()).eq(text.chars().map(u32::from)));
    }
}
