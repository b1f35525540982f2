//! A process forked while the plugin is at work has none of its threads, and may start as many of its own.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::c::NLS;
use crate::harness::call::floats;
use crate::harness::describe::{Array, Column};
use crate::harness::process::alone;

/// A call long enough for several threads.
fn score() {
    let texts: Vec<String> = (0..2_000).map(|row| ["ab", "ba", "b"][row % 3].repeat(300)).collect();
    let column = |name, texts: &[String]| Column::text(name, [Array::texts(texts)]);
    let shifted: Vec<String> = texts[1..].iter().chain(&texts[..1]).cloned().collect();
    floats(NLS, column("prediction", &texts), column("answer", &shifted)).expect("scores");
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("Linux").count()
}

/// Whether helpers of a call are seen within a minute.
fn finds_helpers() -> bool {
    let begun = Instant::now();
    let observer = thread::spawn(move || {
        while begun.elapsed() < Duration::from_secs(60) {
            // Beside this one and the caller.
            if threads() > 2 {
                return true;
            }
            thread::yield_now();
        }
        false
    });
    while !observer.is_finished() {
        score();
    }
    observer.join().expect("does not panic")
}

#[test]
fn a_forked_process_starts_helpers_of_its_own() {
    alone("forks::a_forked_process_starts_helpers_of_its_own", || {
        let is_forked = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_forked.load(Ordering::Relaxed) {
                        score();
                    }
                });
            }
            thread::sleep(Duration::from_millis(200));
            // SAFETY: the child computes, allocates and starts threads, all of which the C library provides for,
            // and ends itself.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: ends the process at once.
                unsafe { libc::_exit(i32::from(!finds_helpers())) };
            }
            is_forked.store(true, Ordering::Relaxed);
            let mut status = 0;
            // SAFETY: the process that was just started.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0, "helpers were seen");
        });
    });
}
