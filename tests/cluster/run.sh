#!/usr/bin/env bash
# Talks to a served cluster with the Python client of Kubernetes, in a virtual environment that is made once and kept
# below the target folder.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../../Cargo.toml -p sre-zero
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
source ../lib.sh
mkdir -p "$target/clients"
environment "$target/clients/kubernetes" 10 "kubernetes==32.0.1"

folder="$(mktemp -d)"
"$SRE_ZERO_BIN" cluster --kubeconfig "$folder/kubeconfig" >"$folder/said" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
    grep -q "^export KUBECONFIG=" "$folder/said" && break
    sleep 0.1
done
PYTHONDONTWRITEBYTECODE=1 "$target/clients/kubernetes/bin/python" kubernetes_client.py "$folder/kubeconfig"
