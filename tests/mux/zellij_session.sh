#!/usr/bin/env bash
# zellij_session.sh ORCH: one session in a real zellij: what it prints is told, what is typed arrives, and
# its end leaves nothing.
set -euo pipefail
orch=${1:?usage: zellij_session.sh ORCH}
place=$(mktemp -d)
export HOME=$place ORCH_STATE_DIR=$place/state
cd "$place"
trap '"$orch" kill --all --now >/dev/null 2>&1 || true; rm -rf "$place"' EXIT

shows() {  # TEXT
  local look
  for ((look = 0; look < 200; ++look)); do
    [[ $("$orch" logs 7) == *"$1"* ]] && return
    sleep 0.1
  done
  echo "\"$1\" was not told: $("$orch" logs 7)" >&2
  return 1
}

# shellcheck disable=SC2016  # for the shell in the session
"$orch" run 7 -d --session-manager zellij -- sh -c 'echo ready; read line; echo "got $line"; sleep 100'
shows ready
"$orch" keys 7 h i Enter
shows 'got hi'
"$orch" kill 7
[[ $(zellij list-sessions --short 2>/dev/null) != *orch-7@* ]]
