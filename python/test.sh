#!/usr/bin/env bash
# Builds the Python package into a virtual environment of its own below the target folder and tests it.
# `--heavy` adds Stable-Baselines3 (with PyTorch) and verifiers, some gigabytes of packages; set PIP_EXTRA_INDEX_URL
# or PIP_FIND_LINKS to where your smaller build of PyTorch is, if you have one. Other arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$(cd .. && pwd)/target}"
venvs="$target/python"
heavy=false
if [ "${1:-}" = "--heavy" ]; then
    heavy=true
    shift
fi

# The newest Python that works and is new enough, by name or from pyenv.
python_of_today() {
    local candidate
    for candidate in python3.{12,13,14} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{12,13,14}*/bin/python \
        python3.11 python3; do
        if "$candidate" -c "import sys, venv; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "python/test.sh: Python 3.11 or newer is needed; install it and run this again" >&2
    return 1
}

# A virtual environment with these packages, made anew only if the list has changed.
environment() {
    local folder="$venvs/$1"
    shift
    if [ "$(cat "$folder/packages.txt" 2>/dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$(python_of_today)" -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
        echo "$*" >"$folder/packages.txt"
    fi
}

# Builds the package as `pip install ./python` does, and installs it without asking for packages again.
install() {
    "$venvs/$1/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
}

mkdir -p "$venvs"
packages=("maturin>=1.9,<2" "gymnasium==1.4.0" numpy pytest)
if "$(python_of_today)" -c "import sys; sys.exit(sys.version_info < (3, 12))"; then
    packages+=("skyrl-gym==0.4.0")
fi
environment light "${packages[@]}"
rm -rf "$venvs/wheels"
CARGO_TARGET_DIR="$venvs/build" "$venvs/light/bin/maturin" build --quiet --release --locked --out "$venvs/wheels"
wheel="$(echo "$venvs"/wheels/srezero-*.whl)"
install light

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../Cargo.toml -p sre-zero
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export SRE_ZERO_BIN PYTHONDONTWRITEBYTECODE=1
"$venvs/light/bin/python" -m pytest -q -p no:cacheprovider -m "not heavy" "$@"

if $heavy; then
    environment learn gymnasium==1.4.0 stable-baselines3==2.9.2 pytest
    install learn
    "$venvs/learn/bin/python" -m pytest -q -p no:cacheprovider -m heavy -k stable "$@"
    environment verify verifiers==0.4.0 gymnasium==1.4.0 uv pytest
    install verify
    "$venvs/verify/bin/python" -m pytest -q -p no:cacheprovider -k "verifiers" "$@"
fi
