//! Networks of AWS: public and private subnets, NAT, security groups.

use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

pub(super) const REGIONS: &[&str] = &["us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-southeast-2"];

/// The provider, with tags on everything.
pub(super) fn provider(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (region, other) = d.two(REGIONS);
    let team = *d.pick(&["payments", "search", "billing", "media", "identity"]);
    let stage = *d.pick(&["dev", "staging", "prod"]);
    s.variable("region", "string", &format!("{region:?}"), &format!("{other:?}"), "where everything is made");
    s.tags(&[("team", team), ("stage", stage)]);
    s.add(&format!(
        "terraform {{\n  required_version = \">= 1.5\"\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n    }}\n  }}\n}}\n\nprovider \"aws\" {{\n  region = var.region\n  default_tags {{\n    tags = {{\n      team  = {team:?}\n      stage = {stage:?}\n    }}\n  }}\n}}"
    ));
    s.mutant("untagged", "tags", "a tag is missing", &[(&format!("      stage = {stage:?}\n"), "")]);
}

/// A VPC whose range is a variable. Gives the second number of its addresses.
pub(super) fn vpc(s: &mut TaskSketch, d: &mut SeededDraws) -> (u64, u64) {
    let (a, b) = (d.between(1, 120), d.between(130, 250));
    s.variable(
        "vpc_cidr",
        "string",
        &format!("\"10.{a}.0.0/16\""),
        &format!("\"10.{b}.0.0/16\""),
        "the range of the VPC",
    );
    s.add("resource \"aws_vpc\" \"§net\" {\n  cidr_block           = var.vpc_cidr\n  enable_dns_hostnames = true\n}");
    s.output("vpc_id", "the id of the VPC", "aws_vpc.§net.id");
    s.require(
        "vpc",
        "There is one VPC with the range of vpc_cidr, and instances in it get DNS names.",
        "only(\"aws_vpc\").cidr_block == var.vpc_cidr && only(\"aws_vpc\").enable_dns_hostnames == true",
        "DNS names are off",
        &[("enable_dns_hostnames = true", "enable_dns_hostnames = false")],
    );
    (a, b)
}

/// A group of subnets, made with `count` over a variable.
pub(super) fn subnets(
    s: &mut TaskSketch,
    d: &mut SeededDraws,
    side: &str,
    (a, b): (u64, u64),
    (least, most): (u64, u64),
) {
    let count = d.between(least, most);
    let base = if side == "public" { 0 } else { 100 };
    let list = |net: u64, step: u64| {
        (0..count).map(|i| format!("\"10.{net}.{}.0/24\"", base + step * i)).collect::<Vec<_>>().join(", ")
    };
    let (first, second) = (d.between(1, 6), d.between(7, 12));
    s.variable(
        &format!("{side}_cidrs"),
        "list(string)",
        &format!("[{}]", list(a, first)),
        &format!("[{}]", list(b, second)),
        &format!("the ranges of the {side} subnets"),
    );
    let public = side == "public";
    s.add(&format!(
        "resource \"aws_subnet\" \"§{side}\" {{\n  count                   = length(var.{side}_cidrs)\n  vpc_id                  = aws_vpc.§net.id\n  cidr_block              = var.{side}_cidrs[count.index]\n  availability_zone       = data.aws_availability_zones.§zones.names[count.index]\n  map_public_ip_on_launch = {public}\n}}"
    ));
    s.output(
        &format!("{side}_subnet_ids"),
        &format!("the list of the {side} subnets' ids"),
        &format!("aws_subnet.§{side}[*].id"),
    );
    s.require(
        &format!("{side}_subnets"),
        &format!("The VPC has one {side} subnet for each range of {side}_cidrs, each in an availability zone of its own."),
        &format!("sort([for i in output.{side}_subnet_ids : find(\"aws_subnet\", \"id\", i).cidr_block]) == sort(var.{side}_cidrs) && length(distinct([for i in output.{side}_subnet_ids : find(\"aws_subnet\", \"id\", i).availability_zone])) == length(var.{side}_cidrs)"),
        "there is one subnet too few",
        &[(&format!("= length(var.{side}_cidrs)\n"), &format!("= length(var.{side}_cidrs) - 1\n"))],
    );
    let yes = if public { "get" } else { "get no" };
    s.require(
        &format!("{side}_addresses"),
        &format!("Instances in {side} subnets {yes} public addresses when they start."),
        &format!("alltrue([for i in output.{side}_subnet_ids : find(\"aws_subnet\", \"id\", i).map_public_ip_on_launch == {public}])"),
        "public addresses are the other way round",
        &[(&format!("map_public_ip_on_launch = {public}"), &format!("map_public_ip_on_launch = {}", !public))],
    );
}

pub(super) fn zones(s: &mut TaskSketch) {
    s.add("data \"aws_availability_zones\" \"§zones\" {\n  state = \"available\"\n}");
}

pub(super) fn gateway(s: &mut TaskSketch) {
    s.add("resource \"aws_internet_gateway\" \"§igw\" {\n  vpc_id = aws_vpc.§net.id\n}\n\nresource \"aws_route_table\" \"§public\" {\n  vpc_id = aws_vpc.§net.id\n  route {\n    cidr_block = \"0.0.0.0/0\"\n    gateway_id = aws_internet_gateway.§igw.id\n  }\n}\n\nresource \"aws_route_table_association\" \"§public\" {\n  count          = length(aws_subnet.§public)\n  subnet_id      = aws_subnet.§public[count.index].id\n  route_table_id = aws_route_table.§public.id\n}");
    s.require(
        "public_route",
        "Public subnets reach the internet through an internet gateway.",
        "alltrue([for i in output.public_subnet_ids : internet(i) == \"direct\"])",
        "the last public subnet is not associated",
        &[("count          = length(aws_subnet.§public)\n", "count          = length(aws_subnet.§public) - 1\n")],
    );
    s.mutant(
        "narrow_route",
        "public_route",
        "the route covers half of the internet",
        &[("    cidr_block = \"0.0.0.0/0\"\n    gateway_id", "    cidr_block = \"128.0.0.0/1\"\n    gateway_id")],
    );
}

fn nat(s: &mut TaskSketch, d: &mut SeededDraws) {
    let separate = d.chance(50);
    let route = if separate {
        ""
    } else {
        "  route {\n    cidr_block     = \"0.0.0.0/0\"\n    nat_gateway_id = aws_nat_gateway.§nat.id\n  }\n"
    };
    s.add("resource \"aws_eip\" \"§nat\" {\n  domain = \"vpc\"\n}\n\nresource \"aws_nat_gateway\" \"§nat\" {\n  allocation_id = aws_eip.§nat.id\n  subnet_id     = aws_subnet.§public[0].id\n  depends_on    = [aws_internet_gateway.§igw]\n}");
    s.add(&format!("resource \"aws_route_table\" \"§private\" {{\n  vpc_id = aws_vpc.§net.id\n{route}}}"));
    if separate {
        s.add("resource \"aws_route\" \"§private\" {\n  route_table_id         = aws_route_table.§private.id\n  destination_cidr_block = \"0.0.0.0/0\"\n  nat_gateway_id         = aws_nat_gateway.§nat.id\n}");
    }
    s.add("resource \"aws_route_table_association\" \"§private\" {\n  count          = length(aws_subnet.§private)\n  subnet_id      = aws_subnet.§private[count.index].id\n  route_table_id = aws_route_table.§private.id\n}");
    s.require(
        "private_route",
        "Private subnets reach the internet through one NAT gateway in a public subnet, and are not reached from it.",
        "alltrue([for i in output.private_subnet_ids : internet(i) == \"nat\"]) && contains(output.public_subnet_ids, only(\"aws_nat_gateway\").subnet_id)",
        "private subnets use the public table",
        &[("route_table_id = aws_route_table.§private.id\n}", "route_table_id = aws_route_table.§public.id\n}")],
    );
    s.mutant(
        "nat_in_private",
        "private_route",
        "the NAT gateway stands in a private subnet",
        &[("subnet_id     = aws_subnet.§public[0].id", "subnet_id     = aws_subnet.§private[0].id")],
    );
}

/// A security group with drawn ports. The first source is a variable.
pub(super) fn group(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (port, second) = d.two(&[22u64, 80, 443, 3306, 5432, 6379, 8080, 8443, 9090, 9200]);
    let (office, other) = (format!("192.168.{}.0/24", d.below(200)), format!("172.{}.0.0/16", d.between(16, 31)));
    s.variable("trusted_cidr", "string", &format!("{office:?}"), &format!("{other:?}"), "the range that may connect");
    let separate = d.chance(50);
    let inline = |p: u64, source: &str| {
        format!(
            "  ingress {{\n    from_port   = {p}\n    to_port     = {p}\n    protocol    = \"tcp\"\n    cidr_blocks = [{source}]\n  }}\n"
        )
    };
    let alone = |name: &str, p: u64, source: &str| {
        format!(
            "resource \"aws_vpc_security_group_ingress_rule\" \"§{name}\" {{\n  security_group_id = aws_security_group.§sg.id\n  ip_protocol       = \"tcp\"\n  from_port         = {p}\n  to_port           = {p}\n  cidr_ipv4         = {source}\n}}"
        )
    };
    if separate {
        s.add("resource \"aws_security_group\" \"§sg\" {\n  name   = \"service\"\n  vpc_id = aws_vpc.§net.id\n}");
        s.add(&alone("first", *port, "var.trusted_cidr"));
        s.add(&alone("second", *second, "var.vpc_cidr"));
        s.add("resource \"aws_vpc_security_group_egress_rule\" \"§all\" {\n  security_group_id = aws_security_group.§sg.id\n  ip_protocol       = \"-1\"\n  cidr_ipv4         = \"0.0.0.0/0\"\n}");
    } else {
        s.add(&format!(
            "resource \"aws_security_group\" \"§sg\" {{\n  name   = \"service\"\n  vpc_id = aws_vpc.§net.id\n{}{}  egress {{\n    from_port   = 0\n    to_port     = 0\n    protocol    = \"-1\"\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }}\n}}",
            inline(*port, "var.trusted_cidr"),
            inline(*second, "var.vpc_cidr")
        ));
    }
    s.output("security_group_id", "the id of the security group", "aws_security_group.§sg.id");
    let source = if separate { "cidr_ipv4         = var.trusted_cidr" } else { "cidr_blocks = [var.trusted_cidr]" };
    let open = if separate { "cidr_ipv4         = \"0.0.0.0/0\"" } else { "cidr_blocks = [\"0.0.0.0/0\"]" };
    let pad = if separate { "  to_port           = " } else { "    to_port     = " };
    s.require(
        "ingress",
        &format!("A security group of the VPC lets in TCP port {port} from trusted_cidr and TCP port {second} from the VPC's own range, and nothing else."),
        &format!("rules(output.security_group_id, \"ingress\") == sort([\"tcp {port}-{port} ${{var.trusted_cidr}}\", \"tcp {second}-{second} ${{var.vpc_cidr}}\"]) && find(\"aws_security_group\", \"id\", output.security_group_id).vpc_id == only(\"aws_vpc\").id"),
        "a port is open to the world",
        &[(source, open)],
    );
    s.mutant(
        "wide_ports",
        "ingress",
        "a rule opens a range of ports",
        &[(&format!("{pad}{port}\n"), &format!("{pad}{}\n", port + 1000))],
    );
    let out = if separate {
        "ip_protocol       = \"-1\"\n  cidr_ipv4         = \"0.0.0.0/0\""
    } else {
        "protocol    = \"-1\"\n    cidr_blocks = [\"0.0.0.0/0\"]"
    };
    let shut = out.replace("0.0.0.0/0", "10.0.0.0/8");
    s.require(
        "egress",
        "The security group lets everything out.",
        "rules(output.security_group_id, \"egress\") == [\"all all 0.0.0.0/0\"]",
        "only private addresses can be reached",
        &[(out, &shut)],
    );
}

pub(super) fn draw(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a network on AWS.");
    provider(s, d);
    let ranges = vpc(s, d);
    zones(s);
    subnets(s, d, "public", ranges, (2, 3));
    gateway(s);
    if d.chance(60) {
        subnets(s, d, "private", ranges, (2, 3));
        nat(s, d);
    }
    if d.chance(70) {
        group(s, d);
    }
}
