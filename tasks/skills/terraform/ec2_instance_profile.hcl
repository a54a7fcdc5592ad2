id       = "ec2_instance_profile"
defaults = true
tags     = { project = "skills", task_id = "ec2_instance_profile" }

request = <<-EOT
  Write a configuration for an EC2 instance that acts with a role: a VPC with one subnet, an IAM role that the EC2 service
  (and nothing else) may assume, an instance profile of the same name that holds the role, and one instance in the subnet that
  uses the profile. The image is ami-12345678.
EOT

provider = <<-EOT
  Use Terraform 1.5 or newer with the provider hashicorp/aws in the region of the variable `region`. The provider speaks to
  http://localhost:4566 for ec2, iam and sts: set these endpoints, the access key and the secret key `test`, path-style access
  to S3, and skip the validation of credentials, the metadata API check and the request of the account id.
EOT

variable "region" {
  type  = "string"
  value = "us-east-1"
  other = "us-west-2"
  about = "where everything is made"
}

variable "vpc_cidr" {
  type  = "string"
  value = "10.0.0.0/16"
  other = "10.40.0.0/16"
  about = "the range of the VPC"
}

variable "subnet_cidr" {
  type  = "string"
  value = "10.0.1.0/24"
  other = "10.40.7.0/24"
  about = "the range of the subnet"
}

variable "instance_type" {
  type  = "string"
  value = "t2.micro"
  other = "t3.small"
  about = "the type of the instance"
}

variable "role_name" {
  type  = "string"
  value = "app-role"
  other = "other-role"
  about = "the name of the role and of the profile"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "subnet_id" {
  about = "the id of the subnet"
}

output "instance_id" {
  about = "the id of the instance"
}

output "role_arn" {
  about = "the ARN of the role"
}

output "instance_profile_arn" {
  about = "the ARN of the instance profile"
}

require "vpc" {
  text = "There is one VPC with the range of vpc_cidr."
  test = only("aws_vpc").cidr_block == var.vpc_cidr
}

require "subnet" {
  text = "The VPC has one subnet with the range of subnet_cidr."
  test = only("aws_subnet").cidr_block == var.subnet_cidr && only("aws_subnet").vpc_id == only("aws_vpc").id
}

require "trust" {
  text = "The role has the given name, and the EC2 service alone may assume it."
  test = only("aws_iam_role").name == var.role_name && trusted(var.role_name) == ["ec2.amazonaws.com"]
}

require "profile" {
  text = "The instance profile has the same name and holds the role."
  test = only("aws_iam_instance_profile").name == var.role_name && only("aws_iam_instance_profile").role == var.role_name
}

require "uses_profile" {
  text = "The instance uses the profile."
  test = only("aws_instance").iam_instance_profile == var.role_name
}

require "instance" {
  text = "The instance stands in the subnet, with the given type and image."
  test = only("aws_instance").subnet_id == only("aws_subnet").id && only("aws_instance").instance_type == var.instance_type && only("aws_instance").ami == "ami-12345678"
}

require "output_ids" {
  text = "The outputs name what was made."
  test = output.vpc_id == only("aws_vpc").id && output.subnet_id == only("aws_subnet").id && output.instance_id == only("aws_instance").id && output.role_arn == only("aws_iam_role").arn && output.instance_profile_arn == only("aws_iam_instance_profile").arn
}
