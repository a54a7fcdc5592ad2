//! Prints a world's metrics over an incident: `explore [load=route:factor] [fault ...]`.
use std::collections::BTreeMap;
use std::sync::Arc;
use world::faults::{self, Args};
use world::{Blueprint, Noise, Seed, Span, World};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut spec = world::shop();
    let mut plans = Vec::new();
    let mut fixes = Vec::new();
    let mut verbose = false;
    let mut seed = 1;
    for a in &args {
        let p: Vec<&str> = a.split([':', '=']).collect();
        match p[0] {
            "load" => spec.route_mut(p[1]).unwrap().rps *= p[2].parse::<f64>().unwrap(),
            "all" => spec.apps[0].routes.iter_mut().for_each(|r| r.rps *= p[1].parse::<f64>().unwrap()),
            "enlarge" => assert!(spec.enlarge(p[1], p[2].parse().unwrap())),
            "ticket" => spec.tickets.push(p[1].into()),
            "param" => {
                let (s, k) = p[1].split_once('.').unwrap();
                spec.service_mut(s).unwrap().params.insert(k.into(), p[2].parse().unwrap());
            }
            "conf" => {
                let (s, k) = p[1].split_once('.').unwrap();
                spec.service_mut(s).unwrap().config.insert(k.into(), p[2].into());
            }
            "fix" => fixes.push(p[1..].iter().map(|s| s.to_string()).collect::<Vec<_>>()),
            "v" => verbose = true,
            "seed" => seed = p[1].parse().unwrap(),
            kind => {
                let mut m = BTreeMap::new();
                m.insert("service".to_string(), p[1].to_string());
                if kind == "config_push" || kind == "expiry" {
                    m.insert("key".into(), p[2].into());
                }
                if kind == "config_push" {
                    m.insert("value".into(), p[3].into());
                }
                plans.push((kind.to_string(), Args(m)));
            }
        }
    }
    let plan = Arc::new(Blueprint::compile(&spec).unwrap());
    let mut w = World::healthy(&plan, Seed(seed), Noise(0));
    let dump = |w: &World, title: &str| {
        println!("== {title} {} page {:?}", w.now(), w.page().map(|p| w.view().page_text(p)));
        for o in w.objectives(Span::mins(3)) {
            print!("  {} f{:.3} s{:.3}{}", o.route, o.failed, o.slow, if o.holds() { "" } else { " *" });
        }
        println!();
        for r in w.view().routes() {
            print!("  {} p95 {:.0}", r.name, r.p95_ms);
        }
        println!();
        for s in 0..plan.services.len() {
            print!("  {:14}", w.view().name(s));
            for m in w.view().metrics(s) {
                print!(
                    " {}={}{}",
                    m.name,
                    world::telemetry::alerts::Figure(m.value.unwrap_or(f64::NAN)),
                    if m.unusual { format!("!({})", world::telemetry::alerts::Figure(m.usual)) } else { String::new() }
                );
            }
            println!();
        }
        for a in w.view().alerts() {
            if a.firing.is_some() {
                print!("  [{}]", a.name);
            }
        }
        println!();
    };
    dump(&w, "healthy");
    let onset = w.now() + Span::mins(1);
    for (kind, args) in &plans {
        let acts = faults::find(kind).unwrap().plan(args, &plan, Seed(1)).unwrap();
        w.plant(&acts, onset);
    }
    if plans.is_empty() {
        w.run_until(onset + Span::hours(2));
        dump(&w, "2h later");
        return;
    }
    w.run_until_page(onset + Span::hours(3));
    println!("paged after {}", w.now().since(onset));
    dump(&w, "page");
    if verbose {
        for s in 0..plan.services.len() {
            for l in w.view().logs(
                s,
                &world::telemetry::logs::LogQuery {
                    level: world::services::Level::Warn,
                    text: "",
                    from: w.now().back(Span::mins(5)),
                    to: w.now(),
                    limit: 6,
                },
            ) {
                println!("{} {} {} {}", w.view().name(s), l.time, l.level.text(), l.text);
            }
        }
    }
    let t = w.now();
    if verbose {
        for i in 0..24 {
            w.run_until(t + Span::secs(15 * (i + 1)));
            let v: Vec<String> = ["active_connections", "connection_wait_ms", "query_p95_latency_ms"]
                .iter()
                .map(|m| format!("{:?}", w.view().series(3, m, w.now().back(Span::secs(1)), w.now())))
                .collect();
            println!("{} {}", w.now(), v.join(" "));
        }
    }
    w.run_until(t + Span::mins(if verbose { 20 } else { 4 }));
    dump(&w, "20 min untouched");
    for f in &fixes {
        let s = plan.service(&f[0]).unwrap();
        if f.len() == 1 {
            println!("{}", w.operator().restart(s));
        } else {
            println!("{:?}", w.operator().set_config(s, &f[1], &f[2]));
        }
    }
    let t = w.now();
    w.run_until(t + Span::mins(2));
    dump(&w, "2 min after fix");
    w.run_until(t + Span::mins(11));
    dump(&w, "11 min after fix");
}
