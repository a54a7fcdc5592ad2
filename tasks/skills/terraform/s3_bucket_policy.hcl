id       = "s3_bucket_policy"
defaults = true
tags     = { project = "skills", task_id = "s3_bucket_policy" }

request = <<-EOT
  Write a configuration for a bucket that is shared with one principal: an S3 bucket, and a bucket policy that lets the principal of
  allowed_principal_arn list the bucket (s3:ListBucket) and read its objects (s3:GetObject). Nothing else is allowed to it, and
  nothing to anyone else.
EOT

provider = <<-EOT
  Use Terraform 1.5 or newer with the provider hashicorp/aws in the region of the variable `region`. The provider speaks to
  http://localhost:4566 for s3 and sts: set these endpoints, the access key and the secret key `test`, path-style access
  to S3, and skip the validation of credentials, the metadata API check and the request of the account id.
EOT

variable "region" {
  type  = "string"
  value = "us-east-1"
  other = "us-west-2"
  about = "where everything is made"
}

variable "bucket_name" {
  type  = "string"
  value = "skills-data-1234"
  other = "skills-other-5678"
  about = "the name of the bucket"
}

variable "allowed_principal_arn" {
  type  = "string"
  value = "arn:aws:iam::111122223333:role/reader"
  other = "arn:aws:iam::444455556666:user/auditor"
  about = "the ARN of the principal"
}

output "bucket_id" {
  about = "the id of the bucket"
}

output "bucket_arn" {
  about = "the ARN of the bucket"
}

require "bucket" {
  text = "There is one bucket with the given name."
  test = only("aws_s3_bucket").bucket == var.bucket_name
}

require "may_read" {
  text = "The principal may read objects."
  test = allows(var.allowed_principal_arn, "s3:GetObject", "arn:aws:s3:::${var.bucket_name}/a/b.txt")
}

require "may_list" {
  text = "The principal may list the bucket."
  test = allows(var.allowed_principal_arn, "s3:ListBucket", "arn:aws:s3:::${var.bucket_name}")
}

require "no_more" {
  text = "The principal may do nothing else."
  test = beyond([for g in bucket_grants(var.bucket_name) : g if startswith(g, "${var.allowed_principal_arn} ")], ["s3:GetObject", "s3:ListBucket"], ["arn:aws:s3:::${var.bucket_name}", "arn:aws:s3:::${var.bucket_name}/*"]) == []
}

require "no_one_else" {
  text = "No one else may do anything."
  test = [for g in bucket_grants(var.bucket_name) : g if !startswith(g, "deny ") && !startswith(g, "${var.allowed_principal_arn} ")] == []
}

require "not_public" {
  text = "The bucket is not public."
  test = !public(var.bucket_name)
}

require "output_ids" {
  text = "The outputs name the bucket."
  test = output.bucket_id == only("aws_s3_bucket").id && output.bucket_arn == only("aws_s3_bucket").arn
}
