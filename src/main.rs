//! The `afterturn` command: wiring only.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use afterturn::cli::args::{DB_VARIABLE, parse};
use afterturn::cli::exit::conclude;
use afterturn::cli::{dispatch, paper::Paper};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = match parse(std::env::args_os(), std::env::var_os(DB_VARIABLE)) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    // Quiet by default: a person asks for logs with RUST_LOG.
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off")),
        )
        .with_writer(std::io::stderr)
        .init();
    let mut stderr = std::io::stderr();
    let paper = Paper::of(
        stderr.is_terminal(),
        std::env::var_os("NO_COLOR").as_deref(),
        std::env::var_os("TERM").as_deref(),
    );
    conclude(dispatch(cli), paper, &mut stderr).into()
}
