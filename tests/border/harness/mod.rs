//! Polars' side of the plugin interface: columns described as values, exported as C structs that count their
//! releases, and results read back.

pub mod c;
pub mod call;
pub mod describe;
pub mod options;
pub mod process;
pub mod read;

mod export;
mod ledger;
