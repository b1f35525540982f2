//! Text scores for dataframes.
//!
//! Three layers, each knowing only the one before it: [`kernel`] computes distances and scores of single
//! texts and knows neither Arrow nor Python; `plugin` turns the columns that Polars hands over into kernel
//! calls; the Python package builds the expressions that name the plugin's functions. In addition,
//! [`gec`] has the scores of grammatical error correction, on tokens instead of characters, [`unwrap`] finds the answer
//! in what a model wrote around it, and [`json`] reads files for the Python package.

// Views and texts are taken apart as little-endian numbers, and the sums of their bounds need 64 bits.
const _: () =
    assert!(usize::BITS == 64 && cfg!(target_endian = "little"), "64-bit little-endian machines only");

pub mod gec;
pub mod json;
pub mod kernel;
#[cfg(feature = "plugin")]
pub mod plugin;
pub mod unwrap;

#[cfg(feature = "extension-module")]
mod python;

// With the tests of the library: as a test of its own, it would compile the library a second time.
#[cfg(all(test, feature = "plugin"))]
extern crate self as anls_frame;
#[cfg(all(test, feature = "plugin"))]
#[path = "../tests/border/mod.rs"]
mod border;
