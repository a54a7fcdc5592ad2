//! What a program is told: arguments, environment, files, in the order in which it looks.

use std::collections::BTreeMap;

use cluster::ContainerRun;
use serde_json::Value;

use crate::spec::{ContainerProgram, SettingSpec};

/// The settings of a program as it reads them when it starts; the error is what it says about one that is missing.
pub(crate) fn read(
    program: &ContainerProgram,
    run: &ContainerRun,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    let mut settings = BTreeMap::new();
    for (name, value) in &run.env {
        settings.insert(name.clone(), value.clone());
    }
    // Defaults may name other settings, so those without one are read first.
    let (plain, derived): (Vec<_>, Vec<_>) = program
        .settings
        .iter()
        .partition(|(_, spec)| spec.default.as_ref().is_none_or(|default| default.names().next().is_none()));
    for (name, spec) in plain.into_iter().chain(derived) {
        let value = find(spec, run, files).or_else(|| spec.default.as_ref().map(|default| default.fill(&settings)));
        match (value, &spec.missing) {
            (Some(value), _) => drop(settings.insert(name.clone(), value)),
            (None, Some(words)) => return Err(words.clone()),
            (None, None) => drop(settings.remove(name)),
        }
    }
    Ok(settings)
}

fn find(spec: &SettingSpec, run: &ContainerRun, files: &BTreeMap<String, String>) -> Option<String> {
    let argument = spec.arg.as_ref().and_then(|name| argument(run, name));
    let variable = || {
        let name = spec.env.as_ref()?;
        run.env.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    };
    let file = || {
        let (paths, key) = spec.file.as_ref()?.split_once('#').unwrap_or((spec.file.as_ref()?, ""));
        let text = paths.split('|').find_map(|path| files.get(path))?;
        match key {
            "" => Some(text.clone()),
            key => value_in(text, key),
        }
    };
    argument.or_else(variable).or_else(file)
}

/// `--name value` or `--name=value` among the words of a command.
fn argument(run: &ContainerRun, name: &str) -> Option<String> {
    let words: Vec<&String> = run.command.iter().chain(&run.args).collect();
    let together = format!("{name}=");
    words.iter().enumerate().rev().find_map(|(at, word)| match word.strip_prefix(&together) {
        Some(value) => Some(value.to_string()),
        None if *word == name => Some(words.get(at + 1).map_or(String::new(), |next| next.to_string())),
        None => None,
    })
}

/// A value in JSON by dotted path, or in lines of `name = value` and `name: value`.
fn value_in(text: &str, key: &str) -> Option<String> {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return match cluster::json::at(&value, key) {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
    }
    let pairs = text.lines().filter_map(|line| line.split_once(['=', ':', ' ']));
    let mut own = pairs.filter(|(name, _)| name.trim() == key);
    own.next().map(|(_, value)| value.trim().trim_matches(['"', '\'', ';']).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_source_wins_and_the_last_duplicate() {
        let program: ContainerProgram = toml::from_str(
            "[settings.port]\narg = \"--port\"\nenv = \"PORT\"\ndefault = 1\n\
             [settings.mongo]\nfile = \"/c.json#db.geo\"\n[settings.all]\ndefault = \"${mongo}/${port}\"\n",
        )
        .expect("well-formed");
        let env = [("PORT", "2"), ("PORT", "3")].map(|(name, value)| (name.to_string(), value.to_string()));
        let mut run = ContainerRun { env: env.to_vec(), ..ContainerRun::default() };
        let files = BTreeMap::from([("/c.json".to_string(), "{\"db\": {\"geo\": \"m:1\"}}".to_string())]);
        let all = |run: &ContainerRun| read(&program, run, &files).expect("nothing is missing")["all"].clone();
        assert_eq!(all(&run), "m:1/3");
        run.args = vec!["--port=4".into()];
        assert_eq!(all(&run), "m:1/4");
    }
}
