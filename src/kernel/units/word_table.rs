//! The words of two texts, looked up in one table.
//!
//! The words of one text, the rows, are entered; those of the other, the columns, are looked up. Two words are equal if
//! they have the same slot, so the slots are their numbers. Used only for pairs that [`word_band`](super::word_band)
//! gives up. It returns `None` if two different long words have one key: then [`words`](super::words) numbers the words
//! by their bytes.

use super::super::lanes::{Isa, Task};
use super::word_keys::{Key, Texts, WordKeys};

/// Slots of the table for each row.
const ROOM: usize = 4;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordTable {
    /// All are free between two pairs.
    slots: Vec<Slot>,
    /// The slots of the words of both texts.
    found: [Vec<u32>; 2],
}

/// A word of the rows; zeros are a free slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    /// The last row with this word, for long words.
    last: u32,
}

impl WordTable {
    /// Looks up the words of both texts and hands over their slots, and how many there are; `None` where different long
    /// words have one key. The words of the columns that are none of the rows have free slots.
    pub fn search<R>(
        &mut self,
        isa: Isa,
        texts: Texts,
        words: [&WordKeys; 2],
        search: impl FnOnce([&[u32]; 2], usize) -> R,
    ) -> Option<R> {
        let Self { slots, found: [rows, columns] } = self;
        let size = (ROOM * words[0].keys().len()).next_power_of_two().max(2);
        if slots.len() < size {
            slots.resize(size, Slot::default());
        }
        let slots = &mut slots[..size];
        isa.perform(Enter { keys: words[0].keys(), found: rows, slots });
        isa.perform(LookUp { keys: words[1].keys(), found: columns, slots });
        let are_told = words.iter().any(|words| words.long().is_empty())
            || are_told(slots, texts, words.map(WordKeys::long), [rows, columns]);
        let result = are_told.then(|| search([rows, columns], slots.len()));
        for &at in &*rows {
            slots[at as usize] = Slot::default();
        }
        result
    }
}

/// Puts the words of the rows into the table.
struct Enter<'a> {
    keys: &'a [Key],
    found: &'a mut Vec<u32>,
    slots: &'a mut [Slot],
}

impl Task for Enter<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { keys, found, slots } = self;
        found.clear();
        found.extend(keys.iter().map(|&key| {
            let at = find(slots, key);
            slots[at].key = key;
            at as u32
        }));
    }
}

/// Looks up the words of the columns.
struct LookUp<'a> {
    keys: &'a [Key],
    found: &'a mut Vec<u32>,
    slots: &'a [Slot],
}

impl Task for LookUp<'_> {
    type Result = ();

    #[inline(always)]
    fn perform(self) {
        let Self { keys, found, slots } = self;
        found.clear();
        found.extend(keys.iter().map(|&key| find(slots, key) as u32));
    }
}

/// Goes to the slot of a word, or to a free one.
#[inline(always)]
fn find(slots: &[Slot], key: Key) -> usize {
    // As many as a power of 2.
    let last = slots.len() - 1;
    let mut at = key.hash() as usize & last;
    // One branch: another word is rarely in the slot, but whether a word is new is unpredictable.
    while key.is_another(slots[at].key) {
        at = (at + 1) & last;
    }
    at
}

/// Whether all long words of one slot are equal.
fn are_told(slots: &mut [Slot], texts: Texts, long: [&[u32]; 2], found: [&[u32]; 2]) -> bool {
    for &index in long[0] {
        slots[found[0][index as usize] as usize].last = index;
    }
    (0..2).all(|side| {
        long[side].iter().all(|&index| {
            let slot = slots[found[side][index as usize] as usize];
            slot.key.is_none() || texts.word(side, index as usize) == texts.word(0, slot.last as usize)
        })
    })
}
