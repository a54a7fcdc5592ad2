"""The Python client of Kubernetes against a served cluster: list, watch, three kinds of patches, exec, port-forward.

Takes the kubeconfig as its argument; prints what was seen, and fails with what was not.
"""
import sys
import threading
import time

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import portforward, stream

CHANGES = 1000


def settle(core):
    for _ in range(200):
        pods = core.list_namespaced_pod("shop").items
        if len(pods) == 3 and all(pod.status.phase == "Running" for pod in pods):
            return pods
        time.sleep(0.2)
    raise AssertionError("the pods never ran")


def deploy(core, apps):
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="shop")))
    labels = {"app": "web"}
    container = client.V1Container(
        name="web", image="nginx:1.25", ports=[client.V1ContainerPort(container_port=80)]
    )
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    spec = client.V1DeploymentSpec(replicas=3, selector=client.V1LabelSelector(match_labels=labels), template=template)
    apps.create_namespaced_deployment(
        "shop", client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    )
    return settle(core)


def patches(core, apps):
    strategic = {"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}}}}
    answer = apps.patch_namespaced_deployment("web", "shop", strategic)
    container = answer.spec.template.spec.containers[0]
    assert (container.image, container.env[0].name) == ("nginx:1.25", "A"), container
    json_patch = [{"op": "replace", "path": "/spec/replicas", "value": 2}]
    assert apps.patch_namespaced_deployment("web", "shop", json_patch).spec.replicas == 2
    core.create_namespaced_config_map(
        "shop", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"a": "1", "b": "2"})
    )
    merging = client.ApiClient()
    merging.set_default_header("Content-Type", "application/merge-patch+json")
    answer = client.CoreV1Api(merging).patch_namespaced_config_map(
        "settings", "shop", {"data": {"a": None, "c": "3"}}
    )
    assert answer.data == {"b": "2", "c": "3"}, answer.data
    print("ok     patches: strategic, JSON, merge")


def watched(core):
    """A watch tells every change, in order, and ends in the state that a list shows."""
    start = core.list_namespaced_config_map("shop").metadata.resource_version
    seen = []

    def follow():
        for event in watch.Watch().stream(
            core.list_namespaced_config_map, "shop", resource_version=start, timeout_seconds=120
        ):
            if event["object"].metadata.name == "counted":
                seen.append(event["object"].data["n"])
                if len(seen) == CHANGES + 1:
                    return

    reader = threading.Thread(target=follow)
    reader.start()
    name = client.V1ObjectMeta(name="counted")
    core.create_namespaced_config_map("shop", client.V1ConfigMap(metadata=name, data={"n": "0"}))
    for n in range(1, CHANGES + 1):
        core.patch_namespaced_config_map("counted", "shop", {"data": {"n": str(n)}})
    reader.join(120)
    assert seen == [str(n) for n in range(CHANGES + 1)], f"{len(seen)} of {CHANGES + 1} were told"
    assert core.read_namespaced_config_map("counted", "shop").data["n"] == seen[-1]
    print(f"ok     watch: {CHANGES} changes told in order")


def commands(core, pod):
    ask = dict(stderr=True, stdin=False, stdout=True, tty=False)
    said = stream(
        core.connect_get_namespaced_pod_exec, pod, "shop", command=["sh", "-c", "echo out; echo err >&2; exit 3"],
        _preload_content=False, **ask,
    )
    said.run_forever(timeout=20)
    assert said.read_stdout() == "out\n" and said.read_stderr() == "err\n" and said.returncode == 3, said.returncode
    talk = stream(
        core.connect_get_namespaced_pod_exec, pod, "shop", command=["sh"], _preload_content=False,
        **dict(ask, stdin=True),
    )
    talk.write_stdin("cd /tmp; echo hello > file; cat file\n")
    for _ in range(50):
        talk.update(timeout=0.2)
        if talk.peek_stdout():
            break
    assert talk.read_stdout().strip() == "hello"
    talk.close()
    print("ok     exec: output, errors, exit code, input line by line")


def forwarded(core, pod):
    ports = portforward(core.connect_get_namespaced_pod_portforward, pod, "shop", ports="80")
    socket = ports.socket(80)
    socket.settimeout(20)
    socket.sendall(b"GET /hello HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
    answer = b""
    while chunk := socket.recv(4096):
        answer += chunk
    assert answer.startswith(b"HTTP/1.1 200 OK"), answer
    assert ports.error(80) is None
    print("ok     port-forward: a request is answered")


def refused(core):
    """A service account reads what a role lets it read, and nothing else."""
    core.create_namespaced_service_account("shop", client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="agent")))
    asked = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    token = core.create_namespaced_service_account_token("agent", "shop", asked).status.token
    settings = client.Configuration.get_default_copy()
    # Otherwise the client would put the token of the kubeconfig back.
    settings.refresh_api_key_hook = None
    settings.api_key = {"authorization": "Bearer " + token}
    agent = client.CoreV1Api(client.ApiClient(settings))
    try:
        agent.list_namespaced_secret("shop")
    except ApiException as error:
        assert error.status == 403 and "cannot list resource" in error.body, error.body
    else:
        raise AssertionError("an account without a role read secrets")
    settings.api_key = {"authorization": "Bearer " + token[:-2] + "xx"}
    try:
        client.CoreV1Api(client.ApiClient(settings)).list_namespaced_pod("shop")
    except ApiException as error:
        assert error.status == 401, error
    else:
        raise AssertionError("a wrong token was taken")
    print("ok     access: 403 without a role, 401 with a wrong token")


def main():
    config.load_kube_config(sys.argv[1])
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    print("client", __import__("kubernetes").__version__, "server", client.VersionApi().get_code().git_version)
    pod = deploy(core, apps)[0].metadata.name
    print("ok     list:", ", ".join(node.metadata.name for node in core.list_node().items))
    commands(core, pod)
    forwarded(core, pod)
    patches(core, apps)
    watched(core)
    refused(core)


main()
