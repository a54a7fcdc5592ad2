//! The commands of kubectl, one file each.

mod annotate;
mod api_resources;
mod apply;
mod auth;
mod autoscale;
mod cluster_info;
mod config;
mod cordon;
mod cp;
mod create;
mod create_access;
mod create_network;
mod create_policy;
mod create_secret;
mod create_workload;
mod debug;
mod delete;
mod describe;
mod diff;
mod drain;
mod edit;
mod events;
mod exec;
mod explain;
mod expose;
mod get;
mod label;
mod logs;
mod patch;
mod port_forward;
mod replace;
mod rollout;
mod rollout_status;
mod rollout_undo;
mod run;
mod scale;
mod set;
mod set_env;
mod taint;
mod top;
mod version;
mod wait;

use crate::failure::Failure;
use crate::kubectl::Kubectl;

pub(crate) use exec::pod_of;

/// What a command came to.
pub(crate) type Outcome = Result<(), Failure>;

/// A command: its name, its own flags, and what it does.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) flags: &'static str,
    pub(crate) run: fn(&mut Kubectl<'_, '_>) -> Outcome,
}

macro_rules! commands {
    ($($name:literal, $flags:expr, $run:path;)*) => {
        &[$(Command { name: $name, flags: $flags, run: $run }),*]
    };
}

static COMMANDS: &[Command] = commands! {
    "annotate", label::FLAGS, annotate::run;
    "api-resources", api_resources::FLAGS, api_resources::resources;
    "api-versions", "", api_resources::versions;
    "apply", apply::FLAGS, apply::run;
    "apply view-last-applied", "o|output= f|filename= l|selector= all", apply::view_last;
    "apply set-last-applied", "create-annotation f|filename= o|output= dry-run?unchanged", apply::unsupported;
    "apply edit-last-applied", "f|filename= o|output=", apply::unsupported;
    "attach", exec::ATTACH_FLAGS, exec::attach;
    "auth can-i", auth::CAN_FLAGS, auth::can_i;
    "auth whoami", "o|output= template=", auth::whoami;
    "auth reconcile", "f|filename= dry-run?unchanged o|output= remove-extra-permissions remove-extra-subjects", auth::reconcile;
    "autoscale", autoscale::FLAGS, autoscale::run;
    "cluster-info", "", cluster_info::run;
    "cluster-info dump", "A|all-namespaces namespaces= o|output= output-directory= pod-running-timeout=", cluster_info::dump;
    "config view", config::VIEW_FLAGS, config::view;
    "config current-context", "", config::current;
    "config get-contexts", "no-headers o|output=", config::contexts;
    "config get-clusters", "", config::clusters;
    "config get-users", "", config::users;
    "config set-context", "current cluster= user=", config::set_context;
    "config use-context", "", config::use_context;
    "cordon", cordon::FLAGS, cordon::cordon;
    "uncordon", cordon::FLAGS, cordon::uncordon;
    "cp", "c|container= no-preserve retries=i", cp::run;
    "create", create::FLAGS, create::run;
    "create clusterrole", create_access::ROLE_FLAGS, create_access::cluster_role;
    "create clusterrolebinding", create_access::BINDING_FLAGS, create_access::cluster_role_binding;
    "create configmap", create_secret::MAP_FLAGS, create_secret::config_map;
    "create cm", create_secret::MAP_FLAGS, create_secret::config_map;
    "create cronjob", create_workload::CRON_FLAGS, create_workload::cron_job;
    "create cj", create_workload::CRON_FLAGS, create_workload::cron_job;
    "create deployment", create_workload::DEPLOYMENT_FLAGS, create_workload::deployment;
    "create deploy", create_workload::DEPLOYMENT_FLAGS, create_workload::deployment;
    "create ingress", create_network::INGRESS_FLAGS, create_network::ingress;
    "create ing", create_network::INGRESS_FLAGS, create_network::ingress;
    "create job", create_workload::JOB_FLAGS, create_workload::job;
    "create namespace", create::SIMPLE_FLAGS, create_policy::namespace;
    "create ns", create::SIMPLE_FLAGS, create_policy::namespace;
    "create poddisruptionbudget", create_policy::BUDGET_FLAGS, create_policy::budget;
    "create pdb", create_policy::BUDGET_FLAGS, create_policy::budget;
    "create priorityclass", create_policy::PRIORITY_FLAGS, create_policy::priority;
    "create pc", create_policy::PRIORITY_FLAGS, create_policy::priority;
    "create quota", create_policy::QUOTA_FLAGS, create_policy::quota;
    "create resourcequota", create_policy::QUOTA_FLAGS, create_policy::quota;
    "create role", create_access::ROLE_FLAGS, create_access::role;
    "create rolebinding", create_access::BINDING_FLAGS, create_access::role_binding;
    "create secret", create_secret::SECRET_FLAGS, create_secret::secret;
    "create service", create_network::SERVICE_FLAGS, create_network::service;
    "create svc", create_network::SERVICE_FLAGS, create_network::service;
    "create serviceaccount", create::SIMPLE_FLAGS, create_policy::account;
    "create sa", create::SIMPLE_FLAGS, create_policy::account;
    "create token", "audience=* bound-object-kind= bound-object-name= bound-object-uid= duration=d o|output= template=", create_access::token;
    "debug", debug::FLAGS, debug::run;
    "delete", delete::FLAGS, delete::run;
    "describe", describe::FLAGS, describe::run;
    "diff", diff::FLAGS, diff::run;
    "drain", drain::FLAGS, drain::run;
    "edit", edit::FLAGS, edit::run;
    "events", events::FLAGS, events::run;
    "exec", exec::FLAGS, exec::run;
    "explain", "api-version= recursive o|output=", explain::run;
    "expose", expose::FLAGS, expose::run;
    "get", get::FLAGS, get::run;
    "label", label::FLAGS, label::run;
    "logs", logs::FLAGS, logs::run;
    "options", "", cluster_info::options;
    "patch", patch::FLAGS, patch::run;
    "port-forward", "address= pod-running-timeout=d", port_forward::run;
    "replace", replace::FLAGS, replace::run;
    "rollout history", rollout::HISTORY_FLAGS, rollout::history;
    "rollout pause", rollout::FLAGS, rollout::pause;
    "rollout restart", rollout::FLAGS, rollout::restart;
    "rollout resume", rollout::FLAGS, rollout::resume;
    "rollout status", rollout_status::FLAGS, rollout_status::run;
    "rollout undo", rollout_undo::FLAGS, rollout_undo::run;
    "run", run::FLAGS, run::run;
    "scale", scale::FLAGS, scale::run;
    "set env", set_env::FLAGS, set_env::run;
    "set image", set::FLAGS, set::image;
    "set resources", set::FLAGS, set::resources;
    "set selector", set::FLAGS, set::selector;
    "set serviceaccount", set::FLAGS, set::account;
    "set sa", set::FLAGS, set::account;
    "set subject", set::FLAGS, set::subject;
    "taint", taint::FLAGS, taint::run;
    "top node", top::FLAGS, top::nodes;
    "top nodes", top::FLAGS, top::nodes;
    "top no", top::FLAGS, top::nodes;
    "top pod", top::FLAGS, top::pods;
    "top pods", top::FLAGS, top::pods;
    "top po", top::FLAGS, top::pods;
    "version", "client o|output= short", version::run;
    "wait", wait::FLAGS, wait::run;
};

/// The command of a name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The names of all commands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// Why a command of the real kubectl is not here.
pub(crate) fn unsupported(name: &str) -> Option<&'static str> {
    match name {
        "proxy" => Some("it would serve a socket, and there is none in process"),
        "completion" | "plugin" => Some("it is about shells and files of a real machine"),
        "certificate" => Some("certificates are not signed here"),
        "kustomize" => Some("write the manifests themselves"),
        _ => None,
    }
}

/// What kubectl says of a command that it does not have.
pub(crate) fn unknown(name: &str) -> String {
    let mut near: Vec<&str> = names().filter_map(|known| known.split(' ').next()).collect();
    near.dedup();
    near.retain(|known| distance(name, known) <= 2 || known.starts_with(name));
    let mut text = format!("error: unknown command {name:?} for \"kubectl\"\n");
    if !near.is_empty() {
        text.push_str("\nDid you mean this?\n");
        near.iter().for_each(|known| text.push_str(&format!("\t{known}\n")));
    }
    text
}

/// How many letters must change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, c) in a.chars().take(40).enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (column, other) in b.iter().enumerate() {
            let cost = before + usize::from(c != *other);
            before = row[column + 1];
            row[column + 1] = cost.min(row[column] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

/// What kubectl without a command prints.
pub(crate) fn overview() -> String {
    let mut text = String::from("kubectl controls the Kubernetes cluster manager.\n\nAvailable Commands:\n");
    names().for_each(|name| text.push_str(&format!("  {name}\n")));
    text.push_str("\nUse \"kubectl <command> --help\" for the flags of a command.\n");
    text
}

/// The flags of a command.
pub(crate) fn help(command: &Command) -> String {
    let mut text = format!("Usage:\n  kubectl {} [flags]\n\nOptions:\n", command.name);
    for entry in command.flags.split_whitespace() {
        let (name, value) = entry.split_once(['=', '?']).map_or((entry, ""), |(name, _)| (name, "=VALUE"));
        let shown = match name.split_once('|') {
            Some((short, long)) => format!("-{short}, --{long}"),
            None => format!("    --{name}"),
        };
        text.push_str(&format!("    {shown}{value}\n"));
    }
    text
}
