//! Judges references and mutants of generated tasks: `cargo run --release -p sre-zero-terraform --example generated [TASKS]`.

use std::time::{Duration, Instant};

use terraform::generate::{TaskFamily, generate};
use terraform::task::{StageOutcome, TerraformVerdict};

fn failed(verdict: &TerraformVerdict) -> Vec<&str> {
    let stages = verdict.stages.iter().filter(|s| s.outcome == StageOutcome::Failed).map(|s| s.stage.name());
    stages.chain(verdict.checks.iter().filter(|c| !c.passed).map(|c| c.name.as_str())).collect()
}

fn main() {
    let tasks: u64 = std::env::args().nth(1).map_or(520, |a| a.parse().expect("a number"));
    let families = TaskFamily::ALL.len() as u64;
    let (mut references, mut mutants, mut wrong) = (0, 0, 0);
    let mut times: Vec<Duration> = Vec::new();
    for seed in 0..tasks.div_ceil(families) {
        for family in TaskFamily::ALL {
            let made = generate(family, seed);
            let start = Instant::now();
            let verdict = made.task.judge_files(&made.reference());
            times.push(start.elapsed());
            references += 1;
            if !verdict.passed {
                wrong += 1;
                println!("{} should pass: {:?}", made.task.id, failed(&verdict));
            }
            for mutant in made.mutants() {
                let files = made.variant(&[mutant]).expect("one mutant applies");
                let verdict = made.task.judge_files(&files);
                mutants += 1;
                if verdict.passed || !failed(&verdict).contains(&mutant.breaks.as_str()) {
                    wrong += 1;
                    println!("{} {} should break {}: {:?}", made.task.id, mutant.name, mutant.breaks, failed(&verdict));
                }
            }
        }
    }
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!("{references} references judged, {mutants} mutants judged, {wrong} misjudged");
    println!("one reference, judged: median {:?}, 95 % {:?}, largest {:?}", at(50), at(95), at(100));
    assert_eq!(wrong, 0, "no verdict may be wrong");
}
