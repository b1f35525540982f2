//! Text of any script in one byte a character, where two texts have few enough characters together: the methods
//! for ASCII then serve, which take fewer bytes and tables without hashing.

use super::pattern::BASIC;

/// The first id of a character beyond ASCII; ASCII stands for itself.
const FIRST: usize = 0x80;

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
    /// Both texts as bytes, equal where the characters are; `None` where they have too many different characters
    /// beyond ASCII, or one beyond the basic plane.
    pub fn bytes<'a>(&'a mut self, texts: [&'a str; 2]) -> Option<[&'a [u8]; 2]> {
        if texts[0].is_ascii() && texts[1].is_ascii() {
            return Some(texts.map(str::as_bytes));
        }
        self.map(texts)
    }

    fn map(&mut self, texts: [&str; 2]) -> Option<[&[u8]; 2]> {
        self.ids.resize(BASIC, 0);
        let fits = self.fill(texts);
        for &code in &self.known {
            self.ids[usize::from(code)] = 0;
        }
        self.known.clear();
        fits.then(|| self.texts.each_ref().map(Vec::as_slice))
    }

    fn fill(&mut self, texts: [&str; 2]) -> bool {
        for (bytes, text) in self.texts.iter_mut().zip(texts) {
            bytes.clear();
            for character in text.chars() {
                if character.is_ascii() {
                    bytes.push(character as u8);
                    continue;
                }
                let Ok(code) = u16::try_from(u32::from(character)) else { return false };
                let id = &mut self.ids[usize::from(code)];
                if *id == 0 {
                    let Ok(next) = u8::try_from(FIRST + self.known.len()) else { return false };
                    *id = next;
                    self.known.push(code);
                }
                bytes.push(*id);
            }
        }
        true
    }
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
                let mapped = ids.map(texts);
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
