//! Distances and scores of single texts, in Unicode code points.

pub mod alignment;
pub mod confusions;
pub mod distance;
pub mod error_type;
pub mod prepare;
pub mod score;

mod band;
mod bit_parallel;
mod block;
mod blocks;
mod byte_ids;
mod case;
mod categories;
pub mod choice;
mod diagonal;
mod general;
mod hamming;
mod lanes;
mod number;
#[cfg(test)]
mod oracle;
mod pattern;
mod queue;
pub mod rows;
pub mod short;
mod short_pair;
pub mod weighted;

pub use hamming::hamming;
pub use lanes::{Lanes, is_plain};
