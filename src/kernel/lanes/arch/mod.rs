//! Loads and stores of whole vectors, from arrays of their size and from slices that are checked.
//!
//! All other operations of an instruction set are safe in functions that are compiled for it. These take pointers.

#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
pub mod x86;
