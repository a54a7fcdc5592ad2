//! Open Reward Standard sessions: a client takes a session, says which task it plays there, reads the prompt and
//! calls tools. Splits and tasks are listed where OpenEnv lists them; both have the same shape.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use doors::session::{ClientView, Refusal, SessionId, StartRequest};
use harness::OVER;
use serde_json::{Map, Value, json};

use super::problem::{Problem, fine};
use super::protocol::Endpoint;
use super::{App, fresh_id, read, tasks};

/// The sessions of the standard.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post("/create_session", "ORS: a session; its id comes as the event task_id", || post(create_session)),
    Endpoint::post("/create", "ORS: begin a task in the session of X-Session-ID", || post(create)).takes(&[
        ("env_name", "string"),
        ("task_spec", "object"),
        ("split", "string"),
        ("index", "integer"),
    ]),
    Endpoint::post("/ping", "ORS: keep the session of X-Session-ID", || post(ping)),
    Endpoint::post("/delete", "ORS: give the task of X-Session-ID up", || post(delete)),
    Endpoint::post("/delete_session", "ORS: end the session of X-Session-ID", || post(delete)),
    Endpoint::get("/{env}/tools", "ORS: the tools", || get(tools)),
    Endpoint::get("/{env}/task_tools", "ORS: the tools of the task of X-Session-ID", || get(task_tools)),
    Endpoint::get("/{env}/prompt", "ORS: the page, as blocks", || get(prompt)),
    Endpoint::post("/{env}/call", "ORS: call a tool; the result comes as the event end", || post(call))
        .takes(&[("name", "string"), ("input", "object"), ("task_id", "string")])
        .needs(&["name"]),
];

/// Takes a seat. Which task is played there is said afterwards.
async fn create_session(State(app): State<Arc<App>>) -> Response {
    let id = fresh_id();
    answer(app.sessions.open(id, app.now()).map(|()| events(&id.to_string(), "")).map_err(Problem::from))
}

/// Begins a task in a session that plays none yet.
async fn create(State(app): State<Arc<App>>, request: Request) -> Response {
    let work = async {
        let (headers, fields) = read::fields(&app, request).await?;
        let id = session(&headers)?;
        let wish = wish(&fields)?;
        if app.sessions.with(id, app.now(), |session| session.view().is_ok())? {
            return Err(Refusal::Invalid("this session has its task already; take another session".to_string()).into());
        }
        app.sessions.start(id, wish, app.now())?;
        Ok(fine(&json!({ "sid": id.to_string() })))
    };
    answer(work.await)
}

/// Which task is meant: a row of the list, to which a client may add a seed and its agent's name, or its place in a split.
fn wish(fields: &Map<String, Value>) -> Result<StartRequest, Refusal> {
    let known = ["env_name", "task_spec", "split", "index", "secrets"];
    if let Some(name) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        let name = harness::catalogue::clip(name);
        return Err(Refusal::Invalid(format!("unknown field `{name}`; there are task_spec, split and index")));
    }
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    match (given("task_spec"), given("split"), given("index")) {
        (Some(Value::Object(spec)), None, None) => {
            // What the list says of a task beside its id describes it and is no wish.
            let described = ["index", "split", "difficulty", "max_steps"];
            let named = |name: &str| if name == "id" { "task_id".to_string() } else { name.to_string() };
            let own = spec.iter().filter(|(name, _)| !spec.contains_key("id") || !described.contains(&name.as_str()));
            StartRequest::read(&own.map(|(name, value)| (named(name), value.clone())).collect())
        }
        (None, Some(_), Some(_)) => {
            let place = fields.iter().filter(|(name, _)| ["split", "index"].contains(&name.as_str()));
            StartRequest::read(&place.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        _ => Err(Refusal::Invalid("give a `task_spec`, or `split` and `index`".to_string())),
    }
}

/// Keeps a session.
async fn ping(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let id = session(&headers);
    answer(id.and_then(|id| Ok(app.sessions.with(id, app.now(), |_| fine(&json!({ "status": "ok" })))?)))
}

/// Ends a session; clients do it twice, for the task and for the session, so one that is gone is fine.
async fn delete(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    answer(session(&headers).map(|id| {
        let _ = app.sessions.close(id, app.now());
        fine(&json!({ "sid": id.to_string() }))
    }))
}

/// The tools of all tasks.
async fn tools(State(app): State<Arc<App>>, Path(env): Path<String>) -> Response {
    answer(tasks::known(&env).map(|()| {
        listed(app.sessions.catalogue().tools().docs(&[]).iter().map(|tool| (tool.name, tool.about, tool.schema())))
    }))
}

/// The tools of the task that is played, with the services that they take.
async fn task_tools(state: State<Arc<App>>, env: Path<String>, headers: HeaderMap) -> Response {
    answer(seen(&state, &env, &headers).map(|(_, view)| {
        listed(view.brief.toolset.docs(&view.brief.services).iter().map(|tool| (tool.name, tool.about, tool.schema())))
    }))
}

/// What an agent is told at the start.
async fn prompt(state: State<Arc<App>>, env: Path<String>, headers: HeaderMap) -> Response {
    answer(seen(&state, &env, &headers).map(|(_, view)| fine(&json!([block(&view.brief.text)]))))
}

/// Calls a tool. A client that lost the answer asks again with the call's name, and is told it again instead of acting twice.
async fn call(State(app): State<Arc<App>>, env: Path<String>, request: Request) -> Response {
    let work = async {
        let (headers, fields) = read::fields(&app, request).await?;
        let (id, view) = seen(&app, &env, &headers)?;
        let is_told_again = fields.get("task_id").and_then(Value::as_str) == Some(&call_name(id, &view));
        let (name, arguments) = wanted(&fields)?;
        let view = match is_told_again {
            true => view,
            false => match app.sessions.call(id, name, &arguments, app.now()) {
                // Nothing was done, so there is nothing to be told again.
                Err(Refusal::Invalid(problem)) => return Ok(events("refused", &failed(&problem))),
                called => called?,
            },
        };
        let result = if view.observation == OVER { failed(OVER) } else { output(&view).to_string() };
        Ok(events(&call_name(id, &view), &result))
    };
    answer(work.await)
}

/// The tool of a call, and its arguments.
fn wanted(fields: &Map<String, Value>) -> Result<(&str, Map<String, Value>), Refusal> {
    let name = fields.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| Refusal::Invalid("`name` takes the name of a tool".to_string()))?;
    match fields.get("input") {
        None | Some(Value::Null) => Ok((name, Map::new())),
        Some(Value::Object(arguments)) => Ok((name, arguments.clone())),
        Some(_) => Err(Refusal::Invalid("`input` takes an object".to_string())),
    }
}

/// A call that did nothing.
fn failed(problem: &str) -> String {
    json!({ "ok": false, "error": problem }).to_string()
}

/// What a call brought. The reward is null unless the server shows rewards.
fn output(view: &ClientView) -> Value {
    let mut blocks = vec![block(&view.observation)];
    if !view.is_over() {
        blocks.push(block(&format!("{} of {} actions are left.", view.steps_left(), view.brief.steps)));
    }
    let metadata = json!({
        "error": view.error,
        "terminated": view.is_terminated(),
        "truncated": view.is_truncated(),
        "steps_left": view.steps_left(),
        "world_time_ms": view.time,
    });
    let output = json!({ "blocks": blocks, "metadata": metadata, "reward": view.reward(), "finished": view.is_over() });
    json!({ "ok": true, "output": output })
}

fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text, "detail": null })
}

/// The list of tools, each with a name, what it is for, and the schema of what it takes.
fn listed(tools: impl Iterator<Item = (&'static str, &'static str, Value)>) -> Response {
    let entry = |(name, about, schema)| json!({ "name": name, "description": about, "input_schema": schema });
    fine(&json!({ "tools": tools.map(entry).collect::<Vec<_>>() }))
}

/// A call's name: the step that it was.
fn call_name(id: SessionId, view: &ClientView) -> String {
    format!("{id}-{}", view.step)
}

/// The session of the header, and what its client may see.
fn seen(app: &App, env: &str, headers: &HeaderMap) -> Result<(SessionId, ClientView), Problem> {
    tasks::known(env)?;
    let id = session(headers)?;
    Ok((id, app.sessions.with(id, app.now(), |session| session.view())??))
}

fn session(headers: &HeaderMap) -> Result<SessionId, Problem> {
    read::session(headers, None)
}

/// A name and a result as the two events that clients wait for. JSON has no line breaks of its own, so one line holds it.
fn events(name: &str, result: &str) -> Response {
    let mut response = format!("event: task_id\ndata: {name}\n\nevent: end\ndata: {result}\n\n").into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The answer, or what was wrong, as clients of the standard read it.
fn answer(work: Result<Response, Problem>) -> Response {
    work.unwrap_or_else(Problem::told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_a_row_of_the_list_or_a_place_in_a_split() {
        let check = |fields: Value, expect: &str| {
            let read = wish(fields.as_object().expect("an object"));
            let told = read
                .map_or_else(|e| e.to_string(), |w| format!("{:?} {:?} {:?} {:?}", w.task, w.split, w.index, w.seed));
            assert_eq!(told, expect);
        };
        let row =
            json!({ "id": "task-03", "index": 0, "difficulty": "easy", "split": "train", "max_steps": 8, "seed": 4 });
        check(json!({ "task_spec": row, "env_name": "sre-zero" }), r#"Some("task-03") None None Some(4)"#);
        check(json!({ "task_spec": { "index": 2, "split": "dev" } }), r#"None Some("dev") Some(2) None"#);
        check(json!({ "split": "test", "index": 1, "task_spec": null }), r#"None Some("test") Some(1) None"#);
        check(json!({ "split": "test" }), "give a `task_spec`, or `split` and `index`");
        check(json!({ "task_spec": {}, "split": "test", "index": 1 }), "give a `task_spec`, or `split` and `index`");
        check(
            json!({ "task_spec": { "id": "task-03", "sead": 1 } }),
            "unknown field `sead`; there are task_id, index, split, seed, agent and episode_id",
        );
        check(json!({ "sead": 1 }), "unknown field `sead`; there are task_spec, split and index");
    }
}
