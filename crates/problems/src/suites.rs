//! The suites of cluster problems.

use std::sync::Arc;

use crate::problem::ClusterProblem;
use crate::shipped::carried;
use crate::vocabulary::{ProblemLayer, ProblemMode};

/// The suites, each with what it holds.
pub const ALL: &[(&str, &str)] = &[
    ("sregym", "the 123 published problems in a Kubernetes cluster"),
    ("sregym-lite", "the published selection of 21"),
    ("sregym-all", "all 138, with those that were switched off as published"),
    ("sregym-misconfiguration", "problems of manifests and settings"),
    ("sregym-application", "problems of programs, images and flags"),
    ("sregym-security", "problems of credentials, grants and certificates"),
    ("sregym-datastore", "problems of databases, caches and brokers"),
    ("sregym-network", "problems of names, routes, policies and edges"),
    ("sregym-storage", "problems of volumes and disks"),
    ("sregym-node", "problems of nodes and their kernels"),
    ("sregym-control-plane", "problems of admission, access, scheduling and controllers"),
    ("sregym-operator", "problems of operators and their resources"),
    ("sregym-load", "problems of what users and clients ask for"),
    ("sregym-single", "problems with one defect"),
    ("sregym-correlated", "the same defect at many places"),
    ("sregym-concurrent", "several defects that have nothing to do with each other"),
    ("sregym-cascading", "one defect whose effects break others"),
    ("sregym-metastable", "the trigger is gone and the failure stays"),
    ("sregym-recurring", "something keeps doing it"),
];

/// The problems of a suite; `None` if it is not one of these.
pub fn select(suite: &str) -> Option<Vec<Arc<ClusterProblem>>> {
    ALL.iter().find(|(name, _)| *name == suite)?;
    Some(carried().iter().filter(|problem| holds(suite, problem)).cloned().collect())
}

fn holds(suite: &str, problem: &ClusterProblem) -> bool {
    let part = suite.strip_prefix("sregym-").unwrap_or_default().replace('-', "_");
    let layer = ProblemLayer::ALL.into_iter().find(|layer| layer.name() == part);
    let mode = ProblemMode::ALL.into_iter().find(|mode| mode.name() == part);
    match (layer, mode) {
        (Some(layer), _) => problem.file.layer == layer,
        (_, Some(mode)) => problem.file.mode == mode,
        _ => part == "all" || problem.is_in(suite),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_have_their_published_sizes() {
        let count = |suite: &str| select(suite).map(|all| all.len());
        assert_eq!(count("sregym"), Some(123));
        assert_eq!(count("sregym-lite"), Some(21));
        assert_eq!(count("sregym-all"), Some(138));
        assert_eq!(count("srezero-40"), None);
    }

    #[test]
    fn layers_and_modes_part_all_problems() {
        let size = |name: &str| select(&format!("sregym-{}", name.replace('_', "-"))).map_or(0, |all| all.len());
        let layers: Vec<usize> = ProblemLayer::ALL.into_iter().map(|layer| size(layer.name())).collect();
        let modes: Vec<usize> = ProblemMode::ALL.into_iter().map(|mode| size(mode.name())).collect();
        assert_eq!((layers.iter().sum::<usize>(), modes.iter().sum::<usize>()), (138, 138));
        assert!(layers.iter().chain(&modes).all(|size| *size > 0), "{layers:?} {modes:?}");
    }
}
