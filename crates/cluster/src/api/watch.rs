//! Watches: what happens to the selected objects, in order and without a gap.

use std::sync::Arc;

use serde_json::{Value, json};

use super::negotiate::{self, MediaForm};
use super::read::Selection;
use super::{ApiBody, ApiRequest, ApiResponse, ApiTarget, convert, table, write_json};
use crate::resource::Resource;
use crate::status::ApiError;
use crate::store::{StoreChange, Stored};
use crate::time::Stamp;
use crate::{Cluster, json};

/// A watch under way. It is a value: the server keeps it and asks [`Cluster::poll_watch`] what there is to send.
#[derive(Clone, Debug)]
pub struct WatchHandle {
    selection: Selection,
    form: MediaForm,
    include: String,
    /// Everything up to here has been told.
    revision: u64,
    ends: Stamp,
    bookmarks: bool,
    next_bookmark: Stamp,
    /// What is told before the first change: the objects as they stand.
    first: Vec<u8>,
    has_columns: bool,
    is_done: bool,
}

impl WatchHandle {
    /// Whether the stream has ended.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

const BOOKMARK_SECONDS: i64 = 60;
const DEFAULT_SECONDS: i64 = 3000;

impl Cluster {
    pub(super) fn watch(
        &self,
        request: &ApiRequest,
        target: &ApiTarget,
        resource: &Arc<Resource>,
    ) -> Result<ApiResponse, ApiError> {
        let selection = Selection::of(request, target, resource)?;
        let form = negotiate::form(request)?;
        let from = self.check_revision(request.query("resourceVersion"))?;
        let seconds = request.query("timeoutSeconds").parse::<i64>().ok().filter(|s| (1..=1_000_000).contains(s));
        let sends_initial = request.flag("sendInitialEvents");
        let mut handle = WatchHandle {
            selection,
            form,
            include: request.query("includeObject").into(),
            revision: from.unwrap_or(0),
            ends: self.now.after_secs(seconds.unwrap_or(DEFAULT_SECONDS)),
            bookmarks: request.flag("allowWatchBookmarks"),
            next_bookmark: self.now.after_secs(BOOKMARK_SECONDS),
            first: Vec::new(),
            has_columns: false,
            is_done: false,
        };
        if from.unwrap_or(0) == 0 || sends_initial {
            self.tell_all(&mut handle, sends_initial);
        }
        let headers = vec![("Content-Type", "application/json".to_string())];
        Ok(ApiResponse { status: 200, headers, body: ApiBody::Watch(Box::new(handle)) })
    }

    fn tell_all(&self, handle: &mut WatchHandle, with_end: bool) {
        handle.revision = self.store.revision();
        for object in handle.selection.objects(self) {
            let line = self.event(handle, "ADDED", &object);
            handle.first.extend(line);
        }
        if with_end {
            let mark = self.bookmark(handle, Some(json!({"k8s.io/initial-events-end": "true"})));
            handle.first.extend(mark);
        }
    }

    /// What there is to send on a watch since the last time, as lines of JSON. Ends the watch at its time, and when the
    /// cluster has forgotten what it would have to tell.
    pub fn poll_watch(&self, handle: &mut WatchHandle) -> Vec<u8> {
        if handle.is_done {
            return Vec::new();
        }
        let mut out = std::mem::take(&mut handle.first);
        match self.store.since(handle.revision) {
            Ok(changes) => {
                let resource = handle.selection.resource.storage.clone();
                for change in changes.filter(|change| change.key.resource == resource) {
                    out.extend(self.told(handle, change));
                }
                handle.revision = self.store.revision();
            }
            Err(gone) => {
                let error = ApiError::expired(format!("too old resource version: {} ({})", gone.asked, gone.oldest));
                out.extend(line("ERROR", &write_json(&error.body())));
                handle.is_done = true;
            }
        }
        if handle.bookmarks && !handle.is_done && self.now >= handle.next_bookmark {
            handle.next_bookmark = self.now.after_secs(BOOKMARK_SECONDS);
            out.extend(self.bookmark(handle, None));
        }
        handle.is_done |= self.now >= handle.ends;
        out
    }

    fn told(&self, handle: &mut WatchHandle, change: &StoreChange) -> Vec<u8> {
        let selected = |object: &Option<Stored>| object.as_ref().is_some_and(|o| handle.selection.matches(o));
        match (selected(&change.before), selected(&change.after), &change.after, &change.before) {
            (true, true, Some(after), _) => self.event(handle, "MODIFIED", after),
            (false, true, Some(after), _) => self.event(handle, "ADDED", after),
            (true, false, None, Some(before)) => self.event(handle, "DELETED", before),
            (true, false, Some(_), Some(before)) => {
                // It left the selection: told as it was, under the revision at which it left.
                let mut left = Value::clone(before);
                json::set(&mut left, "metadata.resourceVersion", change.revision.to_string());
                self.event(handle, "DELETED", &left)
            }
            _ => Vec::new(),
        }
    }

    fn event(&self, handle: &mut WatchHandle, kind: &str, object: &Value) -> Vec<u8> {
        let resource = handle.selection.resource.clone();
        let shown = convert::from_storage(object, &resource);
        match handle.form {
            MediaForm::Plain => line(kind, &write_json(&shown)),
            MediaForm::Metadata => line(kind, &write_json(&table::metadata_of(&shown))),
            MediaForm::Table => {
                let metadata = json!({"resourceVersion": json::text(&shown, "metadata.resourceVersion")});
                let columns = !std::mem::replace(&mut handle.has_columns, true);
                line(kind, &table::write(self, &resource, &[&shown], &handle.include, metadata, columns))
            }
        }
    }

    fn bookmark(&self, handle: &WatchHandle, annotations: Option<Value>) -> Vec<u8> {
        let resource = &handle.selection.resource;
        let mut metadata = json!({"resourceVersion": handle.revision.to_string(), "creationTimestamp": null});
        if let Some(annotations) = annotations {
            metadata["annotations"] = annotations;
        }
        let bookmark = json!({"kind": resource.kind, "apiVersion": resource.api_version(), "metadata": metadata});
        line("BOOKMARK", &write_json(&bookmark))
    }
}

fn line(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut out = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
    out.extend_from_slice(object);
    out.extend_from_slice(b"}\n");
    out
}
