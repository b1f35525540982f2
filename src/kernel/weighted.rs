//! Edit distance with a substitution cost other than 1.
//!
//! With unit costs for insertion and deletion a substitution is never dearer than one of each, so whole
//! costs fall into three cases: free, 1 (Levenshtein), and 2 or more (insertions and deletions only).

use super::lcs::CommonSubsequence;
use super::pattern::Unit;

/// What a substitution costs, where insertions and deletions cost 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubstitutionCost {
    /// Cost 0: only the difference in length counts.
    Free,
    /// Cost 1: the Levenshtein distance.
    #[default]
    One,
    /// Cost 2 or more: a substitution is replaced by a deletion and an insertion.
    Indel,
}

impl SubstitutionCost {
    /// The case of a whole cost.
    pub fn from_cost(cost: u64) -> Self {
        match cost {
            0 => Self::Free,
            1 => Self::One,
            _ => Self::Indel,
        }
    }
}

/// Insertions and deletions between two texts; `pattern` is not empty.
pub fn indel<U: Unit>(pattern: &[U], text: &[U], blocks: &mut CommonSubsequence) -> usize {
    pattern.len() + text.len() - 2 * blocks.common_subsequence(pattern, text)
}
