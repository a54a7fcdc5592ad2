#!/usr/bin/env bash
# Passes all tests. Needs Rust, Python 3.11 and Node; what is missing of the rest is added: packages go into
# virtual environments below the target folder, Chromium comes from the system's packages.
#
#   ./test.sh            all tests
#   ./test.sh --rust     those that need Rust alone
#   ./test.sh --heavy    all, with Stable-Baselines3 and verifiers (some gigabytes of packages)
set -euo pipefail
cd "$(dirname "$0")"
part="${1:-}"
target="${CARGO_TARGET_DIR:-$PWD/target}"

if ! command -v cargo >/dev/null; then
    echo "test.sh: cargo is not installed; get Rust from rustup and run this again" >&2
    exit 2
fi
# Optimised, because most tests live through simulated hours and the real clients below play with the same program; with
# the parts that are off by default, so that everything is built once.
cargo test --release --workspace --locked --features sre-zero/parquet,sre-zero/tui
# The same seeds must give the same bytes in a build that is not optimised.
cargo test --locked -p sre-zero-agents --test shipped
# What all of it is built from.
packaging/audit.sh
[ "$part" = "--rust" ] && exit 0

# Real clients, with the program that was built for the tests.
export SRE_ZERO_BIN="$target/release/sre-zero"
# All certificates of the part of the thousand that is due today; what it prints says how to check the same part again.
"$SRE_ZERO_BIN" check --suite generated-1k --shard today/25
tests/clients/run.sh
tests/cluster/run.sh
tests/exports/run.sh
# The documents beside Python, whose packages keep one core waiting; what they say is shown at the end.
tests/documents/run.sh >"$target/documents.log" 2>&1 &
documents="$!"
trap 'kill "$documents" 2>/dev/null || true' EXIT
python/test.sh $([ "$part" = "--heavy" ] && echo --heavy)
wait "$documents" || { cat "$target/documents.log"; exit 1; }
tail -1 "$target/documents.log"
SRE_ZERO="$SRE_ZERO_BIN" tests/browser/run.sh
