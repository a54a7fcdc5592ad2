//! Problems without end: every fault with every place where it can strike, over all applications, one to three at once.
//!
//! A candidate is a pure function of the seed and its number. One that is not fair is thrown away, with the certificate that
//! it lacks; what is kept has been proved exactly as the shipped problems are.

mod draft;
mod places;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use apps::Site;
use world::Seed;

use crate::certify::{CERTIFICATES, certify};
use crate::problem::ClusterProblem;
use crate::scene::{ProblemScene, SceneError, deployed};
use draft::{FaultAtPlace, problem_file};
pub use template::{FaultTemplate, StruckThing, fault_templates};

/// The applications whose places are drawn from.
pub const APPLICATIONS: [&str; 6] = [
    "astronomy-shop",
    "blueprint-hotel-reservation",
    "fleetcast",
    "hotel-reservation",
    "social-network",
    "train-ticket",
];
/// The application that only the split `test` has.
pub const HELD_APPLICATION: &str = "social-network";
/// Of so many faults, one is held back for the split `test`.
const HELD_FAULTS: u64 = 6;
/// Under which seed a candidate is proved.
const PROVED_UNDER: u64 = 0;

/// A candidate: a problem that has not been proved yet.
#[derive(Clone, Debug)]
pub struct ProblemCandidate {
    /// The application.
    pub application: String,
    /// The faults in it, by name.
    pub faults: Vec<String>,
    /// `train` or `test`.
    pub split: &'static str,
    id: String,
    file: crate::file::ProblemFile,
}

/// A candidate that was proved, with its file.
#[derive(Clone, Debug)]
pub struct ProvedProblem {
    /// The problem.
    pub problem: Arc<ClusterProblem>,
    /// Its file.
    pub text: String,
}

/// Draws problems.
pub struct ProblemGenerator {
    seed: u64,
    sites: BTreeMap<&'static str, Site>,
    /// Every fault with every place where it can strike, in an order drawn by the seed.
    pairs: Vec<(&'static str, FaultAtPlace<'static>)>,
}

impl ProblemGenerator {
    /// Deploys the applications and finds all places.
    pub fn new(seed: u64, applications: &[&'static str]) -> Result<ProblemGenerator, SceneError> {
        let mut sites = BTreeMap::new();
        for application in applications {
            sites.insert(*application, deployed(&[application.to_string()], PROVED_UNDER)?);
        }
        let mut pairs = Vec::new();
        for (application, site) in &sites {
            for fault in fault_templates() {
                let mut known = BTreeSet::new();
                for place in places::places(site, application, fault.at) {
                    let pair = FaultAtPlace { fault, place };
                    let Some(deeds) = pair.deeds() else { continue };
                    let order = Seed(seed).derive(&format!("{application} {} {deeds}", fault.name)).0;
                    if known.insert(deeds) {
                        pairs.push((order, *application, pair));
                    }
                }
            }
        }
        pairs.sort_by_key(|(order, ..)| *order);
        let pairs = pairs.into_iter().map(|(_, application, pair)| (application, pair)).collect();
        Ok(ProblemGenerator { seed, sites, pairs })
    }

    /// How many pairs of a fault and a place there are.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs by fault.
    pub fn pairs_by_fault(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for (_, pair) in &self.pairs {
            *found.entry(pair.fault.name.as_str()).or_default() += 1;
        }
        found
    }

    /// The candidate of a number; there are as many as pairs. Seven of ten have one fault, the others two or three.
    pub fn candidate(&self, number: usize) -> Option<ProblemCandidate> {
        let wanted = match number % 10 {
            0..=6 => 1,
            7 | 8 => 2,
            _ => 3,
        };
        self.with_faults(number, wanted)
    }

    /// The candidate of one pair alone.
    pub fn single(&self, number: usize) -> Option<ProblemCandidate> {
        self.with_faults(number, 1)
    }

    fn with_faults(&self, number: usize, wanted: usize) -> Option<ProblemCandidate> {
        let (application, first) = self.pairs.get(number)?;
        let mut faults = vec![first.clone()];
        // The others are drawn from the same application and strike something else.
        let start = Seed(self.seed).derive(&format!("others of {number}")).0 as usize % self.pairs.len();
        let others = self.pairs.iter().cycle().skip(start).take(self.pairs.len());
        for (_, other) in others.filter(|(own, _)| own == application) {
            if faults.len() >= wanted {
                break;
            }
            let is_free = |one: &FaultAtPlace<'_>| one.struck() != other.struck() && !collide(one, other);
            if faults.iter().all(is_free) {
                faults.push(other.clone());
            }
        }
        let held = faults.iter().any(|one| is_held(&one.fault.name)) || *application == HELD_APPLICATION;
        let split = if held { "test" } else { "train" };
        Some(ProblemCandidate {
            application: application.to_string(),
            faults: faults.iter().map(|one| one.fault.name.clone()).collect(),
            split,
            id: format!("k8s_{}_{number:06}", self.seed),
            file: problem_file(application, &faults, split),
        })
    }

    /// Proves a candidate. The error names the first certificate that it lacks.
    pub fn prove(&self, candidate: &ProblemCandidate) -> Result<ProvedProblem, &'static str> {
        let site = self.sites.get(candidate.application.as_str()).ok_or("set up")?;
        let mut file = candidate.file.clone();
        let read = |file: &crate::file::ProblemFile| {
            let text = toml::to_string(file).expect("a problem file can be written");
            ClusterProblem::parse(&candidate.id, &text).map(|problem| (Arc::new(problem), text)).map_err(|_| "set up")
        };
        let (problem, _) = read(&file)?;
        let scene = ProblemScene::prepare(&problem, PROVED_UNDER, site.clone()).map_err(|_| "set up")?;
        let scene = Arc::new(scene);
        let checks = certify(&scene);
        if let Some(at) = checks.iter().position(|check| !check.ok) {
            return Err(CERTIFICATES[at]);
        }
        file.difficulty = Some(difficulty(&scene).to_string());
        let (problem, text) = read(&file)?;
        Ok(ProvedProblem { problem, text })
    }
}

/// Whether a fault is held back for the split `test`.
pub fn is_held(fault: &str) -> bool {
    Seed(0).derive(fault).0.is_multiple_of(HELD_FAULTS)
}

/// Faults that would write the same object of the cluster cannot be in one problem.
fn collide(one: &FaultAtPlace<'_>, other: &FaultAtPlace<'_>) -> bool {
    let object = |fault: &FaultAtPlace<'_>| fault.fault.object.clone().filter(|object| !object.contains("{name}"));
    object(one).is_some() && object(one) == object(other)
}

/// How hard it is, by what can be seen: is the component named in what pages, does a pod of it show anything, how many causes?
fn difficulty(scene: &ProblemScene) -> &'static str {
    let page: String = scene.broken.alerts().iter().map(|alert| format!("{} ", alert.summary)).collect();
    let hidden = |component: &str| {
        let named = page.contains(component);
        let ill = scene.broken.not_ready().iter().any(|pod| pod.contains(component));
        usize::from(!named) + usize::from(!ill)
    };
    let causes = &scene.problem.file.cause;
    match causes.len() + causes.iter().map(|cause| hidden(&cause.component)).sum::<usize>() {
        0 | 1 => "easy",
        2 => "medium",
        _ => "hard",
    }
}
