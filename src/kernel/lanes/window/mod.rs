//! Columns of a table of distances, 64 rows of each, where a number tells rows and columns: which rows a column is equal to
//! is found by comparing all of them. Myers (1999) for all rows, Hyyrö (2003) for a band.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::affix::mask;

/// Rows of a column, a bit for each.
pub const ROWS: usize = 64;

/// The numbers of 64 rows.
pub type Rows = [u16; ROWS];

/// How the distance changes from row to row in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColumnSteps {
    /// Rows at which it is greater by one than in the row above, and lesser.
    pub rises: u64,
    pub falls: u64,
}

impl ColumnSteps {
    /// At how many of these rows the distance is greater than in the row above, and at how many lesser.
    #[inline]
    pub fn count(self, rows: u64) -> [usize; 2] {
        [self.rises, self.falls].map(|steps| (steps & rows).count_ones() as usize)
    }
}

/// The columns of all rows. The steps of the column before are the first ones; those of each column follow.
pub fn all_rows(rows: &Rows, columns: &[u16], steps: &mut [ColumnSteps]) {
    all_rows_by(columns, steps, |column| equal(rows, column));
}

/// The columns of a band that goes down by a row after each. The first column has the first 64 of the rows, and so on. The
/// steps of the row in front of a column are the first ones, for the rows of the first column; those of each column follow,
/// for the rows of the next one. Returns at how many columns the distance in the lowest row is greater by one than in
/// the lowest row of the column before.
pub fn band(rows: &[u16], columns: &[u16], steps: &mut [ColumnSteps]) -> usize {
    band_by(rows, columns, steps, equal)
}

/// The rows that are equal to a column, as bits.
fn equal(rows: &Rows, column: u16) -> u64 {
    let bytes = rows.map(|row| if row == column { u8::MAX } else { 0 });
    mask(|at| u64::from_le_bytes(bytes.as_chunks().0[at]))
}

#[inline(always)]
fn all_rows_by(columns: &[u16], steps: &mut [ColumnSteps], equal: impl Fn(u16) -> u64) {
    let Some((&mut mut column, steps)) = steps.split_first_mut() else { return };
    for (&next, steps) in columns.iter().zip(steps) {
        let same = equal(next);
        let ColumnSteps { rises, falls } = column;
        // In this order eight operations wait for one another.
        let carried = ((same & rises).wrapping_add(rises)) ^ rises;
        let diagonal = carried | (same | falls);
        let not_right_rises = (carried & !falls) | ((same | rises) & !falls);
        // The first row of the table grows by one a column.
        let not_right_rises = not_right_rises << 1;
        let right_falls = (diagonal & rises) << 1;
        column = ColumnSteps {
            rises: right_falls | (not_right_rises & !diagonal),
            falls: diagonal & !not_right_rises,
        };
        *steps = column;
    }
}

#[inline(always)]
fn band_by(
    rows: &[u16],
    columns: &[u16],
    steps: &mut [ColumnSteps],
    equal: impl Fn(&Rows, u16) -> u64,
) -> usize {
    let Some((&mut mut column, steps)) = steps.split_first_mut() else { return 0 };
    let mut more = 0;
    for ((rows, &next), steps) in rows.windows(ROWS).zip(columns).zip(steps) {
        let same = equal(rows.first_chunk().expect("64 rows"), next);
        let ColumnSteps { rises, falls } = column;
        // In this order seven operations wait for one another.
        let carried = ((same & rises).wrapping_add(rises)) ^ rises;
        let diagonal = carried | (same | falls);
        let not_right_rises = (carried & !falls) | ((same | rises) & !falls);
        let right_falls = diagonal & rises;
        column = ColumnSteps {
            rises: right_falls | (not_right_rises & !(diagonal >> 1)),
            falls: diagonal >> 1 & !not_right_rises,
        };
        *steps = column;
        more += (!diagonal >> (ROWS - 1)) as usize;
    }
    more
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Isa;
    use super::*;
    use crate::kernel::oracle::{cases, edit_distance};

    /// Numbers with few different values.
    fn numbers(most: usize) -> impl Strategy<Value = Vec<u16>> {
        prop::collection::vec(prop::sample::select(vec![1, 2, 3, 0x101, 0x201, u16::MAX]), 1..most)
    }

    /// A character for each number.
    fn text(numbers: &[u16]) -> String {
        numbers
            .iter()
            .map(|&number| char::from_u32(0x10000 + u32::from(number)).expect("a character"))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn steps_of_all_rows_are_those_of_the_distances(rows in numbers(ROWS + 1), columns in numbers(90)) {
            let mut all = [0; ROWS];
            all[..rows.len()].copy_from_slice(&rows);
            for isa in Isa::available() {
                let mut steps = vec![ColumnSteps { rises: u64::MAX, falls: 0 }; columns.len() + 1];
                isa.columns(&all, &columns, &mut steps);
                for (column, steps) in steps.iter().enumerate() {
                    for row in [0, rows.len() / 2, rows.len() - 1] {
                        let [rises, falls] = steps.count(u64::MAX >> (ROWS - 1 - row));
                        let expected = edit_distance(&text(&rows[..=row]), &text(&columns[..column]), 1);
                        prop_assert_eq!(column + rises - falls, expected, "{:?} {} {}", isa, row, column);
                    }
                }
            }
        }

        #[test]
        fn columns_of_a_band_are_the_same_in_all_lanes(
            rows in numbers(200), columns in numbers(140), below in 0..ROWS,
        ) {
            let columns = &columns[..columns.len().min((rows.len() + 1).saturating_sub(ROWS))];
            let first = ColumnSteps { rises: u64::MAX << (ROWS - 1 - below), falls: 0 };
            let mut expected = vec![first; columns.len() + 1];
            let more = band(&rows, columns, &mut expected);
            for isa in Isa::available() {
                let mut steps = vec![first; columns.len() + 1];
                prop_assert_eq!(isa.band(&rows, columns, &mut steps), more, "{:?}", isa);
                prop_assert_eq!(&steps, &expected, "{:?}", isa);
            }
        }
    }
}
