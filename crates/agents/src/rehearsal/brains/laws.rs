//! Brains answer from the text alone, and the same text gets the same answer.

use harness::{AgentKind, AnswerKey, Book, Episode, EpisodeOptions, Move, Noise, ScenarioCache, Start, Turn, tasks};

use super::case::Case;
use super::{Brain, thought};
use crate::rehearsal::prompt::{By, Message, Prompt, Tool};
use crate::runbook::Runbook;

fn say(by: By, text: &str) -> Message {
    Message { by, text: text.to_string() }
}

fn prompt(model: &str, messages: &[Message]) -> Prompt {
    Prompt { model: model.to_string(), messages: messages.to_vec(), ..Prompt::default() }
}

/// Plays some tasks; `each` gets what the responder said, and what it had heard before, at every step.
#[allow(clippy::disallowed_methods, reason = "a test may look at tasks")]
fn play(options: EpisodeOptions, mut each: impl FnMut(&harness::Brief, &[Message], &str)) {
    let cache = ScenarioCache::new(4);
    for task in tasks::embedded().iter().step_by(9) {
        let task = task.task().expect("tests read the tasks that are shipped");
        let scenario = cache.get(&task, 1, Noise(0)).expect("it can be prepared");
        let mut episode = Episode::start(&scenario, options.clone());
        let brief = episode.brief().clone();
        let mut agent = Runbook.start(&brief, Start { seed: 0, key: &AnswerKey::default(), book: Book::in_memory() });
        let mut said = vec![say(By::User, &format!("You are an engineer.\n{}\nAnswer as told.", brief.text))];
        while !episode.is_over() {
            let step = episode.steps_taken() + 1;
            let (observation, steps_left) = (episode.observation(), brief.steps + 1 - step);
            let Move::Act(saying) = agent.act(&Turn { brief: &brief, observation, step, steps_left, reward: 0.0 })
            else {
                panic!("the responder always has something to say")
            };
            each(&brief, &said, &saying.text);
            let seen = episode.step(&saying.text).observation.to_string();
            said.extend([say(By::Model, &saying.text), say(By::User, &seen)]);
        }
    }
}

#[test]
fn the_responder_asked_over_the_wire_is_the_responder() {
    for tools in [harness::ToolSet::Classic, harness::ToolSet::Full] {
        let mut steps = 0;
        play(EpisodeOptions { tools, ..EpisodeOptions::default() }, |_, said, expect| {
            let answer = Brain::Runbook.answer(&prompt("m", said));
            assert_eq!(answer.text.rsplit_once("\nAction: ").map(|(_, action)| action), Some(expect));
            steps += 1;
        });
        assert!(steps > 20, "{steps} steps were played");
    }
}

#[test]
fn a_brief_is_read_back_from_its_text() {
    play(EpisodeOptions::default(), |brief, said, _| {
        let case = Case::read(&prompt("m", said)).expect("there is a brief");
        assert_eq!(&case.brief, brief);
        assert_eq!(case.whole, said.len() > 1);
    });
}

#[test]
fn without_history_it_acts_on_the_latest_observation() {
    let (mut same, mut all) = (0, 0);
    play(EpisodeOptions::default(), |brief, said, _| {
        let latest = said.last().map_or("", |message| message.text.as_str());
        let one = [say(By::User, &format!("{}\nObservation:\n{latest}", brief.text))];
        let answer = Brain::Runbook.answer(&prompt("m", &one));
        let first = Brain::Runbook.answer(&prompt("m", &said[..1]));
        (same, all) = (same + usize::from(answer == first), all + 1);
        assert!(answer.text.contains("\nAction: "), "{answer:?}");
    });
    assert!(same < all / 2, "{same} of {all} answers are the first one again");
}

#[test]
fn the_same_question_gets_the_same_answer() {
    play(EpisodeOptions::default(), |_, said, _| {
        for brain in [Brain::Runbook, Brain::Random] {
            assert_eq!(brain.answer(&prompt("m", said)), brain.answer(&prompt("m", said)));
        }
    });
}

#[test]
fn dice_depend_on_the_model_and_on_everything_said() {
    let mut answers = Vec::new();
    play(EpisodeOptions::default(), |_, said, _| {
        answers.extend(["a", "b"].map(|model| Brain::Random.answer(&prompt(model, said)).text));
    });
    let all = answers.len();
    answers.sort_unstable();
    answers.dedup();
    assert!(answers.len() > all / 3, "{} different answers of {all}", answers.len());
    assert!(answers.iter().all(|text| !text.trim().is_empty()));
}

#[test]
fn tools_are_called_natively_where_there_are_some() {
    play(EpisodeOptions::default(), |_, said, expect| {
        let tools = vec![Tool { name: "inspect_logs".into(), params: vec![("service".into(), "string".into())] }];
        let answer = Brain::Runbook.answer(&Prompt { tools, ..prompt("m", said) });
        let call = answer.call.expect("an action of the responder is a call");
        assert!(expect.starts_with(&call.name) && !answer.text.is_empty());
    });
}

#[test]
fn a_models_name_picks_its_brain() {
    let check = |model: &str, expect: &Brain| assert_eq!(Brain::Random.of(model), expect, "{model}");
    check("runbook", &Brain::Runbook);
    check("rehearsal/runbook-mini", &Brain::Runbook);
    check("random", &Brain::Random);
    check("gpt-5", &Brain::Random);
    check("runbooks", &Brain::Random);
    assert_eq!(Brain::Runbook.of("a:random"), &Brain::Random);
}

#[test]
fn without_an_incident_it_says_so() {
    let answer = Brain::Runbook.answer(&prompt("m", &[say(By::User, "hello")]));
    assert!(answer.text.starts_with("There is no incident in this conversation."), "{}", answer.text);
    assert!(!thought("").is_empty());
}
