#!/usr/bin/env bash
# Follows the documents: every `sre-zero` command of their blocks is run, page by page, as a reader would type it.
# SRE_ZERO_BIN names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --release --locked --manifest-path ../../Cargo.toml -p sre-zero --features parquet,tui
    SRE_ZERO_BIN="$target/release/sre-zero"
fi
export SRE_ZERO_BIN
source ../lib.sh
exec "$(python_at_least 10)" follow.py "$@"
