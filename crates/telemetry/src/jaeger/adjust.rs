//! What the query service mends in a trace before it is shown.

use crate::go::duration::format_go;

use super::spans::{JaegerSpan, SpanLog};

/// The warning for a span that does not lie inside its parent on another host. Moving it is switched off by default.
pub(super) fn skew_warning(span: &JaegerSpan, spans: &[JaegerSpan]) -> Option<String> {
    let parent = spans.iter().find(|p| Some(p.id) == span.parent)?;
    let host = |s: &JaegerSpan| s.process.iter().find(|(n, _)| n == "ip").map(|(_, v)| v.as_text());
    if host(span).is_some() && host(span) == host(parent) {
        return None;
    }
    let delta = skew(parent, span);
    (delta != 0).then(|| {
        format!("clock skew adjustment disabled; not applying calculated delta of {}", format_go(delta * 1000))
    })
}

/// By how many microseconds a child would have to be moved.
fn skew(parent: &JaegerSpan, child: &JaegerSpan) -> i64 {
    if child.duration > parent.duration {
        // It outlived its parent; all that is sure is that it did not begin earlier.
        return (parent.start - child.start).max(0);
    }
    let inside = child.start >= parent.start && child.start + child.duration <= parent.start + parent.duration;
    if inside {
        return 0;
    }
    parent.start + (parent.duration - child.duration) / 2 - child.start
}

/// Fields sorted by name, the event first.
pub(super) fn sorted_log(log: &SpanLog) -> SpanLog {
    let mut fields = log.fields.clone();
    fields.sort_by(|a, b| (a.0 != "event").cmp(&(b.0 != "event")).then_with(|| a.0.cmp(&b.0)));
    SpanLog { time: log.time, fields }
}
