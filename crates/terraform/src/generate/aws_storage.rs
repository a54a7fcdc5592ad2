//! Buckets of AWS.

use super::aws_network::provider;
use super::sketch::TaskSketch;
use crate::draws::SeededDraws;

pub(super) fn draw(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a bucket on AWS.");
    provider(s, d);
    let (n, m) = (d.between(1000, 4999), d.between(5000, 9999));
    s.variable("bucket_name", "string", &format!("\"store-{n}\""), &format!("\"store-{m}\""), "the name of the bucket");
    s.add("resource \"aws_s3_bucket\" \"§store\" {\n  bucket = var.bucket_name\n}");
    s.output("bucket_id", "the id of the bucket", "aws_s3_bucket.§store.id");
    s.require(
        "bucket",
        "There is one bucket with the name bucket_name.",
        "only(\"aws_s3_bucket\").bucket == var.bucket_name && output.bucket_id == var.bucket_name",
        "the name has an ending",
        &[("bucket = var.bucket_name", "bucket = \"${var.bucket_name}-x\"")],
    );
    block(s);
    if d.chance(70) {
        versions(s);
    }
    if d.chance(70) {
        lifecycle(s, d);
    }
    if d.chance(50) {
        encryption(s);
    }
    if d.chance(50) {
        shared(s, d);
    }
    if d.chance(40) {
        cors(s, d);
    }
}

fn block(s: &mut TaskSketch) {
    s.add("resource \"aws_s3_bucket_public_access_block\" \"§store\" {\n  bucket                  = aws_s3_bucket.§store.id\n  block_public_acls       = true\n  block_public_policy     = true\n  ignore_public_acls      = true\n  restrict_public_buckets = true\n}");
    s.require(
        "private",
        "All four settings of its public access block are on.",
        "public_access(var.bucket_name) == { block_public_acls = true, block_public_policy = true, ignore_public_acls = true, restrict_public_buckets = true }",
        "one setting is off",
        &[("  restrict_public_buckets = true\n", "  restrict_public_buckets = false\n")],
    );
    s.mutant("setting_missing", "private", "one setting is missing", &[("  ignore_public_acls      = true\n", "")]);
}

fn versions(s: &mut TaskSketch) {
    s.add("resource \"aws_s3_bucket_versioning\" \"§store\" {\n  bucket = aws_s3_bucket.§store.id\n  versioning_configuration {\n    status = \"Enabled\"\n  }\n}");
    s.require(
        "versioning",
        "Versioning is enabled.",
        "versioning(var.bucket_name) == \"Enabled\"",
        "versioning is suspended",
        &[("    status = \"Enabled\"\n  }\n}", "    status = \"Suspended\"\n  }\n}")],
    );
}

fn lifecycle(s: &mut TaskSketch, d: &mut SeededDraws) {
    let class = *d.pick(&["GLACIER", "DEEP_ARCHIVE", "STANDARD_IA", "GLACIER_IR"]);
    let (days, other) = (d.between(30, 60), d.between(61, 120));
    let prefix = *d.pick(&["", "logs/", "archive/"]);
    s.variable("archive_days", "number", &days.to_string(), &other.to_string(), "the age at which objects move");
    let which = if prefix.is_empty() { "all objects".to_owned() } else { format!("objects below {prefix}") };
    s.add(&format!("resource \"aws_s3_bucket_lifecycle_configuration\" \"§store\" {{\n  bucket = aws_s3_bucket.§store.id\n  rule {{\n    id     = \"archive\"\n    status = \"Enabled\"\n    filter {{\n      prefix = \"{prefix}\"\n    }}\n    transition {{\n      days          = var.archive_days\n      storage_class = \"{class}\"\n    }}\n  }}\n}}"));
    let (wrong, _) = if class == "GLACIER" { ("DEEP_ARCHIVE", 0) } else { ("GLACIER", 0) };
    s.require(
        "archive",
        &format!("After archive_days days, {which} move to the storage class {class}; nothing expires."),
        &format!("transitions(var.bucket_name) == [{{ days = var.archive_days, class = \"{class}\", prefix = \"{prefix}\" }}] && expirations(var.bucket_name) == []"),
        "the storage class is another one",
        &[(&format!("storage_class = \"{class}\""), &format!("storage_class = \"{wrong}\""))],
    );
    s.mutant(
        "rule_disabled",
        "archive",
        "the rule is disabled",
        &[("    status = \"Enabled\"\n    filter", "    status = \"Disabled\"\n    filter")],
    );
    s.mutant(
        "expires",
        "archive",
        "objects expire as well",
        &[("    transition {", "    expiration {\n      days = 365\n    }\n    transition {")],
    );
}

fn encryption(s: &mut TaskSketch) {
    s.add("resource \"aws_kms_key\" \"§store\" {\n  enable_key_rotation = true\n}\n\nresource \"aws_s3_bucket_server_side_encryption_configuration\" \"§store\" {\n  bucket = aws_s3_bucket.§store.id\n  rule {\n    apply_server_side_encryption_by_default {\n      sse_algorithm     = \"aws:kms\"\n      kms_master_key_id = aws_kms_key.§store.arn\n    }\n  }\n}");
    s.require(
        "encryption",
        "Objects are encrypted with a KMS key of the configuration that rotates.",
        "encryption(var.bucket_name) == \"aws:kms\" && only(\"aws_kms_key\").enable_key_rotation == true && one(one(only(\"aws_s3_bucket_server_side_encryption_configuration\").rule).apply_server_side_encryption_by_default).kms_master_key_id == only(\"aws_kms_key\").arn",
        "the key does not rotate",
        &[("  enable_key_rotation = true\n", "")],
    );
    s.mutant(
        "other_algorithm",
        "encryption",
        "the algorithm is AES256",
        &[("sse_algorithm     = \"aws:kms\"", "sse_algorithm     = \"AES256\"")],
    );
}

fn shared(s: &mut TaskSketch, d: &mut SeededDraws) {
    let (a, b) = (d.between(100_000_000_000, 499_999_999_999), d.between(500_000_000_000, 899_999_999_999));
    s.variable(
        "reader_arn",
        "string",
        &format!("\"arn:aws:iam::{a}:role/reader\""),
        &format!("\"arn:aws:iam::{b}:user/reader\""),
        "the principal that may read",
    );
    s.add("resource \"aws_s3_bucket_policy\" \"§store\" {\n  bucket = aws_s3_bucket.§store.id\n  policy = jsonencode({\n    Version = \"2012-10-17\"\n    Statement = [\n      {\n        Effect    = \"Allow\"\n        Principal = { AWS = var.reader_arn }\n        Action    = \"s3:GetObject\"\n        Resource  = \"${aws_s3_bucket.§store.arn}/*\"\n      },\n      {\n        Effect    = \"Deny\"\n        Principal = \"*\"\n        Action    = \"s3:*\"\n        Resource  = [aws_s3_bucket.§store.arn, \"${aws_s3_bucket.§store.arn}/*\"]\n        Condition = { Bool = { \"aws:SecureTransport\" = \"false\" } }\n      }\n    ]\n  })\n}");
    let object = "\"arn:aws:s3:::${var.bucket_name}/a\"";
    s.require(
        "reader",
        "The principal reader_arn may read objects (s3:GetObject) and do nothing else; no one else may do anything.",
        &format!("allows(var.reader_arn, \"s3:GetObject\", {object}, {{ \"aws:SecureTransport\" = \"true\" }}) && beyond([for g in bucket_grants(var.bucket_name) : g if startswith(g, \"${{var.reader_arn}} \")], [\"s3:GetObject\"], [\"arn:aws:s3:::${{var.bucket_name}}\", \"arn:aws:s3:::${{var.bucket_name}}/*\"]) == [] && [for g in bucket_grants(var.bucket_name) : g if !startswith(g, \"deny \") && !startswith(g, \"${{var.reader_arn}} \")] == []"),
        "the reader may write as well",
        &[("Action    = \"s3:GetObject\"", "Action    = [\"s3:GetObject\", \"s3:PutObject\"]")],
    );
    s.require(
        "tls",
        "Requests without TLS are refused.",
        &format!("!allows(var.reader_arn, \"s3:GetObject\", {object}, {{ \"aws:SecureTransport\" = \"false\" }})"),
        "the condition is the wrong way round",
        &[("\"aws:SecureTransport\" = \"false\"", "\"aws:SecureTransport\" = \"never\"")],
    );
}

fn cors(s: &mut TaskSketch, d: &mut SeededDraws) {
    let age = d.between(2, 90) * 60;
    let host = *d.pick(&["app", "www", "shop", "portal"]);
    s.variable(
        "origin",
        "string",
        &format!("\"https://{host}.example.com\""),
        "\"https://other.example.org\"",
        "the page that may use the bucket",
    );
    s.add(&format!("resource \"aws_s3_bucket_cors_configuration\" \"§store\" {{\n  bucket = aws_s3_bucket.§store.id\n  cors_rule {{\n    allowed_headers = [\"*\"]\n    allowed_methods = [\"GET\", \"HEAD\"]\n    allowed_origins = [var.origin]\n    max_age_seconds = {age}\n  }}\n}}"));
    s.require(
        "cors",
        &format!("Pages of origin, and no others, may use GET and HEAD with any header; browsers remember this for {age} seconds."),
        &format!("[for r in cors(var.bucket_name) : [r.origins, r.methods, r.headers, r.age]] == [[[var.origin], [\"GET\", \"HEAD\"], [\"*\"], {age}]]"),
        "any page may use it",
        &[("allowed_origins = [var.origin]", "allowed_origins = [\"*\"]")],
    );
}
