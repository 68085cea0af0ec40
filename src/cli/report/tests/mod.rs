//! The report as a stranger reads it and as a script does.

mod json;
mod sample;
mod text;
