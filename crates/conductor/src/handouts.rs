//! What an agent with clients of its own is given: a kubeconfig, addresses and the brief, and nothing else.

use std::net::SocketAddr;

use harness::Handout;
use kubeapi::ObservabilityListener;

/// What to hand out for a problem whose stages are at an address.
pub fn handouts(
    brief: &str,
    kubeconfig: String,
    stages: SocketAddr,
    observability: &ObservabilityListener,
) -> std::io::Result<Vec<Handout>> {
    let (shared, _) = observability.addresses()?;
    let brief = format!(
        "{brief}\nSubmit with: curl -s http://{stages}/submit -H 'Content-Type: application/json' -d '{{\"solution\": \"...\"}}'\n\
         KUBECONFIG is set; PROMETHEUS_URL, LOKI_URL, JAEGER_URL and ALERTMANAGER_URL say where these are.\n"
    );
    Ok(vec![
        Handout::file("SRE_ZERO_BRIEF", "brief.txt", brief),
        Handout::file("KUBECONFIG", "kubeconfig", kubeconfig),
        Handout::plain("API_HOSTNAME", stages.ip().to_string()),
        Handout::plain("API_PORT", stages.port().to_string()),
        Handout::plain("MCP_SERVER_URL", format!("http://{stages}")),
        Handout::plain("SUBMIT_URL", format!("http://{stages}/submit")),
        Handout::plain("PROMETHEUS_URL", format!("http://{shared}/prometheus")),
        Handout::plain("LOKI_URL", format!("http://{shared}/loki")),
        Handout::plain("JAEGER_URL", format!("http://{shared}/jaeger")),
        Handout::plain("ALERTMANAGER_URL", format!("http://{shared}/alertmanager")),
    ])
}

/// The same as lines of a brief, for a player who is given no environment.
pub(crate) fn as_text(handouts: &[Handout]) -> String {
    let url = |variable: &str| handouts.iter().find(|one| one.variable == variable).map_or("", |one| &one.value);
    let (stages, mut text) = (url("MCP_SERVER_URL"), String::new());
    text.push_str(&format!(
        "\nFor kubectl: curl -s {stages}/kubeconfig > kubeconfig; export KUBECONFIG=$PWD/kubeconfig\n"
    ));
    for variable in ["PROMETHEUS_URL", "LOKI_URL", "JAEGER_URL", "ALERTMANAGER_URL", "SUBMIT_URL"] {
        text.push_str(&format!("export {variable}={}\n", url(variable)));
    }
    text
}
