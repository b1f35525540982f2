//! Whether a text stands in another one, 32 places at a time.
//!
//! Few places have the first and the last byte of the text that is looked for where they should be; only these are
//! compared. All of it is compiled into the loop over rows: most texts are short, and a call would take as long as the
//! search.

use super::lanes::{LONGEST, Register};
use super::view::Memory;

/// Whether `part` stands in a text. Neither is it empty nor does whitespace stand at its ends. Ends of lines are spaces in
/// both, and with `ignore_case` capitals of ASCII are small letters.
#[inline(always)]
pub fn stands_in(part: Memory, text: Memory, ignore_case: bool) -> bool {
    let Some(last_place) = text.len().checked_sub(part.len()) else { return false };
    let end = part.len() - 1;
    let start = bytes(part, 0, ignore_case);
    let is_at = |place: usize, at: usize, wanted: Register| {
        let own = bytes(text, place + at, ignore_case);
        let behind = LONGEST.saturating_sub(part.len() - at);
        let different = !own.same(wanted) << behind;
        different == 0 || different & !(spaces(own) & spaces(wanted)) << behind == 0
    };
    let places_of = |byte: u8| {
        let byte = if ignore_case { byte.to_ascii_lowercase() } else { byte };
        let repeated = Register::load(&[byte; LONGEST]);
        move |own: Register| own.same(repeated)
    };
    let (starts, ends) = (places_of(part.text()[0]), places_of(part.text()[end]));
    for first in (0..=last_place).step_by(LONGEST) {
        let own = bytes(text, first, ignore_case);
        let ends = match text.len() {
            0..=LONGEST => ends(own) >> end,
            _ => ends(bytes(text, first + end, ignore_case)),
        };
        let mut places = starts(own) & ends & (u32::MAX >> LONGEST.saturating_sub(last_place + 1 - first));
        while places != 0 {
            let place = first + places.trailing_zeros() as usize;
            let mut blocks = (LONGEST..part.len()).step_by(LONGEST);
            if is_at(place, 0, start) && blocks.all(|at| is_at(place, at, bytes(part, at, ignore_case))) {
                return true;
            }
            places &= places - 1;
        }
    }
    false
}

/// Whether a byte stands in a text.
#[inline(always)]
pub fn has_byte(text: Memory, byte: u8) -> bool {
    let wanted = Register::load(&[byte; LONGEST]);
    (0..text.len()).step_by(LONGEST).any(|at| {
        let behind = LONGEST.saturating_sub(text.len() - at);
        bytes(text, at, false).same(wanted) << behind != 0
    })
}

/// Bytes of a text from a place on, and of what stands behind it.
#[inline(always)]
fn bytes(text: Memory, at: usize, ignore_case: bool) -> Register {
    let bytes = match text.block(at) {
        Some(block) => Register::load(block),
        None => Register::load(&text.last_block(at)),
    };
    if ignore_case { bytes.lowercase() } else { bytes }
}

/// Where spaces and ends of lines stand.
#[cold]
#[inline(never)]
fn spaces(bytes: Register) -> u32 {
    [b' ', b'\n'].iter().fold(0, |places, &byte| places | bytes.same(Register::load(&[byte; LONGEST])))
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
