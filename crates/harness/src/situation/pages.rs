//! Who is paged for what: places differ in which of their alerts page and which open a ticket. Most page for
//! their users' sake alone, and then all that a page tells is that users suffer.

use world::rng::{Draw, Stream};
use world::spec::ServiceSpec;
use world::{Spec, services};

/// The share of places in which whole applications page, ...
const APPLICATIONS: f64 = 0.92;
/// ... in which routes do, for their users' sake alone too, ...
const ROUTES: f64 = 0.945;
/// ... and in which one service's owners alone are paged, and all others open tickets.
const ONE_SERVICE: f64 = 0.985;
/// Elsewhere, the share of rules that open a ticket.
const TICKETS: f64 = 0.75;
/// A place that is nearly as written pages as written.
const LEAST_REACH: f64 = 0.1;

/// Draws what only opens a ticket. Where whole applications do not page, what a task says of its alerts stands.
pub(super) fn draw(spec: &mut Spec, style: Draw, draws: Stream, reach: f64) {
    let style = style.unit();
    if reach < LEAST_REACH {
        return;
    }
    if style < APPLICATIONS {
        // A service that stands there by name opens a ticket for every rule.
        spec.whole_apps_page = true;
        spec.tickets.extend(spec.services.iter().map(|s| s.name.clone()));
        return;
    }
    let routes: Vec<String> = spec.apps.iter().flat_map(|a| &a.routes).map(|r| r.name.clone()).collect();
    let quiet = |name: &str| spec.tickets.iter().any(|t| t == name || t.strip_suffix("/objective_burn") == Some(name));
    let users_page = routes.iter().filter(|r| !quiet(r)).count() * 2 > routes.len();
    if !users_page {
        return;
    }
    let alone = draws.within(1).at(0).below(spec.services.len() as u64) as usize;
    let mut tickets = Vec::new();
    for (at, service) in spec.services.iter().enumerate() {
        for (n, rule) in rules(service).enumerate() {
            let opens_ticket = match style {
                s if s < ROUTES => true,
                s if s < ONE_SERVICE => at != alone,
                _ => draws.within(2 + at as u64).at(n as u64).chance(TICKETS),
            };
            if opens_ticket {
                tickets.push(format!("{}/{rule}", service.name));
            }
        }
    }
    if (ROUTES..ONE_SERVICE).contains(&style) {
        tickets.extend(routes);
    }
    spec.tickets.extend(tickets);
}

/// The names of a service's rules.
fn rules(service: &ServiceSpec) -> impl Iterator<Item = &'static str> {
    services::of(service).map_or(&[][..], |kind| kind.rules()).iter().map(|rule| rule.name)
}
