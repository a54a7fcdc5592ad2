//! One episode as a page shows it. What would give the incident away is left out of the record and
//! answered apart, on request.

use std::path::Path;
use std::sync::Arc;

use harness::exchanges::read_exchanges;
use harness::sha256;
use harness::sweep::EpisodeLine;
use harness::telemetry::{self, Telemetry};
use harness::{Noise, Record, ScenarioCache, Task, Time, tasks};
use problems::{ClusterProblem, ProblemCause};
use report::analysis::{Autopsy, reasons};
use serde_json::{Map, Value, json};

use super::ask::ViewRefusal;
use super::library::StoredRun;

/// What of a record tells the cause: of its first line, and of its last.
const SECRETS: [(&str, &[&str]); 2] = [
    ("task", &["evidence", "fix", "distractors", "component", "concepts", "family", "digest"]),
    ("", &["chain", "fault"]),
];

/// The episode without its truth: the score's line, and the record's events as they were written.
pub fn episode(run: &StoredRun, key: &str) -> Result<Value, ViewRefusal> {
    let (line, path, text) = run.record(key)?;
    let mut events = Vec::new();
    for (at, text) in text.lines().enumerate() {
        let event: Result<Map<String, Value>, _> = serde_json::from_str(text);
        let wrong = |e| ViewRefusal::failed(format!("line {} of the record is no event: {e}; run it again", at + 1));
        events.push(without_truth(event.map_err(wrong)?));
    }
    let why = why(&line, &path, &text);
    Ok(json!({ "run": run.id, "line": line, "events": events, "why": why, "doubt": doubt(&line, &path, &text) }))
}

/// Why the episode failed, in sentences that tell nothing of its truth.
fn why(line: &EpisodeLine, path: &Path, text: &str) -> Vec<String> {
    let record = Record::parse(path, text).ok();
    let autopsy = record.and_then(|record| Autopsy::graded(&record, &line.score).ok());
    reasons(&line.score, autopsy.as_ref())
}

/// Why the line of an episode is not to be believed: it does not say what the record says.
fn doubt(line: &EpisodeLine, path: &Path, text: &str) -> Option<String> {
    let record = Record::parse(path, text).ok()?;
    let now = EpisodeLine::of(&record, record.header()?, sha256(text.as_bytes()));
    match now {
        Err(why) => Some(why.to_string()),
        Ok(now) if now.digest != line.digest => Some("the record is not the one that the run wrote".to_string()),
        Ok(now) if now != *line => {
            Some("the line was changed, or another version of the program graded it".to_string())
        }
        Ok(_) => None,
    }
}

/// What the agent and its model said to each other.
pub fn exchanges(run: &StoredRun, key: &str) -> Result<Value, ViewRefusal> {
    let path = run.exchanges(key)?;
    let entries = read_exchanges(&path).map_err(ViewRefusal::failed)?;
    Ok(json!({ "run": run.id, "key": key, "entries": entries }))
}

fn without_truth(mut event: Map<String, Value>) -> Value {
    for (part, secrets) in SECRETS {
        let holder =
            if part.is_empty() { Some(&mut event) } else { event.get_mut(part).and_then(Value::as_object_mut) };
        if let Some(holder) = holder {
            secrets.iter().for_each(|secret| drop(holder.remove(*secret)));
        }
    }
    Value::Object(event)
}

/// What the incident was: only for those who ask.
pub fn truth(run: &StoredRun, key: &str, scenarios: &ScenarioCache) -> Result<Value, ViewRefusal> {
    let (line, record) = read(run, key)?;
    if let Some(problem) = problems::find(&line.score.task) {
        return Ok(of_problem(problem));
    }
    let task = task(&line)?;
    let solution = scenarios.get(&task, line.score.seed, Noise(line.noise)).map(|s| s.solution());
    let seal = record.seal().cloned().unwrap_or_default();
    Ok(of_task(&task, &seal.chain, &solution.unwrap_or_else(|_| task.solution.clone())))
}

/// The truth of a task, with how it spread and what solves it.
pub fn of_task(task: &Task, chain: &[String], solution: &[String]) -> Value {
    json!({
        "task": task.id,
        "title": task.title,
        "fault": task.fault_text(),
        "families": task.families(),
        "component": task.component,
        "concepts": task.concepts,
        "chain": chain,
        "evidence": task.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "fix": task.fix,
        "distractors": task.distractors,
        "solution": solution,
    })
}

/// The truth of a problem in a cluster.
pub fn of_problem(problem: &ClusterProblem) -> Value {
    let file = &problem.file;
    let cause = |cause: &ProblemCause| format!("{}/{}: {}", cause.component, cause.kind, cause.about);
    json!({
        "task": problem.id,
        "title": file.title,
        "families": [file.layer.name(), file.mode.name()],
        "causes": file.cause.iter().map(cause).collect::<Vec<_>>(),
        "solution": file.solution.commands,
    })
}

/// What the instruments showed.
pub fn charts(run: &StoredRun, key: &str, scenarios: &ScenarioCache) -> Result<Telemetry, ViewRefusal> {
    let (line, record) = read(run, key)?;
    telemetry::telemetry(&record, &task(&line)?, scenarios).map_err(ViewRefusal::failed)
}

/// A moment of simulated time, as people write it.
pub fn clock(time: u64) -> String {
    Time(time).to_string()
}

fn read(run: &StoredRun, key: &str) -> Result<(EpisodeLine, Record), ViewRefusal> {
    let (line, path, text) = run.record(key)?;
    let record = Record::parse(&path, &text).map_err(ViewRefusal::failed)?;
    Ok((line, record))
}

/// The episode's task, if the program carries it.
fn task(line: &EpisodeLine) -> Result<Arc<Task>, ViewRefusal> {
    let own = |_| {
        ViewRefusal::failed(format!("the task `{}` is not built in, so it cannot be played again", line.score.task))
    };
    tasks::find(tasks::embedded(), &line.score.task).map_err(own)
}

#[cfg(test)]
mod tests {
    use super::super::library::Library;
    use super::super::stage::Folder;
    use super::*;

    #[test]
    fn an_episode_tells_nothing_of_its_truth_until_asked() {
        let folder = Folder::new("truth");
        let key = folder.played("run", &["check_status(cache)", "no such action"]);
        let library = Library::new(&folder.path);
        let run = library.run("run").expect("it is there");
        let scenarios = ScenarioCache::new(1);
        let truth = truth(&run, &key, &scenarios).expect("it can be told");
        let shown = episode(&run, &key).expect("it can be shown");
        let events = serde_json::to_string(&shown["events"]).expect("plain data");
        for secret in ["title", "fault"] {
            let secret = truth[secret].as_str().expect("a text");
            assert!(!secret.is_empty() && !events.contains(secret), "{secret}");
        }
        let steps: Vec<&Value> =
            shown["events"].as_array().into_iter().flatten().filter(|e| e["event"] == "stepped").collect();
        assert_eq!(steps.len(), 2);
        assert_eq!(shown["doubt"], Value::Null);
        assert_eq!(exchanges(&run, &key).expect_err("no model was asked").status, 404);
        assert!(steps[0]["observation"].as_str().is_some_and(|text| text.contains("cache")));
        let charts = charts(&run, &key, &scenarios).expect("it plays again");
        assert!(charts.services.len() > 2 && charts.times.len() > 40);
    }

    #[test]
    fn a_line_that_its_record_does_not_bear_out_is_doubted() {
        let folder = Folder::new("forged");
        let key = folder.played("run", &["check_status(cache)"]);
        let index = folder.path.join("run/episodes.jsonl");
        let text = std::fs::read_to_string(&index).expect("the run wrote it");
        std::fs::write(&index, text.replace("\"success\":false", "\"success\":true")).expect("it can be written");
        let library = Library::new(&folder.path);
        let shown = episode(&library.run("run").expect("it is there"), &key).expect("it can be shown");
        assert!(
            shown["doubt"].as_str().is_some_and(|why| why.starts_with("the line was changed")),
            "{}",
            shown["doubt"]
        );
    }

    #[test]
    fn a_damaged_record_says_so() {
        let folder = Folder::new("damaged");
        let key = folder.played("run", &[]);
        let library = Library::new(&folder.path);
        let run = library.run("run").expect("it is there");
        let path = harness::sweep::record_path(&run.path, &key);
        std::fs::write(&path, "{\"event\": \"started\"}\nrubbish\n").expect("it can be written");
        let why = episode(&run, &key).expect_err("it is damaged").why;
        assert!(why.starts_with("line 2 of the record is no event"), "{why}");
        std::fs::remove_file(path).expect("it was there");
        assert_eq!(episode(&run, &key).expect_err("it is gone").status, 404);
    }
}
