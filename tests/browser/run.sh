#!/usr/bin/env bash
# Tests the viewer in a real browser. Adds what is missing of it: Chromium, Node and two packages.
# SRE_ZERO names a program that is built already; SHOTS is where pictures go.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] || missing+=(chromium)
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "run.sh: install ${missing[*]} and run this again" >&2
        exit 2
    fi
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo"
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
[ node_modules -nt package-lock.json ] || npm ci --no-audit --no-fund --silent
source ../lib.sh
only_fetched "$@"

if [ -z "${SRE_ZERO:-}" ]; then
    (cd ../.. && cargo build --release --locked -p sre-zero)
    SRE_ZERO="$(cd ../.. && cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')/release/sre-zero"
fi
export SRE_ZERO
exec node --test --test-concurrency=1 --test-reporter=spec "$@"
