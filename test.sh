#!/usr/bin/env bash
# Passes all tests. Needs Rust and nothing else; what is missing of it is added.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v cargo >/dev/null; then
    echo "test.sh: cargo is not installed; get Rust from rustup and run this again" >&2
    exit 2
fi
cargo test --workspace --locked "$@"
# The full-screen view, which is off by default.
cargo test --locked -p sre-zero --features tui --bin sre-zero "$@"
# The same seeds must give the same bytes in an optimised build.
cargo test --release --locked -p sre-zero --test shipped "$@"
