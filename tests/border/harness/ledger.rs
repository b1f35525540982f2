//! Who released what, and how often.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Every struct that a test hands over. Each must be released exactly once.
#[derive(Default)]
pub struct Ledger {
    entries: Mutex<Vec<Arc<Entry>>>,
}

/// One struct: it stays when its memory goes, so that a second release is counted, not undefined.
pub struct Entry {
    what: String,
    releases: AtomicUsize,
    memory: Mutex<Option<Memory>>,
}

/// What the release of a struct frees.
struct Memory(#[expect(dead_code, reason = "owned here, read through pointers")] Box<dyn std::any::Any>);

// SAFETY: raw pointers into memory that only its release touches, wherever that happens.
unsafe impl Send for Memory {}

impl Ledger {
    /// Notes a struct; the pointer goes into its private data.
    pub fn enter(&self, what: String, memory: impl std::any::Any) -> *mut c_void {
        let memory = Mutex::new(Some(Memory(Box::new(memory))));
        let entry = Arc::new(Entry { what, releases: AtomicUsize::new(0), memory });
        let pointer = Arc::as_ptr(&entry).cast_mut().cast();
        self.entries.lock().expect("no panic while it is held").push(entry);
        pointer
    }

    /// How many releases there were.
    pub fn releases(&self) -> usize {
        self.entries.lock().expect("no panic while it is held").iter().map(|entry| entry.count()).sum()
    }

    /// Checks that every struct was released exactly once.
    #[track_caller]
    pub fn settle(&self) {
        for entry in self.entries.lock().expect("no panic while it is held").iter() {
            assert_eq!(entry.count(), 1, "number of releases of {}", entry.what);
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // What nobody released, while all entries still live: a parent's memory releases its children.
        for entry in self.entries.get_mut().unwrap_or_else(PoisonError::into_inner) {
            entry.free();
        }
    }
}

impl Entry {
    fn count(&self) -> usize {
        self.releases.load(Ordering::SeqCst)
    }

    /// Counts a release and frees the memory at the first one.
    ///
    /// # Safety
    /// The pointer comes from [`Ledger::enter`], and that ledger lives.
    pub unsafe fn release(private_data: *mut c_void) {
        // SAFETY: the ledger keeps the entry.
        let entry = unsafe { &*private_data.cast::<Self>() };
        entry.releases.fetch_add(1, Ordering::SeqCst);
        entry.free();
    }

    fn free(&self) {
        let memory = self.memory.lock().expect("no panic while it is held").take();
        drop(memory);
    }
}
