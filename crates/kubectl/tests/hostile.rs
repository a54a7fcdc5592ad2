//! Hostile command lines: no panic, bounded time, bounded output.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

mod common;

use common::Desk;
use proptest::prelude::*;

const WORDS: &[&str] = &[
    "get",
    "describe",
    "logs",
    "events",
    "explain",
    "apply",
    "create",
    "replace",
    "patch",
    "edit",
    "set",
    "image",
    "env",
    "resources",
    "scale",
    "rollout",
    "status",
    "history",
    "undo",
    "restart",
    "label",
    "annotate",
    "delete",
    "expose",
    "run",
    "exec",
    "cp",
    "top",
    "cordon",
    "drain",
    "taint",
    "wait",
    "auth",
    "can-i",
    "whoami",
    "api-resources",
    "diff",
    "config",
    "view",
    "version",
    "port-forward",
    "debug",
    "pods",
    "pod",
    "po",
    "deploy",
    "deploy/web",
    "svc",
    "node",
    "nodes",
    "node-0",
    "all",
    "cm",
    "secret",
    "deployment",
    "web",
    "x",
    "y=1",
    "y-",
    "-n",
    "default",
    "kube-system",
    "-o",
    "yaml",
    "json",
    "wide",
    "name",
    "jsonpath={.items[*]..x}",
    "jsonpath={",
    "custom-columns=A:.x",
    "go-template={{.}}",
    "go-template={{range .items}}",
    "-A",
    "-l",
    "app=web",
    "app in (a",
    "--all",
    "-f",
    "-",
    "nope.yaml",
    "--dry-run=server",
    "--dry-run=client",
    "--replicas=2",
    "--replicas=-1",
    "--image=a",
    "--for=delete",
    "--for=condition=x",
    "--for=jsonpath={.a",
    "--timeout=1s",
    "--force",
    "--grace-period=0",
    "--",
    "ls",
    "-w",
    "--tail=1",
    "-p",
    "{}",
    "[]",
    "{\"spec\":{\"replicas\":\"x\"}}",
    "--type=json",
    "--type=merge",
    "--sort-by=.x",
    "--field-selector=a=b",
    "--raw",
    "/api",
    "/api/v1/pods?watch=1&timeoutSeconds=1",
    "--recursive",
    "deployment.spec.x.y",
    "k=v:NoSchedule",
    "a:b",
    "--overwrite",
    "--list",
    "--revision=1",
    "--to-revision=9",
    "",
    "*",
    "a/b/c",
    "é",
    "--server-side",
];

fn desk() -> Desk {
    let mut desk = Desk::new();
    desk.run("kubectl create deployment web --image=nginx && kubectl expose deploy web --port=80 && sleep 10");
    desk
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_call_panics(calls in prop::collection::vec(prop::collection::vec(prop::sample::select(WORDS), 1..7), 1..4)) {
        let mut desk = desk();
        for words in calls {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let output = desk.run(&format!("timeout 20 kubectl {} <<< '{{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{{\"name\":\"a\"}}}}'", line.join(" ")));
            prop_assert!(output.stdout.len() < 4 << 20);
        }
    }

    #[test]
    fn no_manifest_panics(text in "[a-z:{}\\[\\]\"',\n -]{0,120}") {
        let mut desk = Desk::new();
        desk.terminal.put_file("f.yaml", &text);
        desk.terminal.put_file("g.yaml", &format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  {text}\n"));
        desk.run("kubectl apply -f f.yaml; kubectl create -f g.yaml; kubectl diff -f g.yaml; kubectl replace -f g.yaml");
    }

    #[test]
    fn no_template_panics(text in "[a-z.{}\\[\\]()?@*$=<>|\"'\\\\ 0-9:,-]{0,60}") {
        let mut desk = Desk::new();
        for form in ["jsonpath", "go-template", "custom-columns", "jsonpath-as-json"] {
            desk.run(&format!("kubectl get nodes -o {}", quoted(&format!("{form}={text}"))));
        }
        desk.run(&format!("kubectl get nodes --sort-by={}", quoted(&text)));
        desk.run(&format!("kubectl wait node/node-0 --timeout=1s --for={}", quoted(&format!("jsonpath={text}"))));
        desk.run(&format!("kubectl get nodes -o json | jq {}", quoted(&text)));
    }
}
