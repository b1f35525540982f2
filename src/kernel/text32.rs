//! Text of at most 32 bytes, by value: loaded, compared and prepared without a loop over its length.

use super::lanes::{Isa, LONGEST, Masks, Padded, Planes, Register};
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
            None => Register::load(&padded(text.text())),
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

    /// Whether there is nothing beyond ASCII.
    #[inline(always)]
    pub fn is_ascii(&self) -> bool {
        self.bytes.masks().beyond_ascii == 0
    }

    /// Length in bytes.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.len
    }

    /// The text for lanes of one byte a character.
    #[inline(always)]
    pub fn planes(&self) -> Planes<1> {
        ([self.bytes], self.len)
    }

    #[cfg(test)]
    fn to_bytes(self) -> Padded {
        let mut bytes = [0; LONGEST];
        self.bytes.store(&mut bytes);
        bytes
    }
}

/// The positions that stay of a text of so many bytes when it is stripped or squeezed, with the positions of
/// whitespace.
#[inline(always)]
pub fn kept(whitespaces: u32, len: usize, whitespace: Whitespace) -> u32 {
    let up_to = |len: u32| ((1_u64 << len) - 1) as u32;
    let texts = up_to(len as u32) & !whitespaces;
    let from_first = texts | texts.wrapping_neg();
    let within = from_first & up_to(u32::BITS - texts.leading_zeros());
    // Whitespace behind whitespace.
    let again = whitespaces & (whitespaces << 1);
    if whitespace == Whitespace::Squeeze { within & !again } else { within }
}

/// At most [`LONGEST`] bytes, followed by zeros, in loads of fixed size that overlap.
fn padded(text: &[u8]) -> Padded {
    fn load<const N: usize>(text: &[u8], start: usize) -> [u8; N] {
        text[start..start + N].try_into().expect("N bytes")
    }
    let mut bytes = [0; LONGEST];
    let len = text.len();
    match len {
        0 => {}
        1..4 => {
            let value = u32::from(text[0])
                | u32::from(text[len / 2]) << (8 * (len / 2))
                | u32::from(text[len - 1]) << (8 * (len - 1));
            bytes[..4].copy_from_slice(&value.to_le_bytes());
        }
        4..8 => {
            let (head, tail) = (u32::from_le_bytes(load(text, 0)), u32::from_le_bytes(load(text, len - 4)));
            let value = u64::from(head) | u64::from(tail) << (8 * (len - 4));
            bytes[..8].copy_from_slice(&value.to_le_bytes());
        }
        8..16 => {
            let (head, tail) = (u64::from_le_bytes(load(text, 0)), u64::from_le_bytes(load(text, len - 8)));
            let value = u128::from(head) | u128::from(tail) << (8 * (len - 8));
            bytes[..16].copy_from_slice(&value.to_le_bytes());
        }
        16 => bytes[..16].copy_from_slice(text),
        _ => {
            let tail = u128::from_le_bytes(load(text, len - 16));
            bytes[..16].copy_from_slice(&text[..16]);
            bytes[16..].copy_from_slice(&(tail >> (8 * (LONGEST - len))).to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn short_preparation_is_the_general_one(
            text in "[ aAzZ@\\[\u{0}\t\u{1c}é]{0,34}",
            behind in "[ aé]{0,40}",
            ignore_case: bool,
            whitespace in prop::sample::select(vec![Whitespace::Keep, Whitespace::Strip, Whitespace::Squeeze]),
        ) {
            let preparation = Preparation { ignore_case, whitespace, unicode_form: None };
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

    #[test]
    fn texts_of_every_length_are_padded() {
        let letters: Vec<u8> = (b'A'..).take(LONGEST).collect();
        for len in 0..=LONGEST {
            let bytes = padded(&letters[..len]);
            assert_eq!(bytes[..len], letters[..len]);
            assert!(bytes[len..].iter().all(|&byte| byte == 0));
        }
    }
}
