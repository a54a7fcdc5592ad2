# What the scripts share that test with real clients: packages of the system, a Python that is new enough, and virtual
# environments below the target folder that are made once. Sourced, not run.

# system_packages PACKAGE..: adds packages of Debian's kind of system. Fails where there is no such system, no right or no network.
system_packages() {
    local sudo=""
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Gives a Python 3 of that minor version or newer: by name, from pyenv, or from uv.
python_at_least() {
    local minor="$1" candidate
    # 3.12 first: some clients need it, and no newer one is needed by any.
    for candidate in python3.{12,13,14} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{12,13,14}*/bin/python \
        python3.{11,10} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{11,10}*/bin/python python3; do
        if "$candidate" -c "import sys, venv; sys.exit(sys.version_info < (3, $minor))" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    if command -v uv >/dev/null && uv python find ">=3.$minor" 2>/dev/null; then
        return
    fi
    echo "Python 3.$minor or newer is needed; install it and run this again" >&2
    return 1
}

# install_packages FOLDER PACKAGE..: puts packages into a virtual environment, with uv where that can be had: it takes seconds where
# pip takes minutes. What pip was told of indexes, folders and certificates holds for it, too.
install_packages() {
    local folder="$1" certificates="${SSL_CERT_FILE:-${PIP_CERT:-}}" tools uv
    tools="${CARGO_TARGET_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target}/uv"
    shift
    uv="$(command -v uv || echo "$tools/bin/uv")"
    if [ ! -x "$uv" ]; then
        "$folder/bin/python" -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check uv || true
    fi
    env ${certificates:+SSL_CERT_FILE="$certificates"} "$uv" pip install --quiet --python "$folder/bin/python" \
        ${PIP_INDEX_URL:+--default-index "$PIP_INDEX_URL"} ${PIP_EXTRA_INDEX_URL:+--index "$PIP_EXTRA_INDEX_URL"} \
        ${PIP_FIND_LINKS:+--find-links "$PIP_FIND_LINKS"} "$@" 2>/dev/null ||
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# environment FOLDER MINOR PACKAGE..: a virtual environment with these packages, made anew only if the
# list has changed.
environment() {
    local folder="$1" minor="$2"
    shift 2
    if [ "$(cat "$folder/packages.txt" 2>/dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$(python_at_least "$minor")" -m venv "$folder"
        install_packages "$folder" "$@"
        echo "$*" >"$folder/packages.txt"
    fi
}

# only_fetched ARGUMENT..: ends a script that was asked for nothing but its packages (`--fetch`).
only_fetched() {
    [ "${1:-}" != "--fetch" ] || exit 0
}
