id       = "vpc_multiple_route_tables"
defaults = false
tags     = { project = "skills", task_id = "vpc_multiple_route_tables" }

request = <<-EOT
  Write a configuration for a network with a public and a private side: a VPC, an internet gateway attached to it, three subnets with the
  ranges of subnet_cidrs in this order, and two route tables. The first table has a default route (0.0.0.0/0) to the internet gateway
  and is associated with the first two subnets. The second has no route to the internet and is associated with the third.
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

variable "subnet_cidrs" {
  type  = "list(string)"
  value = ["10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]
  other = ["10.40.8.0/24", "10.40.9.0/24", "10.40.10.0/24"]
  about = "the ranges of the three subnets"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "internet_gateway_id" {
  about = "the id of the internet gateway"
}

output "subnet_ids" {
  about = "the list of the subnets' ids"
}

output "route_table_ids" {
  about = "the list of the two route tables' ids"
}

require "vpc" {
  text = "There is one VPC with the range of vpc_cidr."
  test = only("aws_vpc").cidr_block == var.vpc_cidr
}

require "gateway" {
  text = "One internet gateway is attached to the VPC."
  test = only("aws_internet_gateway").vpc_id == only("aws_vpc").id
}

require "subnets" {
  text = "The VPC has one subnet for each range of subnet_cidrs, and no other."
  test = sort([for s in all("aws_subnet") : "${s.vpc_id} ${s.cidr_block}"]) == sort([for c in var.subnet_cidrs : "${only("aws_vpc").id} ${c}"])
}

require "two_tables" {
  text = "There are two route tables beside the main one of the VPC."
  test = length(all("aws_route_table")) == 2 && all("aws_default_route_table") == []
}

require "public" {
  text = "The first two subnets reach the internet through the gateway."
  test = [for c in slice(var.subnet_cidrs, 0, 2) : internet(find("aws_subnet", "cidr_block", c).id)] == ["direct", "direct"]
}

require "private" {
  text = "The third subnet does not reach the internet."
  test = internet(find("aws_subnet", "cidr_block", var.subnet_cidrs[2]).id) == "no"
}

require "shared" {
  text = "The first two subnets share a table, and the third has the other one."
  test = [for c in var.subnet_cidrs : route(find("aws_subnet", "cidr_block", c).id, "8.8.8.8").table == route(find("aws_subnet", "cidr_block", var.subnet_cidrs[0]).id, "8.8.8.8").table] == [true, true, false]
}

require "associated" {
  text = "Every subnet is associated with one of the two tables."
  test = length([for a in all("aws_route_table_association") : a if contains([for t in all("aws_route_table") : t.id], a.route_table_id)]) == 3
}

require "output_ids" {
  text = "The outputs name what was made."
  test = output.vpc_id == only("aws_vpc").id && output.internet_gateway_id == only("aws_internet_gateway").id && sort(output.subnet_ids) == sort([for s in all("aws_subnet") : s.id]) && sort(output.route_table_ids) == sort([for t in all("aws_route_table") : t.id])
}
