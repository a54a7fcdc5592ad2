//! What making and removing things of AWS does to others: lists that show rules and routes, and what a VPC brings by itself.

use super::aws_firewall::{rule_of, side_of};
use super::aws_network::{TARGETS, gateways_of, text};
use super::{Cloud, CloudObject};
use crate::datum::Attributes;
use crate::datum::Datum;

/// A separate route in the form of an inline one.
fn route_of(attrs: &Attributes) -> Attributes {
    let renamed = [("cidr_block", "destination_cidr_block"), ("ipv6_cidr_block", "destination_ipv6_cidr_block")];
    let same = TARGETS.iter().map(|t| (*t, *t)).chain([("destination_prefix_list_id", "destination_prefix_list_id")]);
    let value = |name: &str| Datum::text(text(attrs, name));
    same.chain(renamed).map(|(to, from)| (to.to_owned(), value(from))).collect()
}

/// Where a separate rule or route shows: the object and the attribute that lists it.
fn listed(kind: &str, attrs: &Attributes) -> Option<(&'static str, String, &'static str, Datum)> {
    match kind {
        "aws_route" => {
            Some(("aws_route_table", text(attrs, "route_table_id").to_owned(), "route", Datum::Map(route_of(attrs))))
        }
        "aws_security_group_rule" | "aws_vpc_security_group_ingress_rule" | "aws_vpc_security_group_egress_rule" => {
            let rule = Datum::Map(rule_of(kind, attrs));
            Some(("aws_security_group", text(attrs, "security_group_id").to_owned(), side_of(kind, attrs), rule))
        }
        _ => None,
    }
}

pub(super) fn after_create(cloud: &mut Cloud, kind: &str, id: &str) {
    let object = cloud.get(kind, id).expect("it was just made").clone();
    if let Some((home, home_id, list, item)) = listed(kind, &object.attrs)
        && let Some(home) = cloud.get_mut(home, &home_id)
    {
        let mut items = home.get(list).as_items().unwrap_or_default().to_vec();
        items.push(item);
        home.attrs.insert(list.to_owned(), Datum::set(items));
    }
    match kind {
        "aws_vpc" => implicit(cloud, &object),
        "aws_default_route_table" => mirror(cloud, &object, "aws_route_table", &["route"]),
        "aws_default_security_group" => mirror(cloud, &object, "aws_security_group", &["ingress", "egress"]),
        _ => {}
    }
}

/// A VPC comes with a main route table, a default security group and a default network ACL.
fn implicit(cloud: &mut Cloud, vpc: &CloudObject) {
    let mut make = |kind: &str, id: &str, extra: Vec<(&str, Datum)>| {
        if cloud.get(kind, id).is_some() {
            return;
        }
        let shared =
            [("id", Datum::text(id)), ("vpc_id", Datum::text(vpc.text("id"))), ("name", Datum::text("default"))];
        let attrs = shared.into_iter().chain(extra).map(|(n, v)| (n.to_owned(), v)).collect();
        let object = CloudObject { kind: kind.to_owned(), owner: None, attrs, born: vpc.born };
        cloud.objects.insert((kind.to_owned(), id.to_owned()), object);
    };
    make("aws_route_table", vpc.text("main_route_table_id"), vec![("route", Datum::set(Vec::new()))]);
    make("aws_security_group", vpc.text("default_security_group_id"), Vec::new());
    make("aws_network_acl", vpc.text("default_network_acl_id"), Vec::new());
}

fn mirror(cloud: &mut Cloud, object: &CloudObject, kind: &str, lists: &[&str]) {
    if let Some(real) = cloud.get_mut(kind, object.text("id")) {
        for list in lists {
            real.attrs.insert((*list).to_owned(), object.get(list).clone());
        }
    }
}

/// Takes a separate rule or route out of the list it shows in.
pub(super) fn unlist(cloud: &mut Cloud, kind: &str, id: &str) {
    let object = cloud.get(kind, id).expect("the caller looked").clone();
    if let Some((home, home_id, list, item)) = listed(kind, &object.attrs)
        && let Some(home) = cloud.get_mut(home, &home_id)
    {
        let kept: Vec<Datum> =
            home.get(list).as_items().unwrap_or_default().iter().filter(|i| **i != item).cloned().collect();
        home.attrs.insert(list.to_owned(), Datum::set(kept));
    }
}

/// What a VPC brought goes with it.
pub(super) fn orphan(cloud: &mut Cloud, object: &CloudObject) {
    if object.kind == "aws_vpc" {
        for (kind, attr) in [
            ("aws_route_table", "main_route_table_id"),
            ("aws_security_group", "default_security_group_id"),
            ("aws_network_acl", "default_network_acl_id"),
        ] {
            cloud.objects.remove(&(kind.to_owned(), object.text(attr).to_owned()));
        }
    }
}

/// A public NAT gateway comes up only if its network has an internet gateway.
pub(super) fn settle(cloud: &Cloud) -> Vec<(String, String)> {
    let nats = cloud.all("aws_nat_gateway").filter(|n| n.text("connectivity_type") != "private");
    nats.filter_map(|nat| {
        let subnet = cloud.get("aws_subnet", nat.text("subnet_id"))?;
        let vpc = subnet.text("vpc_id");
        let attached = gateways_of(cloud, vpc).next().is_some();
        let why = format!("Gateway.NotAttached: network {vpc} has no internet gateway attached");
        (!attached).then(|| (nat.owner.clone().unwrap_or_default(), why))
    })
    .collect()
}
