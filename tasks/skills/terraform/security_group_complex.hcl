id       = "security_group_complex"
defaults = true
tags     = { project = "skills", task_id = "security_group_complex" }

request = <<-EOT
  Write a configuration for a security group: a VPC and in it one security group that lets in TCP port 22 from allowed_ssh_cidr and TCP
  port 80 from allowed_http_cidr, and nothing else, and that lets everything out.
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
  value = "10.1.0.0/16"
  other = "10.41.0.0/16"
  about = "the range of the VPC"
}

variable "allowed_ssh_cidr" {
  type  = "string"
  value = "0.0.0.0/0"
  other = "192.168.4.0/24"
  about = "who may reach port 22"
}

variable "allowed_http_cidr" {
  type  = "string"
  value = "0.0.0.0/0"
  other = "172.16.0.0/12"
  about = "who may reach port 80"
}

output "vpc_id" {
  about = "the id of the VPC"
}

output "security_group_id" {
  about = "the id of the security group"
}

output "security_group_arn" {
  about = "the ARN of the security group"
}

require "vpc" {
  text = "There is one VPC with the range of vpc_cidr."
  test = only("aws_vpc").cidr_block == var.vpc_cidr
}

require "in_vpc" {
  text = "The security group belongs to the VPC."
  test = only("aws_security_group").vpc_id == only("aws_vpc").id
}

require "ingress" {
  text = "Port 22 and port 80 are open to the given ranges, and nothing else is."
  test = rules(only("aws_security_group").id, "ingress") == sort(["tcp 22-22 ${var.allowed_ssh_cidr}", "tcp 80-80 ${var.allowed_http_cidr}"])
}

require "default_group" {
  text = "The VPC's default security group is not opened."
  test = [for g in all("aws_default_security_group") : g.id if [for r in rules(g.id, "ingress") : r if !endswith(r, g.id)] != []] == []
}

require "egress" {
  text = "Everything may go out."
  test = setsubtract(rules(only("aws_security_group").id, "egress"), ["all all ::/0"]) == ["all all 0.0.0.0/0"]
}

require "output_ids" {
  text = "The outputs name the VPC and the security group."
  test = output.vpc_id == only("aws_vpc").id && output.security_group_id == only("aws_security_group").id && output.security_group_arn == only("aws_security_group").arn
}
