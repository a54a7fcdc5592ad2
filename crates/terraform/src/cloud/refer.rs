//! References between objects: what an attribute must name, and who names an object.

use super::{Caller, Cloud, CloudObject};
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::schema::{BodySchema, Refers, ResourceType};

impl Cloud {
    /// Every reference must name something that exists, and that the caller waits for if it is new.
    pub(super) fn check_references(
        &self,
        kind: &ResourceType,
        attrs: &Attributes,
        caller: &Caller,
    ) -> Result<(), String> {
        self.check_body(&kind.body, attrs, caller)
    }

    fn check_body(&self, schema: &BodySchema, attrs: &Attributes, caller: &Caller) -> Result<(), String> {
        for (name, rules) in &schema.attrs {
            let (Some(refers), Some(value)) = (&rules.refers, attrs.get(name)) else { continue };
            for text in texts(value) {
                self.check_one(name, refers, text, caller)?;
            }
        }
        for (name, nested) in &schema.blocks {
            for item in attrs.get(name).and_then(Datum::as_items).unwrap_or_default() {
                if let Some(inner) = item.as_map() {
                    self.check_body(&nested.body, inner, caller)?;
                }
            }
        }
        Ok(())
    }

    fn check_one(&self, name: &str, refers: &Refers, text: &str, caller: &Caller) -> Result<(), String> {
        if refers.any || text.is_empty() || is_word(refers, text) {
            return Ok(());
        }
        let Some(object) = target_of(self, refers, text) else {
            return Err(format!("NotFound: {name} {text:?} does not name an existing {}", refers.kind));
        };
        let (epoch, node) = object.born;
        if object.owner.is_some() && epoch == self.epoch && node != caller.node && !(caller.waits_for)(node) {
            let owner = object.owner.as_deref().unwrap_or_default();
            return Err(format!(
                "NotFound: {name} {text:?} does not name an existing {} yet: nothing makes this resource wait for {owner}",
                refers.kind
            ));
        }
        Ok(())
    }
}

fn is_word(refers: &Refers, text: &str) -> bool {
    refers.words.iter().any(|word| match word.as_str() {
        "aws" => text.starts_with("arn:aws:iam::aws:policy/"),
        word => word == text,
    })
}

/// The object that a reference names.
pub fn target_of<'a>(cloud: &'a Cloud, refers: &'a Refers, text: &str) -> Option<&'a CloudObject> {
    cloud
        .all(&refers.kind)
        .filter(|o| refers.implicit || o.owner.is_some())
        .find(|o| refers.by.iter().any(|by| o.text(by) == text))
}

/// Whether attributes name an object.
pub(super) fn names(schema: &BodySchema, attrs: &Attributes, object: &CloudObject) -> bool {
    let direct = schema.attrs.iter().any(|(name, rules)| {
        let Some(refers) = &rules.refers else { return false };
        refers.kind == object.kind
            && attrs
                .get(name)
                .is_some_and(|value| texts(value).any(|t| refers.by.iter().any(|by| object.text(by) == t)))
    });
    direct
        || schema.blocks.iter().any(|(name, nested)| {
            let items = attrs.get(name).and_then(Datum::as_items).unwrap_or_default();
            items.iter().filter_map(Datum::as_map).any(|inner| names(&nested.body, inner, object))
        })
}

/// The texts in a value: itself, or its elements.
fn texts(value: &Datum) -> impl Iterator<Item = &str> {
    let items = value.as_items().unwrap_or_default();
    value.as_text().into_iter().chain(items.iter().filter_map(Datum::as_text))
}
