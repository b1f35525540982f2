//! Text of at most 32 bytes, by value: loaded, compared and prepared without a loop over its length.
//!
//! It serves pairs with a text of more than 12 bytes; shorter ones share a register in [`pair32`](super::pair32). Two
//! such texts take about 36 ns a pair, distance included. Text beyond ASCII goes to [`prepared`](super::prepared) if
//! anything but its code points matters.

use super::lanes::{Isa, LONGEST, Masks, Planes, Register};
use super::prepare::{Preparation, Whitespace};
use super::view::Memory;

/// Text of at most [`LONGEST`] bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text32 {
    /// Followed by zeros.
    bytes: Register,
    len: usize,
}

impl Text32 {
    /// Loads a text; `None` where it is longer.
    #[inline(always)]
    pub fn load(text: Memory) -> Option<Self> {
        let len = text.len();
        if len > LONGEST {
            return None;
        }
        let bytes = match text.block(0) {
            Some(bytes) => Register::load_first(bytes, len),
            None => Register::load_first(&text.last_block(0), len),
        };
        Some(Self { bytes, len })
    }

    /// The prepared text; `None` where it is not ASCII, and the general preparation serves.
    #[inline(always)]
    pub fn prepared(&self, preparation: Preparation, isa: Isa) -> Option<Self> {
        let Self { mut bytes, mut len } = *self;
        let Masks { beyond_ascii, controls, spaces } = bytes.masks();
        if beyond_ascii != 0 {
            return None;
        }
        if preparation.whitespace != Whitespace::Keep {
            // Whitespace other than the space, or at an end, or in a row. The padding is below the space as
            // well; a NUL in the text is taken for whitespace here, which costs time only.
            let inside = ((1_u64 << len) - 1) as u32;
            let last = inside ^ (inside >> 1);
            if (controls & inside) | (spaces & ((spaces >> 1) | last | 1)) != 0 {
                (bytes, len) = self.without_whitespace(preparation.whitespace, isa);
            }
        }
        if preparation.ignore_case {
            bytes = bytes.lowercase();
        }
        Some(Self { bytes, len })
    }

    /// The text, which is ASCII, stripped or squeezed.
    #[inline(never)]
    fn without_whitespace(self, whitespace: Whitespace, isa: Isa) -> (Register, usize) {
        let (whitespaces, spaced) = self.bytes.whitespace();
        let bytes = if whitespace == Whitespace::Squeeze { spaced } else { self.bytes };
        let mut memory = [0; LONGEST];
        bytes.store(&mut memory);
        isa.keep(&memory, kept(whitespaces, self.len, whitespace))
    }

    #[inline(always)]
    pub fn is_ascii(&self) -> bool {
        self.bytes.masks().beyond_ascii == 0
    }

    #[inline(always)]
    pub fn length(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn planes(&self) -> Planes<1> {
        ([self.bytes], self.len)
    }

    #[cfg(test)]
    fn to_bytes(self) -> [u8; LONGEST] {
        let mut bytes = [0; LONGEST];
        self.bytes.store(&mut bytes);
        bytes
    }
}

/// The positions that stay of a text of `len` bytes when it is stripped or squeezed, with the positions of
/// whitespace.
#[inline(always)]
pub fn kept(whitespaces: u32, len: usize, whitespace: Whitespace) -> u32 {
    let up_to = |len: u32| ((1_u64 << len) - 1) as u32;
    let texts = up_to(len as u32) & !whitespaces;
    let from_first = texts | texts.wrapping_neg();
    let within = from_first & up_to(u32::BITS - texts.leading_zeros());
    // Whitespace after whitespace.
    let again = whitespaces & (whitespaces << 1);
    if whitespace == Whitespace::Squeeze { within & !again } else { within }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn padded(text: &[u8]) -> [u8; LONGEST] {
        let mut bytes = [0; LONGEST];
        bytes[..text.len()].copy_from_slice(text);
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn short_preparation_is_the_general_one(
            text in "[ aAzZ@\\[\u{0}\t\u{1c}é]{0,34}",
            behind in "[ aé]{0,40}",
            ignore_case: bool,
            whitespace in prop::sample::select(vec![Whitespace::Keep, Whitespace::Strip, Whitespace::Squeeze]),
        ) {
            let preparation = Preparation { ignore_case, whitespace, ..Preparation::NONE };
            let short = Text32::load(Memory::new(text.as_bytes(), text.len()));
            let memory = format!("{text}{behind}");
            prop_assert_eq!(short, Text32::load(Memory::new(memory.as_bytes(), text.len())));
            prop_assert_eq!(short.is_some(), text.len() <= LONGEST);
            let Some(short) = short else { return Ok(()) };
            prop_assert_eq!(short.to_bytes(), padded(text.as_bytes()));
            for isa in Isa::available() {
                let prepared = short.prepared(preparation, isa);
                prop_assert_eq!(prepared.is_some(), text.is_ascii());
                if let Some(prepared) = prepared {
                    let mut buffer = String::new();
                    let expected = preparation.prepare(&text, &mut buffer).as_bytes();
                    prop_assert_eq!((prepared.to_bytes(), prepared.length()), (padded(expected), expected.len()));
                }
            }
        }
    }
}
