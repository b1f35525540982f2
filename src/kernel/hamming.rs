//! Hamming distance: the positions at which two texts of one length differ.
//!
//! Right for codes and other texts of fixed length. One missing character shifts the rest: use an edit distance for
//! anything that people or engines wrote. It takes one pass, and is undefined for different lengths.

/// Number of positions at which two texts differ, in code points; `None` where their lengths differ.
pub fn hamming(left: &str, right: &str) -> Option<usize> {
    if left.is_ascii() && right.is_ascii() {
        let equal_length = left.len() == right.len();
        return equal_length
            .then(|| left.bytes().zip(right.bytes()).filter(|(left, right)| left != right).count());
    }
    let (mut left, mut right) = (left.chars(), right.chars());
    let mut distance = 0;
    loop {
        match (left.next(), right.next()) {
            (Some(left), Some(right)) => distance += usize::from(left != right),
            (None, None) => return Some(distance),
            _ => return None,
        }
    }
}
