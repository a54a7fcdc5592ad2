//! Programs over processes: ps, top, free, kill, uptime.

use std::time::Duration;

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::{ContainerHost, proc};
use crate::program::ContainerExit;

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] = &[
    ("free", Since::Small, free),
    ("kill", Since::Small, kill),
    ("lsof", Since::Large, |machine, call| {
        let name = proc::short(&proc::command_line(machine.run)[0]).to_string();
        call.line("COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME");
        for port in machine.run.ports.clone() {
            call.line(&format!("{name:<8} 1   root    3u  IPv4      0t0  TCP *:{port} (LISTEN)"));
        }
        0
    }),
    ("pgrep", Since::Small, pgrep),
    ("pidof", Since::Small, pgrep),
    ("pkill", Since::Small, kill),
    ("ps", Since::Small, ps),
    ("top", Since::Small, top),
    ("uptime", Since::Small, |machine, call| {
        let (_, _, _, hour, minute, second) = machine.cluster.now.civil();
        call.line(&format!(
            " {hour:02}:{minute:02}:{second:02} up 12 days,  3:04,  0 users,  load average: 0.08, 0.10, 0.09"
        ));
        0
    }),
];

fn ps(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let main = proc::command_line(machine.run).join(" ");
    let own = std::iter::once("ps".to_string()).chain(call.words.iter().cloned()).collect::<Vec<_>>().join(" ");
    let usage = machine.programs.usage(machine.cluster.now, machine.run);
    let (_, total) = proc::machine(machine.cluster, machine.run);
    let memory = usage.memory / 1024;
    let letters: String = call.words.concat();
    match (letters.contains('u'), letters.contains('f') || letters.contains('e')) {
        (true, _) => {
            call.line("USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND");
            let cpu = usage.cpu_milli as f64 / 10.0;
            let share = memory as f64 * 100.0 / total.max(1) as f64;
            call.line(&format!(
                "root           1 {cpu:4.1} {share:4.1} {:>6} {memory:>5} ?        Ssl  00:00   0:01 {main}",
                memory * 3
            ));
            call.line(&format!("root           7  0.0  0.0   2580   900 ?        R    00:00   0:00 {own}"));
        }
        (false, true) => {
            call.line("UID          PID    PPID  C STIME TTY          TIME CMD");
            call.line(&format!("root           1       0  0 00:00 ?        00:00:01 {main}"));
            call.line(&format!("root           7       0  0 00:00 ?        00:00:00 {own}"));
        }
        _ => {
            call.line("PID   USER     TIME  COMMAND");
            call.line(&format!("    1 root      0:01 {main}"));
            call.line(&format!("    7 root      0:00 {own}"));
        }
    }
    0
}

fn top(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let usage = machine.programs.usage(machine.cluster.now, machine.run);
    let (cores, total) = proc::machine(machine.cluster, machine.run);
    let main = proc::command_line(machine.run).join(" ");
    let share = usage.cpu_milli / (cores.max(1) * 10);
    call.line(&format!("Mem: {}K used, {}K free, 0K shrd, 0K buff, 0K cached", total / 2, total / 2));
    call.line(&format!(
        "CPU:  {share}% usr   0% sys   0% nic {}% idle   0% io   0% irq   0% sirq",
        100 - share.clamp(0, 100)
    ));
    call.line("Load average: 0.08 0.10 0.09 1/212 7");
    call.line("  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND");
    call.line(&format!("    1     0 root     S    {:>5}m   0%   0  {share:>3}% {main}", usage.memory >> 20));
    call.line("    7     0 root     R     1580   0%   0    0% top");
    0
}

fn free(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let (_, total) = proc::machine(machine.cluster, machine.run);
    let (shift, unit) = if call.has('m') {
        (10, "")
    } else if call.has('g') {
        (20, "")
    } else {
        (0, "")
    };
    let human = call.has('h');
    let shown = |kilobytes: i64| match human {
        true => format!("{}i", super::files::readable(kilobytes as u64 * 1024)),
        false => format!("{}{unit}", kilobytes >> shift),
    };
    call.line("               total        used        free      shared  buff/cache   available");
    call.line(&format!(
        "Mem:    {:>12}{:>12}{:>12}{:>12}{:>12}{:>12}",
        shown(total),
        shown(total / 4),
        shown(total / 2),
        shown(0),
        shown(total / 4),
        shown(total * 3 / 4)
    ));
    call.line(&format!("Swap:   {:>12}{:>12}{:>12}", shown(0), shown(0), shown(0)));
    0
}

/// Ends the main process; anything else is not there.
fn kill(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    if call.has('l') {
        call.line("1) HUP 2) INT 3) QUIT 9) KILL 15) TERM");
        return 0;
    }
    let main = proc::command_line(machine.run);
    let kills = call.words.iter().any(|word| matches!(word.as_str(), "-9" | "-KILL" | "-SIGKILL"));
    let probes = call.words.iter().any(|word| word == "-0");
    for word in call.plain(&["-s"]) {
        let is_main = word == "1" || call.name == "pkill" && main.iter().any(|own| own.contains(&*word));
        if !is_main {
            return match call.name {
                "pkill" => 1,
                _ => call.fail(&format!("can't kill pid {word}: No such process")),
            };
        }
        // The kernel lets no process kill the first one from inside unless that one has said how it takes it.
        if probes || kills {
            continue;
        }
        let (_, code) = machine.programs.stop(machine.cluster.now, machine.run, Duration::from_secs(30));
        let (namespace, pod, name) = (machine.run.namespace.clone(), machine.run.pod.clone(), machine.run.name.clone());
        machine.cluster.container_ended(&namespace, &pod, &name, ContainerExit::with(code));
    }
    0
}

fn pgrep(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let main = proc::command_line(machine.run).join(" ");
    match call.plain(&[]).iter().any(|word| main.contains(&**word)) {
        true => {
            call.line("1");
            0
        }
        false => 1,
    }
}
