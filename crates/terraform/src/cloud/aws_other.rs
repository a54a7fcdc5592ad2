//! Compute and storage rules of AWS.

use super::{Caller, Cloud};
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::functions::Cidr;

fn text<'a>(attrs: &'a Attributes, name: &str) -> &'a str {
    attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
}

fn put(attrs: &mut Attributes, name: &str, value: Datum) {
    if attrs.get(name).is_none_or(|v| v.is_unknown() || v.is_null()) {
        attrs.insert(name.to_owned(), value);
    }
}

pub(super) fn before(
    cloud: &Cloud,
    kind: &str,
    attrs: &mut Attributes,
    caller: &Caller,
    old: Option<&str>,
) -> Result<(), String> {
    match kind {
        "aws_instance" => instance(cloud, attrs, caller, old),
        "aws_lb" => {
            let subnets = attrs.get("subnets").and_then(Datum::as_items).unwrap_or_default();
            let zones = zones(cloud, subnets);
            if text(attrs, "load_balancer_type") == "application" && zones < 2 {
                return Err(
                    "ValidationError: At least two subnets in two different Availability Zones must be specified"
                        .to_owned(),
                );
            }
            put(attrs, "internal", Datum::Bool(false));
            Ok(())
        }
        "aws_eks_cluster" => {
            let config = attrs
                .get("vpc_config")
                .and_then(Datum::as_items)
                .and_then(<[Datum]>::first)
                .cloned()
                .unwrap_or(Datum::Null);
            if zones(cloud, config.get("subnet_ids").as_items().unwrap_or_default()) < 2 {
                return Err(
                    "InvalidParameterException: Subnets specified must be in at least two different AZs".to_owned()
                );
            }
            put(attrs, "version", Datum::text("1.31"));
            Ok(())
        }
        "aws_eks_node_group" => {
            let scaling = attrs
                .get("scaling_config")
                .and_then(Datum::as_items)
                .and_then(<[Datum]>::first)
                .cloned()
                .unwrap_or(Datum::Null);
            let number = |n: &str| scaling.get(n).as_number().unwrap_or(0.0);
            let fits = number("min_size") <= number("desired_size") && number("desired_size") <= number("max_size");
            if fits {
                Ok(())
            } else {
                Err("InvalidParameterException: desired size must lie between minimum and maximum size".to_owned())
            }
        }
        "aws_autoscaling_group" => {
            let number = |n: &str| attrs.get(n).and_then(Datum::as_number);
            let (least, most) = (number("min_size").unwrap_or(0.0), number("max_size").unwrap_or(0.0));
            if least > most || number("desired_capacity").is_some_and(|d| d < least || d > most) {
                return Err("ValidationError: desired capacity must lie between minimum and maximum size".to_owned());
            }
            Ok(())
        }
        "aws_s3_bucket_acl" => {
            let owned = cloud.all("aws_s3_bucket_ownership_controls").any(|o| {
                let rule = o.get("rule").as_items().and_then(<[Datum]>::first);
                o.text("bucket") == text(attrs, "bucket")
                    && rule.is_some_and(|r| r.get("object_ownership").as_text() != Some("BucketOwnerEnforced"))
            });
            if owned { Ok(()) } else { Err("AccessControlListNotSupported: The bucket does not allow ACLs".to_owned()) }
        }
        "aws_s3_bucket_lifecycle_configuration" => {
            let rules = attrs.get("rule").and_then(Datum::as_items).unwrap_or_default();
            rules.iter().try_for_each(lifecycle)
        }
        _ => Ok(()),
    }
}

fn zones(cloud: &Cloud, subnets: &[Datum]) -> usize {
    let zones =
        subnets.iter().filter_map(|s| cloud.get("aws_subnet", s.as_text()?)).map(|s| s.text("availability_zone"));
    zones.collect::<std::collections::BTreeSet<_>>().len()
}

fn instance(cloud: &Cloud, attrs: &mut Attributes, caller: &Caller, old: Option<&str>) -> Result<(), String> {
    for name in ["ami", "instance_type"] {
        if text(attrs, name).is_empty() {
            return Err(format!("MissingParameter: an instance needs {name}"));
        }
    }
    let region = caller.settings.region.as_deref().unwrap_or("us-east-1");
    let subnet = cloud.get("aws_subnet", text(attrs, "subnet_id"));
    let zone = subnet.map_or(format!("{region}a"), |s| s.text("availability_zone").to_owned());
    if let Some(Datum::Text(wanted)) = attrs.get("availability_zone")
        && *wanted != zone
        && subnet.is_some()
    {
        return Err(format!("InvalidParameterValue: the subnet lies in {zone}, not in {wanted}"));
    }
    let vpc = subnet.map(|s| s.text("vpc_id").to_owned());
    for group in attrs.get("vpc_security_group_ids").and_then(Datum::as_items).unwrap_or_default() {
        let home =
            group.as_text().and_then(|id| cloud.get("aws_security_group", id)).map(|g| g.text("vpc_id").to_owned());
        if vpc.is_some() && home.is_some() && home != vpc {
            return Err(format!(
                "InvalidParameter: security group {group} and the subnet belong to different networks"
            ));
        }
    }
    let default_group =
        vpc.as_ref().and_then(|v| cloud.get("aws_vpc", v)).map(|v| v.text("default_security_group_id").to_owned());
    let groups = default_group.map(Datum::Text).into_iter().collect();
    put(attrs, "vpc_security_group_ids", Datum::set(groups));
    put(attrs, "availability_zone", Datum::Text(zone));
    put(attrs, "subnet_id", Datum::text("subnet-default"));
    let auto = subnet.and_then(|s| s.get("map_public_ip_on_launch").as_bool()).unwrap_or(false);
    put(attrs, "associate_public_ip_address", Datum::Bool(auto));
    if old.is_none() {
        let taken = cloud.all("aws_instance").count() as u128;
        let address = subnet.and_then(|s| Cidr::parse(s.text("cidr_block")).ok()).map(|c| c.at(10 + taken).to_string());
        put(attrs, "private_ip", Datum::Text(address.unwrap_or_else(|| "172.31.0.10".to_owned())));
        let public = attrs.get("associate_public_ip_address").and_then(Datum::as_bool) == Some(true);
        put(attrs, "public_ip", Datum::Text(if public { format!("198.51.100.{}", taken + 10) } else { String::new() }));
    }
    for (name, value) in [
        ("security_groups", Datum::set(Vec::new())),
        ("tenancy", Datum::text("default")),
        ("monitoring", Datum::Bool(false)),
    ] {
        put(attrs, name, value);
    }
    Ok(())
}

/// A rule does something, and not earlier than the storage class allows.
fn lifecycle(rule: &Datum) -> Result<(), String> {
    let actions = [
        "transition",
        "expiration",
        "noncurrent_version_transition",
        "noncurrent_version_expiration",
        "abort_incomplete_multipart_upload",
    ];
    let acts = actions.iter().any(|a| rule.get(a).as_items().is_some_and(|l| !l.is_empty()));
    if !acts {
        return Err("InvalidRequest: At least one action needs to be specified in a rule".to_owned());
    }
    for transition in rule.get("transition").as_items().unwrap_or_default() {
        let days = transition.get("days").as_number();
        let slow = matches!(transition.get("storage_class").as_text(), Some("STANDARD_IA" | "ONEZONE_IA"));
        if slow && days.is_some_and(|d| d < 30.0) {
            return Err("InvalidArgument: 'Days' in Transition action must be greater than or equal to 30 for this storage class".to_owned());
        }
        if days.is_some() == transition.get("date").as_text().is_some_and(|d| !d.is_empty()) {
            return Err("MalformedXML: a transition needs days or a date".to_owned());
        }
    }
    Ok(())
}
