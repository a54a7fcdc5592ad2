//! Access on AWS: roles, least privilege, buckets shared with one principal.

use super::aws_network::provider;
use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

pub(super) fn draw(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for access rights on AWS.");
    provider(s, d);
    let (name, other) = d.two(&["reader", "worker", "exporter", "importer", "indexer", "auditor"]);
    s.variable("role_name", "string", &format!("{name:?}"), &format!("{other:?}"), "the name of the role");
    let service = *d.pick(&["ec2", "lambda", "ecs-tasks", "glue", "states"]);
    let stranger = *d.pick(&["*", "arn:aws:iam::999988887777:root"]);
    s.add(&format!("data \"aws_iam_policy_document\" \"§trust\" {{\n  statement {{\n    actions = [\"sts:AssumeRole\"]\n    principals {{\n      type        = \"Service\"\n      identifiers = [\"{service}.amazonaws.com\"]\n    }}\n  }}\n}}\n\nresource \"aws_iam_role\" \"§role\" {{\n  name               = var.role_name\n  assume_role_policy = data.aws_iam_policy_document.§trust.json\n}}"));
    s.output("role_arn", "the ARN of the role", "aws_iam_role.§role.arn");
    s.require(
        "trust",
        &format!("The role of the name role_name can be assumed by the service {service}.amazonaws.com, and by no one else."),
        &format!("only(\"aws_iam_role\").name == var.role_name && trusted(var.role_name) == [\"{service}.amazonaws.com\"] && output.role_arn == only(\"aws_iam_role\").arn"),
        "another principal is trusted",
        &[(&format!("type        = \"Service\"\n      identifiers = [\"{service}.amazonaws.com\"]"), &format!("type        = \"AWS\"\n      identifiers = [\"{stranger}\"]"))],
    );
    grants(s, d);
    if d.chance(50) {
        profile(s, service);
    }
}

fn profile(s: &mut TaskSketch, service: &str) {
    if service != "ec2" {
        return;
    }
    s.add("resource \"aws_iam_instance_profile\" \"§role\" {\n  name = var.role_name\n  role = aws_iam_role.§role.name\n}");
    s.require("profile", "An instance profile of the same name holds the role.", "only(\"aws_iam_instance_profile\").name == var.role_name && only(\"aws_iam_instance_profile\").role == var.role_name", "the profile is empty", &[("  role = aws_iam_role.§role.name\n}", "}")]);
}

/// Rights on one bucket of the configuration itself.
fn grants(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (n, m) = (d.between(1000, 4999), d.between(5000, 9999));
    s.variable("bucket_name", "string", &format!("\"data-{n}\""), &format!("\"data-{m}\""), "the name of the bucket");
    let write = d.chance(50);
    let actions = if write { "[\"s3:GetObject\", \"s3:PutObject\"]" } else { "[\"s3:GetObject\"]" };
    let said = if write { "read and write (s3:GetObject, s3:PutObject)" } else { "read (s3:GetObject)" };
    let managed = d.chance(50);
    let statement = format!(
        "  statement {{\n    actions   = {actions}\n    resources = [\"${{aws_s3_bucket.§data.arn}}/*\"]\n  }}\n  statement {{\n    actions   = [\"s3:ListBucket\"]\n    resources = [aws_s3_bucket.§data.arn]\n  }}"
    );
    s.add("resource \"aws_s3_bucket\" \"§data\" {\n  bucket = var.bucket_name\n}");
    s.add(&format!("data \"aws_iam_policy_document\" \"§rights\" {{\n{statement}\n}}"));
    if managed {
        s.add("resource \"aws_iam_policy\" \"§rights\" {\n  name   = \"${var.role_name}-rights\"\n  policy = data.aws_iam_policy_document.§rights.json\n}\n\nresource \"aws_iam_role_policy_attachment\" \"§rights\" {\n  role       = aws_iam_role.§role.name\n  policy_arn = aws_iam_policy.§rights.arn\n}");
    } else {
        s.add("resource \"aws_iam_role_policy\" \"§rights\" {\n  name   = \"rights\"\n  role   = aws_iam_role.§role.id\n  policy = data.aws_iam_policy_document.§rights.json\n}");
    }
    s.output("bucket_arn", "the ARN of the bucket", "aws_s3_bucket.§data.arn");
    let wanted = if write { "[\"s3:GetObject\", \"s3:PutObject\"]" } else { "[\"s3:GetObject\"]" };
    s.require(
        "rights",
        &format!("The role may {said} the objects of the bucket bucket_name and list it (s3:ListBucket)."),
        &format!("alltrue([for a in {wanted} : allows(output.role_arn, a, \"arn:aws:s3:::${{var.bucket_name}}/x\")]) && allows(output.role_arn, \"s3:ListBucket\", \"arn:aws:s3:::${{var.bucket_name}}\") && output.bucket_arn == \"arn:aws:s3:::${{var.bucket_name}}\""),
        "listing is allowed on the objects instead of the bucket",
        &[("    resources = [aws_s3_bucket.§data.arn]\n", "    resources = [\"${aws_s3_bucket.§data.arn}/*\"]\n")],
    );
    s.require(
        "no_more",
        "The role may do nothing else, and nothing with other buckets.",
        &format!("beyond(granted(output.role_arn), concat({wanted}, [\"s3:ListBucket\"]), [\"arn:aws:s3:::${{var.bucket_name}}\", \"arn:aws:s3:::${{var.bucket_name}}/*\"]) == []"),
        "all actions of S3 are allowed",
        &[(&format!("actions   = {actions}"), "actions   = [\"s3:*\"]")],
    );
    s.mutant(
        "old_versions",
        "no_more",
        "old versions may be read as well",
        &[(
            &format!("actions   = {actions}"),
            &format!("actions   = {}, \"s3:GetObjectVersion\"]", actions.trim_end_matches(']')),
        )],
    );
    s.mutant(
        "all_buckets",
        "no_more",
        "the rights hold for all buckets",
        &[("resources = [\"${aws_s3_bucket.§data.arn}/*\"]", "resources = [\"*\"]")],
    );
    s.mutant(
        "denied",
        "rights",
        "the statement denies",
        &[(&format!("    actions   = {actions}\n"), &format!("    effect    = \"Deny\"\n    actions   = {actions}\n"))],
    );
    if managed {
        s.mutant(
            "not_attached",
            "rights",
            "another policy is attached",
            &[(
                "policy_arn = aws_iam_policy.§rights.arn",
                "policy_arn = \"arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess\"",
            )],
        );
    }
}
