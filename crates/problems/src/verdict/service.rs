//! The first part: every route is within its objective, and nothing pages that did not page before.

use apps::Site;

use crate::scene::ProblemScene;

/// What is wrong with what users get.
pub(super) fn part(scene: &ProblemScene, site: &Site) -> Vec<String> {
    let out = site.routes().into_iter().filter(|route| !route.held).map(|route| {
        let reason = if route.reason.is_empty() { String::new() } else { format!(" ({})", route.reason) };
        format!(
            "{} {}: {:.1} % succeed{reason}, 95 of 100 within {:.0} ms; the objective is {:.1} % and {:.0} ms",
            route.application,
            route.route,
            route.success * 100.0,
            route.p95_ms,
            route.objective.0 * 100.0,
            route.objective.1
        )
    });
    let before = scene.healthy.alerts();
    let known =
        |name: &str, labels: &[(String, String)]| before.iter().any(|one| one.name == name && one.labels == labels);
    let firing = site.alerts().into_iter().filter(|alert| !known(&alert.name, &alert.labels));
    out.chain(firing.map(|alert| format!("{} pages: {}", alert.name, alert.summary))).collect()
}
