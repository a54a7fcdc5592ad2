//! Rules of Google Cloud.

use super::{Caller, Cloud, CloudObject};
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::functions::Cidr;
use crate::schema::Schema;

fn text<'a>(attrs: &'a Attributes, name: &str) -> &'a str {
    attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
}

fn put(attrs: &mut Attributes, name: &str, value: Datum) {
    if attrs.get(name).is_some_and(|v| v.is_unknown() || v.is_null()) {
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
    places(kind, attrs, caller)?;
    match kind {
        "google_compute_subnetwork" => subnetwork(cloud, attrs, old),
        "google_compute_firewall" => firewall(attrs),
        "google_compute_instance" => {
            let zone = text(attrs, "zone").to_owned();
            for nic in attrs.get("network_interface").and_then(Datum::as_items).unwrap_or_default() {
                let subnet = nic.get("subnetwork").as_text().unwrap_or_default();
                if subnet.is_empty() && nic.get("network").as_text().unwrap_or_default().is_empty() {
                    return Err("exactly one of network, subnetwork must be specified".to_owned());
                }
                if let Some(found) = by_any(cloud, "google_compute_subnetwork", subnet)
                    && !zone.starts_with(found.text("region"))
                {
                    return Err(format!(
                        "invalid: subnetwork {} lies in {}, the instance in {zone}",
                        found.text("name"),
                        found.text("region")
                    ));
                }
            }
            Ok(())
        }
        "google_compute_router_nat" => {
            let manual = text(attrs, "nat_ip_allocate_option") == "MANUAL_ONLY";
            let addresses = attrs.get("nat_ips").and_then(Datum::as_items).is_some_and(|l| !l.is_empty());
            if manual != addresses {
                return Err("invalid: nat_ips are needed with MANUAL_ONLY, and only then".to_owned());
            }
            let listed = attrs.get("subnetwork").and_then(Datum::as_items).is_some_and(|l| !l.is_empty());
            if listed != (text(attrs, "source_subnetwork_ip_ranges_to_nat") == "LIST_OF_SUBNETWORKS") {
                return Err("invalid: subnetwork blocks are needed with LIST_OF_SUBNETWORKS, and only then".to_owned());
            }
            Ok(())
        }
        "google_container_cluster" => {
            let autopilot = attrs.get("enable_autopilot").and_then(Datum::as_bool) == Some(true);
            let count = attrs.get("initial_node_count").and_then(Datum::as_number).unwrap_or(0.0);
            if !autopilot && count < 1.0 {
                return Err("invalid: Cluster.initial_node_count must be greater than zero".to_owned());
            }
            Ok(())
        }
        "google_storage_bucket" => {
            put(attrs, "uniform_bucket_level_access", Datum::Bool(false));
            put(attrs, "public_access_prevention", Datum::text("inherited"));
            Ok(())
        }
        "google_storage_bucket_iam_member" | "google_storage_bucket_iam_binding" => {
            let bucket = by_any(cloud, "google_storage_bucket", text(attrs, "bucket"));
            let enforced = bucket.is_some_and(|b| b.text("public_access_prevention") == "enforced");
            let members =
                attrs.get("members").and_then(Datum::as_items).unwrap_or_default().iter().filter_map(Datum::as_text);
            let public = members.chain([text(attrs, "member")]).any(|m| m.starts_with("all"));
            if enforced && public {
                Err("conditionNotMet: public access prevention is enforced on the bucket".to_owned())
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

/// Project, region, zone and location come from the provider where they are not given.
fn places(kind: &str, attrs: &mut Attributes, caller: &Caller) -> Result<(), String> {
    let own = Schema::get().resources.get(kind).map(|k| &k.body.attrs);
    let open = |attrs: &Attributes, name: &str| attrs.get(name).is_some_and(|v| v.is_unknown() || v.is_null());
    let needs = |name: &str| own.is_some_and(|o| o.get(name).is_some_and(|r| r.computed && r.optional));
    let zone_region = caller.settings.zone.as_deref().and_then(|z| z.rsplit_once('-')).map(|(r, _)| r.to_owned());
    let region = caller.settings.region.clone().or(zone_region);
    let values = [
        ("project", caller.settings.project.clone()),
        ("region", region.clone()),
        ("zone", caller.settings.zone.clone()),
        ("location", caller.settings.zone.clone().or(region)),
    ];
    for (name, value) in values {
        if needs(name) && open(attrs, name) {
            let value = value.ok_or_else(|| format!("{name}: required field is not set"))?;
            attrs.insert(name.to_owned(), Datum::Text(value));
        }
    }
    Ok(())
}

fn by_any<'a>(cloud: &'a Cloud, kind: &'a str, name: &str) -> Option<&'a CloudObject> {
    cloud.all(kind).find(|o| !name.is_empty() && ["id", "self_link", "name"].iter().any(|a| o.text(a) == name))
}

fn subnetwork(cloud: &Cloud, attrs: &mut Attributes, old: Option<&str>) -> Result<(), String> {
    let network = by_any(cloud, "google_compute_network", text(attrs, "network")).map(|n| n.text("id").to_owned());
    let mut ranges = vec![text(attrs, "ip_cidr_range").to_owned()];
    if ranges[0].is_empty() {
        return Err("invalid: ip_cidr_range is needed".to_owned());
    }
    let secondary = |o: &Datum| {
        o.as_items()
            .unwrap_or_default()
            .iter()
            .filter_map(|r| r.get("ip_cidr_range").as_text().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    ranges.extend(attrs.get("secondary_ip_range").map(secondary).unwrap_or_default());
    let mut taken: Vec<String> = Vec::new();
    for other in cloud.all("google_compute_subnetwork").filter(|s| Some(s.text("id")) != old) {
        let home = by_any(cloud, "google_compute_network", other.text("network")).map(|n| n.text("id").to_owned());
        if home == network {
            taken.push(other.text("ip_cidr_range").to_owned());
            taken.extend(secondary(other.get("secondary_ip_range")));
        }
    }
    for range in ranges {
        let parsed = Cidr::parse(&range)?;
        if let Some(clash) = taken.iter().find(|t| Cidr::parse(t).is_ok_and(|t| t.overlaps(parsed))) {
            return Err(format!("invalid: IP range {range} conflicts with existing range {clash}"));
        }
        taken.push(range);
    }
    put(attrs, "private_ip_google_access", Datum::Bool(false));
    Ok(())
}

fn firewall(attrs: &mut Attributes) -> Result<(), String> {
    put(attrs, "direction", Datum::text("INGRESS"));
    let filled = |name: &str| attrs.get(name).and_then(Datum::as_items).is_some_and(|l| !l.is_empty());
    if filled("allow") == filled("deny") {
        return Err("invalid: one of allow or deny blocks is needed".to_owned());
    }
    let sources = ["source_ranges", "source_tags", "source_service_accounts"].iter().any(|n| filled(n));
    if text(attrs, "direction") == "INGRESS" && !sources {
        return Err(
            "invalid: one of source_ranges, source_tags or source_service_accounts is needed for INGRESS".to_owned()
        );
    }
    Ok(())
}
