//! Data sources: what a configuration asks, and what the simulated clouds answer.

use crate::cloud::{ACCOUNT, Cloud, ProviderSettings, SUBSCRIPTION};
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::functions::{json, json_text};
use crate::schema::ResourceType;

/// Reads a data source; what depends on something unknown, or must wait, is unknown.
pub fn read(
    kind: &ResourceType,
    config: &Attributes,
    settings: &ProviderSettings,
    cloud: &Cloud,
    waits: bool,
) -> Result<Attributes, Diagnostic> {
    let open = waits || config.values().any(Datum::has_unknown);
    let mut made = config.clone();
    for (name, rules) in &kind.body.attrs {
        let value = made.get(name).cloned().unwrap_or(Datum::Null);
        if let (true, Some(default)) = (value.is_null(), &rules.default) {
            made.insert(name.clone(), default.clone());
        } else if value.is_null() && rules.computed && open {
            made.insert(name.clone(), Datum::Unknown(rules.takes.clone()));
        }
    }
    if open {
        return Ok(made);
    }
    let answers = answer(&kind.name, &made, settings, cloud)
        .map_err(|why| Diagnostic::new(format!("reading {}", kind.name), why))?;
    for (name, value) in answers {
        if made.get(name).is_none_or(Datum::is_null) {
            made.insert(name.to_owned(), value);
        }
    }
    Ok(made)
}

type Answers = Vec<(&'static str, Datum)>;

fn answer(kind: &str, config: &Attributes, settings: &ProviderSettings, cloud: &Cloud) -> Result<Answers, String> {
    let region = settings.region.clone().unwrap_or_else(|| "us-east-1".to_owned());
    let text = |name: &str| config.get(name).and_then(Datum::as_text).unwrap_or_default().to_owned();
    let t = |text: &str| Datum::text(text);
    Ok(match kind {
        "aws_caller_identity" => vec![
            ("id", t(ACCOUNT)),
            ("account_id", t(ACCOUNT)),
            ("arn", Datum::Text(format!("arn:aws:iam::{ACCOUNT}:user/terraform"))),
            ("user_id", t("AIDAEXAMPLE")),
        ],
        "aws_region" => vec![
            ("id", t(&region)),
            ("name", t(&region)),
            ("description", t("simulated region")),
            ("endpoint", Datum::Text(format!("ec2.{region}.amazonaws.com"))),
        ],
        "aws_partition" => vec![
            ("id", t("aws")),
            ("partition", t("aws")),
            ("dns_suffix", t("amazonaws.com")),
            ("reverse_dns_prefix", t("com.amazonaws")),
        ],
        "aws_availability_zones" => zones(config, &region),
        "aws_ami" => image(config)?,
        "aws_ssm_parameter" if text("name").contains("ami") => vec![
            ("id", Datum::Text(text("name"))),
            ("value", t("ami-0a1b2c3d4e5f60718")),
            ("insecure_value", t("ami-0a1b2c3d4e5f60718")),
            ("type", t("String")),
            ("arn", Datum::Text(format!("arn:aws:ssm:{region}::parameter{}", text("name")))),
            ("version", Datum::Number(1.0)),
        ],
        "aws_ssm_parameter" => return Err(format!("ParameterNotFound: {}", text("name"))),
        "aws_iam_policy" => {
            let name = if text("name").is_empty() {
                text("arn").rsplit('/').next().unwrap_or_default().to_owned()
            } else {
                text("name")
            };
            let arn = format!("arn:aws:iam::aws:policy/{name}");
            vec![
                ("id", t(&arn)),
                ("arn", t(&arn)),
                ("name", Datum::Text(name)),
                ("description", t("")),
                ("policy", t("{}")),
            ]
        }
        "aws_iam_policy_document" => {
            let document = document(config)?;
            let text = json_text(&document);
            vec![
                ("id", Datum::Text(text.len().to_string())),
                ("json", Datum::Text(text.clone())),
                ("minified_json", Datum::Text(text)),
            ]
        }
        "aws_vpc" if config.get("default").and_then(Datum::as_bool) == Some(true) => {
            vec![
                ("id", t("vpc-default")),
                ("cidr_block", t("172.31.0.0/16")),
                ("arn", Datum::Text(format!("arn:aws:ec2:{region}:{ACCOUNT}:vpc/vpc-default"))),
                ("owner_id", t(ACCOUNT)),
                ("main_route_table_id", t("rtb-default")),
                ("state", t("available")),
                ("tags", Datum::map::<String>([])),
            ]
        }
        "aws_vpc" => {
            let found = cloud.all("aws_vpc").find(|v| v.text("id") == text("id"));
            let vpc = found.ok_or("no matching EC2 VPC found")?;
            ["cidr_block", "arn", "owner_id", "main_route_table_id"].iter().map(|n| (*n, vpc.get(n).clone())).collect()
        }
        "aws_subnets" => {
            let wanted: Vec<Datum> = filters(config, "vpc-id");
            let found = cloud.all("aws_subnet").filter(|s| wanted.iter().any(|w| w.same(s.get("vpc_id"))));
            vec![("id", t(&region)), ("ids", Datum::List(found.map(|s| s.get("id").clone()).collect()))]
        }
        "aws_eks_cluster_auth" => vec![("id", Datum::Text(text("name"))), ("token", t("k8s-aws-v1.simulated"))],
        "google_project" => {
            let project = settings.project.clone().unwrap_or_default();
            vec![
                ("id", Datum::Text(format!("projects/{project}"))),
                ("project_id", t(&project)),
                ("name", t(&project)),
                ("number", t("123456789012")),
            ]
        }
        "google_client_config" => vec![
            ("id", t("client")),
            ("project", Datum::Text(settings.project.clone().unwrap_or_default())),
            ("region", Datum::Text(region)),
            ("zone", Datum::Text(settings.zone.clone().unwrap_or_default())),
            ("access_token", t("simulated")),
        ],
        "google_compute_zones" => {
            let place = if text("region").is_empty() { region } else { text("region") };
            let names: Vec<String> = ["a", "b", "c"].iter().map(|z| format!("{place}-{z}")).collect();
            vec![("id", t(&place)), ("names", Datum::texts(names))]
        }
        "google_compute_image" => {
            let name = if text("family").is_empty() { text("name") } else { format!("{}-v20260101", text("family")) };
            let project = if text("project").is_empty() { "debian-cloud".to_owned() } else { text("project") };
            let id = format!("projects/{project}/global/images/{name}");
            vec![
                ("id", t(&id)),
                ("self_link", Datum::Text(format!("https://www.googleapis.com/compute/v1/{id}"))),
                ("name", Datum::Text(name)),
                ("disk_size_gb", Datum::Number(10.0)),
            ]
        }
        "azurerm_client_config" => vec![
            ("id", t("client")),
            ("client_id", t(SUBSCRIPTION)),
            ("tenant_id", t(SUBSCRIPTION)),
            ("subscription_id", t(SUBSCRIPTION)),
            ("object_id", t(SUBSCRIPTION)),
        ],
        "azurerm_subscription" => vec![
            ("id", Datum::Text(format!("/subscriptions/{SUBSCRIPTION}"))),
            ("subscription_id", t(SUBSCRIPTION)),
            ("display_name", t("simulated")),
            ("tenant_id", t(SUBSCRIPTION)),
        ],
        "azurerm_resource_group" => {
            let group = cloud.all("azurerm_resource_group").find(|g| g.text("name") == text("name"));
            let group = group.ok_or_else(|| format!("resource group {:?} was not found", text("name")))?;
            ["id", "location", "tags"].iter().map(|n| (*n, group.get(n).clone())).collect()
        }
        other => return Err(format!("{other} cannot be read here")),
    })
}

fn filters(config: &Attributes, name: &str) -> Vec<Datum> {
    let blocks = config.get("filter").and_then(Datum::as_items).unwrap_or_default();
    let values = blocks
        .iter()
        .filter(|f| f.get("name").as_text() == Some(name))
        .flat_map(|f| f.get("values").as_items().unwrap_or_default().to_vec());
    values.collect()
}

fn zones(config: &Attributes, region: &str) -> Answers {
    let skip = config.get("exclude_names").and_then(Datum::as_items).unwrap_or_default();
    let names: Vec<Datum> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|z| Datum::Text(format!("{region}{z}")))
        .filter(|z| !skip.contains(z))
        .collect();
    let ids = (1..=names.len()).map(|i| Datum::Text(format!("use1-az{i}"))).collect();
    vec![
        ("id", Datum::text(region)),
        ("names", Datum::List(names)),
        ("zone_ids", Datum::List(ids)),
        ("group_names", Datum::set(vec![Datum::text(region)])),
    ]
}

/// An image exists for any owner and any filter that names something; several match unless the newest is asked for.
fn image(config: &Attributes) -> Result<Answers, String> {
    let names = filters(config, "name");
    if config.get("most_recent").and_then(Datum::as_bool) != Some(true) {
        return Err("Your query returned more than one result. Please try a more specific search criteria, or set `most_recent` attribute to true".to_owned());
    }
    let owners = config.get("owners").and_then(Datum::as_items).unwrap_or_default();
    let owner = owners.first().cloned().unwrap_or(Datum::text("amazon"));
    let pattern = names.first().and_then(Datum::as_text).unwrap_or("al2023-ami-*");
    let hash =
        pattern.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let id = format!("ami-0{hash:016x}");
    let arn = format!("arn:aws:ec2:us-east-1::image/{id}");
    Ok(vec![
        ("id", Datum::text(id.clone())),
        ("image_id", Datum::Text(id)),
        ("arn", Datum::Text(arn)),
        ("name", Datum::Text(pattern.replace('*', "20260101"))),
        ("architecture", Datum::text("x86_64")),
        ("root_device_name", Datum::text("/dev/xvda")),
        ("root_device_type", Datum::text("ebs")),
        ("virtualization_type", Datum::text("hvm")),
        ("creation_date", Datum::text("2026-01-01T00:00:00.000Z")),
        ("description", Datum::text("")),
        ("owner_id", owner),
        ("state", Datum::text("available")),
        ("tags", Datum::map::<String>([])),
    ])
}

/// The JSON of a policy document.
fn document(config: &Attributes) -> Result<Datum, String> {
    let mut statements = Vec::new();
    for source in ["source_policy_documents", "override_policy_documents"] {
        for text in config.get(source).and_then(Datum::as_items).unwrap_or_default().iter().filter_map(Datum::as_text) {
            match json(text)?.get("Statement") {
                Datum::List(items) => statements.extend(items.clone()),
                Datum::Null => {}
                one => statements.push(one.clone()),
            }
        }
    }
    for block in config.get("statement").and_then(Datum::as_items).unwrap_or_default() {
        statements.push(statement(block));
    }
    let mut made = vec![
        ("Statement".to_owned(), Datum::List(statements)),
        (
            "Version".to_owned(),
            config.get("version").cloned().filter(|v| !v.is_null()).unwrap_or(Datum::text("2012-10-17")),
        ),
    ];
    if let Some(Datum::Text(id)) = config.get("policy_id") {
        made.push(("Id".to_owned(), Datum::text(id.clone())));
    }
    Ok(Datum::Map(made.into_iter().collect()))
}

fn statement(block: &Datum) -> Datum {
    let mut made: Vec<(String, Datum)> = Vec::new();
    let effect = block.get("effect").as_text().unwrap_or("Allow");
    made.push(("Effect".to_owned(), Datum::text(effect)));
    if let Some(sid) = block.get("sid").as_text() {
        made.push(("Sid".to_owned(), Datum::text(sid)));
    }
    for (from, to) in [
        ("actions", "Action"),
        ("not_actions", "NotAction"),
        ("resources", "Resource"),
        ("not_resources", "NotResource"),
    ] {
        if let Some(items) = block.get(from).as_items().filter(|l| !l.is_empty()) {
            made.push((to.to_owned(), single(items)));
        }
    }
    for (from, to) in [("principals", "Principal"), ("not_principals", "NotPrincipal")] {
        let blocks = block.get(from).as_items().unwrap_or_default();
        if !blocks.is_empty() {
            made.push((to.to_owned(), principal(blocks)));
        }
    }
    let conditions = block.get("condition").as_items().unwrap_or_default();
    if !conditions.is_empty() {
        let mut tests: std::collections::BTreeMap<String, Datum> = std::collections::BTreeMap::new();
        for condition in conditions {
            let test = condition.get("test").as_text().unwrap_or_default().to_owned();
            let entry = tests.entry(test).or_insert_with(|| Datum::map::<String>([]));
            if let Datum::Map(keys) = entry {
                keys.insert(
                    condition.get("variable").as_text().unwrap_or_default().to_owned(),
                    single(condition.get("values").as_items().unwrap_or_default()),
                );
            }
        }
        made.push(("Condition".to_owned(), Datum::Map(tests)));
    }
    Datum::Map(made.into_iter().collect())
}

fn single(items: &[Datum]) -> Datum {
    if let [only] = items { only.clone() } else { Datum::List(items.to_vec()) }
}

fn principal(blocks: &[Datum]) -> Datum {
    let everyone = |b: &Datum| {
        b.get("type").as_text() == Some("*") && b.get("identifiers").as_items().is_some_and(|i| i == [Datum::text("*")])
    };
    if blocks.iter().any(everyone) {
        return Datum::text("*");
    }
    Datum::map(blocks.iter().map(|b| {
        (
            b.get("type").as_text().unwrap_or_default().to_owned(),
            single(b.get("identifiers").as_items().unwrap_or_default()),
        )
    }))
}
