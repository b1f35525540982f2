//! Memory of result columns, and bits packed into it.
//!
//! On Linux, [`regions`] gives huge pages to columns of at least 512 KiB; smaller ones are vectors, as are all on other
//! systems.

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, ScalarBuffer};

#[cfg(target_os = "linux")]
mod regions;

/// Bytes from which a column has memory of its own: fewer than those of a batch of the streaming engine, whose
/// pages the system would otherwise clear for each batch.
#[cfg(target_os = "linux")]
const LARGE: usize = 512 << 10;

pub struct Values<T>(Storage<T>);

enum Storage<T> {
    Vec(Vec<T>),
    /// The length in numbers.
    #[cfg(target_os = "linux")]
    Region(regions::Region, usize),
}

impl<T: ArrowNativeType> Values<T> {
    /// Any values; each has to be set.
    pub fn any(rows: usize) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(region) = large::<T>(rows).and_then(regions::Region::any) {
            return Self(Storage::Region(region, rows));
        }
        Self(Storage::Vec(vec![T::default(); rows]))
    }

    /// Zeros, which take no memory where they stay.
    pub fn zeros(rows: usize) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(region) = large::<T>(rows).and_then(regions::Region::zeros) {
            return Self(Storage::Region(region, rows));
        }
        Self(Storage::Vec(vec![T::default(); rows]))
    }

    pub fn into_buffer(self) -> ScalarBuffer<T> {
        match self.0 {
            Storage::Vec(values) => values.into(),
            #[cfg(target_os = "linux")]
            Storage::Region(region, rows) => {
                ScalarBuffer::new(region.into_buffer(rows * size_of::<T>()), 0, rows)
            }
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.0 {
            Storage::Vec(values) => values,
            #[cfg(target_os = "linux")]
            Storage::Region(region, rows) => region.numbers(*rows),
        }
    }
}

/// Room for this many bytes, if they are enough for huge pages.
#[cfg(target_os = "linux")]
fn large<T>(rows: usize) -> Option<usize> {
    rows.checked_mul(size_of::<T>()).filter(|&bytes| bytes >= LARGE)
}

/// A bit for each value, which is 0 or 1.
pub fn bits<T: Copy + Default + Into<u8>>(values: &[T]) -> BooleanBuffer {
    const STEP: usize = 8;
    let byte = |eight: &[T; STEP]| {
        // The product gathers the lowest bits in the highest byte.
        let bytes = u64::from_le_bytes(eight.map(Into::into));
        (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    };
    let (eights, rest) = values.as_chunks();
    let mut last = [T::default(); STEP];
    last[..rest.len()].copy_from_slice(rest);
    let bytes: Vec<u8> = eights.iter().chain((!rest.is_empty()).then_some(&last)).map(byte).collect();
    BooleanBuffer::new(Buffer::from_vec(bytes), 0, values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_values() {
        for len in (0..70).chain([1000]) {
            let values: Vec<bool> = (0..len).map(|index| index * index % 7 < 3).collect();
            assert_eq!(bits(&values).iter().collect::<Vec<_>>(), values);
        }
    }

    #[test]
    fn columns_of_every_length_hold_what_was_set() {
        for rows in [0, 1, (1 << 16) - 1, 1 << 16, 5 << 17, (1 << 20) + 1, 10 << 20] {
            let mut zeros = Values::<u64>::zeros(rows);
            assert!(zeros.as_mut_slice().iter().all(|&value| value == 0));
            // The second time in the memory of the first.
            for turn in 0..2 {
                let mut values = Values::<u64>::any(rows);
                assert_eq!(values.as_mut_slice().len(), rows);
                (turn..).zip(values.as_mut_slice()).for_each(|(value, target)| *target = value);
                let values = values.into_buffer();
                assert!((turn..).zip(&values).all(|(value, &found)| found == value) && values.len() == rows);
            }
            assert!(zeros.into_buffer().iter().all(|&value| value == 0));
        }
    }
}
