//! What an expression refers to: the edges of the graph, and what `validate` looks up.

use super::{Body, Expr, ExprKind, ForLoop, TemplatePart, TraversalStep};

/// One reference: the name it starts with and the attributes that follow, as far as they are plain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// `var`, `aws_vpc`, `each`, ...
    pub root: String,
    /// The attributes after it; an index or a splat in between is left out.
    pub path: Vec<String>,
    /// How many attributes stand before the first index or splat.
    pub plain: usize,
    /// Where it stands.
    pub line: u32,
}

/// Gathers all references of a body, except those to names that a `for` or a `dynamic` block brings.
pub fn references(body: &Body) -> Vec<Reference> {
    let mut walk = ReferenceWalk::default();
    walk.body(body);
    walk.found
}

impl Expr {
    /// All references of this expression.
    pub fn references(&self) -> Vec<Reference> {
        let mut walk = ReferenceWalk::default();
        walk.expr(self);
        walk.found
    }
}

#[derive(Default)]
struct ReferenceWalk {
    found: Vec<Reference>,
    bound: Vec<String>,
}

impl ReferenceWalk {
    fn body(&mut self, body: &Body) {
        for setting in &body.settings {
            self.expr(&setting.value);
        }
        for block in &body.blocks {
            if block.kind == "dynamic" {
                self.dynamic(&block.body, block.labels.first());
            } else {
                self.body(&block.body);
            }
        }
    }

    fn dynamic(&mut self, body: &Body, label: Option<&String>) {
        if let Some(each) = body.setting("for_each") {
            self.expr(each);
        }
        let iterator = body.setting("iterator").and_then(|e| match &e.kind {
            ExprKind::Name(name) => Some(name.clone()),
            _ => None,
        });
        self.bound.extend(iterator.or_else(|| label.cloned()));
        for block in body.blocks_of("content") {
            self.body(&block.body);
        }
        self.bound.pop();
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Template(parts) => self.parts(parts),
            ExprKind::Name(name) => self.note(name, &[], expr.line),
            ExprKind::Traversal { base, steps } => self.traversal(base, steps, expr.line),
            ExprKind::Call { args, .. } => args.iter().for_each(|e| self.expr(e)),
            ExprKind::Conditional { test, yes, no } => [test, yes, no].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr(inner),
            ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|e| self.expr(e)),
            ExprKind::List(items) => items.iter().for_each(|e| self.expr(e)),
            ExprKind::Object(items) => items.iter().for_each(|(k, v)| {
                self.expr(k);
                self.expr(v);
            }),
            ExprKind::For(for_loop) => self.for_loop(for_loop),
        }
    }

    fn for_loop(&mut self, source: &ForLoop) {
        self.expr(&source.collection);
        let names = self.bind(source.key_name.as_ref(), &source.value_name);
        [source.key.as_ref(), Some(&source.value), source.test.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|e| self.expr(e));
        self.bound.truncate(self.bound.len() - names);
    }

    fn bind(&mut self, key: Option<&String>, value: &str) -> usize {
        let before = self.bound.len();
        self.bound.extend(key.cloned());
        self.bound.push(value.to_owned());
        self.bound.len() - before
    }

    fn parts(&mut self, parts: &[TemplatePart]) {
        for part in parts {
            match part {
                TemplatePart::Text(_) => {}
                TemplatePart::Interpolation(expr) => self.expr(expr),
                TemplatePart::If { test, yes, no } => {
                    self.expr(test);
                    self.parts(yes);
                    self.parts(no);
                }
                TemplatePart::For { key_name, value_name, collection, body } => {
                    self.expr(collection);
                    let names = self.bind(key_name.as_ref(), value_name);
                    self.parts(body);
                    self.bound.truncate(self.bound.len() - names);
                }
            }
        }
    }

    fn traversal(&mut self, base: &Expr, steps: &[TraversalStep], line: u32) {
        match &base.kind {
            ExprKind::Name(name) => self.note(name, steps, line),
            _ => self.expr(base),
        }
        for step in steps {
            if let TraversalStep::Index(expr) = step {
                self.expr(expr);
            }
        }
    }

    fn note(&mut self, name: &str, steps: &[TraversalStep], line: u32) {
        if self.bound.iter().any(|b| b == name) {
            return;
        }
        let plain = steps.iter().take_while(|s| matches!(s, TraversalStep::Attr(_))).count();
        let path = steps.iter().filter_map(|s| match s {
            TraversalStep::Attr(name) => Some(name.clone()),
            _ => None,
        });
        self.found.push(Reference { root: name.to_owned(), path: path.collect(), plain, line });
    }
}
