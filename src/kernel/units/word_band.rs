//! Edit distance of two texts in words that differ in more than a few, with one look-up for each word.
//!
//! Hyyrö (2003): a column of the table, as far as it lies within a band of 64 diagonals, is two machine words, which
//! move down by one row a column. The words of one text, the rows, are put into a table as the band reaches them. Each
//! has the rows of the last 64 at which it stands; for a word of the other text these are the match bits of its column.
//! Words get no numbers, and no list of the known ones is kept.
//!
//! What is found is the length of a path, which is the shortest one unless that leaves the band. There it inserts and
//! deletes many words, and changes all that the other text does not have. Where this does not rule it out, the
//! distance is left to other methods.

use std::hint::select_unpredictable;

use super::borders::Borders;

/// Diagonals of the band.
const BAND: usize = u64::BITS as usize;

/// The bit of the lowest row of the band.
const LOWEST: u64 = 1 << (BAND - 1);

/// Most words that one text may have more: half of the band is left for both sides.
const MOST_LONGER: usize = BAND / 2 - 1;

/// Columns after which it is asked whether there are too many errors.
const LOOK: usize = 64;

/// Slots of the table for each row.
const ROOM: usize = 4;

/// Longest text: slots and rows, those of earlier pairs too, are counted in 32 bits.
const LONGEST: usize = 1 << 28;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordBand {
    /// The words of both texts.
    words: [Words; 2],
    slots: Vec<Slot>,
    /// Rows of earlier pairs, and so many more that the last of them are far away: they need not be cleared.
    passed: u32,
}

/// The words of a text.
#[derive(Default)]
struct Words {
    places: Vec<[u32; 2]>,
    keys: Vec<Key>,
    /// Hashes, then slots.
    slots: Vec<u32>,
    /// Words that are not told by their key alone.
    long: Vec<u32>,
    /// How many of the first words the other text does not have.
    missing: Vec<u32>,
}

/// What is known of a word.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    key: Key,
    /// Rows at which it stands. The highest bit is that of the last one.
    rows: u64,
    last: u32,
}

/// The words of the rows.
struct Table<'a> {
    /// As many as a power of 2.
    slots: &'a mut [Slot],
    /// Slots whose last row is before it are free.
    first: u32,
}

impl WordBand {
    /// The distance; `None` where there are too many errors to be certain.
    #[inline(always)]
    pub fn distance(&mut self, texts: [&[u8]; 2], borders: &[Borders; 2]) -> Option<usize> {
        let Self { words, slots, passed } = self;
        let lens = borders.each_ref().map(Borders::words);
        let longer = lens[0].abs_diff(lens[1]);
        if longer > MOST_LONGER || texts.iter().any(|text| text.len() > LONGEST) {
            return None;
        }
        let size = (ROOM * lens[0].min(lens[1])).next_power_of_two().max(2);
        if slots.len() < size || *passed >= u32::MAX / 2 {
            slots.clear();
            slots.resize(size, Slot::default());
            *passed = 0;
        }
        *passed += BAND as u32;
        for ((words, text), borders) in words.iter_mut().zip(texts).zip(borders) {
            words.fill(text, borders, u32::BITS - size.ilog2());
        }
        let mut table = Table { slots: &mut slots[..size], first: *passed };
        *passed += (lens[0] + BAND) as u32;
        // The rows are those of the text with fewer words.
        let [first, second] = words;
        let (rows, columns) = if lens[0] <= lens[1] { (first, second) } else { (second, first) };
        let texts = if lens[0] <= lens[1] { texts } else { [texts[1], texts[0]] };
        let distance = table.distance(rows, columns)?;
        // A path that leaves the band has at least so many insertions and deletions.
        let outside = 2 * (below(longer) + 1) + longer;
        let is_certain = distance <= outside || distance <= table.least_outside(rows, columns);
        (is_certain && table.are_told(texts, [rows, columns])).then_some(distance)
    }
}

/// Rows of the band below that of the column, where the columns are so many more. The other rows are above.
fn below(longer: usize) -> usize {
    (BAND - 1 - longer) / 2
}

impl Words {
    /// Finds the words of a text; the upper bits of their hashes are shifted down to slots.
    #[inline(always)]
    fn fill(&mut self, text: &[u8], borders: &Borders, shift: u32) {
        let Self { places, keys, slots, long, .. } = self;
        borders.places(places);
        keys.resize(places.len(), Key::default());
        slots.resize(places.len(), 0);
        long.clear();
        for (((&[start, end], key), slot), index) in places.iter().zip(keys).zip(slots).zip(0..) {
            let len = (end - start) as usize;
            *key = match text[start as usize..].first_chunk() {
                Some(bytes) if len < LONG => Key::of_first(bytes, len),
                _ => Key::of_other(&text[start as usize..end as usize], index, long),
            };
            *slot = key.hash() >> shift;
        }
    }
}

impl Table<'_> {
    /// The distance within the band; `None` where there are too many errors.
    #[inline(always)]
    fn distance(&mut self, rows: &mut Words, columns: &mut Words) -> Option<usize> {
        let longer = columns.keys.len() - rows.keys.len();
        let below = below(longer);
        let mut row = self.first;
        let (early, entering) = rows.slots.split_at_mut(below.min(rows.keys.len()));
        for (&key, slot) in rows.keys.iter().zip(&mut *early) {
            self.insert(key, slot, row);
            row += 1;
        }
        row = self.first + below as u32;
        let mut column = Column::first(below);
        // With the first columns, rows enter the band.
        let (first, last) = columns.slots.split_at_mut(entering.len());
        let keys = rows.keys[early.len()..].chunks(LOOK).zip(columns.keys.chunks(LOOK));
        let slots = entering.chunks_mut(LOOK).zip(first.chunks_mut(LOOK));
        let mut errors = 0;
        for ((row_keys, keys), (row_slots, slots)) in keys.zip(slots) {
            for (((&entering, entered), &key), slot) in row_keys.iter().zip(row_slots).zip(keys).zip(slots) {
                self.insert(entering, entered, row);
                column.next(self.look_up(key, slot, row));
                row += 1;
            }
            // More than half of the words are wrong.
            errors += row_keys.len() / 2;
            if column.above(below) > errors + LOOK / 2 {
                return None;
            }
        }
        for (&key, slot) in columns.keys[entering.len()..].iter().zip(last) {
            column.next(self.look_up(key, slot, row));
            row += 1;
        }
        // Words behind the last row are equal to none.
        Some(column.above(longer + below))
    }

    /// A path that leaves the band is at least so long.
    #[inline(always)]
    fn least_outside(&mut self, rows: &mut Words, columns: &mut Words) -> usize {
        let longer = columns.keys.len() - rows.keys.len();
        let mut count = 0;
        columns.missing.resize(columns.slots.len() + 1, 0);
        for (missing, &slot) in columns.missing[1..].iter_mut().zip(&columns.slots) {
            let slot = &mut self.slots[slot as usize];
            count += u32::from(slot.last < self.first);
            *missing = count;
            // Its word is one of the columns.
            slot.rows = 0;
        }
        let mut count = 0;
        rows.missing.resize(rows.slots.len() + 1, 0);
        for (missing, &slot) in rows.missing[1..].iter_mut().zip(&rows.slots) {
            count += u32::from(self.slots[slot as usize].rows != 0);
            *missing = count;
        }
        let below = below(longer);
        let missing = [&rows.missing[..], &columns.missing[..]];
        least(missing, BAND - below, 0).min(least(missing, 0, below + 1)) as usize
    }

    /// Whether all long words with one key are equal.
    #[inline(always)]
    fn are_told(&self, texts: [&[u8]; 2], words: [&Words; 2]) -> bool {
        let [rows, columns] = words;
        rows.long.is_empty() || columns.long.is_empty() || self.are_told_by_text(texts, words)
    }

    #[cold]
    #[inline(never)]
    fn are_told_by_text(&self, texts: [&[u8]; 2], words: [&Words; 2]) -> bool {
        let word = |side: usize, index: u32| {
            let [start, end] = words[side].places[index as usize];
            &texts[side][start as usize..end as usize]
        };
        (0..2).all(|side| {
            words[side].long.iter().all(|&index| {
                let slot = &self.slots[words[side].slots[index as usize] as usize];
                let is_known = slot.last >= self.first && slot.key == words[side].keys[index as usize];
                !is_known || word(side, index) == word(0, slot.last - self.first)
            })
        })
    }

    /// Puts the word of a row into the table. Its slot is that of its hash before, and where it stands afterwards.
    #[inline(always)]
    fn insert(&mut self, key: Key, place: &mut u32, row: u32) {
        self.find(key, place);
        let slot = &mut self.slots[*place as usize];
        *slot = Slot { key, rows: slot.rows(row) | LOWEST, last: row };
    }

    /// At which rows of a band the word of a column stands; `row` is the lowest one.
    #[inline(always)]
    fn look_up(&self, key: Key, place: &mut u32, row: u32) -> u64 {
        self.find(key, place);
        self.slots[*place as usize].rows(row)
    }

    /// Goes on to the slot of a word, or to a free one.
    #[inline(always)]
    fn find(&self, key: Key, place: &mut u32) {
        loop {
            let slot = &self.slots[*place as usize];
            let differs = (slot.key.low ^ key.low) | (slot.key.high ^ key.high);
            // A mask, as nobody could predict whether a word is new; others hardly ever stand in its place.
            let is_taken = (i64::from(slot.last) - i64::from(self.first)) >> (i64::BITS - 1);
            if differs & !is_taken.cast_unsigned() == 0 {
                return;
            }
            *place = (*place + 1) & (self.slots.len() as u32 - 1);
        }
    }
}

/// A column of the band.
struct Column {
    /// Rows at which the distance is greater by one than in the row above, and lesser.
    rises: u64,
    falls: u64,
    /// The distance in the lowest row.
    lowest: usize,
}

impl Column {
    /// The column before the first word, so many rows of which are in the band.
    #[inline(always)]
    fn first(rows: usize) -> Self {
        Self { rises: u64::MAX << (BAND - 1 - rows), falls: 0, lowest: rows }
    }

    /// Goes on to the next word, which stands at these rows; the band goes down by one.
    #[inline(always)]
    fn next(&mut self, same: u64) {
        let Self { rises, falls, lowest } = *self;
        let diagonal = (((same & rises).wrapping_add(rises)) ^ rises) | same | falls;
        let right_rises = falls | !(diagonal | rises);
        let right_falls = diagonal & rises;
        *self = Self {
            rises: right_falls | !(diagonal >> 1 | right_rises),
            falls: diagonal >> 1 & right_rises,
            lowest: lowest + (!diagonal >> (BAND - 1)) as usize,
        };
    }

    /// The distance so many rows above the lowest one.
    #[inline(always)]
    fn above(&self, rows: usize) -> usize {
        let steps = (LOWEST - 1) & u64::MAX << (BAND - 1 - rows);
        self.lowest + (self.falls & steps).count_ones() as usize - (self.rises & steps).count_ones() as usize
    }
}

impl Slot {
    /// The rows of its word in a band, of which this is the lowest.
    #[inline(always)]
    fn rows(&self, row: u32) -> u64 {
        let passed = row - self.last;
        select_unpredictable(passed < u64::BITS, self.rows >> (passed % u64::BITS), 0)
    }
}

/// The least length of paths that at some place are so many columns ahead, or so many rows, from how many of the first
/// words of each text the other one does not have.
#[inline(always)]
fn least([rows, columns]: [&[u32]; 2], ahead: usize, behind: usize) -> u32 {
    let longer = columns.len() - rows.len() + behind;
    let (inserted, deleted) = (longer.saturating_sub(ahead) as u32, ahead.saturating_sub(longer) as u32);
    let all = [rows, columns].map(|missing| missing[missing.len() - 1]);
    let (ahead_by, behind_by) = (ahead as u32, behind as u32);
    let (Some(rows), Some(columns)) = (rows.get(behind..), columns.get(ahead..)) else { return u32::MAX };
    rows.iter().zip(columns).fold(u32::MAX, |least, (&rows, &columns)| {
        let before = (rows + ahead_by).max(columns + behind_by);
        let after = (all[0] - rows + inserted).max(all[1] - columns + deleted);
        least.min(before + after)
    })
}

/// Words of so many bytes are not told by their key alone.
const LONG: usize = 16;

/// Bits in front of the length.
const BEFORE_LENGTH: u32 = 56;

/// The length of all long words.
const ANY: u64 = 0xff;

/// What hashes are made with.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The bytes of a word, followed by zeros, and their number in the last one; of a long word the first eight and a hash.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    low: u64,
    high: u64,
}

impl Key {
    /// The key of the first bytes, fewer than [`LONG`].
    #[inline(always)]
    fn of_first(bytes: &[u8; LONG], len: usize) -> Self {
        const KEPT: [[u64; 2]; LONG] = {
            let mut kept = [[0; 2]; LONG];
            let mut len = 0;
            while len < LONG {
                let bits = (1_u128 << (8 * len)) - 1;
                kept[len] = [bits as u64, (bits >> u64::BITS) as u64];
                len += 1;
            }
            kept
        };
        let all = u128::from_le_bytes(*bytes);
        let [low, high] = KEPT[len % LONG];
        Self { low: all as u64 & low, high: (all >> u64::BITS) as u64 & high | (len as u64) << BEFORE_LENGTH }
    }

    /// The key of a long word, or of one with few bytes of text behind it.
    #[inline(never)]
    fn of_other(word: &[u8], index: u32, long: &mut Vec<u32>) -> Self {
        let mut first = [0; LONG];
        if word.len() < LONG {
            first[..word.len()].copy_from_slice(word);
            return Self::of_first(&first, word.len());
        }
        long.push(index);
        let eights = word.windows(8).rev().step_by(8);
        let hash = eights.fold(word.len() as u64, |hash, bytes| {
            let bytes = u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"));
            let product = u128::from(hash ^ bytes ^ FACTORS[0]) * u128::from(FACTORS[1]);
            product as u64 ^ (product >> u64::BITS) as u64
        });
        let low = u64::from_le_bytes(*word.first_chunk().expect("eight bytes"));
        Self { low, high: hash >> (u64::BITS - BEFORE_LENGTH) | ANY << BEFORE_LENGTH }
    }

    #[inline(always)]
    fn hash(self) -> u32 {
        let hash = self.low.wrapping_mul(FACTORS[0]).wrapping_add(self.high.wrapping_mul(FACTORS[1]));
        (hash >> u32::BITS) as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words::Words;
    use super::super::{TextUnit, Units, WordRule};
    use super::*;
    use crate::kernel::distance::Workspace;
    use crate::kernel::lanes::{Isa, Task};
    use crate::kernel::oracle::cases;
    use crate::kernel::weighted::SubstitutionCost;

    /// Working memory of an instruction set.
    struct Tested {
        isa: Isa,
        band: WordBand,
        borders: [Borders; 2],
        words: Words,
    }

    impl Tested {
        fn all() -> Vec<Self> {
            let tested = |isa| Self {
                isa,
                band: WordBand::default(),
                borders: <[Borders; 2]>::default(),
                words: Words::with_isa(isa),
            };
            Isa::available().map(tested).collect()
        }

        /// What the band finds.
        fn in_band(&mut self, texts: [&str; 2]) -> Option<usize> {
            let Self { isa, band, borders, .. } = self;
            isa.perform(Search { band, borders, texts: texts.map(str::as_bytes) })
        }
    }

    struct Search<'a> {
        band: &'a mut WordBand,
        borders: &'a mut [Borders; 2],
        texts: [&'a [u8]; 2],
    }

    impl Task for Search<'_> {
        type Result = Option<usize>;

        #[inline(always)]
        fn perform(self) -> Option<usize> {
            let Self { band, borders, texts } = self;
            for (borders, text) in borders.iter_mut().zip(texts) {
                borders.find(text, false);
            }
            band.distance(texts, borders)
        }
    }

    /// The distance of the code points that stand for the words.
    fn distance(texts: [&str; 2]) -> usize {
        let mut units = Units::default();
        let [left, right] = units.code_points(texts, TextUnit::Word(WordRule::Whitespace));
        Workspace::default().distance(left, right, SubstitutionCost::One)
    }

    fn joined(words: &[String]) -> String {
        words.join(" ")
    }

    /// Words of all lengths, whose first bytes are often the same.
    const WORD: &str = "[a-e]|[a-z]{2,7}|é[ab]{0,3}|\u{0}{1,3}|abcdefgh[ab]{0,9}|x{16,40}[ab]|ab{14}[a-c]";

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_those_of_the_code_points(
            vocabulary in prop::collection::vec(WORD, 1..60),
            shared in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, WORD), 0..150),
            moved in 0..60_usize,
        ) {
            let answer: Vec<String> = shared.iter().map(|index| index.get(&vocabulary).clone()).collect();
            let mut prediction = answer.clone();
            for (place, kind, word) in edits {
                let place = place.index(prediction.len() + 1);
                match kind {
                    0 => prediction.insert(place, word),
                    1 if place < prediction.len() => drop(prediction.remove(place)),
                    _ if place < prediction.len() => prediction[place] = word,
                    _ => {}
                }
            }
            // What stands at the end is found outside of the band.
            let moved = moved.min(prediction.len());
            let mut turned = prediction.clone();
            turned.rotate_left(moved);
            let mut tested = Tested::all();
            for prediction in [prediction, turned] {
                let texts = [joined(&prediction), joined(&answer)];
                let texts = texts.each_ref().map(String::as_str);
                for texts in [texts, [texts[1], texts[0]]] {
                    let expected = distance(texts);
                    for tested in &mut tested {
                        let found = tested.in_band(texts);
                        prop_assert!(found.is_none_or(|found| found == expected), "{:?}: {:?} {}", tested.isa, found, expected);
                        let mut ranges = <[Vec<_>; 2]>::default();
                        let mut workspace = Workspace::default();
                        let (found, _) = tested.words.distance(texts, WordRule::Whitespace, &mut ranges, &mut workspace);
                        prop_assert_eq!(found, expected, "{:?}", tested.isa);
                    }
                }
            }
        }
    }

    #[test]
    fn every_fifth_word_is_wrong() {
        let answer: Vec<String> = (0..500).map(|place| format!("w{}", place * place % 71)).collect();
        let mut prediction = answer.clone();
        (0..100).for_each(|place| prediction[5 * place] = format!("wrong{place}"));
        let texts = [joined(&prediction), joined(&answer)];
        for mut tested in Tested::all() {
            assert_eq!(tested.in_band(texts.each_ref().map(String::as_str)), Some(100), "{:?}", tested.isa);
        }
    }

    #[test]
    fn shorter_paths_outside_are_not_missed() {
        let words: Vec<String> = (0..100).map(|place| format!("w{place}")).collect();
        for moved in 0..50 {
            let mut turned = words.clone();
            turned.rotate_left(moved);
            let texts = [joined(&words), joined(&turned)];
            let texts = texts.each_ref().map(String::as_str);
            let expected = 2 * moved;
            assert_eq!(distance(texts), expected);
            for mut tested in Tested::all() {
                let found = tested.in_band(texts);
                assert!(found.is_none_or(|found| found == expected), "{:?} {moved}", tested.isa);
                assert!(found.is_some() || moved >= BAND / 2, "{:?} {moved}", tested.isa);
            }
        }
    }
}
