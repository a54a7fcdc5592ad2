id       = "s3_cors_configuration"
defaults = true
tags     = { project = "skills", task_id = "s3_cors_configuration" }

request = <<-EOT
  Write a configuration for a bucket that a web page may use: an S3 bucket with one CORS rule. The rule allows the origin of
  allowed_origin and the methods of allowed_methods, all headers (*), and lets browsers remember the answer for 3000 seconds.
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

variable "allowed_origin" {
  type  = "string"
  value = "https://app.example.com"
  other = "https://shop.example.org"
  about = "the origin that may use the bucket"
}

variable "allowed_methods" {
  type  = "list(string)"
  value = ["GET", "POST"]
  other = ["PUT", "HEAD"]
  about = "the methods it may use"
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

require "one_rule" {
  text = "The bucket has one CORS rule."
  test = length(cors(var.bucket_name)) == 1
}

require "origin" {
  text = "The rule allows the given origin alone."
  test = cors(var.bucket_name)[0].origins == [var.allowed_origin]
}

require "methods" {
  text = "The rule allows the given methods alone."
  test = cors(var.bucket_name)[0].methods == sort(var.allowed_methods)
}

require "headers" {
  text = "The rule allows all headers."
  test = cors(var.bucket_name)[0].headers == ["*"]
}

require "age" {
  text = "Answers are remembered for 3000 seconds."
  test = cors(var.bucket_name)[0].age == 3000
}

require "output_ids" {
  text = "The outputs name the bucket."
  test = output.bucket_id == only("aws_s3_bucket").id && output.bucket_arn == only("aws_s3_bucket").arn
}
