//! Running a filter: each input gives any number of outputs.

use super::parse::Filter;
use super::value::Json;

/// An error that a filter raised: any value.
#[derive(Clone, Debug)]
pub(super) struct Raised(pub(super) Json);

impl Raised {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(Json::Text(text.into()))
    }

    pub(super) fn text(&self) -> String {
        match &self.0 {
            Json::Text(text) => text.clone(),
            other => format!("{} (not a string)", other.compact()),
        }
    }
}

/// Names and values, the newest last.
pub(super) type Names = Vec<(String, Json)>;
pub(super) type Outcome = Result<(), Raised>;

pub(super) struct Eval {
    steps: usize,
    depth: usize,
    pub(super) now: i64,
}

const MOST_STEPS: usize = 1_000_000;

impl Eval {
    pub(super) fn new(now: i64) -> Self {
        Self { steps: 0, depth: 0, now }
    }

    /// All outputs of a filter.
    pub(super) fn all(&mut self, filter: &Filter, input: &Json, names: &Names) -> Result<Vec<Json>, Raised> {
        let mut out = Vec::new();
        self.eval(filter, input, names, &mut out)?;
        Ok(out)
    }

    pub(super) fn eval(&mut self, filter: &Filter, input: &Json, names: &Names, out: &mut Vec<Json>) -> Outcome {
        self.steps += 1;
        self.depth += 1;
        if self.steps > MOST_STEPS || self.depth > 400 || out.len() > MOST_STEPS {
            return Err(Raised::new("stopped: the filter runs too long"));
        }
        let outcome = self.one(filter, input, names, out);
        self.depth -= 1;
        outcome
    }

    fn one(&mut self, filter: &Filter, input: &Json, names: &Names, out: &mut Vec<Json>) -> Outcome {
        match filter {
            Filter::Same => out.push(input.clone()),
            Filter::Everything => everything(input, out),
            Filter::Literal(value) => out.push(value.clone()),
            Filter::Variable(name) if name == "ENV" => out.push(Json::Object(Vec::new())),
            Filter::Variable(name) => match names.iter().rev().find(|(known, _)| known == name) {
                Some((_, value)) => out.push(value.clone()),
                None => return Err(Raised::new(format!("${name} is not defined"))),
            },
            Filter::Format(name, of) => {
                for value in self.all(of, input, names)? {
                    out.push(Json::Text(super::functions::format(name, &value)?));
                }
            }
            Filter::Template(parts, format) => {
                let mut text = String::new();
                for (literal, inner) in parts {
                    text.push_str(literal);
                    if let Some(inner) = inner {
                        let value = self.all(inner, input, names)?.into_iter().next().unwrap_or(Json::Null);
                        text.push_str(&super::functions::format(format.as_deref().unwrap_or("text"), &value)?);
                    }
                }
                out.push(Json::Text(text));
            }
            Filter::Index(of, index) => {
                for value in self.all(of, input, names)? {
                    for index in self.all(index, input, names)? {
                        out.push(at(&value, &index)?);
                    }
                }
            }
            Filter::Slice(of, first, last) => {
                for value in self.all(of, input, names)? {
                    let mut edge = |edge: &Option<Box<Filter>>| -> Result<Option<f64>, Raised> {
                        let Some(edge) = edge else { return Ok(None) };
                        match self.all(edge, input, names)?.first() {
                            Some(Json::Number(number)) => Ok(Some(*number)),
                            _ => Ok(None),
                        }
                    };
                    out.push(slice(&value, edge(first)?, edge(last)?)?);
                }
            }
            Filter::Each(of) => {
                for value in self.all(of, input, names)? {
                    match value {
                        Json::List(items) => out.extend(items),
                        Json::Object(fields) => out.extend(fields.into_iter().map(|(_, value)| value)),
                        other => {
                            let what = describe(&other);
                            return Err(Raised::new(format!("Cannot iterate over {what}")));
                        }
                    }
                }
            }
            Filter::Try(body, catch) => {
                if let Err(raised) = self.eval(body, input, names, out)
                    && let Some(catch) = catch
                {
                    self.eval(catch, &raised.0, names, out)?;
                }
            }
            Filter::List(None) => out.push(Json::List(Vec::new())),
            Filter::List(Some(inner)) => {
                let items = self.all(inner, input, names)?;
                out.push(Json::List(items));
            }
            Filter::Object(fields) => self.object(fields, input, names, Json::Object(Vec::new()), out)?,
            Filter::Pipe(left, right) => {
                for value in self.all(left, input, names)? {
                    self.eval(right, &value, names, out)?;
                }
            }
            Filter::Both(left, right) => {
                self.eval(left, input, names, out)?;
                self.eval(right, input, names, out)?;
            }
            Filter::Binary(left, sign, right) => self.binary(left, sign, right, input, names, out)?,
            Filter::Minus(inner) => {
                for value in self.all(inner, input, names)? {
                    match value {
                        Json::Number(number) => out.push(Json::Number(-number)),
                        other => return Err(Raised::new(format!("{} cannot be negated", describe(&other)))),
                    }
                }
            }
            Filter::If(arms, otherwise) => {
                for (condition, body) in arms {
                    let holds = self.all(condition, input, names)?.first().is_some_and(Json::holds);
                    if holds {
                        return self.eval(body, input, names, out);
                    }
                }
                match otherwise {
                    Some(body) => self.eval(body, input, names, out)?,
                    None => out.push(input.clone()),
                }
            }
            Filter::As(source, wanted, body) => {
                for value in self.all(source, input, names)? {
                    let mut inner = names.clone();
                    match &**wanted {
                        [first, list @ ..] if first.is_empty() => {
                            for (at, name) in list.iter().enumerate() {
                                inner.push((name.clone(), self::at(&value, &Json::Number(at as f64))?));
                            }
                        }
                        [name, ..] => inner.push((name.clone(), value)),
                        [] => {}
                    }
                    self.eval(body, input, &inner, out)?;
                }
            }
            Filter::Reduce(source, name, first, update) => {
                let mut sum = self.all(first, input, names)?.pop().unwrap_or(Json::Null);
                for value in self.all(source, input, names)? {
                    let mut inner = names.clone();
                    inner.push((name.clone(), value));
                    sum = self.all(update, &sum, &inner)?.pop().unwrap_or(Json::Null);
                }
                out.push(sum);
            }
            Filter::ToolInput(name, arguments) => self.call(name, arguments, input, names, out)?,
        }
        Ok(())
    }

    /// All objects that the outputs of keys and values make.
    fn object(
        &mut self,
        fields: &[(Filter, Filter)],
        input: &Json,
        names: &Names,
        so_far: Json,
        out: &mut Vec<Json>,
    ) -> Outcome {
        let Some(((key, value), rest)) = fields.split_first() else {
            out.push(so_far);
            return Ok(());
        };
        for key in self.all(key, input, names)? {
            let Json::Text(key) = key else {
                return Err(Raised::new(format!("Object keys must be strings, not {}", describe(&key))));
            };
            for value in self.all(value, input, names)? {
                let mut object = so_far.clone();
                object.set(&key, value);
                self.object(rest, input, names, object, out)?;
            }
        }
        Ok(())
    }

    fn binary(
        &mut self,
        left: &Filter,
        sign: &str,
        right: &Filter,
        input: &Json,
        names: &Names,
        out: &mut Vec<Json>,
    ) -> Outcome {
        match sign {
            "//" => {
                let found = self.all(left, input, names).unwrap_or_default();
                let found: Vec<_> = found.into_iter().filter(Json::holds).collect();
                if found.is_empty() {
                    return self.eval(right, input, names, out);
                }
                out.extend(found);
            }
            "and" | "or" => {
                for left in self.all(left, input, names)? {
                    if left.holds() == (sign == "or") {
                        out.push(Json::Bool(sign == "or"));
                        continue;
                    }
                    for right in self.all(right, input, names)? {
                        out.push(Json::Bool(right.holds()));
                    }
                }
            }
            "=" | "|=" | "+=" | "-=" | "*=" | "/=" => return self.update(left, sign, right, input, names, out),
            _ => {
                for right in self.all(right, input, names)? {
                    for left in self.all(left, input, names)? {
                        out.push(super::functions::arithmetic(&left, sign, &right)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn update(
        &mut self,
        place: &Filter,
        sign: &str,
        value: &Filter,
        input: &Json,
        names: &Names,
        out: &mut Vec<Json>,
    ) -> Outcome {
        let mut result = input.clone();
        for path in self.paths(place, input, names)? {
            let old = path.iter().try_fold(result.clone(), |value, step| at(&value, step))?;
            let new = match sign {
                "|=" => self.all(value, &old, names)?.into_iter().next(),
                "=" => self.all(value, input, names)?.into_iter().next(),
                sign => {
                    let right = self.all(value, input, names)?.into_iter().next().unwrap_or(Json::Null);
                    Some(super::functions::arithmetic(&old, &sign[..1], &right)?)
                }
            };
            set_path(&mut result, &path, new)?;
        }
        out.push(result);
        Ok(())
    }

    /// The places that a filter names.
    pub(super) fn paths(&mut self, filter: &Filter, input: &Json, names: &Names) -> Result<Vec<Vec<Json>>, Raised> {
        let follow = |path: &[Json]| path.iter().try_fold(input.clone(), |value, step| at(&value, step));
        Ok(match filter {
            Filter::Same => vec![Vec::new()],
            Filter::Index(of, index) => {
                let mut found = Vec::new();
                for path in self.paths(of, input, names)? {
                    for index in self.all(index, input, names)? {
                        found.push(path.iter().cloned().chain([index]).collect());
                    }
                }
                found
            }
            Filter::Each(of) => {
                let mut found: Vec<Vec<Json>> = Vec::new();
                for path in self.paths(of, input, names)? {
                    let steps: Vec<Json> = match follow(&path)? {
                        Json::List(items) => (0..items.len()).map(|at| Json::Number(at as f64)).collect(),
                        Json::Object(fields) => fields.into_iter().map(|(key, _)| Json::Text(key)).collect(),
                        _ => Vec::new(),
                    };
                    found.extend(steps.into_iter().map(|step| path.iter().cloned().chain([step]).collect()));
                }
                found
            }
            Filter::Pipe(left, right) => {
                let mut found = Vec::new();
                for path in self.paths(left, input, names)? {
                    let value = follow(&path)?;
                    for inner in self.paths(right, &value, names)? {
                        found.push(path.iter().cloned().chain(inner).collect());
                    }
                }
                found
            }
            Filter::Both(left, right) => {
                let mut found = self.paths(left, input, names)?;
                found.extend(self.paths(right, input, names)?);
                found
            }
            Filter::Try(inner, _) => self.paths(inner, input, names).unwrap_or_default(),
            Filter::ToolInput(name, arguments) if name == "select" && arguments.len() == 1 => {
                let holds = self.all(&arguments[0], input, names)?.iter().any(Json::holds);
                if holds { vec![Vec::new()] } else { Vec::new() }
            }
            _ => return Err(Raised::new("this left side of an assignment is not supported")),
        })
    }
}

fn everything(value: &Json, out: &mut Vec<Json>) {
    out.push(value.clone());
    match value {
        Json::List(items) => items.iter().for_each(|item| everything(item, out)),
        Json::Object(fields) => fields.iter().for_each(|(_, value)| everything(value, out)),
        _ => {}
    }
}

/// `null`, or a type with its value: as jq words it.
pub(super) fn describe(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        other => format!("{} ({})", other.kind(), other.brief()),
    }
}

/// An element or a field.
pub(super) fn at(value: &Json, index: &Json) -> Result<Json, Raised> {
    Ok(match (value, index) {
        (Json::Null, _) => Json::Null,
        (Json::Object(_), Json::Text(name)) => value.field(name).cloned().unwrap_or(Json::Null),
        (Json::List(items), Json::Number(number)) => {
            let at = if *number < 0.0 { items.len() as f64 + number } else { *number };
            if at < 0.0 { Json::Null } else { items.get(at as usize).cloned().unwrap_or(Json::Null) }
        }
        (other, Json::Text(name)) => {
            return Err(Raised::new(format!("Cannot index {} with \"{name}\"", other.kind())));
        }
        (other, index) => return Err(Raised::new(format!("Cannot index {} with {}", other.kind(), index.kind()))),
    })
}

fn slice(value: &Json, first: Option<f64>, last: Option<f64>) -> Result<Json, Raised> {
    let edge = |edge: Option<f64>, length: usize, default: usize| match edge {
        None => default,
        Some(edge) if edge < 0.0 => (length as f64 + edge).max(0.0) as usize,
        Some(edge) => (edge as usize).min(length),
    };
    let range = |length: usize| {
        let (first, last) = (edge(first, length, 0), edge(last, length, length));
        first..last.max(first)
    };
    Ok(match value {
        Json::Null => Json::Null,
        Json::List(items) => Json::List(items[range(items.len())].to_vec()),
        Json::Text(text) => {
            let letters: Vec<char> = text.chars().collect();
            Json::Text(letters[range(letters.len())].iter().collect())
        }
        other => return Err(Raised::new(format!("Cannot index {} with object", other.kind()))),
    })
}

/// Sets or removes what is at a path.
pub(super) fn set_path(value: &mut Json, path: &[Json], new: Option<Json>) -> Outcome {
    let Some((step, rest)) = path.split_first() else {
        if let Some(new) = new {
            *value = new;
        }
        return Ok(());
    };
    match step {
        Json::Text(name) => {
            if matches!(value, Json::Null) && new.is_some() {
                *value = Json::Object(Vec::new());
            }
            let Json::Object(fields) = value else {
                return match value {
                    Json::Null => Ok(()),
                    other => Err(Raised::new(format!("Cannot index {} with \"{name}\"", other.kind()))),
                };
            };
            if rest.is_empty() && new.is_none() {
                fields.retain(|(key, _)| key != name);
                return Ok(());
            }
            if !fields.iter().any(|(key, _)| key == name) {
                fields.push((name.clone(), Json::Null));
            }
            let at = fields.iter().position(|(key, _)| key == name).expect("it was just made");
            set_path(&mut fields[at].1, rest, new)
        }
        Json::Number(number) => {
            if matches!(value, Json::Null) {
                *value = Json::List(Vec::new());
            }
            let Json::List(items) = value else {
                return Err(Raised::new(format!("Cannot index {} with number", value.kind())));
            };
            let at = if *number < 0.0 { (items.len() as f64 + number).max(0.0) } else { *number } as usize;
            if rest.is_empty() && new.is_none() {
                if at < items.len() {
                    items.remove(at);
                }
                return Ok(());
            }
            if at >= 100_000 {
                return Err(Raised::new("Array index too large"));
            }
            if at >= items.len() {
                items.resize(at + 1, Json::Null);
            }
            set_path(&mut items[at], rest, new)
        }
        other => Err(Raised::new(format!("Invalid path step {}", other.compact()))),
    }
}
