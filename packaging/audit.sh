#!/usr/bin/env bash
# Checks what the program is built from: licences, where crates come from, and known vulnerabilities.
#
#   packaging/audit.sh               fails on what is found, and says what could not be looked at
#
# Licences and sources need no tool and no network. Vulnerabilities need `cargo deny` or `cargo audit`, and a copy of the
# advisories: a machine without a network takes the copy that it has, and one without a copy goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 packaging/bill.py --check
strange="$(sed -n 's/^source = "\(.*\)"$/\1/p' Cargo.lock python/Cargo.lock | sort -u | grep -v 'crates.io-index$' || true)"
if [ -n "$strange" ]; then
    echo "audit.sh: crates come from elsewhere than crates.io: $strange" >&2
    exit 1
fi

# Runs a check that fetches something. If it fails and there is a copy, the copy decides: what is wrong fails both ways, a missing
# network only the first.
decided() {
    local what="$1" copy="$2" fresh="$3" kept="$4"
    if $fresh; then
        return
    elif [ -d "$copy" ]; then
        echo "audit.sh: again with the $what of $(date -r "$copy" +%F)" >&2
        $kept
    else
        echo "audit.sh: skipped: no $what can be fetched and there is no copy of them" >&2
    fi
}
store="${CARGO_HOME:-$HOME/.cargo}"
if cargo deny --version >/dev/null 2>&1; then
    # Crates of other systems are looked at too, and a machine that only built the program has not got them all.
    decided crates "$store/registry" "cargo deny --locked check licenses bans sources" "cargo deny --locked --offline check licenses bans sources"
    decided advisories "$store/advisory-dbs" "cargo deny --locked check advisories" "cargo deny --locked --offline check advisories"
elif cargo audit --version >/dev/null 2>&1; then
    decided advisories "$store/advisory-db" "cargo audit" "cargo audit --no-fetch --stale"
else
    echo "audit.sh: skipped: no vulnerabilities are looked for without cargo-deny or cargo-audit (cargo install cargo-deny)" >&2
fi
