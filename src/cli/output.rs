//! The one place that writes to standard output.
//!
//! Nothing else prints there, so a reader that goes away (`| head`) and a disk that is full
//! are met once, and the lint `clippy::print_stdout` holds everywhere.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use thiserror::Error;

/// Writing to standard output failed.
#[derive(Debug, Error)]
pub enum OutputError {
    /// Whoever read it has enough (a closed pipe). Nobody is left to tell: end quietly.
    #[error("standard output was closed")]
    Closed,
    /// It could not be written.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// The value has no JSON form.
    #[error("cannot write the answer as JSON")]
    Json(#[source] serde_json::Error),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Write(error),
        }
    }
}

impl From<serde_json::Error> for OutputError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { io::Error::from(error).into() } else { Self::Json(error) }
    }
}

/// Buffered output. Call [`Output::finish`]: what is written is certain only then.
#[derive(Debug)]
pub struct Output<W: Write> {
    inner: BufWriter<W>,
}

impl Output<io::StdoutLock<'static>> {
    /// Standard output, locked until this is dropped.
    pub fn stdout() -> Self {
        Self::new(io::stdout().lock())
    }
}

impl<W: Write> Output<W> {
    /// Output to any writer.
    pub fn new(writer: W) -> Self {
        Self { inner: BufWriter::with_capacity(64 * 1024, writer) }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), OutputError> {
        self.bytes(text.as_bytes())
    }

    /// Writes text and ends the line.
    pub fn line(&mut self, text: &str) -> Result<(), OutputError> {
        self.text(text)?;
        self.bytes(b"\n")
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        Ok(self.inner.write_all(bytes)?)
    }

    /// Writes a value as indented JSON and ends the line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), OutputError> {
        serde_json::to_writer_pretty(&mut self.inner, value)?;
        self.bytes(b"\n")
    }

    /// Writes a value as JSON on one line.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), OutputError> {
        serde_json::to_writer(&mut self.inner, value)?;
        self.bytes(b"\n")
    }

    /// Hands everything on; fails where any of it could not be written.
    pub fn finish(mut self) -> Result<(), OutputError> {
        Ok(self.inner.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(io::ErrorKind);
    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn text_and_json_arrive_whole() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.text("a").expect("written");
        output.line("b").expect("written");
        output.json_line(&[1, 2]).expect("written");
        output.json(&["c"]).expect("written");
        output.finish().expect("written");
        assert_eq!(bytes, b"ab\n[1,2]\n[\n  \"c\"\n]\n");
    }

    #[test]
    fn a_reader_that_went_away_is_told_from_a_full_disk() {
        let outcome = |kind| {
            let mut output = Output::new(Failing(kind));
            output.line("text").expect("it is buffered");
            output.finish().expect_err("nothing can be written")
        };
        assert!(matches!(outcome(io::ErrorKind::BrokenPipe), OutputError::Closed));
        assert!(matches!(outcome(io::ErrorKind::StorageFull), OutputError::Write(_)));
    }

    #[test]
    fn a_closed_pipe_is_seen_through_json_too() {
        let mut output = Output::new(Failing(io::ErrorKind::BrokenPipe));
        let large = "x".repeat(200_000);
        let error = output.json(&large).expect_err("more than the buffer holds");
        assert!(matches!(error, OutputError::Closed));
    }
}
