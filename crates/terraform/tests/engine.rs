//! Plans, cycles, modules, replacement, destruction, and texts that ask for too much.

use std::collections::BTreeMap;

use terraform::cloud::Cloud;
use terraform::datum::Datum;
use terraform::engine::{Action, ChangePlan, Project, TerraformState, VariableValues};

const PROVIDER: &str = "provider \"aws\" { region = \"us-east-1\" }\n";

fn load(files: &[(&str, &str)]) -> Result<Project, String> {
    let files = files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    let (project, problems) = Project::load(&files);
    let errors: Vec<_> = [problems.syntax, problems.init, problems.validate].into_iter().flatten().collect();
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let project = project.expect("without errors there is a project");
    match project.validate().first() {
        Some(error) => Err(error.to_string()),
        None => Ok(project),
    }
}

/// A place to apply configurations one after another.
#[derive(Default)]
struct Bench {
    cloud: Cloud,
    state: TerraformState,
}

impl Bench {
    fn plan(
        &mut self,
        files: &[(&str, &str)],
        vars: &[(&str, &str)],
    ) -> Result<(Project, ChangePlan, VariableValues), String> {
        let project = load(files)?;
        let vars: VariableValues = vars.iter().map(|(n, v)| ((*n).to_owned(), Datum::text(*v))).collect();
        let plan = project.plan(&vars, &mut self.state, &self.cloud).map_err(|e| e[0].to_string())?;
        Ok((project, plan, vars))
    }

    fn apply(&mut self, main: &str, vars: &[(&str, &str)]) -> Result<ChangePlan, String> {
        let text = format!("{PROVIDER}{main}");
        self.apply_files(&[("main.tf", &text)], vars)
    }

    fn apply_files(&mut self, files: &[(&str, &str)], vars: &[(&str, &str)]) -> Result<ChangePlan, String> {
        let (project, plan, vars) = self.plan(files, vars)?;
        let errors = project.apply(&plan, &vars, &mut self.state, &mut self.cloud);
        match errors.first() {
            Some(error) => Err(error.to_string()),
            None => Ok(plan),
        }
    }
}

fn actions(plan: &ChangePlan) -> BTreeMap<&str, Action> {
    plan.changes.iter().map(|(a, c)| (a.as_str(), c.action)).collect()
}

#[track_caller]
fn fails(main: &str, expected: &str) {
    let error = Bench::default().apply(main, &[]).expect_err(main);
    assert!(error.contains(expected), "{main}\ngot: {error}");
}

#[test]
fn changes_are_planned_as_create_update_replace_delete() {
    let mut bench = Bench::default();
    let config = "variable \"name\" {}\nvariable \"cidr\" {}\nresource \"aws_vpc\" \"a\" {\n cidr_block = var.cidr\n tags = { Name = var.name }\n}\nresource \"aws_subnet\" \"a\" {\n vpc_id = aws_vpc.a.id\n cidr_block = cidrsubnet(var.cidr, 8, 1)\n}\noutput \"id\" { value = aws_vpc.a.id }";
    let first = bench.apply(config, &[("name", "one"), ("cidr", "10.0.0.0/16")]).expect("it applies");
    assert_eq!(actions(&first), BTreeMap::from([("aws_subnet.a", Action::Create), ("aws_vpc.a", Action::Create)]));
    assert!(first.outputs["id"].is_unknown());
    let again = bench.apply(config, &[("name", "one"), ("cidr", "10.0.0.0/16")]).expect("it applies");
    assert!(again.is_empty(), "{:?}", again.lines());
    let renamed = bench.apply(config, &[("name", "two"), ("cidr", "10.0.0.0/16")]).expect("it applies");
    assert_eq!(actions(&renamed), BTreeMap::from([("aws_subnet.a", Action::NoOp), ("aws_vpc.a", Action::Update)]));
    let moved = bench.apply(config, &[("name", "two"), ("cidr", "10.1.0.0/16")]).expect("it applies");
    assert_eq!(actions(&moved), BTreeMap::from([("aws_subnet.a", Action::Replace), ("aws_vpc.a", Action::Replace)]));
    let less = bench
        .apply("resource \"aws_vpc\" \"a\" {\n cidr_block = \"10.1.0.0/16\"\n tags = { Name = \"two\" }\n}", &[])
        .expect("it applies");
    assert_eq!(actions(&less), BTreeMap::from([("aws_subnet.a", Action::Delete), ("aws_vpc.a", Action::NoOp)]));
    assert_eq!(bench.state.destroy(&mut bench.cloud), []);
    assert_eq!(bench.cloud.objects().count(), 0);
}

#[test]
fn lifecycle_settings_are_kept() {
    let mut bench = Bench::default();
    let ignoring = |tag: &str| {
        format!(
            "resource \"aws_vpc\" \"a\" {{\n cidr_block = \"10.0.0.0/16\"\n tags = {{ t = \"{tag}\" }}\n lifecycle {{ ignore_changes = [tags, tags_all] }}\n}}"
        )
    };
    bench.apply(&ignoring("one"), &[]).expect("it applies");
    assert!(bench.apply(&ignoring("two"), &[]).expect("it applies").is_empty());
    let guarded =
        "resource \"aws_vpc\" \"a\" {\n cidr_block = \"10.9.0.0/16\"\n lifecycle { prevent_destroy = true }\n}";
    let error = bench.apply(guarded, &[]).expect_err("it would be replaced");
    assert!(error.contains("Instance cannot be destroyed"), "{error}");
    let mut bench = Bench::default();
    let swapped = |cidr: &str| {
        format!(
            "resource \"aws_vpc\" \"a\" {{\n cidr_block = \"{cidr}\"\n lifecycle {{ create_before_destroy = true }}\n}}"
        )
    };
    bench.apply(&swapped("10.0.0.0/16"), &[]).expect("it applies");
    let plan = bench.apply(&swapped("10.1.0.0/16"), &[]).expect("it applies");
    assert_eq!(plan.changes["aws_vpc.a"].action, Action::ReplaceAfter);
    assert_eq!(bench.cloud.all("aws_vpc").count(), 1);
}

#[test]
fn modules_are_called_with_count_and_for_each() {
    let child = "variable \"cidr\" {}\nresource \"aws_vpc\" \"v\" { cidr_block = var.cidr }\noutput \"id\" { value = aws_vpc.v.id }\n";
    let root = format!(
        "{PROVIDER}module \"each\" {{\n source = \"./net\"\n for_each = {{ a = \"10.1.0.0/16\", b = \"10.2.0.0/16\" }}\n cidr = each.value\n}}\nmodule \"many\" {{\n source = \"./net\"\n count = 2\n cidr = \"10.${{3 + count.index}}.0.0/16\"\n}}\noutput \"ids\" {{ value = concat([for m in module.each : m.id], module.many[*].id) }}\n"
    );
    let mut bench = Bench::default();
    let plan = bench.apply_files(&[("main.tf", &root), ("net/main.tf", child)], &[]).expect("it applies");
    let addresses: Vec<&str> = plan.changes.keys().map(String::as_str).collect();
    assert_eq!(
        addresses,
        [
            "module.each[\"a\"].aws_vpc.v",
            "module.each[\"b\"].aws_vpc.v",
            "module.many[0].aws_vpc.v",
            "module.many[1].aws_vpc.v"
        ]
    );
    assert_eq!(bench.state.outputs["ids"].as_items().map(<[Datum]>::len), Some(4));
}

#[test]
fn the_cloud_refuses_what_it_must() {
    let vpc = "resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }\n";
    fails(
        &format!("{vpc}resource \"aws_subnet\" \"a\" {{\n vpc_id = aws_vpc.a.id\n cidr_block = \"10.1.0.0/24\"\n}}"),
        "InvalidSubnet.Range",
    );
    fails(
        &format!(
            "{vpc}resource \"aws_subnet\" \"a\" {{\n count = 2\n vpc_id = aws_vpc.a.id\n cidr_block = \"10.0.1.0/24\"\n}}"
        ),
        "InvalidSubnet.Conflict",
    );
    fails(
        "resource \"aws_subnet\" \"a\" {\n vpc_id = \"vpc-123\"\n cidr_block = \"10.0.1.0/24\"\n}",
        "does not name an existing aws_vpc",
    );
    fails(
        "resource \"aws_s3_bucket\" \"a\" { bucket = \"same-name\" }\nresource \"aws_s3_bucket\" \"b\" { bucket = \"same-name\" }",
        "BucketAlreadyExists",
    );
    fails(
        "resource \"aws_iam_role\" \"a\" {\n name = \"r\"\n assume_role_policy = jsonencode({ Statement = [] })\n}",
        "MalformedPolicyDocument",
    );
    fails(
        "resource \"aws_s3_bucket\" \"a\" { bucket = \"some-name\" }\nresource \"aws_s3_bucket_acl\" \"a\" {\n bucket = aws_s3_bucket.a.id\n acl = \"private\"\n}",
        "AccessControlListNotSupported",
    );
    fails("resource \"aws_vpc\" \"a\" {\n count = 21\n cidr_block = \"10.0.0.0/16\"\n}", "LimitExceeded");
    fails(
        "resource \"aws_s3_bucket\" \"a\" { bucket = \"some-name\" }\nresource \"aws_s3_bucket_versioning\" \"a\" {\n bucket = \"some-name\"\n versioning_configuration { status = \"Enabled\" }\n}",
        "nothing makes this resource wait for",
    );
}

#[test]
fn dependencies_hold_back_removal() {
    let mut bench = Bench::default();
    bench.apply("resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }\nresource \"aws_subnet\" \"a\" {\n vpc_id = aws_vpc.a.id\n cidr_block = \"10.0.1.0/24\"\n}", &[]).expect("it applies");
    let id = bench.state.instances["aws_vpc.a"].id.clone();
    let error = bench.cloud.delete("aws_vpc", &id).expect_err("the subnet stands in the way");
    assert!(error.contains("DependencyViolation"), "{error}");
}

#[test]
fn mistakes_are_reported_in_terraforms_words() {
    let cases = [
        ("resource \"aws_vpc\" \"a\" { cidr = \"10.0.0.0/16\" }", "Unsupported argument"),
        ("resource \"aws_subnet\" \"a\" { cidr_block = \"10.0.0.0/24\" }", "Missing required argument"),
        ("resource \"aws_vpc\" \"a\" { cidr_block = [\"10.0.0.0/16\"] }", "Incorrect attribute value type"),
        ("resource \"aws_vcp\" \"a\" { cidr_block = \"10.0.0.0/16\" }", "Invalid resource type"),
        ("resource \"aws_vpc\" \"a\" { arn = \"x\" }", "Value for unconfigurable attribute"),
        ("resource \"aws_vpc\" \"a\" { cidr_block = var.missing }", "Reference to undeclared input variable"),
        ("output \"a\" { value = aws_vpc.b.id }", "Reference to undeclared resource"),
        (
            "resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }\noutput \"a\" { value = aws_vpc.a.identity }",
            "Unsupported attribute",
        ),
        ("resource \"aws_vpc\" \"a\" { cidr_block = each.value }", "Reference to \"each\" in context without for_each"),
        (
            "resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }\nresource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }",
            "Duplicate resource",
        ),
        ("resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.1/16\" }", "Invalid value for"),
        ("resource \"aws_security_group\" \"a\" {\n ingress { from_port = 1 }\n}", "Missing required argument"),
        ("variable \"a\" {\n type = strng\n}", "Invalid type specification"),
        ("module \"a\" { source = \"terraform-aws-modules/vpc/aws\" }", "Module not available"),
        ("terraform {\n backend \"s3\" {}\n}", "Backend initialization failed"),
        ("terraform { required_version = \">= 9.0\" }", "Unsupported Terraform Core version"),
        ("resource \"datadog_monitor\" \"a\" {}", "Failed to query available provider packages"),
        ("variable \"a\" {}\noutput \"b\" { value = var.a }", "No value for required variable"),
        (
            "variable \"a\" {\n default = 1\n validation {\n condition = var.a > 5\n error_message = \"It must be above five.\"\n }\n}",
            "It must be above five.",
        ),
        (
            "resource \"aws_vpc\" \"a\" { cidr_block = \"10.0.0.0/16\" }\nresource \"aws_vpc\" \"b\" {\n count = aws_vpc.a.id == \"x\" ? 1 : 0\n cidr_block = \"10.0.0.0/16\"\n}",
            "Invalid count argument",
        ),
    ];
    for (main, expected) in cases {
        fails(main, expected);
    }
}

#[test]
fn cycles_are_named() {
    fails(
        "locals {\n a = local.b\n b = local.c\n c = local.a\n}",
        "Cycle: local.a (expand), local.b (expand), local.c (expand)",
    );
    fails(
        "resource \"aws_security_group\" \"a\" { description = aws_security_group.b.id }\nresource \"aws_security_group\" \"b\" { description = aws_security_group.a.id }",
        "Cycle: aws_security_group.a, aws_security_group.b",
    );
    fails("resource \"aws_vpc\" \"a\" { cidr_block = aws_vpc.a.cidr_block }", "Self-referential block");
}

#[test]
fn texts_that_ask_for_too_much_end_in_an_error() {
    fails("resource \"aws_vpc\" \"a\" {\n count = 1000000000\n cidr_block = \"10.0.0.0/16\"\n}", "Too many instances");
    fails(
        "resource \"null_resource\" \"a\" {\n for_each = toset([for p in setproduct(range(100), range(100)) : \"${p[0]}-${p[1]}\"])\n}",
        "Too many instances",
    );
    let doubling: String = (1..60).map(|i| format!(" a{i} = [local.a{}, local.a{}]\n", i - 1, i - 1)).collect();
    let error =
        Bench::default().apply(&format!("locals {{\n a0 = [\"x\"]\n{doubling}}}"), &[]).expect_err("it doubles");
    assert!(error.contains("too large") || error.contains("Value too deep"), "{error}");
    let text: String = (1..60).map(|i| format!(" a{i} = \"${{local.a{}}}${{local.a{}}}\"\n", i - 1, i - 1)).collect();
    fails(&format!("locals {{\n a0 = \"laugh\"\n{text}}}"), "Evaluation too large");
    let chain: String = (1..3000).map(|i| format!(" a{i} = local.a{}\n", i - 1)).collect();
    Bench::default().apply(&format!("locals {{\n a0 = 1\n{chain}}}"), &[]).expect("a long chain is no bomb");
    let many: String = (0..5000).map(|i| format!(" a{i} = {i}\n")).collect();
    fails(&format!("locals {{\n{many}}}"), "Configuration too large");
    let own = format!("{PROVIDER}module \"a\" {{ source = \"./m\" }}");
    let error =
        load(&[("main.tf", &own), ("m/main.tf", "module \"b\" { source = \"../m\" }")]).expect_err("it calls itself");
    assert!(error.contains("Too many modules"), "{error}");
}

#[test]
fn templates_are_read_from_files_of_the_reply() {
    let root = format!(
        "{PROVIDER}output \"a\" {{ value = templatefile(\"${{path.module}}/hello.tftpl\", {{ names = [\"ann\", \"bo\"] }}) }}\n"
    );
    let mut bench = Bench::default();
    bench
        .apply_files(&[("main.tf", &root), ("hello.tftpl", "%{ for n in names ~}\nhi ${n}\n%{ endfor ~}\n")], &[])
        .expect("it applies");
    assert_eq!(bench.state.outputs["a"], Datum::text("hi ann\nhi bo\n"));
}

#[test]
fn a_share_of_the_fuzzing() {
    // The whole of it is `examples/fuzz.rs`; this share keeps a gross mistake from landing.
    let bits = [
        "{",
        "}",
        "\"",
        "${",
        "[",
        "]",
        "<<E\n",
        "resource \"aws_vpc\" \"a\" {\n",
        " = ",
        "var.a",
        "for",
        "count",
        "\n",
        "1",
        "dynamic \"x\" {",
    ];
    let mut state = 7u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % n
    };
    for _ in 0..4000 {
        let text: String = (0..next(30)).map(|_| bits[next(bits.len())]).collect();
        let _ = Bench::default().apply(&text, &[]);
        let _ = terraform::extract::extract(&text);
    }
}
