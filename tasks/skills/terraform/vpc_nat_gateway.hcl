id       = "vpc_nat_gateway"
defaults = false
tags     = { project = "skills", task_id = "vpc_nat_gateway" }

request = <<-EOT
  Write a configuration for a private subnet that reaches the internet through a NAT gateway: a VPC, an internet gateway attached to it, a
  public and a private subnet, an elastic IP, a NAT gateway with this address in the public subnet, and two route tables: the public
  subnet's has a default route (0.0.0.0/0) to the internet gateway, the private subnet's to the NAT gateway.
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

variable "public_subnet_cidr" {
  type  = "string"
  value = "10.0.1.0/24"
  other = "10.40.3.0/24"
  about = "the range of the public subnet"
}

variable "private_subnet_cidr" {
  type  = "string"
  value = "10.0.2.0/24"
  other = "10.40.4.0/24"
  about = "the range of the private subnet"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "internet_gateway_id" {
  about = "the id of the internet gateway"
}

output "public_subnet_id" {
  about = "the id of the public subnet"
}

output "private_subnet_id" {
  about = "the id of the private subnet"
}

output "eip_id" {
  about = "the allocation id of the elastic IP"
}

output "nat_gateway_id" {
  about = "the id of the NAT gateway"
}

output "public_route_table_id" {
  about = "the id of the public route table"
}

output "private_route_table_id" {
  about = "the id of the private route table"
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
  text = "The two subnets have the given ranges."
  test = find("aws_subnet", "id", output.public_subnet_id).cidr_block == var.public_subnet_cidr && find("aws_subnet", "id", output.private_subnet_id).cidr_block == var.private_subnet_cidr && length(all("aws_subnet")) == 2
}

require "nat" {
  text = "The NAT gateway stands in the public subnet and has the elastic IP."
  test = only("aws_nat_gateway").subnet_id == output.public_subnet_id && only("aws_nat_gateway").allocation_id == only("aws_eip").id
}

require "public_route" {
  text = "The public subnet reaches the internet through the internet gateway."
  test = internet(output.public_subnet_id) == "direct"
}

require "private_route" {
  text = "The private subnet reaches the internet through the NAT gateway, and only so."
  test = internet(output.private_subnet_id) == "nat"
}

require "tables" {
  text = "Each subnet is associated with the route table that its output names."
  test = route(output.public_subnet_id, "8.8.8.8").table == output.public_route_table_id && route(output.private_subnet_id, "8.8.8.8").table == output.private_route_table_id && length(all("aws_route_table_association")) == 2
}

require "private_addresses" {
  text = "Instances in the private subnet get no public addresses."
  test = find("aws_subnet", "id", output.private_subnet_id).map_public_ip_on_launch == false
}

require "output_ids" {
  text = "The outputs name what was made."
  test = output.vpc_id == only("aws_vpc").id && output.internet_gateway_id == only("aws_internet_gateway").id && output.eip_id == only("aws_eip").id && output.nat_gateway_id == only("aws_nat_gateway").id
}
