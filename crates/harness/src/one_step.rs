//! Challenges of one step: the brief is a prompt, the one action is the reply.
//!
//! What is asked is a [`OneStep`]: a question, or a request for a configuration. A reply is read and graded when it is given,
//! and the verdict is sealed into the record; the player is told nothing of it.

use std::sync::Arc;

use world::{Key, Noise, Span, Time};

use crate::brief::{AnswerKey, Brief, Messages};
use crate::challenge::Challenge;
use crate::episode::EpisodeOptions;
use crate::error::Error;
use crate::player::{EarlyEnd, Playable};
use crate::record::grade::Parts;
use crate::record::{
    AgentFault, EndReason, Event, Header, ModelCard, ModelTurn, ProviderFault, QuestionCard, QuestionVerdict,
    RECORD_VERSION, Record, ReplyReading, Seal, Step, TaskCard, sha256,
};
use crate::suite_names::SUITE_VERSION;

/// What a player is told after its reply: nothing of what it was worth.
const NOTED: &str = "Your answer is noted.";
/// How hard a question is shows only in what is answered.
const UNRATED: &str = "unrated";

/// Something that is asked once and graded by the reply.
pub trait OneStep: Send + Sync {
    /// Its id, in keys and records.
    fn id(&self) -> &str;
    /// The digest of what it is made of.
    fn digest(&self) -> &str;
    /// Its family: results are reported by it.
    fn family(&self) -> &str;
    /// What records say of it beside the family.
    fn card(&self) -> QuestionCard;
    /// What kind of thing it is, as records name it: `questions`, `terraform`.
    fn kind(&self) -> &'static str;
    /// How it is asked under a seed.
    fn messages(&self, seed: u64) -> Messages;
    /// What a reply under that seed is worth; `cut` if the provider says that it ended at the token limit.
    fn grade(&self, reply: &str, cut: bool, seed: u64) -> QuestionVerdict;
    /// A right reply under that seed, where one can be written down.
    fn solution(&self, seed: u64) -> Option<String>;
}

/// A question or a request that an agent can be set to.
pub struct OneStepChallenge(Arc<dyn OneStep>);

impl OneStepChallenge {
    /// The challenge of it.
    pub fn new(asked: Arc<dyn OneStep>) -> OneStepChallenge {
        OneStepChallenge(asked)
    }

    /// Every profile asks it with its own instructions; a prompt of the user's own stands before them.
    fn prompt(&self, card: &ModelCard, version: u32) -> String {
        let asked = format!("{} v{version}", self.0.kind());
        if card.has_own_prompt() { format!("{}, then {asked}", card.prompt) } else { asked }
    }

    fn task(&self) -> TaskCard {
        TaskCard {
            id: self.0.id().to_string(),
            digest: self.0.digest().to_string(),
            difficulty: UNRATED.to_string(),
            split: "test".to_string(),
            family: self.0.family().to_string(),
            steps: 1,
            question: Some(self.0.card()),
            ..TaskCard::default()
        }
    }
}

impl Challenge for OneStepChallenge {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn digest(&self) -> &str {
        self.0.digest()
    }

    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error> {
        let messages = self.0.messages(seed);
        let brief = Brief {
            // Opaque, and another one under each seed.
            incident: format!("Q-{}", &sha256(format!("{} {seed}", self.digest()).as_bytes())[..8]),
            text: format!("{}\n\n{}", messages.system, messages.user),
            page: String::new(),
            services: Vec::new(),
            tools: Vec::new(),
            steps: 1,
            toolset: options.tools,
            messages: Some(messages),
        };
        let task = self.task();
        let version = task.question.as_ref().map_or(0, |card| card.version);
        let header = Header {
            record_version: RECORD_VERSION,
            world_version: world::WORLD_VERSION,
            suite_version: SUITE_VERSION,
            suite: options.suite,
            task,
            seed,
            situation: None,
            noise: noise.0,
            tools: options.tools.to_string(),
            toolbox: Arc::new([]),
            services: Vec::new(),
            backend: self.0.kind().to_string(),
            rewards: options.rewards,
            agent: options.agent,
            episode: options.episode,
            repeat: options.repeat,
            incident: brief.incident.clone(),
            model: options.model.map(|card| ModelCard { prompt: self.prompt(&card, version), ..card }),
            lifted_from: None,
        };
        let (asked, brief) = (self.0.clone(), Arc::new(brief));
        Ok(Box::new(AskedOnce { asked, header, brief, steps: Vec::new(), verdict: None, end: None }))
    }
}

/// What was put to a player.
#[derive(Clone)]
struct AskedOnce {
    asked: Arc<dyn OneStep>,
    header: Header,
    brief: Arc<Brief>,
    steps: Vec<Step>,
    verdict: Option<QuestionVerdict>,
    end: Option<(EndReason, Option<ProviderFault>, Option<AgentFault>)>,
}

impl Playable for AskedOnce {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        let cut = model.as_ref().is_some_and(|turn| turn.cut);
        let verdict = self.asked.grade(text, cut, self.header.seed);
        let answered = verdict.reading == ReplyReading::Answered;
        let unread = verdict.reading == ReplyReading::Unparsed;
        self.steps.push(Step {
            index: 1,
            text: text.to_string(),
            call: answered.then(|| verdict.answer.clone()),
            observation: NOTED.to_string(),
            invalid: unread.then(|| "no answer can be read in it".to_string()),
            reward: verdict.score,
            model,
            ..Step::default()
        });
        self.verdict = Some(verdict);
        self.end = Some((EndReason::Answered, None, None));
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
        let mut events =
            vec![Event::Started(Box::new(self.header)), Event::Paged { time: 0, brief: self.brief.text.clone() }];
        events.extend(self.steps.into_iter().map(|step| Event::Stepped(Box::new(step))));
        events.push(Event::Ended { time: 0, reason, cause, fault });
        events.push(Event::Sealed(Box::new(Seal { question: self.verdict, ..Seal::default() })));
        Record { events }
    }

    fn fork(&self) -> Box<dyn Playable> {
        Box::new(self.clone())
    }

    fn parts(&self) -> Parts {
        Parts::default()
    }

    fn answer(&self) -> (String, AnswerKey) {
        let solution = self.asked.solution(self.header.seed).into_iter().collect();
        (self.asked.id().to_string(), AnswerKey { solution, distractors: Vec::new() })
    }

    fn shows_rewards(&self) -> bool {
        self.header.rewards
    }

    fn clock(&self) -> (Time, Time) {
        (Time(0), Time(0))
    }

    /// No time passes while a question is thought about.
    fn pass(&mut self, _: Span) -> Span {
        Span::ZERO
    }

    fn manual(&self, _: usize) -> &'static [Key] {
        &[]
    }
}
