//! Programs that say where one is: env, date, id, uname, echo and the like; and the shell itself.

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::ContainerHost;

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] = &[
    ("arch", Since::Small, |_, call| say(call, "x86_64")),
    ("env", Since::Small, env),
    ("expr", Since::Small, expr),
    ("hostname", Since::Small, hostname),
    ("id", Since::Small, id),
    ("nproc", Since::Small, |machine, call| {
        let (cores, _) = crate::exec::proc::machine(machine.cluster, machine.run);
        say(call, &cores.to_string())
    }),
    ("printenv", Since::Small, env),
    ("pwd", Since::Small, |machine, call| {
        let folder = machine.folder.clone();
        say(call, &folder)
    }),
    ("sysctl", Since::Small, sysctl),
    ("ulimit", Since::Small, ulimit),
    ("uname", Since::Small, uname),
    ("whoami", Since::Small, whoami),
];

fn say(call: &mut ContainerToolCall<'_>, text: &str) -> i32 {
    call.line(text);
    0
}

fn env(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    if call.name == "printenv"
        && let Some(name) = call.words.first()
    {
        return match machine.variables.get(name).cloned() {
            Some(value) => say(call, &value),
            None => 1,
        };
    }
    let lines: Vec<_> = machine.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    lines.iter().for_each(|line| call.line(line));
    0
}

/// The user that the pod or the container asks for; root otherwise.
fn user(machine: &ContainerHost<'_>) -> (i64, i64) {
    let pod = machine.pod;
    let own =
        crate::json::list(pod, "spec.containers").iter().find(|c| crate::json::text(c, "name") == machine.run.name);
    let of = |field: &str| {
        let path = format!("securityContext.{field}");
        own.and_then(|own| crate::json::int(own, &path)).or_else(|| crate::json::int(pod, &format!("spec.{path}")))
    };
    (of("runAsUser").unwrap_or(0), of("runAsGroup").unwrap_or(0))
}

fn id(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let (uid, gid) = user(machine);
    let name = |number: i64| if number == 0 { "(root)" } else { "" };
    let text = match (call.has('u'), call.has('g')) {
        (true, _) => uid.to_string(),
        (_, true) => gid.to_string(),
        _ => format!("uid={uid}{} gid={gid}{} groups={gid}{}", name(uid), name(gid), name(gid)),
    };
    say(call, &text)
}

fn whoami(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    match user(machine).0 {
        0 => say(call, "root"),
        65534 => say(call, "nobody"),
        uid => call.fail(&format!("cannot find name for user ID {uid}")),
    }
}

fn hostname(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    if call.has('i') || call.has('I') {
        let address = machine.run.pod_ip.clone();
        return say(call, &address);
    }
    let name = machine.files.read("/etc/hostname").unwrap_or_default();
    say(call, String::from_utf8_lossy(&name).trim())
}

fn uname(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let host = machine.run.pod.clone();
    let text = match call.words.first().map(|word| &**word) {
        Some("-a") => format!("Linux {host} 6.1.0 #1 SMP PREEMPT_DYNAMIC Debian x86_64 GNU/Linux"),
        Some("-r") => "6.1.0".into(),
        Some("-n") => host,
        Some("-m") => "x86_64".into(),
        Some("-v") => "#1 SMP PREEMPT_DYNAMIC Debian".into(),
        _ => "Linux".into(),
    };
    say(call, &text)
}

fn ulimit(_: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let text = match call.words.first().map(|word| &**word) {
        Some("-n") => "1048576",
        Some("-a") => {
            "core file size (blocks)         (-c) unlimited\nopen files                      (-n) 1048576\nmax user processes              (-u) unlimited\nvirtual memory (kb)             (-v) unlimited"
        }
        _ => "unlimited",
    };
    say(call, text)
}

fn sysctl(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    for word in call.plain(&[]) {
        let (name, value) = word.split_once('=').map_or((&*word, None), |(name, value)| (name, Some(value)));
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        match (machine.files.read(&path), value) {
            (Err(_), _) => return call.fail(&format!("error: '{path}': No such file or directory")),
            (Ok(_), Some(_)) => return call.fail(&format!("error setting key '{name}': Read-only file system")),
            (Ok(bytes), None) => {
                let text = String::from_utf8_lossy(&bytes).trim().to_string();
                call.line(&if call.has('n') { text } else { format!("{name} = {text}") });
            }
        }
    }
    0
}

fn expr(_: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let [left, operator, right] = call.words else { return call.fail("syntax error") };
    let (Ok(a), Ok(b)) = (left.parse::<i64>(), right.parse::<i64>()) else {
        let equal = i32::from(left == right);
        return say(call, &equal.to_string());
    };
    let value = match operator.as_str() {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        ">" => Some(i64::from(a > b)),
        "<" => Some(i64::from(a < b)),
        _ => Some(i64::from(a == b)),
    };
    match value {
        Some(value) => {
            call.line(&value.to_string());
            i32::from(value == 0)
        }
        None => call.fail("division by zero"),
    }
}
