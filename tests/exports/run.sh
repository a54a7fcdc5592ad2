#!/usr/bin/env bash
# Exports a real run in every format and reads it back with the libraries that people really use, each
# in a virtual environment of its own that is made once and kept below the target folder.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target}"
venvs="$target/exports"

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../../Cargo.toml -p sre-zero --features parquet
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export SRE_ZERO_BIN

# Gives a Python of that version or newer within the same major: by name, from pyenv, or from uv.
python_at_least() {
    local minor="$1" candidate
    for candidate in python3.{12,13,14,11,10} python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{12,13,14,11,10}*/bin/python; do
        if "$candidate" -c "import sys; sys.exit(sys.version_info < (3, $minor))" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    command -v uv >/dev/null && uv python find ">=3.$minor" 2>/dev/null
}

# A virtual environment with these packages, made anew only if the list has changed.
environment() {
    local name="$1" python="$2"
    shift 2
    local folder="$venvs/$name" stamp
    stamp="$folder/packages.txt"
    if [ "$(cat "$stamp" 2>/dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$python" -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
        echo "$*" >"$stamp"
    fi
}

if ! python="$(python_at_least 10)"; then
    echo "tests/exports/run.sh: Python 3.10 or newer is needed; install it and run this again" >&2
    exit 2
fi
mkdir -p "$venvs"
environment readers "$python" inspect-ai==0.3.285 pyarrow pandas openai jsonschema

stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
export PYTHONDONTWRITEBYTECODE=1
readers="$venvs/readers/bin/python"
"$readers" stage.py "$stage"
"$readers" check_inspect.py "$stage"
"$readers" check_chat.py "$stage"
"$readers" check_parquet.py "$stage"

if python="$(python_at_least 12)"; then
    environment harbor "$python" harbor==0.24.0
    "$venvs/harbor/bin/python" check_atif.py "$stage"
else
    echo "left out: Harbor's models need Python 3.12 or newer; the trajectories were not validated" >&2
fi
