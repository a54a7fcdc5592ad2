//! Certificates: is a problem fair? Healthy before, broken by the fault, solvable for good, visible, not trivial, no leak.

use std::sync::Arc;
use std::time::Duration;

use apps::Site;
use harness::{EpisodeOptions, Playable};
use record::Check;

use crate::acting::ActorBook;
use crate::brief::brief;
use crate::perform::{administrator, command, pass};
use crate::play::ProblemEpisode;
use crate::scene::ProblemScene;
use crate::stages::Stages;
use crate::verdict::{self, judge};

/// The names of the certificates, in order.
pub const CERTIFICATES: [&str; 8] =
    ["healthy", "broken", "caused", "solvable", "visible", "not trivial", "durable", "no leak"];

/// How long a site is watched that nothing was done to.
const WATCHED: Duration = Duration::from_secs(120);

/// Proves a problem under a seed; what does not hold says why.
pub fn certify(scene: &Arc<ProblemScene>) -> Vec<Check> {
    let solved = solve(scene);
    let lasts = verdict::PARTS[4];
    let failed = |checks: &[Check], durable: bool| -> Vec<String> {
        let of_these = checks.iter().filter(|check| !check.ok && (check.name == lasts) == durable);
        of_these.map(|check| format!("{}: {}", check.name, check.found)).collect()
    };
    let found = [
        healthy(scene),
        broken(scene),
        caused(scene),
        failed(&solved, false),
        visible(scene),
        not_trivial(scene),
        failed(&solved, true),
        leaks(scene),
    ];
    let check = |(name, found): (&str, Vec<String>)| Check {
        name: name.to_string(),
        ok: found.is_empty(),
        found: found.join("; "),
    };
    CERTIFICATES.into_iter().zip(found).map(check).collect()
}

/// The verdict on the problem's own solution.
fn solve(scene: &Arc<ProblemScene>) -> Vec<Check> {
    let mut episode = Box::new(ProblemEpisode::start(scene, Stages::default(), EpisodeOptions::default()));
    for action in episode.answer().1.solution {
        if episode.ending().is_none() {
            episode.step(&action, None);
        }
    }
    let record = episode.finish();
    let seal = record.events.iter().find_map(|event| match event {
        record::Event::Sealed(seal) => Some(seal),
        _ => None,
    });
    let seal = seal.expect("a finished record is sealed");
    let diagnosis = seal.stages.as_ref().and_then(|stages| stages.diagnosis.as_ref());
    let mut checks = seal.checks.clone();
    for (name, right) in [
        ("diagnosis", diagnosis.and_then(|one| one.structured) == Some(true)),
        ("diagnosis in words", diagnosis.is_some_and(|one| one.words)),
    ] {
        checks.push(Check { name: name.to_string(), ok: right, found: "the task's own is not right".to_string() });
    }
    checks
}

/// Without the fault, all is well and stays so, also with the harmless changes that come after it.
fn healthy(scene: &ProblemScene) -> Vec<String> {
    let (mut site, mut nothing) = (scene.healthy.clone(), ActorBook::default());
    let mut found = Vec::new();
    for change in &scene.harmless {
        let done = command(&mut site, &mut nothing, &mut administrator(&change.namespace), &change.line);
        found.extend(done.err().map(|refusal| refusal.to_string()));
    }
    pass(&mut site, &mut nothing, WATCHED);
    found.extend(verdict::serving(scene, &site));
    found.extend(scene.healthy.alerts().into_iter().map(|alert| format!("{} pages before the fault", alert.name)));
    found
}

/// With the fault and nothing done, it is not mitigated.
fn broken(scene: &ProblemScene) -> Vec<String> {
    let checks = judge(scene, &scene.broken, &scene.actors);
    let works = checks
        .iter()
        .all(|check| check.ok || (check.name == verdict::PARTS[2] && !check.found.contains(verdict::UNMET)));
    if works {
        vec!["with the fault in place everything works, now and after a restart".to_string()]
    } else {
        Vec::new()
    }
}

/// The defect is there with the fault and not without it.
fn caused(scene: &ProblemScene) -> Vec<String> {
    let problem = &scene.problem;
    let left = |site: &Site| scene.defects.left(problem, &mut site.clone(), &mut scene.actors.clone());
    let mut found = Vec::new();
    if left(&scene.broken).len() != problem.file.cause.len() {
        found.push("a cause is not seen in the broken site".to_string());
    }
    found.extend(left(&scene.healthy).into_iter().map(|cause| format!("there before the fault: {cause}")));
    found
}

/// Something can be seen: an alert, or a warning since the fault.
fn visible(scene: &ProblemScene) -> Vec<String> {
    let warned = |event: &&cluster::Stored| {
        cluster::json::text(event, "type") == "Warning"
            && scene
                .healthy
                .cluster
                .object(
                    "events",
                    cluster::json::text(event, "metadata.namespace"),
                    cluster::json::text(event, "metadata.name"),
                )
                .is_none()
    };
    let seen =
        !scene.broken.alerts().is_empty() || scene.broken.cluster.objects("events", None).any(|event| warned(&event));
    let seen = seen
        || scene
            .problem
            .file
            .condition
            .iter()
            .any(|condition| !crate::defect::holds(&scene.problem, condition, &scene.broken));
    if seen { Vec::new() } else { vec!["nothing pages and no event warns".to_string()] }
}

/// Restarting everything is no mitigation.
fn not_trivial(scene: &ProblemScene) -> Vec<String> {
    if scene.problem.file.restart_is_right.is_some() {
        return Vec::new();
    }
    let (mut site, mut actors) = (scene.broken.clone(), scene.actors.clone());
    for namespace in &scene.problem.file.applications {
        let mut terminal = administrator(namespace);
        // What cannot be restarted is not restarted.
        let _ = command(&mut site, &mut actors, &mut terminal, "kubectl rollout restart deployment");
    }
    pass(&mut site, &mut actors, WATCHED);
    let mitigated = judge(scene, &site, &actors).iter().all(|check| check.ok);
    if mitigated { vec!["a restart of every Deployment mitigates it".to_string()] } else { Vec::new() }
}

/// Neither the brief nor an object names the problem.
fn leaks(scene: &ProblemScene) -> Vec<String> {
    let problem = &scene.problem;
    let text = brief(scene, Stages::default()).text.to_lowercase();
    let secrets =
        [problem.id.to_lowercase(), problem.id.replace('_', "-").to_lowercase(), problem.file.title.to_lowercase()];
    secrets
        .iter()
        .filter(|secret| text.contains(secret.as_str()))
        .map(|secret| format!("the brief says `{secret}`"))
        .collect()
}
