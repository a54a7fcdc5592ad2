//! What can be played, in our list and in OpenEnv's task interface. Nothing in it says what an incident
//! is about, unless the server was told to.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use doors::session::Refusal;
use harness::catalogue::ListedTask;
use serde_json::{Map, Value, json};

use super::problem::{Problem, fine};
use super::protocol::Endpoint;
use super::{App, NAME, read};

/// Our list, and OpenEnv's task interface.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/tasks", "The tasks, which do not say what they are about", || get(list)),
    Endpoint::get("/list_environments", "OpenEnv: the environments", || get(environments)),
    Endpoint::get("/{env}/splits", "OpenEnv: the splits", || get(splits)),
    Endpoint::post("/{env}/tasks", "OpenEnv: the tasks of a split", || post(of_split)).takes(SPLIT),
    Endpoint::post("/{env}/num_tasks", "OpenEnv: how many there are", || post(count)).takes(SPLIT),
    Endpoint::post("/{env}/task", "OpenEnv: one of them", || post(one))
        .takes(&[("split", "string"), ("index", "integer")])
        .needs(&["index"]),
    Endpoint::post("/{env}/task_range", "OpenEnv: some of them", || post(range)).takes(&[
        ("split", "string"),
        ("start", "integer"),
        ("stop", "integer"),
    ]),
];

const SPLIT: &[(&str, &str)] = &[("split", "string")];

/// The tasks, and which belong to which split.
async fn list(State(app): State<Arc<App>>) -> Response {
    let tasks = app.sessions.catalogue().list();
    let mut splits: Map<String, Value> = Map::new();
    for task in &tasks {
        let ids = splits.entry(task.split).or_insert_with(|| json!([]));
        ids.as_array_mut().expect("it was made one").push(json!(task.id));
    }
    fine(&json!({ "tasks": tasks, "splits": splits }))
}

/// The one environment.
async fn environments() -> Response {
    fine(&json!([NAME]))
}

/// Its splits.
async fn splits(Path(env): Path<String>) -> Response {
    let split = |name: &str, kind: &str| json!({ "name": name, "type": kind });
    let splits = json!([split("train", "train"), split("dev", "validation"), split("test", "test")]);
    known(&env).map_or_else(Problem::detailed, |()| fine(&splits))
}

/// The tasks of a split.
async fn of_split(state: State<Arc<App>>, env: Path<String>, request: Request) -> Response {
    answer(state, env, request, |_, tasks| Ok(json!({ "tasks": tasks, "env_name": NAME }))).await
}

/// How many tasks a split has.
async fn count(state: State<Arc<App>>, env: Path<String>, request: Request) -> Response {
    answer(state, env, request, |_, tasks| Ok(json!({ "num_tasks": tasks.len() }))).await
}

/// One task of a split.
async fn one(state: State<Arc<App>>, env: Path<String>, request: Request) -> Response {
    answer(state, env, request, |fields, tasks| {
        let index = whole(fields, "index")?.ok_or_else(|| Refusal::Invalid("`index` is missing".to_string()))?;
        let task = tasks.get(index).ok_or_else(|| Refusal::Invalid(format!("there are {} tasks", tasks.len())))?;
        Ok(json!({ "task": task }))
    })
    .await
}

/// The tasks of a split from one place up to another.
async fn range(state: State<Arc<App>>, env: Path<String>, request: Request) -> Response {
    answer(state, env, request, |fields, tasks| {
        let start = whole(fields, "start")?.unwrap_or(0).min(tasks.len());
        let stop = whole(fields, "stop")?.unwrap_or(tasks.len()).clamp(start, tasks.len());
        Ok(json!({ "tasks": tasks[start..stop] }))
    })
    .await
}

/// Reads which split is meant and hands its tasks on, counted within the split.
async fn answer(
    State(app): State<Arc<App>>,
    Path(env): Path<String>,
    request: Request,
    tell: impl FnOnce(&Map<String, Value>, &[ListedTask]) -> Result<Value, Refusal>,
) -> Response {
    let work = async {
        known(&env)?;
        let (_, fields) = read::fields(&app, request).await?;
        let split = match fields.get("split") {
            None | Some(Value::Null) => None,
            Some(Value::String(split)) => Some(split.as_str()),
            Some(_) => return Err(Refusal::Invalid("`split` takes text".to_string()).into()),
        };
        let all = app.sessions.catalogue().list();
        let places = app.sessions.catalogue().split(split).map_err(Refusal::from)?;
        let counted = |(index, place): (usize, &usize)| ListedTask { index, ..all[*place].clone() };
        let tasks: Vec<ListedTask> = places.iter().enumerate().map(counted).collect();
        Ok(fine(&tell(&fields, &tasks)?))
    };
    work.await.unwrap_or_else(|problem: Problem| problem.into_response())
}

/// Whether it is the one environment.
pub(super) fn known(env: &str) -> Result<(), Problem> {
    if env == NAME { Ok(()) } else { Err(Problem::NOT_FOUND) }
}

fn whole(fields: &Map<String, Value>, name: &str) -> Result<Option<usize>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let read = value.as_u64().and_then(|n| usize::try_from(n).ok());
            read.map(Some).ok_or_else(|| Refusal::Invalid(format!("`{name}` takes a whole number from 0 up")))
        }
    }
}
