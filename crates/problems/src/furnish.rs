//! What any cluster in use has beside its applications: guards that must stay, and harmless changes of the last days.
//!
//! Without them, removing every policy or rolling everything back would cost nothing, and no verdict could tell.

use std::time::Duration;

use apps::Site;
use cluster::json;
use world::Seed;

use crate::acting::ActorBook;
use crate::perform::{StepRefusal, administrator, command, pass};

/// Guards that stand in nothing's way.
const GUARDS: &str = "
apiVersion: v1
kind: ResourceQuota
metadata:
  name: team-quota
spec:
  hard:
    pods: \"400\"
    services: \"200\"
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: team-traffic
spec:
  podSelector:
    matchLabels:
      team: none
  policyTypes: [Ingress]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: team-budget
spec:
  minAvailable: 1
  selector:
    matchLabels:
      team: none
";

/// A webhook that guards what the applications never write.
const WEBHOOK: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: image-signatures
webhooks:
- name: image-signatures.platform.example.com
  failurePolicy: Ignore
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig:
    service: {name: image-signatures, namespace: platform-security, path: /verify, port: 443}
  rules:
  - apiGroups: [platform.example.com]
    apiVersions: [v1]
    operations: [CREATE]
    resources: [signatures]
";

/// How many harmless changes there are in each application.
const CHANGES: usize = 3;
/// How long they have to come to rest.
const REST: Duration = Duration::from_secs(120);

/// Puts the guards up and makes the harmless changes.
pub(crate) fn furnish(site: &mut Site, applications: &[String], seed: u64) -> Result<(), StepRefusal> {
    let mut nothing = ActorBook::default();
    for application in applications {
        let mut terminal = administrator(application);
        terminal.put_file("guards.yaml", GUARDS);
        terminal.put_file("webhook.yaml", WEBHOOK);
        command(site, &mut nothing, &mut terminal, "kubectl apply -f guards.yaml -f webhook.yaml")?;
        for (number, name) in chosen(site, application, seed).into_iter().enumerate() {
            let line = format!("kubectl set env deployment/{name} RELEASE_CHANNEL=stable-{}", 40 + number);
            command(site, &mut nothing, &mut terminal, &line)?;
        }
    }
    pass(site, &mut nothing, REST);
    Ok(())
}

/// Deployments without volumes of their own, drawn by the seed.
fn chosen(site: &Site, namespace: &str, seed: u64) -> Vec<String> {
    let all = site.cluster.objects("deployments.apps", Some(namespace));
    let plain = all.filter(|deployment| json::list(deployment, "spec.template.spec.volumes").is_empty());
    let mut names: Vec<(u64, String)> = plain
        .map(|deployment| json::text(deployment, "metadata.name").to_string())
        .filter(|name| name != "load-generator")
        .map(|name| (Seed(seed).derive(&format!("harmless change {name}")).0, name))
        .collect();
    names.sort();
    names.into_iter().take(CHANGES).map(|(_, name)| name).collect()
}
