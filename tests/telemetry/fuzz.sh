#!/usr/bin/env bash
# Asks a real Prometheus and our engine the same random questions. Needs Debian's package `prometheus`; without it and
# without the right to install it, it says so and passes.
#
#   tests/telemetry/fuzz.sh [SEED] [COUNT]
set -euo pipefail
cd "$(dirname "$0")/../.."
seed="${1:-1}"
count="${2:-20000}"
data=crates/telemetry/tests/recorded/prometheus.om

if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
    if ! apt-get install -y --no-install-recommends prometheus >/dev/null 2>&1; then
        echo "skipped: Prometheus is not installed and cannot be installed here"
        exit 0
    fi
fi

folder="$(mktemp -d)"
server=""
clean() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap clean EXIT

promtool tsdb create-blocks-from openmetrics "$data" "$folder/data" >/dev/null
printf 'global:\n  evaluation_interval: 30s\n' >"$folder/prometheus.yml"
port=$((20000 + RANDOM % 20000))
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" --storage.tsdb.retention.time=100y \
    --web.listen-address="127.0.0.1:$port" >"$folder/log" 2>&1 &
server=$!
cargo build --quiet -p sre-zero-telemetry --example promql_fuzz
for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    sleep 0.2
done
target="${CARGO_TARGET_DIR:-target}"
"$target/debug/examples/promql_fuzz" "$data" "127.0.0.1:$port" "$seed" "$count"
