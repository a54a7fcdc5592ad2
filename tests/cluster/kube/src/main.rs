//! The Rust client of Kubernetes against a served cluster: apply, list, watch, patches, logs, exec, deletion.
//!
//! The kubeconfig is named by KUBECONFIG; prints what was seen, and fails with what was not.

use std::time::Duration;

use futures::TryStreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use serde_json::json;
use tokio::io::AsyncReadExt;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    println!("client kube, server {}", client.apiserver_version().await?.git_version);
    let pod = deployed(&client).await?;
    commands(&client, &pod).await?;
    patched(&client).await?;
    watched(&client).await?;
    tokio::time::timeout(Duration::from_secs(60), gone(&client)).await?
}

async fn deployed(client: &Client) -> Result<String, Box<dyn std::error::Error>> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    let wanted = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "rusty"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "rusty"}}, "template": {
            "metadata": {"labels": {"app": "rusty"}},
            "spec": {"containers": [{"name": "web", "image": "nginx:1.25", "ports": [{"containerPort": 80}]}]}}},
    });
    deployments.patch("rusty", &PatchParams::apply("kube-client"), &Patch::Apply(&wanted)).await?;
    let ready = await_condition(deployments, "rusty", conditions::is_deployment_completed());
    tokio::time::timeout(Duration::from_secs(60), ready).await??;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let list = pods.list(&ListParams::default().labels("app=rusty")).await?;
    assert_eq!(list.items.len(), 2, "both pods are listed");
    println!("ok     server-side apply, wait and list");
    Ok(list.items[0].metadata.name.clone().ok_or("a pod has a name")?)
}

async fn commands(client: &Client, pod: &str) -> Outcome {
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let mut process = pods.exec(pod, ["sh", "-c", "echo out; echo err >&2; exit 3"], &AttachParams::default()).await?;
    let mut out = String::new();
    process.stdout().ok_or("an output")?.read_to_string(&mut out).await?;
    let status = process.take_status().ok_or("a status")?.await.ok_or("an end")?;
    assert_eq!((out.as_str(), status.reason.as_deref()), ("out\n", Some("NonZeroExitCode")));
    pods.logs(pod, &LogParams::default()).await?;
    println!("ok     exec with its exit code, and logs");
    Ok(())
}

async fn patched(client: &Client) -> Outcome {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    let merge = json!({"spec": {"replicas": 1}});
    let after = deployments.patch("rusty", &PatchParams::default(), &Patch::Merge(&merge)).await?;
    assert_eq!(after.spec.and_then(|spec| spec.replicas), Some(1));
    let strategic = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}}}});
    let after = deployments.patch("rusty", &PatchParams::default(), &Patch::Strategic(&strategic)).await?;
    let spec = after.spec.and_then(|spec| spec.template.spec).ok_or("a specification")?;
    assert_eq!(spec.containers[0].image.as_deref(), Some("nginx:1.25"), "what is not named stays");
    println!("ok     merge and strategic patches");
    Ok(())
}

async fn watched(client: &Client) -> Outcome {
    const CHANGES: usize = 200;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let map = |n: usize| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "counted"}, "data": {"n": n.to_string()}});
    maps.create(&PostParams::default(), &serde_json::from_value(map(0))?).await?;
    let writer = tokio::spawn({
        let maps = maps.clone();
        async move {
            for n in 1..=CHANGES {
                maps.patch("counted", &PatchParams::default(), &Patch::Merge(&map(n))).await.expect("a patch");
            }
        }
    });
    let settings = watcher::Config::default().fields("metadata.name=counted");
    let mut stream = Box::pin(watcher(maps, settings).applied_objects());
    let mut last = 0;
    while last < CHANGES {
        let seen = tokio::time::timeout(Duration::from_secs(60), stream.try_next()).await??.ok_or("the watch ended")?;
        let n: usize = seen.data.and_then(|data| data.get("n")?.parse().ok()).ok_or("a number")?;
        assert!(n == 0 || n >= last, "changes come in order: {n} after {last}");
        last = n;
    }
    writer.await?;
    println!("ok     watch: ends in the state after {CHANGES} changes");
    Ok(())
}

async fn gone(client: &Client) -> Outcome {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    deployments.delete("rusty", &DeleteParams::foreground()).await?;
    while deployments.get_opt("rusty").await?.is_some() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    println!("ok     foreground deletion");
    Ok(())
}
