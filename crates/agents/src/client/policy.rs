//! The policies: how hard a provider may be pressed.

use std::time::Duration;

/// How hard a provider may be pressed. One gate per provider, across all workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// The policy of the published benchmark: slow and the same for everybody.
    Published(Published),
    /// As fast as the provider likes: grows while it answers, shrinks when it refuses.
    Adaptive(Adaptive),
    /// No limit at all, for your own servers.
    Unlimited,
}

/// The policy of the published benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// At least so long from the start of a call to the start of the next.
    pub min_interval: Duration,
    /// At most so many calls start in any window.
    pub window_calls: u32,
    /// The length of that window.
    pub window: Duration,
    /// So many failures in a row bring a pause; 0 never does.
    pub pause_after: u32,
    /// The length of that pause.
    pub pause: Duration,
}

impl Default for Published {
    fn default() -> Published {
        Published {
            min_interval: Duration::from_secs(15),
            window_calls: 5,
            window: Duration::from_secs(60),
            pause_after: 3,
            pause: Duration::from_secs(60),
        }
    }
}

/// The fast policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptive {
    /// Calls in flight at first.
    pub start: u32,
    /// Never more calls in flight than this.
    pub most: u32,
    /// What is left of the limit after a refusal.
    pub shrink: f64,
    /// After a refusal the limit is left alone for so long, since one burst brings many refusals.
    pub cooldown: Duration,
}

impl Default for Adaptive {
    fn default() -> Adaptive {
        Adaptive { start: 4, most: 64, shrink: 0.7, cooldown: Duration::from_secs(10) }
    }
}
