//! The toolbox of a header is half of a record's text and the same in all records of a run: one that was read before is
//! not read again, and its records share it.

use std::cell::RefCell;
use std::sync::Arc;

use crate::events::{Header, ToolCard};

/// A reader meets a few sets of tools, not many.
const MOST: usize = 8;
const FIELD: &str = "\"toolbox\":";

/// A toolbox and its text.
type Known = (String, Arc<[ToolCard]>);

thread_local! {
    /// Those that this thread has read.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The header in a line; `None` if there is none.
pub(crate) fn header(line: &str) -> Option<Header> {
    let (before, rest) = line.split_once(FIELD)?;
    if let Some((length, toolbox)) = known(rest)
        // Elsewhere in the line the word would be a stranger's, and the whole line is read.
        && !rest[length..].contains(FIELD)
    {
        let without = [before, FIELD, "[]", &rest[length..]].concat();
        return serde_json::from_str(&without).ok().map(|header| Header { toolbox, ..header });
    }
    let header: Header = serde_json::from_str(line).ok()?;
    remember(&header.toolbox, rest);
    Some(header)
}

/// The toolbox with which a text begins, and how long its own text is.
fn known(text: &str) -> Option<(usize, Arc<[ToolCard]>)> {
    KNOWN.with_borrow(|known| {
        let found = known.iter().find(|(one, _)| text.starts_with(one.as_str()));
        found.map(|(one, toolbox)| (one.len(), toolbox.clone()))
    })
}

/// Keeps a toolbox that is written in these words.
fn remember(toolbox: &Arc<[ToolCard]>, text: &str) {
    let words = serde_json::to_string(toolbox).unwrap_or_default();
    if words.len() > 2 && text.starts_with(&words) {
        KNOWN.with_borrow_mut(|known| {
            known.truncate(MOST - 1);
            known.insert(0, (words, toolbox.clone()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tool: &str, agent: &str) -> String {
        let card = ToolCard { name: tool.into(), about: "x".into(), parameters: serde_json::json!({ "a": [1, "]"] }) };
        let header = Header { toolbox: Arc::new([card]), agent: agent.into(), ..Header::default() };
        serde_json::to_string(&header).expect("a header is plain data")
    }

    fn plain(line: &str) -> Option<Header> {
        serde_json::from_str(line).ok()
    }

    #[test]
    fn a_header_is_the_same_whether_its_tools_are_known_or_not() {
        let mut lines: Vec<String> = (0..20).map(|at| line(&format!("tool-{}", at % 11), "a")).collect();
        // The word in a text, in a field of a stranger, twice, and with something behind it.
        lines.push(line("tool-1", "\"toolbox\":[]"));
        lines.push(line("tool-1", "a").replacen('{', "{\"toolbox\":[],", 1));
        lines.push(line("tool-1", "a").replace("}],\"services\"", "}]x,\"services\""));
        lines.push(line("tool-1", "a").replace("\"toolbox\"", "\"toolbex\""));
        let inside = line("tool-1", "a").replacen("\"evidence\"", "\"toolbox\":[],\"evidence\"", 1);
        lines.push(inside);
        for line in lines.iter().chain(&lines) {
            assert_eq!(header(line), plain(line), "{line}");
        }
    }

    #[test]
    fn headers_share_their_tools() {
        let (one, other) = (header(&line("shared", "a")), header(&line("shared", "b")));
        let (one, other) = (one.expect("it is one"), other.expect("it is one"));
        assert!(Arc::ptr_eq(&one.toolbox, &other.toolbox));
        assert_eq!(other.agent, "b");
    }
}
