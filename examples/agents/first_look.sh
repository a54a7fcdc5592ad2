#!/bin/sh
# An agent for SRE-Zero in plain shell: checks what it was paged for, reads the logs, hands over.
#
#     sre-zero run --agents 'exec:sh examples/agents/first_look.sh'
#
# A line that is no JSON is taken for the text of an action, so a shell needs nothing to write one.
# See docs/clients/exec.md.

# The brief is one line of JSON; its services stand in a list of names.
read -r brief || exit 0
services=$(printf '%s' "$brief" | sed -n 's/.*"services":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr ',' ' ')

# Does one action and waits for what it shows; the last one ends the agent.
act() {
    echo "$1"
    read -r seen || exit 0
    case "$seen" in
    *'"done":true'*) exit 0 ;;
    esac
}

looked=0
for service in $services; do
    act "inspect_logs($service)"
    looked=$((looked + 1))
    [ "$looked" -lt 3 ] || break
done
act 'escalate(reason="the logs need a second pair of eyes")'
echo '{"give_up": true}'
