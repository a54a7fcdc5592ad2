#!/usr/bin/env bash
# Passes all tests. Needs Rust, Python 3.11 and Node; what is missing of the rest is added: packages go into
# virtual environments below the target folder, Chromium and bubblewrap come from the system's packages.
#
#   ./test.sh            all tests
#   ./test.sh --rust     those that need Rust alone
#   ./test.sh --heavy    all, with Stable-Baselines3, verifiers and NeMo Gym (some gigabytes of packages)
set -euo pipefail
cd "$(dirname "$0")"
part="${1:-}"
target="${CARGO_TARGET_DIR:-$PWD/target}"

if ! command -v cargo >/dev/null; then
    echo "test.sh: cargo is not installed; get Rust from rustup and run this again" >&2
    exit 2
fi

# Programs in a sandbox are tested where bubblewrap is. Before the tests are started, because they ask for it as soon as they are built.
if [ "$part" != "--rust" ] && [ "$(uname)" = Linux ] && ! command -v bwrap >/dev/null; then
    (source tests/lib.sh && system_packages bubblewrap) ||
        echo "test.sh: skipped: bubblewrap cannot be installed here, so nothing is tested of --exec-sandbox" >&2
fi

# What the clients below need is fetched while the tests are built: the network is busy then, and the cores are needed.
fetching=""
if [ "$part" != "--rust" ]; then
    mkdir -p "$target"
    fetch() {
        for script in tests/clients/run.sh tests/cluster/run.sh tests/exports/run.sh python/test.sh tests/browser/run.sh; do
            "$script" --fetch
        done
    }
    (fetch) >"$target/fetch.log" 2>&1 &
    fetching="$!"
fi
beside=""
trap 'kill $fetching $beside 2>/dev/null || true' EXIT

# Optimised, because most tests live through simulated hours and the real clients below play with the same program; with
# the parts that are off by default, so that everything is built once.
cargo test --release --workspace --locked --features sre-zero/parquet,sre-zero/tui
# What all of it is built from.
packaging/audit.sh
# The same seeds must give the same bytes in a build that is not optimised.
unoptimised() {
    cargo test --locked -p sre-zero-agents --test shipped
}
if [ "$part" = "--rust" ]; then
    unoptimised
    exit 0
fi
wait "$fetching" || { cat "$target/fetch.log" >&2; exit 1; }

# Real clients, with the program that was built for the tests. Most of them use one core or wait, so two rows of tests run side
# by side; what the second one says is shown at its end.
export SRE_ZERO_BIN="$target/release/sre-zero" SRE_ZERO="$target/release/sre-zero"
second_row() {
    tests/cluster/run.sh
    tests/documents/run.sh
    tests/browser/run.sh
}
(second_row) >"$target/second-row.log" 2>&1 &
beside="$!"
unoptimised
# All certificates of the part of the thousand that is due today; what it prints says how to check the same part again.
"$SRE_ZERO_BIN" check --suite generated-1k --shard today/25
tests/clients/run.sh
tests/exports/run.sh
python/test.sh $([ "$part" = "--heavy" ] && echo --heavy)
if ! wait "$beside"; then
    cat "$target/second-row.log"
    exit 1
fi
cat "$target/second-row.log"
