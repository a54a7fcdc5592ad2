#!/usr/bin/env bash
# Builds the program as one static file that runs on any Linux of this machine's kind, and checks that it does.
#
#   packaging/static.sh [DIR]        DIR/sre-zero; without DIR target/dist-static/sre-zero
#
# Needs Rust with its musl target and a C compiler for musl; adds both where rustup and Debian's or Alpine's packages
# are at hand. The Dockerfile runs this same script.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
out="${1:-$target/dist-static}"
triple="$(uname -m)-unknown-linux-musl"

if [ ! -e /etc/alpine-release ]; then
    rustup target list --installed | grep -qx "$triple" || rustup target add "$triple"
    command -v musl-gcc >/dev/null || apt-get install --yes --quiet musl-tools >/dev/null
    export "CC_${triple//-/_}=musl-gcc"
fi
# In time for small machines: PROFILE=release skips the optimisation between crates.
profile="${PROFILE:-dist}"
cargo build --locked --profile "$profile" --target "$triple" -p sre-zero --features parquet,tui
mkdir -p "$out"
install -m 755 "$target/$triple/$profile/sre-zero" "$out/sre-zero"

# A static file asks for no library, and plays.
if readelf -d "$out/sre-zero" 2>/dev/null | grep -q NEEDED; then
    echo "static.sh: $out/sre-zero needs libraries:" >&2
    readelf -d "$out/sre-zero" | grep NEEDED >&2
    exit 1
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && env -i "$out/sre-zero" run --suite srezero-25 --agents scripted --episodes 1 --out run >/dev/null)
echo "$out/sre-zero: $(du -h "$out/sre-zero" | cut -f1), static, played $(wc -l <"$scratch/run/episodes.jsonl") episodes"
