//! Levenshtein distance of long texts, in a band of the table that holds every path of at most `k` errors.
//!
//! The table is computed in strips of 256 rows (the pattern), four words of 64 rows each. In one step the
//! words work on four neighbouring columns, so that each gets the carry of the word above from the step
//! before and the four of them fit one vector. From strip to strip pass the horizontal steps of the lowest
//! row. Match bits are made for one strip at a time, so memory is linear in the texts.
//!
//! Outside of the band each step costs 1, the least possible: the result is never too small, and a
//! result of at most `k` is exact. Hyyrö (2003) for the words, Ukkonen (1985) for the band.

use super::lanes::{Isa, WORDS, Words};
use super::pattern::Unit;

/// Rows of a strip.
const ROWS: usize = 64 * WORDS;

#[derive(Default)]
pub struct Band {
    isa: Isa,
    /// Match bits of the strip for each id.
    bits: Vec<Words>,
    /// Horizontal step of the lowest row so far, at each column: +1, 0 or -1.
    steps: Vec<i8>,
}

/// The position of a strip in the table.
struct Strip<'a, U> {
    /// Its rows; fewer than [`ROWS`] for the first one, which has unused rows above.
    pattern: &'a [U],
    /// Its columns.
    text: &'a [U],
}

impl Band {
    /// A band that computes with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
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
                Err(next) => bound = next.clamp(bound + 1, 8 * bound).min(limit),
            }
        }
    }

    /// The distance, or the bound to try next where it is above this one.
    fn distance_within<U: Unit>(&mut self, pattern: &[U], text: &[U], bound: usize) -> Result<usize, usize> {
        let (rows, columns) = (pattern.len(), text.len());
        let difference = columns - rows;
        let Some(slack) = bound.checked_sub(difference) else { return Err(difference) };
        // Diagonals above which the end cannot be reached within the bound.
        let mut reach = difference + slack / 2;
        self.steps.clear();
        self.steps.resize(columns, 1);
        let first = (rows - 1) % ROWS + 1;
        let (mut start, mut left) = (0, 0);
        let (mut row, mut seen) = (0, 0);
        while row < rows {
            let end_row = if row == 0 { first } else { row + ROWS };
            let end = columns.min(end_row + reach);
            // What a strip above wrote further right belongs to other rows.
            self.steps[end.min(seen)..seen].fill(1);
            seen = end;
            let strip = Strip { pattern: &pattern[row..end_row], text: &text[start..end] };
            self.strip(&strip, start);
            // The left edge of the strip rises by one a row.
            left += end_row - row;
            row = end_row;
            if row == rows {
                let distance = self.steps[start..end].iter().copied().fold(left, step);
                // Beyond the bound the result may be too large, never too small: it bounds the distance.
                return if distance <= bound { Ok(distance) } else { Err(distance) };
            }
            // Columns from which the end can still be reached within the bound.
            let steps = &self.steps[start..end];
            let is_near =
                |column: usize, distance: usize| distance + (columns - column).abs_diff(rows - row) <= bound;
            let mut lowest = left;
            let mut walked = walk(start..=end, left, steps.iter().copied());
            let near = walked.find(|&(column, distance)| {
                lowest = lowest.min(distance);
                is_near(column, distance)
            });
            let Some((column, distance)) = near else {
                return Err((lowest.saturating_mul(rows) / row * 115 / 100).max(bound + bound / 4));
            };
            let right = steps.iter().copied().fold(left, step);
            let back = walk((start..=end).rev(), right, steps.iter().rev().map(|step| -step));
            for (last, distance) in back {
                if is_near(last, distance) {
                    // A diagonal further right costs one to get to, and one to come back from beyond the last cell's.
                    reach = reach.min((bound + difference + last - distance - row) / 2);
                    break;
                }
            }
            (start, left) = (column, distance);
        }
        unreachable!("the pattern has rows")
    }

    fn strip<U: Unit>(&mut self, strip: &Strip<U>, start: usize) {
        let Self { isa, bits, steps } = self;
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
        isa.strip(strip.text, bits, up, steps);
        for unit in strip.pattern {
            bits[unit.code() as usize] = [0; WORDS];
        }
    }
}

/// Columns, and the distance in each of them; `steps` lead from one to the next.
fn walk(
    columns: impl Iterator<Item = usize>,
    distance: usize,
    steps: impl Iterator<Item = i8>,
) -> impl Iterator<Item = (usize, usize)> {
    let further = steps.scan(distance, |distance, next| {
        *distance = step(*distance, next);
        Some(*distance)
    });
    columns.zip(std::iter::once(distance).chain(further))
}

fn step(distance: usize, step: i8) -> usize {
    distance.wrapping_add_signed(isize::from(step))
}
