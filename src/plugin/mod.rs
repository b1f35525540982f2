//! The border to Polars: its plugin interface over the Arrow C data interface.
//!
//! One way through it for every expression: [`abi`] takes the columns over, [`inputs`] checks their dtypes
//! and gives rows, [`expressions`] calls the kernel on blocks of rows, [`outputs`] collects the results,
//! [`parallel`] splits large calls.

pub mod abi;
mod alignments;
mod dtype;
mod expressions;
mod gec;
mod inputs;
mod memory;
pub mod options;
mod outputs;
pub mod parallel;
mod schema;
mod scorers;
mod text_kind;
mod unwrap;

/// The functions that are exported, by what they take: the tests and fuzzers of the border drive each of them.
pub mod exported {
    pub use super::alignments::EXPORTED as COUNTING;
    pub use super::expressions::EXPORTED as METRICS;
    pub use super::gec::EXPORTED as CORRECTIONS;
    pub use super::scorers::EXPORTED as ACCURACIES;
    pub use super::text_kind::EXPORTED as TELLING;
    pub use super::unwrap::EXPORTED as UNWRAPPING;
}

/// A message for the user; Polars raises it as a `ComputeError`.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

type Result<T> = std::result::Result<T, Error>;
