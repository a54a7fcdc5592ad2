//! Azure: networks, machines, storage accounts.

use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

const LOCATIONS: &[&str] = &["westeurope", "northeurope", "eastus", "uksouth", "australiaeast"];

pub(super) fn provider(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (one, two) = d.two(LOCATIONS);
    let (a, b) = d.two(&["rg-app", "rg-core", "rg-lab", "rg-edge"]);
    s.variable("location", "string", &format!("{one:?}"), &format!("{two:?}"), "where everything is made");
    s.variable("group_name", "string", &format!("{a:?}"), &format!("{b:?}"), "the name of the resource group");
    s.add("terraform {\n  required_providers {\n    azurerm = {\n      source = \"hashicorp/azurerm\"\n    }\n  }\n}\n\nprovider \"azurerm\" {\n  features {}\n}\n\nresource \"azurerm_resource_group\" \"§rg\" {\n  name     = var.group_name\n  location = var.location\n}");
    s.require("group", "One resource group with the name group_name in location holds everything.", "only(\"azurerm_resource_group\").name == var.group_name && only(\"azurerm_resource_group\").location == var.location", "the group has another name", &[("name     = var.group_name", "name     = \"${var.group_name}-1\"")]);
}

/// A virtual network with a list of subnets.
pub(super) fn subnets(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (a, b) = (d.between(1, 100), d.between(101, 250));
    let (x, y) = d.two(&["app", "data", "edge", "batch", "cache"]);
    s.variable(
        "address_space",
        "string",
        &format!("\"10.{a}.0.0/16\""),
        &format!("\"10.{b}.0.0/16\""),
        "the range of the virtual network",
    );
    s.variable(
        "subnets",
        "map(string)",
        &format!("{{ {x} = \"10.{a}.1.0/24\", {y} = \"10.{a}.2.0/24\" }}"),
        &format!("{{ {x} = \"10.{b}.7.0/24\", {y} = \"10.{b}.8.0/24\" }}"),
        "names and ranges of the subnets",
    );
    s.add("resource \"azurerm_virtual_network\" \"§net\" {\n  name                = \"vnet\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n  address_space       = [var.address_space]\n}\n\nresource \"azurerm_subnet\" \"§net\" {\n  for_each             = var.subnets\n  name                 = each.key\n  resource_group_name  = azurerm_resource_group.§rg.name\n  virtual_network_name = azurerm_virtual_network.§net.name\n  address_prefixes     = [each.value]\n}");
    s.output("network_id", "the id of the virtual network", "azurerm_virtual_network.§net.id");
    s.require("network", "There is one virtual network with the range of address_space.", "only(\"azurerm_virtual_network\").address_space == toset([var.address_space]) && output.network_id == only(\"azurerm_virtual_network\").id", "the network has a second range", &[("[var.address_space]", "[var.address_space, \"192.168.0.0/16\"]")]);
    s.require(
        "subnets",
        "It has one subnet for each entry of subnets, with that name and range.",
        "{ for n in all(\"azurerm_subnet\") : n.name => n.address_prefixes[0] } == var.subnets",
        "the ranges are cut in half",
        &[("address_prefixes     = [each.value]", "address_prefixes     = [cidrsubnet(each.value, 1, 1)]")],
    );
}

fn security(s: &mut TaskSketch, d: &mut SeededDraws) {
    let port = *d.pick(&[22u64, 80, 443, 1433, 5432, 8080]);
    let (office, other) = (format!("192.168.{}.0/24", d.below(200)), format!("172.{}.0.0/16", d.between(16, 31)));
    s.variable("trusted_range", "string", &format!("{office:?}"), &format!("{other:?}"), "the range that may connect");
    let separate = d.chance(50);
    let common = "resource \"azurerm_network_security_group\" \"§nsg\" {\n  name                = \"nsg\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n";
    let rule = format!(
        "    name                       = \"in\"\n    priority                   = {}\n    direction                  = \"Inbound\"\n    access                     = \"Allow\"\n    protocol                   = \"Tcp\"\n    source_port_range          = \"*\"\n    destination_port_range     = \"{port}\"\n    source_address_prefix      = var.trusted_range\n    destination_address_prefix = \"*\"\n",
        d.between(10, 40) * 10
    );
    if separate {
        s.add(&format!("{common}}}\n\nresource \"azurerm_network_security_rule\" \"§in\" {{\n    resource_group_name         = azurerm_resource_group.§rg.name\n    network_security_group_name = azurerm_network_security_group.§nsg.name\n{rule}}}"));
    } else {
        s.add(&format!("{common}  security_rule {{\n{rule}  }}\n}}"));
    }
    s.add("resource \"azurerm_subnet_network_security_group_association\" \"§nsg\" {\n  for_each                  = azurerm_subnet.§net\n  subnet_id                 = each.value.id\n  network_security_group_id = azurerm_network_security_group.§nsg.id\n}");
    s.output("security_group_id", "the id of the network security group", "azurerm_network_security_group.§nsg.id");
    s.require(
        "inbound",
        &format!("A network security group allows TCP port {port} from trusted_range, and nothing else."),
        &format!("nsg(output.security_group_id, \"Inbound\") == [\"tcp {port} ${{var.trusted_range}}\"]"),
        "the port is open to the world",
        &[("source_address_prefix      = var.trusted_range", "source_address_prefix      = \"*\"")],
    );
    s.mutant(
        "any_port",
        "inbound",
        "all ports are open",
        &[(&format!("destination_port_range     = \"{port}\""), "destination_port_range     = \"*\"")],
    );
    s.require("associated", "It guards every subnet.", "sort([for a in all(\"azurerm_subnet_network_security_group_association\") : a.subnet_id]) == sort([for n in all(\"azurerm_subnet\") : n.id])", "one subnet is left out", &[("  for_each                  = azurerm_subnet.§net\n", "  for_each                  = { for k, v in azurerm_subnet.§net : k => v if k != keys(var.subnets)[0] }\n")]);
}

fn nat(s: &mut TaskSketch) {
    s.add("resource \"azurerm_public_ip\" \"§nat\" {\n  name                = \"nat-ip\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n  allocation_method   = \"Static\"\n}\n\nresource \"azurerm_nat_gateway\" \"§nat\" {\n  name                = \"nat\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n}\n\nresource \"azurerm_nat_gateway_public_ip_association\" \"§nat\" {\n  nat_gateway_id       = azurerm_nat_gateway.§nat.id\n  public_ip_address_id = azurerm_public_ip.§nat.id\n}\n\nresource \"azurerm_subnet_nat_gateway_association\" \"§nat\" {\n  for_each       = azurerm_subnet.§net\n  subnet_id      = each.value.id\n  nat_gateway_id = azurerm_nat_gateway.§nat.id\n}");
    s.require("nat", "Every subnet leaves through one NAT gateway with one static public address.", "only(\"azurerm_nat_gateway_public_ip_association\").public_ip_address_id == only(\"azurerm_public_ip\").id && sort([for a in all(\"azurerm_subnet_nat_gateway_association\") : a.subnet_id]) == sort([for n in all(\"azurerm_subnet\") : n.id])", "one subnet is left out", &[("  for_each       = azurerm_subnet.§net\n  subnet_id      = each.value.id\n  nat", "  for_each       = { for k, v in azurerm_subnet.§net : k => v if k == keys(var.subnets)[0] }\n  subnet_id      = each.value.id\n  nat")]);
}

pub(super) fn network(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a network on Azure.");
    provider(s, d);
    subnets(s, d);
    security(s, d);
    if d.chance(60) {
        nat(s);
    }
}

pub(super) fn compute(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for machines on Azure.");
    provider(s, d);
    subnets(s, d);
    let (one, two) =
        d.two(&["Standard_B2s", "Standard_D2s_v5", "Standard_D4s_v5", "Standard_E2s_v5", "Standard_F4s_v2"]);
    s.variable("size", "string", &format!("{one:?}"), &format!("{two:?}"), "the size of the machines");
    let disk = *d.pick(&["Premium_LRS", "StandardSSD_LRS", "Premium_ZRS"]);
    let gb = d.between(32, 256);
    s.add("resource \"azurerm_network_interface\" \"§vm\" {\n  for_each            = azurerm_subnet.§net\n  name                = \"nic-${each.key}\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n  ip_configuration {\n    name                          = \"internal\"\n    subnet_id                     = each.value.id\n    private_ip_address_allocation = \"Dynamic\"\n  }\n}");
    s.add(&format!("resource \"azurerm_linux_virtual_machine\" \"§vm\" {{\n  for_each                   = azurerm_network_interface.§vm\n  name                       = \"vm-${{each.key}}\"\n  location                   = azurerm_resource_group.§rg.location\n  resource_group_name        = azurerm_resource_group.§rg.name\n  size                       = var.size\n  admin_username             = \"ops\"\n  encryption_at_host_enabled = true\n  network_interface_ids      = [each.value.id]\n  admin_ssh_key {{\n    username   = \"ops\"\n    public_key = \"ssh-rsa AAAAB3NzaC1yc2E ops\"\n  }}\n  os_disk {{\n    caching              = \"ReadWrite\"\n    storage_account_type = \"{disk}\"\n    disk_size_gb         = {gb}\n  }}\n  source_image_reference {{\n    publisher = \"Canonical\"\n    offer     = \"ubuntu-24_04-lts\"\n    sku       = \"server\"\n    version   = \"latest\"\n  }}\n}}"));
    s.output("machine_ids", "the list of the machines' ids", "[for m in azurerm_linux_virtual_machine.§vm : m.id]");
    let all = |test: &str| {
        format!(
            "all(\"azurerm_linux_virtual_machine\") != [] && alltrue([for m in all(\"azurerm_linux_virtual_machine\") : {test}])"
        )
    };
    s.require("one_per_subnet", "Each subnet holds exactly one machine.", "sort([for m in all(\"azurerm_linux_virtual_machine\") : find(\"azurerm_network_interface\", \"id\", m.network_interface_ids[0]).ip_configuration[0].subnet_id]) == sort([for n in all(\"azurerm_subnet\") : n.id])", "all machines stand in one subnet", &[("subnet_id                     = each.value.id", "subnet_id                     = values(azurerm_subnet.§net)[0].id")]);
    s.require(
        "size",
        "They have the size of the variable size.",
        &all("m.size == var.size"),
        "the size is another one",
        &[("= var.size", "= \"Standard_B1s\"")],
    );
    s.require("keys_only", "They let in by SSH key, never by password.", &all("m.disable_password_authentication == true && length(m.admin_ssh_key) > 0"), "passwords are possible", &[("  admin_ssh_key {", "  admin_password                  = \"Secret-Word-1234\"\n  disable_password_authentication = false\n  admin_ssh_key {")]);
    s.require(
        "encrypted",
        "Encryption at host is on.",
        &all("m.encryption_at_host_enabled == true"),
        "encryption at host is off",
        &[("  encryption_at_host_enabled = true\n", "")],
    );
    s.require(
        "disk",
        &format!("Their system disks are of the type {disk}, with {gb} GB."),
        &all(&format!("m.os_disk[0].storage_account_type == \"{disk}\" && m.os_disk[0].disk_size_gb == {gb}")),
        "the disk is slow",
        &[(&format!("storage_account_type = \"{disk}\""), "storage_account_type = \"Standard_LRS\"")],
    );
    s.require("no_public_address", "They have no public addresses.", "alltrue([for n in all(\"azurerm_network_interface\") : try(n.ip_configuration[0].public_ip_address_id, null) == null])", "they have a public address", &[("    private_ip_address_allocation = \"Dynamic\"\n  }\n}", "    private_ip_address_allocation = \"Dynamic\"\n    public_ip_address_id          = azurerm_public_ip.§vm.id\n  }\n}\n\nresource \"azurerm_public_ip\" \"§vm\" {\n  name                = \"ip\"\n  location            = azurerm_resource_group.§rg.location\n  resource_group_name = azurerm_resource_group.§rg.name\n  allocation_method   = \"Static\"\n}")]);
}

pub(super) fn storage(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a storage account on Azure.");
    provider(s, d);
    let (n, m) = (d.between(1000, 4999), d.between(5000, 9999));
    s.variable("account_name", "string", &format!("\"store{n}\""), &format!("\"store{m}\""), "the name of the account");
    let copies = *d.pick(&["LRS", "ZRS", "GRS", "GZRS"]);
    let days = d.between(8, 90);
    s.add(&format!("resource \"azurerm_storage_account\" \"§store\" {{\n  name                            = var.account_name\n  location                        = azurerm_resource_group.§rg.location\n  resource_group_name             = azurerm_resource_group.§rg.name\n  account_tier                    = \"Standard\"\n  account_replication_type        = \"{copies}\"\n  min_tls_version                 = \"TLS1_2\"\n  allow_nested_items_to_be_public = false\n  shared_access_key_enabled       = false\n  blob_properties {{\n    versioning_enabled = true\n    delete_retention_policy {{\n      days = {days}\n    }}\n  }}\n  network_rules {{\n    default_action = \"Deny\"\n    bypass         = [\"AzureServices\"]\n  }}\n}}"));
    s.output("account_id", "the id of the account", "azurerm_storage_account.§store.id");
    let account = "only(\"azurerm_storage_account\")";
    s.require("account", &format!("There is one account with the name account_name and the replication {copies}."), &format!("{account}.name == var.account_name && {account}.account_replication_type == \"{copies}\" && output.account_id == {account}.id"), "the replication is another one", &[(&format!("= \"{copies}\"\n"), "= \"RAGRS\"\n")]);
    s.require(
        "tls",
        "Connections need TLS 1.2 or newer.",
        &format!("contains([\"TLS1_2\", \"TLS1_3\"], {account}.min_tls_version)"),
        "TLS 1.0 is enough",
        &[("\"TLS1_2\"", "\"TLS1_0\"")],
    );
    s.require(
        "not_public",
        "Nothing in it can be made public.",
        &format!("{account}.allow_nested_items_to_be_public == false"),
        "containers may be public",
        &[("  allow_nested_items_to_be_public = false\n", "")],
    );
    s.require(
        "no_keys",
        "Shared keys do not work.",
        &format!("{account}.shared_access_key_enabled == false"),
        "shared keys work",
        &[("  shared_access_key_enabled       = false\n", "")],
    );
    s.require("retention", &format!("Versions of blobs are kept, and deleted blobs for {days} days."), &format!("{account}.blob_properties[0].versioning_enabled == true && {account}.blob_properties[0].delete_retention_policy[0].days == {days}"), "deleted blobs are kept for a week", &[(&format!("      days = {days}\n"), "")]);
    s.require("firewall", "Its firewall denies by default and lets Azure's own services pass.", &format!("{account}.network_rules[0].default_action == \"Deny\" && {account}.network_rules[0].bypass == toset([\"AzureServices\"])"), "the firewall allows by default", &[("default_action = \"Deny\"", "default_action = \"Allow\"")]);
    if d.chance(60) {
        s.add("resource \"azurerm_storage_container\" \"§store\" {\n  name                  = \"data\"\n  storage_account_id    = azurerm_storage_account.§store.id\n  container_access_type = \"private\"\n}");
        s.require("container", "It has one private container with the name data.", "only(\"azurerm_storage_container\").name == \"data\" && only(\"azurerm_storage_container\").container_access_type == \"private\" && only(\"azurerm_storage_container\").storage_account_id == output.account_id", "the container has another name", &[("name                  = \"data\"", "name                  = \"blobs\"")]);
        s.mutant(
            "public_container",
            "APPLY",
            "the container is public",
            &[("container_access_type = \"private\"", "container_access_type = \"blob\"")],
        );
    }
}
