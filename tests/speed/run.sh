#!/usr/bin/env bash
# Builds this tree and an earlier revision and prints the figures of both side by side, taken in turns on the
# same machine: only their ratio means something on a busy one.
#
#   tests/speed/run.sh REVISION [ROUNDS]      for example: tests/speed/run.sh HEAD~20 3
set -euo pipefail
cd "$(dirname "$0")/../.."
revision="${1:?usage: tests/speed/run.sh REVISION [ROUNDS]}"
rounds="${2:-3}"
here="$PWD"
room="${CARGO_TARGET_DIR:-$here/target}/speed"
before="$room/$(git rev-parse --short "$revision")"

mkdir -p "$room"
[ -d "$before" ] || git worktree add --quiet --detach "$before" "$revision"

# The bench's binary of the tree at $1.
built() {
    (cd "$1" && cargo bench --locked --no-run -p sre-zero --bench figures 2>&1) |
        sed -n 's/.*Executable.*(\(.*\)).*/\1/p' | sed "s|^target|$1/target|"
}
old="$(CARGO_TARGET_DIR="$room/target-before" built "$before")"
new="$(built "$here")"
[ -x "$old" ] && [ -x "$new" ] || { echo "speed: the bench was not built: '$old', '$new'" >&2; exit 1; }

for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    (cd "$before" && "$old" --bench) >"$room/before.$round.txt"
    (cd "$here" && "$new" --bench) >"$room/after.$round.txt"
done
python3 tests/speed/compare.py "$room" "$rounds"
