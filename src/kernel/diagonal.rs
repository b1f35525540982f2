//! Levenshtein distance of long texts with few errors, along the diagonals of the table.
//!
//! Ukkonen (1985), Myers (1986): for each number of errors the furthest cell that each diagonal reaches;
//! equal characters are passed over for free. Takes about `d * d` steps for distance `d`, whatever the
//! length, and is therefore given a budget: beyond it [`band`](super::band) is the better method, and the
//! progress up to there is a good guess at the distance.

use super::pattern::Unit;

/// A cell that no path reaches; small enough that adding to it does not matter.
const NOWHERE: i32 = i32::MIN / 2;

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

/// Working memory: furthest rows of this number of errors and of the one before.
#[derive(Default)]
pub struct Waves {
    now: Vec<i32>,
    before: Vec<i32>,
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
impl Waves {
    /// Distance of two texts, `pattern` being the shorter one, by at most `budget` steps.
    pub fn distance<U: Unit>(&mut self, pattern: &[U], text: &[U], budget: usize, limit: usize) -> Found {
        let (rows, columns) = (pattern.len(), text.len());
        debug_assert!(rows <= columns);
        if columns > LONGEST {
            return Found::Guess(columns / 8);
        }
        let affordable = budget.isqrt().min(columns);
        let most = affordable.min(limit);
        // A guess from little progress is rough, hence the margin.
        let hopeless = 2 * affordable;
        let size = 2 * most + 3;
        // One cell more at each end, so that each diagonal has neighbours.
        let centre = most + 1;
        for wave in [&mut self.now, &mut self.before] {
            wave.clear();
            wave.resize(size, NOWHERE);
        }
        let last = columns - rows;
        let mut furthest = U::common_prefix(pattern, text);
        if furthest == rows && last == 0 {
            return Found::Distance(0);
        }
        self.now[centre] = furthest as i32;
        let mut progress = 2 * furthest as i32;
        for errors in 1..=most {
            std::mem::swap(&mut self.now, &mut self.before);
            let (below, above) = (errors.min(rows), errors.min(columns));
            let range = centre - below..=centre + above;
            let lower = (rows as i32, columns as i32 + below as i32);
            let before = &self.before[centre - below - 1..=centre + above + 1];
            let now = &mut self.now[range];
            for (index, (now, near)) in now.iter_mut().zip(before.windows(3)).enumerate() {
                let row = near[0].max(near[1] + 1).max(near[2] + 1);
                *now = row.min(lower.0).min(lower.1 - index as i32);
            }
            for (index, reached) in now.iter_mut().enumerate() {
                // Column minus row.
                let diagonal = index as i32 - below as i32;
                // Places before the texts are far behind them as unsigned numbers.
                let row = reached.cast_unsigned() as usize;
                let column = (*reached + diagonal).cast_unsigned() as usize;
                let (Some(left), Some(right)) = (pattern.get(row..), text.get(column..)) else {
                    *reached = NOWHERE;
                    continue;
                };
                furthest = row + U::common_prefix(left, right);
                *reached = furthest as i32;
                progress = progress.max(2 * furthest as i32 + diagonal);
                if furthest == rows && diagonal == last as i32 {
                    return Found::Distance(errors);
                }
            }
            if errors >= FIRST_LOOK && errors.is_power_of_two() {
                let guess = guess(errors, rows + columns, progress.cast_unsigned() as usize);
                if guess > hopeless {
                    return Found::Guess(guess);
                }
            }
        }
        if most == limit {
            Found::TooFar
        } else {
            Found::Guess(guess(most, rows + columns, progress.cast_unsigned() as usize))
        }
    }
}

/// The distance if errors go on as up to here.
fn guess(errors: usize, total: usize, progress: usize) -> usize {
    errors.max(1) * total / progress.max(1) * 11 / 10 + 16
}
