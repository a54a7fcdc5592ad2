#!/usr/bin/env bash
# Goes through the Dockerfile without Docker: its context, its build and its last stage as a folder, in which the program is run
# as the image would run it. What cannot be done here is said.
#
#   packaging/image.sh              builds the program with packaging/static.sh, as the Dockerfile does
#   packaging/image.sh PROGRAM      takes a static program that is built already
#
# Needs root, for another root folder and another user.
set -euo pipefail
cd "$(dirname "$0")/.."
program="${1:-}"
[ "$(id -u)" = 0 ] || { echo "image.sh: another root folder needs root" >&2; exit 2; }
room="$(mktemp -d)"
trap 'rm -rf "$room"' EXIT
root="$room/root"
mkdir -p "$room/context" "$root"

# The context: what COPY . . sees. Patterns of .dockerignore that the project uses are plain names and **/NAME.
ignored=()
while read -r pattern; do
    case "$pattern" in
        "" | "#"*) ;;
        "**/"*) ignored+=(--exclude="${pattern#\*\*/}") ;;
        *) ignored+=(--exclude="./$pattern") ;;
    esac
done <.dockerignore
tar "${ignored[@]}" -cf - . | tar -C "$room/context" -xf -
for name in target .git runs; do
    [ ! -e "$room/context/$name" ] || { echo "image.sh: $name is in the context" >&2; exit 1; }
done
echo "context: $(du -sh "$room/context" | cut -f1), $(find "$room/context" -type f | wc -l) files"

# The build stage. Alpine's packages are not to be had without Alpine; everything else is run as it stands.
mkdir -p "$room/out"
while read -r line; do
    case "$line" in
        "RUN apk "*) echo "skipped: ${line#RUN } (Alpine alone has it)" ;;
        "RUN packaging/static.sh /out"*)
            if [ -n "$program" ]; then
                install -m 755 "$program" "$room/out/sre-zero"
                echo "skipped: packaging/static.sh, for $program"
            else
                (cd "$room/context" && CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$OLDPWD/target}" packaging/static.sh "$room/out")
            fi
            ;;
        "RUN "*) echo "image.sh: does not know how to do: $line" >&2; exit 1 ;;
    esac
done <Dockerfile

# The last stage: an empty folder, and what is copied into it.
last="$(sed -n '/^FROM scratch/,$p' Dockerfile)"
[ -n "$last" ] || { echo "image.sh: the last stage is not FROM scratch" >&2; exit 1; }
while read -r word options; do
    [ "$word" = COPY ] || continue
    owner="$(sed -n 's/.*--chown=\([0-9:]*\).*/\1/p' <<<"$options")"
    read -r from to <<<"$(sed 's/--[a-z]*=[^ ]* *//g' <<<"$options")"
    mkdir -p "$root/$(dirname "$to")"
    case "$from" in
        /empty) mkdir -p "$root$to" ;;
        /out/*) cp "$room$from" "$root$to" ;;
        # The certificates of this machine stand for Alpine's, at the same place.
        /etc/*) [ -e "$from" ] && cp "$from" "$root$to" || echo "skipped: $from is not on this machine" ;;
        *) echo "image.sh: nothing was built at $from" >&2; exit 1 ;;
    esac
    [ -z "$owner" ] || chown "$owner" "$root$to"
done <<<"$last"
echo "image: $(du -sh "$root" | cut -f1), $(find "$root" -type f | wc -l) files"

# As the image runs it: as its user, in its folder, with nothing else in the world.
user="$(sed -n 's/^USER //p' <<<"$last")"
entry="$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]/\1/p' <<<"$last")"
usual="$(sed -n 's/^CMD \["\(.*\)"\]/\1/p' <<<"$last")"
# The environment is empty, so that `chroot` is named by its place.
chroot="$(command -v chroot)"
inside() {
    env -i "$chroot" --userspec="$user" "$root" "$entry" "$@"
}
inside "$usual" | grep -q "^Usage: sre-zero"
inside run --suite srezero-25 --agents scripted --episodes 1 | tail -1
[ -n "$(find "$root/runs" -name summary.json)" ] || { echo "image.sh: nothing was kept in /runs" >&2; exit 1; }
[ "$(find "$root/runs" -name summary.json -printf '%U:%G\n' | head -1)" = "$user" ] || { echo "image.sh: /runs belongs to another user" >&2; exit 1; }
env -i SRE_ZERO_TOKEN=0123456789abcdef0123 "$chroot" --userspec="$user" "$root" "$entry" serve --host 0.0.0.0 --port 0 --out /runs/served >"$room/said" 2>&1 &
server="$!"
until grep -q '^http://' "$room/said" || ! kill -0 "$server" 2>/dev/null; do sleep 0.1; done
grep -m1 '^http://' "$room/said"
kill -TERM "$server"
wait "$server"
echo "ok     the steps of the Dockerfile: help, a run that is kept, a server"
