//! From the parser's tree, which keeps every space, to ours.

use std::ops::Range;

use hcl_edit::Span;
use hcl_edit::expr::{BinaryOperator, Expression, ForExpr, ObjectKey, TraversalOperator, UnaryOperator};
use hcl_edit::structure::{BlockLabel, Structure};
use hcl_edit::template::{Directive, Element, Strip, Template};

use super::{Assignment, BinaryOp, Body, ConfigBlock, Expr, ExprKind, ForLoop, TemplatePart, TraversalStep};
use crate::datum::Datum;

/// Knows where lines begin, so that byte spans become line numbers.
pub(super) struct Lowering {
    starts: Vec<usize>,
}

impl Lowering {
    pub(super) fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn line(&self, span: Option<Range<usize>>) -> u32 {
        let Some(span) = span else { return 1 };
        u32::try_from(self.starts.partition_point(|start| *start <= span.start)).unwrap_or(u32::MAX)
    }

    pub(super) fn body(&self, body: &hcl_edit::structure::Body) -> Body {
        let mut lowered = Body::default();
        for structure in body.iter() {
            match structure {
                Structure::Attribute(attribute) => lowered.settings.push(Assignment {
                    name: attribute.key.to_string(),
                    value: self.expr(&attribute.value),
                    line: self.line(attribute.span()),
                }),
                Structure::Block(block) => lowered.blocks.push(ConfigBlock {
                    kind: block.ident.to_string(),
                    labels: block.labels.iter().map(label).collect(),
                    body: self.body(&block.body),
                    line: self.line(block.span()),
                }),
            }
        }
        lowered
    }

    pub(super) fn expr(&self, expr: &Expression) -> Expr {
        Expr { line: self.line(expr.span()), kind: self.kind(expr) }
    }

    fn boxed(&self, expr: &Expression) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn kind(&self, expr: &Expression) -> ExprKind {
        match expr {
            Expression::Null(_) => ExprKind::Literal(Datum::Null),
            Expression::Bool(value) => ExprKind::Literal(Datum::Bool(*value.value())),
            Expression::Number(number) => ExprKind::Literal(Datum::Number(number.value().as_f64().unwrap_or(f64::MAX))),
            Expression::String(text) => ExprKind::Literal(Datum::Text(text.value().clone())),
            Expression::Array(array) => ExprKind::List(array.iter().map(|e| self.expr(e)).collect()),
            Expression::Object(object) => {
                ExprKind::Object(object.iter().map(|(key, value)| (self.key(key), self.expr(value.expr()))).collect())
            }
            Expression::StringTemplate(template) => self.template_kind(template.iter()),
            Expression::HeredocTemplate(heredoc) => self.template_kind(heredoc.template.iter()),
            Expression::Parenthesis(inner) => self.kind(inner.inner()),
            Expression::Variable(name) => ExprKind::Name(name.to_string()),
            Expression::Conditional(c) => ExprKind::Conditional {
                test: self.boxed(&c.cond_expr),
                yes: self.boxed(&c.true_expr),
                no: self.boxed(&c.false_expr),
            },
            Expression::FuncCall(call) => {
                let spaces = call.name.namespace.iter().map(|n| format!("{}::", n.as_str())).collect::<String>();
                ExprKind::Call {
                    name: spaces + call.name.name.as_str(),
                    args: call.args.iter().map(|e| self.expr(e)).collect(),
                    expand: call.args.expand_final(),
                }
            }
            Expression::Traversal(t) => ExprKind::Traversal {
                base: self.boxed(&t.expr),
                steps: t.operators.iter().map(|op| self.step(op.value())).collect(),
            },
            Expression::UnaryOp(op) => match op.operator.value() {
                UnaryOperator::Neg => ExprKind::Negate(self.boxed(&op.expr)),
                UnaryOperator::Not => ExprKind::Not(self.boxed(&op.expr)),
            },
            Expression::BinaryOp(op) => ExprKind::Binary {
                op: operator(*op.operator.value()),
                left: self.boxed(&op.lhs_expr),
                right: self.boxed(&op.rhs_expr),
            },
            Expression::ForExpr(for_expr) => ExprKind::For(Box::new(self.for_loop(for_expr))),
        }
    }

    fn key(&self, key: &ObjectKey) -> Expr {
        match key {
            ObjectKey::Ident(name) => {
                Expr { line: self.line(name.span()), kind: ExprKind::Literal(Datum::Text(name.to_string())) }
            }
            ObjectKey::Expression(expr) => self.expr(expr),
        }
    }

    fn step(&self, op: &TraversalOperator) -> TraversalStep {
        match op {
            TraversalOperator::AttrSplat(_) => TraversalStep::AttrSplat,
            TraversalOperator::FullSplat(_) => TraversalStep::FullSplat,
            TraversalOperator::GetAttr(name) => TraversalStep::Attr(name.to_string()),
            TraversalOperator::Index(expr) => TraversalStep::Index(self.expr(expr)),
            TraversalOperator::LegacyIndex(index) => {
                #[allow(clippy::cast_precision_loss)]
                let number = Datum::Number(*index.value() as f64);
                TraversalStep::Index(Expr { line: self.line(index.span()), kind: ExprKind::Literal(number) })
            }
        }
    }

    fn for_loop(&self, source: &ForExpr) -> ForLoop {
        ForLoop {
            key_name: source.intro.key_var.as_ref().map(|n| n.to_string()),
            value_name: source.intro.value_var.to_string(),
            collection: self.expr(&source.intro.collection_expr),
            key: source.key_expr.as_ref().map(|e| self.expr(e)),
            value: self.expr(&source.value_expr),
            grouping: source.grouping,
            test: source.cond.as_ref().map(|c| self.expr(&c.expr)),
        }
    }

    /// A template of one interpolation is that expression itself; one of plain text is a literal.
    fn template_kind<'a>(&self, elements: impl Iterator<Item = &'a Element>) -> ExprKind {
        let mut parts = self.elements(elements);
        match parts.as_slice() {
            [] => ExprKind::Literal(Datum::Text(String::new())),
            [TemplatePart::Text(text)] => ExprKind::Literal(Datum::Text(text.clone())),
            [TemplatePart::Interpolation(_)] => match parts.pop() {
                Some(TemplatePart::Interpolation(expr)) => expr.kind,
                _ => unreachable!("the slice has this one part"),
            },
            _ => ExprKind::Template(parts),
        }
    }

    pub(super) fn template(&self, template: &Template) -> Vec<TemplatePart> {
        self.elements(template.iter())
    }

    fn elements<'a>(&self, elements: impl Iterator<Item = &'a Element>) -> Vec<TemplatePart> {
        let mut parts: Vec<TemplatePart> = Vec::new();
        let mut strip_next = false;
        for element in elements {
            let (before, after) = edges(element);
            if before && let Some(TemplatePart::Text(text)) = parts.last_mut() {
                text.truncate(text.trim_end().len());
            }
            let mut part = self.part(element);
            if strip_next && let TemplatePart::Text(text) = &mut part {
                *text = text.trim_start().to_owned();
            }
            strip_next = after;
            parts.push(part);
        }
        parts.retain(|part| !matches!(part, TemplatePart::Text(text) if text.is_empty()));
        parts
    }

    fn part(&self, element: &Element) -> TemplatePart {
        match element {
            Element::Literal(text) => TemplatePart::Text(text.value().clone()),
            Element::Interpolation(inner) => TemplatePart::Interpolation(self.expr(&inner.expr)),
            Element::Directive(directive) => match &**directive {
                Directive::If(d) => {
                    let otherwise = d.else_expr.as_ref();
                    let next = otherwise.map_or(d.endif_expr.strip, |e| e.strip);
                    TemplatePart::If {
                        test: self.expr(&d.if_expr.cond_expr),
                        yes: self.inner(&d.if_expr.template, d.if_expr.strip, next),
                        no: otherwise.map_or(Vec::new(), |e| self.inner(&e.template, e.strip, d.endif_expr.strip)),
                    }
                }
                Directive::For(d) => TemplatePart::For {
                    key_name: d.for_expr.key_var.as_ref().map(|n| n.to_string()),
                    value_name: d.for_expr.value_var.to_string(),
                    collection: self.expr(&d.for_expr.collection_expr),
                    body: self.inner(&d.for_expr.template, d.for_expr.strip, d.endfor_expr.strip),
                },
            },
        }
    }

    /// The template between two markers, stripped on the sides that ask for it.
    fn inner(&self, template: &Template, opening: Strip, closing: Strip) -> Vec<TemplatePart> {
        let mut parts = self.elements(template.iter());
        if strips_end(opening)
            && let Some(TemplatePart::Text(text)) = parts.first_mut()
        {
            *text = text.trim_start().to_owned();
        }
        if strips_start(closing)
            && let Some(TemplatePart::Text(text)) = parts.last_mut()
        {
            text.truncate(text.trim_end().len());
        }
        parts
    }
}

fn strips_start(strip: Strip) -> bool {
    matches!(strip, Strip::Start | Strip::Both)
}

fn strips_end(strip: Strip) -> bool {
    matches!(strip, Strip::End | Strip::Both)
}

/// Whether an element strips the text before it and after it.
fn edges(element: &Element) -> (bool, bool) {
    match element {
        Element::Literal(_) => (false, false),
        Element::Interpolation(inner) => (strips_start(inner.strip), strips_end(inner.strip)),
        Element::Directive(directive) => match &**directive {
            Directive::If(d) => (strips_start(d.if_expr.strip), strips_end(d.endif_expr.strip)),
            Directive::For(d) => (strips_start(d.for_expr.strip), strips_end(d.endfor_expr.strip)),
        },
    }
}

fn label(label: &BlockLabel) -> String {
    match label {
        BlockLabel::Ident(name) => name.to_string(),
        BlockLabel::String(text) => text.value().clone(),
    }
}

fn operator(op: BinaryOperator) -> BinaryOp {
    match op {
        BinaryOperator::Eq => BinaryOp::Eq,
        BinaryOperator::NotEq => BinaryOp::NotEq,
        BinaryOperator::LessEq => BinaryOp::LessEq,
        BinaryOperator::GreaterEq => BinaryOp::GreaterEq,
        BinaryOperator::Less => BinaryOp::Less,
        BinaryOperator::Greater => BinaryOp::Greater,
        BinaryOperator::Plus => BinaryOp::Plus,
        BinaryOperator::Minus => BinaryOp::Minus,
        BinaryOperator::Mul => BinaryOp::Mul,
        BinaryOperator::Div => BinaryOp::Div,
        BinaryOperator::Mod => BinaryOp::Mod,
        BinaryOperator::And => BinaryOp::And,
        BinaryOperator::Or => BinaryOp::Or,
    }
}
