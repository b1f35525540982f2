//! Memory that the long sentences of a process share, however many threads score them.
//!
//! A sentence waits until there is enough memory. One that needs more than there is takes all of it, and runs alone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Bytes that may be taken at a time. Who finds too few left waits; who needs more than there are takes all. There is
/// no lock, which a forked process might find taken by a thread that it does not have.
pub struct Budget {
    total: usize,
    used: AtomicUsize,
}

/// Bytes of a budget, given back when this is dropped.
pub struct Taken {
    budget: &'static Budget,
    bytes: usize,
}

impl Budget {
    pub const fn new(total: usize) -> Self {
        Self { total, used: AtomicUsize::new(0) }
    }

    /// Takes bytes as soon as they are left.
    pub fn take(&'static self, bytes: usize) -> Taken {
        let bytes = bytes.min(self.total);
        let more = |used: usize| used.checked_add(bytes).filter(|&used| used <= self.total);
        while self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            // What such a sentence takes is several times as long.
            thread::sleep(Duration::from_millis(1));
        }
        Taken { budget: self, bytes }
    }

    /// Gives everything back, in a process that was just forked and has none of the threads that took it.
    pub fn after_fork(&self) {
        self.used.store(0, Ordering::Relaxed);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_never_have_more_than_there_is() {
        const TOTAL: usize = 1000;
        static BUDGET: Budget = Budget::new(TOTAL);
        static HELD: AtomicUsize = AtomicUsize::new(0);

        // The last is more than there is: it waits for the others, and has everything.
        thread::scope(|scope| {
            for bytes in [1, 300, 400, TOTAL, usize::MAX].repeat(4) {
                scope.spawn(move || {
                    let taken = BUDGET.take(bytes);
                    assert_eq!(taken.bytes, bytes.min(TOTAL));
                    assert!(HELD.fetch_add(taken.bytes, Ordering::SeqCst) + taken.bytes <= TOTAL);
                    thread::sleep(Duration::from_millis(1));
                    HELD.fetch_sub(taken.bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(BUDGET.used.load(Ordering::Relaxed), 0);

        let lost = std::mem::ManuallyDrop::new(BUDGET.take(TOTAL));
        BUDGET.after_fork();
        assert_eq!(BUDGET.take(TOTAL).bytes, lost.bytes);
    }
}
