id       = "iam_role_policy"
defaults = true
tags     = { project = "skills", task_id = "iam_role_policy" }

request = <<-EOT
  Write a configuration for a role that reads from S3: an IAM role that the EC2 service (and nothing else) may assume, a managed
  policy of its own that allows s3:GetObject and s3:ListBucket on all resources and nothing more, and the attachment of that
  policy to the role.
EOT

provider = <<-EOT
  Use Terraform 1.5 or newer with the provider hashicorp/aws in the region of the variable `region`. The provider speaks to
  http://localhost:4566 for iam, s3 and sts: set these endpoints, the access key and the secret key `test`, path-style access
  to S3, and skip the validation of credentials, the metadata API check and the request of the account id.
EOT

variable "region" {
  type  = "string"
  value = "us-east-1"
  other = "us-west-2"
  about = "where everything is made"
}

variable "role_name" {
  type  = "string"
  value = "reader-role"
  other = "other-role"
  about = "the name of the role"
}

variable "policy_name" {
  type  = "string"
  value = "reader-policy"
  other = "other-policy"
  about = "the name of the policy"
}

output "role_id" {
  about = "the id of the role"
}

output "role_arn" {
  about = "the ARN of the role"
}

output "policy_arn" {
  about = "the ARN of the policy"
}

require "role" {
  text = "There is one role with the given name."
  test = only("aws_iam_role").name == var.role_name
}

require "trust" {
  text = "The EC2 service, and nothing else, may assume the role."
  test = trusted(var.role_name) == ["ec2.amazonaws.com"]
}

require "policy" {
  text = "There is one managed policy with the given name."
  test = only("aws_iam_policy").name == var.policy_name
}

require "grants" {
  text = "Through its policies the role may do s3:GetObject and s3:ListBucket on everything, and nothing else."
  test = sort([for g in granted(var.role_name) : lower(g)]) == ["s3:getobject *", "s3:listbucket *"]
}

require "attached" {
  text = "The policy itself allows it: no inline copy, no policy of AWS."
  test = anytrue([for a in concat(all("aws_iam_role_policy_attachment"), all("aws_iam_policy_attachment"), all("aws_iam_role_policy_attachments_exclusive")) : try(a.policy_arn, "") == only("aws_iam_policy").arn]) && all("aws_iam_role_policy") == []
}

require "output_ids" {
  text = "The outputs name the role and the policy."
  test = output.role_id == only("aws_iam_role").id && output.role_arn == only("aws_iam_role").arn && output.policy_arn == only("aws_iam_policy").arn
}
