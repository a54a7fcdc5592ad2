//! Follows the solution of an incident at a glance: nothing is rendered, nothing is kept, and time passes in long ticks. What is
//! looked at before the first act is looked at as it was at the page, because what is broken stays so.

use faces::{Call, Fact, Run, ToolSet, Touch};
use world::{Span, Time, World};

use crate::record::Step;
use crate::record::grade::Scorer;
use crate::scenario::{Scenario, verdict};

/// A place that is not looked at passes in ticks of this length until what was done has its effect.
const HALF_MINUTE: Span = Span::secs(30);

/// Where all was done, the world after some calls, of which only what users feel and what pages is scraped from the first act on. Nothing
/// where it is not certain that they find all evidence and do nothing wrong.
pub(super) fn follow(scenario: &Scenario, calls: &[String]) -> Option<World> {
    let tools = ToolSet::default().or_needed(scenario.task().tools);
    let mut follower = Follower::new(scenario);
    for text in calls {
        let call = faces::parse(text, tools, follower.world().view()).ok()?;
        follower.call(&call)?;
    }
    let parts = follower.scorer.parts();
    let is_clean = parts.coverage >= 1.0 && parts.penalty == 0;
    is_clean.then(|| {
        follower.catch_up();
        follower.acted
    })?
}

struct Follower<'a> {
    scenario: &'a Scenario,
    /// The world from the first act on.
    acted: Option<World>,
    /// The responder's time; the world may be behind it.
    clock: Time,
    scorer: Scorer,
    steps: u32,
    is_fixed: bool,
}

impl Follower<'_> {
    fn new(scenario: &Scenario) -> Follower<'_> {
        Follower {
            scenario,
            acted: None,
            clock: scenario.begin(),
            scorer: scenario.scorer(),
            steps: 0,
            is_fixed: scenario.untouched().is_fixed(),
        }
    }

    fn world(&self) -> &World {
        self.acted.as_ref().unwrap_or(self.scenario.at_page())
    }

    /// Lets time pass up to that of the responder.
    fn catch_up(&mut self) -> &mut World {
        let world = self.acted.get_or_insert_with(|| self.scenario.at_page().sketch());
        world.run_in_ticks(self.clock, HALF_MINUTE);
        world
    }

    /// Does what an episode would do; nothing for what only an episode can tell.
    fn call(&mut self, call: &Call) -> Option<()> {
        let (time, changed_since_last) = (self.clock, self.acted.is_some());
        let (facts, touched) = self.reply(call)?;
        self.steps += 1;
        self.scorer.feed(&Step {
            index: self.steps,
            time: time.0,
            took: self.clock.0 - time.0,
            call: Some(call.canonical()),
            tool: call.tool.name().to_string(),
            args: call.args.to_map(),
            facts,
            touched,
            fixed: self.is_fixed,
            changed_since_last,
            ..Step::default()
        });
        Some(())
    }

    fn reply(&mut self, call: &Call) -> Option<(Vec<Fact>, Vec<Touch>)> {
        match call.tool.run() {
            Run::Look(look) => {
                self.clock += call.tool.cost();
                // A sketch shows too little to be looked at.
                let facts = match (&self.acted, call.tool.glance()) {
                    (Some(_), _) => Vec::new(),
                    (None, Some(glance)) => glance(self.world().view(), &call.args, self.scenario.onset()),
                    (None, None) => look(self.world().view(), &call.args).facts,
                };
                Some((facts, Vec::new()))
            }
            Run::Act(act) => {
                let reply = act(&mut self.catch_up().operator(), &call.args);
                if reply.touched.is_empty() {
                    return None;
                }
                self.is_fixed = verdict::is_fixed(self.scenario.task(), self.scenario.acts(), self.world());
                self.clock += call.tool.cost();
                Some((reply.facts, reply.touched))
            }
            Run::End(_) => None,
        }
    }
}
