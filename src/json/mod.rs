//! JSON Lines as a table: for each key, where its values are in the text.
//!
//! Strict, and silent about what is wrong: a text with anything invalid in it has no table. Python's own parser then
//! reads it line by line, and says what is wrong where. Both accept the same texts, and read them as the same.

mod scan;
mod table;
mod write;

#[cfg(test)]
mod tests;

pub use scan::{Doubt, Kind, Scanner, Span};
pub use table::{Cell, Column, Table};
pub use write::write;
