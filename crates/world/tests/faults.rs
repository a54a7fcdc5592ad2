//! Every fault, at every place of the shop where it fits, at its worst.

mod common;

use common::{healthy, wait, well};
use world::faults::{self, Args, Cure, Fault};
use world::{Seed, Span, World};

fn severe(fault: &dyn Fault, site: &Args) -> Args {
    let mut args = site.clone();
    if let Some(severity) = fault.severity() {
        args.0.insert(severity.arg.to_string(), severity.severe.to_string());
    }
    args
}

fn cure(world: &mut World, cure: &Cure) {
    let at = |w: &World, name: &str| w.plan().service(name).expect("a service");
    match cure {
        Cure::Config { service, key, value, .. } => {
            let at = at(world, service);
            world.operator().set_config(at, key, value).expect("a value that fits");
        }
        Cure::Restart { service } => {
            let at = at(world, service);
            world.operator().restart(at);
        }
        Cure::Rollback { service } => {
            let at = at(world, service);
            let id = world.changes().iter().rev().find(|c| c.service == at && !c.by_operator).expect("a change").id;
            world.operator().roll_back(id).expect("a change that can be taken back");
        }
    }
}

#[test]
fn explore() {
    let mut spec = world::shop();
    spec.service_mut("message_queue").expect("a service").config.insert("RETRY_LIMIT".into(), "50".into());
    for fault in faults::ALL {
        for site in fault.sites(healthy(&spec, 1).plan()) {
            let mut world = healthy(&spec, 1);
            let plan = world.plan().clone();
            let args = severe(*fault, &site);
            let acts = fault.plan(&args, &plan, Seed(1)).expect("a site fits");
            let onset = world.now() + Span::mins(1);
            world.plant(&acts, onset);
            wait(&mut world, 16);
            let hurts = !well(&world);
            let page = world.page().map(|p| world.view().page_text(p));
            let unusual: Vec<String> = (0..plan.services.len())
                .flat_map(|s| {
                    world
                        .view()
                        .metrics(s)
                        .filter(|m| m.unusual)
                        .map(move |m| format!("{s}.{}", m.name))
                        .collect::<Vec<_>>()
                })
                .collect();
            let cures = fault.cures(&args, &plan);
            let healed = cures.first().map(|c| {
                cure(&mut world, c);
                wait(&mut world, 12);
                well(&world)
            });
            let worst = world
                .objectives(Span::mins(3))
                .into_iter()
                .filter(|o| !o.holds())
                .map(|o| format!("{} {:.3} {:.3}", o.route, o.failed, o.slow))
                .collect::<Vec<_>>();
            println!(
                "{:<22} {:<70} hurts {hurts:<5} page {:<5} healed {healed:?} {} | {}",
                fault.name(),
                format!("{:?}", args.0.values().collect::<Vec<_>>()),
                page.is_some(),
                if hurts && healed == Some(true) { String::new() } else { unusual.join(" ") },
                worst.join(",")
            );
        }
    }
}
