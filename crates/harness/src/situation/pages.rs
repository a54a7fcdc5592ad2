//! Who is paged for what: places differ in which of their alerts page and which open a ticket. Many page for
//! their users' sake alone; so a page seldom names a cause.

use world::rng::{Draw, Stream};
use world::{Spec, services};

/// The share of places in which whole applications page, ...
const APPLICATIONS: f64 = 0.5;
/// ... in which routes do, for their users' sake alone too, ...
const ROUTES: f64 = 0.62;
/// ... and in which one service's owners alone are paged, and all others open tickets.
const ONE_SERVICE: f64 = 0.92;
/// Elsewhere, the share of rules that open a ticket.
const TICKETS: f64 = 0.75;
/// A place that is nearly as written pages as written.
const LEAST_REACH: f64 = 0.2;

/// Draws what only opens a ticket. What a task says of its alerts stands.
pub(super) fn draw(spec: &mut Spec, style: Draw, draws: Stream, reach: f64) {
    let routes: Vec<&str> = spec.apps.iter().flat_map(|a| &a.routes).map(|r| r.name.as_str()).collect();
    let quiet = |name: &str| spec.tickets.iter().any(|t| t == name || t.strip_suffix("/objective_burn") == Some(name));
    let users_page = routes.iter().filter(|r| !quiet(r)).count() * 2 > routes.len();
    if reach < LEAST_REACH {
        return;
    }
    if !users_page {
        return;
    }
    let style = style.unit();
    let alone = draws.within(1).at(0).below(spec.services.len() as u64) as usize;
    let mut tickets = Vec::new();
    for (at, service) in spec.services.iter().enumerate() {
        let rules = services::find(&service.kind).map_or(&[][..], |kind| kind.rules());
        for (n, rule) in rules.iter().enumerate() {
            let opens_ticket = match style {
                s if s < ROUTES => true,
                s if s < ONE_SERVICE => at != alone,
                _ => draws.within(2 + at as u64).at(n as u64).chance(TICKETS),
            };
            if opens_ticket {
                tickets.push(format!("{}/{}", service.name, rule.name));
            }
        }
    }
    if (ROUTES..ONE_SERVICE).contains(&style) {
        tickets.extend(routes.iter().map(|r| r.to_string()));
    }
    spec.tickets.extend(tickets);
    spec.whole_apps_page = style < APPLICATIONS;
}
