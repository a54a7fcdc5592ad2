id       = "vpc_internet_gateway"
defaults = false
tags     = { project = "skills", task_id = "vpc_internet_gateway" }

request = <<-EOT
  Write a configuration for a public subnet: a VPC, an internet gateway attached to it, one subnet whose instances get public addresses
  when they start, and a route table of its own with a default route (0.0.0.0/0) to the gateway, associated with the subnet.
EOT

provider = <<-EOT
  Use Terraform 1.5 or newer with the provider hashicorp/aws in the region of the variable `region`. The provider speaks to
  http://localhost:4566 for ec2 and sts: set these endpoints, the access key and the secret key `test`, path-style access
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
  other = "10.40.3.0/24"
  about = "the range of the subnet"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "internet_gateway_id" {
  about = "the id of the internet gateway"
}

output "subnet_id" {
  about = "the id of the subnet"
}

output "route_table_id" {
  about = "the id of the route table"
}

require "vpc" {
  text = "There is one VPC with the range of vpc_cidr."
  test = only("aws_vpc").cidr_block == var.vpc_cidr
}

require "gateway" {
  text = "One internet gateway is attached to the VPC."
  test = only("aws_internet_gateway").id == output.internet_gateway_id && length(concat([for g in all("aws_internet_gateway") : g if g.vpc_id == only("aws_vpc").id], all("aws_internet_gateway_attachment"))) == 1
}

require "subnet" {
  text = "The VPC has one subnet with the range of subnet_cidr."
  test = only("aws_subnet").cidr_block == var.subnet_cidr && only("aws_subnet").vpc_id == only("aws_vpc").id
}

require "public_addresses" {
  text = "Instances in the subnet get public addresses."
  test = only("aws_subnet").map_public_ip_on_launch == true
}

require "default_route" {
  text = "Traffic from the subnet to the internet goes through the gateway."
  test = route(only("aws_subnet").id, "8.8.8.8").id == only("aws_internet_gateway").id
}

require "own_table" {
  text = "The subnet is associated with the route table that the output names."
  test = only("aws_route_table_association").subnet_id == only("aws_subnet").id && only("aws_route_table_association").route_table_id == output.route_table_id
}

require "output_ids" {
  text = "The outputs name the VPC and the subnet."
  test = output.vpc_id == only("aws_vpc").id && output.subnet_id == only("aws_subnet").id
}
