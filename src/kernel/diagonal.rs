//! Levenshtein distance of long texts with few errors, along the diagonals of the table.
//!
//! Ukkonen (1985), Myers (1986): for each number of errors the furthest cell that each diagonal reaches;
//! equal characters are passed over for free. Takes about `d * d` steps for distance `d`, whatever the
//! length, and is therefore given a budget: beyond it [`band`](super::band) is the better method, and the
//! progress up to there is a good guess at the distance.

use super::pattern::{BLOCK, Unit};

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
pub struct Waves<U> {
    now: Vec<i32>,
    before: Vec<i32>,
    /// The texts with guards behind them, so that a block can be read wherever a path may end.
    guarded: [Vec<U>; 2],
}

#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
impl<U: Unit> Waves<U> {
    /// Distance of two texts, `pattern` being the shorter one, by at most `budget` steps.
    pub fn distance(&mut self, pattern: &[U], text: &[U], budget: usize, limit: usize) -> Found {
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
        let first = U::common_prefix(pattern, text);
        if first == rows && rows == columns {
            return Found::Distance(0);
        }
        for ((guarded, units), guard) in self.guarded.iter_mut().zip([pattern, text]).zip(U::GUARDS) {
            guarded.clear();
            guarded.extend_from_slice(units);
            guarded.extend([guard; BLOCK]);
        }
        let [pattern, text] = self.guarded.each_ref().map(Vec::as_slice);
        self.now[centre] = first as i32;
        for errors in 1..=most {
            std::mem::swap(&mut self.now, &mut self.before);
            let (below, above) = (errors.min(rows), errors.min(columns));
            let now = &mut self.now[centre - below..=centre + above];
            start(now, &self.before[centre - below - 1..=centre + above + 1], rows, columns + below);
            follow(now, pattern, text, below);
            // The last cell lies on this diagonal.
            if now.get(below + columns - rows) == Some(&(rows as i32)) {
                return Found::Distance(errors);
            }
            if errors >= FIRST_LOOK && errors.is_power_of_two() {
                let guess = guess(errors, rows + columns, progress(now, below));
                if guess > hopeless {
                    return Found::Guess(guess);
                }
            }
        }
        if most == limit {
            return Found::TooFar;
        }
        let below = most.min(rows);
        let now = &self.now[centre - below..=centre + most];
        Found::Guess(guess(most, rows + columns, progress(now, below)))
    }
}

/// The rows that one error more reaches on each diagonal, by a step from it or from one of its neighbours.
/// `end` is the last row of the first diagonal.
#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
fn start(now: &mut [i32], before: &[i32], rows: usize, end: usize) {
    for (index, (now, near)) in now.iter_mut().zip(before.windows(3)).enumerate() {
        let row = near[0].max(near[1] + 1).max(near[2] + 1);
        *now = row.min(rows as i32).min(end as i32 - index as i32);
    }
}

/// Passes over the characters that are equal on each diagonal, `below` of which lie below the main one. Both
/// texts have guards behind them.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
fn follow<U: Unit>(now: &mut [i32], pattern: &[U], text: &[U], below: usize) {
    for (index, reached) in now.iter_mut().enumerate() {
        // Column minus row.
        let diagonal = index as i32 - below as i32;
        // Places before the texts are far behind them as unsigned numbers.
        let row = reached.cast_unsigned() as usize;
        let column = (*reached + diagonal).cast_unsigned() as usize;
        let blocks = block(pattern, row).zip(block(text, column));
        let Some((left, right)) = blocks else {
            *reached = NOWHERE;
            continue;
        };
        let mut same = U::first_difference(left, right);
        if same == BLOCK {
            same += U::common_prefix(&pattern[row + BLOCK..], &text[column + BLOCK..]);
        }
        *reached += same as i32;
    }
}

/// The block that starts at a place.
#[inline]
fn block<U>(units: &[U], start: usize) -> Option<&[U; BLOCK]> {
    units.get(start..start + BLOCK)?.first_chunk()
}

/// The characters of both texts behind the furthest cell.
#[expect(clippy::cast_possible_wrap, reason = "texts are shorter than LONGEST")]
fn progress(now: &[i32], below: usize) -> usize {
    let cells = now.iter().enumerate();
    let furthest = cells.map(|(index, row)| 2 * row + index as i32 - below as i32).max();
    furthest.unwrap_or_default().max(0).cast_unsigned() as usize
}

/// The distance if errors go on as up to here.
fn guess(errors: usize, total: usize, progress: usize) -> usize {
    errors.max(1) * total / progress.max(1) * 11 / 10 + 16
}
