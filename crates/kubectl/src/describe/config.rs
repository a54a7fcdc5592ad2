//! ConfigMaps and Secrets.

use super::{Page, events};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn config_map(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    page.line(0, "\nData\n====");
    for (key, value) in json::entries(object, "data") {
        page.line(0, format!("{key}:\n----\n{}\n", json::plain(value)));
    }
    page.line(0, "\nBinaryData\n====");
    for (key, value) in json::entries(object, "binaryData") {
        let bytes = cluster::from_base64(&json::plain(value)).map_or(0, |bytes| bytes.len());
        page.line(0, format!("{key}: {bytes} bytes"));
    }
    page.line(0, "");
    events(call, found, page)
}

pub(super) fn secret(found: &Found, page: &mut Page) {
    let object = &found.object;
    page.head(object, true);
    page.line(0, format!("\nType:\t{}\n\nData\n====", json::text(object, "type")));
    let is_token = json::text(object, "type") == "kubernetes.io/service-account-token";
    for (key, value) in json::entries(object, "data") {
        let bytes = cluster::from_base64(&json::plain(value)).unwrap_or_default();
        match key.as_str() {
            "token" if is_token => page.line(0, format!("{key}:\t{}", String::from_utf8_lossy(&bytes))),
            _ => page.line(0, format!("{key}:\t{} bytes", bytes.len())),
        }
    }
}
