id       = "s3_public_access_block"
defaults = true
tags     = { project = "skills", task_id = "s3_public_access_block" }

request = <<-EOT
  Write a configuration for a bucket that is kept from the public: an S3 bucket and its public access block, whose four settings follow
  the four variables of the same names.
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

variable "block_public_acls" {
  type  = "bool"
  value = true
  other = true
  about = "the setting of this name"
}

variable "block_public_policy" {
  type  = "bool"
  value = true
  other = false
  about = "the setting of this name"
}

variable "ignore_public_acls" {
  type  = "bool"
  value = true
  other = true
  about = "the setting of this name"
}

variable "restrict_public_buckets" {
  type  = "bool"
  value = true
  other = false
  about = "the setting of this name"
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

require "block_public_acls" {
  text = "The setting block_public_acls follows its variable."
  test = public_access(var.bucket_name).block_public_acls == var.block_public_acls
}

require "block_public_policy" {
  text = "The setting block_public_policy follows its variable."
  test = public_access(var.bucket_name).block_public_policy == var.block_public_policy
}

require "ignore_public_acls" {
  text = "The setting ignore_public_acls follows its variable."
  test = public_access(var.bucket_name).ignore_public_acls == var.ignore_public_acls
}

require "restrict_public_buckets" {
  text = "The setting restrict_public_buckets follows its variable."
  test = public_access(var.bucket_name).restrict_public_buckets == var.restrict_public_buckets
}

require "one_block" {
  text = "There is one public access block, and it is the bucket's."
  test = only("aws_s3_bucket_public_access_block").bucket == only("aws_s3_bucket").id
}

require "output_ids" {
  text = "The outputs name the bucket."
  test = output.bucket_id == only("aws_s3_bucket").id && output.bucket_arn == only("aws_s3_bucket").arn
}
