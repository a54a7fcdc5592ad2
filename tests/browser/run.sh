#!/usr/bin/env bash
# Tests the viewer in a real browser. Adds what is missing of it: Chromium, Node and two packages.
# SRE_ZERO names a program that is built already; SHOTS is where pictures go.
set -euo pipefail
cd "$(dirname "$0")"
source ../lib.sh

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] || missing+=(chromium)
if [ "${#missing[@]}" -gt 0 ] && ! system_packages "${missing[@]}"; then
    echo "run.sh: install ${missing[*]} and run this again" >&2
    exit 2
fi
[ node_modules -nt package-lock.json ] || npm ci --no-audit --no-fund --silent
only_fetched "$@"

if [ -z "${SRE_ZERO:-}" ]; then
    (cd ../.. && cargo build --release --locked -p sre-zero)
    SRE_ZERO="$(cd ../.. && cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')/release/sre-zero"
fi
export SRE_ZERO
exec node --test --test-concurrency=1 --test-reporter=spec "$@"
