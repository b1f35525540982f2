//! Whether a text stands in another one, and whether it is ASCII, 64 places at a time.
//!
//! Few places have the first and the last byte of the text that is looked for where they should be; only these are
//! compared.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::affix::{highest, same};
use crate::kernel::view::Memory;

/// Places for which a mask has a bit each.
const PLACES: usize = 64;

type Block = [u8; PLACES];

/// Whether `part`, which is not empty, stands in a text. Ends of lines are spaces in both, and `ignore_case` takes
/// capitals of ASCII in the text for small letters.
pub fn stands_in(part: Memory, text: Memory, ignore_case: bool) -> bool {
    stands_in_by(part, text, ignore_case, same)
}

/// The same; `same` says where two blocks are equal.
#[inline(always)]
fn stands_in_by(part: Memory, text: Memory, ignore_case: bool, same: impl Fn(&Block, &Block) -> u64) -> bool {
    let Some(last_place) = text.len().checked_sub(part.len()) else { return false };
    let end = part.len() - 1;
    let places_of = |byte: u8| {
        let other = match byte {
            b' ' => b'\n',
            b'\n' => b' ',
            _ if ignore_case => byte.to_ascii_uppercase(),
            _ => byte,
        };
        let same = &same;
        move |block: &Block| same(block, &[byte; PLACES]) | same(block, &[other; PLACES])
    };
    let (starts, ends) = (places_of(part.text()[0]), places_of(part.text()[end]));
    let is_at = |place: usize| {
        (0..part.len()).step_by(PLACES).all(|at| {
            let [mut own, mut wanted] =
                [(text, place + at), (part, at)].map(|(text, at)| *block(text, at, &mut [0; PLACES]));
            change(&mut own, ignore_case);
            change(&mut wanted, false);
            let behind = PLACES.saturating_sub(part.len() - at);
            !same(&own, &wanted) << behind == 0
        })
    };
    for first in (0..=last_place).step_by(PLACES) {
        let places = starts(block(text, first, &mut [0; PLACES]));
        let mut places = places & ends(block(text, first + end, &mut [0; PLACES]));
        places &= u64::MAX >> PLACES.saturating_sub(last_place + 1 - first);
        while places != 0 {
            if is_at(first + places.trailing_zeros() as usize) {
                return true;
            }
            places &= places - 1;
        }
    }
    false
}

/// Whether a text is ASCII.
pub fn is_ascii(text: Memory) -> bool {
    is_ascii_by(text, highest)
}

/// The same; `highest` gives the highest bit of each byte.
#[inline(always)]
fn is_ascii_by(text: Memory, highest: impl Fn(&Block) -> u64) -> bool {
    (0..text.len()).step_by(PLACES).all(|at| {
        let behind = PLACES.saturating_sub(text.len() - at);
        highest(block(text, at, &mut [0; PLACES])) << behind == 0
    })
}

/// The bytes of a text from a place on, and what stands behind it; in `room` where the memory ends.
#[inline(always)]
fn block<'a>(text: Memory<'a>, at: usize, room: &'a mut Block) -> &'a Block {
    text.block(at).unwrap_or_else(|| {
        *room = text.last_block(at);
        room
    })
}

/// Makes a space of each end of a line and, if case is ignored, a small letter of each capital; without a branch, so with
/// vectors.
#[inline(always)]
fn change(block: &mut Block, ignore_case: bool) {
    let distance = if ignore_case { b'a' - b'A' } else { 0 };
    for byte in block {
        let added = if byte.is_ascii_uppercase() { distance } else { 0 };
        let replaced = if *byte == b'\n' { b'\n' ^ b' ' } else { 0 };
        *byte = (*byte + added) ^ replaced;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;
    use crate::kernel::oracle::cases;

    fn memory<'a>(text: &'a str, behind: &'a mut String) -> Memory<'a> {
        behind.insert_str(0, text);
        Memory::new(behind.as_bytes(), text.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(5_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parts_stand_where_the_standard_library_finds_them(
            text in "[abAB \né]{0,150}",
            other in "[ab \n]{1,3}|[abé ]{1,80}",
            cut in (any::<prop::sample::Index>(), 1..100_usize),
            is_cut in any::<bool>(),
            behind in prop::sample::select(vec![String::new(), "ab".repeat(5), "b a".repeat(60)]),
        ) {
            let lowered = text.to_ascii_lowercase();
            let starts: Vec<_> = lowered.char_indices().map(|(at, _)| at).collect();
            let part = if is_cut && !starts.is_empty() {
                let first = *cut.0.get(&starts);
                lowered[first..].chars().take(cut.1).collect()
            } else {
                other
            };
            let spaced = |text: &str| text.replace('\n', " ");
            let expected = [&lowered, &text].map(|text| spaced(text).contains(&spaced(&part)));
            let [mut behind_part, mut behind_text] = [(); 2].map(|()| behind.clone());
            let (part, text) = (memory(&part, &mut behind_part), memory(&text, &mut behind_text));
            for isa in Isa::available() {
                prop_assert_eq!([true, false].map(|ignore| isa.stands_in(part, text, ignore)), expected, "{:?}", isa);
                prop_assert_eq!(isa.is_ascii(text), text.text().is_ascii());
            }
        }
    }
}
