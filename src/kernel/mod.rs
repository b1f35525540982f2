//! Distances and scores of single texts, in Unicode code points.
//!
//! # The way of a pair
//!
//! `rows.rs` scores the rows of a column in blocks of 1,024. `triage.rs` first looks at the views of a block, 64 pairs
//! at a time. A view holds the length of a text and, up to 12 bytes, the text itself. It tells which pairs are equal,
//! which are short, and which have to be loaded. A bit for each row leaves out those with a null. The pairs of rows with
//! any number of answers are gathered before, which takes 5 to 10 ns an answer. Each pair then takes the first way below
//! whose condition it meets. Pairs of one way wait in `batches.rs` until a vector is full. At the end of the block
//! `best_answers.rs` chooses the best answer of each row.
//!
//! | condition | way | files | ns per pair |
//! |---|---|---|--:|
//! | equal, up to 12 bytes | the views are equal | `triage.rs`, `lanes/views` | 2 |
//! | equal, up to 32 bytes | the texts are loaded and compared | `triage.rs`, `text32.rs` | 7 |
//! | ASCII up to 12 bytes each | both texts in one register, then 32 pairs side by side | `pair32.rs`, `lanes/pairs` | 15 |
//! | the same, and whitespace changes | squeezed in that register | `pair32.rs`, `lanes/compress` | 34 |
//! | ASCII up to 32 bytes each | a register for each text, then 32 pairs side by side | `text32.rs`, `lanes/pairs` | 36 |
//! | compared as they are, at most 32 characters between the common ends, none above U+FFFF | what differs is decoded, then 32 pairs side by side | `rows.rs`, `lanes/affix`, `lanes/decode` | 70 to 150 |
//! | the same after preparation | prepared one by one, then as above | `fallback.rs`, `prepared.rs`, `lanes/prepare` | 130 to 310 |
//! | at most 64 characters between the common ends, and one byte is enough for each | four pairs side by side, a word each | `fallback.rs`, `byte_ids.rs`, `lanes/quads` | 200 |
//! | the same with at most 128 | four pairs side by side, two words each | as above | 460 |
//! | longer | one pair alone, see below | `distance.rs` | 1,500 and more |
//! | substitutions cost 0, or 2 and more | one pair alone | `weighted.rs`, `lcs.rs` | 110 for 12 characters |
//!
//! The times are those of the kernel alone, as `benchmarks/ways` prints them, on columns that hold such pairs
//! alone, on an Intel Xeon with AVX-512 at 2.6 GHz. A limit shortens the way: a row whose
//! best answer is known already, or a score that is cut below a threshold, needs no exact distance beyond it.
//!
//! Texts that are compared by grapheme clusters are first rewritten by `units` with one code point per cluster, and then
//! take the last ways of the table. Distances in words are computed in `units`: from a hash of each word, and only where
//! hashes collide, from a table of words. Words of UAX 29 get numbers.
//!
//! # Methods for long texts
//!
//! `distance.rs` picks the method for a pair alone, after the common ends are cut off:
//!
//! | method | files | time grows with | wins where |
//! |---|---|---|---|
//! | bit-parallel | `bit_parallel.rs` | the longer text | the shorter text has at most 64 characters; 1.2 µs for 50 against 300 |
//! | quads | `lanes/quads` | the longer text | both have at most 128: the steps of four pairs fill the time in which one pair would wait for its own |
//! | diagonals, as wavefronts | `diagonal.rs`, `lanes/wavefront` | the square of the errors | errors are few: 3,000 characters take 1.5 µs with 1 % of errors, 11 µs with 5 % |
//! | band, in strips of 256 rows | `band.rs`, `lanes/strip` | the length times the errors | errors are many: 3,000 characters take 35 µs with 20 % of errors, 52 µs with 50 % |
//!
//! The number of errors is not known before. The diagonals start, within a budget; beyond it the band takes over, as
//! wide as the progress of the diagonals suggests.

pub mod alignment;
pub mod confusions;
pub mod distance;
pub mod error_type;
pub mod length;
pub mod pages;
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
pub mod equivalences;
mod fallback;
mod hamming;
mod lanes;
mod lcs;
mod number;
mod ones;
#[cfg(test)]
mod oracle;
mod pair32;
mod pattern;
pub mod prepared;
pub mod request;
pub mod rows;
pub mod scorers;
mod search;
mod text32;
pub mod text_kind;
pub mod text_style;
mod triage;
pub mod units;
mod utf8;
pub mod view;
pub mod weighted;
pub mod whitespace;

pub use hamming::hamming;
pub use lanes::{Isa, VIEWS, is_plain};
pub use ones::ones;
