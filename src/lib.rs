//! Text scores for dataframes.
//!
//! Three layers, each knowing only the one before it: [`kernel`] computes distances and scores of single
//! texts and knows neither Arrow nor Python; `plugin` turns the columns that Polars hands over into kernel
//! calls; the Python package builds the expressions that name the plugin's functions. Beside the kernel stands
//! [`gec`], the scores of grammatical error correction, on tokens instead of characters.

pub mod gec;
pub mod kernel;
#[cfg(feature = "plugin")]
pub mod plugin;

#[cfg(feature = "extension-module")]
mod python;
