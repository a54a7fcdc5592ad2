//! # What happens
//! A campaign brings more requests of one route than a web service may take.
//!
//! # What an operator sees
//! The request rate rises; requests beyond the limit get 429; everything behind is well.
//!
//! # How it is fixed
//! Raise the limit.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;

/// More traffic than the limit allows.
pub struct TrafficSurge;

/// Requests per second that a web service takes.
fn limit(plan: &Blueprint, service: usize) -> f64 {
    plan.services[service].setting("RATE_LIMIT_RPS").map_or(0.0, |v| v.int())
}

impl Fault for TrafficSurge {
    fn name(&self) -> &'static str {
        "traffic_surge"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("service", "the web service"),
            ("route", "the route that grows"),
            ("factor", "how many times its limit the service is asked for (1.06)"),
        ]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Admission)?;
        let route = args.route(plan)?;
        let (limit, mine) = (limit(plan, service), plan.routes[route].rps);
        let all: f64 = kit::routes_through(plan, service).iter().map(|&r| plan.routes[r].rps).sum();
        if mine <= 0.0 || !kit::routes_through(plan, service).contains(&route) {
            let problem = format!("users do not ask {} for it", plan.services[service].name);
            return Err(FaultError::Bad { name: "route", problem });
        }
        let factor = (args.number("factor", 1.06)? * limit - (all - mine)) / mine;
        Ok(vec![kit::befalls(service, Mutation::Load { route, factor: factor.max(1.0) })])
    }

    fn family(&self) -> Family {
        Family::Traffic
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 1.04, severe: 1.09 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let web = |s: &usize| plan.services[*s].has(Hazard::Admission);
        let busiest = |s: usize| {
            let routes = kit::routes_through(plan, s).into_iter();
            routes.max_by(|&a, &b| plan.routes[a].rps.total_cmp(&plan.routes[b].rps)).map(|r| (s, r))
        };
        let pairs = (0..plan.services.len()).filter(web).filter_map(busiest);
        pairs.map(|(s, r)| kit::site(&[("service", &plan.services[s].name), ("route", &plan.routes[r].name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let Some(service) = plan.service(args.said("service")) else { return Vec::new() };
        let limit = limit(plan, service);
        let (service, key) = (args.said("service").to_string(), "RATE_LIMIT_RPS".to_string());
        let value = ((2.0 * limit) as i64).min(20_000).to_string();
        vec![Cure::Config { service, key, is: format!(">= {}", (1.2 * limit).ceil() as i64), value }]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "traffic_surge"
    }
}
