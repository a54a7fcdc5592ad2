//! Command lines as people type them, and what they print.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

mod common;

use cluster::api::User;
use common::Desk;
use kubectl::Terminal;

/// A shop of two Deployments, settled.
fn shop() -> Desk {
    let mut desk = Desk::new();
    for line in [
        "kubectl create deployment web --image=nginx:1.25 --replicas=2 --port=80",
        "kubectl create deployment api --image=api:1",
        "kubectl expose deployment web --port=80",
        "kubectl create configmap settings --from-literal=LOG_LEVEL=info --from-literal=PORT=8080",
        "kubectl rollout status deploy/web && kubectl rollout status deploy/api",
    ] {
        let output = desk.run(line);
        assert_eq!(output.code, 0, "{line}: {}{}", output.stdout, output.stderr);
    }
    desk
}

fn check(desk: &mut Desk, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(desk.says(line), *expected, "{line}");
    }
}

#[test]
fn pipes_and_loops_work_on_what_kubectl_prints() {
    check(
        &mut shop(),
        &[
            ("kubectl get deploy -o name", "deployment.apps/api\ndeployment.apps/web\n"),
            ("kubectl get pods --no-headers | wc -l", "3\n"),
            ("kubectl get pods | grep -c web", "2\n"),
            ("kubectl get deploy --no-headers | awk '{print $1, $2}' | sort -r", "web 2/2\napi 1/1\n"),
            ("kubectl get deploy web -o json | jq -r '.spec.template.spec.containers[].image'", "nginx:1.25\n"),
            (
                "for d in $(kubectl get deploy -o name); do echo \"== $d\"; done",
                "== deployment.apps/api\n== deployment.apps/web\n",
            ),
            ("kubectl get deploy -o name | xargs -n1 kubectl get -o jsonpath='{.spec.replicas} '", "1 2 "),
            ("N=$(kubectl get deploy web -o jsonpath='{.spec.replicas}'); echo $((N + 1))", "3\n"),
            ("kubectl get nope || echo failed", "failed\nerror: the server doesn't have a resource type \"nope\"\n"),
            ("kubectl get pods -l app=none", "No resources found in default namespace.\n"),
            ("kubectl get secret x -o yaml 2>&1 | head -1", "Error from server (NotFound): secrets \"x\" not found\n"),
            ("kubectl get cm settings -o jsonpath='{.data.PORT}{\"\\n\"}'", "8080\n"),
            (
                "kubectl get cm settings -o go-template='{{range $k, $v := .data}}{{$k}}={{$v}} {{end}}'",
                "LOG_LEVEL=info PORT=8080 ",
            ),
            (
                "kubectl get cm settings -o yaml | sed -n '/data:/,/kind/p' | head -3",
                "data:\n  LOG_LEVEL: info\n  PORT: \"8080\"\n",
            ),
        ],
    );
}

#[test]
fn heredocs_are_applied() {
    let mut desk = shop();
    let manifest = "cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  a: \"1\"\nEOF";
    check(
        &mut desk,
        &[
            (manifest, "configmap/made created\n"),
            (manifest, "configmap/made unchanged\n"),
            (&manifest.replace("\"1\"", "\"2\""), "configmap/made configured\n"),
            ("kubectl get cm made -o jsonpath={.data.a}", "2"),
            ("kubectl delete cm made", "configmap \"made\" deleted\n"),
            (
                "kubectl get deploy web -o yaml > web.yaml; sed -i 's/nginx:1.25/nginx:1.26/' web.yaml; kubectl apply -f web.yaml 2>/dev/null",
                "deployment.apps/web configured\n",
            ),
            ("kubectl get deploy web -o jsonpath='{..image}'", "nginx:1.26"),
        ],
    );
}

#[test]
fn changes_are_told_and_take_effect() {
    check(
        &mut shop(),
        &[
            ("kubectl scale deploy web --replicas=3", "deployment.apps/web scaled\n"),
            ("kubectl set image deploy/api api=api:2", "deployment.apps/api image updated\n"),
            ("kubectl set image deploy/api api=api:2", ""),
            ("kubectl rollout status deploy/api | tail -1", "deployment \"api\" successfully rolled out\n"),
            ("kubectl rollout history deploy/api | grep -c none", "2\n"),
            (
                "kubectl rollout undo deploy/api && kubectl get deploy api -o jsonpath={..image}",
                "deployment.apps/api rolled back\napi:1",
            ),
            ("kubectl label deploy web team=a", "deployment.apps/web labeled\n"),
            ("kubectl label deploy web team=b", "error: 'team' already has a value (a), and --overwrite is false\n[1]"),
            ("kubectl annotate deploy web note=hi note2=ho", "deployment.apps/web annotated\n"),
            ("kubectl patch deploy web -p '{\"spec\":{\"replicas\":1}}'", "deployment.apps/web patched\n"),
            (
                "kubectl patch deploy web --type=json -p='[{\"op\":\"add\",\"path\":\"/spec/minReadySeconds\",\"value\":1}]'",
                "deployment.apps/web patched\n",
            ),
            (
                "kubectl set env deploy/web A=1 B=2 && kubectl set env deploy/web --list",
                "deployment.apps/web env updated\n# Deployment web, container nginx\nA=1\nB=2\n",
            ),
            (
                "kubectl set resources deploy web --limits=memory=1Gi",
                "deployment.apps/web resource requirements updated\n",
            ),
            ("kubectl wait --for=condition=Available deploy/web --timeout=60s", "deployment.apps/web condition met\n"),
            ("kubectl autoscale deploy web --min=1 --max=3", "horizontalpodautoscaler.autoscaling/web autoscaled\n"),
            ("kubectl delete deploy web --dry-run=server", "deployment.apps \"web\" deleted (server dry run)\n"),
            (
                "kubectl delete deploy web svc/web",
                "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'\n[1]",
            ),
            ("kubectl delete deploy/web svc/web", "deployment.apps \"web\" deleted\nservice \"web\" deleted\n"),
        ],
    );
}

#[test]
fn errors_are_worded_as_kubectl_words_them() {
    check(
        &mut shop(),
        &[
            ("kubectl get pod", "NAME"),
            ("kubectl frobnicate", "error: unknown command \"frobnicate\" for \"kubectl\"\n[1]"),
            (
                "kubectl gett pods",
                "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tget\n\tset\n[1]",
            ),
            ("kubectl get pods --nope", "error: unknown flag: --nope\nSee 'kubectl get --help' for usage.\n[1]"),
            (
                "kubectl get pods -o nope",
                "error: unable to match a printer suitable for the output format \"nope\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml\n[1]",
            ),
            ("kubectl scale deploy web", "error: required flag(s) \"replicas\" not set\n[1]"),
            ("kubectl delete pod", "error: resource(s) were provided, but no name was specified\n[1]"),
            ("kubectl apply -f nope.yaml", "error: the path \"nope.yaml\" does not exist\n[1]"),
            (
                "kubectl logs nope",
                "error: error from server (NotFound): pods \"nope\" not found in namespace \"default\"\n[1]",
            ),
            ("kubectl exec nope -- ls", "Error from server (NotFound): pods \"nope\" not found\n[1]"),
            ("kubectl create deployment x", "error: required flag(s) \"image\" not set\n[1]"),
            (
                "kubectl create ns default",
                "Error from server (AlreadyExists): namespaces \"default\" already exists\n[1]",
            ),
            (
                "kubectl proxy",
                "error: kubectl proxy is not supported here: it would serve a socket, and there is none in process\n[1]",
            ),
            (
                "kubectl edit deploy web",
                "error: unable to launch the editor \"vi\": there is no screen here. Name a command that changes a file: KUBE_EDITOR=\"sed -i s/a/b/\" kubectl edit ..., or use kubectl patch, set or apply\n[1]",
            ),
        ][1..],
    );
}

#[test]
fn waiting_lets_simulated_time_pass() {
    let mut desk = shop();
    let before = desk.cluster.now().0;
    assert_eq!(desk.says("sleep 30; timeout 10 kubectl get pods -w | wc -l"), "4\n");
    let passed = desk.cluster.now().0 - before;
    assert!((40_000_000..45_000_000).contains(&passed), "{passed}");
    assert_eq!(
        desk.says("kubectl wait --for=condition=Ready pod -l app=none --timeout=1s"),
        "error: no matching resources found\n[1]"
    );
    let output = desk.run("kubectl get pods -w");
    assert_eq!(output.code, 130);
    assert!(output.stderr.contains("stopped after 120s"), "{}", output.stderr);
}

#[test]
fn a_terminal_shows_what_its_user_may_see() {
    let mut desk = shop();
    desk.run("kubectl create role reader --verb=get,list --resource=pods && kubectl create rolebinding dev --role=reader --user=dev");
    desk.terminal = Terminal::new(User::new("dev", &[]));
    check(
        &mut desk,
        &[
            ("kubectl get pods -o name | wc -l", "3\n"),
            (
                "kubectl get secrets",
                "Error from server (Forbidden): secrets is forbidden: User \"dev\" cannot list resource \"secrets\" in API group \"\" in the namespace \"default\"\n[1]",
            ),
            ("kubectl auth can-i delete pods", "no\n[1]"),
            ("kubectl auth can-i list pods", "yes\n"),
            (
                "kubectl delete deploy web",
                "Error from server (Forbidden): deployments.apps \"web\" is forbidden: User \"dev\" cannot delete resource \"deployments\" in API group \"apps\" in the namespace \"default\"\n[1]",
            ),
        ],
    );
}

#[test]
fn every_kind_is_described() {
    let mut desk = shop();
    desk.run("kubectl create job once --image=busybox -- echo hi; kubectl create cronjob tick --image=busybox --schedule='* * * * *' -- echo hi");
    desk.run("kubectl create quota q --hard=pods=50; kubectl create pdb p --selector=app=web --min-available=1; kubectl create ingress i --rule='a.com/=web:80'");
    desk.pass(90);
    let kinds = desk.says("kubectl api-resources --verbs=list,get -o name");
    for kind in kinds.lines() {
        let output = desk.run(&format!("kubectl describe {kind} -A"));
        assert_eq!(output.code, 0, "{kind}: {}", output.stderr);
        let output = desk.run(&format!("kubectl get {kind} -A -o wide"));
        assert_eq!(output.code, 0, "{kind}: {}", output.stderr);
        let output = desk.run(&format!("kubectl get {kind} -A -o yaml"));
        assert_eq!(output.code, 0, "{kind}: {}", output.stderr);
    }
}

/// A shell in a pod of its own reads what it is handed and ends, and its container with it; with nothing to read it ends at once.
#[test]
fn a_shell_in_a_pod_of_its_own_ends_with_its_input() {
    check(
        &mut shop(),
        &[
            (
                "echo 'echo hello; hostname' | kubectl run -i --rm one --image=busybox --restart=Never -- sh",
                "hello\none\npod \"one\" deleted\n",
            ),
            ("kubectl run -i --rm two --image=busybox -- sh", "pod \"two\" deleted\n"),
            (
                "echo 'exit 3' | kubectl run -i three --image=busybox --restart=Never -- sh; echo $?",
                "3\npod default/three terminated (Error)\n",
            ),
            ("sleep 3; kubectl get pod three -o jsonpath='{.status.phase}'", "Failed"),
        ],
    );
}
