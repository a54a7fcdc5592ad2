//! People at play: incidents that are open in a browser. What the page is told before the end names
//! neither the task nor its cause. Every action is saved, so that a game outlives the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness::{Brief, EarlyEnd, EpisodeOptions, Noise, Player, Record, Referee, ScenarioCache, Task, ToolSet, tasks};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::ViewRefusal;
use super::chosen::{Begun, Chosen};
use super::episode::clock;
use super::human::{Desk, PREFIX};
use super::library::Library;
use super::saved::{self, Game};
use record::folder::{PlayPlan, SELECTION};

/// So many incidents may be open at once.
const MOST_OPEN: usize = 64;
/// A typed action is short.
const LONGEST_ACTION: usize = 20_000;
/// Surprises come with one of so many seeds.
const SURPRISES: u64 = 1000;

/// All incidents that are open.
#[derive(Default)]
pub struct PlayTable {
    open: Mutex<BTreeMap<String, Seat>>,
}

/// One person on one incident.
struct Seat {
    game: Game,
    desk: Desk,
    begun: Begun,
    brief: Arc<Brief>,
    paged: u64,
    referee: Referee,
    /// Gone once it is over.
    player: Option<Player>,
    said: Vec<Said>,
    over: Option<Value>,
}

/// An action and its answer. A person is measured as any agent is: what a step was worth is not told.
#[derive(Clone, Serialize)]
struct Said {
    text: String,
    time: String,
    observation: String,
    invalid: bool,
}

/// What a person wants to play.
#[derive(Deserialize)]
pub struct PlayRequest {
    name: String,
    /// A task by name; without one it is a surprise.
    #[serde(default)]
    task: Option<String>,
    /// A run that is paired with: the next of its incidents that the person has not had.
    #[serde(default)]
    like: Option<String>,
    #[serde(default)]
    difficulty: Option<String>,
    /// Whether a surprise is a problem in a cluster.
    #[serde(default)]
    cluster: bool,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    noise: u8,
    #[serde(default)]
    tools: ToolSet,
}

/// What a person does in an open incident.
#[derive(Deserialize)]
pub struct GameMove {
    session: String,
    #[serde(default)]
    action: String,
}

impl PlayTable {
    /// Opens an incident.
    pub fn start(
        &self,
        wish: &PlayRequest,
        library: &Library,
        scenarios: &ScenarioCache,
    ) -> Result<Value, ViewRefusal> {
        if library.is_single() {
            let why = "this viewer shows a single run; start `sre-zero view` on the folder above it to play";
            return Err(ViewRefusal::failed(why));
        }
        let mut open = self.seats();
        if open.values().filter(|seat| seat.over.is_none()).count() >= MOST_OPEN {
            return Err(ViewRefusal::failed(format!("{MOST_OPEN} incidents are open; finish one of them first")));
        }
        let (desk, chosen, seed) = match &wish.like {
            Some(run) => paired(library, &wish.name, run)?,
            None => alone(library, wish)?,
        };
        let (tools, noise) = chosen.played_with(&desk).map_err(ViewRefusal::failed)?;
        let same =
            |seat: &Seat| seat.over.is_none() && seat.desk.agent == desk.agent && seat.game.is(chosen.id(), seed);
        if let Some((id, seat)) = open.iter().find(|(_, seat)| same(seat)) {
            return Ok(seat.state(id));
        }
        let turn = chosen.take(&desk, seed).map_err(|e| ViewRefusal::failed(format!("{e:#}")))?;
        let game = Game {
            name: wish.name.clone(),
            task: chosen.id().to_string(),
            suite: desk.suite.clone(),
            surprise: wish.task.is_none(),
            seed,
            noise: noise.0,
            tools,
            asked: desk.asked().ok(),
            episode: turn.episode,
            repeat: turn.repeat,
            actions: Vec::new(),
        };
        let id = saved::new_id().map_err(ViewRefusal::failed)?;
        let seat = Seat::open(game, desk, &chosen, scenarios)?;
        seat.save(library, &id)?;
        let state = seat.state(&id);
        open.insert(id, seat);
        Ok(state)
    }

    /// How an incident stands.
    pub fn state(&self, id: &str) -> Result<Value, ViewRefusal> {
        self.seats().get(id).map(|seat| seat.state(id)).ok_or_else(gone)
    }

    /// Does what a person typed.
    pub fn act(&self, deed: &GameMove, library: &Library) -> Result<Value, ViewRefusal> {
        if deed.action.trim().is_empty() || deed.action.len() > LONGEST_ACTION {
            return Err(ViewRefusal::bad(format!("an action has at least one letter and at most {LONGEST_ACTION}")));
        }
        self.with(deed, library, |seat| seat.act(&deed.action))
    }

    /// Leaves an incident unresolved; the record says so.
    pub fn give_up(&self, deed: &GameMove, library: &Library) -> Result<Value, ViewRefusal> {
        self.with(deed, library, |seat| seat.player.iter_mut().for_each(|player| player.end(EarlyEnd::GaveUp)))
    }

    /// Games that are open, without what they are about.
    pub fn open(&self) -> Vec<Value> {
        let seats = self.seats();
        let open = seats.iter().filter(|(_, seat)| seat.over.is_none());
        open.map(|(id, seat)| seat.short(id)).collect()
    }

    /// Takes up games that an earlier server left.
    pub fn restore(&self, library: &Library, scenarios: &ScenarioCache) {
        for (id, game) in saved::all(library.root()) {
            if let Ok(seat) = Seat::again(game, library, scenarios) {
                self.seats().insert(id, seat);
            }
        }
    }

    fn with(&self, deed: &GameMove, library: &Library, act: impl FnOnce(&mut Seat)) -> Result<Value, ViewRefusal> {
        let mut seats = self.seats();
        let seat = seats.get_mut(&deed.session).ok_or_else(gone)?;
        if seat.over.is_none() {
            act(seat);
            seat.save(library, &deed.session)?;
            if seat.finish()? {
                saved::remove(library.root(), &deed.session);
                library.forget_scan();
            }
        }
        Ok(seat.state(&deed.session))
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<String, Seat>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    fn open(game: Game, desk: Desk, chosen: &Chosen, scenarios: &ScenarioCache) -> Result<Seat, ViewRefusal> {
        let options = EpisodeOptions {
            tools: game.tools,
            agent: desk.agent.clone(),
            suite: game.suite.clone(),
            episode: game.episode,
            repeat: game.repeat,
            ..EpisodeOptions::default()
        };
        let referee = Referee::new();
        let (begun, player) = chosen.begin(game.seed, Noise(game.noise), options, scenarios, &referee)?;
        let (brief, paged) = (player.brief().clone(), player.clock().0);
        Ok(Seat { game, desk, begun, brief, paged, referee, player: Some(player), said: Vec::new(), over: None })
    }

    /// The same game again, by its actions.
    fn again(game: Game, library: &Library, scenarios: &ScenarioCache) -> Result<Seat, ViewRefusal> {
        let chosen = Chosen::find(&game.task)?;
        let (tools, noise) = game.asked.unwrap_or((game.tools, game.noise));
        let desk = desk(library, &game.name, &game.suite, tools, Noise(noise))?;
        let actions = game.actions.clone();
        let mut seat = Seat::open(Game { actions: Vec::new(), ..game }, desk, &chosen, scenarios)?;
        actions.iter().for_each(|action| seat.act(action));
        Ok(seat)
    }

    fn act(&mut self, text: &str) {
        let Some(player) = &mut self.player else { return };
        let time = clock(player.clock().0);
        let outcome = player.step(text);
        let (observation, invalid) = (outcome.observation.to_string(), outcome.invalid);
        self.said.push(Said { text: text.to_string(), time, observation, invalid });
        self.game.actions.push(text.to_string());
    }

    /// Seals and keeps the record of an episode that is over.
    fn finish(&mut self) -> Result<bool, ViewRefusal> {
        let Some(player) = self.player.take_if(|player| player.is_over()) else { return Ok(false) };
        let record = self.referee.finish(player);
        let key =
            self.desk.keep(&record).map_err(|e| ViewRefusal::failed(format!("the record cannot be kept: {e:#}")))?;
        self.over = Some(self.aftermath(&record, &key)?);
        Ok(true)
    }

    /// It is over, so nothing is spoilt.
    fn aftermath(&self, record: &Record, key: &str) -> Result<Value, ViewRefusal> {
        let seal = record.seal().cloned().unwrap_or_default();
        Ok(json!({
            "run": self.desk.run_id(),
            "key": key,
            "score": record.score().map_err(ViewRefusal::failed)?,
            "mitigated": seal.mitigated,
            "diagnosed": seal.stages.as_ref().and_then(|stages| stages.diagnosis.as_ref()).map(|one| one.is_right()),
            "checks": seal.checks,
            "truth": self.begun.truth(&seal.chain),
        }))
    }

    fn save(&self, library: &Library, id: &str) -> Result<(), ViewRefusal> {
        saved::write(library.root(), id, &self.game)
            .map_err(|e| ViewRefusal::failed(format!("the game cannot be saved: {e}")))
    }

    fn short(&self, id: &str) -> Value {
        json!({
            "session": id,
            "name": self.game.name,
            "incident": self.brief.incident,
            "steps": self.said.len(),
            "budget": self.brief.steps,
            "terminal": self.begun.has_terminal(),
        })
    }

    fn state(&self, id: &str) -> Value {
        let brief = &self.brief;
        // The name of a task names its cause, also to a person who chose it from a list.
        let known = self.over.is_some();
        json!({
            "session": id,
            "name": self.game.name,
            "agent": self.desk.agent,
            "incident": brief.incident,
            "page": brief.page,
            "brief": brief.text,
            "task": known.then_some(&self.game.task),
            "seed": known.then_some(self.game.seed),
            "repeat": self.game.repeat,
            "noise": self.game.noise,
            "toolset": brief.toolset,
            "steps": self.said.len(),
            "budget": brief.steps,
            "clock": self.player.as_ref().map(|player| clock(player.clock().0)),
            "since_page": self.player.as_ref().map(|player| player.clock().0.saturating_sub(self.paged)),
            "tools": self.begun.tools(brief),
            "terminal": self.begun.has_terminal(),
            "said": self.said,
            "over": self.over,
        })
    }
}

fn gone() -> ViewRefusal {
    ViewRefusal::missing("this incident is not open any more; start another one")
}

fn desk(library: &Library, name: &str, suite: &str, tools: ToolSet, noise: Noise) -> Result<Desk, ViewRefusal> {
    Desk::new(library.root(), name.trim_start_matches(PREFIX), suite, tools.name(), noise.0).map_err(ViewRefusal::bad)
}

/// An incident that is chosen for itself, or at random.
fn alone(library: &Library, wish: &PlayRequest) -> Result<(Desk, Chosen, u64), ViewRefusal> {
    let (chosen, seed) = choose(wish)?;
    let asked = Noise(wish.noise.min(3));
    let (tools, noise) = match &chosen {
        Chosen::Task(task) => (wish.tools.or_needed(task.tools), asked.max(task.noise)),
        // A terminal is a terminal, whatever tools were asked for.
        Chosen::Problem(_) => (ToolSet::default(), asked),
    };
    Ok((desk(library, &wish.name, SELECTION, tools, noise)?, chosen, seed))
}

/// The person's next incident of a run, played as its agents played it.
fn paired(library: &Library, name: &str, run: &str) -> Result<(Desk, Chosen, u64), ViewRefusal> {
    let settings = library.run(run)?.settings();
    let settings =
        settings.ok_or_else(|| ViewRefusal::failed(format!("`{run}` does not say what was played in it")))?;
    let tools = settings.tools.parse::<ToolSet>().map_err(ViewRefusal::failed)?;
    let desk = desk(library, name, &settings.suite, tools, Noise(settings.noise))?;
    let plan = PlayPlan::of(&settings);
    let next = plan.next(&desk.agent, |task, seed| desk.has(task, seed));
    let (task, seed) =
        next.ok_or_else(|| ViewRefusal::failed(format!("you have played all {} incidents of `{run}`", plan.len())))?;
    let found = Chosen::find(task)?;
    if settings.tasks.get(task).map(String::as_str) != Some(found.digest()) {
        return Err(ViewRefusal::failed(format!("`{run}` was played with other tasks than this program has")));
    }
    Ok((desk, found, seed))
}

/// The task that was asked for, or one at random.
fn choose(wish: &PlayRequest) -> Result<(Chosen, u64), ViewRefusal> {
    if let Some(id) = &wish.task {
        return Ok((Chosen::find(id)?, wish.seed.unwrap_or(0)));
    }
    let found = candidates(wish);
    if found.is_empty() {
        return Err(ViewRefusal::bad("no task is like that; ask for easy, medium or hard ones"));
    }
    let bits = saved::random().map_err(ViewRefusal::failed)?;
    let (one, seed) = (bits % found.len() as u64, (bits >> 32) % SURPRISES);
    Ok((found[one as usize].clone(), wish.seed.unwrap_or(seed)))
}

/// What a surprise is drawn from.
fn candidates(wish: &PlayRequest) -> Vec<Chosen> {
    let fits = |difficulty: &str| wish.difficulty.as_deref().is_none_or(|asked| asked == difficulty);
    if wish.cluster {
        let published = problems::carried().iter().filter(|problem| problem.is_in("sregym"));
        let rated = published.filter(|one| fits(one.file.difficulty.as_deref().unwrap_or("unrated")));
        return rated.cloned().map(Chosen::Problem).collect();
    }
    let tasks = tasks::embedded().iter().filter_map(|source| source.task().ok());
    tasks.filter(|task: &Arc<Task>| fits(task.difficulty.text())).map(Chosen::Task).collect()
}
