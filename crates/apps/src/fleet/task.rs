//! Containers that run a script: they do what it says, wait for a port, or end.

use cluster::{Cluster, ContainerRun, Stamp, json};

use super::Fleet;
use crate::instance::{InstanceKey, Phase};
use crate::reach::ways;

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

impl Fleet {
    /// Does what a container's command says, if a shell can; says whether that decides its life.
    pub(super) fn do_task(&mut self, cluster: &mut Cluster, key: &InstanceKey, now: Stamp) -> bool {
        let run = self.instances[key].run.clone();
        if waits_for_client(cluster, &run) {
            return false;
        }
        if awaited(&run).is_some() {
            self.instance_mut(key).phase = Phase::Needing { need: 0, since: now };
            self.await_port(cluster, key, now);
            return true;
        }
        let script = script(&run);
        let lasts = ["while true", "while :", "tail -f", "sleep infinity"].iter().any(|own| script.contains(own));
        let is_task = is_to_end(cluster, &run);
        if lasts && let Some(first) = before_sleep(&run) {
            // What a script does before it waits for ever decides whether it gets there.
            let output = cluster.run_entrypoint(self, &first);
            let code = output.as_ref().and_then(|output| output.exit).unwrap_or(0);
            let own = self.instance_mut(key);
            let text = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
            own.print_all(now, &String::from_utf8_lossy(&text));
            if code != 0 && code != NOT_FOUND {
                self.end(cluster, key, code);
                return true;
            }
        }
        if lasts || !listened(&run).is_empty() {
            return false;
        }
        if is_task && let Some(output) = kubectl_call(cluster, self, &run) {
            let own = self.instance_mut(key);
            own.print_all(now, &format!("{}{}", output.stdout, output.stderr));
            self.end(cluster, key, output.code);
            return true;
        }
        let output = cluster.run_entrypoint(self, &run);
        let Some(output) = output.filter(|output| output.exit != Some(NOT_FOUND)) else {
            if is_task {
                if let Some(folder) = cloned(&run) {
                    self.instance_mut(key).print_all(now, &format!("Cloning into '{folder}'..."));
                }
                self.end(cluster, key, 0);
            }
            return is_task;
        };
        let own = self.instance_mut(key);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        own.print_all(now, &text);
        own.ends = Some((now.after(output.takes), output.exit.unwrap_or(0)));
        match output.takes.is_zero() {
            true => self.end(cluster, key, output.exit.unwrap_or(0)),
            false => own.phase = Phase::Serving { since: now },
        }
        true
    }

    /// Asks whether the port is there for which a script waits.
    pub(super) fn await_port(&mut self, cluster: &mut Cluster, key: &InstanceKey, now: Stamp) {
        let run = self.instances[key].run.clone();
        let Some((host, port)) = awaited(&run) else { return };
        let ways = ways(cluster, &self.instances, self.ground(), &run, &host, port);
        if ways.iter().any(|way| way.end.is_ok()) {
            self.instance_mut(key).print_all(now, &format!("{host} ({host}:{port}) open"));
            return self.end(cluster, key, 0);
        }
        if now.secs() % 2 == 0 {
            self.instance_mut(key).print_all(now, &format!("waiting for {host}"));
        }
    }
}

/// What a container with kubectl is told to do, done in the name of its service account.
fn kubectl_call(cluster: &mut Cluster, fleet: &mut Fleet, run: &ContainerRun) -> Option<shell::Output> {
    let words: Vec<&str> = run.command.iter().chain(&run.args).map(|word| &**word).collect();
    if !run.image.contains("kubectl") || words.first().is_none_or(|word| word.rsplit('/').next() != Some("kubectl")) {
        return None;
    }
    let pod = cluster.object("pods", &run.namespace, &run.pod)?;
    let account = match json::text(pod, "spec.serviceAccountName") {
        "" => "default".to_string(),
        account => account.to_string(),
    };
    let user = cluster::api::User::service_account(&run.namespace, &account);
    let terminal = kubectl::Terminal::new(user).in_namespace(&run.namespace);
    // Time does not pass within a moment of the fleet's life.
    let mut terminal = terminal.costing(std::time::Duration::ZERO).patient(std::time::Duration::ZERO);
    Some(terminal.kubectl(cluster, fleet, &words[1..], ""))
}

/// Seconds that a script waits before it listens: `import time; time.sleep(15); ...`.
pub(super) fn pause_of(run: &ContainerRun) -> f64 {
    let script = script(run);
    let rest = script.split_once("time.sleep(").map_or("", |(_, rest)| rest);
    rest.split(')').next().and_then(|number| number.trim().parse::<f64>().ok()).unwrap_or(0.0).clamp(0.0, 3600.0)
}

/// The container with that part of its script alone that comes before `sleep infinity`.
fn before_sleep(run: &ContainerRun) -> Option<ContainerRun> {
    let mut words: Vec<String> = run.command.iter().chain(&run.args).cloned().collect();
    let last = words.last_mut()?;
    let head = last.trim_end().strip_suffix("sleep infinity")?.trim_end();
    let head = head.strip_suffix("&&").or_else(|| head.strip_suffix(';'))?.trim_end().to_string();
    *last = head;
    Some(ContainerRun { command: words, args: Vec::new(), ..run.clone() })
}

fn script(run: &ContainerRun) -> String {
    run.command.iter().chain(&run.args).map(|word| &**word).collect::<Vec<_>>().join(" ")
}

/// The folder into which a script clones a repository: `git clone --depth 1 https://... /folder && ...`.
fn cloned(run: &ContainerRun) -> Option<String> {
    let script = script(run);
    let after = script.split_once("git clone ")?.1.split([';', '&', '|']).next()?;
    let last = after.split_whitespace().last()?;
    Some(if last.contains("://") { last.rsplit('/').next()?.trim_end_matches(".git").into() } else { last.into() })
}

/// Host and port for which a script waits: `until nc -z -w30 kafka 9092; do ...`.
pub(super) fn awaited(run: &ContainerRun) -> Option<(String, u16)> {
    let script = script(run);
    if let Some((_, after)) = script.split_once("until mysql -h ") {
        return Some((after.split_whitespace().next()?.into(), 3306));
    }
    let after = script.split_once("until nc ")?.1.split([';', '&', '|']).next()?.to_string();
    let mut words = after.split_whitespace().filter(|word| !word.starts_with(['-', '>', '2']));
    Some((words.next()?.into(), words.next()?.parse().ok()?))
}

/// The ports on which a script listens: `nc -lk -p 8080`, `httpd -p 8080`.
pub(super) fn listened(run: &ContainerRun) -> Vec<u16> {
    let script = script(run);
    let words: Vec<&str> = script.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';'])).collect();
    let starts = |word: &str| matches!(word.rsplit('/').next(), Some("nc" | "ncat" | "httpd"));
    let Some(at) = words.iter().position(|word| starts(word)) else { return Vec::new() };
    let rest = &words[at..];
    let listens = rest[0].ends_with("httpd") || rest.iter().any(|word| word.starts_with('-') && word.contains('l'));
    let numbers = rest.iter().skip(1).take(6).filter_map(|word| word.trim_start_matches("-p").parse::<u16>().ok());
    if listens { numbers.filter(|port| *port > 0).take(1).collect() } else { Vec::new() }
}

/// Whether a container is a shell that lives until a client has attached to it and left: `kubectl run -it -- sh`.
fn waits_for_client(cluster: &Cluster, run: &ContainerRun) -> bool {
    let pod = cluster.object("pods", &run.namespace, &run.pod);
    pod.is_some_and(|pod| cluster::exec::open_shell(pod, &run.name).is_some())
}

/// Whether a container is to end: it initialises its pod, or its pod is not to run for ever.
fn is_to_end(cluster: &Cluster, run: &ContainerRun) -> bool {
    let Some(pod) = cluster.object("pods", &run.namespace, &run.pod) else { return false };
    let mut first = json::list(pod, "spec.initContainers").iter();
    let is_first = first.any(|own| json::text(own, "name") == run.name && json::text(own, "restartPolicy") != "Always");
    is_first || json::text(pod, "spec.restartPolicy") != "Always"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> ContainerRun {
        ContainerRun { command: vec!["sh".into(), "-c".into(), script.into()], ..ContainerRun::default() }
    }

    #[test]
    fn scripts_wait_and_listen() {
        let waits = run("until nc -z -v -w30 kafka 9092; do echo waiting for kafka; sleep 2; done");
        assert_eq!(awaited(&waits), Some(("kafka".into(), 9092)));
        assert_eq!(awaited(&run("echo done")), None);
        assert_eq!(listened(&run("while true; do nc -lk -p 8080; done")), [8080]);
        assert!(listened(&run("nc -z kafka 9092")).is_empty());
        let from = "git clone --depth 1 https://example.com/a/shop.git";
        assert_eq!(cloned(&run(&format!("{from} /src && cp -r /src/. /www"))), Some("/src".into()));
        assert_eq!(cloned(&run(from)), Some("shop".into()));
        assert_eq!(cloned(&run("echo git")), None);
    }
}
