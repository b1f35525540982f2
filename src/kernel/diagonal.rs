//! Levenshtein distance of long texts with few errors, along the diagonals of the table, from both its ends.
//!
//! Ukkonen (1985), Myers (1986): for each number of errors the furthest cell that each diagonal reaches;
//! equal characters are passed over for free. A path from the start and one from the end that meet on a
//! diagonal make one whole path, and the first to meet have the fewest errors together. Takes about `d * d / 2`
//! steps for distance `d`, whatever the length, and is therefore given a budget: beyond it
//! [`band`](super::band) is the better method, and the progress up to there is a good guess at the distance.

use super::lanes::{DIAGONALS, Isa, NOWHERE, Table, Wavefront};
use super::pattern::Unit;

/// Longest text: positions are kept in 32 bits.
const LONGEST: usize = i32::MAX as usize / 4;

/// Numbers of errors after which the progress is looked at.
const FIRST_LOOK: usize = 16;

/// Characters for each squared error that a better guess is worth: a few hundredths of what the band takes.
const GUESS_COST: usize = 4;

/// What was found within the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The distance.
    Distance(usize),
    /// The distance is above the budget: about so much.
    Guess(usize),
    /// The distance is above the limit.
    TooFar,
}

/// Working memory.
#[derive(Default)]
pub struct Wavefronts {
    isa: Isa,
    sides: [Side; 2],
}

/// A step of a path, as counted from the start of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins.
    pub row: usize,
    pub column: usize,
    /// Whether a character of the pattern, and one of the text, is passed.
    pub passes: [bool; 2],
}

/// Furthest rows of a number of errors and of one less, as counted from one end of the texts.
#[derive(Default)]
struct Side {
    errors: usize,
    now: Vec<i32>,
    before: Vec<i32>,
    /// Those of all numbers of errors, if they are kept: one row with no errors, three with one, five with two.
    kept: Vec<i32>,
    /// Row plus column of the furthest cell.
    furthest: usize,
    /// The place of the main diagonal.
    main: usize,
    /// The place of this end's diagonal.
    centre: usize,
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
#[expect(clippy::cast_sign_loss, reason = "rows of the table")]
impl Wavefronts {
    /// Wavefronts that are computed with these lanes.
    #[cfg(test)]
    pub fn with_isa(isa: Isa) -> Self {
        Self { isa, ..Self::default() }
    }

    /// Distance of two texts, `pattern` being the shorter one, by little more than `budget` steps at most.
    pub fn distance<U: Unit>(&mut self, pattern: &[U], text: &[U], budget: usize, limit: usize) -> Found {
        // One diagonal at a time takes about twice as long.
        let budget = if self.isa.wavefronts_are_vectors() { budget } else { budget / 2 };
        self.search::<U, false>(pattern, text, budget, limit)
    }

    /// The steps of a shortest path, if at most `most` are expected. All instruction sets find the same.
    pub fn path<U: Unit>(&mut self, pattern: &[U], text: &[U], most: usize) -> Option<Vec<Step>> {
        let Found::Distance(distance) =
            self.search::<U, true>(pattern, text, (most * most).div_ceil(2), most)
        else {
            return None;
        };
        let (rows, columns) = (pattern.len(), text.len());
        let [start, end] = &self.sides;
        let errors = [distance.div_ceil(2), distance / 2];
        let reached = |at: &usize| start.reached(errors[0], *at) + end.reached(errors[1], *at) >= rows as i32;
        let middle = (end.centre.saturating_sub(errors[1])..=start.centre + errors[0]).find(reached)?;
        let row = start.reached(errors[0], middle) as usize;
        let column = row + middle - start.main;
        let before = start.walk(1, errors[0], [row, column], |[row, column]| {
            U::common_suffix(&pattern[..row], &text[..column])
        });
        let behind = end.walk(-1, errors[1], [rows - row, columns - column], |[row, column]| {
            U::common_prefix(&pattern[rows - row..], &text[columns - column..])
        });
        let behind = behind.into_iter().map(|Step { row, column, passes }| Step {
            row: rows - row - usize::from(passes[0]),
            column: columns - column - usize::from(passes[1]),
            passes,
        });
        Some(before.into_iter().rev().chain(behind).collect())
    }

    fn search<U: Unit, const KEEP: bool>(
        &mut self,
        pattern: &[U],
        text: &[U],
        budget: usize,
        limit: usize,
    ) -> Found {
        let (rows, columns) = (pattern.len(), text.len());
        debug_assert!(rows <= columns);
        if columns > LONGEST {
            return Found::Guess(columns / 8);
        }
        let affordable = (2 * budget).isqrt();
        // A search that has used up its budget goes on for a quarter more: the band would start from nothing.
        let most = (affordable + affordable / 4).min(columns).min(limit);
        let difference = columns - rows;
        if difference > most {
            return if most == limit { Found::TooFar } else { Found::Guess(difference) };
        }
        let Self { isa, sides: [start, end] } = self;
        let each = most.div_ceil(2);
        start.begin(each, difference, 0, U::common_prefix(pattern, text));
        end.begin(each, difference, difference, U::common_suffix(pattern, text));
        let table = Table { pattern, text };
        for errors in 0..=each {
            if errors > 0 {
                [start.furthest, end.furthest] = isa.wavefronts(table, start.advance(), end.advance());
            }
            if KEEP {
                start.keep();
                end.keep();
            }
            // Paths that meet have passed all characters together.
            let progress = start.furthest + end.furthest;
            if progress >= rows + columns && 2 * errors >= difference {
                let both = end.centre - errors..start.centre + errors + 1;
                let meets =
                    |wavefront: &[i32]| meet(&start.now[both.clone()], &wavefront[both.clone()], rows as i32);
                let distance = if errors > 0 && meets(&end.before) {
                    Some(2 * errors - 1)
                } else {
                    meets(&end.now).then_some(2 * errors)
                };
                if let Some(distance) = distance {
                    return if distance <= limit { Found::Distance(distance) } else { Found::TooFar };
                }
            }
            let total = 2 * errors;
            if total >= FIRST_LOOK && total.is_power_of_two() {
                // The first errors tell little: there may be about `root` more or fewer.
                let (root, expected) = (total.isqrt(), expected(total, rows + columns, progress));
                let is_known_well = total * total >= columns / GUESS_COST;
                if is_known_well && expected * (root - 1) > affordable * root {
                    return Found::Guess(guess(total, expected));
                }
            }
        }
        if most == limit {
            return Found::TooFar;
        }
        Found::Guess(guess(most, expected(most, rows + columns, start.furthest + end.furthest)))
    }
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
impl Side {
    /// No errors yet, at most `most` of them to come; the first `row` characters from this end are equal.
    fn begin(&mut self, most: usize, difference: usize, diagonal: usize, row: usize) {
        // A cell more at each end, as diagonals have neighbours, and room for the last ones, which are computed
        // several at a time.
        self.main = most + 1;
        self.centre = self.main + diagonal;
        self.errors = 0;
        let size = self.main + difference + most + DIAGONALS + 1;
        for wavefront in [&mut self.now, &mut self.before] {
            wavefront.clear();
            wavefront.resize(size, NOWHERE);
        }
        self.now[self.centre] = row as i32;
        self.furthest = 2 * row;
        self.kept.clear();
    }

    /// Keeps the furthest rows.
    fn keep(&mut self) {
        self.kept.extend_from_slice(&self.now[self.centre - self.errors..=self.centre + self.errors]);
    }

    /// The furthest row on a diagonal after `errors` errors.
    fn reached(&self, errors: usize, at: usize) -> i32 {
        match (at + errors).checked_sub(self.centre) {
            Some(cell) if cell <= 2 * errors => self.kept[errors * errors + cell],
            _ => NOWHERE,
        }
    }

    /// The way back to this end, with `errors` errors, from a row and a column, all counted from it. `same` is
    /// how many characters before them are equal, and `sign` that of the diagonals of columns beyond the rows.
    fn walk(
        &self,
        sign: isize,
        mut errors: usize,
        mut at: [usize; 2],
        same: impl Fn([usize; 2]) -> usize,
    ) -> Vec<Step> {
        let mut steps = Vec::with_capacity(errors);
        loop {
            let equal = same(at);
            at = at.map(|place| place - equal);
            if errors == 0 {
                return steps;
            }
            errors -= 1;
            let is_way = |passes: &[bool; 2]| {
                let [Some(row), Some(column)] = [0, 1].map(|side| at[side].checked_sub(passes[side].into()))
                else {
                    return false;
                };
                let diagonal = sign * (column as isize - row as isize);
                self.reached(errors, self.centre.wrapping_add_signed(diagonal)) >= row as i32
            };
            let passes = [[true, true], [false, true], [true, false]].into_iter().find(is_way);
            let passes = passes.expect("a way with an error less");
            at = [0, 1].map(|side| at[side] - usize::from(passes[side]));
            steps.push(Step { row: at[0], column: at[1], passes });
        }
    }

    /// The diagonals that one error more can reach.
    fn advance(&mut self) -> Wavefront<'_> {
        self.errors += 1;
        let first = self.centre - self.errors;
        let end = first + (2 * self.errors + 1).next_multiple_of(DIAGONALS);
        std::mem::swap(&mut self.now, &mut self.before);
        Wavefront {
            first: first as i32 - self.main as i32,
            before: &self.before[first - 1..=end],
            now: &mut self.now[first..end],
        }
    }
}

/// Whether paths from both ends meet on a diagonal.
fn meet(from_start: &[i32], from_end: &[i32], rows: i32) -> bool {
    // Without a branch for each diagonal.
    from_start.iter().zip(from_end).filter(|&(start, end)| start + end >= rows).count() > 0
}

/// The distance if errors go on as up to here.
fn expected(errors: usize, total: usize, progress: usize) -> usize {
    errors * total / progress.max(1)
}

/// A bound that few distances exceed, from the distance expected after a number of errors: the rest varies with its
/// square root.
fn guess(errors: usize, expected: usize) -> usize {
    expected + expected * 3 / 2 / errors.isqrt().max(1) + 16
}
