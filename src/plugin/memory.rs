//! Memory of result columns, and what is packed into it.

use arrow_buffer::{BooleanBuffer, Buffer};

/// Bytes from which a column asks for huge pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 3 << 20;

/// Zeros for so many rows. Touching fresh memory page by page takes as long as scoring short texts, and most
/// Linux systems give large pages to those only who ask.
pub fn zeros<T: Clone + Default>(rows: usize) -> Vec<T> {
    let values = vec![T::default(); rows];
    #[cfg(target_os = "linux")]
    if size_of_val(values.as_slice()) >= LARGE {
        let page = 4096;
        let start = values.as_ptr().addr().next_multiple_of(page);
        let len = values.as_ptr().addr() + size_of_val(values.as_slice()) - start;
        // SAFETY: whole pages inside the vector, whose content the call does not touch. If the system does not
        // know the advice, nothing changes.
        unsafe {
            libc::madvise(values.as_ptr().with_addr(start).cast_mut().cast(), len, libc::MADV_HUGEPAGE)
        };
    }
    values
}

/// A bit for each value.
pub fn bits(values: &[bool]) -> BooleanBuffer {
    const STEP: usize = 8;
    let byte = |eight: &[bool; STEP]| {
        // Each byte is 0 or 1; the product gathers the lowest bits in the highest byte.
        let bytes = u64::from_le_bytes(eight.map(u8::from));
        (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    };
    let (eights, rest) = values.as_chunks();
    let mut last = [false; STEP];
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
    fn large_columns_are_zeros() {
        for rows in [0, 1, 1 << 19, (1 << 20) + 1] {
            assert!(zeros::<f64>(rows).iter().all(|&value| value == 0.0) && zeros::<f64>(rows).len() == rows);
        }
    }
}
