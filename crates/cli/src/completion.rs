//! What could come next in an action that somebody types: tools, services, keys, metrics, routes.

use harness::{Takes, ToolSet, View};

/// Everything that can be named in a world.
pub struct Words {
    tools: ToolSet,
    services: Vec<Named>,
    routes: Vec<String>,
    alerts: Vec<String>,
}

/// A service with what it has.
struct Named {
    name: String,
    keys: Vec<String>,
    metrics: Vec<String>,
}

const LEVELS: [&str; 3] = ["info", "warn", "error"];

impl Words {
    /// The names of a world. They are the same before and after a fault.
    pub fn of(view: View<'_>, tools: ToolSet) -> Words {
        let plan = view.plan();
        let named = |at: usize| Named {
            name: view.name(at).to_string(),
            keys: view.config(at).map(|c| c.key.name.to_string()).collect(),
            metrics: view.metrics(at).map(|m| m.name.to_string()).collect(),
        };
        Words {
            tools,
            services: (0..plan.services.len()).map(named).collect(),
            routes: plan.routes.iter().map(|r| r.name.to_string()).collect(),
            alerts: plan.alerts.iter().map(|a| a.name.to_string()).collect(),
        }
    }

    /// Where the word at the end of `line` begins, and what it could become.
    pub fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let Some((tool, args)) = line.split_once('(') else {
            let start = line.len() - line.trim_start().len();
            return (start, starting_with(&line[start..], self.commands()));
        };
        let last = args.rsplit(',').next().unwrap_or_default();
        // An argument may be given by name: `service=ca`.
        let word = last.rsplit(['=', ':']).next().unwrap_or_default().trim_start().trim_start_matches(['"', '\'']);
        let candidates = self.candidates(tool.trim(), args);
        (line.len() - word.len(), starting_with(word, candidates))
    }

    fn commands(&self) -> Vec<String> {
        let tools = self.tools.tools().iter().map(|tool| format!("{}(", tool.name()));
        tools.chain(["help".to_string(), "quit".to_string()]).collect()
    }

    fn candidates(&self, tool: &str, args: &str) -> Vec<String> {
        let at = args.matches(',').count();
        let Some(param) = self.tools.find(tool).and_then(|tool| tool.params().get(at)) else { return Vec::new() };
        let first = args.split(',').next().unwrap_or_default().rsplit(['=', ':']).next().unwrap_or_default();
        let service = self.services.iter().find(|s| s.name == first.trim().trim_matches(['"', '\'']));
        match param.takes {
            Takes::Service => self.services.iter().map(|s| s.name.clone()).collect(),
            Takes::Key => service.map(|s| s.keys.clone()).unwrap_or_default(),
            Takes::Metric => service.map(|s| s.metrics.clone()).unwrap_or_default(),
            Takes::Route => self.routes.clone(),
            Takes::Alert => self.alerts.clone(),
            Takes::Level => LEVELS.map(str::to_string).to_vec(),
            _ => Vec::new(),
        }
    }
}

fn starting_with(word: &str, candidates: Vec<String>) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    candidates.into_iter().filter(|c| c.to_ascii_lowercase().starts_with(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let service = |name: &str, keys: &[&str]| Named {
            name: name.to_string(),
            keys: keys.iter().map(ToString::to_string).collect(),
            metrics: vec!["latency_ms".to_string()],
        };
        Words {
            tools: ToolSet::Full,
            services: vec![service("cache", &["TTL_SECONDS", "TLS"]), service("cart", &[])],
            routes: vec!["checkout".to_string()],
            alerts: vec!["cache/down".to_string()],
        }
    }

    #[test]
    fn what_fits_is_offered() {
        let check = |line: &str, start: usize, expect: &str| {
            let (at, found) = words().complete(line);
            assert_eq!((at, found.join(" ")), (start, expect.to_string()), "{line}");
        };
        check("inspect_l", 0, "inspect_logs(");
        check("insp", 0, "inspect_logs( inspect_metrics( inspect_config(");
        check("  he", 2, "help");
        check("inspect_logs(ca", 13, "cache cart");
        check("inspect_logs(service=\"car", 22, "cart");
        check("update_config(cache, t", 21, "TTL_SECONDS TLS");
        check("update_config(cache, TTL_SECONDS, 3", 34, "");
        check("query_metrics(cart, ", 20, "latency_ms");
        check("list_traces(", 12, "checkout");
        check("silence_alert(c", 14, "cache/down");
        check("no_tool(c", 8, "");
    }
}
