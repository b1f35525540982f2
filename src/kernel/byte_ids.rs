//! Text of any script in one byte a character, where two texts have few enough characters together: the methods
//! for ASCII then serve, which take fewer bytes and tables without hashing.

use super::pattern::BASIC;
use super::utf8::character;

/// The first id of a character beyond ASCII; ASCII stands for itself.
const FIRST: u8 = 0x80;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct ByteIds {
    /// Id of each code point of the basic plane beyond ASCII, 0 where it has none.
    ids: Vec<u8>,
    /// The code points that have one.
    known: Vec<u16>,
    texts: [Vec<u8>; 2],
}

impl ByteIds {
    /// Both texts, which are UTF-8, as bytes that are equal where the characters are; `None` where they have too many
    /// different characters beyond ASCII, or one beyond the basic plane.
    pub fn bytes<'a>(&'a mut self, texts: [&'a [u8]; 2]) -> Option<[&'a [u8]; 2]> {
        if texts[0].is_ascii() && texts[1].is_ascii() {
            return Some(texts);
        }
        self.map(texts)
    }

    fn map(&mut self, texts: [&[u8]; 2]) -> Option<[&[u8]; 2]> {
        self.ids.resize(BASIC, 0);
        let lens = texts.iter().enumerate().try_fold([0; 2], |mut lens, (side, text)| {
            lens[side] = self.fill(side, text)?;
            Some(lens)
        });
        for &code in &self.known {
            self.ids[usize::from(code)] = 0;
        }
        self.known.clear();
        let [left, right] = &self.texts;
        lens.map(|lens| [&left[..lens[0]], &right[..lens[1]]])
    }

    /// Writes the ids of a text; `None` where they are not enough.
    fn fill(&mut self, side: usize, text: &[u8]) -> Option<usize> {
        let Self { ids, known, texts } = self;
        let bytes = &mut texts[side];
        if bytes.len() < text.len() {
            bytes.resize(text.len(), 0);
        }
        let (mut at, mut len) = (0, 0);
        while at < text.len() {
            if text[at] < FIRST {
                let copied = copy_ascii(&text[at..], &mut bytes[len..]);
                (at, len) = (at + copied, len + copied);
                continue;
            }
            let (code, width) = character(text, at);
            let code = u16::try_from(code).ok()?;
            let id = &mut ids[usize::from(code)];
            if *id == 0 {
                *id = u8::try_from(usize::from(FIRST) + known.len()).ok()?;
                known.push(code);
            }
            bytes[len] = *id;
            (at, len) = (at + width, len + 1);
        }
        Some(len)
    }
}

/// Copies the ASCII characters at the start of a text, up to eight, into at least as much room as the text takes.
#[inline(always)]
fn copy_ascii(text: &[u8], room: &mut [u8]) -> usize {
    let (Some(from), Some(to)) = (text.first_chunk::<8>(), room.first_chunk_mut::<8>()) else {
        room[0] = text[0];
        return 1;
    };
    *to = *from;
    let beyond_ascii = u64::from_le_bytes(*from) & 0x8080_8080_8080_8080;
    beyond_ascii.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_are_equal_where_the_characters_are(
            texts in prop::collection::vec(["[ a-zäöü€漢字\u{ffff}]{0,40}", "[a\u{100}-\u{180}]{0,200}", "[a😀]{0,3}"], 1..4),
        ) {
            let mut ids = ByteIds::default();
            // Nothing of a pair is left for the next one.
            for pair in texts.iter().flat_map(|[a, b, c]| [[a, b], [b, a], [a, c], [b, b]]) {
                let texts = pair.map(String::as_str);
                let characters: Vec<char> = texts.iter().flat_map(|text| text.chars()).collect();
                let foreign: std::collections::HashSet<_> =
                    characters.iter().filter(|character| !character.is_ascii()).collect();
                let fits = foreign.len() <= 128 && foreign.iter().all(|&&character| u32::from(character) <= 0xffff);
                let mapped = ids.map(texts.map(str::as_bytes));
                prop_assert_eq!(mapped.is_some(), fits);
                let Some(mapped) = mapped else { continue };
                let bytes: Vec<u8> = mapped.concat();
                prop_assert_eq!(mapped[0].len(), texts[0].chars().count());
                prop_assert_eq!(bytes.len(), characters.len());
                let pairs: std::collections::HashSet<_> = bytes.iter().zip(&characters).collect();
                let distinct: std::collections::HashSet<_> = characters.iter().collect();
                prop_assert_eq!(pairs.len(), distinct.len());
                prop_assert_eq!(bytes.iter().collect::<std::collections::HashSet<_>>().len(), distinct.len());
            }
        }
    }
}
