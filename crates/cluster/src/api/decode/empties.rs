//! Empty lists and maps that may be left out are not kept: the types of a real server do not tell them from none.

use serde_json::Value;

use crate::resource::Resource;
use crate::schema::{self, Holds, Shape};

/// Drops the empty lists and maps of an object.
pub(in crate::api) fn drop_empties(object: &mut Value, resource: &Resource) {
    match (resource.shape, object.get_mut("metadata")) {
        (Some(shape), _) => tidy_shape(object, shape),
        (None, Some(metadata)) => tidy_shape(metadata, schema::named("meta.ObjectMeta")),
        (None, None) => {}
    }
}

fn tidy_shape(value: &mut Value, shape: &'static Shape) {
    let Some(map) = value.as_object_mut() else { return };
    map.retain(|name, value| {
        let Some(field) = shape.fields.get(name) else { return true };
        tidy(value, &field.holds);
        let is_nothing = match &field.holds {
            Holds::List(_) => value.as_array().is_some_and(Vec::is_empty),
            Holds::Map(_) => value.as_object().is_some_and(|map| map.is_empty()),
            _ => false,
        };
        field.must || !is_nothing || is_always_told(shape, name)
    });
}

/// The rules of a role are told even where there are none.
fn is_always_told(shape: &Shape, name: &str) -> bool {
    shape.section == "rbac" && name == "rules"
}

fn tidy(value: &mut Value, holds: &Holds) {
    match (holds, value) {
        (Holds::Shape(name), value) => tidy_shape(value, schema::named(name)),
        (Holds::List(item), Value::Array(list)) => list.iter_mut().for_each(|value| tidy(value, item)),
        (Holds::Map(item), Value::Object(map)) => map.values_mut().for_each(|value| tidy(value, item)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::built_in;

    #[test]
    fn what_is_empty_and_may_be_left_out_goes() {
        let check = |storage: &str, mut object: Value, expect: Value| {
            drop_empties(&mut object, built_in(storage));
            assert_eq!(object, expect, "{storage}");
        };
        check(
            "configmaps",
            json!({"metadata": {"name": "a", "labels": {}}, "data": {}}),
            json!({"metadata": {"name": "a"}}),
        );
        check(
            "pods",
            json!({"spec": {"nodeSelector": {}, "securityContext": {}, "containers": [{"args": [], "resources": {"limits": {}}}],
                "volumes": [{"name": "a", "emptyDir": {}}]}}),
            json!({"spec": {"securityContext": {}, "containers": [{"resources": {}}],
                "volumes": [{"name": "a", "emptyDir": {}}]}}),
        );
        check("pods", json!({"spec": {"containers": []}}), json!({"spec": {"containers": []}}));
        check(
            "networkpolicies.networking.k8s.io",
            json!({"spec": {"podSelector": {"matchLabels": {}}, "ingress": [{}]}}),
            json!({"spec": {"podSelector": {}, "ingress": [{}]}}),
        );
        check("clusterroles.rbac.authorization.k8s.io", json!({"rules": []}), json!({"rules": []}));
    }
}
