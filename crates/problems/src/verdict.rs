//! When is a problem mitigated? Five named parts, from state; each says what was found.
//!
//! Nothing here knows a problem: what one needs beside the general parts stands in its file as conditions.

mod running;
mod service;
mod untouched;

use std::time::Duration;

use apps::Site;
use record::Check;

use crate::acting::ActorBook;
use crate::defect::holds;
use crate::perform::{administrator, command, pass, perform};
use crate::scene::ProblemScene;

/// The names of the parts, in order.
pub const PARTS: [&str; 5] = ["serving", "running", "defect gone", "nothing else broken", "lasts"];

/// How a condition is told that a problem adds and that does not hold.
pub(crate) const UNMET: &str = "does not hold";

/// How long a mitigation has to take effect.
const WINDOW: Duration = Duration::from_secs(300);
/// How long pods have to come back after all of them were restarted.
const RESTARTED: Duration = Duration::from_secs(180);
/// How long it is watched after the trigger, long enough for what runs every minute to run twice.
const WATCHED: Duration = Duration::from_secs(180);

/// Judges a site as it was left. Looking happens on copies: the site stays as it is.
pub(crate) fn judge(scene: &ProblemScene, left: &Site, actors: &ActorBook) -> Vec<Check> {
    let (mut site, mut actors) = (left.clone(), actors.unwatched());
    if let Some(noise) = actors.noise.take() {
        noise.stop(&mut site);
    }
    let elsewhere = untouched::part(scene, left);
    pass(&mut site, &mut actors, WINDOW);
    let serving = service::part(scene, &site);
    let running = running::part(scene, &site);
    let gone = defect(scene, &site, &actors);
    let lasts = match serving.is_empty() && running.is_empty() {
        true => lasting(scene, site, actors),
        false => vec!["not looked at, because it does not work now".to_string()],
    };
    let found = [serving, running, gone, elsewhere, lasts];
    let check = |(name, found): (&str, Vec<String>)| {
        let (ok, found) =
            (found.is_empty(), if found.is_empty() { "as it should be".into() } else { found.join("; ") });
        Check { name: name.to_string(), ok, found }
    };
    PARTS.into_iter().zip(found).map(check).collect()
}

/// What is wrong with what users get.
pub(crate) fn serving(scene: &ProblemScene, site: &Site) -> Vec<String> {
    service::part(scene, site)
}

/// What is left of the defect, and conditions of the problem that do not hold.
fn defect(scene: &ProblemScene, site: &Site, actors: &ActorBook) -> Vec<String> {
    let problem = &scene.problem;
    let left = scene.defects.left(problem, &mut site.clone(), &mut actors.clone());
    let mut found: Vec<String> = left.into_iter().map(|cause| format!("still there: {cause}")).collect();
    let now = problem.file.condition.iter().filter(|condition| condition.after.is_none());
    found.extend(now.filter(|condition| !holds(problem, condition, site)).map(|c| format!("{UNMET}: {}", c.about)));
    found
}

/// Whether it holds after every pod was restarted, the trigger was played again and actors have run twice.
fn lasting(scene: &ProblemScene, mut site: Site, mut actors: ActorBook) -> Vec<String> {
    let problem = &scene.problem;
    for namespace in &problem.file.applications {
        let mut terminal = administrator(namespace);
        let line = "kubectl delete pod --all --wait=false";
        if let Err(refusal) = command(&mut site, &mut actors, &mut terminal, line) {
            return vec![format!("pods could not be restarted: {}", refusal.problem)];
        }
    }
    pass(&mut site, &mut actors, RESTARTED);
    let mut terminal = administrator(problem.namespace());
    let namespace = problem.namespace();
    if let Err(refusal) = perform(&mut site, &mut actors, &mut terminal, namespace, &problem.file.trigger) {
        return vec![format!("the trigger could not be played again: {refusal}")];
    }
    pass(&mut site, &mut actors, WATCHED);
    let mut found = service::part(scene, &site);
    found.extend(running::part(scene, &site));
    let later = problem.file.condition.iter().filter(|condition| condition.after.is_some());
    found.extend(later.filter(|condition| !holds(problem, condition, &site)).map(|c| format!("{UNMET}: {}", c.about)));
    found.iter_mut().for_each(|one| one.insert_str(0, "after a restart of every pod: "));
    found
}
