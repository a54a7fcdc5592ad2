//! Buckets: settings given inline or as resources of their own mean the same.

use crate::cloud::{Cloud, CloudObject};
use crate::datum::Datum;

fn setting<'a>(cloud: &'a Cloud, kind: &'a str, bucket: &str) -> Option<&'a CloudObject> {
    cloud.all(kind).find(|o| o.text("bucket") == bucket)
}

fn first(value: &Datum) -> Option<&Datum> {
    value.as_items().and_then(<[Datum]>::first)
}

fn inline<'a>(cloud: &'a Cloud, bucket: &str, block: &str) -> &'a [Datum] {
    cloud.get("aws_s3_bucket", bucket).and_then(|b| b.get(block).as_items()).unwrap_or_default()
}

/// `Enabled`, `Suspended` or `Off`.
pub(super) fn versioning(cloud: &Cloud, bucket: &str) -> String {
    let own = setting(cloud, "aws_s3_bucket_versioning", bucket);
    if let Some(config) = own.and_then(|v| first(v.get("versioning_configuration"))) {
        return config.get("status").as_text().unwrap_or("Off").to_owned();
    }
    let on = inline(cloud, bucket, "versioning").iter().any(|v| v.get("enabled").as_bool() == Some(true));
    if on { "Enabled" } else { "Off" }.to_owned()
}

fn sorted(value: &Datum) -> Datum {
    Datum::List(match Datum::set(value.as_items().unwrap_or_default().to_vec()) {
        Datum::Set(items) => items,
        _ => unreachable!("it was made a set"),
    })
}

/// The CORS rules: sorted lists of headers, methods, origins, exposed headers, and the age.
pub(super) fn cors(cloud: &Cloud, bucket: &str) -> Datum {
    let own = setting(cloud, "aws_s3_bucket_cors_configuration", bucket);
    let rules = own.map_or_else(
        || inline(cloud, bucket, "cors_rule").to_vec(),
        |c| c.get("cors_rule").as_items().unwrap_or_default().to_vec(),
    );
    let rule = |r: &Datum| {
        let list = |name: &str| sorted(r.get(name));
        Datum::map([
            ("headers", list("allowed_headers")),
            ("methods", list("allowed_methods")),
            ("origins", list("allowed_origins")),
            ("expose", list("expose_headers")),
            ("age", r.get("max_age_seconds").clone()),
        ])
    };
    Datum::List(rules.iter().map(rule).collect())
}

/// What enabled lifecycle rules do to current versions of objects: `{days, class, prefix}` for each transition.
pub(super) fn transitions(cloud: &Cloud, bucket: &str) -> Datum {
    Datum::List(lifecycle(cloud, bucket, "transition", "days"))
}

/// What enabled lifecycle rules remove, current versions or old ones.
pub(super) fn expirations(cloud: &Cloud, bucket: &str) -> Datum {
    let old = lifecycle(cloud, bucket, "noncurrent_version_expiration", "noncurrent_days");
    Datum::List(lifecycle(cloud, bucket, "expiration", "days").into_iter().chain(old).collect())
}

/// What enabled rules do by one kind of action.
fn lifecycle(cloud: &Cloud, bucket: &str, what: &str, days: &str) -> Vec<Datum> {
    let own = setting(cloud, "aws_s3_bucket_lifecycle_configuration", bucket);
    let rules = own.map_or_else(
        || inline(cloud, bucket, "lifecycle_rule").to_vec(),
        |c| c.get("rule").as_items().unwrap_or_default().to_vec(),
    );
    let mut made = Vec::new();
    for rule in &rules {
        let enabled = rule.get("status").as_text() == Some("Enabled") || rule.get("enabled").as_bool() == Some(true);
        if !enabled {
            continue;
        }
        let filter = first(rule.get("filter"));
        let prefix =
            filter.and_then(|f| f.get("prefix").as_text()).or(rule.get("prefix").as_text()).unwrap_or_default();
        let narrowed = filter.is_some_and(is_narrow) || rule.get("tags").as_map().is_some_and(|tags| !tags.is_empty());
        for action in rule.get(what).as_items().unwrap_or_default() {
            made.push(Datum::map([
                ("days", action.get(days).clone()),
                ("class", action.get("storage_class").clone()),
                ("prefix", Datum::text(if narrowed { "(some objects)" } else { prefix })),
            ]));
        }
    }
    made
}

/// Whether a filter leaves objects out by something else than their names.
fn is_narrow(filter: &Datum) -> bool {
    let block = |name: &&str| filter.get(name).as_items().is_some_and(|list| !list.is_empty());
    let size = |name: &&str| match filter.get(name) {
        Datum::Text(size) => !matches!(size.as_str(), "" | "0"),
        other => other.as_number().is_some_and(|size| size > 0.0),
    };
    ["tag", "and"].iter().any(block) || ["object_size_greater_than", "object_size_less_than"].iter().any(size)
}

const FLAGS: &[&str] = &["block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets"];

/// The four flags that keep a bucket from the public; all false without a block of them.
pub(super) fn public_access(cloud: &Cloud, bucket: &str) -> Datum {
    let own = setting(cloud, "aws_s3_bucket_public_access_block", bucket);
    Datum::map(FLAGS.iter().map(|f| (*f, Datum::Bool(own.is_some_and(|o| o.get(f).as_bool() == Some(true))))))
}

/// The algorithm that objects are encrypted with; all buckets have one.
pub(super) fn encryption(cloud: &Cloud, bucket: &str) -> String {
    let own =
        setting(cloud, "aws_s3_bucket_server_side_encryption_configuration", bucket).and_then(|c| first(c.get("rule")));
    let within =
        inline(cloud, bucket, "server_side_encryption_configuration").first().and_then(|c| first(c.get("rule")));
    let rule = own.or(within).and_then(|r| first(r.get("apply_server_side_encryption_by_default")));
    rule.and_then(|r| r.get("sse_algorithm").as_text()).unwrap_or("AES256").to_owned()
}

/// Whether anyone on the internet can read or write, by policy or ACL.
pub(super) fn is_public(cloud: &Cloud, bucket: &str) -> bool {
    let flags = public_access(cloud, bucket);
    let on = |flag: &str| flags.get(flag).as_bool() == Some(true);
    let policy = super::access::bucket_policy(cloud, bucket).ok().flatten();
    let by_policy = policy.is_some_and(|d| d.statements.iter().any(crate::policy::PolicyStatement::is_public));
    let acl = setting(cloud, "aws_s3_bucket_acl", bucket).map(|a| a.text("acl"));
    let acl = acl.or(cloud.get("aws_s3_bucket", bucket).map(|b| b.text("acl"))).unwrap_or_default();
    let by_acl = acl.starts_with("public") || acl == "authenticated-read";
    by_policy && !on("restrict_public_buckets") || by_acl && !on("ignore_public_acls")
}
