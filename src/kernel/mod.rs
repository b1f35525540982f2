//! Distances and scores of single texts, in Unicode code points.

pub mod alignment;
pub mod confusions;
pub mod distance;
pub mod error_type;
pub mod prepare;
pub mod score;

mod band;
mod batches;
pub mod best_answers;
mod bit_parallel;
mod byte_ids;
mod case;
mod categories;
mod diagonal;
mod fallback;
mod hamming;
mod lanes;
mod lcs;
mod number;
#[cfg(test)]
mod oracle;
mod pair32;
mod pattern;
pub mod request;
pub mod rows;
mod text32;
mod triage;
pub mod view;
pub mod weighted;

pub use hamming::hamming;
pub use lanes::{Isa, is_plain};
