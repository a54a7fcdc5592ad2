//! Scripts at work.

use std::collections::BTreeMap;

use super::parser::{Expression, Statement};
use super::value::{JsValue, ScriptError};

/// What a script works on: the host has the names that the script does not define, and everything that can be called.
pub(in crate::stores) trait ScriptHost {
    /// A name that the script did not define.
    fn global(&mut self, name: &str) -> Option<JsValue>;

    /// The script gives one of the host's names another value; whether the host takes it.
    fn assign(&mut self, name: &str, value: &JsValue) -> bool;

    /// A member of a host's thing.
    fn member(&mut self, target: &JsValue, name: &str) -> Result<JsValue, ScriptError>;

    /// A function of the host.
    fn call(&mut self, name: &str, args: &[JsValue]) -> Result<JsValue, ScriptError>;

    /// A method of one of the host's things.
    fn method(&mut self, target: &JsValue, name: &str, args: &[JsValue]) -> Result<JsValue, ScriptError>;
}

/// The variables of a script.
#[derive(Clone, Debug, Default)]
pub(in crate::stores) struct Scope(BTreeMap<String, JsValue>);

type Outcome<T> = Result<T, ScriptError>;

/// Runs statements; the value is that of the last expression.
pub(in crate::stores) fn run(
    host: &mut dyn ScriptHost,
    scope: &mut Scope,
    statements: &[Statement],
) -> Outcome<JsValue> {
    let mut machine = Machine { host, scope, depth: 0 };
    let mut last = JsValue::Undefined;
    for statement in statements {
        match machine.statement(statement)? {
            Flow::Value(value) => last = value,
            Flow::Return(_) => return Err(ScriptError::new("SyntaxError", "return not in function")),
        }
    }
    Ok(last)
}

enum Flow {
    Value(JsValue),
    Return(JsValue),
}

struct Machine<'a> {
    host: &'a mut dyn ScriptHost,
    scope: &'a mut Scope,
    depth: usize,
}

impl Machine<'_> {
    fn block(&mut self, statements: &[Statement]) -> Outcome<Flow> {
        let mut last = JsValue::Undefined;
        for statement in statements {
            match self.statement(statement)? {
                Flow::Value(value) => last = value,
                end @ Flow::Return(_) => return Ok(end),
            }
        }
        Ok(Flow::Value(last))
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<Flow> {
        match statement {
            Statement::Expression(expression) => Ok(Flow::Value(self.value(expression)?)),
            Statement::Let(name, expression) => {
                let value = self.value(expression)?;
                self.scope.0.insert(name.clone(), value);
                Ok(Flow::Value(JsValue::Undefined))
            }
            Statement::If(condition, then, otherwise) => {
                let branch = if self.value(condition)?.is_true() { then } else { otherwise };
                self.block(branch)
            }
            Statement::Each(name, over, body) => {
                let items = self.value(over)?;
                for item in self.items(&items)? {
                    self.scope.0.insert(name.clone(), item);
                    if let end @ Flow::Return(_) = self.block(body)? {
                        return Ok(end);
                    }
                }
                Ok(Flow::Value(JsValue::Undefined))
            }
            Statement::Try(body, name, handler) => match self.block(body) {
                Ok(flow) => Ok(flow),
                Err(error) => {
                    let fields = [("name", JsValue::text(error.name)), ("message", JsValue::text(error.message))];
                    self.scope.0.insert(name.clone(), JsValue::object(fields));
                    self.block(handler)
                }
            },
            Statement::Return(expression) => Ok(Flow::Return(self.value(expression)?)),
        }
    }

    fn items(&mut self, value: &JsValue) -> Outcome<Vec<JsValue>> {
        match value {
            JsValue::List(items) => Ok(items.clone()),
            JsValue::Host(..) => match self.host.method(value, "toArray", &[])? {
                JsValue::List(items) => Ok(items),
                _ => Ok(Vec::new()),
            },
            other => Err(ScriptError::new("TypeError", format!("{} is not iterable", other.shown()))),
        }
    }

    fn values(&mut self, expressions: &[Expression]) -> Outcome<Vec<JsValue>> {
        expressions.iter().map(|expression| self.value(expression)).collect()
    }

    fn value(&mut self, expression: &Expression) -> Outcome<JsValue> {
        match expression {
            Expression::Value(value) => Ok(value.clone()),
            Expression::Name(name) => self.named(name),
            Expression::List(items) => Ok(JsValue::List(self.values(items)?)),
            Expression::Object(fields) => {
                let read = |(name, value): &(String, Expression)| Ok((name.clone(), self.value(value)?));
                Ok(JsValue::Object(fields.iter().map(read).collect::<Outcome<_>>()?))
            }
            Expression::Member(target, name) => {
                let target = self.value(target)?;
                self.member(&target, name)
            }
            Expression::Index(target, index) => {
                let (target, index) = (self.value(target)?, self.value(index)?);
                match (&target, &index) {
                    (JsValue::List(items), JsValue::Number(at)) => {
                        Ok(items.get(*at as usize).cloned().unwrap_or(JsValue::Undefined))
                    }
                    _ => self.member(&target, &index.shown()),
                }
            }
            Expression::Call(callee, args) => self.called(callee, args),
            Expression::Assign(place, value) => {
                let value = self.value(value)?;
                if let Expression::Name(name) = &**place
                    && !self.host.assign(name, &value)
                {
                    self.scope.0.insert(name.clone(), value.clone());
                }
                Ok(value)
            }
            Expression::Binary(sign, left, right) => self.binary(sign, left, right),
            Expression::Not(inner) => Ok(JsValue::Bool(!self.value(inner)?.is_true())),
            Expression::Negative(inner) => Ok(JsValue::Number(-self.value(inner)?.as_number().unwrap_or(f64::NAN))),
            Expression::Choice(condition, then, otherwise) => {
                let branch = if self.value(condition)?.is_true() { then } else { otherwise };
                self.value(branch)
            }
        }
    }

    fn named(&mut self, name: &str) -> Outcome<JsValue> {
        if let Some(value) = self.scope.0.get(name) {
            return Ok(value.clone());
        }
        let missing = || ScriptError::new("ReferenceError", format!("{name} is not defined"));
        self.host.global(name).ok_or_else(missing)
    }

    fn member(&mut self, target: &JsValue, name: &str) -> Outcome<JsValue> {
        match target {
            JsValue::Undefined | JsValue::Null => {
                let why = format!("can't access property \"{name}\" of {}", target.shown());
                Err(ScriptError::new("TypeError", why))
            }
            JsValue::List(items) if name == "length" => Ok(JsValue::Number(items.len() as f64)),
            JsValue::Text(text) if name == "length" => Ok(JsValue::Number(text.chars().count() as f64)),
            JsValue::Host(..) => self.host.member(target, name),
            _ => Ok(target.field(name).cloned().unwrap_or(JsValue::Undefined)),
        }
    }

    fn called(&mut self, callee: &Expression, args: &[Expression]) -> Outcome<JsValue> {
        let args = self.values(args)?;
        match callee {
            Expression::Member(target, name) => {
                let target = self.value(target)?;
                self.method(&target, name, &args)
            }
            Expression::Name(name) if !self.scope.0.contains_key(name) => self.host.call(name, &args),
            other => {
                let function = self.value(other)?;
                self.apply(&function, &args)
            }
        }
    }

    fn method(&mut self, target: &JsValue, name: &str, args: &[JsValue]) -> Outcome<JsValue> {
        if let (Some(function @ JsValue::Function(_)), "forEach" | "map" | "filter") = (args.first(), name) {
            let mut kept = Vec::new();
            for item in self.items(target)? {
                let value = self.apply(function, std::slice::from_ref(&item))?;
                match name {
                    "map" => kept.push(value),
                    "filter" if value.is_true() => kept.push(item),
                    _ => {}
                }
            }
            return Ok(if name == "forEach" { JsValue::Undefined } else { JsValue::List(kept) });
        }
        match (target, name) {
            (JsValue::Host(..), _) => self.host.method(target, name, args),
            (JsValue::List(items), "join") => {
                let between = args.first().and_then(JsValue::as_text).unwrap_or(",");
                Ok(JsValue::text(items.iter().map(JsValue::shown).collect::<Vec<_>>().join(between)))
            }
            (JsValue::List(items), "includes") => Ok(JsValue::Bool(args.iter().any(|arg| items.contains(arg)))),
            (JsValue::List(items), "concat") => {
                let more = args.iter().flat_map(|arg| match arg {
                    JsValue::List(items) => items.clone(),
                    other => vec![other.clone()],
                });
                Ok(JsValue::List(items.iter().cloned().chain(more).collect()))
            }
            (_, "toString" | "valueOf") => Ok(JsValue::text(target.shown())),
            (JsValue::Undefined | JsValue::Null, _) => {
                let why = format!("can't access property \"{name}\" of {}", target.shown());
                Err(ScriptError::new("TypeError", why))
            }
            _ => Err(ScriptError::new("TypeError", format!("{name} is not a function"))),
        }
    }

    fn apply(&mut self, function: &JsValue, args: &[JsValue]) -> Outcome<JsValue> {
        let JsValue::Function(function) = function else {
            return Err(ScriptError::new("TypeError", format!("{} is not a function", function.shown())));
        };
        if self.depth > 50 {
            return Err(ScriptError::new("InternalError", "too much recursion"));
        }
        let (names, body) = &**function;
        let before = self.scope.clone();
        for (at, name) in names.iter().enumerate() {
            self.scope.0.insert(name.clone(), args.get(at).cloned().unwrap_or(JsValue::Undefined));
        }
        self.depth += 1;
        let outcome = self.block(body);
        self.depth -= 1;
        for name in names {
            match before.0.get(name) {
                Some(value) => drop(self.scope.0.insert(name.clone(), value.clone())),
                None => drop(self.scope.0.remove(name)),
            }
        }
        match outcome? {
            Flow::Return(value) => Ok(value),
            Flow::Value(_) => Ok(JsValue::Undefined),
        }
    }

    fn binary(&mut self, sign: &str, left: &Expression, right: &Expression) -> Outcome<JsValue> {
        let left = self.value(left)?;
        match sign {
            "&&" if !left.is_true() => return Ok(left),
            "||" if left.is_true() => return Ok(left),
            _ => {}
        }
        let right = self.value(right)?;
        let numbers = left.as_number().zip(right.as_number());
        let less = |test: fn(f64, f64) -> bool| JsValue::Bool(numbers.is_some_and(|(a, b)| test(a, b)));
        let sum = |work: fn(f64, f64) -> f64| JsValue::Number(numbers.map_or(f64::NAN, |(a, b)| work(a, b)));
        Ok(match sign {
            "&&" | "||" => right,
            "==" | "===" => JsValue::Bool(left == right),
            "!=" | "!==" => JsValue::Bool(left != right),
            "<" => less(|a, b| a < b),
            ">" => less(|a, b| a > b),
            "<=" => less(|a, b| a <= b),
            ">=" => less(|a, b| a >= b),
            "+" if numbers.is_some() => sum(|a, b| a + b),
            "+" => JsValue::text(left.shown() + &right.shown()),
            "-" => sum(|a, b| a - b),
            "*" => sum(|a, b| a * b),
            "/" => sum(|a, b| a / b),
            _ => sum(|a, b| a % b),
        })
    }
}
