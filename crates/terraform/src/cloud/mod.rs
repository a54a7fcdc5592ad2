//! A cloud that is a plain value: objects by type and id, and the rules that matter when they are made, changed and removed.

mod aws_access;
mod aws_effects;
mod aws_firewall;
mod aws_network;
mod aws_other;
mod azure;
mod fill;
mod google;
mod refer;

use std::collections::BTreeMap;

use crate::datum::Attributes;
use crate::datum::Datum;
use crate::schema::{ResourceType, Schema};

pub use refer::target_of;

/// The account that all of AWS belongs to.
pub const ACCOUNT: &str = "123456789012";

/// The subscription that all of Azure belongs to.
pub const SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";

/// Something in the cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct CloudObject {
    /// Its type.
    pub kind: String,
    /// The address that made it; none for what the cloud made by itself.
    pub owner: Option<String>,
    /// Everything that can be read of it.
    pub attrs: Attributes,
    /// The apply that made it, and the node of the graph in that apply.
    pub born: (u64, usize),
}

impl CloudObject {
    /// An attribute's text, or nothing.
    pub fn text(&self, name: &str) -> &str {
        self.attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
    }

    /// An attribute, null where there is none.
    pub fn get(&self, name: &str) -> &Datum {
        self.attrs.get(name).unwrap_or(&Datum::Null)
    }
}

/// What a provider block says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderSettings {
    /// Where things are made.
    pub region: Option<String>,
    /// Google's project.
    pub project: Option<String>,
    /// Google's zone.
    pub zone: Option<String>,
    /// Tags on everything.
    pub default_tags: BTreeMap<String, Datum>,
}

/// Who asks: the address, its settings, and which new objects it may count on.
pub struct Caller<'a> {
    /// Such as `aws_vpc.main`.
    pub address: &'a str,
    /// Its provider.
    pub settings: &'a ProviderSettings,
    /// Its node in the graph.
    pub node: usize,
    /// Whether it waits for another node. Objects of nodes it does not wait for may not exist yet when it starts.
    pub waits_for: &'a dyn Fn(usize) -> bool,
}

/// The cloud.
#[derive(Debug, Clone, Default)]
pub struct Cloud {
    objects: BTreeMap<(String, String), CloudObject>,
    /// Counts what was made, so that ids differ.
    serial: u64,
    /// Counts applies.
    epoch: u64,
}

impl Cloud {
    /// All objects of a type, by id.
    pub fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a CloudObject> {
        let from = (kind.to_owned(), String::new());
        self.objects.range(from..).take_while(move |((k, _), _)| k == kind).map(|(_, object)| object)
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = &CloudObject> {
        self.objects.values()
    }

    /// An object by type and id.
    pub fn get(&self, kind: &str, id: &str) -> Option<&CloudObject> {
        self.objects.get(&(kind.to_owned(), id.to_owned()))
    }

    fn get_mut(&mut self, kind: &str, id: &str) -> Option<&mut CloudObject> {
        self.objects.get_mut(&(kind.to_owned(), id.to_owned()))
    }

    /// Marks the beginning of an apply.
    pub fn begin(&mut self) {
        self.epoch += 1;
    }

    /// The simulated time: a day per apply.
    pub fn now(&self) -> i64 {
        1_767_225_600 + 86_400 * i64::try_from(self.epoch).unwrap_or(0)
    }

    /// Makes an object, or answers as the API would.
    pub fn create(
        &mut self,
        kind: &ResourceType,
        mut attrs: Attributes,
        caller: &Caller,
    ) -> Result<Attributes, String> {
        self.quota(kind)?;
        self.serial += 1;
        fill::names(kind, &mut attrs, self.serial);
        self.unique(kind, &attrs)?;
        self.check_references(kind, &attrs, caller)?;
        self.before(kind, &mut attrs, caller, None)?;
        let id = fill::expand(&kind.id, &attrs, caller.settings, &self.draw(kind));
        attrs.entry("id".to_owned()).and_modify(|old| {
            if old.is_unknown() || old.is_null() {
                *old = Datum::Text(id.clone());
            }
        });
        let draw = self.draw(kind);
        fill::computed(&kind.body, &mut attrs, caller.settings, &draw);
        let id = attrs.get("id").and_then(Datum::as_text).unwrap_or_default().to_owned();
        let born = (self.epoch, caller.node);
        let object = CloudObject { kind: kind.name.clone(), owner: Some(caller.address.to_owned()), attrs, born };
        self.objects.insert((kind.name.clone(), id.clone()), object);
        aws_effects::after_create(self, &kind.name, &id);
        Ok(self.get(&kind.name, &id).expect("it was just made").attrs.clone())
    }

    /// Changes an object in place.
    pub fn update(
        &mut self,
        kind: &ResourceType,
        id: &str,
        mut attrs: Attributes,
        caller: &Caller,
    ) -> Result<Attributes, String> {
        if self.get(&kind.name, id).is_none() {
            return Err(format!("NotFound: {} {id:?} does not exist", kind.name));
        }
        self.check_references(kind, &attrs, caller)?;
        self.before(kind, &mut attrs, caller, Some(id))?;
        let draw = self.draw(kind);
        fill::computed(&kind.body, &mut attrs, caller.settings, &draw);
        aws_effects::unlist(self, &kind.name, id);
        let object = self.get_mut(&kind.name, id).expect("it was found above");
        object.attrs = attrs;
        object.owner = Some(caller.address.to_owned());
        aws_effects::after_create(self, &kind.name, id);
        Ok(self.get(&kind.name, id).expect("it was found above").attrs.clone())
    }

    /// Removes an object, unless others depend on it.
    pub fn delete(&mut self, kind: &str, id: &str) -> Result<(), String> {
        if self.get(kind, id).is_none() {
            return Ok(());
        }
        self.may_go(kind, id)?;
        aws_effects::unlist(self, kind, id);
        let object = self.objects.remove(&(kind.to_owned(), id.to_owned())).expect("it was found above");
        aws_effects::orphan(self, &object);
        Ok(())
    }

    /// What is wrong once everything has been made: states that settle only then.
    pub fn settle(&self) -> Vec<(String, String)> {
        aws_effects::settle(self)
    }

    fn draw(&self, kind: &ResourceType) -> fill::IdDraws {
        fill::IdDraws::new(&kind.name, self.serial)
    }

    fn quota(&self, kind: &ResourceType) -> Result<(), String> {
        let have = self.all(&kind.name).filter(|o| o.owner.is_some()).count();
        match kind.quota {
            Some(quota) if have >= quota => {
                Err(format!("LimitExceeded: the maximum number of {} ({quota}) has been reached", kind.name))
            }
            _ if self.objects.len() > 3000 => Err("LimitExceeded: the account holds too many objects".to_owned()),
            _ => Ok(()),
        }
    }

    fn unique(&self, kind: &ResourceType, attrs: &Attributes) -> Result<(), String> {
        for (name, rules) in kind.body.attrs.iter().filter(|(_, r)| r.unique) {
            let Some(Datum::Text(value)) = attrs.get(name) else { continue };
            if self.all(&kind.name).any(|o| o.text(name) == value) {
                let word = if kind.name == "aws_s3_bucket" { "BucketAlreadyExists" } else { "EntityAlreadyExists" };
                return Err(format!("{word}: a {} with {name} {value:?} already exists", kind.name));
            }
            debug_assert!(rules.unique);
        }
        Ok(())
    }

    /// The rules of each cloud, before something is made or changed.
    fn before(
        &self,
        kind: &ResourceType,
        attrs: &mut Attributes,
        caller: &Caller,
        old: Option<&str>,
    ) -> Result<(), String> {
        match kind.name.split('_').next() {
            Some("aws") => {
                aws_network::before(self, &kind.name, attrs, caller, old)?;
                aws_access::before(self, &kind.name, attrs, old)?;
                aws_other::before(self, &kind.name, attrs, caller, old)
            }
            Some("google") => google::before(self, &kind.name, attrs, caller, old),
            Some("azurerm") => azure::before(self, &kind.name, attrs, old),
            _ => {
                fill::local(&kind.name, attrs, &self.draw(kind));
                Ok(())
            }
        }
    }

    /// Refuses to remove what others name.
    fn may_go(&self, kind: &str, id: &str) -> Result<(), String> {
        let object = self.get(kind, id).expect("the caller looked");
        if object.get("deletion_protection").as_bool() == Some(true)
            || object.get("enable_deletion_protection").as_bool() == Some(true)
        {
            return Err(format!(
                "OperationNotPermitted: {kind} {id:?} cannot be deleted while deletion protection is on"
            ));
        }
        let forced = object.get("force_destroy").as_bool() == Some(true);
        let schema = Schema::get();
        for other in self.objects.values().filter(|o| o.owner.is_some() && !std::ptr::eq(*o, object)) {
            let Some(rules) = schema.resources.get(&other.kind) else { continue };
            let contents = matches!(other.kind.as_str(), "aws_s3_object" | "google_storage_bucket_object");
            if refer::names(&rules.body, &other.attrs, object) && !(forced && contents) {
                let word = if kind.contains("bucket") && contents { "BucketNotEmpty" } else { "DependencyViolation" };
                let owner = other.owner.as_deref().unwrap_or_default();
                return Err(format!("{word}: {kind} {id:?} has dependencies and cannot be deleted: {owner} uses it"));
            }
        }
        Ok(())
    }
}
