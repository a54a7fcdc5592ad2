#!/usr/bin/env bash
# Plays one incident through every network face with the clients that people really use, each in a
# virtual environment of its own that is made once and kept below the target folder. The record must
# be the same, to the byte, whichever way the actions came.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"
venvs="$target/clients"

source ../lib.sh
mkdir -p "$venvs"
environment "$venvs/openenv-0.3" 10 openenv-core==0.3.0
environment "$venvs/openenv-0.10" 12 openenv==0.10.0
environment "$venvs/mcp-1" 10 "mcp>=1.20,<2"
environment "$venvs/mcp-2" 10 "mcp>=2.3,<3"
environment "$venvs/ors-0.1" 10 ors-sdk==0.1.0
only_fetched "$@"

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../../Cargo.toml -p sre-zero
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export SRE_ZERO_BIN

told="$(mktemp)"
trap 'rm -f "$told"' EXIT
run() { PYTHONDONTWRITEBYTECODE=1 "$@" 2>&1 | tee -a "$told"; }
run "$venvs/mcp-2/bin/python" http_client.py
run "$venvs/openenv-0.3/bin/python" openenv_client.py
run "$venvs/openenv-0.10/bin/python" openenv_client.py
run "$venvs/openenv-0.10/bin/python" openenv_tools.py
run "$venvs/ors-0.1/bin/python" ors_client.py
run "$venvs/mcp-1/bin/python" mcp1_client.py
run "$venvs/mcp-2/bin/python" mcp2_client.py
run "$venvs/mcp-2/bin/python" documents.py http.md mcp.md
run "$venvs/openenv-0.10/bin/python" documents.py openenv.md
run "$venvs/ors-0.1/bin/python" documents.py ors.md

digests="$(sed -n 's/^digest \([0-9a-f]*\) .*/\1/p' "$told")"
faces="$(wc -l <<<"$digests")"
if [ "$(sort -u <<<"$digests" | wc -l)" != 1 ] || [ "$faces" -lt 15 ]; then
    echo "tests/clients/run.sh: the faces do not agree, or some are missing ($faces played):" >&2
    grep '^digest ' "$told" >&2
    exit 1
fi
echo "ok     $faces plays through every face, one digest"
