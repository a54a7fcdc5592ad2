//! What could come next in an action that a person types: tools, services, keys, metrics, routes.

use harness::{Brief, ParamOptions, ToolSet, View};

/// Everything that can be named in a world.
pub struct CompletionWords {
    services: Vec<String>,
    tools: Vec<Named>,
}

/// A tool with what can be given for each of its parameters.
struct Named {
    name: String,
    params: Vec<ParamOptions>,
}

impl CompletionWords {
    /// The names of a world. They are the same before and after a fault.
    pub fn of(view: View<'_>, tools: ToolSet) -> CompletionWords {
        let named = |tool: &&'static dyn harness::Tool| Named {
            name: tool.name().to_string(),
            params: tool.params().iter().map(|param| ParamOptions::of(param, view)).collect(),
        };
        CompletionWords {
            services: view.services().map(str::to_string).collect(),
            tools: tools.tools().iter().map(named).collect(),
        }
    }

    /// The tools of a brief alone: what else can be typed is a command line.
    pub fn plain(brief: &Brief) -> CompletionWords {
        let tools = brief.tools.iter().map(|tool| Named { name: tool.name.to_string(), params: Vec::new() });
        CompletionWords { services: Vec::new(), tools: tools.collect() }
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
        let tools = self.tools.iter().map(|tool| format!("{}(", tool.name));
        tools.chain(["help".to_string(), "quit".to_string()]).collect()
    }

    fn candidates(&self, tool: &str, args: &str) -> Vec<String> {
        let tool = self.tools.iter().find(|known| known.name.eq_ignore_ascii_case(tool));
        match tool.and_then(|tool| tool.params.get(args.matches(',').count())) {
            None | Some(ParamOptions::Any) => Vec::new(),
            Some(ParamOptions::These(all)) => all.clone(),
            Some(ParamOptions::OfService(all)) => {
                self.service(args).and_then(|at| all.get(at)).cloned().unwrap_or_default()
            }
        }
    }

    /// The service that the first argument names.
    fn service(&self, args: &str) -> Option<usize> {
        let first = args.split(',').next().unwrap_or_default().rsplit(['=', ':']).next().unwrap_or_default();
        let name = first.trim().trim_matches(['"', '\'']);
        self.services.iter().position(|service| service == name)
    }
}

fn starting_with(word: &str, candidates: Vec<String>) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    candidates.into_iter().filter(|c| c.to_ascii_lowercase().starts_with(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> CompletionWords {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let named = |tool: &&'static dyn harness::Tool| {
            let options = |param: &harness::Param| match param.name {
                "service" => ParamOptions::These(texts(&["cache", "cart"])),
                "key" => ParamOptions::OfService(vec![texts(&["TTL_SECONDS", "TLS"]), Vec::new()]),
                "metric" => ParamOptions::OfService(vec![texts(&["latency_ms"]), texts(&["latency_ms"])]),
                "route" => ParamOptions::These(texts(&["checkout"])),
                "alert" => ParamOptions::These(texts(&["cache/down"])),
                _ => ParamOptions::Any,
            };
            Named { name: tool.name().to_string(), params: tool.params().iter().map(options).collect() }
        };
        CompletionWords {
            services: texts(&["cache", "cart"]),
            tools: ToolSet::FULL.tools().iter().map(named).collect(),
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
