//! A question as a challenge of one step: the brief is its prompt, the one action is the reply.
//!
//! The seed permutes the options. A reply is read and graded when it is given, and the verdict is sealed into the record;
//! the player is told nothing of it.

use std::sync::Arc;

use questions::{Expected, ModelReply, PublishedScore, QUESTIONS_VERSION, Question, QuestionOutcome, ask, shipped};
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

/// The suite of the questions that the program carries.
pub const SKILLS: &str = "skills";
/// What records say questions are played on.
const QUESTIONS: &str = "questions";
/// What a player is told after its reply: nothing of what it was worth.
const NOTED: &str = "Your answer is noted.";

/// A question that an agent can be set to.
pub struct QuestionChallenge {
    question: Arc<Question>,
    digest: String,
}

impl QuestionChallenge {
    /// The challenge of a question.
    pub fn new(question: Arc<Question>) -> QuestionChallenge {
        let text = serde_json::to_string(&*question).expect("a question is plain data");
        QuestionChallenge { digest: sha256(text.as_bytes()), question }
    }

    /// Those that the program carries.
    pub fn carried() -> Vec<Arc<dyn Challenge>> {
        let one = |question: &Question| Arc::new(QuestionChallenge::new(Arc::new(question.clone())));
        shipped::carried().iter().map(|question| one(question) as Arc<dyn Challenge>).collect()
    }

    /// The one of that id among those that the program carries.
    pub fn find(id: &str) -> Option<Arc<dyn Challenge>> {
        let question = shipped::carried().iter().find(|question| question.id == id)?;
        Some(Arc::new(QuestionChallenge::new(Arc::new(question.clone()))))
    }
}

impl Challenge for QuestionChallenge {
    fn id(&self) -> &str {
        &self.question.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn start(&self, seed: u64, noise: Noise, options: EpisodeOptions) -> Result<Box<dyn Playable>, Error> {
        let prompt = self.question.prompt(seed);
        let brief = Brief {
            // Opaque, and another one under each seed.
            incident: format!("Q-{}", &sha256(format!("{} {seed}", self.digest).as_bytes())[..8]),
            text: format!("{}\n\n{}", prompt.system, prompt.user),
            page: String::new(),
            services: Vec::new(),
            tools: Vec::new(),
            steps: 1,
            toolset: options.tools,
            messages: Some(Messages { system: prompt.system, user: prompt.user }),
        };
        let header = Header {
            record_version: RECORD_VERSION,
            world_version: world::WORLD_VERSION,
            suite_version: SUITE_VERSION,
            suite: options.suite,
            task: self.card(),
            seed,
            noise: noise.0,
            tools: options.tools.to_string(),
            toolbox: Arc::new([]),
            services: Vec::new(),
            backend: QUESTIONS.to_string(),
            rewards: options.rewards,
            agent: options.agent,
            episode: options.episode,
            repeat: options.repeat,
            incident: brief.incident.clone(),
            // Every profile asks a question with the question's own instructions.
            model: options.model.map(|card| ModelCard { prompt: format!("{QUESTIONS} v{QUESTIONS_VERSION}"), ..card }),
            lifted_from: None,
        };
        let (question, brief) = (self.question.clone(), Arc::new(brief));
        Ok(Box::new(AskedQuestion { question, header, brief, steps: Vec::new(), verdict: None, end: None }))
    }
}

impl QuestionChallenge {
    fn card(&self) -> TaskCard {
        let clusters = self.question.clusters.clone();
        TaskCard {
            id: self.question.id.clone(),
            digest: self.digest.clone(),
            difficulty: UNRATED.to_string(),
            split: "test".to_string(),
            family: self.question.skill.name().to_string(),
            steps: 1,
            question: Some(QuestionCard { version: QUESTIONS_VERSION, clusters }),
            ..TaskCard::default()
        }
    }
}

/// How hard a question is shows only in what is answered.
const UNRATED: &str = "unrated";

/// A question that was put to a player.
#[derive(Clone)]
struct AskedQuestion {
    question: Arc<Question>,
    header: Header,
    brief: Arc<Brief>,
    steps: Vec<Step>,
    verdict: Option<QuestionVerdict>,
    end: Option<(EndReason, Option<ProviderFault>, Option<AgentFault>)>,
}

impl Playable for AskedQuestion {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    fn step(&mut self, text: &str, model: Option<ModelTurn>) {
        let cut = model.as_ref().is_some_and(|turn| turn.cut);
        let verdict = verdict(self.question.grade(ModelReply { text, cut }, self.header.seed));
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
        let solution = reference(&self.question, self.header.seed).into_iter().collect();
        (self.question.id.clone(), AnswerKey { solution, distractors: Vec::new() })
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

fn verdict(outcome: QuestionOutcome) -> QuestionVerdict {
    use questions::AnswerReading;
    let published = match outcome.published {
        PublishedScore::Points(points) => Some(points),
        PublishedScore::NeedsJudge | PublishedScore::Unknown => None,
    };
    QuestionVerdict {
        reading: match outcome.reading {
            AnswerReading::Answered => ReplyReading::Answered,
            AnswerReading::Unparsed => ReplyReading::Unparsed,
            AnswerReading::Refused => ReplyReading::Refused,
            AnswerReading::Truncated => ReplyReading::Truncated,
        },
        answer: outcome.answer,
        chosen: outcome.chosen,
        correct: outcome.correct,
        score: outcome.score,
        published,
        remarks: outcome.remarks.into_iter().chain(outcome.unfounded).collect(),
    }
}

/// A reply that is right, where there is one to be written down: a description has none.
fn reference(question: &Question, seed: u64) -> Option<String> {
    match &question.expected {
        Expected::Choice(_) => Some(ask::letter(question.shown_key(seed)?).to_string()),
        Expected::Places(places) => Some(places.files.join("\n")),
        Expected::Region(region) => Some(format!("```diff\n{}\n```", region.lines.join("\n"))),
        Expected::Account(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Agent, AgentKind, Move, Start, Turn};
    use crate::challenge::play;
    use crate::record::ExchangeLog;
    use crate::replay::replay_question;
    use crate::stop::Stop;

    /// Replies with this text; without one, with the key.
    struct Replies(Option<&'static str>);

    impl AgentKind for Replies {
        fn name(&self) -> &str {
            "replies"
        }

        fn about(&self) -> &str {
            "replies"
        }

        fn start(&self, _: &Brief, start: Start<'_>) -> Box<dyn Agent> {
            struct Says(Option<String>);
            impl Agent for Says {
                fn act(&mut self, _: &Turn<'_>) -> Move {
                    self.0.take().into()
                }
            }
            Box::new(Says(self.0.map(String::from).or_else(|| start.key.solution.first().cloned())))
        }

        fn uses_answer_key(&self) -> bool {
            self.0.is_none()
        }
    }

    fn played(challenge: &dyn Challenge, seed: u64, reply: Option<&'static str>) -> Record {
        let options = EpisodeOptions { agent: "replies".into(), suite: SKILLS.into(), ..EpisodeOptions::default() };
        let begun = challenge.start(seed, Noise(0), options).expect("a question can be asked");
        play(&Replies(reply), begun, seed, ExchangeLog::in_memory(), Arc::default(), &Stop::default())
            .expect("nothing stops it")
    }

    #[test]
    fn the_key_is_right_under_every_permutation_and_replays() {
        let all = QuestionChallenge::carried();
        assert!(all.len() > 1_200);
        for challenge in all.iter().step_by(17) {
            for seed in 0..2 {
                let record = played(&**challenge, seed, None);
                let score = record.score().expect("a whole record");
                let family = score.family.clone();
                // A description has no key to be written down: it is given up.
                let described = family.starts_with("reverse") && family != "reverse-match";
                assert_eq!((score.success, score.reward), (!described, f64::from(u8::from(!described))), "{family}");
                let again = replay_question(&record, &**challenge).expect("the same question");
                assert!(again.is_same(), "{:?}", again.difference);
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        let all = QuestionChallenge::carried();
        let challenge = all.iter().find(|one| one.id().contains("gmcq-easy")).expect("a choice");
        let check = |reply: &'static str, ending: &str, invalid: u32| {
            let record = played(&**challenge, 3, Some(reply));
            let score = record.score().expect("a whole record");
            assert_eq!((score.ending.word.as_ref(), score.invalid_actions), (ending, invalid), "{reply}");
            assert!(!score.success && score.question.is_some_and(|verdict| verdict.published == Some(0.0)));
            let again = Record::parse(std::path::Path::new("r"), &record.text()).expect("what was written is read");
            assert_eq!(again, record);
        };
        check("Each of them has merits.", "unparsed", 1);
        check("I'm sorry, but I can't help with that.", "refused", 0);
        check("<think>Choice A seems", "truncated", 0);
    }

    #[test]
    fn a_player_is_told_the_prompt_and_nothing_of_the_key() {
        let all = QuestionChallenge::carried();
        let begun = all[0].start(5, Noise(0), EpisodeOptions::default()).expect("a question can be asked");
        let brief = begun.brief();
        let messages = brief.messages.as_ref().expect("a question");
        assert_eq!(brief.text, format!("{}\n\n{}", messages.system, messages.user));
        assert!(!brief.text.contains(all[0].id()) && brief.steps == 1);
        let record = played(&*all[0], 5, Some("A"));
        assert_eq!(record.steps().next().expect("one step").observation, NOTED);
    }
}
