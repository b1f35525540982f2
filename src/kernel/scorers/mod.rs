//! Scores of benchmarks that are no edit distances: relaxed accuracy, VQA accuracy and containment.
//!
//! Each is the rule of a benchmark's own code, in Python, with what Python makes of texts: see [`python`].

pub mod contains;
mod contractions;
mod python;
pub mod relaxed;
pub mod vqa;
