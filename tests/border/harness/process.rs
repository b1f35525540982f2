//! Tests in a process of their own.

use std::process::Command;

/// Runs a test again in a process of its own, in which the plugin may take four threads, or, there, its body.
pub fn alone(test: &str, body: impl FnOnce()) {
    const MARK: &str = "ANLS_FRAME_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return body();
    }
    let mut command = Command::new(std::env::current_exe().expect("the test binary"));
    command.args(["--exact", test, "--nocapture"]).env(MARK, "1").env("POLARS_MAX_THREADS", "4");
    let output = command.output().expect("runs");
    let lines = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && lines.contains("1 passed"), "{}\n{lines}\n{errors}", output.status);
}
