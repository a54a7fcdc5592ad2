//! Worlds of many shapes: applications of units, a unit being an application server with what it
//! keeps its data in. Loads are those of the shop; [`super::capacity`] sizes everything for them.

use world::services::{self, DrawnUse};
use world::spec::{AppSpec, CallSpec, RouteSpec, ServiceSpec, Spec};

use super::capacity;
use super::dice::GeneratorDice;
use super::routes;

/// The fewest and the most services of a world.
pub const LEAST: usize = 3;
/// See [`LEAST`].
pub const MOST: usize = 50;

/// Applications are not larger than this; a larger world has several.
const LARGEST_APP: usize = 12;

const WORDS: &[&str] = &[
    "catalog",
    "accounts",
    "orders",
    "media",
    "reviews",
    "shipping",
    "billing",
    "tickets",
    "profiles",
    "inventory",
    "coupons",
    "returns",
    "stock",
    "wishlist",
    "partners",
    "ledger",
    "feeds",
    "bookings",
    "loyalty",
    "offers",
    "invoices",
    "gifts",
    "stores",
    "suppliers",
    "tracking",
];
const APPS: &[&str] =
    &["shop", "market", "travel", "studio", "arcade", "clinic", "campus", "transit", "museum", "press"];

/// A world and the outline of its call graph: two worlds of one outline differ in names and sizes only.
pub(super) struct Topology {
    pub spec: Spec,
    pub outline: String,
}

/// A kind that routes do not know by name, and how drawn worlds use it.
#[derive(Clone)]
pub(super) struct GuestKind {
    pub kind: &'static str,
    pub title: &'static str,
    pub used: DrawnUse,
}

/// The kinds that an application server may call beside those of the shop.
fn guests() -> Vec<GuestKind> {
    let guest = |kind: &&dyn services::Physics| {
        let used = kind.drawn().filter(|used| used.called_by.contains(&"web"))?;
        Some(GuestKind { kind: kind.name(), title: kind.title(), used })
    };
    services::ALL.iter().filter_map(guest).collect()
}

/// An application server with its stores.
pub(super) struct AppUnit {
    pub name: String,
    pub cache: bool,
    pub queue: bool,
    /// One of another kind, in the place of one of these.
    pub guest: Option<GuestKind>,
    /// Services in front of it, from the users' side.
    pub front: Vec<String>,
}

impl AppUnit {
    /// The name of one of its services.
    pub fn service(&self, what: &str) -> String {
        format!("{}_{what}", self.name)
    }

    fn outline(&self) -> String {
        let parts = [("web", true), ("cache", self.cache), ("db", true), ("queue", self.queue)];
        let known = parts.iter().filter(|p| p.1).map(|p| p.0);
        known.chain(self.guest.as_ref().map(|guest| guest.kind)).collect::<Vec<_>>().join("+")
    }
}

/// A world of so many services.
pub(super) fn build(dice: &mut GeneratorDice, services: usize) -> Topology {
    build_with(dice, services, &guests())
}

fn build_with(dice: &mut GeneratorDice, services: usize, guests: &[GuestKind]) -> Topology {
    let mut spec = Spec::default();
    let mut outlines = Vec::new();
    let (first_app, first_word) = (dice.whole(0, APPS.len() - 1), dice.whole(0, WORDS.len() - 1));
    let mut all: Vec<AppUnit> = Vec::new();
    for (at, size) in sizes(dice, services).into_iter().enumerate() {
        let name = named(APPS, first_app, at);
        let (balancer, front, sizes) = layout(dice, size);
        let mut via = Vec::new();
        for (there, what, kind, instances) in
            [(balancer, "load_balancer", "balancer", 1), (front, "web_server", "web", 2)]
        {
            if there {
                via.push(format!("{name}_{what}"));
                spec.services.push(service(&format!("{name}_{what}"), kind, instances));
            }
        }
        let mut app = AppSpec { name, routes: Vec::new() };
        let mut parts = Vec::new();
        for size in sizes {
            let (cache, queue, guest) = stores(dice, size, guests);
            let word = named(WORDS, first_word, all.len());
            let unit = AppUnit { name: word, cache, queue, guest, front: via.clone() };
            add_services(&mut spec, &unit, front);
            let mut routes = routes::of(dice, &unit);
            if let Some(guest) = &unit.guest {
                call(dice, &mut routes, routes::guest(&unit, guest));
            }
            app.routes.extend(routes);
            parts.push(unit.outline());
            all.push(unit);
        }
        let across = at > 0 && dice.chance(0.6);
        if across {
            let callee = &all[dice.whole(0, all.len() - parts.len() - 1)];
            call_across(dice, &mut app, callee);
        }
        let head = [(balancer, "lb>"), (front, "web>")].iter().filter(|p| p.0).map(|p| p.1).collect::<String>();
        outlines.push(format!("{head}({}){}", parts.join("|"), if across { ">" } else { "" }));
        spec.apps.push(app);
    }
    name_caches(&mut spec, &all);
    spec.nodes = (spec.services.len() * 4 / 5).max(3);
    capacity::fit(&mut spec);
    if dice.chance(0.35) {
        let quiet = dice.whole(0, spec.services.len() - 1);
        spec.tickets.push(spec.services[quiet].name.clone());
    }
    Topology { spec, outline: outlines.join(" ") }
}

/// Whether a unit of so many services has a cache and a queue, or a store of another kind in the place of one. Dice are
/// rolled for other kinds only where there are any: those of the shop give the worlds that they gave before.
fn stores(dice: &mut GeneratorDice, size: usize, guests: &[GuestKind]) -> (bool, bool, Option<GuestKind>) {
    let (cache, queue) = match size {
        2 => return (false, false, None),
        3 => {
            let cache = dice.chance(0.6);
            (cache, !cache)
        }
        _ => (true, true),
    };
    let kinds = guests.len() as f64;
    if guests.is_empty() || !dice.chance(kinds / (kinds + 2.0)) {
        return (cache, queue, None);
    }
    (cache && queue, false, Some(dice.pick(guests).clone()))
}

/// The name of that number, beginning somewhere in the list; what is beyond it is numbered.
fn named(names: &[&str], first: usize, number: usize) -> String {
    let name = names[(first + number) % names.len()];
    if number < names.len() { name.to_string() } else { format!("{name}{}", number / names.len() + 1) }
}

/// How large the applications are.
fn sizes(dice: &mut GeneratorDice, services: usize) -> Vec<usize> {
    let mut left = services;
    let mut sizes = Vec::new();
    while left > 0 {
        let most = left.min(LARGEST_APP);
        let size = if left <= 5 { left } else { dice.whole(3, most) };
        // What is left must be enough for an application of its own.
        let size = if left - size > 0 && left - size < LEAST { left.min(size + left - size) } else { size };
        sizes.push(size);
        left -= size;
    }
    sizes
}

/// Whether it has a balancer and a front tier, and how large its units are.
fn layout(dice: &mut GeneratorDice, size: usize) -> (bool, bool, Vec<usize>) {
    let balancer = if size == LEAST { dice.chance(0.4) } else { dice.chance(0.75) };
    let rest = size - usize::from(balancer);
    if rest < 4 || (rest == 4 && dice.chance(0.6)) {
        return (balancer, false, vec![rest]);
    }
    let mut left = rest - 1;
    let mut units = Vec::new();
    while left > 0 {
        let most = left.min(4);
        let take = if left <= 3 { left } else { dice.whole(2, most) };
        let take = if left - take == 1 { take - 1 } else { take };
        let take = take.max(2).min(left);
        units.push(take);
        left -= take;
    }
    (balancer, true, units)
}

fn service(name: &str, kind: &str, instances: usize) -> ServiceSpec {
    ServiceSpec { name: name.to_string(), kind: kind.to_string(), instances, ..ServiceSpec::default() }
}

fn add_services(spec: &mut Spec, unit: &AppUnit, is_behind: bool) {
    let mut web = service(&unit.service("web_server"), "web", 2);
    if is_behind {
        // What waits for it has more patience than it has itself.
        let front = unit.front.last().and_then(|name| spec.service_mut(name));
        front.map(|f| f.config.insert("TIMEOUT_MS".into(), "9000".into()));
    }
    if unit.cache {
        let host = format!("{}.internal", unit.service("cache").replace('_', "-"));
        web.config.insert("CACHE_HOST".into(), host);
    }
    spec.services.push(web);
    if unit.cache {
        spec.services.push(service(&unit.service("cache"), "cache", 1));
    }
    spec.services.push(service(&unit.service("database"), "database", 1));
    if unit.queue {
        spec.services.push(service(&unit.service("message_queue"), "queue", 1));
    }
    if let Some(guest) = &unit.guest {
        spec.services.push(service(&unit.service(guest.title), guest.kind, 1));
    }
}

/// A server without a cache must not look for one under another server's name.
fn name_caches(spec: &mut Spec, units: &[AppUnit]) {
    for unit in units.iter().filter(|u| !u.cache) {
        if let Some(web) = spec.service_mut(&unit.service("web_server")) {
            web.config.insert("USE_CACHE".into(), "false".into());
        }
    }
    let fronts: Vec<String> = units.iter().filter_map(|u| u.front.last().cloned()).collect();
    for name in fronts {
        if let Some(web) = spec.service_mut(&name).filter(|s| s.kind == "web") {
            web.config.insert("USE_CACHE".into(), "false".into());
        }
    }
}

/// One route of an application also asks a server of an earlier one.
fn call_across(dice: &mut GeneratorDice, app: &mut AppSpec, callee: &AppUnit) {
    call(dice, &mut app.routes, routes::foreign(callee));
}

/// One route that users ask often makes a further call.
fn call(dice: &mut GeneratorDice, routes: &mut [RouteSpec], call: CallSpec) {
    let users: Vec<usize> = (0..routes.len()).filter(|&r| routes[r].rps > 1.0).collect();
    innermost(&mut routes[*dice.pick(&users)]).calls.push(call);
}

/// The call of a route to the server of its unit.
fn innermost(route: &mut RouteSpec) -> &mut CallSpec {
    let mut call = &mut route.entry;
    while call.calls.first().is_some_and(|c| c.to.ends_with("_web_server")) {
        call = &mut call.calls[0];
    }
    call
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use world::spec::Op;
    use world::{Blueprint, Noise, Seed, World};

    use super::*;

    /// A kind that the routes do not name is drawn by what it says of itself. The shop's cache stands in for one.
    #[test]
    fn a_further_kind_is_drawn_and_called() {
        let op = Op { name: "ask".into(), hit: 0.9, ..Op::default() };
        let used = DrawnUse { called_by: &["web"], op, times: 2.0, calls: &["database"] };
        let guest = GuestKind { kind: "cache", title: "lookup_table", used };
        let (mut drawn, mut plain) = (0, 0);
        for number in 0..40 {
            let mut dice = GeneratorDice::new(Seed(7), "guests", number);
            let Topology { spec, outline } = build_with(&mut dice, 9, std::slice::from_ref(&guest));
            assert_eq!(spec.services.len(), 9, "{outline}: a world is as large as it was asked for");
            let guests = spec.services.iter().filter(|s| s.name.ends_with("_lookup_table")).map(|s| &s.name);
            for name in guests.clone() {
                let asks = |c: &CallSpec| c.to == *name && c.calls.iter().any(|inner| inner.to.ends_with("_database"));
                let routes = spec.apps.iter().flat_map(|a| &a.routes);
                assert!(routes.into_iter().any(|r| r.entry.any(&asks)), "{outline}: {name} is called and calls");
            }
            (drawn, plain) = (drawn + guests.count(), plain + 1);
            let plan = Arc::new(Blueprint::compile(&spec).unwrap_or_else(|e| panic!("{outline}: {e}")));
            World::healthy(&plan, Seed(0), Noise(0));
        }
        assert!(drawn >= plain / 2, "{drawn} in {plain} worlds");
    }
}
