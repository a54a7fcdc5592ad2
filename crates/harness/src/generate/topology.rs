//! Worlds of many shapes: a domain's products, each made of units, a unit being an application server with what it
//! keeps its data in. Loads are the domain's; [`super::capacity`] sizes everything for them.

use std::collections::{BTreeMap, BTreeSet};

use world::services::{self, DrawnUse};
use world::spec::{AppSpec, CallSpec, RouteSpec, ServiceSpec, Spec};

use super::capacity;
use super::dice::GeneratorDice;
use super::domains::{Domain, UnitKind};
use super::routes::{self, Neighbours};

/// The fewest services of a world, the most that are drawn where nothing else is asked for, and the most.
pub const LEAST: usize = 3;
/// See [`LEAST`].
pub const USUALLY_MOST: usize = 50;
/// See [`LEAST`].
pub const MOST: usize = 5000;

/// Applications are not larger than this; a larger world has several.
const LARGEST_APP: usize = 12;
/// The share of further applications that stand in a region of their own.
const ELSEWHERE: f64 = 0.4;
/// How likely a unit keeps its data in two stores, and gives one place to a server that keeps nothing.
const TWO_STORES: f64 = 0.35;
const STATELESS: f64 = 0.3;

/// Regions in one word each: a name of many words would be said in many of an answer's.
const REGIONS: &[&str] = &["euw", "use", "aps", "usw", "eun", "sae", "apne", "cac", "euc", "afs", "mec", "apse"];

/// A world and the outline of its call graph: two worlds of one outline differ in names, work and sizes only.
pub(super) struct Topology {
    pub spec: Spec,
    pub outline: String,
    /// The name of its domain.
    pub domain: &'static str,
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

/// Something that stands before the units of an application.
#[derive(Clone)]
pub(super) struct Front {
    pub name: String,
    /// A server; otherwise a load balancer.
    pub is_server: bool,
}

/// An application server with its stores.
pub(super) struct AppUnit {
    pub kind: &'static UnitKind,
    /// The place of its kind in the domain, and its application.
    rank: usize,
    pub app: String,
    /// What stands before the names of a region; empty at home.
    region: String,
    pub cache: bool,
    pub queue: bool,
    pub second: bool,
    /// One of another kind, in the place of one of these.
    guest: Option<GuestKind>,
    /// Services in front of it, from the users' side.
    pub front: Vec<Front>,
}

impl AppUnit {
    fn named(&self, what: &str) -> String {
        format!("{}{}_{}", self.region, self.kind.name, said_in(&self.region, what))
    }

    /// Its server.
    pub fn server_name(&self) -> String {
        self.named(&self.kind.server)
    }

    /// Its database.
    pub fn database_name(&self) -> String {
        self.named(self.kind.database.as_deref().unwrap_or_default())
    }

    /// Its cache.
    pub fn cache_name(&self) -> String {
        self.named(&self.kind.cache)
    }

    /// Its queue.
    pub fn queue_name(&self) -> String {
        self.named(&self.kind.queue)
    }

    /// Its second store.
    pub fn second_name(&self) -> String {
        self.named(self.kind.second.as_deref().unwrap_or_default())
    }

    /// Its service of another kind.
    pub fn guest_name(&self, guest: &GuestKind) -> String {
        self.named(guest.title)
    }

    /// The name of one of its routes.
    pub fn route(&self, name: &str) -> String {
        format!("{}{}_{name}", self.region, self.kind.name)
    }

    /// The unit of that name which it may ask: in its own region, or else at home.
    pub fn nearest<'a>(&self, name: &str, all: &Neighbours<'a>) -> Option<&'a AppUnit> {
        let rank = all.domain.rank(name).filter(|rank| *rank > self.rank)?;
        all.of(rank, &self.region).or_else(|| all.of(rank, ""))
    }

    /// The place of its kind in the domain, and what stands before the names of its region.
    pub fn place(&self) -> (usize, &str) {
        (self.rank, &self.region)
    }

    fn outline(&self, all: &Neighbours<'_>) -> String {
        let stateful = !self.kind.is_stateless();
        let parts =
            [("web", true), ("cache", self.cache), ("db", stateful), ("queue", self.queue), ("db2", self.second)];
        let known = parts.iter().filter(|p| p.1).map(|p| p.0);
        let parts: Vec<&str> = known.chain(self.guest.as_ref().map(|guest| guest.kind)).collect();
        parts.join("+") + &">".repeat(self.asked(all))
    }

    /// How many other units it asks.
    fn asked(&self, all: &Neighbours<'_>) -> usize {
        let calls = self.kind.routes.iter().flat_map(|r| &r.calls).chain(&self.kind.internal.calls);
        let asked = calls.filter_map(|c| c.ask.as_ref()).filter_map(|name| self.nearest(name, all));
        asked.map(AppUnit::place).collect::<BTreeSet<_>>().len()
    }
}

/// What a service is called by its role: in a region by the last word of it, because the region is a word of its own.
fn said_in<'w>(region: &str, what: &'w str) -> &'w str {
    if region.is_empty() { what } else { what.rsplit('_').next().unwrap_or(what) }
}

/// A world of a domain with so many services.
pub(super) fn build(dice: &mut GeneratorDice, domain: &'static Domain, services: usize) -> Topology {
    build_with(dice, domain, services, &guests())
}

/// The outline that a world has which is built with the same dice.
pub(super) fn outline(dice: &mut GeneratorDice, domain: &'static Domain, services: usize) -> String {
    let Layout { apps, units, .. } = lay_out(dice, domain, services, &guests());
    let all = Neighbours::new(domain, &units);
    let outlines: Vec<String> = apps.iter().map(|app| app.outline(&all)).collect();
    outlines.join(" ")
}

/// Which units a world has, and what stands in front of them; nothing is asked of them yet.
struct Layout {
    /// Its teams and builds, and the services in front.
    spec: Spec,
    apps: Vec<LaidOut>,
    units: Vec<AppUnit>,
}

/// An application: which units are its own, and what stands before their outline.
struct LaidOut {
    name: String,
    own: std::ops::Range<usize>,
    head: String,
}

impl LaidOut {
    fn outline(&self, all: &Neighbours<'_>) -> String {
        let parts: Vec<String> = all.units[self.own.clone()].iter().map(|unit| unit.outline(all)).collect();
        format!("{}({})", self.head, parts.join("|"))
    }
}

fn lay_out(dice: &mut GeneratorDice, domain: &'static Domain, services: usize, guests: &[GuestKind]) -> Layout {
    let mut spec = Spec { teams: domain.teams.clone(), builds: domain.builds.clone(), ..Spec::default() };
    let mut map = Map::new(dice, domain);
    let mut apps: Vec<LaidOut> = Vec::new();
    let mut units: Vec<AppUnit> = Vec::new();
    for size in sizes(dice, services) {
        let (balancer, front, sizes) = layout(dice, size);
        let product = map.settle(dice, sizes.len());
        let mut fronts = Vec::new();
        for (there, words, kind, instances) in
            [(balancer, &domain.edges, "balancer", 1), (front, &domain.fronts, "web", 2)]
        {
            if there {
                let name = format!("{product}_{}", said_in(&map.region(), dice.pick(words).as_str()));
                let words = if kind == "web" { domain.spoken() } else { BTreeMap::new() };
                spec.services.push(service(&name, kind, instances, words));
                fronts.push(Front { name, is_server: kind == "web" });
            }
        }
        let first = units.len();
        for size in sizes {
            let is_split = size > 2 && map.has_stateless() && dice.chance(STATELESS);
            let parts: &[(usize, bool)] = if is_split { &[(size - 1, false), (1, true)] } else { &[(size, false)] };
            for &(size, stateless) in parts {
                let (rank, region) = (map.take(dice, stateless), map.region());
                let kind = &domain.units[rank];
                let (cache, queue, second, guest) = stores(dice, kind, size, guests);
                let (app, front) = (product.clone(), fronts.clone());
                units.push(AppUnit { kind, rank, app, region, cache, queue, second, guest, front });
            }
        }
        let head = [(balancer, "lb>"), (front, "web>")].iter().filter(|p| p.0).map(|p| p.1).collect::<String>();
        apps.push(LaidOut { name: product, own: first..units.len(), head });
    }
    Layout { spec, apps, units }
}

fn build_with(dice: &mut GeneratorDice, domain: &'static Domain, services: usize, guests: &[GuestKind]) -> Topology {
    let Layout { mut spec, apps, units } = lay_out(dice, domain, services, guests);
    units.iter().for_each(|unit| add_services(&mut spec, unit));
    let all = Neighbours::new(domain, &units);
    let mut outlines = Vec::new();
    for laid_out in apps {
        let own = &units[laid_out.own.clone()];
        outlines.push(laid_out.outline(&all));
        let mut app = AppSpec { name: laid_out.name, routes: Vec::new(), load: domain.load };
        app.routes.extend(routes::overview(own, &all));
        for unit in own {
            let mut routes = routes::of(dice, unit, &all);
            if let Some(guest) = &unit.guest {
                call(dice, unit, &mut routes, routes::guest(unit, guest));
            }
            app.routes.extend(routes);
        }
        spec.apps.push(app);
    }
    name_caches(&mut spec, &units);
    spec.nodes = (spec.services.len() * 4 / 5).max(3);
    capacity::fit(&mut spec);
    units.iter().for_each(|unit| suit(&mut spec, unit));
    if dice.chance(0.35) {
        let quiet = dice.whole(0, spec.services.len() - 1);
        spec.tickets.push(spec.services[quiet].name.clone());
    }
    Topology { spec, outline: outlines.join(" "), domain: &domain.name }
}

/// Where the next application stands, and which units its region does not have yet.
struct Map {
    domain: &'static Domain,
    first_region: usize,
    first_product: usize,
    /// How many regions there are beside home, and how many products in this one.
    regions: usize,
    products: usize,
    /// Units that the region does not have yet.
    left: Vec<usize>,
    is_empty: bool,
}

impl Map {
    fn new(dice: &mut GeneratorDice, domain: &'static Domain) -> Map {
        Map {
            domain,
            first_region: dice.whole(0, REGIONS.len() - 1),
            first_product: dice.whole(0, domain.products.len() - 1),
            regions: 0,
            products: 0,
            left: (0..domain.units.len()).collect(),
            is_empty: true,
        }
    }

    /// The name of the next application, in a region that has room for so many units.
    fn settle(&mut self, dice: &mut GeneratorDice, units: usize) -> String {
        let stateful = self.left.iter().filter(|u| !self.domain.units[**u].is_stateless()).count();
        let elsewhere = dice.chance(ELSEWHERE);
        let is_full = stateful < units || self.products == self.domain.products.len();
        if !self.is_empty && (elsewhere || is_full) {
            (self.regions, self.products) = (self.regions + 1, 0);
            self.left = (0..self.domain.units.len()).collect();
        }
        self.is_empty = false;
        let product = &self.domain.products[(self.first_product + self.products) % self.domain.products.len()];
        self.products += 1;
        format!("{}{product}", self.region())
    }

    /// What stands before the names of the region; one that comes again has another number.
    fn region(&self) -> String {
        let Some(number) = self.regions.checked_sub(1) else { return String::new() };
        let name = REGIONS[(self.first_region + number) % REGIONS.len()];
        format!("{name}{}_", number / REGIONS.len() + 1)
    }

    fn has_stateless(&self) -> bool {
        self.left.iter().any(|u| self.domain.units[*u].is_stateless())
    }

    /// A unit that the region does not have yet.
    fn take(&mut self, dice: &mut GeneratorDice, stateless: bool) -> usize {
        let fits = |u: &usize| self.domain.units[*u].is_stateless() == stateless;
        let fitting: Vec<usize> = self.left.iter().copied().filter(fits).collect();
        let unit = *dice.pick(&fitting);
        self.left.retain(|u| *u != unit);
        unit
    }
}

/// Whether a unit of so many services has a cache, a queue, a second store, or a store of another kind in the place of
/// one. Dice are rolled for other kinds only where there are any.
fn stores(
    dice: &mut GeneratorDice,
    kind: &UnitKind,
    size: usize,
    guests: &[GuestKind],
) -> (bool, bool, bool, Option<GuestKind>) {
    let (cache, queue) = match size {
        1 | 2 => return (false, false, false, None),
        3 => {
            let cache = dice.chance(0.6);
            (cache, !cache)
        }
        _ => (true, true),
    };
    let kinds = guests.len() as f64;
    if !guests.is_empty() && dice.chance(kinds / (kinds + 1.0)) {
        return (cache && queue, false, false, Some(dice.pick(guests).clone()));
    }
    if cache && queue && kind.second.is_some() && dice.chance(TWO_STORES) {
        return (true, false, true, None);
    }
    (cache, queue, false, None)
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

/// A service of a kind, in the words of a unit.
fn service_of(unit: &UnitKind, name: &str, kind: &str, instances: usize) -> ServiceSpec {
    let words = match kind {
        "database" => unit.tables(),
        "web" => unit.spoken(),
        _ => BTreeMap::new(),
    };
    service(name, kind, instances, words)
}

fn service(name: &str, kind: &str, instances: usize, words: BTreeMap<String, String>) -> ServiceSpec {
    ServiceSpec { name: name.to_string(), kind: kind.to_string(), instances, words, ..ServiceSpec::default() }
}

fn add_services(spec: &mut Spec, unit: &AppUnit) {
    let mut web = service_of(unit.kind, &unit.server_name(), "web", 2);
    if let Some(front) = unit.front.last().filter(|front| front.is_server) {
        // What waits for it has more patience than it has itself.
        let front = spec.service_mut(&front.name);
        front.map(|f| f.config.insert("TIMEOUT_MS".into(), "9000".into()));
    }
    if unit.cache {
        let host = format!("{}.internal", unit.cache_name().replace('_', "-"));
        web.config.insert("CACHE_HOST".into(), host.into());
    }
    spec.services.push(web);
    let stores = [
        (unit.cache, unit.cache_name(), "cache"),
        (!unit.kind.is_stateless(), unit.database_name(), "database"),
        (unit.second, unit.second_name(), "database"),
        (unit.queue, unit.queue_name(), "queue"),
    ];
    spec.services.extend(stores.iter().filter(|s| s.0).map(|(_, name, kind)| service_of(unit.kind, name, kind, 1)));
    if let Some(guest) = &unit.guest {
        spec.services.push(service(&unit.guest_name(guest), guest.kind, 1, BTreeMap::new()));
    }
}

/// Makes a unit's stores as large and as slow as its domain has them, and their settings fit for that.
fn suit(spec: &mut Spec, unit: &AppUnit) {
    let UnitKind { settles, confirms, entries, reuse, data, .. } = *unit.kind;
    if let Some(cache) = spec.service_mut(&unit.cache_name()).filter(|_| unit.cache) {
        times(cache, &[("working_set_mb", entries), ("reuse_s", reuse)]);
        cache.set("MAX_MEMORY_MB", 1024.0 * entries, 64.0, 32_768.0);
        cache.set("TTL_SECONDS", 300.0 * reuse, 20.0, 43_200.0);
    }
    for name in [unit.database_name(), unit.second_name()] {
        let Some(store) = spec.service_mut(&name).filter(|s| s.kind == "database") else { continue };
        times(store, &[("data_gb", data), ("gb_per_kwrite", data)]);
        store.set("DISK_QUOTA_GB", 240.0 * data, 24.0, 9000.0);
    }
    if let Some(queue) = spec.service_mut(&unit.queue_name()).filter(|_| unit.queue) {
        times(queue, &[("settle_s", settles), ("publish_s", confirms)]);
        let in_flight = queue.config.get("MAX_IN_FLIGHT").and_then(|n| n.parse().ok()).unwrap_or(1000.0);
        queue.set("MAX_IN_FLIGHT", in_flight * settles, 30.0, 40_000.0);
        queue.set("VISIBILITY_TIMEOUT_MS", 30_000.0 * settles, 1500.0, 600_000.0);
        let server = spec.service_mut(&unit.server_name());
        server.into_iter().for_each(|s| s.set("QUEUE_PUBLISH_TIMEOUT_MS", 3000.0 * confirms, 200.0, 20_000.0));
    }
}

/// Multiplies physical parameters.
fn times(service: &mut ServiceSpec, params: &[(&'static str, f64)]) {
    let usual = services::find(&service.kind).map_or(&[][..], |kind| kind.params());
    for (name, by) in params.iter().filter(|(_, by)| *by != 1.0) {
        let own = service.params.get(*name).copied();
        let now = own.or_else(|| usual.iter().find(|p| p.0 == *name).map(|p| p.1)).unwrap_or_default();
        service.set_param(name, now * by);
    }
}

/// A server without a cache must not look for one under another server's name.
fn name_caches(spec: &mut Spec, units: &[AppUnit]) {
    let bare = units.iter().filter(|u| !u.cache).map(AppUnit::server_name);
    let fronts = units.iter().flat_map(|u| &u.front).filter(|front| front.is_server).map(|front| front.name.clone());
    for name in bare.chain(fronts) {
        if let Some(web) = spec.service_mut(&name) {
            web.config.insert("USE_CACHE".into(), "false".into());
        }
    }
}

/// One route that users ask often makes a further call, at the unit's server.
fn call(dice: &mut GeneratorDice, unit: &AppUnit, routes: &mut [RouteSpec], call: CallSpec) {
    let users: Vec<usize> = (0..routes.len()).filter(|&r| routes[r].rps > 1.0).collect();
    let mut at = &mut routes[*dice.pick(&users)].entry;
    while *at.to != *unit.server_name() {
        at = &mut at.calls[0];
    }
    at.calls.push(call);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use world::spec::Op;
    use world::{Blueprint, Noise, Seed, World};

    use super::*;
    use crate::generate::domains;

    /// A kind that the routes do not name is drawn by what it says of itself. The shop's cache stands in for one.
    #[test]
    fn a_further_kind_is_drawn_and_called() {
        let op = Op { name: "ask".into(), hit: 0.9, ..Op::default() };
        let used = DrawnUse { called_by: &["web"], op, times: 2.0, calls: &["database"] };
        let guest = GuestKind { kind: "cache", title: "lookup_table", used };
        let (mut drawn, mut plain) = (0, 0);
        for number in 0..40 {
            let mut dice = GeneratorDice::new(Seed(7), "guests", number);
            let Topology { spec, outline, .. } = build_with(
                &mut dice,
                &domains::ALL[number as usize % domains::ALL.len()],
                9,
                std::slice::from_ref(&guest),
            );
            assert_eq!(spec.services.len(), 9, "{outline}: a world is as large as it was asked for");
            let guests = spec.services.iter().filter(|s| s.name.ends_with("_lookup_table")).map(|s| &s.name);
            let is_database = |name: &str| spec.services.iter().any(|s| s.name == name && s.kind == "database");
            for name in guests.clone() {
                let asks = |c: &CallSpec| *c.to == **name && c.calls.iter().any(|inner| is_database(&inner.to));
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
