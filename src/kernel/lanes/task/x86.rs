//! The same code, compiled for AVX2.

use super::Task;

/// See [`Task::perform`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn perform<T: Task>(task: T) -> T::Result {
    task.perform()
}
