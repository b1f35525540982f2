//! The words of two texts, looked up in one table.
//!
//! The words of one text, the rows, are put into the table; those of the other, the columns, are looked up. Words are
//! equal where they have the same slot, so they need no other numbers. The words that both texts begin and end with are
//! left out.

use super::super::lanes::{Isa, Task};
use super::super::pattern::Unit;
use super::borders::Borders;

/// Slots of the table for each row.
const ROOM: usize = 4;

/// Longest text: slots and rows are counted in 32 bits.
const LONGEST: usize = 1 << 28;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordTable {
    /// All are free between two pairs.
    slots: Vec<Slot>,
    rows: Words,
    columns: Words,
}

/// The words of a text.
#[derive(Default)]
struct Words {
    places: Vec<Place>,
    /// The slot of each word between the common ends.
    slots: Vec<u32>,
    /// Which of these words are not told by their key alone.
    long: Vec<u32>,
}

/// Where a word begins and ends.
type Place = [u32; 2];

/// A word of the rows; zeros are a free slot.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct Slot {
    key: Key,
    /// Rows at which it stands, as bits, for whoever looks for matches.
    pub rows: u64,
    /// The row of the highest of them.
    pub last: u32,
}

/// The words of both texts between their common ends.
pub struct Table<'a> {
    pub slots: &'a mut [Slot],
    /// The slots of the words of the text that has fewer.
    pub rows: &'a [u32],
    /// Those of the other text, free ones of words that are none of the rows.
    pub columns: &'a [u32],
}

impl WordTable {
    /// Looks up the words of both texts and hands them over; `None` where different long words have one key.
    pub fn search<R>(
        &mut self,
        isa: Isa,
        texts: [&[u8]; 2],
        borders: &[Borders; 2],
        search: impl FnOnce(Table) -> R,
    ) -> Option<R> {
        if texts.iter().any(|text| text.len() > LONGEST) {
            return None;
        }
        let Self { slots, rows, columns } = self;
        let fewer = usize::from(borders[1].words() < borders[0].words());
        let (texts, borders) = ([texts[fewer], texts[1 - fewer]], [&borders[fewer], &borders[1 - fewer]]);
        isa.perform(FindPlaces { borders, places: [&mut rows.places, &mut columns.places] });
        let places = common_words(texts, [&rows.places, &columns.places]);
        let size = (ROOM * places[0].len()).next_power_of_two().max(2);
        if slots.len() < size {
            slots.resize(size, Slot::default());
        }
        let slots = &mut slots[..size];
        let Words { slots: row_slots, long, .. } = rows;
        let words = Unfound { text: texts[0], places: places[0], slots: row_slots, long };
        isa.perform(Enter { words, slots });
        let Words { slots: column_slots, long: long_columns, .. } = columns;
        let words = Unfound { text: texts[1], places: places[1], slots: column_slots, long: long_columns };
        isa.perform(LookUp { words, slots });
        let are_told = long.is_empty() || long_columns.is_empty() || {
            let rows = LongWords { text: texts[0], places: places[0], found: row_slots, indices: long };
            let columns =
                LongWords { text: texts[1], places: places[1], found: column_slots, indices: long_columns };
            are_told(slots, &[rows, columns])
        };
        let table = Table { slots, rows: row_slots, columns: column_slots };
        let result = are_told.then(|| search(table));
        for &at in &*row_slots {
            slots[at as usize] = Slot::default();
        }
        result
    }
}

/// Finds the places of all words.
struct FindPlaces<'a> {
    borders: [&'a Borders; 2],
    places: [&'a mut Vec<Place>; 2],
}

impl Task for FindPlaces<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        for (borders, places) in self.borders.into_iter().zip(self.places) {
            borders.places(places);
        }
    }
}

/// Puts the words of the rows into the table.
struct Enter<'a> {
    words: Unfound<'a>,
    slots: &'a mut [Slot],
}

impl Task for Enter<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { words, slots } = self;
        words.find(|key| {
            let at = find(slots, key);
            slots[at].key = key;
            at
        });
    }
}

/// Looks up the words of the columns.
struct LookUp<'a> {
    words: Unfound<'a>,
    slots: &'a [Slot],
}

impl Task for LookUp<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { words, slots } = self;
        words.find(|key| find(slots, key));
    }
}

/// Words of a text of which the slots are not known yet.
struct Unfound<'a> {
    text: &'a [u8],
    places: &'a [Place],
    slots: &'a mut Vec<u32>,
    long: &'a mut Vec<u32>,
}

impl Unfound<'_> {
    /// Finds the slots of all words by their keys.
    #[inline(always)]
    fn find(self, mut slot: impl FnMut(Key) -> usize) {
        let Self { text, places, slots, long } = self;
        slots.resize(places.len(), 0);
        long.clear();
        // Words for whose keys a function is called come last, so that the loop over the others has all registers.
        for ((&[start, end], found), index) in places.iter().zip(&mut *slots).zip(0..) {
            let (start, len) = (start as usize, (end - start) as usize);
            match text.get(start..start + LONG) {
                Some(bytes) if len < LONG => {
                    *found = slot(Key::of_first(bytes.first_chunk().expect("so many bytes"), len)) as u32;
                }
                _ => long.push(index),
            }
        }
        long.retain(|&index| {
            let [start, end] = places[index as usize];
            let word = &text[start as usize..end as usize];
            slots[index as usize] = slot(Key::of(word)) as u32;
            word.len() >= LONG
        });
    }
}

impl Slot {
    #[inline(always)]
    pub fn is_free(&self) -> bool {
        self.key.high == 0
    }
}

/// The words of both texts that are no common ends.
fn common_words<'a>(texts: [&[u8]; 2], places: [&'a [Place]; 2]) -> [&'a [Place]; 2] {
    let [rows, columns] = places;
    let same = u8::common_prefix(texts[0], texts[1]) as u32;
    // What ends a word can depend on bytes behind it, and what begins one on bytes before it.
    let mut start = rows.partition_point(|&[_, end]| end < same).min(columns.len());
    while start > 0 && rows[start - 1] != columns[start - 1] {
        start -= 1;
    }
    let (rows, columns) = (&rows[start..], &columns[start..]);
    let same = u8::common_suffix(texts[0], texts[1]) as u32;
    let lens = texts.map(|text| text.len() as u32);
    let first = rows.partition_point(|&[begin, _]| begin <= lens[0] - same);
    let mut end = (rows.len() - first).min(columns.len());
    let from_end = |side: usize, [begin, end]: Place| [lens[side] - begin, lens[side] - end];
    while end > 0 && from_end(0, rows[rows.len() - end]) != from_end(1, columns[columns.len() - end]) {
        end -= 1;
    }
    [&rows[..rows.len() - end], &columns[..columns.len() - end]]
}

/// Goes to the slot of a word, or to a free one.
#[inline(always)]
fn find(slots: &[Slot], key: Key) -> usize {
    // As many as a power of 2.
    let last = slots.len() - 1;
    let mut at = key.hash() as usize & last;
    loop {
        let other = &slots[at].key;
        let differs = (other.low ^ key.low) | (other.high ^ key.high);
        // Its highest bit is set where there is another word. One branch, as others hardly ever stand in a word's
        // place, but nobody could predict whether it is new.
        let is_other = (differs | differs.wrapping_neg()) & other.high;
        if is_other.cast_signed() >= 0 {
            return at;
        }
        at = (at + 1) & last;
    }
}

/// The words of a text that are not told by their key alone.
struct LongWords<'a> {
    text: &'a [u8],
    places: &'a [Place],
    /// The slots of all words.
    found: &'a [u32],
    indices: &'a [u32],
}

impl LongWords<'_> {
    fn word(&self, index: u32) -> &[u8] {
        let [start, end] = self.places[index as usize];
        &self.text[start as usize..end as usize]
    }

    fn slot(&self, index: u32) -> usize {
        self.found[index as usize] as usize
    }
}

/// Whether all long words of one slot are equal.
fn are_told(slots: &mut [Slot], words: &[LongWords; 2]) -> bool {
    let rows = &words[0];
    for &index in rows.indices {
        slots[rows.slot(index)].last = index;
    }
    let are_told = words.iter().all(|words| {
        words.indices.iter().all(|&index| {
            let slot = words.slot(index);
            slots[slot].is_free() || words.word(index) == rows.word(slots[slot].last)
        })
    });
    for &index in rows.indices {
        slots[rows.slot(index)].last = 0;
    }
    are_told
}

/// Words of so many bytes are not told by their key alone.
const LONG: usize = 16;

/// Bits in front of the length.
const BEFORE_LENGTH: u32 = 56;

/// The length of long words, and what is added to others. The highest bit tells slots that are taken.
const TAKEN: u64 = 0x80;

/// What hashes are made with.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The bytes of a word, followed by zeros, and their number in the last one; of a long word the first eight and a hash.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Key {
    low: u64,
    high: u64,
}

impl Key {
    /// The key of so many of the bytes.
    #[inline(always)]
    fn of_first(bytes: &[u8; LONG], len: usize) -> Self {
        /// What is kept of the bytes, and what is added to them.
        const KEPT: [[u64; 4]; LONG] = {
            let mut kept = [[0; 4]; LONG];
            let mut len = 0;
            while len < LONG {
                let bits = (1_u128 << (8 * len)) - 1;
                kept[len] =
                    [bits as u64, (bits >> u64::BITS) as u64, (TAKEN | len as u64) << BEFORE_LENGTH, 0];
                len += 1;
            }
            kept
        };
        let all = u128::from_le_bytes(*bytes);
        let [low, high, length, _] = KEPT[len];
        Self { low: all as u64 & low, high: (all >> u64::BITS) as u64 & high | length }
    }

    /// The key of any word.
    #[inline(never)]
    fn of(word: &[u8]) -> Self {
        if word.len() < LONG {
            let mut first = [0; LONG];
            first[..word.len()].copy_from_slice(word);
            return Self::of_first(&first, word.len());
        }
        let eights = word.windows(8).rev().step_by(8);
        let hash = eights.fold(word.len() as u64, |hash, bytes| {
            let bytes = u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"));
            let product = u128::from(hash ^ bytes ^ FACTORS[0]) * u128::from(FACTORS[1]);
            product as u64 ^ (product >> u64::BITS) as u64
        });
        let low = u64::from_le_bytes(*word.first_chunk().expect("eight bytes"));
        Self { low, high: hash >> (u64::BITS - BEFORE_LENGTH) | TAKEN << BEFORE_LENGTH }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        (self.low ^ self.high.rotate_left(u32::BITS)).wrapping_mul(FACTORS[0]).rotate_left(20)
    }
}
