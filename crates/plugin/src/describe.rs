//! What the provider offers, as the tool wants it told: the tables of resource types as messages.

use std::collections::BTreeMap;

use terraform::datum::Datum;
use terraform::datum::{Constraint, ObjectMember};
use terraform::schema::{AttrSchema, BodySchema, NestedSchema, ResourceType, Schema};

use crate::msgpack::type_json;
use crate::protobuf::MessageWriter;

/// The answer to `GetProviderSchema` of one provider.
pub(crate) fn provider(name: &str) -> Vec<u8> {
    let schema = Schema::get();
    let own = |kinds: &BTreeMap<String, ResourceType>| -> Vec<Vec<u8>> {
        let of_it = kinds.values().filter(|kind| provider_of(&kind.name) == name);
        of_it.map(|kind| MessageWriter::new().bytes(1, &kind.name).bytes(2, whole(&kind.body)).done()).collect()
    };
    let none = BodySchema::default();
    let settings = schema.providers.get(name).unwrap_or(&none);
    MessageWriter::new().bytes(1, whole(settings)).all(2, own(&schema.resources)).all(3, own(&schema.data)).done()
}

/// The provider of a type: the word before the first underscore.
pub(crate) fn provider_of(kind: &str) -> &str {
    kind.split('_').next().unwrap_or(kind)
}

fn whole(body: &BodySchema) -> Vec<u8> {
    MessageWriter::new().bytes(2, block(body)).done()
}

fn block(body: &BodySchema) -> Vec<u8> {
    let plain = body.attrs.iter().map(|(name, rules)| attribute(name, rules));
    let as_attributes = body.blocks.iter().filter(|(_, nested)| is_attribute(nested));
    let filled = as_attributes.map(|(name, nested)| {
        MessageWriter::new()
            .bytes(1, name)
            .bytes(2, type_json(&block_type(nested)).to_string())
            .number(5, 1)
            .number(6, 1)
            .done()
    });
    let blocks = body.blocks.iter().filter(|(_, nested)| !is_attribute(nested));
    let blocks = blocks.map(|(name, nested)| {
        MessageWriter::new()
            .bytes(1, name)
            .bytes(2, block(&nested.body))
            .number(3, if nested.is_set { 3 } else { 2 })
            .number(4, nested.least as u64)
            .number(5, if nested.most > 1_000 { 0 } else { nested.most as u64 })
            .done()
    });
    MessageWriter::new().all(2, plain.chain(filled)).all(3, blocks).done()
}

/// Blocks that the cloud fills are told as attributes that are written as blocks: that is how real providers do it.
fn is_attribute(nested: &NestedSchema) -> bool {
    nested.computed
}

fn attribute(name: &str, rules: &AttrSchema) -> Vec<u8> {
    MessageWriter::new()
        .bytes(1, name)
        .bytes(2, type_json(&rules.takes).to_string())
        .number(4, u64::from(rules.required))
        // A default is filled in by the provider, which the tool calls computed.
        .number(5, u64::from(rules.optional && !rules.required))
        .number(6, u64::from(!rules.required && (rules.computed || rules.default.is_some())))
        .done()
}

/// The type of all values of a body.
pub(crate) fn body_type(body: &BodySchema) -> Constraint {
    let member = |takes| ObjectMember { takes, optional: false, default: Datum::Null };
    let attrs = body.attrs.iter().map(|(name, rules)| (name.clone(), member(rules.takes.clone())));
    let blocks = body.blocks.iter().map(|(name, nested)| (name.clone(), member(block_type(nested))));
    Constraint::Object(attrs.chain(blocks).collect())
}

fn block_type(nested: &NestedSchema) -> Constraint {
    let inner = Box::new(body_type(&nested.body));
    if nested.is_set { Constraint::Set(inner) } else { Constraint::List(inner) }
}
