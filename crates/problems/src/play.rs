//! A problem while it is played: everything that an agent does passes here, is charged and recorded.

use std::sync::Arc;
use std::time::Duration;

use apps::Site;
use cluster::json;
use harness::record::grade::Parts;
use harness::suites::SUITE_VERSION;
use harness::{AnswerKey, Brief, EarlyEnd, EpisodeOptions, Key, Playable, Span, Time, WORLD_VERSION};
use kubectl::Terminal;
use record::{
    AgentFault, EndReason, Event, Header, ModelTurn, ProblemCard, ProviderFault, RECORD_VERSION, Record, Seal,
    StageVerdict, Step, SubmittedDiagnosis, TaskCard, ToolCard,
};

use crate::acting::{ActingPrograms, ActorBook};
use crate::brief::brief;
use crate::client::ClientCommands;
use crate::diagnosis::{is_named, is_right, read_claims};
use crate::noise::PassingNoise;
use crate::perform::{administrator, pass};
use crate::rollback::{RollbackStack, safe};
use crate::scene::ProblemScene;
use crate::stages::Stages;
use crate::tools::{TerminalAction, read};
use crate::verdict;

/// The version of setting and grading problems.
pub const PROBLEMS_VERSION: u32 = 1;
/// What records call the place where problems are played.
const BACKEND: &str = "cluster";
/// What a step costs beside what its commands take.
const THINKING: Duration = Duration::from_secs(15);
/// What asking one of those who watch the cluster takes.
const ASKING: Duration = Duration::from_secs(1);
/// As much of a reply is shown.
const LONGEST_REPLY: usize = 16_000;

/// A problem while it is played.
#[derive(Clone)]
pub struct ProblemEpisode {
    pub(crate) scene: Arc<ProblemScene>,
    stages: Stages,
    options: EpisodeOptions,
    brief: Arc<Brief>,
    pub(crate) site: Site,
    pub(crate) actors: ActorBook,
    terminal: Terminal,
    rollback: RollbackStack,
    /// Commands that clients have begun in containers.
    pub(crate) commands: ClientCommands,
    pub(crate) steps: Vec<Step>,
    diagnosis: Option<SubmittedDiagnosis>,
    diagnosed_after: u32,
    noise: u8,
    end: Option<(EndReason, Option<ProviderFault>, Option<AgentFault>)>,
}

impl ProblemEpisode {
    /// Hands a problem to an agent.
    pub fn start(scene: &Arc<ProblemScene>, stages: Stages, options: EpisodeOptions) -> ProblemEpisode {
        ProblemEpisode {
            stages,
            options,
            brief: Arc::new(brief(scene, stages)),
            site: scene.broken.clone(),
            actors: if scene.live.is_some() { scene.watched_actors() } else { scene.actors.clone() },
            terminal: administrator(scene.problem.namespace()),
            rollback: RollbackStack::default(),
            commands: ClientCommands::default(),
            steps: Vec::new(),
            diagnosis: None,
            diagnosed_after: 0,
            noise: 0,
            end: None,
            scene: scene.clone(),
        }
    }

    /// The same with passing disturbances from the call on, on a schedule that the seed draws; level 0 has none.
    pub fn with_noise(mut self, level: u8) -> ProblemEpisode {
        self.noise = level;
        let (seed, now) = (self.scene.seed, self.site.cluster.now());
        let noise = PassingNoise::new(seed, level, self.scene.problem.namespace(), now);
        self.actors.noise = (level > 0).then_some(noise);
        self
    }

    /// The site as the agent has left it. Truth: for certificates, never for agents.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The site and its actors as the agent has left them.
    pub(crate) fn left(self) -> (Site, ActorBook) {
        (self.site, self.actors)
    }

    /// The agent's name.
    pub(crate) fn agent(&self) -> &str {
        &self.options.agent
    }

    /// World time in milliseconds, from just before the fault.
    pub(crate) fn now(&self) -> u64 {
        self.site.cluster.now().since(self.scene.onset).as_millis() as u64
    }

    fn paged(&self) -> u64 {
        self.scene.broken.cluster.now().since(self.scene.onset).as_millis() as u64
    }

    fn act(&mut self, text: &str, step: &mut Step) {
        match read(text) {
            Err(problem) => {
                step.observation = format!("Invalid action: {problem}");
                step.invalid = Some(problem);
            }
            Ok(action) => {
                step.call = Some(text.trim().to_string());
                step.observation = self.carry_out(action, step);
            }
        }
        // A client thinks while its own clock runs.
        if !self.is_live() {
            pass(&mut self.site, &mut self.actors, THINKING);
        }
    }

    /// Whether clients with a clock of their own play it.
    pub(crate) fn is_live(&self) -> bool {
        self.scene.live.is_some()
    }

    fn carry_out(&mut self, action: TerminalAction, step: &mut Step) -> String {
        match action {
            TerminalAction::Run(line) => {
                step.tool = "kubectl".to_string();
                let (cluster, fleet) = self.site.parts();
                let actors = &mut self.actors;
                let output = self.terminal.run(cluster, &mut ActingPrograms { fleet, actors }, &line);
                shown(&output.stdout, &output.stderr, output.code)
            }
            TerminalAction::Wait(seconds) => {
                step.tool = "wait".to_string();
                pass(&mut self.site, &mut self.actors, Duration::from_secs(seconds));
                format!("{seconds} seconds have passed.")
            }
            TerminalAction::Diagnose(text, answer) => {
                step.tool = "submit_diagnosis".to_string();
                self.diagnose(text, answer, step)
            }
            TerminalAction::Ask(tool, question) => {
                step.tool = tool.to_string();
                step.args.insert("kind".to_string(), question.kind().to_string());
                if self.actors.is_filmed() {
                    pass(&mut self.site, &mut self.actors, ASKING);
                    return String::new();
                }
                self.watch();
                pass(&mut self.site, &mut self.actors, ASKING);
                let now = self.site.cluster.now();
                let observatory = self.actors.observatory(now).expect("it is watched from here on");
                shown(&question.answer(observatory), "", 0)
            }
            TerminalAction::Safely(line) => {
                step.tool = "exec_kubectl_cmd_safely".to_string();
                match safe(&line) {
                    Ok(line) => {
                        let (site, actors, terminal) = (&mut self.site, &mut self.actors, &mut self.terminal);
                        let output = self.rollback.run(site, actors, terminal, &line);
                        shown(&output.stdout, &output.stderr, output.code)
                    }
                    Err(problem) => {
                        step.invalid = Some(problem.clone());
                        format!("Invalid action: {problem}")
                    }
                }
            }
            TerminalAction::Rollback => {
                step.tool = "rollback_command".to_string();
                self.rollback.undo(&mut self.site, &mut self.actors, &mut self.terminal)
            }
            TerminalAction::Rollbackable => {
                step.tool = "get_previous_rollbackable_cmd".to_string();
                self.rollback.told()
            }
            TerminalAction::Submit(text) => {
                step.tool = "submit".to_string();
                self.submit(text, step)
            }
        }
    }

    /// Begins to watch the cluster, as if it had been watched all the time: what was done so far is done once more, watched.
    /// So only those pay for it who ask.
    fn watch(&mut self) {
        if self.actors.is_watched() {
            return;
        }
        let mut again = ProblemEpisode::start(&self.scene, self.stages, self.options.clone());
        again.actors = self.scene.watched_actors();
        let mut again = again.with_noise(self.noise);
        for step in &self.steps {
            again.pass(Span(step.time.saturating_sub(again.now())));
            again.step(&step.text, None);
        }
        again.pass(Span(self.now().saturating_sub(again.now())));
        assert_eq!(again.site.digest(), self.site.digest(), "looking changes nothing");
        self.actors = again.actors;
    }

    fn diagnose(&mut self, text: String, answer: String, step: &mut Step) -> String {
        if !self.awaits_diagnosis() {
            return "A diagnosis is not asked for any more; go on with the mitigation.".to_string();
        }
        let claims = match answer.trim() {
            "" => None,
            answer => match read_claims(answer) {
                Ok(claims) => Some(claims),
                Err(problem) => {
                    step.invalid = Some(problem.clone());
                    return format!("Invalid action: {problem}");
                }
            },
        };
        let problem = &self.scene.problem;
        self.diagnosis = Some(SubmittedDiagnosis {
            time: self.now(),
            structured: claims.map(|claims| is_right(problem, &claims)),
            words: is_named(problem, &text, &components(&self.scene)),
            text,
            answer,
        });
        self.diagnosed_after = self.steps.len() as u32 + 1;
        if self.stages.mitigation {
            return "The diagnosis is noted. Now mend it, and say submit() when you are done.".to_string();
        }
        self.end = Some((EndReason::Resolved, None, None));
        "The diagnosis is noted.".to_string()
    }

    /// Whether a diagnosis is asked for that was not submitted yet.
    pub(crate) fn awaits_diagnosis(&self) -> bool {
        self.stages.diagnosis && self.diagnosis.is_none()
    }

    fn submit(&mut self, text: String, step: &mut Step) -> String {
        if self.awaits_diagnosis() {
            // A conductor takes what comes, also nothing.
            if self.is_live() || !text.trim().is_empty() {
                let cause = text.lines().find_map(|line| line.trim().strip_prefix("cause:")).unwrap_or_default().trim();
                let cause = if read_claims(cause).is_ok() { cause.to_string() } else { String::new() };
                return self.diagnose(text, cause, step);
            }
            return "Submit your diagnosis first, with submit_diagnosis.".to_string();
        }
        self.end = Some((EndReason::Resolved, None, None));
        "It is noted; the cluster stays under watch.".to_string()
    }

    fn header(&self) -> Header {
        let tool = |doc: &faces::ToolDoc| ToolCard {
            name: doc.name.into(),
            about: doc.about.into(),
            parameters: doc.schema(),
        };
        Header {
            record_version: RECORD_VERSION,
            world_version: WORLD_VERSION,
            suite_version: SUITE_VERSION,
            suite: self.options.suite.clone(),
            task: card(&self.scene),
            seed: self.scene.seed,
            situation: None,
            noise: self.noise,
            tools: self.options.tools.to_string(),
            toolbox: self.brief.tools.iter().map(tool).collect(),
            services: Vec::new(),
            backend: BACKEND.to_string(),
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

/// The components that a diagnosis may name: the workloads of the applications.
fn components(scene: &ProblemScene) -> Vec<String> {
    let applications = &scene.problem.file.applications;
    let is_own = |deployment: &&cluster::Stored| {
        applications.iter().any(|namespace| namespace == json::text(deployment, "metadata.namespace"))
    };
    let all = scene.broken.cluster.objects("deployments.apps", None).filter(is_own);
    all.map(|deployment| json::text(deployment, "metadata.name").to_string()).collect()
}

/// What grading needs of a problem.
fn card(scene: &ProblemScene) -> TaskCard {
    let (problem, file) = (&scene.problem, &scene.problem.file);
    TaskCard {
        id: problem.id.clone(),
        digest: problem.digest.clone(),
        difficulty: file.difficulty.clone().unwrap_or_else(|| "unrated".to_string()),
        split: file.split.clone().unwrap_or_else(|| "test".to_string()),
        family: file.layer.name().to_string(),
        steps: crate::brief::STEPS,
        component: file.cause[0].component.clone(),
        problem: Some(ProblemCard {
            version: PROBLEMS_VERSION,
            layer: file.layer.name().to_string(),
            mode: file.mode.name().to_string(),
            applications: file.applications.clone(),
            live: scene.live,
        }),
        ..TaskCard::default()
    }
}

/// What a command printed, as a terminal shows it.
fn shown(stdout: &str, stderr: &str, code: i32) -> String {
    let mut text = format!("{stdout}{stderr}");
    if text.len() > LONGEST_REPLY {
        let end = (0..=LONGEST_REPLY).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n[cut: the rest is not shown; narrow it down with grep, head or a selector]\n");
    }
    match (text.is_empty(), code) {
        (true, 0) => "(no output)".to_string(),
        (true, code) => format!("(no output, exit code {code})"),
        _ => text,
    }
}

impl Playable for ProblemEpisode {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        if self.touch_again(text) {
            return;
        }
        let mut step = Step {
            index: self.steps.len() as u32 + 1,
            time: self.now(),
            text: text.to_string(),
            model,
            ..Step::default()
        };
        self.act(text, &mut step);
        step.took = self.now() - step.time;
        self.steps.push(step);
        if self.end.is_none() && !self.is_live() && self.steps.len() >= self.brief.steps as usize {
            self.end = Some((EndReason::BudgetSpent, None, None));
        }
    }

    fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn end(&mut self, why: EarlyEnd) {
        self.end.get_or_insert(match why {
            EarlyEnd::GaveUp => (EndReason::GaveUp, None, None),
            EarlyEnd::ProviderFailed(fault) => (EndReason::ProviderFailed, Some(fault), None),
            EarlyEnd::ProgramFailed(fault) => (EndReason::GaveUp, None, Some(fault)),
        });
    }

    fn ending(&self) -> Option<EndReason> {
        self.end.map(|(reason, ..)| reason)
    }

    fn finish(self: Box<Self>) -> Record {
        let (reason, cause, fault) = self.end.unwrap_or((EndReason::GaveUp, None, None));
        let (time, paged) = (self.now(), self.paged());
        let looked = self.stages.mitigation && reason != EndReason::ProviderFailed;
        let checks = if looked { verdict::judge(&self.scene, &self.site, &self.actors) } else { Vec::new() };
        let (header, total) = (self.header(), self.steps.len() as u32);
        let seal = Seal {
            mitigated: looked && checks.iter().all(|check| check.ok),
            checks,
            paged,
            verified: time,
            fault: self.scene.problem.file.title.clone(),
            world_digest: format!("{:016x}", self.site.digest()),
            stages: Some(StageVerdict {
                steps: (self.diagnosed_after, total - self.diagnosed_after),
                submitted: (reason == EndReason::Resolved && self.stages.mitigation).then_some(time),
                diagnosis: self.diagnosis,
            }),
            ..Seal::default()
        };
        let mut events =
            vec![Event::Started(Box::new(header)), Event::Paged { time: paged, brief: self.brief.text.clone() }];
        events.extend(self.steps.into_iter().map(|step| Event::Stepped(Box::new(step))));
        events.push(Event::Ended { time, reason, cause, fault });
        events.push(Event::Sealed(Box::new(seal)));
        Record { events }
    }

    fn fork(&self) -> Box<dyn Playable> {
        Box::new(self.clone())
    }

    fn parts(&self) -> Parts {
        Parts::default()
    }

    fn answer(&self) -> (String, AnswerKey) {
        let problem = &self.scene.problem;
        let causes = problem.file.cause.iter();
        let mut answers: Vec<String> = causes.map(|cause| format!("{}/{}", cause.component, cause.kind)).collect();
        answers.dedup();
        let mut said: Vec<String> =
            problem.file.cause.iter().map(|cause| format!("{}: {}.", cause.component, cause.about)).collect();
        said.dedup();
        let text = said.join(" ");
        let mut solution = Vec::new();
        if self.stages.diagnosis {
            let call =
                serde_json::json!({"action": "submit_diagnosis", "diagnosis": text, "cause": answers.join("; ")});
            solution.push(call.to_string());
        }
        if self.stages.mitigation {
            solution.extend(problem.file.solution.commands.iter().cloned());
            solution.push("submit()".to_string());
        }
        (problem.id.clone(), AnswerKey { solution, distractors: Vec::new() })
    }

    fn shows_rewards(&self) -> bool {
        self.options.rewards
    }

    fn clock(&self) -> (Time, Time) {
        (Time(self.now()), Time(self.paged()))
    }

    fn pass(&mut self, span: Span) -> Span {
        pass(&mut self.site, &mut self.actors, Duration::from_millis(span.0));
        span
    }

    fn manual(&self, _: usize) -> &'static [Key] {
        &[]
    }
}

impl From<ProblemEpisode> for Box<dyn Playable> {
    fn from(episode: ProblemEpisode) -> Box<dyn Playable> {
        Box::new(episode)
    }
}
