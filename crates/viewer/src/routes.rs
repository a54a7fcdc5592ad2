//! From a request to its answer: the guard, then one line per thing that can be asked.

use harness::grade::columns::{self, EpisodeColumn, MetricColumn, MetricUnit};
use harness::{ScenarioCache, tasks};
use serde_json::{Value, json};

use super::ViewerState;
use super::ask::{Answer, Ask, Query, ViewRefusal};
use super::filter::{EpisodeRow, Filter, outcome, sort, word};
use super::library::StoredRun;
use super::{assets, board, calls, chosen, episode};

/// A page of the table has at most so many rows.
const LONGEST_PAGE: usize = 1000;

/// Answers a request.
pub fn respond(app: &ViewerState, ask: &Ask) -> Answer {
    match app.guard.admit(ask) {
        // A person is in front of it, not a program.
        Err(refusal) if refusal.status == 401 && ask.path == "/" => assets::without_token(),
        Err(refusal) => refusal.into(),
        Ok(()) => route(app, ask).unwrap_or_else(Answer::from),
    }
}

fn route(app: &ViewerState, ask: &Ask) -> Result<Answer, ViewRefusal> {
    let (library, scenarios) = (&app.library, &app.scenarios);
    let of_episode = |answer: fn(&StoredRun, &str, &ScenarioCache) -> Result<Answer, ViewRefusal>| {
        answer(&*library.run(ask.query.need("run")?)?, ask.query.need("key")?, scenarios)
    };
    match (ask.method.as_str(), ask.path.as_str()) {
        ("GET", "/api/runs") => Ok(Answer::json(&runs(app))),
        ("GET", "/api/board") => with_rows(app, &ask.query, |filter, rows| Ok(places(filter, rows))),
        ("GET", "/api/calls") => {
            let chosen = with_rows(app, &ask.query, |filter, rows| Ok(keys(filter, rows)))?;
            Ok(Answer::json(&calls::calls(library, &chosen)))
        }
        ("GET", "/api/episodes") => with_rows(app, &ask.query, |filter, rows| table(&ask.query, filter, rows)),
        ("GET", "/api/episode") => of_episode(|run, key, _| Ok(Answer::json(&episode::episode(run, key)?))),
        ("GET", "/api/exchanges") => of_episode(|run, key, _| Ok(Answer::json(&episode::exchanges(run, key)?))),
        ("GET", "/api/charts") => of_episode(|run, key, all| Ok(Answer::json(&episode::charts(run, key, all)?))),
        ("GET", "/api/truth") => of_episode(|run, key, all| Ok(Answer::json(&episode::truth(run, key, all)?))),
        ("GET", "/api/cluster") => of_film(app, ask),
        ("GET", "/api/live") => live(app),
        ("GET", "/api/tasks") => Ok(Answer::json(&tasks())),
        ("GET", "/api/games") => Ok(Answer::json(&app.table.open())),
        ("GET", "/api/play") => Ok(Answer::json(&app.table.state(ask.query.need("session")?)?)),
        ("POST", "/api/play/start") => Ok(Answer::json(&app.table.start(&ask.read()?, library, scenarios)?)),
        ("POST", "/api/play/act") => Ok(Answer::json(&app.table.act(&ask.read()?, library)?)),
        ("POST", "/api/play/give-up") => Ok(Answer::json(&app.table.give_up(&ask.read()?, library)?)),
        ("GET", path) => assets::find(path, app.guard.token()).ok_or_else(|| nothing(path)),
        (_, path) => Err(nothing(path)),
    }
}

/// The film of an episode in a cluster, or with a time the picture of that moment.
fn of_film(app: &ViewerState, ask: &Ask) -> Result<Answer, ViewRefusal> {
    let (run, key) = (app.library.run(ask.query.need("run")?)?, ask.query.need("key")?);
    match ask.query.one("time") {
        None => Ok(Answer::json(&app.films.film(&run, key)?)),
        Some(text) => {
            let wrong = |_| ViewRefusal::bad(format!("`time` is a whole number of milliseconds, not `{text}`"));
            Ok(Answer::json(&app.films.at(&run, key, text.parse().map_err(wrong)?)?))
        }
    }
}

fn nothing(path: &str) -> ViewRefusal {
    ViewRefusal::missing(format!("there is nothing at {path}"))
}

/// All runs, each with what can be said without looking into records.
fn runs(app: &ViewerState) -> Value {
    let run = |run: &StoredRun| {
        let settings = run.settings();
        match run.index() {
            Err(refusal) => json!({ "id": run.id, "problems": [refusal.why] }),
            Ok(index) => json!({
                "id": run.id,
                "episodes": index.lines.len(),
                "successes": index.lines.iter().filter(|line| outcome(line) == "yes").count(),
                "missing": index.lines.iter().filter(|line| outcome(line) == "missing").count(),
                "suite": settings.as_ref().map(|s| &s.suite),
                "agents": agents(&index.lines),
                "tasks": settings.as_ref().map(|s| s.tasks.len()),
                "seeds": settings.as_ref().map(|s| s.seeds.len()),
                "noise": settings.as_ref().map(|s| s.noise),
                "tools": settings.as_ref().map(|s| &s.tools),
                "written": index.written(),
                "problems": index.problems,
            }),
        }
    };
    let runs: Vec<Value> = app.library.runs().iter().map(|found| run(found)).collect();
    json!({ "root": app.library.root().to_string_lossy(), "single": app.library.is_single(), "runs": runs })
}

fn agents(lines: &[harness::sweep::EpisodeLine]) -> Vec<&str> {
    let mut agents: Vec<&str> = lines.iter().map(|line| &*line.score.agent).collect();
    agents.sort_unstable();
    agents.dedup();
    agents
}

/// Does something with all episodes of all runs.
fn with_rows<T>(
    app: &ViewerState,
    query: &Query,
    answer: impl FnOnce(&Filter, &[EpisodeRow<'_>]) -> Result<T, ViewRefusal>,
) -> Result<T, ViewRefusal> {
    let runs = app.library.runs();
    let indexes = runs.iter().map(|run| Ok((&*run.id, run.index()?))).collect::<Result<Vec<_>, ViewRefusal>>()?;
    let rows: Vec<EpisodeRow<'_>> =
        indexes.iter().flat_map(|(run, index)| index.lines.iter().map(move |line| EpisodeRow { run, line })).collect();
    answer(&Filter::of(query), &rows)
}

/// Run and key of each episode that is asked for and counts, each episode once.
fn keys(filter: &Filter, rows: &[EpisodeRow<'_>]) -> Vec<(String, String)> {
    let counted = board::once(&filter.apply(rows));
    let played = counted.iter().filter(|row| row.line.score.counts());
    played.map(|row| (row.run.to_string(), row.line.key.clone())).collect()
}

fn places(filter: &Filter, rows: &[EpisodeRow<'_>]) -> Answer {
    let found = filter.apply(rows);
    let counted = board::once(&found);
    let columns: Vec<Value> = board::columns(&counted).into_iter().filter_map(of_board).collect();
    Answer::json(&json!({
        "matched": found.len(),
        "repeated": found.len() - counted.len(),
        "columns": columns,
        "places": board::board(&counted),
        "choices": filter.choices(rows),
    }))
}

/// What stands in a row, in order; the metrics of the list stand behind it.
const COLUMNS: &[&str] = &[
    "run",
    "key",
    "agent",
    "task",
    "seed",
    "repeat",
    "difficulty",
    "success",
    "steps",
    "budget",
    "end",
    "failure",
    "noise",
    "cost",
    "reading",
    "answer",
];

/// The metrics that stand in the list of episodes, each with its heading.
pub(super) fn metrics() -> impl Iterator<Item = (&'static EpisodeColumn, &'static str, &'static MetricColumn)> {
    columns::of_episodes().filter_map(|(metric, column)| Some((column, metric.viewer?, metric)))
}

fn table(query: &Query, filter: &Filter, rows: &[EpisodeRow<'_>]) -> Result<Answer, ViewRefusal> {
    let (offset, limit) = (query.number("offset", 0)?, query.number("limit", 100)?.min(LONGEST_PAGE));
    let mut found = filter.apply(rows);
    sort(&mut found, query)?;
    let page: Vec<Value> = found.iter().skip(offset).take(limit).map(cells).collect();
    let choices = (query.one("choices") == Some("yes")).then(|| filter.choices(rows));
    Ok(Answer::json(&json!({
        "all": rows.len(),
        "matched": found.len(),
        "offset": offset,
        "columns": COLUMNS.iter().copied().chain(metrics().map(|(column, ..)| column.name)).collect::<Vec<_>>(),
        "metrics": metrics().map(heading).collect::<Vec<_>>(),
        "rows": page,
        "choices": choices,
    })))
}

fn heading((column, title, metric): (&EpisodeColumn, &str, &MetricColumn)) -> Value {
    headed(column.name, title, metric, column.unit)
}

/// A metric of the leaderboard.
fn of_board(metric: &MetricColumn) -> Option<Value> {
    let (_, title, unit) = metric.terminal?;
    Some(headed(metric.name, title, metric, unit))
}

fn headed(name: &str, title: &str, metric: &MetricColumn, unit: MetricUnit) -> Value {
    let (unit, digits) = match unit {
        MetricUnit::Decimals(digits) => ("number", digits),
        other => (other.word(), 1),
    };
    json!({ "name": name, "title": title, "about": metric.about, "unit": unit, "digits": digits })
}

fn cells(row: &EpisodeRow<'_>) -> Value {
    let score = &row.line.score;
    let mut cells = vec![
        json!(row.run),
        json!(row.line.key),
        json!(score.agent),
        json!(score.task),
        // A number of 64 bits is more than a browser's numbers hold.
        json!(score.seed.to_string()),
        json!(score.repeat),
        json!(score.difficulty),
        json!(outcome(row.line)),
        json!(score.steps),
        json!(score.budget),
        json!(word(&score.end)),
        json!(score.failure_mode.name()),
        json!(row.line.noise),
        json!(score.cost_usd),
        json!(score.question.as_ref().map(|found| word(&found.reading))),
        json!(score.question.as_ref().map(|found| &found.answer)),
    ];
    cells.extend(metrics().map(|(column, ..)| json!(column.of(score).map(short))));
    Value::Array(cells)
}

fn short(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn live(app: &ViewerState) -> Result<Answer, ViewRefusal> {
    let progress = app.library.runs().iter().map(|run| app.watch.progress(run)).collect::<Result<Vec<_>, _>>()?;
    Ok(Answer::json(&progress))
}

/// The tasks, as far as their names do not tell all already.
fn tasks() -> Vec<Value> {
    let about = |source: &tasks::TaskSource| {
        let task = source.task().ok()?;
        Some(json!({
            "id": task.id,
            "difficulty": task.difficulty.text(),
            "split": task.split.text(),
            "suites": task.suites,
            "steps": task.steps,
            "tools": task.tools.name(),
            "noise": task.noise.0,
        }))
    };
    let problems = problems::carried().iter().map(|problem| chosen::listed(problem));
    tasks::embedded().iter().filter_map(about).chain(problems).collect()
}
