#!/bin/sh
# An agent of kubectl, curl and a shell: finds Services that reach no pod, says so, and takes the label that no pod has out of
# their selectors. It knows what its environment says, and nothing else.
set -eu

# A folder of its own with two files, and no word of what is played or where it is kept.
test "$(ls | sort | tr '\n' ' ')" = "brief.txt kubeconfig "
if env | grep -i -e sregym -e wrong_service -e runs/ -e records; then exit 3; fi
grep -q -i submit "$SRE_ZERO_BRIEF"

submit() {
    curl -fsS "$SUBMIT_URL" -H 'Content-Type: application/json' -d "{\"solution\": \"$1\"}"
}

namespace="$(curl -fsS "http://$API_HOSTNAME:$API_PORT/get_app" | sed 's/.*"namespace":"\([^"]*\)".*/\1/')"
kubectl config set-context --current --namespace "$namespace" >/dev/null

# Who watches the cluster has watched it for an hour.
curl -fsSG "$PROMETHEUS_URL/api/v1/query" --data-urlencode 'query=count(up == 1)' | grep -q '"value"'
curl -fsSG "$PROMETHEUS_URL/api/v1/query" --data-urlencode 'query=count(up offset 50m)' | grep -q '"value"'
curl -fsSG "$LOKI_URL/api/v1/query_range" --data-urlencode "query={namespace=\"$namespace\"}" -d since=1h | grep -q '"values"'
curl -fsS "$JAEGER_URL/api/services" | grep -q frontend
curl -fsS "$ALERTMANAGER_URL/api/v2/alerts" | grep -q '"alertname"'

broken=""
for service in $(kubectl get services -o jsonpath='{range .items[?(@.spec.selector)]}{.metadata.name}{"\n"}{end}'); do
    if [ -z "$(kubectl get endpoints "$service" -o jsonpath='{.subsets}')" ]; then
        broken="$broken $service"
    fi
done
test -n "$broken"
submit "The selector of service$broken matches no pod."
for service in $broken; do
    for pair in $(kubectl get service "$service" -o go-template='{{range $k, $v := .spec.selector}}{{$k}}={{$v}} {{end}}'); do
        if [ -z "$(kubectl get pods -l "$pair" -o name)" ]; then
            kubectl patch service "$service" --type=json -p "[{\"op\": \"remove\", \"path\": \"/spec/selector/${pair%%=*}\"}]"
        fi
    done
    kubectl get endpoints "$service"
done
submit ""
