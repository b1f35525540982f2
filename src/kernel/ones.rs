//! The bits of a mask, one by one.

/// The places of the bits that are set, lowest first.
#[inline(always)]
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then_some(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}
