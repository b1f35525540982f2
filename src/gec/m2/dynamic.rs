//! A path through the lattice in time linear in its size, for degenerate texts.
//!
//! Instead of joining arcs beforehand, a joined arc is opened and prolonged while walking the vertices in
//! order. Costs are whole numbers: gold edits hit, then length, then the number of edits. The exact
//! method keeps one joined arc for two vertices, the shortest, and decides ties by rounding: there the two can
//! differ.

use super::insertions;
use super::lattice::{Lattice, Step};
use super::types::{Gold, Span, Texts};

/// The cost of hitting a gold edit, of a step and of an edit.
const HIT: i64 = -(1 << 48);
const STEP: i64 = 1 << 24;
const EDIT: i64 = 1;
const FAR: i64 = i64::MAX / 2;

/// Work for finding where gold edits can be hit; later gold edits are not looked for any more.
const MAX_WINDOWS: usize = 1 << 24;

/// An open joined arc: its cost up to here and the vertex it started at.
#[derive(Clone, Copy)]
struct Open {
    cost: i64,
    start: u32,
}

const NONE: Open = Open { cost: FAR, start: 0 };

/// Bytes for paths through a lattice in which every pair of words is a vertex.
pub fn bytes(texts: Texts, max_unchanged: usize) -> usize {
    let width = texts.hypothesis.len() + 1;
    let vertex = size_of::<i64>() + size_of::<u32>();
    (texts.source.len() + 1) * width * vertex + 2 * states(texts, max_unchanged) * width * size_of::<Open>()
}

/// The number of states of an open arc: one per count of unchanged words, changed or not.
fn states(texts: Texts, max_unchanged: usize) -> usize {
    2 * (max_unchanged.min(texts.source.len()).min(texts.hypothesis.len()) + 1)
}

#[derive(Default)]
pub struct Dynamic {
    costs: Vec<i64>,
    previous: Vec<u32>,
    /// Open arcs of one row of the lattice and the next: by position, unchanged words, and whether changed.
    open: [Vec<Open>; 2],
    /// Arcs that hit a gold edit.
    hits: Vec<(u32, u32)>,
    fewest: Vec<u32>,
}

impl Dynamic {
    /// The edits of a path that hits the most gold edits, then is the shortest, then has the fewest edits.
    pub fn path(
        &mut self,
        lattice: &Lattice,
        texts: Texts,
        golds: &[Gold],
        max_unchanged: usize,
        path: &mut Vec<Span>,
    ) {
        self.find_hits(lattice, texts, golds, max_unchanged);
        self.walk(lattice, texts, max_unchanged);
        let mut vertex = lattice.vertices.len() as u32 - 1;
        while vertex != 0 {
            let start = self.previous[vertex as usize];
            let (from, to) = (lattice.vertices[start as usize], lattice.vertices[vertex as usize]);
            let span = Span { label: (from.0, to.0), from, to };
            if texts.original(&span) != texts.correction(&span) {
                path.push(span);
            }
            vertex = start;
        }
        path.reverse();
    }

    fn walk(&mut self, lattice: &Lattice, texts: Texts, max_unchanged: usize) {
        let count = lattice.vertices.len();
        self.costs.clear();
        self.costs.resize(count, FAR);
        self.costs[0] = 0;
        self.previous.clear();
        self.previous.resize(count, 0);
        let states = states(texts, max_unchanged);
        for row in &mut self.open {
            row.clear();
            row.resize(states * (texts.hypothesis.len() + 1), NONE);
        }
        self.hits.sort_unstable();
        let found = std::mem::take(&mut self.hits);
        let mut hits = found.iter().peekable();
        let mut row = 0;
        for (number, &(i, j)) in (0u32..).zip(&lattice.vertices) {
            if i != row {
                row = i;
                self.open.swap(0, 1);
                self.open[1].fill(NONE);
            }
            let here = j as usize * states;
            let cost = self.costs[number as usize];
            for step in lattice.steps_from(texts, number) {
                let to = lattice.vertices[step.to as usize];
                self.improve(step.to, cost + step_cost(step), number);
                let unchanged = usize::from(step.is_noop);
                let there = to.1 as usize * states;
                let below = usize::from(to.0 != i);
                for state in 0..states {
                    let open = self.open[0][here + state];
                    let state = (state + 2 * unchanged) | usize::from(!step.is_noop);
                    if open.cost < FAR && state < states {
                        let open = Open { cost: open.cost + STEP, start: open.start };
                        if state & 1 == 1 {
                            self.improve(step.to, open.cost + EDIT, open.start);
                        }
                        keep(&mut self.open[below][there + state], open);
                    }
                }
                let state = 2 * unchanged + usize::from(!step.is_noop);
                if state < states {
                    keep(&mut self.open[below][there + state], Open { cost: cost + STEP, start: number });
                }
            }
            while let Some(&(_, to)) = hits.next_if(|hit| hit.0 == number) {
                self.improve(to, cost + HIT, number);
            }
        }
        self.hits = found;
    }

    fn improve(&mut self, vertex: u32, cost: i64, start: u32) {
        if cost < self.costs[vertex as usize] {
            self.costs[vertex as usize] = cost;
            self.previous[vertex as usize] = start;
        }
    }

    fn find_hits(&mut self, lattice: &Lattice, texts: Texts, golds: &[Gold], max_unchanged: usize) {
        self.hits.clear();
        let mut left = MAX_WINDOWS;
        for (place, golds) in insertions::by_place(golds) {
            self.find_insertions(lattice, texts, &golds, place, &mut left);
        }
        for gold in golds.iter().filter(|gold| gold.start < gold.end) {
            for correction in &gold.corrections {
                for start in 0..(texts.hypothesis.len() + 1).saturating_sub(correction.len()) {
                    let end = start + correction.len();
                    if texts.hypothesis[start..end] != correction[..] {
                        continue;
                    }
                    let from = lattice.vertex(gold.start, start);
                    let (Some(from), Some(to)) = (from, lattice.vertex(gold.end, end)) else { continue };
                    let window = (gold.end - gold.start + 1) * (correction.len() + 1);
                    let Some(rest) = left.checked_sub(window) else { return };
                    left = rest;
                    let (rows, columns) = (gold.start..gold.end, start..end);
                    if self.is_arc(lattice, texts, rows, columns, max_unchanged) {
                        self.hits.push((from, to));
                    }
                }
            }
        }
    }

    /// Whether steps lead from one corner of a window to the other with few unchanged words.
    fn is_arc(
        &mut self,
        lattice: &Lattice,
        texts: Texts,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        max_unchanged: usize,
    ) -> bool {
        let is_noop = texts.source[rows.clone()] == texts.hypothesis[columns.clone()];
        if is_noop {
            // Several unchanged words are no arc.
            return rows.len() == 1;
        }
        let width = columns.len() + 1;
        self.fewest.clear();
        self.fewest.resize((rows.len() + 1) * width, u32::MAX);
        self.fewest[0] = 0;
        for i in rows.start..=rows.end {
            for j in columns.start..=columns.end {
                let fewest = self.fewest[(i - rows.start) * width + j - columns.start];
                let Some(vertex) = lattice.vertex(i, j).filter(|_| fewest as usize <= max_unchanged) else {
                    continue;
                };
                for step in lattice.steps_from(texts, vertex) {
                    let (to_row, to_column) = lattice.vertices[step.to as usize];
                    let (to_row, to_column) = (to_row as usize, to_column as usize);
                    if to_row <= rows.end && to_column <= columns.end {
                        let cell =
                            &mut self.fewest[(to_row - rows.start) * width + to_column - columns.start];
                        *cell = (*cell).min(fewest + u32::from(step.is_noop));
                    }
                }
            }
        }
        self.fewest.last().is_some_and(|&fewest| fewest as usize <= max_unchanged)
    }

    fn find_insertions(
        &mut self,
        lattice: &Lattice,
        texts: Texts,
        golds: &[&Gold],
        place: usize,
        left: &mut usize,
    ) {
        let mut arcs = Vec::new();
        for start in 0..texts.hypothesis.len() {
            let Some(from) = lattice.vertex(place, start) else { continue };
            let mut at = from;
            for end in start + 1..=texts.hypothesis.len() {
                let next = lattice.vertex(place, end);
                let is_next = |step: &Step| Some(step.to) == next;
                let Some(step) = lattice.steps_from(texts, at).find(is_next) else { break };
                let Some(rest) = left.checked_sub(1) else { return };
                *left = rest;
                // The list has a step twice that is optimal in both tables.
                let times = if end == start + 1 { step.multiplicity } else { 1 };
                arcs.extend(std::iter::repeat_n((from, step.to), usize::from(times)));
                at = step.to;
            }
        }
        let vertex = |number: u32| lattice.vertices[number as usize];
        let span = |arc: (u32, u32)| Span {
            label: (place as u32, place as u32),
            from: vertex(arc.0),
            to: vertex(arc.1),
        };
        let hits = &mut self.hits;
        insertions::walk(
            &arcs,
            golds.len(),
            |arc, gold| texts.hits_here(&span(arcs[arc]), golds[gold]),
            |arc, is_hit| {
                if is_hit {
                    hits.push(arcs[arc]);
                }
            },
        );
    }
}

fn step_cost(step: Step) -> i64 {
    if step.is_noop { STEP } else { STEP + EDIT * i64::from(step.multiplicity) }
}

fn keep(place: &mut Open, open: Open) {
    if open.cost < place.cost {
        *place = open;
    }
}
