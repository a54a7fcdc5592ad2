//! The one place of this crate that looks at the clock. When a call starts is the line's business; what
//! an agent says never depends on it.

use std::time::{Instant, SystemTime};

use crate::model::UnixSeconds;

/// Now, to measure how long something takes.
#[expect(clippy::disallowed_methods, reason = "calls are paced by the clock; agents do not see it")]
pub(super) fn instant() -> Instant {
    Instant::now()
}

/// Now, for signatures and for what providers say about times of day.
#[expect(clippy::disallowed_methods, reason = "calls are signed with the time of day; agents do not see it")]
pub(super) fn today() -> UnixSeconds {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    UnixSeconds(since.map_or(0, |time| time.as_secs()))
}
