#!/usr/bin/env bash
# The policies of a hostile audit on every suite, on seeds that come from a date.
#   tests/audit/run.sh BINARY [DATE] [SUITE ...]
# Fails if one of them resolves more than a quarter of a suite, or `hedge` is credited with more than a tenth of the causes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "$1")
date=${2:-$(date -u +%F)}
suites=("${@:3}")
[ ${#suites[@]} -gt 0 ] || suites=(srezero-40 recovery observation metastable compound)
seed=$((16#$(printf 'audit %s' "$date" | sha256sum | cut -c1-7)))
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export PYTHONDONTWRITEBYTECODE=1
names=$(cd "$here" && python3 -c 'import policies; print(*(one.__name__ for one in policies.POLICIES))')
echo "[]" > "$out/nothing.json"
for suite in "${suites[@]}"; do
  "$binary" run --suite "$suite" --tools full --agents scripted \
    --exec "gather_and_escalate=python3 $here/policies.py gather_and_escalate $out/nothing.json" \
    --episodes 1 --seed 0 --out "$out/seed0/$suite" >/dev/null 2>&1
  (cd "$here" && python3 memory.py "$out/seed0/$suite" > "$out/$suite.json")
  agents=()
  for name in $names; do
    agents+=(--exec "$name=python3 $here/policies.py $name $out/$suite.json")
  done
  "$binary" run --suite "$suite" --tools full "${agents[@]}" --episodes "${EPISODES:-3}" --seed "$seed" \
    --out "$out/$suite" >/dev/null 2>&1
done
echo "seeds from $seed, ${EPISODES:-3} for each task"
python3 "$here/table.py" "${suites[@]/#/$out/}"
