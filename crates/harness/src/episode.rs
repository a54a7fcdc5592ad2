//! The one gate: everything that an agent does passes through an [`Episode`], which charges simulated
//! time, forwards the call, records it and has it scored.

use std::sync::Arc;

use faces::{Call, End, Reply, Run, ToolSet};
use world::{Key, Span, Time, World};

use crate::brief::{AnswerKey, Brief};
use crate::player::{EarlyEnd, OVER, Playable, StepOutcome};
use crate::record::Record;
use crate::record::grade::{Parts, Scorer};
use crate::record::{AgentFault, EndReason, Event, Header, RECORD_VERSION, SIMULATOR, Step, TaskCard};
use crate::record::{ModelCard, ModelTurn, ProviderFault};
use crate::scenario::timeline::{self, Timeline};
use crate::scenario::{Scenario, USUAL_COST, verdict};
use crate::suite_names::SUITE_VERSION;
use crate::toolbox::toolbox;

/// What an action costs that was not understood.
const INVALID_COST: Span = Span::secs(15);

/// Time between actions passes in whole multiples of this.
const PASS_GRID: Span = Span::secs(15);
/// After so much time it stands still: no clock may run for ever.
const LONGEST_PASS: Span = Span::hours(24);
/// A course that turns out too short is followed for so much more.
const OVERTIME: Span = Span::mins(30);

/// Room for so many steps is made at the start: most episodes of learners are short.
const USUAL_STEPS: usize = 4;

/// How an episode is played, and what its record says of the run.
#[derive(Clone, Debug, Default)]
pub struct EpisodeOptions {
    /// The tools at hand.
    pub tools: ToolSet,
    /// The agent's name.
    pub agent: String,
    /// The suite that the run asked for.
    pub suite: String,
    /// Which of the run's seeds this is, from 0.
    pub episode: u32,
    /// Which repetition of the same task under the same seed this is, from 0.
    pub repeat: u32,
    /// The model behind the agent, if there is one.
    pub model: Option<ModelCard>,
    /// Whether rewards are shown while it is played: the record says so, and it is not ranked.
    pub rewards: bool,
    /// Whether the agent comes with clients of its own, for which it is served where it can be.
    pub clients: bool,
}

/// An incident while it is played, on the simulator. The referee's side: the world, the answer and the
/// rewards are within its reach, so a measured agent gets a [`Player`](crate::Player) over it instead.
/// A clone is a fork: both go on from here, each on its own.
#[derive(Clone)]
pub struct Episode {
    scenario: Arc<Scenario>,
    options: EpisodeOptions,
    brief: Arc<Brief>,
    /// The course of events that the agent is on.
    timeline: Arc<Timeline>,
    /// The agent's time.
    clock: Time,
    /// Time that passed between its actions.
    passed: Span,
    /// When the agent last looked or acted: what it knows of is there at that time.
    seen: Time,
    steps: Vec<Step>,
    scorer: Scorer,
    end: Option<EndReason>,
    cause: Option<ProviderFault>,
    fault: Option<AgentFault>,
}

impl Episode {
    /// Hands the incident to an agent.
    pub fn start(scenario: &Arc<Scenario>, options: EpisodeOptions) -> Episode {
        let options = EpisodeOptions { tools: options.tools.or_needed(scenario.task().tools), ..options };
        Episode {
            brief: scenario.brief(options.tools),
            timeline: scenario.untouched().clone(),
            clock: scenario.begin(),
            passed: Span::ZERO,
            seen: scenario.begin(),
            steps: Vec::with_capacity((scenario.task().steps as usize).min(USUAL_STEPS)),
            scorer: scenario.scorer(),
            end: None,
            cause: None,
            fault: None,
            scenario: scenario.clone(),
            options,
        }
    }

    /// What the agent is told at the start.
    pub fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    /// How it is played.
    pub(crate) fn options(&self) -> &EpisodeOptions {
        &self.options
    }

    /// What the agent was last shown.
    pub fn observation(&self) -> &str {
        self.steps.last().map_or(&self.brief.text, |s| &s.observation)
    }

    /// The steps taken so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How it ended, if it has.
    pub fn ending(&self) -> Option<EndReason> {
        self.end
    }

    /// How many steps were taken.
    pub fn steps_taken(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The simulated time.
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// The world that the agent is in. Truth: for tests and certificates, never for agents.
    pub fn world(&self) -> &World {
        self.timeline.at(self.clock)
    }

    /// The incident that it is about. Truth is within its reach: never for agents.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// The reward of the last step. Truth: for trainers, never for agents.
    pub fn reward(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.reward)
    }

    /// The score so far, part by part. Truth: for trainers' rewards, never for agents.
    pub fn parts(&self) -> Parts {
        self.scorer.parts()
    }

    /// Does what the agent wrote. After the end nothing happens any more.
    pub fn step(&mut self, text: &str) -> StepOutcome<'_> {
        self.step_of(text, None)
    }

    /// The same, with what was asked of a model for it.
    pub fn step_of(&mut self, text: &str, model: Option<ModelTurn>) -> StepOutcome<'_> {
        if self.is_over() {
            return StepOutcome { observation: OVER, invalid: false, done: true };
        }
        let mut step = Step {
            index: self.steps_taken() + 1,
            time: self.clock.0,
            text: text.to_string(),
            changed_since_last: self.is_touched(),
            model,
            ..Step::default()
        };
        let end = match faces::parse(text, self.options.tools, self.timeline.at(self.seen).view()) {
            Ok(call) => self.call(&call, &mut step),
            Err(problem) => self.fumble(problem, &mut step),
        };
        step.took = self.clock.0 - step.time;
        step.fixed = self.timeline.is_fixed();
        step.reward = self.scorer.feed(&step);
        self.steps.push(step);
        let spent = self.steps.len() >= self.scenario.task().steps as usize;
        if let Some(reason) = end.or(spent.then_some(EndReason::BudgetSpent)) {
            self.end(reason);
        }
        let last = self.steps.last().expect("one was just taken");
        StepOutcome { observation: &last.observation, invalid: last.invalid.is_some(), done: self.end.is_some() }
    }

    /// Lets time pass before the next action, in whole quarters of a minute: the incident goes on while
    /// the agent thinks. Gives what has passed; the rest is for the caller to bring again.
    pub fn pass(&mut self, span: Span) -> Span {
        let left = Span(LONGEST_PASS.0 - self.passed.0);
        let span = Span(span.0.min(left.0) / PASS_GRID.0 * PASS_GRID.0);
        if self.is_over() || span == Span::ZERO {
            return Span::ZERO;
        }
        self.passed = self.passed + span;
        self.clock += span;
        let to_come = self.scenario.task().steps - self.steps_taken();
        self.reach(self.clock + Span(u64::from(to_come) * USUAL_COST.0));
        span
    }

    /// Sees to it that the course is followed up to some time.
    fn reach(&mut self, time: Time) {
        if time > self.timeline.end() {
            self.timeline = Arc::new(self.timeline.longer(self.seen, time + OVERTIME));
        }
    }

    /// Ends the episode from outside: the agent gave up, or its provider failed.
    pub fn end(&mut self, reason: EndReason) {
        if self.is_over() {
            return;
        }
        self.end = Some(reason);
        let mitigated = reason == EndReason::Resolved && self.is_mitigated();
        let rest = self.scorer.end(reason, mitigated);
        if let Some(last) = self.steps.last_mut() {
            last.reward = (last.reward + rest).clamp(-1.0, 1.0);
        }
    }

    /// Ends the episode because the agent's provider failed.
    pub fn end_on_provider(&mut self, fault: ProviderFault) {
        if !self.is_over() {
            self.cause = Some(fault);
            self.end(EndReason::ProviderFailed);
        }
    }

    /// Ends the episode because the agent's own program failed.
    pub fn end_on_fault(&mut self, fault: AgentFault) {
        if !self.is_over() {
            self.fault = Some(fault);
            self.end(EndReason::GaveUp);
        }
    }

    /// Seals what really happened and gives the record. An episode that has not ended was given up.
    pub fn finish(mut self) -> Record {
        self.end(EndReason::GaveUp);
        let (time, reason) = (self.clock.0, self.end.expect("it was ended just now"));
        let seal = self.timeline.verdict(&self.scenario, self.clock).seal(&self.scenario);
        let mut events = Vec::with_capacity(self.steps.len() + 4);
        events.push(Event::Started(Box::new(self.header())));
        events.push(Event::Paged { time: self.scenario.page().time.0, brief: self.brief.text.clone() });
        events.extend(self.steps.into_iter().map(|step| Event::Stepped(Box::new(step))));
        events.push(Event::Ended { time, reason, cause: self.cause, fault: self.fault });
        events.push(Event::Sealed(Box::new(seal)));
        Record { events }
    }

    fn call(&mut self, call: &Call, step: &mut Step) -> Option<EndReason> {
        let name = call.canonical();
        let reply = match call.tool.run() {
            Run::Look(look) => self.look(look, call, &name),
            Run::Act(act) => self.act(act, call, &name),
            Run::End(end) => end(&call.args),
        };
        step.call = Some(name);
        step.tool = call.tool.name().to_string();
        step.args = call.args.to_map();
        step.observation = reply.text;
        step.facts = reply.facts;
        step.touched = reply.touched;
        reply.end.map(|end| match end {
            End::Resolve { .. } => EndReason::Resolved,
            End::Escalate { .. } => EndReason::Escalated,
        })
    }

    /// Looking takes its time first: what is shown is how things stand then.
    fn look(&mut self, look: timeline::Look, call: &Call, name: &str) -> Reply {
        let end = self.clock + call.tool.cost();
        self.reach(end);
        (self.clock, self.seen) = (end, end);
        if let Some(own) = Arc::get_mut(&mut self.timeline) {
            own.move_on(self.clock);
        }
        self.timeline.look(self.clock, name, look, &call.args)
    }

    /// An action is applied first and takes its time afterwards: the agent waits for its effect.
    fn act(&mut self, act: timeline::ToolAct, call: &Call, name: &str) -> Reply {
        self.seen = self.clock;
        self.clock += call.tool.cost();
        let own = if call.tool.is_all_or_nothing() { Arc::get_mut(&mut self.timeline) } else { None };
        let done = match own {
            Some(own) => own.act_in_place(&self.scenario, self.seen, act, &call.args),
            None => {
                let branch = self.timeline.branch(&self.scenario, self.seen, name, act, &call.args);
                branch.map(|branch| self.timeline = branch)
            }
        };
        self.reach(self.clock);
        done.map_or_else(|refused| refused, |()| self.timeline.opening().clone())
    }

    fn fumble(&mut self, problem: String, step: &mut Step) -> Option<EndReason> {
        self.clock += INVALID_COST;
        self.reach(self.clock);
        step.observation = format!("Invalid action: {problem}");
        step.invalid = Some(problem);
        None
    }

    /// Time passes only as far as the state at hand leaves hope.
    fn is_mitigated(&self) -> bool {
        let (scenario, seen) = (&*self.scenario, self.timeline.at(self.seen));
        !verdict::is_littered(scenario, seen)
            && (verdict::is_mended(scenario, seen) || verdict::is_moving(seen))
            && verdict::is_mended(scenario, self.world())
            && self.timeline.verdict(scenario, self.clock).mitigated()
    }

    fn is_touched(&self) -> bool {
        self.timeline.is_touched()
    }

    fn header(&self) -> Header {
        Header {
            record_version: RECORD_VERSION,
            world_version: world::WORLD_VERSION,
            suite_version: SUITE_VERSION,
            suite: self.options.suite.clone(),
            task: TaskCard::clone(self.scenario.card()),
            seed: self.scenario.seed(),
            situation: Some(self.scenario.number()),
            noise: self.scenario.noise().0,
            tools: self.options.tools.to_string(),
            toolbox: toolbox(self.options.tools),
            services: self.brief.services.clone(),
            backend: SIMULATOR.to_string(),
            rewards: self.options.rewards,
            agent: self.options.agent.clone(),
            episode: self.options.episode,
            repeat: self.options.repeat,
            incident: self.brief.incident.clone(),
            model: self.options.model.clone(),
            lifted_from: None,
        }
    }
}

impl From<Episode> for Box<dyn Playable> {
    fn from(episode: Episode) -> Box<dyn Playable> {
        Box::new(episode)
    }
}

impl Playable for Episode {
    fn brief(&self) -> &Arc<Brief> {
        self.brief()
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        self.step_of(text, model);
    }

    fn steps(&self) -> &[Step] {
        self.steps()
    }

    fn end(&mut self, why: EarlyEnd) {
        match why {
            EarlyEnd::GaveUp => self.end(EndReason::GaveUp),
            EarlyEnd::ProviderFailed(fault) => self.end_on_provider(fault),
            EarlyEnd::ProgramFailed(fault) => self.end_on_fault(fault),
        }
    }

    fn ending(&self) -> Option<EndReason> {
        self.ending()
    }

    fn finish(self: Box<Self>) -> Record {
        Episode::finish(*self)
    }

    fn fork(&self) -> Box<dyn Playable> {
        Box::new(self.clone())
    }

    fn parts(&self) -> Parts {
        self.parts()
    }

    fn answer(&self) -> (String, AnswerKey) {
        (self.scenario.task().id.clone(), self.scenario.answer_key())
    }

    fn shows_rewards(&self) -> bool {
        self.options.rewards
    }

    fn clock(&self) -> (Time, Time) {
        (self.clock, self.scenario.begin())
    }

    fn pass(&mut self, span: Span) -> Span {
        self.pass(span)
    }

    fn manual(&self, service: usize) -> &'static [Key] {
        self.scenario.task().plan.services.get(service).map_or(&[], |service| service.kind.keys())
    }
}
