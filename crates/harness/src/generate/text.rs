//! A generated task as an ordinary task file.

use std::collections::BTreeMap;
use std::fmt::Write;

use record::Evidence;
use world::spec::{AppSpec, CallSpec, LoadShape, Op, RouteSpec, ServiceSpec, Spec};

use crate::record::Fix;
use crate::task::Task;

/// The text of the file; reading it gives the task again.
pub fn file(task: &Task, spec: &Spec) -> String {
    let mut out = String::new();
    card(&mut out, task);
    world(&mut out, spec);
    for fault in &task.faults {
        put(&mut out, format_args!("\n[[fault]]\nkind = {}", quoted(fault.fault.name())));
        for (name, value) in &fault.args.0 {
            put(&mut out, format_args!("{name} = {}", quoted(value)));
        }
        if fault.after > world::Span::ZERO {
            put(&mut out, format_args!("after_s = {}", fault.after.0 / 1000));
        }
    }
    for response in &task.responders {
        let info = &task.plan.services[response.service];
        put(&mut out, format_args!("\n[[responder]]\nservice = {}", quoted(&info.name)));
        if let Some((key, value)) = &response.set {
            put(
                &mut out,
                format_args!("key = {}\nvalue = {}", quoted(info.kind.keys()[*key].name), quoted(&value.to_string())),
            );
        } else {
            put(&mut out, format_args!("restart = true"));
        }
        put(
            &mut out,
            format_args!("minutes_after_onset = {}\nauthor = {}", response.after.0 / 60_000, quoted(&response.author)),
        );
    }
    for decoy in &task.decoys {
        let service = quoted(&task.plan.services[decoy.service].name);
        put(&mut out, format_args!("\n[[decoy]]\nservice = {service}\nminutes_before = {}", decoy.before.0 / 60_000));
        put(&mut out, format_args!("author = {}\nsummary = {}", quoted(&decoy.author), quoted(&decoy.summary)));
    }
    let evidence: Vec<String> = task.evidence.iter().map(Evidence::to_string).collect();
    let fix: Vec<String> = task.fix.iter().map(fix).collect();
    put(&mut out, format_args!("\n[diagnosis]\ncomponent = {}", quoted(&task.component)));
    put(&mut out, format_args!("concepts = {}", list(&task.concepts)));
    put(&mut out, format_args!("\n[grading]\nevidence = {}", list(&evidence)));
    put(&mut out, format_args!("fix = [{}]\ndistractors = {}", fix.join(", "), list(&task.distractors)));
    put(&mut out, format_args!("\n[solution]\ncalls = ["));
    for call in &task.solution {
        put(&mut out, format_args!("  {},", quoted(call)));
    }
    put(&mut out, format_args!("]"));
    out
}

fn card(out: &mut String, task: &Task) {
    put(out, format_args!("id = {}\ntitle = {}", quoted(&task.id), quoted(&task.title)));
    put(out, format_args!("difficulty = {}\nsplit = {}", quoted(task.difficulty.text()), quoted(task.split.text())));
    put(out, format_args!("suites = []\nsteps = {}", task.steps));
    if task.noise.0 > 0 {
        put(out, format_args!("noise = {}", task.noise.0));
    }
    if task.tools != faces::ToolSet::CLASSIC {
        put(out, format_args!("tools = {}", quoted(task.tools.name())));
    }
    if let Some(f) = &task.figures {
        put(
            out,
            format_args!("\n[measured]\ndistance = {}\nabnormal = {}\nsignal = {:?}", f.distance, f.abnormal, f.signal),
        );
        put(out, format_args!("solution = {}\nrunbook = {:?}\nscore = {:?}", f.solution, f.runbook, f.score));
    }
}

fn world(out: &mut String, spec: &Spec) {
    put(out, format_args!("\n[world]\nbase = \"inline\"\n\n[world.spec]\nnodes = {}", spec.nodes));
    for (name, words) in
        [("teams", &spec.teams), ("builds", &spec.builds)].iter().filter(|(_, words)| !words.is_empty())
    {
        put(out, format_args!("{name} = {}", list(words)));
    }
    put(out, format_args!("tickets = {}\nservices = [", list(&spec.tickets)));
    for service in &spec.services {
        put(out, format_args!("  {},", service_line(service)));
    }
    put(out, format_args!("]"));
    for AppSpec { name, routes, load } in &spec.apps {
        put(out, format_args!("\n[[world.spec.apps]]\nname = {}{}\nroutes = [", quoted(name), load_line(load)));
        for route in routes {
            put(out, format_args!("  {},", route_line(route)));
        }
        put(out, format_args!("]"));
    }
}

/// How load moves, where it does not move as in the shop.
fn load_line(load: &LoadShape) -> String {
    if load.is_usual() {
        return String::new();
    }
    let LoadShape { day, wander, jitter, burst_every_s, burst_s, burst, again_s, tries } = load;
    let usual = LoadShape::default();
    let again = if (*again_s, *tries) == (usual.again_s, usual.tries) {
        String::new()
    } else {
        format!(", again_s = {again_s:?}, tries = {tries}")
    };
    format!(
        "\nload = {{ day = {day:?}, wander = {wander:?}, jitter = {jitter:?}, burst_every_s = {burst_every_s}, \
         burst_s = {burst_s}, burst = {burst:?}{again} }}"
    )
}

fn service_line(service: &ServiceSpec) -> String {
    let ServiceSpec { name, kind, instances, config, params, words } = service;
    let mut line = format!("{{ name = {}, kind = {}, instances = {instances}", quoted(name), quoted(kind));
    line += &inline("config", config, |v| quoted(v));
    line += &inline("params", params, |v| format!("{v:?}"));
    line += &inline("words", words, |v| quoted(v));
    line + " }"
}

fn inline<K: AsRef<str> + Ord, V>(name: &str, map: &BTreeMap<K, V>, text: impl Fn(&V) -> String) -> String {
    if map.is_empty() {
        return String::new();
    }
    // A key of several words stands in quotes.
    let is_bare = |key: &str| key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let key = |key: &str| if is_bare(key) { key.to_string() } else { quoted(key) };
    let pairs: Vec<String> = map.iter().map(|(k, v)| format!("{} = {}", key(k.as_ref()), text(v))).collect();
    format!(", {name} = {{ {} }}", pairs.join(", "))
}

fn route_line(route: &RouteSpec) -> String {
    let RouteSpec { name, rps, slow_ms, patience_ms, allowed, user_retry, entry } = route;
    format!(
        "{{ name = {}, rps = {rps:?}, slow_ms = {slow_ms:?}, patience_ms = {patience_ms:?}, allowed = {allowed:?}, \
         user_retry = {user_retry:?}, entry = {} }}",
        quoted(name),
        call(entry)
    )
}

fn call(spec: &CallSpec) -> String {
    let calls = |name: &str, all: &[CallSpec]| {
        let inner: Vec<String> = all.iter().map(call).collect();
        if inner.is_empty() { String::new() } else { format!(", {name} = [{}]", inner.join(", ")) }
    };
    format!(
        "{{ to = {}, op = {}, times = {:?}{}{} }}",
        quoted(&spec.to),
        op(&spec.op),
        spec.times,
        calls("calls", &spec.calls),
        calls("on_miss", &spec.on_miss)
    )
}

fn op(op: &Op) -> String {
    let mut parts = vec![format!("name = {}", quoted(&op.name))];
    let numbers = [("work_ms", op.work_ms), ("hold_ms", op.hold_ms), ("spread", op.spread), ("hit", op.hit)];
    parts.extend(numbers.iter().filter(|(_, n)| *n != 0.0).map(|(name, n)| format!("{name} = {n:?}")));
    parts.extend(op.write.then(|| "write = true".to_string()));
    parts.extend(op.index.iter().map(|index| format!("index = {}", quoted(index))));
    format!("{{ {} }}", parts.join(", "))
}

fn fix(fix: &Fix) -> String {
    match fix {
        Fix::Config { config, is } => format!("{{ config = {}, is = {} }}", quoted(config), quoted(is)),
        Fix::Restart { restart } => format!("{{ restart = {} }}", quoted(restart)),
        Fix::RolledBack { rolled_back } => format!("{{ rolled_back = {} }}", quoted(rolled_back)),
    }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|i| quoted(i)).collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("a string takes everything");
}
