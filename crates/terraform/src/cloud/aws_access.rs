//! Access rules of AWS: documents that are refused when they are put.

use super::Cloud;
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::policy::{PolicyDocument, PolicyStatement, wildcard};

fn text<'a>(attrs: &'a Attributes, name: &str) -> &'a str {
    attrs.get(name).and_then(Datum::as_text).unwrap_or_default()
}

pub(super) fn before(cloud: &Cloud, kind: &str, attrs: &Attributes, old: Option<&str>) -> Result<(), String> {
    match kind {
        "aws_iam_role" => {
            trust(text(attrs, "assume_role_policy"))?;
            let inline = attrs.get("inline_policy").and_then(Datum::as_items).unwrap_or_default();
            inline.iter().filter_map(|p| p.get("policy").as_text()).try_for_each(identity)
        }
        "aws_iam_policy" | "aws_iam_role_policy" | "aws_iam_user_policy" => identity(text(attrs, "policy")),
        "aws_iam_role_policy_attachment" if old.is_none() => {
            let twice = |a: &super::CloudObject| {
                a.text("role") == text(attrs, "role") && a.text("policy_arn") == text(attrs, "policy_arn")
            };
            // Attaching twice is no error in the API; two blocks for one attachment fight when one of them goes.
            if cloud.all(kind).any(twice) {
                Err("EntityAlreadyExists: the policy is already attached by another resource".to_owned())
            } else {
                Ok(())
            }
        }
        "aws_s3_bucket_policy" => {
            let name = text(attrs, "bucket");
            bucket(name, text(attrs, "policy"))?;
            let blocks = cloud.all("aws_s3_bucket_public_access_block").find(|b| b.text("bucket") == name);
            let blocked = blocks.is_some_and(|b| b.get("block_public_policy").as_bool() == Some(true));
            let public = PolicyDocument::parse(text(attrs, "policy"))
                .is_ok_and(|d| d.statements.iter().any(PolicyStatement::is_public));
            if blocked && public {
                return Err("AccessDenied: public policies are blocked by the BlockPublicPolicy setting".to_owned());
            }
            Ok(())
        }
        "aws_s3_bucket" if !text(attrs, "policy").is_empty() => bucket(text(attrs, "bucket"), text(attrs, "policy")),
        "aws_eks_cluster" => {
            let arn = text(attrs, "role_arn");
            let role = cloud.all("aws_iam_role").find(|r| r.text("arn") == arn);
            let trusted = role.is_some_and(|r| r.text("assume_role_policy").contains("eks.amazonaws.com"));
            if trusted {
                Ok(())
            } else {
                Err("InvalidParameterException: Role could not be assumed because the trusted entity is not correct"
                    .to_owned())
            }
        }
        _ => Ok(()),
    }
}

fn trust(policy: &str) -> Result<(), String> {
    let document = PolicyDocument::parse(policy)?;
    for statement in &document.statements {
        if statement.principals.is_none() && statement.not_principals.is_none() {
            return Err("MalformedPolicyDocument: Missing required field Principal".to_owned());
        }
        if !statement.resources.is_empty() || !statement.not_resources.is_empty() {
            return Err("MalformedPolicyDocument: Has prohibited field Resource".to_owned());
        }
        if statement.actions.iter().any(|a| !a.starts_with("sts:") && a != "*") {
            return Err("MalformedPolicyDocument: AssumeRole policy may only specify STS AssumeRole actions".to_owned());
        }
        let service = |(kind, id): &(String, String)| kind == "Service" && !id.ends_with(".amazonaws.com");
        if let Some((_, id)) = statement.principals.iter().flatten().find(|p| service(p)) {
            return Err(format!("MalformedPolicyDocument: Invalid principal in policy: \"SERVICE\":\"{id}\""));
        }
    }
    Ok(())
}

fn identity(policy: &str) -> Result<(), String> {
    let document = PolicyDocument::parse(policy)?;
    for statement in &document.statements {
        if statement.principals.is_some() || statement.not_principals.is_some() {
            return Err("MalformedPolicyDocument: Policy document should not specify a principal".to_owned());
        }
        if statement.resources.is_empty() && statement.not_resources.is_empty() {
            return Err("MalformedPolicyDocument: Policy statement must contain resources".to_owned());
        }
        let arn = |r: &String| r == "*" || r.starts_with("arn:");
        if let Some(resource) = statement.resources.iter().find(|r| !arn(r)) {
            return Err(format!("MalformedPolicyDocument: Resource {resource} must be in ARN format or \"*\""));
        }
    }
    Ok(())
}

/// Actions on the bucket itself; all others act on its objects.
const ON_BUCKET: &[&str] =
    &["s3:list", "s3:getbucket", "s3:putbucket", "s3:deletebucket", "s3:getlifecycle", "s3:getencryption"];

fn bucket(name: &str, policy: &str) -> Result<(), String> {
    let document =
        PolicyDocument::parse(policy).map_err(|e| e.replace("MalformedPolicyDocument", "MalformedPolicy"))?;
    let own = format!("arn:aws:s3:::{name}");
    for statement in &document.statements {
        if statement.principals.is_none() && statement.not_principals.is_none() {
            return Err("MalformedPolicy: Missing required field Principal".to_owned());
        }
        let fits = |r: &String| {
            *r == own
                || r.strip_prefix(&own).is_some_and(|rest| rest.starts_with('/'))
                || r.contains('*') && wildcard(r, &own)
        };
        if let Some(resource) = statement.resources.iter().find(|r| !fits(r)) {
            return Err(format!("MalformedPolicy: Policy has invalid resource {resource}"));
        }
        if let Some(action) = statement.actions.iter().find(|a| *a != "*" && !a.starts_with("s3:")) {
            return Err(format!("MalformedPolicy: Policy has invalid action {action}"));
        }
        let whole = |r: &String| r == &own || r == "*" || r.ends_with(":::*");
        let inside = |r: &String| r.contains("/") || r == "*" || r.ends_with('*');
        for action in &statement.actions {
            let lower = action.to_lowercase();
            let on_bucket = ON_BUCKET.iter().any(|p| lower.starts_with(p)) && lower != "s3:listmultipartuploadparts";
            let applies = if action.contains('*') {
                true
            } else if on_bucket {
                statement.resources.iter().any(whole)
            } else {
                statement.resources.iter().any(inside)
            };
            if !applies && !statement.resources.is_empty() {
                return Err(format!(
                    "MalformedPolicy: Action does not apply to any resource(s) in statement ({action})"
                ));
            }
        }
    }
    Ok(())
}
