//! What numbers can do is what texts can do. Tests are referees, so they may see tasks.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::sync::Arc;

use faces::ToolSet;
use harness::generate::{Generator, GeneratorOptions};
use harness::{EpisodeOptions, Noise, Pool, Referee, Task, suites, tasks};
use record::grade::concepts;

use super::*;

fn forty() -> Vec<Arc<Task>> {
    suites::select(tasks::embedded(), suites::DEFAULT).expect("the forty are carried")
}

fn setup(tasks: Vec<Arc<Task>>, tools: ToolSet, reward: RewardScheme) -> Arc<GymSetup> {
    refereed(tasks, tools, reward).0
}

fn refereed(tasks: Vec<Arc<Task>>, tools: ToolSet, reward: RewardScheme) -> (Arc<GymSetup>, Referee) {
    let referee = Referee::new();
    let pool = Pool::of_tasks(tasks, 2, Noise(0), 64, &referee).expect("there are tasks");
    let (trainer, space, options) = (referee.trainer(), Some(ActionSpace::new(tools, 5)), EpisodeOptions::default());
    (Arc::new(GymSetup { pool, trainer, tools, reward, shaping: None, space, factored: false, options }), referee)
}

#[test]
fn numbers_and_moves_are_the_same_actions() {
    for (tools, services) in [(ToolSet::CLASSIC, 5), (ToolSet::FULL, 50)] {
        let space = ActionSpace::new(tools, services);
        for number in 0..space.len() {
            let action = space.decode(number).expect("it is within bounds");
            assert_eq!(space.encode(action), Some(number), "{action:?}");
        }
        assert_eq!(space.decode(space.len()), None);
        let [tools, services, args] = space.sizes();
        assert_eq!(space.encode(GymAction { tool: tools, service: 0, arg: 0 }), None);
        assert_eq!(space.encode(GymAction { tool: 0, service: services, arg: args }), None);
    }
}

#[test]
fn what_is_marked_is_valid_and_what_is_not_is_refused_as_any_slip() {
    for tools in [ToolSet::CLASSIC, ToolSet::FULL] {
        let setup = setup(forty(), tools, RewardScheme::Published);
        let mut gym = Gym::new(&setup, 11).expect("the forty page");
        for _ in 0..600 {
            let action = gym.sample().expect("something can be done");
            gym.play(action);
            let step = gym.player().shown().next_back().expect("one was taken");
            assert_eq!(step.invalid(), None, "{action:?} was written as {}", step.text());
            if gym.player().is_over() {
                gym.reset(None).expect("the forty page");
            }
        }
        let beyond = GymAction { tool: 0, service: 49, arg: 0 };
        let turned = gym.play(beyond);
        assert!((turned.reward + 0.05).abs() < 1e-9, "{turned:?}");
    }
}

#[test]
fn a_mask_that_grew_step_by_step_is_the_mask_of_its_board() {
    let setup = setup(forty(), ToolSet::FULL, RewardScheme::Published);
    let space = setup.space.as_ref().expect("numbers are played");
    let mut gym = Gym::new(&setup, 8).expect("the forty page");
    for _ in 0..200 {
        let action = gym.sample().expect("something can be done");
        gym.play(action);
        let whole = space.whole_mask(gym.observation().expect("it is kept"));
        assert!(gym.mask() == whole.flat, "after {action:?}");
        if gym.player().is_over() {
            gym.reset(None).expect("the forty page");
        }
    }
}

#[test]
fn at_the_page_nothing_is_known_but_the_page() {
    let setup = setup(forty(), ToolSet::CLASSIC, RewardScheme::Published);
    let width = Layout::get().service().len();
    for seed in 0..20 {
        let gym = Gym::new(&setup, seed).expect("the forty page");
        for row in gym.observation().expect("it is kept").rows().chunks(width) {
            assert!(row[2..].iter().all(|cell| *cell == 0.0), "something was known before it was shown");
        }
    }
}

#[test]
fn every_number_lies_between_minus_one_and_one() {
    let setup = setup(forty(), ToolSet::FULL, RewardScheme::Published);
    let mut gym = Gym::new(&setup, 3).expect("the forty page");
    for _ in 0..400 {
        let action = gym.sample().expect("something can be done");
        gym.play(action);
        let board = gym.observation().expect("it is kept");
        let mut cells = board.rows().iter().chain(board.whole());
        assert!(cells.all(|cell| (-1.0..=1.0).contains(cell)), "{action:?}");
        if gym.player().is_over() {
            gym.reset(None).expect("the forty page");
        }
    }
}

/// The move that means the same as a call of a task's solution, or nearly so.
fn meant(gym: &Gym, call: &str) -> Vec<GymAction> {
    let setup = gym.setup().clone();
    let space = setup.space.as_ref().expect("numbers are played");
    let (name, rest) = call.split_once('(').expect("a call");
    let words: Vec<&str> = rest.trim_end_matches(')').split(',').map(str::trim).collect();
    let tool = setup.tools.tools().iter().position(|t| t.name() == name).expect("a tool of the set");
    let service = gym.player().brief().services.iter().position(|s| s == words[0]).unwrap_or(0);
    if name != "update_config" {
        return vec![GymAction { tool, service, arg: 0 }];
    }
    let look = setup.tools.tools().iter().position(|t| t.name() == "inspect_config").expect("it is in every set");
    let args: Vec<usize> = (0..space.choices(tool).len())
        .filter(|arg| space.choices(tool)[*arg].starts_with(&format!("{} ", words[1])))
        .collect();
    let mut actions = vec![GymAction { tool: look, service, arg: 0 }];
    let mut read = gym.clone();
    read.play(actions[0]);
    let value = |gym: &Gym, arg: usize| value_of(&gym.text_of(GymAction { tool, service, arg }));
    let doubled = args.iter().find(|arg| space.choices(tool)[**arg].ends_with(" double"));
    let now = doubled.and_then(|arg| value(&read, *arg).parse::<f64>().ok()).map(|twice| twice / 2.0);
    let mut off = f64::INFINITY;
    // A learner picks a direction, not a number: three times at most, as long as that leads nearer.
    for _ in 0..3 {
        let tried = args.iter().map(|arg| (distance(now, &value(&read, *arg), words[2]), *arg));
        let Some((left, arg)) = tried.min_by(|one, other| one.0.total_cmp(&other.0)).filter(|best| best.0 < off) else {
            break;
        };
        let action = GymAction { tool, service, arg };
        (off, _) = (left, read.play(action));
        actions.push(action);
        if off < 0.15 {
            break;
        }
    }
    actions
}

/// The value that a call of `update_config` gives.
fn value_of(call: &str) -> String {
    call.trim_end_matches(')').rsplit(", ").next().unwrap_or_default().to_string()
}

/// How far a value is from a wanted one: the logarithm of their ratio, and more where it stops short of the wanted
/// one on the way from what there is now; for texts, whether they are the same.
fn distance(now: Option<f64>, given: &str, wanted: &str) -> f64 {
    match (given.parse::<f64>(), wanted.parse::<f64>()) {
        (Ok(given), Ok(wanted)) => {
            let short = now.is_some_and(|now| if now < wanted { given < wanted } else { given > wanted });
            (given.max(1.0) / wanted.max(1.0)).ln().abs() + if short { 2.0 } else { 0.0 }
        }
        _ if given == wanted => 0.0,
        _ => 1e9,
    }
}

/// Plays a task's solution in numbers. The readings stay as they are; settings are read before they are
/// changed, and brought as near to the written value as the choices lead.
fn solved(setup: &Arc<GymSetup>, referee: &Referee, task: &Task) -> bool {
    let mut gym = Gym::new(setup, 0).expect("it pages");
    gym.reset_to(&IncidentWish { task: Some(task.id.clone()), ..IncidentWish::default() }).expect("it pages");
    let tools = setup.tools.tools();
    let solution = referee.answer(gym.player()).1.solution;
    for call in solution.iter().filter(|call| !call.starts_with("resolve_incident")) {
        for action in meant(&gym, call) {
            gym.play(action);
        }
    }
    let tool = tools.iter().position(|t| t.name() == "resolve_incident").expect("it is in every set");
    let service = gym.player().brief().services.iter().position(|s| *s == task.component).expect("a service");
    let arg = concepts::ALL.iter().position(|c| c.name == task.concepts[0]).expect("a concept");
    gym.play(GymAction { tool, service, arg });
    let parts = setup.trainer.parts(gym.player());
    assert!(
        parts.root_cause,
        "{}: the standard words are no diagnosis: {}",
        task.id,
        gym.text_of(GymAction { tool, service, arg })
    );
    parts.resolution
}

#[test]
fn every_task_of_the_forty_can_be_solved_in_numbers() {
    let tasks = forty();
    let (setup, referee) = refereed(tasks.clone(), ToolSet::CLASSIC, RewardScheme::Published);
    let open: Vec<&str> =
        tasks.iter().filter(|task| !solved(&setup, &referee, task)).map(|task| task.id.as_str()).collect();
    assert!(open.is_empty(), "not solved: {open:?}");
}

#[test]
fn a_game_of_numbers_has_the_record_of_its_texts() {
    let (setup, referee) = refereed(forty(), ToolSet::CLASSIC, RewardScheme::Published);
    for seed in 0..10 {
        let mut gym = Gym::new(&setup, seed).expect("the forty page");
        let mut written = gym.clone();
        let (mut texts, mut rewards) = (Vec::new(), Vec::new());
        while !gym.player().is_over() {
            let action = gym.sample().expect("something can be done");
            texts.push(gym.text_of(action));
            rewards.push(gym.play(action).reward);
        }
        let said: Vec<f64> = texts.iter().map(|text| written.step(text).reward).collect();
        assert_eq!(rewards, said);
        let record = referee.record_so_far(gym.player());
        assert_eq!(record.digest(), referee.record_so_far(written.player()).digest());
        assert!(
            record.header().is_some_and(|header| header.rewards),
            "learners are shown rewards, and the record says so"
        );
    }
}

#[test]
fn a_fork_goes_its_own_way() {
    let (setup, referee) = refereed(forty(), ToolSet::CLASSIC, RewardScheme::Published);
    let digest = |gym: &Gym| referee.record_so_far(gym.player()).digest();
    let mut gym = Gym::new(&setup, 5).expect("the forty page");
    let restart = |service| GymAction { tool: 4, service, arg: 0 };
    gym.play(restart(0));
    let straight = gym.clone();
    let mut fork = gym.clone();
    fork.play(restart(1));
    fork.play(restart(2));
    assert_eq!(gym.player().steps_taken(), 1);
    assert_eq!(digest(&gym), digest(&straight));
    gym.play(restart(1));
    gym.play(restart(2));
    assert_eq!(digest(&gym), digest(&fork));
    gym.adopt(&straight);
    assert_eq!(gym.player().steps_taken(), 1);
}

/// Room for the results of a fleet.
struct Results(Vec<f32>, Vec<f32>, Vec<u8>, Vec<f64>, Vec<bool>, Vec<bool>);

impl Results {
    fn new(count: usize, space: &ActionSpace) -> Results {
        let layout = Layout::get();
        let rows = count * space.services() * layout.service().len();
        let whole = count * layout.incident().len();
        let (flags, mask) = (vec![false; count], vec![0; count * space.len()]);
        Results(vec![0.0; rows], vec![0.0; whole], mask, vec![0.0; count], flags.clone(), flags)
    }

    fn batch(&mut self) -> GymBatch<'_> {
        GymBatch {
            rows: &mut self.0,
            whole: &mut self.1,
            mask: &mut self.2,
            rewards: &mut self.3,
            terminated: &mut self.4,
            truncated: &mut self.5,
        }
    }
}

fn play_fleet(mode: Autoreset, threads: usize, steps: usize) -> (Vec<f64>, Vec<f32>) {
    let setup = setup(forty(), ToolSet::CLASSIC, RewardScheme::Published);
    let mut fleet = VectorGym::new(&setup, 7, 1, mode, threads).expect("the forty page");
    let mut results = Results::new(7, setup.space.as_ref().expect("numbers are played"));
    let mut rewards = Vec::new();
    for _ in 0..steps {
        let moves = fleet.sample();
        fleet.step(GymActions::Moves(&moves), &mut results.batch()).expect("it goes on by itself");
        rewards.extend_from_slice(&results.3);
    }
    (rewards, results.0)
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for mode in [Autoreset::SameStep, Autoreset::NextStep] {
        assert_eq!(play_fleet(mode, 1, 40), play_fleet(mode, 3, 40));
    }
}

#[test]
fn ended_environments_begin_anew_as_the_mode_says() {
    let setup = setup(forty(), ToolSet::CLASSIC, RewardScheme::Published);
    let escalate = [GymAction { tool: 7, service: 0, arg: 0 }];
    let check = |mode: Autoreset, expect: &[(bool, u32)]| {
        let mut fleet = VectorGym::new(&setup, 1, 1, mode, 1).expect("the forty page");
        let mut results = Results::new(1, setup.space.as_ref().expect("numbers are played"));
        for (ended, taken) in expect {
            fleet.step(GymActions::Moves(&escalate), &mut results.batch()).expect("it goes on by itself");
            let gym = fleet.gym(0).expect("there is one");
            assert_eq!((results.4[0], gym.player().steps_taken()), (*ended, *taken), "{mode:?}");
        }
        fleet
    };
    check(Autoreset::NextStep, &[(true, 1), (false, 0), (true, 1)]);
    let fleet = check(Autoreset::SameStep, &[(true, 0), (true, 0)]);
    assert!(fleet.last(0).is_some_and(|last| last.whole[0] < 1.0), "the last observation is kept");
    let mut fleet = check(Autoreset::Disabled, &[(true, 1)]);
    let mut results = Results::new(1, setup.space.as_ref().expect("numbers are played"));
    assert!(fleet.step(GymActions::Moves(&escalate), &mut results.batch()).is_err());
    fleet.reset(&[true], &[None], &mut results.batch()).expect("the forty page");
    assert!(fleet.step(GymActions::Moves(&escalate), &mut results.batch()).is_ok());
}

#[test]
fn generated_incidents_fit_into_the_same_numbers() {
    let generator = Generator::new(7, GeneratorOptions { services: (3, 12), ..GeneratorOptions::default() });
    let referee = Referee::new();
    let pool = Pool::of_numbers(generator, 0..20, 8, &referee).expect("there are numbers");
    let (most, tools) = (pool.most_services(), ToolSet::FULL);
    let space = Some(ActionSpace::new(tools, most));
    let (reward, options) = (RewardScheme::Sparse, EpisodeOptions::default());
    let setup = Arc::new(GymSetup {
        pool,
        trainer: referee.trainer(),
        tools,
        reward,
        shaping: None,
        space,
        factored: false,
        options,
    });
    let mut gym = Gym::new(&setup, 2).expect("there are fair incidents");
    for _ in 0..200 {
        let action = gym.sample().expect("something can be done");
        gym.play(action);
        let step = gym.player().shown().next_back().expect("one was taken");
        assert_eq!(step.invalid(), None, "{}", step.text());
        if gym.player().is_over() {
            gym.reset(None).expect("there are fair incidents");
        }
    }
    gym.reset_to(&IncidentWish { number: Some(3), ..IncidentWish::default() }).expect("it is fair");
    assert!(gym.reset_to(&IncidentWish { task: Some("gone".into()), ..IncidentWish::default() }).is_err());
}
