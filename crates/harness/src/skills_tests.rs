use super::*;
use crate::brief::Brief;
use crate::episode::EpisodeOptions;
use crate::record::{QuestionVerdict, Record, ReplyReading};
use world::Noise;

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
    let all = suite(SKILLS).expect("it is known");
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
    let all = suite(SKILLS).expect("it is known");
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
    let all = suite(SKILLS).expect("it is known");
    let begun = all[0].start(5, Noise(0), EpisodeOptions::default()).expect("a question can be asked");
    let brief = begun.brief();
    let messages = brief.messages.as_ref().expect("a question");
    assert_eq!(brief.text, format!("{}\n\n{}", messages.system, messages.user));
    assert!(!brief.text.contains(all[0].id()) && brief.steps == 1);
    let record = played(&*all[0], 5, Some("A"));
    assert_eq!(record.steps().next().expect("one step").observation, "Your answer is noted.");
}

fn graded(id: &str, seed: u64, reply: Option<&'static str>) -> QuestionVerdict {
    let challenge = find(id).expect("it is carried");
    let record = played(&*challenge, seed, reply);
    let again = replay_question(&record, &*challenge).expect("the same request");
    assert!(again.is_same(), "{:?}", again.difference);
    *record.score().expect("a whole record").question.expect("it was replied to")
}

#[test]
fn configurations_pass_by_their_solutions_and_fail_by_stage() {
    for suite in [TERRAFORM, TERRAFORM_GENERATED] {
        let all = self::suite(suite).expect("it is known");
        assert!(all.len() >= 11);
        for challenge in &all {
            for seed in [0, 7] {
                let verdict = graded(challenge.id(), seed, None);
                assert!(verdict.correct && verdict.score == 1.0, "{}: {verdict:?}", challenge.id());
                assert_eq!(verdict.lifecycle.expect("a configuration").stages.len(), 9);
            }
        }
    }
    let check = |reply, reading: ReplyReading, category: &str, stages: usize| {
        let verdict = graded("terraform-s3-bucket-policy", 1, Some(reply));
        let lifecycle = verdict.lifecycle.expect("a configuration");
        let shown = (verdict.reading, lifecycle.category.as_deref(), lifecycle.stages.len());
        assert_eq!(shown, (reading, Some(category), stages), "{reply}");
        assert!(!verdict.correct && lifecycle.stages.last().is_some_and(|stage| !stage.ok && !stage.found.is_empty()));
    };
    use ReplyReading::{Answered, Refused, Truncated, Unparsed};
    check("", Unparsed, "EXTRACT", 1);
    check("I'm sorry, but I can't help with that.", Refused, "EXTRACT", 1);
    check("```hcl main.tf\nresource \"aws_s3_bucket\" \"b\" {\n", Truncated, "SYNTAX", 2);
    check("```hcl main.tf\nresource \"aws_s3_bucket\" \"b\" {\n```\n", Answered, "SYNTAX", 2);
    check("```hcl main.tf\nresource \"aws_s3_bucket\" \"b\" {\n  bukket = 1\n}\n```\n", Answered, "VALIDATE", 4);
}

#[test]
fn every_seed_draws_another_request_and_names_are_given_once() {
    let all = suite(TERRAFORM_GENERATED).expect("it is known");
    let asked = |seed| all[0].start(seed, Noise(0), EpisodeOptions::default()).expect("it begins").brief().text.clone();
    assert_ne!(asked(1), asked(2));
    assert_eq!(asked(1), asked(1));
    let mut ids: Vec<String> = [SKILLS, TERRAFORM_GENERATED]
        .iter()
        .flat_map(|name| suite(name).expect("it is known"))
        .map(|one| one.id().to_string())
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(find("no-such-question").is_none() && suite("no-such-suite").is_none());
}
