//! Edit distance of two texts in words that differ in at most four, without a look at every word.
//!
//! As in [`diagonal`](crate::kernel::diagonal), for each number of errors the furthest words that each diagonal reaches
//! from the start of the texts. Here they are kept as places of bytes: equal words are passed over by comparing the
//! texts, eight bytes at a time, and only at an error is a word looked for. The time grows with the square of the
//! errors, so with more of them the [path](super::word_path) and the [band](super::word_band) are faster.

use super::super::pattern::Unit;
use super::borders::{Borders, Starts};

/// Most errors that are looked for.
const MOST: usize = 4;

/// Longest text: two places are kept in 64 bits.
const LONGEST: usize = i32::MAX as usize;

/// Where the next words of both texts begin, that of the first text in the upper half.
type Places = u64;

/// The furthest that a diagonal reaches.
#[derive(Clone, Copy)]
struct Cell {
    at: Places,
    /// Where the words behind those begin, one byte behind the end where there are none.
    next: Places,
}

/// A cell that no path reaches; a path cannot go on from it to any other place.
const NOWHERE: Cell = Cell { at: 0, next: 0 };

/// The diagonal of the first words, among all that so many errors reach, with one more at each end.
const MIDDLE: usize = MOST + 1;

/// The furthest cells of a number of errors.
struct Cells {
    errors: usize,
    now: [Cell; 2 * MIDDLE + 1],
    before: [Cell; 2 * MIDDLE + 1],
    /// Bytes of the first text up to the furthest cell.
    furthest: usize,
}

/// Two texts and their words.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    pub texts: [&'a [u8]; 2],
    pub borders: &'a [Borders; 2],
}

/// The distance, if there are few errors and not many more are seen to come.
#[inline(always)]
pub fn few_errors(texts: [&[u8]; 2], borders: &[Borders; 2]) -> Option<usize> {
    if texts.iter().any(|text| text.len() > LONGEST) {
        return None;
    }
    let [left, right] = borders.each_ref().map(Borders::words);
    let shift = right.cast_signed() - left.cast_signed();
    if shift.unsigned_abs() > MOST {
        return None;
    }
    let texts = Texts { texts, borders };
    let mut cells = Cells::first(texts);
    while !cells.are_at_the_end(texts, shift) {
        if cells.errors == MOST || cells.show_many(texts) {
            return None;
        }
        cells.advance(texts);
    }
    Some(cells.errors)
}

impl Cells {
    /// No errors yet.
    #[inline(always)]
    fn first(texts: Texts) -> Self {
        let starts = texts.borders.each_ref().map(Borders::starts);
        let start = texts.cell(starts, starts.map(|starts| starts.next(0)));
        let mut cells = Self {
            errors: 0,
            now: [NOWHERE; 2 * MIDDLE + 1],
            before: [NOWHERE; 2 * MIDDLE + 1],
            furthest: unpack(start.at)[0],
        };
        cells.now[MIDDLE] = start;
        cells
    }

    /// Whether both texts are passed; `shift` is the diagonal of the last words.
    #[inline(always)]
    fn are_at_the_end(&self, texts: Texts, shift: isize) -> bool {
        shift.unsigned_abs() <= self.errors
            && self.now[MIDDLE.wrapping_add_signed(shift)].at == pack(texts.lens())
    }

    /// Whether by the errors so far there are far more than are looked for.
    #[inline(always)]
    fn show_many(&self, texts: Texts) -> bool {
        2 * self.errors * texts.lens()[0] > 5 * MOST * self.furthest
    }

    /// Goes one error further.
    #[inline(always)]
    fn advance(&mut self, texts: Texts) {
        const FIRST: Places = u64::MAX << u32::BITS;

        // Places are not behind the ends where nothing is borrowed from these bits.
        let borrowed = pack([1 << 31; 2]);
        let ends = pack(texts.lens()) | borrowed;
        let hold = |places: Places| (ends - places) & borrowed == borrowed;
        let starts = texts.borders.each_ref().map(Borders::starts);
        let mut most = self.furthest;
        self.errors += 1;
        std::mem::swap(&mut self.now, &mut self.before);
        let diagonals = MIDDLE - self.errors..MIDDLE + self.errors + 1;
        let near = self.before[diagonals.start - 1..=diagonals.end].windows(3);
        for (cell, near) in self.now[diagonals].iter_mut().zip(near) {
            let [added, changed, missing] = [near[0], near[1], near[2]];
            let missing = missing.next & FIRST | missing.at & !FIRST;
            let added = added.at & FIRST | added.next & !FIRST;
            let mut furthest = changed.next.max(missing).max(added);
            if !hold(furthest) {
                let ways = [changed.at, changed.next, missing, added];
                furthest = ways.into_iter().filter(|&way| hold(way)).max().unwrap_or(NOWHERE.at);
            }
            if furthest == NOWHERE.at {
                *cell = NOWHERE;
                continue;
            }
            *cell = texts.cell(starts, unpack(furthest));
            most = most.max(unpack(cell.at)[0]);
        }
        self.furthest = most;
    }
}

impl Texts<'_> {
    #[inline(always)]
    pub fn lens(&self) -> [usize; 2] {
        self.texts.map(<[u8]>::len)
    }

    /// The cell that is reached from words that a path comes to.
    #[inline(always)]
    fn cell(&self, starts: [Starts; 2], at: [usize; 2]) -> Cell {
        let next = [starts[0].next(at[0] + 1), starts[1].next(at[1] + 1)];
        if self.differ(at, next[0]) {
            return Cell { at: pack(at), next: pack(next) };
        }
        let at = self.follow(at);
        Cell { at: pack(at), next: pack([starts[0].next(at[0] + 1), starts[1].next(at[1] + 1)]) }
    }

    /// Whether two words are seen to differ at once; behind the first one the text goes on at `next`.
    #[inline(always)]
    fn differ(&self, at: [usize; 2], next: usize) -> bool {
        let [Some(own), Some(other)] = [0, 1].map(|side| eight_bytes(self.texts[side], at[side])) else {
            return false;
        };
        let borders = &self.borders[0];
        let len = if borders.are_close() { next - at[0] - 1 } else { borders.inside_from(at[0]) };
        // No word is empty.
        let behind = u64::BITS as usize - 8 * len.min(8);
        (own ^ other) << behind != 0
    }

    /// Passes over all words that are equal. Both places are where words begin, or the ends of the texts.
    #[inline(always)]
    pub fn follow(&self, mut places: [usize; 2]) -> [usize; 2] {
        let [left, right] = self.borders;
        loop {
            let [at, beside] = places;
            let mut same = Unit::common_prefix(&self.texts[0][at..], &self.texts[1][beside..]);
            if same < left.inside_from(at) {
                return places;
            }
            // Whether a character is part of a word can depend on what follows it, or on its last byte.
            while same > 0 && left.is_inside(at + same - 1) != right.is_inside(beside + same - 1) {
                same -= 1;
            }
            let ends = [at + same, beside + same];
            let goes_on = left.is_inside(ends[0]) || right.is_inside(ends[1]);
            if same > 0 && left.is_inside(ends[0] - 1) && goes_on {
                // A word that differs.
                let start = left.last(ends[0] - 1);
                return [start, beside + start - at];
            }
            let next = [left.starts().next(ends[0]), right.starts().next(ends[1])];
            if next == ends {
                return next;
            }
            places = next;
        }
    }
}

#[inline(always)]
fn eight_bytes(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..at + 8)?.first_chunk().copied().map(u64::from_le_bytes)
}

fn pack([left, right]: [usize; 2]) -> Places {
    (left << u32::BITS | right) as Places
}

fn unpack(places: Places) -> [usize; 2] {
    [(places >> u32::BITS) as usize, places as u32 as usize]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words::Words;
    use super::super::{TextUnit, Units, WordRule};
    use crate::kernel::distance::Workspace;
    use crate::kernel::lanes::Isa;
    use crate::kernel::oracle::cases;
    use crate::kernel::weighted::SubstitutionCost;

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(8_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_those_of_the_numbers(
            shared in "((a|b|ab|é|–|漢|abcdefghij|[x-z]{60,70})[ \n\u{a0}\u{2003}]{1,2}){0,40}",
            edits in prop::array::uniform2(prop::collection::vec(
                (any::<prop::sample::Index>(), "|[ab]|[ab]?[ \t\u{a0}\u{2003}–é]{1,2}[ab]?|(a b ){30}"), 0..6,
            )),
        ) {
            let texts = edits.map(|edits| {
                let mut characters: Vec<_> = shared.chars().map(String::from).collect();
                for (place, changed) in edits {
                    if !characters.is_empty() {
                        *place.get_mut(&mut characters) = changed;
                    }
                }
                characters.concat()
            });
            let texts = texts.each_ref().map(String::as_str);
            let (mut units, mut workspace) = (Units::default(), Workspace::default());
            for rule in [WordRule::Whitespace, WordRule::Spaces] {
                let [left, right] = units.code_points(texts, TextUnit::Word(rule)).map(str::to_owned);
                let lengths = [&left, &right].map(|text| text.chars().count());
                let expected = (workspace.distance(&left, &right, SubstitutionCost::One), lengths);
                for isa in Isa::available() {
                    let mut ranges = <[Vec<_>; 2]>::default();
                    let found = Words::with_isa(isa).distance(texts, rule, &mut ranges, &mut workspace);
                    prop_assert_eq!(found, expected, "{:?}: {:?} {:?}", isa, texts, rule);
                }
            }
        }
    }
}
