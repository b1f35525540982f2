//! Work of other folders that gains by the operations on bits of an instruction set, without vectors of its own.

#[cfg(target_arch = "x86_64")]
pub mod x86;

/// Work that [`Isa::perform`](super::Isa::perform) compiles for each instruction set.
pub trait Task {
    /// What comes of it.
    type Result;

    /// Does the work. Marked `#[inline(always)]`, with all that it calls: a function of its own would be compiled for
    /// every machine.
    fn perform(self) -> Self::Result;
}
