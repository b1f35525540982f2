//! The lattice of M²: every way to turn the source into the hypothesis with the fewest edits.
//!
//! A vertex is a pair of positions. Arcs are the optimal steps of one Levenshtein table (the paper) or of two,
//! with substitutions at cost 1 and 2 (the official scorer).

use super::types::Texts;

/// Longer texts are refused: this many pairs of words take 200 MB if each is a vertex.
pub const MAX_CELLS: usize = 1 << 23;

/// Bytes of a lattice in which every pair of words is a vertex.
pub fn bytes(texts: Texts) -> usize {
    let cell = size_of::<u8>() + size_of::<u32>() + size_of::<(u32, u32)>();
    (texts.source.len() + 1) * (texts.hypothesis.len() + 1) * cell
}

/// Steps into a cell: of the first table in bits 0 to 2, of the second in bits 3 to 5.
const DIAGONAL: u8 = 1;
const DOWN: u8 = 2;
const RIGHT: u8 = 4;
const SECOND: u32 = 3;
/// A cell that an optimal path of a table visits.
const REACHED: [u8; 2] = [64, 128];

/// A step from one vertex to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Vertex it ends at.
    pub to: u32,
    /// In how many tables it is optimal.
    pub multiplicity: u8,
    /// Whether it keeps an equal token.
    pub is_noop: bool,
}

/// The lattice, in the memory of the one before. The steps are in the cells only: a list of them would be
/// most of a large lattice.
#[derive(Default)]
pub struct Lattice {
    width: usize,
    cells: Vec<u8>,
    numbers: Vec<u32>,
    distances: [Vec<u32>; 2],
    /// The vertices, in order: position in the source, position in the hypothesis.
    pub vertices: Vec<(u32, u32)>,
}

impl Lattice {
    /// Builds the lattice of two texts; `is_paper` takes the first table only.
    pub fn build(&mut self, texts: Texts, is_paper: bool) {
        let Texts { source, hypothesis } = texts;
        self.width = hypothesis.len() + 1;
        let size = (source.len() + 1) * self.width;
        self.cells.clear();
        self.cells.resize(size, 0);
        for (table, cost) in [1, 2].into_iter().enumerate().take(if is_paper { 1 } else { 2 }) {
            self.mark_optimal(source, hypothesis, table, cost);
        }
        self.number_vertices(source.len());
    }

    /// Marks the steps of all optimal paths of one table.
    fn mark_optimal(&mut self, source: &[u32], hypothesis: &[u32], table: usize, cost: u32) {
        let width = self.width;
        // All steps that are optimal in their cell; later those that lead to the end are kept.
        let [above, row] = &mut self.distances;
        above.clear();
        above.extend(0..width as u32);
        let shift = table as u32 * SECOND;
        let cells = &mut self.cells;
        for cell in &mut cells[1..width] {
            *cell |= RIGHT << shift;
        }
        for (i, &word) in (1u32..).zip(source) {
            let start = i as usize * width;
            row.clear();
            row.push(i);
            cells[start] |= DOWN << shift;
            let mut left = i;
            for (j, &other) in hypothesis.iter().enumerate() {
                let diagonal = above[j] + if word == other { 0 } else { cost };
                let (down, right) = (above[j + 1] + 1, left + 1);
                left = diagonal.min(down).min(right);
                row.push(left);
                let steps = u8::from(diagonal == left) * DIAGONAL
                    + u8::from(down == left) * DOWN
                    + u8::from(right == left) * RIGHT;
                cells[start + j + 1] |= steps << shift;
            }
            std::mem::swap(above, row);
        }
        let reached = REACHED[table];
        let last = cells.len() - 1;
        cells[last] |= reached;
        let steps = (DIAGONAL | DOWN | RIGHT) << shift;
        for index in (0..=last).rev() {
            let cell = cells[index];
            if cell & reached == 0 {
                cells[index] = cell & !steps;
                continue;
            }
            if cell & (DIAGONAL << shift) != 0 {
                cells[index - width - 1] |= reached;
            }
            if cell & (DOWN << shift) != 0 {
                cells[index - width] |= reached;
            }
            if cell & (RIGHT << shift) != 0 {
                cells[index - 1] |= reached;
            }
        }
    }

    fn number_vertices(&mut self, rows: usize) {
        self.vertices.clear();
        self.numbers.clear();
        self.numbers.resize(self.cells.len(), u32::MAX);
        let mut index = 0;
        for i in 0..=rows as u32 {
            for j in 0..self.width as u32 {
                if self.cells[index] & (REACHED[0] | REACHED[1]) != 0 {
                    self.numbers[index] = self.vertices.len() as u32;
                    self.vertices.push((i, j));
                }
                index += 1;
            }
        }
    }

    /// The number of the vertex at two positions, where there is one.
    pub fn vertex(&self, i: usize, j: usize) -> Option<u32> {
        Some(self.numbers[i * self.width + j]).filter(|&number| number != u32::MAX)
    }

    /// The steps out of a vertex, in order of their ends.
    pub fn steps_from(&self, texts: Texts, vertex: u32) -> impl Iterator<Item = Step> {
        let (i, j) = self.vertices[vertex as usize];
        let (i, j) = (i as usize, j as usize);
        let here = i * self.width + j;
        let step = |is_inside: bool, to: usize, bit: u8, is_noop: bool| {
            let cell = if is_inside { self.cells[to] } else { 0 };
            let multiplicity = u8::from(cell & bit != 0) + u8::from(cell & (bit << SECOND) != 0);
            (multiplicity > 0).then(|| Step { to: self.numbers[to], multiplicity, is_noop })
        };
        let (is_right, is_down) = (j < texts.hypothesis.len(), i < texts.source.len());
        let is_diagonal = is_right && is_down;
        let is_noop = is_diagonal && texts.source[i] == texts.hypothesis[j];
        let steps = [
            step(is_right, here + 1, RIGHT, false),
            step(is_down, here + self.width, DOWN, false),
            step(is_diagonal, here + self.width + 1, DIAGONAL, is_noop),
        ];
        steps.into_iter().flatten()
    }
}
