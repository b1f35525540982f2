//! JSON Lines as a table: for each key, where its values stand in the text.
//!
//! Strict, and silent about what is wrong: a text with anything doubtful in it has no table. The parser of the Python
//! package then reads it line by line, and says what is wrong where. So this one may refuse what that one accepts,
//! but never accept what that one refuses, or read it as something else.

mod scan;
mod table;
mod write;

#[cfg(test)]
mod tests;

pub use scan::{Doubt, Kind, Scanner, Span};
pub use table::{Cell, Column, Table};
pub use write::write;
