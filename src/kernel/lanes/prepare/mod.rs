//! Lower case and spaces of text, 32 bytes at a time: each byte becomes another one, or stays.
//!
//! Every text that is prepared outside registers passes here: beyond ASCII, or longer than 32 bytes. Lower case keeps
//! the length in bytes of nearly all letters in use, so that nothing moves: the letters of ASCII, Latin-1, Latin
//! Extended-A, Greek, Cyrillic, Vietnamese and the full-width forms are changed in place. What else has case is
//! only noticed, and left to [`Preparation`](crate::kernel::prepare::Preparation). With AVX2, 32 bytes take 3 ns where
//! they are ASCII, and 10 to 30 ns otherwise.

#![expect(clippy::needless_bitwise_bool, reason = "computed for every byte, without a branch")]
#![expect(clippy::needless_range_loop, reason = "loops over several arrays, which become vectors")]

#[cfg(target_arch = "x86_64")]
pub mod x86;

use std::ops::BitOr;

use crate::kernel::view::Memory;

/// Bytes that are prepared at once.
pub const AT_ONCE: usize = 32;

type Bytes = [u8; AT_ONCE];

/// What is done with the characters.
#[derive(Clone, Copy)]
pub struct Steps {
    /// Letters are lowered.
    pub lower: bool,
    /// ASCII whitespace becomes spaces.
    pub space: bool,
}

/// What a text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u8);

impl Seen {
    /// ASCII whitespace after ASCII whitespace.
    pub const RUN: Self = Self(1);
    /// Whitespace beyond ASCII.
    pub const FOREIGN_SPACE: Self = Self(2);
    /// A letter that becomes several in upper case.
    pub const GROWING: Self = Self(4);
    /// A character whose lower and upper case are not known here.
    pub const UNKNOWN_CASE: Self = Self(8);

    /// Whether any of these was seen.
    pub fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }
}

impl BitOr for Seen {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Writes a text after these steps; where the case of a character is not known, it is left as it was.
pub fn prepare(text: Memory, steps: Steps, prepared: &mut [Bytes]) -> Seen {
    prepare_by(text, steps, prepared)
}

/// The bytes of a block, zeros after the end of the text, with those around each.
struct Block {
    own: Bytes,
    /// One place before, and two.
    before: [Bytes; 2],
    next: Bytes,
}

#[inline(always)]
fn prepare_by(text: Memory, steps: Steps, prepared: &mut [Bytes]) -> Seen {
    const INSIDE: [[u8; AT_ONCE + 1]; 2] = [[0xff; AT_ONCE + 1], [0; AT_ONCE + 1]];
    let (lower, space) = (bit(steps.lower, 0x20), bit(steps.space, 0xff));
    let mut seen = [0; AT_ONCE];
    for (at, prepared) in (0..text.len()).step_by(AT_ONCE).zip(prepared) {
        let inside = &INSIDE.as_flattened()[AT_ONCE + 1 - (text.len() - at).min(AT_ONCE + 1)..];
        let room: [u8; AT_ONCE + 1];
        let block = if let Some(block) = text.block(at) {
            block
        } else {
            room = text.last_block(at);
            &room
        };
        // One loop for each, as the compiler would keep what they share from one round to the next.
        let own = and(&block[..AT_ONCE], &inside[..AT_ONCE]);
        let next = and(&block[1..], &inside[1..]);
        for i in 0..AT_ONCE {
            let is_space = is_ascii_space(own[i]);
            let lowered = own[i] | bit(within(own[i], b'A', b'Z'), lower);
            prepared[i] = lowered ^ ((lowered ^ b' ') & bit(is_space, space));
            seen[i] |= bit(is_space, Seen::RUN.0) & bit(is_ascii_space(next[i]), Seen::RUN.0);
        }
        if all(&own) >= 0x80 {
            let before = [before::<1>(text, at, &own), before::<2>(text, at, &own)];
            let block = Block { own, before, next };
            // Most texts have lead bytes of one kind, so these branches are always the same.
            let kinds = block.kinds();
            if kinds & LATIN != 0 {
                block.latin(lower, prepared, &mut seen);
            }
            if kinds & TWO_BYTES != 0 {
                block.two_bytes(lower, prepared, &mut seen);
            }
            if kinds & IDEOGRAPHIC != 0 {
                block.ideographic_spaces(&mut seen);
            }
            if kinds & LONG != 0 {
                block.long(lower, prepared, &mut seen);
            }
        }
    }
    Seen(all(&seen))
}

#[inline(always)]
fn and(left: &[u8], right: &[u8]) -> Bytes {
    let (left, right): (&Bytes, &Bytes) =
        (left.first_chunk().expect("a block"), right.first_chunk().expect("a block"));
    let mut both = [0; AT_ONCE];
    for i in 0..AT_ONCE {
        both[i] = left[i] & right[i];
    }
    both
}

/// The bytes that precede those of a block by `PLACES`, zeros before the text; `own` are those of the block.
#[inline(always)]
fn before<const PLACES: usize>(text: Memory, at: usize, own: &Bytes) -> Bytes {
    if let Some(from) = at.checked_sub(PLACES) {
        return text.block(from).copied().unwrap_or_else(|| text.last_block(from));
    }
    let mut bytes = [0; AT_ONCE];
    bytes[PLACES..].copy_from_slice(&own[..AT_ONCE - PLACES]);
    bytes
}

impl Block {
    /// The kinds of all lead bytes, and of the character that goes on from the block before.
    #[inline(always)]
    fn kinds(&self) -> u8 {
        let mut kinds = [0; AT_ONCE];
        for i in 0..AT_ONCE {
            kinds[i] = kind(self.own[i]);
        }
        all(&kinds) | kind(self.before[0][0]) | kind(self.before[1][0])
    }

    /// The characters of C2 and C3: U+0080 to U+00FF.
    #[inline(always)]
    fn latin(&self, lower: u8, prepared: &mut Bytes, seen: &mut Bytes) {
        for i in 0..AT_ONCE {
            let (own, before) = (self.own[i], self.before[0][i]);
            let is_upper = (before == 0xc3) & within(own, 0x80, 0x9e) & (own != 0x97);
            prepared[i] |= bit(is_upper, lower);
            let is_space = (before == 0xc2) & ((own == 0x85) | (own == 0xa0));
            let is_growing = (before == 0xc3) & (own == 0x9f);
            seen[i] |= bit(is_space, Seen::FOREIGN_SPACE.0) | bit(is_growing, Seen::GROWING.0);
        }
    }

    /// The other characters of two bytes.
    #[inline(always)]
    fn two_bytes(&self, lower: u8, prepared: &mut Bytes, seen: &mut Bytes) {
        for i in 0..AT_ONCE {
            let (own, before, next) = (self.own[i], self.before[0][i], self.next[i]);
            let (is_even, is_odd) = (own & 1 == 0, own & 1 == 1);
            let (c4, c5, c6) = (before == 0xc4, before == 0xc5, before == 0xc6);
            let (ce, cf) = (before == 0xce, before == 0xcf);
            let (d0, d1, d2, d3, d4) =
                (before == 0xd0, before == 0xd1, before == 0xd2, before == 0xd3, before == 0xd4);
            // Capitals at even places, each followed by its small letter.
            let by_one = is_even
                & (c4 & (own < 0xb8)
                    | c5 & within(own, 0x8a, 0xb7)
                    | d1 & (own >= 0xa0)
                    | d2 & ((own == 0x80) | (own >= 0x8a))
                    | d3
                    | d4 & (own < 0xb0)
                    | c6 & (own == 0xa0))
                | is_odd
                    & (c4 & (own >= 0xb9)
                        | c5 & ((own < 0x88) | within(own, 0xb9, 0xbe))
                        | c6 & (own == 0xaf));
            // Alphabets 32 places apart; from the middle on, that is in the next lead byte.
            let up = (ce & (own >= 0x91) | d0 & (own >= 0x90)) & (own < 0xa0);
            let down = ce & within(own, 0xa0, 0xab) | d0 & within(own, 0xa0, 0xaf);
            let lead = (own == 0xce) & (within(next, 0xa0, 0xab) | within(next, 0x8c, 0x8f))
                | (own == 0xd0) & ((next < 0x90) | within(next, 0xa0, 0xaf));
            let accented = ce & within(own, 0x88, 0x8a);
            let change = bit(by_one | lead, 1)
                .wrapping_add(bit(up, 0x20))
                .wrapping_sub(bit(down, 0x20))
                .wrapping_add(bit(d0 & (own < 0x90), 0x10))
                .wrapping_add(bit(accented, 0x25))
                .wrapping_add(bit(ce & (own == 0x86), 0x26))
                .wrapping_sub(bit(ce & within(own, 0x8e, 0x8f), 1));
            prepared[i] = prepared[i].wrapping_add(bit(lower > 0, change));
            let is_growing = c5 & (own == 0x89) | ce & ((own == 0x90) | (own == 0xb0));
            let is_unknown = c4 & ((own == 0xb0) | (own == 0xbf))
                | c5 & (own == 0xb8)
                | c6 & !(within(own, 0xa0, 0xa1) | within(own, 0xaf, 0xb0))
                | within(before, 0xc7, 0xc9)
                | (before == 0xcd) & (own >= 0xb0)
                | ce & ((own == 0x8d) | within(own, 0xa2, 0xa3))
                | cf & ((own == 0x8f) | (own >= 0x98))
                | d3 & (own < 0x90)
                | d4 & (own >= 0xb1)
                | (before == 0xd5)
                | (before == 0xd6) & (own < 0x90);
            seen[i] |= bit(is_growing, Seen::GROWING.0) | bit(is_unknown, Seen::UNKNOWN_CASE.0);
        }
    }

    /// The space of Chinese and Japanese, U+3000.
    #[inline(always)]
    fn ideographic_spaces(&self, seen: &mut Bytes) {
        for i in 0..AT_ONCE {
            let is_space = (self.before[1][i] == 0xe3) & (self.before[0][i] == 0x80) & (self.own[i] == 0x80);
            seen[i] |= bit(is_space, Seen::FOREIGN_SPACE.0);
        }
    }

    /// Other characters of three bytes and of four, where some have case or are whitespace.
    #[inline(always)]
    fn long(&self, lower: u8, prepared: &mut Bytes, seen: &mut Bytes) {
        for i in 0..AT_ONCE {
            let (own, next) = (self.own[i], self.next[i]);
            let (before, first) = (self.before[0][i], self.before[1][i]);
            let (of_latin, of_punctuation) = (first == 0xe1, first == 0xe2);
            // The second half of Latin Extended Additional, which Vietnamese uses.
            let by_one = of_latin & ((before == 0xba) & (own >= 0xa0) | (before == 0xbb)) & (own & 1 == 0);
            let is_wide = (first == 0xef) & (before == 0xbc) & within(own, 0xa1, 0xba);
            let lead = (before == 0xef) & (own == 0xbc) & within(next, 0xa1, 0xba);
            let change = bit(by_one | lead, 1).wrapping_sub(bit(is_wide, 0x20));
            prepared[i] = prepared[i].wrapping_add(bit(lower > 0, change));
            let is_space = of_punctuation
                & ((before == 0x80) & ((own < 0x8b) | within(own, 0xa8, 0xa9) | (own == 0xaf))
                    | (before == 0x81) & (own == 0x9f))
                | of_latin & (before == 0x9a) & (own == 0x80);
            let is_unknown = of_latin
                & ((before == 0x82) & (own >= 0xa0)
                    | (before == 0x83)
                    | (before >= 0x8e)
                        & (before != 0x9a)
                        & !((before == 0xba) & (own >= 0xa0))
                        & (before != 0xbb))
                | of_punctuation
                    & (within(before, 0x84, 0x85)
                        | (before == 0x86) & (own == 0x83)
                        | within(before, 0x92, 0x93)
                        | within(before, 0xb0, 0xb4))
                | (first == 0xea) & within(before, 0x99, 0xaf)
                | (first == 0xef) & (before == 0xac)
                | (first == 0xf0) & (before < 0x9f);
            seen[i] |= bit(is_space, Seen::FOREIGN_SPACE.0) | bit(is_unknown, Seen::UNKNOWN_CASE.0);
        }
    }
}

/// The number under a condition, 0 without it.
#[inline(always)]
fn bit(condition: bool, number: u8) -> u8 {
    if condition { number } else { 0 }
}

#[inline(always)]
fn within(byte: u8, first: u8, last: u8) -> bool {
    byte.wrapping_sub(first) <= last - first
}

/// ASCII whitespace as Python understands it.
#[inline(always)]
fn is_ascii_space(byte: u8) -> bool {
    within(byte, b'\t', b'\r') | within(byte, 0x1c, b' ')
}

/// The bits that any byte has.
#[inline(always)]
fn all(bytes: &Bytes) -> u8 {
    let (words, _) = bytes.as_chunks();
    let word = words.iter().fold(0, |all, &word| all | u64::from_le_bytes(word));
    let word = word | word >> 32;
    let word = word | word >> 16;
    (word | word >> 8) as u8
}

/// Kinds of lead bytes: those of characters with case, of whitespace and of others that are treated apart.
const LATIN: u8 = 1;
const TWO_BYTES: u8 = 2;
const IDEOGRAPHIC: u8 = 4;
const LONG: u8 = 8;

#[inline(always)]
fn kind(byte: u8) -> u8 {
    bit(within(byte, 0xc2, 0xc3), LATIN)
        | bit(within(byte, 0xc4, 0xdf), TWO_BYTES)
        | bit(byte == 0xe3, IDEOGRAPHIC)
        | bit(within(byte, 0xe1, 0xe2) | (byte == 0xea) | (byte >= 0xef), LONG)
}
