//! Edit distance of two texts in words that differ in more than a few, with one look-up for each word.
//!
//! The words are slots of a [table](super::word_table). Where one text has at most 64 between the common ends, a column
//! of the distances is one machine word. Else Hyyrö (2003): a column, as far as it lies within a band of 64 diagonals, is
//! two machine words, which move down by one row a column. The slot of each word has the rows of the last 64 at which it
//! stands; for a word of the other text these are the match bits of its column.
//!
//! What is found in the band is the length of a path, which is the shortest one unless that leaves the band. There it
//! inserts and deletes many words, and changes all that the other text does not have. Where this does not rule it out,
//! the distance is left to the methods of long text.

use std::hint::select_unpredictable;

use super::super::bit_parallel;
use super::super::distance::Workspace;
use super::super::lanes::{Isa, Task};
use super::borders::Borders;
use super::word_table::{Slot, Table, WordTable};

/// Diagonals of the band.
const BAND: usize = u64::BITS as usize;

/// The bit of the lowest row of the band.
const LOWEST: u64 = 1 << (BAND - 1);

/// Most words that one text may have more: half of the band is left for both sides.
const MOST_LONGER: usize = BAND / 2 - 1;

/// Columns after which it is asked whether there are too many errors.
const LOOK: usize = 64;

/// Working memory, reused from pair to pair.
#[derive(Default)]
pub struct WordBand {
    table: WordTable,
}

impl WordBand {
    /// The distance; `None` where different long words cannot be told from one another.
    pub fn distance(
        &mut self,
        isa: Isa,
        texts: [&[u8]; 2],
        borders: &[Borders; 2],
        workspace: &mut Workspace,
    ) -> Option<usize> {
        self.table.search(isa, texts, borders, |mut table| {
            let longer = table.columns.len() - table.rows.len();
            if table.rows.is_empty() {
                return longer;
            }
            if table.rows.len() <= BAND {
                return isa.perform(Few(&mut table));
            }
            isa.perform(InBand(&mut table)).unwrap_or_else(|guess| {
                workspace.many_errors([table.rows, table.columns], table.slots.len(), guess)
            })
        })
    }
}

/// Finds the distance to at most 64 words.
struct Few<'a, 'b>(&'a mut Table<'b>);

impl Task for Few<'_, '_> {
    type Result = usize;

    #[inline(always)]
    fn perform(self) -> usize {
        let Table { slots, rows, columns } = self.0;
        for (&at, row) in rows.iter().zip(0..) {
            slots[at as usize].rows |= 1 << row;
        }
        bit_parallel::columns(rows.len(), columns.iter().map(|&at| slots[at as usize].rows))
    }
}

/// Finds the distance where it is certain that no shorter path leaves the band.
struct InBand<'a, 'b>(&'a mut Table<'b>);

impl Task for InBand<'_, '_> {
    /// The distance, or a guess of it.
    type Result = Result<usize, usize>;

    #[inline(always)]
    fn perform(self) -> Result<usize, usize> {
        let Self(table) = self;
        let longer = table.columns.len() - table.rows.len();
        if longer > MOST_LONGER {
            let [missing, unknown] = count_missing(table);
            return Err(missing.max(unknown) + table.rows.len() / 4);
        }
        let Some(distance) = length_in_band(table, longer) else { return Err(table.rows.len()) };
        let is_certain = distance <= least_outside([0, 0], longer)
            || distance <= least_outside(count_missing(table), longer);
        if is_certain { Ok(distance) } else { Err(distance) }
    }
}

/// The length of the shortest path within the band; `None` where it has too many errors.
#[inline(always)]
fn length_in_band(table: &mut Table, longer: usize) -> Option<usize> {
    let Table { slots, rows, columns } = table;
    let below = below(longer);
    let (early, entering) = rows.split_at(below);
    for (&at, row) in early.iter().zip(0..) {
        slots[at as usize].enter(row);
    }
    let mut row = below as u32;
    let mut column = Column::first(below);
    // With the first columns, rows enter the band.
    let (first, last) = columns.split_at(entering.len());
    let mut errors = 0;
    for (entering, columns) in entering.chunks(LOOK).zip(first.chunks(LOOK)) {
        for (&entering, &at) in entering.iter().zip(columns) {
            slots[entering as usize].enter(row);
            column.next(slots[at as usize].rows_from(row));
            row += 1;
        }
        // More than half of the words are wrong.
        errors += entering.len() / 2;
        if column.above(below) > errors + LOOK / 2 {
            return None;
        }
    }
    for &at in last {
        column.next(slots[at as usize].rows_from(row));
        row += 1;
    }
    // Words behind the last row are equal to none.
    Some(column.above(longer + below))
}

/// Rows of the band below that of the column, where the columns are so many more. The other rows are above.
fn below(longer: usize) -> usize {
    (BAND - 1 - longer) / 2
}

/// How many of the rows and of the columns are words that the other text does not have. Matches are forgotten.
#[inline(always)]
fn count_missing(table: &mut Table) -> [usize; 2] {
    let Table { slots, rows, columns } = table;
    for &at in *rows {
        slots[at as usize].rows = 1;
    }
    let mut unknown = 0;
    for &at in *columns {
        let slot = &mut slots[at as usize];
        slot.rows = 0;
        unknown += usize::from(slot.is_free());
    }
    let mut missing = 0;
    for &at in *rows {
        missing += slots[at as usize].rows as usize;
    }
    [missing, unknown]
}

/// A path that leaves the band is at least so long, from how many of the rows and of the columns the other text does not
/// have: it deletes so many words and inserts so many that it gets out and comes back, and each word that the other text
/// does not have is an error.
fn least_outside([rows, columns]: [usize; 2], longer: usize) -> usize {
    let below = below(longer);
    let deleted = (below + 1).min(BAND - below - longer);
    let inserted = deleted + longer;
    (deleted + inserted).max(rows + inserted).max(columns + deleted)
}

impl Slot {
    /// Adds a row, the lowest one so far.
    #[inline(always)]
    fn enter(&mut self, row: u32) {
        self.rows = self.rows_from(row) | LOWEST;
        self.last = row;
    }

    /// The rows of its word in a band, of which this is the lowest.
    #[inline(always)]
    fn rows_from(&self, row: u32) -> u64 {
        let passed = row - self.last;
        select_unpredictable(passed < u64::BITS, self.rows >> (passed % u64::BITS), 0)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{TextUnit, Units, WordRule};
    use super::*;
    use crate::kernel::oracle::cases;
    use crate::kernel::weighted::SubstitutionCost;

    /// Working memory of an instruction set.
    struct Tested {
        isa: Isa,
        band: WordBand,
        borders: [Borders; 2],
        workspace: Workspace,
    }

    impl Tested {
        fn all() -> Vec<Self> {
            let tested = |isa| Self {
                isa,
                band: WordBand::default(),
                borders: <[Borders; 2]>::default(),
                workspace: Workspace::default(),
            };
            Isa::available().map(tested).collect()
        }

        fn distance(&mut self, texts: [&str; 2]) -> Option<usize> {
            let Self { isa, band, borders, workspace } = self;
            for (borders, text) in borders.iter_mut().zip(texts) {
                borders.find(text.as_bytes(), false);
            }
            band.distance(*isa, texts.map(str::as_bytes), borders, workspace)
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
                        prop_assert_eq!(tested.distance(texts), Some(expected), "{:?}", tested.isa);
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
            assert_eq!(tested.distance(texts.each_ref().map(String::as_str)), Some(100), "{:?}", tested.isa);
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
                assert_eq!(tested.distance(texts), Some(expected), "{:?} {moved}", tested.isa);
            }
        }
    }
}
