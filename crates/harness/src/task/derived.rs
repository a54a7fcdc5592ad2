//! What ends an incident, when its file does not say: the state that the best cure of each fault reaches.

use world::faults::{Act, Cure};
use world::{Blueprint, Mutation, Seed};

use super::PlannedFault;
use crate::record::Fix;

/// The states that the first cures of these faults reach. A fault that nothing ends asks for nothing.
pub(super) fn fix(faults: &[PlannedFault], plan: &Blueprint) -> Vec<Fix> {
    let of = |f: &PlannedFault| {
        let acts = f.fault.plan(&f.args, plan, Seed(0)).unwrap_or_default();
        let cure = f.fault.cures(&f.args, plan).into_iter().next();
        cure.map_or(Vec::new(), |cure| fix_of(&cure, &acts, plan))
    };
    let mut all: Vec<Fix> = Vec::new();
    for fix in faults.iter().flat_map(of) {
        if !all.contains(&fix) {
            all.push(fix);
        }
    }
    all
}

/// The state that a cure reaches where `acts` were done. A rollback of settings is those settings as they were.
pub(crate) fn fix_of(cure: &Cure, acts: &[Act], plan: &Blueprint) -> Vec<Fix> {
    match cure {
        Cure::Config { service, key, is, .. } => {
            vec![Fix::Config { config: format!("{service}.{key}"), is: is.clone() }]
        }
        Cure::Restart { service } => vec![Fix::Restart { restart: service.clone() }],
        Cure::Rollback { service } => {
            let mut fixes = Vec::new();
            acts.iter().filter(|a| a.change.is_some()).for_each(|a| restored(&a.mutation, plan, &mut fixes));
            if fixes.is_empty() {
                fixes.push(Fix::RolledBack { rolled_back: service.clone() });
            }
            fixes
        }
    }
}

/// Settings that a change moved, as they were.
fn restored(mutation: &Mutation, plan: &Blueprint, fixes: &mut Vec<Fix>) {
    match mutation {
        Mutation::Config { service, key, .. } => {
            let info = &plan.services[*service];
            let (config, is) =
                (format!("{}.{}", info.name, info.kind.keys()[*key].name), format!("= {}", info.config[*key]));
            fixes.push(Fix::Config { config, is });
        }
        Mutation::All(all) => all.iter().for_each(|m| restored(m, plan, fixes)),
        _ => {}
    }
}
