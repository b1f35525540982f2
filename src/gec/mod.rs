//! Scores of grammatical error correction: M² (`MaxMatch`), the I-measure and ERRANT's counts of spans.
//!
//! Pure Rust over texts and edits; knows neither Arrow nor Python. Everything works on tokens that
//! [`tokens`] has turned into numbers, so that comparing two of them costs nothing.

pub mod align;
pub mod edits;
pub mod errant;
pub mod i_measure;
pub mod m2;
pub mod references;
pub mod scores;
pub mod tokens;

#[cfg(test)]
mod tests;
