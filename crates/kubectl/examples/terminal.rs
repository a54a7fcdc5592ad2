//! A terminal at an empty cluster of two nodes: `cargo run -p sre-zero-kubectl --example terminal`.
//!
//! Each line of the input is run as a command line; what it prints is printed, with its exit code if that is not 0.
//! `--conformance` begins with the cluster in which the recorded cases were made.

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use std::io::{BufRead, Write};

use cluster::api::User;
use cluster::{Cluster, ClusterOptions, PlainPrograms};
use kubectl::Terminal;

fn main() {
    let recorded = std::env::args().any(|word| word == "--conformance");
    let (options, mut programs) = match recorded {
        true => (ClusterOptions::conformance(), PlainPrograms::conformance()),
        false => (ClusterOptions::default(), PlainPrograms::default()),
    };
    let mut cluster = Cluster::new(&options);
    let mut terminal = Terminal::new(User::admin());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let output = terminal.run(&mut cluster, &mut programs, &line);
        print!("{}", output.stdout);
        eprint!("{}", output.stderr);
        if output.code != 0 {
            println!("[exit code {}]", output.code);
        }
        std::io::stdout().flush().unwrap_or_default();
    }
}
