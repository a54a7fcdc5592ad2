use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::stop::StopReason;
use crate::test_support::ListedActions;

const TRIED: TriedBy<'_> = TriedBy { responder: &ListedActions("none", &[]), blind: &[] };

fn small() -> Generator {
    Generator::new(7, GeneratorOptions { services: (3, 8), ..GeneratorOptions::default() })
}

#[test]
fn a_file_holds_the_whole_task() {
    let generator = small();
    let batch = generator.batch(6, 2, TRIED, &Stop::default(), |_| {}).expect("there are fair incidents");
    for made in &batch.made {
        let again = Task::parse(&format!("{}.toml", made.task.id), &made.text).map_err(|e| e.to_string());
        let again = again.unwrap_or_else(|e| panic!("{e}\n{}", made.text));
        let digest = made.task.digest.clone();
        assert_eq!(again.with(|task| task.digest = digest).card(), made.task.card());
    }
    let again = small().batch(6, 1, TRIED, &Stop::default(), |_| {}).expect("as before");
    let texts = |b: &Batch| b.made.iter().map(|m| m.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&batch), texts(&again));
    assert_eq!(manifest(&generator, &batch), manifest(&small(), &again));
}

#[test]
fn a_batch_tells_how_it_goes_and_keeps_what_is_made_when_it_stops() {
    let (stop, mut made, mut rejected) = (Stop::default(), 0, 0);
    let news = |news: BatchNews<'_>| match news {
        BatchNews::Trying(what) => panic!("small worlds are tried in a moment without a word, not with: {what}"),
        BatchNews::Rejected(_) => rejected += 1,
        BatchNews::Made(_) => {
            made += 1;
            if made == 3 {
                stop.ask(StopReason::Interrupted);
            }
        }
    };
    let batch = small().batch(1000, 1, TRIED, &stop, news).expect("there are fair incidents");
    assert!((3..6).contains(&batch.made.len()), "{} were made", batch.made.len());
    assert_eq!(batch.made.len(), made, "nothing that was certified is lost");
    assert!(batch.rejected.values().sum::<usize>() <= rejected);
    let whole = small().batch(3, 2, TRIED, &Stop::default(), |_| {}).expect("as before");
    let texts = |b: &Batch| b.made.iter().take(3).map(|m| m.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&batch), texts(&whole), "what is there is what would have been there");
}

#[test]
fn numbers_make_tasks_without_files() {
    let generator = small();
    for number in 0..40 {
        let scenario = generator.start(number).expect("there are fair incidents");
        assert_eq!(scenario.task().split, split(number));
        assert!(scenario.brief(faces::ToolSet::CLASSIC).text.contains("PAGE"));
    }
}

#[test]
fn what_is_held_back_is_nowhere_else() {
    let pool = &small().pool;
    for number in 0..30 {
        let task = small().task(number).expect("there are fair incidents");
        assert_eq!(task.is_held_out(), task.split == Split::Test, "{}", task.fault_text());
    }
    assert!(pool.outlines(Split::Train).is_disjoint(&pool.outlines(Split::Test)));
}

/// What the worlds of two hundred numbers are about. One shop under other names would have six routes.
#[test]
fn worlds_are_of_many_kinds() {
    let generator = Generator::new(4242, GeneratorOptions::default());
    let tasks: Vec<Arc<Task>> = (0..200).map(|number| generator.task(number).expect("a fair incident")).collect();
    let (mut routes, mut operations) = (BTreeSet::new(), BTreeSet::new());
    tasks.iter().for_each(|task| batch::asked_in(&task.spec, &mut routes, &mut operations));
    assert!(operations.len() >= 300, "{} operations", operations.len());
    assert!(routes.len() >= 60, "{} routes", routes.len());
    let mut drawn: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &tasks {
        // A world's load is its domain's, and so are its routes.
        let own = |d: &&domains::Domain| d.units.iter().flat_map(|u| &u.routes).any(|r| has_path(task, &r.path));
        let domain = domains::ALL.iter().find(own).expect("every world is of a domain");
        *drawn.entry(&domain.name).or_default() += 1;
    }
    assert_eq!(drawn.len(), domains::ALL.len(), "{drawn:?}");
    let (least, most) = (drawn.values().min().copied(), drawn.values().max().copied());
    assert!(most.unwrap_or(0) <= 2 * least.unwrap_or(0), "none is drawn more than twice as often: {drawn:?}");
}

fn has_path(task: &Task, path: &str) -> bool {
    task.spec.apps.iter().flat_map(|a| &a.routes).any(|r| *r.entry.op.name == *path)
}

/// A shape that is not well costs candidates. The few that there are, are named by what is wrong with them.
#[test]
fn most_shapes_are_well() {
    let pool = ShapePool::new(Seed(7).derive("generator"), &GeneratorOptions::default());
    let unwell = pool.unwell();
    assert!(unwell.len() <= 6, "{} of {}:\n{}", unwell.len(), pool::SHAPES, unwell.join("\n"));
}

/// A world of so many services is generated, certified and played, and no brief tells all names of a large one.
fn check_large(services: usize) {
    let generator =
        Generator::new(7, GeneratorOptions { services: (services, services), ..GeneratorOptions::default() });
    let batch = generator.batch(1, 1, TRIED, &Stop::default(), |_| {}).expect("there are fair incidents");
    let task = &batch.made[0].task;
    assert_eq!(task.plan.services.len(), services);
    let scenario = Arc::new(Scenario::prepare(task, 0, Noise(0)).expect("it is certified"));
    let brief = scenario.brief(faces::ToolSet::FULL);
    assert_eq!(brief.services.len(), services);
    assert!(brief.text.len() < 12_000, "{} characters", brief.text.len());
    let mut episode = crate::Episode::start(&scenario, crate::EpisodeOptions::default());
    for call in ["check_routes()", "check_status(nowhere)"] {
        episode.step(call);
    }
    let long = episode.steps().iter().find(|step| step.observation.len() > 12_000);
    assert!(long.is_none(), "{:?}", long.map(|step| &step.observation));
    for call in scenario.solution() {
        episode.step(&call);
    }
    let score = episode.finish().score().expect("it is sealed");
    assert!(score.success, "{}", task.fault_text());
}

#[test]
fn a_world_of_300_services_is_generated_certified_and_played() {
    check_large(300);
}

/// `cargo test --release -p sre-zero-harness --lib 1000_services -- --ignored`
#[test]
#[ignore = "takes half a minute"]
fn a_world_of_1000_services_is_generated_certified_and_played() {
    check_large(1000);
}

/// `cargo test --release -p sre-zero-harness --lib 5000_services -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn a_world_of_5000_services_is_generated_certified_and_played() {
    check_large(5000);
}

/// The lines of docs/generator.md, as they stand there.
#[test]
fn the_page_shows_how_a_number_becomes_an_episode() -> Result<(), String> {
    use crate::{Episode, EpisodeOptions};
    let generator = Generator::new(7, GeneratorOptions { services: (5, 5), ..GeneratorOptions::default() });
    let scenario = generator.start(12345)?;
    let episode = Episode::start(&scenario, EpisodeOptions::default());
    assert!(episode.brief().text.contains("PAGE"));
    let page = include_str!("../../../../docs/generator.md");
    let shown = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the page has a block");
    for line in shown.lines().filter(|line| line.starts_with("let ")) {
        let code = line.split("//").next().unwrap_or(line).trim();
        assert!(include_str!("tests.rs").contains(code), "{code}");
    }
    Ok(())
}
