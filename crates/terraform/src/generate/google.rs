//! Google Cloud: networks, machines, buckets.

use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

const REGIONS: &[&str] = &["us-central1", "us-east4", "europe-west1", "europe-west4", "asia-east1"];

pub(super) fn provider(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (region, other) = d.two(REGIONS);
    s.variable("project", "string", "\"skills-lab\"", "\"other-lab\"", "the project");
    s.variable("region", "string", &format!("{region:?}"), &format!("{other:?}"), "the region");
    s.add("terraform {\n  required_providers {\n    google = {\n      source = \"hashicorp/google\"\n    }\n  }\n}\n\nprovider \"google\" {\n  project = var.project\n  region  = var.region\n}");
}

/// A network in custom mode with one subnet per entry of a map.
pub(super) fn subnets(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (a, b) = (d.between(1, 100), d.between(101, 250));
    let (x, y) = d.two(&["app", "data", "edge", "batch", "cache"]);
    s.variable(
        "subnets",
        "map(string)",
        &format!("{{ {x} = \"10.{a}.0.0/20\", {y} = \"10.{a}.32.0/20\" }}"),
        &format!("{{ {x} = \"10.{b}.0.0/20\", {y} = \"10.{b}.64.0/20\" }}"),
        "names and ranges of the subnets",
    );
    s.add("resource \"google_compute_network\" \"§net\" {\n  name                    = \"net\"\n  auto_create_subnetworks = false\n}\n\nresource \"google_compute_subnetwork\" \"§net\" {\n  for_each                 = var.subnets\n  name                     = each.key\n  ip_cidr_range            = each.value\n  network                  = google_compute_network.§net.id\n  private_ip_google_access = true\n}");
    s.output("network_id", "the id of the network", "google_compute_network.§net.id");
    s.require("custom_mode", "There is one network, in which no subnets are made automatically.", "only(\"google_compute_network\").auto_create_subnetworks == false && output.network_id == only(\"google_compute_network\").id", "subnets are made automatically", &[("auto_create_subnetworks = false", "auto_create_subnetworks = true")]);
    s.require("subnets", "It has one subnet for each entry of subnets, with that name and range, in the region.", "{ for n in all(\"google_compute_subnetwork\") : n.name => n.ip_cidr_range } == var.subnets && alltrue([for n in all(\"google_compute_subnetwork\") : n.region == var.region])", "the ranges are cut in half", &[("ip_cidr_range            = each.value", "ip_cidr_range            = cidrsubnet(each.value, 1, 0)")]);
    s.require(
        "google_access",
        "Machines without public addresses reach Google's APIs from the subnets.",
        "alltrue([for n in all(\"google_compute_subnetwork\") : n.private_ip_google_access == true])",
        "private access is off",
        &[("  private_ip_google_access = true\n", "")],
    );
}

fn firewall(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (port, second) = d.two(&[22u64, 80, 443, 5432, 6379, 8080, 9090]);
    let tag = *d.pick(&["web", "api", "db"]);
    let (office, other) = (format!("192.168.{}.0/24", d.below(200)), format!("172.{}.0.0/16", d.between(16, 31)));
    s.variable("trusted_range", "string", &format!("{office:?}"), &format!("{other:?}"), "the range that may connect");
    s.add(&format!("resource \"google_compute_firewall\" \"§in\" {{\n  name          = \"allow-{tag}\"\n  network       = google_compute_network.§net.name\n  source_ranges = [var.trusted_range]\n  target_tags   = [\"{tag}\"]\n  allow {{\n    protocol = \"tcp\"\n    ports    = [\"{port}\", \"{second}\"]\n  }}\n}}"));
    s.require(
        "firewall",
        &format!("TCP ports {port} and {second} of machines with the network tag {tag} are open to trusted_range, and nothing else is open to them."),
        &format!("firewall(output.network_id, \"{tag}\") == sort([\"tcp {port} ${{var.trusted_range}}\", \"tcp {second} ${{var.trusted_range}}\"])"),
        "the ports are open to the world",
        &[("source_ranges = [var.trusted_range]", "source_ranges = [\"0.0.0.0/0\"]")],
    );
    s.require(
        "tagged_only",
        "Machines without that tag are not reached at all.",
        "firewall(output.network_id, \"other-machines\") == []",
        "the rule holds for all machines",
        &[(&format!("  target_tags   = [\"{tag}\"]\n"), "")],
    );
    s.mutant(
        "all_ports",
        "firewall",
        "all TCP ports are open",
        &[(&format!("    ports    = [\"{port}\", \"{second}\"]\n"), "")],
    );
}

fn nat(s: &mut TaskSketch) {
    s.add("resource \"google_compute_router\" \"§net\" {\n  name    = \"router\"\n  network = google_compute_network.§net.id\n}\n\nresource \"google_compute_router_nat\" \"§net\" {\n  name                               = \"nat\"\n  router                             = google_compute_router.§net.name\n  nat_ip_allocate_option             = \"AUTO_ONLY\"\n  source_subnetwork_ip_ranges_to_nat = \"ALL_SUBNETWORKS_ALL_IP_RANGES\"\n  log_config {\n    enable = true\n    filter = \"ERRORS_ONLY\"\n  }\n}");
    s.require("nat", "All subnets reach the internet through Cloud NAT with addresses that Google chooses, and errors are logged.", "only(\"google_compute_router_nat\").router == only(\"google_compute_router\").name && only(\"google_compute_router_nat\").nat_ip_allocate_option == \"AUTO_ONLY\" && startswith(only(\"google_compute_router_nat\").source_subnetwork_ip_ranges_to_nat, \"ALL_SUBNETWORKS\") && only(\"google_compute_router_nat\").log_config[0].enable == true", "nothing is logged", &[("    enable = true\n", "    enable = false\n")]);
}

pub(super) fn network(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a network on Google Cloud.");
    provider(s, d);
    subnets(s, d);
    firewall(s, d);
    if d.chance(60) {
        nat(s);
    }
}

pub(super) fn compute(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for machines on Google Cloud.");
    provider(s, d);
    subnets(s, d);
    let (one, two) = d.two(&["e2-small", "e2-medium", "n2-standard-2", "n2-standard-4", "c3-standard-4"]);
    s.variable("machine_type", "string", &format!("{one:?}"), &format!("{two:?}"), "the type of the machines");
    let size = d.between(12, 200);
    let zone = *d.pick(&["a", "b", "c"]);
    s.add(&format!("resource \"google_service_account\" \"§vm\" {{\n  account_id = \"machine-account\"\n}}\n\nresource \"google_compute_instance\" \"§vm\" {{\n  for_each     = google_compute_subnetwork.§net\n  name         = \"vm-${{each.key}}\"\n  machine_type = var.machine_type\n  zone         = \"${{var.region}}-{zone}\"\n  boot_disk {{\n    initialize_params {{\n      image = \"debian-cloud/debian-12\"\n      size  = {size}\n      type  = \"pd-ssd\"\n    }}\n  }}\n  network_interface {{\n    subnetwork = each.value.id\n  }}\n  service_account {{\n    email  = google_service_account.§vm.email\n    scopes = [\"cloud-platform\"]\n  }}\n  shielded_instance_config {{\n    enable_secure_boot = true\n  }}\n}}"));
    s.output("instance_names", "the list of the machines' names", "[for i in google_compute_instance.§vm : i.name]");
    let all = |test: &str| {
        format!(
            "all(\"google_compute_instance\") != [] && alltrue([for i in all(\"google_compute_instance\") : {test}])"
        )
    };
    s.require("one_per_subnet", "Each subnet holds exactly one machine.", "sort([for i in all(\"google_compute_instance\") : i.network_interface[0].subnetwork]) == sort([for n in all(\"google_compute_subnetwork\") : n.id])", "all machines stand in one subnet", &[("subnetwork = each.value.id", "subnetwork = values(google_compute_subnetwork.§net)[0].id")]);
    s.require(
        "machine_type",
        &format!("They have the type of machine_type and stand in zone {zone} of the region."),
        &all(&format!("i.machine_type == var.machine_type && i.zone == \"${{var.region}}-{zone}\"")),
        "the type is another one",
        &[("machine_type = var.machine_type", "machine_type = \"f1-micro\"")],
    );
    s.require(
        "no_public_address",
        "They have no public addresses.",
        &all("i.network_interface[0].access_config == []"),
        "they have public addresses",
        &[("    subnetwork = each.value.id\n", "    subnetwork = each.value.id\n    access_config {}\n")],
    );
    s.require("disk", &format!("Their boot disks are of the type pd-ssd, with {size} GB."), &all(&format!("i.boot_disk[0].initialize_params[0].type == \"pd-ssd\" && i.boot_disk[0].initialize_params[0].size == {size}")), "the disk is slow", &[("      type  = \"pd-ssd\"\n", "      type  = \"pd-standard\"\n")]);
    s.require(
        "account",
        "They run under a service account of the configuration.",
        &all("i.service_account[0].email == only(\"google_service_account\").email"),
        "they run under the default account",
        &[("    email  = google_service_account.§vm.email\n", "")],
    );
    s.require(
        "secure_boot",
        "Secure boot is on.",
        &all("i.shielded_instance_config[0].enable_secure_boot == true"),
        "secure boot is off",
        &[("    enable_secure_boot = true\n", "    enable_secure_boot = false\n")],
    );
}

pub(super) fn storage(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a bucket on Google Cloud.");
    provider(s, d);
    let (n, m) = (d.between(1000, 4999), d.between(5000, 9999));
    s.variable("bucket_name", "string", &format!("\"store-{n}\""), &format!("\"store-{m}\""), "the name of the bucket");
    let (age, other) = (d.between(20, 60), d.between(61, 120));
    s.variable("archive_days", "number", &age.to_string(), &other.to_string(), "the age at which objects move");
    let class = *d.pick(&["NEARLINE", "COLDLINE", "ARCHIVE"]);
    let place = *d.pick(&["EU", "US", "ASIA"]);
    s.add(&format!("resource \"google_storage_bucket\" \"§store\" {{\n  name                        = var.bucket_name\n  location                    = \"{place}\"\n  uniform_bucket_level_access = true\n  public_access_prevention    = \"enforced\"\n  versioning {{\n    enabled = true\n  }}\n  lifecycle_rule {{\n    condition {{\n      age = var.archive_days\n    }}\n    action {{\n      type          = \"SetStorageClass\"\n      storage_class = \"{class}\"\n    }}\n  }}\n}}"));
    s.output("bucket_url", "the URL of the bucket", "google_storage_bucket.§store.url");
    let bucket = "only(\"google_storage_bucket\")";
    s.require("bucket", &format!("There is one bucket with the name bucket_name in the location {place}."), &format!("{bucket}.name == var.bucket_name && upper({bucket}.location) == \"{place}\" && output.bucket_url == {bucket}.url"), "the location is another one", &[(&format!("location                    = \"{place}\""), "location                    = \"us-east1\"")]);
    s.require(
        "uniform",
        "Access is decided by IAM alone (uniform access).",
        &format!("{bucket}.uniform_bucket_level_access == true"),
        "objects have lists of their own",
        &[("  uniform_bucket_level_access = true\n", "")],
    );
    s.require(
        "not_public",
        "Public access is prevented.",
        &format!("{bucket}.public_access_prevention == \"enforced\""),
        "public access is possible",
        &[("\"enforced\"", "\"inherited\"")],
    );
    s.require(
        "versioning",
        "Versions are kept.",
        &format!("{bucket}.versioning[0].enabled == true"),
        "versions are not kept",
        &[("    enabled = true\n", "    enabled = false\n")],
    );
    s.require("archive", &format!("After archive_days days objects move to the class {class}; nothing is deleted."), &format!("[for r in {bucket}.lifecycle_rule : [one(r.action).type, one(r.action).storage_class, one(r.condition).age]] == [[\"SetStorageClass\", \"{class}\", var.archive_days]]"), "objects are deleted instead", &[(&format!("type          = \"SetStorageClass\"\n      storage_class = \"{class}\""), "type = \"Delete\"")]);
    if d.chance(60) {
        let role = *d.pick(&["objectViewer", "objectCreator", "objectUser"]);
        s.variable(
            "member",
            "string",
            "\"group:readers@example.com\"",
            "\"user:kim@example.com\"",
            "who gets the role",
        );
        s.add(&format!("resource \"google_storage_bucket_iam_member\" \"§store\" {{\n  bucket = google_storage_bucket.§store.name\n  role   = \"roles/storage.{role}\"\n  member = var.member\n}}"));
        s.require("member", &format!("The member has the role roles/storage.{role} on the bucket, and no one has another."), &format!("[for m in all(\"google_storage_bucket_iam_member\") : [m.bucket, m.role, m.member]] == [[var.bucket_name, \"roles/storage.{role}\", var.member]] && all(\"google_storage_bucket_iam_binding\") == []"), "the role is too strong", &[(&format!("roles/storage.{role}"), "roles/storage.admin")]);
    }
}
