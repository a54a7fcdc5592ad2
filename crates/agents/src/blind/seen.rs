//! What a blind agent has seen of an incident: everything but symptoms, read from text.

use harness::{Brief, Example};

use crate::exploits::history::{HistoryRow, rows};

/// What was seen so far.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The opaque id.
    pub incident: String,
    /// The page as it was written.
    pub page: String,
    /// What happened before the agent came, and the clock: the brief's opening lines.
    pub opening: String,
    /// How many actions there are.
    pub steps: u32,
    /// The services.
    pub services: Vec<String>,
    /// The service that the page names.
    pub paged: Option<usize>,
    /// Keys and values of the services whose configuration was read.
    pub config: Vec<Option<Vec<(String, String)>>>,
    /// The change history, the oldest first.
    pub(crate) rows: Vec<HistoryRow>,
}

impl Seen {
    /// What the brief alone tells.
    pub fn of_brief(brief: &Brief) -> Seen {
        let named = |name: &&String| is_named(&brief.page, name);
        // The longest name wins: `web_server` is a part of `shop_web_server`.
        let paged = brief.services.iter().filter(named).max_by_key(|name| name.len());
        Seen {
            incident: brief.incident.clone(),
            page: brief.page.clone(),
            steps: brief.steps,
            opening: brief.text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"),
            paged: paged.and_then(|name| brief.services.iter().position(|own| own == name)),
            services: brief.services.clone(),
            config: vec![None; brief.services.len()],
            rows: Vec::new(),
        }
    }

    /// All of a remembered incident.
    pub fn of_example(example: &Example) -> Seen {
        let mut seen = Seen::of_brief(&example.brief);
        seen.read_changes(&example.changes);
        for (service, text) in example.brief.services.iter().zip(&example.config) {
            seen.read_config(service, text);
        }
        seen
    }

    /// Reads the change history.
    pub fn read_changes(&mut self, text: &str) {
        self.rows = rows(text);
    }

    /// Reads a configuration: a key, its value and a description on each line.
    pub fn read_config(&mut self, service: &str, text: &str) {
        let Some(at) = self.services.iter().position(|name| name == service) else { return };
        let setting = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let key = words
                .next()
                .filter(|key| key.bytes().all(|b| b.is_ascii_uppercase() || b"_0123456789".contains(&b)))?;
            Some((key.to_string(), words.next()?.to_string()))
        };
        self.config[at] = Some(text.lines().skip(1).filter_map(setting).collect());
    }

    /// The value of a key, if it was read.
    pub fn value(&self, service: usize, key: &str) -> Option<&str> {
        self.config.get(service)?.as_ref()?.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// What a service is for: the last word of its name.
    pub fn role(&self, service: usize) -> &str {
        role(&self.services[service])
    }

    /// The page without numbers and names: the rule that fired.
    pub fn rule(&self) -> String {
        let mut text = self.page.clone();
        let mut names: Vec<&String> = self.services.iter().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for name in names {
            text = text.replace(name.as_str(), role(name));
        }
        let mut rule = String::new();
        for word in text.split_ascii_whitespace() {
            let is_number = word.bytes().next().is_some_and(|b| b.is_ascii_digit());
            rule.push_str(if is_number { "#" } else { word });
            rule.push(' ');
        }
        rule
    }

    /// When it was paged, in seconds of the day.
    pub fn clock(&self) -> Option<i64> {
        let after = self.opening.split_once("PAGE ")?.1;
        seconds(after.split_ascii_whitespace().next()?)
    }

    /// The services, nearest to the page first.
    pub fn by_nearness(&self) -> Vec<usize> {
        let unit = |at: usize| self.services[at].rsplit_once('_').map_or("", |(unit, _)| unit);
        let mut all: Vec<usize> = (0..self.services.len()).collect();
        all.sort_by_key(|&at| match self.paged {
            Some(paged) if paged == at => 0,
            Some(paged) if unit(paged) == unit(at) => 1,
            _ => 2,
        });
        all
    }

    /// The place of a service by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.services.iter().position(|own| own == name)
    }
}

/// The last word of a service's name.
pub fn role(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or(name)
}

/// `hh:mm:ss` in seconds.
pub fn seconds(time: &str) -> Option<i64> {
    let mut parts = time.split(':').map(|part| part.parse::<i64>().ok());
    Some(parts.next()?? * 3600 + parts.next()?? * 60 + parts.next()??)
}

/// Whether a text names a service as a word of its own.
fn is_named(text: &str, name: &str) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(name)
        .any(|(at, _)| !is_inside(text[..at].chars().next_back()) && !is_inside(text[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_rule_without_its_numbers_and_names() {
        let services = ["shop_web_server", "web_server", "cache"].map(String::from).to_vec();
        let page = "errors_high: error_rate of shop_web_server is 4.2%, above 2% for 60 s".to_string();
        let seen = Seen { services, page, ..Seen::default() };
        assert_eq!(seen.rule(), "errors_high: error_rate of server is # above # for # s ");
        assert!(is_named(&seen.page, "shop_web_server") && !is_named(&seen.page, "web_server"));
    }

    #[test]
    fn configuration_is_read() {
        let mut seen = Seen { services: vec!["cache".to_string()], config: vec![None], ..Seen::default() };
        seen.read_config("cache", "cache configuration at 12:00:00\nTTL_SECONDS  5   how long\nENABLED  true  use it");
        assert_eq!((seen.value(0, "TTL_SECONDS"), seen.value(0, "ENABLED")), (Some("5"), Some("true")));
        assert_eq!(seconds("01:02:03"), Some(3723));
    }
}
