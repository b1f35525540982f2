//! Pieces of one call on several threads.
//!
//! Polars calls an expression once with the whole column in some engines and from several threads with
//! parts of it in others, and does not say which. So a call takes helpers only while fewer threads than
//! cores are at work in the plugin, and its helpers leave when others come. Before each of its pieces the
//! caller looks whether there is room again, as when another expression of the query is done. Threads live
//! as long as the call: starting them costs a few per cent of the smallest call that takes one, and no pool
//! remains that a forked process would wait for.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::{Error, Result};

/// Pieces for which one more thread is worth starting.
const PIECES_PER_THREAD: usize = 4;

/// The threads of the plugin.
static CREW: Crew = Crew { at_work: AtomicUsize::new(0), limit: OnceLock::new() };

/// Threads at work together.
struct Crew {
    /// How many there are, callers included.
    at_work: AtomicUsize,
    /// With how many there is no room for helpers: as many as Polars takes.
    limit: OnceLock<usize>,
}

/// A thread at work.
struct AtWork<'a> {
    crew: &'a Crew,
    has_left: bool,
}

/// Starts counting from zero in a process that was just forked, which has none of the threads at work.
pub fn after_fork() {
    CREW.at_work.store(0, Ordering::Relaxed);
}

impl Crew {
    fn limit(&self) -> usize {
        *self.limit.get_or_init(|| {
            let asked = std::env::var("POLARS_MAX_THREADS").ok().and_then(|value| value.parse().ok());
            asked
                .filter(|&threads| threads > 0)
                .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
        })
    }

    /// A caller, for whom there is always room.
    fn caller(&self) -> AtWork<'_> {
        self.at_work.fetch_add(1, Ordering::Relaxed);
        AtWork { crew: self, has_left: false }
    }

    /// A helper, if there is room for one.
    fn helper(&self) -> Option<AtWork<'_>> {
        let is_counted = self.update(|threads| (threads < self.limit()).then(|| threads + 1));
        is_counted.then(|| AtWork { crew: self, has_left: false })
    }

    fn update(&self, change: impl Fn(usize) -> Option<usize>) -> bool {
        self.at_work.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }
}

impl AtWork<'_> {
    /// Whether there is room for the thread. If not it is counted no more, one after the other: all may look at
    /// once, and no more of them leave than are too many.
    fn stays(&mut self) -> bool {
        let limit = self.crew.limit();
        self.has_left = self.crew.update(|threads| (threads > limit).then(|| threads - 1));
        !self.has_left
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        if !self.has_left {
            self.crew.at_work.fetch_sub(1, Ordering::Relaxed);
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
    CREW.for_each(pieces, state, work)
}

impl Crew {
    fn for_each<T: Send, S>(
        &self,
        pieces: Vec<T>,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, T) -> Result<()> + Sync,
    ) -> Result<()> {
        let _caller = self.caller();
        let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        let pieces = Mutex::new(pieces.into_iter().enumerate());
        let left = || pieces.lock().unwrap_or_else(PoisonError::into_inner).len();
        let take = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = |goes_on: &mut dyn FnMut() -> bool| {
            let mut state = state();
            while goes_on() {
                let Some((index, piece)) = take() else { break };
                if let Err(error) = work(&mut state, piece) {
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                        *failed = Some((index, error));
                    }
                    // Pieces before this one are taken already; later ones do not matter any more.
                    while take().is_some() {}
                }
            }
        };
        let run = &run;
        thread::scope(|scope| {
            let mut helpers: Vec<ScopedJoinHandle<()>> = Vec::new();
            run(&mut || {
                let busy = |helpers: &[ScopedJoinHandle<_>]| {
                    helpers.iter().filter(|helper| !helper.is_finished()).count()
                };
                while left() >= PIECES_PER_THREAD * (1 + busy(&helpers))
                    && let Some(mut own) = self.helper()
                {
                    let helper = move || run(&mut || own.stays());
                    // Named, so that tools which list threads show whose they are.
                    match thread::Builder::new().name("anls_frame".into()).spawn_scoped(scope, helper) {
                        Ok(helper) => helpers.push(helper),
                        // The caller does the work alone.
                        Err(_) => break,
                    }
                }
                true
            });
            for helper in helpers {
                helper.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, Instant};

    use super::*;

    const LIMIT: usize = 3;
    const PIECES: usize = 100;

    fn crew() -> Crew {
        Crew { at_work: AtomicUsize::new(0), limit: OnceLock::from(LIMIT) }
    }

    fn others(crew: &Crew) -> Vec<AtWork<'_>> {
        (1..LIMIT).map(|_| crew.caller()).collect()
    }

    /// Which thread took each piece, in order; `during` is called in each.
    fn threads_of_pieces(
        crew: &Crew,
        during: impl Fn(usize, &Mutex<Vec<thread::ThreadId>>) + Sync,
    ) -> Vec<thread::ThreadId> {
        let log = Mutex::new(Vec::new());
        let work = |(): &mut (), piece| {
            log.lock().expect("no panic").push(thread::current().id());
            during(piece, &log);
            Ok(())
        };
        crew.for_each((0..PIECES).collect(), || (), work).expect("no error");
        log.into_inner().expect("no panic")
    }

    /// Waits until `threads` threads have taken pieces, half a minute at most.
    fn wait_for(threads: usize, log: &Mutex<Vec<thread::ThreadId>>) {
        let begun = Instant::now();
        let seen = || log.lock().expect("no panic").iter().collect::<HashSet<_>>().len();
        while seen() < threads && begun.elapsed() < Duration::from_secs(30) {
            thread::yield_now();
        }
    }

    #[test]
    fn helpers_come_as_soon_as_others_are_done() {
        let crew = crew();
        let busy = Mutex::new(others(&crew));
        let threads = threads_of_pieces(&crew, |piece, log| match piece {
            10 => busy.lock().expect("no panic").clear(),
            11.. => wait_for(LIMIT, log),
            _ => {}
        });
        assert!(threads[..=10].iter().all(|&thread| thread == thread::current().id()));
        assert_eq!(threads.iter().collect::<HashSet<_>>().len(), LIMIT);
        assert_eq!((threads.len(), crew.at_work.load(Ordering::Relaxed)), (PIECES, 0));
    }

    #[test]
    fn helpers_leave_when_others_come() {
        let crew = crew();
        let (busy, come) = (Mutex::new(Vec::new()), OnceLock::new());
        let threads = threads_of_pieces(&crew, |_, log| {
            wait_for(LIMIT, log);
            come.get_or_init(|| {
                busy.lock().expect("no panic").extend(others(&crew));
                log.lock().expect("no panic").len()
            });
        });
        // Each helper may have looked already, and take one more piece.
        let helpers = threads[come.into_inner().expect("set")..].iter();
        assert!(helpers.filter(|&&thread| thread != thread::current().id()).count() < LIMIT);
        drop(busy);
        assert_eq!((threads.len(), crew.at_work.load(Ordering::Relaxed)), (PIECES, 0));
    }
}
