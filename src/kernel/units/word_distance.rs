//! Edit distance of two texts in words that differ little, without a look at every word.
//!
//! As in [`diagonal`](crate::kernel::diagonal), for each number of errors the furthest words that each diagonal reaches
//! from the start of the texts, and from their end. Here they are kept as places of bytes: equal words are passed over
//! by comparing the texts, eight bytes at a time, and only at an error is a word looked for. 500 words with 2 % of
//! errors take 2.2 µs and with 5 % 4.8 µs. The time grows with the square of the errors, so beyond about 6 % the
//! [band](super::word_band) is faster, which looks at every word.

use super::super::pattern::Unit;
use super::borders::{Borders, Starts};

/// Errors after which it is asked whether there are too many.
const FIRST_LOOK: usize = 8;

/// Errors that are looked for from the start alone: to turn the texts round takes longer.
const ONE_END: usize = 4;

/// Errors after which many more are seen to come. So few tell little.
const SOON: usize = 2;

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

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordDistance {
    forward: Side,
    backward: Side,
    /// Both texts from their end.
    reversed: [Vec<u8>; 2],
    borders: [Borders; 2],
}

/// The furthest cells of a number of errors, as counted from one end.
#[derive(Default)]
struct Side {
    errors: usize,
    now: Vec<Cell>,
    before: Vec<Cell>,
    /// Bytes of the first text up to the furthest cell.
    furthest: usize,
}

/// Two texts, from one of their ends.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    pub texts: [&'a [u8]; 2],
    pub borders: &'a [Borders; 2],
}

impl WordDistance {
    /// The distance if there are few errors; else about how many there are, from the first ones.
    #[inline(always)]
    pub fn search_from_start(&mut self, texts: [&[u8]; 2], borders: &[Borders; 2]) -> Result<usize, usize> {
        let forward = &mut self.forward;
        let words = borders.each_ref().map(Borders::words);
        if texts.iter().any(|text| text.len() > LONGEST) {
            return Err(u32::MAX as usize);
        }
        let ahead = Texts { texts, borders };
        let shift = words[1].cast_signed() - words[0].cast_signed();
        forward.begin(ahead.most(), ahead);
        while !forward.is_at_the_end(ahead, shift) {
            let expected = forward.errors * texts[0].len() / forward.furthest.max(1);
            let is_too_far = forward.errors == SOON && expected * expected > 4 * ahead.budget();
            if is_too_far || forward.errors == ONE_END {
                return Err(expected);
            }
            forward.advance(ahead);
        }
        Ok(forward.errors)
    }

    /// Goes on from both ends, if the errors that are expected are few enough; `None` where there are too many.
    #[inline(always)]
    pub fn search_from_both_ends(
        &mut self,
        texts: [&[u8]; 2],
        borders: &[Borders; 2],
        expected: usize,
    ) -> Option<usize> {
        let ahead = Texts { texts, borders };
        let (most, budget) = (ahead.most(), ahead.budget());
        if expected * expected / 4 > budget {
            return None;
        }
        let words = borders.each_ref().map(Borders::words);
        let shift = words[1].cast_signed() - words[0].cast_signed();
        let Self { forward, backward, reversed, borders: reversed_borders } = self;
        for ((reversed, text), (reversed_borders, borders)) in
            reversed.iter_mut().zip(texts).zip(reversed_borders.iter_mut().zip(borders))
        {
            reverse(text, reversed);
            reversed_borders.reverse(borders);
        }
        let back = Texts { texts: reversed.each_ref().map(Vec::as_slice), borders: reversed_borders };
        backward.begin(most, back);
        let len = texts[0].len();
        loop {
            let errors = forward.errors + backward.errors;
            if forward.meets(backward, shift, ahead) {
                return Some(errors);
            }
            if errors > 2 * most {
                return None;
            }
            if errors >= FIRST_LOOK {
                let expected = errors * len / (forward.furthest + backward.furthest).max(1);
                if expected * expected / 4 > budget {
                    return None;
                }
            }
            if backward.errors < forward.errors { backward.advance(back) } else { forward.advance(ahead) }
        }
    }
}

impl Side {
    /// No errors yet, at most `most` of them to come.
    #[inline(always)]
    fn begin(&mut self, most: usize, texts: Texts) {
        self.errors = 0;
        // A cell more at each end, as diagonals have neighbours.
        for cells in [&mut self.now, &mut self.before] {
            cells.clear();
            cells.resize(2 * most + 5, NOWHERE);
        }
        let starts = texts.borders.each_ref().map(Borders::starts);
        let start = texts.cell(starts, starts.map(|starts| starts.next(0)));
        self.furthest = unpack(start.at)[0];
        self.now[most + 2] = start;
    }

    /// Whether both texts are passed; `shift` is the diagonal of the last words.
    #[inline(always)]
    fn is_at_the_end(&self, texts: Texts, shift: isize) -> bool {
        let last = (self.now.len() / 2).wrapping_add_signed(shift);
        let is_reached = shift.unsigned_abs() <= self.errors;
        is_reached && self.now[last].at == pack(texts.lens())
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
        let middle = self.now.len() / 2;
        let diagonals = middle - self.errors..middle + self.errors + 1;
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

    /// Whether paths from both ends meet on a diagonal; `shift` is that of the last words.
    #[inline(always)]
    fn meets(&self, other: &Self, shift: isize, texts: Texts) -> bool {
        let [len, _] = texts.lens();
        if self.furthest + other.furthest < len {
            return false;
        }
        let middle = self.now.len() / 2;
        (middle - self.errors..=middle + self.errors).any(|place| {
            let opposite = (2 * middle).wrapping_add_signed(shift).wrapping_sub(place);
            let Some(&opposite) = other.now.get(opposite) else { return false };
            let own = self.now[place];
            let are_reached = own.next != NOWHERE.next && opposite.next != NOWHERE.next;
            are_reached && unpack(own.at)[0] + unpack(opposite.at)[0] >= len
        })
    }
}

impl Texts<'_> {
    /// Cells that take as long as it takes to look every word up.
    fn budget(&self) -> usize {
        let [left, right] = self.borders;
        usize::midpoint(left.words(), right.words())
    }

    /// Errors of one end beyond which there are more cells than that.
    fn most(&self) -> usize {
        let [left, right] = self.borders;
        let longer = left.words().max(right.words());
        FIRST_LOOK.max(self.budget().isqrt()).min(longer.div_ceil(2)).max(ONE_END)
    }

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

#[inline(always)]
fn reverse(text: &[u8], reversed: &mut Vec<u8>) {
    reversed.clear();
    let (rest, blocks) = text.as_rchunks();
    reversed.extend(blocks.iter().rev().flat_map(|&block| u64::from_be_bytes(block).to_le_bytes()));
    reversed.extend(rest.iter().rev());
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
