//! What a protocol over sessions is: a list of endpoints, each with its route and what the OpenAPI document says of
//! it. One file per protocol, with the shapes of what it says; list it in [`super::PROTOCOLS`].

use std::sync::Arc;

use axum::routing::MethodRouter;

use super::App;

/// One thing that can be asked for.
pub struct Endpoint {
    /// Where.
    pub path: &'static str,
    /// By which method.
    pub method: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The fields of its body, each with its type.
    pub takes: &'static [(&'static str, &'static str)],
    /// Those that must be there.
    pub needs: &'static [&'static str],
    /// What answers it.
    pub route: fn() -> MethodRouter<Arc<App>>,
}

impl Endpoint {
    /// One that is asked with `GET`.
    pub const fn get(path: &'static str, about: &'static str, route: fn() -> MethodRouter<Arc<App>>) -> Endpoint {
        Endpoint { path, method: "get", about, takes: &[], needs: &[], route }
    }

    /// One that is asked with `POST`.
    pub const fn post(path: &'static str, about: &'static str, route: fn() -> MethodRouter<Arc<App>>) -> Endpoint {
        Endpoint { path, method: "post", about, takes: &[], needs: &[], route }
    }

    /// The same with the fields of its body.
    pub const fn takes(self, takes: &'static [(&'static str, &'static str)]) -> Endpoint {
        Endpoint { takes, ..self }
    }

    /// The same with fields that must be there.
    pub const fn needs(self, needs: &'static [&'static str]) -> Endpoint {
        Endpoint { needs, ..self }
    }
}

/// What can be said when an episode begins.
pub const START: &[(&str, &str)] = &[
    ("seed", "integer"),
    ("index", "integer"),
    ("split", "string"),
    ("task_id", "string"),
    ("agent", "string"),
    ("episode_id", "string"),
];
