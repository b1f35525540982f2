//! Levenshtein distance of long texts with few errors, along the diagonals of the table, from both its ends.
//!
//! Ukkonen (1985), Myers (1986): for each number of errors the furthest cell that each diagonal reaches;
//! equal characters are passed over for free. A path from the start and one from the end that meet on a
//! diagonal make one whole path, and the first to meet have the fewest errors together. Takes about `d * d / 2`
//! steps for distance `d`, whatever the length, and is therefore given a budget: beyond it
//! [`band`](super::band) is the better method, and the progress up to there is a good guess at the distance.

use super::lanes::{Corner, DIAGONALS, Lanes, NOWHERE, Table};
use super::pattern::Unit;

/// Longest text: positions are kept in 32 bits.
const LONGEST: usize = i32::MAX as usize / 4;

/// Numbers of errors after which the progress is looked at.
const FIRST_LOOK: usize = 16;

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
pub struct Waves {
    lanes: Lanes,
    sides: [Side; 2],
}

/// Furthest rows of a number of errors and of one less, as counted from one end of the texts.
#[derive(Default)]
struct Side {
    corner: Corner,
    errors: usize,
    now: Vec<i32>,
    before: Vec<i32>,
    /// Row plus column of the furthest cell.
    furthest: usize,
    /// Where the main diagonal stands.
    main: usize,
    /// Where the diagonal of this end stands.
    centre: usize,
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
impl Waves {
    /// Waves that are computed with these lanes.
    #[cfg(test)]
    pub fn with_lanes(lanes: Lanes) -> Self {
        Self { lanes, ..Self::default() }
    }

    /// Distance of two texts, `pattern` being the shorter one, by about `budget` steps at most.
    pub fn distance<U: Unit>(&mut self, pattern: &[U], text: &[U], budget: usize, limit: usize) -> Found {
        let (rows, columns) = (pattern.len(), text.len());
        debug_assert!(rows <= columns);
        if columns > LONGEST {
            return Found::Guess(columns / 8);
        }
        let affordable = (2 * budget).isqrt().min(columns);
        let most = affordable.min(limit);
        let difference = columns - rows;
        if difference > most {
            return if most == limit { Found::TooFar } else { Found::Guess(difference) };
        }
        // A guess from little progress is rough, hence the margin.
        let hopeless = 2 * affordable;
        let Self { lanes, sides: [start, end] } = self;
        start.begin(Corner::First, most.div_ceil(2), difference, U::common_prefix(pattern, text));
        end.begin(Corner::Last, most.div_ceil(2), difference, U::common_suffix(pattern, text));
        let table = Table { pattern, text };
        for errors in 0..=most {
            if errors % 2 == 1 {
                start.advance(*lanes, table);
            } else if errors > 0 {
                end.advance(*lanes, table);
            }
            // Paths that meet have passed all characters together.
            let progress = start.furthest + end.furthest;
            if progress >= rows + columns && errors >= difference && start.meets(end, rows as i32) {
                return Found::Distance(errors);
            }
            if errors >= FIRST_LOOK && errors.is_power_of_two() {
                let guess = guess(errors, rows + columns, progress);
                if guess > hopeless {
                    return Found::Guess(guess);
                }
            }
        }
        if most == limit {
            return Found::TooFar;
        }
        Found::Guess(guess(most, rows + columns, start.furthest + end.furthest))
    }
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
impl Side {
    /// No errors yet, at most `most` of them to come; the first `row` characters are equal.
    fn begin(&mut self, corner: Corner, most: usize, difference: usize, row: usize) {
        // A cell more at each end, as diagonals have neighbours, and room for the last ones, which are computed
        // several at a time.
        self.main = most + 1;
        self.corner = corner;
        self.errors = 0;
        self.centre = self.main + if corner == Corner::Last { difference } else { 0 };
        let size = self.main + difference + most + DIAGONALS + 1;
        for wave in [&mut self.now, &mut self.before] {
            wave.clear();
            wave.resize(size, NOWHERE);
        }
        self.now[self.centre] = row as i32;
        self.furthest = 2 * row;
    }

    /// One error more.
    fn advance<U: Unit>(&mut self, lanes: Lanes, table: Table<U>) {
        self.errors += 1;
        let first = self.centre - self.errors;
        let end = first + (2 * self.errors + 1).next_multiple_of(DIAGONALS);
        let diagonal = first as i32 - self.main as i32;
        std::mem::swap(&mut self.now, &mut self.before);
        let before = &self.before[first - 1..=end];
        let furthest = lanes.wave(table, self.corner, diagonal, before, &mut self.now[first..end]);
        self.furthest = furthest.cast_unsigned() as usize;
    }

    /// Whether paths of both sides meet on a diagonal, of which there is one that both have reached.
    fn meets(&self, other: &Self, rows: i32) -> bool {
        let first = (self.centre - self.errors).max(other.centre - other.errors);
        let last = (self.centre + self.errors).min(other.centre + other.errors);
        // Several at a time; those behind the last one lead nowhere.
        let end = first + (last + 1 - first).next_multiple_of(DIAGONALS);
        let cells = [self, other].map(|side| side.now[first..end].as_chunks::<DIAGONALS>().0);
        let meets = |(here, there): (&[i32; DIAGONALS], &[i32; DIAGONALS])| {
            // Counted, without a branch for each diagonal.
            here.iter().zip(there).filter(|&(here, there)| here + there >= rows).count() > 0
        };
        cells[0].iter().zip(cells[1]).any(meets)
    }
}

/// The distance if errors go on as up to here.
fn guess(errors: usize, total: usize, progress: usize) -> usize {
    errors.max(1) * total / progress.max(1) * 11 / 10 + 16
}
