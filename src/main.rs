//! The binary: parse, run, exit.

fn main() {}
