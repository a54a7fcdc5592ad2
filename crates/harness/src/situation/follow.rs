//! Follows the solution of an incident at a glance: nothing is rendered, nothing is kept, and when all is done time passes in long
//! ticks. Up to then it passes as in an episode, so that what is shown here is shown there.

use faces::{Call, Fact, Run, ToolSet, Touch};
use world::{Span, TICK, Time, World};

use crate::record::Step;
use crate::record::grade::Scorer;
use crate::scenario::{Scenario, verdict};

/// A place that is not looked at passes in ticks of this length until what was done has its effect.
const HALF_MINUTE: Span = Span::secs(30);

/// The world after some calls, and the time at which they are done.
pub(super) struct Followed {
    world: World,
    done: Time,
}

impl Followed {
    /// The world when all is done, of which only what users feel and what pages is scraped from the last call on; that time passes
    /// in long ticks where they tell.
    pub fn soon(&self) -> World {
        let mut world = self.world.sketch();
        world.run_in_ticks(self.done, if world.is_swayed() { TICK } else { HALF_MINUTE });
        world
    }

    /// The same as in an episode.
    pub fn closely(mut self) -> World {
        self.world.run_until(self.done);
        self.world
    }
}

/// Follows some calls, if they certainly find all evidence and do nothing wrong.
pub(super) fn follow(scenario: &Scenario, calls: &[String]) -> Option<Followed> {
    let tools = ToolSet::default().or_needed(scenario.task().tools);
    let mut follower = Follower::new(scenario);
    for text in calls {
        let call = faces::parse(text, tools, follower.world.view()).ok()?;
        follower.call(&call)?;
    }
    let parts = follower.scorer.parts();
    let is_clean = parts.coverage >= 1.0 && parts.penalty == 0;
    is_clean.then_some(Followed { world: follower.world, done: follower.clock })
}

struct Follower<'a> {
    scenario: &'a Scenario,
    world: World,
    /// The responder's time; the world may be behind it.
    clock: Time,
    scorer: Scorer,
    steps: u32,
    touched: bool,
    is_fixed: bool,
}

impl Follower<'_> {
    fn new(scenario: &Scenario) -> Follower<'_> {
        Follower {
            scenario,
            world: scenario.at_page().clone(),
            clock: scenario.begin(),
            scorer: scenario.scorer(),
            steps: 0,
            touched: false,
            is_fixed: scenario.untouched().is_fixed(),
        }
    }

    /// Does what an episode would do; nothing for what only an episode can tell.
    fn call(&mut self, call: &Call) -> Option<()> {
        let (time, changed_since_last) = (self.clock, self.touched);
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
                self.world.run_until(self.clock);
                let facts = match call.tool.glance() {
                    Some(glance) => glance(self.world.view(), &call.args, self.scenario.onset()),
                    None => look(self.world.view(), &call.args).facts,
                };
                Some((facts, Vec::new()))
            }
            Run::Act(act) => {
                self.world.run_until(self.clock);
                let reply = act(&mut self.world.operator(), &call.args);
                if reply.touched.is_empty() {
                    return None;
                }
                self.touched = true;
                self.is_fixed = verdict::is_fixed(self.scenario.task(), self.scenario.acts(), &self.world);
                self.clock += call.tool.cost();
                Some((reply.facts, reply.touched))
            }
            Run::End(_) => None,
        }
    }
}
