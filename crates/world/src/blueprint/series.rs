//! What is known of a series, and the series that a blueprint begins with.

use std::sync::Arc;

use super::{Blueprint, CALL_COLUMNS};
use crate::fleet::InstanceId;
use crate::kind::{PLATFORM_GAUGES, Unit};
use crate::time::Time;

/// One series, as those who query see it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is about: `service`, `route`, `instance`, `template`, in this order.
    pub labels: Vec<(&'static str, Arc<str>)>,
    /// Its unit.
    pub unit: Unit,
    /// Since when it is scraped.
    pub born: Time,
    /// Since when it is not any more.
    pub ended: Option<Time>,
    /// Where its samples come from, beside the physics of the services.
    pub(crate) source: SampleSource,
}

/// Where samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleSource {
    /// The physics of a service, or what users felt.
    Physics,
    /// Whether an instance runs.
    Up(InstanceId),
}

/// The series of a blueprint, in the order of its columns.
pub(crate) fn series_of(plan: &Blueprint) -> Arc<[SeriesInfo]> {
    let series = |name, unit, labels| SeriesInfo {
        name,
        labels,
        unit,
        born: Time(0),
        ended: None,
        source: SampleSource::Physics,
    };
    let mut all = Vec::with_capacity(plan.width);
    for route in &plan.routes {
        let names = [("route_requests", Unit::Count), ("route_failed", Unit::Count), ("route_slow", Unit::Count)];
        let of_route = || vec![("route", route.name.clone())];
        all.extend(names.into_iter().map(|(name, unit)| series(name, unit, of_route())));
        all.push(series("route_p95_latency_ms", Unit::Millis, of_route()));
    }
    for service in &plan.services {
        let of_service = || vec![("service", service.name.clone())];
        all.extend(service.kind.metrics().iter().map(|m| series(m.name, m.unit, of_service())));
        let line = |template: &str| {
            let mut labels = of_service();
            labels.push(("template", template.into()));
            series("log_lines", Unit::Count, labels)
        };
        all.extend(service.own_templates().map(|template| line(template.name)));
        // One cell holds all lines of the platform.
        all.push(line("platform"));
        let gauges = service.kind.gauges().iter().chain(PLATFORM_GAUGES);
        all.extend(gauges.map(|gauge| series(gauge.0, Unit::Count, of_service())));
    }
    for call in &plan.calls {
        let labels = || {
            let (service, route) = (&plan.services[call.service].name, &plan.routes[call.route].name);
            vec![("service", service.clone()), ("route", route.clone()), ("op", call.op.name.clone())]
        };
        all.extend(CALL_COLUMNS.map(|name| series(name, Unit::Count, labels())));
    }
    assert_eq!(all.len(), plan.width, "every column is a series");
    all.into()
}
