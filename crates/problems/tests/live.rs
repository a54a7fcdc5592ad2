//! A problem for clients with connections and a clock of their own, and with those who watch the cluster.

use std::sync::Arc;

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, Stamp};
use exporters::ObservabilityServer;
use harness::replay::replay_question;
use harness::{EpisodeOptions, Playable};
use problems::{LiveStaging, ProblemChallenge, ProblemEpisode, ProblemScene, Stages, deployed};
use telemetry::TelemetryRequest;

const PROBLEM: &str = "wrong_service_selector_hotel_reservation";
const PATH: &str = "/api/v1/namespaces/hotel-reservation/services/frontend";

fn options() -> EpisodeOptions {
    EpisodeOptions { agent: "test".into(), suite: "selection".into(), ..EpisodeOptions::default() }
}

fn later(cluster: &Cluster, millis: i64) -> Stamp {
    Stamp(cluster.now().0 + millis * 1000)
}

#[test]
fn a_session_of_clients_succeeds_and_replays_to_the_same_digest() {
    let problem = problems::find(PROBLEM).expect("it is carried");
    let mut staging = LiveStaging::deploy(problem, 3, Stamp(1_790_000_000_123_456)).expect("it deploys");
    let quiet = Stamp(staging.now().0 + 61_234_567);
    staging.advance(quiet);
    let scene = Arc::new(staging.page().expect("it breaks"));
    let mut episode = Box::new(ProblemEpisode::start(&scene, Stages::default(), options()));
    assert!(!episode.brief().text.contains(PROBLEM));
    assert_eq!(episode.stage(), "diagnosis");

    let list = ApiRequest::new(HttpMethod::Get, "/api/v1/namespaces/hotel-reservation/endpoints/frontend");
    episode.advance_to(later(episode.cluster(), 1_234));
    let answer = episode.client_request(&list.header("kubectl-command", "kubectl get"));
    assert_eq!(answer.status, 200);
    let query = TelemetryRequest::get("/api/v1/query", &[("query", "count(kube_pod_info)")]);
    let answer = episode.client_query(ObservabilityServer::Prometheus, &query).expect("it is watched");
    assert!(answer.body_text().contains("\"success\""), "{}", answer.body_text());
    episode.advance_to(later(episode.cluster(), 40_000));
    episode.step(r#"{"action":"submit","ans":"the selector of service frontend matches no pod"}"#, None);
    assert_eq!(episode.stage(), "mitigation");
    let patch = br#"[{"op":"remove","path":"/spec/selector/current_service_name"}]"#;
    let request = ApiRequest::new(HttpMethod::Patch, PATH).typed("application/json-patch+json", patch.to_vec());
    assert_eq!(episode.client_request(&request).status, 200);
    for _ in 0..7 {
        episode.advance_to(later(episode.cluster(), 17_003));
    }
    episode.step(r#"{"action":"submit","ans":""}"#, None);
    assert_eq!(episode.stage(), "done");
    let record = episode.finish();

    let seal = record.seal().expect("it is sealed");
    let missed: Vec<_> = seal.checks.iter().filter(|check| !check.ok).collect();
    assert!(seal.mitigated, "{missed:?}");
    let live = record.header().and_then(|header| header.task.problem.as_ref()).and_then(|card| card.live);
    assert!(live.is_some());
    let again = replay_question(&record, &*ProblemChallenge::again(problem, live)).expect("it can be played again");
    assert_eq!(again.difference, None);
    assert!(again.is_same());
}

#[test]
fn those_who_watch_answer_in_process_and_commands_can_be_undone() {
    let problem = problems::find(PROBLEM).expect("it is carried");
    let site = deployed(&problem.file.applications, 0).expect("it deploys");
    let scene = Arc::new(ProblemScene::prepare(problem, 0, site).expect("it breaks"));
    let mut episode = Box::new(ProblemEpisode::start(&scene, Stages::default(), options()));
    let mut say = |text: &str| {
        episode.step(text, None);
        let step = episode.steps().last().expect("a step was taken");
        (step.tool.clone(), step.observation.clone())
    };
    let mut check = |text: &str, tool: &str, expect: &str| {
        let (used, seen) = say(text);
        assert_eq!(used, tool, "{text}: {seen}");
        assert!(seen.contains(expect), "{text}: {seen}");
    };
    check("kubectl get endpoints frontend", "kubectl", "<none>");
    check("promql(query='count(kube_pod_info{namespace=\"hotel-reservation\"})')", "promql", "{} 20");
    check("promql('up{', minutes=5)", "promql", "error: ");
    check("traces()", "traces", "services: ");
    check("logql(query='{namespace=\"hotel-reservation\"}')", "logql", "");
    check("alerts()", "alerts", "");
    check("get_metrics(query='count(up)')", "get_metrics", "\"resultType\":\"vector\"");
    check("get_labels()", "get_labels", "namespace");
    check("get_label_values(label=namespace)", "get_label_values", "hotel-reservation");
    check("get_services()", "get_services", "frontend");
    check("exec_kubectl_cmd_safely(cmd='kubectl get pods | head')", "exec_kubectl_cmd_safely", "no pipes");
    let scale = "exec_kubectl_cmd_safely(cmd='kubectl scale deployment geo --replicas=2')";
    check(scale, "exec_kubectl_cmd_safely", "scaled");
    check("get_previous_rollbackable_cmd()", "get_previous_rollbackable_cmd", "kubectl scale deployment geo");
    check("rollback_command()", "rollback_command", "replaced");
    check("kubectl get deployment geo -o jsonpath='{.spec.replicas}'", "kubectl", "1");
    check("client_request()", "kubectl", "");
    check(r#"{"action":"client_request","method":"GET","target":"/","headers":[]}"#, "", "unknown tool");
    check(
        "submit_diagnosis(diagnosis='service frontend: selector matches no pod', cause='frontend/wrong_selector')",
        "submit_diagnosis",
        "noted",
    );
    let record = episode.finish();
    let again = replay_question(&record, &*ProblemChallenge::again(problem, None)).expect("it can be played again");
    assert_eq!(again.difference, None);
    assert!(again.is_same());
}
