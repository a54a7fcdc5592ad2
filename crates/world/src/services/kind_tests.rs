//! What every kind promises, whichever it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::blueprint::Blueprint;
use crate::spec::{AppSpec, CallSpec, Op, RouteSpec, ServiceSpec, Spec};
use crate::{Noise, Seed, World};

/// A world with one service of a kind, asked for something ten times a second.
fn alone(kind: &dyn Kind) -> World {
    let name = kind.title().to_string();
    let service = ServiceSpec { name: name.clone(), kind: kind.name().into(), instances: 1, ..ServiceSpec::default() };
    let op = Op { name: "ask".into(), work_ms: 5.0, spread: 0.5, ..Op::default() };
    let entry = CallSpec { to: name.into(), op, times: 1.0, ..CallSpec::default() };
    let route = RouteSpec {
        name: "ask".into(),
        rps: 10.0,
        slow_ms: 5000.0,
        patience_ms: 10_000.0,
        allowed: 0.05,
        user_retry: 0.0,
        entry,
    };
    let apps = vec![AppSpec { name: "app".into(), routes: vec![route], ..AppSpec::default() }];
    let spec = Spec { nodes: 1, services: vec![service], apps, ..Spec::default() };
    World::healthy(&Arc::new(Blueprint::compile(&spec).expect("a world")), Seed(1), Noise(0))
}

#[test]
fn every_kind_samples_all_of_its_metrics() {
    for kind in ALL {
        let world = alone(*kind);
        let mut cells = vec![f32::NAN; kind.metrics().len()];
        let sight = Sight { plan: &world.plan, me: 0, traffic: CallTraffic::Now(&world.flows) };
        world.models[0].sample(&sight, &mut Samples::new(&mut cells));
        for (metric, cell) in kind.metrics().iter().zip(cells) {
            assert!(cell.is_finite(), "{} samples {}", kind.name(), metric.name);
        }
    }
}

#[test]
fn names_are_unique_where_they_must_be() {
    fn unique<'a>(of: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = BTreeSet::new();
        names.for_each(|name| assert!(seen.insert(name), "{of}: `{name}` twice"));
    }
    unique("kinds", ALL.iter().map(|k| k.name()));
    unique("titles", ALL.iter().map(|k| k.title()));
    unique("aliases", ALL.iter().flat_map(|k| k.aliases()).copied());
    for kind in ALL {
        unique(kind.name(), kind.keys().iter().map(|k| k.name));
        unique(kind.name(), kind.metrics().iter().map(|m| m.name));
        unique(kind.name(), kind.logs().iter().map(|l| l.name));
        unique(kind.name(), kind.rules().iter().map(|r| r.name));
        unique(kind.name(), kind.params().iter().map(|p| p.0));
    }
}

#[test]
fn what_hurts_is_a_value_that_the_key_takes() {
    for (kind, key) in ALL.iter().flat_map(|kind| kind.keys().iter().map(move |key| (kind, key))) {
        let healthy = key.default_value();
        let bad = match key.hurts {
            Some((crate::config::Bad::Is(text), _)) => key.parse(text).expect("a value"),
            Some((crate::config::Bad::Times(by), _)) => {
                key.parse(&((healthy.int() * by).round() as i64).to_string()).expect("a value")
            }
            None => continue,
        };
        assert_ne!(bad, healthy, "{}.{}", kind.name(), key.name);
    }
}

#[test]
fn every_key_says_what_it_does() {
    let keys = ALL.iter().flat_map(|kind| kind.keys());
    assert!(keys.clone().all(|key| !key.about.is_empty()));
    assert!(keys.clone().any(|key| key.runs_out.is_some()) && keys.clone().any(|key| key.hurts.is_some()));
}
