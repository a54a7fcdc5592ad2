#!/usr/bin/env bash
# Builds the Python wheel (one for Python 3.11 and later, for any Linux with glibc 2.28 or newer) and tries it in an
# empty environment, without Rust on the path.
#
#   packaging/wheel.sh [DIR]         DIR/srezero-*.whl; without DIR target/wheels
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/lib.sh
target="${CARGO_TARGET_DIR:-$PWD/target}"
out="${1:-$target/wheels}"
mkdir -p "$out" "$target/python"
out="$(cd "$out" && pwd)"

# zig links against an old glibc, so that the wheel runs on machines older than this one.
environment "$target/python/packaging" 11 "maturin[zig]>=1.9,<2"
tools="$target/python/packaging"
rm -f "$out"/srezero-*.whl
(cd python && PATH="$tools/bin:$PATH" CARGO_TARGET_DIR="$target/python/wheel" "$tools/bin/maturin" build --quiet \
    --profile dist --locked --zig --compatibility manylinux_2_28 --out "$out")
wheel="$(echo "$out"/srezero-*.whl)"

clean="$(mktemp -d)"
trap 'rm -rf "$clean"' EXIT
"$(python_at_least 11)" -m venv "$clean/venv"
# Rust is not on this path.
without_rust="$clean/venv/bin:/usr/bin:/bin"
env PATH="$without_rust" sh -c '! command -v cargo >/dev/null' || echo "wheel.sh: cargo is in /usr/bin; the wheel is tried with it" >&2
env PATH="$without_rust" pip install --quiet --disable-pip-version-check "$wheel"
cd "$clean"
env PATH="$without_rust" python - <<'END'
import gymnasium
import srezero  # registers the environments

env = gymnasium.make("SreZero-Struct-v0", suite="train")
env.action_space.seed(0)
observation, info = env.reset(seed=0)
steps = 0
for _ in range(200):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    steps += 1
    if terminated or truncated:
        observation, info = env.reset()
assert steps == 200
print(f"srezero {srezero.__version__ if hasattr(srezero, '__version__') else ''}: {steps} steps in a fresh environment")
END
echo "$wheel: $(du -h "$wheel" | cut -f1)"
