//! Who may do what.

use std::collections::BTreeSet;

use crate::cloud::{ACCOUNT, Cloud, CloudObject};
use crate::datum::Datum;
use crate::policy::{AccessRequest, PolicyDocument, PolicyStatement, allowed};

fn role<'a>(cloud: &'a Cloud, name: &str) -> Result<&'a CloudObject, String> {
    let found = cloud.all("aws_iam_role").find(|r| r.text("name") == name || r.text("arn") == name);
    found.ok_or_else(|| format!("there is no role {name:?}"))
}

/// The principals that a role trusts to assume it, sorted. A condition is shown, since it narrows them.
pub(super) fn trusted(cloud: &Cloud, name: &str) -> Result<Vec<String>, String> {
    let document = PolicyDocument::parse(role(cloud, name)?.text("assume_role_policy"))?;
    let mut made = BTreeSet::new();
    for statement in document.statements.iter().filter(|s| s.allows) {
        let assumes = statement.actions.iter().any(|a| a.eq_ignore_ascii_case("sts:AssumeRole") || a.contains('*'));
        let when = if statement.conditions.is_empty() { "" } else { " (on a condition)" };
        if assumes {
            made.extend(statement.principals.iter().flatten().map(|(_, id)| format!("{id}{when}")));
        }
    }
    Ok(made.into_iter().collect())
}

/// The documents that speak for a role: attached, inline, and its managed list.
fn documents(cloud: &Cloud, role: &CloudObject) -> Result<Vec<PolicyDocument>, String> {
    let name = role.text("name");
    let mut texts: Vec<String> = Vec::new();
    let mut attached: Vec<String> = Vec::new();
    let listed = |o: &CloudObject, list: &str, value: &str| {
        o.get(list).as_items().unwrap_or_default().iter().any(|i| i.as_text() == Some(value))
    };
    for object in cloud.objects() {
        match object.kind.as_str() {
            "aws_iam_role_policy" if object.text("role") == name => texts.push(object.text("policy").to_owned()),
            "aws_iam_role_policy_attachment" if object.text("role") == name => {
                attached.push(object.text("policy_arn").to_owned())
            }
            "aws_iam_policy_attachment" if listed(object, "roles", name) => {
                attached.push(object.text("policy_arn").to_owned())
            }
            _ => {}
        }
    }
    attached.extend(
        role.get("managed_policy_arns")
            .as_items()
            .unwrap_or_default()
            .iter()
            .filter_map(Datum::as_text)
            .map(str::to_owned),
    );
    let inline = role.get("inline_policy").as_items().unwrap_or_default();
    texts.extend(inline.iter().filter_map(|p| p.get("policy").as_text()).map(str::to_owned));
    for arn in attached {
        let own = cloud.all("aws_iam_policy").find(|p| p.text("arn") == arn);
        texts.push(own.map_or_else(|| managed(&arn), |p| p.text("policy").to_owned()));
    }
    texts.iter().map(|t| PolicyDocument::parse(t)).collect()
}

/// AWS's own policies, as far as they matter: full and read-only access by their names.
fn managed(arn: &str) -> String {
    let name = arn.rsplit('/').next().unwrap_or_default();
    let actions = match name {
        "AdministratorAccess" | "PowerUserAccess" => "*".to_owned(),
        "AmazonS3ReadOnlyAccess" => "s3:Get*\",\"s3:List*".to_owned(),
        "ReadOnlyAccess" => "*:Get*\",\"*:List*\",\"*:Describe*".to_owned(),
        _ => {
            let service = name.trim_start_matches("Amazon").trim_start_matches("AWS").to_lowercase();
            format!("aws:{service}")
        }
    };
    format!("{{\"Statement\":[{{\"Effect\":\"Allow\",\"Action\":[\"{actions}\"],\"Resource\":\"*\"}}]}}")
}

/// Everything that a role's policies allow, as `action resource`; denials as `deny action resource`. Sorted.
pub(super) fn granted(cloud: &Cloud, name: &str) -> Result<Vec<String>, String> {
    let mut made = BTreeSet::new();
    for document in documents(cloud, role(cloud, name)?)? {
        for statement in document.statements {
            let prefix = if statement.allows { "" } else { "deny " };
            let when = if statement.conditions.is_empty() { "" } else { " (on a condition)" };
            let actions =
                statement.actions.iter().cloned().chain(statement.not_actions.iter().map(|a| format!("not {a}")));
            let resources = resources(&statement);
            for action in actions {
                made.extend(resources.iter().map(|r| format!("{prefix}{action} {r}{when}")));
            }
        }
    }
    Ok(made.into_iter().collect())
}

fn resources(statement: &PolicyStatement) -> Vec<String> {
    let others = statement.not_resources.iter().map(|r| format!("not {r}"));
    statement.resources.iter().cloned().chain(others).collect()
}

/// Those lines of grants that allow another action or another resource than these. Actions are compared without case, as AWS
/// does it. A list of samples would miss what it does not name.
pub(super) fn beyond(lines: &Datum, actions: &Datum, resources: &Datum) -> Vec<String> {
    let texts = |list: &Datum| -> Vec<String> {
        list.as_items().unwrap_or_default().iter().filter_map(Datum::as_text).map(str::to_owned).collect()
    };
    let (actions, resources) = (texts(actions), texts(resources));
    let is_meant = |line: &String| {
        let words: Vec<&str> = line.trim_end_matches(" (on a condition)").split(' ').collect();
        let [.., action, resource] = words.as_slice() else { return false };
        !words.contains(&"not")
            && actions.iter().any(|a| a.eq_ignore_ascii_case(action))
            && resources.iter().any(|r| r == resource)
    };
    texts(lines).into_iter().filter(|line| !line.starts_with("deny ") && !is_meant(line)).collect()
}

/// The policy of a bucket, separate or inline.
pub(super) fn bucket_policy(cloud: &Cloud, bucket: &str) -> Result<Option<PolicyDocument>, String> {
    let separate = cloud.all("aws_s3_bucket_policy").find(|p| p.text("bucket") == bucket).map(|p| p.text("policy"));
    let inline = cloud.get("aws_s3_bucket", bucket).map(|b| b.text("policy")).filter(|p| !p.is_empty());
    separate.or(inline).map(PolicyDocument::parse).transpose()
}

/// What a bucket's policy allows, as `principal action resource`; denials begin with `deny`. Sorted.
pub(super) fn bucket_grants(cloud: &Cloud, bucket: &str) -> Result<Vec<String>, String> {
    let mut made = BTreeSet::new();
    for statement in bucket_policy(cloud, bucket)?.into_iter().flat_map(|d| d.statements) {
        let prefix = if statement.allows { "" } else { "deny " };
        let when = if statement.conditions.is_empty() { "" } else { " (on a condition)" };
        let named = statement.principals.iter().flatten().map(|(_, id)| id.clone());
        let others = statement.not_principals.iter().flatten().map(|(_, id)| format!("not {id}"));
        for who in named.chain(others) {
            let actions =
                statement.actions.iter().cloned().chain(statement.not_actions.iter().map(|a| format!("not {a}")));
            let resources = resources(&statement);
            for action in actions {
                made.extend(resources.iter().map(|r| format!("{prefix}{who} {action} {r}{when}")));
            }
        }
    }
    Ok(made.into_iter().collect())
}

/// Whether a principal may do something: by its own policies or the resource's, and no denial.
pub(super) fn allows(cloud: &Cloud, principal: &str, action: &str, resource: &str, context: Option<&Datum>) -> bool {
    let context = context.and_then(Datum::as_map).into_iter().flatten();
    let context = context.filter_map(|(k, v)| Some((k.clone(), v.as_text()?.to_owned()))).collect();
    let request = AccessRequest {
        principal: principal.to_owned(),
        action: action.to_owned(),
        resource: resource.to_owned(),
        context,
    };
    let own = role(cloud, principal).ok().and_then(|r| documents(cloud, r).ok()).unwrap_or_default();
    let bucket = resource.strip_prefix("arn:aws:s3:::").and_then(|r| r.split('/').next()).unwrap_or_default();
    let theirs = bucket_policy(cloud, bucket).ok().flatten();
    let blocked = super::storage::public_access(cloud, bucket).get("restrict_public_buckets").as_bool() == Some(true);
    let ours = principal.contains(ACCOUNT);
    let public = theirs.as_ref().is_some_and(|d| d.statements.iter().any(PolicyStatement::is_public));
    let theirs: Vec<PolicyDocument> = theirs.filter(|_| ours || !(blocked && public)).into_iter().collect();
    let all: Vec<PolicyDocument> = own.into_iter().chain(theirs).collect();
    allowed(&all, &request)
}
