//! The viewer's answers, without a socket.

use record::Step;
use record::folder::{LiveEpisode, LiveSteps};
use serde_json::{Value, json};

use super::ViewerState;
use super::ask::{Answer, Ask, Query};
use super::routes::respond;
use super::stage::{Folder, line};

const PORT: u16 = 4711;
const TOKEN: &str = "correcthorsebatterystaple";

fn viewer(folder: &Folder) -> ViewerState {
    let address = ([127, 0, 0, 1], PORT).into();
    ViewerState::new(&folder.path, address, Some(TOKEN)).expect("it can start")
}

fn ask(method: &str, target: &str) -> Ask {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ask {
        method: method.into(),
        path: path.into(),
        query: Query::parse(query),
        host: Some(format!("127.0.0.1:{PORT}")),
        cookie: Some(format!("sre-zero-{PORT}={TOKEN}")),
        ..Ask::default()
    }
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("an answer is JSON")
}

fn get(app: &ViewerState, target: &str) -> Value {
    let answer = respond(app, &ask("GET", target));
    assert_eq!(answer.status, 200, "{target}: {}", value(&answer));
    value(&answer)
}

fn refused(app: &ViewerState, target: &str) -> (u16, String) {
    let answer = respond(app, &ask("GET", target));
    (answer.status, value(&answer)["error"].as_str().unwrap_or_default().to_string())
}

fn post(app: &ViewerState, path: &str, body: &Value) -> Value {
    let origin = Some(format!("http://127.0.0.1:{PORT}"));
    let token = Some(app.guard.token().to_string());
    let body = serde_json::to_vec(body).expect("plain data");
    let answer = respond(app, &Ask { origin, token, body, ..ask("POST", path) });
    let mut value = value(&answer);
    value["status"] = json!(answer.status);
    value
}

fn query(key: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("run", "run").append_pair("key", key).finish()
}

#[test]
fn the_page_has_its_token_and_files_that_are_not_listed_are_not_there() {
    let folder = Folder::new("page");
    let app = viewer(&folder);
    let page = respond(&app, &ask("GET", "/"));
    let text = String::from_utf8(page.body.to_vec()).expect("it is text");
    assert!(text.contains(app.guard.token()) && !text.contains("{{token}}"));
    assert_eq!(respond(&app, &ask("GET", "/main.js")).kind, "text/javascript; charset=utf-8");
    for path in ["/../Cargo.toml", "/views/", "/main.js/..", "//main.js", "/api", "/api/runs/"] {
        assert_eq!(refused(&app, path).0, 404, "{path}");
    }
}

#[test]
fn calls_are_counted_by_tool() {
    let folder = Folder::new("calls");
    let calls = ["check_status(cache)", "inspect_metrics(cache)", "check_status(database)", "nonsense"];
    folder.played("run", &calls);
    // The same episode in another run does not count twice, and one without a record not at all.
    folder.played("again", &calls);
    folder.run("lost", &[line("test", 7)]);
    let app = viewer(&folder);
    let found = get(&app, "/api/calls?agent=test");
    assert_eq!(found["calls"], json!([["check_status", 2], ["inspect_metrics", 1]]));
    assert_eq!((&found["episodes"], &found["read"], &found["invalid"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(get(&app, "/api/calls?agent=other")["calls"], json!([]));
}

#[test]
fn nothing_is_shown_without_the_token() {
    let folder = Folder::new("token");
    let key = folder.played("run", &["check_status(cache)"]);
    let app = viewer(&folder);
    let stranger = |target: &str| respond(&app, &Ask { cookie: None, ..ask("GET", target) });
    for what in ["runs", "board", "calls", "episodes", "tasks", "games", "live"] {
        assert_eq!(stranger(&format!("/api/{what}")).status, 401, "{what}");
    }
    for what in ["episode", "charts", "truth"] {
        assert_eq!(stranger(&format!("/api/{what}?{}", query(&key))).status, 401, "{what}");
    }
    let page = stranger("/");
    let text = String::from_utf8(page.body.to_vec()).expect("it is text");
    assert!(page.status == 401 && text.contains("the address that `sre-zero view` printed"), "{text}");
    assert!(!text.contains(TOKEN));
}

#[test]
fn episodes_come_in_pages_with_what_there_is_to_choose() {
    let folder = Folder::new("pages");
    let lines: Vec<_> = (0..250).map(|seed| line(if seed % 5 == 0 { "rare" } else { "usual" }, seed)).collect();
    folder.run("run", &lines);
    let app = viewer(&folder);
    let first = get(&app, "/api/episodes?limit=100&choices=yes");
    assert_eq!((first["matched"].as_u64(), first["rows"].as_array().map(Vec::len)), (Some(250), Some(100)));
    assert_eq!(first["choices"]["agent"], json!({ "rare": 50, "usual": 200 }));
    let last = get(&app, "/api/episodes?limit=100&offset=200&sort=-seed");
    assert_eq!(last["rows"].as_array().map(Vec::len), Some(50));
    assert_eq!(last["rows"][49][4], "0");
    assert_eq!(get(&app, "/api/episodes?agent=rare&offset=49")["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(get(&app, "/api/board?agent=rare")["places"][0]["agent"], "rare");
    assert_eq!(refused(&app, "/api/episodes?limit=many").0, 400);
    assert_eq!(get(&app, "/api/runs")["runs"][0]["episodes"], 250);
}

#[test]
fn an_episode_is_asked_for_by_run_and_key() {
    let folder = Folder::new("asked");
    let key = folder.played("run", &["check_status(cache)"]);
    let app = viewer(&folder);
    for what in ["episode", "charts", "truth"] {
        assert!(get(&app, &format!("/api/{what}?{}", query(&key))).is_object());
        assert_eq!(refused(&app, &format!("/api/{what}?{}", query("no/such/0"))).0, 404);
        assert_eq!(refused(&app, &format!("/api/{what}?run=..&key=x")).0, 404);
        assert_eq!(refused(&app, &format!("/api/{what}")), (400, "the request does not say which `run`".into()));
    }
}

#[test]
fn a_surprise_stays_one_until_it_is_over_and_becomes_a_human_row() {
    let folder = Folder::new("surprise");
    let app = viewer(&folder);
    let game = post(&app, "/api/play/start", &json!({ "name": "ada", "difficulty": "easy" }));
    assert_eq!(game["status"], 200, "{game}");
    let session = game["session"].as_str().expect("an id").to_string();
    let tell = |state: &Value| serde_json::to_string(state).expect("plain data");
    let state = post(&app, "/api/play/act", &json!({ "session": session, "action": "check_status(cache)" }));
    assert_eq!((state["steps"].as_u64(), &state["task"], &state["seed"]), (Some(1), &Value::Null, &Value::Null));
    let over = post(&app, "/api/play/give-up", &json!({ "session": session }));
    let task = over["over"]["truth"]["task"].as_str().expect("it is told now");
    let title = over["over"]["truth"]["title"].as_str().expect("it is told now");
    for before in [tell(&game), tell(&state), tell(&get(&app, "/api/games"))] {
        assert!(!before.contains(task) && !before.contains(title));
    }
    assert_eq!(get(&app, "/api/board")["places"][0]["agent"], "human:ada");
    let (run, key) = (over["over"]["run"].as_str(), over["over"]["key"].as_str());
    assert_eq!(run, Some("human-ada"));
    let run = app.library.run("human-ada").expect("it is there");
    assert_eq!(run.record(key.expect("a key")).map(|found| found.0.score.steps), Ok(1));
    assert_eq!(post(&app, "/api/play/act", &json!({ "session": session, "action": "x" }))["steps"], 1);
}

#[test]
fn a_game_goes_on_after_the_server_was_started_again() {
    let folder = Folder::new("again");
    let app = viewer(&folder);
    let task = harness::tasks::embedded()[0].id.clone();
    let wish = json!({ "name": "ada", "task": task, "seed": 3 });
    let game = post(&app, "/api/play/start", &wish);
    let session = game["session"].as_str().expect("an id").to_string();
    let state = post(&app, "/api/play/act", &json!({ "session": session, "action": "check_status(cache)" }));
    assert_eq!(post(&app, "/api/play/start", &wish)["session"], *session, "the same incident is not opened twice");
    drop(app);
    let app = viewer(&folder);
    assert_eq!(get(&app, &format!("/api/play?session={session}"))["said"], state["said"]);
    post(&app, "/api/play/give-up", &json!({ "session": session }));
    assert!(!folder.path.join(".open-incidents").exists());
    assert_eq!(post(&app, "/api/play/start", &wish)["repeat"], 1);
}

#[test]
fn what_cannot_be_played_says_why() {
    let folder = Folder::new("unplayable");
    let app = viewer(&folder);
    let check = |body: Value, expect: &str| {
        let answer = post(&app, "/api/play/start", &body);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(expect) && answer["status"] != 200, "{answer}");
    };
    check(json!({ "name": "../x" }), "letters, digits");
    check(json!({ "name": "ada", "task": "no_such" }), "unknown task");
    check(json!({ "name": "ada", "difficulty": "brutal" }), "no task is like that");
    check(json!([]), "not understood");
    let none = post(&app, "/api/play/act", &json!({ "session": "x", "action": "check_status(cache)" }));
    assert_eq!(none["status"], 404);
    let stranger = respond(&app, &ask("POST", "/api/play/start"));
    assert_eq!(stranger.status, 403);
}

const PROBLEM: &str = "wrong_service_selector_hotel_reservation";

#[test]
fn a_problem_is_played_at_a_terminal_and_seen_in_pictures() {
    let folder = Folder::new("problem");
    let app = viewer(&folder);
    let game = post(&app, "/api/play/start", &json!({ "name": "ada", "task": PROBLEM }));
    assert_eq!((&game["status"], &game["terminal"]), (&json!(200), &json!(true)), "{game}");
    let session = game["session"].as_str().expect("an id").to_string();
    let act = |action: &str| post(&app, "/api/play/act", &json!({ "session": session, "action": action }));
    let state = act("kubectl get pods | head -3");
    assert!(state["said"][0]["observation"].as_str().is_some_and(|text| text.starts_with("NAME")), "{state}");
    for before in [&game, &state, &get(&app, "/api/games")] {
        assert!(!before.to_string().contains(PROBLEM), "the name of a problem tells its cause");
    }
    let over = post(&app, "/api/play/give-up", &json!({ "session": session }));
    assert_eq!((&over["over"]["mitigated"], &over["over"]["truth"]["task"]), (&json!(false), &json!(PROBLEM)));
    let key = over["over"]["key"].as_str().expect("a key");
    let at = query(key).replace("run=run", "run=human-ada");
    let film = get(&app, &format!("/api/cluster?{at}"));
    assert_eq!((&film["under_way"], &film["steps"][0]["text"]), (&json!(false), &json!("kubectl get pods | head -3")));
    let times = film["times"].as_array().expect("a list");
    assert!(times.len() > 10 && film["edges"].as_array().is_some_and(|edges| edges.len() > 5), "{film}");
    let moment = get(&app, &format!("/api/cluster?{at}&time={}", film["paged"]));
    let failing = moment["picture"]["calls"].as_array().into_iter().flatten().filter(|call| call["failing"] != 0.0);
    assert!(failing.count() > 0, "calls fail at the page");
    assert!(get(&app, &format!("/api/truth?{at}"))["causes"].is_array());
    assert_eq!(refused(&app, &format!("/api/cluster?{at}&time=soon")).0, 400);
}

#[test]
fn an_episode_under_way_is_looked_at_while_its_steps_come_in() {
    let folder = Folder::new("under-way");
    folder.run("run", &[line("a", 0)]);
    let path = folder.path.join("run");
    let problem = problems::find(PROBLEM).expect("it is carried");
    let about = LiveEpisode {
        task: problem.id.clone(),
        digest: problem.digest.clone(),
        agent: "react@m".into(),
        ..LiveEpisode::default()
    };
    let key = format!("react@m/{PROBLEM}/0");
    let mut steps = LiveSteps::begin(&path, &key, &about);
    let app = viewer(&folder);
    assert_eq!(get(&app, "/api/live")[0]["under_way"], json!([key]));
    let at = format!("/api/cluster?{}", query(&key));
    let first = get(&app, &at);
    assert_eq!((&first["under_way"], first["steps"].as_array().map(Vec::len)), (&json!(true), Some(0)));
    let paged = first["paged"].as_u64().expect("a time");
    steps.follow(&[Step { index: 1, time: paged + 30_000, text: "kubectl get nodes".into(), ..Step::default() }]);
    let second = get(&app, &at);
    assert_eq!(second["steps"][0]["text"], "kubectl get nodes");
    let end = |film: &Value| film["times"].as_array().and_then(|times| times.last()?.as_u64());
    assert!(end(&second) >= Some(paged + 30_000) && end(&first) == Some(paged));
    drop(steps);
    assert_eq!(refused(&app, &at).0, 404);
    assert_eq!(refused(&app, &format!("/api/cluster?{}", query("a/../b"))).0, 403);
    assert_eq!(get(&app, "/api/live")[0]["under_way"], json!([]));
}
