#!/usr/bin/env bash
# pid_1.sh ORCH [N]: orch as PID 1 of a namespace reaps N (1000) orphans, passes SIGTERM on to its
# agent and exits 143. Prints what it saw; 77 where such a namespace is not permitted.
set -euo pipefail
orch=$(realpath "${1:?usage: pid_1.sh ORCH [N]}")
count=${2:-1000}
namespace=(unshare --pid --fork --mount-proc)
"${namespace[@]}" true 2>/dev/null || namespace+=(--map-root-user)  # who is not root becomes it inside

if ! "${namespace[@]}" true 2>/dev/null; then
  echo "skipped: ${namespace[*]} is not permitted here"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder ORCH_STATE_DIR=$folder/state
cd "$folder"

# Orphans of two kinds: those that stay in the agent's session and those that leave it. A zombie keeps
# its name until it is reaped.
# shellcheck disable=SC2016  # the agent's shell expands it
agent='
trap "echo asked to end; exit 7" TERM
echo "PID 1 is $(cat /proc/1/comm)"
i=0
while [ $i -lt "$1" ]; do
  (sleep 0.1 &)
  (setsid sleep 0.1 &)
  i=$((i + 2))
done
while grep -qs "(sleep)" /proc/[0-9]*/stat; do :; done
echo "reaped $1 orphans"
while :; do read -r line; done'

start=$(date +%s%3N)
exec 3< <(exec "${namespace[@]}" "$orch" run x --output raw -- sh -c "$agent" agent "$count" 2>"$folder/errors")
outer=$!
while IFS= read -r line <&3; do
  line=${line%$'\r'}
  printf '%6d ms  %s\n' $(($(date +%s%3N) - start)) "$line"
  case $line in
    reaped*)
      read -r inner _ <"/proc/$outer/task/$outer/children" || true  # no line feed
      kill -TERM "$inner"
      ;;
  esac
done
code=0
wait "$outer" || code=$?
printf '%6d ms  exit code %d\n' $(($(date +%s%3N) - start)) "$code"
cat "$folder/errors"
[[ $code == 143 ]]
