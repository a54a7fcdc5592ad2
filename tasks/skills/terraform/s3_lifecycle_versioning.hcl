id       = "s3_lifecycle_versioning"
defaults = true
tags     = { project = "skills", task_id = "s3_lifecycle_versioning" }

request = <<-EOT
  Write a configuration for a bucket that keeps and archives: an S3 bucket, versioning that is enabled when versioning_enabled is true and
  suspended or off when it is not, and one lifecycle rule that is enabled, holds for all objects, and moves them to the storage
  class GLACIER after lifecycle_days days. Nothing expires.
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

variable "versioning_enabled" {
  type  = "bool"
  value = true
  other = false
  about = "whether versions are kept"
}

variable "lifecycle_days" {
  type  = "number"
  value = 30
  other = 45
  about = "the age at which objects move"
}

output "bucket_id" {
  about = "the id of the bucket"
}

output "bucket_arn" {
  about = "the ARN of the bucket"
}

output "versioning_status" {
  about = "the status of versioning: Enabled, or another word when it is not"
}

require "bucket" {
  text = "There is one bucket with the given name."
  test = only("aws_s3_bucket").bucket == var.bucket_name
}

require "versioning" {
  text = "Versioning follows versioning_enabled."
  test = (versioning(var.bucket_name) == "Enabled") == var.versioning_enabled
}

require "archives" {
  text = "All objects move to GLACIER after lifecycle_days days."
  test = transitions(var.bucket_name) == [{ days = var.lifecycle_days, class = "GLACIER", prefix = "" }]
}

require "keeps" {
  text = "Nothing expires."
  test = expirations(var.bucket_name) == []
}

require "status" {
  text = "The output says whether versioning is enabled."
  test = (output.versioning_status == "Enabled") == var.versioning_enabled
}

require "output_ids" {
  text = "The outputs name the bucket."
  test = output.bucket_id == only("aws_s3_bucket").id && output.bucket_arn == only("aws_s3_bucket").arn
}
