//! The evaluator: an expression and the names it may use become a value.
//!
//! Unknown values flow through: what depends on one is unknown, what does not is computed. Work is paid for with fuel, so
//! that a small text cannot ask for a large computation.

mod ops;
mod template;
mod traverse;

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::functions::{self, EvalHost};
use crate::syntax::{BinaryOp, Expr, ExprKind, ForLoop};

pub use ops::unify;

/// What a life cycle may spend on evaluation: about a second of work at most.
pub const FUEL: u64 = 4_000_000;

/// The deepest value that an expression may build.
const DEEPEST: usize = 64;

/// Resolves the names that a configuration declares.
pub trait NameSource {
    /// The value behind a name and the attributes after it, and how many of those were used up.
    fn resolve(&self, root: &str, path: &[&str]) -> Result<(Datum, usize), Diagnostic>;

    /// Functions beyond Terraform's own, for checks. None by default.
    fn question(&self, _name: &str, _args: &[Datum]) -> Option<Result<Datum, String>> {
        None
    }
}

/// No names at all: constants only.
pub struct NoNames;

impl NameSource for NoNames {
    fn resolve(&self, root: &str, _: &[&str]) -> Result<(Datum, usize), Diagnostic> {
        Err(Diagnostic::new("Variables not allowed", format!("Variables may not be used here; `{root}` is one.")))
    }
}

/// Evaluates an expression that may use functions but no names.
pub fn constant(expr: &Expr) -> Result<Datum, Diagnostic> {
    let fuel = Cell::new(FUEL / 8);
    Evaluator::new(&NoNames, &EvalHost::default(), &fuel).eval(expr)
}

/// One evaluation under way.
pub struct Evaluator<'a> {
    names: &'a dyn NameSource,
    host: &'a EvalHost<'a>,
    fuel: &'a Cell<u64>,
    bound: Vec<(String, Datum)>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with these names, this view of the outside, and this much to spend.
    pub fn new(names: &'a dyn NameSource, host: &'a EvalHost<'a>, fuel: &'a Cell<u64>) -> Self {
        Self { names, host, fuel, bound: Vec::new() }
    }

    /// Adds a name that shadows the others, as `dynamic` blocks do.
    pub fn bind(&mut self, name: impl Into<String>, value: Datum) {
        self.bound.push((name.into(), value));
    }

    /// Takes back the last name.
    pub fn unbind(&mut self) {
        self.bound.pop();
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr) -> Result<Datum, Diagnostic> {
        self.kind(expr).map_err(|e| e.at(expr.line))
    }

    fn kind(&mut self, expr: &Expr) -> Result<Datum, Diagnostic> {
        self.spend(1)?;
        match &expr.kind {
            ExprKind::Literal(value) => Ok(value.clone()),
            ExprKind::Template(parts) => self.template(parts),
            ExprKind::Name(name) => self.traverse_name(name, &[]),
            ExprKind::Traversal { base, steps } => self.traversal(base, steps),
            ExprKind::Call { name, args, expand } => self.call(name, args, *expand),
            ExprKind::Conditional { test, yes, no } => self.conditional(test, yes, no),
            ExprKind::Not(inner) => ops::not(self.eval(inner)?),
            ExprKind::Negate(inner) => ops::negate(self.eval(inner)?),
            ExprKind::Binary { op, left, right } => {
                let left = self.eval(left)?;
                if ops::decided(*op, &left) {
                    return Ok(Datum::Bool(*op == BinaryOp::Or));
                }
                let right = self.eval(right)?;
                ops::binary(*op, left, right)
            }
            ExprKind::List(items) => {
                let items = items.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
                shallow(Datum::List(items))
            }
            ExprKind::Object(items) => self.object(items),
            ExprKind::For(for_loop) => self.for_loop(for_loop),
        }
    }

    /// Pays for work; an empty purse is an error.
    pub(crate) fn spend(&self, amount: u64) -> Result<(), Diagnostic> {
        let left = self.fuel.get().checked_sub(amount);
        self.fuel.set(left.unwrap_or(0));
        let error =
            || Diagnostic::new("Evaluation too large", "The configuration asks for more computation than is allowed.");
        left.map(|_| ()).ok_or_else(error)
    }

    fn object(&mut self, items: &[(Expr, Expr)]) -> Result<Datum, Diagnostic> {
        let mut made = BTreeMap::new();
        for (key, value) in items {
            let name = match &key.kind {
                ExprKind::Name(name) => Datum::text(name.clone()),
                _ => self.eval(key)?,
            };
            let value = self.eval(value)?;
            match Constraint::Text.convert(name) {
                Ok(Datum::Text(name)) => {
                    made.insert(name, value);
                }
                Ok(Datum::Unknown(_)) => return Ok(Datum::Unknown(Constraint::Map(Box::new(Constraint::Any)))),
                _ => return Err(Diagnostic::new("Incorrect key type", "Object keys must be strings.").at(key.line)),
            }
        }
        shallow(Datum::Map(made))
    }

    fn conditional(&mut self, test: &Expr, yes: &Expr, no: &Expr) -> Result<Datum, Diagnostic> {
        let test_value = self.eval(test)?;
        let summary = "Incorrect condition type";
        match Constraint::Bool.convert(test_value) {
            Ok(Datum::Bool(chosen)) => {
                // The side not taken may use what does not exist, as in `length(x) > 0 ? x[0] : null`.
                let value = self.eval(if chosen { yes } else { no })?;
                match self.eval(if chosen { no } else { yes }) {
                    Ok(other) => ops::unify(value, &other),
                    Err(_) => Ok(value),
                }
            }
            Ok(Datum::Unknown(_)) => {
                let (yes, no) = (self.eval(yes), self.eval(no));
                Ok(Datum::Unknown(match (yes, no) {
                    (Ok(a), Ok(b)) => ops::common(&a, &b),
                    _ => Constraint::Any,
                }))
            }
            Ok(_) => Err(Diagnostic::new(summary, "The condition value is null.").at(test.line)),
            Err(why) => {
                Err(Diagnostic::new(summary, format!("The condition must be true or false: {why}.")).at(test.line))
            }
        }
    }

    fn call(&mut self, name: &str, args: &[Expr], expand: bool) -> Result<Datum, Diagnostic> {
        match name {
            "try" => return self.first_that_works(args),
            "can" => {
                let [arg] = args else {
                    return Err(Diagnostic::new("Wrong number of function arguments", "can(..) takes one."));
                };
                return Ok(Datum::Bool(self.eval(arg).is_ok()));
            }
            _ => {}
        }
        let mut values = args.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
        if expand {
            match values.pop() {
                Some(Datum::List(items) | Datum::Set(items)) => values.extend(items),
                Some(Datum::Unknown(_)) => return Ok(Datum::unknown()),
                _ => {
                    return Err(Diagnostic::new(
                        "Invalid expanding argument value",
                        "The expanding argument must be a list.",
                    ));
                }
            }
        }
        self.spend(values.iter().map(Datum::weight).sum())?;
        let failed =
            |why| Diagnostic::new("Error in function call", format!("Call to function {name:?} failed: {why}."));
        if let Some(answer) = self.names.question(name, &values) {
            return answer.map_err(failed);
        }
        if name == "templatefile" {
            return self.template_file(&values);
        }
        let made = functions::call(name, values, self.host)?;
        self.spend(made.weight())?;
        shallow(made)
    }

    fn first_that_works(&mut self, args: &[Expr]) -> Result<Datum, Diagnostic> {
        let mut last = Diagnostic::new("Error in function call", "try(..) needs an argument.");
        for arg in args {
            match self.eval(arg) {
                Ok(value) => return Ok(value),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// A `for` expression over a list, a set or a map.
    fn for_loop(&mut self, source: &ForLoop) -> Result<Datum, Diagnostic> {
        let collection = self.eval(&source.collection)?;
        let Some(entries) = pairs(collection).map_err(|e| e.at(source.collection.line))? else {
            let made = Box::new(Constraint::Any);
            return Ok(Datum::Unknown(if source.key.is_some() {
                Constraint::Map(made)
            } else {
                Constraint::List(made)
            }));
        };
        let mut list = Vec::new();
        let mut map: BTreeMap<String, Vec<Datum>> = BTreeMap::new();
        let mut unknown = false;
        for (key, value) in entries {
            let depth = self.bound.len();
            if let Some(name) = &source.key_name {
                self.bind(name.clone(), key);
            }
            self.bind(source.value_name.clone(), value);
            let made = self.for_turn(source);
            self.bound.truncate(depth);
            match made? {
                LoopTurn::Skip => {}
                LoopTurn::Unknown => unknown = true,
                LoopTurn::Item(value) => list.push(value),
                LoopTurn::Entry(key, value) => map.entry(key).or_default().push(value),
            }
        }
        if source.key.is_none() {
            return if unknown {
                Ok(Datum::Unknown(Constraint::List(Box::new(Constraint::Any))))
            } else {
                shallow(Datum::List(list))
            };
        }
        if unknown {
            return Ok(Datum::Unknown(Constraint::Map(Box::new(Constraint::Any))));
        }
        gather(map, source.grouping).and_then(shallow)
    }

    fn for_turn(&mut self, source: &ForLoop) -> Result<LoopTurn, Diagnostic> {
        if let Some(test) = &source.test {
            match Constraint::Bool.convert(self.eval(test)?) {
                Ok(Datum::Bool(true)) => {}
                Ok(Datum::Bool(false)) => return Ok(LoopTurn::Skip),
                Ok(Datum::Unknown(_)) => return Ok(LoopTurn::Unknown),
                _ => {
                    return Err(Diagnostic::new("Invalid 'for' condition", "The 'if' clause must be true or false.")
                        .at(test.line));
                }
            }
        }
        let value = self.eval(&source.value)?;
        self.spend(value.weight())?;
        let Some(key) = &source.key else { return Ok(LoopTurn::Item(value)) };
        match Constraint::Text.convert(self.eval(key)?) {
            Ok(Datum::Text(key)) => Ok(LoopTurn::Entry(key, value)),
            Ok(Datum::Unknown(_)) => Ok(LoopTurn::Unknown),
            _ => Err(Diagnostic::new("Invalid object key", "The key expression must give a string.").at(key.line)),
        }
    }
}

/// What one element of a `for` gives.
enum LoopTurn {
    Skip,
    Unknown,
    Item(Datum),
    Entry(String, Datum),
}

fn gather(map: BTreeMap<String, Vec<Datum>>, grouping: bool) -> Result<Datum, Diagnostic> {
    let mut made = BTreeMap::new();
    for (key, mut values) in map {
        let value = match (grouping, values.len()) {
            (true, _) => Datum::List(values),
            (false, 1) => values.swap_remove(0),
            (false, _) => {
                let detail = format!("Two different items produced the key {key:?} in this 'for' expression.");
                return Err(Diagnostic::new("Duplicate object key", detail));
            }
        };
        made.insert(key, value);
    }
    Ok(Datum::Map(made))
}

/// Keys and values of a collection; nothing where it is unknown.
pub(crate) fn pairs(collection: Datum) -> Result<Option<Vec<(Datum, Datum)>>, Diagnostic> {
    #[allow(clippy::cast_precision_loss)]
    let numbered =
        |items: Vec<Datum>| items.into_iter().enumerate().map(|(i, v)| (Datum::Number(i as f64), v)).collect();
    match collection {
        Datum::List(items) => Ok(Some(numbered(items))),
        Datum::Set(items) => Ok(Some(items.into_iter().map(|v| (v.clone(), v)).collect())),
        Datum::Map(entries) => Ok(Some(entries.into_iter().map(|(k, v)| (Datum::Text(k), v)).collect())),
        Datum::Unknown(Constraint::Bool | Constraint::Number | Constraint::Text)
        | Datum::Bool(_)
        | Datum::Number(_)
        | Datum::Text(_) => {
            Err(Diagnostic::new("Iteration over non-iterable value", "A list, set, map or object is needed here."))
        }
        Datum::Unknown(_) => Ok(None),
        Datum::Null => Err(Diagnostic::new(
            "Iteration over null value",
            "A null value cannot be used as the collection in a 'for' expression.",
        )),
    }
}

/// Refuses values that nest too deep for those who walk them later.
fn shallow(value: Datum) -> Result<Datum, Diagnostic> {
    if value.depth() > DEEPEST {
        return Err(Diagnostic::new("Value too deep", format!("Values may nest {DEEPEST} levels deep.")));
    }
    Ok(value)
}
