//! Running a template.

use super::builtins;
use super::parse::{Node, Operand, Pipe, Template};
use super::{TemplateFunctions, TemplateValue};

/// Longer texts are refused, so that a loop cannot fill the memory.
const LONGEST: usize = 1 << 20;

impl Template {
    /// The text of the template for a value of the dot and some variables.
    pub fn run(
        &self,
        dot: &TemplateValue,
        variables: &[(&str, TemplateValue)],
        functions: &dyn TemplateFunctions,
    ) -> Result<String, String> {
        let mut run = Run { variables: Vec::new(), functions, out: String::new() };
        run.variables.push(("$".to_owned(), dot.clone()));
        run.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        run.nodes(&self.nodes, dot)?;
        Ok(run.out)
    }
}

struct Run<'r> {
    variables: Vec<(String, TemplateValue)>,
    functions: &'r dyn TemplateFunctions,
    out: String,
}

impl Run<'_> {
    fn nodes(&mut self, nodes: &[Node], dot: &TemplateValue) -> Result<(), String> {
        for node in nodes {
            self.node(node, dot)?;
            if self.out.len() > LONGEST {
                return Err("the text grows too long".to_owned());
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, dot: &TemplateValue) -> Result<(), String> {
        let scope = self.variables.len();
        match node {
            Node::Text(text) => self.out.push_str(text),
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.out.push_str(&value.shown());
                }
                // A variable that was declared stays in sight.
                return Ok(());
            }
            Node::If(pipe, body, other) => {
                let chosen = if self.pipe(pipe, dot)?.is_true() { body } else { other };
                self.nodes(chosen, dot)?;
            }
            Node::With(pipe, body, other) => {
                let value = self.pipe(pipe, dot)?;
                if value.is_true() { self.nodes(body, &value)? } else { self.nodes(other, dot)? }
            }
            Node::Range(pipe, body, other) => self.range(pipe, body, other, dot)?,
        }
        self.variables.truncate(scope);
        Ok(())
    }

    fn range(&mut self, pipe: &Pipe, body: &[Node], other: &[Node], dot: &TemplateValue) -> Result<(), String> {
        let plain = Pipe { variables: Vec::new(), commands: pipe.commands.clone() };
        let items: Vec<(TemplateValue, TemplateValue)> = match self.pipe(&plain, dot)? {
            TemplateValue::List(values) => {
                values.into_iter().enumerate().map(|(i, v)| (TemplateValue::Int(i as i64), v)).collect()
            }
            TemplateValue::Map(values) => values.into_iter().map(|(k, v)| (TemplateValue::Text(k), v)).collect(),
            TemplateValue::Nil => Vec::new(),
            other => return Err(format!("range can't iterate over {}", other.shown())),
        };
        if items.is_empty() {
            return self.nodes(other, dot);
        }
        for (key, value) in items {
            let scope = self.variables.len();
            match pipe.variables.as_slice() {
                [name] => self.variables.push((name.clone(), value.clone())),
                [first, second] => {
                    self.variables.push((first.clone(), key));
                    self.variables.push((second.clone(), value.clone()));
                }
                _ => {}
            }
            self.nodes(body, &value)?;
            self.variables.truncate(scope);
        }
        Ok(())
    }

    fn pipe(&mut self, pipe: &Pipe, dot: &TemplateValue) -> Result<TemplateValue, String> {
        let mut value: Option<TemplateValue> = None;
        for command in &pipe.commands {
            value = Some(self.command(command, value, dot)?);
        }
        let value = value.unwrap_or(TemplateValue::Nil);
        if let [name] = pipe.variables.as_slice() {
            self.variables.push((name.clone(), value.clone()));
        }
        Ok(value)
    }

    fn command(
        &mut self,
        command: &[Operand],
        piped: Option<TemplateValue>,
        dot: &TemplateValue,
    ) -> Result<TemplateValue, String> {
        let Operand::Function(name) = &command[0] else {
            if command.len() > 1 || piped.is_some() {
                return Err("can't give argument to non-function".to_owned());
            }
            return self.operand(&command[0], dot);
        };
        let mut args = Vec::with_capacity(command.len());
        for operand in &command[1..] {
            args.push(self.operand(operand, dot)?);
        }
        args.extend(piped);
        self.call(name, &args)
    }

    fn call(&self, name: &str, args: &[TemplateValue]) -> Result<TemplateValue, String> {
        let found = if self.functions.has(name) { self.functions.call(name, args) } else { builtins::call(name, args) };
        found.map_err(|why| format!("error calling {name}: {why}"))
    }

    fn operand(&mut self, operand: &Operand, dot: &TemplateValue) -> Result<TemplateValue, String> {
        Ok(match operand {
            Operand::Field(path) => walk(dot, path)?,
            Operand::Variable(name, path) => {
                let found = self.variables.iter().rev().find(|(n, _)| n == name);
                walk(&found.ok_or_else(|| format!("undefined variable {}", crate::go::quote(name)))?.1, path)?
            }
            Operand::Function(name) => self.call(name, &[])?,
            Operand::Text(text) => TemplateValue::Text(text.clone()),
            Operand::Int(number) => TemplateValue::Int(*number),
            Operand::Float(number) => TemplateValue::Float(*number),
            Operand::Bool(value) => TemplateValue::Bool(*value),
            Operand::Nil => TemplateValue::Nil,
            Operand::Group(pipe, path) => {
                let value = self.pipe(pipe, dot)?;
                walk(&value, path)?
            }
        })
    }
}

/// Fields of maps; one that is not there is empty, as in a map of strings.
fn walk(value: &TemplateValue, path: &[String]) -> Result<TemplateValue, String> {
    let mut value = value.clone();
    for field in path {
        value = match value {
            TemplateValue::Map(mut fields) => fields.remove(field).unwrap_or(TemplateValue::Text(String::new())),
            TemplateValue::Nil => TemplateValue::Nil,
            other => return Err(format!("can't evaluate field {field} in type {}", kind(&other))),
        };
    }
    Ok(value)
}

fn kind(value: &TemplateValue) -> &'static str {
    match value {
        TemplateValue::Nil => "nil",
        TemplateValue::Bool(_) => "bool",
        TemplateValue::Int(_) => "int",
        TemplateValue::Float(_) => "float64",
        TemplateValue::Text(_) => "string",
        TemplateValue::List(_) => "[]interface {}",
        TemplateValue::Map(_) => "map[string]interface {}",
    }
}
