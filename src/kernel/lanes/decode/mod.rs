//! UTF-8 in a fixed number of bytes a character, 32 bytes at a time and without a branch that depends on the text.
//!
//! Pairs come here whose differing parts have at most 32 characters, some of them beyond ASCII or in longer texts. One
//! byte a character is enough for most of them. Then they take as long in lanes as ASCII does, and otherwise twice.
//! To decode a pair takes 50 to 140 ns with AVX2, and three to seven times as long without.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::compress::{STEP, compress, each};
use super::{LONGEST, Padded, Planes, Register};
use crate::kernel::view::Memory;

/// Longest text that is tried, in bytes: no character of two bytes takes more than three in UTF-8.
const LONGEST_TEXT: usize = 3 * LONGEST;

/// Words of a block.
const WORDS: usize = LONGEST / STEP;

/// 32 bytes of a text as words, the operations on which the compiler turns into vectors.
type Words = [u64; WORDS];

/// Two texts in as few bytes a character as are enough to tell their characters apart.
pub enum Decoded {
    /// ASCII and the characters of one block of 128, as most alphabets lie in one.
    Narrow([Planes<1>; 2]),
    /// Characters up to U+FFFF.
    Wide([Planes<2>; 2]),
}

/// Two texts of at most [`LONGEST`] characters; `None` where one has characters above U+FFFF.
pub fn decode(texts: [Memory; 2]) -> Option<Decoded> {
    decode_by(texts, compress)
}

/// A text in one byte a character, and the two bytes of its code points.
#[derive(Clone, Copy)]
struct Text {
    narrow: Line,
    low: Line,
    high: Line,
    len: usize,
}

/// The bytes of a text, with room after the last one for those that are written with it.
type Line = [u8; LONGEST + STEP];

/// What the characters beyond ASCII have in common.
struct Common {
    /// The bits of their blocks that all of them have, and those that any has.
    all: [Words; 2],
    any: [Words; 2],
    /// Not zero where the text has one.
    beyond_ascii: [Words; 2],
    /// Not zero if there is one above U+FFFF.
    above: Words,
}

#[inline(always)]
fn decode_by(texts: [Memory; 2], compress: impl Fn(u64, u64) -> u64) -> Option<Decoded> {
    debug_assert!(texts.iter().all(|text| {
        let starts = text.text().iter().filter(|&&byte| byte.cast_signed() >= -0x40);
        starts.count() <= LONGEST
    }));
    if texts[0].len().max(texts[1].len()) > LONGEST_TEXT {
        return None;
    }
    let zeros = [0; WORDS];
    let mut common =
        Common { all: [[u64::MAX; WORDS]; 2], any: [zeros; 2], beyond_ascii: [zeros; 2], above: zeros };
    let line = [0; LONGEST + STEP];
    let mut decoded = [Text { narrow: line, low: line, high: line, len: 0 }; 2];
    for side in 0..2 {
        for at in (0..texts[side].len()).step_by(LONGEST) {
            decoded[side].append(texts[side], at, side, &mut common, &compress);
        }
    }
    if common.above != zeros {
        return None;
    }
    let register = |line: &Line| Register::load(line.first_chunk().expect("longer"));
    // `array::map` is compiled without the CPU features, so it would not be inlined.
    let [left, right] = &decoded;
    Some(if common.is_enough() {
        let narrow = |text: &Text| ([register(&text.narrow)], text.len);
        Decoded::Narrow([narrow(left), narrow(right)])
    } else {
        let wide = |text: &Text| ([register(&text.low), register(&text.high)], text.len);
        Decoded::Wide([wide(left), wide(right)])
    })
}

impl Text {
    /// Decodes the block of a text that starts at a place.
    #[inline(always)]
    fn append(
        &mut self,
        text: Memory,
        at: usize,
        side: usize,
        common: &mut Common,
        compress: &impl Fn(u64, u64) -> u64,
    ) {
        const INSIDE: [[u8; LONGEST]; 2] = [[0xff; LONGEST], [0; LONGEST]];
        let inside = &INSIDE.as_flattened()[LONGEST - (text.len() - at).min(LONGEST)..];
        let inside = words(inside.first_chunk().expect("one of 33 places"));
        let room: [u8; LONGEST + 2];
        let block = if let Some(block) = text.block(at) {
            block
        } else {
            room = text.last_block(at);
            &room
        };
        let part = |from: usize| words(block[from..].first_chunk().expect("at most two further"));
        let (own, second, third) = (part(0), part(1), part(2));
        let [mut narrow, mut low, mut high, mut kept] = [[0; WORDS]; 4];
        for i in 0..WORDS {
            let (own, second, third) = (own[i] & inside[i], second[i], third[i]);
            // The highest bits of a byte say whether it starts a character, and of how many bytes.
            let beyond_ascii = own & each(0x80);
            let leads = beyond_ascii & (own << 1);
            let of_three = leads & (own << 2);
            common.above[i] |= of_three & (own << 3);
            common.beyond_ascii[side][i] |= leads;
            let rest = ones(beyond_ascii & !(own << 1));
            let (leads, of_three) = (ones(leads), ones(of_three));
            // The byte with six bits of the character, and the one before it.
            let last = second & !of_three | third & of_three;
            let before = own & !of_three | second & of_three;
            let lower = (before & each(3)) << 6 | last & each(0x3f);
            let upper = (before >> 2) & (each(7) | of_three & each(0xf)) | (own & each(0xf)) << 4 & of_three;
            narrow[i] = (lower | each(0x80)) & leads | own & !leads;
            low[i] = lower & leads | own & !leads;
            high[i] = upper & leads;
            kept[i] = inside[i] & !rest;
            for (plane, value) in [upper, lower & each(0x80)].into_iter().enumerate() {
                common.all[plane][i] &= value | !leads;
                common.any[plane][i] |= value & leads;
            }
        }
        for i in 0..WORDS {
            let lines = [(&mut self.narrow, narrow), (&mut self.low, low), (&mut self.high, high)];
            for (line, words) in lines {
                let word = compress(words[i], kept[i]);
                line[self.len..self.len + STEP].copy_from_slice(&word.to_le_bytes());
            }
            self.len += kept[i].count_ones() as usize / 8;
        }
    }
}

/// One byte of all, all with any bit or with all bits of theirs.
macro_rules! fold {
    ($words:expr, $of:tt) => {{
        let words: Words = $words;
        let word = (words[0] $of words[1]) $of (words[2] $of words[3]);
        let word = word $of (word >> 32);
        let word = word $of (word >> 16);
        (word $of (word >> 8)) as u8
    }};
}

impl Common {
    /// Whether one byte a character is enough: where the characters beyond ASCII lie in one block of 128, and
    /// where one text has none: those of the other then equal nothing in it.
    #[inline(always)]
    fn is_enough(&self) -> bool {
        // Bits that some have and others have not.
        let upper = fold!(self.any[0], |) & !fold!(self.all[0], &);
        let lower = fold!(self.any[1], |) & !fold!(self.all[1], &);
        let (left, right) = (fold!(self.beyond_ascii[0], |), fold!(self.beyond_ascii[1], |));
        upper | lower == 0 || left == 0 || right == 0
    }
}

/// All ones in the bytes whose highest bit is set; the others are zero.
#[inline(always)]
pub fn ones(bits: u64) -> u64 {
    (bits << 1).wrapping_sub(bits >> 7)
}

#[inline(always)]
fn words(bytes: &Padded) -> Words {
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;

    /// The characters in as many bytes as were used, and whether those are one.
    fn characters(decoded: &Decoded) -> (bool, [Vec<[u8; 2]>; 2]) {
        fn line(register: Register) -> Padded {
            let mut bytes = [0; LONGEST];
            register.store(&mut bytes);
            bytes
        }
        fn text(planes: [Register; 2], len: usize) -> Vec<[u8; 2]> {
            let [low, high] = planes.map(line);
            assert!(low[len..].iter().chain(&high[len..]).all(|&byte| byte == 0));
            (0..len).map(|at| [low[at], high[at]]).collect()
        }
        let none = Register::load(&[0; LONGEST]);
        match decoded {
            Decoded::Narrow(texts) => (true, texts.map(|([bytes], len)| text([bytes, none], len))),
            Decoded::Wide(texts) => (false, texts.map(|(planes, len)| text(planes, len))),
        }
    }

    fn assert_decoded(texts: [&str; 2]) {
        let of = texts.map(|text| text.chars().collect::<Vec<_>>());
        let blocks = of.each_ref().map(|text| {
            let foreign = text.iter().filter(|character| !character.is_ascii());
            foreign.map(|&character| u32::from(character) / 128).collect::<HashSet<_>>()
        });
        let fits = blocks.iter().flatten().all(|&block| block < 0x1_0000 / 128);
        let is_narrow = blocks.iter().any(HashSet::is_empty) || blocks[0].union(&blocks[1]).count() == 1;
        // Memory that ends with the text, and memory that goes on.
        let more = texts.map(|text| format!("{text}é漢😀 and more than enough to be read behind it"));
        let exact = texts.map(|text| Memory::new(text.as_bytes(), text.len()));
        let longer = [0, 1].map(|side| Memory::new(more[side].as_bytes(), texts[side].len()));
        for memory in [exact, longer] {
            for isa in Isa::available() {
                let decoded = isa.decode(memory);
                assert_eq!(decoded.is_some(), fits, "{texts:?}");
                let Some(decoded) = decoded else { continue };
                let (narrow, codes) = characters(&decoded);
                assert_eq!(narrow, is_narrow, "{texts:?}");
                assert_eq!(codes.each_ref().map(Vec::len), of.each_ref().map(Vec::len), "{texts:?}");
                for (left, left_code) in of[0].iter().zip(&codes[0]) {
                    for (right, right_code) in of[1].iter().zip(&codes[1]) {
                        assert_eq!(left == right, left_code == right_code, "{left:?} {right:?} in {texts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_is_told_from_its_neighbours() {
        let all: Vec<char> = ('\0'..='\u{1_00ff}').collect();
        for sixteen in all.windows(LONGEST).step_by(LONGEST / 2) {
            let text: String = sixteen.iter().collect();
            assert_decoded([&text, &text]);
            assert_decoded([&text, "aé語"]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: crate::kernel::oracle::cases(20_000), ..ProptestConfig::default() })]

        #[test]
        fn characters_are_equal_where_they_were(
            left in "[ aZ\0é-öА-я漢語]{0,3}|[ aZé-ö]{0,32}|[ a-zА-я]{0,32}|[a‘’“”–]{0,32}|[a語漢字ー]{0,32}|[a😀é]{0,32}",
            right in "[ aZ\0é-öА-я漢語]{0,3}|[ aZé-ö]{0,32}|[ a-zА-я]{0,32}|[a‘’“”–]{0,32}|[a語漢字ー]{0,32}|[a-z]{0,32}",
        ) {
            assert_decoded([&left, &right]);
        }
    }
}
