//! What users felt, and how that stands against what was promised.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What users felt on one route since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteImpact {
    /// Requests.
    pub requests: f64,
    /// Of those, failed.
    pub failed: f64,
    /// Of those, answered but slow.
    pub slow: f64,
    /// Minutes in which more went wrong than the objective allows.
    pub minutes_out: f64,
}

/// What users felt since the world began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// By route, in the order of the blueprint.
    pub routes: Vec<RouteImpact>,
}

impl RouteImpact {
    /// Requests that failed or were slow.
    pub fn wrong(&self) -> f64 {
        self.failed + self.slow
    }
}

impl Impact {
    /// What users of all routes felt.
    pub fn total(&self) -> RouteImpact {
        self.routes.iter().fold(RouteImpact::default(), |sum, route| RouteImpact {
            requests: sum.requests + route.requests,
            failed: sum.failed + route.failed,
            slow: sum.slow + route.slow,
            minutes_out: sum.minutes_out + route.minutes_out,
        })
    }
}

/// How a route stands against its objective over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The route.
    pub route: Arc<str>,
    /// The share of requests that failed.
    pub failed: f64,
    /// The share that was slow.
    pub slow: f64,
    /// What is allowed.
    pub allowed: f64,
}

impl Objective {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.holds_within(1.0)
    }

    /// Whether no more than a share of what is allowed goes wrong.
    pub fn holds_within(&self, share: f64) -> bool {
        self.failed + self.slow <= share * self.allowed
    }
}
