//! The page itself. Everything is part of the program, so that it works without a network.

use super::ask::Answer;
use super::guard::ASK_FOR_TOKEN;

/// Where the page finds its token.
const TOKEN: &str = "{{token}}";
const JS: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($path:literal $kind:expr,)*) => {
        &[$((concat!("/", $path), $kind, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/", $path)))),*]
    };
}

const INDEX: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/index.html"));

const ASSETS: &[(&str, &str, &str)] = assets![
    "style.css" "text/css; charset=utf-8",
    "icon.svg" "image/svg+xml",
    "main.js" JS,
    "api.js" JS,
    "dom.js" JS,
    "format.js" JS,
    "chart.js" JS,
    "cluster.js" JS,
    "conversation.js" JS,
    "filters.js" JS,
    "keys.js" JS,
    "looks.js" JS,
    "map.js" JS,
    "marks.js" JS,
    "nodes.js" JS,
    "question.js" JS,
    "story.js" JS,
    "terminal.js" JS,
    "views/overview.js" JS,
    "views/agent.js" JS,
    "views/episodes.js" JS,
    "views/episode.js" JS,
    "views/cluster.js" JS,
    "views/pair.js" JS,
    "views/live.js" JS,
    "views/lobby.js" JS,
    "views/game.js" JS,
];

/// The file at a path. Only what is listed can be had.
pub fn find(path: &str, token: &str) -> Option<Answer> {
    if path == "/" {
        let body = INDEX.replace(TOKEN, token).into_bytes();
        return Some(Answer { status: 200, kind: "text/html; charset=utf-8", body: body.into() });
    }
    let (_, kind, text) = ASSETS.iter().find(|(known, ..)| *known == path)?;
    Some(Answer { status: 200, kind, body: text.as_bytes().into() })
}

/// The page of those who do not show the token.
pub fn without_token() -> Answer {
    let body = format!("<!doctype html><title>SRE-Zero</title><p>{ASK_FOR_TOKEN}.</p>\n").into_bytes();
    Answer { status: 401, kind: "text/html; charset=utf-8", body: body.into() }
}
