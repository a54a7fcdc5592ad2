//! `kubectl create configmap` and `create secret`.

use serde_json::{Map, Value, json as tree};

use super::Outcome;
use super::create::{generated, name, required};
use crate::failure::Failure;
use crate::go::quote;
use crate::kubectl::Kubectl;

pub(super) const MAP_FLAGS: &str = "allow-missing-template-keys append-hash dry-run?unchanged field-manager= from-env-file=* from-file=* \
    from-literal=* o|output= save-config show-managed-fields template= validate?strict";
pub(super) const SECRET_FLAGS: &str = "allow-missing-template-keys append-hash dry-run?unchanged field-manager= from-env-file=* from-file=* \
    from-literal=* o|output= save-config show-managed-fields template= type= validate?strict cert= key= docker-email= docker-password= \
    docker-server= docker-username=";

/// The entries that literals, files and environment files give.
fn entries(call: &mut Kubectl<'_, '_>) -> Result<Vec<(String, String)>, Failure> {
    let mut all: Vec<(String, String)> = Vec::new();
    let own = |values: Vec<&str>| values.into_iter().map(str::to_string).collect::<Vec<_>>();
    for literal in own(call.flags.values("from-literal")) {
        let Some((key, value)) = literal.split_once('=') else {
            return Err(Failure::new(format!("invalid literal source {literal}, expected key=value")));
        };
        all.push((key.into(), value.trim_matches(['\'', '"']).into()));
    }
    for source in own(call.flags.values("from-file")) {
        let (key, path) = source.split_once('=').map_or((None, &*source), |(key, path)| (Some(key), path));
        let plain = crate::desk::plain(path);
        if let Some(text) = call.desk.memory.files.get(plain) {
            let key = key.unwrap_or_else(|| plain.rsplit('/').next().unwrap_or_default());
            all.push((key.into(), text.clone()));
            continue;
        }
        let folder = format!("{}/", plain.trim_end_matches('/'));
        let inside: Vec<_> = call.desk.memory.files.iter().filter(|(name, _)| name.starts_with(&folder)).collect();
        if inside.is_empty() {
            return Err(Failure::new(format!("error reading {path}: no such file or directory")));
        }
        all.extend(inside.into_iter().map(|(name, text)| (name[folder.len()..].to_string(), text.clone())));
    }
    for path in own(call.flags.values("from-env-file")) {
        let text = call.desk.memory.files.get(crate::desk::plain(&path)).cloned();
        let text = text.ok_or_else(|| Failure::new(format!("error reading {path}: no such file or directory")))?;
        for line in text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            all.push((key.into(), value.into()));
        }
    }
    for (at, (key, _)) in all.iter().enumerate() {
        if all[..at].iter().any(|(other, _)| other == key) {
            return Err(Failure::new(format!(
                "cannot add key {}, another key by that name already exists",
                quote(key)
            )));
        }
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(Failure::new(format!(
                "{} is not valid key name: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
                quote(key)
            )));
        }
    }
    Ok(all)
}

pub(super) fn config_map(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create configmap")?;
    let entries = entries(call).map_err(|failure| failure.prefixed(""))?;
    let data: Map<String, Value> = entries.into_iter().map(|(key, value)| (key, value.into())).collect();
    let mut object =
        tree!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "creationTimestamp": null}});
    if !data.is_empty() {
        object["data"] = data.into();
    }
    generated(call, "configmaps", object, "failed to create configmap: ")
}

pub(super) fn secret(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.words.is_empty() {
        return Err(Failure::new(
            "Create a secret with specified type: one of docker-registry, generic, tls must follow 'create secret'",
        ));
    }
    let form = call.flags.words.remove(0);
    let name = name(call, &format!("create secret {form}"))?;
    let (kind, entries) = match form.as_str() {
        "generic" => (call.flags.value("type").unwrap_or_default().to_string(), entries(call)?),
        "tls" => {
            if call.flags.text("cert").is_empty() || call.flags.text("key").is_empty() {
                return Err(Failure::new("key and cert must be specified"));
            }
            let read = |flag: &str| -> Result<String, Failure> {
                let path = required(call, flag)?;
                let found = call.desk.memory.files.get(crate::desk::plain(&path)).cloned();
                found.ok_or_else(|| {
                    Failure::new(format!("failed to load key pair open {path}: no such file or directory"))
                })
            };
            let (cert, key) = (read("cert")?, read("key")?);
            ("kubernetes.io/tls".into(), vec![("tls.crt".into(), cert), ("tls.key".into(), key)])
        }
        "docker-registry" => {
            let user = required(call, "docker-username")?;
            let password = required(call, "docker-password")?;
            let server = call.flags.value("docker-server").unwrap_or("https://index.docker.io/v1/").to_string();
            let auth = cluster::base64(format!("{user}:{password}").as_bytes());
            let email = call.flags.value("docker-email").map(|email| format!("\"email\":{},", Value::from(email)));
            // The order of the fields is Go's.
            let config = format!(
                "{{\"auths\":{{{}:{{\"username\":{},\"password\":{},{}\"auth\":{}}}}}}}",
                Value::from(server),
                Value::from(user),
                Value::from(password),
                email.unwrap_or_default(),
                Value::from(auth)
            );
            ("kubernetes.io/dockerconfigjson".into(), vec![(".dockerconfigjson".into(), config)])
        }
        other => {
            return Err(Failure::new(format!(
                "unknown command {} for \"kubectl create secret\"\nSee 'kubectl create secret -h' for help and examples",
                quote(other)
            )));
        }
    };
    let data: Map<String, Value> =
        entries.into_iter().map(|(key, value)| (key, cluster::base64(value.as_bytes()).into())).collect();
    let mut object =
        tree!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "creationTimestamp": null}});
    if !data.is_empty() {
        object["data"] = data.into();
    }
    if !kind.is_empty() {
        object["type"] = kind.into();
    }
    generated(call, "secrets", object, "failed to create secret ")
}
