//! The alignment of source, hypothesis and reference behind the I-measure.
//!
//! Felice and Briscoe (2015), "Towards a standard evaluation method for grammatical error detection and
//! correction": the cheapest sum of pairs, a gap at 2, a mismatch at 3.

const GAP: u16 = 2;
const MISMATCH: u16 = 3;
/// A token against two gaps.
const ALONE: u16 = 2 * GAP;
/// So many words in all keep costs within 16 bits.
const MAX_WORDS: usize = 8_000;

/// One column: a token of each text, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Of the source.
    pub source: Option<u32>,
    /// Of the hypothesis.
    pub hypothesis: Option<u32>,
    /// Of the reference.
    pub reference: Option<u32>,
}

/// Aligns texts, keeping its memory from one to the next.
#[derive(Default)]
pub struct Aligner {
    table: Vec<u16>,
    mismatches: [Vec<u16>; 2],
    /// The columns of the last alignment.
    pub columns: Vec<Column>,
}

impl Aligner {
    /// Aligns three texts. The error tells the size of a table beyond `max_cells`.
    pub fn align(
        &mut self,
        source: &[u32],
        hypothesis: &[u32],
        reference: &[u32],
        max_cells: usize,
    ) -> Result<(), String> {
        self.columns.clear();
        if source == hypothesis && hypothesis == reference {
            let equal = source.iter().map(|&token| Some(token));
            self.columns.extend(equal.map(|token| Column {
                source: token,
                hypothesis: token,
                reference: token,
            }));
            return Ok(());
        }
        if source == hypothesis || source == reference {
            let other = if source == hypothesis { reference } else { hypothesis };
            let is_hypothesis = source != hypothesis;
            check_size(&[source.len(), other.len()], max_cells)?;
            // The text that is there twice is held against the other one; the reference comes second where
            // it is the other one, as the hypothesis does.
            self.align_two(source, other);
            if is_hypothesis {
                for column in &mut self.columns {
                    (column.hypothesis, column.reference) = (column.reference, column.source);
                }
            }
            return Ok(());
        }
        check_size(&[source.len(), hypothesis.len(), reference.len()], max_cells)?;
        self.fill(source, hypothesis, reference);
        self.walk_back(source, hypothesis, reference);
        Ok(())
    }

    /// Two texts; the first stands for source and hypothesis, the second for the reference.
    fn align_two(&mut self, first: &[u32], second: &[u32]) {
        let width = second.len() + 1;
        self.table.clear();
        self.table.extend((0..width as u16).map(|j| j * GAP));
        for (i, &token) in first.iter().enumerate() {
            let above = i * width;
            self.table.push((i as u16 + 1) * GAP);
            for (j, &other) in second.iter().enumerate() {
                let diagonal = self.table[above + j] + mismatch(token, other);
                let up = self.table[above + j + 1] + GAP;
                let left = self.table[above + width + j] + GAP;
                self.table.push(diagonal.min(up).min(left));
            }
        }
        let (mut i, mut j) = (first.len(), second.len());
        while i > 0 || j > 0 {
            let here = self.table[i * width + j];
            let at = |i: usize, j: usize| self.table[i * width + j];
            let is_diagonal =
                i > 0 && j > 0 && here == at(i - 1, j - 1) + mismatch(first[i - 1], second[j - 1]);
            let (mut one, mut other) = (None, None);
            if is_diagonal || (i > 0 && here == at(i - 1, j) + GAP) {
                i -= 1;
                one = Some(first[i]);
                if is_diagonal {
                    j -= 1;
                    other = Some(second[j]);
                }
            } else {
                j -= 1;
                other = Some(second[j]);
            }
            self.columns.push(Column { source: one, hypothesis: one, reference: other });
        }
        self.columns.reverse();
    }

    /// Fills the table of costs: source by hypothesis by reference.
    fn fill(&mut self, source: &[u32], hypothesis: &[u32], reference: &[u32]) {
        let (rows, width) = (hypothesis.len() + 1, reference.len() + 1);
        self.table.clear();
        self.table.resize((source.len() + 1) * rows * width, 0);
        let [of_source, of_hypothesis] = &mut self.mismatches;
        for i in 0..=source.len() {
            of_source.clear();
            if i > 0 {
                of_source.extend(reference.iter().map(|&token| mismatch(source[i - 1], token) + ALONE));
            }
            for j in 0..rows {
                let start = (i * rows + j) * width;
                let (done, rest) = self.table.split_at_mut(start);
                let row = &mut rest[..width];
                let line = |i: usize, j: usize| &done[(i * rows + j) * width..][..width];
                row.fill(u16::MAX / 2);
                if i == 0 && j == 0 {
                    row[0] = 0;
                }
                if j > 0 {
                    of_hypothesis.clear();
                    of_hypothesis
                        .extend(reference.iter().map(|&token| mismatch(hypothesis[j - 1], token) + ALONE));
                    improve(row, line(i, j - 1), ALONE, of_hypothesis);
                }
                if i > 0 {
                    improve(row, line(i - 1, j), ALONE, of_source);
                }
                if i > 0 && j > 0 {
                    let pair = mismatch(source[i - 1], hypothesis[j - 1]);
                    improve_all(row, line(i - 1, j - 1), pair, of_source, of_hypothesis);
                }
                let mut left = row[0];
                for cost in &mut row[1..] {
                    left = (*cost).min(left + ALONE);
                    *cost = left;
                }
            }
        }
    }

    fn walk_back(&mut self, source: &[u32], hypothesis: &[u32], reference: &[u32]) {
        // The first that fits is taken.
        const MOVES: [[usize; 3]; 7] =
            [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let (rows, width) = (hypothesis.len() + 1, reference.len() + 1);
        let at = |[i, j, k]: [usize; 3]| self.table[(i * rows + j) * width + k];
        let pair = |one: Option<u32>, other: Option<u32>| match (one, other) {
            (Some(one), Some(other)) => mismatch(one, other),
            (None, None) => 0,
            _ => GAP,
        };
        let mut here = [source.len(), hypothesis.len(), reference.len()];
        while here != [0, 0, 0] {
            for step in MOVES {
                if (0..3).any(|text| here[text] < step[text]) {
                    continue;
                }
                let before = [here[0] - step[0], here[1] - step[1], here[2] - step[2]];
                let token = |text: usize, tokens: &[u32]| (step[text] == 1).then(|| tokens[before[text]]);
                let column = Column {
                    source: token(0, source),
                    hypothesis: token(1, hypothesis),
                    reference: token(2, reference),
                };
                let cost = pair(column.source, column.hypothesis)
                    + pair(column.source, column.reference)
                    + pair(column.hypothesis, column.reference);
                if at(before) + cost == at(here) {
                    self.columns.push(column);
                    here = before;
                    break;
                }
            }
        }
        self.columns.reverse();
    }
}

/// Costs from the line before: alone, or together with a token of the reference.
fn improve(row: &mut [u16], line: &[u16], alone: u16, together: &[u16]) {
    for (cost, &before) in row.iter_mut().zip(line) {
        *cost = (*cost).min(before + alone);
    }
    for ((cost, &before), &pair) in row[1..].iter_mut().zip(line).zip(together) {
        *cost = (*cost).min(before + pair);
    }
}

/// Costs from the line before in source and hypothesis: without a token of the reference, or with one. The
/// two rows of mismatches hold what a token and two gaps cost as well, which is taken off here.
fn improve_all(row: &mut [u16], line: &[u16], pair: u16, of_source: &[u16], of_hypothesis: &[u16]) {
    for (cost, &before) in row.iter_mut().zip(line) {
        *cost = (*cost).min(before + pair + ALONE);
    }
    for (((cost, &before), &one), &other) in row[1..].iter_mut().zip(line).zip(of_source).zip(of_hypothesis) {
        *cost = (*cost).min(before + pair + one + other - 2 * ALONE);
    }
}

fn mismatch(one: u32, other: u32) -> u16 {
    if one == other { 0 } else { MISMATCH }
}

fn check_size(words: &[usize], max_cells: usize) -> Result<(), String> {
    let cells = words.iter().fold(1usize, |cells, &words| cells.saturating_mul(words + 1));
    if cells > max_cells || words.iter().sum::<usize>() > MAX_WORDS {
        return Err(format!(
            "texts of {words:?} words need a table of {cells} cells; max_cells={max_cells} and {MAX_WORDS} \
             words are allowed: cut the prediction off, or raise max_cells"
        ));
    }
    Ok(())
}
