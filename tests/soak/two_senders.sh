#!/usr/bin/env bash
# two_senders.sh ORCH [N]: two processes send N (50) messages each to one session of the demo agent, at
# once. All arrive whole, each once, those of one sender in their order; no `orch send` says otherwise.
set -euo pipefail
orch=$(realpath "${1:?usage: two_senders.sh ORCH [N]}")
count=${2:-50}

folder=$(mktemp -d)
trap '"$orch" kill --all-repositories --now >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
export HOME=$folder ORCH_STATE_DIR=$folder/state ORCH_DEMO_SCENARIO=plain ORCH_DEMO_SPEED=5
export ORCH_DEMO_LOG=$folder/messages.jsonl
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME
mkdir -p "$folder/project/.git"
cd "$folder/project"
touch "$ORCH_DEMO_LOG"
"$orch" run 1 -d --agent demo --until exit >/dev/null

# A message of several lines, a different one each time.
message() { printf '%s %d of %d\nline two: “%s”\n\tline three' "$1" "$2" "$count" "日本語 $1$2"; }
send_all() {
  for ((i = 1; i <= count; i++)); do
    message "$1" "$i" | "$orch" send 1 - || echo "$1 $i: exit $?" >>"$folder/failed"
  done
}
start=$(date +%s%3N)
send_all left &
send_all right &
wait
took=$(($(date +%s%3N) - start))

# The log has one JSON string per message; line feeds and tabs are escaped in it.
expected() {
  for ((i = 1; i <= count; i++)); do message "$1" "$i" | sed -z 's/\n/\\n/g; s/\t/\\t/g'; echo; done
}
received() { sed -n "s/^{\"message\":\"\($1 .*\)\"}\$/\1/p" "$ORCH_DEMO_LOG"; }
failed=0
for sender in left right; do
  if ! diff <(expected "$sender") <(received "$sender") >"$folder/difference"; then
    echo "FAILED: what $sender sent is not what arrived:"
    head -5 "$folder/difference"
    failed=1
  fi
done
if [[ -e $folder/failed ]]; then
  echo "FAILED: not accepted:"
  cat "$folder/failed"
  failed=1
fi
arrived=$(wc -l <"$ORCH_DEMO_LOG")
printf '%6d of %d messages of two senders arrived, in %d ms\n' "$arrived" $((2 * count)) "$took"
if ((arrived != 2 * count)); then failed=1; fi
exit "$failed"
