//! Text of any script in one byte a character, where two texts have few enough characters together: the methods
//! for ASCII then serve, which take fewer bytes and tables without hashing.

use std::ops::RangeInclusive;

use super::lanes::{Isa, SPARE};
use super::pattern::BASIC;
use super::utf8::character;

/// The ids of characters beyond ASCII; ASCII stands for itself.
const BEYOND_ASCII: RangeInclusive<u8> = 0x80..=0xff;

/// Bytes of a text that tell where most of its letters lie.
const LOOKED_AT: usize = 128;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct ByteIds {
    isa: Isa,
    /// Id of each code point of the basic plane that has one beside ASCII, otherwise 0.
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
        for (room, text) in self.texts.iter_mut().zip(texts) {
            room.resize(room.len().max(text.len()), 0);
        }
        let block = texts.iter().find_map(|text| block_of_most(text));
        let lens = block
            .and_then(|block| self.both(texts, |ids, side, text| ids.fill_with_block(side, text, block)));
        let lens = lens.or_else(|| self.both(texts, Self::fill))?;
        Some([&self.texts[0][..lens[0]], &self.texts[1][..lens[1]]])
    }

    /// The lengths of both texts, each of which `fill` writes; afterwards no code point has an id.
    fn both(
        &mut self,
        texts: [&[u8]; 2],
        fill: impl Fn(&mut Self, usize, &[u8]) -> Option<usize>,
    ) -> Option<[usize; 2]> {
        let lens = fill(self, 0, texts[0]).and_then(|len| Some([len, fill(self, 1, texts[1])?]));
        for &code in &self.known {
            self.ids[usize::from(code)] = 0;
        }
        self.known.clear();
        lens
    }

    /// Writes a text whose letters mostly lie in one block of 128: they stand for themselves, and the spare bytes for
    /// others.
    fn fill_with_block(&mut self, side: usize, text: &[u8], block: u8) -> Option<usize> {
        let Self { isa, ids, known, texts } = self;
        let (ids, bytes) = (fixed(ids), texts[side].as_mut_slice());
        let (mut at, mut len) = (0, 0);
        while at < text.len() {
            let (read, written) = isa.narrow(&text[at..], block, &mut bytes[len..]);
            (at, len) = (at + read, len + written);
            // The next eight bytes hold something else, or less than that is left.
            let end = text.len().min(at + 8);
            while at < end {
                let lead = text[at];
                if lead & 0xc0 == 0x80 {
                    // Of a letter that was read with its lead byte.
                    at += 1;
                    continue;
                }
                let (code, width) = character(text, at);
                bytes[len] = match lead {
                    _ if SPARE.contains(&lead) => return None,
                    0..0x80 => lead,
                    _ if lead & 0xfe == block => code as u8 | 0x80,
                    _ => id(ids, known, code, SPARE)?,
                };
                (at, len) = (at + width, len + 1);
            }
        }
        Some(len)
    }

    /// Writes a text whose characters beyond ASCII all have ids.
    fn fill(&mut self, side: usize, text: &[u8]) -> Option<usize> {
        let Self { ids, known, texts, .. } = self;
        let (ids, bytes) = (fixed(ids), texts[side].as_mut_slice());
        let (mut at, mut len) = (0, 0);
        while at < text.len() {
            if text[at].is_ascii() {
                let copied = copy_ascii(&text[at..], &mut bytes[len..]);
                (at, len) = (at + copied, len + copied);
                continue;
            }
            let (code, width) = character(text, at);
            bytes[len] = id(ids, known, code, BEYOND_ASCII)?;
            (at, len) = (at + width, len + 1);
        }
        Some(len)
    }
}

/// Ids of all code points, none of which lies outside of so many.
fn fixed(ids: &mut [u8]) -> &mut [u8; BASIC] {
    ids.first_chunk_mut().expect("made as long before")
}

/// The id of a code point; a new one is the next of the range.
#[inline(always)]
fn id(ids: &mut [u8; BASIC], known: &mut Vec<u16>, code: u32, range: RangeInclusive<u8>) -> Option<u8> {
    let code = u16::try_from(code).ok()?;
    let id = &mut ids[usize::from(code)];
    if *id == 0 {
        *id = new_id(known, code, range)?;
    }
    Some(*id)
}

#[cold]
fn new_id(known: &mut Vec<u16>, code: u16, range: RangeInclusive<u8>) -> Option<u8> {
    let next = u8::try_from(usize::from(*range.start()) + known.len()).ok();
    let next = next.filter(|next| range.contains(next))?;
    known.push(code);
    Some(next)
}

/// The lead byte of the first half of the block in which at least half of the characters beyond ASCII lie, among
/// those of the first two letters of two bytes that are of different blocks.
fn block_of_most(text: &[u8]) -> Option<u8> {
    let start = &text[..text.len().min(LOOKED_AT)];
    // Both are counted with vectors.
    let leads = start.iter().filter(|&&byte| byte >= 0xc2).count();
    let long = start.iter().filter(|&&byte| byte >= 0xe0).count();
    if leads <= 2 * long {
        return None;
    }
    let mut blocks = start.iter().filter(|byte| (0xc2..0xe0).contains(*byte)).map(|byte| byte & 0xfe);
    let has_most = |&block: &u8| 2 * start.iter().filter(|&&byte| byte & 0xfe == block).count() >= leads;
    let first = blocks.next()?;
    if has_most(&first) { Some(first) } else { blocks.find(|&block| block != first).filter(has_most) }
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
            texts in prop::collection::vec(["[ a-zäöü€漢字\u{ffff}]{0,40}|[\0-\u{20}éß’]{0,40}|[ а-яЁ—]{0,40}", "[a\u{100}-\u{180}]{0,200}|[aé\u{2000}-\u{2020}]{0,60}", "[a😀]{0,3}"], 1..4),
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
                // With a block of letters there are more ids.
                prop_assert!(mapped.is_some() || !fits);
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
