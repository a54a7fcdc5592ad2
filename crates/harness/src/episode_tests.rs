//! Laws of episodes, on the test's own incident.

use std::sync::Arc;

use proptest::prelude::*;
use world::{Noise, Span, World};

use crate::episode::{Episode, EpisodeOptions};
use crate::record::{EndReason, Event};
use crate::scenario::Scenario;
use crate::situation::Situation;
use crate::task::Task;
use crate::test_support::{SOLUTION, play, scenario, start, task};

#[test]
fn the_solution_gets_full_marks() {
    let record = play(1, SOLUTION);
    let (score, seal) = (record.score().expect("it is whole"), record.seal().expect("it is sealed"));
    assert!(seal.mitigated, "{:?}", seal.checks);
    assert!(
        score.success && score.evidence_coverage == 1.0 && score.root_cause_identified && score.correct_remediation
    );
    assert_eq!((record.end(), score.steps), (Some(EndReason::Resolved), 4));
    assert!(seal.impact.failed + seal.impact.slow < seal.impact_untouched.failed + seal.impact_untouched.slow);
    assert!(seal.impact_healthy.failed <= seal.impact.failed);
    assert_eq!(seal.chain.first().map(String::as_str), Some("cache"));
}

#[test]
fn step_rewards_add_up_to_the_raw_score() {
    for calls in
        [SOLUTION, &["dance", "dance", "restart_service(database)", "resolve_incident(root_cause=\"x\", fix=\"y\")"]]
    {
        let record = play(1, calls);
        let sum: f64 = record.steps().map(|s| s.reward).sum();
        let score = record.score().expect("it is whole");
        assert!((sum - score.parts.raw()).abs() < 1e-9, "{sum} {:?}", score.parts);
    }
}

#[test]
fn an_episode_ends_when_the_budget_is_spent() {
    let mut episode = start(1);
    let done: Vec<bool> = (0..8).map(|_| episode.step("check_status(cache)").done).collect();
    assert_eq!(done, [false, false, false, false, false, false, false, true]);
    assert_eq!(episode.step("check_status(cache)").observation, "The episode is over.");
    let record = episode.finish();
    assert_eq!((record.end(), record.steps().count()), (Some(EndReason::BudgetSpent), 8));
    assert!(!record.seal().expect("it is sealed").mitigated);
}

#[test]
fn costs_are_charged() {
    let record = play(1, &["check_status(cache)", "dance", "restart_service(cache)", "escalate(reason=\"help\")"]);
    let took: Vec<u64> = record.steps().map(|s| s.took / 1000).collect();
    assert_eq!(took, [30, 15, 60, 0]);
    let fixed: Vec<bool> = record.steps().map(|s| s.fixed).collect();
    assert_eq!(fixed, [false, false, true, true]);
    assert_eq!(record.end(), Some(EndReason::Escalated));
    assert!(
        record.steps().nth(1).is_some_and(|s| s.invalid.is_some() && s.observation.starts_with("Invalid action: "))
    );
}

#[test]
fn a_stray_setting_spoils_the_verdict() {
    let stray = ["restart_service(cache)", "update_config(database, DB_POOL_SIZE, 77)"];
    let record = play(1, &stray);
    let seal = record.seal().expect("it is sealed");
    let failed: Vec<&str> = seal.checks.iter().filter(|c| !c.ok).map(|c| c.name.as_str()).collect();
    assert!(failed.contains(&"settings") && !seal.mitigated, "{:?}", seal.checks);
}

#[test]
fn the_brief_tells_nothing_of_the_cause() {
    let text = start(1).brief().text.clone();
    assert!(text.contains("INC-") && text.contains("PAGE ") && text.contains("restart_service(service)"), "{text}");
    let own = text.replace(&crate::grade::catalogue(), "");
    assert!(own.len() < text.len() && !own.contains("gone") && !own.contains("crash"), "{text}");
    assert_ne!(scenario(1).incident(), scenario(2).incident());
    assert_eq!(scenario(1).incident(), "INC-547B2B", "it is a matter of the seed alone");
}

#[test]
fn until_its_onset_a_faulty_run_equals_its_healthy_twin() {
    let scenario = scenario(1);
    let Situation { task, seed, .. } =
        Situation::draw(&task(), task().own_seed(1), (scenario.number(), None), scenario.noise())
            .expect("it was drawn before");
    let early = World::healthy(&task.plan, seed, scenario.noise());
    let mut faulty = World::healthy_after(&task.plan, seed, scenario.noise(), scenario.onset().since(early.now()));
    faulty.plant(&task.acts(seed.derive("fault")).concat(), scenario.onset());
    assert_eq!(faulty.digest(), scenario.healthy().digest());
    faulty.run_until(scenario.page().time);
    assert_eq!(faulty.digest(), scenario.at_page().digest());
    assert_ne!(scenario.at_page().digest(), scenario.healthy().digest());
}

#[test]
fn a_clone_continues_identically() {
    let scenario = scenario(1);
    let (mut one, later) = (scenario.at_page().clone(), scenario.page().time + Span::mins(7));
    let mut other = one.clone();
    one.run_until(later);
    other.run_until(scenario.page().time + Span::secs(90));
    other.clone().run_until(later + Span::mins(1));
    other.run_until(later);
    assert_eq!(one.digest(), other.digest());
}

#[test]
fn what_others_did_before_changes_nothing() {
    let calls = [
        "check_status(cache)",
        "restart_service(cache)",
        "inspect_logs(cache)",
        "update_config(cache, TTL_SECONDS, 60)",
    ];
    let shared: Vec<String> = (0..3).map(|_| play(1, &calls).text()).collect();
    let fresh = Arc::new(Scenario::prepare(&task(), 1, scenario(1).noise()).expect("it pages"));
    let mut episode = Episode::start(&fresh, EpisodeOptions { agent: "test".into(), ..EpisodeOptions::default() });
    for call in calls {
        episode.step(call);
    }
    assert_eq!(shared, vec![episode.finish().text(); 3]);
}

#[test]
fn different_seeds_are_different_days() {
    let texts = [1, 2].map(|seed| play(seed, &["inspect_metrics(cache)"]).text());
    assert_ne!(texts[0], texts[1]);
    let again = Scenario::prepare(&task(), 2, scenario(2).noise()).expect("it pages");
    assert_eq!(again.at_page().digest(), scenario(2).at_page().digest());
}

fn look() -> impl Strategy<Value = String> {
    let tool = prop::sample::select(&["inspect_logs", "inspect_metrics", "check_status", "inspect_config"][..]);
    let service = prop::sample::select(&["web_server", "database", "cache", "message_queue", "load_balancer"][..]);
    (tool, service).prop_map(|(tool, service)| format!("{tool}({service})"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn looking_changes_nothing(mut calls in prop::collection::vec(look(), 1..7), touched in any::<bool>()) {
        let world = |calls: &[String]| {
            let mut episode = start(1);
            if touched {
                episode.step("update_config(cache, TTL_SECONDS, 60)");
            }
            calls.iter().for_each(|call| assert!(!episode.step(call).done));
            episode.world().digest()
        };
        let forth = world(&calls);
        calls.reverse();
        prop_assert_eq!(world(&calls), forth);
    }

    #[test]
    fn any_text_is_an_action_or_a_fumble(texts in prop::collection::vec(".{0,60}", 1..8)) {
        let mut episode = start(1);
        for text in &texts {
            episode.step(text);
        }
        let record = episode.finish();
        let is_sealed = matches!(record.events.last(), Some(Event::Sealed(_)));
        prop_assert!(is_sealed);
    }
}

/// The test's task, after an earlier responder made the database's pool smaller.
const TAKEN_OVER: &str =
    "[[responder]]\nservice = \"database\"\nkey = \"DB_POOL_SIZE\"\nvalue = 90\nminutes_after_onset = 6\n\n[diagnosis]";

#[test]
fn what_an_earlier_responder_did_must_be_undone() {
    let text = crate::test_support::GONE.replacen("[diagnosis]", TAKEN_OVER, 1).replacen(
        "steps = 8",
        "tools = \"full\"\nsteps = 8",
        1,
    );
    let task = Arc::new(Task::parse("gone.toml", &text).expect("it is valid"));
    let scenario = Arc::new(Scenario::prepare(&task, 1, Noise(0)).expect("it pages"));
    assert!(scenario.begin() >= scenario.onset() + Span::mins(7) && scenario.begin() >= scenario.page().time);
    let check = |calls: &[&str], expect: bool| {
        let mut episode = Episode::start(&scenario, EpisodeOptions::default());
        for call in calls {
            episode.step(call);
        }
        let record = episode.finish();
        assert_eq!(record.seal().map(|s| s.mitigated), Some(expect), "{calls:?}: {:?}", record.seal());
    };
    check(&["restart_service(cache)"], false);
    check(&["restart_service(cache)", "update_config(database, DB_POOL_SIZE, 140)"], true);
    let id = scenario.at_page().changes().last().map_or(0, |change| change.id);
    check(&["restart_service(cache)", &format!("rollback_change({id})")], true);
}

/// A look and an act that take a time of their own.
struct Odd {
    name: &'static str,
    cost: Span,
    run: faces::Run,
}

impl faces::Tool for Odd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn signature(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "a tool of the test"
    }

    fn params(&self) -> &'static [faces::Param] {
        &[]
    }

    fn cost(&self) -> Span {
        self.cost
    }

    fn run(&self) -> faces::Run {
        self.run
    }
}

fn what_time(view: world::View<'_>, _: &faces::ToolArgs) -> faces::Reply {
    faces::Reply { text: view.now().to_string(), ..faces::Reply::default() }
}

fn restart_cache(operator: &mut world::Operator<'_>, _: &faces::ToolArgs) -> faces::Reply {
    let service = "cache".to_string();
    let cache = operator.view().services().position(|name| name == service).expect("the shop has a cache");
    let text = operator.restart(cache);
    let verb = "restart".to_string();
    let touched = vec![faces::Touch::Other { service, verb, what: String::new() }];
    faces::Reply { text, touched, ..faces::Reply::default() }
}

/// A third set of tools, with costs that no other tool has.
const ODD: faces::ToolSet = {
    static TWENTY: Odd = Odd { name: "twenty", cost: Span::secs(20), run: faces::Run::Look(what_time) };
    static MINUTES: Odd = Odd { name: "five_minutes", cost: Span::mins(5), run: faces::Run::Look(what_time) };
    static SLOW: Odd = Odd { name: "slow_restart", cost: Span::secs(401), run: faces::Run::Act(restart_cache) };
    static LIST: faces::ToolList = faces::ToolList { name: "odd", tools: &[&TWENTY, &MINUTES, &SLOW] };
    faces::ToolSet::of(&LIST)
};

fn odd_episode(scenario: &Arc<Scenario>, calls: &[&str]) -> Episode {
    let mut episode = Episode::start(scenario, EpisodeOptions { tools: ODD, ..EpisodeOptions::default() });
    for call in calls {
        episode.step(&format!("{call}()"));
    }
    episode
}

#[test]
fn a_cost_is_any_time_and_a_set_any_list() {
    // A task asks for the classic tools; one that asks for no more than the odd ones can be played with them.
    let task = Arc::new(task().with(|task| task.tools = ODD));
    let scenario = Arc::new(Scenario::prepare(&task, 1, Noise(0)).expect("it can be prepared"));
    let check = |calls: &[&str], took: &[u64]| {
        let episode = odd_episode(&scenario, calls);
        assert_eq!(episode.brief().tools.len(), 3);
        let (clock, world) = (episode.clock(), episode.world().now());
        assert!(world <= clock && clock.since(world) < world::TICK, "{world} is the last tick before {clock}");
        let record = episode.finish();
        let found: Vec<u64> = record.steps().map(|step| step.took / 1000).collect();
        assert_eq!(found, took, "{calls:?}");
        assert_eq!(record.seal().expect("it is sealed").verified, world.0 + 600_000);
        record.digest()
    };
    let first = check(&["twenty", "twenty", "twenty"], &[20, 20, 20]);
    check(&["five_minutes", "twenty", "slow_restart", "five_minutes", "slow_restart"], &[300, 20, 401, 300, 401]);
    check(&["five_minutes"; 8], &[300; 8]);
    // What was looked at in between leaves no trace in the course.
    check(&["slow_restart", "nonsense", "twenty"], &[401, 15, 20]);
    assert_eq!(check(&["twenty", "twenty", "twenty"], &[20, 20, 20]), first);
}

/// Tasks and files may be called anything: every byte that an agent is given stays the same.
#[test]
fn what_a_task_is_called_says_nothing() {
    let named = |id: &str, title: &str| {
        let text = crate::test_support::GONE.replacen("id = \"gone\"", &format!("id = \"{id}\""), 1);
        let line = text.lines().find(|line| line.starts_with("title")).expect("it has a title").to_string();
        let text = text.replacen(&line, &format!("title = \"{title}\""), 1);
        Arc::new(Task::parse(&format!("{id}.toml"), &text).expect("it is valid"))
    };
    let seen = |task: &Arc<Task>| {
        let scenario = Arc::new(Scenario::prepare(task, 7, Noise(1)).expect("it pages"));
        let options = EpisodeOptions { tools: faces::ToolSet::FULL, ..EpisodeOptions::default() };
        let mut episode = Episode::start(&scenario, options);
        let mut all = vec![scenario.brief(faces::ToolSet::FULL).text.clone()];
        for look in ["list_changes()", "inspect_config(cache)", "inspect_logs(cache)", "inspect_metrics(web_server)"] {
            all.push(episode.step(look).observation.to_string());
        }
        all
    };
    let first = seen(&named("gone", "one"));
    for (id, title) in [("zebra", "another"), ("a", "the cache is gone, restart it")] {
        assert_eq!(seen(&named(id, title)), first, "{id}");
    }
}
