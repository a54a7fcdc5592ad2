//! The published generation tasks, told in our own words: eleven files, each with an answer that passes.

use super::TerraformTask;

/// A shipped task: its file, and a reply that passes.
pub struct ShippedTask {
    /// Its id.
    pub id: &'static str,
    /// The task file.
    pub text: &'static str,
    /// A reply that passes. It is the key: never show it to whom is measured.
    pub solution: &'static str,
}

macro_rules! shipped {
    ($($id:literal),+ $(,)?) => {
        &[$(ShippedTask {
            id: $id,
            text: include_str!(concat!("../../../../tasks/skills/terraform/", $id, ".hcl")),
            solution: include_str!(concat!("../../../../tasks/skills/terraform/solutions/", $id, ".md")),
        }),+]
    };
}

/// The eleven, by name.
pub const PUBLISHED: &[ShippedTask] = shipped![
    "ec2_instance_profile",
    "iam_role_policy",
    "s3_bucket_policy",
    "s3_cors_configuration",
    "s3_lifecycle_versioning",
    "s3_public_access_block",
    "security_group_complex",
    "vpc_3subnets_3ec2",
    "vpc_internet_gateway",
    "vpc_multiple_route_tables",
    "vpc_nat_gateway",
];

/// The published tasks, read.
pub fn published() -> Vec<TerraformTask> {
    PUBLISHED.iter().map(ShippedTask::task).collect()
}

impl ShippedTask {
    /// The task, read.
    pub fn task(&self) -> TerraformTask {
        TerraformTask::parse(self.text).expect("the shipped tasks are read in tests")
    }
}
