//! Questions about what a configuration made: the words in which tasks state their requirements.
//!
//! A requirement is an expression of the language itself, over the applied cloud: `rules(output.sg, "ingress") == [...]`,
//! `route(subnet, "8.8.8.8").via == "nat_gateway"`. It speaks of meaning, so every way to write a correct configuration passes.
//!
//! | question | answer |
//! |---|---|
//! | `all(type)`, `only(type)`, `find(type, attr, value)` | objects that the configuration made, with all attributes |
//! | `output.x`, `var.x` | results of the root module, values of the run |
//! | `route(subnet, address)` | `{via, id, table}`: where a packet goes, by the longest prefix |
//! | `internet(subnet)` | `direct`, `nat`, `no` or `partly`, by routes and network ACLs |
//! | `rules(group, "ingress")` | lines such as `tcp 22-22 10.0.0.0/8`, inline and separate rules alike |
//! | `firewall(network, tag)`, `nsg(group, "Inbound")` | the same for Google and Azure |
//! | `exposed(lines, ports)`, `within(range, address)` | whether the internet reaches a port; whether a range holds an address |
//! | `allows(principal, action, resource, context)` | the decision of identity and bucket policies |
//! | `trusted(role)`, `granted(role)`, `bucket_grants(bucket)` | who may assume; what is allowed, one line each |
//! | `beyond(grants, actions, resources)` | those of such lines that allow something else |
//! | `versioning`, `cors`, `transitions`, `expirations`, `public_access`, `encryption`, `public` of a bucket | its settings, inline or separate |
//! | `untagged({key = value})` | addresses of what could carry these tags and does not |

mod access;
mod acl;
mod explain;
mod network;
mod storage;

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::cloud::{Cloud, CloudObject};
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::{Evaluator, FUEL, NameSource};
use crate::functions::EvalHost;
use crate::schema::Schema;
use crate::syntax::Expr;

/// What requirements may look at: the cloud, the outputs and the variables of one run.
pub struct Applied<'a> {
    /// Everything that exists.
    pub cloud: &'a Cloud,
    /// Results of the root module.
    pub outputs: &'a BTreeMap<String, Datum>,
    /// Values of the task's variables in this run.
    pub variables: &'a BTreeMap<String, Datum>,
}

impl Applied<'_> {
    /// Whether a requirement holds; if not, what was found instead.
    pub fn holds(&self, test: &Expr) -> Result<(), String> {
        let fuel = Cell::new(FUEL);
        let host = EvalHost::default();
        let value = Evaluator::new(self, &host, &fuel).eval(test);
        match value {
            Ok(Datum::Bool(true)) => Ok(()),
            Ok(Datum::Bool(false)) => Err(explain::explain(self, test)),
            Ok(other) => Err(format!("the requirement gives {other}, not true or false")),
            Err(error) => Err(format!("{}: {}", error.summary, error.detail)),
        }
    }
}

impl Applied<'_> {
    /// The addresses of everything that could carry these tags and does not.
    pub fn untagged(&self, wanted: &Datum) -> Vec<String> {
        untagged(self.cloud, wanted)
    }
}

impl NameSource for Applied<'_> {
    fn resolve(&self, root: &str, path: &[&str]) -> Result<(Datum, usize), Diagnostic> {
        let name = path.first().copied().unwrap_or_default();
        let (values, what) = match root {
            "output" => (self.outputs, "output"),
            "var" => (self.variables, "variable"),
            other => return Err(Diagnostic::new("Invalid reference", format!("{other:?} is not known here."))),
        };
        let missing = || Diagnostic::new(format!("Missing {what}"), format!("There is no {what} {name:?}."));
        values.get(name).map(|v| (v.clone(), 1)).ok_or_else(missing)
    }

    fn question(&self, name: &str, args: &[Datum]) -> Option<Result<Datum, String>> {
        let text = |i: usize| args.get(i).and_then(Datum::as_text).unwrap_or_default();
        Some(match (name, args.len()) {
            ("all", 1) => Ok(Datum::List(self.cloud.all(text(0)).filter(|o| o.owner.is_some()).map(object).collect())),
            ("only", 1) => only(self.cloud, text(0)),
            ("find", 3) => {
                Ok(self.cloud.all(text(0)).find(|o| o.get(text(1)).same(&args[2])).map_or(Datum::Null, object))
            }
            ("untagged", 1) => Ok(Datum::texts(untagged(self.cloud, &args[0]))),
            ("route", 2) => network::route(self.cloud, text(0), text(1)),
            ("internet", 1) => Ok(Datum::text(network::internet(self.cloud, text(0)))),
            ("rules", 2) => Ok(Datum::texts(network::rules(self.cloud, text(0), text(1)))),
            ("firewall", 2) => Ok(Datum::texts(network::firewall(self.cloud, text(0), text(1)))),
            ("nsg", 2) => Ok(Datum::texts(network::nsg(self.cloud, text(0), text(1)))),
            ("exposed", 2) => Ok(Datum::Bool(network::exposed(&args[0], &args[1]))),
            ("within", 2) => Ok(Datum::Bool(crate::functions::contains_address(text(0), text(1)))),
            ("allows", 3 | 4) => Ok(Datum::Bool(access::allows(self.cloud, text(0), text(1), text(2), args.get(3)))),
            ("trusted", 1) => access::trusted(self.cloud, text(0)).map(Datum::texts),
            ("granted", 1) => access::granted(self.cloud, text(0)).map(Datum::texts),
            ("bucket_grants", 1) => access::bucket_grants(self.cloud, text(0)).map(Datum::texts),
            ("beyond", 3) => Ok(Datum::texts(access::beyond(&args[0], &args[1], &args[2]))),
            ("versioning", 1) => Ok(Datum::text(storage::versioning(self.cloud, text(0)))),
            ("cors", 1) => Ok(storage::cors(self.cloud, text(0))),
            ("transitions", 1) => Ok(storage::transitions(self.cloud, text(0))),
            ("expirations", 1) => Ok(storage::expirations(self.cloud, text(0))),
            ("public_access", 1) => Ok(storage::public_access(self.cloud, text(0))),
            ("encryption", 1) => Ok(Datum::text(storage::encryption(self.cloud, text(0)))),
            ("public", 1) => Ok(Datum::Bool(storage::is_public(self.cloud, text(0)))),
            _ => return None,
        })
    }
}

fn object(object: &CloudObject) -> Datum {
    Datum::Map(object.attrs.clone())
}

fn only(cloud: &Cloud, kind: &str) -> Result<Datum, String> {
    let found: Vec<&CloudObject> = cloud.all(kind).filter(|o| o.owner.is_some()).collect();
    match found.as_slice() {
        [one] => Ok(object(one)),
        other => Err(format!("expected one {kind}, found {}", other.len())),
    }
}

/// The addresses of everything that could carry these tags and does not.
fn untagged(cloud: &Cloud, wanted: &Datum) -> Vec<String> {
    let schema = Schema::get();
    let lacks = |object: &&CloudObject| {
        let attrs = schema.resources.get(&object.kind).map(|k| &k.body.attrs);
        let field = ["tags_all", "tags", "labels"].into_iter().find(|f| attrs.is_some_and(|a| a.contains_key(*f)));
        // Instances of GCP have network tags, which are no labels.
        let field = if object.kind.starts_with("google_") {
            attrs.and_then(|a| a.contains_key("labels").then_some("labels"))
        } else {
            field
        };
        field.is_some_and(|field| {
            let have = object.get(field);
            wanted.as_map().into_iter().flatten().any(|(key, value)| !have.get(key).same(value))
        })
    };
    cloud.objects().filter(|o| o.owner.is_some()).filter(lacks).filter_map(|o| o.owner.clone()).collect()
}
