//! Pieces of one call on several threads.
//!
//! Polars calls an expression once with the whole column in some engines and from several threads with
//! parts of it in others, and does not say which. So a call takes helpers only while fewer threads than
//! cores are at work in the plugin, and its helpers leave when others come. Threads live as long as the
//! call: starting them costs a few per cent of the smallest call that takes one, and no pool is left behind
//! that a forked process would wait for.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use super::{Error, Result};

/// Pieces for which one more thread is worth starting.
const PIECES_PER_THREAD: usize = 4;

/// Threads at work in the plugin, callers included.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Starts to count anew in a process that was just forked, which has none of the threads at work.
pub fn after_fork() {
    AT_WORK.store(0, Ordering::Relaxed);
}

/// As many threads as Polars takes.
fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let asked = std::env::var("POLARS_MAX_THREADS").ok().and_then(|value| value.parse().ok());
        asked
            .filter(|&threads| threads > 0)
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
    })
}

struct AtWork {
    has_left: bool,
}

impl AtWork {
    fn begin() -> Self {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Self { has_left: false }
    }

    /// Whether there is room for the thread. If not it is counted no more, one after the other: all may look at
    /// once, and no more of them leave than are too many.
    fn stays(&mut self) -> bool {
        let one_less = |threads| (threads > limit()).then(|| threads - 1);
        self.has_left = AT_WORK.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok();
        !self.has_left
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if !self.has_left {
            AT_WORK.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Does the work on each piece, `state` being made once a thread. The error is that of the first piece that
/// has one, however the pieces fall to the threads: they are taken in order.
pub fn for_each<T: Send, S>(
    pieces: Vec<T>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<()> + Sync,
) -> Result<()> {
    let _own = AtWork::begin();
    let free = limit().saturating_sub(AT_WORK.load(Ordering::Relaxed));
    let helpers = free.min(pieces.len() / PIECES_PER_THREAD);
    let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let pieces = Mutex::new(pieces.into_iter().enumerate());
    let take = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = |mut helper: Option<AtWork>| {
        let mut state = state();
        while helper.as_mut().is_none_or(AtWork::stays) {
            let Some((index, piece)) = take() else { break };
            if let Err(error) = work(&mut state, piece) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                    *failed = Some((index, error));
                }
                // Pieces before this one are taken already; those behind it do not matter any more.
                while take().is_some() {}
            }
        }
    };
    let run = &run;
    thread::scope(|scope| {
        let start = |_| {
            let at_work = AtWork::begin();
            // Without a thread the caller does the work alone.
            thread::Builder::new().spawn_scoped(scope, move || run(Some(at_work))).ok()
        };
        let helpers: Vec<_> = (0..helpers).filter_map(start).collect();
        run(None);
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
