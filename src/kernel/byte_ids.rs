//! Text of any script in one byte per character, if two texts have few enough different characters.
//!
//! The methods for ASCII then serve text of any script: they read a quarter of the bytes, and their tables need no
//! hashing. That holds for at most 128 different characters beyond ASCII in both texts together, all of the basic
//! plane; other pairs are compared by code points. ASCII text is used as it is. Letters of one block of 128 are
//! narrowed eight bytes at a time; other characters cost about 1.5 ns each.

use std::hint::select_unpredictable;
use std::ops::Range;

use super::lanes::{Isa, SPARE, each};
use super::pattern::BASIC;

/// The ids of characters beyond ASCII; ASCII characters are their own ids.
const BEYOND_ASCII: Range<usize> = 0x80..0x100;

/// Bytes of a text that tell where most of its letters lie.
const LOOKED_AT: usize = 128;

/// Characters beyond ASCII are rare, and their time hardly matters, if there are at least this many bytes for each.
const RARE: usize = 8;

/// Bytes of a text whose characters are found at once.
const WINDOW: usize = 64;

/// The same between letters of a block.
const WINDOW_BESIDE: usize = 8;

/// Bytes of a text among whose characters are many new ones.
const EARLY: usize = 512;

/// Bytes after the first one of a character.
const BEHIND: usize = 2;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct ByteIds {
    isa: Isa,
    /// Made for the first pair, as few calls have one.
    ids: Option<Box<Ids>>,
    texts: [Vec<u8>; 2],
}

/// The ids of the characters of a pair.
struct Ids {
    /// Id of each code point of the basic plane, 0 where it has none. ASCII has its own, except NUL.
    of: Box<[u8; BASIC]>,
    /// Letters that are their own ids as well.
    block: Range<usize>,
    /// The ids that others get, and the next one of them.
    free: Range<usize>,
    next: usize,
    /// The code point of each of these ids, and room for those of a window that are too many.
    codes: [u16; CODES],
}

/// Room for the ids of one byte and those of a window.
const CODES: usize = 512;

impl Default for Ids {
    fn default() -> Self {
        let mut of: Box<[u8; _]> = vec![0; BASIC].try_into().expect("as long");
        (0..0x80).for_each(|code| of[usize::from(code)] = code);
        Self { of, block: 0..0, free: 0..0, next: 0, codes: [0; _] }
    }
}

impl Ids {
    /// Takes back all ids, and gives the letters of this block their own.
    fn begin(&mut self, block: Option<u8>) {
        for &code in &self.codes[self.free.start..self.next] {
            self.of[usize::from(code)] = 0;
        }
        self.free = if block.is_some() { SPARE } else { BEYOND_ASCII };
        self.next = self.free.start;
        let first = block.map(|lead| usize::from(lead & 0x1e) << 6);
        let block = first.map_or(0..0, |first| first..first + 0x80);
        // Neighbours are mostly of one script.
        if block != self.block {
            self.of[self.block.clone()].fill(0);
            self.of[block.clone()].iter_mut().zip(0x80..=0xff).for_each(|(id, own)| *id = own);
            self.block = block;
        }
    }

    /// Writes the ids of the characters that start in the first bytes of a window, and returns their number; `None`
    /// where there are too few ids.
    #[inline(always)]
    fn write<const BYTES: usize, const READ: usize, const EARLY: bool>(
        &mut self,
        window: &[u8; READ],
        len: usize,
        room: &mut [u8; WINDOW],
    ) -> Option<usize> {
        let mut starts = starts::<BYTES>(window)? & (u64::MAX >> WINDOW.saturating_sub(len));
        let Self { of, codes, next, free, .. } = self;
        let len = starts.count_ones() as usize;
        // In a row, but each is read for itself: nothing waits for the length of the one before.
        for byte in &mut room[..len] {
            let code = basic(window, starts.trailing_zeros() as usize % BYTES);
            starts &= starts.wrapping_sub(1);
            let id = &mut of[usize::from(code)];
            let is_new = *id == 0;
            if EARLY {
                // Without a branch: which characters are new is unpredictable.
                *id = select_unpredictable(is_new, *next as u8, *id);
                codes[*next % CODES] = code;
                *next += usize::from(is_new);
            } else if is_new {
                cold();
                *id = *next as u8;
                codes[*next % CODES] = code;
                *next += 1;
            }
            *byte = *id;
        }
        Some(len).filter(|_| *next <= free.end)
    }
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
        let lens = self.write(texts)?;
        Some([&self.texts[0][..lens[0]], &self.texts[1][..lens[1]]])
    }

    /// Writes both texts and returns their lengths.
    fn write(&mut self, texts: [&[u8]; 2]) -> Option<[usize; 2]> {
        for (room, text) in self.texts.iter_mut().zip(texts) {
            room.resize(room.len().max(text.len() + WINDOW), 0);
        }
        let block = texts.into_iter().find(|text| !text.is_ascii()).and_then(block_of_most);
        let block = block.filter(|_| !texts.into_iter().any(has_spare));
        let lens = block.and_then(|block| self.both(texts, Some(block)));
        lens.or_else(|| self.both(texts, None))
    }

    /// The same. The letters of a block are their own ids.
    fn both(&mut self, texts: [&[u8]; 2], block: Option<u8>) -> Option<[usize; 2]> {
        let Self { isa, ids, texts: rooms } = self;
        let ids = &mut **ids.get_or_insert_default();
        ids.begin(block);
        let mut fill = |side: usize| {
            let (text, room) = (texts[side], rooms[side].as_mut_slice());
            match block {
                Some(block) => fill_with_block(*isa, ids, text, block, room),
                None => fill(ids, text, room),
            }
        };
        Some([fill(0)?, fill(1)?])
    }
}

/// Writes a text whose letters mostly lie in one block of 128: they are their own ids, and the spare bytes are ids of
/// others.
fn fill_with_block(isa: Isa, ids: &mut Ids, text: &[u8], block: u8, bytes: &mut [u8]) -> Option<usize> {
    let (mut at, mut len) = (0, 0);
    while at < text.len() {
        let (read, written) = isa.narrow(&text[at..], block, &mut bytes[len..]);
        (at, len) = (at + read, len + written);
        // The next eight bytes hold something else, or less than that is left.
        len +=
            write::<WINDOW_BESIDE, { WINDOW_BESIDE + BEHIND }, false>(ids, &text[at..], &mut bytes[len..])?;
        at += WINDOW_BESIDE;
    }
    Some(len)
}

/// Writes a text whose characters beyond ASCII all have ids.
fn fill(ids: &mut Ids, text: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let mut len = 0;
    for at in (0..text.len()).step_by(WINDOW) {
        let (text, room) = (&text[at..], &mut bytes[len..]);
        len += if at < EARLY {
            write::<WINDOW, { WINDOW + BEHIND }, true>(ids, text, room)?
        } else {
            write::<WINDOW, { WINDOW + BEHIND }, false>(ids, text, room)?
        };
    }
    Some(len)
}

/// Writes the characters that start in the first bytes of a text, and returns their number.
#[inline(always)]
fn write<const BYTES: usize, const READ: usize, const EARLY: bool>(
    ids: &mut Ids,
    text: &[u8],
    room: &mut [u8],
) -> Option<usize> {
    let room = room.first_chunk_mut().expect("of a window more");
    if let Some(window) = text.first_chunk() {
        return ids.write::<BYTES, READ, EARLY>(window, READ, room);
    }
    let mut window = [0; READ];
    window[..text.len()].copy_from_slice(text);
    ids.write::<BYTES, READ, EARLY>(&window, text.len(), room)
}

/// A bit for each byte at which a character starts; `None` where one is beyond the basic plane.
#[inline(always)]
fn starts<const BYTES: usize>(window: &[u8]) -> Option<u64> {
    let (mut starts, mut four) = (0, 0);
    for (number, &word) in window[..BYTES].as_chunks().0.iter().enumerate() {
        let word = u64::from_le_bytes(word);
        let own = (!word | word << 1) >> 7 & each(1);
        four |= word & word << 1 & word << 2 & word << 3;
        // The bit of each byte comes to a place of its own in the highest byte.
        starts |= (own.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    (four & each(0x80) == 0).then_some(starts)
}

/// The code point of a character of the basic plane that starts at a place.
#[inline(always)]
fn basic<const READ: usize>(window: &[u8; READ], at: usize) -> u16 {
    let [lead, second, third] = [0, 1, 2].map(|behind| u16::from(window[at + behind]));
    let two = (lead & 0x1f) << 6 | second & 0x3f;
    let three = two << 6 | third & 0x3f;
    select_unpredictable(lead < 0x80, lead, select_unpredictable(lead < 0xe0, two, three))
}

#[cold]
fn cold() {}

/// Whether a text has characters whose bytes are given to others, or NUL, which has no id of its own.
fn has_spare(text: &[u8]) -> bool {
    let is_spare = |byte: u8| u8::from(byte == 0) | u8::from(SPARE.contains(&usize::from(byte)));
    text.iter().fold(0, |has, &byte| has | is_spare(byte)) != 0
}

/// The lead byte of the first half of the block in which at least half of the characters beyond ASCII lie, among
/// those of the first two letters of two bytes that are of different blocks; any where nearly all characters are ASCII.
fn block_of_most(text: &[u8]) -> Option<u8> {
    let start = &text[..text.len().min(LOOKED_AT)];
    let leads = count(start, |byte| byte >= 0xc2);
    let long = count(start, |byte| byte >= 0xe0);
    if leads * RARE <= start.len() {
        return Some(start.iter().find(|byte| (0xc2..0xe0).contains(*byte)).map_or(0xc2, |byte| byte & 0xfe));
    }
    if leads <= 2 * long {
        return None;
    }
    let mut blocks = start.iter().filter(|byte| (0xc2..0xe0).contains(*byte)).map(|byte| byte & 0xfe);
    let has_most = |&block: &u8| 2 * count(start, |byte| byte & 0xfe == block) >= leads;
    let first = blocks.next()?;
    if has_most(&first) { Some(first) } else { blocks.find(|&block| block != first).filter(has_most) }
}

/// How many of at most 255 bytes are of a kind: in one byte, so that vectors count 16 of them at once.
fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    usize::from(bytes.iter().fold(0, |count: u8, &byte| count.wrapping_add(u8::from(is(byte)))))
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
                    characters.iter().filter(|&&character| !character.is_ascii() || character == '\0').collect();
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
