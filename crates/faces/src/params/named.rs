//! What has a name in a world: services, routes, alerts, metrics.

use serde_json::{Value, json};
use world::View;

use crate::learn::{Choices, METRICS, SHOWN_ALERT, SHOWN_ROUTE};
use crate::nearest::{same, unknown};
use crate::param::{Given, Param, ParamKind, text_schema};

/// The name of a service.
pub const SERVICE_NAME: &dyn ParamKind = &ServiceName;
/// The name of a route.
pub const ROUTE: &dyn ParamKind = &RouteName;
/// The name of an alert rule.
pub const ALERT: &dyn ParamKind = &AlertName;
/// The name of a metric of the service named before.
pub const METRIC: &dyn ParamKind = &MetricName;

/// Lists of services are not longer than this: no one reads a thousand names, and a schema would repeat them for each tool.
pub(super) const MOST_LISTED: usize = 100;
/// So many of a longer list are named as examples.
const HINTED: usize = 12;

struct ServiceName;

impl ParamKind for ServiceName {
    fn schema(&self, services: &[String]) -> Value {
        match services.len() {
            1..=MOST_LISTED => json!({ "type": "string", "description": "a service", "enum": services }),
            _ => text_schema("a service"),
        }
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        given.args.service = given.view.services().position(|name| same(name, text));
        let none = || unknown("there is no service", text, "the services are", &services(given.view));
        given.args.service.map(|at| String::from(&**given.view.name(at))).ok_or_else(none)
    }

    fn options(&self, view: View<'_>, _: Option<usize>) -> Vec<String> {
        owned(services(view))
    }

    fn is_service(&self) -> bool {
        true
    }

    fn hint(&self, view: View<'_>) -> String {
        let all = services(view);
        match all.len() {
            0..=MOST_LISTED => format!("; the services are {}", all.join(", ")),
            many => format!("; there are {many} services, among them {}", all[..HINTED].join(", ")),
        }
    }
}

struct RouteName;

impl ParamKind for RouteName {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("a route, as check_routes shows it")
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let all = routes(given.view);
        given.args.route = all.iter().position(|name| same(name, text));
        let at = given.args.route.ok_or_else(|| unknown("there is no route", text, "the routes are", &all))?;
        Ok(all[at].to_string())
    }

    fn options(&self, view: View<'_>, _: Option<usize>) -> Vec<String> {
        owned(routes(view))
    }

    fn hint(&self, view: View<'_>) -> String {
        format!("; the routes are {}", routes(view).join(", "))
    }

    fn choices(&self) -> Option<&'static dyn Choices> {
        Some(SHOWN_ROUTE)
    }
}

struct AlertName;

impl ParamKind for AlertName {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("an alert rule, as list_alerts shows it")
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let found = given.view.alert_names().find(|name| same(name, text));
        found.ok_or_else(|| {
            let known: Vec<String> = given.view.alert_names().collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            unknown("there is no alert", text, "the alerts are", &known)
        })
    }

    fn options(&self, view: View<'_>, _: Option<usize>) -> Vec<String> {
        view.alert_names().collect()
    }

    fn choices(&self) -> Option<&'static dyn Choices> {
        Some(SHOWN_ALERT)
    }
}

struct MetricName;

impl ParamKind for MetricName {
    fn schema(&self, _: &[String]) -> Value {
        text_schema("a metric of the service, as inspect_metrics shows it")
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let service = given.args.service();
        let found = given.view.metric_names(service).find(|name| name.eq_ignore_ascii_case(text));
        found.map(str::to_string).ok_or_else(|| {
            let known: Vec<&str> = given.view.metric_names(service).collect();
            unknown(&format!("{} has no metric", given.view.name(service)), text, "it has", &known)
        })
    }

    fn options(&self, view: View<'_>, service: Option<usize>) -> Vec<String> {
        service.map_or(Vec::new(), |service| view.metric_names(service).map(str::to_string).collect())
    }

    fn is_of_service(&self) -> bool {
        true
    }

    fn choices(&self) -> Option<&'static dyn Choices> {
        Some(METRICS)
    }
}

fn services(view: View<'_>) -> Vec<&str> {
    view.services().collect()
}

fn routes(view: View<'_>) -> Vec<&str> {
    view.route_names().collect()
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_string).collect()
}
