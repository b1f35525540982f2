//! Searches for texts in texts, which count how much they read.
//!
//! Tests read the count: no answer may be read once for each of its tags, which would take quadratic time.

/// The first position of a text in another one.
pub fn find(text: &str, sought: &str) -> Option<usize> {
    let found = text.find(sought);
    count(found.map_or(text.len(), |at| at + sought.len()));
    found
}

/// The last position of a text in another one.
pub fn rfind(text: &str, sought: &str) -> Option<usize> {
    let found = text.rfind(sought);
    count(text.len() - found.unwrap_or(0));
    found
}

/// The first position of a text in the concatenation of two others.
pub fn find_across(before: &str, after: &str, sought: &str) -> Option<usize> {
    let is_split = |&at: &usize| {
        sought.is_char_boundary(at) && before.ends_with(&sought[..at]) && after.starts_with(&sought[at..])
    };
    find(before, sought)
        .or_else(|| Some(before.len() - (1..sought.len()).rev().find(is_split)?))
        .or_else(|| Some(before.len() + find(after, sought)?))
}

/// The bytes of a text, with their places.
pub fn bytes(text: &str) -> impl Iterator<Item = (usize, u8)> {
    text.bytes().enumerate().inspect(|_| count(1))
}

#[cfg(not(test))]
fn count(_read: usize) {}

#[cfg(test)]
fn count(read: usize) {
    tests::READ.with(|so_far| so_far.set(so_far.get() + read));
}

#[cfg(test)]
pub mod tests {
    use std::cell::Cell;

    thread_local! {
        pub static READ: Cell<usize> = const { Cell::new(0) };
    }

    /// How many bytes a function reads.
    pub fn read_by(function: impl FnOnce()) -> usize {
        READ.set(0);
        function();
        READ.get()
    }

    #[test]
    fn a_text_is_found_across_two_as_in_both_together() {
        let both = "aabaabaaaé";
        for split in (0..both.len()).filter(|&at| both.is_char_boundary(at)) {
            let (before, after) = both.split_at(split);
            for sought in ["a", "b", "aa", "ab", "aaa", "baab", "aaé", "é", "bb", both] {
                assert_eq!(super::find_across(before, after, sought), both.find(sought), "{split} {sought}");
            }
        }
    }
}
