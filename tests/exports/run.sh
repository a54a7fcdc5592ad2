#!/usr/bin/env bash
# Exports a real run in every format and reads it back with the libraries that people really use, each
# in a virtual environment of its own that is made once and kept below the target folder.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"
venvs="$target/exports"

source ../lib.sh
mkdir -p "$venvs"
environment "$venvs/readers" 10 inspect-ai==0.3.285 pyarrow pandas openai jsonschema
environment "$venvs/mlflow" 10 mlflow-skinny==3.17.2
# The last versions of W&B's package read such files in a program of their own, which only uploads them.
environment "$venvs/wandb" 10 wandb==0.19.11
if python_at_least 12 >/dev/null; then
    environment "$venvs/harbor" 12 harbor==0.24.0
fi
only_fetched "$@"

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../../Cargo.toml -p sre-zero --features parquet
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export SRE_ZERO_BIN

stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
export PYTHONDONTWRITEBYTECODE=1
readers="$venvs/readers/bin/python"
"$readers" stage.py "$stage"
"$readers" check_inspect.py "$stage"
"$readers" check_chat.py "$stage"
"$readers" check_parquet.py "$stage"
"$venvs/mlflow/bin/python" check_mlflow.py "$stage"
"$venvs/wandb/bin/python" check_wandb.py "$stage"

if [ -d "$venvs/harbor" ]; then
    "$venvs/harbor/bin/python" check_atif.py "$stage"
else
    echo "left out: Harbor's models need Python 3.12 or newer; the trajectories were not validated" >&2
fi
