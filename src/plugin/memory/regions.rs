//! Large result columns: memory in huge pages, some of it kept for the next call.
//!
//! Fresh memory is cleared page by page when it is first written to, which takes as long as scoring short texts.
//! So what a caller has released is given out again. Meanwhile the system may take it back whenever it is short
//! of memory. A million rows take 35 % longer without regions in `score`, 3 to 6 % in `nls`; without huge pages 15 %
//! and 5 %. From 100,000 to 390,000 rows, `score` takes nearly twice as long without regions.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use arrow_buffer::{ArrowNativeType, Buffer};
use libc::{
    MADV_FREE, MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_READ, PROT_WRITE, madvise, mmap,
    munmap,
};

/// A huge page of most machines.
const PAGE: usize = 2 << 20;

/// Bytes that are kept at most: all scores of nearly two million rows.
const MOST_KEPT: usize = 64 << 20;

/// Oldest first.
static KEPT: Mutex<Vec<Mapping>> = Mutex::new(Vec::new());

/// What is kept; `None` while another thread looks at it. A forked process would wait for that thread forever, as
/// it has none of its own.
fn kept() -> Option<MutexGuard<'static, Vec<Mapping>>> {
    match KEPT.try_lock() {
        Ok(kept) => Some(kept),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Memory of a result column.
pub struct Region {
    /// Until it is dropped.
    mapping: Option<Mapping>,
    is_kept: bool,
}

impl Region {
    /// At least `bytes` bytes of any content, which are kept afterwards; `None` if the system has none left.
    pub fn any(bytes: usize) -> Option<Self> {
        let mapping = reused(bytes).or_else(|| Mapping::zeros(bytes))?;
        Some(Self { mapping: Some(mapping), is_kept: true })
    }

    /// At least `bytes` zeros, which take no memory before they are written to.
    pub fn zeros(bytes: usize) -> Option<Self> {
        Some(Self { mapping: Some(Mapping::zeros(bytes)?), is_kept: false })
    }

    /// The first `rows` numbers. Those that were used before may turn to zeros at any time until they
    /// are set: nobody may rely on one that is not.
    pub fn numbers<T: ArrowNativeType>(&mut self, rows: usize) -> &mut [T] {
        let (start, len) = self.memory();
        assert!(rows <= len / size_of::<T>(), "a region of {len} bytes is too small for {rows} numbers");
        // SAFETY: checked to be this long, borrowed, and aligned as huge pages are. Any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(start.cast().as_ptr(), rows) }
    }

    /// The first `bytes` bytes, as Arrow takes them.
    pub fn into_buffer(self, bytes: usize) -> Buffer {
        let (start, len) = self.memory();
        assert!(bytes <= len, "a region of {len} bytes is too small for {bytes}");
        // SAFETY: checked to be this long, and kept until the buffer goes.
        unsafe { Buffer::from_custom_allocation(start, bytes, Arc::new(self)) }
    }

    fn memory(&self) -> (NonNull<u8>, usize) {
        self.mapping.as_ref().map_or((NonNull::dangling(), 0), |mapping| (mapping.start, mapping.len))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(mapping) = self.mapping.take().filter(|_| self.is_kept) {
            keep(mapping);
        }
    }
}

/// The smallest kept mapping of at least `bytes` bytes, and not many more: what is not needed may be
/// memory in use.
fn reused(bytes: usize) -> Option<Mapping> {
    let fitting = bytes..=bytes.saturating_add(PAGE.max(bytes / 4));
    let mut kept = kept()?;
    let lens = kept.iter().map(|mapping| mapping.len).enumerate();
    let (index, _) = lens.filter(|(_, len)| fitting.contains(len)).min_by_key(|&(_, len)| len)?;
    Some(kept.remove(index))
}

/// Keeps a mapping, in place of the oldest ones if need be.
fn keep(mapping: Mapping) {
    if mapping.len > MOST_KEPT || !mapping.may_be_taken_back() {
        return;
    }
    let Some(mut kept) = kept() else { return };
    kept.push(mapping);
    let mut rest: usize = kept.iter().map(|mapping| mapping.len).sum();
    let is_too_much = |mapping: &&Mapping| {
        let is_too_much = rest > MOST_KEPT;
        rest -= if is_too_much { mapping.len } else { 0 };
        is_too_much
    };
    let oldest = kept.iter().take_while(is_too_much).count();
    let oldest: Vec<Mapping> = kept.drain(..oldest).collect();
    // No other thread waits while they are freed.
    drop(kept);
    drop(oldest);
}

/// Memory of the process, in whole huge pages.
struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: memory belongs to no thread.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference gives out nothing but the address.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn zeros(bytes: usize) -> Option<Self> {
        let len = bytes.checked_next_multiple_of(PAGE)?;
        // Somewhere in the first page of these an aligned one starts.
        let room = len.checked_add(PAGE)?;
        // SAFETY: new memory, wherever the system has room.
        let start = unsafe {
            mmap(std::ptr::null_mut(), room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        };
        if start == MAP_FAILED {
            return None;
        }
        let before = start.align_offset(PAGE);
        let aligned = start.wrapping_byte_add(before);
        for (rest, len) in [(start, before), (aligned.wrapping_byte_add(len), PAGE - before)] {
            if len > 0 {
                // SAFETY: the part of the new memory before the first byte, and the one after the last.
                unsafe { munmap(rest, len) };
            }
        }
        // Small pages for the rest where a huge one would mostly be wasted.
        let huge = if len - bytes > PAGE / 2 { len - PAGE } else { len };
        // SAFETY: new memory. If the system has no huge pages, nothing changes.
        unsafe { madvise(aligned, huge, MADV_HUGEPAGE) };
        Some(Self { start: NonNull::new(aligned.cast())?, len })
    }

    /// Lets the system take pages back until they are written to; whether it can.
    fn may_be_taken_back(&self) -> bool {
        // SAFETY: whole pages, and nobody reads a byte of them before it is written.
        unsafe { madvise(self.start.as_ptr().cast(), self.len, MADV_FREE) == 0 }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: what was mapped, and the only owner goes.
        unsafe { munmap(self.start.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_start_at_huge_pages_and_are_kept_within_the_limit() {
        let bytes_kept =
            || -> usize { kept().iter().flat_map(|kept| kept.iter()).map(|kept| kept.len).sum() };
        for bytes in [1, PAGE, PAGE + 1, 7 * PAGE, MOST_KEPT, MOST_KEPT + 1, 1, 3 * PAGE] {
            let regions: Vec<_> = (0..20).map(|_| Region::any(bytes).expect("memory")).collect();
            for (index, region) in regions.iter().enumerate() {
                let (start, len) = region.memory();
                assert!(start.addr().get().is_multiple_of(PAGE) && len >= bytes);
                assert!(regions[..index].iter().all(|other| other.memory().0 != start));
            }
            drop(regions);
            assert!(bytes_kept() <= MOST_KEPT);
        }
    }

    #[test]
    fn no_memory_is_no_region() {
        for bytes in [usize::MAX / 2, usize::MAX - PAGE, usize::MAX] {
            assert!(Region::zeros(bytes).is_none());
            assert!(Region::any(bytes).is_none());
        }
    }
}
