//! Generated tasks: every reference passes, every mutant fails at what it breaks. The whole measurement is `examples/generated.rs`.

use terraform::generate::{GeneratedTask, TaskFamily, generate, generate_any};
use terraform::task::{StageOutcome, TerraformVerdict};

fn what_failed(verdict: &TerraformVerdict) -> Vec<String> {
    let stages = verdict.stages.iter().filter(|s| s.outcome == StageOutcome::Failed).map(|s| s.stage.name().to_owned());
    stages.chain(verdict.checks.iter().filter(|c| !c.passed).map(|c| c.name.clone())).collect()
}

fn errors(verdict: &TerraformVerdict) -> String {
    verdict.stages.iter().flat_map(|s| s.errors.iter().map(move |e| format!("  {}: {e}\n", s.stage.name()))).collect()
}

#[test]
fn references_pass_and_mutants_fail_where_they_say() {
    let mut wrong = String::new();
    for family in TaskFamily::ALL {
        for seed in 0..2 {
            let made = generate(family, seed);
            let verdict = made.task.judge_files(&made.reference());
            if !verdict.passed {
                wrong += &format!("{} should pass:\n{}", made.task.id, errors(&verdict));
            }
            for mutant in made.mutants() {
                let files = made
                    .variant(&[mutant])
                    .unwrap_or_else(|| panic!("{}: {} does not apply", made.task.id, mutant.name));
                let verdict = made.task.judge_files(&files);
                if verdict.passed || !what_failed(&verdict).contains(&mutant.breaks) {
                    wrong += &format!(
                        "{} {} should break {}, got {:?}:\n{}",
                        made.task.id,
                        mutant.name,
                        mutant.breaks,
                        what_failed(&verdict),
                        errors(&verdict)
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "misjudged:\n{wrong}");
}

#[test]
fn every_requirement_has_a_way_to_break_it() {
    for family in TaskFamily::ALL {
        let made = generate(family, 7);
        assert!(made.mutants().len() >= 4, "{}", made.task.id);
        for requirement in &made.task.requirements {
            assert!(
                made.mutants().iter().any(|m| m.breaks == requirement.name),
                "{}: {}",
                made.task.id,
                requirement.name
            );
        }
    }
}

#[test]
fn rewrites_mean_the_same() {
    for seed in 0..26 {
        let made = generate_any(seed);
        let other = made.rewrite(&[], seed + 100).expect("no edits");
        assert_ne!(other, made.reference(), "{}", made.task.id);
        let verdict = made.task.judge(&GeneratedTask::reply(&other));
        assert!(verdict.passed, "{}:\n{}", made.task.id, errors(&verdict));
    }
}

#[test]
fn the_same_seed_makes_the_same_task() {
    for seed in [0, 1, 99] {
        let (a, b) = (generate_any(seed), generate_any(seed));
        assert_eq!(a.task.prompt(), b.task.prompt());
        assert_eq!(a.reference(), b.reference());
    }
    assert_ne!(generate(TaskFamily::AwsNetwork, 1).task.prompt(), generate(TaskFamily::AwsNetwork, 2).task.prompt());
}
