//! The same code, compiled for AVX2.

use super::{Bytes, Memory, Seen, Steps, prepare_by};

/// See [`prepare`](super::prepare).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn prepare(text: Memory, steps: Steps, prepared: &mut [Bytes]) -> Seen {
    prepare_by(text, steps, prepared)
}
