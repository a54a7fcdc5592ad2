//! The families of questions, and what each of them asks.

use serde::{Deserialize, Serialize};

/// What a question asks for. Families are reported apart: no average hides one behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skill {
    /// A description, and four changes of which one answers it.
    GmcqEasy,
    /// A description, and four versions of the same change.
    GmcqHard,
    /// Terraform choice: virtual machines on Azure.
    AzureCompute,
    /// Terraform choice: Kubernetes on Azure.
    AzureK8s,
    /// Terraform choice: networks on Azure.
    AzureNetwork,
    /// Terraform choice: machines and clusters on Google Cloud.
    GcpCompute,
    /// Terraform choice: networks on Google Cloud.
    GcpNetwork,
    /// Terraform choice: buckets on Google Cloud.
    GcpStorage,
    /// Terraform choice: identities and policies on AWS.
    Iam,
    /// Terraform choice: buckets on AWS.
    S3Security,
    /// Terraform choice: networks on AWS.
    VpcNat,
    /// A change with some lines masked: write them (published as MPR-Gen).
    MaskedChange,
    /// A change: write its title and description (published as Reverse-QA).
    Reverse,
    /// The same, and nothing may be claimed that the change does not show (Reverse-QA-Hallu).
    ReverseGrounded,
    /// A change, and four descriptions of which one is its own.
    ReverseMatch,
    /// As the easy or hard choice, but the right change may be missing.
    NoneOfThese,
    /// A change with one hunk masked, and four hunks of which one completes it.
    MaskedHunk,
    /// A description and a tree of files: name the files to change.
    Localise,
    /// A regression, and four changes of which one caused it.
    Culprit,
}

impl Skill {
    /// Every family, in the order of reports.
    pub const ALL: [Skill; 19] = [
        Skill::GmcqEasy,
        Skill::GmcqHard,
        Skill::AzureCompute,
        Skill::AzureK8s,
        Skill::AzureNetwork,
        Skill::GcpCompute,
        Skill::GcpNetwork,
        Skill::GcpStorage,
        Skill::Iam,
        Skill::S3Security,
        Skill::VpcNat,
        Skill::MaskedChange,
        Skill::Reverse,
        Skill::ReverseGrounded,
        Skill::ReverseMatch,
        Skill::NoneOfThese,
        Skill::MaskedHunk,
        Skill::Localise,
        Skill::Culprit,
    ];

    /// The nine Terraform choices.
    pub const TERRAFORM: [Skill; 9] = [
        Skill::AzureCompute,
        Skill::AzureK8s,
        Skill::AzureNetwork,
        Skill::GcpCompute,
        Skill::GcpNetwork,
        Skill::GcpStorage,
        Skill::Iam,
        Skill::S3Security,
        Skill::VpcNat,
    ];

    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Skill::GmcqEasy => "gmcq-easy",
            Skill::GmcqHard => "gmcq-hard",
            Skill::AzureCompute => "azure-compute",
            Skill::AzureK8s => "azure-k8s",
            Skill::AzureNetwork => "azure-network",
            Skill::GcpCompute => "gcp-compute",
            Skill::GcpNetwork => "gcp-network",
            Skill::GcpStorage => "gcp-storage",
            Skill::Iam => "iam",
            Skill::S3Security => "s3-security",
            Skill::VpcNat => "vpc-nat",
            Skill::MaskedChange => "masked-change",
            Skill::Reverse => "reverse",
            Skill::ReverseGrounded => "reverse-grounded",
            Skill::ReverseMatch => "reverse-match",
            Skill::NoneOfThese => "none-of-these",
            Skill::MaskedHunk => "masked-hunk",
            Skill::Localise => "localise",
            Skill::Culprit => "culprit",
        }
    }

    /// The family of a name, if there is one.
    pub fn named(name: &str) -> Option<Skill> {
        Skill::ALL.into_iter().find(|skill| skill.name() == name)
    }

    /// What the name of a published file stands for; its names end in `-mcq` or carry a version.
    pub fn of_published(name: &str) -> Option<Skill> {
        let name = name.to_lowercase().replace('_', "-");
        let known = [
            ("mcq-easy", Skill::GmcqEasy),
            ("mcq-hard", Skill::GmcqHard),
            ("target-sre-mcq", Skill::GmcqEasy),
            ("gmcq", Skill::GmcqEasy),
            ("mpr-gen", Skill::MaskedChange),
            ("reverse-qa-hallu", Skill::ReverseGrounded),
            ("reverse-qa", Skill::Reverse),
        ];
        let terraform = Skill::TERRAFORM.into_iter().map(|skill| (skill.name(), skill));
        known.into_iter().chain(terraform).find(|(part, _)| name.contains(part)).map(|(_, skill)| skill)
    }

    /// Whether it is one of the nine Terraform choices.
    pub fn is_terraform(self) -> bool {
        Skill::TERRAFORM.contains(&self)
    }

    /// Whether an answer is one of several options.
    pub fn is_choice(self) -> bool {
        !matches!(self, Skill::MaskedChange | Skill::Reverse | Skill::ReverseGrounded | Skill::Localise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for skill in Skill::ALL {
            assert_eq!(Skill::named(skill.name()), Some(skill));
            let json = serde_json::to_string(&skill).expect("a plain name");
            assert_eq!(json, format!("\"{}\"", skill.name()));
        }
    }

    #[test]
    fn published_names_are_known() {
        let check = |name, skill| assert_eq!(Skill::of_published(name), Some(skill), "{name}");
        check("azure-k8s-mcq.json", Skill::AzureK8s);
        check("iam-mcq.json", Skill::Iam);
        check("gcp-storage-mcq", Skill::GcpStorage);
        check("duckdb_mcq_hard.jsonl", Skill::GmcqHard);
        check("reverse_qa.jsonl", Skill::Reverse);
        check("reverse_qa_hallu.jsonl", Skill::ReverseGrounded);
        check("mpr_gen.jsonl", Skill::MaskedChange);
        check("target_sre_mcq.jsonl", Skill::GmcqEasy);
        assert_eq!(Skill::of_published("models.json"), None);
    }
}
