//! Certifies problems and prints what does not hold: `cargo run --example certify -- SUITE-OR-ID [SEED]`.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program for the terminal"
)]

use std::time::Instant;

use problems::{SiteShelf, certify, find, suites, verdict_on};

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
    if name == "cases" {
        cases(&shelf, &args[1], args.get(2).map_or("", String::as_str), args.get(3).map_or("", String::as_str));
        return;
    }
    if name == "lines" {
        lines(&shelf, &args[1], &args[2..]);
        return;
    }
    if name == "generate" {
        generate(seed, args.get(2).and_then(|text| text.parse().ok()).unwrap_or(20));
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

/// Runs the right and wrong mitigations of problems and prints those on which the verdict disagrees.
fn cases(shelf: &SiteShelf, name: &str, app: &str, only: &str) {
    let all = suites::select(name).or_else(|| find(name).map(|one| vec![one.clone()])).unwrap_or_default();
    let (mut count, mut wrong) = (0, 0);
    for problem in all {
        if !app.is_empty() && problem.file.applications[0] != app {
            continue;
        }
        let Ok(scene) = shelf.scene(&problem, 0) else {
            println!("{}: CANNOT BE SET UP", problem.id);
            continue;
        };
        let all = problem.file.right.iter().map(|case| (true, case));
        for (right, case) in all.chain(problem.file.wrong.iter().map(|case| (false, case))) {
            if !case.name.contains(only) {
                continue;
            }
            count += 1;
            let start = Instant::now();
            let checks = verdict_on(&scene, &case.commands);
            let failed: Vec<_> = checks.iter().filter(|check| !check.ok).collect();
            if failed.is_empty() == right && only.is_empty() {
                continue;
            }
            wrong += 1;
            println!(
                "{} [{}] {} ({:.1?})",
                problem.id,
                if right { "right" } else { "WRONG" },
                case.name,
                start.elapsed()
            );
            for check in failed {
                println!("    {}: {}", check.name, check.found);
            }
        }
    }
    println!("{wrong} of {count} cases disagree");
}

/// Draws candidates and prints which are proved.
fn generate(seed: u64, count: usize) {
    use problems::generate::{APPLICATIONS, ProblemGenerator};
    let start = Instant::now();
    let generator = ProblemGenerator::new(seed, &APPLICATIONS).expect("the applications deploy");
    println!("{} pairs ({:.1?})", generator.pairs(), start.elapsed());
    for (fault, pairs) in generator.pairs_by_fault() {
        print!("{fault} {pairs}, ");
    }
    println!();
    let mut proved = 0;
    for number in 0..count {
        let Some(candidate) = generator.single(number) else { break };
        let start = Instant::now();
        let found = generator.prove(&candidate);
        proved += usize::from(found.is_ok());
        let end = found.map_or_else(|why| why.to_string(), |_| "proved".to_string());
        println!("{} {} {:?}: {end} ({:.1?})", number, candidate.application, candidate.faults, start.elapsed());
    }
    println!("{proved} of {count} proved");
}

/// Runs the same command lines on every problem of a suite and prints where they mitigate it.
fn lines(shelf: &SiteShelf, suite: &str, lines: &[String]) {
    let (mut passed, mut count) = (Vec::new(), 0);
    for problem in suites::select(suite).unwrap_or_default() {
        let Ok(scene) = shelf.scene(&problem, 0) else { continue };
        count += 1;
        if verdict_on(&scene, lines).iter().all(|check| check.ok) {
            passed.push(problem.id.clone());
        }
    }
    println!("{} of {count}: {}", passed.len(), passed.join(" "));
}
