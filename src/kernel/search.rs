//! Whether a text contains another one, 32 places at a time.
//!
//! Few places have the first and the last byte of the text that is looked for where they should be; only these are
//! compared. All of it is compiled into the loop over rows: most texts are short, and a call would take as long as the
//! search.

use super::lanes::{LONGEST, Register};
use super::ones::ones;
use super::view::Memory;

/// Whether a text contains `part`, which is not empty and has no whitespace at its ends. Ends of lines are spaces in
/// both, and with `ignore_case` capitals of ASCII are small letters.
#[inline(always)]
pub fn stands_in(part: Memory, text: Memory, ignore_case: bool) -> bool {
    let Some(number_of_places) = (text.len() + 1).checked_sub(part.len()) else { return false };
    let end = part.len() - 1;
    // The bit in which a letter of ASCII differs from its capital. Other bytes may look equal without it.
    let ignored = Register::repeat(if ignore_case { 0x20 } else { 0 });
    let [first_byte, last_byte] = [0, end].map(|at| Register::repeat(part.text()[at]).or(ignored));
    for first in (0..number_of_places).step_by(LONGEST) {
        let starts = bytes(text, first).or(ignored).same(first_byte);
        let ends = bytes(text, first + end).or(ignored).same(last_byte);
        let places = starts & ends & (u32::MAX >> LONGEST.saturating_sub(number_of_places - first));
        for place in ones(places.into()).map(|place| first + place) {
            let mut blocks = (0..part.len()).step_by(LONGEST);
            if blocks.all(|at| are_equal(part, text, [at, place + at], ignore_case)) {
                return true;
            }
        }
    }
    false
}

/// Whether a block of a part equals the block of a text at another place.
#[inline(always)]
fn are_equal(part: Memory, text: Memory, [at, place]: [usize; 2], ignore_case: bool) -> bool {
    let [wanted, own] = [bytes(part, at), bytes(text, place)];
    let [wanted, own] = if ignore_case { [wanted.lowercase(), own.lowercase()] } else { [wanted, own] };
    let behind = LONGEST.saturating_sub(part.len() - at);
    let different = !own.same(wanted) << behind;
    different == 0 || different & !(spaces(own) & spaces(wanted)) << behind == 0
}

/// Whether a text contains a byte.
#[inline(always)]
pub fn has_byte(text: Memory, byte: u8) -> bool {
    let wanted = Register::repeat(byte);
    (0..text.len()).step_by(LONGEST).any(|at| {
        let behind = LONGEST.saturating_sub(text.len() - at);
        bytes(text, at).same(wanted) << behind != 0
    })
}

/// Bytes of a text beginning at `at`, and of the memory after it.
#[inline(always)]
fn bytes(text: Memory, at: usize) -> Register {
    match text.block(at) {
        Some(block) => Register::load(block),
        None => Register::load(&text.last_block(at)),
    }
}

/// The places of spaces and ends of lines.
#[cold]
#[inline(never)]
fn spaces(bytes: Register) -> u32 {
    [b' ', b'\n'].iter().fold(0, |places, &byte| places | bytes.same(Register::repeat(byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            other in "[ab]([ab \n]?[ab])?|[abé]|[ab][abé ]{1,80}[ab]",
            cut in (any::<prop::sample::Index>(), 1..100_usize),
            is_cut in any::<bool>(),
            has_capitals in any::<bool>(),
            behind in prop::sample::select(vec![String::new(), "ab".repeat(5), "b a".repeat(60)]),
        ) {
            let lowered = text.to_ascii_lowercase();
            let starts: Vec<_> = lowered.char_indices().map(|(at, _)| at).collect();
            let mut part = other;
            if is_cut && !starts.is_empty() {
                let found: String = lowered[*cut.0.get(&starts)..].chars().take(cut.1).collect();
                found.trim().clone_into(&mut part);
            }
            prop_assume!(!part.is_empty());
            let spaced = |text: &str| text.replace('\n', " ");
            let capitals = if has_capitals { part.to_ascii_uppercase() } else { part.clone() };
            let expected = [
                spaced(&lowered).contains(&spaced(&capitals.to_ascii_lowercase())),
                spaced(&text).contains(&spaced(&capitals)),
            ];
            let [mut behind_part, mut behind_text] = [(); 2].map(|()| behind.clone());
            let (part, text) = (memory(&capitals, &mut behind_part), memory(&text, &mut behind_text));
            prop_assert_eq!([true, false].map(|ignore| stands_in(part, text, ignore)), expected);
            for byte in [b'b', b'\n', 0xc3] {
                prop_assert_eq!(has_byte(text, byte), text.text().contains(&byte));
            }
        }
    }
}
