//! Shows on standard error that work goes on. Says nothing that is not also in the report.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use super::paper::clipped;

/// A line that grows as turns are done. Cheap to clone; clones draw the same line, from any
/// thread. Silent where it was not asked for or nobody looks.
#[derive(Debug, Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Draws on standard error if that is a terminal and `wanted`: not under `--json`, nor
    /// `--quiet`, nor while logs are written there.
    pub fn stderr(wanted: bool) -> Self {
        if wanted && io::stderr().is_terminal() {
            Self::on(ProgressDrawTarget::stderr())
        } else {
            Self::silent()
        }
    }

    /// Draws nothing.
    pub fn silent() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    fn on(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target)
            .with_style(style())
            .with_finish(ProgressFinish::AndClear);
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    /// So many more turns are to be done.
    pub fn expect(&self, turns: u64) {
        self.bar.inc_length(turns);
    }

    /// This conversation is being worked on. With several workers the latest one shows.
    pub fn conversation(&self, name: &str) {
        self.bar.set_message(Cow::Owned(clipped(name, 40)));
    }

    /// One turn is done.
    pub fn turn_done(&self) {
        self.bar.inc(1);
    }

    /// Clears the line, so that what is written next stands alone. Dropping the last clone
    /// does the same.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Takes the line away while something else is written to the terminal.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }
}

/// Without colours: it is gone when the work is done, and `NO_COLOR` then has nothing to forbid.
fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {pos}/{len} turns {bar:24} {elapsed} {wide_msg}")
        .expect("the template is right: a test holds it")
        .progress_chars("━╸ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_from_any_clone() {
        let progress = Progress::on(ProgressDrawTarget::hidden());
        progress.expect(3);
        progress.expect(2);
        let worker = progress.clone();
        worker.conversation("session.jsonl");
        worker.turn_done();
        worker.turn_done();
        assert_eq!((progress.bar.position(), progress.bar.length()), (2, Some(5)));
        assert_eq!(progress.bar.message(), "session.jsonl");
    }

    #[test]
    fn a_silent_one_draws_nothing() {
        assert!(Progress::silent().bar.is_hidden());
        assert!(Progress::stderr(false).bar.is_hidden());
    }

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        let progress = Progress::on(ProgressDrawTarget::hidden());
        progress.conversation("a\x1b[2Jb");
        assert_eq!(progress.bar.message(), "a\\u{1b}[2Jb");
    }
}
