//! Rules for single values that the provider knows without asking the cloud.

use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::functions::Cidr;
use crate::schema::AttrSchema;

/// Checks a value, and each element of a collection. Unknown and null values pass.
pub(super) fn check_value(name: &str, rules: &AttrSchema, value: &Datum) -> Result<(), Diagnostic> {
    match value {
        Datum::List(items) | Datum::Set(items) => items.iter().try_for_each(|item| check_value(name, rules, item)),
        Datum::Null | Datum::Unknown(_) | Datum::Map(_) => Ok(()),
        scalar => {
            let text = match scalar {
                Datum::Text(text) => text.clone(),
                other => other.to_string(),
            };
            scalar_fits(rules, &text, scalar).map_err(|why| invalid(name, &text, &why))
        }
    }
}

fn invalid(name: &str, text: &str, why: &str) -> Diagnostic {
    Diagnostic::new(format!("Invalid value for {name:?}"), format!("{text:?}: {why}."))
}

fn scalar_fits(rules: &AttrSchema, text: &str, value: &Datum) -> Result<(), String> {
    if !rules.one_of.is_empty() && !rules.one_of.iter().any(|o| o == text) {
        return Err(format!("expected one of {}", rules.one_of.join(", ")));
    }
    if let (Some((least, most)), Some(number)) = (rules.range, value.as_number())
        && !(least..=most).contains(&number)
    {
        return Err(format!("expected to be in the range ({least} - {most})"));
    }
    if let Some(pattern) = &rules.pattern
        && !pattern.is_match(text)
    {
        return Err(format!("must match {}", pattern.as_str()));
    }
    match rules.check.as_deref() {
        Some(check) => by_name(check, text),
        None => Ok(()),
    }
}

fn by_name(check: &str, text: &str) -> Result<(), String> {
    match check.split_once(':').unwrap_or((check, "")) {
        ("cidr", _) => Cidr::parse(text).map(|_| ()),
        ("cidr4", range) => {
            let cidr = Cidr::parse(text)?;
            let (least, most) = range.split_once("..").unwrap_or(("0", "32"));
            let above = least.parse().is_ok_and(|l| cidr.prefix() >= l);
            let within = above && most.parse().is_ok_and(|m| cidr.prefix() <= m) && !cidr.is_v6();
            if within { Ok(()) } else { Err(format!("expected an IPv4 range with a prefix of {least} to {most}")) }
        }
        ("json" | "policy" | "trust", _) => json(text),
        ("protocol", _) => protocol(text),
        ("bucket", _) => bucket(text),
        ("gcpname", _) => gcp_name(text),
        ("sgname", _) if text.to_lowercase().starts_with("sg-") => Err("cannot begin with sg-".to_owned()),
        ("ami", _) if !image(text) => Err("expected an id such as ami-0abcdef1234567890".to_owned()),
        ("instance_type", _) if !instance_type(text) => Err("no such instance type".to_owned()),
        ("machine_type", _) if !text.contains('-') || text.contains(' ') => Err("no such machine type".to_owned()),
        ("vm_size", _) if !text.starts_with("Standard_") && !text.starts_with("Basic_") => {
            Err("no such VM size".to_owned())
        }
        ("member", _) if !member(text) => Err("expected allUsers, allAuthenticatedUsers or TYPE:NAME".to_owned()),
        ("role", _) if !text.starts_with("roles/") && !text.contains("/roles/") => {
            Err("expected roles/NAME".to_owned())
        }
        ("location", _) if text.is_empty() => Err("must not be empty".to_owned()),
        _ => Ok(()),
    }
}

fn image(text: &str) -> bool {
    text.strip_prefix("ami-").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn json(text: &str) -> Result<(), String> {
    if !text.trim_start().starts_with('{') {
        return Err("contains an invalid JSON policy: not a JSON object".to_owned());
    }
    crate::functions::json(text).map(|_| ()).map_err(|e| format!("contains an invalid JSON policy: {e}"))
}

fn protocol(text: &str) -> Result<(), String> {
    let named = matches!(text.to_lowercase().as_str(), "tcp" | "udp" | "icmp" | "icmpv6" | "all" | "-1" | "esp" | "ah");
    if named || text.parse::<u8>().is_ok() {
        Ok(())
    } else {
        Err("expected tcp, udp, icmp, -1 or a protocol number".to_owned())
    }
}

/// Names of buckets: 3 to 63 characters; small letters, digits, dots and dashes; a letter or digit at both ends.
fn bucket(text: &str) -> Result<(), String> {
    let inner = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'));
    let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let edges = edge(text.bytes().next()) && edge(text.bytes().last());
    let address = text.parse::<std::net::Ipv4Addr>().is_ok();
    if (3..=63).contains(&text.len()) && inner && edges && !text.contains("..") && !address {
        Ok(())
    } else {
        Err("a bucket name has 3 to 63 lowercase letters, digits, dots and hyphens".to_owned())
    }
}

fn gcp_name(text: &str) -> Result<(), String> {
    let first = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    let last = text.bytes().last().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let inner = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if first && last && inner && text.len() <= 63 {
        Ok(())
    } else {
        Err("a name has up to 63 lowercase letters, digits and hyphens, a letter first".to_owned())
    }
}

fn instance_type(text: &str) -> bool {
    const SIZES: &[&str] = &["nano", "micro", "small", "medium", "large", "xlarge", "metal"];
    text.split_once('.').is_some_and(|(family, size)| {
        let letter = family.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        let digit = family.bytes().any(|b| b.is_ascii_digit());
        let count = size.strip_suffix("xlarge").is_some_and(|n| n.parse::<u8>().is_ok());
        letter && digit && (SIZES.contains(&size) || count || size.starts_with("metal"))
    })
}

fn member(text: &str) -> bool {
    const KINDS: &[&str] = &[
        "user",
        "serviceAccount",
        "group",
        "domain",
        "projectOwner",
        "projectEditor",
        "projectViewer",
        "principal",
        "principalSet",
    ];
    let named = text.split_once(':').is_some_and(|(kind, rest)| KINDS.contains(&kind) && !rest.is_empty());
    matches!(text, "allUsers" | "allAuthenticatedUsers") || named
}
