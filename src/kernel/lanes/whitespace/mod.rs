//! Where whitespace stands in a text, 64 bytes at a time.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::affix::same;
use super::registers::{LONGEST, Register};

/// Bytes for which a mask has a bit each.
pub const BLOCK: usize = 2 * LONGEST;

/// For each block, which bytes are no whitespace of ASCII, and which are some other than spaces. Returns whether all bytes
/// are ASCII.
pub fn whitespace(blocks: &[[u8; BLOCK]], letters: &mut [u64], controls: &mut [u64]) -> bool {
    let mut is_ascii = true;
    for ((block, letters), controls) in blocks.iter().zip(letters).zip(controls) {
        let halves = [0, LONGEST].map(|at| Register::load(block[at..].first_chunk().expect("a half")));
        let both = |bits: [u32; 2]| u64::from(bits[0]) | u64::from(bits[1]) << u32::BITS;
        let masks = halves.map(Register::masks);
        let whitespace = both(halves.map(|half| half.whitespace().0));
        *letters = !whitespace;
        *controls = whitespace & !both(masks.map(|masks| masks.spaces));
        is_ascii &= masks.iter().all(|masks| masks.beyond_ascii == 0);
    }
    is_ascii
}

/// For each block, where whitespace beyond ASCII may start: all of it, and few other characters.
pub fn wide_starts(blocks: &[[u8; BLOCK]], starts: &mut [u64]) {
    for (block, starts) in blocks.iter().zip(starts) {
        *starts = wide_starts_by(|byte| same(block, &[byte; BLOCK]));
    }
}

/// The same for a block; `places` says where a byte stands.
#[inline(always)]
fn wide_starts_by(places: impl Fn(u8) -> u64) -> u64 {
    // Where a byte has 0x80 behind it; what follows the last byte is not known. Of the characters that start with 0xe3,
    // among them all kana, U+3000 alone has two.
    let before = |followed: u64| followed >> 1 | 1 << (BLOCK - 1);
    let before_80 = before(places(0x80));
    places(0xc2) | places(0xe1) | places(0xe2) | places(0xe3) & before_80 & before(before_80)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;
    use crate::kernel::oracle::cases;
    use crate::kernel::whitespace::is_whitespace;

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whitespace_is_where_its_characters_stand(
            text in "([ -~]|[\t-\r\u{1c}-\u{20}]|[\u{0}-\u{ff}]|[\u{85}\u{a0}\u{1680}\u{2000}-\u{2060}\u{3000}]|[あ-ん、。]|.){64,200}",
        ) {
            let (blocks, _) = text.as_bytes().as_chunks::<BLOCK>();
            let starts: Vec<_> = text.char_indices().collect();
            for isa in Isa::available() {
                let [mut letters, mut controls, mut wide] = [(); 3].map(|()| vec![0; blocks.len()]);
                let is_ascii = isa.whitespace(blocks, &mut letters, &mut controls);
                prop_assert_eq!(is_ascii, blocks.as_flattened().is_ascii());
                isa.wide_starts(blocks, &mut wide);
                let bit = |masks: &[u64], at: usize| masks[at / BLOCK] >> (at % BLOCK) & 1 != 0;
                for at in 0..BLOCK * blocks.len() {
                    let byte = text.as_bytes()[at];
                    let is_space = byte.is_ascii() && is_whitespace(byte.into());
                    prop_assert_eq!(bit(&letters, at), !is_space, "{:?} {}", isa, at);
                    prop_assert_eq!(bit(&controls, at), is_space && byte != b' ', "{:?} {}", isa, at);
                }
                for &(at, character) in starts.iter().filter(|(at, _)| *at < BLOCK * blocks.len()) {
                    let is_wide = !character.is_ascii() && is_whitespace(character);
                    prop_assert!(!is_wide || bit(&wide, at), "{:?} {} {:?}", isa, at, character);
                }
            }
        }
    }
}
