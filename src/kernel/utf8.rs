//! Characters of bytes that were checked to be UTF-8 but do not have the type `str`, such as prepared text in blocks.
//!
//! Only for checked bytes: for others the results are meaningless, though never unsafe.

/// The character that starts at a place, and its length in bytes.
#[inline(always)]
pub fn character(text: &[u8], at: usize) -> (u32, usize) {
    let rest = &text[at..];
    let [lead, second, third, fourth] = match rest.first_chunk() {
        Some(&bytes) => bytes,
        None => at_the_end(rest),
    };
    let (lead, bits) = (u32::from(lead), |byte| u32::from(byte & 0x3f));
    match lead {
        0..0x80 => (lead, 1),
        0x80..0xe0 => ((lead & 0x1f) << 6 | bits(second), 2),
        0xe0..0xf0 => ((lead & 0xf) << 12 | bits(second) << 6 | bits(third), 3),
        _ => ((lead & 7) << 18 | bits(second) << 12 | bits(third) << 6 | bits(fourth), 4),
    }
}

/// Less than four bytes, followed by zeros.
#[cold]
fn at_the_end(rest: &[u8]) -> [u8; 4] {
    let mut bytes = [0; 4];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
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
