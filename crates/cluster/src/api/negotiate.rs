//! Which form of an answer a client wants.

use super::ApiRequest;
use crate::status::ApiError;

/// The forms that objects are answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MediaForm {
    /// As they are.
    Plain,
    /// Rows and cells.
    Table,
    /// Their metadata alone.
    Metadata,
}

/// The first form in `Accept` that we have; all of them are JSON.
pub(super) fn form(request: &ApiRequest) -> Result<MediaForm, ApiError> {
    let accept = request.header_value("accept");
    if accept.trim().is_empty() {
        return Ok(MediaForm::Plain);
    }
    accept.split(',').find_map(one).ok_or_else(ApiError::not_acceptable)
}

fn one(range: &str) -> Option<MediaForm> {
    let mut parts = range.split(';').map(str::trim);
    let media = parts.next()?;
    let wanted: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
    let parameter = |name: &str| wanted.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    match (media, parameter("as")) {
        ("application/json" | "*/*" | "application/*", None) => Some(MediaForm::Plain),
        ("application/json", Some("Table")) => Some(MediaForm::Table),
        ("application/json", Some("PartialObjectMetadata" | "PartialObjectMetadataList")) => Some(MediaForm::Metadata),
        _ => None,
    }
}

/// Whether discovery is wanted in one piece.
pub(super) fn wants_aggregated(request: &ApiRequest) -> bool {
    let is_v2 = |range: &str| {
        let has = |wanted: &str| range.split(';').any(|part| part.trim() == wanted);
        has("as=APIGroupDiscoveryList") && has("v=v2")
    };
    request.header_value("accept").split(',').any(is_v2)
}

#[cfg(test)]
mod tests {
    use super::super::HttpMethod;
    use super::*;

    #[test]
    fn the_first_form_that_we_have_is_taken() {
        let check = |accept: &str, expect: Option<MediaForm>| {
            let request = ApiRequest::new(HttpMethod::Get, "/").header("Accept", accept);
            assert_eq!(form(&request).ok(), expect, "{accept}");
        };
        check("", Some(MediaForm::Plain));
        check("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", Some(MediaForm::Table));
        check("application/vnd.kubernetes.protobuf,application/json", Some(MediaForm::Plain));
        check("application/vnd.kubernetes.protobuf, */*", Some(MediaForm::Plain));
        check("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Some(MediaForm::Metadata));
        check("text/csv", None);
    }
}
