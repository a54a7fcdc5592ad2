#!/usr/bin/env bash
# Makes a release: the static program with its man pages and completions, the Python wheel, the bill of materials, the
# licences of everything that is built in, and checksums.
#
#   packaging/release.sh [DIR]       into DIR; without DIR target/release-VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)"
out="${1:-$target/release-$version}"
rm -rf "$out"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
name="sre-zero-$version-$(uname -m)-linux"
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
folder="$room/$name"
mkdir -p "$folder/man" "$folder/completions"

packaging/static.sh "$folder"
"$folder/sre-zero" man "$folder/man"
for shell in bash fish zsh; do
    "$folder/sre-zero" completions "$shell" >"$folder/completions/sre-zero.$shell"
done
python3 packaging/bill.py --check --sbom "$out/$name.cdx.json" --licences "$folder/THIRD-PARTY-LICENCES.txt"
cp README.md CHANGELOG.md LIMITATIONS.md LICENSE-APACHE LICENSE-MIT "$folder/"
# The same files give the same archive: order, owner and times are fixed.
moment="@$(git log -1 --format=%ct 2>/dev/null || echo 0)"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$moment" -C "$room" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
packaging/wheel.sh "$out"
(cd "$out" && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
ls -l "$out"
