# What the scripts share that test with real clients: a Python that is new enough, and virtual
# environments below the target folder that are made once. Sourced, not run.

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

# environment FOLDER MINOR PACKAGE..: a virtual environment with these packages, made anew only if the
# list has changed.
environment() {
    local folder="$1" minor="$2"
    shift 2
    if [ "$(cat "$folder/packages.txt" 2>/dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$(python_at_least "$minor")" -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
        echo "$*" >"$folder/packages.txt"
    fi
}
