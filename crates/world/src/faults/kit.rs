//! What faults are put together from: places where they fit, things that happen, cures they share.

use super::{Act, Cure, FaultArgs, FaultError};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::config::Value;
use crate::fleet::Process;
use crate::instruments::Series;
use crate::mutation::Mutation;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::{Span, Time};

/// Arguments with these values.
pub(crate) fn site(pairs: &[(&str, &str)]) -> FaultArgs {
    FaultArgs(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect())
}

/// One site for each service.
pub(crate) fn everywhere(plan: &Blueprint) -> Vec<FaultArgs> {
    plan.services.iter().map(|s| site(&[("service", &s.name)])).collect()
}

/// One site for each service that has what breaks.
pub(crate) fn exposed(plan: &Blueprint, hazard: Hazard) -> Vec<FaultArgs> {
    let fits = plan.services.iter().filter(|s| s.has(hazard));
    fits.map(|s| site(&[("service", &s.name)])).collect()
}

/// One site for each service that has what breaks and calls one that has something, too.
pub(crate) fn callers_of(plan: &Blueprint, hazard: Hazard, callee: Hazard) -> Vec<FaultArgs> {
    let calls = |s: &ServiceInfo| s.depends_on.iter().any(|&d| plan.services[d].has(callee));
    let fits = plan.services.iter().filter(|s| s.has(hazard) && calls(s));
    fits.map(|s| site(&[("service", &s.name)])).collect()
}

/// One site for each database that reads from a replica.
pub(crate) fn replicated(plan: &Blueprint) -> Vec<FaultArgs> {
    let on = |s: &&ServiceInfo| s.setting("READ_REPLICA_ENABLED").is_some_and(Value::bool);
    plan.services.iter().filter(on).map(|s| site(&[("service", &s.name)])).collect()
}

/// One site for each service and each of those that it calls.
pub(crate) fn links(plan: &Blueprint) -> Vec<FaultArgs> {
    let of = |s: &ServiceInfo| {
        let to = s.depends_on.iter().map(|&d| &plan.services[d].name);
        to.map(|to| site(&[("service", &s.name), ("to", to)])).collect::<Vec<_>>()
    };
    plan.services.iter().flat_map(of).collect()
}

/// The two ends of a link.
pub(crate) fn link(args: &FaultArgs, plan: &Blueprint) -> Result<(usize, usize), FaultError> {
    let (from, to) = (args.service(plan)?, args.service_at("to", plan)?);
    if plan.services[from].depends_on.contains(&to) {
        return Ok((from, to));
    }
    let problem = format!("{} does not call {}", plan.services[from].name, plan.services[to].name);
    Err(FaultError::Bad { name: "to", problem })
}

/// Routes of users whose requests pass through a service.
pub(crate) fn routes_through(plan: &Blueprint, service: usize) -> Vec<usize> {
    let mut routes: Vec<usize> = plan.services[service].calls.iter().map(|&c| plan.calls[c].route).collect();
    routes.sort_unstable();
    routes.dedup();
    routes.retain(|&r| plan.routes[r].rps > 0.0);
    routes
}

/// Take little more than the usual load at a web service, so that what piled up in front of it drains.
pub(crate) fn shed(service: &str, plan: &Blueprint) -> Vec<Cure> {
    let Some(web) = plan.service(service) else { return Vec::new() };
    let usual: f64 = routes_through(plan, web).iter().map(|&r| plan.routes[r].rps).sum();
    let (key, is) = ("RATE_LIMIT_RPS".to_string(), format!("<= {}", (1.2 * usual).round()));
    vec![Cure::Config { service: service.to_string(), key, is, value: (1.08 * usual).round().max(10.0).to_string() }]
}

/// Workers of one instance from which on they are a crowd to the database.
const CROWD: f64 = 100.0;

/// Let fewer workers ask a service at once, where those that do are a crowd; elsewhere nothing is called for.
pub(crate) fn thin_out(service: &str, plan: &Blueprint) -> Vec<Cure> {
    let Some(at) = plan.service(service) else { return Vec::new() };
    let crowd = |s: &&ServiceInfo| s.depends_on.contains(&at) && s.setting(KEY).is_some_and(|v| v.int() >= CROWD);
    const KEY: &str = "MAX_WORKERS";
    let cure = |s: &ServiceInfo| {
        let (service, key) = (s.name.to_string(), KEY.to_string());
        Cure::Config { service, key, is: "<= 60".to_string(), value: "40".to_string() }
    };
    plan.services.iter().filter(crowd).map(cure).collect()
}

/// Settings of a service, by name; those that it does not have are left out.
pub(crate) fn settings(plan: &Blueprint, service: usize, names: &[&str]) -> Vec<(usize, usize)> {
    names.iter().filter_map(|name| Some((service, plan.services[service].key(name)?))).collect()
}

/// How much work a web service takes on at once, and for how long: what sheds load, and what lets more in.
pub(crate) const INTAKE: &[&str] = &["RATE_LIMIT_RPS", "MAX_WORKERS", "TIMEOUT_MS"];

/// Those settings of all services that call a service.
pub(crate) fn intake_of_callers(plan: &Blueprint, service: usize, names: &[&str]) -> Vec<(usize, usize)> {
    let callers = (0..plan.services.len()).filter(|s| plan.services[*s].depends_on.contains(&service));
    callers.flat_map(|s| settings(plan, s, names)).collect()
}

/// Something that happens to a service by itself.
pub(crate) fn befalls(service: usize, mutation: Mutation) -> Act {
    Act { after: Span::ZERO, service, mutation, change: None, filed: None }
}

/// A change that a person made to a service.
pub(crate) fn changed(service: usize, mutation: Mutation, seed: Seed, summary: String) -> Act {
    Act { change: Some((super::author(seed, &summary), summary)), ..befalls(service, mutation) }
}

/// A deployment of a build.
pub(crate) fn deploy(plan: &Blueprint, service: usize, build: Build, seed: Seed) -> Act {
    let draws = seed.stream("build").within(plan.services.len() as u64).within(service as u64);
    changed(service, Mutation::Build { service, build, since: Time(0) }, seed, plan.deploy_summary(service, draws))
}

/// All processes of a service get into one state.
pub(crate) fn all_processes(plan: &Blueprint, service: usize, process: Process) -> Act {
    let put = |instance| Mutation::Process { instance, process };
    befalls(service, Mutation::All(plan.services[service].founders().map(put).collect()))
}

/// The metric that `metric` names, or all of a service, put into a state.
pub(crate) fn series(
    args: &FaultArgs,
    plan: &Blueprint,
    service: usize,
    series: Series,
) -> Result<Mutation, FaultError> {
    let metrics = plan.services[service].kind.metrics();
    let wanted = match args.said("metric") {
        "" | "all" => 0..metrics.len(),
        name => {
            let known = || metrics.iter().map(|m| m.name).collect::<Vec<_>>().join(", ");
            let at = metrics.iter().position(|m| m.name == name).ok_or_else(|| FaultError::Bad {
                name: "metric",
                problem: format!("{} has no `{name}`; it has {}", plan.services[service].name, known()),
            })?;
            at..at + 1
        }
    };
    Ok(Mutation::All(wanted.map(|metric| Mutation::Series { service, metric, series }).collect()))
}
