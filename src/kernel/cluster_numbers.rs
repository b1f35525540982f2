//! Grapheme clusters as numbers, for distances: equal numbers are equal clusters.

use std::collections::HashMap;
use std::ops::Range as Span;

use rustc_hash::FxBuildHasher;

use super::byte_ids::Beyond;
use super::cluster_rules::{Class, Found, for_each_joined};
use super::lanes::{Isa, SPARE, Task};

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct ClusterNumbers {
    isa: Isa,
    classes: ByteClasses,
    known: Known,
    of_clusters: [Vec<u32>; 2],
}

impl ClusterNumbers {
    /// Numbers the clusters of texts of a byte for each character, and returns how many different ones there are; `None`
    /// where each character is a cluster.
    pub fn fill_from_bytes(&mut self, texts: [&[u8]; 2], beyond: &Beyond) -> Option<usize> {
        self.classes.fill(beyond);
        let Self { isa, classes, known, of_clusters, .. } = self;
        let classes = &classes.of;
        isa.perform(Numbering { texts, class_of: |byte: u8| classes[usize::from(byte)], known, of_clusters })
    }

    /// The same for code points.
    pub fn fill_from_codes(&mut self, texts: [&[u32]; 2]) -> Option<usize> {
        let Self { isa, known, of_clusters, .. } = self;
        isa.perform(Numbering { texts, class_of: Class::of, known, of_clusters })
    }

    /// The numbers of the clusters of both texts.
    pub fn of_clusters(&self) -> [&[u32]; 2] {
        self.of_clusters.each_ref().map(Vec::as_slice)
    }
}

/// The class of what each byte stands for.
struct ByteClasses {
    of: [Class; BYTES],
    /// The block of letters for which there are classes, and these.
    block: Option<u32>,
    of_block: [Class; BYTES / 2],
}

const BYTES: usize = 256;

impl Default for ByteClasses {
    fn default() -> Self {
        let mut of = [Class::Base; BYTES];
        of.iter_mut().zip(0..0x80).for_each(|(class, code)| *class = Class::of(code));
        Self { of, block: None, of_block: [Class::Base; _] }
    }
}

impl ByteClasses {
    fn fill(&mut self, beyond: &Beyond) {
        let Self { of, block, of_block } = self;
        if let Some(first) = beyond.block {
            if *block != beyond.block {
                *block = beyond.block;
                of_block.iter_mut().zip(first..).for_each(|(class, code)| *class = Class::of(code));
            }
            of[BYTES / 2..].copy_from_slice(of_block);
        }
        // Controls, of which an earlier pair may have made something else.
        of[SPARE].fill(Class::Control);
        for (class, &code) in of[beyond.first..].iter_mut().zip(beyond.codes) {
            *class = Class::of(u32::from(code));
        }
    }
}

/// A unit of a text in which clusters are looked for.
trait Unit: Copy + Into<u32> {
    /// More than any.
    const END: u32;

    /// The units that a key has room for.
    const ROOM: usize;

    /// A number for the first so many units of a text, another one for each cluster that has room.
    fn key(text: &[Self], len: usize) -> u64;
}

impl Unit for u8 {
    const END: u32 = BYTES as u32;
    const ROOM: usize = size_of::<u64>();

    #[inline(always)]
    fn key(text: &[Self], len: usize) -> u64 {
        match text.first_chunk() {
            Some(&bytes) => u64::from_le_bytes(bytes) & u64::MAX >> (u64::BITS - u8::BITS * len as u32),
            None => text[..len].iter().rev().fold(0, |all, &byte| all << u8::BITS | u64::from(byte)),
        }
    }
}

impl Unit for u32 {
    const END: u32 = char::MAX as u32 + 1;
    const ROOM: usize = 3;

    #[inline(always)]
    fn key(text: &[Self], len: usize) -> u64 {
        const BITS: u32 = 21;
        // One more than the code point, so that none is zero.
        let put = |all: u64, &code: &u32| all << BITS | (u64::from(code) + 1);
        match text.first_chunk::<{ Self::ROOM }>() {
            Some(codes) => codes.iter().rev().fold(0, put) & ((1 << (BITS * len as u32)) - 1),
            None => text[..len].iter().rev().fold(0, put),
        }
    }
}

/// What is needed to number the clusters of both texts.
struct Numbering<'a, U, C> {
    texts: [&'a [U]; 2],
    class_of: C,
    known: &'a mut Known,
    of_clusters: &'a mut [Vec<u32>; 2],
}

impl<U: Unit, C: Fn(U) -> Class + Copy> Task for Numbering<'_, U, C> {
    /// How many different clusters there are; `None` where each unit is one.
    type Result = Option<usize>;

    #[inline(always)]
    fn perform(self) -> Option<usize> {
        let Self { texts, class_of, known, of_clusters } = self;
        if texts.into_iter().all(|text| are_alone(text, class_of)) {
            return None;
        }
        known.begin();
        for (text, numbers) in texts.into_iter().zip(of_clusters) {
            if numbers.len() < text.len() + AT_ONCE {
                numbers.resize(text.len() + AT_ONCE, 0);
            }
            let mut writer = Writer { text, known: &mut *known, numbers: &mut *numbers, done: 0, len: 0 };
            for_each_joined(text, class_of, &mut writer);
            writer.write_up_to(text.len());
            let len = writer.len;
            numbers.truncate(len);
        }
        Some(U::END as usize + known.count)
    }
}

/// Writes down a text.
struct Writer<'a, U> {
    text: &'a [U],
    known: &'a mut Known,
    numbers: &'a mut [u32],
    /// The units that are written, and the clusters.
    done: usize,
    len: usize,
}

impl<U: Unit> Found for Writer<'_, U> {
    #[inline(always)]
    fn found(&mut self, cluster: Span<usize>) {
        self.write_up_to(cluster.start);
        self.done = cluster.end;
        let number = if cluster.len() <= U::ROOM {
            self.known.number(U::key(&self.text[cluster.start..], cluster.len()))
        } else {
            self.known.number_of_long(&self.text[cluster])
        };
        self.numbers[self.len] = U::END + number;
        self.len += 1;
    }
}

impl<U: Unit> Writer<'_, U> {
    /// Writes down units that are clusters. What is behind them may be written as well, and is written over.
    #[inline(always)]
    fn write_up_to(&mut self, end: usize) {
        let Self { text, numbers, done, len, .. } = self;
        let units = end - *done;
        let (text, numbers) = (&text[*done..], &mut numbers[*len..]);
        let mut at = 0;
        loop {
            // Mostly there are a few, and nobody could predict how many.
            if let (Some(&units), Some(numbers)) =
                (text[at..].first_chunk::<AT_ONCE>(), numbers[at..].first_chunk_mut())
            {
                *numbers = units.map(Into::into);
                at += AT_ONCE;
            } else {
                let rest = &text[at..units];
                numbers[at..].iter_mut().zip(rest).for_each(|(number, &unit)| *number = unit.into());
                at = units;
            }
            if at >= units {
                break;
            }
        }
        (*done, *len) = (end, *len + units);
    }
}

/// Units that are written at once.
const AT_ONCE: usize = 8;

/// Whether there is nothing in a text that could join two of its units.
#[inline(always)]
fn are_alone<U: Copy>(text: &[U], class_of: impl Fn(U) -> Class) -> bool {
    text.chunks(WINDOW).all(|window| window.iter().fold(true, |all, &unit| all & class_of(unit).is_alone()))
}

/// Units that are looked at before it is asked what was found.
const WINDOW: usize = 64;

/// The clusters of a pair that have numbers, in the order in which they are first seen.
#[derive(Default)]
struct Known {
    /// The clusters by the hashes of their keys; their number is a power of 2.
    slots: Vec<Slot>,
    /// Numbers below it are of earlier pairs, so that nothing has to be cleared.
    base: u32,
    count: usize,
    /// Those that are too long for a key.
    long: HashMap<Vec<u32>, u32, FxBuildHasher>,
    /// Room for one of them.
    codes: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The number of the cluster above the base.
    number: u32,
}

/// Slots at first, and for each cluster: with so many, one that is taken is rare, and what follows it is foreseen.
const SLOTS: usize = 1024;
const SPARSE: usize = 8;

impl Known {
    fn begin(&mut self) {
        self.base += self.count as u32;
        self.count = 0;
        self.long.clear();
        // No pair has as many clusters as are left: no text is so long.
        if self.slots.is_empty() || self.base > u32::MAX / 2 {
            self.base = 1;
            self.slots.clear();
            self.slots.resize(SLOTS, Slot::default());
        }
    }

    #[inline(always)]
    fn number(&mut self, key: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash(key);
        loop {
            let slot = &mut self.slots[at & mask];
            if slot.number < self.base {
                break;
            }
            if slot.key == key {
                return slot.number - self.base;
            }
            at += 1;
        }
        self.insert(key, at)
    }

    #[cold]
    fn insert(&mut self, key: u64, at: usize) -> u32 {
        let mask = self.slots.len() - 1;
        let number = self.count as u32;
        self.slots[at & mask] = Slot { key, number: self.base + number };
        self.count += 1;
        if SPARSE * self.count > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.number >= self.base) {
            let mut at = hash(slot.key);
            while self.slots[at & mask].number >= self.base {
                at += 1;
            }
            self.slots[at & mask] = slot;
        }
    }

    #[inline(never)]
    fn number_of_long<U: Unit>(&mut self, cluster: &[U]) -> u32 {
        let Self { long, codes, count, .. } = self;
        codes.clear();
        codes.extend(cluster.iter().map(|&unit| unit.into()));
        if let Some(&number) = long.get(codes) {
            return number;
        }
        let number = *count as u32;
        *count += 1;
        long.insert(codes.clone(), number);
        number
    }
}

/// The upper half of a product, in which all bits of the key have a part.
#[inline(always)]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> u32::BITS) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::super::distance::Workspace;
    use super::*;
    use crate::kernel::oracle::{cases, edit_distance};

    /// Texts of one script or of several, with characters that fit into a byte each and without.
    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[कषर\u{94d}\u{93f}\u{902}\u{93c} ]{0,9}",
            "[a-cé\u{301}\u{308}\u{200d}]{0,9}|(e\u{301}){3,9}",
            "[ابت\u{64e}\u{651}\u{600} ]{0,9}",
            "[\0\u{e}\u{1f}\r\n ]{0,4}",
            "[\u{1100}-\u{1110}\u{1161}\u{11a8}가각]{0,9}",
            "[а-г\u{483}]{0,9}",
            "a\u{301}{2,12}",
        ];
        let other = prop_oneof![
            9 => Just(String::new()),
            2 => "[👩👦❤🏽\u{200d}\u{fe0f}🇩🇪]{1,9}",
            1 => "[\u{4e00}-\u{9fff}]{150}\u{301}",
            1 => "([\u{4e00}-\u{4e7f}][\u{300}-\u{303}]){20,300}",
        ];
        (prop::collection::vec(part, 0..8), other).prop_map(|(parts, other)| parts.concat() + &other)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_those_of_the_clusters(texts in prop::collection::vec(text(), 1..4)) {
            let mut workspace = Workspace::default();
            let mut numbers = ClusterNumbers::default();
            // Nothing of a pair is left for the next one.
            for (left, right) in texts.iter().flat_map(|left| texts.iter().map(move |right| (left, right))) {
                let clusters = [left, right].map(|text| text.graphemes(true).collect::<Vec<_>>());
                let mut letters = HashMap::new();
                let written = clusters.each_ref().map(|clusters| -> String {
                    let letters = clusters.iter().map(|cluster| {
                        let next = ('\u{10000}'..).nth(letters.len()).expect("few clusters");
                        *letters.entry(*cluster).or_insert(next)
                    });
                    letters.collect()
                });
                let expected = edit_distance(&written[0], &written[1], 1);
                let found = workspace.distance_of_clusters([left, right], &mut numbers);
                let joined = clusters.iter().flatten().any(|cluster| cluster.chars().nth(1).is_some());
                prop_assert!(found.is_some() || !joined);
                if let Some(found) = found {
                    prop_assert_eq!(found, (expected, clusters.map(|clusters| clusters.len())));
                }
            }
        }
    }
}
