//! From a spec to a blueprint: names are checked and turned into indexes, trees into arrays, columns laid out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::blueprint::{
    AlertInfo, Blueprint, Borrowed, CALL_COLUMNS, CallInfo, PagingMetric, ROUTE_COLUMNS, RouteInfo, RuleGlance,
    ServiceInfo, SizedRule, SpecError, Watch,
};
use crate::config::Value;
use crate::fleet::InstanceId;
use crate::flow::Translation;
use crate::kind::{PLATFORM_GAUGES, Params};
use crate::services;
use crate::spec::{AppSpec, CallSpec, ServiceSpec, Spec, host};

/// The rule that watches what is promised to users.
const OBJECTIVE_BURN: &str = "objective_burn";

impl Blueprint {
    /// Compiles a spec, or says what is wrong with it.
    pub fn compile(spec: &Spec) -> Result<Blueprint, SpecError> {
        let mut plan = Blueprint {
            services: Vec::with_capacity(spec.services.len()),
            routes: Vec::with_capacity(spec.routes().count()),
            calls: Vec::with_capacity(spec.routes().map(|route| route.entry.count()).sum()),
            order: Vec::new(),
            alerts: Vec::new(),
            paging: Vec::new(),
            paging_metrics: Vec::new(),
            glances: Vec::new(),
            event_columns: Vec::new(),
            answered_by: Vec::new(),
            teams: spec.teams.clone(),
            builds: spec.builds.clone(),
            nodes: spec.nodes.max(1),
            placement: Vec::new(),
            width: 0,
            series: OnceLock::new(),
            names: BTreeMap::new(),
            hosts: BTreeMap::new(),
            formerly_elsewhere: Vec::new(),
            route_names: BTreeMap::new(),
        };
        for service in &spec.services {
            plan.add_service(service)?;
        }
        for app in &spec.apps {
            for route in &app.routes {
                plan.add_route(app, route)?;
            }
        }
        plan.order = plan.callers_first()?;
        plan.lay_out_columns();
        plan.add_alerts(spec)?;
        Ok(plan)
    }

    fn add_service(&mut self, spec: &ServiceSpec) -> Result<(), SpecError> {
        let service = || spec.name.clone();
        let names = |all: Vec<&str>| all.join(", ");
        let kind = services::of(spec).ok_or_else(|| SpecError::Kind {
            service: service(),
            kind: spec.kind.clone(),
            known: names(services::ALL.iter().map(|k| k.name()).collect()),
        })?;
        if let Some(word) = spec.words.keys().find(|word| !kind.words().contains(&word.as_str())) {
            let known = kind.words().join(", ");
            let problem = format!("service `{}`: no word `{word}` to say otherwise; known are {known}", spec.name);
            return Err(SpecError::Senseless(problem));
        }
        if self.service(&spec.name).is_some() {
            return Err(SpecError::Senseless(format!("two services are called `{}`", spec.name)));
        }
        if spec.instances == 0 {
            return Err(SpecError::Senseless(format!("service `{}` has no instances", spec.name)));
        }
        let mut config: Vec<Value> = kind.keys().iter().map(|k| k.default_value()).collect();
        for (name, text) in &spec.config {
            let at = kind.keys().iter().position(|k| k.name == name).ok_or_else(|| SpecError::Key {
                service: service(),
                key: name.to_string(),
                known: names(kind.keys().iter().map(|k| k.name).collect()),
            })?;
            config[at] =
                kind.keys()[at].parse(text).map_err(|problem| SpecError::Value { service: service(), problem })?;
        }
        let mut params = Params::usual(kind.params());
        let size = spec.params.get("size").copied().unwrap_or(1.0);
        for (name, value) in spec.params.iter().filter(|(name, _)| *name != "size") {
            if !params.set(name, *value) {
                let known = names(kind.params().iter().map(|p| p.0).collect());
                return Err(SpecError::Param { service: service(), param: name.to_string(), known });
            }
        }
        let me = self.services.len();
        let first = self.placement.len();
        for i in 0..spec.instances {
            self.placement.push((me, (first + i) % self.nodes));
        }
        let (name, host): (Arc<str>, Arc<str>) = (spec.name.as_str().into(), host(&spec.name).into());
        self.names.insert(name.clone(), me);
        self.hosts.entry(host.clone()).or_insert(me);
        if params.get("former_host").is_some_and(|on| *on > 0.0) {
            self.formerly_elsewhere.push(me);
        }
        self.services.push(ServiceInfo {
            name,
            host,
            kind,
            replicas: spec.instances,
            first: InstanceId(first as u32),
            calls: Vec::new(),
            roots: Vec::new(),
            depends_on: Vec::new(),
            config,
            params,
            size,
            metrics: 0..0,
            events: 0..0,
            gauges: 0..0,
            borrowed: Vec::new(),
            alerts: 0..0,
            can_page: false,
            paged: 0,
            lines: OnceLock::new(),
            loud: OnceLock::new(),
        });
        Ok(())
    }

    fn add_route(&mut self, app: &AppSpec, spec: &crate::spec::RouteSpec) -> Result<(), SpecError> {
        if self.route(&spec.name).is_some() {
            return Err(SpecError::Senseless(format!("two routes are called `{}`", spec.name)));
        }
        if app.load.again_s < 0.0 {
            let problem = format!(
                "route `{}`: users send a request again only after it failed, `again_s` is 0 or more",
                spec.name
            );
            return Err(SpecError::Senseless(problem));
        }
        let route = self.routes.len();
        let entry = self.add_call(&spec.entry, None, route, None)?;
        let asynchronous = spec.rps <= 0.0;
        if asynchronous {
            let service = self.calls[entry].service;
            self.services[service].roots.push(entry);
            self.services[service].calls.retain(|&c| c != entry);
        }
        let name: Arc<str> = spec.name.as_str().into();
        self.route_names.insert(name.clone(), route);
        self.routes.push(RouteInfo {
            name,
            app: app.name.as_str().into(),
            load: app.load,
            rps: spec.rps,
            slow: spec.slow_ms / 1000.0,
            patience: spec.patience_ms / 1000.0,
            allowed: spec.allowed,
            user_retry: spec.user_retry,
            entry,
            asynchronous,
            columns: 0..0,
        });
        Ok(())
    }

    fn add_call(
        &mut self,
        spec: &CallSpec,
        parent: Option<usize>,
        route: usize,
        miss_of: Option<usize>,
    ) -> Result<usize, SpecError> {
        let place = || format!("call `{}`", spec.op.name);
        let service = self
            .service(&spec.to)
            .ok_or_else(|| SpecError::Service { place: place(), service: spec.to.to_string() })?;
        let kind = self.services[service].kind;
        let index = match &spec.op.index {
            None => None,
            Some(name) => Some(kind.keys().iter().position(|k| *k.name == **name).ok_or_else(|| SpecError::Key {
                service: spec.to.to_string(),
                key: name.to_string(),
                known: kind.keys().iter().map(|k| k.name).collect::<Vec<_>>().join(", "),
            })?),
        };
        // What is called where a call finds nothing is called by its caller, and stands behind it.
        let children = spec.calls.iter().map(|call| 1 + call.on_miss.len()).sum();
        let at = self.calls.len();
        self.calls.push(CallInfo {
            service,
            role: kind.role(),
            parent,
            route,
            op: spec.op.clone(),
            times: spec.times,
            miss_of,
            children: Vec::with_capacity(children),
            index,
            columns: 0..0,
            place: None,
            shows: self.translation(service),
        });
        self.services[service].calls.push(at);
        if let Some(parent) = parent {
            self.calls[parent].children.push(at);
            let caller = self.calls[parent].service;
            if !self.services[caller].depends_on.contains(&service) {
                self.services[caller].depends_on.push(service);
            }
        }
        for call in &spec.calls {
            self.add_call(call, Some(at), route, None)?;
        }
        for call in &spec.on_miss {
            let parent = parent
                .ok_or_else(|| SpecError::Senseless(format!("{}: the first call of a route cannot miss", place())))?;
            self.add_call(call, Some(parent), route, Some(at))?;
        }
        Ok(at)
    }

    /// What callers of a service see of its failures; all its calls are alike in that.
    fn translation(&self, service: usize) -> Option<Translation> {
        let info = &self.services[service];
        match info.calls.first() {
            Some(&other) => self.calls[other].shows,
            None => Translation::of(|reason| info.kind.shows(reason)),
        }
    }

    /// Kahn's algorithm; among services that are ready, the first in the spec comes first.
    fn callers_first(&self) -> Result<Vec<usize>, SpecError> {
        let mut callers = vec![0usize; self.services.len()];
        for service in &self.services {
            service.depends_on.iter().for_each(|&d| callers[d] += 1);
        }
        let mut order = Vec::with_capacity(callers.len());
        let mut ready: std::collections::BTreeSet<usize> = (0..callers.len()).filter(|&s| callers[s] == 0).collect();
        while let Some(service) = ready.pop_first() {
            order.push(service);
            for &d in &self.services[service].depends_on {
                callers[d] -= 1;
                if callers[d] == 0 {
                    ready.insert(d);
                }
            }
        }
        if order.len() == callers.len() {
            return Ok(order);
        }
        let stuck = (0..callers.len()).filter(|&s| callers[s] > 0).map(|s| &*self.services[s].name);
        Err(SpecError::Circle(stuck.collect::<Vec<_>>().join(", ")))
    }

    fn lay_out_columns(&mut self) {
        let mut next = 0;
        let mut take = |n: usize| {
            next += n;
            next - n..next
        };
        for route in &mut self.routes {
            route.columns = take(ROUTE_COLUMNS);
        }
        for at in 0..self.services.len() {
            let borrowed = self.lines_about_others(at);
            let service = &mut self.services[at];
            service.borrowed = borrowed;
            service.metrics = take(service.kind.metrics().len());
            service.events = take(service.own_templates().count() + 1);
            service.gauges = take(service.kind.gauges().len() + PLATFORM_GAUGES.len());
        }
        for call in &mut self.calls {
            call.columns = take(CALL_COLUMNS.len());
        }
        for info in &self.services {
            info.calls.iter().enumerate().for_each(|(at, call)| self.calls[*call].place = Some(at));
        }
        self.event_columns = self.services.iter().map(|info| info.events.clone()).collect();
        self.answered_by = self.calls.iter().map(|call| (call.service, call.place)).collect();
        self.width = next;
    }

    /// One set of lines for each kind among those that a service calls.
    fn lines_about_others(&self, service: usize) -> Vec<Borrowed> {
        let info = &self.services[service];
        let (mut first, mut borrowed) = (info.kind.logs().len(), Vec::<Borrowed>::new());
        for kind in info.depends_on.iter().map(|&d| self.services[d].kind).filter(|k| !k.caller_logs().is_empty()) {
            if borrowed.iter().all(|b| b.kind.name() != kind.name()) {
                borrowed.push(Borrowed { kind, first });
                first += kind.caller_logs().len();
            }
        }
        borrowed
    }

    fn add_alerts(&mut self, spec: &Spec) -> Result<(), SpecError> {
        for ticket in &spec.tickets {
            let name = ticket.split('/').next().unwrap_or_default();
            if self.service(name).is_none() && self.route(name).is_none() {
                return Err(SpecError::Service { place: format!("ticket `{ticket}`"), service: name.to_string() });
            }
        }
        let rules = self.services.iter().map(|service| service.kind.rules().len()).sum::<usize>();
        self.alerts.reserve_exact(rules + self.routes.len() + if spec.whole_apps_page { spec.apps.len() } else { 0 });
        let tickets: BTreeSet<&str> = spec.tickets.iter().map(String::as_str).collect();
        // A ticket for all of an owner's rules stands there by the owner's name.
        let quiet = |owner: &str, rule: &str| !tickets.is_empty() && tickets.contains(&*[owner, "/", rule].concat());
        for (at, service) in self.services.iter_mut().enumerate() {
            service.alerts = self.alerts.len()..self.alerts.len();
            let is_quiet = tickets.contains(&*service.name);
            for rule in service.kind.rules() {
                let metric = service.kind.metrics().iter().position(|m| m.name == rule.metric);
                assert!(metric.is_some() || rule.metric == "up", "rule {} watches a metric that exists", rule.name);
                let pages = rule.pages && !is_quiet && !quiet(&service.name, rule.name);
                service.can_page |= pages;
                let column = metric.map(|m| service.metrics.start + m);
                let sized = metric.is_some_and(|m| service.kind.metrics()[m].sized);
                let threshold = if sized { rule.threshold * service.size } else { rule.threshold };
                let watches = Watch::Metric(at, column, SizedRule::new(rule, threshold));
                self.alerts.push(AlertInfo { owner: service.name.clone(), rule: rule.name, watches, pages });
            }
            service.alerts.end = self.alerts.len();
        }
        for (at, route) in self.routes.iter().enumerate() {
            let is_quiet = || tickets.contains(&*route.name) || quiet(&route.name, OBJECTIVE_BURN);
            let pages = !(spec.whole_apps_page || is_quiet());
            let owner = route.name.clone();
            self.alerts.push(AlertInfo { owner, rule: OBJECTIVE_BURN, watches: Watch::Burn(at), pages });
        }
        if spec.whole_apps_page {
            self.watch_apps(spec);
        }
        self.glances = self.alerts.iter().map(|alert| RuleGlance::of(&alert.watches)).collect();
        self.paging = (0..self.alerts.len()).filter(|at| self.alerts[*at].pages).collect();
        // Several rules of a service may look at one metric, and chance is let into it once.
        let mut metrics: BTreeMap<(usize, usize), PagingMetric> = BTreeMap::new();
        for at in &self.paging {
            let Watch::Metric(service, Some(column), rule) = self.alerts[*at].watches else { continue };
            let none = PagingMetric { service, column, most: f64::INFINITY, least: f64::NEG_INFINITY };
            let metric = metrics.entry((service, column)).or_insert(none);
            match rule.above {
                true => metric.most = metric.most.min(rule.threshold),
                false => metric.least = metric.least.max(rule.threshold),
            }
            let info = &mut self.services[service];
            assert!(info.metrics.len() <= u32::BITS as usize, "there is a bit for every metric of a kind");
            info.paged |= 1 << (column - info.metrics.start);
        }
        self.paging_metrics = metrics.into_values().collect();
        Ok(())
    }

    /// One rule for each application.
    fn watch_apps(&mut self, spec: &Spec) {
        let mut routes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, route) in self.routes.iter().enumerate() {
            routes.entry(&route.app).or_default().push(at);
        }
        for app in &spec.apps {
            if let Some(own) = routes.get(app.name.as_str()) {
                let (owner, watches) = (app.name.as_str().into(), Watch::AppBurn(own.clone()));
                self.alerts.push(AlertInfo { owner, rule: OBJECTIVE_BURN, watches, pages: true });
            }
        }
    }
}
