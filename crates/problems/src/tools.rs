//! What an agent can do: a command line with kubectl, waiting, and the two submissions.

use faces::params::PROSE;
use faces::{Param, Reply, Run, Tool, ToolArgs, ToolList, ToolSet};
use serde_json::Value;
use world::Span;

/// The tools of problems in a cluster.
pub(crate) const TOOLS: ToolSet = ToolSet::of(&ToolList {
    name: "terminal",
    tools: &[&TerminalLine, &WaitSeconds, &SubmitDiagnosis, &SubmitMitigation],
});

/// What an agent wrote, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalAction {
    /// A command line.
    Run(String),
    /// Let so many seconds pass.
    Wait(u64),
    /// The diagnosis, and its structured answer if there is one.
    Diagnose(String, String),
    /// The mitigation is done.
    Submit,
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
        "submit" | "done" => Ok(TerminalAction::Submit),
        _ => {
            let known: Vec<&str> = TOOLS.tools().iter().map(|tool| tool.name()).collect();
            Err(faces::unknown_name("tool", name, &known, "known are"))
        }
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

/// What runs these is the episode, not a world of services.
fn elsewhere(_: &ToolArgs) -> Reply {
    Reply::default()
}

struct TerminalLine;
struct WaitSeconds;
struct SubmitDiagnosis;
struct SubmitMitigation;

impl Tool for TerminalLine {
    fn name(&self) -> &'static str {
        "kubectl"
    }

    fn signature(&self) -> &'static str {
        "kubectl(command)"
    }

    fn about(&self) -> &'static str {
        "run a command line at a terminal with kubectl and the usual text tools; pipes, loops and heredocs work"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("command", PROSE)] }
    }

    fn cost(&self) -> Span {
        Span::secs(15)
    }

    fn run(&self) -> Run {
        Run::End(elsewhere)
    }
}

impl Tool for WaitSeconds {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn signature(&self) -> &'static str {
        "wait(seconds)"
    }

    fn about(&self) -> &'static str {
        "let time pass, at most 900 seconds"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("seconds", PROSE)] }
    }

    fn run(&self) -> Run {
        Run::End(elsewhere)
    }
}

impl Tool for SubmitDiagnosis {
    fn name(&self) -> &'static str {
        "submit_diagnosis"
    }

    fn signature(&self) -> &'static str {
        "submit_diagnosis(diagnosis[, cause])"
    }

    fn about(&self) -> &'static str {
        "say what is wrong, once: the component, the object and field or state, and how it comes about; cause says it exactly, \
         as component/kind with the object behind it, several separated by `;`, and decides where it is given"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("diagnosis", PROSE), Param::optional("cause", PROSE)] }
    }

    fn run(&self) -> Run {
        Run::End(elsewhere)
    }
}

impl Tool for SubmitMitigation {
    fn name(&self) -> &'static str {
        "submit"
    }

    fn signature(&self) -> &'static str {
        "submit()"
    }

    fn about(&self) -> &'static str {
        "say that the problem is mitigated; this is final"
    }

    fn params(&self) -> &'static [Param] {
        &[]
    }

    fn run(&self) -> Run {
        Run::End(elsewhere)
    }
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
        check("submit()", Ok(TerminalAction::Submit));
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
