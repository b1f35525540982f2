//! The official scorer's path through the lattice, with its arithmetic and its order of ties.
//!
//! Arcs that follow each other become one as long as few words in them stay unchanged. Their number grows
//! with the fourth power of a rewritten passage, which is why [`super::dynamic`] exists.

use super::insertions;
use super::lattice::Lattice;
use super::types::{Gold, InsertLabels, Method, Options, Span, Texts};
use crate::kernel::ones;

/// With more vertices `method="auto"` takes the dynamic program, because its table of arcs would take above 16 MB.
const AUTO_VERTICES: usize = 1 << 11;
/// Likewise with more pairs of arcs that follow each other: these take about a tenth of a second.
const AUTO_JOINS: usize = 1 << 24;
/// The arcs of fewer vertices are not counted, so that sentences do not wait for each other.
const SMALL: usize = 1_000;
/// With more vertices the exact method is refused: the table of arcs would take 64 MB.
const MAX_VERTICES: usize = 1 << 12;
/// What an edit costs in addition to its length, so that gold edits and fewer edits win.
const EPSILON: f64 = 0.001;

/// The bytes that the exact method needs for the arcs of a lattice.
pub fn bytes(lattice: &Lattice, method: Method) -> Option<usize> {
    let count = lattice.vertices.len();
    // At most half of the pairs of vertices have an arc, with two weights and its place in the order.
    let arc = size_of::<Arc>() + 2 * size_of::<f64>() + size_of::<u32>();
    let most = match method {
        Method::Exact => MAX_VERTICES,
        Method::Auto => AUTO_VERTICES,
        Method::Dynamic => 0,
    };
    (SMALL < count && count <= most).then_some(count * count * (size_of::<u32>() + arc / 2))
}

/// An arc: a step, or several in one.
#[derive(Clone, Copy)]
struct Arc {
    from: u32,
    to: u32,
    length: u32,
    unchanged: u32,
    is_noop: bool,
    label: (u32, u32),
}

/// The arcs of a lattice, and the memory to find paths.
#[derive(Default)]
pub struct Exact {
    vertices: Vec<(u32, u32)>,
    arcs: Vec<Arc>,
    /// For each pair of vertices the arc between them, plus 1.
    between: Vec<u32>,
    into: Vec<u64>,
    out_of: Vec<u64>,
    /// The arcs in the order in which they are relaxed; an arc can occur twice.
    entries: Vec<u32>,
    base: Vec<f64>,
    weights: Vec<f64>,
    distances: Vec<f64>,
    previous: Vec<u32>,
}

impl Exact {
    /// Builds the arcs; false where the lattice is too large, sooner with `auto`.
    pub fn build(&mut self, lattice: &Lattice, texts: Texts, options: &Options, auto: bool) -> bool {
        let count = lattice.vertices.len();
        if count > if auto { AUTO_VERTICES } else { MAX_VERTICES } {
            return false;
        }
        self.vertices.clone_from(&lattice.vertices);
        self.arcs.clear();
        self.entries.clear();
        self.between.clear();
        self.between.resize(count * count, 0);
        let words = count.div_ceil(64);
        for bits in [&mut self.into, &mut self.out_of] {
            bits.clear();
            bits.resize(count * words, 0);
        }
        let of_vertex = |from| lattice.steps_from(texts, from).map(move |step| (from, step));
        for (from, step) in (0..count as u32).flat_map(of_vertex) {
            let (i, j) = lattice.vertices[from as usize];
            let end = lattice.vertices[step.to as usize];
            let label = if options.insert_labels == InsertLabels::Version32 && i == 0 && end.0 == 0 {
                (j, j)
            } else {
                (i, end.0)
            };
            let unchanged = u32::from(step.is_noop);
            self.add(Arc { from, to: step.to, length: 1, unchanged, is_noop: step.is_noop, label }, words);
            if step.multiplicity == 2 {
                self.entries.push(self.arcs.len() as u32 - 1);
            }
        }
        let steps = self.entries.len();
        let joins_left = if auto { AUTO_JOINS } else { usize::MAX };
        if !self.join(words, options.max_unchanged, joins_left) {
            return false;
        }
        self.drop_long_noops(steps);
        self.weigh();
        true
    }

    fn add(&mut self, arc: Arc, words: usize) {
        let (from, to) = (arc.from as usize, arc.to as usize);
        let count = self.vertices.len();
        self.between[from * count + to] = self.arcs.len() as u32 + 1;
        self.out_of[from * words + to / 64] |= 1 << (to % 64);
        self.into[to * words + from / 64] |= 1 << (from % 64);
        self.entries.push(self.arcs.len() as u32);
        self.arcs.push(arc);
    }

    /// Joins arcs that follow each other, by the vertex between them, in order.
    fn join(&mut self, words: usize, max_unchanged: usize, mut joins_left: usize) -> bool {
        let count = self.vertices.len();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for middle in 0..count {
            before.clear();
            after.clear();
            let bits = middle * words..(middle + 1) * words;
            before.extend(
                ones_of_words(&self.into[bits.clone()]).map(|from| self.between[from * count + middle] - 1),
            );
            after.extend(ones_of_words(&self.out_of[bits]).map(|to| self.between[middle * count + to] - 1));
            let Some(left) = joins_left.checked_sub(before.len() * after.len()) else { return false };
            joins_left = left;
            for &first in &before {
                let first = self.arcs[first as usize];
                for &second in &after {
                    let second = self.arcs[second as usize];
                    let (length, unchanged) =
                        (first.length + second.length, first.unchanged + second.unchanged);
                    if unchanged as usize > max_unchanged {
                        continue;
                    }
                    let joined = Arc {
                        from: first.from,
                        to: second.to,
                        length,
                        unchanged,
                        is_noop: first.is_noop && second.is_noop,
                        label: (first.label.0, second.label.1),
                    };
                    match self.between[first.from as usize * count + second.to as usize] {
                        0 => self.add(joined, words),
                        known => {
                            let known = known - 1;
                            if length < self.arcs[known as usize].length {
                                self.arcs[known as usize] = joined;
                                self.entries.push(known);
                            }
                        }
                    }
                }
            }
        }
        true
    }

    /// Drops arcs of several unchanged words, but not the one after a dropped one: the official scorer
    /// takes them out of the list that it walks.
    fn drop_long_noops(&mut self, steps: usize) {
        const DROPPED: u32 = u32::MAX;
        let mut index = 0;
        while index < self.entries.len() {
            let entry = self.entries[index];
            let arc = &self.arcs[entry as usize];
            index += 1;
            if arc.is_noop && arc.length > 1 {
                // The first of equals goes; one joined later comes after all steps.
                let first = self.entries[steps..].iter().position(|&other| other == entry);
                self.entries[steps + first.expect("it stands there itself")] = DROPPED;
                index += 1;
            }
        }
        self.entries.retain(|&entry| entry != DROPPED);
    }

    /// The weights that no gold edit changes.
    fn weigh(&mut self) {
        self.base.clear();
        self.base.extend(self.arcs.iter().map(|arc| f64::from(arc.length)));
        for &entry in &self.entries {
            if !self.arcs[entry as usize].is_noop {
                self.base[entry as usize] += EPSILON;
            }
        }
    }

    /// The edits of the shortest path, where arcs that hit a gold edit are shorter than any path.
    pub fn path(&mut self, texts: Texts, golds: &[Gold], path: &mut Vec<Span>) {
        self.weights.clone_from(&self.base);
        let hit = -(self.entries.len() as f64);
        let at = |label: (u32, u32)| {
            golds.iter().filter(move |gold| (label.0 as usize, label.1 as usize) == (gold.start, gold.end))
        };
        if !golds.is_empty() {
            for entry in 0..self.arcs.len() {
                let span = self.span(entry as u32);
                if span.label.0 != span.label.1 && at(span.label).any(|gold| texts.hits_here(&span, gold)) {
                    self.weights[entry] = hit;
                }
            }
            for (place, golds) in insertions::by_place(golds) {
                self.weigh_insertions(texts, &golds, place, hit);
            }
        }
        self.relax();
        self.walk_back(path);
    }

    fn span(&self, arc: u32) -> Span {
        let arc = &self.arcs[arc as usize];
        let (from, to) = (self.vertices[arc.from as usize], self.vertices[arc.to as usize]);
        Span { label: arc.label, from, to }
    }

    fn weigh_insertions(&mut self, texts: Texts, golds: &[&Gold], place: usize, hit: f64) {
        let is_here = |&&entry: &&u32| {
            let label = self.arcs[entry as usize].label;
            (label.0 as usize, label.1 as usize) == (place, place)
        };
        let mut entries: Vec<u32> = self.entries.iter().filter(is_here).copied().collect();
        let ends = |entry: u32| (self.arcs[entry as usize].from, self.arcs[entry as usize].to);
        entries.sort_by_key(|&entry| ends(entry));
        let arcs: Vec<_> = entries.iter().map(|&entry| ends(entry)).collect();
        let spans: Vec<_> = entries.iter().map(|&entry| self.span(entry)).collect();
        for &entry in &entries {
            self.weights[entry as usize] = f64::from(self.arcs[entry as usize].length);
        }
        let weights = &mut self.weights;
        insertions::walk(
            &arcs,
            golds.len(),
            |arc, gold| texts.hits_here(&spans[arc], golds[gold]),
            |arc, is_hit| {
                let weight = &mut weights[entries[arc] as usize];
                *weight = if is_hit { hit } else { *weight + EPSILON };
            },
        );
    }

    /// Bellman and Ford: the weights are negative, but the lattice has no cycle.
    fn relax(&mut self) {
        let count = self.vertices.len();
        self.distances.clear();
        self.distances.resize(count, f64::INFINITY);
        self.distances[0] = 0.0;
        self.previous.clear();
        self.previous.resize(count, u32::MAX);
        loop {
            let mut is_changed = false;
            for &entry in &self.entries {
                let arc = &self.arcs[entry as usize];
                let distance = self.distances[arc.from as usize] + self.weights[entry as usize];
                if distance < self.distances[arc.to as usize] {
                    self.distances[arc.to as usize] = distance;
                    self.previous[arc.to as usize] = entry;
                    is_changed = true;
                }
            }
            if !is_changed {
                return;
            }
        }
    }

    fn walk_back(&self, path: &mut Vec<Span>) {
        let mut vertex = self.vertices.len() as u32 - 1;
        while vertex != 0 {
            let entry = self.previous[vertex as usize];
            let arc = &self.arcs[entry as usize];
            if !arc.is_noop {
                path.push(self.span(entry));
            }
            vertex = arc.from;
        }
        path.reverse();
    }
}

fn ones_of_words(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| ones(word).map(move |bit| index * 64 + bit))
}
