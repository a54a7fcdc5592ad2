//! What a client talks to that attaches to a container whose input is open.

use serde_json::Value;

use super::tools;
use crate::api::{StreamKind, StreamRequest};
use crate::program::Programs;
use crate::{Cluster, json};

/// Images that are a shell if nothing else is said.
const SHELL_IMAGES: [&str; 4] = ["busybox", "alpine", "debian", "ubuntu"];

/// The shell that a container is, if its input is open: it waits for a client and lives until that leaves. Nothing if the
/// container is something else, or its shell finds its input at an end.
pub fn open_shell(pod: &Value, container: &str) -> Option<Vec<String>> {
    open_command(pod, container).filter(|command| is_bare_shell(command))
}

/// What a container with an open input was started with.
fn open_command(pod: &Value, container: &str) -> Option<Vec<String>> {
    let mut all = ["spec.containers", "spec.ephemeralContainers"].into_iter().flat_map(|path| json::list(pod, path));
    let container = all.find(|own| json::text(own, "name") == container && own["stdin"] == true)?;
    let words = ["command", "args"].into_iter().flat_map(|field| json::list(container, field));
    let command: Vec<String> = words.filter_map(Value::as_str).map(Into::into).collect();
    let image = json::text(container, "image").rsplit('/').next().unwrap_or_default();
    match command.is_empty() && SHELL_IMAGES.contains(&image.split([':', '@']).next()?) {
        true => Some(vec!["sh".into()]),
        false => Some(command),
    }
}

/// Whether a command is a shell that reads what it is told to do.
pub(super) fn is_bare_shell(command: &[String]) -> bool {
    let [first, rest @ ..] = command else { return false };
    let is_shell = matches!(first.rsplit('/').next(), Some("sh" | "bash" | "ash"));
    is_shell && rest.iter().all(|word| matches!(word.as_str(), "-i" | "-l" | "-s" | "-"))
}

impl Cluster {
    /// The shell that a client talks to which attaches to a container, as a command in it.
    pub fn attached_shell(&self, asked: &StreamRequest) -> Option<StreamRequest> {
        self.attached(asked, is_bare_shell)
    }

    /// The same for any tool of the image (`kubectl run -it -- wget ..`). Only where programs do not themselves do what containers are
    /// told to do: else it is done already.
    pub fn attached_tool(&self, programs: &dyn Programs, asked: &StreamRequest) -> Option<StreamRequest> {
        let pod = self.store.get("pods", &asked.namespace, &asked.name)?;
        let toolbox = programs.toolbox(&self.container_run(pod, &asked.container, 0));
        let is_tool = |command: &[String]| command.first().is_some_and(|name| tools::has(name, toolbox));
        self.attached(asked, |command| is_tool(command) && !programs.runs_entrypoints())
    }

    fn attached(&self, asked: &StreamRequest, is_it: impl Fn(&[String]) -> bool) -> Option<StreamRequest> {
        let StreamKind::Attach(streams @ [true, ..]) = asked.kind else { return None };
        let pod = self.store.get("pods", &asked.namespace, &asked.name)?;
        let command = open_command(pod, &asked.container).filter(|command| is_it(command))?;
        Some(StreamRequest { kind: StreamKind::Exec { command, streams }, ..asked.clone() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shell_waits_for_a_client_if_its_input_is_open() {
        let check = |container: Value, expect: Option<&str>| {
            let pod = json!({"spec": {"containers": [container]}});
            assert_eq!(open_shell(&pod, "box").map(|words| words.join(" ")).as_deref(), expect, "{container}");
        };
        check(json!({"name": "box", "image": "busybox", "stdin": true, "args": ["sh"]}), Some("sh"));
        check(
            json!({"name": "box", "image": "nginx", "stdin": true, "command": ["/bin/bash", "-l"]}),
            Some("/bin/bash -l"),
        );
        check(json!({"name": "box", "image": "docker.io/library/alpine:3.20", "stdin": true}), Some("sh"));
        check(json!({"name": "box", "image": "busybox", "args": ["sh"]}), None);
        check(json!({"name": "box", "image": "busybox", "stdin": true, "args": ["sh", "-c", "date"]}), None);
        check(json!({"name": "box", "image": "nginx", "stdin": true}), None);
        check(json!({"name": "other", "image": "busybox", "stdin": true}), None);
    }
}
