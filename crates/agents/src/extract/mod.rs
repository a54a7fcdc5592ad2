//! From what a model wrote to the text of one action.
//!
//! Models wrap their actions: in markdown, in JSON of many shapes, in tags, behind `Action:`, between
//! sentences. This finds the action and hands on its bare text; whether that is a valid call is for
//! the parser behind the gate to say, and a wrong call stays wrong.

mod call;
#[cfg(test)]
mod cases;
mod clean;
mod lines;
mod object;
mod shapes;
mod tags;

pub use shapes::call_of;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extracted {
    /// An action.
    Found {
        /// Its text, ready for the parser.
        text: String,
        /// How many other actions stood behind it. Only the first counts.
        more: usize,
    },
    /// Nothing that looks like an action.
    NotFound,
}

/// A piece of text that is an action, and where it stands.
#[derive(Clone, Debug)]
struct Hit {
    start: usize,
    end: usize,
    text: String,
}

/// Finds the action in a model's output. `tools` are the names of the tools that there are.
pub fn extract(output: &str, tools: &[&str]) -> Extracted {
    let text = clean::visible(output);
    let Some(hit) = find(&text, tools) else { return Extracted::NotFound };
    let more = others(&text, &hit, tools);
    Extracted::Found { text: clean::straight(&hit.text), more }
}

/// What is marked as the action wins over what only looks like one.
fn find(text: &str, tools: &[&str]) -> Option<Hit> {
    for start in lines::markers(text) {
        let hit = lines::direct(text, start, tools).or_else(|| look(text, start, tools));
        if hit.is_some() {
            return hit;
        }
    }
    look(text, 0, tools).or_else(|| lines::stranger(text))
}

fn look(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    tags::find(text, from, tools)
        .or_else(|| lines::fenced(text, from, tools))
        .or_else(|| earliest(object::find(text, from, tools), lines::find(text, from, tools)))
        .or_else(|| lines::inline(text, from, tools))
}

fn earliest(a: Option<Hit>, b: Option<Hit>) -> Option<Hit> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.start <= b.start { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// Other actions behind the first. The same one again is no other.
fn others(text: &str, first: &Hit, tools: &[&str]) -> usize {
    const MOST: usize = 20;
    let mut at = first.end;
    let mut seen = vec![squeezed(&first.text)];
    while seen.len() < MOST
        && let Some(hit) = earliest(object::find(text, at, tools), lines::inline(text, at, tools))
    {
        // Two spellings of one call are one call.
        let key = squeezed(&hit.text);
        if !seen.contains(&key) {
            seen.push(key);
        }
        at = hit.end.max(at + 1);
    }
    seen.len() - 1
}

/// The letters of a call, without names of arguments, quotes and spaces.
fn squeezed(call: &str) -> String {
    let mut out = String::with_capacity(call.len());
    for part in call.split([',', '(', ')']) {
        let value = part.rsplit_once(['=', ':']).map_or(part, |(_, value)| value);
        out.extend(value.chars().filter(|c| c.is_alphanumeric() || *c == '_').flat_map(char::to_lowercase));
        out.push(' ');
    }
    out.trim_end().to_string()
}
