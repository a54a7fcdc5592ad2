//! The part of CoreDNS's settings that decides which names exist.

use super::DnsAnswer;

/// A Corefile: which names are served from the cluster, which are overridden, and whether others are passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corefile {
    zones: Vec<String>,
    templates: Vec<Template>,
    forwards: bool,
}

/// A `template` block: names of a zone that match are answered with a code.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    zone: String,
    patterns: Vec<String>,
    code: String,
    falls_through: bool,
}

impl Corefile {
    /// Reads what is understood and skips the rest.
    pub fn parse(text: &str) -> Self {
        let mut corefile = Self::default();
        let mut inside: Option<Template> = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let words: Vec<&str> = line.trim_end_matches('{').split_whitespace().collect();
            match (&mut inside, words.as_slice()) {
                (Some(_), ["}"]) => corefile.templates.extend(inside.take()),
                (Some(template), ["match", patterns @ ..]) => {
                    template.patterns.extend(patterns.iter().map(ToString::to_string))
                }
                (Some(template), ["rcode", code]) => template.code = code.to_uppercase(),
                (Some(template), ["fallthrough", ..]) => template.falls_through = true,
                (None, ["template", _, _, zones @ ..]) => {
                    let zone = zones.first().map_or(".", |zone| *zone).to_string();
                    inside = Some(Template { zone, patterns: Vec::new(), code: String::new(), falls_through: false });
                }
                (None, ["kubernetes", zones @ ..]) => corefile.zones.extend(zones.iter().map(ToString::to_string)),
                (None, ["forward", ..]) => corefile.forwards = true,
                _ => {}
            }
        }
        corefile
    }

    /// What a template answers instead of the cluster; templates come before the cluster's names.
    pub fn overrides(&self, name: &str) -> Option<DnsAnswer> {
        let name = name.trim_end_matches('.');
        for template in self.templates.iter().filter(|template| is_in_zone(name, &template.zone)) {
            let matches = template.patterns.is_empty()
                || template.patterns.iter().any(|pattern| is_match(pattern, &format!("{name}.")));
            match (matches, template.code.as_str()) {
                (true, "NXDOMAIN") => return Some(DnsAnswer::NoSuchName),
                (true, "SERVFAIL" | "REFUSED") => return Some(DnsAnswer::ServerFailure),
                (false, _) if !template.falls_through => return Some(DnsAnswer::ServerFailure),
                _ => {}
            }
        }
        None
    }

    /// Whether a name belongs to the zones that are served from the cluster.
    pub fn serves(&self, name: &str) -> bool {
        self.zones.iter().any(|zone| is_in_zone(name.trim_end_matches('.'), zone))
    }

    /// Whether other names are passed on.
    pub fn forwards(&self) -> bool {
        self.forwards
    }
}

fn is_in_zone(name: &str, zone: &str) -> bool {
    let zone = zone.trim_end_matches('.');
    zone.is_empty() || name == zone || name.ends_with(&format!(".{zone}"))
}

/// The regular expressions that people write in templates: anchors, escaped dots, `.*`, `.+`, `[^.]+`; all else is literal.
fn is_match(pattern: &str, name: &str) -> bool {
    let (anchored, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (ends, rest) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    let tokens = tokens(rest);
    let starts: Vec<usize> =
        if anchored { vec![0] } else { name.char_indices().map(|(at, _)| at).chain([name.len()]).collect() };
    starts.into_iter().any(|start| follow(&tokens, &name[start..], ends))
}

enum Token {
    Letter(char),
    Any,
    Run { least: usize, stops_at_dot: bool },
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let runs = [
            ("[^.]+", 1, true),
            ("[^.]*", 0, true),
            ("(.*)", 0, false),
            ("(.+)", 1, false),
            (".*", 0, false),
            (".+", 1, false),
        ];
        if let Some((text, least, stops_at_dot)) = runs.into_iter().find(|(text, ..)| rest.starts_with(text)) {
            tokens.push(Token::Run { least, stops_at_dot });
            rest = &rest[text.len()..];
        } else if let Some(after) = rest.strip_prefix('\\') {
            let letter = after.chars().next().unwrap_or('\\');
            tokens.push(Token::Letter(letter));
            rest = after.get(letter.len_utf8()..).unwrap_or_default();
        } else {
            tokens.push(if first == '.' { Token::Any } else { Token::Letter(first) });
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

fn follow(tokens: &[Token], text: &str, ends: bool) -> bool {
    let Some((token, rest)) = tokens.split_first() else { return !ends || text.is_empty() };
    let first = text.chars().next();
    match token {
        Token::Letter(letter) => first == Some(*letter) && follow(rest, &text[letter.len_utf8()..], ends),
        Token::Any => first.is_some_and(|c| follow(rest, &text[c.len_utf8()..], ends)),
        Token::Run { least, stops_at_dot } => {
            let most = if *stops_at_dot { text.find('.').unwrap_or(text.len()) } else { text.len() };
            let lengths =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).filter(|at| *at >= *least && *at <= most);
            lengths.into_iter().any(|at| follow(rest, &text[at..], ends))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_come_before_the_cluster() {
        let text = ".:53 {\n errors\n template ANY ANY svc.cluster.local {\n  match \"^user-service\\.shop\\.svc\\.cluster\\.local\\.$\"\n  \
                    rcode NXDOMAIN\n  fallthrough\n }\n kubernetes cluster.local in-addr.arpa ip6.arpa {\n  pods insecure\n }\n \
                    forward . /etc/resolv.conf\n}\n";
        let corefile = Corefile::parse(&text.replace('"', ""));
        assert_eq!(corefile.overrides("user-service.shop.svc.cluster.local"), Some(DnsAnswer::NoSuchName));
        assert_eq!(corefile.overrides("cart.shop.svc.cluster.local"), None);
        assert!(corefile.serves("cart.shop.svc.cluster.local"));
        assert!(!corefile.serves("example.com"));
        assert!(corefile.forwards());
    }

    #[test]
    fn patterns_match() {
        let check =
            |pattern: &str, name: &str, expect: bool| assert_eq!(is_match(pattern, name), expect, "{pattern} {name}");
        check(".*\\.local\\.$", "a.local.", true);
        check("^a", "ba", false);
        check("^[^.]+\\.shop", "x.y.shop", false);
        check("cart", "my-cart.x", true);
        check("^$", "", true);
    }
}
