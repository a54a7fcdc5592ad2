//! Running awk.

use std::collections::BTreeMap;

use super::parse::{Expr, Rule, Stmt, When};
use crate::text::number_text;
use crate::tools::order::number;
use crate::{Dialect, pattern};

/// A value: text that came from input also counts as a number.
#[derive(Clone, Debug)]
enum Datum {
    Number(f64),
    Text(String),
    /// Input: compared as a number if it looks like one.
    Input(String),
    Unset,
}

impl Datum {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number_text(*number),
            Self::Text(text) | Self::Input(text) => text.clone(),
            Self::Unset => String::new(),
        }
    }

    fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) | Self::Input(text) => number(text),
            Self::Unset => 0.0,
        }
    }

    fn is_numeric(&self) -> bool {
        match self {
            Self::Number(_) | Self::Unset => true,
            Self::Text(_) => false,
            Self::Input(text) => text.trim().parse::<f64>().is_ok(),
        }
    }

    fn holds(&self) -> bool {
        match self {
            Self::Input(text) if self.is_numeric() => number(text) != 0.0,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) | Self::Input(text) => !text.is_empty(),
            Self::Unset => false,
        }
    }
}

/// How a statement ended.
enum Flow {
    On,
    Next,
    Break,
    Continue,
    Exit(i32),
}

pub(super) struct Run {
    variables: BTreeMap<String, Datum>,
    arrays: BTreeMap<String, BTreeMap<String, Datum>>,
    line: String,
    fields: Vec<String>,
    out: String,
    steps: usize,
    ranges: Vec<bool>,
}

/// How many statements and how much output one program may have.
const MOST_STEPS: usize = 2_000_000;
const MOST_BYTES: usize = 8 << 20;

impl Run {
    pub(super) fn new(separator: Option<String>, assignments: &[String]) -> Self {
        let mut variables = BTreeMap::new();
        variables.insert("FS".into(), Datum::Text(separator.unwrap_or_else(|| " ".into())));
        variables.insert("OFS".into(), Datum::Text(" ".into()));
        variables.insert("ORS".into(), Datum::Text("\n".into()));
        for assignment in assignments {
            if let Some((name, value)) = assignment.split_once('=') {
                variables.insert(name.into(), Datum::Input(crate::text::unescape(value)));
            }
        }
        let (arrays, fields, ranges) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { variables, arrays, line: String::new(), fields, out: String::new(), steps: 0, ranges }
    }

    pub(super) fn take_output(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub(super) fn all(&mut self, rules: &[Rule], text: &str) -> Result<i32, String> {
        self.ranges = vec![false; rules.len()];
        let mut code = None;
        for rule in rules.iter().filter(|rule| matches!(rule.when, When::Begin)) {
            if let Flow::Exit(with) = self.body(rule)? {
                code = Some(with);
                break;
            }
        }
        let reads = rules.iter().any(|rule| !matches!(rule.when, When::Begin));
        let lines = text.lines().filter(|_| reads && code.is_none());
        'lines: for (at, line) in lines.enumerate() {
            self.set_line(line);
            self.variables.insert("NR".into(), Datum::Number((at + 1) as f64));
            self.variables.insert("FNR".into(), Datum::Number((at + 1) as f64));
            for (at, rule) in rules.iter().enumerate() {
                if !self.applies(at, &rule.when)? {
                    continue;
                }
                match self.body(rule)? {
                    Flow::Next => continue 'lines,
                    Flow::Exit(with) => {
                        code = Some(with);
                        break 'lines;
                    }
                    _ => {}
                }
            }
        }
        for rule in rules.iter().filter(|rule| matches!(rule.when, When::End)) {
            if let Flow::Exit(with) = self.body(rule)? {
                return Ok(with);
            }
        }
        Ok(code.unwrap_or(0))
    }

    fn applies(&mut self, at: usize, when: &When) -> Result<bool, String> {
        Ok(match when {
            When::Begin | When::End => false,
            When::Always => true,
            When::Matches(expr) => self.value(expr)?.holds(),
            When::Between(first, last) => {
                if !self.ranges[at] && !self.value(first)?.holds() {
                    return Ok(false);
                }
                self.ranges[at] = !self.value(last)?.holds();
                true
            }
        })
    }

    fn body(&mut self, rule: &Rule) -> Result<Flow, String> {
        match &rule.body {
            Some(body) => self.block(body),
            None => {
                self.out.push_str(&format!("{}\n", self.line));
                Ok(Flow::On)
            }
        }
    }

    fn set_line(&mut self, line: &str) {
        self.line = line.into();
        let separator = self.variables.get("FS").map(Datum::text).unwrap_or_default();
        self.fields = split(line, &separator);
        self.variables.insert("NF".into(), Datum::Number(self.fields.len() as f64));
    }

    fn rebuild(&mut self) {
        let sign = self.variables.get("OFS").map(Datum::text).unwrap_or_default();
        self.line = self.fields.join(&sign);
        self.variables.insert("NF".into(), Datum::Number(self.fields.len() as f64));
    }

    fn block(&mut self, body: &[Stmt]) -> Result<Flow, String> {
        for stmt in body {
            match self.stmt(stmt)? {
                Flow::On => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::On)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Flow, String> {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.out.len() > MOST_BYTES {
            return Err("stopped: the program runs too long".into());
        }
        match stmt {
            Stmt::Print(items) => {
                let get = |run: &Self, name: &str| run.variables.get(name).map(Datum::text).unwrap_or_default();
                let mut texts = Vec::new();
                for item in items {
                    texts.push(self.value(item)?.text());
                }
                let text = if items.is_empty() { self.line.clone() } else { texts.join(&get(self, "OFS")) };
                let end = get(self, "ORS");
                self.out.push_str(&text);
                self.out.push_str(&end);
            }
            Stmt::Printf(items) => {
                let text = self.format(items)?;
                self.out.push_str(&text);
            }
            Stmt::Expr(expr) => {
                self.value(expr)?;
            }
            Stmt::If(condition, then, otherwise) => {
                let holds = self.value(condition)?.holds();
                return self.block(if holds { then } else { otherwise });
            }
            Stmt::While(condition, body) => {
                while self.value(condition)?.holds() {
                    match self.pass(body)? {
                        Flow::On => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            Stmt::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.stmt(first)?;
                }
                loop {
                    if let Some(condition) = condition
                        && !self.value(condition)?.holds()
                    {
                        break;
                    }
                    match self.pass(body)? {
                        Flow::On => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                    if let Some(step) = step {
                        self.stmt(step)?;
                    }
                }
            }
            Stmt::ForIn(name, array, body) => {
                let keys: Vec<String> = self.arrays.get(array).map(|a| a.keys().cloned().collect()).unwrap_or_default();
                for key in keys {
                    self.variables.insert(name.clone(), Datum::Input(key));
                    match self.pass(body)? {
                        Flow::On => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            Stmt::Delete(array, None) => drop(self.arrays.remove(array)),
            Stmt::Delete(array, Some(index)) => {
                let key = self.value(index)?.text();
                if let Some(array) = self.arrays.get_mut(array) {
                    array.remove(&key);
                }
            }
            Stmt::Next => return Ok(Flow::Next),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Exit(code) => {
                let code = match code {
                    Some(code) => self.value(code)?.number() as i32,
                    None => 0,
                };
                return Ok(Flow::Exit(code));
            }
        }
        Ok(Flow::On)
    }

    fn pass(&mut self, body: &[Stmt]) -> Result<Flow, String> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err("stopped: the program runs too long".into());
        }
        Ok(match self.block(body)? {
            Flow::Continue => Flow::On,
            flow => flow,
        })
    }

    fn format(&mut self, items: &[Expr]) -> Result<String, String> {
        let Some((format, rest)) = items.split_first() else { return Ok(String::new()) };
        let format = self.value(format)?.text();
        let mut values = Vec::new();
        for item in rest {
            values.push(self.value(item)?.text());
        }
        let mut values = values.into_iter();
        Ok(crate::builtins::formatted(&format, &mut |_| values.next().unwrap_or_default()))
    }

    fn value(&mut self, expr: &Expr) -> Result<Datum, String> {
        Ok(match expr {
            Expr::Number(number) => Datum::Number(*number),
            Expr::Text(text) => Datum::Text(text.clone()),
            Expr::Regex(regex) => truth(regex.is_match(&self.line)),
            Expr::Variable(name) => self.variables.get(name).cloned().unwrap_or(Datum::Unset),
            Expr::Field(index) => {
                let index = self.value(index)?.number();
                match index as usize {
                    0 => Datum::Input(self.line.clone()),
                    at => self.fields.get(at - 1).map_or(Datum::Unset, |field| Datum::Input(field.clone())),
                }
            }
            Expr::Element(array, index) => {
                let key = self.value(index)?.text();
                self.arrays.entry(array.clone()).or_default().entry(key).or_insert(Datum::Unset).clone()
            }
            Expr::Assign(place, sign, value) => {
                let new = self.value(value)?;
                let new = match sign {
                    '=' => new,
                    sign => {
                        let old = self.value(place)?.number();
                        Datum::Number(arithmetic(old, *sign, new.number())?)
                    }
                };
                self.set(place, new.clone())?;
                new
            }
            Expr::Step(place, step, before) => {
                let old = self.value(place)?.number();
                self.set(place, Datum::Number(old + step))?;
                Datum::Number(if *before { old + step } else { old })
            }
            Expr::Not(inner) => truth(!self.value(inner)?.holds()),
            Expr::Minus(inner) => Datum::Number(-self.value(inner)?.number()),
            Expr::Either(condition, yes, no) => {
                let holds = self.value(condition)?.holds();
                self.value(if holds { yes } else { no })?
            }
            Expr::In(key, array) => {
                let key = self.value(key)?.text();
                truth(self.arrays.get(array).is_some_and(|array| array.contains_key(&key)))
            }
            Expr::Binary(left, sign, right) => self.binary(left, sign, right)?,
            Expr::ToolInput(name, arguments) => self.call(name, arguments)?,
        })
    }

    fn set(&mut self, place: &Expr, value: Datum) -> Result<(), String> {
        match place {
            Expr::Variable(name) => {
                self.variables.insert(name.clone(), value.clone());
                if name == "NF" {
                    self.fields.resize((value.number().max(0.0) as usize).min(10_000), String::new());
                    self.rebuild();
                }
            }
            Expr::Element(array, index) => {
                let key = self.value(index)?.text();
                self.arrays.entry(array.clone()).or_default().insert(key, value);
            }
            Expr::Field(index) => match self.value(index)?.number() as usize {
                0 => self.set_line(&value.text()),
                at if at > 10_000 => return Err("field number too large".into()),
                at => {
                    if self.fields.len() < at {
                        self.fields.resize(at, String::new());
                    }
                    self.fields[at - 1] = value.text();
                    self.rebuild();
                }
            },
            _ => return Err("assignment to what is no variable".into()),
        }
        Ok(())
    }

    fn matches(&mut self, text: &Expr, with: &Expr) -> Result<bool, String> {
        let text = self.value(text)?.text();
        if let Expr::Regex(regex) = with {
            return Ok(regex.is_match(&text));
        }
        let with = self.value(with)?.text();
        Ok(pattern(&with, Dialect::Extended, false)?.is_match(&text))
    }

    fn binary(&mut self, left: &Expr, sign: &str, right: &Expr) -> Result<Datum, String> {
        match sign {
            "&&" => return Ok(truth(self.value(left)?.holds() && self.value(right)?.holds())),
            "||" => return Ok(truth(self.value(left)?.holds() || self.value(right)?.holds())),
            "~" => return self.matches(left, right).map(truth),
            "!~" => return self.matches(left, right).map(|found| truth(!found)),
            _ => {}
        }
        let (a, b) = (self.value(left)?, self.value(right)?);
        if sign == " " {
            let text = a.text() + &b.text();
            return if text.len() > MOST_BYTES { Err("stopped: text too long".into()) } else { Ok(Datum::Text(text)) };
        }
        if let "+" | "-" | "*" | "/" | "%" = sign {
            return arithmetic(a.number(), sign.chars().next().unwrap_or('+'), b.number()).map(Datum::Number);
        }
        let order = match a.is_numeric() && b.is_numeric() {
            true => a.number().partial_cmp(&b.number()).unwrap_or(std::cmp::Ordering::Equal),
            false => a.text().cmp(&b.text()),
        };
        Ok(truth(match sign {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "==" => order.is_eq(),
            _ => order.is_ne(),
        }))
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> Result<Datum, String> {
        if name == "length" {
            return Ok(Datum::Number(match arguments {
                [] => self.line.chars().count() as f64,
                [Expr::Variable(array)] if self.arrays.contains_key(array) => self.arrays[array].len() as f64,
                [one, ..] => self.value(one)?.text().chars().count() as f64,
            }));
        }
        if let ("sub" | "gsub", [what, with, place @ ..]) = (name, arguments) {
            return self.substitute(name == "gsub", what, with, place.first());
        }
        if let ("split", [text, Expr::Variable(array), sign @ ..]) = (name, arguments) {
            let text = self.value(text)?.text();
            let sign = match sign.first() {
                Some(Expr::Regex(regex)) => regex.as_str().to_string(),
                Some(sign) => self.value(sign)?.text(),
                None => self.variables.get("FS").map(Datum::text).unwrap_or_default(),
            };
            let parts = split(&text, &sign);
            let count = parts.len();
            let numbered = parts.into_iter().enumerate().map(|(at, part)| ((at + 1).to_string(), Datum::Input(part)));
            self.arrays.insert(array.clone(), numbered.collect());
            return Ok(Datum::Number(count as f64));
        }
        if let ("match", [text, with]) = (name, arguments) {
            let text = self.value(text)?.text();
            let found = match with {
                Expr::Regex(regex) => regex.find(&text).map(|m| (m.start(), m.end())),
                with => {
                    let with = self.value(with)?.text();
                    pattern(&with, Dialect::Extended, false)?.find(&text).map(|m| (m.start(), m.end()))
                }
            };
            let (start, length) = found.map_or((0.0, -1.0), |(start, end)| {
                (text[..start].chars().count() as f64 + 1.0, text[start..end].chars().count() as f64)
            });
            self.variables.insert("RSTART".into(), Datum::Number(start));
            self.variables.insert("RLENGTH".into(), Datum::Number(length));
            return Ok(Datum::Number(start));
        }
        if name == "sprintf" {
            return self.format(arguments).map(Datum::Text);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let text = |at: usize| values.get(at).map(Datum::text).unwrap_or_default();
        let number = |at: usize| values.get(at).map_or(0.0, Datum::number);
        Ok(match name {
            "tolower" => Datum::Text(text(0).to_lowercase()),
            "toupper" => Datum::Text(text(0).to_uppercase()),
            "int" => Datum::Number(number(0).trunc()),
            "sqrt" => Datum::Number(number(0).max(0.0).sqrt()),
            "index" => {
                let (all, part) = (text(0), text(1));
                Datum::Number(all.find(&part).map_or(0.0, |at| all[..at].chars().count() as f64 + 1.0))
            }
            "substr" => {
                let start = number(1).round();
                let end = if values.len() > 2 { start + number(2).round() } else { f64::INFINITY };
                let inside = |(at, _): &(usize, char)| (*at as f64 + 1.0) >= start && (*at as f64 + 1.0) < end;
                Datum::Text(text(0).chars().enumerate().filter(inside).map(|(_, c)| c).collect())
            }
            "(" => Datum::Text(values.iter().map(Datum::text).collect::<Vec<_>>().join("\u{1c}")),
            name => return Err(format!("calling undefined function {name}")),
        })
    }

    fn substitute(&mut self, all: bool, what: &Expr, with: &Expr, place: Option<&Expr>) -> Result<Datum, String> {
        let regex = match what {
            Expr::Regex(regex) => regex.clone(),
            other => pattern(&self.value(other)?.text(), Dialect::Extended, false)?,
        };
        let with = self.value(with)?.text();
        let line = Expr::Field(Box::new(Expr::Number(0.0)));
        let place = place.unwrap_or(&line);
        let old = self.value(place)?.text();
        let (mut new, mut end, mut count) = (String::new(), 0, 0);
        for found in regex.find_iter(&old) {
            new.push_str(&old[end..found.start()]);
            new.push_str(&with.replace("\\&", "\u{0}").replace('&', found.as_str()).replace('\u{0}', "&"));
            end = found.end();
            count += 1;
            if !all || new.len() > MOST_BYTES {
                break;
            }
        }
        new.push_str(&old[end..]);
        if count > 0 {
            self.set(place, Datum::Text(new))?;
        }
        Ok(Datum::Number(f64::from(count)))
    }
}

fn truth(holds: bool) -> Datum {
    Datum::Number(if holds { 1.0 } else { 0.0 })
}

fn arithmetic(a: f64, sign: char, b: f64) -> Result<f64, String> {
    Ok(match sign {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        _ if b == 0.0 => return Err("division by zero".into()),
        '/' => a / b,
        _ => a % b,
    })
}

fn split(text: &str, separator: &str) -> Vec<String> {
    let own = |part: &str| part.to_string();
    match separator {
        " " => text.split_whitespace().map(own).collect(),
        "" => text.chars().map(String::from).collect(),
        _ if text.is_empty() => Vec::new(),
        one if one.chars().count() == 1 && one != "\\" => text.split(one).map(own).collect(),
        many => match pattern(many, Dialect::Extended, false) {
            Ok(regex) => regex.split(text).map(own).collect(),
            Err(_) => text.split(many).map(own).collect(),
        },
    }
}
