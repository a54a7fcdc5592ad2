//! Machines of AWS: hardened instances, volumes, groups behind a launch template.

use super::aws_network::{gateway, group, provider, subnets, vpc, zones};
use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

pub(super) fn draw(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for machines on AWS.");
    provider(s, d);
    let ranges = vpc(s, d);
    zones(s);
    subnets(s, d, "public", ranges, (2, 3));
    gateway(s);
    group(s, d);
    if d.chance(60) { instances(s, d) } else { scaling(s, d) }
}

fn types(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (one, two) = d.two(&["t3.micro", "t3.small", "t3.medium", "m5.large", "c6i.large", "r6i.xlarge"]);
    s.variable("instance_type", "string", &format!("{one:?}"), &format!("{two:?}"), "the type of the machines");
    s.add("data \"aws_ami\" \"§linux\" {\n  most_recent = true\n  owners      = [\"amazon\"]\n  filter {\n    name   = \"name\"\n    values = [\"al2023-ami-*-x86_64\"]\n  }\n}");
}

fn instances(s: &mut TaskSketch, d: &mut SeededDraws) {
    types(s, d);
    let (size, other) = (d.between(10, 60), d.between(61, 200));
    s.variable("disk_gb", "number", &size.to_string(), &other.to_string(), "the size of the root volume");
    s.add("resource \"aws_instance\" \"§app\" {\n  for_each               = { for i, subnet in aws_subnet.§public : tostring(i) => subnet.id }\n  ami                    = data.aws_ami.§linux.id\n  instance_type          = var.instance_type\n  subnet_id              = each.value\n  vpc_security_group_ids = [aws_security_group.§sg.id]\n  root_block_device {\n    encrypted   = true\n    volume_size = var.disk_gb\n    volume_type = \"gp3\"\n  }\n  metadata_options {\n    http_tokens = \"required\"\n  }\n}");
    s.output("instance_ids", "the list of the instances' ids", "[for i in aws_instance.§app : i.id]");
    let all = |test: &str| format!("all(\"aws_instance\") != [] && alltrue([for i in all(\"aws_instance\") : {test}])");
    s.require(
        "one_per_subnet",
        "Each public subnet holds exactly one instance.",
        "sort([for i in all(\"aws_instance\") : i.subnet_id]) == sort(output.public_subnet_ids) && sort(output.instance_ids) == sort([for i in all(\"aws_instance\") : i.id])",
        "all instances stand in one subnet",
        &[("subnet_id              = each.value", "subnet_id              = aws_subnet.§public[0].id")],
    );
    s.require(
        "instance_type",
        "The instances have the type of instance_type.",
        &all("i.instance_type == var.instance_type"),
        "the type is another one",
        &[("= var.instance_type", "= \"t2.nano\"")],
    );
    s.require(
        "groups",
        "The instances use the security group, and no other.",
        &all("i.vpc_security_group_ids == toset([output.security_group_id])"),
        "the default group of the VPC is used",
        &[("[aws_security_group.§sg.id]", "[aws_vpc.§net.default_security_group_id]")],
    );
    s.require("encrypted", "Root volumes are encrypted, of the type gp3, and as large as disk_gb.", &all("i.root_block_device[0].encrypted == true && i.root_block_device[0].volume_type == \"gp3\" && i.root_block_device[0].volume_size == var.disk_gb"), "the root volume is not encrypted", &[("    encrypted   = true\n", "")]);
    s.require(
        "metadata",
        "The metadata service answers requests with a session token only.",
        &all("i.metadata_options[0].http_tokens == \"required\""),
        "tokens are optional",
        &[("http_tokens = \"required\"", "http_tokens = \"optional\"")],
    );
    if d.chance(50) {
        data_volume(s, d);
    }
}

fn data_volume(s: &mut TaskSketch, d: &mut SeededDraws) {
    let size = d.between(20, 500);
    s.add(&format!("resource \"aws_ebs_volume\" \"§data\" {{\n  availability_zone = aws_instance.§app[\"0\"].availability_zone\n  size              = {size}\n  encrypted         = true\n}}\n\nresource \"aws_volume_attachment\" \"§data\" {{\n  device_name = \"/dev/sdf\"\n  volume_id   = aws_ebs_volume.§data.id\n  instance_id = aws_instance.§app[\"0\"].id\n}}"));
    s.output("volume_id", "the id of the data volume", "aws_ebs_volume.§data.id");
    s.require(
        "data_volume",
        &format!("One more encrypted volume of {size} GB is attached to one of the instances as /dev/sdf."),
        &format!("only(\"aws_ebs_volume\").size == {size} && only(\"aws_ebs_volume\").encrypted == true && only(\"aws_volume_attachment\").volume_id == output.volume_id && only(\"aws_volume_attachment\").device_name == \"/dev/sdf\" && contains(output.instance_ids, only(\"aws_volume_attachment\").instance_id)"),
        "the volume is not encrypted",
        &[("  encrypted         = true\n", "")],
    );
}

fn scaling(s: &mut TaskSketch, d: &mut SeededDraws) {
    types(s, d);
    let (least, extra) = (d.between(1, 3), d.between(1, 5));
    s.variable(
        "most_machines",
        "number",
        &(least + extra).to_string(),
        &(least + extra + 4).to_string(),
        "the largest number of machines",
    );
    s.add("resource \"aws_launch_template\" \"§app\" {\n  name_prefix            = \"app-\"\n  image_id               = data.aws_ami.§linux.id\n  instance_type          = var.instance_type\n  vpc_security_group_ids = [aws_security_group.§sg.id]\n  metadata_options {\n    http_tokens = \"required\"\n  }\n}");
    s.add(&format!("resource \"aws_autoscaling_group\" \"§app\" {{\n  name                = \"app\"\n  min_size            = {least}\n  max_size            = var.most_machines\n  vpc_zone_identifier = aws_subnet.§public[*].id\n  launch_template {{\n    id      = aws_launch_template.§app.id\n    version = \"$Latest\"\n  }}\n}}"));
    s.output("group_name", "the name of the scaling group", "aws_autoscaling_group.§app.name");
    s.require("sizes", &format!("A scaling group keeps between {least} and most_machines machines."), &format!("only(\"aws_autoscaling_group\").min_size == {least} && only(\"aws_autoscaling_group\").max_size == var.most_machines"), "the least number is another one", &[(&format!("min_size            = {least}"), &format!("min_size            = {}", least - 1))]);
    s.require(
        "spread",
        "The machines are spread over all public subnets.",
        "only(\"aws_autoscaling_group\").vpc_zone_identifier == toset(output.public_subnet_ids)",
        "all machines stand in one subnet",
        &[("aws_subnet.§public[*].id\n  launch", "[aws_subnet.§public[0].id]\n  launch")],
    );
    s.require("template", "They start from a launch template with the type of instance_type and the security group.", "only(\"aws_autoscaling_group\").launch_template[0].id == only(\"aws_launch_template\").id && only(\"aws_launch_template\").instance_type == var.instance_type && only(\"aws_launch_template\").vpc_security_group_ids == toset([output.security_group_id])", "the template has no security group", &[("  vpc_security_group_ids = [aws_security_group.§sg.id]\n", "")]);
    s.require(
        "metadata",
        "The metadata service of the machines answers requests with a session token only.",
        "only(\"aws_launch_template\").metadata_options[0].http_tokens == \"required\"",
        "tokens are optional",
        &[("http_tokens = \"required\"", "http_tokens = \"optional\"")],
    );
}
