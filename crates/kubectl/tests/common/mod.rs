//! A terminal at a cluster, for tests.

#![allow(dead_code)]

use std::path::Path;
use std::time::Duration;

use cluster::api::User;
use cluster::{Cluster, ClusterOptions, PlainPrograms, Stamp};
use kubectl::{Output, Terminal};

/// A terminal, its cluster and what runs in it.
pub struct Desk {
    pub terminal: Terminal,
    pub cluster: Cluster,
    pub programs: PlainPrograms,
}

impl Desk {
    /// An empty cluster of two nodes.
    pub fn new() -> Self {
        let cluster = Cluster::new(&ClusterOptions::default());
        Self { terminal: Terminal::new(User::admin()), cluster, programs: PlainPrograms::default() }
    }

    /// The cluster in which cases were recorded, settled, with the files of the recording.
    pub fn recorded(fixtures: &Path) -> Self {
        let cluster = Cluster::new(&ClusterOptions::conformance());
        let terminal = Terminal::new(User::admin()).costing(Duration::from_millis(150));
        let mut desk = Self { terminal, cluster, programs: PlainPrograms::conformance() };
        for entry in std::fs::read_dir(fixtures).expect("the fixtures are in the project") {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            desk.terminal.put_file(&name, &std::fs::read_to_string(&path).expect("text"));
        }
        for line in [
            "kubectl apply -f base.yaml",
            "sleep 1; kubectl apply -f widget.yaml",
            "kubectl rollout status deploy/web -n conf --timeout=60s",
            "kubectl rollout status sts/db -n conf --timeout=60s",
            "kubectl wait --for=condition=Complete job/once -n conf --timeout=60s",
        ] {
            let output = desk.run(line);
            assert_eq!(output.code, 0, "{line}: {}{}", output.stdout, output.stderr);
        }
        desk.pass(4);
        desk
    }

    /// Runs a command line.
    pub fn run(&mut self, line: &str) -> Output {
        self.terminal.run(&mut self.cluster, &mut self.programs, line)
    }

    /// Lets seconds pass.
    pub fn pass(&mut self, seconds: i64) {
        let until = Stamp(self.cluster.now().0 + seconds * 1_000_000);
        self.cluster.advance(&mut self.programs, until);
    }

    /// What a line prints, or its complaints after its code.
    pub fn says(&mut self, line: &str) -> String {
        let output = self.run(line);
        match output.code {
            0 => output.stdout + &output.stderr,
            code => format!("{}{}[{code}]", output.stdout, output.stderr),
        }
    }
}

/// Replaces what changes from run to run.
pub fn mask(text: &str) -> String {
    use regex_lite::Regex;
    let rules: [(&str, &str); 18] = [
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<UID>"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC)?", "<TS>"),
        (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+\d{4}", "<TS>"),
        (r#"resourceVersion: "\d+"|"resourceVersion": ?"\d+"|Resource Version:\s+\d+"#, "<RV>"),
        (r"containerd://[\w-]+", "containerd://<ID>"),
        (r#"((?:Image ID|"?imageID"?): *).*"#, "${1}<IMG>"),
        (r"\bnode-\d\b", "node-<N>"),
        (r"10\.\d+\.\d+\.\d+", "<IP>"),
        (r"\(x\d+ over [^)]*\)", ""),
        ("", ""),
        (r"\b(web|dep1)-[0-9a-f]{8,10}-[a-z0-9]{5}\b", "${1}-<H>-<S>"),
        (r"\b(web|dep1)-[0-9a-f]{8,10}\b", "${1}-<H>"),
        (r"\b(agent|once|job1|job2|db|web-np|web)-([bcdfghjklmnpqrstvwxz2456789]{5})\b", "${1}-<S>"),
        (r"kube-api-access-\w{5}", "kube-api-access-<S>"),
        (r"(hash[=:] ?)[0-9a-f]{8,10}", "${1}<H>"),
        (r"[ \t]+", " "),
        (r"-{4,}", "----"),
        (r"\b(web|dep1)-[bcdfghjklmnpqrstvwxz2456789]{8,10}-([bcdfghjklmnpqrstvwxz2456789]{5})\b", "${1}-<H>-<S>"),
    ];
    let mut text = text.to_string();
    for (pattern, with) in rules {
        text = match pattern {
            "" => mask_spans(&text),
            pattern => Regex::new(pattern).expect("a pattern").replace_all(&text, with).into_owned(),
        };
    }
    text
}

/// Spans such as `4m20s`, which may not stand inside of a word or after a sign that joins.
fn mask_spans(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < letters.len() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let joined = before.is_some_and(|c| c.is_alphanumeric() || "_.:/-".contains(c));
        let end = if joined || !letters[at].is_ascii_digit() { at } else { span_end(&letters, at) };
        let after: String = letters[end..].iter().take(4).collect();
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        if end > at && !goes_on && after != " max" {
            out.push_str("<AGE>");
            at = end;
            continue;
        }
        out.push(letters[at]);
        at += 1;
    }
    out
}

/// Where days, hours, minutes and seconds, in this order, end.
fn span_end(letters: &[char], start: usize) -> usize {
    let mut at = start;
    for unit in ['d', 'h', 'm', 's'] {
        let mut end = at;
        while letters.get(end).is_some_and(char::is_ascii_digit) {
            end += 1;
        }
        if unit == 's' && letters.get(end) == Some(&'.') {
            end += 1;
            while letters.get(end).is_some_and(char::is_ascii_digit) {
                end += 1;
            }
        }
        if end > at && letters.get(end) == Some(&unit) {
            at = end + 1;
        }
    }
    at
}
