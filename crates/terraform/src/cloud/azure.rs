//! Rules of Azure.

use super::Cloud;
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::functions::Cidr;

fn text<'a>(attrs: &'a Attributes, name: &str) -> &'a str {
    attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
}

fn texts(value: &Datum) -> Vec<String> {
    value.as_items().unwrap_or_default().iter().filter_map(Datum::as_text).map(str::to_owned).collect()
}

pub(super) fn before(cloud: &Cloud, kind: &str, attrs: &Attributes, old: Option<&str>) -> Result<(), String> {
    match kind {
        "azurerm_virtual_network" if texts(attrs.get("address_space").unwrap_or(&Datum::Null)).is_empty() => {
            Err("InvalidRequest: a virtual network needs an address space".to_owned())
        }
        "azurerm_subnet" => subnet(cloud, attrs, old),
        "azurerm_network_security_group" => {
            let rules = attrs.get("security_rule").and_then(Datum::as_items).unwrap_or_default();
            for (i, rule) in rules.iter().enumerate() {
                rule_fits(rule.as_map().unwrap_or(&Attributes::new()))?;
                let same = |r: &Datum| {
                    r.get("priority") == rule.get("priority") && r.get("direction") == rule.get("direction")
                };
                if rules[..i].iter().any(same) {
                    return Err("SecurityRuleConflict: rules of one direction cannot share a priority".to_owned());
                }
            }
            Ok(())
        }
        "azurerm_network_security_rule" => {
            rule_fits(attrs)?;
            let clash = cloud.all(kind).any(|r| {
                Some(r.text("id")) != old
                    && r.text("network_security_group_name") == text(attrs, "network_security_group_name")
                    && r.text("direction") == text(attrs, "direction")
                    && Some(r.get("priority")) == attrs.get("priority")
            });
            if clash {
                Err("SecurityRuleConflict: rules of one direction cannot share a priority".to_owned())
            } else {
                Ok(())
            }
        }
        "azurerm_linux_virtual_machine" => {
            let by_key = attrs.get("disable_password_authentication").and_then(Datum::as_bool) != Some(false);
            let keys = attrs.get("admin_ssh_key").and_then(Datum::as_items).is_some_and(|k| !k.is_empty());
            if by_key && !keys {
                return Err(
                    "at least one admin_ssh_key must be specified when disable_password_authentication is true"
                        .to_owned(),
                );
            }
            if !by_key && text(attrs, "admin_password").is_empty() {
                return Err(
                    "an admin_password must be specified if disable_password_authentication is false".to_owned()
                );
            }
            let image = attrs.get("source_image_reference").and_then(Datum::as_items).is_some_and(|k| !k.is_empty());
            if image || !text(attrs, "source_image_id").is_empty() {
                Ok(())
            } else {
                Err("one of source_image_id, source_image_reference must be specified".to_owned())
            }
        }
        "azurerm_public_ip" if text(attrs, "sku") == "Standard" && text(attrs, "allocation_method") == "Dynamic" => {
            Err("PublicIPAndAllocationMethodMismatch: a Standard public IP must be Static".to_owned())
        }
        "azurerm_kubernetes_cluster" => kubernetes(cloud, attrs),
        "azurerm_kubernetes_cluster_node_pool" => scaling(&Datum::Map(attrs.clone())),
        "azurerm_storage_container" if text(attrs, "container_access_type") != "private" => {
            let account = cloud.all("azurerm_storage_account").find(|a| {
                a.text("id") == text(attrs, "storage_account_id")
                    || a.text("name") == text(attrs, "storage_account_name")
            });
            let open = account.is_none_or(|a| a.get("allow_nested_items_to_be_public").as_bool() == Some(true));
            if open {
                Ok(())
            } else {
                Err("PublicAccessNotPermitted: public access is not permitted on this storage account".to_owned())
            }
        }
        _ => Ok(()),
    }
}

fn subnet(cloud: &Cloud, attrs: &Attributes, old: Option<&str>) -> Result<(), String> {
    let home = text(attrs, "virtual_network_name");
    let network = cloud.all("azurerm_virtual_network").find(|n| n.text("name") == home);
    let network = network.ok_or("ResourceNotFound: no such virtual network")?;
    let space = texts(network.get("address_space"));
    let prefixes = texts(attrs.get("address_prefixes").unwrap_or(&Datum::Null));
    if prefixes.is_empty() {
        return Err("InvalidRequest: a subnet needs address_prefixes".to_owned());
    }
    for prefix in prefixes {
        let range = Cidr::parse(&prefix)?;
        if !space.iter().any(|s| Cidr::parse(s).is_ok_and(|s| s.contains(range))) {
            return Err(format!("NetcfgInvalidSubnet: {prefix} is not contained in the address space of {home}"));
        }
        let others =
            cloud.all("azurerm_subnet").filter(|s| s.text("virtual_network_name") == home && Some(s.text("id")) != old);
        for other in others.flat_map(|o| texts(o.get("address_prefixes"))) {
            if Cidr::parse(&other).is_ok_and(|o| o.overlaps(range)) {
                return Err(format!("NetcfgSubnetRangesOverlap: {prefix} overlaps with {other}"));
            }
        }
    }
    Ok(())
}

/// Each side of a rule is said once: as one value or as a list.
fn rule_fits(rule: &Attributes) -> Result<(), String> {
    for (one, many) in [
        ("source_port_range", "source_port_ranges"),
        ("destination_port_range", "destination_port_ranges"),
        ("source_address_prefix", "source_address_prefixes"),
        ("destination_address_prefix", "destination_address_prefixes"),
    ] {
        let single = !text(rule, one).is_empty();
        let list = rule.get(many).and_then(Datum::as_items).is_some_and(|l| !l.is_empty());
        if single == list {
            return Err(format!("one of {one:?} or {many:?} must be set"));
        }
    }
    Ok(())
}

fn kubernetes(cloud: &Cloud, attrs: &Attributes) -> Result<(), String> {
    let first = |name: &str| {
        attrs.get(name).and_then(Datum::as_items).and_then(<[Datum]>::first).cloned().unwrap_or(Datum::Null)
    };
    if first("identity").is_null() == first("service_principal").is_null() {
        return Err("one of identity or service_principal must be specified".to_owned());
    }
    if text(attrs, "dns_prefix").is_empty() {
        return Err("InvalidParameter: dns_prefix is needed".to_owned());
    }
    let pool = first("default_node_pool");
    scaling(&pool)?;
    let service = first("network_profile").get("service_cidr").as_text().and_then(|c| Cidr::parse(c).ok());
    let subnet = cloud.all("azurerm_subnet").find(|s| Some(s.text("id")) == pool.get("vnet_subnet_id").as_text());
    let overlap = subnet.is_some_and(|s| {
        texts(s.get("address_prefixes"))
            .iter()
            .any(|p| Cidr::parse(p).is_ok_and(|p| service.is_some_and(|s| s.overlaps(p))))
    });
    if overlap {
        Err("ServiceCidrOverlapExistingSubnetsCidr: the service CIDR overlaps with the subnet".to_owned())
    } else {
        Ok(())
    }
}

fn scaling(pool: &Datum) -> Result<(), String> {
    let auto = pool.get("auto_scaling_enabled").as_bool() == Some(true);
    let (least, most) = (pool.get("min_count").as_number(), pool.get("max_count").as_number());
    match (auto, least, most) {
        (true, Some(least), Some(most)) if least <= most => Ok(()),
        (true, _, _) => {
            Err("InvalidParameter: min_count and max_count are needed with auto_scaling_enabled, in order".to_owned())
        }
        (false, None, None) => Ok(()),
        (false, _, _) => Err("InvalidParameter: min_count and max_count need auto_scaling_enabled".to_owned()),
    }
}
