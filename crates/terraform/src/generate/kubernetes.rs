//! Kubernetes of the three clouds.

use super::sketch::TaskSketch;
use super::{aws_network, azure, google};
use crate::draws::SeededDraws;

const NAMES: &[&str] = &["core", "apps", "batch", "edge", "shared"];

pub(super) fn aws(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a Kubernetes cluster on AWS (EKS).");
    aws_network::provider(s, d);
    let ranges = aws_network::vpc(s, d);
    aws_network::zones(s);
    aws_network::subnets(s, d, "public", ranges, (3, 3));
    aws_network::gateway(s);
    let (a, b) = d.two(NAMES);
    s.variable("cluster_name", "string", &format!("{a:?}"), &format!("{b:?}"), "the name of the cluster");
    let (least, extra) = (d.between(1, 3), d.between(1, 4));
    s.variable(
        "most_nodes",
        "number",
        &(least + extra).to_string(),
        &(least + extra + 3).to_string(),
        "the largest number of nodes",
    );
    let office = format!("198.51.{}.0/24", d.below(200));
    for (name, service) in [("cluster", "eks"), ("node", "ec2")] {
        s.add(&format!("resource \"aws_iam_role\" \"§{name}\" {{\n  name = \"{name}-role\"\n  assume_role_policy = jsonencode({{\n    Version   = \"2012-10-17\"\n    Statement = [{{ Effect = \"Allow\", Action = \"sts:AssumeRole\", Principal = {{ Service = \"{service}.amazonaws.com\" }} }}]\n  }})\n}}"));
    }
    s.add("resource \"aws_iam_role_policy_attachment\" \"§cluster\" {\n  role       = aws_iam_role.§cluster.name\n  policy_arn = \"arn:aws:iam::aws:policy/AmazonEKSClusterPolicy\"\n}\n\nresource \"aws_iam_role_policy_attachment\" \"§node\" {\n  for_each   = toset([\"AmazonEKSWorkerNodePolicy\", \"AmazonEKS_CNI_Policy\", \"AmazonEC2ContainerRegistryReadOnly\"])\n  role       = aws_iam_role.§node.name\n  policy_arn = \"arn:aws:iam::aws:policy/${each.value}\"\n}");
    s.add(&format!("resource \"aws_eks_cluster\" \"§k8s\" {{\n  name                      = var.cluster_name\n  role_arn                  = aws_iam_role.§cluster.arn\n  enabled_cluster_log_types = [\"api\", \"audit\"]\n  vpc_config {{\n    subnet_ids              = aws_subnet.§public[*].id\n    endpoint_private_access = true\n    public_access_cidrs     = [\"{office}\"]\n  }}\n  depends_on = [aws_iam_role_policy_attachment.§cluster]\n}}"));
    s.add(&format!("resource \"aws_eks_node_group\" \"§k8s\" {{\n  cluster_name    = aws_eks_cluster.§k8s.name\n  node_group_name = \"nodes\"\n  node_role_arn   = aws_iam_role.§node.arn\n  subnet_ids      = aws_subnet.§public[*].id\n  scaling_config {{\n    min_size     = {least}\n    desired_size = {least}\n    max_size     = var.most_nodes\n  }}\n  depends_on = [aws_iam_role_policy_attachment.§node]\n}}"));
    s.output("cluster_endpoint", "the address of the cluster's API", "aws_eks_cluster.§k8s.endpoint");
    let cluster = "only(\"aws_eks_cluster\")";
    s.require("cluster", "There is one cluster with the name cluster_name in the public subnets.", &format!("{cluster}.name == var.cluster_name && {cluster}.vpc_config[0].subnet_ids == toset(output.public_subnet_ids) && output.cluster_endpoint == {cluster}.endpoint"), "the name has an ending", &[("name                      = var.cluster_name", "name                      = \"${var.cluster_name}-1\"")]);
    s.require("api_access", &format!("Its API is reached from within the VPC and, from outside, from {office} only."), &format!("{cluster}.vpc_config[0].endpoint_private_access == true && {cluster}.vpc_config[0].public_access_cidrs == toset([\"{office}\"])"), "the API is open to the world", &[(&format!("[\"{office}\"]"), "[\"0.0.0.0/0\"]")]);
    s.require(
        "logs",
        "Its logs of the types api and audit are kept.",
        &format!(
            "setintersection({cluster}.enabled_cluster_log_types, [\"api\", \"audit\"]) == toset([\"api\", \"audit\"])"
        ),
        "audit is missing",
        &[("[\"api\", \"audit\"]", "[\"api\"]")],
    );
    s.require("nodes", &format!("A node group of the cluster keeps between {least} and most_nodes nodes."), &format!("only(\"aws_eks_node_group\").cluster_name == var.cluster_name && only(\"aws_eks_node_group\").scaling_config[0].min_size == {least} && only(\"aws_eks_node_group\").scaling_config[0].max_size == var.most_nodes"), "the least number is another one", &[(&format!("    min_size     = {least}\n"), &format!("    min_size     = {}\n", least - 1))]);
    s.require("node_role", "The nodes have a role that the EC2 service may assume, with the three policies that nodes need: AmazonEKSWorkerNodePolicy, AmazonEKS_CNI_Policy and AmazonEC2ContainerRegistryReadOnly.", "trusted(only(\"aws_eks_node_group\").node_role_arn) == [\"ec2.amazonaws.com\"] && sort([for a in all(\"aws_iam_role_policy_attachment\") : a.policy_arn if a.role == find(\"aws_iam_role\", \"arn\", only(\"aws_eks_node_group\").node_role_arn).name]) == sort([for p in [\"AmazonEKSWorkerNodePolicy\", \"AmazonEKS_CNI_Policy\", \"AmazonEC2ContainerRegistryReadOnly\"] : \"arn:aws:iam::aws:policy/${p}\"])", "a policy is missing", &[(", \"AmazonEC2ContainerRegistryReadOnly\"])", "])")]);
    s.mutant(
        "wrong_trust",
        "APPLY",
        "the cluster's role trusts another service",
        &[("eks.amazonaws.com", "ecs.amazonaws.com")],
    );
}

pub(super) fn google(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a Kubernetes cluster on Google Cloud (GKE).");
    google::provider(s, d);
    google::subnets(s, d);
    let (a, b) = d.two(NAMES);
    s.variable("cluster_name", "string", &format!("{a:?}"), &format!("{b:?}"), "the name of the cluster");
    let (one, two) = d.two(&["e2-standard-2", "e2-standard-4", "n2-standard-4", "n2-standard-8"]);
    s.variable("machine_type", "string", &format!("{one:?}"), &format!("{two:?}"), "the type of the nodes");
    let (least, extra) = (d.between(1, 3), d.between(1, 4));
    let most = least + extra;
    let master = format!("172.16.{}.0/28", d.below(200));
    let channel = *d.pick(&["REGULAR", "STABLE", "RAPID"]);
    s.add(&format!("resource \"google_container_cluster\" \"§k8s\" {{\n  name                     = var.cluster_name\n  location                 = var.region\n  network                  = google_compute_network.§net.id\n  subnetwork               = values(google_compute_subnetwork.§net)[0].id\n  initial_node_count       = 1\n  remove_default_node_pool = true\n  deletion_protection      = false\n  private_cluster_config {{\n    enable_private_nodes   = true\n    master_ipv4_cidr_block = \"{master}\"\n  }}\n  release_channel {{\n    channel = \"{channel}\"\n  }}\n  workload_identity_config {{\n    workload_pool = \"${{var.project}}.svc.id.goog\"\n  }}\n}}"));
    s.add(&format!("resource \"google_container_node_pool\" \"§k8s\" {{\n  name     = \"nodes\"\n  cluster  = google_container_cluster.§k8s.id\n  location = var.region\n  autoscaling {{\n    min_node_count = {least}\n    max_node_count = {most}\n  }}\n  management {{\n    auto_repair  = true\n    auto_upgrade = true\n  }}\n  node_config {{\n    machine_type = var.machine_type\n  }}\n}}"));
    s.output("cluster_endpoint", "the address of the cluster's API", "google_container_cluster.§k8s.endpoint");
    let cluster = "only(\"google_container_cluster\")";
    s.require("cluster", "There is one cluster with the name cluster_name in the region, in the network, without its default node pool, which can be destroyed.", &format!("{cluster}.name == var.cluster_name && {cluster}.location == var.region && {cluster}.network == output.network_id && {cluster}.remove_default_node_pool == true && output.cluster_endpoint == {cluster}.endpoint"), "the default node pool stays", &[("  remove_default_node_pool = true\n", "")]);
    s.require("private_nodes", &format!("Its nodes have private addresses only, and its control plane the range {master}."), &format!("{cluster}.private_cluster_config[0].enable_private_nodes == true && {cluster}.private_cluster_config[0].master_ipv4_cidr_block == \"{master}\""), "nodes have public addresses", &[("enable_private_nodes   = true", "enable_private_nodes   = false")]);
    s.require(
        "channel",
        &format!("It follows the release channel {channel}."),
        &format!("{cluster}.release_channel[0].channel == \"{channel}\""),
        "it follows no channel",
        &[(&format!("channel = \"{channel}\""), "channel = \"UNSPECIFIED\"")],
    );
    s.require(
        "identity",
        "Workload identity is on, with the pool of the project.",
        &format!("{cluster}.workload_identity_config[0].workload_pool == \"${{var.project}}.svc.id.goog\""),
        "the pool is another project's",
        &[("${var.project}.svc.id.goog", "elsewhere.svc.id.goog")],
    );
    s.require("nodes", &format!("A node pool with the type machine_type grows from {least} to {most} nodes per zone, and is repaired and upgraded automatically."), &format!("only(\"google_container_node_pool\").cluster == {cluster}.id && only(\"google_container_node_pool\").autoscaling[0].min_node_count == {least} && only(\"google_container_node_pool\").autoscaling[0].max_node_count == {most} && only(\"google_container_node_pool\").node_config[0].machine_type == var.machine_type && only(\"google_container_node_pool\").management[0].auto_repair == true && only(\"google_container_node_pool\").management[0].auto_upgrade == true"), "nodes are not repaired", &[("    auto_repair  = true\n", "    auto_repair  = false\n")]);
    s.mutant(
        "protected",
        "DESTROY",
        "the cluster is protected from deletion",
        &[("  deletion_protection      = false\n", "")],
    );
}

pub(super) fn azure(s: &mut TaskSketch, d: &mut SeededDraws) {
    s.intro("Write a Terraform configuration for a Kubernetes cluster on Azure (AKS).");
    azure::provider(s, d);
    azure::subnets(s, d);
    let (a, b) = d.two(NAMES);
    s.variable("cluster_name", "string", &format!("{a:?}"), &format!("{b:?}"), "the name of the cluster");
    let (one, two) = d.two(&["Standard_D2s_v5", "Standard_D4s_v5", "Standard_E4s_v5"]);
    s.variable("node_size", "string", &format!("{one:?}"), &format!("{two:?}"), "the size of the nodes");
    let (least, extra) = (d.between(1, 3), d.between(1, 4));
    let most = least + extra;
    let policy = *d.pick(&["azure", "calico", "cilium"]);
    let tier = *d.pick(&["Standard", "Premium"]);
    s.add(&format!("resource \"azurerm_kubernetes_cluster\" \"§k8s\" {{\n  name                              = var.cluster_name\n  location                          = azurerm_resource_group.§rg.location\n  resource_group_name               = azurerm_resource_group.§rg.name\n  dns_prefix                        = var.cluster_name\n  sku_tier                          = \"{tier}\"\n  private_cluster_enabled           = true\n  local_account_disabled            = true\n  role_based_access_control_enabled = true\n  default_node_pool {{\n    name                 = \"system\"\n    vm_size              = var.node_size\n    auto_scaling_enabled = true\n    min_count            = {least}\n    max_count            = {most}\n    vnet_subnet_id       = values(azurerm_subnet.§net)[0].id\n  }}\n  identity {{\n    type = \"SystemAssigned\"\n  }}\n  network_profile {{\n    network_plugin = \"azure\"\n    network_policy = \"{policy}\"\n    service_cidr   = \"172.20.0.0/16\"\n    dns_service_ip = \"172.20.0.10\"\n  }}\n}}"));
    s.output("cluster_id", "the id of the cluster", "azurerm_kubernetes_cluster.§k8s.id");
    let cluster = "only(\"azurerm_kubernetes_cluster\")";
    let pool = format!("{cluster}.default_node_pool[0]");
    s.require("cluster", &format!("There is one cluster with the name cluster_name and the tier {tier}, with an identity that Azure manages."), &format!("{cluster}.name == var.cluster_name && {cluster}.sku_tier == \"{tier}\" && {cluster}.identity[0].type == \"SystemAssigned\" && output.cluster_id == {cluster}.id"), "the tier is Free", &[(&format!("sku_tier                          = \"{tier}\""), "sku_tier                          = \"Free\"")]);
    s.require(
        "private",
        "Its API has a private address only.",
        &format!("{cluster}.private_cluster_enabled == true"),
        "its API is public",
        &[("  private_cluster_enabled           = true\n", "")],
    );
    s.require(
        "accounts",
        "Local accounts are off.",
        &format!("{cluster}.local_account_disabled == true"),
        "local accounts are on",
        &[("  local_account_disabled            = true\n", "")],
    );
    s.require("nodes", &format!("Its nodes have the size node_size, stand in a subnet of the network, and grow from {least} to {most}."), &format!("{pool}.vm_size == var.node_size && {pool}.auto_scaling_enabled == true && {pool}.min_count == {least} && {pool}.max_count == {most} && contains([for n in all(\"azurerm_subnet\") : n.id], {pool}.vnet_subnet_id)"), "the nodes stand in a network of their own", &[("    vnet_subnet_id       = values(azurerm_subnet.§net)[0].id\n", "")]);
    s.require(
        "policy",
        &format!("Network policies are enforced by {policy}."),
        &format!("{cluster}.network_profile[0].network_policy == \"{policy}\""),
        "no network policy is enforced",
        &[(&format!("    network_policy = \"{policy}\"\n"), "")],
    );
    s.mutant(
        "overlap",
        "APPLY",
        "services share the addresses of the subnet",
        &[("service_cidr   = \"172.20.0.0/16\"", "service_cidr   = \"10.0.0.0/8\"")],
    );
}
