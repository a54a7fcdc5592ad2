//! Brains answer from the text alone, and the same text gets the same answer.
#![allow(clippy::disallowed_types, reason = "tests are referees")]

use std::sync::Arc;

use std::sync::LazyLock;

use harness::{
    AgentKind, AnswerKey, Brief, Episode, EpisodeOptions, ExchangeLog, Move, Noise, ScenarioCache, Start, ToolSet,
    Turn, tasks,
};

use super::case::Case;
use super::{ResponderKind, thought};
use crate::fake_provider::prompt::{By, IncomingMessage, IncomingPrompt, OfferedTool};
use crate::runbook::Runbook;

fn say(by: By, text: &str) -> IncomingMessage {
    IncomingMessage { by, text: text.to_string() }
}

fn prompt(model: &str, messages: &[IncomingMessage]) -> IncomingPrompt {
    IncomingPrompt { model: model.to_string(), messages: messages.to_vec(), ..IncomingPrompt::default() }
}

/// A step of the responder: what it was told at first, what was said since, and what it said then.
struct Step {
    brief: Brief,
    said: Vec<IncomingMessage>,
    expect: String,
}

/// Every step of the responder on some tasks. Playing takes most of the time, so it is done once.
static CLASSIC: LazyLock<Vec<Step>> = LazyLock::new(|| play(ToolSet::CLASSIC));

#[allow(clippy::disallowed_methods, reason = "a test may look at tasks")]
fn play(tools: ToolSet) -> Vec<Step> {
    let (cache, mut steps) = (ScenarioCache::new(4), Vec::new());
    for task in tasks::embedded().iter().step_by(9) {
        let task = task.task().expect("tests read the tasks that are shipped");
        let scenario = cache.get(&task, 1, Noise(0)).expect("it can be prepared");
        let mut episode = Episode::start(&scenario, EpisodeOptions { tools, ..EpisodeOptions::default() });
        let brief = episode.brief().clone();
        let mut agent = Runbook.start(
            &brief,
            Start { seed: 0, key: &AnswerKey::default(), memory: Arc::default(), exchanges: ExchangeLog::in_memory() },
        );
        let mut said = vec![say(By::User, &format!("You are an engineer.\n{}\nAnswer as told.", brief.text))];
        while !episode.is_over() {
            let step = episode.steps_taken() + 1;
            let (observation, steps_left) = (episode.observation(), brief.steps + 1 - step);
            let turn = Turn { brief: &brief, observation, invalid: false, step, steps_left };
            let Move::Act(saying) = agent.act(&turn) else { panic!("the responder always has something to say") };
            steps.push(Step { brief: Brief::clone(&brief), said: said.clone(), expect: saying.text.clone() });
            let seen = episode.step(&saying.text).observation.to_string();
            said.extend([say(By::Model, &saying.text), say(By::User, &seen)]);
        }
    }
    steps
}

#[test]
fn the_responder_asked_over_the_wire_is_the_responder() {
    for steps in [&CLASSIC, &play(ToolSet::FULL)] {
        for Step { said, expect, .. } in steps {
            let answer = ResponderKind::Runbook.answer(&prompt("m", said));
            assert_eq!(answer.text.rsplit_once("\nAction: ").map(|(_, action)| action), Some(expect.as_str()));
        }
        assert!(steps.len() > 20, "{} steps were played", steps.len());
    }
}

#[test]
fn a_brief_is_read_back_from_its_text() {
    for Step { brief, said, .. } in &*CLASSIC {
        let case = Case::read(&prompt("m", said)).expect("there is a brief");
        assert_eq!(&case.brief, brief);
        assert_eq!(case.whole, said.len() > 1);
    }
}

#[test]
fn without_history_it_acts_on_the_latest_observation() {
    let (mut same, mut all) = (0, 0);
    for Step { brief, said, .. } in &*CLASSIC {
        let latest = said.last().map_or("", |message| message.text.as_str());
        let one = [say(By::User, &format!("{}\nObservation:\n{latest}", brief.text))];
        let answer = ResponderKind::Runbook.answer(&prompt("m", &one));
        let first = ResponderKind::Runbook.answer(&prompt("m", &said[..1]));
        (same, all) = (same + usize::from(answer == first), all + 1);
        assert!(answer.text.contains("\nAction: "), "{answer:?}");
    }
    assert!(same < all / 2, "{same} of {all} answers are the first one again");
}

#[test]
fn the_same_question_gets_the_same_answer() {
    for Step { said, .. } in &*CLASSIC {
        for brain in [ResponderKind::Runbook, ResponderKind::Random] {
            assert_eq!(brain.answer(&prompt("m", said)), brain.answer(&prompt("m", said)));
        }
    }
}

#[test]
fn dice_depend_on_the_model_and_on_everything_said() {
    let answers: Vec<[String; 2]> = (CLASSIC.iter())
        .map(|Step { said, .. }| ["a", "b"].map(|model| ResponderKind::Random.answer(&prompt(model, said)).text))
        .collect();
    // There are only so many actions, so two throws may well agree; most do not.
    let by_model = answers.iter().filter(|[a, b]| a != b).count();
    assert!(by_model > answers.len() / 2, "{by_model} of {} answers differ by model", answers.len());
    let by_text = answers.windows(2).filter(|pair| pair[0][0] != pair[1][0]).count();
    assert!(by_text > answers.len() / 2, "{by_text} of {} answers differ from the one before", answers.len());
    assert!(answers.iter().flatten().all(|text| !text.trim().is_empty()));
}

#[test]
fn tools_are_called_natively_where_there_are_some() {
    for Step { said, expect, .. } in &*CLASSIC {
        let tools =
            vec![OfferedTool { name: "inspect_logs".into(), params: vec![("service".into(), "string".into())] }];
        let answer = ResponderKind::Runbook.answer(&IncomingPrompt { tools, ..prompt("m", said) });
        let call = answer.call.expect("an action of the responder is a call");
        assert!(expect.starts_with(&call.name) && !answer.text.is_empty());
    }
}

#[test]
fn a_models_name_picks_its_brain() {
    let check = |model: &str, expect: &ResponderKind| assert_eq!(ResponderKind::Random.of(model), expect, "{model}");
    check("runbook", &ResponderKind::Runbook);
    check("rehearsal/runbook-mini", &ResponderKind::Runbook);
    check("random", &ResponderKind::Random);
    check("gpt-5", &ResponderKind::Random);
    check("runbooks", &ResponderKind::Random);
    assert_eq!(ResponderKind::Runbook.of("a:random"), &ResponderKind::Random);
}

#[test]
fn without_an_incident_it_says_so() {
    let answer = ResponderKind::Runbook.answer(&prompt("m", &[say(By::User, "hello")]));
    assert!(answer.text.starts_with("There is no incident in this conversation."), "{}", answer.text);
    assert!(!thought("").is_empty());
}
