//! Distances and scores of single texts, in Unicode code points.

pub mod distance;
pub mod prepare;
pub mod score;

mod band;
mod bit_parallel;
mod blocks;
mod diagonal;
mod general;
mod hamming;
mod lanes;
#[cfg(test)]
mod oracle;
mod pattern;
mod queue;
pub mod rows;
pub mod short;
pub mod weighted;

pub use hamming::hamming;
