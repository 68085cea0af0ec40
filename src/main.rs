//! The `afterturn` command: wiring only.

fn main() {}
