//! What depends on what, over all modules; the order of work; cycles.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::{Config, ModuleCall};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Reference, references};

/// The largest number of nodes: more than any reply needs.
const MOST_NODES: usize = 4000;

/// Something that is evaluated once per instance of its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GraphItem {
    /// The expansion of a module call: its `count` or `for_each`.
    Call(String),
    /// A provider's settings, by their place in the module.
    Provider(usize),
    /// An input.
    Variable(String),
    /// A local value.
    Local(String),
    /// A resource or data source, by its key.
    Resource(String),
    /// A result.
    Output(String),
}

/// The graph, in order.
#[derive(Debug)]
pub struct DependencyGraph {
    /// The nodes: module and item.
    pub nodes: Vec<(usize, GraphItem)>,
    /// Nodes in an order in which dependencies come first.
    pub order: Vec<usize>,
    /// One bit per node that a node waits for, directly or not.
    ancestors: Vec<Vec<u64>>,
    index: BTreeMap<(usize, GraphItem), usize>,
}

impl DependencyGraph {
    /// Builds the graph, or reports a cycle.
    pub fn build(config: &Config) -> Result<Self, Vec<Diagnostic>> {
        let mut nodes: Vec<(usize, GraphItem)> = Vec::new();
        for (at, module) in config.modules.iter().enumerate() {
            nodes.extend(module.calls.keys().map(|n| (at, GraphItem::Call(n.clone()))));
            nodes.extend((0..module.providers.len()).map(|i| (at, GraphItem::Provider(i))));
            nodes.extend(module.variables.keys().map(|n| (at, GraphItem::Variable(n.clone()))));
            nodes.extend(module.locals.keys().map(|n| (at, GraphItem::Local(n.clone()))));
            nodes.extend(module.resources.keys().map(|n| (at, GraphItem::Resource(n.clone()))));
            nodes.extend(module.outputs.keys().map(|n| (at, GraphItem::Output(n.clone()))));
        }
        if nodes.len() > MOST_NODES {
            let detail = format!("The configuration has {} parts; at most {MOST_NODES} are handled.", nodes.len());
            return Err(vec![Diagnostic::new("Configuration too large", detail)]);
        }
        let index = nodes.iter().cloned().enumerate().map(|(i, node)| (node, i)).collect();
        let mut graph = Self { nodes, order: Vec::new(), ancestors: Vec::new(), index };
        let edges: Vec<BTreeSet<usize>> = (0..graph.nodes.len()).map(|i| graph.dependencies(config, i)).collect();
        graph.sort(config, &edges)?;
        Ok(graph)
    }

    /// The node of an item.
    pub fn find(&self, module: usize, item: &GraphItem) -> Option<usize> {
        self.index.get(&(module, item.clone())).copied()
    }

    /// Whether one node must wait for another.
    pub fn waits_for(&self, node: usize, other: usize) -> bool {
        self.ancestors[node][other / 64] >> (other % 64) & 1 == 1
    }

    fn dependencies(&self, config: &Config, node: usize) -> BTreeSet<usize> {
        let (at, item) = &self.nodes[node];
        let module = &config.modules[*at];
        let mut made = BTreeSet::new();
        if let Some((parent, name)) = &module.parent {
            made.extend(self.find(*parent, &GraphItem::Call(name.clone())));
        }
        let mut found: Vec<(usize, Vec<Reference>)> = Vec::new();
        match item {
            GraphItem::Call(name) => {
                found.extend(module.calls[name].repeat.expr().map(|e| (*at, e.references())));
            }
            GraphItem::Provider(i) => found.push((*at, references(&module.providers[*i].item.body))),
            GraphItem::Variable(name) => {
                if let Some((parent, call)) = &module.parent {
                    let expr = config.modules[*parent].calls[call].inputs.get(name);
                    found.extend(expr.map(|e| (*parent, e.references())));
                }
                let tests = module.variables[name].validations.iter().flat_map(|(test, _)| test.references());
                found.push((*at, tests.filter(|r| r.root != "var" || r.path.first() != Some(name)).collect()));
            }
            GraphItem::Local(name) => found.push((*at, module.locals[name].item.references())),
            GraphItem::Output(name) => {
                found.push((*at, module.outputs[name].value.references()));
                found.push((*at, module.outputs[name].depends_on.clone()));
            }
            GraphItem::Resource(key) => {
                found.extend(resource_references(config, *at, key));
                let provider = module.resources[key].kind.split('_').next().unwrap_or_default();
                let own = config.modules[0].providers.iter().enumerate().filter(|(_, p)| p.item.name == provider);
                made.extend(own.filter_map(|(i, _)| self.find(0, &GraphItem::Provider(i))));
            }
        }
        for (from, references) in found {
            references.iter().for_each(|r| self.targets(config, from, r, &mut made));
        }
        made
    }

    fn targets(&self, config: &Config, from: usize, reference: &Reference, made: &mut BTreeSet<usize>) {
        let part = |i: usize| reference.path.get(i).cloned().unwrap_or_default();
        match reference.root.as_str() {
            "var" => made.extend(self.find(from, &GraphItem::Variable(part(0)))),
            "local" => made.extend(self.find(from, &GraphItem::Local(part(0)))),
            "module" => {
                made.extend(self.find(from, &GraphItem::Call(part(0))));
                let child = config.modules[from].calls.get(&part(0)).and_then(|c| c.module);
                let Some(child) = child else { return };
                match self.find(child, &GraphItem::Output(part(1))) {
                    Some(node) => made.extend([node]),
                    None => {
                        let outputs = config.modules[child].outputs.keys();
                        made.extend(outputs.filter_map(|n| self.find(child, &GraphItem::Output(n.clone()))));
                        let resources = config.modules[child].resources.keys();
                        made.extend(resources.filter_map(|n| self.find(child, &GraphItem::Resource(n.clone()))));
                    }
                }
            }
            "data" => made.extend(self.find(from, &GraphItem::Resource(format!("data.{}.{}", part(0), part(1))))),
            kind => made.extend(self.find(from, &GraphItem::Resource(format!("{kind}.{}", part(0))))),
        }
    }

    /// Orders the nodes, smallest first among those that are ready.
    fn sort(&mut self, config: &Config, edges: &[BTreeSet<usize>]) -> Result<(), Vec<Diagnostic>> {
        let mut waiting: Vec<usize> = edges.iter().map(BTreeSet::len).collect();
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
        for (node, targets) in edges.iter().enumerate() {
            if targets.contains(&node) {
                let detail = format!("Configuration for {} may not refer to itself.", self.name(config, node));
                return Err(vec![Diagnostic::new("Self-referential block", detail)]);
            }
            for target in targets {
                dependents[*target].push(node);
            }
        }
        let mut ready: BTreeSet<usize> = (0..edges.len()).filter(|n| waiting[*n] == 0).collect();
        self.ancestors = vec![vec![0; edges.len().div_ceil(64)]; edges.len()];
        while let Some(node) = ready.pop_first() {
            self.order.push(node);
            let mut above = vec![0u64; edges.len().div_ceil(64)];
            for target in &edges[node] {
                above[target / 64] |= 1 << (target % 64);
                above.iter_mut().zip(&self.ancestors[*target]).for_each(|(word, more)| *word |= more);
            }
            self.ancestors[node] = above;
            for dependent in &dependents[node] {
                waiting[*dependent] -= 1;
                if waiting[*dependent] == 0 {
                    ready.insert(*dependent);
                }
            }
        }
        if self.order.len() == edges.len() { Ok(()) } else { Err(vec![self.cycle(config, edges, &waiting)]) }
    }

    /// Follows unmet dependencies until a node comes twice.
    fn cycle(&self, config: &Config, edges: &[BTreeSet<usize>], waiting: &[usize]) -> Diagnostic {
        let mut seen = Vec::new();
        let mut at = waiting.iter().position(|w| *w > 0).expect("some node was not ordered");
        while !seen.contains(&at) {
            seen.push(at);
            at = *edges[at].iter().find(|t| waiting[**t] > 0).expect("an unordered node waits for another");
        }
        let start = seen.iter().position(|n| *n == at).expect("it was seen");
        let names: Vec<String> = seen[start..].iter().map(|n| self.name(config, *n)).collect();
        Diagnostic::new("Cycle", names.join(", "))
    }

    fn name(&self, config: &Config, node: usize) -> String {
        let (at, item) = &self.nodes[node];
        let prefix: String = config.modules[*at].path.iter().map(|p| format!("module.{p}.")).collect();
        prefix
            + &match item {
                GraphItem::Call(name) => format!("module.{name} (expand)"),
                GraphItem::Provider(i) => format!("provider {:?}", config.modules[*at].providers[*i].item.name),
                GraphItem::Variable(name) => format!("var.{name}"),
                GraphItem::Local(name) => format!("local.{name} (expand)"),
                GraphItem::Resource(key) => key.clone(),
                GraphItem::Output(name) => format!("output.{name} (expand)"),
            }
    }
}

/// All that a resource refers to, with the module in which each reference is read.
fn resource_references(config: &Config, at: usize, key: &str) -> Vec<(usize, Vec<Reference>)> {
    let resource = &config.modules[at].resources[key];
    let mut found = vec![(at, references(&resource.body)), (at, resource.depends_on.clone())];
    found.push((at, resource.lifecycle.triggers.clone()));
    let tests = resource.lifecycle.conditions.iter().flat_map(|(test, _)| test.references());
    found.push((
        at,
        tests
            .filter(|r| r.root != "self" && format!("{}.{}", r.root, r.path.first().map_or("", |p| p)) != key)
            .collect(),
    ));
    found.extend(resource.repeat.expr().map(|e| (at, e.references())));
    // `depends_on` of the calls that lead here holds for everything inside.
    let mut at = at;
    while let Some((parent, name)) = &config.modules[at].parent {
        let call: &ModuleCall = &config.modules[*parent].calls[name];
        found.push((*parent, call.depends_on.clone()));
        at = *parent;
    }
    found
}
