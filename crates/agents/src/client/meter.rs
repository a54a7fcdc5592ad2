//! What a run used, and when that is enough.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use harness::{ProviderFault, Stop, StopReason, Usage};

/// Something that happened on the line to a provider.
#[derive(Clone, Debug, PartialEq)]
pub enum CallEvent<'a> {
    /// A call starts.
    Started,
    /// It was answered.
    Answered {
        /// Tokens.
        usage: Usage,
        /// US dollars, if the price is known.
        cost: Option<f64>,
        /// How long it took.
        took: Duration,
    },
    /// It failed.
    Failed {
        /// How.
        fault: ProviderFault,
        /// The status, if there was a reply, and what was said.
        message: &'a str,
        /// When it is tried again; `None` if it is not.
        again: Option<Duration>,
    },
    /// The answer was in the episode's exchange log: nothing was paid this time.
    Remembered {
        /// Tokens that were paid before.
        usage: Usage,
        /// US dollars that were paid before.
        cost: Option<f64>,
    },
}

/// Watches the calls. They come from many threads.
pub trait CallObserver: Send + Sync {
    /// Something happened to a call to this target, written `provider/model`.
    fn on_call(&self, target: &str, call: &CallEvent<'_>);
}

/// When it is enough. What earlier parts of the same run used counts too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caps {
    /// US dollars.
    pub cost: Option<f64>,
    /// Tokens, input and output.
    pub tokens: Option<u64>,
    /// Calls.
    pub calls: Option<u64>,
}

/// What was used so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Calls that were started.
    pub calls: u64,
    /// Calls that were answered from an exchange log.
    pub remembered: u64,
    /// Tokens.
    pub usage: Usage,
    /// US dollars, as far as prices are known.
    pub cost: f64,
    /// Answers whose price is not known.
    pub unpriced: u64,
    /// Failed calls, by how they failed.
    pub faults: BTreeMap<ProviderFault, u64>,
}

/// Counts what a run uses and asks it to stop at a cap.
pub struct Meter {
    caps: Caps,
    stop: Stop,
    spent: Mutex<Spent>,
}

impl Meter {
    /// Starts from what was spent before.
    pub fn new(caps: Caps, before: Spent, stop: &Stop) -> Meter {
        Meter { caps, stop: stop.clone(), spent: Mutex::new(before) }
    }

    /// What was used so far.
    pub fn spent(&self) -> Spent {
        self.spent.lock().expect("no thread panics while counting").clone()
    }

    /// Whether one more call may start; if so, it counts. If not, the run is asked to stop. Calls in
    /// flight are let finish, so that cost and tokens may end a little above their caps.
    pub fn take(&self) -> bool {
        let mut spent = self.spent.lock().expect("no thread panics while counting");
        match self.reached(&spent) {
            None => {
                spent.calls += 1;
                true
            }
            Some(why) => {
                drop(spent);
                self.stop.ask(StopReason::Cap(why));
                false
            }
        }
    }

    /// What was answered cannot be kept: every further call would be paid for nothing.
    pub fn lose(&self, problem: &str) {
        self.stop.ask(StopReason::Unwritable(format!("an answer cannot be kept: {problem}")));
    }

    fn reached(&self, spent: &Spent) -> Option<String> {
        let Caps { cost, tokens, calls } = self.caps;
        let cost = cost.filter(|cap| spent.cost >= *cap);
        let tokens = tokens.filter(|cap| spent.usage.total() >= *cap);
        let calls = calls.filter(|cap| spent.calls + spent.remembered >= *cap);
        cost.map(|cap| format!("${:.2} are spent, the cap is ${cap:.2} (--max-cost)", spent.cost))
            .or_else(|| {
                tokens.map(|cap| format!("{} tokens are used, the cap is {cap} (--max-tokens)", spent.usage.total()))
            })
            .or_else(|| calls.map(|cap| format!("{cap} calls were made, that is the cap (--max-calls)")))
    }
}

impl CallObserver for Meter {
    fn on_call(&self, _: &str, call: &CallEvent<'_>) {
        let mut spent = self.spent.lock().expect("no thread panics while counting");
        match call {
            CallEvent::Started => {}
            CallEvent::Failed { fault, .. } => *spent.faults.entry(*fault).or_default() += 1,
            CallEvent::Answered { usage, cost, .. } => spent.pay(*usage, *cost),
            CallEvent::Remembered { usage, cost } => {
                spent.remembered += 1;
                spent.pay(*usage, *cost);
            }
        }
    }
}

impl Spent {
    /// Adds what an answer used.
    pub fn pay(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage += usage;
        self.cost += cost.unwrap_or(0.0);
        self.unpriced += u64::from(cost.is_none());
    }
}
