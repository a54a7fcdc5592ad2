#!/usr/bin/env bash
# Talks to served clusters with real clients: kubectl, curl, Kubernetes' for Python and for Rust, promtool and Prometheus' for Python.
# Packages go into virtual environments and folders below the target folder, made once. What cannot be had is skipped with
# a message.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"

source ../lib.sh
mkdir -p "$target/clients"
folder="$(mktemp -d)"
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

prometheus_client() { environment "$target/clients/prometheus" 10 "prometheus-api-client==0.5.7" 2>"$folder/pip.log"; }
mcp_client() { environment "$target/clients/mcp-1" 10 "mcp>=1.20,<2" 2>"$folder/pip.log"; }
environment "$target/clients/kubernetes" 10 "kubernetes==32.0.1"
if [ "${1:-}" = "--fetch" ]; then
    prometheus_client || true
    mcp_client || true
    cargo fetch --quiet --locked --manifest-path kube/Cargo.toml || true
    exit 0
fi

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../../Cargo.toml -p sre-zero
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export PYTHONDONTWRITEBYTECODE=1

# hears FILE PATTERN: waits until a program has written that; what it wrote instead is shown.
hears() {
    for _ in $(seq 3000); do
        grep -q "$2" "$1" && return
        sleep 0.1
    done
    cat "$1" >&2
    return 1
}

# serve NAME ARGUMENT..: a cluster whose kubeconfig and words are kept under that name, once it is there.
serve() {
    local name="$1"
    shift
    "$SRE_ZERO_BIN" cluster --kubeconfig "$folder/$name" "$@" >"$folder/$name.said" 2>&1 &
    servers+=("$!")
    hears "$folder/$name.said" "^It is watched on"
}

serve empty
"$target/clients/kubernetes/bin/python" kubernetes_client.py "$folder/empty"

rust="$target/clients/kube"
if CARGO_TARGET_DIR="$rust" cargo build --quiet --locked --manifest-path kube/Cargo.toml 2>"$folder/kube.log"; then
    KUBECONFIG="$folder/empty" "$rust/debug/kube-client"
else
    echo "skipped: the Rust client cannot be built here: $(tail -1 "$folder/kube.log")"
fi

if command -v kubectl >/dev/null; then
    serve shop --app astronomy-shop --app hotel-reservation --history 5 --speed 10
    KUBECONFIG="$folder/shop" python3 session.py
    kill "${servers[-1]}"
else
    echo "skipped: kubectl is not installed: the session of docs/kubernetes.md"
fi

serve app --app hotel-reservation
address="$(sed -n 's|^It is watched on \(http://[0-9.:]*\)/prometheus.*|\1|p' "$folder/app.said")"
if command -v kubectl >/dev/null; then
    python3 ../../crates/kubeapi/tests/terminal/type.py "$folder/app"
    echo "ok     kubectl run -it where containers do what their commands say: a shell, one command, Ctrl-C"
fi
if command -v promtool >/dev/null; then
    promtool query instant "$address/prometheus" 'count(kube_pod_info)' | grep -q '=>'
    promtool query range --step=60s "$address/prometheus" 'sum(up)' | grep -q '@'
    promtool query labels "$address/prometheus" job | grep -q kube-state-metrics
    promtool query series --match='up' "$address/prometheus" | grep -q 'job="cadvisor"'
    echo "ok     promtool: instant, range, labels, series"
else
    echo "skipped: promtool is not installed (Debian: prometheus)"
fi
lines="$(curl -sG "$address/loki/api/v1/query_range" --data-urlencode 'query={namespace="hotel-reservation"}' -d since=2h)"
grep -q '"resultType":"streams","result":\[{' <<<"$lines"
echo "ok     Loki: the query of the document"
if prometheus_client; then
    "$target/clients/prometheus/bin/python" observability_client.py "$address"
else
    echo "skipped: prometheus-api-client cannot be had here: $(tail -1 "$folder/pip.log")"
fi

# A problem, played by an agent that knows SREGym's interface and nothing else; then its record is played again.
if mcp_client; then
    "$SRE_ZERO_BIN" cluster --task wrong_service_selector_hotel_reservation --history 5 --until-done --out "$folder/run" \
        --kubeconfig "$folder/problem" >"$folder/problem.said" 2>&1 &
    problem="$!"
    servers+=("$problem")
    hears "$folder/problem.said" "^It is watched on"
    grep '^export ' "$folder/problem.said" >"$folder/environment"
    (source "$folder/environment" && "$target/clients/mcp-1/bin/python" sregym_agent.py)
    wait "$problem"
    grep -q "diagnosis right, mitigated" "$folder/problem.said"
    ! grep -q wrong_service_selector "$folder/problem.said"
    "$SRE_ZERO_BIN" replay "$folder/run" | grep -q "1 of 1 record played again to the same"
    echo "ok     its record: right, mitigated, replayed to the same digest"
else
    echo "skipped: the MCP client cannot be had here: $(tail -1 "$folder/pip.log")"
fi

if ! command -v kubectl >/dev/null; then
    echo "skipped: kubectl is not installed: programs that play with it"
    exit 0
fi

# Programs with kubectl and curl in a run, beside another agent; then their records are played again.
problem=wrong_service_selector_hotel_reservation
"$SRE_ZERO_BIN" run --tasks "$problem" --exec "shell=sh $PWD/kubectl_agent.sh" --agents scripted --episodes 1 \
    --out "$folder/sweep" >"$folder/sweep.said" 2>&1 || { cat "$folder/sweep.said" "$folder/sweep/run.log"; exit 1; }
grep -q "^shell  *all  *1  *100 %  *100 %  *100 %" "$folder/sweep.said"
"$SRE_ZERO_BIN" replay "$folder/sweep" | grep -q "2 of 2 records played again to the same"
echo "ok     a program with kubectl and curl in a run: right, mitigated, replayed to the same digest"

# The same problem from a server: the brief says where its cluster is.
"$SRE_ZERO_BIN" serve --tasks "$problem" --clients --port 0 --out "$folder/served" >"$folder/serve.said" 2>&1 &
server="$!"
servers+=("$server")
hears "$folder/serve.said" "http://127.0.0.1:[0-9]"
address="$(grep -o 'http://127.0.0.1:[0-9]*' "$folder/serve.said" | head -1)"
curl -fsS "$address/episode/reset" -d '{"seed": 1}' >"$folder/reset.json"
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["session_id"] + "\n" + d["observation"]["last_result"]["summary"])' \
    "$folder/reset.json" >"$folder/brief"
! grep -q "$problem" "$folder/reset.json"
stages="$(sed -n 's|.*curl -s \(http://[0-9.:]*\)/kubeconfig.*|\1|p' "$folder/brief")"
agent="$PWD/kubectl_agent.sh"
(
    desk="$(mktemp -d)"
    cd "$desk"
    curl -fsS "$stages/kubeconfig" >kubeconfig
    cp "$folder/brief" brief.txt
    mapfile -t addresses < <(sed -n 's/^export \([A-Z_]*=http.*\)$/\1/p' brief.txt)
    env -i PATH="$PATH" HOME="$desk" KUBECONFIG="$desk/kubeconfig" SRE_ZERO_BRIEF=brief.txt API_HOSTNAME=127.0.0.1 \
        API_PORT="${stages##*:}" "${addresses[@]}" sh "$agent"
    rm -rf "$desk"
)
curl -fsS "$address/episode/state?session_id=$(head -1 "$folder/brief")" | grep -q '"done":true'
kill -INT "$server"
wait "$server" || true
"$SRE_ZERO_BIN" replay "$folder/served" | grep -q "1 of 1 record played again to the same"
grep -q '"mitigated":true' -r "$folder/served/records"
echo "ok     a session of a server, with kubectl and curl: mitigated, replayed to the same digest"
