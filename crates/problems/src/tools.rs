//! What an agent can do: a command line with kubectl, questions to what watches the cluster, waiting, and the submissions.

use serde_json::Value;

use crate::desk_tools::TOOLS;
use crate::questions::TelemetryQuestion;

/// What an agent wrote, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalAction {
    /// A command line.
    Run(String),
    /// Let so many seconds pass.
    Wait(u64),
    /// The diagnosis, and its structured answer if there is one.
    Diagnose(String, String),
    /// What watches the cluster is asked.
    Ask(&'static str, TelemetryQuestion),
    /// One kubectl command that can be rolled back.
    Safely(String),
    /// The last of these is undone.
    Rollback,
    /// What could be undone.
    Rollbackable,
    /// The mitigation is done; before the diagnosis, this is the diagnosis.
    Submit(String),
}

/// The longest that an agent may wait in one step.
const LONGEST_WAIT: u64 = 900;

/// Understands what an agent wrote: a JSON object, a call, or else a command line.
pub(crate) fn read(text: &str) -> Result<TerminalAction, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the action is empty; write a command line, such as kubectl get pods".to_string());
    }
    if text.starts_with('{') {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("this is no valid JSON ({error})"))?;
        let of = |name: &str| value.get(name).map(plain).unwrap_or_default();
        let name =
            ["action", "tool", "name"].iter().map(|key| of(key)).find(|name| !name.is_empty()).unwrap_or_default();
        return named(&name, &of);
    }
    if let Some((name, args)) = call(text) {
        let of = |wanted: &str| {
            let by_name = args.iter().find(|(key, _)| key == wanted);
            let by_place = args.iter().filter(|(key, _)| key.is_empty()).nth(place(&name, wanted));
            by_name.or(by_place).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        return named(&name, &of);
    }
    Ok(TerminalAction::Run(text.to_string()))
}

fn place(tool: &str, param: &str) -> usize {
    let tool = TOOLS.find(tool).map_or(&[][..], |tool| tool.params());
    tool.iter().position(|own| own.name == param).unwrap_or(usize::MAX)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn named(name: &str, of: &dyn Fn(&str) -> String) -> Result<TerminalAction, String> {
    match name {
        "kubectl" => match of("command") {
            line if line.trim().is_empty() => Err("`command` is missing".to_string()),
            line => Ok(TerminalAction::Run(line)),
        },
        "wait" => match of("seconds").trim().parse::<u64>() {
            Ok(seconds) if (1..=LONGEST_WAIT).contains(&seconds) => Ok(TerminalAction::Wait(seconds)),
            _ => Err(format!("`seconds` takes a whole number from 1 to {LONGEST_WAIT}")),
        },
        "submit_diagnosis" => match of("diagnosis") {
            text if text.trim().is_empty() => Err("`diagnosis` is missing: say what is wrong".to_string()),
            text => Ok(TerminalAction::Diagnose(text, of("cause"))),
        },
        "submit" | "done" => Ok(TerminalAction::Submit(of("ans"))),
        "exec_kubectl_cmd_safely" => match of("cmd") {
            line if line.trim().is_empty() => Err("`cmd` is missing".to_string()),
            line => Ok(TerminalAction::Safely(line)),
        },
        "rollback_command" => Ok(TerminalAction::Rollback),
        "get_previous_rollbackable_cmd" => Ok(TerminalAction::Rollbackable),
        _ => match TOOLS.find(name) {
            Some(tool) => Ok(TerminalAction::Ask(tool.name(), TelemetryQuestion::read(tool.name(), of)?)),
            None => {
                let known: Vec<&str> = crate::desk_tools::own_docs().iter().map(|tool| tool.name).collect();
                Err(faces::unknown_name("tool", name, &known, "known are"))
            }
        },
    }
}

/// A call such as `wait(60)` or `submit_diagnosis(diagnosis="..", cause="..")`, taken apart; `None` if the text is none.
fn call(text: &str) -> Option<(String, Vec<(String, String)>)> {
    let (name, rest) = text.split_once('(')?;
    let rest = rest.trim_end().strip_suffix(')')?;
    let known = name == "done" || TOOLS.find(name).is_some();
    known.then(|| (name.to_string(), arguments(rest)))
}

fn arguments(text: &str) -> Vec<(String, String)> {
    let (mut found, mut key, mut value) = (Vec::new(), String::new(), String::new());
    let (mut quote, mut any) = (None, false);
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => value.extend(chars.next()),
            (Some(open), char) if char == open => quote = None,
            (None, '"' | '\'') => (quote, any) = (Some(char), true),
            (None, '=') if key.is_empty() && !any => key = std::mem::take(&mut value).trim().to_string(),
            (None, ',') => {
                found.push((std::mem::take(&mut key), std::mem::take(&mut value).trim().to_string()));
                any = false;
            }
            (None, ' ') if value.is_empty() => {}
            (_, char) => value.push(char),
        }
    }
    if any || !value.trim().is_empty() {
        found.push((key, value.trim().to_string()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_understood() {
        let check = |text: &str, expect: Result<TerminalAction, &str>| {
            let found = read(text);
            match (found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{text}"),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        let run = |line: &str| Ok(TerminalAction::Run(line.to_string()));
        check("kubectl get pods | grep -v Running", run("kubectl get pods | grep -v Running"));
        check("kubectl(\"kubectl get pods\")", run("kubectl get pods"));
        check("kubectl(command='kubectl get \"x\"')", run("kubectl get \"x\""));
        check(r#"{"action":"kubectl","command":"kubectl get pods"}"#, run("kubectl get pods"));
        check("echo $(date)", run("echo $(date)"));
        check("wait(60)", Ok(TerminalAction::Wait(60)));
        check("wait(seconds=60)", Ok(TerminalAction::Wait(60)));
        check("wait(0)", Err("whole number from 1 to 900"));
        check("submit()", Ok(TerminalAction::Submit(String::new())));
        check("submit(ans='geo')", Ok(TerminalAction::Submit("geo".into())));
        check("exec_kubectl_cmd_safely(\"kubectl get pods\")", Ok(TerminalAction::Safely("kubectl get pods".into())));
        check("promql()", Err("`query` is missing"));
        check("promql(up, minutes=many)", Err("`minutes` takes a whole number"));
        check(
            "get_label_values(pod)",
            Ok(TerminalAction::Ask("get_label_values", TelemetryQuestion::LabelValues("pod".into()))),
        );
        check(
            "submit_diagnosis(diagnosis=\"geo, the image\", cause=\"geo/wrong_image\")",
            Ok(TerminalAction::Diagnose("geo, the image".into(), "geo/wrong_image".into())),
        );
        check("submit_diagnosis(\"geo\")", Ok(TerminalAction::Diagnose("geo".into(), String::new())));
        check("submit_diagnosis()", Err("`diagnosis` is missing"));
        check(r#"{"action":"submt"}"#, Err("did you mean `submit`?"));
        check("", Err("the action is empty"));
    }
}
