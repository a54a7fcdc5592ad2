//! Certifies problems and prints what does not hold: `cargo run --example certify -- SUITE-OR-ID [SEED]`.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program for the terminal"
)]

use std::time::Instant;

use problems::{SiteShelf, certify, find, suites};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seed = args.get(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let shelf = SiteShelf::default();
    let name = args[0].as_str();
    if name == "line" {
        let mut site = problems::deployed(&[args[2].clone()], seed).expect("it deploys");
        let user = cluster::api::User::new("kubernetes-admin", &["system:masters"]);
        let mut terminal = kubectl::Terminal::new(user).in_namespace(&args[2]);
        for line in &args[3..] {
            let (cluster, fleet) = site.parts();
            let output = terminal.run(cluster, fleet, line);
            println!("$ {line}\n{}{}[{}]", output.stdout, output.stderr, output.code);
        }
        return;
    }
    let all = suites::select(name).or_else(|| find(name).map(|one| vec![one.clone()]));
    let app = args.get(2).cloned().unwrap_or_default();
    let (mut fine, mut count) = (0, 0);
    for problem in all.unwrap_or_default() {
        if !app.is_empty() && problem.file.applications != [app.clone()] {
            continue;
        }
        count += 1;
        let start = Instant::now();
        let scene = match shelf.scene(&problem, seed) {
            Ok(scene) => scene,
            Err(error) => {
                println!("{}: CANNOT BE SET UP: {error}", problem.id);
                continue;
            }
        };
        let set = start.elapsed();
        let failed: Vec<_> = certify(&scene).into_iter().filter(|check| !check.ok).collect();
        fine += usize::from(failed.is_empty());
        println!(
            "{}: {} ({:.1?} {:.1?})",
            problem.id,
            if failed.is_empty() { "certified" } else { "FAILS" },
            set,
            start.elapsed()
        );
        for check in failed {
            println!("    {}: {}", check.name, check.found);
        }
    }
    println!("{fine} of {count} certified");
}
