//! From `provider/model` and the environment to a [`Target`], or to a sentence that says what is missing.

use crate::model::{Credentials, Sampling, Secret, Target};
use harness::unknown_name;

use super::{ALL, Env, Keys, Provider};

impl Target {
    /// Finds the provider, its address and its key.
    pub fn parse(name: &str, env: &Env) -> Result<Target, String> {
        let (provider, model) = named(name)?;
        let credentials = credentials(provider, env)?;
        let base_url = base_url(provider, env, &credentials)?;
        Ok(Target {
            provider: provider.name.to_string(),
            model: model.to_string(),
            base_url,
            wire: provider.wire,
            credentials,
        })
    }

    /// The same without a key: enough to read recordings, and of no use for calling.
    pub fn offline(name: &str) -> Result<Target, String> {
        let (provider, model) = named(name)?;
        Ok(Target {
            provider: provider.name.to_string(),
            model: model.to_string(),
            base_url: if provider.base_url.is_empty() { NOWHERE } else { provider.base_url }.to_string(),
            wire: provider.wire,
            credentials: Credentials::None,
        })
    }

    /// Refuses settings that the provider does not take, and those that make the record say what is not so or must not
    /// be said: a record must not claim what was never sent.
    pub fn check(&self, sampling: &Sampling) -> Result<(), String> {
        let given = sampling.to_map();
        let provider = find(&self.provider)?;
        if let Some(name) = provider.cannot.iter().find(|name| given.contains_key(**name)) {
            return Err(format!("{} takes no `{name}`; leave that setting out", provider.name));
        }
        if let Some(name) = sampling.extra.keys().find(|name| name.is_empty() || OURS.contains(&name.as_str())) {
            return Err(format!("`{name}` is no setting: the agent and --models decide it; leave it out"));
        }
        let told = format!("{self} {}", serde_json::json!(given));
        if self.hide_secrets(&told) != told {
            return Err(format!(
                "the key of {} is in a setting or a name, and would be in every record",
                provider.name
            ));
        }
        sampling.check()
    }
}

/// Fields of a request that say who is asked and what, in any provider's words.
const OURS: &[&str] = &[
    "model",
    "messages",
    "system",
    "input",
    "instructions",
    "contents",
    "systemInstruction",
    "system_instruction",
    "tools",
    "toolConfig",
    "stream",
];

/// Where a provider is that is not called.
const NOWHERE: &str = "http://nowhere.invalid/v1";

/// The two parts of `provider/model`.
fn named(name: &str) -> Result<(&'static Provider, &str), String> {
    let (provider, model) = name.trim().split_once('/').unwrap_or((name.trim(), ""));
    let provider = find(provider)?;
    let Provider { name, example, .. } = provider;
    // The model's name is part of the record's path.
    let safe = |part: &str| !part.is_empty() && part != "." && part != "..";
    if model.is_empty() {
        return Err(format!("`{name}` names no model; write {name}/MODEL, such as {name}/{example}"));
    }
    if !model.split('/').all(safe) || model.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(format!("`{model}` is no name of a model; write {name}/MODEL, such as {name}/{example}"));
    }
    Ok((provider, model))
}

/// The provider of that name, or what was probably meant.
pub(super) fn find(name: &str) -> Result<&'static Provider, String> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    ALL.iter().copied().find(|provider| provider.name == folded).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|provider| provider.name).collect();
        unknown_name("provider", name, &known, "write provider/model, with one of")
    })
}

fn credentials(provider: &Provider, env: &Env) -> Result<Credentials, String> {
    match provider.keys {
        Keys::Aws => aws(env),
        Keys::Optional(names) => env.first(names).map_or(Ok(Credentials::None), |key| one_key(provider, key)),
        Keys::Needed(names) => match env.first(names) {
            Some(key) => one_key(provider, key),
            None => Err(missing(provider.name, &names.join(" or "), names[0])),
        },
    }
}

/// What cannot stand in a header would fail every call, as if the provider were to blame.
fn one_key(provider: &Provider, key: &str) -> Result<Credentials, String> {
    match key.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        true => Ok(Credentials::Key(Secret::new(key))),
        false => {
            Err(format!("the key of {} has a line break or a letter that no key has; copy it again", provider.name))
        }
    }
}

fn missing(provider: &str, what: &str, example: &str) -> String {
    format!("{provider} needs {what}: export {example}=..., or write {example}=... into a file named .env here")
}

fn aws(env: &Env) -> Result<Credentials, String> {
    if let Some(key) = env.get("AWS_BEARER_TOKEN_BEDROCK") {
        return Ok(Credentials::Key(Secret::new(key)));
    }
    let need =
        |name| env.get(name).ok_or_else(|| missing("bedrock", &format!("{name} (or AWS_BEARER_TOKEN_BEDROCK)"), name));
    Ok(Credentials::Aws {
        access_key: Secret::new(need("AWS_ACCESS_KEY_ID")?),
        secret_key: Secret::new(need("AWS_SECRET_ACCESS_KEY")?),
        session: env.get("AWS_SESSION_TOKEN").map(Secret::new),
        region: region(env)?.to_string(),
    })
}

fn region(env: &Env) -> Result<&str, String> {
    env.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]).ok_or_else(|| missing("bedrock", "AWS_REGION", "AWS_REGION"))
}

fn base_url(provider: &Provider, env: &Env, credentials: &Credentials) -> Result<String, String> {
    let url = env.first(provider.base_variables).unwrap_or(provider.base_url);
    let url = match (url.contains("{region}"), credentials) {
        (false, _) => url.to_string(),
        (true, Credentials::Aws { region, .. }) => url.replace("{region}", region),
        (true, _) => url.replace("{region}", region(env)?),
    };
    let url = url.trim_end_matches('/');
    if url.is_empty() {
        let name = provider.base_variables[0];
        return Err(format!(
            "{} needs a base URL: export {name}=http://HOST/v1, or write that into a file named .env here",
            provider.name
        ));
    }
    let sound = ["http://", "https://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    let half = url.contains('[') != url.contains(']');
    if !sound || half || url.contains(char::is_whitespace) || url.contains('@') {
        let from = provider.base_variables[0];
        return Err(format!(
            "the base URL of {} ({from}) must be http:// or https:// with a host, and no user or password",
            provider.name
        ));
    }
    Ok(whole(url, provider))
}

/// The rehearsal server is named by its address alone; the interface begins one level below.
fn whole(url: &str, provider: &Provider) -> String {
    let bare = url.split_once("://").is_some_and(|(_, rest)| !rest.contains('/'));
    let level = provider.base_url.ends_with("/v1") && provider.name == "rehearsal";
    if bare && level { format!("{url}/v1") } else { url.to_string() }
}
