#!/usr/bin/env bash
# Builds the Python package into a virtual environment of its own below the target folder and tests it.
# `--heavy` adds Stable-Baselines3 (with PyTorch), verifiers and NeMo Gym, some gigabytes of packages; set PIP_EXTRA_INDEX_URL
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

source ../tests/lib.sh

# Builds the package as `pip install ./python` does, and installs it without asking for packages again.
install() {
    "$venvs/$1/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
}

mkdir -p "$venvs"
packages=("maturin>=1.9,<2" "gymnasium==1.4.0" numpy pytest)
if "$(python_at_least 11)" -c "import sys; sys.exit(sys.version_info < (3, 12))"; then
    packages+=("skyrl-gym==0.4.0")
fi
environment "$venvs/light" 11 "${packages[@]}"
# Inspect brings many packages of its own, so it has an environment of its own.
environment "$venvs/inspect" 11 inspect-ai==0.3.285 gymnasium==1.4.0 pytest
only_fetched "$@"
rm -rf "$venvs/wheels"
# In the program's profile and folder, so that most of it is built already.
CARGO_TARGET_DIR="$target" "$venvs/light/bin/maturin" build --quiet --profile release --locked --out "$venvs/wheels"
wheel="$(echo "$venvs"/wheels/srezero-*.whl)"
install light

if [ -z "${SRE_ZERO_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path ../Cargo.toml -p sre-zero
    SRE_ZERO_BIN="$target/debug/sre-zero"
fi
export SRE_ZERO_BIN PYTHONDONTWRITEBYTECODE=1
"$venvs/light/bin/python" -m pytest -q -p no:cacheprovider -m "not heavy" "$@"

install inspect
"$venvs/inspect/bin/python" -m pytest -q -p no:cacheprovider tests/test_inspect.py

if $heavy; then
    environment "$venvs/learn" 11 gymnasium==1.4.0 stable-baselines3==2.9.2 pytest
    install learn
    "$venvs/learn/bin/python" -m pytest -q -p no:cacheprovider -m heavy -k stable "$@"
    environment "$venvs/verify" 11 verifiers==0.4.0 gymnasium==1.4.0 uv pytest
    install verify
    "$venvs/verify/bin/python" -m pytest -q -p no:cacheprovider -k "verifiers" "$@"
    environment "$venvs/nemo" 12 nemo-gym==0.4.0 gymnasium==1.4.0 pytest
    install nemo
    "$venvs/nemo/bin/python" -m pytest -q -p no:cacheprovider tests/test_nemo.py
fi
