//! What an application is, beside its manifests: its routes, its load and what its users may expect.

use serde::Deserialize;

/// `app.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplicationSpec {
    /// The name of its folder.
    pub name: String,
    /// What it is called when it is talked about.
    #[serde(default)]
    pub title: String,
    /// One sentence on what it does.
    #[serde(default)]
    pub about: String,
    /// The namespace of its pods.
    pub namespace: String,
    /// Applications that must be there before it: `platform`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// What its users ask for.
    #[serde(default, rename = "route")]
    pub routes: Vec<UserRoute>,
    /// Who makes the requests.
    #[serde(default)]
    pub load: LoadSpec,
}

/// A kind of request that users make.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRoute {
    /// How it is called in figures and alerts: `GET /hotels`.
    pub name: String,
    /// The operation at the entry: `HTTP GET /hotels`.
    pub operation: String,
    /// Which share of the load it is.
    pub share: f64,
    /// What users may expect.
    #[serde(default)]
    pub objective: ObjectiveSpec,
}

/// What users may expect of a route.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObjectiveSpec {
    /// The least share of requests that succeed.
    pub success: f64,
    /// The most milliseconds that 95 of 100 requests take.
    pub p95_ms: f64,
}

impl Default for ObjectiveSpec {
    fn default() -> Self {
        Self { success: 0.99, p95_ms: 1000.0 }
    }
}

/// Who makes the requests: pods whose program is of the kind `load`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSpec {
    /// Requests per second, where the generator is not told by a setting of its own.
    #[serde(default)]
    pub rate: f64,
    /// The host by which an ingress knows the application; empty where requests go to a Service.
    #[serde(default)]
    pub host: String,
}
