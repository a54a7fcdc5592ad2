//! `kafka-consumer-groups.sh`.

use cluster::ExecEnd;

use super::KafkaStore;
use crate::scatter::stir;
use crate::stores::ConsoleCall;
use crate::stores::console::Options;

/// Lists, describes, resets and deletes groups.
pub(super) fn groups(store: &mut KafkaStore, options: &Options) -> ExecEnd {
    if options.has(&["--list"]) {
        return ConsoleCall::prints(store.groups.keys().map(|name| format!("{name}\n")).collect::<String>());
    }
    let wanted: Vec<String> = match options.get(&["--group"]) {
        Some(name) => vec![name.into()],
        None if options.has(&["--all-groups"]) => store.groups.keys().cloned().collect(),
        None => return ConsoleCall::fails(1, "Option [describe] takes one of these options: [all-groups], [group]\n"),
    };
    if let Some(name) = wanted.iter().find(|name| !store.groups.contains_key(*name)) {
        if !options.has(&["--reset-offsets"]) {
            return ConsoleCall::prints(format!("\nError: Consumer group '{name}' does not exist.\n"));
        }
        store.groups.entry(name.clone()).or_default();
    }
    if options.has(&["--describe"]) && options.has(&["--members", "--state"]) {
        let is_state = options.has(&["--state"]);
        return ConsoleCall::prints(wanted.iter().map(|name| summary(store, name, is_state)).collect::<String>());
    }
    if options.has(&["--describe"]) {
        return ConsoleCall::prints(wanted.iter().map(|name| described(store, name)).collect::<String>());
    }
    let Some(name) = wanted.first() else { return ConsoleCall::prints("") };
    let is_active = store.groups.get(name).is_some_and(|group| group.is_active(store.now));
    match (options.has(&["--delete"]), options.has(&["--reset-offsets"]), is_active) {
        (true, _, true) => ConsoleCall::prints(format!(
            "Error: Deletion of some consumer groups failed:\n* Group '{name}' could not be deleted due to: \
             java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.GroupNotEmptyException: The group is \
             not empty.\n"
        )),
        (true, _, false) => {
            let text = format!("Deletion of requested consumer groups ('{name}') was successful.\n");
            store.groups.remove(name);
            ConsoleCall::prints(text)
        }
        (_, true, true) => ConsoleCall::prints(format!(
            "\nError: Assignments can only be reset if the group '{name}' is inactive, but the current state is Stable.\n"
        )),
        (_, true, false) => reset(store, name, options),
        _ => ConsoleCall::fails(
            1,
            "Command must include exactly one action: [list], [describe], [delete], [reset-offsets], [delete-offsets]\n",
        ),
    }
}

fn described(store: &KafkaStore, name: &str) -> String {
    let Some(group) = store.groups.get(name) else { return String::new() };
    let is_active = group.is_active(store.now);
    let mut rows = vec![
        ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID"]
            .map(String::from),
    ];
    for ((topic, number), at) in &group.offsets {
        let partition = store.topics.get(topic).and_then(|topic| topic.partitions.get(*number));
        let (at, end) = (*at as i64, partition.map_or(0.0, |partition| partition.end) as i64);
        let pod = group.member.rsplit('/').next().unwrap_or_default();
        let [id, host, client] = match is_active {
            true => [format!("{pod}-{:08x}", stir(pod) >> 32), format!("/{}", group.address), pod.to_string()],
            false => ["-", "-", "-"].map(String::from),
        };
        let numbers = [*number as i64, at, end, end - at].map(|number| number.to_string());
        let [number, at, end, lag] = numbers;
        rows.push([name.into(), topic.clone(), number, at, end, lag, id, host, client]);
    }
    let idle = if is_active { String::new() } else { format!("Consumer group '{name}' has no active members.\n\n") };
    format!("\n{idle}{}", laid(&rows))
}

/// The members of a group, or how it stands.
fn summary(store: &KafkaStore, name: &str, is_state: bool) -> String {
    let Some(group) = store.groups.get(name) else { return String::new() };
    let (is_active, pod) = (group.is_active(store.now), group.member.rsplit('/').next().unwrap_or_default());
    if is_state {
        let (state, count) = if is_active { ("Stable", "1") } else { ("Empty", "0") };
        let heads = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"].map(String::from);
        return format!("\n{}", laid(&[heads, [name, "kafka:9092 (1)", "range", state, count].map(String::from)]));
    }
    if !is_active {
        return format!("\nConsumer group '{name}' has no active members.\n");
    }
    let heads = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"].map(String::from);
    let id = format!("{pod}-{:08x}", stir(pod) >> 32);
    let row = [name.into(), id, format!("/{}", group.address), pod.into(), group.offsets.len().to_string()];
    format!("\n{}", laid(&[heads, row]))
}

/// Columns as wide as their widest cell.
fn laid<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: Vec<usize> = (0..N).map(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or(0)).collect();
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join(" ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn reset(store: &mut KafkaStore, name: &str, options: &Options) -> ExecEnd {
    let Some(topic) = options.get(&["--topic"]) else {
        return ConsoleCall::fails(1, "One of the reset scopes should be defined: --all-topics, --topic.\n");
    };
    let (topic, only): (&str, Option<usize>) =
        topic.split_once(':').map_or((topic, None), |(topic, number)| (topic, number.parse().ok()));
    let Some(partitions) = store.topics.get(topic).map(|topic| topic.partitions.clone()) else {
        return ConsoleCall::fails(1, format!("Error: The topic '{topic}' does not exist.\n"));
    };
    let is_done = options.has(&["--execute"]);
    let group = store.groups.entry(name.into()).or_default();
    let mut rows = vec![["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"].map(String::from)];
    let meant = partitions.iter().enumerate().filter(|(number, _)| only.is_none_or(|only| only == *number));
    for (number, partition) in meant {
        let key = (topic.to_string(), number);
        let at = group.offsets.get(&key).copied().unwrap_or(partition.start as f64);
        let given = |option: &str| options.get(&[option]).and_then(|text| text.parse::<f64>().ok());
        let wanted = match (given("--to-offset"), given("--shift-by")) {
            (Some(offset), _) => offset,
            (_, Some(by)) => at + by,
            _ if options.has(&["--to-earliest"]) => partition.start as f64,
            _ if options.has(&["--to-current"]) => at,
            _ => partition.end,
        };
        let wanted = wanted.clamp(partition.start as f64, partition.end).trunc();
        if is_done {
            group.offsets.insert(key, wanted);
        }
        rows.push([name.into(), topic.into(), number.to_string(), (wanted as i64).to_string()]);
    }
    ConsoleCall::prints(format!("\n{}", laid(&rows)))
}
