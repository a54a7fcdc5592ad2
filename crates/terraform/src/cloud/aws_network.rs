//! Networks of AWS: ranges, attachments, routes, security groups, and what a VPC brings by itself.

use super::aws_firewall::{group, ports, rule_of, side_of, sourced};
use super::{Caller, Cloud, CloudObject};
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::functions::Cidr;

pub(super) fn text<'a>(attrs: &'a Attributes, name: &str) -> &'a str {
    attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
}

pub(super) fn put(attrs: &mut Attributes, name: &str, value: impl Into<String>) {
    if attrs.get(name).is_none_or(|v| v.is_unknown() || v.is_null()) {
        attrs.insert(name.to_owned(), Datum::Text(value.into()));
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
        "aws_vpc" if old.is_none() => {
            if text(attrs, "cidr_block").is_empty() {
                return Err("MissingParameter: a VPC needs a CIDR block".to_owned());
            }
            let hex = super::fill::IdDraws::new(kind, cloud.serial).hex();
            put(attrs, "main_route_table_id", format!("rtb-{hex}"));
            put(attrs, "default_route_table_id", format!("rtb-{hex}"));
            put(attrs, "default_security_group_id", format!("sg-{hex}"));
            put(attrs, "default_network_acl_id", format!("acl-{hex}"));
            Ok(())
        }
        "aws_subnet" => subnet(cloud, attrs, caller, old),
        "aws_internet_gateway" => one_gateway(cloud, text(attrs, "vpc_id"), old),
        "aws_internet_gateway_attachment" => one_gateway(cloud, text(attrs, "vpc_id"), None),
        "aws_eip" => {
            put(attrs, "domain", "vpc");
            if attrs.get("vpc").is_none_or(Datum::is_unknown) {
                attrs.insert("vpc".to_owned(), Datum::Bool(true));
            }
            Ok(())
        }
        "aws_nat_gateway" if old.is_none() => nat(cloud, attrs),
        "aws_route_table" | "aws_default_route_table" => {
            if kind == "aws_default_route_table" {
                let id = text(attrs, "default_route_table_id").to_owned();
                let main = cloud
                    .get("aws_route_table", &id)
                    .ok_or("InvalidRouteTableID.NotFound: no such main route table")?;
                put(attrs, "vpc_id", main.text("vpc_id"));
            }
            let vpc = text(attrs, "vpc_id").to_owned();
            let routes = attrs.get("route").and_then(Datum::as_items).unwrap_or_default();
            routes
                .iter()
                .filter_map(Datum::as_map)
                .try_for_each(|r| route(cloud, r, "cidr_block", "ipv6_cidr_block", &vpc))?;
            distinct(routes)
        }
        "aws_route" => {
            let table = cloud.get("aws_route_table", text(attrs, "route_table_id"));
            let table = table.ok_or("InvalidRouteTableID.NotFound: no such route table")?;
            route(cloud, attrs, "destination_cidr_block", "destination_ipv6_cidr_block", table.text("vpc_id"))?;
            let taken = |r: &Datum| {
                r.get("cidr_block")
                    .as_text()
                    .is_some_and(|c| !c.is_empty() && c == text(attrs, "destination_cidr_block"))
            };
            if old.is_none() && table.get("route").as_items().unwrap_or_default().iter().any(taken) {
                return Err(format!(
                    "RouteAlreadyExists: the route to {} exists in {}",
                    text(attrs, "destination_cidr_block"),
                    table.text("id")
                ));
            }
            Ok(())
        }
        "aws_route_table_association" => association(cloud, attrs, old),
        "aws_main_route_table_association" => {
            let vpc = cloud.get("aws_vpc", text(attrs, "vpc_id")).map(|v| v.text("main_route_table_id").to_owned());
            put(attrs, "original_route_table_id", vpc.unwrap_or_default());
            Ok(())
        }
        "aws_security_group" => group(cloud, attrs, old),
        "aws_default_security_group" => {
            let vpc = cloud.get("aws_vpc", text(attrs, "vpc_id")).ok_or("InvalidVpcID.NotFound: no such VPC")?;
            attrs.insert("id".to_owned(), Datum::text(vpc.text("default_security_group_id")));
            Ok(())
        }
        "aws_security_group_rule" | "aws_vpc_security_group_ingress_rule" | "aws_vpc_security_group_egress_rule" => {
            let rule = rule_of(kind, attrs);
            ports(&rule)?;
            sourced(&rule)?;
            let group = cloud.get("aws_security_group", text(attrs, "security_group_id"));
            let side = side_of(kind, attrs);
            let taken =
                |g: &CloudObject| g.get(side).as_items().unwrap_or_default().contains(&Datum::Map(rule.clone()));
            if old.is_none() && group.is_some_and(taken) {
                return Err("InvalidPermission.Duplicate: the specified rule already exists".to_owned());
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn subnet(cloud: &Cloud, attrs: &mut Attributes, caller: &Caller, old: Option<&str>) -> Result<(), String> {
    let region = caller.settings.region.as_deref().unwrap_or("us-east-1");
    put(attrs, "availability_zone", format!("{region}a"));
    let zone = text(attrs, "availability_zone").to_owned();
    let letter = zone.strip_prefix(region).is_some_and(|z| z.len() == 1 && ("a"..="f").contains(&z));
    if !letter {
        return Err(format!("InvalidParameterValue: {zone} is no availability zone of {region}"));
    }
    put(attrs, "availability_zone_id", format!("use1-az{}", zone.bytes().last().map_or(1, |b| b - b'a' + 1)));
    put(attrs, "private_dns_hostname_type_on_launch", "ip-name");
    if text(attrs, "cidr_block").is_empty() {
        return Err("MissingParameter: a subnet needs a CIDR block".to_owned());
    }
    let range = Cidr::parse(text(attrs, "cidr_block"))?;
    let vpc = cloud.get("aws_vpc", text(attrs, "vpc_id")).ok_or("InvalidVpcID.NotFound: no such VPC")?;
    if !Cidr::parse(vpc.text("cidr_block")).is_ok_and(|v| v.contains(range)) {
        return Err(format!(
            "InvalidSubnet.Range: the CIDR {range} is invalid: it is not within {}",
            vpc.text("cidr_block")
        ));
    }
    let clash = cloud.all("aws_subnet").filter(|s| s.text("vpc_id") == vpc.text("id") && Some(s.text("id")) != old);
    for other in clash {
        if Cidr::parse(other.text("cidr_block")).is_ok_and(|o| o.overlaps(range)) {
            return Err(format!(
                "InvalidSubnet.Conflict: the CIDR {range} conflicts with another subnet ({})",
                other.text("cidr_block")
            ));
        }
    }
    Ok(())
}

fn one_gateway(cloud: &Cloud, vpc: &str, old: Option<&str>) -> Result<(), String> {
    let taken = !vpc.is_empty() && gateways_of(cloud, vpc).any(|id| Some(id) != old);
    if taken {
        Err(format!("Resource.AlreadyAssociated: {vpc} already has an internet gateway attached"))
    } else {
        Ok(())
    }
}

/// The internet gateways attached to a VPC.
pub(crate) fn gateways_of<'a>(cloud: &'a Cloud, vpc: &'a str) -> impl Iterator<Item = &'a str> {
    let own = cloud.all("aws_internet_gateway").filter(move |g| g.text("vpc_id") == vpc).map(|g| g.text("id"));
    let attached = cloud.all("aws_internet_gateway_attachment").filter(move |g| g.text("vpc_id") == vpc);
    own.chain(attached.map(|g| g.text("internet_gateway_id")))
}

fn nat(cloud: &Cloud, attrs: &mut Attributes) -> Result<(), String> {
    let address = text(attrs, "allocation_id").to_owned();
    let public = text(attrs, "connectivity_type") != "private";
    if public && address.is_empty() {
        return Err("MissingParameter: a public NAT gateway needs an allocation_id".to_owned());
    }
    if !public && !address.is_empty() {
        return Err("InvalidParameter: a private NAT gateway takes no allocation_id".to_owned());
    }
    let taken = cloud.all("aws_nat_gateway").any(|n| n.text("allocation_id") == address && !address.is_empty());
    if taken {
        return Err(format!("Resource.AlreadyAssociated: {address} is already associated"));
    }
    let ip = cloud.get("aws_eip", &address).map(|e| e.text("public_ip").to_owned()).unwrap_or_default();
    put(attrs, "public_ip", ip);
    put(attrs, "private_ip", "10.0.0.9");
    Ok(())
}

pub(super) const TARGETS: &[&str] = &[
    "gateway_id",
    "nat_gateway_id",
    "egress_only_gateway_id",
    "network_interface_id",
    "transit_gateway_id",
    "vpc_endpoint_id",
    "vpc_peering_connection_id",
    "carrier_gateway_id",
    "core_network_arn",
    "local_gateway_id",
];

/// One destination, one target, and a gateway of the same network.
fn route(cloud: &Cloud, attrs: &Attributes, v4: &str, v6: &str, vpc: &str) -> Result<(), String> {
    let targets = TARGETS.iter().filter(|t| !text(attrs, t).is_empty()).count();
    if targets != 1 {
        return Err(format!("InvalidParameterCombination: a route needs one target; {targets} are given"));
    }
    let destinations = [v4, v6, "destination_prefix_list_id"].iter().filter(|d| !text(attrs, d).is_empty()).count();
    if destinations != 1 {
        return Err("InvalidParameterCombination: a route needs one destination".to_owned());
    }
    let gateway = text(attrs, "gateway_id");
    if gateway.starts_with("igw-") && !gateways_of(cloud, vpc).any(|id| id == gateway) {
        return Err(format!(
            "InvalidParameterValue: route table and network gateway {gateway} belong to different networks"
        ));
    }
    let nat = cloud.get("aws_nat_gateway", text(attrs, "nat_gateway_id"));
    let nat_vpc = nat.and_then(|n| cloud.get("aws_subnet", n.text("subnet_id"))).map(|s| s.text("vpc_id"));
    match nat_vpc {
        Some(other) if other != vpc => {
            Err("InvalidParameterValue: route table and NAT gateway belong to different networks".to_owned())
        }
        _ => Ok(()),
    }
}

fn distinct(routes: &[Datum]) -> Result<(), String> {
    for (i, route) in routes.iter().enumerate() {
        let destination = |r: &Datum| (r.get("cidr_block").clone(), r.get("ipv6_cidr_block").clone());
        if routes[..i].iter().any(|r| destination(r) == destination(route)) {
            return Err("RouteAlreadyExists: two routes have the same destination".to_owned());
        }
    }
    Ok(())
}

fn association(cloud: &Cloud, attrs: &Attributes, old: Option<&str>) -> Result<(), String> {
    let subnet = text(attrs, "subnet_id");
    if subnet.is_empty() == text(attrs, "gateway_id").is_empty() {
        return Err("InvalidParameterCombination: a subnet or a gateway is needed, not both".to_owned());
    }
    let taken =
        cloud.all("aws_route_table_association").any(|a| a.text("subnet_id") == subnet && Some(a.text("id")) != old);
    if taken && !subnet.is_empty() {
        return Err(format!("Resource.AlreadyAssociated: {subnet} is already associated with a route table"));
    }
    let home = cloud.get("aws_subnet", subnet).map(|s| s.text("vpc_id"));
    let table = cloud.get("aws_route_table", text(attrs, "route_table_id")).map(|t| t.text("vpc_id"));
    if home.is_some() && table.is_some() && home != table {
        return Err("InvalidParameterValue: route table and subnet belong to different networks".to_owned());
    }
    Ok(())
}
