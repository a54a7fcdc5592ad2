//! `ssh NODE COMMAND`: onto a node, also where no kubelet answers.

use cluster::ExecCall;
use shell::{Host, Output};

use crate::desk::Desk;

/// Options that take the next word.
const TAKES: &str = "bcDEeFIiJLlmOopQRSWw";

pub(crate) fn run(desk: &mut Desk<'_>, words: &[String], input: &str) -> Output {
    let mut rest = words.iter().peekable();
    while let Some(option) = rest.next_if(|word| word.starts_with('-')) {
        if option.len() == 2 && TAKES.contains(&option[1..]) {
            rest.next();
        }
    }
    let Some(place) = rest.next() else {
        return Output::failed(255, "usage: ssh [-o option] [user@]host [command]\n");
    };
    let name = place.rsplit('@').next().unwrap_or(place);
    let Some(node) = node_of(desk, name) else {
        return Output::failed(255, format!("ssh: Could not resolve hostname {name}: Name or service not known\n"));
    };
    let line = rest.map(|word| &**word).collect::<Vec<_>>().join(" ");
    let line = if line.is_empty() { input.to_string() } else { line };
    let call =
        ExecCall { command: vec!["sh".into(), "-c".into(), line], input: input.as_bytes().to_vec(), terminal: false };
    let Some(end) = desk.programs.on_node(desk.cluster, &node, &call) else {
        return Output::failed(255, format!("ssh: connect to host {name} port 22: Connection refused\n"));
    };
    let until = desk.now() + 300_000 + end.takes.as_micros() as i64;
    desk.advance(until);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output { stdout: text(end.stdout), stderr: text(end.stderr), code: end.code }
}

/// The node of a name or an address.
fn node_of(desk: &Desk<'_>, wanted: &str) -> Option<String> {
    desk.cluster.objects("nodes", None).find_map(|node| {
        let name = node["metadata"]["name"].as_str()?;
        let addresses = node["status"]["addresses"].as_array();
        let is_there = |address: &serde_json::Value| address["address"].as_str() == Some(wanted);
        (name == wanted || addresses.is_some_and(|all| all.iter().any(is_there))).then(|| name.to_string())
    })
}
