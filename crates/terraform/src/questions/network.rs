//! Where packets go, and which are let in.

use super::acl;
use crate::cloud::{Cloud, CloudObject};
use crate::datum::{Datum, number_text};
use crate::functions::{Cidr, contains_address};

/// The route table that a subnet uses: its own, or the main one of its network.
fn table_of<'a>(cloud: &'a Cloud, subnet: &CloudObject) -> Option<&'a CloudObject> {
    let own = cloud.all("aws_route_table_association").find(|a| a.text("subnet_id") == subnet.text("id"));
    let main = || {
        let changed = cloud.all("aws_main_route_table_association").find(|a| a.text("vpc_id") == subnet.text("vpc_id"));
        let vpc = cloud.get("aws_vpc", subnet.text("vpc_id"));
        changed.map(|a| a.text("route_table_id")).or(vpc.map(|v| v.text("main_route_table_id")))
    };
    let id = own.map(|a| a.text("route_table_id")).or_else(main)?;
    cloud.get("aws_route_table", id)
}

/// The route that a packet from a subnet to an address takes: `{via, id, table}`.
pub(super) fn route(cloud: &Cloud, subnet: &str, destination: &str) -> Result<Datum, String> {
    let subnet = cloud.get("aws_subnet", subnet).ok_or_else(|| format!("there is no subnet {subnet:?}"))?;
    let table = table_of(cloud, subnet);
    let local = cloud
        .get("aws_vpc", subnet.text("vpc_id"))
        .is_some_and(|v| contains_address(v.text("cidr_block"), destination));
    let answer = |via: &str, id: &str| {
        let table = table.map_or("", |t| t.text("id"));
        Ok(Datum::map([("via", Datum::text(via)), ("id", Datum::text(id)), ("table", Datum::text(table))]))
    };
    if local {
        return answer("local", "");
    }
    let mut best: Option<(u8, &Datum)> = None;
    for route in table.and_then(|t| t.get("route").as_items()).unwrap_or_default() {
        let range = route.get("cidr_block").as_text().unwrap_or_default();
        let Ok(cidr) = Cidr::parse_loose(range) else { continue };
        if contains_address(range, destination) && best.is_none_or(|(prefix, _)| cidr.prefix() > prefix) {
            best = Some((cidr.prefix(), route));
        }
    }
    let Some((_, route)) = best else { return answer("nowhere", "") };
    let targets = [
        ("gateway_id", "internet_gateway"),
        ("nat_gateway_id", "nat_gateway"),
        ("vpc_endpoint_id", "endpoint"),
        ("transit_gateway_id", "transit_gateway"),
        ("vpc_peering_connection_id", "peering"),
        ("network_interface_id", "interface"),
        ("egress_only_gateway_id", "egress_only_gateway"),
    ];
    let target =
        targets.iter().find_map(|(attr, via)| route.get(attr).as_text().filter(|t| !t.is_empty()).map(|id| (*via, id)));
    let (via, id) = target.unwrap_or(("nowhere", ""));
    answer(via, id)
}

/// An address of the internet in each eighth of its addresses, but the last, which is no one's: half a default route is none.
const INTERNET: [&str; 7] =
    ["8.8.8.8", "52.95.110.1", "64.233.160.1", "104.16.0.1", "140.82.112.3", "172.217.0.1", "199.232.0.1"];

/// How a subnet reaches the internet: `direct`, `nat` or `no`; `partly` if it reaches some of it.
pub(super) fn internet(cloud: &Cloud, subnet: &str) -> &'static str {
    let ways = INTERNET.map(|address| way(cloud, subnet, address));
    if ways.iter().all(|way| *way == ways[0]) { ways[0] } else { "partly" }
}

fn way(cloud: &Cloud, subnet: &str, address: &str) -> &'static str {
    let Ok(first) = route(cloud, subnet, address) else { return "no" };
    if !acl::lets_through(cloud, subnet, address) {
        return "no";
    }
    match first.get("via").as_text() {
        Some("internet_gateway") => "direct",
        Some("nat_gateway") => {
            let nat = first.get("id").as_text().and_then(|id| cloud.get("aws_nat_gateway", id));
            let public = nat.filter(|n| n.text("connectivity_type") != "private");
            let home = public.filter(|n| acl::lets_through(cloud, n.text("subnet_id"), address));
            let next = home.and_then(|n| route(cloud, n.text("subnet_id"), address).ok());
            if next.is_some_and(|r| r.get("via").as_text() == Some("internet_gateway")) { "nat" } else { "no" }
        }
        _ => "no",
    }
}

/// The rules of a security group, one line per protocol, ports and source, sorted: `tcp 22-22 10.0.0.0/8`.
pub(super) fn rules(cloud: &Cloud, group: &str, side: &str) -> Vec<String> {
    let Some(group) = cloud.get("aws_security_group", group) else { return Vec::new() };
    let mut made = Vec::new();
    for rule in group.get(side).as_items().unwrap_or_default() {
        let protocol = match rule.get("protocol").as_text().unwrap_or_default().to_lowercase().as_str() {
            "-1" | "all" => "all".to_owned(),
            "6" => "tcp".to_owned(),
            "17" => "udp".to_owned(),
            "1" => "icmp".to_owned(),
            other => other.to_owned(),
        };
        let port = |name: &str| rule.get(name).as_number().map(number_text).unwrap_or_default();
        let ports =
            if protocol == "all" { "all".to_owned() } else { format!("{}-{}", port("from_port"), port("to_port")) };
        let lists = ["cidr_blocks", "ipv6_cidr_blocks", "prefix_list_ids", "security_groups"];
        let sources =
            lists.iter().flat_map(|l| rule.get(l).as_items().unwrap_or_default().iter().filter_map(Datum::as_text));
        let own = (rule.get("self").as_bool() == Some(true)).then(|| group.text("id"));
        made.extend(sources.chain(own).map(|source| format!("{protocol} {ports} {source}")));
    }
    made.sort();
    made.dedup();
    made
}

/// Whether lines of rules let the whole internet reach one of these ports.
pub(super) fn exposed(lines: &Datum, ports: &Datum) -> bool {
    let wanted: Vec<f64> =
        ports.as_items().unwrap_or(std::slice::from_ref(ports)).iter().filter_map(Datum::as_number).collect();
    let lines = lines.as_items().unwrap_or_default().iter().filter_map(Datum::as_text);
    lines.into_iter().any(|line| {
        let parts: Vec<&str> = line.split(' ').collect();
        let [_, range, source] = parts.as_slice() else { return false };
        let everyone = matches!(*source, "0.0.0.0/0" | "::/0" | "*" | "Internet" | "0.0.0.0/1" | "128.0.0.0/1");
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let all = matches!(*range, "all" | "*");
        let inside =
            |port: f64| all || from.parse().is_ok_and(|f: f64| port >= f) && to.parse().is_ok_and(|t: f64| port <= t);
        everyone && wanted.iter().any(|p| inside(*p))
    })
}

/// What the firewall of a Google network lets in, for a network tag or for all with an empty one: `tcp 22 10.0.0.0/8`.
pub(super) fn firewall(cloud: &Cloud, network: &str, tag: &str) -> Vec<String> {
    let named = |o: &CloudObject, name: &str| ["id", "self_link", "name"].iter().any(|a| o.text(a) == name);
    let Some(network) = cloud.all("google_compute_network").find(|n| named(n, network)) else { return Vec::new() };
    let mut made = Vec::new();
    for rule in cloud.all("google_compute_firewall") {
        let texts = |name: &str| {
            rule.get(name).as_items().unwrap_or_default().iter().filter_map(Datum::as_text).collect::<Vec<_>>()
        };
        let targets = texts("target_tags");
        let meant = named(network, rule.text("network"))
            && rule.text("direction") == "INGRESS"
            && rule.get("disabled").as_bool() != Some(true);
        if !meant || !(targets.is_empty() || targets.contains(&tag)) {
            continue;
        }
        for allow in rule.get("allow").as_items().unwrap_or_default() {
            let protocol = allow.get("protocol").as_text().unwrap_or_default().to_lowercase();
            let ports = allow.get("ports").as_items().unwrap_or_default();
            let ports: Vec<&str> =
                if ports.is_empty() { vec!["all"] } else { ports.iter().filter_map(Datum::as_text).collect() };
            let sources = texts("source_ranges")
                .into_iter()
                .map(str::to_owned)
                .chain(texts("source_tags").into_iter().map(|t| format!("tag:{t}")));
            for source in sources {
                made.extend(ports.iter().map(|port| format!("{protocol} {port} {source}")));
            }
        }
    }
    made.sort();
    made.dedup();
    made
}

/// What a network security group of Azure allows in one direction, by name or id: `tcp 22 10.0.0.0/8`.
pub(super) fn nsg(cloud: &Cloud, group: &str, direction: &str) -> Vec<String> {
    let found = cloud.all("azurerm_network_security_group").find(|g| g.text("id") == group || g.text("name") == group);
    let Some(found) = found else { return Vec::new() };
    let inline = found.get("security_rule").as_items().unwrap_or_default().iter().cloned();
    let separate = cloud
        .all("azurerm_network_security_rule")
        .filter(|r| r.text("network_security_group_name") == found.text("name"));
    let mut made = Vec::new();
    for rule in inline.chain(separate.map(|r| Datum::Map(r.attrs.clone()))) {
        let text = |name: &str| rule.get(name).as_text().unwrap_or_default().to_owned();
        if text("access") != "Allow" || text("direction") != direction {
            continue;
        }
        let either = |one: &str, many: &str| {
            let list =
                rule.get(many).as_items().unwrap_or_default().iter().filter_map(Datum::as_text).map(str::to_owned);
            list.chain([text(one)].into_iter().filter(|t| !t.is_empty())).collect::<Vec<_>>()
        };
        let protocol = text("protocol").to_lowercase();
        for source in either("source_address_prefix", "source_address_prefixes") {
            for port in either("destination_port_range", "destination_port_ranges") {
                made.push(format!("{protocol} {port} {source}"));
            }
        }
    }
    made.sort();
    made.dedup();
    made
}
