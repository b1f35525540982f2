//! Levenshtein distance of long texts, in a band of the table that holds every path of at most `k` errors.
//!
//! The table is computed in strips of 256 rows (the pattern), four words of 64 rows each. In one step the
//! words work on four neighbouring columns, so that each gets the carry of the word above from the step
//! before and the four of them fit one vector. From strip to strip pass the horizontal steps of the lowest
//! row. Match bits are made for one strip at a time, so memory is linear in the texts.
//!
//! Outside of the band each step costs 1, which no path undercuts: what is found is never too small, and a
//! result of at most `k` is exact. Hyyrö (2003) for the words, Ukkonen (1985) for the band.

use super::lanes::{Lanes, WORDS, Words};
use super::pattern::Unit;

/// Rows of a strip.
const ROWS: usize = 64 * WORDS;

/// Working memory.
#[derive(Default)]
pub struct Band {
    lanes: Lanes,
    /// Match bits of the strip for each id.
    bits: Vec<Words>,
    /// Horizontal step of the lowest row so far, at each column: +1, 0 or -1.
    steps: Vec<i8>,
}

/// Where a strip stands in the table.
struct Strip<'a, U> {
    /// Its rows; fewer than [`ROWS`] for the first one, which has unused rows above.
    pattern: &'a [U],
    /// Its columns.
    text: &'a [U],
}

impl Band {
    /// A band that computes with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: Lanes) -> Self {
        Self { lanes, ..Self::default() }
    }

    /// Distance of two texts, `pattern` being the shorter one and not empty; `None` above `limit`. The
    /// bound of the band starts at `guess` and grows. Units are ids below `ids`.
    pub fn distance<U: Unit>(
        &mut self,
        pattern: &[U],
        text: &[U],
        ids: usize,
        guess: usize,
        limit: usize,
    ) -> Option<usize> {
        let limit = limit.min(text.len());
        let mut bound = guess.max(text.len() - pattern.len()).max(64).min(limit);
        self.bits.resize(ids, [0; WORDS]);
        loop {
            match self.distance_within(pattern, text, bound) {
                Ok(distance) => return Some(distance),
                Err(_) if bound >= limit => return None,
                Err(expected) => bound = expected.clamp(2 * bound, 8 * bound).min(limit),
            }
        }
    }

    /// The distance, or a guess at it where it is above `bound`.
    fn distance_within<U: Unit>(&mut self, pattern: &[U], text: &[U], bound: usize) -> Result<usize, usize> {
        let (rows, columns) = (pattern.len(), text.len());
        let difference = columns - rows;
        let Some(slack) = bound.checked_sub(difference) else { return Err(difference) };
        let reach = difference + slack / 2;
        self.steps.clear();
        self.steps.resize(columns, 1);
        let first = (rows - 1) % ROWS + 1;
        let (mut start, mut left) = (0, 0);
        let mut row = 0;
        while row < rows {
            let end_row = if row == 0 { first } else { row + ROWS };
            let end = columns.min(end_row + reach);
            let strip = Strip { pattern: &pattern[row..end_row], text: &text[start..end] };
            self.strip(&strip, start);
            // The left edge of the strip rises by one a row.
            left += end_row - row;
            row = end_row;
            if row == rows {
                let distance = self.steps[start..end].iter().copied().fold(left, step);
                return if end == columns && distance <= bound { Ok(distance) } else { Err(2 * bound) };
            }
            // Columns from which the end can still be reached within the bound.
            let mut distance = left;
            let mut lowest = distance;
            let mut next = None;
            for column in start..=end {
                lowest = lowest.min(distance);
                let rest = (columns - column).abs_diff(rows - row);
                if distance + rest <= bound {
                    next = Some((column, distance));
                    break;
                }
                if column < end {
                    distance = step(distance, self.steps[column]);
                }
            }
            let Some((column, distance)) = next else {
                return Err(lowest.saturating_mul(rows) / row * 115 / 100);
            };
            (start, left) = (column, distance);
        }
        unreachable!("the pattern has rows")
    }

    fn strip<U: Unit>(&mut self, strip: &Strip<U>, start: usize) {
        let Self { lanes, bits, steps } = self;
        // Unused rows above the first strip do not rise; those of a text do.
        let unused = ROWS - strip.pattern.len();
        let mut up = [u64::MAX; WORDS];
        for (word, up) in up.iter_mut().enumerate() {
            let zeros = unused.saturating_sub(64 * word).min(64);
            *up = if zeros == 64 { 0 } else { u64::MAX << zeros };
        }
        for (row, unit) in (unused..).zip(strip.pattern) {
            bits[unit.code() as usize][row / 64] |= 1 << (row % 64);
        }
        let steps = &mut steps[start..start + strip.text.len()];
        lanes.strip(strip.text, bits, up, steps);
        for unit in strip.pattern {
            bits[unit.code() as usize] = [0; WORDS];
        }
    }
}

/// The distance one column further.
fn step(distance: usize, step: i8) -> usize {
    distance.wrapping_add_signed(isize::from(step))
}
