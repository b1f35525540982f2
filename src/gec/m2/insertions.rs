//! Which of the insertions before one token hit a gold edit.
//!
//! There can be several insertions between the same two tokens, and several gold edits. The official
//! scorer pairs them from both ends at once: an insertion taken from the left uses up the gold edits up to
//! the one that it hits, one from the right that edit and those after it.

use std::collections::BTreeMap;

use super::types::Gold;

/// The gold edits that insert, by the place where they do.
pub fn by_place(golds: &[Gold]) -> BTreeMap<usize, Vec<&Gold>> {
    let mut places: BTreeMap<usize, Vec<&Gold>> = BTreeMap::new();
    for gold in golds.iter().filter(|gold| gold.start == gold.end) {
        places.entry(gold.start).or_default().push(gold);
    }
    places
}

/// Walks the insertions at one place, `(from, to)` in order. `hit` says whether an insertion hits a gold
/// edit of this place; `found` is called with each insertion (by its index) and whether it was hit.
pub fn walk(
    arcs: &[(u32, u32)],
    golds: usize,
    hit: impl Fn(usize, usize) -> bool,
    mut found: impl FnMut(usize, bool),
) {
    let (mut left, mut right) = (0, arcs.len());
    let (mut first, mut last) = (0, golds);
    let mut from_left = true;
    // `right` and `last` are one past the end.
    while left < right {
        let is_left = from_left || left + 1 == right;
        let arc = if is_left { left } else { right - 1 };
        let mut open = first..last;
        let gold =
            if is_left { open.find(|&gold| hit(arc, gold)) } else { open.rfind(|&gold| hit(arc, gold)) };
        found(arc, gold.is_some());
        match (gold, is_left) {
            (Some(gold), true) => {
                first = gold + 1;
                left += 1;
                while left < arcs.len() && arcs[left].0 != arcs[arc].1 {
                    found(left, false);
                    left += 1;
                }
                from_left = true;
            }
            (Some(gold), false) => {
                last = gold;
                right -= 1;
                while right > 0 && arcs[right - 1].1 != arcs[arc].0 {
                    found(right - 1, false);
                    right -= 1;
                }
                from_left = false;
            }
            (None, true) => {
                left += 1;
                from_left = false;
            }
            (None, false) => {
                right -= 1;
                from_left = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::walk;

    #[test]
    fn insertions_are_paired_from_both_ends() {
        // Two arcs, then both in one; the second gold edit is that of the last arc.
        let arcs = [(0, 1), (0, 2), (1, 2)];
        let mut hits = Vec::new();
        walk(
            &arcs,
            2,
            |arc, gold| (arc, gold) == (0, 0) || (arc, gold) == (2, 1),
            |arc, hit| hits.push((arc, hit)),
        );

        // After the first arc those that do not start where it ends are passed over.
        assert_eq!(hits, [(0, true), (1, false), (2, true)]);
    }
}
