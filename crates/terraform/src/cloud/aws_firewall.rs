//! Security groups of AWS: rules that stand inline and rules that stand alone are one list.

use super::Cloud;
use super::aws_network::{put, text};
use crate::datum::Attributes;
use crate::datum::Datum;

pub(super) fn group(cloud: &Cloud, attrs: &mut Attributes, old: Option<&str>) -> Result<(), String> {
    put(attrs, "vpc_id", "vpc-default");
    let (name, vpc) = (text(attrs, "name").to_owned(), text(attrs, "vpc_id").to_owned());
    let taken = cloud
        .all("aws_security_group")
        .any(|g| g.text("name") == name && g.text("vpc_id") == vpc && Some(g.text("id")) != old);
    if taken {
        return Err(format!("InvalidGroup.Duplicate: the security group {name:?} already exists for VPC {vpc}"));
    }
    for side in ["ingress", "egress"] {
        for rule in attrs.get(side).and_then(Datum::as_items).unwrap_or_default() {
            let rule = rule.as_map().cloned().unwrap_or_default();
            ports(&rule)?;
            sourced(&rule)?;
        }
    }
    Ok(())
}

pub(super) fn ports(rule: &Attributes) -> Result<(), String> {
    let number = |name: &str| rule.get(name).and_then(Datum::as_number).unwrap_or(0.0);
    let (from, to) = (number("from_port"), number("to_port"));
    let protocol = text(rule, "protocol");
    if matches!(protocol, "-1" | "all") && (from > 0.0 || to > 0.0) {
        return Err(format!("from_port ({from}) and to_port ({to}) must both be 0 to use the \"ALL\" \"-1\" protocol"));
    }
    if from > to && !protocol.starts_with("icmp") {
        return Err(format!("InvalidParameterValue: invalid port range {from}-{to}"));
    }
    Ok(())
}

pub(super) fn sourced(rule: &Attributes) -> Result<(), String> {
    let filled = |name: &str| rule.get(name).and_then(Datum::as_items).is_some_and(|l| !l.is_empty());
    let any = ["cidr_blocks", "ipv6_cidr_blocks", "prefix_list_ids", "security_groups"].iter().any(|n| filled(n));
    let own = rule.get("self").and_then(Datum::as_bool) == Some(true);
    if any || own { Ok(()) } else { Err("InvalidParameterValue: a rule needs a source or a destination".to_owned()) }
}

pub(super) fn side_of(kind: &str, attrs: &Attributes) -> &'static str {
    let egress = kind.contains("egress") || text(attrs, "type") == "egress";
    if egress { "egress" } else { "ingress" }
}

/// A separate rule in the form of an inline one: the group shows both alike.
pub(super) fn rule_of(kind: &str, attrs: &Attributes) -> Attributes {
    let own = kind != "aws_security_group_rule";
    let list =
        |name: &str| attrs.get(name).cloned().filter(|v| v.as_items().is_some()).unwrap_or(Datum::List(Vec::new()));
    let one = |name: &str| {
        Datum::List(
            attrs.get(name).filter(|v| v.as_text().is_some_and(|t| !t.is_empty())).cloned().into_iter().collect(),
        )
    };
    let port = |name: &str| attrs.get(name).cloned().filter(|v| v.as_number().is_some()).unwrap_or(Datum::Number(0.0));
    let (v4, v6, lists, groups) = if own {
        (one("cidr_ipv4"), one("cidr_ipv6"), one("prefix_list_id"), one("referenced_security_group_id"))
    } else {
        (list("cidr_blocks"), list("ipv6_cidr_blocks"), list("prefix_list_ids"), one("source_security_group_id"))
    };
    let protocol = attrs.get(if own { "ip_protocol" } else { "protocol" }).cloned().unwrap_or(Datum::Null);
    let named = attrs.get("description").cloned().filter(|v| v.as_text().is_some()).unwrap_or(Datum::text(""));
    [
        ("from_port", port("from_port")),
        ("to_port", port("to_port")),
        ("protocol", protocol),
        ("cidr_blocks", v4),
        ("ipv6_cidr_blocks", v6),
        ("prefix_list_ids", lists),
        ("security_groups", Datum::set(groups.as_items().unwrap_or_default().to_vec())),
        ("self", attrs.get("self").cloned().filter(|v| v.as_bool().is_some()).unwrap_or(Datum::Bool(false))),
        ("description", named),
    ]
    .into_iter()
    .map(|(n, v)| (n.to_owned(), v))
    .collect()
}
