//! Every distance of the kernel equals the one of the textbook table.
#![no_main]

use anls_frame::kernel::distance::Workspace;
use anls_frame::kernel::hamming;
use anls_frame::kernel::weighted::SubstitutionCost;
use libfuzzer_sys::fuzz_target;
use texts::{Texts, table};

#[path = "shared/texts.rs"]
mod texts;

thread_local! {
    /// Kept from case to case, as from row to row: what one pair leaves behind must not reach the next.
    static WORKSPACE: std::cell::RefCell<Workspace> = std::cell::RefCell::default();
}

fuzz_target!(|input: (Texts, u8, u16)| {
    let (texts, cost, limit) = input;
    let (left, right) = texts.spell();
    let [left_chars, right_chars]: [Vec<char>; 2] = [&left, &right].map(|text| text.chars().collect());
    let cost = cost % 4;
    let expected = table(&left_chars, &right_chars, usize::from(cost));
    let substitution_cost = SubstitutionCost::from_cost(u64::from(cost));
    WORKSPACE.with_borrow_mut(|workspace| {
        assert_eq!(workspace.distance(&left, &right, substitution_cost), expected);
        assert_eq!(workspace.distance(&right, &left, substitution_cost), expected);
        for limit in [usize::from(limit), expected.saturating_sub(1), expected, expected + 1] {
            let within = workspace.distance_within(&left, &right, substitution_cost, limit);
            assert_eq!(within, (expected <= limit).then_some(expected), "limit {limit}");
        }
    });
    let differing = left_chars.iter().zip(&right_chars).filter(|(left, right)| left != right).count();
    assert_eq!(hamming(&left, &right), (left_chars.len() == right_chars.len()).then_some(differing));
});
