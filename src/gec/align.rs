//! The alignment of source, hypothesis and reference that the I-measure counts.
//!
//! Felice and Briscoe (2015), "Towards a standard evaluation method for grammatical error detection and
//! correction": the cheapest sum of pairs; by default a gap costs 2 and a mismatch 3.

/// The dearest table that 16 bits hold, with room for one more column.
const MAX_COST: usize = 32_000;

/// What a pair of a column costs; a match costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    gap: u16,
    mismatch: u16,
}

impl Costs {
    /// The largest cost there is.
    pub const MAX: u16 = 1_000;

    /// Costs from 1 to [`Self::MAX`]; none otherwise. Their ratio alone counts, so they are made small.
    pub fn new(gap: u32, mismatch: u32) -> Option<Self> {
        let [gap, mismatch] = [gap, mismatch].map(|cost| u16::try_from(cost).unwrap_or_default());
        let divisor = common_divisor(gap, mismatch);
        [gap, mismatch]
            .iter()
            .all(|cost| (1..=Self::MAX).contains(cost))
            .then(|| Self { gap: gap / divisor, mismatch: mismatch / divisor })
    }

    /// A token against two gaps.
    fn alone(self) -> u16 {
        2 * self.gap
    }

    fn pair(self, one: u32, other: u32) -> u16 {
        if one == other { 0 } else { self.mismatch }
    }

    /// The most words in all with which costs fit into 16 bits, even if each is aligned with nothing.
    fn max_words(self) -> usize {
        MAX_COST / usize::from(self.alone())
    }
}

impl Default for Costs {
    fn default() -> Self {
        Self { gap: 2, mismatch: 3 }
    }
}

fn common_divisor(one: u16, other: u16) -> u16 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

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

/// Aligns texts, keeping its memory from one to the next. References of one sentence begin with the same words, so the
/// table has a plane for each word of the reference, and the planes of a common beginning are kept.
#[derive(Default)]
pub struct Aligner {
    costs: Costs,
    /// The source and the hypothesis that the table belongs to, and the reference.
    texts: [Vec<u32>; 3],
    table: Vec<u16>,
    /// Costs of each word of the source against each of the hypothesis.
    pairs: Vec<u16>,
    /// Costs of the hypothesis against one word of the reference.
    words: Vec<u16>,
    of_two: Vec<u16>,
    /// The columns of the last alignment.
    pub columns: Vec<Column>,
}

impl Aligner {
    /// An aligner at these costs.
    pub fn new(costs: Costs) -> Self {
        Self { costs, ..Self::default() }
    }

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
            self.check_size(&[source.len(), other.len()], max_cells)?;
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
        self.check_size(&[source.len(), hypothesis.len(), reference.len()], max_cells)?;
        self.fill(source, hypothesis, reference);
        self.walk_back(source, hypothesis, reference);
        Ok(())
    }

    /// Aligns two texts; the first is both source and hypothesis, the second is the reference.
    fn align_two(&mut self, first: &[u32], second: &[u32]) {
        let (costs, gap) = (self.costs, self.costs.gap);
        let width = second.len() + 1;
        self.of_two.clear();
        self.of_two.extend((0..width as u16).map(|j| j * gap));
        for (i, &token) in first.iter().enumerate() {
            let above = i * width;
            self.of_two.push((i as u16 + 1) * gap);
            for (j, &other) in second.iter().enumerate() {
                let diagonal = self.of_two[above + j] + costs.pair(token, other);
                let up = self.of_two[above + j + 1] + gap;
                let left = self.of_two[above + width + j] + gap;
                self.of_two.push(diagonal.min(up).min(left));
            }
        }
        let (mut i, mut j) = (first.len(), second.len());
        while i > 0 || j > 0 {
            let here = self.of_two[i * width + j];
            let at = |i: usize, j: usize| self.of_two[i * width + j];
            let is_diagonal =
                i > 0 && j > 0 && here == at(i - 1, j - 1) + costs.pair(first[i - 1], second[j - 1]);
            let (mut one, mut other) = (None, None);
            if is_diagonal || (i > 0 && here == at(i - 1, j) + gap) {
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

    /// Fills the table of costs: reference by source by hypothesis.
    fn fill(&mut self, source: &[u32], hypothesis: &[u32], reference: &[u32]) {
        let (costs, alone) = (self.costs, self.costs.alone());
        let width = hypothesis.len() + 1;
        let plane = (source.len() + 1) * width;
        let is_known = !self.table.is_empty() && self.texts[0] == source && self.texts[1] == hypothesis;
        let alike = self.texts[2].iter().zip(reference).take_while(|(one, other)| one == other).count();
        let first = if is_known { alike + 1 } else { 0 };
        if !is_known {
            self.pairs.clear();
            for &token in source {
                self.pairs.extend(hypothesis.iter().map(|&other| costs.pair(token, other)));
            }
        }
        for (known, text) in self.texts.iter_mut().zip([source, hypothesis, reference]) {
            known.clear();
            known.extend(text);
        }
        self.table.resize((reference.len() + 1) * plane, 0);
        for k in first..=reference.len() {
            let word = k.checked_sub(1).map(|before| reference[before]);
            self.words.clear();
            if let Some(word) = word {
                self.words.extend(hypothesis.iter().map(|&token| costs.pair(token, word)));
            }
            for i in 0..=source.len() {
                let start = k * plane + i * width;
                let (done, rest) = self.table.split_at_mut(start);
                let row = &mut rest[..width];
                let line = |start: usize| &done[start..start + width];
                row.fill(u16::MAX / 2);
                if start == 0 {
                    row[0] = 0;
                }
                // Nothing of the hypothesis is taken in the first loops, a word of it in the second ones.
                let pairs = i.checked_sub(1).map(|before| &self.pairs[before * (width - 1)..][..width - 1]);
                if let Some(word) = word {
                    let before = line(start - plane);
                    improve(row, before, alone);
                    improve_each(&mut row[1..], before, &self.words, alone);
                    if let Some(pairs) = pairs {
                        let before = line(start - plane - width);
                        let cost = costs.pair(source[i - 1], word);
                        improve(row, before, cost + alone);
                        improve_both(&mut row[1..], before, pairs, &self.words, cost);
                    }
                }
                if let Some(pairs) = pairs {
                    let before = line(start - width);
                    improve(row, before, alone);
                    improve_each(&mut row[1..], before, pairs, alone);
                }
                let mut left = row[0];
                for cost in &mut row[1..] {
                    left = (*cost).min(left + alone);
                    *cost = left;
                }
            }
        }
    }

    fn walk_back(&mut self, source: &[u32], hypothesis: &[u32], reference: &[u32]) {
        // The first that fits is taken.
        const MOVES: [[usize; 3]; 7] =
            [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let (rows, width) = (source.len() + 1, hypothesis.len() + 1);
        let at = |[i, j, k]: [usize; 3]| self.table[(k * rows + i) * width + j];
        let pair = |one: Option<u32>, other: Option<u32>| match (one, other) {
            (Some(one), Some(other)) => self.costs.pair(one, other),
            (None, None) => 0,
            _ => self.costs.gap,
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

    fn check_size(&self, words: &[usize], max_cells: usize) -> Result<(), String> {
        let max_words = self.costs.max_words();
        let cells = words.iter().fold(1usize, |cells, &words| cells.saturating_mul(words + 1));
        if cells > max_cells || words.iter().sum::<usize>() > max_words {
            return Err(format!(
                "texts of {words:?} words need a table of {cells} cells; max_cells={max_cells} and \
                 {max_words} words are allowed: cut the prediction off, or raise max_cells"
            ));
        }
        Ok(())
    }
}

/// Costs that come from the same place of a line before.
fn improve(row: &mut [u16], line: &[u16], cost: u16) {
    for (best, &before) in row.iter_mut().zip(line) {
        *best = (*best).min(before + cost);
    }
}

/// Costs that come from the place before, with a cost of each place.
fn improve_each(row: &mut [u16], line: &[u16], costs: &[u16], cost: u16) {
    for ((best, &before), &own) in row.iter_mut().zip(line).zip(costs) {
        *best = (*best).min(before + own + cost);
    }
}

/// The same with two costs of each place.
fn improve_both(row: &mut [u16], line: &[u16], costs: &[u16], others: &[u16], cost: u16) {
    for (((best, &before), &one), &other) in row.iter_mut().zip(line).zip(costs).zip(others) {
        *best = (*best).min(before + one + other + cost);
    }
}
