id       = "vpc_3subnets_3ec2"
defaults = true
tags     = { project = "skills", task_id = "vpc_3subnets_3ec2" }

request = <<-EOT
  Write a configuration for a small network with three machines: one VPC, three subnets in it, one for each range of
  subnet_cidrs, and three EC2 instances of the given type, exactly one in each subnet. Any Amazon Linux image will do.
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

variable "subnet_cidrs" {
  type  = "list(string)"
  value = ["10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]
  other = ["10.40.8.0/24", "10.40.9.0/24", "10.40.10.0/24"]
  about = "the ranges of the three subnets"
}

variable "instance_type" {
  type  = "string"
  value = "t3.micro"
  other = "t3.small"
  about = "the type of the instances"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "subnet_ids" {
  about = "the list of the subnets' ids"
}

output "instance_ids" {
  about = "the list of the instances' ids"
}

require "vpc" {
  text = "There is one VPC with the range of vpc_cidr."
  test = only("aws_vpc").cidr_block == var.vpc_cidr
}

require "subnets" {
  text = "The VPC has one subnet for each range of subnet_cidrs, and no other."
  test = sort([for s in all("aws_subnet") : "${s.vpc_id} ${s.cidr_block}"]) == sort([for c in var.subnet_cidrs : "${only("aws_vpc").id} ${c}"])
}

require "one_per_subnet" {
  text = "Each subnet holds exactly one instance."
  test = sort([for i in all("aws_instance") : i.subnet_id]) == sort([for s in all("aws_subnet") : s.id])
}

require "instance_type" {
  text = "All instances have the given type."
  test = distinct([for i in all("aws_instance") : i.instance_type]) == [var.instance_type]
}

require "output_ids" {
  text = "The outputs name the VPC, its subnets and the instances."
  test = output.vpc_id == only("aws_vpc").id && sort(output.subnet_ids) == sort([for s in all("aws_subnet") : s.id]) && sort(output.instance_ids) == sort([for i in all("aws_instance") : i.id])
}
