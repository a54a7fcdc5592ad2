//! Names, labels and annotations.

use serde_json::Value;

use crate::json;
use crate::resource::Resource;
use crate::status::FieldError;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
                         must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
pub(super) const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                     start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation \
                     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SERVICE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                       character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                       validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
                     for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                   alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                   '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// The name, the labels and the keys of annotations.
pub(super) fn check(resource: &Resource, object: &Value, errors: &mut Vec<FieldError>) {
    let name = json::text(object, "metadata.name");
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else if let Some(why) = name_problem(resource, name) {
        errors.push(FieldError::invalid("metadata.name", name, &why));
    }
    labels(json::at(object, "metadata.labels"), "metadata.labels", errors);
    for (key, _) in json::entries(object, "metadata.annotations") {
        key_problem(&key.to_lowercase(), "metadata.annotations", errors);
    }
}

/// The keys and values of labels.
pub(super) fn labels(map: &Value, field: &str, errors: &mut Vec<FieldError>) {
    for (key, value) in map.as_object().into_iter().flatten() {
        key_problem(key, field, errors);
        let value = value.as_str().unwrap_or_default();
        if value.len() > 63 {
            errors.push(FieldError::invalid(field, value, "must be no more than 63 bytes"));
        }
        if !value.is_empty() && !is_word(value) {
            errors.push(FieldError::invalid(field, value, VALUE));
        }
    }
}

fn key_problem(key: &str, field: &str, errors: &mut Vec<FieldError>) {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    if prefix.is_some_and(|prefix| !is_subdomain(prefix)) {
        errors.push(FieldError::invalid(field, key, &format!("prefix part {SUBDOMAIN}")));
    }
    if name.is_empty() {
        errors.push(FieldError::invalid(field, key, "name part must be non-empty"));
    }
    if name.len() > 63 {
        errors.push(FieldError::invalid(field, key, "name part must be no more than 63 bytes"));
    }
    if !is_word(name) {
        errors.push(FieldError::invalid(field, key, KEY));
    }
}

fn is_word(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    ends(text.chars().next())
        && ends(text.chars().last())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Lower case letters, digits and `-`, not at the ends.
pub(super) fn is_label(text: &str) -> bool {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 63
        && text.chars().next().is_some_and(good)
        && text.chars().last().is_some_and(good)
        && text.chars().all(|c| good(c) || c == '-')
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|part| {
            let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            part.chars().next().is_some_and(good)
                && part.chars().last().is_some_and(good)
                && part.chars().all(|c| good(c) || c == '-')
        })
}

fn name_problem(resource: &Resource, name: &str) -> Option<String> {
    let too_long = |most: usize| (name.len() > most).then(|| format!("must be no more than {most} characters"));
    match &*resource.storage {
        "services" => {
            let good = is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase());
            too_long(63).or_else(|| (!good).then(|| SERVICE.into()))
        }
        "namespaces" => too_long(63).or_else(|| (!is_label(name)).then(|| LABEL.into())),
        storage if storage.ends_with("rbac.authorization.k8s.io") => {
            let odd = ["/", "%"].into_iter().find(|odd| name.contains(odd));
            odd.map(|odd| format!("may not contain '{odd}'"))
        }
        "events" => None,
        _ => too_long(253).or_else(|| (!is_subdomain(name)).then(|| SUBDOMAIN.into())),
    }
}
