//! The verdict on mitigations that are known to be right or wrong: the cases of the problem files.

use std::collections::BTreeSet;
use std::sync::Arc;

use problems::{ClusterProblem, ProblemScene, SiteShelf, carried, certify, verdict_on};

/// What was found on which the verdict and the file disagree, and how many cases there were.
fn disagreements(scene: &Arc<ProblemScene>) -> (Vec<String>, usize) {
    let file = &scene.problem.file;
    let cases = file.right.iter().map(|case| (true, case)).chain(file.wrong.iter().map(|case| (false, case)));
    let mut found = Vec::new();
    for (right, case) in cases.clone() {
        let failed: Vec<_> = verdict_on(scene, &case.commands).into_iter().filter(|check| !check.ok).collect();
        if failed.is_empty() != right {
            let why: Vec<String> = failed.iter().map(|check| format!("{}: {}", check.name, check.found)).collect();
            let sort = if right { "right" } else { "wrong" };
            found.push(format!("{} [{sort}] {}: {}", scene.problem.id, case.name, why.join("; ")));
        }
    }
    (found, cases.count())
}

/// Plays the cases of those problems that are certified, and says how many problems and cases these were.
fn check(problems: &[&Arc<ClusterProblem>]) -> (usize, usize) {
    let shelf = SiteShelf::default();
    let (mut found, mut certified, mut played) = (Vec::new(), 0, 0);
    for problem in problems {
        let Ok(scene) = shelf.scene(problem, 0) else { continue };
        if certify(&scene).iter().all(|check| check.ok) {
            let (differ, cases) = disagreements(&scene);
            (certified, played) = (certified + 1, played + cases);
            found.extend(differ);
        }
    }
    assert_eq!(found, Vec::<String>::new());
    (certified, played)
}

#[test]
fn the_verdict_agrees_with_the_cases_of_one_problem_of_each_layer() {
    let mut seen = BTreeSet::new();
    let of_each: Vec<&Arc<ClusterProblem>> =
        carried().iter().filter(|problem| seen.insert(problem.file.layer)).collect();
    let (certified, played) = check(&of_each);
    assert!(certified >= 5 && played >= 20, "{certified} problems, {played} cases");
}

#[test]
#[ignore = "plays some 500 cases, which takes minutes: run it with --release -- --ignored"]
fn the_verdict_agrees_with_every_case() {
    let (certified, played) = check(&carried().iter().collect::<Vec<_>>());
    assert!(certified >= 138 && played >= 508, "{certified} problems, {played} cases");
}
